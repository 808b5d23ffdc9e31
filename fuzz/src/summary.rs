//! Summaries of made-up transcripts, and made-up summaries of them.

use epitome_core::model::{Block, Message, Role, ToolCall, ToolResult};
use epitome_core::summary::audit::audit;
use epitome_core::summary::redaction::redact;
use epitome_core::summary::template::Sections;
use epitome_core::summary::tidy::{check_structure, tidy};
use epitome_core::summary::{SummaryRequest, appendix, local};
use epitome_core::tokens::{RoughCounter, TokenCounter, Tokens};

/// Tools whose calls are read in different ways.
const TOOLS: [&str; 8] = ["bash", "read_file", "Edit", "apply_patch", "TodoWrite", "write_stdin", "create", "question"];

/// A local summary fits its budget, is the same again, and can be updated; what a model says is looked over, whatever it is.
pub fn check_summary(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut parts = text.split('\0');
    let answer = parts.next().unwrap_or_default();
    let mut messages = Vec::new();
    for (nth, part) in parts.enumerate() {
        let id = format!("c{nth}");
        let (given, printed) = part.split_once('\u{1}').unwrap_or(("", part));
        if given.is_empty() {
            let role = if nth % 2 == 0 { Role::User } else { Role::Assistant };
            messages.push(Message::text(role, printed));
            continue;
        }
        let tool = TOOLS[given.len() % TOOLS.len()];
        let call = ToolCall { id: id.as_str().into(), name: tool.into(), arguments: given.into() };
        let content = vec![Block::Text(printed.into())];
        let result = ToolResult { call_id: id.as_str().into(), content, is_error: printed.len() % 7 == 0 };
        messages.extend(
            [(Role::Assistant, Block::ToolCall(call)), (Role::Tool, Block::ToolResult(result))].map(|(role, block)| {
                Message { role, blocks: vec![block], injected: false, reported_prompt_tokens: None }
            }),
        );
    }
    let budget = Tokens(60 + 40 * (bytes.len() as u64 % 50));
    let mut request = SummaryRequest::new(messages, budget);
    let fits = |request: &SummaryRequest| {
        let body = local::write(request, &RoughCounter);
        let size = RoughCounter.estimate(&body);
        assert!(size <= request.budget, "{size} of {} tokens:\n{body}", request.budget);
        assert_eq!(body, local::write(request, &RoughCounter), "same transcript, another summary");
        body
    };
    let first = fits(&request);
    let _ = (check_structure(answer), redact(answer));
    let tidied = tidy(&request, answer, &RoughCounter);
    let audited = audit(&request, &tidied);
    assert!(audited.audit.unverified.len() <= audited.audit.checked);
    appendix::write(&request, None, &audited.body, Tokens(200), &RoughCounter);
    for previous in [first, answer.to_owned()] {
        assert_eq!(Sections::read(&Sections::read(&previous).write()), Sections::read(&previous), "{previous:?}");
        request.previous = Some(previous);
        fits(&request);
    }
}
