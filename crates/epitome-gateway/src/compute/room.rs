//! A bounded amount of something (threads, bytes), handed out to whoever is due first.

use std::collections::BTreeMap;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use tokio::sync::oneshot;

use crate::sessions::lock;

/// So many units. Who finds none waits; who waits is served in the order of when they are due.
#[derive(Clone)]
pub(super) struct Room {
    size: u64,
    state: Arc<Mutex<State>>,
}

struct State {
    free: u64,
    waiting: BTreeMap<Ticket, Waiting>,
    tickets: u64,
}

/// Of two who are due at the same time, the one who came first is served first.
type Ticket = (Instant, u64);

struct Waiting {
    units: u64,
    served: oneshot::Sender<Place>,
}

/// Units that were handed out. They are free again when this is dropped.
pub(super) struct Place {
    room: Room,
    pub(super) units: u64,
}

/// Somebody who waits, until they are served or leave.
struct Queued {
    room: Room,
    ticket: Ticket,
}

impl Room {
    pub(super) fn of(size: u64) -> Room {
        let state = State { free: size, waiting: BTreeMap::new(), tickets: 0 };
        Room { size, state: Arc::new(Mutex::new(state)) }
    }

    pub(super) fn size(&self) -> u64 {
        self.size
    }

    pub(super) fn free(&self) -> u64 {
        self.state().free
    }

    #[cfg(test)]
    pub(super) fn waiting(&self) -> usize {
        self.state().waiting.len()
    }

    /// Takes `units` as soon as they are free and nobody who waits is due before. Who wants more than there is gets all.
    pub(super) async fn take(&self, units: u64, due: Instant) -> Place {
        if let Some(place) = self.try_take(units) {
            return place;
        }
        let (served, serving) = oneshot::channel();
        let queued = {
            let mut state = self.state();
            state.tickets += 1;
            let ticket = (due, state.tickets);
            state.waiting.insert(ticket, Waiting { units: units.min(self.size), served });
            Queued { room: self.clone(), ticket }
        };
        self.serve();
        let place = serving.await;
        drop(queued);
        place.expect("whoever waits is dropped when it was served, or by itself")
    }

    /// Takes `units` if they are free now and nobody waits.
    pub(super) fn try_take(&self, units: u64) -> Option<Place> {
        let mut state = self.state();
        let units = units.min(self.size);
        if !state.waiting.is_empty() || units > state.free {
            return None;
        }
        state.free -= units;
        Some(Place { room: self.clone(), units })
    }

    /// Serves those who wait, as far as there is room. The first waits for its room, and all others behind it: else many who
    /// want little would keep back one who wants much.
    fn serve(&self) {
        loop {
            let (waiting, place) = {
                let mut state = self.state();
                let Some(first) = state.waiting.first_entry() else { return };
                let units = first.get().units;
                if units > state.free {
                    return;
                }
                let Some((_, waiting)) = state.waiting.pop_first() else { return };
                state.free -= units;
                (waiting, Place { room: self.clone(), units })
            };
            // Without the lock: if nobody is there any more, the place is given back at once.
            drop(waiting.served.send(place));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl Place {
    /// Gives back all but `units`.
    pub(super) fn shrink_to(&mut self, units: u64) {
        let rest = self.units.saturating_sub(units);
        self.units -= rest;
        drop(Place { room: self.room.clone(), units: rest });
    }

    /// Makes one place of two of the same room.
    pub(super) fn absorb(&mut self, mut other: Place) {
        self.units += mem::take(&mut other.units);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if self.units > 0 {
            self.room.state().free += self.units;
            self.room.serve();
        }
    }
}

impl Drop for Queued {
    fn drop(&mut self) {
        let left = self.room.state().waiting.remove(&self.ticket);
        // Who left may have kept others waiting.
        if left.is_some() {
            self.room.serve();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};
    use std::time::Duration;

    use super::*;

    fn poll<F: Future>(future: std::pin::Pin<&mut F>) -> Poll<F::Output> {
        future.poll(&mut Context::from_waker(Waker::noop()))
    }

    fn units(taken: &Poll<Place>) -> Option<u64> {
        match taken {
            Poll::Ready(place) => Some(place.units),
            Poll::Pending => None,
        }
    }

    #[test]
    fn who_is_due_first_is_served_first_and_nobody_passes_them() {
        let (room, now) = (Room::of(10), Instant::now());
        let taken = room.try_take(8).expect("there is room");
        let mut large = pin!(room.take(6, now + Duration::from_secs(2)));
        let mut later = pin!(room.take(1, now + Duration::from_secs(3)));
        let mut sooner = pin!(room.take(2, now + Duration::from_secs(1)));
        assert_eq!(units(&poll(large.as_mut())), None);
        // There is room for it, but the large one is due before.
        assert_eq!(units(&poll(later.as_mut())), None);
        assert!(room.try_take(1).is_none(), "nobody passes those who wait");
        let first = poll(sooner.as_mut());
        assert_eq!(units(&first), Some(2));
        drop(taken);
        let (second, third) = (poll(large.as_mut()), poll(later.as_mut()));
        assert_eq!((units(&second), units(&third), room.free()), (Some(6), Some(1), 1));
        drop((first, second, third));
        assert_eq!(room.free(), 10);
    }

    #[test]
    fn who_leaves_keeps_nobody_waiting() {
        let (room, now) = (Room::of(10), Instant::now());
        let taken = room.try_take(5).expect("there is room");
        let mut small = pin!(room.take(5, now + Duration::from_secs(2)));
        {
            let mut large = pin!(room.take(10, now + Duration::from_secs(1)));
            assert_eq!(units(&poll(large.as_mut())), None);
            assert_eq!(units(&poll(small.as_mut())), None);
        }
        let place = poll(small.as_mut());
        assert_eq!(units(&place), Some(5));
        // Served, but gone before they knew.
        {
            let mut gone = pin!(room.take(10, now));
            assert_eq!(units(&poll(gone.as_mut())), None);
            drop((taken, place));
            assert_eq!(room.free(), 0);
        }
        assert_eq!(room.free(), 10);
    }

    #[test]
    fn places_grow_and_shrink() {
        let room = Room::of(10);
        let mut place = room.try_take(3).expect("there is room");
        place.absorb(room.try_take(4).expect("there is room"));
        assert_eq!((place.units, room.free()), (7, 3));
        place.shrink_to(2);
        assert_eq!((place.units, room.free()), (2, 8));
        drop(place);
        assert_eq!(room.free(), 10);
        // Who wants more than there is gets all.
        assert_eq!(room.try_take(99).map(|place| place.units), Some(10));
    }
}
