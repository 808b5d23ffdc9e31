//! What a text claims that can be looked up: paths, addresses, identifiers, numbers. Plain words claim nothing.

use crate::summary::redaction::is_escape;

/// Something that can be looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Claim<'text> {
    /// As it was said, without what stands around it.
    pub(super) text: &'text str,
    pub(super) kind: Kind,
    /// An ellipsis follows: it is the beginning of something longer.
    pub(super) is_cut: bool,
}

/// What a claim is, which decides where it may begin and end in a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Path,
    Address,
    Identifier,
    /// A hash may be cited by its beginning.
    Hash,
    Number,
}

impl Kind {
    /// The kind of a pattern, by what it is made of.
    pub(super) fn of_bytes(pattern: &[u8]) -> Kind {
        if pattern.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b',')) {
            Kind::Number
        } else if is_hash(pattern) {
            Kind::Hash
        } else {
            Kind::Identifier
        }
    }
}

/// Endings that make a dotted name the name of a file, which no two other words can vouch for.
const FILE_ENDINGS: &[&str] = &[
    "bat", "c", "cc", "cfg", "conf", "cpp", "cs", "css", "csv", "db", "env", "go", "h", "hpp", "html", "ini", "ipynb",
    "java", "jpg", "js", "json", "jsonl", "jsx", "kt", "lock", "log", "lua", "md", "mjs", "pdf", "php", "png", "proto",
    "ps1", "py", "rb", "rs", "scss", "sh", "sql", "sqlite", "svg", "swift", "toml", "ts", "tsv", "tsx", "txt", "vue",
    "xml", "yaml", "yml", "zip",
];

/// A longer word is data, and nobody looks it up: a row of numbers without blanks, an encoded file.
const LONGEST: usize = 512;

/// The claims of a text, each with the place behind it.
pub(super) fn claims_in(text: &str) -> impl Iterator<Item = (usize, Claim<'_>)> {
    words(text).filter_map(move |(start, word)| {
        let before = text.get(..start).unwrap_or_default();
        // Only the blanks before it are looked at: a line may be the whole text.
        let line = before.trim_end_matches(|c: char| c.is_whitespace() && c != '\n');
        let opens_line = line.is_empty() || line.ends_with('\n');
        let (kind, said) = claim(word, opens_line)?;
        let end = start + word.find(said)? + said.len();
        let is_cut = text.get(end..).is_some_and(|after| after.starts_with(['…']) || after.starts_with("..."));
        Some((end, Claim { text: said, kind, is_cut }))
    })
}

/// Runs of what names and numbers are made of, without the punctuation around them: (start, word).
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            while bytes.get(at).is_some_and(|_| !belongs(bytes, at)) {
                at += 1;
            }
            let start = at;
            while bytes.get(at).is_some() && belongs(bytes, at) {
                at += 1;
            }
            if start == at {
                return None;
            }
            let word = text.get(start..at).unwrap_or_default();
            let trimmed = word.trim_start_matches([':', '!', '?', '=', '#', '&', '+']);
            let from = start + word.len() - trimmed.len();
            let trimmed = trimmed.trim_end_matches(['.', ':', '!', '?', '-', '=', '/', '&', '+']);
            if !trimmed.is_empty() && trimmed.len() <= LONGEST {
                return Some((from, trimmed));
            }
        }
    })
}

fn belongs(bytes: &[u8], at: usize) -> bool {
    let digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    match bytes.get(at) {
        // In a number it groups digits; elsewhere it parts words.
        Some(b',') => digit(at.checked_sub(1)) && digit(Some(at + 1)),
        // The second character of `\n` in a quoted text is none of the word behind it.
        Some(_) if is_escape(bytes, at) => false,
        Some(byte) => byte.is_ascii_alphanumeric() || b"_./:-@~!?=#&+%$".contains(byte),
        None => false,
    }
}

fn claim(word: &str, opens_line: bool) -> Option<(Kind, &str)> {
    let has_letter = word.bytes().any(|byte| byte.is_ascii_alphabetic());
    if word.contains("://") {
        return Some((Kind::Address, word));
    }
    if !has_letter || is_measure(word) {
        return number(word, opens_line);
    }
    let (path, _) = without_line(word);
    if is_path(path) {
        let path = path.trim_start_matches("./");
        return (!path.is_empty()).then_some((Kind::Path, path));
    }
    // `10-minute`, `64-bit`: a number with a word behind it.
    if let Some((digits, rest)) = word.split_once('-')
        && !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && rest.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
    {
        return number(digits, opens_line);
    }
    if is_hash(word.as_bytes()) {
        return Some((Kind::Hash, word));
    }
    is_identifier(word).then_some((Kind::Identifier, word))
}

