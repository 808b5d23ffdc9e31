//! Speed and error of the counters on recorded sessions: `measure <corpus>`.

use std::time::{Duration, Instant};

use epitome_core::tokens::{BpeCounter, CachedCounter, TokenCounter, estimate};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let corpus = std::env::args().nth(1).ok_or("usage: measure <corpus>")?;
    let before = resident();
    let start = Instant::now();
    BpeCounter.warm();
    println!("vocabulary: {:.0} ms, {} MB", start.elapsed().as_secs_f64() * 1e3, (resident() - before) / 1024);

    let sessions = epitome_bench_tokens::sessions(corpus.as_ref())?;
    let texts: Vec<&str> = sessions.iter().flatten().map(String::as_str).collect();
    let bytes: usize = texts.iter().map(|text| text.len()).sum();
    println!("{} texts, {:.1} MB", texts.len(), bytes as f64 / 1e6);
    let speed = |name: &str, count: &dyn Fn(&str) -> u64| {
        let mut best = Duration::MAX;
        for _ in 0..15 {
            let start = cpu();
            std::hint::black_box(texts.iter().map(|text| count(std::hint::black_box(text))).sum::<u64>());
            best = best.min(cpu() - start);
        }
        println!("{name}: {:.0} MB/s", bytes as f64 / 1e6 / best.as_secs_f64());
    };
    let whole = texts.concat();
    let start = cpu();
    std::hint::black_box(estimate(std::hint::black_box(&whole)));
    println!("estimate, as one text: {:.0} MB/s", bytes as f64 / 1e6 / (cpu() - start).as_secs_f64());
    let start = Instant::now();
    let names = ["claude-opus-4-6", "openrouter/anthropic/claude-opus-4.6:thinking", "kimi-k3", "nobody/knows-this"];
    for name in names {
        std::hint::black_box(epitome_core::catalogue::Catalogue::embedded().lookup(name));
    }
    println!("catalogue: {:.0} µs for {} names", start.elapsed().as_secs_f64() * 1e6, names.len());
    let cached = CachedCounter::new(BpeCounter);
    speed("exact", &|text| BpeCounter.count(text).0);
    speed("estimate", &|text| estimate(text).0);
    speed("estimate of BpeCounter", &|text| BpeCounter.estimate(text).0);
    speed("cached, all known", &|text| cached.count(text).0);

    for (name, counted) in [
        ("estimate", &(|text: &str| estimate(text).0) as &dyn Fn(&str) -> u64),
        ("estimate of BpeCounter", &|text| BpeCounter.estimate(text).0),
    ] {
        let (mut errors, mut sums) = (Vec::new(), Vec::new());
        // The odd ones are those that the weights were not fitted on.
        for session in sessions.iter().skip(1).step_by(2) {
            let (mut near, mut exact) = (0, 0);
            for text in session {
                let (n, e) = (counted(text), BpeCounter.count(text).0);
                if e >= 500 {
                    errors.push((n as f64 / e as f64 - 1.0).abs());
                }
                (near, exact) = (near + n, exact + e);
            }
            sums.push((near as f64 / exact as f64 - 1.0).abs());
        }
        report(&format!("{name}, {} texts of 500 tokens and more", errors.len()), errors);
        report(&format!("{name}, {} sessions", sums.len()), sums);
    }
    let synthetic = epitome_bench_tokens::synthetic(2);
    let mut kinds: Vec<&str> = synthetic.iter().map(|(kind, _)| *kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    for kind in kinds {
        let of_kind = || synthetic.iter().filter(|(name, _)| *name == kind).map(|(_, text)| text.as_str());
        let exact: u64 = of_kind().map(|text| BpeCounter.count(text).0).sum();
        let error = |count: &dyn Fn(&str) -> u64| of_kind().map(count).sum::<u64>() as f64 / exact as f64 - 1.0;
        println!(
            "{kind}: exact {exact}, estimate {:+.1} %, of BpeCounter {:+.1} %",
            100.0 * error(&|text| estimate(text).0),
            100.0 * error(&|text| BpeCounter.estimate(text).0)
        );
    }
    Ok(())
}

fn report(name: &str, mut errors: Vec<f64>) {
    errors.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| 100.0 * errors[((errors.len() - 1) as f64 * share) as usize];
    println!("{name}: median {:.2} %, p95 {:.2} %, max {:.2} %", at(0.5), at(0.95), at(1.0));
}

/// What this thread has used of the processor: other programs on the machine count less than on the clock.
fn cpu() -> Duration {
    let used = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(used.split(' ').next().and_then(|nanos| nanos.parse().ok()).unwrap_or(0))
}

/// Kilobytes.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse().unwrap_or(0)
}
