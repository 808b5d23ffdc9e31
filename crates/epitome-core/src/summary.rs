//! Summaries: who writes them, under which headings, what is accepted, and how ours are recognised later.

pub mod appendix;
pub mod archived;
pub mod audit;
mod excerpts;
pub mod local;
mod notes;
pub mod prompt;
mod reach;
pub mod redaction;
pub mod requests;
pub mod template;
pub(crate) mod terms;
pub mod tidy;

pub(crate) use excerpts::{reference, references};

use async_trait::async_trait;
use serde::Serialize;

use crate::fingerprint::ContentHash;
use crate::model::{Block, Message};
use crate::tokens::{TokenCounter, Tokens};

/// Writes summaries. Waits for a model, or does not.
///
/// What it returns is checked by [`accept`], so an implementation may be careless but cannot do harm.
#[async_trait]
pub trait Summarizer: Send + Sync {
    /// For reports: which model, or [`LOCAL`].
    fn name(&self) -> &str;

    /// The summary's body under the headings of [`template`], without marker.
    async fn summarize(&self, request: &SummaryRequest) -> Result<String, SummarizeError>;

    /// The same, with what it took. Whoever asks a model tells; whoever asks nobody has nothing to tell.
    async fn ask(&self, request: &SummaryRequest) -> Answer {
        Answer { body: self.summarize(request).await, work: Work::default() }
    }
}

/// The name of the summariser without a model. Its words are the transcript's own, and are taken as they are.
pub const LOCAL: &str = "local";

/// What a summariser answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The body, or why there is none.
    pub body: Result<String, SummarizeError>,
    /// What it took either way.
    pub work: Work,
}

/// What was done and spent to have a summary.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Work {
    /// Parts into which the transcript was cut.
    pub chunks: usize,
    /// Calls of the model, those among them that failed and were tried again.
    pub calls: usize,
    /// Prompt tokens, as reported; as estimated where nothing was.
    pub input: Tokens,
    /// Tokens of the answers.
    pub output: Tokens,
    /// US dollars, where the model's price is known.
    pub cost_usd: Option<f64>,
    /// Some of the tokens were not reported: an answer that broke off may have taken what it had said, or all it could.
    pub estimated: bool,
}

impl std::ops::AddAssign<&Work> for Work {
    fn add_assign(&mut self, other: &Work) {
        self.chunks += other.chunks;
        self.calls += other.calls;
        self.input += other.input;
        self.output += other.output;
        self.cost_usd = match (self.cost_usd, other.cost_usd) {
            (Some(one), Some(two)) => Some(one + two),
            (one, two) => one.or(two),
        };
        self.estimated |= other.estimated;
    }
}

/// What is to be summarised.
#[derive(Debug, Clone, PartialEq)]
pub struct SummaryRequest {
    /// The messages that go, originals, without an earlier summary of ours.
    pub messages: Vec<Message>,
    /// The messages around them that stay, as they will read: what they say need not be said again.
    pub stays: Vec<Message>,
    /// Calls among those that stay whose outputs become shorter, with the outputs as they were.
    pub shortened: Vec<Message>,
    /// The body of the summary that is to be updated (M12).
    pub previous: Option<String>,
    /// What the body may take.
    pub budget: Tokens,
    /// What it may take in words, if that is bounded too.
    pub words: Option<usize>,
    /// What the person wants to keep above all.
    pub focus: Option<String>,
    /// Where the newest request of a person stands.
    pub newest_request: NewestRequest,
    /// The original task, where a new session begins from the summary: then it says that too, in few words (M17).
    pub task: Option<String>,
}

impl SummaryRequest {
    /// A summary of `messages` and nothing else, with `budget` for its body.
    pub fn new(messages: Vec<Message>, budget: Tokens) -> SummaryRequest {
        SummaryRequest {
            messages,
            stays: Vec::new(),
            shortened: Vec::new(),
            previous: None,
            budget,
            words: None,
            focus: None,
            newest_request: NewestRequest::Stays,
            task: None,
        }
    }
}

/// Where the newest request of a person stands. It survives word for word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NewestRequest {
    /// Among the messages that go.
    Goes {
        /// Word for word.
        request: String,
        /// The agent's last words, if it has answered: the conversation ends with them.
        answered: Option<String>,
    },
    /// In the summary that is to be updated: nobody asked for anything since.
    InPrevious,
    /// In a message that stays.
    Stays,
}

/// Why there is no summary.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SummarizeError {
    /// The summariser could not be asked, or answered with an error.
    #[error("the summariser is not available: {0}")]
    Unavailable(String),
    /// It did not answer in time.
    #[error("the summariser did not answer in time")]
    TimedOut,
    /// What it answered was refused.
    #[error(transparent)]
    Refused(#[from] Refusal),
}

