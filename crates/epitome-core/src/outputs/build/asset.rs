//! The files that a bundler made: those far larger than the rest are kept.

use crate::outputs::place::is_path;
use crate::outputs::reading::{Finding, Rank, Reading};

/// Fewer files say nothing of what is usual.
const ASSETS: usize = 6;
/// Of large files that a bundler made, so many.
const LARGE_ASSETS: usize = 3;

/// A bundler lists what it made: what is far larger than the rest is kept.
pub(super) fn keep_large_assets(reading: &mut Reading, text: &str) {
    let mut assets: Vec<(u64, usize)> = Vec::new();
    for (index, piece) in reading.pieces.iter().enumerate() {
        assets.extend(asset(piece.text(text)).map(|size| (size, index)));
    }
    if assets.len() < ASSETS {
        return;
    }
    assets.sort_unstable_by(|one, other| other.cmp(one));
    let median = assets.get(assets.len() / 2).map_or(1, |(size, _)| *size).max(1);
    for (position, (size, index)) in assets.into_iter().enumerate() {
        let large = position < LARGE_ASSETS && size / median >= 10;
        let rank = if large { Rank::Finding(Finding::Outlier) } else { Rank::Telling(3) };
        let largest = position < LARGE_ASSETS;
        if largest {
            reading.raise(index, rank);
        }
        if let Some(piece) = reading.pieces.get_mut(index).filter(|_| large) {
            piece.note = None;
        }
    }
}

/// The size of `dist/assets/index-3f2a.js   1,204.55 kB │ gzip: 300 kB`.
pub(super) fn asset(line: &str) -> Option<u64> {
    let mut words = line.split_whitespace().map(|word| word.trim_end_matches(','));
    let has_path = line.split_whitespace().take(3).any(|word| is_path(word) && !word.ends_with(':'));
    let (mut number, mut size) = (None, None);
    while let (true, None, Some(word)) = (has_path, size, words.next()) {
        let factor = match word {
            "B" | "bytes" => Some(1.0),
            "kB" | "KB" | "KiB" => Some(1e3),
            "MB" | "MiB" => Some(1e6),
            _ => None,
        };
        size = number.zip(factor).map(|(number, factor): (f64, f64)| (number * factor) as u64);
        number = word.replace(',', "").parse::<f64>().ok().filter(|number| *number >= 0.0);
    }
    size
}
