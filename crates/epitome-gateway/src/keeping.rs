//! An answer whose words are kept before the client sees its end.
//!
//! An answer in one piece waits until what it says is stored: [`whole`]. Of a stream each event is passed on when it has
//! ended, but the one that ends the answer waits until what was said is stored: [`Keeping`]. So whoever has the whole answer
//! can go on from it, whatever becomes of the gateway; and whoever is told that it is not kept can send the message again.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use epitome_wire::Dialect;
use epitome_wire::answer::{Answer, AnswerReader, EVENT_BYTES, NoAnswer};
use http::response::Parts;
use http_body::{Body, Frame, SizeHint};

use crate::copy::read_by;
use crate::encoding::{Coding, Decoder};
use crate::exchange::{Keeper, NotKept};
use crate::held::BoxError;
use crate::respond::Trouble;

/// What an answer in one piece says.
pub(crate) fn whole(parts: &Parts, body: &[u8], dialect: Dialect) -> Result<Answer, NoAnswer> {
    let decoder = read_by(parts, |content_type| AnswerReader::new(dialect, content_type));
    let mut decoder = decoder.ok_or(NoAnswer::Unreadable)?;
    decoder.push(body).map_err(|_| NoAnswer::Unreadable)?;
    let reader = decoder.flushed().and_then(|sink| sink.reader.take());
    reader.ok_or(NoAnswer::Unreadable)?.finish()
}

/// A stream whose words are kept. It is passed on unpacked, so that it can be ended by us.
pub(crate) struct Keeping<B> {
    body: B,
    dialect: Dialect,
    keeper: Arc<dyn Keeper>,
    decoder: Decoder<Unpacked>,
    stage: Stage,
    /// What can be passed on.
    ready: VecDeque<Frame<Bytes>>,
    /// How the body ended, if it did.
    end: Option<Result<(), BoxError>>,
}

enum Stage {
    /// Events are passed on when they have ended.
    Reading(AnswerReader),
    /// The event that ends the answer waits, with all that came with it.
    Storing { work: Storing, last: Bytes },
    /// There is nothing to wait for any more: what was said is kept, or its provider has failed.
    Passing,
    /// The client was told that nothing is kept. The rest is read, as the provider tells at the end what it used, and not
    /// passed on.
    Refused,
}

type Storing = Pin<Box<dyn Future<Output = Result<(), NotKept>> + Send>>;

impl<B> Keeping<B> {
    /// Keeps what a stream says. `None`: it is packed in a way that we do not know.
    pub(crate) fn new(parts: &Parts, body: B, dialect: Dialect, keeper: Arc<dyn Keeper>) -> Option<Keeping<B>> {
        let decoder = Decoder::new(Coding::of(&parts.headers), Unpacked::default())?;
        let stage = Stage::Reading(AnswerReader::new(dialect, EVENTS));
        Some(Keeping { body, dialect, keeper, decoder, stage, ready: VecDeque::new(), end: None })
    }

    /// Takes in what comes.
    fn read(&mut self, data: &[u8]) {
        let pushed = self.decoder.push(data);
        let Some(unpacked) = self.decoder.flushed() else { return };
        match &mut self.stage {
            Stage::Refused | Stage::Storing { .. } => unpacked.0.clear(),
            Stage::Passing => {
                let all = std::mem::take(&mut unpacked.0);
                self.pass(all);
            }
            Stage::Reading(_) => {
                let text = std::mem::take(&mut unpacked.0);
                let rest = self.events(text);
                match (pushed, &mut self.stage) {
                    (Ok(()), Stage::Reading(_)) if rest.len() > EVENT_BYTES => self.refuse(NotKept::TooLarge),
                    (Ok(()), Stage::Reading(_)) => {
                        if let Some(unpacked) = self.decoder.flushed() {
                            unpacked.0 = rest;
                        }
                    }
                    // It is not what its header says.
                    (Err(_), Stage::Reading(_)) => self.refuse(NotKept::Unreadable),
                    (_, Stage::Storing { .. } | Stage::Passing | Stage::Refused) => {}
                }
            }
        }
    }

    /// Passes on the events that have ended, up to the one that ends the answer. What is left over.
    fn events(&mut self, mut text: Vec<u8>) -> Vec<u8> {
        let mut passed = 0;
        while let Stage::Reading(reader) = &mut self.stage {
            let Some(length) = text.get(passed..).and_then(first_event) else { break };
            reader.push(text.get(passed..passed + length).unwrap_or_default());
            if reader.has_ended() {
                let last = text.split_off(passed);
                self.pass(text);
                self.store(last);
                return Vec::new();
            }
            match reader.lost() {
                None => passed += length,
                // The provider says so itself, and the client reads it.
                Some(NoAnswer::Failed) => {
                    self.stage = Stage::Passing;
                    self.pass(text);
                    return Vec::new();
                }
                Some(why) => {
                    text.truncate(passed);
                    self.pass(text);
                    self.refuse(why.into());
                    return Vec::new();
                }
            }
        }
        let rest = text.split_off(passed);
        self.pass(text);
        rest
    }

