//! Where two requests part: what breaks a client's cache (M21).

use epitome_core::model::{Block, Conversation};

use crate::request::Request;

/// The first place where a request differs from the one before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// In which part: `tools`, `system`, or `message 7`.
    pub place: String,
    /// Behind so many characters of it.
    pub at: usize,
    /// What stood there, and a little of what was before it.
    pub before: String,
    /// What stands there now.
    pub after: String,
}

/// So many characters are shown before the place, and so many from it on.
const AROUND: (usize, usize) = (24, 48);

/// The first place where `next` differs from what `first` began, in the order in which a provider reads: tools, system
/// prompt, messages. `None`: `next` only adds messages. Markers, and how a text is spelled, are no differences.
pub fn first_difference(first: &Request, next: &Request) -> Option<Difference> {
    let (one, other) = (parts(first), parts(next));
    let mut pairs = one.iter().zip(&other);
    let parted = pairs.find(|((_, before), (_, after))| before != after);
    if let Some(((place, before), (_, after))) = parted {
        let at = before.chars().zip(after.chars()).take_while(|(before, after)| before == after).count();
        return Some(Difference { place: place.clone(), at, before: around(before, at), after: around(after, at) });
    }
    // What the first one had is gone.
    let (place, before) = one.get(other.len())?;
    Some(Difference { place: place.clone(), at: 0, before: around(before, 0), after: String::new() })
}

/// The texts that a provider reads, each with its place. Messages stand last, so that those that are added are no difference.
fn parts(request: &Request) -> Vec<(String, String)> {
    let conversation = request.conversation();
    let tools: Vec<&str> = conversation.tools.iter().map(|tool| &*tool.text).collect();
    let leading = leading(conversation);
    let instructions = conversation.messages.iter().take(leading).flat_map(|message| &message.blocks);
    let system: Vec<String> = conversation.system.iter().chain(instructions).map(words).collect();
    let messages = conversation.messages.iter().enumerate().skip(leading);
    let messages = messages.map(|(number, message)| {
        let said: Vec<String> = message.blocks.iter().map(words).collect();
        (format!("message {number}"), said.join("\n"))
    });
    let fixed = [("tools".to_owned(), tools.join("\n")), ("system".to_owned(), system.join("\n"))];
    fixed.into_iter().chain(messages).collect()
}

fn leading(conversation: &Conversation) -> usize {
    conversation.leading_system_messages()
}

fn words(block: &Block) -> String {
    match block {
        Block::Text(text) | Block::Thinking(text) => text.to_string(),
        Block::ToolCall(call) => format!("{} {} {}", call.id, call.name, call.arguments),
        Block::ToolResult(result) => format!("{} {}", result.call_id, result.text()),
        Block::Media(media) => format!("{:?} of {} tokens", media.kind, media.tokens),
        Block::Opaque(unknown) => unknown.text.to_string(),
    }
}

fn around(text: &str, at: usize) -> String {
    let (before, behind) = AROUND;
    text.chars().skip(at.saturating_sub(before)).take(before.min(at) + behind).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;
    use crate::json::DuplicateKeys;
    use crate::request::Format;

    #[track_caller]
    fn check(first: &str, next: &str, expected: Option<(&str, usize)>) {
        let read = |body: &str| {
            let format = Format::Given(Dialect::AnthropicMessages);
            Request::read(body.into(), format, DuplicateKeys::Refuse).expect("a request")
        };
        let found = first_difference(&read(first), &read(next));
        let found = found.as_ref().map(|found| (found.place.as_str(), found.at));
        assert_eq!(found, expected);
    }

    fn body(tools: &str, system: &str, messages: &str) -> String {
        format!(r#"{{"tools":[{tools}],"system":{system},"messages":[{messages}]}}"#)
    }

    const GO: &str = r#"{"role":"user","content":"go"}"#;
    const GONE: &str = r#"{"role":"assistant","content":"gone"}"#;

    #[test]
    fn a_time_in_the_system_prompt_is_found() {
        let at = |time: &str| body("", &format!(r#""Be brief. It is {time}.""#), GO);
        check(&at("10:31:07"), &at("10:31:42"), Some(("system", 22)));
        check(&at("10:31:07"), &at("10:31:07"), None);
    }

    #[test]
    fn tools_stand_before_the_system_prompt_and_that_before_messages() {
        let one = body(r#"{"name":"a"}"#, r#""s""#, GO);
        check(&one, &body(r#"{"name":"b"}"#, r#""t""#, GO), Some(("tools", 9)));
        check(&one, &body(r#"{"name":"a"}"#, r#""t""#, GONE), Some(("system", 0)));
        check(&one, &body(r#"{"name":"a"}"#, r#""s""#, GONE), Some(("message 0", 2)));
    }

    #[test]
    fn markers_shapes_and_messages_that_follow_are_no_difference() {
        let list = r#"{"role":"user","content":[{"type":"text","text":"go","cache_control":{"type":"ephemeral"}}]}"#;
        check(&body("", r#""s""#, GO), &body("", r#""s""#, &format!("{list},{GONE}")), None);
        check(&body("", r#""s""#, &format!("{GO},{GONE}")), &body("", r#""s""#, GO), Some(("message 1", 0)));
    }
}
