//! What is stored. Everything here is read again by later versions: a change of a field is a change of the format.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use epitome_core::catalogue::ModelFacts;
use epitome_core::cost::trigger::Foregone;
use epitome_core::edit::Edit;
use epitome_core::fingerprint::{ContentHash, PrefixFingerprint};
use epitome_core::money::{self, Dollars, Usage};
use epitome_core::statistics::CompactionRecord;
use epitome_core::tokens::{Calibration, Tokens};
use serde::{Deserialize, Serialize};

/// Whose data it is. Nobody finds anything of another tenant.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tenant(Arc<str>);

/// A conversation, for people and for lists. Edits are found by fingerprints, never by this.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct SessionId(Arc<str>);

/// Stands between the name of a session and the number of one that continues it. The names that clients give do not
/// contain it, so that none of them is taken for a continuation.
pub const CONTINUATION: char = '~';

/// One compaction's place in the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntryId([u8; 16]);

/// All edits that a history has, from its first message up to a place.
///
/// An entry holds the whole list, not what was added to the entry before: whoever finds the deepest one has everything.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its name: made of the tenant, the anchor and what it holds, so that the same compaction done twice is one entry.
    pub id: EntryId,
    /// The session in which it was made first.
    pub session: SessionId,
    /// The client's own messages that it is about.
    pub anchor: PrefixFingerprint,
    /// How many messages these are.
    pub depth: u32,
    /// The entry whose edits it goes on from. It may be forgotten by now: the edits are all here.
    pub parent: Option<EntryId>,
    /// What replays it. Shared, as it can be large and every request of the session reads it.
    pub replay: Arc<Replay>,
    /// When it was made, in milliseconds since 1970.
    pub at_ms: u64,
}

/// What makes of the client's messages what the provider was sent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Replay {
    /// The edits. Their positions count the messages, and blocks, that fingerprints count.
    pub edits: Vec<Edit>,
    /// What was done about thinking that is bound to its prefix.
    #[serde(default)]
    pub thinking: Thinking,
    /// What the compaction ended at by our own count, not corrected, if it had to end above its trigger.
    #[serde(default)]
    pub settled_at: Option<Tokens>,
}

/// What is done about thinking that is bound to what stands before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Thinking {
    /// Nothing: it is sent as it comes.
    #[default]
    AsItIs,
    /// The provider is told to leave out what no longer fits.
    DropBlock,
    /// That of the messages before this one is left out.
    StrippedBefore(u32),
}

/// A compaction that is to be remembered.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEntry {
    /// The session it was made in.
    pub session: SessionId,
    /// The client's own messages that it is about.
    pub anchor: PrefixFingerprint,
    /// How many messages these are.
    pub depth: u32,
    /// The entry that was replayed before it was made.
    pub parent: Option<EntryId>,
    /// What replays it.
    pub replay: Replay,
    /// How it went.
    pub log: CompactionLog,
    /// Whether `session` is archived by it (M17): then it is stored in a new session, which continues that one.
    pub archives: bool,
    /// What it removed, so that it can be found again.
    pub removed: Vec<Original>,
    /// The wish that it carries out, which is forgotten together with its being stored. `None` for what is prepared.
    pub fulfils: Option<Wish>,
}

/// A compaction that a person asked for: the session's next request is compacted, whatever its size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wish {
    /// When it was asked for, in milliseconds since 1970. A later wish takes the place of an earlier one.
    pub at_ms: u64,
    /// What to keep above all.
    pub focus: Option<String>,
}

/// A session that retention would forget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prunable {
    /// Its name.
    pub id: SessionId,
    /// When it was seen last, in milliseconds since 1970.
    pub last_ms: u64,
    /// Bytes of originals and kept histories that go with it, as stored.
    pub bytes: u64,
}

