//! The headings of a summary (M9), and reading a summary back into them.

/// The sections, in the order in which they are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    /// What the person wants.
    Goal,
    /// What holds for everything that is done.
    Constraints,
    /// What was done.
    Done,
    /// What was being done.
    InProgress,
    /// What stands in the way.
    Blocked,
    /// What was decided, and why.
    Decisions,
    /// Files read, written, made.
    Files,
    /// What comes next.
    NextSteps,
    /// Values, errors, settings.
    Critical,
}

impl Section {
    /// All of them, in order.
    pub const ALL: [Section; 9] = [
        Section::Goal,
        Section::Constraints,
        Section::Done,
        Section::InProgress,
        Section::Blocked,
        Section::Decisions,
        Section::Files,
        Section::NextSteps,
        Section::Critical,
    ];

    /// The literal heading.
    pub fn heading(self) -> &'static str {
        match self {
            Section::Goal => "## Goal",
            Section::Constraints => "## Constraints & Preferences",
            Section::Done => "### Done",
            Section::InProgress => "### In Progress",
            Section::Blocked => "### Blocked",
            Section::Decisions => "## Key Decisions",
            Section::Files => "## Relevant Files",
            Section::NextSteps => "## Next Steps",
            Section::Critical => "## Critical Context",
        }
    }
}

/// Above the three sections of progress.
pub const PROGRESS: &str = "## Progress";
/// Said in a section that has nothing to say.
pub const NOTHING: &str = "(none)";

/// Above what the local summariser adds to a model's summary. What stands below it has no heading of its own: the next
/// `## ` begins another summary.
pub const KEPT: &str = "### Kept from the transcript";

/// Whose words stand between tags, kept line for line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fence {
    /// What a person asked for last.
    Request,
    /// What a person asked for before.
    EarlierRequest,
    /// What a harness said in a person's place.
    Harness,
}

impl Fence {
    const ALL: [Fence; 3] = [Fence::Request, Fence::EarlierRequest, Fence::Harness];

    fn name(self) -> &'static str {
        match self {
            Fence::Request => "request",
            Fence::EarlierRequest => "earlier-request",
            Fence::Harness => "put-in-by-the-harness",
        }
    }

    /// `words` between tags that do not stand in them.
    pub fn around(self, words: &str) -> String {
        let name = self.name();
        let is_free = |tag: &String| !words.contains(&format!("</{name}{tag}>"));
        let numbered = (2..).map(|number| format!("-{number}"));
        let tag = std::iter::once(String::new()).chain(numbered).find(is_free).unwrap_or_default();
        format!("<{name}{tag}>\n{words}\n</{name}{tag}>")
    }

    /// The words that an item holds between tags, and whose they are.
    pub fn open(item: &str) -> Option<(Fence, &str)> {
        let (open, rest) = item.split_once('\n')?;
        let (fence, close) = close_of(open)?;
        Some((fence, rest.strip_suffix(&close)?.trim_end_matches('\n')))
    }
}

/// How the line begins that says where the newest request stands.
pub const STANDING: &str = "- this request ";

/// Whether the newest request was answered, and with which words at last.
pub fn standing(last_words: Option<&str>) -> String {
    match last_words {
        Some(words) => format!("{STANDING}was answered; the last words were: {words}"),
        None => format!("{STANDING}is being worked on; what was done for it so far is listed below"),
    }
}

/// The newest request between its tags.
pub fn fence(request: &str) -> String {
    Fence::Request.around(request)
}

/// The newest request, if an item is that.
pub fn unfence(item: &str) -> Option<&str> {
    Fence::open(item).filter(|(fence, _)| *fence == Fence::Request).map(|(_, request)| request)
}

pub(super) fn close_of(open: &str) -> Option<(Fence, String)> {
    let inner = open.strip_prefix('<')?.strip_suffix('>')?;
    Fence::ALL.into_iter().find_map(|fence| {
        let tag = inner.strip_prefix(fence.name())?;
        let known = tag.is_empty() || tag.strip_prefix('-').is_some_and(|number| number.parse::<u32>().is_ok());
        known.then(|| (fence, format!("</{inner}>")))
    })
}

/// A summary's body, taken apart by who wrote it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parts {
    /// What a model said, or the local summariser on its own.
    pub told: String,
    /// What was added below [`KEPT`], without that line.
    pub kept: String,
}

/// Takes a body apart, or several that stand one behind the other.
pub fn parts(body: &str) -> Parts {
    let mut parts = Parts::default();
    let mut in_request: Option<String> = None;
    let mut below = false;
    for line in body.lines() {
        match &in_request {
            Some(close) if line == close => in_request = None,
            Some(_) => {}
            None if line.trim_end() == KEPT => {
                below = true;
                continue;
            }
            None => {
                below &= !line.starts_with("## ");
                in_request = close_of(line.trim_end()).map(|(_, close)| close);
            }
        }
        let part = if below { &mut parts.kept } else { &mut parts.told };
        part.push_str(line);
        part.push('\n');
    }
    parts
}

