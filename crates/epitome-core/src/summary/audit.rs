//! What a model claims must be in its sources: every path, address, identifier and number of a summary is looked up.
//!
//! What is found nowhere is marked in its place with [`MARK`]. A mark survives: whatever follows it in a later source
//! counts as unverified there too, so that a summary cannot vouch for its own invention one compaction later. The text is
//! read once and the sources are searched once, for all claims together.

mod claims;
mod silence;

use std::collections::HashMap;

use aho_corasick::AhoCorasick;
use serde::Serialize;

use super::SummaryRequest;
use super::redaction::is_escape;
use super::template::close_of;
use super::tidy::LEGEND;
use crate::model::{Block, Message};
use claims::{Claim, Kind, claims_in};
pub use silence::names_nothing;

/// Stands behind what was not found in the sources.
pub const MARK: &str = "(?)";

/// What came of looking everything up.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Audit {
    /// How many different things were looked up.
    pub checked: usize,
    /// What was not found, in the order in which it is said.
    pub unverified: Vec<String>,
}

/// A body that was looked over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Audited {
    /// With marks, and a line that says what they mean if there are any.
    pub body: String,
    /// What was found.
    pub audit: Audit,
}

impl Audit {
    /// Whether most of what is said stands nowhere: such a summary is worse than none.
    pub fn is_invented(&self) -> bool {
        /// Too few to judge by.
        const FEW: usize = 8;
        self.checked >= FEW && 2 * self.unverified.len() > self.checked
    }
}

/// Looks up everything that `body` claims in what `request` was made of.
pub fn audit(request: &SummaryRequest, body: &str) -> Audited {
    let body = body.replace(MARK, "");
    let places = places_to_look(&body);
    let mut claims: Vec<Claim> = Vec::new();
    let mut known: HashMap<(&str, bool), usize> = HashMap::new();
    let mut said: Vec<(usize, usize)> = Vec::new();
    for (start, text) in places {
        for (end, claim) in claims_in(text) {
            let number = *known.entry((claim.text, claim.is_cut)).or_insert_with(|| {
                claims.push(claim.clone());
                claims.len() - 1
            });
            said.push((start + end, number));
        }
    }
    let verified = look_up(&claims, request);
    let unverified: Vec<String> =
        claims.iter().zip(&verified).filter(|(_, found)| !**found).map(|(claim, _)| claim.text.to_owned()).collect();
    let audit = Audit { checked: claims.len(), unverified };
    let marked = said.into_iter().filter(|(_, claim)| verified.get(*claim) == Some(&false)).map(|(end, _)| end);
    let body = if audit.unverified.is_empty() { body.clone() } else { mark(&body, marked) };
    Audited { body, audit }
}

/// Without the last lines that carry marks, as many as must go until `fits` says so.
pub fn without_marked_lines(body: &str, fits: impl Fn(&str) -> bool) -> String {
    let mut lines: Vec<&str> = body.lines().collect();
    loop {
        let joined = lines.join("\n") + "\n";
        let last = lines.iter().rposition(|line| line.contains(MARK) && *line != LEGEND);
        match last {
            Some(at) if !fits(&joined) => {
                lines.remove(at);
            }
            Some(_) => return joined,
            None => return joined.replace(&format!("{LEGEND}\n"), ""),
        }
    }
}

/// Everything but headings and requests, which are not the model's words: (start, text).
fn places_to_look(body: &str) -> Vec<(usize, &str)> {
    let mut places = Vec::new();
    let mut in_request: Option<String> = None;
    let mut start = 0;
    for line in body.split_inclusive('\n') {
        let text = line.trim_end();
        match &in_request {
            Some(close) if text == close => in_request = None,
            Some(_) => {}
            None => {
                in_request = close_of(text).map(|(_, close)| close);
                if in_request.is_none() && !text.starts_with('#') {
                    places.push((start, line));
                }
            }
        }
        start += line.len();
    }
    places
}

/// Puts marks behind the claims that end at `ends`, which are in order.
fn mark(body: &str, ends: impl Iterator<Item = usize>) -> String {
    let mut marked = String::with_capacity(body.len() + body.len() / 16);
    let mut done = 0;
    for end in ends {
        // A closing quote belongs to what it quotes.
        let quotes = body.as_bytes().get(end..).unwrap_or_default();
        let end = end + quotes.iter().take(1).filter(|byte| b"`\"'".contains(byte)).count();
        marked.push_str(body.get(done..end).unwrap_or_default());
        marked.push_str(MARK);
        done = end;
    }
    marked.push_str(body.get(done..).unwrap_or_default());
    if !marked.ends_with('\n') {
        marked.push('\n');
    }
    marked.push_str(LEGEND);
    marked.push('\n');
    marked
}

