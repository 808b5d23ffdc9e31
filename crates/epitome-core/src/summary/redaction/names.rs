//! What is given to a name that says that it is a secret: `DB_PASSWORD=x`, `"apiKey": "x"`, `--token x`, `password is x`.

use std::ops::Range;

use super::matching::{LONG, is_no_word as is_random_key};
use super::values::{Value, WholeLine, is_a_word, is_path, is_placeholder, is_random, is_reference, is_telling};
use super::{Found, Rank, is_escape, is_word, keys, run, run_back, tables};

/// What every name has in it that is worth a look.
pub(super) const ANCHORS: &[&str] =
    &["pass", "pwd", "secret", "token", "key", "credential", "auth", "kennwort", "senha", "identified by"];

/// Endings of names, without `_` and `-` and in lower case, and what their value is.
const ENDINGS: &[(&str, &str)] = &[
    ("password", PASSWORD),
    ("passwd", PASSWORD),
    ("passphrase", PASSWORD),
    ("passcode", PASSWORD),
    ("passwort", PASSWORD),
    ("kennwort", PASSWORD),
    ("senha", PASSWORD),
    ("pwd", PASSWORD),
    ("dbpass", PASSWORD),
    ("userpass", PASSWORD),
    ("smtppass", PASSWORD),
    ("mysqlpass", PASSWORD),
    ("becomepass", PASSWORD),
    ("sshpass", PASSWORD),
    ("keypass", PASSWORD),
    ("storepass", PASSWORD),
    ("identified by", PASSWORD),
    ("requirepass", PASSWORD),
    ("masterauth", PASSWORD),
    ("secret", "secret"),
    ("secretkeybase", "secret"),
    ("token", "token"),
    ("apikey", "key"),
    ("accesskey", "key"),
    ("secretkey", "key"),
    ("privatekey", "key"),
    ("presharedkey", "key"),
    ("signingkey", "key"),
    ("encryptionkey", "key"),
    ("authkey", "key"),
    ("accountkey", "key"),
    ("masterkey", "key"),
    ("servicekey", "key"),
    ("sessionkey", "key"),
    ("storagekey", "key"),
    ("licensekey", "key"),
    ("appkey", "key"),
    ("dbkey", "key"),
    ("credential", "credential"),
    ("credentials", "credential"),
    ("authorization", "credential"),
];

const PASSWORD: &str = "password";

/// Words before `key` that make it one, with a blank between: `API key: x`.
const KEY_WORDS: &[&str] =
    &["api", "access", "secret", "private", "signing", "encryption", "account", "master", "service"];

/// Longer than any name that is worth looking at.
const LONGEST_NAME: usize = 64;

/// A name whose value is a secret.
struct Name<'text> {
    /// With hyphens before it, if it is a flag.
    text: &'text str,
    range: Range<usize>,
    kind: &'static str,
    sureness: Sureness,
}

/// How much a name tells.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sureness {
    /// Its value is a secret.
    Sure,
    /// It may be one: `FERNET_KEY` is, `CACHE_KEY` is not. The value must tell.
    MayBe,
}

/// Looks at what is given to a name.
pub(super) fn look(text: &str, hit: Range<usize>, found: &mut Found) {
    let bytes = text.as_bytes();
    let end = hit.end + run(bytes, hit.end, LONGEST_NAME, is_word);
    if found.name == end {
        return;
    }
    found.name = end;
    if hit.start < found.value {
        return;
    }
    let start = hit.start - run_back(bytes, hit.start, LONGEST_NAME, is_word);
    let start = if is_escape(bytes, start) && start < hit.start { start + 1 } else { start };
    if end - start > LONGEST_NAME {
        return;
    }
    let Some(word) = text.get(start..end) else { return };
    if matches!(word, "auth" | "_auth") {
        encoded_pair(text, end, found);
        return;
    }
    let Some(kind) = kind_of(text, start, word) else {
        let is_variable =
            word.ends_with("_KEY") && !word.contains("PUBLI") && !word.bytes().any(|byte| byte.is_ascii_lowercase());
        let name = Name { text: word, range: start..end, kind: "key", sureness: Sureness::MayBe };
        if let Some(value) = is_variable.then(|| assigned(text, &name)).flatten() {
            found.push(value, name.kind, Rank::Place);
        }
        return;
    };
    let name = Name { text: word, range: start..end, kind, sureness: Sureness::Sure };
    found.value = long_value(text, end);
    let given = element(text, &name)
        .or_else(|| assigned(text, &name))
        .or_else(|| flag(text, &name))
        .or_else(|| paired(text, &name))
        .or_else(|| beside(text, &name))
        .or_else(|| in_words(text, &name));
    match given {
        Some(value) => found.push(value, kind, Rank::Place),
        None => tables::look(text, name.range, found),
    }
}

