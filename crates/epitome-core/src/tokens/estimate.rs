//! How many tokens a text has, to a few percent, about six times as fast as counting.
//!
//! Does a token start at this byte? The kinds of the bytes around it nearly say so: in front of a word yes, inside a
//! frequent syllable no. The estimate is the sum of such likelihoods, two table lookups a byte: one by the classes of
//! three bytes in a row, one by the exact pair of bytes.
//!
//! The weights were fitted by least squares on where `o200k_base` starts its tokens in half of the recorded sessions and
//! in synthetic texts (base64, hexadecimal, numbers, tables, other scripts); `bench/tokens` has the programs, says how to
//! run them, and shows the errors on the other half.

use super::{TokenCounter, Tokens};

/// Relative error within which an estimate does not decide: count exactly where the answer is this close.
///
/// The 95th percentile over the 1,521 texts of 500 tokens and more in the sessions that the weights were not fitted on
/// is 6.1 %; rounded up. Sums over many texts are better (median 1.0 %, 95th percentile 2.3 % over a session).
pub const ESTIMATE_MARGIN: f64 = 0.07;

/// Whether the estimator knows a text's script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Script {
    /// English, code, logs, with some other letters in between.
    MostlyAscii,
    /// Another script, or pictures made of characters: the error may be 20 % and more.
    Other,
}

/// Counts by estimate alone: for where the vocabulary's memory or loading time is not to be had.
#[derive(Debug, Clone, Copy, Default)]
pub struct RoughCounter;

impl TokenCounter for RoughCounter {
    fn count(&self, text: &str) -> Tokens {
        estimate(text)
    }

    fn estimate(&self, text: &str) -> Tokens {
        estimate(text)
    }
}

/// A few percent off at most on ordinary text. At least one token unless `text` is empty, and never more than its bytes.
pub fn estimate(text: &str) -> Tokens {
    let Some(first) = text.as_bytes().first() else { return Tokens(0) };
    let mut sum = Sum::at_line_start();
    sum.add([b'\n', *first]);
    // Pairs as they stand in memory: each is read at once, as the number by which its weight is found.
    text.as_bytes().array_windows().for_each(|pair| sum.add(*pair));
    let bytes = text.len() as u64;
    let tokens = (sum.units.max(0) as u64 + UNIT / 2) / UNIT;
    Tokens(tokens.clamp(1, bytes))
}

/// The weights of a text's bytes, up to one of them.
struct Sum {
    units: i64,
    /// The newest byte and the one before it.
    pair: u16,
    /// The classes of the bytes so far, the newest in the lowest bits.
    classes: usize,
}

impl Sum {
    fn at_line_start() -> Sum {
        let class = usize::from(CLASS[usize::from(b'\n')]);
        Sum { units: 0, pair: u16::from_le_bytes([b'\n', b'\n']), classes: class << CLASS_BITS | class }
    }

    /// Adds the second byte of a pair, whose first was added before.
    #[inline]
    fn add(&mut self, [before, byte]: [u8; 2]) {
        let pair = u16::from_le_bytes([before, byte]);
        // Two equal pairs in a row are three equal bytes.
        let class = if pair == self.pair { REPEAT } else { CLASS[usize::from(byte)] };
        self.pair = pair;
        self.classes = self.classes << CLASS_BITS | usize::from(class);
        let of_trigram = i64::from(WEIGHTS.trigrams[self.classes % TRIGRAMS]);
        self.units += TRIGRAM_UNITS * of_trigram + i64::from(WEIGHTS.pairs[usize::from(pair)]);
    }
}

/// Decided by a sample of the text, as it only chooses the way of estimating.
pub(super) fn script(text: &str) -> Script {
    // More than a fifth of the bytes: below that, the error was that of ordinary text.
    const FOREIGN: usize = 5;
    if text.is_ascii() {
        return Script::MostlyAscii;
    }
    // A look at every 17th byte finds a fifth of a text safely and costs little. An odd step, since characters of three
    // bytes and tables have their rhythm.
    let step = if text.len() < 4_096 { 1 } else { 17 };
    let foreign = text.as_bytes().iter().step_by(step).filter(|byte| !byte.is_ascii()).count();
    if foreign * FOREIGN * step > text.len() { Script::Other } else { Script::MostlyAscii }
}

/// Weights of pairs are whole numbers of this part of a token, those of trigrams of twice as much: so both fit a byte, and
/// what is asked for often the fastest cache.
const UNIT: u64 = 128;
const TRIGRAM_UNITS: i64 = 2;

/// How many classes the weights know, and the class of the third byte in a row that is the same.
const CLASSES: usize = 25;
const REPEAT: u8 = 24;

/// Classes take five bits of an index, so that it needs no check: 25 of 32 are used.
const CLASS_BITS: usize = 5;
const TRIGRAMS: usize = 1 << (3 * CLASS_BITS);

/// The file of weights knows 96 bytes of pairs: the printable ones, and one that stands for all others.
const COLUMNS: usize = 96;

struct Weights {
    trigrams: [i8; TRIGRAMS],
    /// By all pairs of bytes, so that a pair is its own index.
    pairs: [i8; 1 << 16],
}

static WEIGHTS: Weights = read_weights(include_bytes!("estimate/weights.txt"));
static CLASS: [u8; 256] = class_table();

