//! What is read from requests, and what is refused and why.

use epitome_core::model::{Block, Conversation, Message};
use epitome_wire::{Container, Dialect, DuplicateKeys, Format, Request};

/// One line a message, all that was understood.
fn shape(conversation: &Conversation) -> String {
    let mut lines: Vec<String> =
        conversation.tools.iter().map(|tool| format!("tool {} {}", tool.name, tool.text)).collect();
    if !conversation.system.is_empty() {
        lines.push(format!("system: {}", blocks(&conversation.system)));
    }
    let line = |message: &Message| {
        let injected = if message.injected { " injected" } else { "" };
        let reported = message.reported_prompt_tokens.map(|tokens| format!(" after {tokens}")).unwrap_or_default();
        format!("{:?}{injected}{reported}: {}", message.role, blocks(&message.blocks))
    };
    lines.extend(conversation.messages.iter().map(line));
    lines.join("\n")
}

fn blocks(blocks: &[Block]) -> String {
    let block = |block: &Block| match block {
        Block::Text(text) => format!("{text:?}"),
        Block::Thinking(text) => format!("thinking {text:?}"),
        Block::ToolCall(call) => format!("{}#{}({})", call.name, call.id, call.arguments),
        Block::ToolResult(result) => {
            format!(
                "#{}{} [{}]",
                result.call_id,
                if result.is_error { " error" } else { "" },
                self::blocks(&result.content)
            )
        }
        Block::Media(media) => format!("{:?} of {}", media.kind, media.tokens),
        Block::Opaque(opaque) => format!("<{}> {}", opaque.kind, opaque.text),
    };
    blocks.iter().map(block).collect::<Vec<_>>().join(", ")
}

fn read(text: &str) -> Request {
    Request::read(text.as_bytes().to_vec(), Format::Detect, DuplicateKeys::Refuse).expect("a request")
}

fn read_as(text: &str, dialect: Dialect) -> String {
    let request = read(text);
    assert_eq!(request.dialect(), dialect);
    shape(request.conversation())
}

#[track_caller]
fn check_refused(text: &str, format: Format, expected: &str) {
    let error = Request::read(text.as_bytes().to_vec(), format, DuplicateKeys::Refuse).expect_err("not a request");
    assert_eq!(error.to_string(), expected);
}

#[test]
fn chat() {
    let request = r#"{"model":"gpt","tools":[{"type":"function","function":{"name":"bash"}},{"type":"web_search"}],"messages":[
        {"role":"developer","content":[{"type":"text","text":"be brief"}]},
        {"role":"user","content":[{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"http://x","detail":"low"}},
            {"type":"input_audio"},{"type":"file","file":{"file_id":"f"}},{"type":"hologram","x":1e2},"plain"]},
        {"role":"user","content":"hi","meta":true},
        {"role":"assistant","content":null,"reasoning":"hm","usage":{"input_tokens":2,"cache_read_tokens":30,"cache_write_tokens":400},
            "tool_calls":[{"id":"a","type":"function","function":{"name":"bash","arguments":"{\"cmd\":\"ls\"}"}},
            {"id":"b","type":"custom","custom":{"name":"patch","input":"+1"}}]},
        {"role":"tool","tool_call_id":"a","content":"x"},
        {"role":"tool","tool_call_id":"b","content":[{"type":"text","text":"y"}],"is_error":true},
        {"role":"assistant","content":"","function_call":{"name":"old","arguments":"{}"},"usage":{"prompt_tokens":7}},
        {"role":"function","name":"old","content":"z"},
        {"role":"tool","content":"whose?"},
        {"role":"assistant","refusal":"no"},
        {"role":"narrator","content":"later"}]}"#;
    assert_eq!(read(request).model(), Some("gpt"));
    insta::assert_snapshot!(read_as(request, Dialect::OpenAiChat), @r#"
    tool bash {"type":"function","function":{"name":"bash"}}
    tool web_search {"type":"web_search"}
    System: "be brief"
    User: "look", Image of 85, Audio of 1600, Document of 1600, <hologram> {"type":"hologram","x":1e2}, "plain"
    User injected: "hi"
    Assistant after 432: thinking "hm", bash#a({"cmd":"ls"}), patch#b(+1)
    Tool: #a ["x"]
    Tool: #b error ["y"]
    Assistant after 7: old#old({})
    Tool: #old ["z"]
    Tool: <an object> {"role":"tool","content":"whose?"}
    Assistant: "no"
    System: <narrator> narrator, "later"
    "#);
}