/// The end of what stands behind a name, if that is so long that no name in it is one.
fn long_value(text: &str, end: usize) -> usize {
    let length = run(text.as_bytes(), end, 4096, |byte| byte > b' ' && !b"\"'`\\,;)]}<>|&".contains(&byte));
    if length >= LONG { end + length } else { 0 }
}

/// What the value of a name is, if it is a secret.
pub(super) fn kind_of(text: &str, start: usize, word: &str) -> Option<&'static str> {
    let plain: String = word.chars().filter(|c| !matches!(c, '_' | '-')).map(|c| c.to_ascii_lowercase()).collect();
    if let Some((_, kind)) = ENDINGS.iter().find(|(ending, _)| plain.ends_with(ending)) {
        return Some(kind);
    }
    if word.ends_with("_PASS") || word.ends_with("_pass") {
        // `PASS` alone is what a test reports.
        return Some(PASSWORD);
    }
    if plain == "key" {
        let before = text.get(..start)?.strip_suffix(' ')?;
        let length = run_back(before.as_bytes(), before.len(), 12, |byte| byte.is_ascii_alphabetic());
        let word = before.get(before.len() - length..)?;
        return KEY_WORDS.iter().any(|known| known.eq_ignore_ascii_case(word)).then_some("key");
    }
    None
}

/// How sure the name makes us that a value is a secret.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Strictness {
    /// Capitals: a variable of the environment, whose value is the secret itself.
    Any,
    /// As in source: the value may be a type or a call, and must look like a secret.
    LooksRandom,
}

impl Name<'_> {
    fn strictness(&self) -> Strictness {
        let capitals = self.text.bytes().any(|byte| byte.is_ascii_uppercase());
        if capitals && !self.text.bytes().any(|byte| byte.is_ascii_lowercase()) {
            Strictness::Any
        } else {
            Strictness::LooksRandom
        }
    }

    /// Whether a value of this name is a secret. `next` stands behind it.
    fn accepts(&self, value: &Value, text: &str, next: Option<u8>) -> bool {
        let word = value.text(text);
        if is_placeholder(word) || is_a_word(word) {
            return false;
        }
        if self.sureness == Sureness::MayBe && !(word.len() >= 24 && is_random_key(word.as_bytes())) {
            return false;
        }
        // `FLAGS_PASS = sys::PASS`, `IF_PASS = 0x04`: passes that are no passwords.
        if self.text.to_ascii_lowercase().ends_with("_pass") && (word.contains("::") || word.starts_with("0x")) {
            return false;
        }
        let is_password = self.kind == PASSWORD;
        let is_name = is_constant(word);
        // `password = dbPassword1`: another name.
        let is_source = !value.is_quoted && self.strictness() == Strictness::LooksRandom;
        let is_another =
            is_source && word.contains(|c: char| c.is_ascii_uppercase() || c == '_') && kind_of("", 0, word).is_some();
        if is_another || (!is_password && !value.is_quoted && is_a_type(word)) {
            return false;
        }
        match (self.strictness(), value.is_quoted) {
            (Strictness::Any, false) => word.len() >= 4 && next != Some(b'(') && !is_path(word),
            (Strictness::Any, true) => word.len() >= 4 && !is_name && (!word.contains(' ') || is_a_phrase(word)),
            (Strictness::LooksRandom, true) if word.contains(' ') => is_password && is_a_phrase(word),
            (Strictness::LooksRandom, true) if is_password => word.len() >= 6 && !is_name,
            (Strictness::LooksRandom, true) => {
                word.len() >= 6
                    && (is_telling(word) || (word.len() >= 16 && !is_name && !word.contains(['.', '-', '_', ':'])))
            }
            (Strictness::LooksRandom, false) if is_telling(word) => {
                word.len() >= 8 && next != Some(b'(') && !is_reference(word) && (is_password || is_random(word))
            }
            (Strictness::LooksRandom, false) => is_password && self.is_letters(word, next),
        }
    }

    /// `password=correcthorse`: letters alone, in a file or an address. In source a comma or a bracket follows a name.
    fn is_letters(&self, word: &str, next: Option<u8>) -> bool {
        let ends = next.is_none_or(|next| b" \n\r\t&;\"'\\".contains(&next));
        let small = self.text.bytes().all(|byte| !byte.is_ascii_uppercase());
        let opens_small = word.starts_with(|c: char| c.is_ascii_lowercase());
        word.len() >= 8
            && word.bytes().all(|byte| byte.is_ascii_alphabetic())
            && ends
            && (opens_small || !small)
            && !(is_reference(word) && word.bytes().any(|byte| byte.is_ascii_uppercase()))
    }
}

