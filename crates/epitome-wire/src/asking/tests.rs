use super::*;

fn question() -> Question<'static> {
    Question {
        model: Some("m"),
        system: "be \"brief\"",
        user: "what\nhappened?",
        most_tokens: 700,
        limit_key: LimitKey::MaxTokens,
    }
}

fn event(data: &str) -> Event {
    Event { name: String::new(), data: data.to_owned() }
}

#[test]
fn questions_are_written_in_each_dialect() {
    let written = |dialect: AskDialect, question: &Question<'_>| {
        String::from_utf8(dialect.body(question)).expect("JSON is UTF-8")
    };
    insta::assert_snapshot!(written(AskDialect::OpenAiChat, &question()), @r#"{"messages":[{"role":"system","content":"be \"brief\""},{"role":"user","content":"what\nhappened?"}],"stream":true,"stream_options":{"include_usage":true},"max_tokens":700,"model":"m"}"#);
    let unnamed = Question { model: None, limit_key: LimitKey::MaxCompletionTokens, ..question() };
    insta::assert_snapshot!(written(AskDialect::OpenAiChat, &unnamed), @r#"{"messages":[{"role":"system","content":"be \"brief\""},{"role":"user","content":"what\nhappened?"}],"stream":true,"stream_options":{"include_usage":true},"max_completion_tokens":700}"#);
    insta::assert_snapshot!(written(AskDialect::AnthropicMessages, &question()), @r#"{"max_tokens":700,"system":"be \"brief\"","messages":[{"role":"user","content":"what\nhappened?"}],"stream":true,"model":"m"}"#);
    insta::assert_snapshot!(written(AskDialect::OpenAiResponses, &question()), @r#"{"instructions":"be \"brief\"","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"what\nhappened?"}]}],"stream":true,"store":false,"max_output_tokens":700,"model":"m"}"#);
    let unlimited = Question { limit_key: LimitKey::Unsaid, ..question() };
    assert!(!written(AskDialect::OpenAiResponses, &unlimited).contains("700"));
    assert!(!written(AskDialect::OpenAiChat, &unlimited).contains("700"));
}

#[test]
fn a_chat_stream_is_understood() {
    let pieces = |data: &str| AskDialect::OpenAiChat.pieces(&event(data));
    let text = |text: &str| Piece::Text(text.to_owned());
    assert_eq!(
        pieces(r#"{"choices":[{"delta":{"role":"assistant","content":"a"},"finish_reason":null}]}"#),
        Some(vec![text("a")])
    );
    assert_eq!(
        pieces(r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#),
        Some(vec![Piece::Ended(Ending::Complete)])
    );
    assert_eq!(
        pieces(r#"{"choices":[{"delta":{},"finish_reason":"length"}]}"#),
        Some(vec![Piece::Ended(Ending::Limit)])
    );
    assert_eq!(
        pieces(r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#),
        Some(vec![Piece::Ended(Ending::Declined)])
    );
    let usage = Piece::Usage { input: Some(9), output: Some(3) };
    assert_eq!(pieces(r#"{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":3}}"#), Some(vec![usage]));
    assert_eq!(pieces("[DONE]"), Some(vec![Piece::Ended(Ending::Complete)]));
    assert_eq!(pieces("{"), None);
    assert_eq!(pieces("[1]"), None);
}

#[test]
fn an_anthropic_stream_is_understood() {
    let pieces = |data: &str| AskDialect::AnthropicMessages.pieces(&event(data));
    let started = r#"{"type":"message_start","message":{"usage":{"input_tokens":5,"cache_read_input_tokens":4,"output_tokens":1}}}"#;
    let cached = Piece::Cached { read: 4, write: 0, write_long: 0 };
    assert_eq!(pieces(started), Some(vec![Piece::Usage { input: Some(9), output: Some(1) }, cached]));
    let delta = r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}"#;
    assert_eq!(pieces(delta), Some(vec![Piece::Text("a".to_owned())]));
    let ended = r#"{"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{"output_tokens":3}}"#;
    assert_eq!(pieces(ended), Some(vec![Piece::Ended(Ending::Limit), Piece::Usage { input: None, output: Some(3) }]));
    let failed = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    let complaint = Complaint { kind: Some("overloaded_error".to_owned()), ..Complaint::default() };
    assert_eq!(pieces(failed), Some(vec![Piece::Failed(complaint)]));
    assert_eq!(pieces(r#"{"type":"ping"}"#), Some(Vec::new()));
    assert_eq!(pieces("ping"), None);
}

#[test]
fn a_responses_stream_is_understood() {
    let pieces = |data: &str| AskDialect::OpenAiResponses.pieces(&event(data));
    let delta = r#"{"type":"response.output_text.delta","output_index":1,"delta":"a","sequence_number":4}"#;
    assert_eq!(pieces(delta), Some(vec![Piece::Text("a".to_owned())]));
    assert_eq!(pieces(r#"{"type":"response.reasoning_summary_text.delta","delta":"hm"}"#), Some(Vec::new()));
    let usage = r#""usage":{"input_tokens":9,"input_tokens_details":{"cached_tokens":8},"output_tokens":3}"#;
    let message = r#"{"type":"message","content":[{"type":"output_text","text":"a"}]}"#;
    let call = r#"{"type":"function_call","name":"f","arguments":"{}"}"#;
    let ended =
        |kind: &str, rest: &str| pieces(&format!(r#"{{"type":"response.{kind}","response":{{{rest},{usage}}}}}"#));
    let cached = || Piece::Cached { read: 8, write: 0, write_long: 0 };
    let with = |ending| Some(vec![Piece::Ended(ending), Piece::Usage { input: Some(9), output: Some(3) }, cached()]);
    assert_eq!(ended("completed", &format!(r#""output":[{message}]"#)), with(Ending::Complete));
    assert_eq!(ended("completed", &format!(r#""output":[{message},{call}]"#)), with(Ending::Declined));
    assert_eq!(ended("incomplete", r#""incomplete_details":{"reason":"max_output_tokens"}"#), with(Ending::Limit));
    assert_eq!(ended("incomplete", r#""incomplete_details":{"reason":"content_filter"}"#), with(Ending::Declined));
    let complaint = Complaint { kind: Some("server_error".to_owned()), too_long: None, thinking: None };
    let failed = r#"{"type":"response.failed","response":{"error":{"code":"server_error","message":"oh"}}}"#;
    assert_eq!(pieces(failed), Some(vec![Piece::Failed(complaint.clone())]));
    assert_eq!(
        pieces(r#"{"type":"error","code":"server_error","message":"oh"}"#),
        Some(vec![Piece::Failed(complaint)])
    );
    assert_eq!(pieces("[DONE]"), Some(Vec::new()));
    assert_eq!(pieces("{"), None);
}

#[test]
fn an_answer_in_one_piece_is_understood() {
    let chat = br#"{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":3}}"#;
    let expected = vec![
        Piece::Text("a".to_owned()),
        Piece::Ended(Ending::Complete),
        Piece::Usage { input: Some(9), output: Some(3) },
    ];
    assert_eq!(AskDialect::OpenAiChat.whole(chat), Some(expected.clone()));
    let messages = br#"{"content":[{"type":"text","text":"a"}],"stop_reason":"end_turn","usage":{"input_tokens":9,"output_tokens":3}}"#;
    assert_eq!(AskDialect::AnthropicMessages.whole(messages), Some(expected.clone()));
    let responses = br#"{"status":"completed","error":null,"output":[{"type":"reasoning","summary":[]},{"type":"message","content":[{"type":"output_text","text":"a"}]}],"usage":{"input_tokens":9,"output_tokens":3}}"#;
    assert_eq!(AskDialect::OpenAiResponses.whole(responses), Some(expected));
    assert_eq!(AskDialect::AnthropicMessages.whole(b"<html>"), None);
}

#[track_caller]
fn check_complaint(body: &str, kind: Option<&str>, too_long: Option<TooLong>) {
    let kind = kind.map(str::to_owned);
    assert_eq!(complaint(body.as_bytes()), Complaint { kind, too_long, thinking: None }, "{body}");
}

#[test]
fn a_prompt_that_is_too_long_is_recognised_in_every_shape_of_an_error() {
    let told = |window, prompt| Some(TooLong { window: Some(window), prompt: Some(prompt), answer: None });
    check_complaint(
        r#"{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.","type":"invalid_request_error","code":"context_length_exceeded"}}"#,
        Some("context_length_exceeded"),
        told(8_192, 9_000),
    );
    check_complaint(
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210,000 tokens > 200,000 maximum"}}"#,
        Some("invalid_request_error"),
        told(200_000, 210_000),
    );
    check_complaint(
        r#"{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_prompt_tokens":9100,"n_ctx":8192}}"#,
        Some("exceed_context_size_error"),
        told(8_192, 9_100),
    );
    check_complaint(
        r#"{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"message\":\"prompt is too long: 204700 tokens > 200000 maximum\"}","provider_name":"Amazon Bedrock"}}}"#,
        None,
        told(200_000, 204_700),
    );
    check_complaint(
        r#"[{"error":{"code":400,"message":"The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]"#,
        None,
        told(1_048_576, 1_200_293),
    );
    check_complaint(
        r#"{"error":"Input validation error: `inputs` must have less than 1024 tokens. Given: 1872","error_type":"validation"}"#,
        None,
        told(1_024, 1_872),
    );
    check_complaint(
        r#"{"object":"error","message":"The input (61709 tokens) is longer than the model's context length (40960 tokens).","type":"BadRequestError","param":null,"code":400}"#,
        Some("BadRequestError"),
        told(40_960, 61_709),
    );
    check_complaint("the prompt exceeds the context window", None, Some(TooLong::default()));
    check_complaint(r#"{"message":"Input is too long for requested model."}"#, None, Some(TooLong::default()));
    check_complaint(
        r#"{"error":{"message":"Please reduce the length of the messages or completion.","type":"invalid_request_error","code":"context_length_exceeded"}}"#,
        Some("context_length_exceeded"),
        Some(TooLong::default()),
    );
    check_complaint(
        r#"{"error":{"message":"Request too large for model on tokens per minute (TPM): Limit 6000, Requested 6403","type":"tokens","code":"rate_limit_exceeded"}}"#,
        Some("rate_limit_exceeded"),
        None,
    );
}

#[test]
fn other_complaints_are_named_and_their_words_are_not_repeated() {
    check_complaint(
        r#"{"error":{"type":"authentication_error","message":"invalid key sk-123"}}"#,
        Some("authentication_error"),
        None,
    );
    check_complaint(r#"{"error":{"type":"you said: my secret plan"}}"#, None, None);
    // Some repeat the key that they were asked with.
    check_complaint(r#"{"error":{"code":"sk-proj-4f9a8b7c6d5e4f3a2b1c","message":"no"}}"#, None, None);
    check_complaint(r#"{"error":{"code":"swordfish","message":"no"}}"#, None, None);
    check_complaint(r#"{"error":"no such model"}"#, None, None);
    check_complaint("<html>502</html>", None, None);
    check_complaint("", None, None);
}

#[test]
fn complaints_about_thinking_are_told_apart() {
    let check = |message: &str, expected| {
        let body = format!(r#"{{"type":"error","error":{{"type":"invalid_request_error","message":"{message}"}}}}"#);
        assert_eq!(complaint(body.as_bytes()).thinking, expected, "{message}");
    };
    check(
        "messages.3.content.0: `thinking` block is bound to a different conversation: set `thinking.block_binding`.",
        Some(AboutThinking::Bound),
    );
    check("thinking.enabled.block_binding: Extra inputs are not permitted", Some(AboutThinking::NoEscape));
    check(
        "Unexpected value(s) `thinking-binding-controls-2026-08-01` for the `anthropic-beta` header.",
        Some(AboutThinking::NoEscape),
    );
    check("messages.3: Invalid `signature` in `thinking` block", None);
}
