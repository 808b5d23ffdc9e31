//! Writes a conversation as a request of any dialect: for tests and benchmarks, as it loses things.
//!
//! One recorded session can so be tried in all three dialects. Lost are: media and unknown blocks (their place is taken
//! by a text), signatures and encrypted reasoning, what stands beside a message (`meta`, `usage`), empty texts and
//! messages, `is_error` where the dialect has none, and in Chat the order of words and calls within a message. Texts,
//! calls and results stay, in their order. Never used on a client's request: those are spliced.

use epitome_core::model::{Block, Conversation, Message, Role, ToolCall, ToolDefinition, ToolResult};

use crate::dialect::Dialect;
use crate::json::{Document, DuplicateKeys, Kind, Value};
use crate::strings::write_string;

/// Writes `conversation` as a request in `dialect`: the system prompt, the tools and the messages, no model.
pub fn write(conversation: &Conversation, dialect: Dialect) -> Vec<u8> {
    let mut out = Vec::new();
    object(&mut out, |request| match dialect {
        Dialect::OpenAiChat => chat(request, conversation),
        Dialect::AnthropicMessages => anthropic(request, conversation),
        Dialect::OpenAiResponses => responses(request, conversation),
    });
    out
}

fn chat(request: &mut Fields<'_>, conversation: &Conversation) {
    write_tools(request, conversation, |tool, parts| {
        tool.string("type", "function");
        tool.object("function", |function| parts.write(function, "parameters"));
    });
    request.array("messages", |messages| {
        let system = texts(&conversation.system);
        if !system.is_empty() {
            messages.object(|message| chat_words(message, "system", &system));
        }
        for message in &conversation.messages {
            chat_message(messages, message);
        }
    });
}

fn chat_message(messages: &mut Items<'_>, message: &Message) {
    for result in message.results() {
        messages.object(|element| {
            element.string("role", "tool");
            element.string("tool_call_id", &result.call_id);
            element.string("content", &result_text(result));
            if result.is_error {
                element.raw("is_error", "true");
            }
        });
    }
    let words = texts(&message.blocks);
    match message.role {
        Role::System | Role::User | Role::Tool if words.is_empty() => {}
        Role::System => messages.object(|element| chat_words(element, "system", &words)),
        Role::User | Role::Tool => messages.object(|element| chat_words(element, "user", &words)),
        Role::Assistant if message.blocks.is_empty() => {}
        Role::Assistant => messages.object(|element| {
            chat_words(element, "assistant", &words);
            let thoughts: Vec<&str> = thoughts(message).collect();
            if !thoughts.is_empty() {
                element.string("reasoning_content", &thoughts.join("\n"));
            }
            if message.calls().next().is_some() {
                element.array("tool_calls", |calls| message.calls().for_each(|call| chat_call(calls, call)));
            }
        }),
    }
}

fn chat_words(element: &mut Fields<'_>, role: &str, words: &[String]) {
    element.string("role", role);
    match words {
        [] => element.raw("content", "null"),
        [only] => element.string("content", only),
        several => element.array("content", |parts| several.iter().for_each(|words| parts.text("text", words))),
    }
}

fn chat_call(calls: &mut Items<'_>, call: &ToolCall) {
    calls.object(|element| {
        element.string("id", &call.id);
        element.string("type", "function");
        element.object("function", |function| {
            function.string("name", &call.name);
            function.string("arguments", &call.arguments);
        });
    });
}

fn anthropic(request: &mut Fields<'_>, conversation: &Conversation) {
    write_tools(request, conversation, |tool, parts| parts.write(tool, "input_schema"));
    let leading = conversation.leading_system_messages();
    let mut system = texts(&conversation.system);
    system.extend(conversation.messages.iter().take(leading).flat_map(|message| texts(&message.blocks)));
    if !system.is_empty() {
        request.array("system", |blocks| system.iter().for_each(|words| blocks.text("text", words)));
    }
    request.array("messages", |messages| {
        let rest = conversation.messages.get(leading..).unwrap_or_default();
        for turn in anthropic_turns(rest) {
            let role = match turn.role {
                Role::System => "system",
                Role::User | Role::Tool => "user",
                Role::Assistant => "assistant",
            };
            let (results, others): (Vec<&Block>, Vec<&Block>) =
                turn.blocks.into_iter().partition(|block| matches!(block, Block::ToolResult(_)));
            messages.object(|element| {
                element.string("role", role);
                element.array("content", |blocks| {
                    // Providers demand the results before any text.
                    results.into_iter().chain(others).for_each(|block| anthropic_block(blocks, block));
                });
            });
        }
    });
}

/// What becomes one message in Anthropic's dialect.
struct Turn<'conversation> {
    role: Role,
    blocks: Vec<&'conversation Block>,
}

