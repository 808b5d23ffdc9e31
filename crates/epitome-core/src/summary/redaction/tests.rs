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
    for piece in ["://", "token:", "-----BEGIN PRIVATE KEY", "sk-", "eyJ.", "Bearer ", ":=", "a@", "-----BEGIN "] {
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
