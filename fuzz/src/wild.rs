//! Requests that nobody would write, and edits to them, made up from the bytes of a fuzzer.

use arbitrary::Unstructured;
use epitome_core::edit::{Applied, Edit, Inserted, apply};
use epitome_core::model::{Conversation, Pairing, Role};
use epitome_wire::{Dialect, DuplicateKeys, Format, ReadError, Request};

/// Decisions, drawn from bytes. When they run out, every decision is the first choice.
pub struct Wild<'bytes> {
    bytes: Unstructured<'bytes>,
    texts: Texts,
}

/// How long texts are. Compaction needs something to compact; everything else is faster without.
#[derive(Clone, Copy, PartialEq)]
pub enum Texts {
    Short,
    Long,
}

/// A request and how it is read.
pub struct Sample {
    pub request: Request,
    duplicates: DuplicateKeys,
}

impl Sample {
    /// Reads changed bytes as the same kind of request.
    pub fn read_again(&self, bytes: Vec<u8>) -> Result<Request, ReadError> {
        Request::read(bytes, Format::Given(self.request.dialect()), self.duplicates)
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(self.request.bytes()).into_owned()
    }
}

impl<'bytes> Wild<'bytes> {
    pub fn new(bytes: &'bytes [u8], texts: Texts) -> Wild<'bytes> {
        Wild { bytes: Unstructured::new(bytes), texts }
    }

    /// A number up to `most`.
    pub fn number(&mut self, most: usize) -> usize {
        self.bytes.int_in_range(0..=most).unwrap_or(0)
    }

    /// Whether one of so many chances is taken; not when the bytes have run out.
    pub fn one_in(&mut self, chances: usize) -> bool {
        self.number(chances - 1) == chances - 1
    }

    /// A request that can be read: made up, or, in one of eight cases, the bytes themselves.
    pub fn request(&mut self) -> Option<Sample> {
        let dialect = self.pick(&Dialect::ALL);
        let duplicates = if self.one_in(4) { DuplicateKeys::Carry } else { DuplicateKeys::Refuse };
        let text = if self.one_in(8) {
            let length = self.bytes.len() - self.bytes.len() / 4;
            self.bytes.bytes(length).unwrap_or_default().to_vec()
        } else {
            self.made_up(dialect).into_bytes()
        };
        let request = Request::read(text, Format::Given(dialect), duplicates).ok()?;
        Some(Sample { request, duplicates })
    }

    /// As many of the edits that come up as `apply` lets pass together.
    pub fn edits(&mut self, conversation: &Conversation) -> Applied {
        let mut applied = apply(conversation, Vec::new()).expect("no edits break nothing");
        for _ in 0..self.number(12) {
            let candidate = self.edit(conversation);
            let together = applied.edits().iter().cloned().chain([candidate]).collect();
            if let Ok(passed) = apply(conversation, together) {
                applied = passed;
            }
        }
        applied
    }

    fn edit(&mut self, conversation: &Conversation) -> Edit {
        let pairing = Pairing::of(&conversation.messages);
        let answered: Vec<_> = pairing.answers.iter().map(|(result, _)| *result).collect();
        match self.number(5) {
            0 => {
                let start = self.number(conversation.messages.len());
                let end = start + self.number(4);
                let roles = [&[][..], &[Role::User], &[Role::Assistant], &[Role::Assistant, Role::User]];
                let roles = self.pick(&roles);
                let with = roles.iter().map(|role| Inserted { role: *role, text: self.text() }).collect();
                Edit::Replace { start, end, with }
            }
            1 => {
                let (message, block) = self.place(&answered, conversation);
                Edit::ShortenOutput { message, block, text: self.text() }
            }
            2 => {
                let (message, block) = self.place(&pairing.orphan_results, conversation);
                Edit::ShortenOutput { message, block, text: self.text() }
            }
            3 => {
                let (message, block) = self.place(&pairing.orphan_results, conversation);
                Edit::RemoveResult { message, block }
            }
            4 => {
                let (message, block) = self.place(&pairing.unanswered_calls, conversation);
                Edit::AnswerCall { message, block, text: self.text() }
            }
            _ => Edit::NoteInSystem { text: self.text() },
        }
    }

    /// One of the places where an edit belongs, or any.
    fn place(&mut self, places: &[(usize, usize)], conversation: &Conversation) -> (usize, usize) {
        match places.get(self.number(places.len())) {
            Some(place) => *place,
            None => (self.number(conversation.messages.len()), self.number(3)),
        }
    }

    fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.number(choices.len() - 1)]
    }

    /// Words, or strings that have gone wrong somewhere, or many lines.
    pub fn text(&mut self) -> String {
        const NASTY: [&str; 10] = [
            "",
            "\\",
            "\"",
            "{\"a\": \"b\\n\"}",
            "\u{2028}\u{0}\r\n\t",
            "é中😀\u{fb01}e\u{301}",
            "\u{fffd}",
            "]}",
            "\\u0041",
            " ",
        ];
        match self.number(7) {
            0 => "words".to_owned(),
            1 => self.pick(&NASTY).to_owned(),
            2 => {
                let length = self.number(24);
                String::from_utf8_lossy(self.bytes.bytes(length).unwrap_or_default()).into_owned()
            }
            3 | 4 => {
                let (lines, word) =
                    (self.repeats(40), self.pick(&["error", "ok", "src/main.rs:7", "{\"a\":[1,2]}", "中文"]));
                (0..lines).map(|line| format!("{line} {word}\n")).collect()
            }
            5 => self.pick(&["please fix it", "never touch main", "what is left?", "a\n\nb"]).to_owned(),
            6 => "long ".repeat(self.repeats(250)),
            _ => "said".to_owned(),
        }
    }

    fn repeats(&mut self, most: usize) -> usize {
        self.number(if self.texts == Texts::Long { most } else { 3 })
    }

    fn made_up(&mut self, dialect: Dialect) -> String {
        let mut elements = Vec::new();
        for _ in 0..self.number(14) {
            let element = match dialect {
                Dialect::OpenAiChat => self.chat(),
                Dialect::AnthropicMessages => self.anthropic(),
                Dialect::OpenAiResponses => self.responses(),
            };
            elements.push(element);
        }
        if !self.one_in(4) {
            elements
                .push(Json::Object(vec![("role".into(), Json::str("user")), ("content".into(), Json::str("go on"))]));
        }
        let mut out = String::new();
        if self.one_in(16) {
            out.push('\u{feff}');
        }
        match self.number(3) {
            0 | 1 => {
                let (list, system) = match dialect {
                    Dialect::OpenAiChat => ("messages", "system"),
                    Dialect::AnthropicMessages => ("messages", "system"),
                    Dialect::OpenAiResponses => ("input", "instructions"),
                };
                let mut fields = vec![(list.to_owned(), Json::Array(elements))];
                if self.one_in(2) {
                    let prompt = self.content("text");
                    fields.insert(self.number(1), (system.to_owned(), prompt));
                }
                if self.one_in(4) {
                    fields.push(("tools".to_owned(), Json::Raw(r#"[{"name":"t","input_schema":{}},{"type":"x"},7]"#)));
                }
                self.horrors(&mut fields);
                self.print(&Json::Object(fields), &mut out);
            }
            2 => self.print(&Json::Array(elements), &mut out),
            _ => {
                for element in &elements {
                    self.print(element, &mut out);
                    out.push_str(self.pick(&["\n", "\r\n", "\n\n", " \n\t"]));
                }
            }
        }
        out
    }

    fn chat(&mut self) -> Json {
        let role = self.pick(&["user", "assistant", "tool", "assistant", "tool", "system", "function", "narrator"]);
        let mut fields = vec![("role".to_owned(), Json::str(role))];
        self.optional(&mut fields, "content", |wild| wild.content("text"));
        if role == "assistant" && !self.one_in(3) {
            let calls = (0..self.number(3)).map(|_| self.chat_call()).collect();
            fields.push(("tool_calls".to_owned(), Json::Array(calls)));
        }
        if role == "assistant" && self.one_in(6) {
            let (name, arguments) = (self.id(), self.content("text"));
            fields.push(("function_call".to_owned(), Json::object([("name", name), ("arguments", arguments)])));
        }
        if role == "assistant" && self.one_in(4) {
            fields.push((
                self.pick(&["reasoning", "reasoning_content", "refusal"]).to_owned(),
                Json::String(self.text()),
            ));
        }
        if role == "tool" && !self.one_in(8) {
            fields.push(("tool_call_id".to_owned(), self.id()));
        }
        if role == "function" {
            fields.push(("name".to_owned(), self.id()));
        }
        self.horrors(&mut fields);
        Json::Object(fields)
    }

    fn chat_call(&mut self) -> Json {
        let mut fields = Vec::new();
        self.optional(&mut fields, "id", Wild::id);
        let key = self.pick(&["function", "custom", "other"]);
        let what = Json::object([("name", self.id()), ("arguments", Json::String(self.text()))]);
        fields.push((key.to_owned(), what));
        self.optional(&mut fields, "type", |wild| Json::str(wild.pick(&["function", "custom"])));
        Json::Object(fields)
    }

    fn anthropic(&mut self) -> Json {
        let role = self.pick(&["user", "assistant", "user", "assistant", "system", "narrator"]);
        let mut fields = vec![("role".to_owned(), Json::str(role))];
        self.optional(&mut fields, "content", |wild| {
            if wild.one_in(4) {
                return wild.content("text");
            }
            let usual = if role == "assistant" { 0 } else { 1 };
            let mut blocks: Vec<Json> = (0..wild.number(4)).map(|_| wild.anthropic_block(usual)).collect();
            // A block that is not in a list.
            if blocks.len() == 1 && wild.one_in(4) { blocks.remove(0) } else { Json::Array(blocks) }
        });
        self.horrors(&mut fields);
        Json::Object(fields)
    }

    fn anthropic_block(&mut self, usual: usize) -> Json {
        let kind = match self.number(5) {
            0..=2 => usual,
            _ => self.number(3),
        };
        let mut fields = match kind {
            0 => vec![
                ("type".to_owned(), Json::str("tool_use")),
                ("id".to_owned(), self.id()),
                ("name".to_owned(), Json::str("t")),
                ("input".to_owned(), Json::Raw("{ \"n\":1E+2 }")),
            ],
            1 => {
                let mut fields =
                    vec![("type".to_owned(), Json::str("tool_result")), ("tool_use_id".to_owned(), self.id())];
                self.optional(&mut fields, "content", |wild| wild.content("text"));
                fields
            }
            2 => vec![("type".to_owned(), Json::str("text")), ("text".to_owned(), Json::String(self.text()))],
            _ => return self.part("text"),
        };
        self.horrors(&mut fields);
        Json::Object(fields)
    }

    fn responses(&mut self) -> Json {
        let mut fields = Vec::new();
        match self.number(6) {
            0 => {
                let role = self.pick(&["user", "assistant", "system", "developer"]);
                fields.push(("role".to_owned(), Json::str(role)));
                self.optional(&mut fields, "type", |_| Json::str("message"));
                self.optional(&mut fields, "content", |wild| wild.content("input_text"));
            }
            1 | 2 => {
                let kind =
                    self.pick(&["function_call", "custom_tool_call", "local_shell_call", "tool_search_call", "_call"]);
                fields.push(("type".to_owned(), Json::str(kind)));
                self.optional(&mut fields, "call_id", Wild::id);
                self.optional(&mut fields, "name", Wild::id);
                let key = self.pick(&["arguments", "input", "action"]);
                self.optional(&mut fields, key, |wild| wild.content("text"));
            }
            3 | 4 => {
                let kind =
                    self.pick(&["function_call_output", "custom_tool_call_output", "tool_search_output", "_output"]);
                fields.push(("type".to_owned(), Json::str(kind)));
                self.optional(&mut fields, "call_id", Wild::id);
                self.optional(&mut fields, "output", |wild| wild.content("input_text"));
            }
            5 => {
                let kind = self.pick(&["reasoning", "mystery", "web_search_call", "compaction"]);
                fields.push(("type".to_owned(), Json::str(kind)));
                if self.one_in(3) {
                    fields.push(("role".to_owned(), Json::str(self.pick(&["system", "user", "assistant"]))));
                }
                self.optional(&mut fields, "summary", |wild| wild.content("summary_text"));
            }
            _ => return Json::String(self.text()),
        }
        self.horrors(&mut fields);
        Json::Object(fields)
    }

    fn id(&mut self) -> Json {
        match self.number(7) {
            6 => Json::str(""),
            7 => Json::Raw("7"),
            id => Json::str(["a", "b", "c", "a", "b", "\u{e9}\""][id]),
        }
    }

    /// What stands under `content`, `output`, `system`.
    fn content(&mut self, kind: &'static str) -> Json {
        match self.number(9) {
            0..=2 => Json::String(self.text()),
            3 | 4 => Json::Array((0..self.number(3)).map(|_| self.part(kind)).collect()),
            5 => Json::Raw("null"),
            6 => Json::str(""),
            7 => self.part(kind),
            8 => Json::Raw(self.pick(&["7", "true", "{}", "[[]]", "-0.5e+7", "\"\\ud83d\""])),
            _ => Json::str("words"),
        }
    }

    fn part(&mut self, kind: &'static str) -> Json {
        match self.number(6) {
            0 | 1 => Json::object([("type", Json::str(kind)), ("text", Json::String(self.text()))]),
            2 => Json::Raw(r#"{"type":"image","source":{"type":"base64","data":"R0lGODlhQAHwAA=="}}"#),
            3 => Json::Raw(r#"{"type":"image_url","image_url":{"url":"http://x","detail":"low"}}"#),
            4 => Json::Raw(r#"{"type":"hologram","x":[1.50]}"#),
            5 => Json::String(self.text()),
            _ => Json::Raw(r#"{"type":"text"}"#),
        }
    }

    /// Fields that other programs put beside ours, and keys that stand twice.
    fn horrors(&mut self, fields: &mut Vec<(String, Json)>) {
        if !self.one_in(8) {
            return;
        }
        let field = match self.number(10) {
            0 => ("meta", Json::Raw("true")),
            1 => ("usage", Json::Raw(r#"{"prompt_tokens":18446744073709551615}"#)),
            2 => ("usage", Json::Raw(r#"{"input_tokens":18446744073709551615,"cache_read_tokens":9}"#)),
            3 => ("cache_control", Json::Raw(r#"{"type":"ephemeral"}"#)),
            4 => ("messages", Json::Raw("[]")),
            5 => ("input", Json::Raw("\"i\"")),
            6 => ("is_error", Json::Raw("true")),
            7 => ("role", Json::Raw("\"user\"")),
            8 => ("content", self.content("text")),
            9 => ("type", Json::Raw("\"message\"")),
            _ => ("\u{1}\"\\", Json::Raw("1e400")),
        };
        let at = self.number(fields.len());
        fields.insert(at, (field.0.to_owned(), field.1));
    }

    fn optional(&mut self, fields: &mut Vec<(String, Json)>, key: &str, value: impl FnOnce(&mut Self) -> Json) {
        if !self.one_in(8) {
            let value = value(self);
            fields.push((key.to_owned(), value));
        }
    }

    fn space(&mut self, out: &mut String) {
        if self.one_in(24) {
            out.push_str(self.pick(&[" ", "\n    ", "\r\n", " \t "]));
        }
    }

    fn print(&mut self, json: &Json, out: &mut String) {
        match json {
            Json::Raw(raw) => out.push_str(raw),
            Json::String(text) => self.print_string(text, out),
            Json::Array(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    out.push_str(if index > 0 { "," } else { "" });
                    self.space(out);
                    self.print(item, out);
                }
                self.space(out);
                out.push(']');
            }
            Json::Object(fields) => {
                out.push('{');
                for (index, (key, value)) in fields.iter().enumerate() {
                    out.push_str(if index > 0 { "," } else { "" });
                    self.space(out);
                    self.print_string(key, out);
                    self.space(out);
                    out.push(':');
                    self.print(value, out);
                }
                self.space(out);
                out.push('}');
            }
        }
    }

    fn print_string(&mut self, text: &str, out: &mut String) {
        if self.one_in(24) && text.len() < 40 {
            let units = text.encode_utf16().map(|unit| format!("\\u{unit:04X}"));
            out.push('"');
            out.extend(units);
            out.push('"');
        } else {
            out.push_str(&serde_json::to_string(text).expect("a string is JSON"));
        }
    }
}

/// JSON with keys in any order and number.
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
}