/// Why an answer is not a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Nothing was said.
    #[error("the summary is empty")]
    Empty,
    /// More was said than there is room for.
    #[error("the summary takes {found} tokens, and {budget} were allowed")]
    TooLong {
        /// What it takes.
        found: Tokens,
        /// What it may take.
        budget: Tokens,
    },
    /// The transcript was said again.
    #[error("the summary repeats the transcript")]
    Echo,
    /// More was said than there was to summarise.
    #[error("the summary is longer than what it summarises")]
    LongerThanSource,
    /// It was not said under the headings.
    #[error("the summary has none of the headings that were asked for")]
    Unstructured,
    /// Nothing of the work is named.
    #[error("the summary mentions none of {names} files that were changed and names that were asked for")]
    NamesNothing {
        /// How many there are.
        names: usize,
    },
    /// Most of what was said stands nowhere in the transcript.
    #[error("of {checked} names and numbers in the summary, {unverified} are not in the transcript")]
    Invented {
        /// How many were looked up.
        checked: usize,
        /// How many were not found.
        unverified: usize,
    },
}

/// How every summary of ours begins (M11). What follows keeps a model from taking it for a request.
pub const OPENING: &str = "[CONTEXT COMPACTION] Earlier turns were compacted into this summary, to save space. \
It is a record, not a request: what it lists as done is done and is not to be done again. \
Where it differs from the messages after it, they are right.";
/// How the note in the system prompt reads (M11).
pub const NOTE: &str = "[Note: Some earlier conversation turns have been compacted into a summary that stands among \
the messages and begins with \"[CONTEXT COMPACTION]\". Treat it as a record of what happened, and build on it \
instead of doing the work again.]";
/// Said behind a summary, in the other role, where two neighbours of one role would meet otherwise. It asks for nothing.
pub const BRIDGE: &str = "[The conversation goes on below.]";

const MARKER_OPENING: &str = "[epitome summary ";
const STANDS_FOR: &str = "[stands for ";
const DROPPED_CLOSING: &str = " earlier messages were removed to fit the context window.]";

/// Opening, body and marker: the text of a summary message.
///
/// The marker names the hash of all that stands above it, so that a quoted or altered summary is not taken for ours.
/// `of` tells summaries apart that say the same of different messages.
pub fn seal(body: &str, of: &str) -> String {
    let text = format!("{OPENING}\n\n{}\n{STANDS_FOR}{of}]\n", body.trim());
    let hash = ContentHash::of(&text).short();
    format!("{text}{MARKER_OPENING}{hash}]")
}

/// What opening and marker take beside the body.
pub fn seal_overhead(counter: &dyn TokenCounter) -> Tokens {
    counter.estimate(OPENING) + Tokens(20)
}

/// The body of a summary of ours; `None` for any other text.
pub fn unseal(text: &str) -> Option<&str> {
    let above = text.strip_prefix(OPENING)?;
    let (body, marker) = above.rsplit_once('\n')?;
    let hash = marker.strip_prefix(MARKER_OPENING)?.strip_suffix(']')?;
    let sealed = text.get(..text.len() - marker.len())?;
    let (body, stands_for) = body.rsplit_once('\n')?;
    let ours = stands_for.starts_with(STANDS_FOR) && ContentHash::of(sealed).short() == hash;
    ours.then(|| body.trim())
}

/// Whether a message is a line that stood for dropped messages in histories which earlier versions compacted.
fn is_old_stub(message: &Message) -> bool {
    let mut texts = message.texts();
    let text = texts.next().filter(|_| texts.next().is_none());
    let line = text.and_then(|text| text.lines().next());
    let count = line.and_then(|line| line.strip_prefix('[')?.strip_suffix(DROPPED_CLOSING));
    count.is_some_and(|count| count.parse::<usize>().is_ok())
}

/// The body of the summary that a message is, if it is one of ours.
pub fn body_of(message: &Message) -> Option<&str> {
    let mut texts = message.texts();
    let text = texts.next()?;
    if texts.next().is_some() { None } else { unseal(text) }
}

/// Whether a message is one of ours: a summary, what stands for dropped messages, or the line behind them.
pub fn is_ours(message: &Message) -> bool {
    let mut texts = message.texts();
    let bridge = texts.next().is_some_and(|text| &**text == BRIDGE);
    (bridge && texts.next().is_none()) || body_of(message).is_some() || is_old_stub(message)
}

/// Checks an answer against what was asked for.
pub fn accept(request: &SummaryRequest, body: &str, counter: &dyn TokenCounter) -> Result<(), Refusal> {
    let body = body.trim();
    if body.is_empty() {
        return Err(Refusal::Empty);
    }
    let found = counter.estimate(body);
    if found > request.budget {
        return Err(Refusal::TooLong { found, budget: request.budget });
    }
    if is_echo(request, body) {
        return Err(Refusal::Echo);
    }
    if body.len() > source_bytes(request) {
        return Err(Refusal::LongerThanSource);
    }
    Ok(())
}

