//! What an agent asks: a session in Anthropic's dialect, as large as a test wants it.

use serde_json::{Value, json};

/// What every gateway here takes for the window, in tokens.
pub(crate) const WINDOW: &str = "model.context_length=20000";

/// Far below the trigger.
pub(crate) const SMALL: usize = 3;
/// Above the trigger, and below the window.
pub(crate) const LARGE: usize = 26;
/// Above the window.
pub(crate) const HUGE: usize = 60;

/// A session of so many exchanges; each is about 500 tokens.
pub(crate) fn session(exchanges: usize) -> Vec<u8> {
    let mut messages = vec![json!({"role": "user", "content": "Find out why the import drops records."})];
    (0..exchanges).for_each(|number| messages.extend(exchange(number)));
    let body = json!({"model": "claude-sonnet-4-5", "max_tokens": 1000, "x_unknown": 1.5, "messages": messages});
    body.to_string().into_bytes()
}

/// One message of a person.
pub(crate) fn message(text: &str) -> Vec<u8> {
    let messages = [json!({"role": "user", "content": text})];
    json!({"model": "claude-sonnet-4-5", "max_tokens": 1000, "messages": messages}).to_string().into_bytes()
}

fn exchange(number: usize) -> [Value; 2] {
    let id = format!("toolu_{number}");
    let input = json!({"command": format!("grep -n batch logs/{number}.log")});
    let rows: String = (0..28).map(|row| row_of(number, row)).collect();
    [
        json!({"role": "assistant", "content": [
            {"type": "text", "text": format!("Step {number}: I look at the next log.")},
            {"type": "tool_use", "id": id, "name": "shell", "input": input},
        ]}),
        json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": rows}]}),
    ]
}

fn row_of(number: usize, row: usize) -> String {
    let level = ["INFO", "DEBUG", "WARN"][(row * 7 + number) % 3];
    format!("{number:03}:{row:04} {level} import.worker[{row}] batch={:08x} rows={}\n", row * 7919 + number, row * 13)
}

/// The messages of a request.
pub(crate) fn messages(body: &[u8]) -> Vec<Value> {
    let body: Value = serde_json::from_slice(body).expect("JSON");
    body["messages"].as_array().expect("a list").clone()
}
