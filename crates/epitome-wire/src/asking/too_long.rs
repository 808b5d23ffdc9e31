//! How providers say that a prompt does not fit, and which number in their words is what.
//!
//! An error text holds several numbers: the window, what was sent, what is kept free for the answer. Each row here is the
//! wording of one provider, so that a number is read only where that wording has it. Punctuation, case and the characters
//! around words do not count: a text that went through a proxy's own JSON reads the same.

use memchr::memmem;
use serde_json::Value;

/// The prompt does not fit the window, and what the provider says about that.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TooLong {
    /// The model's window.
    pub window: Option<u64>,
    /// What the provider counted in the prompt.
    pub prompt: Option<u64>,
    /// What it kept free for the answer beside that.
    pub answer: Option<u64>,
}

/// No model that is served has a smaller window.
const SMALLEST_WINDOW: u64 = 1_024;
/// Two tokenizers count the same text this far apart at most.
const FARTHEST_COUNTS: u64 = 3;
/// Where the provider does not say what it counted, a window that is smaller than this share of what was sent is not
/// believed.
const SMALLEST_SHARE: u64 = 4;
/// Of an error text so much is read.
const MOST_READ: usize = 64 * 1024;
/// A wording is not longer.
const LONGEST_WORDING: usize = 1_024;
/// A text that has a number more often than this may say anything of it.
const MOST_PLACES: usize = 64;

/// Wordings that name numbers; the first that fits counts.
///
/// `{window}` is the window, `{prompt}` a part of the prompt, `{answer}` the room for the answer, and `{number}` any number
/// that says nothing new.
const WORDINGS: &[&str] = &[
    // Anthropic, also by way of Bedrock and Vertex.
    "prompt is too long {prompt} tokens {window} maximum",
    "exceed context limit {prompt} {answer} {window}",
    // OpenAI and Azure; DeepSeek, Together and older versions of vLLM say the same.
    "maximum context length is {window} tokens however you requested {number} tokens {prompt} in the messages {answer} in the completion",
    "maximum context length is {window} tokens however you requested {number} tokens {prompt} in the messages {prompt} in the functions {answer} in the completion",
    "maximum context length is {window} tokens however you requested {number} tokens {prompt} in your prompt {answer} for the completion",
    "maximum context length is {window} tokens however your messages resulted in {prompt} tokens",
    "input tokens exceed the configured limit of {window} tokens your messages resulted in {prompt} tokens",
    // OpenRouter.
    "maximum context length is {window} tokens however you requested about {number} tokens {prompt} of text input {answer} in the output",
    "maximum context length is {window} tokens however you requested about {number} tokens {prompt} of text input {prompt} of tool input {answer} in the output",
    "maximum context length is {window} tokens however you requested about {prompt} tokens",
    // vLLM, by version. Where it stops counting at the window, the prompt's number says nothing.
    "max_completion_tokens is too large {answer} this model s maximum context length is {window} tokens and your request has {prompt} input tokens",
    "maximum context length is {window} tokens however your request has {prompt} input tokens plus {answer} max_tokens",
    "maximum context length is {window} tokens however your request has {prompt} input tokens",
    "maximum context length is {window} tokens however you requested {answer} output tokens and your prompt contains at least {number} input tokens",
    "maximum context length is {window} tokens however you requested {answer} output tokens and your prompt contains {prompt} input tokens",
    "you passed {prompt} input tokens and requested {answer} output tokens however the model s context length is only {window} tokens",
    "decoder prompt length {prompt} is longer than the maximum model length of {window}",
    "input prompt {prompt} tokens is too long and exceeds limit of {window}",
    // SGLang.
    "maximum context length of {window} tokens you requested a total of {number} tokens {prompt} tokens from the input messages and {answer} tokens for the completion",
    "the input {prompt} tokens is longer than the model s context length {window} tokens",
    "input length {prompt} tokens exceeds the maximum allowed length {window} tokens",
    // Text Generation Inference and those who serve with it.
    "inputs tokens max_new_tokens must be {window} given {prompt} inputs tokens and {answer} max_new_tokens",
    "inputs must have less than {window} tokens given {prompt}",
    // llama.cpp and its Python server.
    "request {prompt} tokens exceeds the available context size {window} tokens",
    "requested tokens {prompt} exceed context window of {window}",
    // LM Studio.
    "the model is loaded with context length of only {window} tokens",
    // Gemini, Vertex.
    "input token count {prompt} exceeds the maximum number of tokens allowed {window}",
    "input token count exceeds the maximum number of tokens allowed {window}",
    "input token count is {prompt} but model only supports up to {window}",
    // xAI.
    "maximum prompt length is {window} but the request contains {prompt} tokens",
    // Mistral.
    "prompt contains {prompt} tokens and {number} draft tokens too large for model with {window} maximum context length",
    "prompt contains {prompt} tokens too large for model with {window} maximum context length",
    // Cerebras.
    "current length is {prompt} while limit is {window}",
    // Fireworks.
    "prompt is too long {prompt} model maximum context length {window}",
    // Bedrock's own models.
    "too many input tokens max input tokens {window} request input token count {prompt}",
    // Baseten.
    "max input length is {window} tokens but you supplied {prompt} tokens",
    // GitHub Copilot.
    "prompt token count of {prompt} exceeds the limit of {window}",
    // Moonshot.
    "exceeded model token limit {window} requested {prompt}",
    // Alibaba's DashScope.
    "range of input length should be 1 {window}",
    // Whoever begins as OpenAI does, and goes on otherwise.
    "maximum context length is {window} tokens however you requested {prompt} tokens",
    "maximum context length is {window} tokens",
];