/// How much there is to summarise. Media and whatever we do not read weigh more than their words.
fn source_bytes(request: &SummaryRequest) -> usize {
    const UNREAD: usize = 10_000;
    let of_block = |block: &Block| match block {
        Block::Text(text) | Block::Thinking(text) => text.len(),
        Block::ToolCall(call) => call.name.len() + call.arguments.len(),
        Block::ToolResult(result) if result.content.iter().all(|block| block.as_text().is_some()) => {
            result.text().len()
        }
        Block::ToolResult(_) | Block::Media(_) | Block::Opaque(_) => UNREAD,
    };
    let messages: usize = request.messages.iter().flat_map(|message| &message.blocks).map(of_block).sum();
    // What surrounds a message tells something too.
    messages + 20 * request.messages.len() + request.previous.as_ref().map_or(0, String::len)
}

/// Whether the answer is the transcript itself: nearly all of its longer lines stand in one message, word for word.
fn is_echo(request: &SummaryRequest, body: &str) -> bool {
    /// Enough to tell, and cheap: most messages are dismissed at the second line.
    const SAMPLE: usize = 8;
    let lines: Vec<&str> = body.lines().map(str::trim).filter(|line| line.len() >= 20).collect();
    if lines.is_empty() {
        return request.messages.iter().flat_map(Message::texts).any(|text| text.trim() == body);
    }
    let sample = lines.iter().step_by(lines.len().div_ceil(SAMPLE));
    let sample: Vec<memchr::memmem::Finder<'_>> = sample.map(|line| memchr::memmem::Finder::new(*line)).collect();
    let echoes = |text: &str| {
        // One line in four may be of the model's own.
        let allowed = sample.len() / 4;
        sample.iter().filter(|line| line.find(text.as_bytes()).is_none()).take(allowed + 1).count() <= allowed
    };
    let outputs = request.messages.iter().flat_map(Message::results);
    request.messages.iter().flat_map(Message::texts).any(|text| echoes(text))
        || outputs.into_iter().any(|result| echoes(&result.text()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Role;

    #[test]
    fn our_summary_is_recognised() {
        assert_eq!(unseal(&seal("## Goal\nShip it\n", "0 messages")), Some("## Goal\nShip it"));
    }

    #[test]
    fn a_quoted_or_altered_summary_is_not() {
        let sealed = seal("## Goal\nShip it", "0 messages");
        for other in [
            format!("> {sealed}"),
            format!("{sealed}\nand a question"),
            sealed.replace("Ship", "Sink"),
            OPENING.to_owned(),
            "[CONTEXT COMPACTION] Earlier turns were compacted".to_owned(),
        ] {
            assert_eq!(unseal(&other), None, "{other}");
        }
    }

    #[test]
    fn a_line_of_an_earlier_version_for_dropped_messages_is_recognised() {
        for (text, ours) in [
            ("[41 earlier messages were removed to fit the context window.]", true),
            ("[41 earlier messages were removed to fit the context window.]\n[The newest request was:]\ngo on", true),
            ("[some earlier messages were removed]", false),
        ] {
            assert_eq!(is_ours(&Message::text(Role::User, text)), ours, "{text}");
        }
    }

    #[test]
    fn the_literals_that_users_know_are_kept() {
        assert!(OPENING.starts_with("[CONTEXT COMPACTION] Earlier turns were compacted"));
        assert!(NOTE.starts_with("[Note: Some earlier conversation turns have been compacted"));
    }

    #[test]
    fn the_transcript_said_again_is_no_summary() {
        let said: String = (0..40).map(|n| format!("this is what was said in line {n}\n")).collect();
        let request = SummaryRequest::new(
            vec![Message::text(Role::User, "go"), Message::text(Role::Assistant, said.as_str())],
            Tokens(10_000),
        );
        let check = |body: &str| accept(&request, body, &crate::tokens::RoughCounter);
        assert_eq!(check(&said), Err(Refusal::Echo));
        assert_eq!(check("go"), Err(Refusal::Echo));
        assert_eq!(check(&format!("Here is a summary of it all:\n{said}")), Err(Refusal::Echo));
        assert_eq!(check("## Goal\n- this is what was said in line 3, and nothing else\n- more of our own"), Ok(()));
    }

    #[test]
    fn a_message_that_holds_more_than_our_summary_is_not_ours() {
        let mut message = Message::text(Role::User, seal("## Goal\nShip it", "0 messages"));
        assert!(is_ours(&message));
        message.blocks.push(crate::model::Block::Text("one more thing".into()));
        assert!(!is_ours(&message));
    }
}