/// `DB_PASSWORD`, `R2_KEY`: the name of a variable.
fn is_constant(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
        || (word.contains('_')
            && word.split('_').all(|part| part.len() <= 12)
            && !word.bytes().any(|byte| byte.is_ascii_lowercase()))
}

/// `Uint8Array`, `Base64String`.
fn is_a_type(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let plain = word.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let humps = word.bytes().filter(u8::is_ascii_uppercase).count();
    word.starts_with(|c: char| c.is_ascii_uppercase()) && plain && digits <= 2 && word.len() <= 20 && humps <= 3
}

/// A password of several words: not a sentence between two other quotes.
fn is_a_phrase(word: &str) -> bool {
    (8..=64).contains(&word.len()) && is_random(word) && word.trim() == word && word.split(' ').count() <= 6
}

/// Quotes and brackets behind a name: `"password"]`.
fn closers(bytes: &[u8], at: usize) -> usize {
    at + run(bytes, at, 6, |byte| b"\"'`\\ ])?!".contains(&byte))
}

fn blanks(bytes: &[u8], at: usize) -> usize {
    at + run(bytes, at, 16, |byte| byte == b' ' || byte == b'\t')
}

/// `NAME=value`, `"name": "value"`, `name: Type = "value"`, `Authorization: Bearer value`.
fn assigned(text: &str, name: &Name<'_>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    if text.get(..name.range.start).is_some_and(|before| before.ends_with("${")) {
        // `${DB_PASSWORD:-x}`; another letter behind the colon cuts a part out.
        let default =
            bytes.get(name.range.end..)?.strip_prefix(b":-").or(bytes.get(name.range.end..)?.strip_prefix(b"-"))?;
        let value = Value::read(text, bytes.len() - default.len(), WholeLine::No)?;
        return name.accepts(&value, text, None).then_some(value.range);
    }
    let closed = closers(bytes, name.range.end);
    let operator = run(bytes, closed, 3, |byte| b":=>?+!~".contains(&byte));
    let (at, compares) = match bytes.get(closed..closed + operator)? {
        b"=" | b":" | b":=" | b"=>" | b"?=" | b"+=" => (blanks(bytes, closed + operator), false),
        b"==" | b"===" | b"!=" | b"!==" => (blanks(bytes, closed + operator), true),
        _ => return None,
    };
    if matches!(bytes.get(at), Some(b'\n' | b'\r')) {
        return below(text, name, at);
    }
    let rest = bytes.get(at..)?;
    if rest.starts_with(b"|") || rest.starts_with(b">") {
        return block(text, at);
    }
    // In a file of settings a name opens its line, and the value has the rest of it.
    let opens =
        opens_line(text, name.range.start) && bytes.get(closed) == Some(&b'=') && name.strictness() == Strictness::Any;
    let whole_line = if opens && closed == name.range.end { WholeLine::Yes } else { WholeLine::No };
    let value = Value::read(text, at, whole_line)?;
    let next = bytes.get(value.range.end).copied();
    // `Authorization: Bearer x`: the scheme is no secret.
    let word = value.text(text);
    let schemes = ["bearer", "basic", "token", "apikey", "digest"];
    if let Some(scheme) =
        schemes.iter().find(|scheme| word.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)))
        && bytes.get(value.range.start + scheme.len()) == Some(&b' ')
    {
        let start = value.range.start + scheme.len() + 1;
        let length = run(bytes, start, 4096, |byte| is_word(byte) || b".~+/=".contains(&byte));
        let secret = text.get(start..start + length)?;
        return (length >= 8 && !is_placeholder(secret) && is_random(secret)).then_some(start..start + length);
    }
    if compares {
        return (value.is_quoted && word.len() >= 8 && !word.contains(' ') && is_random(word) && !is_placeholder(word))
            .then_some(value.range);
    }
    // `TOKEN = originalToken;` is source, `TOKEN=x` is a setting.
    let is_spaced = at > closed + operator && bytes.get(closed) == Some(&b'=');
    if name.accepts(&value, text, next) && !(is_spaced && !value.is_quoted && is_reference(word)) {
        return Some(value.range);
    }
    // A type, and then the value: `token: &str = "x"`, `apiKey: string = "x"`.
    let is_type = |byte: u8| byte.is_ascii_alphanumeric() || b"_&<>[]|'., :*?".contains(&byte);
    let type_end = at + run(bytes, at, 40, is_type);
    let is_annotated = bytes.get(closed) == Some(&b':') && bytes.get(type_end) == Some(&b'=');
    let start = blanks(bytes, type_end + 1);
    let value = Value::read(text, start, WholeLine::No).filter(|value| is_annotated && value.is_quoted)?;
    name.accepts(&value, text, None).then_some(value.range)
}

