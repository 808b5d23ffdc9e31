//! Which outputs were read again later: the newest reading of a file is the one that counts.

use std::collections::{BTreeMap, HashMap};

use xxhash_rust::xxh3::xxh3_128;

use crate::arguments::{CallKind, PATH_KEYS, string_argument};
use crate::outputs::{ToolOutput, has_errors_of};

/// Where an output stands: message and block.
pub(super) type Place = (usize, usize);

/// Openings of commands that only show a file.
const SHOWING: &[&str] = &["cat ", "sed -n ", "nl ", "head ", "tail ", "bat "];

/// The places whose output a later one repeats: the same file read again, or the same call with the very same text. A
/// reading that had an error which the later one has not is no repeat.
pub(super) fn superseded<'a>(
    outputs: impl DoubleEndedIterator<Item = (Place, &'a ToolOutput)>,
) -> BTreeMap<Place, Place> {
    let mut newest: HashMap<u128, (Place, &ToolOutput)> = HashMap::new();
    let mut superseded = BTreeMap::new();
    for (place, output) in outputs.rev() {
        let source = file_read(output).unwrap_or_else(|| format!("{}\0{}", output.tool, output.arguments));
        let content = name(&source, &output.text);
        let named = [Some(content), part_read(output), whole_file(output).map(|path| name(&path, "whole"))];
        // A part of a file is in a later reading of the whole.
        let file = file_read(output).map(|path| name(&path, "whole"));
        let later = named.iter().flatten().chain(&file).find_map(|name| newest.get(name));
        match later.filter(|(_, later)| has_errors_of(&later.text, &output.text)) {
            Some((later, _)) => {
                superseded.insert(place, *later);
            }
            None => named.into_iter().flatten().for_each(|name| {
                newest.entry(name).or_insert((place, output));
            }),
        }
    }
    superseded
}

fn name(what: &str, part: &str) -> u128 {
    xxh3_128(format!("{what}\0{part}").as_bytes())
}

/// The same call again, if it only reads.
fn part_read(output: &ToolOutput) -> Option<u128> {
    file_read(output).map(|_| name(&output.tool, &output.arguments))
}

/// The file that a call reads.
fn file_read(output: &ToolOutput) -> Option<String> {
    if output.is_error {
        return None;
    }
    match CallKind::of(&output.tool) {
        CallKind::Reads => {
            // A search in a file is not a reading of it.
            let searches = string_argument(&output.arguments, &["pattern", "query", "regex"]).is_some();
            let path =
                string_argument(&output.arguments, PATH_KEYS).or(string_argument(&output.arguments, &["filePath"]));
            path.filter(|_| !searches).map(|path| path.into_owned())
        }
        CallKind::Runs => {
            let command = string_argument(&output.arguments, &["command", "cmd"])?;
            let shows = SHOWING.iter().any(|opening| command.starts_with(opening));
            let plain = !command.contains(['|', ';', '>', '&', '$', '*', '\n']);
            let path = command.split_whitespace().last()?;
            (shows && plain).then(|| path.trim_matches(['\'', '"']).to_owned())
        }
        CallKind::Writes => None,
    }
}

/// The file, if all of it is read.
fn whole_file(output: &ToolOutput) -> Option<String> {
    let partial = ["\"offset\"", "\"limit\"", "range", "\"start", "\"end", "sed -n", "head ", "tail "];
    file_read(output).filter(|_| !partial.iter().any(|part| output.arguments.contains(part)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(calls: &[(&str, &str, &str)], expected: &[(usize, usize)]) {
        let output = |(tool, arguments, text): &(&str, &str, &str)| ToolOutput::of_call(tool, arguments, text);
        let outputs: Vec<ToolOutput> = calls.iter().map(output).collect();
        let found = superseded(outputs.iter().enumerate().map(|(index, output)| ((index, 0), output)));
        let found: Vec<(usize, usize)> = found.into_iter().map(|((old, _), (new, _))| (old, new)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn an_older_reading_of_a_file_gives_way_to_a_newer_one() {
        check(
            &[
                ("Read", r#"{"file_path":"a.rs","offset":10}"#, "a part"),
                ("Read", r#"{"file_path":"a.rs"}"#, "old"),
                ("Read", r#"{"file_path":"b.rs"}"#, "other"),
                ("Read", r#"{"file_path":"a.rs"}"#, "new"),
                ("Read", r#"{"file_path":"b.rs","offset":10}"#, "a part of b"),
            ],
            &[(0, 3), (1, 3)],
        );
        check(&[("bash", r#"{"command":"cat x.py"}"#, "1"), ("bash", r#"{"command":"cat x.py"}"#, "2")], &[(0, 1)]);
    }

    #[test]
    fn the_same_command_again_is_another_result() {
        check(&[("bash", r#"{"command":"make"}"#, "1 error"), ("bash", r#"{"command":"make"}"#, "done")], &[]);
        check(&[("Grep", r#"{"path":"a","pattern":"x"}"#, "1"), ("Grep", r#"{"path":"a","pattern":"y"}"#, "2")], &[]);
    }

    #[test]
    fn the_same_text_again_is_a_repeat_of_the_same_call_alone() {
        check(&[("bash", "{}", "same"), ("bash", "{}", "same")], &[(0, 1)]);
        check(&[("bash", "{}", "same"), ("Read", r#"{"file_path":"a"}"#, "same")], &[]);
        check(&[("Read", r#"{"file_path":"b"}"#, "same"), ("Read", r#"{"file_path":"a"}"#, "same")], &[]);
    }

    #[test]
    fn an_error_that_is_gone_from_a_later_reading_stays() {
        let log = r#"{"file_path":"app.log"}"#;
        let (old, new) = ("INFO start\nERROR disk is full\n", "INFO start\nINFO done\n");
        check(&[("Read", log, old), ("Read", log, new)], &[]);
        check(&[("Read", log, old), ("Read", log, "INFO again\nERROR disk is full\n")], &[(0, 1)]);
    }
}