/// How a compaction went (M16).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompactionLog {
    /// When, and how large before and after.
    #[serde(flatten)]
    pub record: CompactionRecord,
    /// Why: the name of the reason.
    pub reason: String,
    /// The rungs that were climbed, by name.
    pub rungs: Vec<String>,
    /// Who wrote the summary, if one was written.
    pub author: Option<String>,
    /// Why the local summariser stood in, if it did.
    pub stood_in: Option<String>,
    /// How long the request waited for it.
    pub wait_ms: u64,
    /// Tokens that each kind of edit saved, by name; what an edit adds is negative.
    #[serde(default)]
    pub saved_by: BTreeMap<String, i64>,
    /// The numbers that were compared, where prices decided that it was time.
    #[serde(default)]
    pub compared: Option<String>,
}

/// Something that an edit removed.
///
/// The same bytes are stored once, under the kind and with the words that they came with first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Original {
    /// Its name: that of `bytes`.
    pub hash: ContentHash,
    /// What it is.
    pub kind: OriginalKind,
    /// Exactly what the client sent: a text, or the JSON of a message.
    pub bytes: Vec<u8>,
    /// Its words, as a search reads them.
    pub words: String,
}

/// What an original is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OriginalKind {
    /// The JSON of a message that was replaced.
    Message,
    /// The text of an output that became shorter, or that an excerpt was taken from.
    Text,
}

/// One call that was passed on, when its answer has ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// When, in milliseconds since 1970.
    pub at_ms: u64,
    /// The model that was asked.
    pub model: String,
    /// The dialect, by name.
    pub dialect: String,
    /// What was done with the request, by name.
    pub action: String,
    /// The client's messages, counted by us.
    pub client_tokens: Tokens,
    /// What was sent, counted by us.
    pub sent_tokens: Tokens,
    /// What the provider reported.
    pub usage: Option<TurnUsage>,
    /// What it cost; `None` for calls that were noted before anybody asked.
    #[serde(default)]
    pub spending: Option<Spending>,
    /// How many markers for the provider's cache were added.
    #[serde(default)]
    pub markers: u8,
    /// Where the client's request parted from its last one, if the provider's cache was lost by that.
    #[serde(default)]
    pub broke: Option<CacheBreak>,
    /// What not compacting has cost until then, where prices decide when to compact.
    #[serde(default)]
    pub rent: Option<Rent>,
}

/// What is known before a session's next call, where prices decide when to compact.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Rent {
    /// The history that it is about: up to its last compaction, or its first message alone. What is foregone since another
    /// one says nothing.
    pub since: [u8; 16],
    /// What not acting has cost.
    pub foregone: Foregone,
    /// When the last call was answered, in milliseconds since 1970.
    pub at_ms: u64,
    /// What it weighed.
    pub prompt: Tokens,
    /// Whether the provider has ever been seen to keep a prompt.
    pub cached: bool,
    /// How often it had not kept one that it should have, until it was first seen to.
    pub misses: u8,
}

/// Where a client's request parts from the one before it, although both belong to one conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheBreak {
    /// In which part: `tools`, `system`, or `message 7`.
    pub place: String,
    /// Behind so many bytes of it, at the latest.
    pub at: u64,
    /// What stands there now.
    pub excerpt: String,
    /// About so many tokens stand behind it, which the cache could not give.
    pub lost: Tokens,
}

/// What a provider reported for one call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnUsage {
    /// The whole prompt, cached parts included.
    pub prompt: u64,
    /// Of it, read from a cache.
    pub cache_read: u64,
    /// Of it, written to a cache, for however long.
    pub cache_write: u64,
    /// Of what was written, for longer than usual (an hour at Anthropic).
    #[serde(default)]
    pub cache_write_long: u64,
    /// The answer, reasoning included.
    pub output: u64,
    /// Of the answer, what was thought.
    #[serde(default)]
    pub reasoning: u64,
    /// What the provider did on its own for the same request, and charges for.
    #[serde(default)]
    pub besides: Besides,
}

/// Calls of the model that a provider made on its own, such as a compaction; they are not in the other numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Besides {
    /// Their prompts, cached parts included.
    pub prompt: u64,
    /// Of these, read from a cache.
    pub cache_read: u64,
    /// Of these, written to a cache.
    pub cache_write: u64,
    /// Their answers.
    pub output: u64,
}

