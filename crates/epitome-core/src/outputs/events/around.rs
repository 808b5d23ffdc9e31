//! What stands around an event: an error alone often does not say where it was, nor all that went wrong.

use super::super::reading::{Finding, Piece, Rank, Reading};
use super::{indent, is_call, is_crossed, severity};

/// Where there are more findings, nothing around them is worth its room: it may be a text that speaks of errors.
const FEW: usize = 12;
/// A longer paragraph does not describe one event.
const PARAGRAPH: usize = 8;
/// Lines above an event among which those are looked for that it stands under.
const LOOK: usize = 12;
/// Of those, so many.
const HEADS: usize = 3;
/// All events together get no more lines than these.
const AT_MOST: usize = 24;
/// Nor more bytes: long lines are prose or data.
const BYTES_AT_MOST: usize = 2_400;

/// Keeps the small paragraph around each finding that `may_need` it; of a large one, the lines it stands under and
/// those that are indented below it. Only where findings are few, and the worst first.
pub fn keep_around(reading: &mut Reading, text: &str, may_need: impl Fn(usize) -> bool) {
    let pieces = reading.pieces.iter().enumerate().filter(|(index, _)| may_need(*index));
    let mut findings: Vec<(Finding, usize)> =
        pieces.filter_map(|(index, piece)| Some((piece.rank.finding()?, index))).collect();
    if findings.len() > FEW {
        return;
    }
    findings.sort_unstable();
    let (mut left, mut bytes_left) = (AT_MOST, BYTES_AT_MOST);
    for (finding, index) in findings {
        let lines = Lines { reading, text };
        let is_new = |at: &usize| reading.pieces.get(*at).is_some_and(|piece| belongs(piece, text));
        let new: Vec<usize> = lines.around(index, finding).into_iter().filter(is_new).collect();
        let bytes: usize = new.iter().filter_map(|at| reading.pieces.get(*at)).map(|piece| piece.span.len()).sum();
        if new.len() <= left && bytes <= bytes_left {
            (left, bytes_left) = (left - new.len(), bytes_left - bytes);
            new.into_iter().for_each(|at| reading.raise(at, Rank::Finding(finding)));
        }
    }
}

/// `  ╰─▶ Because …`: words behind an arrow, at the indentation of what they explain.
fn goes_on(line: &str, depth: usize) -> bool {
    indent(line) == depth && line.trim_start().starts_with(['╰', '└', '↳', '│', '├', '→'])
}

/// Repeats of an error were told with the first of them; a rule says nothing.
fn belongs(piece: &Piece, text: &str) -> bool {
    let line = piece.text(text);
    piece.rank.finding().is_none() && line.contains(char::is_alphanumeric) && severity(line).is_none()
}

struct Lines<'a> {
    reading: &'a Reading,
    text: &'a str,
}

impl<'a> Lines<'a> {
    fn at(&self, index: usize) -> Option<&'a str> {
        let line = self.reading.pieces.get(index)?.text(self.text);
        (!line.trim().is_empty()).then_some(line)
    }

    fn around(&self, index: usize, finding: Finding) -> Vec<usize> {
        let above = (0..index).rev().take(PARAGRAPH).take_while(|at| self.at(*at).is_some()).count();
        let below = (index + 1..).take(PARAGRAPH).take_while(|at| self.at(*at).is_some()).count();
        if let Some(drawn) = self.drawn(index) {
            return drawn;
        }
        let paragraph = index - above..index + 1 + below;
        if paragraph.len() <= PARAGRAPH {
            return paragraph.collect();
        }
        let mut around = self.heads(index);
        if matches!(finding, Finding::Error | Finding::Failure) {
            around.extend(self.body(index, above == 0));
        }
        around
    }

    /// The other lines behind the same bar: `│ Error: …`, `│   on main.tf line 4:`.
    fn drawn(&self, index: usize) -> Option<Vec<usize>> {
        let is_drawn = |at: &usize| self.at(*at).is_some_and(|line| line.trim_start().starts_with('│'));
        let above = (0..=index).rev().take(LOOK).take_while(is_drawn).count();
        let below = (index + 1..).take(LOOK).take_while(is_drawn).count();
        (above > 0 && (above + below) <= LOOK).then(|| (index + 1 - above..index + 1 + below).collect())
    }

    /// The lines of less indentation above, and the one that a caret points at.
    fn heads(&self, index: usize) -> Vec<usize> {
        let Some(line) = self.at(index) else { return Vec::new() };
        let mut heads = Vec::new();
        if line.trim_start().starts_with('^') {
            heads.extend(index.checked_sub(1));
        }
        // What is crossed says itself what it is.
        let mut depth = if is_crossed(line) { 0 } else { indent(line) };
        for at in (0..index).rev().take(LOOK) {
            let Some(above) = self.at(at).filter(|_| depth > 0 && heads.len() < HEADS) else { break };
            if indent(above) < depth {
                depth = indent(above);
                heads.push(at);
            }
        }
        heads
    }

    /// What is indented below, or, of a line that opens a paragraph, what follows. A trace has lines enough.
    fn body(&self, index: usize, opens: bool) -> Vec<usize> {
        let depth = self.at(index).map_or(0, indent);
        // Below a cross what is said of it need not be indented further.
        let crossed = self.at(index).is_some_and(is_crossed);
        let deeper = |line: &str| indent(line) > depth || (crossed && depth > 0 && goes_on(line, depth));
        let belongs = |at: &usize| self.at(*at).is_some_and(|line| opens || deeper(line));
        let mut body: Vec<usize> = (index + 1..).take(PARAGRAPH + 1).take_while(belongs).collect();
        // What goes on like this is another list.
        if body.len() > PARAGRAPH {
            body.truncate(if opens { PARAGRAPH } else { 0 });
        }
        let is_trace = body.iter().filter_map(|at| self.at(*at)).any(is_call);
        if is_trace { Vec::new() } else { body }
    }
}

