//! One line a message: for tests, logs and people.

use std::fmt::Write;

use crate::model::{Block, Conversation, Role};
use crate::outputs::cut_to_chars;

/// Each message on a line: number, role, and what it holds, cut to about `width` characters a block.
pub fn shape(conversation: &Conversation, width: usize) -> String {
    let mut lines = String::new();
    let mut line = |label: &str, role: &str, blocks: &[Block]| {
        let blocks: Vec<String> = blocks.iter().map(|block| block_shape(block, width)).collect();
        let row = format!("{label} {role:<9} {}", blocks.join(" "));
        writeln!(lines, "{}", row.trim_end()).expect("writing to a String cannot fail");
    };
    if !conversation.system.is_empty() {
        line("--", "system", &conversation.system);
    }
    for (index, message) in conversation.messages.iter().enumerate() {
        line(&format!("{index:02}"), role_name(message.role), &message.blocks);
    }
    lines
}

/// The role in lower case.
pub fn role_name(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    }
}

/// What a block holds, on one line.
pub fn block_shape(block: &Block, width: usize) -> String {
    match block {
        Block::Text(text) => quoted(text, width),
        Block::Thinking(text) => format!("thinking {}", quoted(text, width)),
        Block::ToolCall(call) => format!("call {}#{}", call.name, call.id),
        Block::ToolResult(result) => {
            let failed = if result.is_error { "failed " } else { "" };
            format!("output #{} {failed}{}", result.call_id, quoted(&result.text(), width))
        }
        Block::Media(media) => format!("{:?} of {} tokens", media.kind, media.tokens).to_lowercase(),
        Block::Opaque(opaque) => format!("<{}>", opaque.kind),
    }
}

fn quoted(text: &str, width: usize) -> String {
    format!("{:?}", cut_to_chars(text, width))
}
