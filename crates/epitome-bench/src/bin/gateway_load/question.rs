//! What is asked: sessions as an agent sends them, made up, the same at every run.

use std::fmt::Write;

use bytes::Bytes;
use serde_json::{Value, json};

/// A session that is asked about again and again, each time with another newest message, as an agent does.
pub(crate) struct Question {
    before: String,
    behind: String,
}

impl Question {
    /// A session of about this size, with so many messages.
    pub(crate) fn of(kilobytes: usize, messages: usize) -> Question {
        const NEWEST: &str = "NEWEST";
        let exchanges = (messages / 2).max(1);
        let bytes = (kilobytes * 1_000 / exchanges).saturating_sub(AROUND).max(1);
        let mut all = vec![json!({"role": "user", "content": "make it work"})];
        for exchange in 0..exchanges {
            all.extend(call_and_result(exchange, bytes));
        }
        all.push(json!({"role": "assistant", "content": "It works."}));
        all.push(json!({"role": "user", "content": NEWEST}));
        let body = body(all, false).to_string();
        let (before, behind) = body.split_once(NEWEST).unwrap_or((&body, ""));
        Question { before: before.to_owned(), behind: behind.to_owned() }
    }

    /// As it is asked the nth time.
    pub(crate) fn nth(&self, nth: usize) -> Bytes {
        Bytes::from(format!("{}go on, {nth}{}", self.before, self.behind))
    }

    pub(crate) fn bytes(&self) -> usize {
        self.before.len() + self.behind.len()
    }
}

/// Of a call and its result, what is not the result's text.
const AROUND: usize = 300;

/// A request around messages.
pub(crate) fn body(messages: Vec<Value>, stream: bool) -> Value {
    json!({
        "model": "claude-opus-4-6",
        "max_tokens": 8192,
        "stream": stream,
        "system": "You are a careful engineer. Be brief.",
        "messages": messages,
    })
}

/// A call of a tool, and what it printed.
pub(crate) fn call_and_result(number: usize, bytes: usize) -> [Value; 2] {
    let id = format!("toolu_{number:06}");
    let path = format!("src/{}/{}.rs", word(number), word(number / 7 + 3));
    let call = json!({"type": "tool_use", "id": id, "name": "read", "input": {"path": path, "limit": 400}});
    let text = json!({"type": "text", "text": format!("I read {path} to see how {} is made.", word(number + 1))});
    let result = json!({"type": "tool_result", "tool_use_id": id, "content": output(number, bytes)});
    [json!({"role": "assistant", "content": [text, call]}), json!({"role": "user", "content": [result]})]
}

/// So many bytes of something like source code; another one for each number.
fn output(number: usize, bytes: usize) -> String {
    let mut text = String::new();
    let mut line = number * 31;
    while text.len() < bytes {
        line += 1;
        let (one, other) = (word(line), word(line * 7 + number));
        let wrote = match line % 4 {
            0 => writeln!(text, "pub fn {one}_{other}(input: &str) -> Result<u64, Error> {{"),
            1 => writeln!(text, "    let {one} = {other}.get(\"{one}\").ok_or(Error::Missing({line}))?;"),
            2 => writeln!(text, "    // The {one} is older than the {other}, and is kept for {line} days."),
            _ => writeln!(text, "    Ok({one} + {line})\n}}\n"),
        };
        wrote.expect("writing to a String cannot fail");
    }
    text
}

fn word(number: usize) -> &'static str {
    const WORDS: [&str; 23] = [
        "order", "invoice", "ledger", "window", "budget", "engine", "prefix", "session", "header", "stream", "token",
        "store", "digest", "anchor", "report", "client", "answer", "tenant", "column", "buffer", "record", "policy",
        "search",
    ];
    WORDS[number % WORDS.len()]
}