#[test]
fn anthropic() {
    let request = r#"{"model":"claude","system":[{"type":"text","text":"be brief","cache_control":{"type":"ephemeral"}}],
        "tools":[{"name":"bash","input_schema":{}},{"type":"web_search_20250305","name":"web_search"}],"messages":[
        {"role":"user","content":"go"},
        {"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"redacted_thinking","data":"ZW5j"},
            {"type":"text","text":"I look"},{"type":"tool_use","id":"a","name":"bash","input":{ "n":1E+2 }},
            {"type":"server_tool_use","id":"s","name":"web_search","input":{}}],
            "usage":{"input_tokens":1,"cache_read_input_tokens":20,"cache_creation_input_tokens":300}},
        {"role":"user","content":[{"type":"tool_result","tool_use_id":"a","is_error":true,"content":[{"type":"text","text":"x"},
            {"type":"image","source":{"type":"base64","media_type":"image/gif","data":"R0lGODlhQAHwAA=="}},{"type":"tool_reference"}]},
            {"type":"tool_result","content":"whose?"},{"type":"document","source":{"type":"text","data":"12345678"}},
            {"type":"document","source":{"type":"url","url":"u"}},{"type":"container_upload","file_id":"f"}]},
        {"role":"system","content":"by the way"},
        {"role":"user","content":[]}]}"#;
    insta::assert_snapshot!(read_as(request, Dialect::AnthropicMessages), @r#"
    tool bash {"name":"bash","input_schema":{}}
    tool web_search {"type":"web_search_20250305","name":"web_search"}
    system: "be brief"
    User: "go"
    Assistant after 321: thinking "hm", thinking "ZW5j", "I look", bash#a({ "n":1E+2 }), <server_tool_use> {"type":"server_tool_use","id":"s","name":"web_search","input":{}}
    User: #a error ["x", Image of 103, <tool_reference> {"type":"tool_reference"}], <tool_result> {"type":"tool_result","content":"whose?"}, Document of 2, Document of 1600, <container_upload> {"type":"container_upload","file_id":"f"}
    System: "by the way"
    User:
    "#);
}

#[test]
fn responses() {
    let request = r#"{"instructions":"be brief","tools":[{"type":"function","name":"bash"},{"type":"web_search"}],"input":[
        {"role":"developer","content":"rules"},
        {"type":"message","role":"user","content":[{"type":"input_text","text":"go"},{"type":"input_image","file_id":"f"},
            {"type":"input_file","file_id":"f"}]},
        {"type":"reasoning","summary":[{"type":"summary_text","text":"one"},{"type":"summary_text","text":"two"}],"encrypted_content":"e"},
        {"type":"reasoning","summary":[],"encrypted_content":"e"},
        {"type":"message","role":"assistant","content":[{"type":"output_text","text":"I look"}]},
        {"type":"function_call","call_id":"a","name":"bash","arguments":"{}"},
        {"type":"local_shell_call","call_id":"b","action":{"command":["ls"]}},
        {"type":"web_search_call","id":"w"},
        {"type":"mystery"},
        {"type":"function_call_output","call_id":"a","output":"x"},
        {"type":"local_shell_call_output","call_id":"b","output":[{"type":"input_text","text":"y"}]},
        {"type":"tool_search_output","call_id":"c","tools":[]},
        {"type":"compaction","encrypted_content":"e"},
        {"type":"item_reference","id":"i"},
        {"type":"mystery","role":"user"}]}"#;
    insta::assert_snapshot!(read_as(request, Dialect::OpenAiResponses), @r#"
    tool bash {"type":"function","name":"bash"}
    tool web_search {"type":"web_search"}
    system: "be brief"
    System: "rules"
    User: "go", Image of 1600, Document of 1600
    Assistant: thinking "one\ntwo", thinking "", "I look", bash#a({}), local_shell_call#b({"command":["ls"]}), <web_search_call> {"type":"web_search_call","id":"w"}, <mystery> {"type":"mystery"}
    Tool: #a ["x"]
    Tool: #b ["y"]
    Tool: #c [<tool_search_output> {"type":"tool_search_output","call_id":"c","tools":[]}]
    Assistant: <compaction> {"type":"compaction","encrypted_content":"e"}, <item_reference> {"type":"item_reference","id":"i"}
    User: <mystery> {"type":"mystery","role":"user"}
    "#);
}