    /// The body has come to its end.
    fn finish(&mut self) {
        let rest = self.decoder.flushed().map(|unpacked| std::mem::take(&mut unpacked.0)).unwrap_or_default();
        if let Stage::Reading(reader) = &mut self.stage {
            // A last event may lack the empty line behind it.
            reader.push(&rest);
            reader.push(b"\n\n");
            if reader.has_ended() {
                self.store(rest);
            } else {
                // It broke off, and the client sees it.
                self.pass(rest);
            }
        }
        self.end = Some(Ok(()));
    }

    /// Stores what was said; `last` waits for it.
    fn store(&mut self, last: Vec<u8>) {
        let Stage::Reading(reader) = std::mem::replace(&mut self.stage, Stage::Passing) else { return };
        match reader.finish() {
            Ok(answer) => {
                let keeper = self.keeper.clone();
                let work = Box::pin(async move { keeper.keep(answer).await });
                self.stage = Stage::Storing { work, last: last.into() };
            }
            Err(why) => self.refuse(why.into()),
        }
    }

    fn pass(&mut self, bytes: Vec<u8>) {
        if !bytes.is_empty() {
            self.ready.push_back(Frame::data(bytes.into()));
        }
    }

    /// Ends the stream with an error of ours.
    fn refuse(&mut self, why: NotKept) {
        self.stage = Stage::Refused;
        self.pass(Trouble::NotKept(why).event(self.dialect));
    }
}

const EVENTS: &str = "text/event-stream";

impl From<NoAnswer> for NotKept {
    fn from(why: NoAnswer) -> NotKept {
        match why {
            NoAnswer::TooLarge => NotKept::TooLarge,
            NoAnswer::Failed | NoAnswer::Unfinished | NoAnswer::Unreadable => NotKept::Unreadable,
        }
    }
}

/// How long the first event is, with the empty line behind it. `None`: it has not ended.
fn first_event(text: &[u8]) -> Option<usize> {
    let (mut line, mut from) = (0, 0);
    while let Some(end) = text.get(from..)?.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
        let end = from + end;
        let is_empty = end == line;
        from = if text.get(end..end + 2) == Some(b"\r\n") { end + 2 } else { end + 1 };
        line = from;
        if is_empty {
            return Some(from);
        }
    }
    None
}

/// A stream as it is unpacked. What is not an event yet waits here.
#[derive(Default)]
struct Unpacked(Vec<u8>);

/// What unpacks to so much at once is no answer.
const AT_ONCE: usize = 4 * EVENT_BYTES;

impl Write for Unpacked {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > AT_ONCE {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
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
            if let Some(frame) = this.ready.pop_front() {
                return Poll::Ready(Some(Ok(frame)));
            }
            if let Stage::Storing { work, last } = &mut this.stage {
                let kept = ready!(work.as_mut().poll(context));
                let last = std::mem::take(last);
                match kept {
                    Ok(()) => {
                        this.stage = Stage::Passing;
                        this.ready.push_back(Frame::data(last));
                    }
                    Err(why) => this.refuse(why),
                }
                continue;
            }
            if let Some(end) = this.end.take() {
                this.end = Some(Ok(()));
                // Who was told that nothing is kept need not know how it went on.
                let cut = end.err().filter(|_| !matches!(this.stage, Stage::Refused));
                return Poll::Ready(cut.map(Err));
            }
            match ready!(Pin::new(&mut this.body).poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => this.read(&data),
                    Err(_) if matches!(this.stage, Stage::Refused) => {}
                    Err(frame) => this.ready.push_back(frame),
                },
                Some(Err(error)) => this.end = Some(Err(error)),
                None => this.finish(),
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.end.is_some() && self.ready.is_empty() && !matches!(self.stage, Stage::Storing { .. })
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_end_with_an_empty_line() {
        for (text, expected) in [
            ("data: x\n\nrest", Some(9)),
            ("data: x\r\n\r\nrest", Some(11)),
            ("data: x\r\rrest", Some(9)),
            ("data: x\ndata: y\n\n", Some(17)),
            ("\ndata: x\n\n", Some(1)),
            ("data: x\n", None),
            ("data: x\r\n", None),
            ("", None),
        ] {
            assert_eq!(first_event(text.as_bytes()), expected, "{text:?}");
        }
    }
}