/// Whether a name stands at the beginning of its line, but for `export `, `set ` and the like.
fn opens_line(text: &str, start: usize) -> bool {
    let bytes = text.as_bytes();
    let length = run_back(bytes, start, 24, |byte| byte != b'\n' && byte != b'\\');
    let before = text.get(start - length..start).unwrap_or_default().trim();
    length < 24 && ["", "export", "set", "ENV", "ARG", "-", "+", "setx", "Environment="].contains(&before)
}

/// The only word on the line below `password:`.
fn below(text: &str, name: &Name<'_>, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let below = at + 1 + usize::from(bytes.get(at) == Some(&b'\r'));
    let start = below + run(bytes, below, 40, |byte| byte == b' ' || byte == b'\t');
    let length = run(bytes, start, 200, |byte| byte > b' ' && !b"\"'\\`()[]{}<>,;:=".contains(&byte));
    let value = text.get(start..start + length)?;
    let after = start + length + run(bytes, start + length, 8, |byte| b" \t\r".contains(&byte));
    let alone = bytes.get(after).is_none_or(|byte| b"\n\"'".contains(byte));
    let before = name.range.start.checked_sub(1).and_then(|before| bytes.get(before));
    let secret = length >= 8 && is_mixed(value) && !value.starts_with(['-', '/', '#', '.', '*']);
    (alone && secret && before != Some(&b'.') && !is_placeholder(value)).then_some(start..start + length)
}

/// The lines of `token: |`, if they hold one word.
fn block(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let mark = at + run(bytes, at, 3, |byte| b"|>-+".contains(&byte));
    let newline = mark + run(bytes, mark, 4, |byte| b" \r".contains(&byte));
    if bytes.get(newline) != Some(&b'\n') {
        return None;
    }
    let start = blanks(bytes, newline + 1);
    let value = Value::read(text, start, WholeLine::No).filter(|value| !value.is_quoted)?;
    let word = value.text(text);
    let secret = start > newline + 1 && word.len() >= 12 && is_random(word) && !is_placeholder(word);
    secret.then_some(value.range)
}

/// `--api-key x`, `--token=x`, `"--password", "x"`, `set -gx API_TOKEN x`, `ENV DB_PASS x`.
fn flag(text: &str, name: &Name<'_>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let is_flag = name.text.starts_with("--") && !name.text.starts_with("---") && !name.text.starts_with("--no-");
    let is_setting = name.text == "requirepass" || name.text == "masterauth";
    let is_variable = (name.strictness() == Strictness::Any || is_setting) && !is_flag;
    if !is_flag && !is_variable {
        return None;
    }
    let parted = run(bytes, name.range.end, 6, |byte| b"\"'`\\, ".contains(&byte));
    // Nothing between, or the end of what was quoted: the flag is mentioned, not used.
    let first = bytes.get(name.range.end..name.range.end + parted)?.first()?;
    if b"`\\".contains(first) || (is_variable && *first != b' ') {
        return None;
    }
    let at = name.range.end + parted;
    let value = Value::read(text, at, WholeLine::No).filter(|value| !value.is_quoted)?;
    let word = value.text(text);
    if is_placeholder(word)
        || (is_variable && (word.contains('=') || !(is_setting || name.text.contains('_'))))
        || word.starts_with('-')
        || word.starts_with("id=")
        || word.starts_with("type=")
    {
        return None;
    }
    let opens = is_variable && word.len() >= 4 && opens_line(text, name.range.start);
    let secret =
        is_no_word(word) && (is_flag || word.len() >= 12 || opens) || (opens && follows_env(text, name.range.start));
    secret.then_some(value.range)
}

