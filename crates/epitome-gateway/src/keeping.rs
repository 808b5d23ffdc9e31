//! An answer's body whose words are kept before the client sees its end.
//!
//! Bytes are passed on as they come, but for the end: the event that ends a stream, or an answer in one piece, waits until
//! what was said is stored. So whoever has the whole answer can go on from it, whatever becomes of the gateway.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use epitome_wire::Dialect;
use epitome_wire::answer::{Answer, AnswerReader};
use http::response::Parts;
use http_body::{Body, Frame, SizeHint};
use tokio::task::JoinHandle;

use crate::compute::Compute;
use crate::copy::{Sink, read_by};
use crate::encoding::Decoder;
use crate::exchange::Keeper;
use crate::held::BoxError;

/// A body whose words are kept.
pub(crate) struct Keeping<B> {
    body: B,
    /// Gone when the answer was kept, or cannot be.
    reading: Option<Decoder<Sink<AnswerReader>>>,
    keeper: Arc<dyn Keeper>,
    compute: Compute,
    /// What waits for the words to be kept.
    held: VecDeque<Frame<Bytes>>,
    storing: Option<JoinHandle<()>>,
    end: Option<Result<(), BoxError>>,
}

impl<B> Keeping<B> {
    /// Keeps what an answer says.
    pub(crate) fn new(
        parts: &Parts,
        body: B,
        dialect: Dialect,
        keeper: Arc<dyn Keeper>,
        compute: Compute,
    ) -> Keeping<B> {
        let decoder = read_by(parts, |content_type| AnswerReader::new(dialect, content_type));
        let reading = decoder.filter(|_| parts.status.is_success());
        Keeping { body, reading, keeper, compute, held: VecDeque::new(), storing: None, end: None }
    }

    /// Takes in what comes, and says whether it is to wait.
    fn read(&mut self, data: &[u8]) -> Waits {
        let Some(decoder) = &mut self.reading else { return Waits::No };
        let reader = match decoder.push(data) {
            Ok(()) => decoder.flushed().and_then(|sink| sink.reader.as_ref()),
            // It is not what its header says, or endless.
            Err(_) => None,
        };
        match reader {
            None => {
                self.reading = None;
                Waits::No
            }
            Some(reader) if reader.has_ended() => Waits::ToBeKept,
            Some(reader) if reader.is_whole() => Waits::ForMore,
            Some(_) if self.held.is_empty() => Waits::No,
            // What was held was too large to be read: it waits for nothing any more.
            Some(_) => {
                self.reading = None;
                Waits::No
            }
        }
    }

    /// What was said, once.
    fn said(&mut self) -> Option<Answer> {
        self.reading.take()?.flushed()?.reader.take()?.finish()
    }

    fn store(&mut self) {
        if let Some(answer) = self.said() {
            let (keeper, compute) = (self.keeper.clone(), self.compute.clone());
            // Not part of this body: a client that goes away now has seen all but the end.
            self.storing = Some(tokio::spawn(async move {
                // The words are lost, and the answer is not.
                if let Err(fault) = compute.run(0, async move { keeper.keep(answer).await }).await {
                    tracing::error!(error = %fault, "an answer could not be kept");
                }
            }));
        }
    }
}

/// Whether bytes are passed on.
enum Waits {
    /// At once.
    No,
    /// When the rest is there.
    ForMore,
    /// When what was said is kept.
    ToBeKept,
}

impl<B: Body<Data = Bytes, Error = BoxError> + Unpin> Body for Keeping<B> {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let this = &mut *self;
        loop {
            if let Some(storing) = &mut this.storing {
                drop(ready!(Pin::new(storing).poll(context)));
                this.storing = None;
            }
            let waits_for_more = this.reading.is_some() && this.end.is_none() && !this.held.is_empty();
            if !waits_for_more && let Some(frame) = this.held.pop_front() {
                return Poll::Ready(Some(Ok(frame)));
            }
            match this.end.take() {
                Some(Ok(())) => {
                    this.end = Some(Ok(()));
                    return Poll::Ready(None);
                }
                Some(Err(error)) => {
                    this.end = Some(Ok(()));
                    return Poll::Ready(Some(Err(error)));
                }
                None => {}
            }
            match ready!(Pin::new(&mut this.body).poll_frame(context)) {
                Some(Ok(frame)) => {
                    let waits = frame.data_ref().map_or(Waits::No, |data| this.read(data));
                    match waits {
                        Waits::No if this.held.is_empty() => return Poll::Ready(Some(Ok(frame))),
                        Waits::No | Waits::ForMore => this.held.push_back(frame),
                        Waits::ToBeKept => {
                            this.held.push_back(frame);
                            this.store();
                        }
                    }
                }
                Some(Err(error)) => {
                    this.reading = None;
                    this.end = Some(Err(error));
                }
                None => {
                    this.store();
                    this.end = Some(Ok(()));
                }
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.held.is_empty() && self.storing.is_none() && self.reading.is_none() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}
