use proptest::prelude::*;

use super::*;
use crate::model::Block;
use crate::model::{Message, Role, ToolCall, ToolResult};
use crate::summary::local;
use crate::tokens::RoughCounter;

fn message(role: Role, block: Block) -> Message {
    Message { role, blocks: vec![block], injected: false, reported_prompt_tokens: None }
}

fn called(id: &str, tool: &str, arguments: &str, output: &str) -> [Message; 2] {
    let call = ToolCall { id: id.into(), name: tool.into(), arguments: arguments.into() };
    let content = vec![Block::Text(output.into())];
    let result = ToolResult { call_id: id.into(), content, is_error: false };
    [message(Role::Assistant, Block::ToolCall(call)), message(Role::Tool, Block::ToolResult(result))]
}

fn request(messages: Vec<Message>, budget: u64) -> SummaryRequest {
    SummaryRequest::new(messages, Tokens(budget))
}

fn chosen(request: &SummaryRequest, previous: &Sections, room: u64) -> Vec<String> {
    let excerpts = Excerpts::of(request, previous, &RoughCounter);
    excerpts.choose(Tokens(room), "").items()
}

/// A file in which most lines say nothing, and what the agent did with it.
fn session() -> Vec<Message> {
    let mut file = String::new();
    for line in 1..60 {
        let text = match line {
            20 => "fn parse_header(input: &str) -> Header {",
            21 => "    let limit = MAX_HEADER_BYTES;",
            22 => "    check(limit)",
            _ => "    // nothing to see here, move on",
        };
        file.push_str(&format!("{line:>6}→{text}\n"));
    }
    let mut messages = called("1", "Read", r#"{"file_path":"src/header.rs","limit":60}"#, &file).to_vec();
    messages.push(message(Role::Assistant, Block::Text("The limit comes from MAX_HEADER_BYTES.".into())));
    messages.extend(called(
        "2",
        "Bash",
        r#"{"command":"cargo test header_tests"}"#,
        "running 3 tests\nall passed in header_tests",
    ));
    messages
}

#[test]
fn excerpts_are_readable_pieces_with_where_they_came_from() {
    insta::assert_snapshot!(chosen(&request(session(), 1_000), &Sections::default(), 90).join("\n"));
}

#[test]
fn lines_that_stay_elsewhere_are_not_said_again() {
    let mut request = request(session(), 1_000);
    request.stays =
        vec![message(Role::User, Block::Text("parse_header uses MAX_HEADER_BYTES of src/header.rs".into()))];
    let items = chosen(&request, &Sections::default(), 30).join("\n");
    assert!(!items.contains("MAX_HEADER_BYTES") && items.contains("header_tests"), "{items}");
}

#[test]
fn of_equal_lines_the_newest_is_taken() {
    let [mut messages, later] =
        ["1", "2"].map(|id| called(id, "Bash", r#"{"command":"x"}"#, "the value is some_name\n").to_vec());
    messages.extend(later);
    let items = chosen(&request(messages, 1_000), &Sections::default(), 25);
    assert_eq!(items.iter().filter(|item| item.contains("some_name")).count(), 1, "{items:?}");
}

#[test]
fn what_an_output_lost_can_be_taken_from_its_original() {
    let mut request = request(Vec::new(), 1_000);
    request.shortened = session();
    assert!(chosen(&request, &Sections::default(), 200).join("\n").contains("MAX_HEADER_BYTES"));
}

#[test]
fn excerpts_of_an_earlier_summary_are_read_back_as_they_stand() {
    let mut previous = Sections::default();
    let items = chosen(&request(session(), 1_000), &Sections::default(), 90);
    previous.of(Section::Critical).extend(items.clone());
    let read = Sections::read(&previous.write());
    assert_eq!(chosen(&request(Vec::new(), 1_000), &read, 10_000), items);
}

#[test]
fn of_very_long_transcripts_the_newest_calls_are_read() {
    let filler = "nothing of interest\n".repeat(60_000);
    let mut messages =
        called("1", "Bash", r#"{"command":"first_command"}"#, &format!("oldest_name\n{filler}")).to_vec();
    messages.extend(called("2", "Bash", r#"{"command":"y"}"#, &filler));
    messages.extend(called("3", "Bash", r#"{"command":"z"}"#, "newest_name"));
    let text = chosen(&request(messages, 1_000), &Sections::default(), 100).join("\n");
    assert!(text.contains("newest_name") && !text.contains("first_command") && !text.contains("oldest_name"), "{text}");
}

#[test]
fn long_lines_are_cut_and_say_so() {
    let long = (0..200).map(|n| format!("field_{n}={n}, ")).collect::<String>();
    let items =
        chosen(&request(called("1", "Bash", r#"{"command":"x"}"#, &long).to_vec(), 1_000), &Sections::default(), 400);
    let text = items.join("\n");
    assert!(text.contains('…') && text.len() < long.len(), "{text}");
}

proptest! {
    #[test]
    fn a_local_summary_fits_any_budget(
        texts in prop::collection::vec("[a-z_/.: \n#-]{0,400}|(src/[a-z_]{1,9}\\.rs\n){0,40}|\\PC{0,80}", 0..12),
        budget in 40_u64..3_000,
    ) {
        let said = |(n, text): (usize, String)| match n % 3 {
            0 => vec![message(Role::User, Block::Text(text.into()))],
            1 => vec![message(Role::Assistant, Block::Text(text.into()))],
            _ => called(&n.to_string(), "Bash", r#"{"command":"make all_things"}"#, &text).to_vec(),
        };
        let messages: Vec<Message> = texts.into_iter().enumerate().flat_map(said).collect();
        let request = request(messages, budget);
        let body = local::write(&request, &RoughCounter);
        prop_assert!(RoughCounter.estimate(&body) <= request.budget, "{body}");
        prop_assert_eq!(&body, &local::write(&request, &RoughCounter), "same input, same summary");
        let again = SummaryRequest { previous: Some(body), ..request };
        prop_assert!(RoughCounter.estimate(&local::write(&again, &RoughCounter)) <= again.budget);
    }
}