/// Which claims stand somewhere in the sources.
fn look_up(claims: &[Claim<'_>], request: &SummaryRequest) -> Vec<bool> {
    let mut patterns: Vec<String> = Vec::new();
    // Whether only the beginning is known.
    let mut is_cut: Vec<bool> = Vec::new();
    let mut number_of: HashMap<(String, bool), usize> = HashMap::new();
    // For each claim its ways of being verified; for each way the patterns of which all must be found.
    let ways: Vec<Vec<Vec<usize>>> = claims
        .iter()
        .map(|claim| {
            let ways = claim.ways().into_iter();
            let number = |pattern: String| {
                *number_of.entry((pattern.to_lowercase(), claim.is_cut)).or_insert_with_key(|(pattern, cut)| {
                    patterns.push(pattern.clone());
                    is_cut.push(*cut);
                    patterns.len() - 1
                })
            };
            let mut number = number;
            ways.map(|way| way.into_iter().map(&mut number).collect()).collect()
        })
        .collect();
    let Ok(finder) = AhoCorasick::builder().ascii_case_insensitive(true).build(&patterns) else {
        // More patterns than can be searched for: nothing can be said of any.
        return vec![true; claims.len()];
    };
    let mut found = vec![false; patterns.len()];
    for source in sources(request) {
        search(&finder, &is_cut, source, &mut found);
    }
    let is_found = |pattern: &usize| found.get(*pattern) == Some(&true);
    ways.iter().map(|ways| ways.iter().any(|way| way.iter().all(is_found))).collect()
}

fn search(finder: &AhoCorasick, is_cut: &[bool], source: &str, found: &mut [bool]) {
    let bytes = source.as_bytes();
    for hit in finder.find_overlapping_iter(source) {
        let Some(slot) = found.get_mut(hit.pattern().as_usize()).filter(|slot| !**slot) else { continue };
        let kind = match is_cut.get(hit.pattern().as_usize()) {
            Some(true) => Kind::Hash,
            Some(false) | None => Kind::of_bytes(bytes.get(hit.start()..hit.end()).unwrap_or_default()),
        };
        *slot = stands_alone(bytes, hit.start(), hit.end(), kind) && !is_marked(bytes, hit.end());
    }
}

/// Whether what was found is a word of its own: 42 does not stand in 1420, nor `get` in `getUser`.
fn stands_alone(bytes: &[u8], start: usize, end: usize, kind: Kind) -> bool {
    let at = |index: Option<usize>| index.and_then(|index| bytes.get(index)).copied().unwrap_or(b' ');
    let (before, after) = (at(start.checked_sub(1)), at(Some(end)));
    match kind {
        Kind::Number => {
            let groups_before = before == b',' && at(start.checked_sub(2)).is_ascii_digit();
            let groups_after = after == b',' && at(Some(end + 1)).is_ascii_digit();
            !before.is_ascii_digit() && !after.is_ascii_digit() && !groups_before && !groups_after
        }
        // What is cited by its beginning may go on.
        Kind::Hash => {
            !is_name(before)
                || opens(bytes, start)
                || start.checked_sub(1).is_some_and(|before| is_escape(bytes, before))
        }
        Kind::Path | Kind::Address | Kind::Identifier => {
            let escaped = start.checked_sub(1).is_some_and(|before| is_escape(bytes, before));
            (opens(bytes, start) || !is_name(before) || escaped) && !is_name(after)
        }
    }
}

/// Whether it opens with what parts words anyway: `/usr`, `--all`.
fn opens(bytes: &[u8], start: usize) -> bool {
    bytes.get(start).is_some_and(|byte| !is_name(*byte))
}

fn is_marked(bytes: &[u8], end: usize) -> bool {
    let after = bytes.get(end..).unwrap_or_default();
    let after = after.strip_prefix(b"`").or(after.strip_prefix(b"\"")).or(after.strip_prefix(b"'")).unwrap_or(after);
    after.starts_with(MARK.as_bytes())
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Everything the model could have read. A model that was asked behind the conversation itself has read what stays, too.
fn sources(request: &SummaryRequest) -> impl Iterator<Item = &str> {
    let told = request.previous.as_deref().into_iter().chain(request.focus.as_deref());
    told.chain(request.messages.iter().chain(&request.stays).flat_map(texts))
}

fn texts(message: &Message) -> Vec<&str> {
    let mut texts = Vec::new();
    for block in &message.blocks {
        match block {
            Block::Text(text) | Block::Thinking(text) => texts.push(&**text),
            Block::ToolCall(call) => texts.extend([&*call.name, &*call.arguments]),
            Block::ToolResult(result) => {
                texts.extend(result.content.iter().filter_map(Block::as_text).map(|text| &**text))
            }
            Block::Media(_) => {}
            Block::Opaque(opaque) => texts.push(&opaque.text),
        }
    }
    texts
}

#[cfg(test)]
mod tests;
