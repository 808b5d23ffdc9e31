mod corpus;
mod examples;
mod made;

use proptest::prelude::*;

use super::*;
use corpus::{CONTEXTS, OTHERS, PLACED, PLAIN, SHAPED};
use examples::{EXAMPLES, WORDS};
use made::{left_of, made};

#[test]
fn secrets_of_known_formats_go_wherever_they_stand() {
    let mut left = Vec::new();
    for (seed, shape) in SHAPED.iter().enumerate() {
        for (context, around) in CONTEXTS {
            let marked = if shape.contains('⟦') { (*shape).to_owned() } else { format!("⟦{shape}⟧") };
            let made = made(&around.replace('*', &marked), seed as u64);
            let clean = redact(&made.text);
            if let Some(part) = left_of(&made, &clean) {
                left.push(format!("{context}: {part} of {shape} in {clean}"));
            }
        }
    }
    let all = SHAPED.len() * CONTEXTS.len();
    assert!(left.is_empty(), "{} of {all} are left:\n{}", left.len(), left.join("\n"));
}

#[test]
fn each_format_is_found_by_its_example_and_not_by_what_is_nearly_one() {
    let openings: Vec<&str> = FORMATS.iter().flat_map(|format| format.openings).copied().collect();
    let examples: Vec<&str> = EXAMPLES.iter().map(|(opening, ..)| *opening).collect();
    assert_eq!(openings, examples, "every opening has its example, in the same order");
    let kinds = FORMATS.iter().flat_map(|format| format.openings.iter().map(|_| (format.kind, format.taken)));
    for ((seed, (opening, key, near)), (kind, taken)) in EXAMPLES.iter().enumerate().zip(kinds) {
        let (key, near) = (made(key, seed as u64).text, made(near, seed as u64).text);
        let kept = if taken == formats::Taken::Rest { opening } else { "" };
        check(&format!("see {opening}{key} there"), &format!("see {kept}[redacted: {kind}] there"));
        let near = format!("see {opening}{near} there");
        check(&near, &near);
        let longer = format!("see a{opening}{key} there");
        if taken == formats::Taken::All && !opening.starts_with('.') {
            check(&longer, &longer);
        }
    }
}

#[test]
fn words_that_begin_like_a_key_stay() {
    for text in WORDS {
        check(text, text);
    }
}

#[test]
fn a_secret_reads_the_same_wherever_it_stands_in_a_transcript() {
    let secret = made("{a24}", 1).text;
    let token = made("ghp_{a36}", 2).text;
    let texts = [
        format!("export API_TOKEN={secret}"),
        format!("curl -H 'Authorization: Bearer {secret}' -H 'X: {token}'"),
        format!("got {secret} back, and password={token}"),
    ];
    let redactor = Redactor::of(&texts);
    let clean: Vec<String> = texts.iter().map(|text| redactor.redact(text).into_owned()).collect();
    assert_eq!(
        clean,
        [
            "export API_TOKEN=[redacted: token]",
            "curl -H 'Authorization: Bearer [redacted: token]' -H 'X: [redacted: github token]'",
            "got [redacted: token] back, and password=[redacted: github token]",
        ]
    );
    assert!(!format!("{redactor:?}").contains(&secret), "nobody reads it in a report");
}

#[test]
fn a_common_word_that_was_a_password_once_stays_elsewhere() {
    let texts = ["DB_PASSWORD=postgres", "the postgres container is healthy"];
    let redactor = Redactor::of(texts);
    assert_eq!(redactor.redact(texts[1]), texts[1]);
}

#[test]
fn a_summary_keeps_no_line_out_of_the_middle_of_a_key() {
    let line = made("{b64}", 3).text;
    let summary = format!("## Critical Context\n- Read #321664\n {line}\n- {line}…\n- src/db.py\n");
    let expected =
        "## Critical Context\n- Read #321664\n [redacted: private key]\n- [redacted: private key]…\n- src/db.py\n";
    assert_eq!(Redactor::default().redact_summary(&summary), expected);
}

#[test]
fn secrets_go_that_are_known_by_where_they_stand() {
    let mut left = Vec::new();
    for (seed, (context, pattern)) in PLACED.iter().chain(OTHERS).enumerate() {
        let made = made(pattern, seed as u64);
        let clean = redact(&made.text);
        if let Some(part) = left_of(&made, &clean) {
            left.push(format!("{context}: {part} in {clean}"));
        }
    }
    assert!(left.is_empty(), "{} are left:\n{}", left.len(), left.join("\n"));
}

