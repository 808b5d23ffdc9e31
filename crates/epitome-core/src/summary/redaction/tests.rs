use proptest::prelude::*;

use super::*;

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(redact(text), expected);
}

#[test]
fn keys_are_known_by_their_shape() {
    check("use sk-ant-api03-AbCdEf0123456789AbCdEf0123456789-xyz now", "use [redacted] now");
    check("(sk-proj-0123456789abcdefABCDEF)", "([redacted])");
    check("ghp_0123456789abcdefghijABCDEFGHIJ012345", "[redacted]");
    check("id AKIAIOSFODNN7EXAMPLE.", "id [redacted].");
    check("key=AIzaSyA0123456789abcdefghijklmnopqrstuv&x=1", "key=[redacted]&x=1");
    check("xoxb-123456789012-abcdefGHIJKL", "[redacted]");
    check(
        "jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U end",
        "jwt [redacted] end",
    );
}

#[test]
fn a_quoted_line_break_does_not_hide_a_key() {
    check(r"first\nghp_0123456789abcdefghijABCDEFGHIJ012345\nlast", r"first\n[redacted]\nlast");
}

#[test]
fn a_private_key_goes_as_a_whole() {
    check("a\n-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc+/=\n-----END RSA PRIVATE KEY-----\nb", "a\n[redacted]\nb");
    check(r#"{"k":"-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n"}"#, r#"{"k":"[redacted]\n"}"#);
    check(
        "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
        "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
    );
    // Cut in the middle, as outputs are.
    check("-----BEGIN EC PRIVATE KEY-----\nMIIEow\nabc", "[redacted]");
}

#[test]
fn passwords_in_addresses_go_and_the_host_stays() {
    check("postgres://app:s3cret@db.local:5432/x", "postgres://app:[redacted]@db.local:5432/x");
    check("https://0123456789abcdef0123@host/x", "https://[redacted]@host/x");
    check("https://host/path@1:2", "https://host/path@1:2");
    check("postgres://app:${DB_PASSWORD}@db/x", "postgres://app:${DB_PASSWORD}@db/x");
}

#[test]
fn what_is_assigned_to_a_secret_name_goes() {
    check("export DB_PASSWORD=hunter", "export DB_PASSWORD=[redacted]");
    check(r#"{"api_key": "abc-def-123"}"#, r#"{"api_key": "[redacted]"}"#);
    check(r#"{\"client_secret\": \"abc-def-123\"}"#, r#"{\"client_secret\": \"[redacted]\"}"#);
    check("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "aws_secret_access_key = [redacted]");
    check("Authorization: Bearer abcdefghij0123456789", "Authorization: Bearer [redacted]");
    check("x-api-key: 0123456789abcdef", "x-api-key: [redacted]");
    check("password: \"correct horse 1 battery\"", "password: \"[redacted]\"");
}

#[test]
fn secrets_on_command_lines_go() {
    check("mytool --password cliPassw0rd77 --x", "mytool --password [redacted] --x");
    check("tool --api-key flagSecret8844 run", "tool --api-key [redacted] run");
    check("tool --token=tokenFlag8866 run", "tool --token=[redacted] run");
    check("tool --password=correcthorse", "tool --password=[redacted]");
    check(r#"["tool","--token","tokenFlag8866"]"#, r#"["tool","--token","[redacted]"]"#);
    check("ENV DB_PASS dockerEnvVal1133", "ENV DB_PASS [redacted]");
    check("export SMTP_PASS=hunter22", "export SMTP_PASS=[redacted]");
    check("curl -s -u admin:curlUserPw1199 https://x", "curl -s -u admin:[redacted] https://x");
    check("curl --user 'admin:curlUserPw1199' https://x", "curl --user 'admin:[redacted]' https://x");
    check("sshpass -p sshpassPw2211 ssh h", "sshpass -p [redacted] ssh h");
    check("sshpass -p'correct' ssh h", "sshpass -p'[redacted]' ssh h");
    check("mysql -u root -pmysqlPw4321 db", "mysql -u root -p[redacted] db");
    check("mysqldump -uroot -p'mysqlPw4321' db > x", "mysqldump -uroot -p'[redacted]' db > x");
    check("redis-cli -h c -a redisPw1 ping", "redis-cli -h c -a [redacted] ping");
}

#[test]
fn secrets_go_that_are_known_by_their_place() {
    check("<password>xmlPwVal1111</password>", "<password>[redacted]</password>");
    check("AccountKey=AbCdEf0123+/==;EndpointSuffix=core", "AccountKey=[redacted];EndpointSuffix=core");
    check("Cookie: session=sess_9f8e7d6c5b4a; theme=dark", "Cookie: session=[redacted]; theme=dark");
    check(r#"{"Cookie": "a=1234567; sid=abc-def-123456"}"#, r#"{"Cookie": "a=[redacted]; sid=[redacted]"}"#);
    check("Set-Cookie: id=a3fWa0123; Path=/; Max-Age=2592000", "Set-Cookie: id=[redacted]; Path=/; Max-Age=2592000");
    check("machine h login u password netrcPw5544", "machine h login u password [redacted]");
    check("machine h\n  login u\n  password netrcPw5544\n", "machine h\n  login u\n  password [redacted]\n");
    check("localhost:5432:db:user:pgPassVal3322", "localhost:5432:db:user:[redacted]");
    check("echo *:*:*:app:pgPassVal3322 > ~/.pgpass", "echo *:*:*:app:[redacted] > ~/.pgpass");
    check("bot 123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw", "bot [redacted]");
    check("/bot123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/getMe", "/bot[redacted]/getMe");
    check("password:\ntwoLineSecret1188\nnext", "password:\n[redacted]\nnext");
    check("Passphrase:  \n  twoLineSecret1188  \n", "Passphrase:  \n  [redacted]  \n");
    check("my password is UserTyped9911cc please use it", "my password is [redacted] please use it");
    check("The password is `Tr0ub4dor`.", "The password is `[redacted]`.");
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
    ] {
        let text = piece.repeat(400_000 / piece.len());
        assert!(redact(&text).len() <= 2 * text.len());
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