fn follows_env(text: &str, start: usize) -> bool {
    text.get(..start).is_some_and(|before| before.ends_with("ENV "))
}

/// Whether it is no word of a sentence and no path, so that it can be what was meant to be secret.
fn is_no_word(word: &str) -> bool {
    let has = |is: fn(&u8) -> bool| word.bytes().any(|byte| is(&byte));
    let telling = has(u8::is_ascii_digit)
        || has(|byte| b"!@#$%^*+~".contains(byte))
        || (word.len() >= 12 && has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase));
    word.len() >= 4 && telling && has(u8::is_ascii_alphabetic) && !word.starts_with(['/', '.']) && !word.contains('(')
}

/// `<password>x</password>`.
fn element(text: &str, name: &Name<'_>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let opened = name.range.start.checked_sub(1).and_then(|before| bytes.get(before)) == Some(&b'<');
    if !opened || bytes.get(name.range.end) != Some(&b'>') {
        return None;
    }
    let start = name.range.end + 1;
    let length = run(bytes, start, 512, |byte| byte > b' ' && byte != b'<');
    let value = text.get(start..start + length)?;
    let closed = bytes.get(start + length..)?.starts_with(b"</");
    (closed && length >= 6 && !is_placeholder(value)).then_some(start..start + length)
}

/// `("DB_PASSWORD", "x")`, `setPassword("x")`, `PASSWORD 'x'`, `IDENTIFIED BY 'x'`.
fn paired(text: &str, name: &Name<'_>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let closed = name.range.end + run(bytes, name.range.end, 3, |byte| b"\"'`\\".contains(&byte));
    let is_quoted = closed > name.range.end;
    let at = closed + run(bytes, closed, 4, |byte| b"(, \\".contains(&byte));
    // In a list of arguments the name is quoted, too; a call has its bracket, and SQL a blank.
    let parted = match bytes.get(closed..at)? {
        [b'(', ..] => !is_quoted,
        [b',', ..] => is_quoted && (name.text.contains(['_', '-']) || name.strictness() == Strictness::LooksRandom),
        [b' ', ..] => !is_quoted,
        _ => false,
    };
    let value = Value::read(text, at, WholeLine::No).filter(|value| parted && value.is_quoted)?;
    let word = value.text(text);
    let secret = word.len() >= 8 && !word.contains(' ') && is_random(word) && !is_constant(word);
    (secret && !is_placeholder(word) && !is_reference(word)).then_some(value.range)
}

/// `name: DB_PASSWORD` and `value: x` in the next line, `key="ApiSecret" value="x"`.
fn beside(text: &str, name: &Name<'_>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let at = name.range.end + run(bytes, name.range.end, 60, |byte| byte <= b' ' || b"\"'\\,n".contains(&byte));
    let word = bytes.get(at..at + 5)?;
    if at == name.range.end || !word.eq_ignore_ascii_case(b"value") {
        return None;
    }
    let closed = closers(bytes, at + 5);
    let operator = bytes.get(closed).filter(|byte| b":=".contains(byte));
    operator?;
    let value = Value::read(text, blanks(bytes, closed + 1), WholeLine::No)?;
    let word = value.text(text);
    let ends_line = bytes.get(value.range.end).is_none_or(|byte| b"\r\n".contains(byte));
    let is_value = value.is_quoted || (!is_reference(word) && (is_random(word) || ends_line));
    (word.len() >= 6 && is_value && !is_placeholder(word) && !is_a_word(word)).then_some(value.range)
}

/// `the password is x`; `login me password x` of a `.netrc`.
fn in_words(text: &str, name: &Name<'_>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let rest = text.get(name.range.end..)?;
    let said = [" is ", " ist ", " is: "].iter().find(|said| rest.starts_with(**said)).map(|said| said.len());
    let start = name.range.end + said.unwrap_or(1);
    let start = start + run(bytes, start, 3, |byte| b"\"'`\\: ".contains(&byte));
    let end = start + run(bytes, start, 256, |byte| byte > b' ' && !b"\"'`\\,;<>".contains(&byte));
    // A full stop ends the sentence, not the password.
    let word = text.get(start..end)?.trim_end_matches(['.', ')', '?', '!', ':']);
    let is_secret = match said {
        Some(_) => {
            word.len() >= if name.kind == PASSWORD { 6 } else { 16 } && is_mixed(word) && !is_about_passwords(word)
        }
        None => {
            let line = before_in_line(text, name.range.start);
            name.text.eq_ignore_ascii_case("password")
                && word.len() >= 4
                && rest.starts_with([' ', '\t'])
                && follows_login(text, name.range.start)
                && (line.trim_start().starts_with("machine ") || is_mixed(word))
        }
    };
    (is_secret && !is_placeholder(word) && !word.contains(['(', '/'])).then_some(start..start + word.len())
}

