//! A plot of horizontal bars, each made of parts, with what they sum up to beside them.

use super::svg::{Anchor, CHARACTER, LEGEND_LINE, Svg, short, ticks};

/// A bar: its name, its parts in the order of the legend, and what is written behind it.
pub(super) struct Bar {
    pub(super) name: String,
    pub(super) parts: Vec<f64>,
    pub(super) behind: String,
}

const WIDTH: f64 = 960.0;
const ROW: f64 = 30.0;
const BAR: f64 = 20.0;
/// Room for what stands behind a bar.
const BEHIND: f64 = 150.0;

/// Draws bars over an axis that is named.
pub(super) fn bars(name: &str, axis: &str, legend: &[(String, &str)], bars: &[Bar]) -> String {
    let names = bars.iter().map(|bar| bar.name.chars().count()).max().unwrap_or(0);
    let left = 16.0 + CHARACTER * names as f64;
    let most = bars.iter().map(|bar| bar.parts.iter().sum::<f64>()).fold(0.0, f64::max);
    let ticks = ticks(most);
    let end = ticks.last().copied().unwrap_or(1.0);
    let rows = legend_rows(legend, left);
    let top = if legend.is_empty() { 10.0 } else { 16.0 + LEGEND_LINE * rows };
    let bottom = top + ROW * bars.len() as f64;
    let mut svg = Svg::new(WIDTH, bottom + 48.0);
    svg.legend(left, 14.0, legend);
    let scale = (WIDTH - left - BEHIND) / end;
    for tick in &ticks {
        let x = left + tick * scale;
        svg.line((x, top), (x, bottom), "grid");
        svg.text((x, bottom + 16.0), Anchor::Middle, "tick", &short(*tick));
    }
    svg.text((left + end * scale / 2.0, bottom + 38.0), Anchor::Middle, "label", axis);
    for (row, bar) in bars.iter().enumerate() {
        let y = top + ROW * row as f64 + (ROW - BAR) / 2.0;
        svg.text((left - 8.0, y + 14.0), Anchor::End, "label", &bar.name);
        let mut x = left;
        for (at, part) in bar.parts.iter().enumerate() {
            let (what, colour) = legend.get(at).map_or(("", ONLY), |(what, colour)| (what.as_str(), *colour));
            svg.rect((x, y), (part * scale, BAR), colour, &format!("{} {what}: {}", bar.name, short(*part)));
            x += part * scale;
        }
        svg.text((x + 8.0, y + 14.0), Anchor::Start, "label", &bar.behind);
    }
    svg.finish(name)
}

/// The colour of bars of one part.
const ONLY: &str = "#0072b2";

/// How many lines a legend takes.
fn legend_rows(legend: &[(String, &str)], left: f64) -> f64 {
    let width: f64 = legend.iter().map(|(name, _)| 30.0 + CHARACTER * name.chars().count() as f64).sum();
    (width / (WIDTH - left)).ceil().max(1.0)
}