#[test]
fn what_holds_no_secret_stays_as_it_is() {
    let mut changed = Vec::new();
    for (seed, pattern) in PLAIN.iter().enumerate() {
        let made = made(pattern, seed as u64);
        let clean = redact(&made.text);
        if clean != made.text {
            changed.push(format!("{} became {clean}", made.text));
        }
    }
    assert!(changed.is_empty(), "{} of {} are changed:\n{}", changed.len(), PLAIN.len(), changed.join("\n"));
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(redact(text), expected);
}

/// The same, whatever it is said to be.
#[track_caller]
fn check_taken(text: &str, expected: &str) {
    let clean = redact(text);
    let mut parts = clean.split("[redacted: ");
    let first = parts.next().unwrap_or_default().to_owned();
    let plain =
        parts.fold(first, |plain, part| plain + "[redacted]" + part.split_once(']').map_or("", |(_, rest)| rest));
    assert_eq!(plain, expected);
}

#[test]
fn what_stood_there_is_said() {
    for (pattern, expected) in [
        ("DB_PASSWORD={a12}", "DB_PASSWORD=[redacted: password]"),
        ("redis://:{a12}@cache:6379", "redis://:[redacted: password]@cache:6379"),
        ("API_TOKEN={a24}", "API_TOKEN=[redacted: token]"),
        ("client_secret: {a24}", "client_secret: [redacted: secret]"),
        ("x-api-key: {a24}", "x-api-key: [redacted: key]"),
        ("Authorization: Bearer {a24}", "Authorization: Bearer [redacted: credential]"),
        ("Authorization: Bearer ghp_{a36}", "Authorization: Bearer [redacted: github token]"),
        ("Cookie: sid={a24}", "Cookie: sid=[redacted: cookie]"),
        ("?key={a24}&x=1", "?key=[redacted: url key]&x=1"),
        ("AKIA{u16}:{b40}", "[redacted: aws key id]:[redacted: aws secret key]"),
        (
            "kind: Secret\ndata:\n  a: aHVudGVyMmh1bnRlcjI=\n",
            "kind: Secret\ndata:\n  a: [redacted: kubernetes secret]\n",
        ),
    ] {
        check(&made(pattern, 7).text, expected);
    }
}

#[test]
fn keys_are_known_by_their_shape() {
    check_taken("use sk-ant-api03-AbCdEf0123456789AbCdEf0123456789-xyz now", "use [redacted] now");
    check_taken("(sk-proj-0123456789abcdefABCDEF)", "([redacted])");
    check_taken("ghp_0123456789abcdefghijABCDEFGHIJ012345", "[redacted]");
    check_taken("id AKIAIOSFODNN7EXAMPLE.", "id [redacted].");
    check_taken("key=AIzaSyA0123456789abcdefghijklmnopqrstuv&x=1", "key=[redacted]&x=1");
    check_taken("xoxb-123456789012-abcdefGHIJKL", "[redacted]");
    check_taken(
        "jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U end",
        "jwt [redacted] end",
    );
}

#[test]
fn a_quoted_line_break_does_not_hide_a_key() {
    check_taken(r"first\nghp_0123456789abcdefghijABCDEFGHIJ012345\nlast", r"first\n[redacted]\nlast");
}

