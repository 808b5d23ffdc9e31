//! Memory for bodies: so many bytes at once. Who finds none waits, and the client's connection with them.
//!
//! Bytes are counted as long as anybody holds them. So that those who hold a part and need more never wait for each other
//! in a circle, one of them at a time goes beyond what there is.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;

use super::room::{Place, Room};
use super::{LIGHT, due};
use crate::metrics::Metrics;

/// What bodies are read into.
#[derive(Clone)]
pub(crate) struct Buffers {
    /// Kept for light bodies, so that heavy ones never keep them waiting.
    light: Room,
    heavy: Room,
    /// Held by the one who goes beyond.
    beyond: Room,
    metrics: Arc<Metrics>,
}

/// Bytes that are counted.
pub(crate) struct Reserved {
    buffers: Buffers,
    bytes: u64,
    place: Option<Place>,
    beyond: Option<Place>,
    waited: Duration,
}

impl Buffers {
    /// Room for so many bytes. An eighth of it is for light bodies alone.
    pub(super) fn of(bytes: u64, metrics: Arc<Metrics>) -> Buffers {
        let light = bytes / 8;
        Buffers { light: Room::of(light), heavy: Room::of(bytes - light), beyond: Room::of(1), metrics }
    }

    /// The largest body that there is ever room for.
    pub(crate) fn largest(&self) -> usize {
        usize::try_from(self.heavy.size()).unwrap_or(usize::MAX)
    }

    /// Whether more than half of the room for heavy bodies is free.
    pub(crate) fn are_half_free(&self) -> bool {
        self.heavy.free() > self.heavy.size() / 2
    }

    /// Nothing yet.
    pub(crate) fn nothing(&self) -> Reserved {
        Reserved { buffers: self.clone(), bytes: 0, place: None, beyond: None, waited: Duration::ZERO }
    }

    fn room(&self, bytes: u64) -> &Room {
        if bytes <= LIGHT as u64 { &self.light } else { &self.heavy }
    }
}

impl Reserved {
    /// Counts `bytes` in all, when there is room for them.
    pub(crate) async fn grow_to(&mut self, bytes: usize) {
        let wanted = bytes as u64;
        if wanted <= self.bytes {
            return;
        }
        if self.beyond.is_none() {
            let waited = Instant::now();
            self.take(wanted).await;
            self.waited += waited.elapsed();
        }
        self.bytes = wanted;
    }

    async fn take(&mut self, wanted: u64) {
        let (buffers, due) = (self.buffers.clone(), due(Instant::now(), wanted));
        let room = buffers.room(wanted);
        let Some(held) = &mut self.place else {
            self.place = Some(room.take(wanted, due).await);
            return;
        };
        let in_the_same_room = self.bytes > LIGHT as u64 || wanted <= LIGHT as u64;
        let more = if in_the_same_room { wanted - self.bytes } else { wanted };
        tokio::select! {
            biased;
            place = room.take(more, due) => {
                if in_the_same_room { held.absorb(place) } else { *held = place }
            }
            place = buffers.beyond.take(1, due) => self.beyond = Some(place),
        }
    }

    /// These bytes, which are counted until the last copy of them is dropped.
    pub(crate) fn hold(mut self, bytes: Bytes) -> Bytes {
        if bytes.is_empty() {
            return bytes;
        }
        self.buffers.metrics.waited_for_memory(self.waited);
        if self.beyond.is_none()
            && let Some(place) = &mut self.place
        {
            place.shrink_to(bytes.len() as u64);
        }
        Bytes::from_owner(Counted { bytes, _reserved: self })
    }
}

struct Counted {
    bytes: Bytes,
    _reserved: Reserved,
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::{Pin, pin};
    use std::task::{Context, Waker};

    use super::*;

    const KB: usize = 1024;

    fn is_done(future: Pin<&mut impl Future<Output = ()>>) -> bool {
        future.poll(&mut Context::from_waker(Waker::noop())).is_ready()
    }

    fn buffers() -> Buffers {
        Buffers::of(8_192 * KB as u64, Arc::default())
    }

    #[test]
    fn bytes_are_counted_until_the_last_copy_is_dropped() {
        let buffers = buffers();
        let mut reserved = buffers.nothing();
        assert!(is_done(pin!(reserved.grow_to(1_024 * KB))));
        // Less came than was promised.
        let body = reserved.hold(vec![7; 1_000 * KB].into());
        let part = body.slice(3..9);
        drop(body);
        assert_eq!(buffers.heavy.free(), 6_168 * KB as u64);
        assert_eq!(part, [7; 6][..]);
        drop(part);
        assert_eq!(buffers.heavy.free(), 7_168 * KB as u64);
    }

    #[test]
    fn heavy_bodies_never_keep_light_ones_waiting() {
        let buffers = buffers();
        let (mut one, mut other, mut light) = (buffers.nothing(), buffers.nothing(), buffers.nothing());
        assert!(is_done(pin!(one.grow_to(7_168 * KB))));
        assert!(!is_done(pin!(other.grow_to(300 * KB))));
        assert!(is_done(pin!(light.grow_to(200 * KB))));
    }

    #[test]
    fn a_body_that_turns_out_to_be_heavy_leaves_the_room_of_light_ones() {
        let buffers = buffers();
        let mut body = buffers.nothing();
        for size in [10, 200, 256, 257, 400] {
            assert!(is_done(pin!(body.grow_to(size * KB))));
        }
        assert_eq!((buffers.light.free(), buffers.heavy.free()), (1_024 * KB as u64, 6_768 * KB as u64));
    }

    #[test]
    fn those_who_hold_a_part_never_wait_in_a_circle() {
        let buffers = buffers();
        let (mut one, mut other) = (buffers.nothing(), buffers.nothing());
        assert!(is_done(pin!(one.grow_to(3_600 * KB))));
        assert!(is_done(pin!(other.grow_to(3_500 * KB))));
        // There is no room for either; one goes on, and the other when that one is done.
        assert!(is_done(pin!(one.grow_to(4_000 * KB))));
        let mut waits = Box::pin(other.grow_to(4_000 * KB));
        assert!(!is_done(waits.as_mut()));
        let body = one.hold(vec![1; 4_000 * KB].into());
        assert!(!is_done(waits.as_mut()));
        drop(body);
        assert!(is_done(waits.as_mut()));
    }
}