/// What calls cost, in dollars, by the prices at their time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Spending {
    /// The client's own calls.
    pub paid: Dollars,
    /// What these would have cost if each request had been sent as it came, by the same rules.
    pub without_us: Dollars,
    /// Summaries that we asked models for.
    pub summaries: Dollars,
    /// Of what the client's own calls cost, their prompts; nothing of calls that an earlier version noted …
    pub prompts: Dollars,
    /// … and what these would have cost if the provider had cached nothing.
    pub prompts_uncached: Dollars,
    /// Calls that are in none of these, as nobody knows their model's prices.
    pub unpriced: u64,
}

/// A session, as lists show it.
#[derive(Debug, Clone, PartialEq)]
pub struct Session {
    /// Its name.
    pub id: SessionId,
    /// When it was first seen, in milliseconds since 1970.
    pub first_ms: u64,
    /// When it was seen last.
    pub last_ms: u64,
    /// The model of the latest call.
    pub model: String,
    /// The dialect of the latest call, by name.
    pub dialect: String,
    /// Calls.
    pub turns: u64,
    /// Compactions.
    pub compactions: u64,
    /// Tokens that clients had, counted by us, over all calls.
    pub client_tokens: u64,
    /// Tokens that were sent, counted by us, over all calls.
    pub sent_tokens: u64,
    /// What providers reported, summed.
    pub usage: TurnUsage,
    /// What they cost.
    pub spending: Spending,
    /// What was learnt about its counts.
    pub calibration: Option<Calibration>,
    /// What not compacting it has cost, where prices decide when to.
    pub rent: Option<Rent>,
    /// The archived session that it continues (M17), as long as that one is stored.
    pub continues: Option<SessionId>,
    /// The sessions that continue it, if it was archived: several where a client went back and went on otherwise.
    pub continued_by: Vec<SessionId>,
}

/// A message of a history that is kept for a client (`x-epitome-history: server`). It can be found and fetched like an
/// [`Original`] of the kind [`OriginalKind::Message`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Its JSON, in the client's dialect.
    pub bytes: Vec<u8>,
    /// Its words, as a search reads them.
    pub words: String,
}

/// A place where something that was searched for was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The session that it was removed in, or that keeps it.
    pub session: SessionId,
    /// The original's name.
    pub hash: ContentHash,
    /// What it is.
    pub kind: OriginalKind,
    /// The line in which it stands, shortened around the hit.
    pub excerpt: String,
}

/// What a store holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Holdings {
    /// Sessions.
    pub sessions: u64,
    /// Compactions.
    pub entries: u64,
    /// Originals, and messages of kept histories; the same content counts once.
    pub originals: u64,
    /// Bytes of originals and kept histories, as stored.
    pub bytes: u64,
}

impl Tenant {
    /// Everybody, where one person uses the gateway on their own machine.
    pub fn only() -> Tenant {
        Tenant("local".into())
    }

    /// A tenant by what tells it apart, which holds no secret.
    pub fn new(name: impl Into<Arc<str>>) -> Tenant {
        Tenant(name.into())
    }

    /// As it is stored.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl SessionId {
    /// A session by name.
    pub fn new(name: impl Into<Arc<str>>) -> SessionId {
        SessionId(name.into())
    }

    /// As people see it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The session as its client calls it: the first of those that continue each other.
    pub fn of_client(&self) -> SessionId {
        self.apart().map_or_else(|| self.clone(), |(name, _)| SessionId::new(name))
    }

    /// Which of the sessions it is that continue each other; the client's own is the first.
    pub fn number(&self) -> u32 {
        self.apart().map_or(1, |(_, number)| number)
    }

    /// The next of the sessions that continue this one of a client's, where those that are taken are known.
    pub(crate) fn next_number<'a>(&self, taken: impl IntoIterator<Item = &'a SessionId>) -> SessionId {
        let continuing = taken.into_iter().filter(|id| id.of_client() == *self);
        let number = continuing.map(SessionId::number).max().unwrap_or(1).saturating_add(1);
        SessionId::new(format!("{self}{CONTINUATION}{number}"))
    }

    fn apart(&self) -> Option<(&str, u32)> {
        let (name, digits) = self.0.rsplit_once(CONTINUATION)?;
        let number = digits.parse().ok().filter(|number| *number > 1)?;
        // As it is written: no sign, no leading zero.
        digits.starts_with(|first| matches!(first, '1'..='9')).then_some((name, number))
    }
}

