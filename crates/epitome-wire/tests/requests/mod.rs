//! Requests of all dialects, spelled in every way that JSON allows, and edits to them.

use epitome_core::edit::{Applied, Edit, Inserted, apply};
use epitome_core::model::{Block, Conversation, Pairing, Role};
use epitome_wire::{Container, Dialect};
use proptest::prelude::*;

/// What happens in a made-up session.
#[derive(Debug, Clone)]
pub(crate) enum Happening {
    System(String),
    User(String),
    Assistant { thinking: bool, words: String, calls: Vec<Answer> },
    OrphanResult(String),
    Unknown,
}

/// What becomes of a call.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    None,
    Text(String),
    Parts(String),
    Empty,
}

/// A session and how it is spelled.
#[derive(Debug, Clone)]
pub(crate) struct Script {
    pub(crate) container: Container,
    pub(crate) system: Option<String>,
    pub(crate) happenings: Vec<Happening>,
    pub(crate) seed: u64,
}

/// Strings that have gone wrong somewhere.
pub(crate) fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-z ]{0,12}",
        1 => any::<String>(),
        1 => prop::sample::select(vec![
            "", "\\", "\"", "{\"a\": \"b\\n\"}", "\u{2028}\u{0}\r\n\t", "é中😀\u{fb01}e\u{301}", "\u{fffd}", "]}", "\\u0041",
        ]).prop_map(str::to_owned),
    ]
}

pub(crate) fn script() -> impl Strategy<Value = Script> {
    let answer = prop_oneof![
        2 => Just(Answer::None),
        3 => text().prop_map(Answer::Text),
        2 => text().prop_map(Answer::Parts),
        1 => Just(Answer::Empty),
    ];
    let happening = prop_oneof![
        1 => text().prop_map(Happening::System),
        4 => text().prop_map(Happening::User),
        6 => (any::<bool>(), text(), prop::collection::vec(answer, 0..4))
            .prop_map(|(thinking, words, calls)| Happening::Assistant { thinking, words, calls }),
        2 => text().prop_map(Happening::OrphanResult),
        1 => Just(Happening::Unknown),
    ];
    let container = prop::sample::select(vec![Container::Object, Container::Array, Container::Lines]);
    let happenings = prop::collection::vec(happening, 0..14);
    (container, prop::option::of(text()), happenings, any::<u64>())
        .prop_map(|(container, system, happenings, seed)| Script { container, system, happenings, seed })
}

/// The session as a client of `dialect` would send it.
pub(crate) fn spell(script: &Script, dialect: Dialect) -> String {
    let mut whims = Whims(script.seed);
    let mut elements = Vec::new();
    if let (Some(system), true) =
        (&script.system, dialect == Dialect::OpenAiChat || script.container != Container::Object)
    {
        let content = content(system, dialect, "input_text", &mut whims);
        elements.push(Json::object([("role", Json::str("system")), ("content", content)]));
    }
    for (index, happening) in script.happenings.iter().enumerate() {
        happen(&mut elements, happening, index, dialect, &mut whims);
    }
    // So that there is something to edit before the newest message.
    elements.push(Json::object([("role", Json::str("user")), ("content", Json::str("go on"))]));
    let mut out = String::new();
    if whims.one_in(8) {
        out.push('\u{feff}');
    }
    match script.container {
        Container::Object => {
            let (list, system) = match dialect {
                Dialect::OpenAiChat => ("messages", None),
                Dialect::AnthropicMessages => ("messages", Some("system")),
                Dialect::OpenAiResponses => ("input", Some("instructions")),
            };
            let mut fields = vec![("model".to_owned(), Json::str("m")), (list.to_owned(), Json::Array(elements))];
            if let (Some(key), Some(text)) = (system, &script.system) {
                let prompt = match dialect {
                    Dialect::OpenAiResponses => Json::str(text),
                    Dialect::OpenAiChat | Dialect::AnthropicMessages => content(text, dialect, "text", &mut whims),
                };
                let at = whims.below(3);
                fields.insert(at, (key.to_owned(), prompt));
            }
            horrors(&mut fields, &mut whims);
            Json::Object(fields).print(&mut out, &mut whims, true);
        }
        Container::Array => Json::Array(elements).print(&mut out, &mut whims, true),
        Container::Lines => {
            let newline = if whims.one_in(2) { "\n" } else { "\r\n" };
            let count = elements.len();
            for (index, element) in elements.into_iter().enumerate() {
                element.print(&mut out, &mut whims, false);
                if index + 1 < count || whims.one_in(2) {
                    out.push_str(newline);
                }
                if whims.one_in(4) && index + 1 < count {
                    out.push_str(newline);
                }
            }
        }
    }
    out
}

