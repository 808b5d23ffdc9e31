//! Every large output of recorded sessions, digested: how many of each kind, what is saved, what was refused, how long.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use epitome_core::arguments::describe;
use epitome_core::model::Pairing;
use epitome_core::outputs::{self, Digest, Interest, Kept, Readings, Room, ToolOutput};
use epitome_core::tokens::{BpeCounter, TokenCounter, Tokens};
use epitome_wire::{DuplicateKeys, Format, Request};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

use super::saved;
use crate::arguments::Common;
use crate::commands::{print, print_json, say};
use crate::failure::{Failure, LEFT_OUT};
use crate::files;
use crate::progress::Progress;
use crate::table::{Column, rows};
use crate::units::counted;

/// An output and what became of it.
struct Digested {
    session: String,
    message: usize,
    call: String,
    before: Tokens,
    after: Tokens,
    bytes: usize,
    cpu: Duration,
    digest: Option<Digest>,
    kind: &'static str,
}

/// Digests the outputs of the sessions above a size.
pub(super) fn run(
    sessions: &[PathBuf],
    above: Tokens,
    room: Option<Tokens>,
    interest: &Interest,
    common: &Common,
) -> Result<ExitCode, Failure> {
    let progress = Progress::start(format!("digesting the outputs of {}", counted(sessions.len() as u64, "session")));
    let mut digested = Vec::new();
    let (mut read, mut code) = (0, ExitCode::SUCCESS);
    for path in sessions {
        match outputs_of(path) {
            Ok(outputs) => {
                read += 1;
                digested.extend(outputs.into_iter().filter_map(|found| digest(found, above, room, interest)));
            }
            Err(failure) if sessions.len() > 1 => {
                say(&format!("warning: left out: {failure}"));
                code = ExitCode::from(LEFT_OUT);
            }
            Err(failure) => return Err(failure),
        }
    }
    drop(progress);
    if common.json {
        print_json(&as_json(read, &digested))?;
    } else if digested.is_empty() {
        let (read, above) = (counted(read as u64, "session"), counted(above.0, "token"));
        print(&format!("no output of {read} has more than {above}\n"))?;
    } else {
        print(&as_table(&digested))?;
    }
    Ok(code)
}

struct Found {
    session: String,
    message: usize,
    output: ToolOutput,
}

fn outputs_of(path: &Path) -> Result<Vec<Found>, Failure> {
    let (name, bytes) = files::read(Some(path))?;
    let request = Request::read(bytes, Format::Detect, DuplicateKeys::Refuse);
    let request = request.map_err(|error| Failure::unreadable(&name, &error))?;
    let messages = &request.conversation().messages;
    let pairing = Pairing::of(messages);
    let found = |place: (usize, usize)| {
        let output = ToolOutput::at(messages, &pairing, place)?;
        Some(Found { session: name.clone(), message: place.0, output })
    };
    Ok(ToolOutput::places(messages).filter_map(found).collect())
}

fn digest(found: Found, above: Tokens, room: Option<Tokens>, interest: &Interest) -> Option<Digested> {
    let Found { session, message, output } = found;
    let before = BpeCounter.count(&output.text);
    if before <= above || output.is_shortened() {
        return None;
    }
    let readings = Readings::default();
    let start = cpu_time();
    let room = room.map_or_else(|| Room::usual(before), Room::AtMost);
    let digest = outputs::digest(&output, room, interest, &BpeCounter, &readings);
    let cpu = cpu_time().saturating_sub(start);
    let kind = match &digest {
        Some(digest) => digest.kind,
        None => outputs::kind(&output, &readings),
    };
    let after = digest.as_ref().map_or(before, |digest| BpeCounter.count(&digest.text));
    let call = describe(&output.tool, &output.arguments, 60);
    Some(Digested { session, message, call, before, after, bytes: output.text.len(), cpu, digest, kind })
}

/// Of this thread: other processes of a shared machine do not count.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// What the outputs of one kind come to.
struct Sum {
    outputs: usize,
    before: Tokens,
    after: Tokens,
    median_saved: f64,
    large_saved: Option<f64>,
    must_keep: Kept,
    words: Kept,
    made_larger: usize,
    left_alone: usize,
    cpu: Duration,
    slowest: Duration,
    bytes: usize,
}

/// From this size on, an output is large.
const LARGE: Tokens = Tokens(3_000);

