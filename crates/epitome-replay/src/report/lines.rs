//! A plot of sizes over calls, one line a policy, with its compactions marked.

use super::svg::{Anchor, LEGEND_LINE, Svg, short, ticks};
use crate::play::Did;

/// A line: its name and colour, the size at each call, and what was done before it.
pub(super) struct Line<'a> {
    pub(super) name: &'a str,
    pub(super) colour: &'a str,
    pub(super) calls: Vec<(f64, Option<Did>)>,
}

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 380.0;
const LEFT: f64 = 72.0;
const RIGHT: f64 = 20.0;

/// Draws lines; the window is one of its own, if it is near.
pub(super) fn lines(name: &str, lines: &[Line<'_>], window: f64) -> String {
    let most = lines.iter().flat_map(|line| &line.calls).map(|(size, _)| *size).fold(1.0, f64::max);
    let calls = lines.iter().map(|line| line.calls.len()).max().unwrap_or(0).max(2);
    let shows_window = window <= 1.6 * most;
    let ticks = ticks(if shows_window { most.max(window) } else { most } * 1.03);
    let end = ticks.last().copied().unwrap_or(1.0);
    let mut svg = Svg::new(WIDTH, HEIGHT);
    let legend: Vec<(String, &str)> = lines.iter().map(|line| (line.name.to_owned(), line.colour)).collect();
    let legend_end = svg.legend(LEFT, 14.0, &legend);
    svg.triangle((LEFT + 6.0, legend_end + 1.0), "#444", "summary");
    svg.text((LEFT + 18.0, legend_end), Anchor::Start, "label", "a summary is written");
    svg.dot((LEFT + 190.0, legend_end - 4.0), "#444", "shortened");
    svg.text((LEFT + 200.0, legend_end), Anchor::Start, "label", "old outputs are shortened");
    let (top, bottom) = (legend_end + LEGEND_LINE, HEIGHT - 46.0);
    let x = |call: usize| LEFT + (WIDTH - LEFT - RIGHT) * call as f64 / (calls - 1) as f64;
    let y = |size: f64| bottom - (bottom - top) * size / end;
    for tick in &ticks {
        svg.line((LEFT, y(*tick)), (WIDTH - RIGHT, y(*tick)), "grid");
        svg.text((LEFT - 8.0, y(*tick) + 4.0), Anchor::End, "tick", &short(*tick));
    }
    let marks = super::svg::ticks((calls - 1) as f64);
    for call in marks.into_iter().filter(|call| *call <= (calls - 1) as f64) {
        svg.text((x(call as usize), bottom + 16.0), Anchor::Middle, "tick", &short(call));
    }
    svg.text((LEFT + (WIDTH - LEFT - RIGHT) / 2.0, HEIGHT - 8.0), Anchor::Middle, "label", "call of the model");
    svg.upright((16.0, (top + bottom) / 2.0), "tokens of the request");
    if shows_window {
        svg.line((LEFT, y(window)), (WIDTH - RIGHT, y(window)), "window");
        svg.text((WIDTH - RIGHT, y(window) - 5.0), Anchor::End, "tick", &format!("window, {}", short(window)));
    }
    for line in lines {
        let points: Vec<(f64, f64)> = line.calls.iter().enumerate().map(|(at, (size, _))| (x(at), y(*size))).collect();
        svg.path(&points, line.colour);
        for (at, (size, did)) in line.calls.iter().enumerate() {
            let told = |what: &str| format!("{}, call {at}: {what}, {} tokens are left", line.name, short(*size));
            match did {
                None => {}
                Some(Did::Summarized) => svg.triangle((x(at), y(*size)), line.colour, &told("summary")),
                Some(Did::Trimmed) => svg.dot((x(at), y(*size)), line.colour, &told("outputs shortened")),
            }
        }
    }
    svg.finish(name)
}