#[test]
fn the_input_may_be_a_text() {
    let request = r#"{"input":"hello \"you\"","instructions":"be brief"}"#;
    insta::assert_snapshot!(read_as(request, Dialect::OpenAiResponses), @r#"
    system: "be brief"
    User: "hello \"you\""
    "#);
}

#[test]
fn messages_may_be_held_together_in_three_ways() {
    let messages = [r#"{"role":"user","content":"a"}"#, r#"{"role":"assistant","content":"b"}"#];
    let ways = [
        (format!(r#"{{"messages":[{}]}}"#, messages.join(",")), Container::Object),
        (format!("[{}]", messages.join(",\n")), Container::Array),
        (messages.join("\n"), Container::Lines),
        (format!("\u{feff}{}\r\n", messages.join("\r\n\r\n")), Container::Lines),
    ];
    for (text, container) in &ways {
        let request = read(text);
        assert_eq!((request.container(), request.conversation().messages.len()), (*container, 2), "{text}");
        assert_eq!(request.bytes(), text.as_bytes());
    }
    assert_eq!(read(messages[0]).container(), Container::Lines);
}

#[test]
fn what_is_no_request_is_refused_with_a_place() {
    const EXPECTED: &str =
        r#"expected an object with "messages" or "input", an array of messages, or one message a line, found"#;
    check_refused("", Format::Detect, "expected a value at line 1, column 1");
    check_refused("7", Format::Detect, &format!("{EXPECTED} a number at line 1, column 1"));
    check_refused("{}", Format::Detect, &format!("{EXPECTED} an object without them at line 1, column 1"));
    check_refused(
        r#"{"messages":{}}"#,
        Format::Detect,
        r#"expected an array under "messages", found an object at line 1, column 13"#,
    );
    check_refused(
        "[{\"role\":\"user\"},\n 1]",
        Format::Detect,
        "expected a message, found a number at line 2, column 2",
    );
    check_refused(
        r#"[{"role":1}]"#,
        Format::Detect,
        r#"a message without a "role" that is a string at line 1, column 2"#,
    );
    check_refused(
        r#"{"input":[]}"#,
        Format::Given(Dialect::AnthropicMessages),
        r#"expected the key "messages" in the object at line 1, column 1"#,
    );
    check_refused(
        "{\"messages\":[]}\n{\"messages\":[]}\n{\"input\":\"x\"}\n",
        Format::Detect,
        "3 sessions found, one is expected",
    );
}

#[test]
fn bytes_that_are_no_text_are_refused_with_a_place() {
    let error = Request::read(b"{\"a\":1,\n\"\xc3\xa9\xff\"}".to_vec(), Format::Detect, DuplicateKeys::Refuse);
    let error = error.expect_err("not UTF-8");
    assert_eq!(error.to_string(), "bytes that are not UTF-8 at line 2, column 3");
    assert_eq!(error.position().map(|position| position.offset), Some(11));
}
