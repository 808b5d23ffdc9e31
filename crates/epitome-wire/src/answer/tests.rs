use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::*;

const STREAM: &str = "text/event-stream; charset=utf-8";
const JSON: &str = "application/json";

const ANTHROPIC: &str = concat!(
    "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"role\":\"assistant\",\"content\":[]}}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}}\n\n",
    "event: ping\ndata: {\"type\":\"ping\"}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"h\\u00e9 \\ud83d\"}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"\\ude00\\n\"}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"Ab+/=\"}}\n\n",
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"redacted_thinking\",\"data\":\"xyz\"}}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":2,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"text_delta\",\"text\":\"He\"}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"text_delta\",\"text\":\"llo\"}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"citations_delta\",\"citation\":{\"type\":\"char_location\",\"start\":1}}}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":3,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"f\",\"input\":{}}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":3,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"a\\\": 1.\"}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":3,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"50}\"}}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":4,\"content_block\":{\"type\":\"from_the_future\",\"x\":[1,{\"y\":2.0}]}}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":5,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
    "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":7}}\n\n",
    "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
);
const ANTHROPIC_SAID: &str = concat!(
    "{\"role\":\"assistant\",\"content\":[",
    "{\"type\":\"thinking\",\"thinking\":\"h\\u00e9 \\ud83d\\ude00\\n\",\"signature\":\"Ab+/=\"},",
    "{\"type\":\"redacted_thinking\",\"data\":\"xyz\"},",
    "{\"type\":\"text\",\"text\":\"Hello\",\"citations\":[{\"type\":\"char_location\",\"start\":1}]},",
    "{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"f\",\"input\":{\"a\": 1.50}},",
    "{\"type\":\"from_the_future\",\"x\":[1,{\"y\":2.0}]}]}",
);
const CHAT: &str = concat!(
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":null,\"refusal\":null}}]}\r\n\r\n",
    "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"another\"}}]}\r\n\r\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"h\"}}]}\r\n\r\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"m\",\"content\":\"He\"}}]}\r\n\r\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"llo\",\"x_new\":{\"k\":1.0}}}]}\r\n\r\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"\"}}]}}]}\r\n\r\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":1,\"id\":\"c2\",\"type\":\"function\",\"function\":{\"name\":\"g\",\"arguments\":\"{}\"}}]}}]}\r\n\r\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"function\":{\"arguments\":\"{\\\"a\\\"\"}}]}}]}\r\n\r\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\":1}\"}}]}}]}\r\n\r\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\r\n\r\n",
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1}}\r\n\r\n",
    "data: [DONE]\r\n\r\n",
);
const CHAT_SAID: &str = concat!(
    "{\"role\":\"assistant\",\"content\":\"Hello\",\"reasoning_content\":\"hm\",\"x_new\":{\"k\":1.0},\"tool_calls\":[",
    "{\"id\":\"c1\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":1}\"}},",
    "{\"id\":\"c2\",\"type\":\"function\",\"function\":{\"name\":\"g\",\"arguments\":\"{}\"}}]}",
);
const RESPONSES: &str = concat!(
    "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"output\":[]}}\n\n",
    "event: response.output_item.done\ndata: {\"type\":\"response.output_item.done\",\"output_index\":1,\"item\":{\"type\":\"message\",\"id\":\"m1\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"hi\"}]}}\n\n",
    "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\"hi\"}\n\n",
    "event: response.output_item.done\ndata: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"type\":\"reasoning\",\"id\":\"r1\",\"summary\":[],\"encrypted_content\":\"e+/=\"}}\n\n",
    "event: response.output_item.done\ndata: {\"type\":\"response.output_item.done\",\"output_index\":2,\"item\":{\"type\":\"future_call\",\"id\":\"f1\",\"x\":[1.0]}}\n\n",
    "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n",
);
const RESPONSES_SAID: [&str; 3] = [
    "{\"type\":\"reasoning\",\"id\":\"r1\",\"summary\":[],\"encrypted_content\":\"e+/=\"}",
    "{\"type\":\"message\",\"id\":\"m1\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"hi\"}]}",
    "{\"type\":\"future_call\",\"id\":\"f1\",\"x\":[1.0]}",
];

fn streams() -> [(Dialect, &'static str, Vec<&'static str>); 3] {
    [
        (Dialect::AnthropicMessages, ANTHROPIC, vec![ANTHROPIC_SAID]),
        (Dialect::OpenAiChat, CHAT, vec![CHAT_SAID]),
        (Dialect::OpenAiResponses, RESPONSES, RESPONSES_SAID.to_vec()),
    ]
}