/// As many of the edits that chance proposes as `apply` lets pass together.
pub(crate) fn edits(conversation: &Conversation, texts: &[String], seed: u64) -> Applied {
    let mut whims = Whims(seed);
    let pairing = Pairing::of(&conversation.messages);
    let mut proposed = Vec::new();
    let text = |whims: &mut Whims| match &texts[whims.below(texts.len())] {
        text if text.trim().is_empty() => format!("{text}x"),
        text => text.clone(),
    };
    let note = text(&mut whims);
    proposed.push(Edit::NoteInSystem { text: note });
    for (message, block) in &pairing.unanswered_calls {
        proposed.push(Edit::AnswerCall { message: *message, block: *block, text: text(&mut whims) });
    }
    for (message, block) in &pairing.orphan_results {
        proposed.push(Edit::RemoveResult { message: *message, block: *block });
    }
    for ((message, block), _) in &pairing.answers {
        proposed.push(Edit::ShortenOutput { message: *message, block: *block, text: text(&mut whims) });
    }
    // Few of them pass, so many are tried.
    for _ in 0..24 {
        let start = whims.below(conversation.messages.len() + 1);
        let end = start + 1 + whims.below(4);
        let roles: &[Role] = match whims.below(5) {
            0 => &[],
            1 => &[Role::User],
            2 => &[Role::Assistant],
            3 => &[Role::Assistant, Role::User],
            _ => &[Role::User, Role::Assistant],
        };
        let with = roles.iter().map(|role| Inserted { role: *role, text: text(&mut whims) }).collect();
        proposed.push(Edit::Replace { start, end, with });
    }
    let mut accepted = Vec::new();
    let mut applied = apply(conversation, Vec::new()).expect("no edits break nothing");
    while !proposed.is_empty() {
        let candidate = proposed.swap_remove(whims.below(proposed.len()));
        if whims.one_in(4) {
            continue;
        }
        let together: Vec<Edit> = accepted.iter().cloned().chain([candidate]).collect();
        if let Ok(passed) = apply(conversation, together.clone()) {
            accepted = together;
            applied = passed;
        }
    }
    applied
}

/// Chat and Responses put a note into a prompt that is a string, so texts of a prompt are compared as one.
pub(crate) fn with_joined_prompts(conversation: &Conversation) -> Conversation {
    fn join(blocks: &mut Vec<Block>) {
        let mut joined: Vec<Block> = Vec::new();
        for block in blocks.drain(..) {
            match (joined.last_mut(), &block) {
                (Some(Block::Text(last)), Block::Text(text)) => *last = format!("{last}\n\n{text}").into(),
                _ => joined.push(block),
            }
        }
        *blocks = joined;
    }
    let mut conversation = conversation.clone();
    join(&mut conversation.system);
    conversation
        .messages
        .iter_mut()
        .filter(|message| message.role == Role::System)
        .for_each(|message| join(&mut message.blocks));
    conversation
}

/// Cheap chance, the same for the same seed.
pub(crate) struct Whims(pub(crate) u64);

impl Whims {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit.max(1) as u64) as usize
    }

    pub(crate) fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }
}

/// JSON that remembers its spelling.
#[derive(Debug, Clone)]
enum Json {
    Raw(&'static str),
    String(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    fn str(text: &str) -> Json {
        Json::String(text.to_owned())
    }

    fn object<const N: usize>(fields: [(&str, Json); N]) -> Json {
        Json::Object(fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    fn print(&self, out: &mut String, whims: &mut Whims, may_break_lines: bool) {
        let space = |out: &mut String, whims: &mut Whims| match whims.below(12) {
            0 => out.push(' '),
            1 => out.push_str(" \t "),
            2 if may_break_lines => out.push_str("\n    "),
            3 if may_break_lines => out.push_str("\r\n"),
            _ => {}
        };
        match self {
            Json::Raw(raw) => out.push_str(raw),
            Json::String(text) => print_string(text, out, whims),
            Json::Array(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    space(out, whims);
                    item.print(out, whims, may_break_lines);
                    space(out, whims);
                }
                space(out, whims);
                out.push(']');
            }
            Json::Object(fields) => {
                out.push('{');
                for (index, (key, value)) in fields.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    space(out, whims);
                    print_string(key, out, whims);
                    space(out, whims);
                    out.push(':');
                    space(out, whims);
                    value.print(out, whims, may_break_lines);
                    space(out, whims);
                }
                out.push('}');
            }
        }
    }
}

fn print_string(text: &str, out: &mut String, whims: &mut Whims) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            '/' if whims.one_in(2) => out.push_str("\\/"),
            '\n' => out.push_str("\\n"),
            '\0'..'\u{20}' => out.push_str(&format!("\\u{:04X}", u32::from(character))),
            _ if whims.one_in(10) => {
                let mut units = [0; 2];
                character.encode_utf16(&mut units).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
            }
            _ => out.push(character),
        }
    }
    // Half an emoji, as clients cut them.
    if whims.one_in(40) && text.len() > 8 {
        out.push_str("\\ud83d");
    }
    out.push('"');
}

