//! Writes generated sessions with many calls in a turn, as files that `epitome replay` and others read.
//!
//! `cargo run -p epitome-replay --example fan_out -- DIRECTORY [SESSIONS] [CALLS]`

use std::path::Path;

use epitome_core::model::{Block, Message, Role};
use epitome_replay::generator::{Shape, recording};
use epitome_replay::recording::Entry;
use serde_json::{Value, json};

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().unwrap_or_else(|| "sessions".to_owned());
    let mut number = |otherwise: u64| arguments.next().and_then(|typed| typed.parse().ok()).unwrap_or(otherwise);
    let (sessions, calls) = (number(20), number(120));
    std::fs::create_dir_all(&directory)?;
    for seed in 1..=sessions {
        let recording = recording(&Shape::fan_out(calls as usize), seed);
        let system = recording.prefix.iter().map(|text| json!({"role": "system", "content": &**text}));
        let messages: Vec<Value> = system.chain(recording.entries.iter().map(chat)).collect();
        let session =
            json!({"id": recording.id, "agent": "generated", "model": "claude-opus-4-6", "messages": messages});
        std::fs::write(Path::new(&directory).join(format!("{}.jsonl", recording.id)), format!("{session}\n"))?;
    }
    Ok(())
}

/// A message as OpenAI's dialect has it.
fn chat(entry: &Entry) -> Value {
    let Message { role, blocks, .. } = &entry.message;
    let text: String = entry.message.texts().map(|text| &**text).collect();
    let mut message = match role {
        Role::Tool => {
            let result = entry.message.results().next();
            json!({
                "role": "tool",
                "tool_call_id": result.map(|result| result.call_id.to_string()),
                "content": result.map(|result| result.text().into_owned()),
            })
        }
        Role::System | Role::User | Role::Assistant => json!({"role": role, "content": text}),
    };
    let calls: Vec<Value> = blocks
        .iter()
        .filter_map(|block| match block {
            Block::ToolCall(call) => Some(json!({"id": &*call.id, "type": "function",
                "function": {"name": &*call.name, "arguments": &*call.arguments}})),
            Block::Text(_) | Block::Thinking(_) | Block::ToolResult(_) | Block::Media(_) | Block::Opaque(_) => None,
        })
        .collect();
    if let Some(message) = message.as_object_mut() {
        message.insert("timestamp".to_owned(), json!(entry.at));
        if !calls.is_empty() {
            message.insert("tool_calls".to_owned(), Value::Array(calls));
        }
    }
    message
}
