use epitome_core::cache::{End, Memory, ProviderCache, Rules, Unmarkable, Wanted, stateful, system_and_3};
use serde_json::{Value as Json, json};

use super::*;
use crate::json::DuplicateKeys;
use crate::request::Format;

const SHORT: &str = r#""cache_control":{"type":"ephemeral"}"#;

fn read(dialect: Dialect, body: &str) -> Request {
    Request::read(body.into(), Format::Given(dialect), DuplicateKeys::Refuse).expect("a request")
}

fn rules(layout: Layout) -> Rules {
    let rules = Rules::anthropic(Tokens(0));
    match layout {
        Layout::OpenRouter => Rules { unmarkable: Unmarkable::Counted, ..rules },
        Layout::Messages | Layout::ChatNative | Layout::OpenAi => rules,
    }
}

fn dialect(layout: Layout) -> Dialect {
    match layout {
        Layout::Messages => Dialect::AnthropicMessages,
        Layout::ChatNative | Layout::OpenRouter => Dialect::OpenAiChat,
        Layout::OpenAi => Dialect::OpenAiResponses,
    }
}

fn marked(layout: Layout, body: &str, ttl: Ttl) -> String {
    let request = read(dialect(layout), body);
    let cached = request.cached(layout);
    let added = system_and_3(&cached.prompt, &rules(layout), ttl);
    String::from_utf8(request.mark(&cached, &added).expect("marked").bytes).expect("text")
}

/// One message behind two others that are out of the way; `M` in what is expected is the marker.
#[track_caller]
fn check(layout: Layout, message: &str, expected: &str) {
    let body = |message: &str, before: &str| format!(r#"{{"messages":[{before},{message}]}}"#);
    let before = r#"{"role":"user","content":"before"}"#;
    let marked_before = format!(r#"{{"role":"user","content":[{{"type":"text","text":"before",{SHORT}}}]}}"#);
    let expected = body(&expected.replace(",M", &format!(",{SHORT}")), &marked_before);
    assert_eq!(marked(layout, &body(message, before), Ttl::Short), expected);
}

#[test]
fn every_shape_of_content_in_every_layout() {
    const CHAT: [Layout; 2] = [Layout::ChatNative, Layout::OpenRouter];
    const ALL: [Layout; 3] = [Layout::Messages, Layout::ChatNative, Layout::OpenRouter];
    for layout in ALL {
        // A string becomes a list of one text, and its own spelling stays.
        check(
            layout,
            r#"{"role":"user","content":"a\u0062c"}"#,
            r#"{"role":"user","content":[{"type":"text","text":"a\u0062c",M}]}"#,
        );
        check(
            layout,
            r#"{"role":"assistant","content":"yes"}"#,
            r#"{"role":"assistant","content":[{"type":"text","text":"yes",M}]}"#,
        );
        // A list gets it on its last element.
        check(
            layout,
            r#"{"content": [ {"type":"text","text":"a"}, {"text":"b", "type":"text" } ], "role":"user"}"#,
            r#"{"content": [ {"type":"text","text":"a"}, {"text":"b", "type":"text" ,M} ], "role":"user"}"#,
        );
    }
    // Empty content: on the message itself, whatever its shape.
    for layout in CHAT {
        for empty in [r#""""#, "null", "[]"] {
            check(
                layout,
                &format!(r#"{{"role":"assistant","content":{empty},"tool_calls":[{CALL}]}}"#),
                &format!(r#"{{"role":"assistant","content":{empty},"tool_calls":[{CALL}],M}}"#),
            );
        }
        check(layout, r#"{"role":"assistant"}"#, r#"{"role":"assistant",M}"#);
        check(
            layout,
            &format!(r#"{{"role":"assistant","content":"words","tool_calls":[{CALL}]}}"#),
            &format!(r#"{{"role":"assistant","content":[{{"type":"text","text":"words",M}}],"tool_calls":[{CALL}]}}"#),
        );
        check(
            layout,
            r#"{"role":"assistant","content":null,"cache_control":null}"#,
            r#"{"role":"assistant","content":null,"cache_control":{"type":"ephemeral"}}"#,
        );
    }
    // Tool messages: on the message itself, and not through OpenRouter.
    for content in [r#""out""#, r#"[{"type":"text","text":"out"}]"#, r#""""#] {
        let tool = format!(r#"{{"role":"tool","tool_call_id":"c1","content":{content}}}"#);
        let with_marker = format!(r#"{{"role":"tool","tool_call_id":"c1","content":{content},M}}"#);
        check(Layout::ChatNative, &tool, &with_marker);
        check(Layout::OpenRouter, &tool, &tool);
    }
    // On the Messages wire on the result's block.
    check(
        Layout::Messages,
        r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"out"}]}"#,
        r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"out",M}]}"#,
    );
    check(
        Layout::Messages,
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"t","input":{}}]}"#,
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"t","input":{},M}]}"#,
    );
    // Never on thinking, nor on what is blank: on the block before it.
    check(
        Layout::Messages,
        r#"{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"text","text":" \n"},{"type":"thinking","thinking":"hm","signature":"s"}]}"#,
        r#"{"role":"assistant","content":[{"type":"text","text":"a",M},{"type":"text","text":" \n"},{"type":"thinking","thinking":"hm","signature":"s"}]}"#,
    );
    // An empty message is skipped for the one before it, which has its marker already.
    for empty in [r#""""#, "[]", "null", r#"[{"type":"thinking","thinking":"hm","signature":"s"}]"#] {
        let message = format!(r#"{{"role":"assistant","content":{empty}}}"#);
        check(Layout::Messages, &message, &message);
    }
}