/// Fields that nobody knows, with values that re-encoding would change.
fn horrors(fields: &mut Vec<(String, Json)>, whims: &mut Whims) {
    const HORRORS: [(&str, &str); 7] = [
        ("x_integer", "123456789012345678901234567890"),
        ("x_float", "1E+2"),
        ("x_zero", "-0.0"),
        ("x_nested", "[ [ ], { },{\"role\":\"user\"} ,  null]"),
        ("cache_control", "{\"type\":\"ephemeral\"}"),
        ("x_half", "\"\\udfff\""),
        ("meta", "true"),
    ];
    while whims.one_in(3) {
        let (key, raw) = HORRORS[whims.below(HORRORS.len())];
        if fields.iter().all(|(other, _)| other != key) {
            let at = whims.below(fields.len() + 1);
            fields.insert(at, (key.to_owned(), Json::Raw(raw)));
        }
    }
}

fn with_horrors(json: Json, whims: &mut Whims) -> Json {
    match json {
        Json::Object(mut fields) => {
            horrors(&mut fields, whims);
            Json::Object(fields)
        }
        Json::Raw(_) | Json::String(_) | Json::Array(_) => json,
    }
}

/// A text as a string or as a list of parts, some of them unknown.
fn content(text: &str, dialect: Dialect, responses_kind: &str, whims: &mut Whims) -> Json {
    if whims.one_in(2) {
        return Json::str(text);
    }
    let kind = if dialect == Dialect::OpenAiResponses { responses_kind } else { "text" };
    let mut parts = Vec::new();
    for _ in 0..whims.below(3) {
        parts.push(with_horrors(Json::object([("type", Json::str(kind)), ("text", Json::str(text))]), whims));
    }
    if whims.one_in(4) {
        parts.push(Json::object([("type", Json::str("hologram")), ("size", Json::Raw("1e3"))]));
    }
    if whims.one_in(6) {
        parts.push(image(dialect));
    }
    Json::Array(parts)
}

fn image(dialect: Dialect) -> Json {
    match dialect {
        Dialect::OpenAiChat => Json::object([
            ("type", Json::str("image_url")),
            ("image_url", Json::object([("url", Json::str("data:image/gif;base64,R0lGODlhQAHwAA"))])),
        ]),
        Dialect::AnthropicMessages => Json::object([
            ("type", Json::str("image")),
            ("source", Json::object([("type", Json::str("base64")), ("data", Json::str("R0lGODlhQAHwAA"))])),
        ]),
        Dialect::OpenAiResponses => Json::object([("type", Json::str("input_image")), ("file_id", Json::str("f"))]),
    }
}

