//! The seam between the server, which moves bytes, and the pipeline, which decides what becomes of a request.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use epitome_store::records::{Tenant, TurnUsage};
use epitome_wire::Dialect;
use epitome_wire::answer::Answer;
use epitome_wire::asking::{AboutThinking, TooLong};
use http::{HeaderMap, HeaderName, HeaderValue, Uri};

use crate::respond::Trouble;

/// A request that we understand the shape of.
#[derive(Debug, Clone)]
pub struct Incoming {
    /// How it speaks.
    pub dialect: Dialect,
    /// What it wants.
    pub purpose: Purpose,
    /// Whose edits it finds, by what it says: only who has a history finds them.
    pub tenant: Tenant,
    /// Whose sessions it finds by their names: histories, calls, costs, wishes. Another tenant than `tenant` where people
    /// name an account that they need not prove.
    pub owner: Tenant,
    /// The client's headers, as they came. Credentials are in them: nothing of them is stored or logged.
    pub headers: HeaderMap,
    /// Where it will be sent.
    pub upstream: Uri,
    /// The client's body, decoded if it came compressed.
    pub body: Bytes,
}

/// What a request wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// An answer.
    Answer,
    /// To know how large it is (`count_tokens`).
    Count,
}

/// What is sent in place of a request.
#[derive(Clone)]
pub struct Outgoing {
    /// The body; the client's own where nothing was edited.
    pub body: Bytes,
    /// Whether it is the client's own.
    pub edited: bool,
    /// Headers that the provider gets besides the client's, in place of those of the same name.
    pub upstream_headers: Vec<(HeaderName, HeaderValue)>,
    /// Headers that the client gets besides the provider's: what was done.
    pub answer_headers: Vec<(HeaderName, HeaderValue)>,
    /// Who is told how it went.
    pub turn: Arc<dyn Turn>,
    /// Who is told what was answered, if anybody is.
    pub keeper: Option<Arc<dyn Keeper>>,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The answer came to its end. A stream may have reported an error before: that is for the client to read.
    Complete,
    /// The provider refused, or could not be reached; its status, if it gave one.
    Failed(Option<u16>),
    /// The answer broke off.
    Cut,
    /// The client went away; perhaps with all that it wanted, as some hang up on the last event. Then there is usage.
    ClientGone,
}

/// Decides what becomes of requests. It never fails: at worst a request is sent as it came.
///
/// A client that goes away drops the future in the middle of its work; no turn is told then. A panic is a fault, is
/// counted, and sends the request as it came.
#[async_trait]
pub trait Pipeline: Send + Sync + 'static {
    /// What is sent in place of a request.
    async fn outgoing(&self, incoming: Incoming) -> Outgoing;
}

/// Somebody who keeps what is answered.
#[async_trait]
pub trait Keeper: Send + Sync {
    /// An answer was complete: what it said, as the client would add it to its history. Called once at most. The client
    /// sees the answer's end when this has ended, or an error in its place, so it should not take long. It goes on though
    /// the client goes away.
    async fn keep(&self, answer: Answer) -> Result<(), NotKept>;
}

/// Why an answer is not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotKept {
    /// The store did not take it.
    #[error("the store could not be written; send the message again")]
    Store,
    /// It is not as its dialect has it, or not packed as its header says.
    #[error("it cannot be read; send the message again")]
    Unreadable,
    /// It is larger than what is kept.
    #[error("it is larger than 16 MB; ask for less")]
    TooLarge,
    /// It answers what others have answered meanwhile.
    #[error("the history has gone on meanwhile, and it does not fit behind that; send the message again")]
    Overtaken,
}

/// What a provider complains about that may be our fault, or that we can mend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Complaint {
    /// The prompt does not fit.
    TooLong(TooLong),
    /// Thinking stands behind another prompt than the one it was made for, or what was asked about it is not understood.
    Thinking(AboutThinking),
}

/// One call on its way.
#[async_trait]
pub trait Turn: Send + Sync {
    /// The provider refuses the request, and says why. What to send instead; `None` passes the error on, and an error is
    /// what the client is told in its place.
    ///
    /// With something to send this turn is over: the end is told to the turn of what is sent instead, and not to this
    /// one. Whoever gives itself as that turn is told once, as ever.
    async fn complained(&self, complaint: Complaint) -> Result<Option<Outgoing>, Trouble>;

    /// The provider answers, and the request is not sent again, so that it need not be kept for that.
    fn not_sent_again(&self);

    /// The call has ended. Called once, whatever happened, and never waited for: it must not block.
    fn ended(&self, end: End, usage: Option<TurnUsage>);
}
