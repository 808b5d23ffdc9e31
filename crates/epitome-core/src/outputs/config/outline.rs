//! The entries of a configuration as a tree, and how a block is told by its keys.

use std::collections::{HashMap, HashSet};

use super::entry::{Entry, Role};
use crate::outputs::cut_to_chars;
use crate::outputs::template::template;

/// A value that is shown beside its key.
const VALUE_CHARS: usize = 28;
/// What an item is called: a title is a sentence.
const NAME_CHARS: usize = 72;
/// The names of a block's keys are told up to this length.
const NAMES_CHARS: usize = 400;
/// So many names that differ in a number only are told by the first and the last.
const LIKE_NAMES: usize = 5;

/// The entries as a tree.
pub(super) struct Outline<'entries, 'text> {
    pub(super) entries: &'entries [Entry<'text>],
    parents: Vec<Option<usize>>,
    children: Vec<Vec<usize>>,
    /// Lines of values below each.
    values: Vec<usize>,
    /// Behind the last line of each.
    pub(super) ends: Vec<usize>,
}

impl<'entries, 'text> Outline<'entries, 'text> {
    pub(super) fn of(entries: &'entries [Entry<'text>]) -> Outline<'entries, 'text> {
        let count = entries.len();
        let mut outline = Outline {
            entries,
            parents: vec![None; count],
            children: vec![Vec::new(); count],
            values: vec![0; count],
            ends: (1..=count).collect(),
        };
        let mut open: Vec<usize> = Vec::new();
        for (index, entry) in entries.iter().enumerate() {
            match entry.role {
                Role::Key | Role::Item | Role::Section => {
                    open.truncate(entry.depth);
                    if let Some(parent) = open.last() {
                        outline.parents.get_mut(index).map(|own| own.replace(*parent));
                        outline.children.get_mut(*parent).into_iter().for_each(|children| children.push(index));
                    }
                    open.push(index);
                }
                Role::Value => {
                    open.last().and_then(|last| outline.values.get_mut(*last)).into_iter().for_each(|lines| *lines += 1)
                }
                Role::Nothing if entry.value == "---" => open.clear(),
                Role::Nothing | Role::Foreign => continue,
            }
            if let Some(last) = open.last() {
                outline.ends.get_mut(*last).into_iter().for_each(|end| *end = index + 1);
            }
        }
        // What is below the last key of a block is below the block.
        for index in (0..count).rev() {
            let end = outline.ends.get(index).copied().unwrap_or_default();
            let above = outline.parent(index).and_then(|above| outline.ends.get_mut(above));
            above.into_iter().for_each(|own| *own = end.max(*own));
        }
        outline
    }

    pub(super) fn parent(&self, index: usize) -> Option<usize> {
        self.parents.get(index).copied().flatten()
    }

    pub(super) fn children(&self, index: usize) -> &[usize] {
        self.children.get(index).map(Vec::as_slice).unwrap_or_default()
    }

    pub(super) fn entry(&self, index: usize) -> Option<&'entries Entry<'text>> {
        self.entries.get(index)
    }

    pub(super) fn is_block(&self, index: usize) -> bool {
        !self.children(index).is_empty()
    }

    /// Further lines of the value of an entry.
    pub(super) fn value_lines(&self, index: usize) -> usize {
        self.values.get(index).copied().unwrap_or_default()
    }

    pub(super) fn of_depth(&self, depth: usize) -> impl Iterator<Item = usize> + '_ {
        let entries = self.entries.iter().enumerate();
        let named = |entry: &Entry<'_>| matches!(entry.role, Role::Key | Role::Item | Role::Section);
        entries.filter(move |(_, entry)| named(entry) && entry.depth == depth).map(|(index, _)| index)
    }

    /// What is at the top of each document of several.
    pub(super) fn documents(&self) -> Vec<Vec<usize>> {
        let mut documents: Vec<Vec<usize>> = vec![Vec::new()];
        for (index, entry) in self.entries.iter().enumerate() {
            match entry.role {
                Role::Nothing if entry.value == "---" => documents.push(Vec::new()),
                Role::Key | Role::Item | Role::Section if entry.depth == 0 => {
                    documents.last_mut().into_iter().for_each(|document| document.push(index))
                }
                Role::Key | Role::Item | Role::Section | Role::Value | Role::Nothing | Role::Foreign => {}
            }
        }
        documents.retain(|document| !document.is_empty());
        documents
    }

    /// What an entry is called by its parent: its key, or of an item what names it.
    pub(super) fn name(&self, index: usize) -> String {
        let Some(entry) = self.entry(index) else { return String::new() };
        if entry.role != Role::Item {
            return entry.key.to_owned();
        }
        let names = |key: &str| matches!(key, "name" | "id" | "key" | "title" | "type" | "artifactId");
        if let Some((_, name)) = entry.attributes().find(|(name, _)| names(name)) {
            return cut_to_chars(name, NAME_CHARS);
        }
        let named = |entry: &&Entry<'_>| names(entry.key);
        let below = || self.children(index).iter().filter_map(|child| self.entry(*child));
        let deeper = || {
            let metadata = self.children(index).iter().flat_map(|child| self.children(*child));
            metadata.filter_map(|child| self.entry(*child)).find(|entry| entry.key == "name")
        };
        let first = Some(entry).filter(named).or_else(|| below().find(named)).or_else(deeper).unwrap_or(entry);
        let value = element_in(first.value, names).unwrap_or(first.value).trim_matches(['"', '\'']);
        if value.is_empty() { first.key.to_owned() } else { cut_to_chars(value, NAME_CHARS) }
    }

    /// `services.web`
    pub(super) fn path(&self, index: usize) -> String {
        let mut names = vec![self.name(index)];
        let mut at = index;
        while let Some(parent) = self.parent(at) {
            names.push(self.name(parent));
            at = parent;
        }
        names.reverse();
        names.join(".")
    }

    /// A block by its keys, with their values if they are short. The second: whether all values are told.
    pub(super) fn told(&self, index: usize, chars: usize) -> (String, bool) {
        let children = self.children(index);
        let is_list =
            children.first().and_then(|child| self.entry(*child)).is_some_and(|entry| entry.role == Role::Item);
        let joined = |names: &[String]| {
            let names = folded(names).join(", ");
            match self.entry(index).map(|entry| entry.role) {
                Some(Role::Section) => format!("[{}] {names}", self.name(index)),
                _ if is_list => format!("{}: [{names}]", self.name(index)),
                _ => format!("{}: {{{names}}}", self.name(index)),
            }
        };
        // More keys than characters have no room anyway.
        if children.len() <= chars {
            let full: Vec<String> = children.iter().map(|child| self.with_value(*child)).collect();
            let told = joined(&full);
            if told.chars().count() <= chars {
                return (told, self.has_short_values(children));
            }
        }
        let named = |child: usize| match self.entry(child).map(|entry| entry.key) {
            Some("name" | "title") => self.with_value(child),
            Some(_) | None => self.name(child),
        };
        let names: Vec<String> = folded(&children.iter().map(|child| named(*child)).collect::<Vec<_>>());
        (joined(&cut_names(names, NAMES_CHARS)), false)
    }

    /// All of a block on one line, if that is not longer than so many characters.
    pub(super) fn whole(&self, index: usize, chars: usize) -> Option<String> {
        let end = self.ends.get(index).copied()?;
        let mut told = String::new();
        let mut above = Vec::new();
        for line in index..end {
            let entry = self.entry(line)?;
            match entry.role {
                Role::Nothing => continue,
                Role::Value | Role::Foreign => return None,
                Role::Key | Role::Item | Role::Section => {}
            }
            while above.last().is_some_and(|depth| *depth >= entry.depth) {
                above.pop();
                told.push('}');
            }
            if !told.is_empty() && !told.ends_with('{') {
                told.push_str(", ");
            }
            let attributes = if entry.value == entry.attributes { "" } else { entry.attributes };
            let words = [entry.key, attributes, entry.value].into_iter().filter(|word| !word.is_empty());
            let words: Vec<&str> = words.collect();
            told.push_str(&match (words.as_slice(), entry.attributes.is_empty()) {
                ([key, value], true) => format!("{key}: {value}"),
                (words, _) => words.join(" "),
            });
            // The first key of an item stands on the line of the item.
            if self.is_block(line) && !(line == index && entry.role == Role::Item && entry.attributes.is_empty()) {
                told.push_str(" {");
                above.push(entry.depth);
            }
            if told.len() > chars {
                return None;
            }
        }
        above.iter().for_each(|_| told.push('}'));
        Some(told)
    }

    /// The item of a list, or the element, that an entry is or stands in.
    pub(super) fn item_around(&self, index: usize) -> Option<usize> {
        let mut at = index;
        loop {
            if self.entry(at)?.role == Role::Item && self.is_block(at) {
                return Some(at);
            }
            at = self.parent(at)?;
        }
    }

    fn with_value(&self, child: usize) -> String {
        let name = self.name(child);
        let Some(entry) = self.entry(child) else { return name };
        let value = entry.value.split(" #").next().unwrap_or_default().trim();
        let short = value.chars().count() <= VALUE_CHARS && self.value_lines(child) == 0;
        if entry.role != Role::Item && !self.is_block(child) && short { format!("{name}: {value}") } else { name }
    }

    fn is_short(&self, index: usize) -> bool {
        let short = self.entry(index).is_some_and(|entry| entry.value.chars().count() <= VALUE_CHARS);
        short && self.value_lines(index) == 0
    }

    fn has_short_values(&self, children: &[usize]) -> bool {
        children.iter().all(|child| self.is_block(*child) || self.is_short(*child))
    }
}

