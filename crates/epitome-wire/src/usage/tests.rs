use proptest::prelude::*;

use super::*;

const STREAM: &str = "text/event-stream; charset=utf-8";
const JSON: &str = "application/json";

const ANTHROPIC: &str = concat!(
    "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"usage\":{\"input_tokens\":12,",
    "\"cache_creation_input_tokens\":300,\"cache_read_input_tokens\":4000,\"output_tokens\":1}}}\n\n",
    "event: ping\ndata: {\"type\":\"ping\"}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",",
    "\"text\":\"of \\\"usage\\\":{\\\"output_tokens\\\":9}\"}}\n\n",
    "event: from_the_future\ndata: {\"type\":\"from_the_future\",\"usage\":\"none\"}\n\n",
    "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},",
    "\"usage\":{\"input_tokens\":0,\"cache_read_input_tokens\":null,\"output_tokens\":77}}\n\n",
    "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
);
const CHAT: &str = concat!(
    "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}],\"usage\":null}\r\n\r\n",
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":900,\"completion_tokens\":8,",
    "\"prompt_tokens_details\":{\"cached_tokens\":512,\"cache_write_tokens\":100}}}\r\n\r\n",
    "data: [DONE]\r\n\r\n",
);
const RESPONSES: &str = concat!(
    "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"usage\":null}}\n\n",
    "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\"x\"}\n\n",
    "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"output\":[],\"usage\":",
    "{\"input_tokens\":700,\"input_tokens_details\":{\"cached_tokens\":640},\"output_tokens\":5}}}\n\n",
);

fn streams() -> [(Dialect, &'static str, Usage); 3] {
    [
        (
            Dialect::AnthropicMessages,
            ANTHROPIC,
            Usage { prompt: 4_312, cache_read: 4_000, cache_write: 300, output: 77, ..Usage::default() },
        ),
        (
            Dialect::OpenAiChat,
            CHAT,
            Usage { prompt: 900, cache_read: 512, cache_write: 100, output: 8, ..Usage::default() },
        ),
        (
            Dialect::OpenAiResponses,
            RESPONSES,
            Usage { prompt: 700, cache_read: 640, cache_write: 0, output: 5, ..Usage::default() },
        ),
    ]
}

fn read<'a>(dialect: Dialect, content_type: &str, parts: impl IntoIterator<Item = &'a [u8]>) -> Option<Usage> {
    let mut reader = UsageReader::new(dialect, content_type);
    parts.into_iter().for_each(|part| reader.push(part));
    reader.finish()
}

#[track_caller]
fn check(dialect: Dialect, content_type: &str, answer: &str, expected: Option<Usage>) {
    assert_eq!(read(dialect, content_type, [answer.as_bytes()]), expected);
}

#[test]
fn streams_of_every_dialect_are_read() {
    for (dialect, stream, usage) in streams() {
        check(dialect, STREAM, stream, Some(usage));
        check(dialect, "Text/Event-Stream", stream.trim_end(), Some(usage));
    }
}

#[test]
fn answers_in_one_piece_are_read() {
    check(
        Dialect::AnthropicMessages,
        JSON,
        r#"{"content":[{"type":"tool_use","input":{"usage":{"input_tokens":1}}}],"usage":{"input_tokens":3,"output_tokens":4}}"#,
        Some(Usage { prompt: 3, output: 4, ..Usage::default() }),
    );
    check(
        Dialect::OpenAiChat,
        JSON,
        r#"{"choices":[{"message":{}}], "usage" : {"prompt_tokens":30,"completion_tokens":4,"prompt_cache_hit_tokens":20}}"#,
        Some(Usage { prompt: 30, cache_read: 20, cache_write: 0, output: 4, ..Usage::default() }),
    );
    check(
        Dialect::OpenAiChat,
        JSON,
        r#"{"choices":[{"usage":{"prompt_tokens":30,"completion_tokens":4}}]}"#,
        Some(Usage { prompt: 30, output: 4, ..Usage::default() }),
    );
    check(
        Dialect::OpenAiResponses,
        "",
        r#"{"output":[],"usage":{"input_tokens":30,"output_tokens":4}}"#,
        Some(Usage { prompt: 30, output: 4, ..Usage::default() }),
    );
}

