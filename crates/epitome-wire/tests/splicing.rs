//! What each edit does to the bytes of each dialect.

use epitome_core::edit::{Edit, EditError, Inserted, apply};
use epitome_core::model::Role;
use epitome_wire::{Dialect, DuplicateKeys, Format, Request, SpliceError, unsplice};

const CHAT: &str = r#"{ "model": "m", "temperature": 1E+2, "messages": [
    {"role": "system", "content": "be \u0062rief"},
    {"role": "user", "content": "go"},
    {"role": "assistant", "content": null, "tool_calls": [{"id": "a", "type": "function", "function": {"name": "t", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": "long"}], "x": 1.50},
    {"role": "tool", "tool_call_id": "lost", "content": "?"},
    {"role": "assistant", "tool_calls": [{"id": "b", "type": "function", "function": {"name": "t", "arguments": "{}"}}]},
    {"role": "user", "content": "and?"},
    {"role": "assistant", "content": "hm"},
    {"role": "user", "content": "now"}
] }"#;

const ANTHROPIC: &str = r#"{ "model": "m", "system": "be \u0062rief", "messages": [
    {"role": "user", "content": "go"},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "t", "input": {}}]},
    {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "long"}], "is_error": true},
        {"type": "tool_result", "tool_use_id": "lost"}
    ]},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "b", "name": "t", "input": {}}]},
    {"role": "user", "content": "and?"},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "t", "input": {}}]},
    {"role": "assistant", "content": "hm"},
    {"role": "user", "content": "now"}
] }"#;

const RESPONSES: &str = r#"{ "model": "m", "instructions": "be \u0062rief", "input": [
    {"role": "user", "content": "go"},
    {"type": "reasoning", "summary": [], "encrypted_content": "e"},
    {"type": "function_call", "call_id": "a", "name": "t", "arguments": "{}"},
    {"type": "custom_tool_call", "call_id": "b", "name": "t", "input": "{}"},
    {"type": "function_call_output", "call_id": "a", "output": [{"type": "input_text", "text": "long"}], "status": "completed"},
    {"type": "function_call_output", "call_id": "lost", "output": "?"},
    {"role": "user", "content": "and?"},
    {"role": "assistant", "content": "hm"},
    {"type": "web_search_call", "id": "w"},
    {"role": "user", "content": "now"}
] }"#;

/// The lines that differ, as `-` and `+`; what is undone must be what was there.
fn splice(text: &str, dialect: Dialect, edits: Vec<Edit>) -> String {
    let request = Request::read(text.as_bytes().to_vec(), Format::Detect, DuplicateKeys::Refuse).expect("a request");
    assert_eq!(request.dialect(), dialect);
    let applied = apply(request.conversation(), edits).expect("edits that fit");
    let spliced = request.splice(&applied).expect("its own edits");
    let pieces: Vec<_> = spliced
        .patches
        .iter()
        .map(|patch| (patch.replacement.clone(), &request.bytes()[patch.original.clone()]))
        .collect();
    assert_eq!(unsplice(&spliced.bytes, &pieces).as_deref(), Some(request.bytes()));
    let after = String::from_utf8(spliced.bytes).expect("UTF-8");
    let gone = text.lines().filter(|line| after.lines().all(|other| other != *line)).map(|line| format!("- {line}"));
    let new = after.lines().filter(|line| text.lines().all(|other| other != *line)).map(|line| format!("+ {line}"));
    gone.chain(new).collect::<Vec<_>>().join("\n")
}

fn shorten(message: usize, block: usize) -> Vec<Edit> {
    vec![Edit::ShortenOutput { message, block, text: "short \"é\"\n".to_owned() }]
}

fn note() -> Vec<Edit> {
    vec![Edit::NoteInSystem { text: "a note".to_owned() }]
}

fn answer(message: usize, block: usize) -> Vec<Edit> {
    vec![Edit::AnswerCall { message, block, text: "no answer".to_owned() }]
}

fn remove_result(message: usize, block: usize) -> Vec<Edit> {
    vec![Edit::RemoveResult { message, block }]
}

fn replace(start: usize, end: usize, roles: &[Role]) -> Vec<Edit> {
    let with = roles.iter().map(|role| Inserted { role: *role, text: "in short".to_owned() }).collect();
    vec![Edit::Replace { start, end, with }]
}

fn chat(edits: Vec<Edit>) -> String {
    splice(CHAT, Dialect::OpenAiChat, edits)
}

fn anthropic(edits: Vec<Edit>) -> String {
    splice(ANTHROPIC, Dialect::AnthropicMessages, edits)
}

fn responses(edits: Vec<Edit>) -> String {
    splice(RESPONSES, Dialect::OpenAiResponses, edits)
}