/// Of elements within one line, the first whose name is one of those: `<title>News</title><link>…`.
fn element_in(line: &str, names: impl Fn(&str) -> bool) -> Option<&str> {
    line.split('<').find_map(|tag| tag.split_once('>').filter(|(name, _)| names(name)).map(|(_, value)| value))
}

/// Names up to a length, and how many more there are.
pub(super) fn cut_names(names: Vec<String>, chars: usize) -> Vec<String> {
    let mut room = chars;
    let all = names.len();
    let fits = |name: &String| {
        let left = room.checked_sub(name.len() + 2);
        room = left.unwrap_or_default();
        left.is_some()
    };
    let mut shown: Vec<String> = names.into_iter().take_while(fits).collect();
    if shown.len() < all {
        shown.push(format!("… {} more", all - shown.len()));
    }
    shown
}

/// `server, server, server` is `server 3×`, and `key1, key2, … key90` is `key1…key90`.
pub(super) fn folded(names: &[String]) -> Vec<String> {
    let repeats = names.chunk_by(|one, next| one == next).map(|run| match run {
        [name] => name.clone(),
        [name, ..] => format!("{name} {}×", run.len()),
        [] => String::new(),
    });
    let once: Vec<String> = repeats.collect();
    let counted = |name: &String| name.bytes().any(|byte| byte.is_ascii_digit());
    let forms: Vec<Option<String>> = once.iter().map(|name| counted(name).then(|| like(name))).collect();
    // Of each form how many there are, and the last of them.
    let mut of_form: HashMap<&str, (usize, &str)> = HashMap::new();
    for (name, form) in once.iter().zip(&forms).filter_map(|(name, form)| Some((name, form.as_deref()?))) {
        let (count, last) = of_form.entry(form).or_default();
        (*count, *last) = (*count + 1, name);
    }
    let mut told: HashSet<&str> = HashSet::new();
    let mut shown: Vec<String> = Vec::new();
    for (name, form) in once.iter().zip(&forms) {
        let many = form
            .as_deref()
            .and_then(|form| Some((form, of_form.get(form)?)))
            .filter(|(_, (count, _))| *count >= LIKE_NAMES);
        match many {
            Some((form, (count, last))) if told.insert(form) => shown.push(format!("{name}…{last} ({count})")),
            Some(_) => {}
            None => shown.push(name.clone()),
        }
    }
    shown
}

/// A name with its numbers left open, also those that stand right behind a letter.
pub(super) fn like(name: &str) -> String {
    // Most names are a word with a number behind it, and there may be very many of them.
    let word = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let plain = word.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    if plain && word.bytes().any(|byte| matches!(byte.to_ascii_lowercase(), b'g'..=b'z')) {
        return if word.len() < name.len() { format!("{word}0") } else { name.to_owned() };
    }
    let open: String = name.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    let mut shape = String::with_capacity(open.len());
    template(&open).chars().for_each(|c| {
        if !(c == '0' && shape.ends_with('0')) {
            shape.push(c);
        }
    });
    shape
}