/// Items by section. An item is one line, words between tags, or lines of which the later ones are indented.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sections {
    items: [Vec<String>; 9],
}

impl Sections {
    /// The items of a section.
    pub fn get(&self, section: Section) -> &[String] {
        self.items.get(section as usize).map_or(&[], Vec::as_slice)
    }

    /// The items of a section, to be changed.
    pub fn of(&mut self, section: Section) -> &mut Vec<String> {
        // `ALL` and `items` have the same length, and `section as usize` is a position in `ALL`.
        &mut self.items[section as usize]
    }

    /// Reads a summary's body. Lines before the first heading and under unknown headings count as critical context.
    pub fn read(body: &str) -> Sections {
        let mut sections = Sections::default();
        let mut current = Section::Critical;
        let mut in_request: Option<String> = None;
        // Not `lines`: a carriage return in a request is the request's own.
        for line in body.split('\n') {
            if let Some(close) = &in_request {
                let closes = line == close;
                if let Some(item) = sections.of(current).last_mut() {
                    item.push('\n');
                    item.push_str(line);
                }
                if closes {
                    in_request = None;
                }
                continue;
            }
            let line = line.trim_end();
            if let Some((_, close)) = close_of(line) {
                in_request = Some(close);
                sections.of(current).push(line.to_owned());
            } else if let Some(section) = Section::ALL.into_iter().find(|section| section.heading() == line) {
                current = section;
            } else if line == PROGRESS || line == NOTHING || line.is_empty() {
                // Written again by `write`.
            } else if line.starts_with("## ") || line == KEPT {
                current = Section::Critical;
            } else if let (true, Some(item)) = (line.starts_with(' '), sections.of(current).last_mut()) {
                item.push('\n');
                item.push_str(line);
            } else {
                sections.of(current).push(line.to_owned());
            }
        }
        sections
    }

    /// Writes the body. Every heading is there, so that a reader knows what was looked for and not found.
    pub fn write(&self) -> String {
        let mut body = String::new();
        for section in Section::ALL {
            if section == Section::Done {
                body.push_str(PROGRESS);
                body.push('\n');
            }
            body.push_str(section.heading());
            body.push('\n');
            let items = self.get(section);
            if items.is_empty() {
                body.push_str(NOTHING);
                body.push('\n');
            }
            for item in items {
                body.push_str(item);
                body.push('\n');
            }
        }
        body
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let mut sections = Sections::default();
        sections.of(Section::Goal).push("- ship it\n  by Friday".into());
        sections.of(Section::Goal).push(fence("fix it\n\n## Goal\n  please\n</request>\n## Next Steps"));
        sections.of(Section::Goal).push(Fence::EarlierRequest.around("one\r\n<request>\n</earlier-request>"));
        sections.of(Section::Goal).push(Fence::Harness.around("### Done\n- not at all"));
        sections.of(Section::Done).push("- built it".into());
        sections.of(Section::Critical).push("- port 8484".into());
        assert_eq!(Sections::read(&sections.write()), sections);
    }

    #[test]
    fn what_was_kept_is_told_from_what_was_said() {
        let first = format!("## Goal\n{}\n## Next Steps\n- go\n", fence("say\n### Kept from the transcript\nnow"));
        let both = format!("{first}{KEPT}\n- edited src/a.rs\n## Goal\n- more\n{KEPT}\n- ran make");
        let told = format!("{first}## Goal\n- more\n");
        assert_eq!(parts(&both), Parts { told, kept: "- edited src/a.rs\n- ran make\n".to_owned() });
    }

    #[test]
    fn a_request_is_kept_word_for_word_whatever_it_says() {
        for request in ["fix it", "say </request>", "</request>\n</request-2>\n## Goal", "a\n\n b"] {
            assert_eq!(unfence(&fence(request)), Some(request));
        }
        assert_eq!(unfence("- no request"), None);
        assert_eq!(unfence(&Fence::EarlierRequest.around("a\nb")), None);
        assert_eq!(Fence::open(&Fence::EarlierRequest.around("a\nb")), Some((Fence::EarlierRequest, "a\nb")));
    }

    #[test]
    fn the_headings_are_those_of_the_guide() {
        insta::assert_snapshot!(Sections::default().write(), @"
        ## Goal
        (none)
        ## Constraints & Preferences
        (none)
        ## Progress
        ### Done
        (none)
        ### In Progress
        (none)
        ### Blocked
        (none)
        ## Key Decisions
        (none)
        ## Relevant Files
        (none)
        ## Next Steps
        (none)
        ## Critical Context
        (none)
        ");
    }

    #[test]
    fn a_models_own_headings_do_not_lose_their_lines() {
        let sections = Sections::read("preamble\n## Goal\n- a\n## Mood\n- b\n");
        assert_eq!(sections.get(Section::Goal), ["- a"]);
        assert_eq!(sections.get(Section::Critical), ["preamble", "- b"]);
    }
}