impl From<String> for SessionId {
    fn from(name: String) -> SessionId {
        SessionId(name.into())
    }
}

impl From<SessionId> for String {
    fn from(id: SessionId) -> String {
        id.as_str().to_owned()
    }
}

impl Original {
    /// Named after its bytes.
    pub fn new(kind: OriginalKind, bytes: Vec<u8>, words: String) -> Original {
        Original { hash: ContentHash::of(&bytes), kind, bytes, words }
    }
}

impl Session {
    /// One that was not seen before.
    pub fn new(id: SessionId, at_ms: u64) -> Session {
        Session {
            id,
            first_ms: at_ms,
            last_ms: at_ms,
            model: String::new(),
            dialect: String::new(),
            turns: 0,
            compactions: 0,
            client_tokens: 0,
            sent_tokens: 0,
            usage: TurnUsage::default(),
            spending: Spending::default(),
            calibration: None,
            rent: None,
            continues: None,
            continued_by: Vec::new(),
        }
    }

    /// One that continues this session, which is archived: what is known of its counts still holds.
    pub(crate) fn continuation(&self, id: SessionId, at_ms: u64) -> Session {
        Session {
            model: self.model.clone(),
            dialect: self.dialect.clone(),
            calibration: self.calibration.clone(),
            continues: Some(self.id.clone()),
            ..Session::new(id, at_ms)
        }
    }

    /// It was seen at this time. Machines' clocks differ, so times may come in any order.
    pub fn seen(&mut self, at_ms: u64) {
        self.first_ms = self.first_ms.min(at_ms);
        self.last_ms = self.last_ms.max(at_ms);
    }