/// What they say who name no number, or name it in a field: an error's name, or words.
const WITHOUT_NUMBERS: &[&str] = &[
    "context_length_exceeded",
    "exceed_context_size",
    "context_exceeded",
    "request_too_large",
    "maximum context length",
    "maximum prompt length",
    "context length",
    "context window",
    "context size",
    "context limit",
    "prompt is too long",
    "prompt too long",
    "prompt exceeds max length",
    "input is too long",
    "too many tokens",
    "too many input tokens",
    "reduce the length of the messages",
    "exceeds the maximum number of tokens",
];

impl TooLong {
    /// What an error says about a prompt that does not fit; `None`: it is about something else.
    pub(super) fn read(error: &Value, text: &str) -> Option<TooLong> {
        let number = |key: &str| error.get(key).and_then(Value::as_u64);
        // As llama.cpp tells it, in fields.
        if let Some(window) = number("n_ctx") {
            return Some(TooLong { window: Some(window), prompt: number("n_prompt_tokens"), answer: None });
        }
        let lower = cut(text).to_lowercase();
        let says_so = || WITHOUT_NUMBERS.iter().any(|words| lower.contains(words));
        TooLong::in_words(text).or_else(|| says_so().then(TooLong::default))
    }

    /// What a text says in one of the wordings that are known.
    pub fn in_words(text: &str) -> Option<TooLong> {
        let lower = cut(text).to_lowercase();
        let words = words(&lower);
        WORDINGS.iter().find_map(|wording| {
            let wording: Vec<&str> = wording.split(' ').collect();
            words.windows(wording.len()).find_map(|words| matched(&wording, words))
        })
    }

    /// The same, as far as it can be true of a request that we count about `sent` tokens in: what it says fits together and
    /// fits the request. Without a window that can be believed there is nothing.
    pub fn believed(self, sent: u64) -> Option<TooLong> {
        let window = self.window.filter(|window| *window >= SMALLEST_WINDOW)?;
        let answer = self.answer.unwrap_or_default();
        let fits = match self.prompt {
            Some(prompt) => {
                prompt.saturating_add(answer) > window
                    && prompt <= sent.saturating_mul(FARTHEST_COUNTS)
                    && sent <= prompt.saturating_mul(FARTHEST_COUNTS)
            }
            None => {
                window <= sent.saturating_add(answer).saturating_add(sent / 2)
                    && window.saturating_mul(SMALLEST_SHARE) >= sent
            }
        };
        fits.then_some(TooLong { window: Some(window), ..self })
    }

    /// Whether a text says the same of a window, so that it may be the text's number and not the provider's.
    pub fn is_said_in(&self, text: &str) -> bool {
        let Some(window) = self.window else { return false };
        [window.to_string(), grouped(window)].iter().any(|number| {
            memmem::find_iter(text.as_bytes(), number.as_bytes()).enumerate().any(|(place, at)| {
                let said = || TooLong::in_words(around(text, at)).is_some_and(|said| said.window == Some(window));
                place >= MOST_PLACES || said()
            })
        })
    }

    /// What of the window is left for the prompt.
    pub fn room(&self) -> Option<u64> {
        self.window.map(|window| window.saturating_sub(self.answer.unwrap_or_default()))
    }
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(MOST_READ.min(text.len()))]
}