impl Sum {
    fn of(digested: &[&Digested]) -> Sum {
        let median = |mut values: Vec<f64>| {
            values.sort_by(f64::total_cmp);
            values.get(values.len() / 2).copied()
        };
        let saving = |one: &&&Digested| saved(one.before, one.after);
        let mut sum = Sum {
            outputs: digested.len(),
            before: digested.iter().map(|one| one.before).sum(),
            after: digested.iter().map(|one| one.after).sum(),
            median_saved: median(digested.iter().map(|one| saving(&one)).collect()).unwrap_or_default(),
            large_saved: median(digested.iter().filter(|one| one.before >= LARGE).map(|one| saving(&one)).collect()),
            must_keep: Kept::default(),
            words: Kept::default(),
            made_larger: 0,
            left_alone: digested.iter().filter(|one| one.digest.is_none()).count(),
            cpu: digested.iter().map(|one| one.cpu).sum(),
            slowest: digested.iter().map(|one| one.cpu).max().unwrap_or_default(),
            bytes: digested.iter().map(|one| one.bytes).sum(),
        };
        for digest in digested.iter().filter_map(|one| one.digest.as_ref()) {
            let loss = &digest.loss;
            for kept in [loss.errors, loss.failures] {
                sum.must_keep = Kept { kept: sum.must_keep.kept + kept.kept, of: sum.must_keep.of + kept.of };
            }
            sum.words = Kept { kept: sum.words.kept + loss.words.kept, of: sum.words.of + loss.words.of };
            sum.made_larger += usize::from(digest.refused > 0);
        }
        sum
    }

    fn milliseconds(time: Duration) -> f64 {
        time.as_secs_f64() * 1e3
    }

    fn cells(&self, kind: &str) -> Vec<String> {
        let number = |number: usize| Tokens(number as u64).to_string();
        vec![
            kind.to_owned(),
            number(self.outputs),
            self.before.to_string(),
            self.after.to_string(),
            format!("{:.1} %", saved(self.before, self.after)),
            format!("{:.1} %", self.median_saved),
            self.large_saved.map_or("–".to_owned(), |saved| format!("{saved:.1} %")),
            format!("{}/{}", number(self.must_keep.kept), number(self.must_keep.of)),
            format!("{:.0} %", 100.0 * self.words.kept as f64 / self.words.of.max(1) as f64),
            number(self.made_larger),
            number(self.left_alone),
            format!("{:.2} ms", Self::milliseconds(self.cpu) / self.outputs.max(1) as f64),
            format!("{:.1} ms", Self::milliseconds(self.slowest)),
        ]
    }

    fn as_json(&self) -> Value {
        json!({
            "outputs": self.outputs,
            "tokens_before": self.before,
            "tokens_after": self.after,
            "saved_percent": saved(self.before, self.after),
            "median_saved_percent": self.median_saved,
            "median_saved_percent_of_large": self.large_saved,
            "errors_and_failures": self.must_keep,
            "words": self.words,
            "made_larger": self.made_larger,
            "left_alone": self.left_alone,
            "cpu_ms": Self::milliseconds(self.cpu),
            "slowest_cpu_ms": Self::milliseconds(self.slowest),
            "bytes": self.bytes,
        })
    }
}

fn by_kind(digested: &[Digested]) -> Vec<(&'static str, Sum)> {
    let mut kinds: BTreeMap<&'static str, Vec<&Digested>> = BTreeMap::new();
    digested.iter().for_each(|one| kinds.entry(one.kind).or_default().push(one));
    let mut sums: Vec<(&str, Sum)> = kinds.into_iter().map(|(kind, digested)| (kind, Sum::of(&digested))).collect();
    sums.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.before));
    sums
}

fn as_table(digested: &[Digested]) -> String {
    let heading = [
        "kind", "outputs", "tokens", "after", "saved", "median", "large", "findings", "words", "larger", "as is",
        "CPU each", "slowest",
    ];
    let mut cells = vec![heading.map(str::to_owned).to_vec()];
    cells.extend(by_kind(digested).iter().map(|(kind, sum)| sum.cells(kind)));
    cells.push(Sum::of(&digested.iter().collect::<Vec<_>>()).cells("all"));
    let mut columns = vec![Column::Right; heading.len()];
    if let Some(first) = columns.first_mut() {
        *first = Column::Left;
    }
    let mut lines = rows(&columns, &cells);
    lines.push(format!(
        "\nmedian: of what each output saves; large: of those from {LARGE} tokens on; findings: errors and failures kept;\n\
         larger: digests that would have lost one and were made larger; as is: outputs that stay as they were"
    ));
    lines.push(String::new());
    lines.join("\n")
}

fn as_json(sessions: usize, digested: &[Digested]) -> Value {
    let kinds = by_kind(digested).iter().map(|(kind, sum)| ((*kind).to_owned(), sum.as_json())).collect();
    let each: Vec<Value> = digested
        .iter()
        .map(|one| {
            json!({
                "session": one.session,
                "message": one.message,
                "call": one.call,
                "kind": one.kind,
                "tokens_before": one.before,
                "tokens_after": one.after,
                "loss": one.digest.as_ref().map(|digest| digest.loss),
                "refused": one.digest.as_ref().map(|digest| digest.refused),
                "cpu_ms": Sum::milliseconds(one.cpu),
            })
        })
        .collect();
    json!({
        "sessions": sessions,
        "kinds": Value::Object(kinds),
        "all": Sum::of(&digested.iter().collect::<Vec<_>>()).as_json(),
        "outputs": each,
    })
}