    /// Counts a call. What was learnt before stays if nothing new was.
    pub fn count(&mut self, turn: &Turn, calibration: Option<&Calibration>) {
        self.seen(turn.at_ms);
        self.spending += turn.spending.unwrap_or_default();
        if turn.action == Turn::SUMMARY {
            // Ours, not the session's: its sums are about what its client asked.
            return;
        }
        self.model.clone_from(&turn.model);
        self.dialect.clone_from(&turn.dialect);
        self.turns += 1;
        self.client_tokens = self.client_tokens.saturating_add(turn.client_tokens.0);
        self.sent_tokens = self.sent_tokens.saturating_add(turn.sent_tokens.0);
        self.usage += turn.usage.unwrap_or_default();
        if let Some(calibration) = calibration {
            self.calibration = Some(calibration.clone());
        }
        self.rent = turn.rent.or(self.rent);
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

impl EntryId {
    /// The name of an entry: the same compaction of the same messages has the same everywhere.
    pub fn of(tenant: &Tenant, anchor: PrefixFingerprint, replay: &[u8]) -> EntryId {
        let mut hasher = blake3::Hasher::new();
        hasher.update(tenant.as_str().as_bytes()).update(&[0]).update(anchor.as_bytes()).update(replay);
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        EntryId(bytes)
    }

    /// As it is stored.
    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// From what was stored.
    pub fn from_bytes(bytes: [u8; 16]) -> EntryId {
        EntryId(bytes)
    }
}

impl fmt::Display for EntryId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl std::ops::AddAssign for TurnUsage {
    // Saturating: the numbers are a provider's, and nothing says that they are sensible.
    fn add_assign(&mut self, other: TurnUsage) {
        self.prompt = self.prompt.saturating_add(other.prompt);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
        self.cache_write = self.cache_write.saturating_add(other.cache_write);
        self.cache_write_long = self.cache_write_long.saturating_add(other.cache_write_long);
        self.output = self.output.saturating_add(other.output);
        self.reasoning = self.reasoning.saturating_add(other.reasoning);
        let (mine, theirs) = (&mut self.besides, other.besides);
        mine.prompt = mine.prompt.saturating_add(theirs.prompt);
        mine.cache_read = mine.cache_read.saturating_add(theirs.cache_read);
        mine.cache_write = mine.cache_write.saturating_add(theirs.cache_write);
        mine.output = mine.output.saturating_add(theirs.output);
    }
}

impl std::ops::AddAssign for Spending {
    fn add_assign(&mut self, other: Spending) {
        self.paid += other.paid;
        self.without_us += other.without_us;
        self.summaries += other.summaries;
        self.prompts += other.prompts;
        self.prompts_uncached += other.prompts_uncached;
        self.unpriced = self.unpriced.saturating_add(other.unpriced);
    }
}

impl Spending {
    /// What we saved; negative if we cost more than that.
    pub fn net(&self) -> Dollars {
        self.without_us - self.paid - self.summaries
    }

    /// What the provider's cache saved of the prompts' cost, by the prices of their models: the dollars, and the share.
    /// Negative where writing to it cost more than reading from it saved. `None`: nothing is known of prices.
    pub fn saved_by_cache(&self) -> Option<(Dollars, f64)> {
        let saved = self.prompts_uncached - self.prompts;
        (self.prompts_uncached > Dollars::ZERO).then(|| (saved, saved.as_f64() / self.prompts_uncached.as_f64()))
    }
}

impl Turn {
    /// The action of a call that we made ourselves, for a summary.
    pub const SUMMARY: &'static str = "summary";
}

impl TurnUsage {
    /// What it costs, with what the provider did on its own; `None` where the model's prices are not known.
    pub fn cost(&self, facts: &ModelFacts) -> Option<Dollars> {
        let usage = Usage {
            prompt: self.prompt,
            cache_read: self.cache_read,
            cache_write: self.cache_write,
            cache_write_long: self.cache_write_long,
            output: self.output,
        };
        let besides = Usage {
            prompt: self.besides.prompt,
            cache_read: self.besides.cache_read,
            cache_write: self.besides.cache_write,
            cache_write_long: 0,
            output: self.besides.output,
        };
        Some(money::cost(&usage, facts)? + money::cost(&besides, facts)?)
    }

    /// What its prompt costs, and what it would if nothing of it had been cached.
    pub fn prompt_cost(&self, facts: &ModelFacts) -> Option<(Dollars, Dollars)> {
        let uncached = Usage { prompt: self.prompt, ..Usage::default() };
        let cached = Usage {
            cache_read: self.cache_read,
            cache_write: self.cache_write,
            cache_write_long: self.cache_write_long,
            ..uncached
        };
        Some((money::cost(&cached, facts)?, money::cost(&uncached, facts)?))
    }

    /// Of the whole prompt, what the provider read from its cache: read ÷ (input + read + written), as the prompt is all
    /// three in every dialect. `None`: nothing was reported.
    pub fn cache_hit_rate(&self) -> Option<f64> {
        let whole = self.prompt.max(self.cache_read.saturating_add(self.cache_write));
        (whole > 0).then(|| self.cache_read as f64 / whole as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_continues_a_session_is_told_by_its_name() {
        let taken_apart = |name: &str| (SessionId::new(name).of_client().to_string(), SessionId::new(name).number());
        for (name, client, number) in [
            ("s", "s", 1),
            ("s~2", "s", 2),
            ("s.2~10", "s.2", 10),
            ("s~2~3", "s~2", 3),
            ("s~1", "s~1", 1),
            ("s~02", "s~02", 1),
            ("s~+2", "s~+2", 1),
            ("s~", "s~", 1),
            ("s~99999999999", "s~99999999999", 1),
        ] {
            assert_eq!(taken_apart(name), (client.to_owned(), number), "{name}");
        }
        let taken = ["s", "s~2", "s~9", "st~12", "s~x"].map(SessionId::new);
        assert_eq!(SessionId::new("s").next_number(&taken).as_str(), "s~10");
        assert_eq!(SessionId::new("new").next_number(&taken).as_str(), "new~2");
    }
}
