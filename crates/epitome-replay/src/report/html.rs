//! The page: everything in one file, without scripts, and nothing that is fetched from elsewhere.

use epitome_core::tokens::{Source, Tokens, counted};

use super::bars::{Bar, bars};
use super::lines::{Line, lines};
use super::svg::{escape, short};
use super::{Total, optimum, totals, validated};
use crate::estimates::{Estimate, quantile};
use crate::policies::Name;
use crate::study::{Settings, Study};

/// So many of the longest sessions are drawn.
const DRAWN: usize = 4;

/// Colours that people with any colour vision can tell apart (Okabe and Ito).
fn colour(policy: Name) -> &'static str {
    match policy {
        Name::None => "#999999",
        Name::Threshold => "#d55e00",
        Name::LargestFirst => "#e69f00",
        Name::Masking => "#cc79a7",
        Name::ProviderClearing => "#56b4e9",
        Name::Cost => "#0072b2",
        Name::Optimum => "#009e73",
    }
}

/// Lines of these would cover the others: they change the request at nearly every call.
fn is_drawn(policy: Name) -> bool {
    match policy {
        Name::None | Name::Threshold | Name::LargestFirst | Name::Cost | Name::Optimum => true,
        Name::Masking | Name::ProviderClearing => false,
    }
}

