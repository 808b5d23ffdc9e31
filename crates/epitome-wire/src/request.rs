//! A client's request: its bytes, what they say, and where in them each message stands.

use std::borrow::Cow;
use std::sync::Arc;

use epitome_core::cache::Ttl;
use epitome_core::model::{Conversation, Message, Role, ToolDefinition};
use epitome_core::tokens::{Precision, Sizes, TokenCounter, message_tokens, prefix_tokens};

use crate::caching;
use crate::detect::{detect, has_responses_list, is_session};
use crate::dialect::{Dialect, Rules, Turns};
use crate::error::{Position, ReadError};
use crate::json::{Document, DuplicateKeys, Kind, Span, Value};
use crate::known::{Element, Known};

/// How the dialect of a request is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// From the evidence in it.
    Detect,
    /// Somebody said so.
    Given(Dialect),
}

/// What holds the messages together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Container {
    /// A request: an object with `messages` or `input`.
    Object,
    /// A bare array of messages or items.
    Array,
    /// One message or item a line.
    Lines,
}

/// What a request says beside its conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Envelope {
    /// The key by which it names a part of the history that the provider keeps, if it does.
    pub history_elsewhere: Option<&'static str>,
    /// What it calls its session, if it does: `prompt_cache_key`, or what stands in `metadata.user_id`.
    pub session: Option<Arc<str>>,
    /// The account that it says it belongs to.
    pub account: Option<Arc<str>>,
    /// How long the answer may be, in tokens.
    pub most_output: Option<u64>,
    /// The provider is asked to mark the prompt's end for its cache itself (`cache_control` beside the messages).
    pub automatic_marker: Option<Ttl>,
    /// It says itself how its prompt is cached at OpenAI, or under which key: `prompt_cache_options`, `prompt_cache_key`.
    pub own_cache: OwnCache,
}

/// What a request says itself about OpenAI's cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OwnCache {
    /// It has a `prompt_cache_key`.
    pub key: bool,
    /// It has `prompt_cache_options`.
    pub options: bool,
}

/// A client's request, which owns the client's bytes.
#[derive(Debug, Clone)]
pub struct Request {
    text: String,
    dialect: Dialect,
    container: Container,
    model: Option<Arc<str>>,
    envelope: Envelope,
    conversation: Conversation,
    /// Where each element of the list stands.
    elements: Vec<Span>,
    /// For each message, the index of its first element; its others follow, up to the next message's first.
    firsts: Vec<u32>,
    /// The value of `system` or `instructions`.
    system: Option<Span>,
    /// The elements as they were read, one for each; none of them if nothing is remembered.
    known: Vec<Arc<Element>>,
    /// The value of `thinking`.
    thinking: Option<Span>,
    /// The value of `tools`.
    tools: Option<Span>,
}

impl Request {
    /// Reads a request. Nothing unknown in it is an error: it is carried.
    pub fn read(bytes: Vec<u8>, format: Format, duplicates: DuplicateKeys) -> Result<Request, ReadError> {
        Request::read_with(bytes, format, duplicates, None)
    }

    /// Reads a request whose messages may be known from an earlier one. It reads the same as [`Request::read`], sooner.
    pub fn read_again(
        bytes: Vec<u8>,
        format: Format,
        duplicates: DuplicateKeys,
        known: &Known,
    ) -> Result<Request, ReadError> {
        Request::read_with(bytes, format, duplicates, Some(known))
    }

    fn read_with(
        bytes: Vec<u8>,
        format: Format,
        duplicates: DuplicateKeys,
        known: Option<&Known>,
    ) -> Result<Request, ReadError> {
        let text = String::from_utf8(bytes).map_err(|error| {
            let offset = error.utf8_error().valid_up_to();
            ReadError::NotUtf8 { position: Position::of(error.as_bytes(), offset) }
        })?;
        let document = Document::read(&text, duplicates)?;
        let source = Source::find(&document, format)?;
        let mut list = List::new(source.dialect, known);
        source.for_each_element(&document, |element| list.push(element))?;
        let rules = source.dialect.rules();
        let system = source.envelope.zip(rules.system_key()).and_then(|(envelope, key)| envelope.get(key));
        let conversation = Conversation {
            system: system.map(|system| rules.content(system)).unwrap_or_default(),
            tools: source.envelope.map(tools).unwrap_or_default(),
            messages: list.messages,
            results: rules.results(),
        };
        let (dialect, container, system) = (source.dialect, source.container, system.map(Value::span));
        let model = source.envelope.and_then(|envelope| envelope.get("model")?.text());
        let thinking = source.envelope.and_then(|envelope| envelope.get("thinking")).map(Value::span);
        let tools = source.envelope.and_then(|envelope| envelope.get("tools")).map(Value::span);
        let envelope = source.envelope.map(Envelope::of).unwrap_or_default();
        let (elements, firsts, known) = (list.elements, list.firsts, list.read);
        drop(document);
        Ok(Request {
            text,
            dialect,
            container,
            model,
            envelope,
            conversation,
            elements,
            firsts,
            system,
            known,
            thinking,
            tools,
        })
    }