const CALL: &str = r#"{"id":"c1","type":"function","function":{"name":"t","arguments":"{}"}}"#;

#[test]
fn an_empty_message_is_skipped_for_the_one_before_it() {
    let body = r#"{"messages":[{"role":"user","content":"1"},{"role":"assistant","content":"2"},{"role":"user","content":"3"},{"role":"assistant","content":""},{"role":"user","content":"5"}]}"#;
    let json: Json = serde_json::from_str(&marked(Layout::Messages, body, Ttl::Short)).expect("JSON");
    let has_marker = |index: usize| json["messages"][index]["content"][0].get("cache_control").is_some();
    assert_eq!([0, 1, 2, 3, 4].map(has_marker), [false, true, true, false, true]);
}

#[test]
fn the_system_prompt_is_marked_in_both_layouts() {
    let check = |layout, body: &str, expected: &str| {
        let expected = expected.replace(",M", r#","cache_control":{"type":"ephemeral","ttl":"1h"}"#);
        assert_eq!(marked(layout, body, Ttl::Long), expected);
    };
    check(
        Layout::Messages,
        r#"{"system":"be brief","messages":[]}"#,
        r#"{"system":[{"type":"text","text":"be brief",M}],"messages":[]}"#,
    );
    check(
        Layout::Messages,
        r#"{"tools":[{"name":"t"}],"system":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"messages":[]}"#,
        r#"{"tools":[{"name":"t"}],"system":[{"type":"text","text":"a"},{"type":"text","text":"b",M}],"messages":[]}"#,
    );
    check(
        Layout::OpenRouter,
        r#"{"messages":[{"role":"system","content":"be brief"}]}"#,
        r#"{"messages":[{"role":"system","content":[{"type":"text","text":"be brief",M}]}]}"#,
    );
    check(
        Layout::OpenRouter,
        r#"{"messages":[{"role":"system","content":""}]}"#,
        r#"{"messages":[{"role":"system","content":"",M}]}"#,
    );
}

#[test]
fn the_clients_own_markers_are_found_wherever_they_stand() {
    #[track_caller]
    fn check(layout: Layout, body: &str, markers: usize) {
        let request = read(dialect(layout), body);
        assert_eq!(request.cached(layout).prompt.markers(), markers);
    }
    let mark = SHORT;
    check(Layout::Messages, &format!(r#"{{"tools":[{{"name":"t",{mark}}},{{"name":"u"}}],"messages":[],{mark}}}"#), 2);
    check(Layout::Messages, &format!(r#"{{"system":[{{"type":"text","text":"s",{mark}}}],"messages":[]}}"#), 1);
    let nested = format!(
        r#"{{"messages":[{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"1","content":[{{"type":"text","text":"x",{mark}}}],{mark}}}]}}]}}"#
    );
    check(Layout::Messages, &nested, 2);
    check(
        Layout::OpenRouter,
        &format!(r#"{{"messages":[{{"role":"tool","tool_call_id":"1","content":"x",{mark}}}]}}"#),
        1,
    );
    check(
        Layout::Messages,
        r#"{"messages":[{"role":"user","content":"about \"cache_control\""}],"cache_control":null}"#,
        0,
    );
    check(
        Layout::OpenAi,
        r#"{"input":[{"role":"user","content":[{"type":"input_text","text":"x","prompt_cache_breakpoint":{"mode":"explicit"}}]}]}"#,
        2,
    );
}

#[test]
fn the_last_tool_is_marked_unless_it_is_loaded_later() {
    let body =
        |tool: &str| format!(r#"{{"tools":[{{"name":"t"}}, {tool} ],"messages":[{{"role":"user","content":""}}]}}"#);
    let long = Wanted { ttl: Ttl::Short, prefix_after_pause: Ttl::Long, end: End::Walk };
    let memory = Memory { cache: &ProviderCache::default(), boundary: None, now_ms: 0 };
    let marked = |tool: &str| {
        let request = read(Dialect::AnthropicMessages, &body(tool));
        let cached = request.cached(Layout::Messages);
        let added = stateful(&cached.prompt, &rules(Layout::Messages), memory, long);
        String::from_utf8(request.mark(&cached, &added).expect("marked").bytes).expect("text")
    };
    let tool = r#"{"name":"u","input_schema":{} }"#;
    // The tools are the end of what can be marked, so that they are marked for as long as an end is.
    assert_eq!(marked(tool), body(&format!(r#"{{"name":"u","input_schema":{{}} ,{SHORT}}}"#)));
    let deferred = r#"{"name":"u","defer_loading":true}"#;
    assert_eq!(marked(deferred), body(deferred));
}

/// As Claude Code marks its requests: a line that is not marked before two parts that are.
#[test]
fn what_the_client_has_marked_is_the_end_of_its_part() {
    let system = format!(
        r#"[{{"type":"text","text":"billing"}},{{"type":"text","text":"b",{SHORT}}},{{"type":"text","text":"c",{SHORT}}}]"#
    );
    let last =
        format!(r#"{{"role":"user","content":[{{"type":"text","text":"a"}},{{"type":"text","text":"b",{SHORT}}}]}}"#);
    let body = |tool: &str| format!(r#"{{"tools":[{{"name":"t"{tool}}}],"system":{system},"messages":[{last}]}}"#);
    let request = read(Dialect::AnthropicMessages, &body(""));
    let cached = request.cached(Layout::Messages);
    assert_eq!(system_and_3(&cached.prompt, &rules(Layout::Messages), Ttl::Short), []);
    let mut cache = ProviderCache::default();
    let wanted = Wanted { ttl: Ttl::Short, prefix_after_pause: Ttl::Long, end: End::Walk };
    let added = |cache: &ProviderCache, now_ms| {
        let memory = Memory { cache, boundary: None, now_ms };
        stateful(&cached.prompt, &rules(Layout::Messages), memory, wanted)
    };
    assert_eq!(added(&cache, 0), []);
    cache.request(&cached.prompt, &rules(Layout::Messages), 0);
    let added = added(&cache, 6 * 60_000);
    let bytes = request.mark(&cached, &added).expect("marked").bytes;
    let expected = body(r#","cache_control":{"type":"ephemeral","ttl":"1h"}"#);
    assert_eq!(String::from_utf8(bytes).expect("text"), expected);
}

#[test]
fn openai_has_marks_of_its_own_and_a_key() {
    let body = r#"{"instructions":"be brief","input":[{"role":"developer","content":"rules"},{"role":"user","content":"go"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"gone"}]}]}"#;
    let request = read(Dialect::OpenAiResponses, body);
    let cached = request.cached(Layout::OpenAi);
    let memory = Memory { cache: &ProviderCache::default(), boundary: None, now_ms: 0 };
    let wanted = Wanted { ttl: Ttl::Short, prefix_after_pause: Ttl::Short, end: End::Automatic };
    let rules = Rules { minimum: Tokens(0), ..Rules::openai_marked() };
    let added = stateful(&cached.prompt, &rules, memory, wanted);
    let bytes = request.mark(&cached, &added).expect("marked").bytes;
    let part = |text: &str| {
        format!(r#"[{{"type":"input_text","text":"{text}","prompt_cache_breakpoint":{{"mode":"explicit"}}}}]"#)
    };
    let expected = body.replace(r#""rules""#, &part("rules")).replace(r#""go""#, &part("go"));
    assert_eq!(String::from_utf8(bytes).expect("text"), expected);

    let keyed = with_cache_key(body.as_bytes(), request.envelope(), "s-1").expect("it has none");
    let keyed = String::from_utf8(keyed).expect("text");
    assert_eq!(keyed, format!(r#"{},"prompt_cache_key":"s-1"}}"#, &body[..body.len() - 1]));
    let again = read(Dialect::OpenAiResponses, &keyed);
    assert_eq!(with_cache_key(keyed.as_bytes(), again.envelope(), "s-2"), None);
}

#[test]
fn an_end_that_cannot_be_marked_is_marked_beside_the_messages() {
    let body = r#"{"messages":[{"role":"user","content":"go"},{"role":"tool","tool_call_id":"1","content":"x"}]
}
"#;
    let request = read(Dialect::OpenAiChat, body);
    let cached = request.cached(Layout::OpenRouter);
    let added = [Breakpoint { place: Place::Automatic, ttl: Ttl::Short }];
    let bytes = request.mark(&cached, &added).expect("marked").bytes;
    let text = String::from_utf8(bytes).expect("text");
    assert_eq!(text, body.replace("]\n}", &format!("]\n,{SHORT}}}")));
    assert_eq!(read(Dialect::OpenAiChat, &text).cached(Layout::OpenRouter).prompt.markers(), 1);
}

#[test]
fn markers_and_the_shape_of_a_text_do_not_change_what_a_block_is_called() {
    #[track_caller]
    fn check(layout: Layout, one: &str, other: &str) {
        let names = |body: &str| {
            let blocks = read(dialect(layout), body).cached(layout).prompt.blocks;
            blocks.into_iter().map(|block| block.prefix).collect::<Vec<_>>()
        };
        assert!(!names(one).is_empty());
        assert_eq!(names(one), names(other));
    }
    let body = |tool: &str, system: &str, content: &str, result: &str| {
        format!(
            r#"{{"tools":[{{"name":"t"{tool}}}],"system":{system},"messages":[{{"role":"user","content":{content}}},{{"role":"user","content":[{{"type":"tool_result","content":[{{"type":"text","text":"x"{result}}}]}}]}}]}}"#
        )
    };
    let mark = format!(",{SHORT}");
    let plain = body("", r#""s""#, r#""go""#, "");
    let list = |text: &str| format!(r#"[{{"type":"text","text":"{text}"{mark}}}]"#);
    check(Layout::Messages, &plain, &body("", &list("s"), &list("go"), &mark));
    let other = read(Dialect::AnthropicMessages, &body("", r#""s""#, r#""gone""#, ""));
    let own = read(Dialect::AnthropicMessages, &plain);
    assert_ne!(own.cached(Layout::Messages).prompt.blocks.last(), other.cached(Layout::Messages).prompt.blocks.last());
    // A tool with a marker is read, one without is not: its name may differ once, when the marker comes.
    let [one, two] = ["", " "].map(|blank| body(&format!(",{blank}{SHORT}"), r#""s""#, r#""go""#, ""));
    check(Layout::Messages, &one, &two);
}

#[test]
fn data_weighs_what_a_picture_does() {
    let image = |bytes: usize| {
        let data = "A".repeat(bytes);
        format!(
            r#"{{"messages":[{{"role":"user","content":[{{"type":"image","source":{{"type":"base64","media_type":"image/png","data":"{data}"}}}}]}}]}}"#
        )
    };
    let weight = |bytes| read(Dialect::AnthropicMessages, &image(bytes)).cached(Layout::Messages).prompt.tokens();
    assert_eq!(weight(10_000), weight(1_000_000));
}

#[test]
fn a_marker_in_what_a_tool_says_is_no_marker_of_its_message() {
    let arguments = json!({"cache_control": {"type": "ephemeral"}}).to_string();
    let call = json!({"id": "1", "type": "function", "function": {"name": "t", "arguments": arguments}});
    let body = json!({"messages": [{"role": "assistant", "content": null, "tool_calls": [call]}]}).to_string();
    assert_eq!(read(Dialect::OpenAiChat, &body).cached(Layout::OpenRouter).prompt.markers(), 0);
}

/// A compaction adds a note to a system prompt whose provider takes a list: the client's text is the block that it was, and
/// its end carries the marker.
#[test]
fn a_note_beside_the_system_prompt_leaves_its_block_and_its_marker_where_they_were() {
    use epitome_core::edit::{Edit, apply};
    use epitome_core::summary::NOTE;

    use crate::NoteInString;
    use crate::thinking::Ask;

    let noted = |request: &Request| {
        let note = vec![Edit::NoteInSystem { text: NOTE.to_owned() }];
        let applied = apply(request.conversation(), note).expect("a system prompt takes one");
        let spliced = request.splice_asking(&applied, NoteInString::AsPart, Ask::Nothing).expect("its own edit");
        read(request.dialect(), &String::from_utf8(spliced.bytes).expect("text"))
    };
    let go = r#"{"role":"user","content":"go"}"#;
    for (layout, body) in [
        (Layout::Messages, format!(r#"{{"system":"be \u0062rief","messages":[{go}]}}"#)),
        (
            Layout::Messages,
            format!(r#"{{"system":[{{"type":"text","text":"a"}},{{"type":"text","text":"b"}}],"messages":[{go}]}}"#),
        ),
        (Layout::OpenRouter, format!(r#"{{"messages":[{{"role":"system","content":"be brief"}},{go}]}}"#)),
        (
            Layout::OpenRouter,
            format!(r#"{{"messages":[{{"role":"system","content":[{{"type":"text","text":"a"}}]}},{go}]}}"#),
        ),
        (Layout::OpenAi, format!(r#"{{"input":[{{"role":"developer","content":"be brief"}},{go}]}}"#)),
    ] {
        let own = read(dialect(layout), &body);
        let (before, after) = (own.cached(layout).prompt, noted(&own).cached(layout).prompt);
        let is_system = |block: &&Block| block.section == Section::System;
        let system: Vec<&Block> = before.blocks.iter().filter(is_system).collect();
        assert_eq!(after.blocks.iter().filter(is_system).count(), system.len() + 1, "{body}");
        let own_blocks: Vec<&Block> = after.blocks.iter().take(system.len()).collect();
        assert_eq!(own_blocks, system, "{body}");
        assert!(!after.blocks[system.len()].may_carry, "{body}");
        let end = |prompt: &Prompt| {
            let added = system_and_3(prompt, &rules(layout), Ttl::Short);
            added.iter().map(|breakpoint| breakpoint.place).find(|place| *place < Place::Block(system.len()))
        };
        assert_eq!(end(&after), Some(Place::Block(system.len() - 1)), "{body}");
        assert_eq!(end(&before), end(&after), "{body}");
    }
    // `instructions` is a string and nothing else.
    let own = read(Dialect::OpenAiResponses, r#"{"instructions":"be brief","input":"go"}"#);
    let sent: Json = serde_json::from_slice(noted(&own).bytes()).expect("JSON");
    assert_eq!(sent["instructions"], format!("be brief\n\n{NOTE}"));
}