fn happen(elements: &mut Vec<Json>, happening: &Happening, index: usize, dialect: Dialect, whims: &mut Whims) {
    let message = |role: &str, content: Json| Json::object([("role", Json::str(role)), ("content", content)]);
    match happening {
        Happening::System(text) => {
            let role = if whims.one_in(2) && dialect != Dialect::AnthropicMessages { "developer" } else { "system" };
            let content = content(text, dialect, "input_text", whims);
            elements.push(with_horrors(message(role, content), whims));
        }
        Happening::User(text) => {
            let content = content(text, dialect, "input_text", whims);
            elements.push(with_horrors(message("user", content), whims));
        }
        Happening::Assistant { thinking, words, calls } => match dialect {
            Dialect::OpenAiChat => chat_turn(elements, *thinking, words, calls, index, whims),
            Dialect::AnthropicMessages => anthropic_turn(elements, *thinking, words, calls, index, whims),
            Dialect::OpenAiResponses => responses_turn(elements, *thinking, words, calls, index, whims),
        },
        Happening::OrphanResult(text) => match dialect {
            Dialect::OpenAiChat => elements.extend(chat_result("lost", &Answer::Text(text.clone()), whims)),
            Dialect::OpenAiResponses => elements.extend(responses_result("lost", &Answer::Text(text.clone()), whims)),
            Dialect::AnthropicMessages => {
                let mut blocks: Vec<Json> =
                    anthropic_result("lost", &Answer::Text(text.clone()), whims).into_iter().collect();
                if whims.one_in(2) {
                    blocks.extend(anthropic_result("lost", &Answer::Empty, whims));
                }
                if whims.one_in(2) {
                    blocks.insert(
                        whims.below(blocks.len() + 1),
                        Json::object([("type", Json::str("text")), ("text", Json::str(text))]),
                    );
                }
                elements.push(message("user", Json::Array(blocks)));
            }
        },
        Happening::Unknown => elements.push(match dialect {
            Dialect::OpenAiResponses => {
                Json::object([("type", Json::str("mystery")), ("payload", Json::Raw("[1.50]"))])
            }
            Dialect::OpenAiChat | Dialect::AnthropicMessages => {
                Json::object([("role", Json::str("narrator")), ("content", Json::Raw("{\"mood\":1.50}"))])
            }
        }),
    }
}

fn chat_turn(elements: &mut Vec<Json>, thinking: bool, words: &str, calls: &[Answer], index: usize, whims: &mut Whims) {
    let mut fields = vec![("role".to_owned(), Json::str("assistant"))];
    match whims.below(4) {
        0 if words.is_empty() => fields.push(("content".to_owned(), Json::Raw("null"))),
        1 if words.is_empty() => {}
        _ => fields.push(("content".to_owned(), content(words, Dialect::OpenAiChat, "", whims))),
    }
    if thinking {
        fields.push(("reasoning_content".to_owned(), Json::str(words)));
    }
    if let ([answer], true) = (calls, whims.one_in(6)) {
        let call = Json::object([("name", Json::str("old")), ("arguments", Json::str("{}"))]);
        fields.push(("function_call".to_owned(), call));
        elements.push(Json::Object(fields));
        if !matches!(answer, Answer::None) {
            let content = Json::str("legacy");
            elements.push(Json::object([
                ("role", Json::str("function")),
                ("name", Json::str("old")),
                ("content", content),
            ]));
        }
        return;
    }
    if !calls.is_empty() {
        let call = |call: usize| {
            let function =
                Json::object([("name", Json::str("bash")), ("arguments", Json::str("{\"cmd\": \"ls\\n\"}"))]);
            Json::object([
                ("id", Json::String(id(index, call))),
                ("type", Json::str("function")),
                ("function", function),
            ])
        };
        fields.push(("tool_calls".to_owned(), Json::Array((0..calls.len()).map(call).collect())));
    }
    horrors(&mut fields, whims);
    elements.push(Json::Object(fields));
    for (call, answer) in calls.iter().enumerate() {
        elements.extend(chat_result(&id(index, call), answer, whims));
    }
}

fn chat_result(id: &str, answer: &Answer, whims: &mut Whims) -> Option<Json> {
    let content = answer_content(answer, "text")?;
    let mut fields = vec![("role".to_owned(), Json::str("tool")), ("tool_call_id".to_owned(), Json::str(id))];
    fields.extend(content.map(|content| ("content".to_owned(), content)));
    horrors(&mut fields, whims);
    Some(Json::Object(fields))
}

fn anthropic_turn(
    elements: &mut Vec<Json>,
    thinking: bool,
    words: &str,
    calls: &[Answer],
    index: usize,
    whims: &mut Whims,
) {
    let mut blocks = Vec::new();
    if thinking {
        let (text, signature) = (Json::str(words), Json::str("c2ln"));
        blocks.push(Json::object([("type", Json::str("thinking")), ("thinking", text), ("signature", signature)]));
    }
    if !words.is_empty() {
        blocks.push(with_horrors(Json::object([("type", Json::str("text")), ("text", Json::str(words))]), whims));
    }
    for call in 0..calls.len() {
        blocks.push(Json::object([
            ("type", Json::str("tool_use")),
            ("id", Json::String(id(index, call))),
            ("name", Json::str("bash")),
            ("input", Json::Raw("{ \"n\":1E+2 }")),
        ]));
    }
    elements.push(Json::object([("role", Json::str("assistant")), ("content", Json::Array(blocks))]));
    let mut results: Vec<Json> = calls
        .iter()
        .enumerate()
        .filter_map(|(call, answer)| anthropic_result(&id(index, call), answer, whims))
        .collect();
    if whims.one_in(4) {
        results.extend(anthropic_result("lost", &Answer::Empty, whims));
    }
    if whims.one_in(3) {
        results.push(Json::object([("type", Json::str("text")), ("text", Json::str("and now"))]));
    }
    let content = match results.is_empty() {
        false => Some(Json::Array(results)),
        true => match whims.below(6) {
            0 => Some(Json::str("on")),
            1 => Some(Json::str("")),
            2 => Some(Json::Raw("null")),
            3 => Some(Json::Array(Vec::new())),
            _ => None,
        },
    };
    elements.extend(content.map(|content| Json::object([("role", Json::str("user")), ("content", content)])));
}