    /// The dialect it is in.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// What holds its messages together.
    pub fn container(&self) -> Container {
        self.container
    }

    /// The model it asks for.
    pub fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    /// What it says beside its conversation.
    pub fn envelope(&self) -> &Envelope {
        &self.envelope
    }

    /// The JSON of a message, as the client wrote it; a list of items where it is several.
    pub fn message_json(&self, message: usize) -> Option<Cow<'_, str>> {
        let elements = self.elements.get(self.elements_of(message)?)?;
        let (first, last) = (elements.first()?, elements.last()?);
        let text = self.text.get(first.range().start..last.range().end)?;
        Some(if elements.len() == 1 { text.into() } else { format!("[{text}]").into() })
    }

    /// How many places it marks for the provider's cache (`cache_control`).
    pub fn cache_markers(&self) -> usize {
        let document = Document::read(&self.text, DuplicateKeys::Carry);
        let marks = |value: Value<'_>| value.get("cache_control").is_some_and(|marker| !marker.is_null());
        document.map_or(0, |document| document.values().filter(|value| marks(*value)).count())
    }

    /// What it says.
    pub fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    /// What each part of it weighs, estimated. A message that was read before is not weighed again, so that of all requests
    /// which share a [`Known`] the same counter must be asked.
    pub fn sizes(&self, counter: &dyn TokenCounter) -> Sizes {
        let weigh = |message| message_tokens(message, counter, Precision::Estimate);
        let messages = self.conversation.messages.iter().enumerate().map(|(index, message)| {
            let known = self.known_message(index);
            known.map_or_else(|| weigh(message), |known| *known.weight.get_or_init(|| weigh(message)))
        });
        Sizes { prefix: prefix_tokens(&self.conversation, counter, Precision::Estimate), messages: messages.collect() }
    }

    /// The client's bytes.
    pub fn bytes(&self) -> &[u8] {
        self.text.as_bytes()
    }

    /// The client's bytes, taken out.
    pub fn into_bytes(self) -> Vec<u8> {
        self.text.into_bytes()
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn elements(&self) -> &[Span] {
        &self.elements
    }

    /// The elements as they were read, if anything is remembered.
    pub(crate) fn known_elements(&self) -> &[Arc<Element>] {
        &self.known
    }

    /// A message as it was read, if anything is remembered and it is one element; what is several depends on all of them.
    pub(crate) fn known_message(&self, message: usize) -> Option<&Element> {
        let elements = self.elements_of(message).filter(|elements| elements.len() == 1)?;
        self.known.get(elements.start).map(AsRef::as_ref)
    }

    pub(crate) fn system_span(&self) -> Option<Span> {
        self.system
    }

    pub(crate) fn tools_span(&self) -> Option<Span> {
        self.tools
    }

    pub(crate) fn thinking_span(&self) -> Option<Span> {
        self.thinking
    }

    /// The indices of the elements that are a message.
    pub(crate) fn elements_of(&self, message: usize) -> Option<std::ops::Range<usize>> {
        let first = *self.firsts.get(message)? as usize;
        let behind = self.firsts.get(message + 1).map_or(self.elements.len(), |next| *next as usize);
        Some(first..behind)
    }
}

impl Envelope {
    fn of(envelope: Value<'_>) -> Envelope {
        let said = |key: &str| envelope.get(key).filter(|value| !value.is_null());
        // Claude Code writes an object as a text.
        let user = said("metadata").and_then(|metadata| metadata.get("user_id")?.str());
        let user = user.and_then(|user| serde_json::from_str::<serde_json::Value>(&user).ok());
        let of_user = |key: &str| {
            let named = user.as_ref()?.get(key)?.as_str().filter(|name| !name.is_empty());
            named.map(Arc::from)
        };
        let limits = ["max_tokens", "max_completion_tokens", "max_output_tokens"];
        Envelope {
            history_elsewhere: ["previous_response_id", "conversation"].into_iter().find(|key| said(key).is_some()),
            session: of_user("session_id").or_else(|| said("prompt_cache_key")?.text()),
            account: of_user("account_uuid"),
            most_output: limits.into_iter().find_map(|key| said(key)?.unsigned()),
            automatic_marker: said("cache_control").map(caching::ttl),
            own_cache: OwnCache {
                key: said("prompt_cache_key").is_some(),
                options: said("prompt_cache_options").is_some(),
            },
        }
    }
}

/// Where in a document the conversation stands.
struct Source<'doc> {
    dialect: Dialect,
    container: Container,
    /// The object around the list.
    envelope: Option<Value<'doc>>,
    /// The list; the roots of the document are the list, if there is none.
    list: Option<Value<'doc>>,
}

