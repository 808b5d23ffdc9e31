//! An answer's body on its way to the client. Its bytes are passed on as they came, at once; beside that usage is read
//! from a decompressed copy, and the call's end is told, once.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use epitome_store::records::{Besides, TurnUsage};
use epitome_wire::Dialect;
use epitome_wire::usage::{Usage, UsageReader};
use http::response::Parts;
use http_body::{Body, Frame, SizeHint};

use crate::copy::{Sink, read_by};
use crate::encoding::Decoder;
use crate::exchange::{End, Turn};
use crate::held::BoxError;
use crate::record::Record;

/// Tells a turn how it ended: once, and if nothing else was said, that the client went away.
pub(crate) struct TurnGuard {
    turn: Option<Arc<dyn Turn>>,
}

impl TurnGuard {
    pub(crate) fn new(turn: Arc<dyn Turn>) -> TurnGuard {
        TurnGuard { turn: Some(turn) }
    }

    pub(crate) fn turn(&self) -> Option<&Arc<dyn Turn>> {
        self.turn.as_ref()
    }

    /// Another turn takes over: this one is told nothing.
    pub(crate) fn taken_over(mut self) {
        self.turn = None;
    }

    pub(crate) fn end(mut self, end: End, usage: Option<TurnUsage>) {
        if let Some(turn) = self.turn.take() {
            turn.ended(end, usage);
        }
    }
}

impl Drop for TurnGuard {
    fn drop(&mut self) {
        if let Some(turn) = self.turn.take() {
            turn.ended(End::ClientGone, None);
        }
    }
}

/// A body on its way.
pub(crate) struct Tap<B> {
    body: B,
    /// Of an answer that refuses: whatever becomes of its body, that is how the call ended.
    refused: Option<u16>,
    reading: Option<Decoder<Sink<UsageReader>>>,
    turn: Option<TurnGuard>,
    record: Option<Record>,
    /// It broke off; the client is told when what came before is on its way.
    cut: Option<BoxError>,
}

impl<B: Body> Tap<B> {
    /// Passes on an answer. With a turn, its usage is read.
    pub(crate) fn new(
        parts: &Parts,
        body: B,
        dialect: Option<Dialect>,
        turn: Option<TurnGuard>,
        record: Record,
    ) -> Tap<B> {
        let refused = (!parts.status.is_success()).then(|| parts.status.as_u16());
        let reading = match (dialect, &turn) {
            (Some(dialect), Some(_)) if refused.is_none() => {
                read_by(parts, |content_type| UsageReader::new(dialect, content_type))
            }
            (Some(_) | None, Some(_) | None) => None,
        };
        let mut tap = Tap { body, refused, reading, turn, record: Some(record), cut: None };
        if tap.body.is_end_stream() {
            tap.end(End::Complete);
        }
        tap
    }
}

impl<B> Tap<B> {
    fn pass(&mut self, data: &Bytes) {
        if let Some(record) = &mut self.record {
            record.sent(data.len());
        }
        if let Some(decoder) = &mut self.reading
            && decoder.push(data).is_err()
        {
            // It is not what its header says, or endless. The client may know better.
            self.reading = None;
        }
    }

    fn end(&mut self, end: End) {
        let Some(mut record) = self.record.take() else { return };
        let reading = self.reading.take();
        let usage = reading.and_then(|mut decoder| decoder.flushed()?.reader.take()?.finish()).map(turn_usage);
        if let Some(usage) = usage {
            record.metrics().reported(usage);
        }
        let end = self.refused.map_or(end, |status| End::Failed(Some(status)));
        record.ended(match end {
            End::Complete => "complete",
            End::Failed(_) => "failed",
            End::Cut => "cut",
            End::ClientGone => "client_gone",
        });
        if let Some(turn) = self.turn.take() {
            turn.end(end, usage);
        }
    }
}

impl<B> Body for Tap<B>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<BoxError>,
{
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let this = &mut *self;
        if let Some(error) = this.cut.take() {
            return Poll::Ready(Some(Err(error)));
        }
        let polled = Pin::new(&mut this.body).poll_frame(context);
        Poll::Ready(match std::task::ready!(polled) {
            Some(Ok(frame)) => {
                if let Some(data) = frame.data_ref() {
                    this.pass(data);
                }
                // Who knows that nothing comes any more does not ask again.
                if this.body.is_end_stream() {
                    this.end(End::Complete);
                }
                Some(Ok(frame))
            }
            Some(Err(error)) => {
                this.end(End::Cut);
                // The connection is closed at once on an error, with all that was not sent yet. Who is told to wait
                // sends it first.
                this.cut = Some(error.into());
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            None => {
                this.end(End::Complete);
                None
            }
        })
    }

    fn is_end_stream(&self) -> bool {
        self.cut.is_none() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl<B> Drop for Tap<B> {
    fn drop(&mut self) {
        self.end(End::ClientGone);
    }
}

/// What a whole answer says was used.
pub(crate) fn usage_of(parts: &Parts, body: &[u8], dialect: Dialect) -> Option<TurnUsage> {
    let mut decoder = read_by(parts, |content_type| UsageReader::new(dialect, content_type))?;
    decoder.push(body).ok()?;
    decoder.flushed()?.reader.take()?.finish().map(turn_usage)
}

fn turn_usage(usage: Usage) -> TurnUsage {
    let Usage { prompt, cache_read, cache_write, cache_write_long, output, reasoning, besides } = usage;
    let besides = Besides {
        prompt: besides.prompt,
        cache_read: besides.cache_read,
        cache_write: besides.cache_write,
        output: besides.output,
    };
    TurnUsage { prompt, cache_read, cache_write, cache_write_long, output, reasoning, besides }
}

#[cfg(test)]
mod tests {
    use http::Response;

    use super::*;

    #[test]
    fn the_cache_hit_rate_is_the_same_however_a_provider_reports_it() {
        // 700 tokens of input, 200 read and 100 written; OpenAI's prompt holds what was read, and it writes for nothing.
        let reports = [
            (
                Dialect::AnthropicMessages,
                r#"{"type":"message","usage":{"input_tokens":700,"cache_read_input_tokens":200,"cache_creation_input_tokens":100,"output_tokens":9}}"#,
            ),
            (
                Dialect::OpenAiChat,
                r#"{"object":"chat.completion","usage":{"prompt_tokens":1000,"completion_tokens":9,"prompt_tokens_details":{"cached_tokens":200}}}"#,
            ),
            (
                Dialect::OpenAiResponses,
                r#"{"object":"response","usage":{"input_tokens":1000,"output_tokens":9,"input_tokens_details":{"cached_tokens":200}}}"#,
            ),
        ];
        for (dialect, body) in reports {
            let response = Response::builder().header("content-type", "application/json").body(()).expect("a head");
            let usage = usage_of(&response.into_parts().0, body.as_bytes(), dialect).expect("usage");
            assert_eq!((usage.prompt, usage.cache_hit_rate()), (1_000, Some(0.2)), "{dialect}");
        }
        assert_eq!(TurnUsage::default().cache_hit_rate(), None);
    }
}