/// The same classes as in `bench/tokens/fit.py`.
const fn class_table() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'a' | b'e' | b'i' | b'o' | b'u' => 0,
            b't' | b'n' | b's' | b'r' | b'l' => 1,
            b'd' | b'c' | b'm' | b'p' | b'h' | b'g' | b'b' => 2,
            b'a'..=b'z' => 3,
            b'A' | b'E' | b'I' | b'O' | b'U' => 4,
            b'A'..=b'Z' => 5,
            b'0'..=b'9' => 6,
            b' ' => 7,
            b'\n' | b'\r' => 8,
            b'\t' => 9,
            b'_' => 10,
            b'-' => 11,
            b'.' | b',' => 12,
            b'"' | b'\'' | b'`' => 13,
            b'(' | b')' | b'[' | b']' | b'{' | b'}' => 14,
            b'/' | b'\\' => 15,
            b'=' | b':' | b';' => 16,
            0..0x80 => 17,
            // Inside a character.
            0x80..0xC0 => 18,
            // Latin with accents, Greek, Cyrillic, Hebrew, Arabic.
            0xC0..0xE0 => 19,
            // Punctuation, arrows, box drawing.
            0xE2 => 20,
            // Kana and Chinese characters.
            0xE3..0xEA => 21,
            // Indic scripts, Thai, Korean.
            0xE0..0xF0 => 22,
            // Emoji.
            0xF0..=0xFF => 23,
        };
        byte += 1;
    }
    table
}

/// Reads lines of two digits a weight; a broken file does not compile.
const fn read_weights(file: &[u8]) -> Weights {
    let mut weights = Weights { trigrams: [0; TRIGRAMS], pairs: [0; 1 << 16] };
    let mut at = 0;
    let mut row = 0;
    while row < CLASSES * CLASSES {
        let mut class = 0;
        while class < CLASSES {
            let index = ((((row / CLASSES) << CLASS_BITS) | (row % CLASSES)) << CLASS_BITS) | class;
            weights.trigrams[index] = read_weight(file[at], file[at + 1]);
            at += 2;
            class += 1;
        }
        assert!(file[at] == b'\n');
        at += 1;
        row += 1;
    }
    let mut columns = [[0; COLUMNS]; COLUMNS];
    row = 0;
    while row < COLUMNS {
        let mut column = 0;
        while column < COLUMNS {
            columns[row][column] = read_weight(file[at], file[at + 1]);
            at += 2;
            column += 1;
        }
        assert!(file[at] == b'\n');
        at += 1;
        row += 1;
    }
    assert!(at == file.len());
    let mut pair = 0;
    while pair < weights.pairs.len() {
        let [before, byte] = (pair as u16).to_le_bytes();
        weights.pairs[pair] = columns[column(before)][column(byte)];
        pair += 1;
    }
    weights
}

const fn column(byte: u8) -> usize {
    match byte {
        b' '..b'\x7f' => (byte - b' ') as usize,
        _ => COLUMNS - 1,
    }
}

/// Two hexadecimal digits.
const fn read_weight(high: u8, low: u8) -> i8 {
    (read_digit(high) << 4 | read_digit(low)) as i8
}

const fn read_digit(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        b'a'..=b'f' => digit - b'a' + 10,
        _ => panic!("the file of weights has hexadecimal digits alone"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::BpeCounter;
    use super::*;

    /// Within `percent` of the exact count.
    #[track_caller]
    fn check(text: &str, percent: f64) {
        let (exact, near) = (BpeCounter.count(text).0 as f64, estimate(text).0 as f64);
        assert!((near - exact).abs() <= exact * percent / 100.0, "estimated {near}, counted {exact}");
    }

    #[test]
    fn ordinary_texts_are_a_few_percent_off() {
        check(include_str!("estimate.rs"), 8.0);
        check(include_str!("../model.rs"), 8.0);
        check(include_str!("../../Cargo.toml"), 12.0);
    }

    #[test]
    fn runs_of_one_character_are_not_a_token_each() {
        for run in ["=", " ", "a", "-", "\n"] {
            let text = run.repeat(4_000);
            assert!(estimate(&text) <= Tokens(4_000 / 4), "{run:?}: {}", estimate(&text));
        }
    }

    #[test]
    fn the_empty_text_alone_has_no_tokens() {
        assert_eq!(estimate(""), Tokens(0));
        assert_eq!(["a", "\n", "é", "0"].map(estimate), [Tokens(1); 4]);
    }

    #[test]
    fn other_scripts_are_told_apart() {
        assert_eq!(script("plain words, naïve café – and some more of them"), Script::MostlyAscii);
        assert_eq!(script("我们在这个项目中"), Script::Other);
        assert_eq!(script(&"我们在这个项目中".repeat(1_000)), Script::Other);
        assert_eq!(script(""), Script::MostlyAscii);
    }

    proptest::proptest! {
        #[test]
        fn an_estimate_is_at_least_one_and_at_most_the_bytes(text in "\\PC*|[\\x00-\\x7f]*|[a-f0-9=]{0,400}") {
            let tokens = estimate(&text).0;
            proptest::prop_assert!(tokens <= text.len() as u64);
            proptest::prop_assert_eq!(tokens == 0, text.is_empty());
        }
    }
}
