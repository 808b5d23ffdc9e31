//! Exact counts with OpenAI's `o200k_base` vocabulary.

use std::sync::OnceLock;

use super::estimate::{Script, estimate, script};
use super::segments::segments;
use super::{TokenCounter, Tokens};

/// Counts as OpenAI's models since GPT-4o do; for other families it is the nearest public vocabulary, to be corrected
/// by a [`Calibration`](super::Calibration).
///
/// The vocabulary is loaded once a process, at the first text that needs it (about 100 ms, 24 MB).
#[derive(Debug, Clone, Copy, Default)]
pub struct BpeCounter;

/// Up to this length a text that the estimator does not know is counted exactly: at 80 MB/s that is 0.1 ms.
const EXACT_UP_TO: usize = 8 * 1024;

/// How many pieces of a longer one are counted, and how long each is: together as much as [`EXACT_UP_TO`].
const SAMPLES: usize = 16;
const SAMPLE_LENGTH: usize = EXACT_UP_TO / SAMPLES;

impl BpeCounter {
    /// Loads the vocabulary now rather than at the first count, so that no request waits for it.
    pub fn warm(self) {
        vocabulary();
    }
}

impl TokenCounter for BpeCounter {
    /// Exact, as long as a text has a break (a space, a comma, a digit behind a letter) every 3 KiB. Elsewhere it is cut,
    /// which changes the count by a token or two per 3 KiB: far less than 0.1 % of text that is no run of one character.
    ///
    /// `<|endoftext|>` and its like count as the ordinary text they are when a person writes them.
    fn count(&self, text: &str) -> Tokens {
        let mut before = ("", 0);
        let of_segment = |segment| {
            // Megabytes of one character are the same segment again and again.
            if segment != before.0 {
                before = (segment, vocabulary().count(segment) as u64);
            }
            before.1
        };
        Tokens(segments(text).map(of_segment).sum())
    }

    fn estimate(&self, text: &str) -> Tokens {
        match script(text) {
            Script::MostlyAscii => estimate(text),
            Script::Other if text.len() <= EXACT_UP_TO => self.count(text),
            Script::Other => sampled(text),
        }
    }
}

fn vocabulary() -> &'static tiktoken::CoreBpe {
    static VOCABULARY: OnceLock<&'static tiktoken::CoreBpe> = OnceLock::new();
    VOCABULARY.get_or_init(|| {
        tiktoken::get_encoding("o200k_base").expect("the feature vocab-o200k_base of tiktoken embeds this vocabulary")
    })
}

/// The tokens of evenly spaced pieces, scaled to the whole text.
fn sampled(text: &str) -> Tokens {
    let stride = text.len() / SAMPLES;
    let (mut bytes, mut tokens) = (0, 0);
    for sample in 0..SAMPLES {
        let start = text.ceil_char_boundary(sample * stride);
        let end = text.floor_char_boundary(start + SAMPLE_LENGTH);
        if let Some(piece) = text.get(start..end) {
            bytes += piece.len() as u64;
            tokens += vocabulary().count(piece) as u64;
        }
    }
    // Widened, since the product of two sizes may not fit.
    Tokens((u128::from(tokens) * text.len() as u128 / u128::from(bytes.max(1))) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str) {
        assert_eq!(BpeCounter.count(text).0, bpe_openai::o200k_base().count(text) as u64, "{text:?}");
    }

    #[test]
    fn counts_equal_those_of_another_implementation() {
        let texts = [
            "",
            "a",
            "The quick brown fox can't jump over the lazy dogs' fence.",
            "fn main() {\n    let x: Vec<u8> = vec![0; 16];\n\tprintln!(\"{x:?}\");\n}\n",
            "2026-11-15T21:15:00.123Z ERROR worker[12]: request 9f3a took 1234567ms\r\n\r\n  retrying…\n",
            r#"{"id":12345,"name":"Ünïcode","tags":["a","b"],"nested":{"x":null,"y":-1.5e10}}"#,
            "我们在这个项目中使用了一种新的方法来压缩上下文。これは新しい方法です。우리는 사용합니다.",
            "🚀✅❌👩‍👩‍👧‍👦 done ⚠️ naïve café Привет мир שלום مرحبا नमस्ते",
            "TWFuIGlzIGRpc3Rpbmd1aXNoZWQsIG5vdCBvbmx5IGJ5IGhpcyByZWFzb24sIGJ1dCBieSB0aGlz",
            "   \n\n\n \t\t  x      y\n        z   \n   ",
            "<|endoftext|> and <|im_start|>user<|endofprompt|>",
            "│ a │ b │\n├───┼───┤\n│ 1 │ 2 │",
            "I'VE we'll HTTPServer camelCase snake_case __init__ a/b/c.rs:12:34 0x7ffe 1_000_000",
            "\u{0}\u{7f}\u{a0}\u{feff}\u{2028}x\u{300}",
        ];
        for text in texts {
            check(text);
            check(&text.repeat(7));
        }
        check(&texts.concat());
        check(&"a".repeat(5_000));
        check(&" ".repeat(5_000));
        check(&"=-".repeat(3_000));
    }

    /// Text without a break, and what is known of its count: the same to a tenth of a percent.
    #[track_caller]
    fn check_unbroken(text: &str) {
        let (ours, exact) = (BpeCounter.count(text).0, bpe_openai::o200k_base().count(text) as u64);
        assert!(ours.abs_diff(exact) * 1_000 <= exact, "{ours} for {exact}: {text:.40}");
    }

    #[test]
    fn text_without_a_break_is_counted_to_a_tenth_of_a_percent() {
        let mut state = 1_u64;
        let mut random = move |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % below
        };
        let mut drawn = |alphabet: &str| {
            let alphabet: Vec<char> = alphabet.chars().collect();
            (0..60_000).map(|_| alphabet[random(alphabet.len())]).collect::<String>()
        };
        check_unbroken(&drawn("abcdefghijklmnopqrstuvwxyz"));
        check_unbroken(&drawn("ACGT"));
        check_unbroken(&drawn("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"));
        check_unbroken(&drawn("!#$%&()*+,-.:;<=>?@[]^_{|}~"));
        check_unbroken(&drawn("的一是不了人我在有他这中大来上国个到说们为子和你地出道也时年"));
        check_unbroken(&drawn("กขคงจฉชซญดตถทธนบปผพฟภมยรลวศสหอะาิีุู"));
        check_unbroken(&drawn("🚀✅❌👩👧👦"));
        for run in ["a", "A", "é", " ", "\u{a0}", "\n", "=", "-", "1", "中", "ab", "\u{300}", "🚀"] {
            check_unbroken(&run.repeat(30_000));
        }
        let clause = "我们在这个项目中使用了一种新的方法来压缩上下文，因此结果更好。";
        assert_eq!(BpeCounter.count(&clause.repeat(300)).0, 300 * bpe_openai::o200k_base().count(clause) as u64);
    }

    #[test]
    fn special_tokens_in_a_text_are_text() {
        assert!(BpeCounter.count("<|endoftext|>") > Tokens(1));
    }

    #[test]
    fn texts_in_other_scripts_are_estimated_as_well_as_english() {
        let sentence = "我们在这个项目中使用了一种新的方法来压缩上下文，因此结果更好。";
        for text in [sentence.to_owned(), sentence.repeat(1_000)] {
            let (exact, near) = (BpeCounter.count(&text).0 as f64, BpeCounter.estimate(&text).0 as f64);
            assert!((near - exact).abs() <= 0.05 * exact, "{near} {exact}");
        }
    }
}