/// Whether `login someone`, or `machine host`, stands right before.
fn follows_login(text: &str, at: usize) -> bool {
    let before = before_in_line(text, at);
    // In a file with one word a line, the line above says it.
    let before = if before.trim().is_empty() {
        let above = at - before.len();
        let cut = text.get(..above).unwrap_or_default().trim_end();
        before_in_line(cut, cut.len())
    } else {
        before
    };
    let mut words = before.split_whitespace().rev();
    let named = words.next().is_some_and(|word| !matches!(word, "and" | "or" | "with"));
    named && matches!(words.next(), Some("login" | "machine"))
}

/// What stands before a place in its line, as far as it is worth looking.
fn before_in_line(text: &str, at: usize) -> &str {
    let length = run_back(text.as_bytes(), at, 200, |byte| byte != b'\n' && byte < 128);
    text.get(at - length..at).unwrap_or_default()
}

/// `the password is base64-encoded`, `the token is sha256-signed`.
fn is_about_passwords(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    ["sha", "md5", "bcrypt", "base64", "argon", "utf", "aes", "hs256", "rs256", "oauth", "_"]
        .iter()
        .any(|way| lower.starts_with(way))
        || ["-char", "-byte", "-bit"].iter().any(|part| lower.contains(part))
}

/// A letter, and a digit or what a password has and a word has not.
fn is_mixed(word: &str) -> bool {
    word.bytes().any(|byte| byte.is_ascii_alphabetic())
        && word.bytes().any(|byte| byte.is_ascii_digit() || b"!@#$%^*+~".contains(&byte))
}

/// `"auth": "bWU6…"` of Docker, `_auth=bWU6…` of npm: a name and a password in base64.
fn encoded_pair(text: &str, end: usize, found: &mut Found) {
    let bytes = text.as_bytes();
    let closed = closers(bytes, end);
    if !bytes.get(closed).is_some_and(|byte| b":=".contains(byte)) {
        return;
    }
    // `auth=("me", "x")`
    let at = blanks(bytes, closed + 1);
    if let Some(b'(' | b'[') = bytes.get(at)
        && let Some(name) = Value::read(text, at + 1, WholeLine::No).filter(|name| name.is_quoted)
        && let Some(b',') = bytes.get(name.range.end + 1)
        && let Some(value) = Value::read(text, blanks(bytes, name.range.end + 2), WholeLine::No)
        && value.is_quoted
        && value.range.len() >= 6
        && !is_placeholder(value.text(text))
    {
        found.push(value.range, PASSWORD, Rank::Place);
        return;
    }
    let Some(value) = Value::read(text, blanks(bytes, closed + 1), WholeLine::No) else { return };
    let decoded = keys::decode(value.text(text).as_bytes()).unwrap_or_default();
    let is_text = decoded.iter().all(|byte| (b' '..127).contains(byte));
    if decoded.len() >= 4 && is_text && decoded.contains(&b':') {
        found.push(value.range, PASSWORD, Rank::Place);
    }
}
