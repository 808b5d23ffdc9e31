//! Drawing: the few shapes that plots are made of, as SVG that stands in a page.

use std::fmt::Write;

/// A drawing in the making.
pub(super) struct Svg {
    body: String,
    width: f64,
    height: f64,
}

/// Where a text is anchored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// Text as HTML has it.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

impl Svg {
    pub(super) fn new(width: f64, height: f64) -> Svg {
        Svg { body: String::new(), width, height }
    }

    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), class: &str) {
        let ((x1, y1), (x2, y2)) = (from, to);
        self.put(format_args!(r#"<line x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}" class="{class}"/>"#));
    }

    pub(super) fn rect(&mut self, corner: (f64, f64), size: (f64, f64), colour: &str, title: &str) {
        let ((x, y), (width, height), title) = (corner, size, escape(title));
        self.put(format_args!(
            r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" fill="{colour}"><title>{title}</title></rect>"#
        ));
    }

    pub(super) fn path(&mut self, points: &[(f64, f64)], colour: &str) {
        let mut path = String::new();
        for (at, (x, y)) in points.iter().enumerate() {
            let command = if at == 0 { 'M' } else { 'L' };
            write!(path, "{command}{x:.1} {y:.1}").expect("writing to a String cannot fail");
        }
        self.put(format_args!(r#"<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.6"/>"#));
    }

    /// A triangle that points down to a place.
    pub(super) fn triangle(&mut self, tip: (f64, f64), colour: &str, title: &str) {
        let ((x, y), title) = (tip, escape(title));
        let (left, right, top) = (x - 5.0, x + 5.0, y - 9.0);
        self.put(format_args!(
            r#"<path d="M{x:.1} {y:.1}L{left:.1} {top:.1}L{right:.1} {top:.1}Z" fill="{colour}"><title>{title}</title></path>"#
        ));
    }

    pub(super) fn dot(&mut self, at: (f64, f64), colour: &str, title: &str) {
        let ((x, y), title) = (at, escape(title));
        self.put(format_args!(
            r#"<circle cx="{x:.1}" cy="{y:.1}" r="2.6" fill="{colour}"><title>{title}</title></circle>"#
        ));
    }

    pub(super) fn text(&mut self, at: (f64, f64), anchor: Anchor, class: &str, text: &str) {
        let ((x, y), text) = (at, escape(text));
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        self.put(format_args!(r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}" class="{class}">{text}</text>"#));
    }

    /// A text that is read from below.
    pub(super) fn upright(&mut self, at: (f64, f64), text: &str) {
        let ((x, y), text) = (at, escape(text));
        self.put(format_args!(
            r#"<text x="{x:.1}" y="{y:.1}" text-anchor="middle" class="label" transform="rotate(-90 {x:.1} {y:.1})">{text}</text>"#
        ));
    }

    /// A row of colours and what they mean; wraps where the drawing ends.
    pub(super) fn legend(&mut self, left: f64, top: f64, entries: &[(String, &str)]) -> f64 {
        let (mut x, mut y) = (left, top);
        for (name, colour) in entries {
            let width = 30.0 + CHARACTER * name.chars().count() as f64;
            if x > left && x + width > self.width {
                (x, y) = (left, y + LEGEND_LINE);
            }
            self.rect((x, y - 10.0), (12.0, 12.0), colour, name);
            self.text((x + 18.0, y), Anchor::Start, "label", name);
            x += width;
        }
        y + LEGEND_LINE
    }

    pub(super) fn finish(self, name: &str) -> String {
        let Svg { body, width, height } = self;
        let name = escape(name);
        format!(
            r#"<svg viewBox="0 0 {width:.0} {height:.0}" width="{width:.0}" height="{height:.0}" role="img" aria-label="{name}">{body}</svg>"#
        )
    }

    fn put(&mut self, shape: std::fmt::Arguments<'_>) {
        self.body.write_fmt(shape).expect("writing to a String cannot fail");
    }
}

/// How wide a letter of a label is, about.
pub(super) const CHARACTER: f64 = 7.2;
/// How high a line of a legend is.
pub(super) const LEGEND_LINE: f64 = 20.0;

/// About five round numbers from 0 up to `most`.
pub(super) fn ticks(most: f64) -> Vec<f64> {
    let most = if most > 0.0 { most } else { 1.0 };
    let rough = most / 5.0;
    let magnitude = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().map(|round| round * magnitude).find(|step| *step >= rough);
    let step = step.unwrap_or(rough);
    (0..=(most / step).ceil() as usize).map(|tick| tick as f64 * step).collect()
}

/// A number of tokens for an axis: `150K`, `2.5M`.
pub(super) fn short(tokens: f64) -> String {
    let (number, unit) = match tokens {
        tokens if tokens >= 1e9 => (tokens / 1e9, "G"),
        tokens if tokens >= 1e6 => (tokens / 1e6, "M"),
        tokens if tokens >= 1e3 => (tokens / 1e3, "K"),
        tokens => (tokens, ""),
    };
    let digits = if number.fract().abs() < 0.05 || number >= 100.0 { 0 } else { 1 };
    format!("{number:.digits$}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_round_numbers_beyond_the_largest_value() {
        assert_eq!(ticks(187_000.0), [0.0, 50_000.0, 100_000.0, 150_000.0, 200_000.0]);
        assert_eq!(ticks(0.0).len(), 6);
        assert!(ticks(9.7e8).last().is_some_and(|last| *last >= 9.7e8));
    }

    #[test]
    fn numbers_on_axes_are_short() {
        assert_eq!([0.0, 950.0, 20_000.0, 2_500_000.0, 1.36e8].map(short), ["0", "950", "20K", "2.5M", "136M"]);
    }
}
