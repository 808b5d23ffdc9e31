//! A browser's tree of a page: one role and name on each line.

use std::collections::BTreeMap;

use super::super::reading::{Events, Finding, Piece, Rank, Reading};
use super::super::{cut_to_chars, events};
use crate::tokens::Tokens;

/// Lines looked at before the output is taken for a tree.
const SAMPLE: usize = 80;
/// So many names of one role are told.
const NAMES: usize = 12;
/// A name longer than this is cut.
const NAME_CHARS: usize = 40;

/// Reads a tree; `None` if the output is none.
pub(super) fn read(text: &str) -> Option<Reading> {
    is_snapshot(text).then(|| tree(text))
}

fn is_snapshot(text: &str) -> bool {
    let nodes = || text.lines().skip_while(|line| Node::of(line).is_none());
    let (mut lines, mut referred) = (0, 0);
    for line in nodes().take(SAMPLE).filter(|line| !line.trim().is_empty()) {
        lines += 1;
        let known = Node::of(line).is_some_and(|node| ROLES.binary_search(&node.role).is_ok());
        referred +=
            usize::from(known && (line.contains("[ref=") || line.contains('"')) || line.contains("[unchanged]"));
    }
    lines >= 4 && referred * 2 >= lines
}

const ROLES: &[&str] = &[
    "alert",
    "alertdialog",
    "article",
    "banner",
    "button",
    "cell",
    "checkbox",
    "columnheader",
    "combobox",
    "complementary",
    "contentinfo",
    "dialog",
    "document",
    "form",
    "generic",
    "grid",
    "gridcell",
    "group",
    "heading",
    "iframe",
    "img",
    "link",
    "list",
    "listbox",
    "listitem",
    "log",
    "main",
    "menu",
    "menubar",
    "menuitem",
    "navigation",
    "option",
    "paragraph",
    "progressbar",
    "radio",
    "region",
    "row",
    "rowgroup",
    "rowheader",
    "search",
    "searchbox",
    "separator",
    "slider",
    "spinbutton",
    "status",
    "switch",
    "tab",
    "table",
    "tablist",
    "tabpanel",
    "text",
    "textbox",
    "toolbar",
    "tooltip",
    "tree",
    "treeitem",
];

/// `- role "name" [ref=e1]: words`
struct Node<'line> {
    role: &'line str,
    name: &'line str,
    words: &'line str,
}

impl Node<'_> {
    fn of(line: &str) -> Option<Node<'_>> {
        let line = line.trim_start().strip_prefix("- ")?;
        let line = line.strip_prefix("<changed> ").unwrap_or(line);
        let role = line.bytes().take_while(u8::is_ascii_lowercase).count();
        let (role, rest) = line.split_at_checked(role)?;
        let starts = rest.is_empty() || rest.starts_with([' ', ':']);
        if role.is_empty() || !starts {
            return None;
        }
        let rest = rest.trim_start();
        let name = rest.strip_prefix('"').and_then(|name| name.find('"').and_then(|end| name.get(..end)));
        let behind = name.map_or(rest, |name| rest.get(name.len() + 2..).unwrap_or_default());
        let words = behind.split_once(": ").map(|(_, words)| words.trim()).unwrap_or_default();
        Some(Node { role, name: name.unwrap_or_default(), words })
    }
}

fn tree(text: &str) -> Reading {
    let mut reading = Reading::of_lines(text);
    // Labels speak of errors without reporting them; alerts and consoles report them.
    reading.events = Events::Quiet;
    let mut names: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for piece in &mut reading.pieces {
        let line = piece.text(text);
        let Some(node) = Node::of(line) else {
            rank_around(piece, line);
            continue;
        };
        *counts.entry(node.role).or_default() += 1;
        let said = if node.name.is_empty() { node.words } else { node.name };
        if ["button", "link", "tab", "menuitem"].contains(&node.role) && !said.is_empty() {
            let known = names.entry(node.role).or_default();
            if known.len() < NAMES && !known.contains(&said) {
                known.push(said);
            }
        }
        piece.full = Some(shown(line));
        piece.rank = match node.role {
            "alert" | "alertdialog" if !said.is_empty() => Rank::Finding(Finding::Error),
            _ if said.is_empty() => Rank::Told,
            "heading" => Rank::Telling(0),
            "dialog" | "status" | "log" => Rank::Telling(1),
            "textbox" | "searchbox" | "combobox" | "checkbox" | "radio" | "switch" | "spinbutton" | "slider" => {
                Rank::Telling(2)
            }
            _ if events::severity(said).is_some() => Rank::Telling(1),
            "button" | "link" | "tab" | "menuitem" | "img" | "listitem" => Rank::Told,
            _ => Rank::Ordinary,
        };
    }
    let total: usize = counts.values().sum();
    reading.say(format!("{} nodes", Tokens(total as u64)));
    for (role, known) in names {
        let count = counts.get(role).copied().unwrap_or_default();
        let list: Vec<String> = known.iter().map(|name| cut_to_chars(name, NAME_CHARS)).collect();
        reading.say(format!("{count} {role}{}: {}", if count == 1 { "" } else { "s" }, list.join(", ")));
    }
    reading
}

/// What stands before and behind the tree: where the page is, what the console said.
fn rank_around(piece: &mut Piece, line: &str) {
    let trimmed = line.trim();
    let words = trimmed.trim_start_matches(['-', ' ']);
    if trimmed.starts_with("```") || trimmed.starts_with("### ") {
        // What the tool wrote around the tree is no line of it.
        piece.units = 0;
    }
    piece.rank = match () {
        () if words.starts_with("Page URL") || words.starts_with("Page Title") => Rank::Frame,
        () if words.starts_with("Console:") => Rank::Telling(0),
        () if trimmed.is_empty() || trimmed.starts_with("```") || trimmed.starts_with('#') => Rank::Told,
        // Where a link leads is seldom asked.
        () if words.starts_with('/') || words.contains("[unchanged]") => Rank::Told,
        () => events::severity(line).map_or(Rank::Ordinary, Rank::Finding),
    };
}

/// Without what only a browser needs.
fn shown(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    let mut rest = line.trim().trim_start_matches("- ");
    while let Some(at) = rest.find(" [") {
        let (before, bracket) = rest.split_at(at);
        let end = bracket.find(']').map_or(bracket.len(), |end| end + 1);
        let inner = bracket.get(..end).unwrap_or_default();
        shown.push_str(before);
        if !(inner.starts_with(" [cursor=") || inner.starts_with(" [level=") || inner.starts_with(" [ref=")) {
            shown.push_str(inner);
        }
        rest = bracket.get(end..).unwrap_or_default();
    }
    shown.push_str(rest);
    cut_to_chars(&shown, 200)
}