impl<'doc> Source<'doc> {
    fn find(document: &'doc Document<'doc>, format: Format) -> Result<Source<'doc>, ReadError> {
        match document.single_root() {
            Some(root) if root.kind() == Kind::Array => {
                let dialect = format.dialect(|| detect(None, root.items()));
                Ok(Source { dialect, container: Container::Array, envelope: None, list: Some(root) })
            }
            Some(root) if root.kind() == Kind::Object => Source::in_object(document, root, format),
            Some(root) => Err(ReadError::NotARequest { found: root.description(), position: root.position() }),
            None if document.roots().all(is_session) => {
                Err(ReadError::SeveralSessions { count: document.roots().len() })
            }
            None => Ok(Source::lines(document, format)),
        }
    }

    fn in_object(document: &'doc Document<'doc>, root: Value<'doc>, format: Format) -> Result<Source<'doc>, ReadError> {
        let lists_messages = root.get("messages").is_some();
        let responses = has_responses_list(root);
        if !is_session(root) && !lists_messages && root.get("role").is_some_and(|role| role.kind() == Kind::String) {
            return Ok(Source::lines(document, format));
        }
        let dialect = match format {
            Format::Given(dialect) => dialect,
            Format::Detect if responses => Dialect::OpenAiResponses,
            Format::Detect if lists_messages => {
                let elements = root.get("messages").into_iter().flat_map(Value::items);
                match detect(Some(root), elements) {
                    // Items under `messages` are messages with one more key.
                    Dialect::OpenAiResponses => Dialect::OpenAiChat,
                    chat_or_anthropic @ (Dialect::OpenAiChat | Dialect::AnthropicMessages) => chat_or_anthropic,
                }
            }
            Format::Detect => {
                let found = "an object without them";
                return Err(ReadError::NotARequest { found, position: root.position() });
            }
        };
        let key = dialect.rules().list_key();
        let missing = || ReadError::NoConversation { expected: key, position: root.position() };
        let list = root.get(key).ok_or_else(missing)?;
        let plain_text = dialect == Dialect::OpenAiResponses && list.kind() == Kind::String;
        if list.kind() != Kind::Array && !plain_text {
            return Err(ReadError::NotAList { key, found: list.description(), position: list.position() });
        }
        Ok(Source { dialect, container: Container::Object, envelope: Some(root), list: Some(list) })
    }

    fn lines(document: &'doc Document<'doc>, format: Format) -> Source<'doc> {
        let dialect = format.dialect(|| detect(None, document.roots()));
        Source { dialect, container: Container::Lines, envelope: None, list: None }
    }

    fn for_each_element(
        &self,
        document: &'doc Document<'doc>,
        mut push: impl FnMut(Value<'doc>) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        match self.list {
            Some(list) if list.kind() == Kind::String => push(list),
            Some(list) => list.items().try_for_each(push),
            None => document.roots().try_for_each(push),
        }
    }
}

impl Format {
    fn dialect(self, detect: impl FnOnce() -> Dialect) -> Dialect {
        match self {
            Format::Detect => detect(),
            Format::Given(dialect) => dialect,
        }
    }
}

/// The list of messages as it is read.
struct List<'known> {
    dialect: Dialect,
    rules: &'static dyn Rules,
    known: Option<&'known Known>,
    read: Vec<Arc<Element>>,
    messages: Vec<Message>,
    elements: Vec<Span>,
    firsts: Vec<u32>,
}

impl<'known> List<'known> {
    fn new(dialect: Dialect, known: Option<&'known Known>) -> List<'known> {
        let (read, messages, elements, firsts) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        List { dialect, rules: dialect.rules(), known, read, messages, elements, firsts }
    }

    fn decode(&self, element: Value<'_>) -> Result<Message, ReadError> {
        match element.text() {
            // A whole conversation of one request, as Responses allows it.
            Some(text) if self.rules.turns() == Turns::AssistantRuns => Ok(Message::text(Role::User, text)),
            Some(_) | None => self.rules.decode(element),
        }
    }

    fn push(&mut self, element: Value<'_>) -> Result<(), ReadError> {
        let message = match self.known {
            Some(known) => {
                let read = known.element(self.dialect, element.raw(), || self.decode(element))?;
                let message = read.message.clone();
                self.read.push(read);
                message
            }
            None => self.decode(element)?,
        };
        let index = u32::try_from(self.elements.len()).unwrap_or(u32::MAX);
        self.elements.push(element.span());
        let may_go_on = self.rules.turns() == Turns::AssistantRuns && message.role == Role::Assistant;
        match self.messages.last_mut().filter(|last| may_go_on && last.role == Role::Assistant) {
            Some(last) => {
                last.blocks.extend(message.blocks);
                last.injected |= message.injected;
                last.reported_prompt_tokens = last.reported_prompt_tokens.or(message.reported_prompt_tokens);
            }
            None => {
                self.firsts.push(index);
                self.messages.push(message);
            }
        }
        Ok(())
    }
}

/// What the model may call. Each has its name elsewhere, by dialect and age.
fn tools(envelope: Value<'_>) -> Vec<ToolDefinition> {
    let lists = ["tools", "functions"].into_iter().filter_map(|key| envelope.get(key));
    let definition = |tool: Value<'_>| {
        let inner = ["function", "custom"].into_iter().find_map(|key| tool.get(key)?.get("name"));
        let name = tool.get("name").or(inner).or_else(|| tool.get("type"));
        ToolDefinition { name: name.and_then(Value::text).unwrap_or_else(|| "".into()), text: tool.raw().into() }
    };
    lists.flat_map(Value::items).map(definition).collect()
}