#[cfg(test)]
mod tests {
    use crate::outputs::testing::check;

    #[test]
    fn a_finding_is_shown_with_the_small_paragraph_it_stands_in() {
        let block = |n: usize| {
            format!("In tools/step{n}.sh line {}:\n  cp $from{n} /srv/{n}\n     ^-- R20 (info): Quote this.\n\n", n + 3)
        };
        let mut text: String = (0..40).map(block).collect();
        text.insert_str(
            text.find("In tools/step7.").unwrap(),
            "In tools/clean.sh line 88:\nrm -rf \"$ROOT/\"*\n     ^-- R15 (warning): This may expand to the root.\n\n",
        );
        let digest = check("lint tools", &text);
        let kept = "In tools/clean.sh line 88:\nrm -rf \"$ROOT/\"*\n     ^-- R15 (warning): This may";
        assert!(digest.contains(kept), "{digest}");
    }

    #[test]
    fn a_report_keeps_what_follows_its_title() {
        let report = |n: usize| {
            format!("=PROGRESS==== 12:00:{n:02} ===\n  child: w{n}\n  state: [{{pid,{n}}},\n          up]\n\n")
        };
        let mut text: String = (10..50).map(report).collect();
        text.insert_str(
            text.find("=PROGRESS==== 12:00:30").unwrap(),
            "=ERROR REPORT==== 12:00:29 ===\n** Server till terminating\n** Last message was {sum,3}\n** {badkey,total}\n\n",
        );
        let digest = check("cat sasl.log", &text);
        let kept = "=ERROR REPORT==== 12:00:29 ===\n** Server till terminating\n** Last message was {sum,3}\n** {badkey,total}";
        assert!(digest.contains(kept), "{digest}");
    }

    #[test]
    fn an_error_in_a_box_keeps_the_box_and_a_cross_keeps_its_reasons() {
        let text: String = (0..60).map(|n| format!("Refreshing state of pump {n}, found {}\n", n * 7 + 3)).collect();
        let boxed = "│ Error: Reference to undeclared resource\n│ \n│   on depot.tf line 41, in resource \"pump\":\n│   41:   lane = lanes.main.id\n";
        let digest = check("apply", &format!("{text}╷\n{boxed}╵\nlocks released\n"));
        assert!(digest.contains("│   on depot.tf line 41") && digest.contains("│   41:   lane"), "{digest}");
        let crossed =
            "  × No solution found:\n  ╰─▶ Because a needs c>=3 and b needs c<3,\n      nothing can be done.\n";
        let digest = check("resolve", &format!("{text}{crossed}"));
        assert!(digest.contains(crossed.trim_end()), "{digest}");
    }

    #[test]
    fn an_indented_finding_is_shown_with_the_lines_it_stands_under() {
        let port = |n: usize| {
            let lost = if n == 21 { 88_123 } else { 0 };
            format!(
                "port{n}: flags up, speed 1000\n    frames    bytes  lost\n     {} {}  {lost}\n",
                n * 37 + 1200,
                n * 911 + 40_000
            )
        };
        let text: String = (0..40).map(port).collect();
        let digest = check("portstat", &text);
        assert!(digest.contains("port21: flags up") && digest.contains(" 88123\n"), "{digest}");
    }
}
