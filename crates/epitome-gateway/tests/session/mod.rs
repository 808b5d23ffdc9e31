//! A made-up agent session that grows, in each dialect, and what a provider would say to what it gets.

use epitome_wire::Dialect;
use serde_json::{Value, json};

/// An agent's session, as its client keeps it.
#[derive(Clone)]
pub(crate) struct Session {
    pub(crate) dialect: Dialect,
    pub(crate) system: String,
    pub(crate) history: Vec<Value>,
    turns: usize,
    /// Told apart from others that begin alike.
    branch: &'static str,
}

impl Session {
    pub(crate) fn new(dialect: Dialect) -> Session {
        let system = "You are a careful agent. Work in small steps.".to_owned();
        Session { dialect, system, history: Vec::new(), turns: 0, branch: "main" }
    }

    /// From here on it goes another way.
    pub(crate) fn on_branch(mut self, branch: &'static str) -> Session {
        self.branch = branch;
        self
    }

    /// What the client sends next: a request, or the result of what the model asked for.
    pub(crate) fn next_input(&mut self) {
        let turn = self.turns;
        if turn == 0 {
            let text =
                "Find out why the nightly import drops records. The limit is 4711 and the file is src/import.rs.";
            self.history.push(match self.dialect {
                Dialect::AnthropicMessages => json!({"role": "user", "content": [{"type": "text", "text": text}]}),
                Dialect::OpenAiChat => json!({"role": "user", "content": text}),
                Dialect::OpenAiResponses => {
                    json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]})
                }
            });
            return;
        }
        let id = format!("call_{}", turn - 1);
        let output = self.output(turn - 1);
        self.history.push(match self.dialect {
            Dialect::AnthropicMessages => {
                json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": output}]})
            }
            Dialect::OpenAiChat => json!({"role": "tool", "tool_call_id": id, "content": output}),
            Dialect::OpenAiResponses => json!({"type": "function_call_output", "call_id": id, "output": output}),
        });
    }

    /// What the model answered.
    pub(crate) fn answer(&mut self) {
        let turn = self.turns;
        self.turns += 1;
        let id = format!("call_{turn}");
        let command = format!("grep -n batch logs/{turn}.log");
        let words = format!("Step {turn}: looking at the next log ({}).", self.branch);
        match self.dialect {
            Dialect::AnthropicMessages => self.history.push(json!({"role": "assistant", "content": [
                {"type": "thinking", "thinking": format!("What does log {turn} say?"), "signature": format!("sig{turn}")},
                {"type": "text", "text": words},
                {"type": "tool_use", "id": id, "name": "shell", "input": {"command": command, "limit": turn}},
            ]})),
            Dialect::OpenAiChat => self.history.push(json!({"role": "assistant", "content": words, "tool_calls": [
                {"id": id, "type": "function", "function": {"name": "shell", "arguments": json!({"command": command}).to_string()}},
            ]})),
            Dialect::OpenAiResponses => self.history.extend([
                json!({"type": "reasoning", "id": format!("rs_{turn}"), "summary": [], "encrypted_content": format!("enc{turn}")}),
                json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": words}]}),
                json!({"type": "function_call", "id": format!("fc_{turn}"), "call_id": id, "name": "shell", "arguments": json!({"command": command}).to_string()}),
            ]),
        }
    }

    fn output(&self, turn: usize) -> String {
        let row = |row: usize| {
            let level = ["INFO", "DEBUG", "WARN"][(row * 7 + turn) % 3];
            format!(
                "{turn:03}:{row:04} {level} import.worker[{}] batch={:08x} rows={}\n",
                row % 64,
                row * 7919 + turn,
                row * 13
            )
        };
        let rows: String = (0..20 + turn * 31 % 90).map(row).collect();
        format!("{rows}key-{turn}-{}\n", self.branch)
    }

    /// The request, with the markers where clients put them.
    pub(crate) fn body(&self) -> Vec<u8> {
        let mut messages = self.history.clone();
        let body = match self.dialect {
            Dialect::AnthropicMessages => {
                let last = messages.last_mut().and_then(|last| last["content"].as_array_mut()?.last_mut());
                last.expect("a block")["cache_control"] = json!({"type": "ephemeral"});
                json!({
                    "model": "claude-sonnet-4-5", "max_tokens": 1000, "x_unknown": 1.50,
                    "system": [{"type": "text", "text": self.system}], "messages": messages,
                })
            }
            Dialect::OpenAiChat => {
                messages.insert(0, json!({"role": "system", "content": self.system}));
                json!({"model": "gpt-5.1", "messages": messages, "x_unknown": 1.50})
            }
            Dialect::OpenAiResponses => {
                json!({"model": "gpt-5.1", "instructions": self.system, "input": messages, "store": false, "x_unknown": 1.50})
            }
        };
        body.to_string().into_bytes()
    }
}