#[test]
fn where_nothing_is_reported_there_is_none() {
    check(Dialect::AnthropicMessages, JSON, r#"{"input_tokens":14}"#, None);
    check(Dialect::OpenAiChat, STREAM, "data: {\"choices\":[]}\n\ndata: [DONE]\n\n", None);
    check(Dialect::OpenAiResponses, JSON, "", None);
    check(Dialect::OpenAiResponses, JSON, r#"{"usage":{"total":3}}"#, None);
    check(Dialect::OpenAiChat, JSON, "\"usage\":{ no JSON", None);
}

#[test]
fn an_event_that_is_too_large_is_skipped() {
    let large = format!("data: {{\"usage\":{{\"prompt_tokens\":1}},\"x\":\"{}\"}}\n\n", "x".repeat(EVENT_BYTES));
    let usage = Usage { prompt: 900, cache_read: 512, cache_write: 100, output: 8, ..Usage::default() };
    check(Dialect::OpenAiChat, STREAM, &format!("{large}{CHAT}"), Some(usage));
    let mut reader = UsageReader::new(Dialect::OpenAiChat, STREAM);
    for part in large.as_bytes().chunks(60_000) {
        reader.push(part);
        let Answer::Events(scanner) = &reader.answer else { panic!("it is a stream") };
        assert!(scanner.held() <= EVENT_BYTES);
    }
    assert_eq!(reader.finish(), None);
}

#[test]
fn an_answer_that_is_too_large_is_not_read() {
    let answer =
        format!("{{\"usage\":{{\"prompt_tokens\":1,\"completion_tokens\":1}},\"x\":\"{}\"}}", "x".repeat(WHOLE_BYTES));
    check(Dialect::OpenAiChat, JSON, &answer, None);
}

proptest! {
    #[test]
    fn splits_anywhere_give_the_same_usage(
        which in 0..3_usize,
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let (dialect, stream, usage) = streams()[which];
        let bytes = stream.as_bytes();
        let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        at.extend([0, bytes.len()]);
        at.sort_unstable();
        prop_assert_eq!(read(dialect, STREAM, at.windows(2).map(|pair| &bytes[pair[0]..pair[1]])), Some(usage));
    }

    #[test]
    fn any_bytes_are_read(
        noise in prop::collection::vec(any::<u8>(), 0..300),
        cut in any::<prop::sample::Index>(),
        which in 0..3_usize,
    ) {
        let (dialect, stream, _) = streams()[which];
        let stream = &stream.as_bytes()[..cut.index(stream.len())];
        for content_type in [STREAM, JSON] {
            read(dialect, content_type, [stream, &noise, stream]);
            read(dialect, content_type, [noise.as_slice(), b"{\"usage\":{\"prompt_tokens\":", &noise]);
        }
    }
}

#[track_caller]
fn check_whole(dialect: Dialect, answer: &str, expected: Usage) {
    let mut reader = UsageReader::new(dialect, JSON);
    reader.push(answer.as_bytes());
    assert_eq!(reader.finish(), Some(expected));
}

#[test]
fn what_was_written_for_longer_and_what_was_thought_are_told_apart() {
    check_whole(
        Dialect::AnthropicMessages,
        r#"{"usage":{"input_tokens":1,"cache_creation_input_tokens":30,"cache_read_input_tokens":5,"output_tokens":9,
            "cache_creation":{"ephemeral_5m_input_tokens":10,"ephemeral_1h_input_tokens":20},
            "output_tokens_details":{"thinking_tokens":4}}}"#,
        Usage {
            prompt: 36,
            cache_read: 5,
            cache_write: 30,
            cache_write_long: 20,
            output: 9,
            reasoning: 4,
            ..Usage::default()
        },
    );
    check_whole(
        Dialect::OpenAiResponses,
        r#"{"usage":{"input_tokens":36,"input_tokens_details":{"cached_tokens":5,"cache_write_tokens":30,
            "cache_write_tokens_details":{"ttl_30m_tokens":10,"ttl_12h_tokens":20}},"output_tokens":9,
            "output_tokens_details":{"reasoning_tokens":4}}}"#,
        Usage {
            prompt: 36,
            cache_read: 5,
            cache_write: 30,
            cache_write_long: 20,
            output: 9,
            reasoning: 4,
            ..Usage::default()
        },
    );
    check_whole(
        Dialect::OpenAiChat,
        r#"{"usage":{"prompt_tokens":36,"completion_tokens":9,"completion_tokens_details":{"reasoning_tokens":4}}}"#,
        Usage { prompt: 36, output: 9, reasoning: 4, ..Usage::default() },
    );
}

#[test]
fn what_a_provider_did_on_its_own_is_told_beside() {
    check_whole(
        Dialect::AnthropicMessages,
        r#"{"usage":{"input_tokens":23,"output_tokens":9,"iterations":[
            {"type":"compaction","input_tokens":180,"cache_read_input_tokens":20,"cache_creation_input_tokens":0,"output_tokens":35},
            {"type":"message","input_tokens":23,"output_tokens":9}]}}"#,
        Usage {
            prompt: 23,
            output: 9,
            besides: Besides { prompt: 200, cache_read: 20, cache_write: 0, output: 35 },
            ..Usage::default()
        },
    );
}