/// What stands around a place.
fn around(text: &str, at: usize) -> &str {
    let start = text.floor_char_boundary(at.saturating_sub(LONGEST_WORDING));
    let end = text.floor_char_boundary(at.saturating_add(LONGEST_WORDING).min(text.len()));
    &text[start..end]
}

/// With a comma between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let (first, rest) = digits.split_at(digits.len() % 3);
    let thousands = rest.as_bytes().chunks(3).map(|three| String::from_utf8_lossy(three).into_owned());
    let parts = (!first.is_empty()).then(|| first.to_owned()).into_iter().chain(thousands);
    parts.collect::<Vec<String>>().join(",")
}

/// The words and numbers of a text. Commas that stand between thousands are a number's own.
fn words(lower: &str) -> Vec<&str> {
    let bytes = lower.as_bytes();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii();
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut words = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !is_word(bytes[at]) {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && is_word(bytes[at]) {
            at += 1;
        }
        let is_number = lower[start..at].bytes().all(|byte| byte.is_ascii_digit());
        while is_number && bytes.get(at) == Some(&b',') && digits(at + 1) == 3 {
            at += 4;
        }
        words.push(&lower[start..at]);
    }
    words
}

/// What these words say, if they are that wording.
fn matched(wording: &[&str], words: &[&str]) -> Option<TooLong> {
    let mut told = TooLong::default();
    for (expected, word) in wording.iter().zip(words) {
        let number = || word.replace(',', "").parse::<u64>().ok();
        match *expected {
            "{window}" => told.window = Some(number()?),
            "{prompt}" => told.prompt = Some(told.prompt.unwrap_or_default().saturating_add(number()?)),
            "{answer}" => told.answer = Some(number()?),
            "{number}" => drop(number()?),
            expected if expected == *word => {}
            _ => return None,
        }
    }
    Some(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, window: u64, prompt: Option<u64>, answer: Option<u64>) {
        let expected = TooLong { window: Some(window), prompt, answer };
        assert_eq!(TooLong::in_words(text), Some(expected), "{text}");
    }

    #[test]
    fn a_window_is_read_where_each_providers_wording_has_it() {
        let shown = [
            check_row("prompt is too long: 212000 tokens > 200000 maximum", 200_000, Some(212_000), None),
            check_row(
                "The model returned the following errors: prompt is too long: 200,049 tokens > 200,000 maximum",
                200_000,
                Some(200_049),
                None,
            ),
            check_row(
                "input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length or `max_tokens` and try again",
                200_000,
                Some(178_959),
                Some(64_000),
            ),
            check_row(
                "This model's maximum context length is 131072 tokens. However, you requested 131134 tokens (122942 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
                131_072,
                Some(122_942),
                Some(8_192),
            ),
            check_row(
                "This model's maximum context length is 4097 tokens. However, you requested 4250 tokens (3500 in the messages, 250 in the functions, 500 in the completion).",
                4_097,
                Some(3_750),
                Some(500),
            ),
            check_row(
                "This model's maximum context length is 8192 tokens, however you requested 8977 tokens (8977 in your prompt; 0 for the completion). Please reduce your prompt; or completion length.",
                8_192,
                Some(8_977),
                Some(0),
            ),
            check_row(
                "This model's maximum context length is 128000 tokens. However, your messages resulted in 204308 tokens. Please reduce the length of the messages.",
                128_000,
                Some(204_308),
                None,
            ),
            check_row(
                "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 289650 tokens. Please reduce the length of the messages.",
                272_000,
                Some(289_650),
                None,
            ),
            check_row(
                "This endpoint's maximum context length is 131072 tokens. However, you requested about 138123 tokens (130239 of text input, 7884 in the output). Please reduce the length of either one",
                131_072,
                Some(130_239),
                Some(7_884),
            ),
            check_row(
                "This endpoint's maximum context length is 200000 tokens. However, you requested about 202839 tokens (153333 of text input, 17506 of tool input, 32000 in the output).",
                200_000,
                Some(170_839),
                Some(32_000),
            ),
            check_row(
                "This endpoint's maximum context length is 65536 tokens. However, you requested about 70001 tokens.",
                65_536,
                Some(70_001),
                None,
            ),
            check_row(
                "'max_tokens' or 'max_completion_tokens' is too large: 32768. This model's maximum context length is 32768 tokens and your request has 1034 input tokens (32768 > 32768 - 1034).",
                32_768,
                Some(1_034),
                Some(32_768),
            ),
            check_row(
                "This model's maximum context length is 2048 tokens. However, your request has 8 input tokens plus 2045 'max_tokens'. Please reduce one or the other.",
                2_048,
                Some(8),
                Some(2_045),
            ),
            check_row(
                "This model's maximum context length is 32768 tokens. However, your request has 40001 input tokens. Please reduce the length of the input messages.",
                32_768,
                Some(40_001),
                None,
            ),
            check_row(
                "This model's maximum context length is 262144 tokens. However, you requested 128000 output tokens and your prompt contains at least 134145 input tokens, for a total of at least 262145 tokens.",
                262_144,
                None,
                Some(128_000),
            ),
            check_row(
                "This model's maximum context length is 4096 tokens. However, you requested 512 output tokens and your prompt contains 3600 input tokens",
                4_096,
                Some(3_600),
                Some(512),
            ),
            check_row(
                "You passed 202753 input tokens and requested 0 output tokens. However, the model's context length is only 202752 tokens, resulting in a maximum input length of 202752 tokens.",
                202_752,
                Some(202_753),
                Some(0),
            ),
            check_row(
                "The decoder prompt (length 40017) is longer than the maximum model length of 32768. Make sure that `max_model_len` is no smaller",
                32_768,
                Some(40_017),
                None,
            ),
            check_row("Input prompt (35247 tokens) is too long and exceeds limit of 8000", 8_000, Some(35_247), None),
            check_row(
                "Requested token count exceeds the model's maximum context length of 32768 tokens. You requested a total of 33000 tokens: 1000 tokens from the input messages and 32000 tokens for the completion.",
                32_768,
                Some(1_000),
                Some(32_000),
            ),
            check_row(
                "The input (61709 tokens) is longer than the model\\'s context length (40960 tokens).",
                40_960,
                Some(61_709),
                None,
            ),
            check_row(
                "Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens).",
                59_862,
                Some(160_062),
                None,
            ),
            check_row(
                "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 65537. Given: 79993 `inputs` tokens and 1024 `max_new_tokens`",
                65_537,
                Some(79_993),
                Some(1_024),
            ),
            check_row(
                "Input validation error: `inputs` must have less than 1024 tokens. Given: 1872",
                1_024,
                Some(1_872),
                None,
            ),
            check_row(
                "request (9100 tokens) exceeds the available context size (8192 tokens), try increasing it",
                8_192,
                Some(9_100),
                None,
            ),
            check_row("Requested tokens (2285) exceed context window of 2048", 2_048, Some(2_285), None),
            check_row(
                "Trying to keep the first 6402 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.",
                4_096,
                None,
                None,
            ),
            check_row(
                "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).",
                1_048_576,
                Some(1_200_293),
                None,
            ),
            check_row(
                "The input token count exceeds the maximum number of tokens allowed (1048576).",
                1_048_576,
                None,
                None,
            ),
            check_row(
                "Unable to submit request because the input token count is 33108 but model only supports up to 32768. Reduce the input token count and try again.",
                32_768,
                Some(33_108),
                None,
            ),
            check_row(
                "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
                131_072,
                Some(537_812),
                None,
            ),
            check_row(
                "Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
                32_768,
                Some(65_673),
                None,
            ),
            check_row(
                "Prompt contains 40001 tokens, too large for model with 32768 maximum context length",
                32_768,
                Some(40_001),
                None,
            ),
            check_row(
                "Please reduce the length of the messages or completion. Current length is 9016 while limit is 8192",
                8_192,
                Some(9_016),
                None,
            ),
            check_row(
                "The prompt is too long: 138616, model maximum context length: 131071",
                131_071,
                Some(138_616),
                None,
            ),
            check_row(
                "Too many input tokens. Max input tokens: 8192, request input token count: 11530",
                8_192,
                Some(11_530),
                None,
            ),
            check_row(
                "Your input is too long. Max input length is 4096 tokens, but you supplied 5441 tokens.",
                4_096,
                Some(5_441),
                None,
            ),
            check_row("prompt token count of 65204 exceeds the limit of 64000", 64_000, Some(65_204), None),
            check_row(
                "Invalid request: Your request exceeded model token limit: 262144 (requested: 269030)",
                262_144,
                Some(269_030),
                None,
            ),
            check_row(
                "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]",
                30_720,
                None,
                None,
            ),
            check_row(
                "This model's maximum context length is 131072 tokens. However, you requested 351430 tokens. Please reduce the length",
                131_072,
                Some(351_430),
                None,
            ),
            check_row(
                "This model's maximum context length is 8192 tokens. Please reduce the length of the prompt",
                8_192,
                None,
                None,
            ),
        ];
        // Every wording has its text here.
        let used: std::collections::BTreeSet<&str> = shown.into_iter().collect();
        assert_eq!(WORDINGS.iter().filter(|wording| !used.contains(*wording)).collect::<Vec<_>>(), Vec::<&&str>::new());
    }

    /// Checks a text, and gives the wording that it is.
    #[track_caller]
    fn check_row(text: &str, window: u64, prompt: Option<u64>, answer: Option<u64>) -> &'static str {
        check(text, window, prompt, answer);
        let lower = text.to_lowercase();
        let words = words(&lower);
        let fits = |wording: &&&str| {
            let wording: Vec<&str> = wording.split(' ').collect();
            words.windows(wording.len()).any(|words| matched(&wording, words).is_some())
        };
        WORDINGS.iter().find(fits).expect("it was just read")
    }

    #[test]
    fn a_wrapped_error_reads_the_same() {
        check(
            r#"litellm.ContextWindowExceededError: litellm.BadRequestError: AnthropicException - b'{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 209353 tokens > 199999 maximum"}}'"#,
            199_999,
            Some(209_353),
            None,
        );
        check(
            "litellm.BadRequestError: ContextWindowExceededError: OpenAIException - This model's maximum context length is 128000 tokens. However, your messages resulted in 150000 tokens.",
            128_000,
            Some(150_000),
            None,
        );
    }

    #[test]
    fn numbers_outside_a_known_wording_are_not_read() {
        for text in [
            "prompt too long; exceeded max context length by 4 tokens",
            "your input \"4 apples and 8192 pears\" exceeds the context window",
            "maximum context length is exceeded: 4 tokens",
            "Rate limit reached: Limit 6000, Requested 6403",
            "maximum context length is many tokens",
            "",
        ] {
            assert_eq!(TooLong::in_words(text), None, "{text}");
        }
    }

    #[test]
    fn a_text_that_says_the_same_is_found_however_long_it_is() {
        let told = TooLong { window: Some(200_000), ..TooLong::default() };
        let filler = "batch ü ".repeat(30_000);
        for says in
            ["prompt is too long: 212000 tokens > 200000 maximum", "Prompt is too long: 9 tokens > 200,000 maximum"]
        {
            assert!(told.is_said_in(&format!("{filler}{says} {filler}")), "{says}");
        }
        assert!(!told.is_said_in(&format!("{filler} 200000 apples {filler}")));
        assert!(!told.is_said_in("prompt is too long: 212000 tokens > 100000 maximum"));
        assert!(told.is_said_in(&"200000 ".repeat(1_000)));
        assert_eq!([7, 999, 1_000, 131_072, 1_048_576].map(grouped), ["7", "999", "1,000", "131,072", "1,048,576"]);
    }

    #[test]
    fn only_what_can_be_true_of_the_request_is_believed() {
        let told =
            |window: u64, prompt: Option<u64>, answer: Option<u64>| TooLong { window: Some(window), prompt, answer };
        let check = |told: TooLong, sent: u64, expected: bool| {
            assert_eq!(told.believed(sent), expected.then_some(told), "{told:?} of {sent}");
        };
        check(told(131_072, Some(122_942), Some(8_192)), 120_000, true);
        check(told(8_192, Some(60_000), None), 58_000, true);
        // It would have fitted.
        check(told(131_072, Some(100_000), Some(8_192)), 100_000, false);
        // It is about another request.
        check(told(8_192, Some(9_000), None), 60_000, false);
        check(told(8_192, Some(200_000), None), 10_000, false);
        // Nobody serves so little.
        check(told(4, Some(9_000), None), 9_000, false);
        check(told(1_023, None, None), 2_000, false);
        // Without the provider's count: far below what was sent, near it, above it.
        check(told(8_192, None, None), 60_000, false);
        check(told(8_192, None, None), 20_000, true);
        check(told(200_000, None, None), 20_000, false);
        check(told(262_144, None, Some(128_000)), 134_000, true);
        assert_eq!(TooLong::default().believed(1_000), None);
        assert_eq!(told(131_072, Some(122_942), Some(8_192)).room(), Some(122_880));
    }
}