#[test]
fn a_private_key_goes_as_a_whole() {
    check_taken(
        "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc+/=\n-----END RSA PRIVATE KEY-----\nb",
        "a\n[redacted]\nb",
    );
    check_taken(r#"{"k":"-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n"}"#, r#"{"k":"[redacted]\n"}"#);
    check_taken(
        "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
        "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
    );
    // Cut in the middle, as outputs are.
    check_taken("-----BEGIN EC PRIVATE KEY-----\nMIIEow\nabc", "[redacted]");
}

#[test]
fn passwords_in_addresses_go_and_the_host_stays() {
    check_taken("postgres://app:s3cret@db.local:5432/x", "postgres://app:[redacted]@db.local:5432/x");
    check_taken("https://0123456789abcdef0123@host/x", "https://[redacted]@host/x");
    check_taken("https://host/path@1:2", "https://host/path@1:2");
    check_taken("postgres://app:${DB_PASSWORD}@db/x", "postgres://app:${DB_PASSWORD}@db/x");
}

#[test]
fn what_is_assigned_to_a_secret_name_goes() {
    check_taken("export DB_PASSWORD=hunter", "export DB_PASSWORD=[redacted]");
    check_taken(r#"{"api_key": "abc-def-123"}"#, r#"{"api_key": "[redacted]"}"#);
    check_taken(r#"{\"client_secret\": \"abc-def-123\"}"#, r#"{\"client_secret\": \"[redacted]\"}"#);
    check_taken(
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "aws_secret_access_key = [redacted]",
    );
    check_taken("Authorization: Bearer abcdefghij0123456789", "Authorization: Bearer [redacted]");
    check_taken("x-api-key: 0123456789abcdef", "x-api-key: [redacted]");
    check_taken("password: \"correct horse 1 battery\"", "password: \"[redacted]\"");
}

#[test]
fn secrets_on_command_lines_go() {
    check_taken("mytool --password cliPassw0rd77 --x", "mytool --password [redacted] --x");
    check_taken("tool --api-key flagSecret8844 run", "tool --api-key [redacted] run");
    check_taken("tool --token=tokenFlag8866 run", "tool --token=[redacted] run");
    check_taken("tool --password=correcthorse", "tool --password=[redacted]");
    check_taken(r#"["tool","--token","tokenFlag8866"]"#, r#"["tool","--token","[redacted]"]"#);
    check_taken("ENV DB_PASS dockerEnvVal1133", "ENV DB_PASS [redacted]");
    check_taken("export SMTP_PASS=hunter22", "export SMTP_PASS=[redacted]");
    check_taken("curl -s -u admin:curlUserPw1199 https://x", "curl -s -u admin:[redacted] https://x");
    check_taken("curl --user 'admin:curlUserPw1199' https://x", "curl --user 'admin:[redacted]' https://x");
    check_taken("sshpass -p sshpassPw2211 ssh h", "sshpass -p [redacted] ssh h");
    check_taken("sshpass -p'correct' ssh h", "sshpass -p'[redacted]' ssh h");
    check_taken("mysql -u root -pmysqlPw4321 db", "mysql -u root -p[redacted] db");
    check_taken("mysqldump -uroot -p'mysqlPw4321' db > x", "mysqldump -uroot -p'[redacted]' db > x");
    check_taken("redis-cli -h c -a redisPw1 ping", "redis-cli -h c -a [redacted] ping");
}

#[test]
fn secrets_go_that_are_known_by_their_place() {
    check_taken("<password>xmlPwVal1111</password>", "<password>[redacted]</password>");
    check_taken("AccountKey=AbCdEf0123+/==;EndpointSuffix=core", "AccountKey=[redacted];EndpointSuffix=core");
    check_taken("Cookie: session=sess_9f8e7d6c5b4a; theme=dark", "Cookie: session=[redacted]; theme=dark");
    check_taken(r#"{"Cookie": "a=1234567; sid=abc-def-123456"}"#, r#"{"Cookie": "a=[redacted]; sid=[redacted]"}"#);
    check_taken(
        "Set-Cookie: id=a3fWa0123; Path=/; Max-Age=2592000",
        "Set-Cookie: id=[redacted]; Path=/; Max-Age=2592000",
    );
    check_taken("machine h login u password netrcPw5544", "machine h login u password [redacted]");
    check_taken("machine h\n  login u\n  password netrcPw5544\n", "machine h\n  login u\n  password [redacted]\n");
    check_taken("localhost:5432:db:user:pgPassVal3322", "localhost:5432:db:user:[redacted]");
    check_taken("echo *:*:*:app:pgPassVal3322 > ~/.pgpass", "echo *:*:*:app:[redacted] > ~/.pgpass");
    check_taken("bot 123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw", "bot [redacted]");
    check_taken("/bot123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/getMe", "/bot[redacted]/getMe");
    check_taken("password:\ntwoLineSecret1188\nnext", "password:\n[redacted]\nnext");
    check_taken("Passphrase:  \n  twoLineSecret1188  \n", "Passphrase:  \n  [redacted]  \n");
    check_taken("my password is UserTyped9911cc please use it", "my password is [redacted] please use it");
    check_taken("The password is `Tr0ub4dor`.", "The password is `[redacted]`.");
}

#[test]
fn what_only_looks_like_it_stays() {
    for text in [
        "password: string\ntoken: &str",
        "--token-count 5 --max-tokens 4096 --no-password x1y2z3",
        "fn cookie() -> Cookie { cookie: name }",
        "use the --token flag, or `--password` with --password-stdin",
        "--password PASSWORD  the password\n--token string\n--token=TOKEN",
        "docker build --secret id=npm1,src=x .",
        "docker run -u 1000:1000 -p 8080:80 mysql -p3306:3306",
        "curl -u $USER:$PASS https://x",
        "mysql -u root -p shop",
        "the password is incorrect; the token is base64-encoded, the key is missing",
        "a login page password reset",
        "src/main.rs:1200:foo:bar: baz",
        "[FEDC:BA98:7654:3210:FEDC:BA98:7654:3210]:80 and 2001:0658:022a:cafe:0000:0000:0000:0000",
        "password:\n  type: string\n  minLength: 8",
        "token:\n- name2345",
        "<Token>{value}</Token> <secret></secret>",
        "TEST_PASS = 0x0104, FLAGS_PASS: sys::PASS_1",
        "PASS: 12 tests, FAIL: 0",
        "Cookie: theme=dark",
        "----- token 12345678 -----",
    ] {
        check(text, text);
    }
}

#[test]
fn source_and_prose_stay_as_they_are() {
    for text in [
        "fn count(token: TokenCounter) -> Tokens",
        "max_tokens: 4096, total_tokens=128000",
        "password: str, token: Option<String>",
        "let token = reader.next_token(10)?;",
        "API_KEY=${API_KEY} and TOKEN=<your token>",
        "token = os.environ[\"TOKEN\"]",
        "the sk-learn-compatible-estimator-interface",
        "task-force and risk-averse-and-something-longer",
        "std::secret::find and key: value",
        "PASSWORD=[redacted]",
    ] {
        check(text, text);
    }
}

#[test]
fn a_long_hostile_text_is_read_in_one_pass() {
    // Each of these would take minutes if anything looked back or ahead without a bound.
    for piece in [
        "://",
        "token:",
        "-----BEGIN PRIVATE KEY",
        "sk-",
        "eyJ.",
        "Bearer ",
        ":=",
        "a@",
        "-----BEGIN ",
        "--token ",
        "curl -u ",
        "mysql -p",
        "ENV ",
        "<token>",
        "Cookie: a=",
        "login a password ",
        "a:5432:",
        "token:\n",
        ":AA",
        "-----END PRIVATE KEY-----\n",
        "kind: Secret\ndata:\n",
        "kind\":\"Secret\"{\"data\":{\"a\":\"b\"",
        "token,password\n",
        "LS0tLS1CRUdJTi",
        "sk-a1\\\n",
        "\"sk-a1\" +\n",
        "token=f\"",
        "name: TOKEN value: ",
        "AKIA",
        "a.bcdefg.",
        "auth=(\"a\",",
    ] {
        let text = piece.repeat(400_000 / piece.len());
        assert!(redact(&text).len() <= 5 * text.len());
    }
}

/// A secret of a known shape, and what must not be left of it.
fn secret() -> impl Strategy<Value = (String, String)> {
    let word = "[A-Za-z0-9]{19}[0-9]";
    prop_oneof![
        ("(sk-ant-api03-|sk-proj-|sk-or-v1-|ghp_|gho_|github_pat_|glpat-|xoxb-1)", word)
            .prop_map(|(opening, key)| (format!("{opening}{key}"), key)),
        "AKIA[A-Z0-9]{16}".prop_map(|key| (key.clone(), key)),
        "eyJ[a-zA-Z0-9_]{20}\\.eyJ[a-zA-Z0-9_]{20}\\.[a-zA-Z0-9_-]{20}".prop_map(|key| (key.clone(), key)),
        ("(API_KEY|DB_PASSWORD|GITHUB_TOKEN|CLIENT_SECRET)", word)
            .prop_map(|(name, key)| (format!("{name}={key}"), key)),
        ("(api_key|password|authToken|client-secret)", word)
            .prop_map(|(name, key)| (format!("\"{name}\": \"{key}\""), key)),
        word.prop_map(|key| (format!("Authorization: Bearer {key}"), key)),
        ("(--password |--api-key=|my password is |machine h login u password |<password>|sshpass -p )", word)
            .prop_map(|(opening, key)| (format!("{opening}{key}</"), key)),
        ("(curl -u me:|db:5432:d:u:|Cookie: sid=|ENV X_PASS )", word)
            .prop_map(|(opening, key)| (format!("{opening}{key}"), key)),
        word.prop_map(|key| (format!("redis://user:{key}@cache:6379"), key)),
        "[A-Za-z0-9+/]{40}".prop_map(|key| {
            (format!("-----BEGIN OPENSSH PRIVATE KEY-----\n{key}\n-----END OPENSSH PRIVATE KEY-----"), key)
        }),
    ]
}

proptest! {
    #[test]
    fn no_secret_is_left_wherever_it_stands(before in "[ -~é\n]{0,60}[ \n]", (text, key) in secret(), after in "[ \n][ -~é\n]{0,60}") {
        let clean = redact(&format!("{before}{text}{after}")).into_owned();
        prop_assert!(!clean.contains(&key), "{clean}");
    }

    #[test]
    fn redacting_twice_is_redacting_once(text in "[a-z .,\n]{0,60}", (key, _) in secret()) {
        let text = format!("{text} {key}");
        let once = redact(&text).into_owned();
        prop_assert_eq!(redact(&once), once.clone());
    }

    #[test]
    fn what_has_no_digits_and_no_names_is_left_alone(text in "[a-z .\n]{0,200}") {
        prop_assert_eq!(redact(&text), text.clone());
    }
}
