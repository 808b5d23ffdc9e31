use epitome_core::edit::apply;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::*;
use crate::json::DuplicateKeys;
use crate::request::Format;
use crate::splice::unsplice;

fn read(body: &str) -> Request {
    Request::read(body.into(), Format::Given(Dialect::AnthropicMessages), DuplicateKeys::Carry).unwrap()
}

#[track_caller]
fn check_asked(body: &str, expected: &str) {
    let request = read(body);
    let nothing = apply(request.conversation(), Vec::new()).unwrap();
    let spliced = request.splice_asking(&nothing, NoteInString::Inside, Ask::DropBlock).unwrap();
    assert_eq!(String::from_utf8(spliced.bytes).unwrap(), expected);
    let untouched = request.splice_asking(&nothing, NoteInString::Inside, Ask::Nothing).unwrap();
    assert_eq!(String::from_utf8(untouched.bytes).unwrap(), body);
}

#[test]
fn models_that_bind_thinking_are_known_by_any_name() {
    for bound in [
        "claude-opus-5-5",
        "claude-opus-5-5-20260901",
        "anthropic/claude-sonnet-5.5",
        "us.anthropic.claude-haiku-5-5-v1:0",
        "claude-fable-5-1@20260801",
        "claude-mythos-5-2",
        "claude-opus-6",
        "Claude-Sonnet-6-1",
    ] {
        assert!(binds_thinking(bound), "{bound}");
    }
    for free in [
        "claude-opus-5",
        "claude-opus-5-20260301",
        "claude-sonnet-4-5-20250929",
        "claude-fable-5",
        "claude-3-5-haiku-20241022",
        "claude-mythos-preview",
        "gpt-5.5",
        "opus",
        "",
    ] {
        assert!(!binds_thinking(free), "{free}");
        assert_eq!(may_bind_thinking(free), free.starts_with("claude"), "{free}");
    }
}

#[test]
fn blocks_that_do_not_fit_are_asked_to_be_left_out_where_thinking_is_on() {
    check_asked(
        r#"{"thinking": {"type":"enabled", "budget_tokens": 2e3} ,"messages":[]}"#,
        r#"{"thinking": {"type":"enabled", "budget_tokens": 2e3,"block_binding":{"prefix_mismatch_behavior":"drop_block"}} ,"messages":[]}"#,
    );
    check_asked(
        r#"{"messages":[],"thinking":{"block_binding":{ },"type":"adaptive"}}"#,
        r#"{"messages":[],"thinking":{"block_binding":{"prefix_mismatch_behavior":"drop_block" },"type":"adaptive"}}"#,
    );
    check_asked(
        r#"{"messages":[],"thinking":{"type":"enabled","block_binding":null}}"#,
        r#"{"messages":[],"thinking":{"type":"enabled","block_binding":{"prefix_mismatch_behavior":"drop_block"}}}"#,
    );
}

#[test]
fn a_request_without_thinking_or_with_a_will_of_its_own_is_not_changed() {
    for (body, own) in [
        (r#"{"messages":[]}"#, OwnThinking::Off),
        (r#"{"messages":[],"thinking":null}"#, OwnThinking::Off),
        (r#"{"messages":[],"thinking":{"type":"disabled"}}"#, OwnThinking::Off),
        (
            r#"{"messages":[],"thinking":{"type":"enabled","block_binding":{"prefix_mismatch_behavior":"drop_block"}}}"#,
            OwnThinking::Drops,
        ),
        (
            r#"{"messages":[],"thinking":{"type":"enabled","block_binding":{"prefix_mismatch_behavior":"error"}}}"#,
            OwnThinking::Insists,
        ),
    ] {
        assert_eq!(read(body).own_thinking(), own, "{body}");
        check_asked(body, body);
    }
}

const HISTORY: &str = concat!(
    r#"{"messages":[{"role":"user","content":"go"},"#,
    r#"{"role":"assistant","content":[{"type":"thinking","thinking":"a","signature":"s"}, {"type":"text","text":"one"}]},"#,
    r#"{"role":"user","content":"on"},"#,
    r#"{"role":"assistant","content":[{"type":"redacted_thinking","data":"d"}]},"#,
    r#"{"role":"user","content":"on"},"#,
    r#"{"role":"assistant","content":[{"type":"thinking","thinking":"b","signature":"s"},{"type":"tool_use","id":"1","name":"t","input":{}}]},"#,
    r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"r"}]}]}"#,
);

#[test]
fn thinking_is_left_out_of_the_turns_that_are_said() {
    let request = read(HISTORY);
    assert!(request.has_thinking());
    assert_eq!(request.thinking_messages(2..7).collect::<Vec<_>>(), [3, 5]);
    let spliced = request.without_thinking_before(5).unwrap();
    let expected = HISTORY
        .replace(r#"{"type":"thinking","thinking":"a","signature":"s"}, "#, "")
        .replace(r#"{"type":"redacted_thinking","data":"d"}"#, r#"{"type":"text","text":"(thinking left out)"}"#);
    assert_eq!(String::from_utf8(spliced.bytes).unwrap(), expected);
    assert_eq!(request.without_thinking_before(0).unwrap().bytes, HISTORY.as_bytes());
}

fn entries() -> impl Strategy<Value = Json> {
    let leaf =
        prop_oneof![Just(Json::Null), any::<i64>().prop_map(Json::from), "[\"\\\\{},:é ]{0,9}".prop_map(Json::from)];
    let value = leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            prop::collection::btree_map("[a-z\"]{1,6}", inner, 0..4)
                .prop_map(|map| Json::Object(map.into_iter().collect())),
        ]
    });
    prop::collection::btree_map("[a-z\"]{1,8}", value, 0..5).prop_map(|map| Json::Object(map.into_iter().collect()))
}

proptest! {
    #[test]
    fn what_is_asked_is_all_that_changes(mut envelope in entries(), mut thinking in entries(), pretty in any::<bool>()) {
        thinking["type"] = json!("enabled");
        thinking.as_object_mut().unwrap().remove(BINDING_KEY);
        envelope["thinking"] = thinking;
        envelope["messages"] = json!([{"role": "user", "content": "hi"}]);
        let body = if pretty { serde_json::to_string_pretty(&envelope).unwrap() } else { envelope.to_string() };
        let request = read(&body);
        let nothing = apply(request.conversation(), Vec::new()).unwrap();
        let spliced = request.splice_asking(&nothing, NoteInString::Inside, Ask::DropBlock).unwrap();
        let pieces: Vec<_> = spliced.patches.iter().map(|patch| (patch.replacement.clone(), &body.as_bytes()[patch.original.clone()])).collect();
        prop_assert_eq!(pieces.len(), 1);
        let original = unsplice(&spliced.bytes, &pieces);
        prop_assert_eq!(original.as_deref(), Some(body.as_bytes()));
        envelope["thinking"][BINDING_KEY] = json!({BEHAVIOR_KEY: DROP_BLOCK});
        prop_assert_eq!(serde_json::from_slice::<Json>(&spliced.bytes).unwrap(), envelope);
    }
}