#[test]
fn an_output_is_shortened_in_its_place() {
    insta::assert_snapshot!(chat(shorten(3, 0)), @r#"
    -     {"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": "long"}], "x": 1.50},
    +     {"role": "tool", "tool_call_id": "a", "content": "short \"é\"\n", "x": 1.50},
    "#);
    insta::assert_snapshot!(anthropic(shorten(2, 0)), @r#"
    -         {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "long"}], "is_error": true},
    +         {"type": "tool_result", "tool_use_id": "a", "content": "short \"é\"\n", "is_error": true},
    "#);
    insta::assert_snapshot!(anthropic(shorten(2, 1)), @r#"
    -         {"type": "tool_result", "tool_use_id": "lost"}
    +         {"content":"short \"é\"\n","type": "tool_result", "tool_use_id": "lost"}
    "#);
    insta::assert_snapshot!(responses(shorten(2, 0)), @r#"
    -     {"type": "function_call_output", "call_id": "a", "output": [{"type": "input_text", "text": "long"}], "status": "completed"},
    +     {"type": "function_call_output", "call_id": "a", "output": "short \"é\"\n", "status": "completed"},
    "#);
}

#[test]
fn messages_are_replaced() {
    insta::assert_snapshot!(chat(replace(5, 8, &[Role::Assistant])), @r#"
    -     {"role": "assistant", "tool_calls": [{"id": "b", "type": "function", "function": {"name": "t", "arguments": "{}"}}]},
    -     {"role": "user", "content": "and?"},
    -     {"role": "assistant", "content": "hm"},
    +     {"role":"assistant","content":"in short"},
    "#);
    insta::assert_snapshot!(anthropic(replace(1, 7, &[Role::Assistant, Role::User, Role::Assistant])), @r#"
    -     {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "t", "input": {}}]},
    -     {"role": "user", "content": [
    -         {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "long"}], "is_error": true},
    -         {"type": "tool_result", "tool_use_id": "lost"}
    -     ]},
    -     {"role": "assistant", "content": [{"type": "tool_use", "id": "b", "name": "t", "input": {}}]},
    -     {"role": "user", "content": "and?"},
    -     {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "t", "input": {}}]},
    -     {"role": "assistant", "content": "hm"},
    +     {"role":"assistant","content":[{"type":"text","text":"in short"}]},
    +     {"role":"user","content":[{"type":"text","text":"in short"}]},
    +     {"role":"assistant","content":[{"type":"text","text":"in short"}]},
    "#);
    insta::assert_snapshot!(responses(replace(1, 6, &[Role::Assistant])), @r#"
    -     {"type": "reasoning", "summary": [], "encrypted_content": "e"},
    -     {"type": "function_call", "call_id": "a", "name": "t", "arguments": "{}"},
    -     {"type": "custom_tool_call", "call_id": "b", "name": "t", "input": "{}"},
    -     {"type": "function_call_output", "call_id": "a", "output": [{"type": "input_text", "text": "long"}], "status": "completed"},
    -     {"type": "function_call_output", "call_id": "lost", "output": "?"},
    -     {"role": "user", "content": "and?"},
    -     {"role": "assistant", "content": "hm"},
    -     {"type": "web_search_call", "id": "w"},
    +     {"type":"message","role":"assistant","content":[{"type":"output_text","text":"in short"}]},
    "#);
}

#[test]
fn messages_are_removed() {
    insta::assert_snapshot!(chat(replace(6, 8, &[])), @r#"
    -     {"role": "user", "content": "and?"},
    -     {"role": "assistant", "content": "hm"},
    "#);
    insta::assert_snapshot!(anthropic(replace(1, 5, &[])), @r#"
    -     {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "t", "input": {}}]},
    -     {"role": "user", "content": [
    -         {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "long"}], "is_error": true},
    -         {"type": "tool_result", "tool_use_id": "lost"}
    -     ]},
    -     {"role": "assistant", "content": [{"type": "tool_use", "id": "b", "name": "t", "input": {}}]},
    -     {"role": "user", "content": "and?"},
    "#);
    insta::assert_snapshot!(responses(replace(4, 6, &[])), @r#"
    -     {"role": "user", "content": "and?"},
    -     {"role": "assistant", "content": "hm"},
    -     {"type": "web_search_call", "id": "w"},
    "#);
}

