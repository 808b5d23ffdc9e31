//! Texts with secrets that are made when a test runs: nothing in this repository has the form of a real one.

/// A text with its secrets, each between `⟦` and `⟧` in the pattern.
#[derive(Debug)]
pub(super) struct Made {
    pub(super) text: String,
    pub(super) secrets: Vec<String>,
}

/// Writes a pattern out: `{a36}` is 36 letters and digits; `{h…}` hex, `{u…}` capitals and digits, `{l…}` small letters,
/// `{d…}` digits, `{b…}` base64, `{w…}` letters, digits, `_` and `-`. Every place gets characters of its own, the same
/// in each run.
pub(super) fn made(pattern: &str, seed: u64) -> Made {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x2545_F491_4F6C_DD1D);
    let mut made = Made { text: String::new(), secrets: Vec::new() };
    let (mut rest, mut open) = (pattern, None);
    while let Some(first) = rest.chars().next() {
        if let Some((letters, number, after)) = placeholder(rest) {
            made.text.push_str(&random.word(letters, number));
            rest = after;
            continue;
        }
        match first {
            '⟦' => open = Some(made.text.len()),
            '⟧' => {
                let start: usize = open.take().expect("a secret that ends has begun");
                made.secrets.push(made.text[start..].to_owned());
            }
            other => made.text.push(other),
        }
        rest = &rest[first.len_utf8()..];
    }
    made
}

fn placeholder(rest: &str) -> Option<(&'static str, usize, &str)> {
    let (inside, after) = rest.strip_prefix('{')?.split_once('}')?;
    let letters = match inside.get(..1)? {
        "a" => "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        "h" => "0123456789abcdef",
        "u" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        "l" => "abcdefghijklmnopqrstuvwxyz",
        "d" => "0123456789",
        "b" => "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/",
        "w" => "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-",
        _ => return None,
    };
    Some((letters, inside.get(1..)?.parse().ok()?, after))
}

struct Random(u64);

impl Random {
    fn word(&mut self, letters: &str, length: usize) -> String {
        let mut word: Vec<u8> = (0..length).map(|_| letters.as_bytes()[self.below(letters.len())]).collect();
        // As nearly every random word has: a digit among the letters, and both at the ends.
        let plain = |byte: u8| byte.is_ascii_alphanumeric();
        for at in [0, length.saturating_sub(1)] {
            while word.get(at).is_some_and(|byte| !plain(*byte)) {
                word[at] = letters.as_bytes()[self.below(letters.len())];
            }
        }
        let digits: Vec<u8> = letters.bytes().filter(u8::is_ascii_digit).collect();
        if length >= 4 && !digits.is_empty() {
            word[length / 2] = digits[self.below(digits.len())];
        }
        String::from_utf8(word).expect("letters are ASCII")
    }

    fn below(&mut self, number: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % number
    }
}

/// What of the secrets is still to be read in a text: any ten characters of one in a row, or all of a shorter one.
pub(super) fn left_of(made: &Made, clean: &str) -> Option<String> {
    let pieces =
        made.secrets.iter().flat_map(|secret| secret.split(|c: char| c.is_whitespace() || "\\\"'".contains(c)));
    for piece in pieces.filter(|piece| piece.chars().count() >= 4) {
        let chars: Vec<char> = piece.chars().collect();
        let window = chars.len().min(10);
        let found = chars.windows(window).map(|part| part.iter().collect::<String>()).find(|part| clean.contains(part));
        if found.is_some() {
            return found;
        }
    }
    None
}