fn read<'a>(dialect: Dialect, kind: &str, parts: impl IntoIterator<Item = &'a [u8]>) -> Result<Vec<String>, NoAnswer> {
    let mut reader = AnswerReader::new(dialect, kind);
    parts.into_iter().for_each(|part| reader.push(part));
    let said = reader.finish()?;
    Ok(said.into_iter().map(|element| String::from_utf8(element).unwrap()).collect())
}

#[track_caller]
fn check(dialect: Dialect, kind: &str, answer: &str, expected: Option<&[&str]>) {
    let expected = expected.map(|said| said.iter().map(|element| (*element).to_owned()).collect::<Vec<_>>());
    assert_eq!(read(dialect, kind, [answer.as_bytes()]).ok(), expected);
}

#[test]
fn streams_of_every_dialect_are_rebuilt() {
    for (dialect, stream, said) in streams() {
        check(dialect, STREAM, stream, Some(&said));
        check(dialect, STREAM, stream.trim_end(), Some(&said));
    }
}

#[test]
fn answers_in_one_piece_are_taken_as_they_are() {
    check(
        Dialect::AnthropicMessages,
        JSON,
        r#"{"type":"message","role":"assistant","content":[{"type":"text","text":""},{"type":"thinking", "thinking":"\u00e9","signature":"s"}]}"#,
        Some(&[r#"{"role":"assistant","content":[{"type":"thinking", "thinking":"\u00e9","signature":"s"}]}"#]),
    );
    check(
        Dialect::OpenAiChat,
        JSON,
        r#"{"choices":[{"index":0,"message":{"role":"assistant","content":null,"refusal":null,"annotations":[],"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}}]}"#,
        Some(&[
            r#"{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}"#,
        ]),
    );
    check(
        Dialect::OpenAiResponses,
        JSON,
        r#"{"status":"completed","output":[{"type":"reasoning","id":"r","summary":[]},{"type":"message","id":"m","role":"assistant","content":[]}]}"#,
        Some(&[r#"{"type":"message","role":"assistant","content":[]}"#]),
    );
}

#[test]
fn what_breaks_off_or_fails_says_nothing() {
    for (dialect, stream, _) in streams() {
        for kept in [stream.len() / 2, stream.len() * 3 / 4] {
            check(dialect, STREAM, &stream[..kept], None);
        }
        check(dialect, JSON, "{\"error\":{\"message\":\"no\"}}", None);
        check(dialect, JSON, "no JSON", None);
        check(dialect, STREAM, "", None);
    }
    let error = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}\n\n";
    check(Dialect::AnthropicMessages, STREAM, &format!("{error}{ANTHROPIC}"), None);
    check(Dialect::OpenAiResponses, STREAM, &format!("{error}{RESPONSES}"), None);
    let error = "data: {\"error\":{\"message\":\"no\"}}\n\n";
    check(Dialect::OpenAiChat, STREAM, &format!("{error}{CHAT}"), None);
    let cut = ANTHROPIC.replace("50}\\\"", "").replace("\"50}\"", "\"5\"");
    check(Dialect::AnthropicMessages, STREAM, &cut, None);
}

#[test]
fn why_there_is_nothing_to_keep_is_told() {
    let no = |dialect, kind: &str, answer: &[u8]| read(dialect, kind, [answer]).expect_err("nothing is kept");
    let error = "data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}\n\n";
    for (dialect, stream, _) in streams() {
        assert_eq!(no(dialect, STREAM, error.as_bytes()), NoAnswer::Failed, "{dialect}");
        assert_eq!(no(dialect, JSON, b"{\"error\":{\"message\":\"no\"}}"), NoAnswer::Failed, "{dialect}");
        assert_eq!(no(dialect, STREAM, &stream.as_bytes()[..60]), NoAnswer::Unfinished, "{dialect}");
        assert_eq!(no(dialect, STREAM, b"data: \xff\n\n"), NoAnswer::Unreadable, "{dialect}");
        assert_eq!(no(dialect, JSON, b"{\"content\":\"\xff\"}"), NoAnswer::Unreadable, "{dialect}");
        assert_eq!(no(dialect, JSON, &vec![b' '; ANSWER_BYTES + 1]), NoAnswer::TooLarge, "{dialect}");
        assert_eq!(no(dialect, STREAM, &vec![b'x'; EVENT_BYTES + 1]), NoAnswer::TooLarge, "{dialect}");
    }
}

#[test]
fn a_chat_may_end_with_done_alone() {
    let stream = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hi\"}}]}\n\ndata: [DONE]\n\n";
    check(Dialect::OpenAiChat, STREAM, stream, Some(&["{\"role\":\"assistant\",\"content\":\"hi\"}"]));
}

#[test]
fn an_answer_that_says_nothing_is_empty() {
    check(Dialect::AnthropicMessages, JSON, r#"{"role":"assistant","content":[]}"#, Some(&[]));
    check(Dialect::OpenAiChat, JSON, r#"{"choices":[{"message":{"role":"assistant","content":""}}]}"#, Some(&[]));
}

#[test]
fn an_answer_that_is_too_large_is_not_kept() {
    let event = |text: &str| {
        format!(
            "data: {{\"type\":\"content_block_delta\",\"index\":2,\"delta\":{{\"type\":\"text_delta\",\"text\":\"{text}\"}}}}\n\n"
        )
    };
    let (begin, end) = ANTHROPIC.split_at(ANTHROPIC.find("event: message_delta").unwrap());
    let many = event(&"x".repeat(1_000_000)).repeat(17);
    check(Dialect::AnthropicMessages, STREAM, &format!("{begin}{many}{end}"), None);
    check(Dialect::AnthropicMessages, STREAM, &format!("{begin}{}{end}", event(&"x".repeat(EVENT_BYTES))), None);
    let whole = format!("{{\"role\":\"assistant\",\"content\":[\"{}\"]}}", "x".repeat(ANSWER_BYTES));
    check(Dialect::AnthropicMessages, JSON, &whole, None);
}

#[test]
fn the_end_of_a_stream_is_known_with_its_last_event() {
    for (dialect, stream, _) in streams() {
        let mut reader = AnswerReader::new(dialect, STREAM);
        let mut before_end = 0;
        for line in stream.split_inclusive('\n') {
            before_end += usize::from(!reader.has_ended());
            reader.push(line.as_bytes());
        }
        assert!(reader.has_ended() && before_end > 3, "{dialect}");
    }
}

#[test]
fn depth_is_no_danger() {
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let stream = format!(
        "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"a\",\"x\":{deep}}},\"finish_reason\":\"stop\"}}]}}\n\n"
    );
    assert_eq!(read(Dialect::OpenAiChat, STREAM, [stream.as_bytes()]).map(|said| said.len()), Ok(1));
}

/// Pieces of any text, as deltas.
fn chunks(text: &str, cuts: &[prop::sample::Index]) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(characters.len() + 1)).collect();
    at.extend([0, characters.len()]);
    at.sort_unstable();
    at.windows(2).map(|pair| characters[pair[0]..pair[1]].iter().collect()).collect()
}

proptest! {
    #[test]
    fn splits_anywhere_give_the_same_answer(
        which in 0..3_usize,
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let (dialect, stream, said) = streams()[which].clone();
        let bytes = stream.as_bytes();
        let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        at.extend([0, bytes.len()]);
        at.sort_unstable();
        let parts = at.windows(2).map(|pair| &bytes[pair[0]..pair[1]]);
        prop_assert_eq!(read(dialect, STREAM, parts), Ok(said.into_iter().map(str::to_owned).collect()));
    }

    #[test]
    fn deltas_of_any_text_are_joined_to_it(
        text in "[a-zé中😀\"\\\\\n{}]{1,40}",
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let pieces = chunks(&text, &cuts);
        let chat: String = pieces.iter().map(|piece| format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": {"content": piece}}]}))).collect();
        let chat = format!("{chat}data: {}\n\n", json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}));
        let said = read(Dialect::OpenAiChat, STREAM, [chat.as_bytes()]).unwrap();
        let said: Json = serde_json::from_str(&said[0]).unwrap();
        prop_assert_eq!(said, json!({"role": "assistant", "content": text.clone()}));
        let start = json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}});
        let deltas: String = pieces.iter().map(|piece| format!("data: {}\n\n", json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}))).collect();
        let stream = format!("data: {start}\n\n{deltas}data: {}\n\n", json!({"type": "message_stop"}));
        let said = read(Dialect::AnthropicMessages, STREAM, [stream.as_bytes()]).unwrap();
        let said: Json = serde_json::from_str(&said[0]).unwrap();
        prop_assert_eq!(said, json!({"role": "assistant", "content": [{"type": "text", "text": text}]}));
    }

    #[test]
    fn any_bytes_are_read(
        noise in prop::collection::vec(any::<u8>(), 0..300),
        cut in any::<prop::sample::Index>(),
        which in 0..3_usize,
    ) {
        let (dialect, stream, _) = streams()[which].clone();
        let stream = &stream.as_bytes()[..cut.index(stream.len())];
        for kind in [STREAM, JSON] {
            drop(read(dialect, kind, [stream, &noise, stream]));
        }
    }
}
