//! How well a calibration predicts the reported prompt tokens, and the factor of each model: `calibrate <corpus> [--stop-at-drops] [--verbose]`.

use std::collections::BTreeMap;

use epitome_core::tokens::{BpeCounter, Calibration, Observed, TokenCounter as _, Tokens};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let corpus = std::env::args().nth(1).ok_or("usage: calibrate <corpus>")?;
    // Prompts that shrank by a fifth while the transcript grew were compacted by the client without a record of it.
    let stop_at_drops = std::env::args().any(|argument| argument == "--stop-at-drops");
    let verbose = std::env::args().any(|argument| argument == "--verbose");
    let (mut errors, mut raw, mut by_model) = (Vec::new(), Vec::new(), BTreeMap::<String, Vec<[f64; 3]>>::new());
    let (mut refused, mut sessions) = (0, 0);
    for session in epitome_bench_tokens::recorded(corpus.as_ref())? {
        let Some(model) = session["model"].as_str() else { continue };
        let mut calibration = Calibration::of_model(model);
        let (mut counted, mut pairs, mut mine) = (0, Vec::new(), Vec::new());
        // Between two calls came what the first one wrote, in the provider's own tokens, and what tools and people said.
        let (mut said, mut wrote, mut ratios) = (0, 0, Vec::new());
        for message in session["messages"].as_array().ok_or("no messages")? {
            if !message["compaction"].is_null() || !message["after_compaction"].is_null() {
                break;
            }
            let usage = |key: &str| message["usage"][key].as_u64().unwrap_or(0);
            let reported = usage("input_tokens") + usage("cache_read_tokens") + usage("cache_write_tokens");
            let same_model = message["model"].as_str().is_none_or(|name| name == model);
            if reported > 0 && same_model {
                if stop_at_drops && pairs.last().is_some_and(|(_, before)| (reported as f64) < 0.8 * before) {
                    break;
                }
                if pairs.len() >= 2 {
                    mine.push((calibration.apply(Tokens(counted)).0 as f64 / reported as f64 - 1.0).abs());
                    raw.push((counted as f64 / reported as f64 - 1.0).abs());
                }
                if let Some((_, before)) = pairs.last()
                    && said >= 500
                {
                    ratios.push((reported as f64 - before - wrote as f64) / said as f64);
                }
                (said, wrote) = (0, usage("output_tokens"));
                refused += usize::from(calibration.observe(Tokens(counted), Tokens(reported)) == Observed::Refused);
                pairs.push((counted as f64, reported as f64));
            }
            let count = |text: &serde_json::Value| text.as_str().map_or(0, |text| BpeCounter.count(text).0);
            let content = count(&message["content"]);
            counted += 4 + content + count(&message["reasoning_content"]);
            said += if message["role"] == "assistant" { 0 } else { 4 + content };
            for call in message["tool_calls"].as_array().into_iter().flatten() {
                counted += 8 + count(&call["function"]["name"]) + count(&call["function"]["arguments"]);
            }
        }
        if pairs.len() < 5 {
            continue;
        }
        sessions += 1;
        let slope = slope(&pairs);
        let clean = quantile(&mut ratios, 0.5);
        let worst = quantile(&mut mine.clone(), 0.95);
        if verbose {
            println!(
                "{} {model}: {} calls, slope {:.3}, hidden {:.0}, of what was said {clean:.3}, learnt {:.3} and {}, p95 {:.2} %",
                session["id"],
                pairs.len(),
                slope.0,
                slope.1,
                calibration.factor(),
                calibration.hidden(),
                100.0 * worst
            );
        }
        by_model.entry(model.to_owned()).or_default().push([slope.0, calibration.factor(), clean]);
        errors.extend(mine);
    }
    println!("{sessions} sessions, {} predictions from the third call on, {refused} refused", errors.len());
    for (name, mut errors) in [("uncorrected o200k", raw), ("calibrated", errors)] {
        println!(
            "{name}: median {:.2} %, p95 {:.2} %, p99 {:.2} %",
            100.0 * quantile(&mut errors, 0.5),
            100.0 * quantile(&mut errors, 0.95),
            100.0 * quantile(&mut errors, 0.99)
        );
    }
    for (model, sessions) in by_model {
        let median = |pick: fn(&[f64; 3]) -> f64| quantile(&mut sessions.iter().map(pick).collect::<Vec<_>>(), 0.5);
        let (mut low, mut high) = (f64::MAX, f64::MIN);
        sessions.iter().for_each(|s| (low, high) = (low.min(s[2]), high.max(s[2])));
        println!(
            "{model}: {} sessions, slope {:.3}, learnt {:.3}, of what was said {:.3} ({low:.2} to {high:.2})",
            sessions.len(),
            median(|s| s[0]),
            median(|s| s[1]),
            median(|s| s[2])
        );
    }
    Ok(())
}

/// Least squares over all calls of a session.
fn slope(pairs: &[(f64, f64)]) -> (f64, f64) {
    let n = pairs.len() as f64;
    let (x, y) = (pairs.iter().map(|p| p.0).sum::<f64>() / n, pairs.iter().map(|p| p.1).sum::<f64>() / n);
    let xy: f64 = pairs.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    let xx: f64 = pairs.iter().map(|p| (p.0 - x).powi(2)).sum();
    (xy / xx, y - xy / xx * x)
}

fn quantile(values: &mut [f64], share: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values.get(((values.len().max(1) - 1) as f64 * share) as usize).copied().unwrap_or(f64::NAN)
}