/// Results that follow each other are one message, together with the user's words behind them: providers demand all
/// results of a turn directly behind it, and some refuse two user messages in a row.
fn anthropic_turns(messages: &[Message]) -> Vec<Turn<'_>> {
    let mut turns: Vec<Turn<'_>> = Vec::new();
    for message in messages {
        let blocks: Vec<&Block> = message.blocks.iter().filter(|block| !is_empty_text(block)).collect();
        if blocks.is_empty() {
            continue;
        }
        let follows_results = matches!(message.role, Role::Tool | Role::User);
        match turns.last_mut().filter(|last| follows_results && last.role == Role::Tool) {
            Some(results) => {
                results.role = message.role;
                results.blocks.extend(blocks);
            }
            None => turns.push(Turn { role: message.role, blocks }),
        }
    }
    turns
}

fn anthropic_block(blocks: &mut Items<'_>, block: &Block) {
    match block {
        Block::Text(text) => blocks.text("text", text),
        Block::Thinking(text) => blocks.object(|block| {
            block.string("type", "thinking");
            block.string("thinking", text);
            block.string("signature", "");
        }),
        Block::ToolCall(call) => blocks.object(|block| {
            block.string("type", "tool_use");
            block.string("id", &call.id);
            block.string("name", &call.name);
            match is_json_object(&call.arguments) {
                true => block.raw("input", &call.arguments),
                false => block.object("input", |input| input.string("arguments", &call.arguments)),
            }
        }),
        Block::ToolResult(result) => blocks.object(|block| {
            block.string("type", "tool_result");
            block.string("tool_use_id", &result.call_id);
            block.string("content", &result_text(result));
            if result.is_error {
                block.raw("is_error", "true");
            }
        }),
        Block::Media(_) | Block::Opaque(_) => texts([block]).iter().for_each(|words| blocks.text("text", words)),
    }
}

fn responses(request: &mut Fields<'_>, conversation: &Conversation) {
    write_tools(request, conversation, |tool, parts| {
        tool.string("type", "function");
        parts.write(tool, "parameters");
    });
    let leading = conversation.leading_system_messages();
    let mut system = texts(&conversation.system);
    system.extend(conversation.messages.iter().take(leading).flat_map(|message| texts(&message.blocks)));
    // There is one place outside of the list; what is left of the prompt opens the list.
    let (instructions, rest) = system.split_at(system.len().min(1));
    instructions.iter().for_each(|instructions| request.string("instructions", instructions));
    request.array("input", |items| {
        rest.iter().for_each(|words| responses_words(items, Role::System, words));
        for message in conversation.messages.iter().skip(leading) {
            message.blocks.iter().for_each(|block| responses_item(items, message.role, block));
        }
    });
}

fn responses_item(items: &mut Items<'_>, role: Role, block: &Block) {
    match block {
        Block::Text(_) | Block::Media(_) | Block::Opaque(_) => {
            texts([block]).iter().for_each(|words| responses_words(items, role, words));
        }
        Block::Thinking(text) => items.object(|item| {
            item.string("type", "reasoning");
            item.array("summary", |parts| parts.text("summary_text", text));
        }),
        Block::ToolCall(call) => items.object(|item| {
            item.string("type", "function_call");
            item.string("call_id", &call.id);
            item.string("name", &call.name);
            item.string("arguments", &call.arguments);
        }),
        Block::ToolResult(result) => items.object(|item| {
            item.string("type", "function_call_output");
            item.string("call_id", &result.call_id);
            item.string("output", &result_text(result));
        }),
    }
}

fn responses_words(items: &mut Items<'_>, role: Role, words: &str) {
    let (role, kind) = match role {
        Role::System => ("developer", "input_text"),
        Role::User | Role::Tool => ("user", "input_text"),
        Role::Assistant => ("assistant", "output_text"),
    };
    items.object(|item| {
        item.string("type", "message");
        item.string("role", role);
        item.array("content", |parts| parts.text(kind, words));
    });
}

/// The words of blocks, none of them empty; what cannot be written has a text in its place.
fn texts<'block>(blocks: impl IntoIterator<Item = &'block Block>) -> Vec<String> {
    let text = |block: &Block| match block {
        Block::Text(text) => Some(text.to_string()),
        Block::Media(media) => Some(format!("[{:?} of {} tokens]", media.kind, media.tokens)),
        Block::Opaque(opaque) => Some(opaque.text.to_string()),
        Block::Thinking(_) | Block::ToolCall(_) | Block::ToolResult(_) => None,
    };
    blocks.into_iter().filter_map(text).filter(|text| !text.is_empty()).collect()
}

fn is_empty_text(block: &Block) -> bool {
    block.as_text().is_some_and(|text| text.is_empty())
}