impl Claim<'_> {
    /// The ways to verify it: all patterns of one way must be found.
    pub(super) fn ways(&self) -> Vec<Vec<String>> {
        let whole = vec![self.text.to_owned()];
        match self.kind {
            Kind::Address | Kind::Path | Kind::Hash => vec![whole],
            Kind::Identifier => {
                let parts: Vec<&str> = self.text.split(['.', ':', '#']).filter(|part| !part.is_empty()).collect();
                let is_file = parts.last().is_some_and(|ending| FILE_ENDINGS.contains(&ending.to_lowercase().as_str()));
                if parts.len() < 2 || is_file {
                    return vec![whole];
                }
                vec![whole, parts.into_iter().map(str::to_owned).collect()]
            }
            Kind::Number => {
                let parts: Vec<&str> = self.text.split(['-', '/', ':']).collect();
                let mut ways = vec![whole];
                if parts.len() > 1 {
                    // A date or a ratio, perhaps in another order: its parts, but for what is said without being counted.
                    let telling = parts.into_iter().filter(|part| !is_trivial(part));
                    ways.push(telling.map(|part| part.trim_start_matches('0').to_owned()).collect());
                    return ways;
                }
                let plain = self.text.replace(',', "");
                ways.push(vec![grouped(&plain)]);
                ways.push(vec![plain]);
                ways
            }
        }
    }
}

/// `12,345` for `12345`.
fn grouped(digits: &str) -> String {
    let (whole, rest) = digits.split_once('.').map_or((digits, None), |(whole, rest)| (whole, Some(rest)));
    let grouped = whole.parse().map_or(whole.to_owned(), |number| crate::tokens::Tokens(number).to_string());
    rest.map_or(grouped.clone(), |rest| format!("{grouped}.{rest}"))
}

/// The number of a word, unless it is one that everybody says.
fn number(word: &str, opens_line: bool) -> Option<(Kind, &str)> {
    // `~40`, `12k`: said not to be exact.
    let about = word.starts_with('~') || word.ends_with(['k', 'K', 'M']);
    let core = word.trim_matches(|c: char| !c.is_ascii_digit());
    let clean = core.bytes().all(|byte| byte.is_ascii_digit() || b".,-/:".contains(&byte));
    // `12.` at the beginning of a line numbers it.
    let numbers_line = opens_line && core.len() <= 2;
    let said_of_all = core == "100" && word.ends_with('%');
    (!about && clean && !is_trivial(core) && !numbers_line && !said_of_all).then_some((Kind::Number, core))
}

/// What is counted on fingers, and parts of dates that are written with a zero.
fn is_trivial(number: &str) -> bool {
    let digits = number.trim_start_matches('0');
    digits.len() <= 1 || digits.bytes().all(|byte| !byte.is_ascii_digit())
}

/// `120ms`, `85%`, `3.5GB`, `12th`: digits with a short unit behind them.
fn is_measure(word: &str) -> bool {
    const UNITS: &[&str] = &[
        "ms", "s", "us", "ns", "m", "h", "d", "min", "b", "kb", "mb", "gb", "tb", "kib", "mib", "gib", "px", "em",
        "rem", "x", "th", "st", "nd", "rd", "k", "hz", "mhz", "ghz", "usd", "am", "pm", "bit", "tok",
    ];
    let digits = word.trim_start_matches(['$', '~', '-', '+']);
    let end = digits.bytes().take_while(|byte| byte.is_ascii_digit() || b".,".contains(byte)).count();
    let unit = digits.get(end..).unwrap_or_default().to_lowercase();
    end > 0 && UNITS.contains(&unit.as_str())
}

/// A path without `:12` or `:12-20` behind it, and that.
fn without_line(word: &str) -> (&str, &str) {
    let is_place = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b':'));
    match word.find(':') {
        Some(at) if word.get(at..).is_some_and(is_place) => word.split_at(at),
        Some(_) | None => (word, ""),
    }
}

fn is_path(word: &str) -> bool {
    let slashes = word.bytes().filter(|byte| *byte == b'/').count();
    if slashes == 0 || word.contains(['?', '=', '$']) {
        return false;
    }
    let rooted = ["/", "./", "../", "~/"].iter().any(|root| word.starts_with(root)) && word.len() > 3;
    let last = word.rsplit('/').next().unwrap_or_default();
    let named = last.rsplit_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && ending.len() <= 8);
    let telling = word.split('/').any(is_identifier);
    rooted || named || slashes >= 3 || telling
}

/// An inner capital, underscore, digit or dot, as names in programs have them.
fn is_identifier(word: &str) -> bool {
    let bytes = word.as_bytes();
    let inner = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let capital =
        bytes.windows(2).any(|pair| matches!(pair, [a, b] if a.is_ascii_lowercase() && b.is_ascii_uppercase()));
    let digit = bytes.iter().any(u8::is_ascii_digit) && bytes.iter().any(u8::is_ascii_alphabetic);
    let parts: Vec<&str> = inner.split(['.', ':']).filter(|part| !part.is_empty()).collect();
    let dotted = parts.len() > 1 && parts.iter().all(|part| part.len() > 1 || FILE_ENDINGS.contains(part));
    let option = word.starts_with("--") && word.len() > 3;
    inner.len() > 1 && (inner.contains('_') || capital || digit || dotted || option)
}

fn is_hash(word: &[u8]) -> bool {
    word.len() >= 7
        && word.iter().all(u8::is_ascii_hexdigit)
        && word.iter().any(u8::is_ascii_digit)
        && word.iter().any(u8::is_ascii_alphabetic)
}
