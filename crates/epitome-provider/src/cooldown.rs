//! A model that failed several times in a row is left alone for a while, longer each time.

use std::time::Duration;

use tokio::time::Instant;

/// From how many failures on, and for how long.
#[derive(Debug, Clone, PartialEq)]
pub struct Cooldown {
    /// Failures in a row after which it begins.
    pub after: u32,
    /// How long the first lasts; it doubles.
    pub first: Duration,
    /// None lasts longer.
    pub longest: Duration,
}

impl Default for Cooldown {
    fn default() -> Self {
        Cooldown { after: 2, first: Duration::from_secs(60), longest: Duration::from_secs(900) }
    }
}

/// How a model has done lately.
#[derive(Debug, Clone, Default)]
pub struct Record {
    failures: u32,
    until: Option<Instant>,
}

impl Record {
    /// How long it is left alone yet, and after how many failures.
    pub fn left(&self, now: Instant) -> Option<(u32, Duration)> {
        let left = self.until?.checked_duration_since(now).filter(|left| !left.is_zero())?;
        Some((self.failures, left))
    }

    /// It answered.
    pub fn answered(&mut self) {
        *self = Record::default();
    }

    /// It failed once more.
    pub fn failed(&mut self, cooldown: &Cooldown, now: Instant) {
        self.failures += 1;
        let Some(beyond) = self.failures.checked_sub(cooldown.after) else { return };
        let pause = cooldown.first.saturating_mul(1 << beyond.min(16)).min(cooldown.longest);
        self.until = Some(now + pause);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn pauses_grow_and_an_answer_ends_them() {
        let cooldown = Cooldown::default();
        let mut record = Record::default();
        let mut lengths = Vec::new();
        for _ in 0..7 {
            record.failed(&cooldown, Instant::now());
            lengths.push(record.left(Instant::now()).map_or(0, |(_, left)| left.as_secs()));
        }
        assert_eq!(lengths, [0, 60, 120, 240, 480, 900, 900]);
        tokio::time::advance(Duration::from_secs(899)).await;
        assert_eq!(record.left(Instant::now()), Some((7, Duration::from_secs(1))));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(record.left(Instant::now()), None);
        record.answered();
        record.failed(&cooldown, Instant::now());
        assert_eq!(record.left(Instant::now()), None, "failures are counted in a row");
    }
}