fn thoughts(message: &Message) -> impl Iterator<Item = &str> {
    message.blocks.iter().filter_map(|block| match block {
        Block::Thinking(text) => Some(&**text),
        Block::Text(_) | Block::ToolCall(_) | Block::ToolResult(_) | Block::Media(_) | Block::Opaque(_) => None,
    })
}

fn result_text(result: &ToolResult) -> String {
    texts(&result.content).join("\n")
}

/// Whether a text can stand in a request as an object. One with a key twice, or a mark before it, would not be read.
fn is_json_object(text: &str) -> bool {
    let document = Document::read(text, DuplicateKeys::Refuse);
    let is_object = |document: Document<'_>| document.single_root().is_some_and(|root| root.kind() == Kind::Object);
    !text.starts_with('\u{feff}') && document.is_ok_and(is_object)
}

fn write_tools(
    request: &mut Fields<'_>,
    conversation: &Conversation,
    write_tool: impl Fn(&mut Fields<'_>, &ToolParts<'_>),
) {
    if conversation.tools.is_empty() {
        return;
    }
    request.array("tools", |tools| {
        for definition in &conversation.tools {
            let document = Document::read(&definition.text, DuplicateKeys::Carry);
            let parts = ToolParts::of(definition, document.as_ref().ok().and_then(Document::single_root));
            tools.object(|tool| write_tool(tool, &parts));
        }
    });
}

/// What the definitions of all dialects have.
struct ToolParts<'definition> {
    name: &'definition str,
    description: Option<Value<'definition>>,
    schema: Option<Value<'definition>>,
}

impl<'definition> ToolParts<'definition> {
    fn of(definition: &'definition ToolDefinition, json: Option<Value<'definition>>) -> ToolParts<'definition> {
        let inner = json.and_then(|json| json.get("function")).or(json);
        let get = |key: &str| inner.and_then(|inner| inner.get(key));
        let schema = get("parameters").or_else(|| get("input_schema"));
        ToolParts { name: &definition.name, description: get("description"), schema }
    }

    fn write(&self, out: &mut Fields<'_>, schema_key: &str) {
        out.string("name", self.name);
        if let Some(description) = self.description {
            out.raw("description", description.raw());
        }
        out.raw(schema_key, self.schema.map_or(r#"{"type":"object","properties":{}}"#, Value::raw));
    }
}

/// The fields of an object as it is written.
struct Fields<'out> {
    out: &'out mut Vec<u8>,
    empty: bool,
}

/// The items of an array as it is written.
struct Items<'out> {
    out: &'out mut Vec<u8>,
    empty: bool,
}