/// Writes the page.
pub fn page(studies: &[Study], settings: &Settings) -> String {
    let totals = totals(studies, settings.window);
    let calls: usize = studies.iter().filter_map(|study| study.runs.first()).map(|(_, run)| run.calls.len()).sum();
    let mut sections = vec![
        section("cost", "What each policy costs", &cost_words(settings), &cost(&totals, settings)),
        section("cache", "Cache reads and writes", CACHE_WORDS, &cache(&totals)),
        section("sources", "Tokens by source", SOURCES_WORDS, &sources(studies)),
    ];
    let mut longest: Vec<&Study> = studies.iter().collect();
    longest.sort_by_key(|study| std::cmp::Reverse(study.unedited));
    for (at, study) in longest.into_iter().take(DRAWN).enumerate() {
        let heading = format!("Tokens over calls: {}", study.id);
        let model = study.model.as_deref().unwrap_or("a model that is not named");
        let words = format!("{model}; {} if nothing had been done about them.", counted(study.unedited, "token"));
        sections.push(section(&format!("session-{at}"), &heading, &words, &session(study, settings)));
    }
    let trust = trust(studies);
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Epitome replay</title><style>{STYLE}</style></head>\n\
         <body><h1>Epitome replay</h1>\n<p>{}, {}, window {}, prices {}.</p>\n{trust}{}</body></html>\n",
        counted(studies.len() as u64, "session"),
        counted(calls as u64, "call"),
        Tokens(settings.window),
        escape(&settings.prices.name),
        sections.concat()
    )
}

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;color:#222;background:#fff;max-width:1000px;margin:2em auto;padding:0 1em}\
h1{font-size:24px}h2{font-size:18px;margin:2em 0 .2em}p{margin:.3em 0 1em;color:#444}svg{max-width:100%;height:auto}\
text{font:13px system-ui,sans-serif;fill:#222}.tick{font-size:12px;fill:#555}.label{paint-order:stroke;stroke:#fff;stroke-width:3px}.grid{stroke:#ddd}.window{stroke:#a00;stroke-dasharray:6 4}";

const CACHE_WORDS: &str = "Tokens of all prompts, by what the provider's cache did with them. A policy that changes the request \
at every call reads little and writes much.";

const SOURCES_WORDS: &str = "Where the tokens of the unedited sessions are, each counted once. What was not recorded of system \
prompts and tools is taken from the first reported prompt.";

fn section(id: &str, heading: &str, words: &str, plot: &str) -> String {
    format!("<section id=\"{id}\"><h2>{}</h2><p>{}</p>{plot}</section>\n", escape(heading), escape(words))
}

/// How far the simulation can be trusted, by these very sessions.
fn trust(studies: &[Study]) -> String {
    let mut said = String::new();
    if let Some(validated) = validated(studies) {
        said.push_str(&format!(
            "<p>Played as they were recorded, {:.1} % of the prompts are read from the cache; the providers reported {:.1} % ({}).",
            100.0 * validated.all.share(),
            100.0 * validated.all.recorded_share(),
            counted(validated.sessions as u64, "session")
        ));
        said.push_str("</p>\n");
    }
    let estimates: Vec<Estimate> = studies.iter().flat_map(|study| study.estimates.iter().copied()).collect();
    if let (Some(median), Some(p95)) = (quantile(&estimates, 0.5), quantile(&estimates, 0.95)) {
        said.push_str(&format!(
            "<p>Sizes estimated before each call were {:.2} % off in the median and {:.2} % at the 95th percentile ({}).</p>\n",
            100.0 * median,
            100.0 * p95,
            counted(estimates.len() as u64, "call")
        ));
    }
    said
}

fn cost_words(settings: &Settings) -> String {
    let unit = if settings.prices.dollars.is_some() { "dollars" } else { "tokens of uncached input" };
    format!(
        "In {unit}. The model's answers cost the same whatever is done about the prompt. “Beyond the window”: some prompts are \
         larger than the window, so no provider would have answered them, and this cost is no comparison."
    )
}

fn cost(totals: &[Total], settings: &Settings) -> String {
    let legend = [
        ("cache reads", "#56b4e9"),
        ("cache writes", "#e69f00"),
        ("input that is not cached", "#999999"),
        ("answers", "#009e73"),
        ("the summariser", "#d55e00"),
    ]
    .map(|(name, colour)| (name.to_owned(), colour));
    let unit = settings.prices.dollars.map_or(1.0, |dollars| dollars / 1e6);
    let optimum = optimum(totals);
    let rows: Vec<Bar> = totals
        .iter()
        .map(|total| {
            let bill = &total.bill;
            let sum = bill.total();
            let said = match settings.prices.dollars {
                Some(_) => format!("${:.2}", sum * unit),
                None => short(sum),
            };
            let ratio = optimum.map(|optimum| format!(" ({:.2}×)", sum / optimum)).unwrap_or_default();
            Bar {
                name: total.policy.says().to_owned(),
                parts: [bill.read, bill.written, bill.uncached, bill.output, bill.summaries]
                    .map(|part| part * unit)
                    .to_vec(),
                behind: format!("{said}{ratio}{}", if total.beyond_window > 0 { " beyond the window" } else { "" }),
            }
        })
        .collect();
    let axis = match (settings.prices.dollars, optimum) {
        (Some(_), Some(_)) => "dollars (and how many times the optimum)",
        (Some(_), None) => "dollars",
        (None, Some(_)) => "cost, in tokens of uncached input (and how many times the optimum)",
        (None, None) => "cost, in tokens of uncached input",
    };
    bars("cost by policy", axis, &legend, &rows)
}

fn cache(totals: &[Total]) -> String {
    let legend = [("read", "#56b4e9"), ("written", "#e69f00"), ("neither", "#999999")];
    let rows: Vec<Bar> = totals
        .iter()
        .map(|total| {
            let neither = total.prompt_tokens.saturating_sub(total.read_tokens + total.written_tokens);
            Bar {
                name: total.policy.says().to_owned(),
                parts: [total.read_tokens, total.written_tokens, neither].map(|part| part as f64).to_vec(),
                behind: format!("{:.1} % read", 100.0 * total.read_share()),
            }
        })
        .collect();
    bars(
        "cache reads and writes",
        "tokens of all prompts",
        &legend.map(|(name, colour)| (name.to_owned(), colour)),
        &rows,
    )
}

fn sources(studies: &[Study]) -> String {
    let sum = |source: Source| -> u64 {
        let all = studies.iter().flat_map(|study| &study.sources);
        all.filter(|(of, _)| *of == source).map(|(_, tokens)| tokens.0).sum()
    };
    let total: u64 = Source::ALL.into_iter().map(sum).sum();
    let rows: Vec<Bar> = Source::ALL
        .into_iter()
        .filter(|source| sum(*source) > 0)
        .map(|source| Bar {
            name: if source == Source::System { "system and tools".to_owned() } else { source.name().to_owned() },
            parts: vec![sum(source) as f64],
            behind: format!(
                "{} ({:.1} %)",
                short(sum(source) as f64),
                100.0 * sum(source) as f64 / total.max(1) as f64
            ),
        })
        .collect();
    bars("tokens by source", "tokens", &[], &rows)
}

fn session(study: &Study, settings: &Settings) -> String {
    let drawn = study.runs.iter().filter(|(name, _)| is_drawn(*name));
    let curves: Vec<Line<'_>> = drawn
        .map(|(name, run)| Line {
            name: name.says(),
            colour: colour(*name),
            calls: run.calls.iter().map(|call| (call.billed.prompt().0 as f64, call.did)).collect(),
        })
        .collect();
    lines(&format!("tokens over calls of {}", study.id), &curves, settings.window as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generator::{Shape, generate};
    use crate::policies::CostSettings;
    use crate::prices::PriceSet;
    use crate::provider::Strategy;
    use crate::study::study;
    use epitome_core::cache::Ttl;

    fn settings() -> Settings {
        Settings {
            policies: Name::ALL.to_vec(),
            window: 60_000,
            prices: PriceSet::anthropic("r0.10", 0.1),
            strategy: Strategy::Stateful { prefix_after_pause: Ttl::Short },
            cost: CostSettings::default(),
            plan_of: None,
        }
    }

    #[test]
    fn the_page_needs_nothing_else_and_shows_every_plot() {
        let mut trace = generate(&Shape::with_pauses(80), 1);
        trace.id = "<script>alert(1)</script>".to_owned();
        let page = page(&[study(&trace, &settings())], &settings());
        for plot in ["cost", "cache", "sources", "session-0"] {
            assert!(page.contains(&format!("<section id=\"{plot}\">")), "{plot}");
        }
        assert_eq!(page.matches("<svg").count(), 4);
        for foreign in ["<script", "http:", "https:", "src=", "@import", "url("] {
            assert!(!page.contains(foreign), "{foreign}");
        }
        assert!(page.contains("a summary is written"));
        assert!(page.contains("summary, "), "no compaction is marked");
    }
}