fn anthropic_result(id: &str, answer: &Answer, whims: &mut Whims) -> Option<Json> {
    let content = answer_content(answer, "text")?;
    let mut fields = vec![("type".to_owned(), Json::str("tool_result")), ("tool_use_id".to_owned(), Json::str(id))];
    fields.extend(content.map(|content| ("content".to_owned(), content)));
    if whims.one_in(3) {
        fields.push(("is_error".to_owned(), Json::Raw("true")));
    }
    horrors(&mut fields, whims);
    Some(Json::Object(fields))
}

fn responses_turn(
    elements: &mut Vec<Json>,
    thinking: bool,
    words: &str,
    calls: &[Answer],
    index: usize,
    whims: &mut Whims,
) {
    if thinking {
        let summary = Json::object([("type", Json::str("summary_text")), ("text", Json::str(words))]);
        let summary = Json::Array(if whims.one_in(2) { vec![summary] } else { vec![] });
        let encrypted = Json::str("Z0FBQUFB");
        elements.push(Json::object([
            ("type", Json::str("reasoning")),
            ("summary", summary),
            ("encrypted_content", encrypted),
        ]));
    }
    if !words.is_empty() {
        let content = content(words, Dialect::OpenAiResponses, "output_text", whims);
        let mut fields = vec![("role".to_owned(), Json::str("assistant")), ("content".to_owned(), content)];
        if whims.one_in(2) {
            fields.insert(0, ("type".to_owned(), Json::str("message")));
        }
        elements.push(Json::Object(fields));
    }
    let kinds: Vec<usize> = calls.iter().map(|_| whims.below(4)).collect();
    for (call, kind) in kinds.iter().enumerate() {
        let call_id = Json::String(id(index, call));
        let (name, arguments) = (Json::str("bash"), Json::str("{\"cmd\": \"ls\"}"));
        elements.push(match kind {
            0 => Json::object([
                ("type", Json::str("local_shell_call")),
                ("call_id", call_id),
                ("action", Json::Raw("{\"command\": [\"ls\"]}")),
            ]),
            1 => Json::object([
                ("type", Json::str("custom_tool_call")),
                ("call_id", call_id),
                ("name", name),
                ("input", arguments),
            ]),
            _ => Json::object([
                ("type", Json::str("function_call")),
                ("arguments", arguments),
                ("call_id", call_id),
                ("name", name),
            ]),
        });
    }
    for (call, answer) in calls.iter().enumerate() {
        elements.extend(responses_result(&id(index, call), answer, whims));
    }
}

fn responses_result(id: &str, answer: &Answer, whims: &mut Whims) -> Option<Json> {
    let content = answer_content(answer, "input_text")?;
    let mut fields =
        vec![("type".to_owned(), Json::str("function_call_output")), ("call_id".to_owned(), Json::str(id))];
    fields.extend(content.map(|content| ("output".to_owned(), content)));
    horrors(&mut fields, whims);
    Some(Json::Object(fields))
}

/// The content of a result; the outer `None` is no result, the inner one a result without content.
fn answer_content(answer: &Answer, kind: &str) -> Option<Option<Json>> {
    match answer {
        Answer::None => None,
        Answer::Empty => Some(None),
        Answer::Text(text) => Some(Some(Json::str(text))),
        Answer::Parts(text) => {
            let part = Json::object([("type", Json::str(kind)), ("text", Json::str(text))]);
            let unknown = Json::object([("type", Json::str("hologram"))]);
            Some(Some(Json::Array(vec![part.clone(), unknown, part])))
        }
    }
}

/// Ids that repeat every third turn, as some harnesses number them.
fn id(turn: usize, call: usize) -> String {
    format!("call_{}_{call}", turn % 3)
}