fn object(out: &mut Vec<u8>, write: impl FnOnce(&mut Fields<'_>)) {
    out.push(b'{');
    write(&mut Fields { out, empty: true });
    out.push(b'}');
}

impl Fields<'_> {
    fn key(&mut self, key: &str) {
        if !std::mem::take(&mut self.empty) {
            self.out.push(b',');
        }
        write_string(self.out, key);
        self.out.push(b':');
    }

    fn string(&mut self, key: &str, value: &str) {
        self.key(key);
        write_string(self.out, value);
    }

    fn raw(&mut self, key: &str, json: &str) {
        self.key(key);
        self.out.extend_from_slice(json.as_bytes());
    }

    fn object(&mut self, key: &str, write: impl FnOnce(&mut Fields<'_>)) {
        self.key(key);
        object(self.out, write);
    }

    fn array(&mut self, key: &str, write: impl FnOnce(&mut Items<'_>)) {
        self.key(key);
        self.out.push(b'[');
        write(&mut Items { out: self.out, empty: true });
        self.out.push(b']');
    }
}

impl Items<'_> {
    fn object(&mut self, write: impl FnOnce(&mut Fields<'_>)) {
        if !std::mem::take(&mut self.empty) {
            self.out.push(b',');
        }
        object(self.out, write);
    }

    fn text(&mut self, kind: &str, text: &str) {
        self.object(|part| {
            part.string("type", kind);
            part.string("text", text);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::{Format, Request};

    const SESSION: &str = r#"{"tools":[{"type":"function","function":{"name":"bash","description":"run","parameters":{"type":"object"}}}],
        "messages":[
        {"role":"system","content":"be brief"},
        {"role":"user","content":"go"},
        {"role":"assistant","content":"","reasoning_content":"hm","tool_calls":[
            {"id":"a","type":"function","function":{"name":"bash","arguments":"{\"cmd\": \"ls\"}"}},
            {"id":"b","type":"function","function":{"name":"bash","arguments":"ls"}}]},
        {"role":"tool","tool_call_id":"a","content":"x"},
        {"role":"tool","tool_call_id":"b","content":"","is_error":true},
        {"role":"user","content":"and?"},
        {"role":"assistant","content":""},
        {"role":"assistant","content":"done"}]}"#;

    fn session() -> Conversation {
        let bytes = SESSION.as_bytes().to_vec();
        let read = Request::read(bytes, Format::Given(Dialect::OpenAiChat), DuplicateKeys::Refuse);
        read.unwrap().conversation().clone()
    }

    fn written(dialect: Dialect) -> String {
        let text = String::from_utf8(write(&session(), dialect)).unwrap();
        text.replace("},{", "},\n{").replace(":[{", ":[\n{")
    }

    /// Texts, thoughts, calls and results, in order, wherever they stand.
    fn said(conversation: &Conversation) -> Vec<String> {
        let blocks = conversation.messages.iter().flat_map(|message| &message.blocks);
        let say = |block: &Block| match block {
            Block::Text(text) | Block::Thinking(text) => text.to_string(),
            Block::ToolCall(call) => format!("{}#{}({})", call.name, call.id, call.arguments),
            Block::ToolResult(result) => format!("#{}: {}", result.call_id, result.text()),
            Block::Media(media) => format!("{media:?}"),
            Block::Opaque(opaque) => opaque.text.to_string(),
        };
        conversation.system.iter().chain(blocks).map(say).filter(|said| !said.is_empty()).collect()
    }

    #[test]
    fn what_is_written_in_any_dialect_is_read_again() {
        let session = session();
        let mut looked_at = 0;
        for dialect in Dialect::ALL {
            let request = Request::read(write(&session, dialect), Format::Detect, DuplicateKeys::Refuse).unwrap();
            assert_eq!(request.dialect(), dialect);
            let expected: Vec<String> = match dialect {
                Dialect::OpenAiChat | Dialect::OpenAiResponses => said(&session),
                Dialect::AnthropicMessages => {
                    let object = "bash#b({\"arguments\":\"ls\"})";
                    said(&session).into_iter().map(|said| said.replace("bash#b(ls)", object)).collect()
                }
            };
            assert_eq!(said(request.conversation()), expected);
            assert_eq!(&*request.conversation().tools[0].name, "bash");
            looked_at += 1;
        }
        assert_eq!(looked_at, 3);
    }

    #[test]
    fn chat() {
        insta::assert_snapshot!(written(Dialect::OpenAiChat), @r#"
        {"tools":[
        {"type":"function","function":{"name":"bash","description":"run","parameters":{"type":"object"}}}],"messages":[
        {"role":"system","content":"be brief"},
        {"role":"user","content":"go"},
        {"role":"assistant","content":null,"reasoning_content":"hm","tool_calls":[
        {"id":"a","type":"function","function":{"name":"bash","arguments":"{\"cmd\": \"ls\"}"}},
        {"id":"b","type":"function","function":{"name":"bash","arguments":"ls"}}]},
        {"role":"tool","tool_call_id":"a","content":"x"},
        {"role":"tool","tool_call_id":"b","content":"","is_error":true},
        {"role":"user","content":"and?"},
        {"role":"assistant","content":"done"}]}
        "#);
    }

    #[test]
    fn anthropic() {
        insta::assert_snapshot!(written(Dialect::AnthropicMessages), @r#"
        {"tools":[
        {"name":"bash","description":"run","input_schema":{"type":"object"}}],"system":[
        {"type":"text","text":"be brief"}],"messages":[
        {"role":"user","content":[
        {"type":"text","text":"go"}]},
        {"role":"assistant","content":[
        {"type":"thinking","thinking":"hm","signature":""},
        {"type":"tool_use","id":"a","name":"bash","input":{"cmd": "ls"}},
        {"type":"tool_use","id":"b","name":"bash","input":{"arguments":"ls"}}]},
        {"role":"user","content":[
        {"type":"tool_result","tool_use_id":"a","content":"x"},
        {"type":"tool_result","tool_use_id":"b","content":"","is_error":true},
        {"type":"text","text":"and?"}]},
        {"role":"assistant","content":[
        {"type":"text","text":"done"}]}]}
        "#);
    }

    #[test]
    fn responses() {
        insta::assert_snapshot!(written(Dialect::OpenAiResponses), @r#"
        {"tools":[
        {"type":"function","name":"bash","description":"run","parameters":{"type":"object"}}],"instructions":"be brief","input":[
        {"type":"message","role":"user","content":[
        {"type":"input_text","text":"go"}]},
        {"type":"reasoning","summary":[
        {"type":"summary_text","text":"hm"}]},
        {"type":"function_call","call_id":"a","name":"bash","arguments":"{\"cmd\": \"ls\"}"},
        {"type":"function_call","call_id":"b","name":"bash","arguments":"ls"},
        {"type":"function_call_output","call_id":"a","output":"x"},
        {"type":"function_call_output","call_id":"b","output":""},
        {"type":"message","role":"user","content":[
        {"type":"input_text","text":"and?"}]},
        {"type":"message","role":"assistant","content":[
        {"type":"output_text","text":"done"}]}]}
        "#);
    }
}
