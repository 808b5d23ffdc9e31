//! Bodies that were read before they are sent on: whole, or the beginning with the rest behind it.

use std::error::Error as StdError;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use epitome_provider::http::Body as PassedBody;
use http::HeaderMap;
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt;

use crate::compute::Reserved;

pub(crate) type BoxError = Box<dyn StdError + Send + Sync>;

/// A body that was read.
pub(crate) enum Held {
    /// All of it.
    Whole(Whole),
    /// Its beginning: it is larger than allowed, or broke off.
    Begun(Begun),
}

/// A body that is there in full.
#[derive(Debug, Clone, Default)]
pub(crate) struct Whole {
    pub(crate) bytes: Bytes,
    pub(crate) trailers: Option<HeaderMap>,
}

/// A body whose beginning is there. What comes out of it is what went in, an end that is none included.
pub(crate) struct Begun {
    front: Option<Bytes>,
    rest: Rest,
}

enum Rest {
    Coming(PassedBody),
    Trailers(Option<HeaderMap>),
    Broken(Option<BoxError>),
}

/// So much of a body is read before others have their turn: tenths of a millisecond of work.
const AT_A_TIME: usize = 256 * 1024;

impl Held {
    /// Reads a body, if it is not larger than `limit`, as far as there is memory for it. The client waits meanwhile.
    pub(crate) async fn read<B>(mut body: B, limit: usize, mut reserved: Reserved) -> Held
    where
        B: Body<Data = Bytes> + Unpin + Send + 'static,
        B::Error: Into<BoxError>,
    {
        let told = body.size_hint();
        let fits = |length: u64| usize::try_from(length).is_ok_and(|length| length <= limit);
        if !fits(told.lower()) {
            return Held::Begun(Begun { front: None, rest: Rest::Coming(coming(body)) });
        }
        reserved.grow_to(usize::try_from(told.lower()).unwrap_or(limit)).await;
        // A body that comes in one piece is not copied.
        let mut one = Bytes::new();
        let mut many = BytesMut::new();
        let mut trailers = None;
        let mut since_others = 0;
        while let Some(frame) = body.frame().await {
            let frame = match frame {
                Ok(frame) => frame,
                Err(error) => return Held::begun(one, many, Rest::Broken(Some(error.into())), reserved),
            };
            let data = match frame.into_data() {
                Ok(data) => data,
                Err(frame) => {
                    trailers = frame.into_trailers().ok();
                    continue;
                }
            };
            let length = one.len() + many.len() + data.len();
            since_others += data.len();
            if since_others > AT_A_TIME {
                // Who sends fast is not to keep the thread from everybody else.
                since_others = 0;
                tokio::task::yield_now().await;
            }
            let too_large = length > limit;
            reserved.grow_to(length.min(limit)).await;
            if one.is_empty() && many.is_empty() {
                one = data;
            } else {
                if many.is_empty() {
                    many.reserve(one.len() + data.len() + usize::try_from(body.size_hint().lower()).unwrap_or(0));
                    many.extend_from_slice(&std::mem::take(&mut one));
                }
                many.extend_from_slice(&data);
            }
            if too_large {
                return Held::begun(one, many, Rest::Coming(coming(body)), reserved);
            }
        }
        Held::Whole(Whole { bytes: reserved.hold(joined(one, many)), trailers })
    }

    fn begun(one: Bytes, many: BytesMut, rest: Rest, reserved: Reserved) -> Held {
        Held::Begun(Begun { front: Some(reserved.hold(joined(one, many))), rest })
    }
}

fn coming<B>(body: B) -> PassedBody
where
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    body.map_err(Into::into).boxed_unsync()
}

fn joined(one: Bytes, many: BytesMut) -> Bytes {
    if many.is_empty() { one } else { many.freeze() }
}

impl Begun {
    /// Whether it broke off.
    pub(crate) fn is_broken(&self) -> bool {
        matches!(self.rest, Rest::Broken(_))
    }
}

impl From<Whole> for Begun {
    fn from(whole: Whole) -> Begun {
        Begun { front: Some(whole.bytes), rest: Rest::Trailers(whole.trailers) }
    }
}

impl Body for Begun {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if let Some(front) = self.front.take().filter(|front| !front.is_empty()) {
            return Poll::Ready(Some(Ok(Frame::data(front))));
        }
        match &mut self.rest {
            Rest::Coming(body) => Pin::new(body).poll_frame(context),
            Rest::Trailers(trailers) => Poll::Ready(trailers.take().map(|trailers| Ok(Frame::trailers(trailers)))),
            Rest::Broken(error) => Poll::Ready(error.take().map(Err)),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.front.as_ref().is_none_or(Bytes::is_empty)
            && match &self.rest {
                Rest::Coming(body) => body.is_end_stream(),
                Rest::Trailers(trailers) => trailers.is_none(),
                Rest::Broken(_) => false,
            }
    }

    fn size_hint(&self) -> SizeHint {
        let front = self.front.as_ref().map_or(0, |front| front.len() as u64);
        match &self.rest {
            Rest::Coming(body) => {
                let rest = body.size_hint();
                let mut both = SizeHint::new();
                both.set_lower(front + rest.lower());
                if let Some(upper) = rest.upper() {
                    both.set_upper(front + upper);
                }
                both
            }
            // With trailers the length must not be told, or they would not be sent.
            Rest::Trailers(None) => SizeHint::with_exact(front),
            Rest::Trailers(Some(_)) | Rest::Broken(_) => SizeHint::new(),
        }
    }
}