#[test]
fn a_note_stands_behind_the_system_prompt() {
    insta::assert_snapshot!(chat(note()), @r#"
    -     {"role": "system", "content": "be \u0062rief"},
    +     {"role": "system", "content": "be \u0062rief\n\na note"},
    "#);
    insta::assert_snapshot!(anthropic(note()), @r#"
    - { "model": "m", "system": "be \u0062rief", "messages": [
    + { "model": "m", "system": [{"type":"text","text":"be \u0062rief"},{"type":"text","text":"a note"}], "messages": [
    "#);
    insta::assert_snapshot!(responses(note()), @r#"
    - { "model": "m", "instructions": "be \u0062rief", "input": [
    + { "model": "m", "instructions": "be \u0062rief\n\na note", "input": [
    "#);
}

#[test]
fn a_call_is_answered() {
    insta::assert_snapshot!(chat(answer(5, 0)), @r#"+     {"role":"tool","tool_call_id":"b","content":"no answer"},"#);
    insta::assert_snapshot!(anthropic(answer(3, 0)), @r#"
    -     {"role": "user", "content": "and?"},
    +     {"role": "user", "content": [{"type":"tool_result","tool_use_id":"b","content":"no answer"},{"type":"text","text":"and?"}]},
    "#);
    insta::assert_snapshot!(anthropic(answer(5, 0)), @r#"+     {"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"no answer"}]},"#);
    insta::assert_snapshot!(responses(answer(1, 2)), @r#"+     {"type":"custom_tool_call_output","call_id":"b","output":"no answer"},"#);
}

#[test]
fn a_result_is_removed() {
    insta::assert_snapshot!(chat(remove_result(4, 0)), @r#"-     {"role": "tool", "tool_call_id": "lost", "content": "?"},"#);
    insta::assert_snapshot!(anthropic(remove_result(2, 1)), @r#"
    -         {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "long"}], "is_error": true},
    -         {"type": "tool_result", "tool_use_id": "lost"}
    +         {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "long"}], "is_error": true}
    "#);
    insta::assert_snapshot!(responses(remove_result(3, 0)), @r#"-     {"type": "function_call_output", "call_id": "lost", "output": "?"},"#);
}

#[test]
fn a_file_of_lines_stays_one() {
    let lines = "{\"role\":\"user\",\"content\":\"a\"}\r\n\r\n{\"role\":\"assistant\",\"content\":\"b\"}\r\n\
                 {\"role\":\"user\",\"content\":\"c\"}\r\n{\"role\":\"assistant\",\"content\":\"d\"}\r\n{\"role\":\"user\",\"content\":\"e\"}";
    insta::assert_snapshot!(splice(lines, Dialect::OpenAiChat, replace(1, 3, &[])), @r#"
    - {"role":"assistant","content":"b"}
    - {"role":"user","content":"c"}
    "#);
    insta::assert_snapshot!(splice(lines, Dialect::OpenAiChat, replace(1, 3, &[Role::Assistant, Role::User])), @r#"
    - {"role":"assistant","content":"b"}
    - {"role":"user","content":"c"}
    + {"role":"assistant","content":"in short"}
    + {"role":"user","content":"in short"}
    "#);
}

#[test]
fn a_note_is_not_put_where_nobody_knows_how_it_is_read() {
    let items = r#"[{"type":"mystery","role":"system"},{"type":"message","role":"user","content":"now"}]"#;
    let request = Request::read(items.into(), Format::Detect, DuplicateKeys::Refuse).unwrap();
    assert_eq!(apply(request.conversation(), note()), Err(EditError::Note));
}

#[test]
fn a_block_that_stands_alone_in_the_place_of_a_list_is_edited_like_one_in_it() {
    const ALONE: &str = r#"[{"role":"user","content":"go"},
    {"role":"assistant","content":[{"type":"tool_use","id":"a","name":"t"},{"type":"tool_use","id":"b","name":"t"}]},
    {"role":"user","content":{"type":"tool_result","tool_use_id":"a","content":"long"}},
    {"role":"assistant","content":{"type":"tool_use","id":"c","name":"t"}},
    {"role":"user","content":{"type":"tool_result","tool_use_id":"lost"}},
    {"role":"assistant","content":"hm"},
    {"role":"user","content":"now"}]"#;
    let alone = |edits: Vec<Vec<Edit>>| splice(ALONE, Dialect::AnthropicMessages, edits.concat());
    insta::assert_snapshot!(alone(vec![shorten(2, 0)]), @r#"
    -     {"role":"user","content":{"type":"tool_result","tool_use_id":"a","content":"long"}},
    +     {"role":"user","content":{"type":"tool_result","tool_use_id":"a","content":"short \"é\"\n"}},
    "#);
    insta::assert_snapshot!(alone(vec![shorten(2, 0), answer(1, 1)]), @r#"
    -     {"role":"user","content":{"type":"tool_result","tool_use_id":"a","content":"long"}},
    +     {"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"no answer"},{"type":"tool_result","tool_use_id":"a","content":"short \"é\"\n"}]},
    "#);
    insta::assert_snapshot!(alone(vec![remove_result(4, 0), answer(3, 0)]), @r#"
    -     {"role":"user","content":{"type":"tool_result","tool_use_id":"lost"}},
    +     {"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"no answer"}]},
    "#);
    insta::assert_snapshot!(alone(vec![replace(5, 6, &[Role::Assistant]), shorten(4, 0)]), @r#"
    -     {"role":"user","content":{"type":"tool_result","tool_use_id":"lost"}},
    -     {"role":"assistant","content":"hm"},
    +     {"role":"user","content":{"content":"short \"é\"\n","type":"tool_result","tool_use_id":"lost"}},
    +     {"role":"assistant","content":[{"type":"text","text":"in short"}]},
    "#);
}

#[test]
fn lines_are_not_removed_so_that_the_others_become_something_else() {
    let lines = "{\"type\":\"function_call_output\",\"call_id\":\"lost\"}\n{\"type\":\"reasoning\",\"messages\":[]}\n";
    let format = Format::Given(Dialect::OpenAiResponses);
    let request = Request::read(lines.into(), format, DuplicateKeys::Refuse).unwrap();
    let applied = apply(request.conversation(), remove_result(0, 0)).unwrap();
    assert_eq!(request.splice(&applied), Err(SpliceError::NotLines));
}
