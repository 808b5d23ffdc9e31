//! A replay as a table, and as JSON.

use epitome_replay::estimates::{Estimate, quantile};
use epitome_replay::report::{Total, optimum, totals, validated};
use epitome_replay::study::{Settings, Study};
use serde_json::{Value, json};

use crate::table::{Column, rows};
use crate::terminal::{Style, bar};
use crate::units::counted;

pub(super) fn as_text(studies: &[Study], settings: &Settings, style: Style) -> String {
    let calls: usize = studies.iter().filter_map(|study| study.runs.first()).map(|(_, run)| run.calls.len()).sum();
    let mut lines = vec![style.bold(&format!(
        "{}, {}, window {}, prices {}",
        counted(studies.len() as u64, "session"),
        counted(calls as u64, "call"),
        epitome_core::tokens::Tokens(settings.window),
        settings.prices.name
    ))];
    lines.push(String::new());
    let totals = totals(studies, settings.window);
    let optimum = optimum(&totals);
    let dearest = totals.iter().map(|total| total.bill.total()).fold(1.0, f64::max);
    let heading = ["policy", "cost", "of the optimum", "read", "summaries", "shortened", "largest prompt", ""];
    let mut cells = vec![heading.map(str::to_owned).to_vec()];
    cells.extend(totals.iter().map(|total| row(total, optimum, dearest, settings)));
    let columns = [
        Column::Left,
        Column::Right,
        Column::Right,
        Column::Right,
        Column::Right,
        Column::Right,
        Column::Right,
        Column::Left,
    ];
    lines.extend(rows(&columns, &cells));
    lines.push(String::new());
    if totals.iter().any(|total| total.beyond_window > 0) {
        lines.push(style.yellow(&format!(
            "! beyond the window of {}: no provider would have answered these prompts, so this cost is no comparison",
            epitome_core::tokens::Tokens(settings.window)
        )));
    }
    lines.push(match settings.prices.dollars {
        Some(_) => "cost: what the provider would have charged, the summariser's calls included".to_owned(),
        None => "cost: millions of tokens of uncached input, the summariser's calls included".to_owned(),
    });
    if let Some(validated) = validated(studies) {
        lines.push(format!(
            "cache: {:.1} % read when played as recorded, {:.1} % as reported by the providers ({})",
            100.0 * validated.all.share(),
            100.0 * validated.all.recorded_share(),
            counted(validated.sessions as u64, "session")
        ));
    }
    let estimates: Vec<Estimate> = studies.iter().flat_map(|study| study.estimates.iter().copied()).collect();
    if let (Some(median), Some(p95)) = (quantile(&estimates, 0.5), quantile(&estimates, 0.95)) {
        lines.push(format!(
            "sizes: estimated before each call {:.2} % off in the median, {:.2} % at the 95th percentile ({})",
            100.0 * median,
            100.0 * p95,
            counted(estimates.len() as u64, "call")
        ));
    }
    lines.push(String::new());
    lines.join("\n")
}

fn row(total: &Total, optimum: Option<f64>, dearest: f64, settings: &Settings) -> Vec<String> {
    let cost = total.bill.total();
    vec![
        total.policy.typed().to_owned(),
        match settings.prices.dollars {
            Some(dollars) => format!("${:.2}", cost * dollars / 1e6),
            None => format!("{:.2}", cost / 1e6),
        },
        optimum.map_or_else(|| "–".to_owned(), |optimum| format!("{:.3}", cost / optimum)),
        format!("{:.1} %", 100.0 * total.read_share()),
        total.summaries.to_string(),
        total.trims.to_string(),
        format!("{}{}", epitome_core::tokens::Tokens(total.peak), if total.beyond_window > 0 { " !" } else { "" }),
        bar(cost / dearest, 24),
    ]
}

pub(super) fn as_json(studies: &[Study], settings: &Settings) -> Value {
    let policies: Vec<Value> =
        totals(studies, settings.window).iter().map(|total| policy_json(total, settings)).collect();
    let sessions: Vec<Value> = studies
        .iter()
        .map(|study| {
            let runs: serde_json::Map<String, Value> = study
                .runs
                .iter()
                .map(|(name, run)| {
                    let run = json!({
                        "cost": run.bill.total(),
                        "summaries": run.summaries,
                        "shortened": run.trims,
                        "smallest_tail": run.smallest_tail,
                        "largest_prompt": run.peak(),
                        "fits_window": run.peak() <= settings.window,
                        "prompt_tokens": run.prompt_tokens(),
                        "read_tokens": run.read_tokens(),
                    });
                    (name.typed().to_owned(), run)
                })
                .collect();
            json!({
                "session": study.id,
                "model": study.model,
                "tokens": study.unedited,
                "policies": runs,
                "read_share": study.validated.map(|validated| validated.share()),
                "recorded_read_share": study.validated.map(|validated| validated.recorded_share()),
            })
        })
        .collect();
    let validated = validated(studies);
    let estimates: Vec<Estimate> = studies.iter().flat_map(|study| study.estimates.iter().copied()).collect();
    json!({
        "window": settings.window,
        "prices": settings.prices.name,
        "policies": policies,
        "validation": validated.map(|validated| json!({
            "sessions": validated.sessions,
            "read_share": validated.all.share(),
            "recorded_read_share": validated.all.recorded_share(),
            "median_error": validated.median_error,
        })),
        "estimates": {
            "calls": estimates.len(),
            "median_error": quantile(&estimates, 0.5),
            "p95_error": quantile(&estimates, 0.95),
        },
        "sessions": sessions,
    })
}

fn policy_json(total: &Total, settings: &Settings) -> Value {
    let bill = &total.bill;
    json!({
        "policy": total.policy.typed(),
        "cost": bill.total(),
        "dollars": settings.prices.dollars.map(|dollars| bill.total() * dollars / 1e6),
        "read": bill.read,
        "written": bill.written,
        "uncached": bill.uncached,
        "output": bill.output,
        "summarizer": bill.summaries,
        "read_share": total.read_share(),
        "summaries": total.summaries,
        "shortened": total.trims,
        "largest_prompt": total.peak,
        "sessions_beyond_window": total.beyond_window,
        "smallest_tail": total.smallest_tail,
    })
}