/// The messages or items of a request, without markers, as a provider compares them.
pub(crate) fn messages_of(body: &[u8]) -> Vec<Value> {
    let body: Value = serde_json::from_slice(body).expect("JSON");
    let list = body.get("messages").or_else(|| body.get("input")).expect("a list");
    list.as_array().expect("a list").iter().map(unmarked).collect()
}

/// The same of one of them.
pub(crate) fn unmarked(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let kept = object.iter().filter(|(key, _)| *key != "cache_control");
            // A string that carried a marker is a list of one text.
            let shaped = |key: &str, value: &Value| {
                let text = value.as_str().filter(|_| key == "content" && object.contains_key("role"));
                text.map_or_else(|| unmarked(value), |text| json!([{"type": "text", "text": text}]))
            };
            kept.map(|(key, value)| (key.clone(), shaped(key, value))).collect::<serde_json::Map<_, _>>().into()
        }
        Value::Array(items) => items.iter().map(unmarked).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// What a strict provider would refuse, if anything.
pub(crate) fn refusal(dialect: Dialect, body: &[u8]) -> Option<String> {
    let messages = messages_of(body);
    let mut open: Vec<String> = Vec::new();
    let mut last_role = String::new();
    for (index, message) in messages.iter().enumerate() {
        let (calls, results) = calls_and_results(message);
        let role = message["role"].as_str().unwrap_or_default().to_owned();
        for id in &results {
            match open.iter().position(|open| open == id) {
                Some(at) => drop(open.remove(at)),
                None => return Some(format!("message {index}: the result {id} answers nothing")),
            }
        }
        let speaks = results.is_empty() && message["type"].as_str().is_none_or(|kind| kind == "message");
        if speaks && !open.is_empty() {
            return Some(format!("message {index}: {open:?} have no result"));
        }
        if dialect == Dialect::AnthropicMessages && role == last_role {
            return Some(format!("message {index}: two of role {role}"));
        }
        let neighbours = (last_role.as_str(), role.as_str());
        if dialect == Dialect::AnthropicMessages
            && matches!(neighbours, ("assistant" | "", "system") | ("system", "user"))
        {
            return Some(format!("message {index}: an instruction stands behind a user and before an assistant"));
        }
        last_role = role;
        open.extend(calls);
    }
    (!open.is_empty()).then(|| format!("at the end {open:?} have no result"))
}

fn calls_and_results(message: &Value) -> (Vec<String>, Vec<String>) {
    let id = |value: &Value, key: &str| value[key].as_str().map(str::to_owned);
    let (mut calls, mut results) = (Vec::new(), Vec::new());
    calls.extend(message["tool_calls"].as_array().into_iter().flatten().filter_map(|call| id(call, "id")));
    if message["role"] == "tool" {
        results.extend(id(message, "tool_call_id"));
    }
    match message["type"].as_str() {
        Some("function_call") => calls.extend(id(message, "call_id")),
        Some("function_call_output") => results.extend(id(message, "call_id")),
        Some(_) | None => {}
    }
    for block in message["content"].as_array().into_iter().flatten() {
        match block["type"].as_str() {
            Some("tool_use") => calls.extend(id(block, "id")),
            Some("tool_result") => results.extend(id(block, "tool_use_id")),
            Some(_) | None => {}
        }
    }
    (calls, results)
}
