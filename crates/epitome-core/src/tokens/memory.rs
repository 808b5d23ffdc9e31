//! Where memory, project instructions and skills stand in what a harness says, as its clients write them.
//!
//! A table of marks, so that another client is a row. Only what its client marks is counted: a mark stands at the beginning
//! of a line, and what has no known end is not guessed.

use std::ops::Range;

/// How such a section begins, and where it ends.
struct Section {
    /// Who writes it so.
    #[cfg_attr(not(test), expect(dead_code, reason = "for people, and for the test that has a case for each"))]
    client: &'static str,
    /// How its first line begins; a heading is the whole line, unless it ends with a blank.
    opens: &'static str,
    ends: Ends,
}

/// Where a section ends.
enum Ends {
    /// With the line that begins so. Without such a line it is no section.
    With(&'static str),
    /// Before the next line that begins with one of these, the line behind the first apart; else with the text.
    Before(&'static [&'static str]),
    /// With the closing tag. The opening one stands alone on its line.
    Tag,
}

use Ends::{Before, Tag, With};

const fn section(client: &'static str, opens: &'static str, ends: Ends) -> Section {
    Section { client, opens, ends }
}

/// What Claude Code says behind its project instructions.
const BEHIND_CLAUDE_MD: &[&str] =
    &["# currentDate", "# gitStatus", "# userEmail", "      IMPORTANT: this context may", "</system-reminder>"];
/// What Hermes says behind its memory: the next banner, or the date.
const BEHIND_HERMES_MEMORY: &[&str] = &[BANNER, "Conversation started: "];
/// Hermes draws such lines around the headings of its memory.
const BANNER: &str = "══════════";

const SECTIONS: &[Section] = &[
    section("Hermes", "MEMORY (your personal notes) [", Before(BEHIND_HERMES_MEMORY)),
    section("Hermes", "USER PROFILE (who the user is) [", Before(BEHIND_HERMES_MEMORY)),
    section("Hermes", "# Project Context", Before(BEHIND_HERMES_MEMORY)),
    section("Hermes", "## Skills (mandatory)", With("Only proceed without loading a skill")),
    section("Hermes", "<memory-context>", Tag),
    section("Claude Code", "# claudeMd", Before(BEHIND_CLAUDE_MD)),
    section("Claude Code", "Contents of /", Before(BEHIND_CLAUDE_MD)),
    section("Claude Code", "# auto memory", Before(&["# "])),
    section("Claude Code, and others", "# Memory", Before(&["# "])),
    section("Claude Code", "Base directory for this skill: ", Before(&[])),
    section("Claude Code", "The following skills are available", Before(&["</system-reminder>"])),
    section("Claude Code", "The following skills were invoked in this session", Before(&["</system-reminder>"])),
    section("Codex", "# AGENTS.md instructions for ", With("</INSTRUCTIONS>")),
    section("Codex", "<user_instructions>", Tag),
    section("Codex", "<skills_instructions>", Tag),
    section("OpenCode", "Instructions from: ", Before(&["<"])),
    section("Copilot CLI", "<custom_instruction>", Tag),
    section("Copilot CLI", "<memories>", Tag),
    section("Gemini CLI", "<loaded_context>", Tag),
    section("Gemini CLI", "--- Context from: ", With("--- End of Context from: ")),
    section("Agent Skills", "<available_skills>", Tag),
    section("Anthropic's memory tool, and others", "<memory>", Tag),
];

/// The parts of a text that are memory, project instructions or skills, in order.
pub(super) fn sections(text: &str) -> Vec<Range<usize>> {
    let lines: Vec<Range<usize>> = lines(text).collect();
    let line = |at: usize| lines.get(at).and_then(|range| text.get(range.clone())).unwrap_or_default();
    let mut sections: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let found = SECTIONS.iter().find(|section| section.opens_with(line(at)));
        let behind = found.and_then(|section| section.end(at, lines.len(), line));
        let Some(behind) = behind else {
            at += 1;
            continue;
        };
        // A line that is drawn above a heading belongs to it.
        let first = at.checked_sub(1).filter(|before| line(*before).starts_with(BANNER)).unwrap_or(at);
        let start = lines.get(first).map_or(0, |range| range.start);
        let end = lines.get(behind).map_or(text.len(), |range| range.start);
        sections.push(start..end);
        at = behind;
    }
    sections
}

impl Section {
    fn opens_with(&self, line: &str) -> bool {
        match self.ends {
            Tag => line.trim() == self.opens,
            With(_) | Before(_) if self.opens.starts_with('#') && !self.opens.ends_with(' ') => {
                line.trim_end() == self.opens
            }
            With(_) | Before(_) => line.starts_with(self.opens),
        }
    }

    /// The first line behind a section that opens at a line; as many as there are, if it goes to the end.
    fn end<'a>(&self, opening: usize, lines: usize, line: impl Fn(usize) -> &'a str) -> Option<usize> {
        let behind = |begins: &dyn Fn(&str) -> bool| (opening + 1..lines).find(|at| begins(line(*at)));
        match self.ends {
            With(end) => behind(&|line| line.starts_with(end)).map(|at| at + 1),
            Tag => {
                let name = self.opens.trim_start_matches('<');
                behind(&|line| line.trim_start().strip_prefix("</").is_some_and(|rest| rest.starts_with(name)))
                    .map(|at| at + 1)
            }
            Before(ends) => {
                let next = (opening + 2..lines).find(|at| ends.iter().any(|end| line(*at).starts_with(end)));
                Some(next.unwrap_or(lines))
            }
        }
    }
}

/// Where each line stands, its end included.
fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    text.split_inclusive('\n').scan(0, |start, line| {
        let range = *start..*start + line.len();
        *start = range.end;
        Some(range)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BAR: &str = "══════════════════════════════════════════════";

    /// Of each row a prompt as its client writes it, and what of it is memory or skills.
    fn cases() -> Vec<(&'static str, String, String)> {
        let between =
            |before: &str, section: &str, behind: &str| (format!("{before}{section}{behind}"), section.to_owned());
        let role = "You are a careful agent.\nYour memory is in MEMORY.md, and AGENTS.md is read.\n\n";
        let notes = |title: &str| format!("{BAR}\n{title} [12% — 264/2,200 chars]\n{BAR}\nlikes tea\n§\nport 8484\n\n");
        let date = "Conversation started: Thursday, November 19, 2026\nModel: claude";
        let reminder = "<system-reminder>\nAs you answer the user's questions, you can use the following context:\n";
        let important =
            "\n      IMPORTANT: this context may or may not be relevant to your tasks.\n</system-reminder>\n";
        let case = |opens: &'static str, (text, section): (String, String)| (opens, text, section);
        vec![
            case("MEMORY (your personal notes) [", between(role, &notes("MEMORY (your personal notes)"), date)),
            case("USER PROFILE (who the user is) [", between(role, &notes("USER PROFILE (who the user is)"), date)),
            case(
                "# Project Context",
                between(
                    role,
                    "# Project Context\n\nThe following files:\n\n## AGENTS.md\n\n# Rules\nNo tabs.\n\n",
                    date,
                ),
            ),
            case(
                "## Skills (mandatory)",
                between(
                    role,
                    "## Skills (mandatory)\nBefore replying, scan.\n\n<available_skills>\n  git:\n    - rebase: how\n\
                     </available_skills>\n\nOnly proceed without loading a skill if none are relevant.\n",
                    "\n# Tools\nUse them.\n",
                ),
            ),
            case(
                "<memory-context>",
                between("Go on.\n\n", "<memory-context>\n[System note: recalled]\n\ntea\n</memory-context>\n", "now\n"),
            ),
            case(
                "# claudeMd",
                between(
                    reminder,
                    "# claudeMd\nCodebase and user instructions are shown below.\n\nContents of /home/u/CLAUDE.md \
                     (project instructions, checked into the codebase):\n\n# Rules\nNo tabs.\n",
                    &format!("# currentDate\nToday's date is 2026-11-19.\n{important}"),
                ),
            ),
            case(
                "Contents of /",
                between(
                    "<system-reminder>\n",
                    "Contents of /home/u/api/CLAUDE.md:\n\nNo tabs.\n",
                    "</system-reminder>",
                ),
            ),
            case(
                "# auto memory",
                between(
                    role,
                    "# auto memory\n\nIt is a directory.\n\n## MEMORY.md\n\n- likes tea\n\n",
                    "# Environment\nLinux\n",
                ),
            ),
            case("# Memory", between(role, "# Memory\n\n## Memory scope\nTwo levels.\n\n", "# Tone\nBrief.\n")),
            case(
                "Base directory for this skill: ",
                between("", "Base directory for this skill: /home/u/.claude/skills/pdf\n\n# PDF\nUse qpdf.\n", ""),
            ),
            case(
                "The following skills are available",
                between(
                    "<system-reminder>\n",
                    "The following skills are available for use with the Skill tool:\n\n- pdf: reads PDF files\n",
                    "</system-reminder>",
                ),
            ),
            case(
                "The following skills were invoked in this session",
                between(
                    "<system-reminder>\n",
                    "The following skills were invoked in this session. Continue:\n\n### Skill: pdf\nUse qpdf.\n",
                    "</system-reminder>",
                ),
            ),
            case(
                "# AGENTS.md instructions for ",
                between(
                    "",
                    "# AGENTS.md instructions for /src\n\n<INSTRUCTIONS>\nNo tabs.\n</INSTRUCTIONS>\n",
                    "Go.\n",
                ),
            ),
            case(
                "<user_instructions>",
                between(role, "<user_instructions>\n\nNo tabs.\n\n</user_instructions>\n", "<environment_context>\n"),
            ),
            case(
                "<skills_instructions>",
                between(
                    "<permissions instructions>\nread\n</permissions instructions>\n",
                    "<skills_instructions>\n## Skills\nA skill is a set of instructions.\n</skills_instructions>\n",
                    "<collaboration_mode>\nDefault\n</collaboration_mode>",
                ),
            ),
            case(
                "Instructions from: ",
                between(
                    &format!("{role}<env>\n</env>\n"),
                    "Instructions from: /src/AGENTS.md\n# Rules\nNo tabs.\n",
                    "",
                ),
            ),
            case(
                "<custom_instruction>",
                between(
                    role,
                    "<custom_instruction>\n# Rules\nNo tabs.\n\n</custom_instruction>\n",
                    "\n# Tone\nBrief.\n",
                ),
            ),
            case(
                "<memories>",
                between(role, "<memories>\nThe following are recent memories.\n- tea\n</memories>\n", "\nGo.\n"),
            ),
            case(
                "<loaded_context>",
                between(
                    "You are an agent.\n---\n\n",
                    "<loaded_context>\n<project_context>\nNo tabs.\n</project_context>\n</loaded_context>\n",
                    "Go.\n",
                ),
            ),
            case(
                "--- Context from: ",
                between(
                    role,
                    "--- Context from: GEMINI.md ---\nNo tabs.\n--- End of Context from: GEMINI.md ---\n",
                    "Go.",
                ),
            ),
            case(
                "<available_skills>",
                between(
                    "ONLY use names from the `<available_skills>` section.\n",
                    "<available_skills>\n  <skill>pdf</skill>\n</available_skills>\n",
                    "Go.\n",
                ),
            ),
            case("<memory>", between(role, "<memory>\n- likes tea\n</memory>\n", "Go.\n")),
        ]
    }

    #[test]
    fn what_each_client_marks_is_found_and_nothing_around_it() {
        let cases = cases();
        let covered: Vec<&str> = cases.iter().map(|(opens, _, _)| *opens).collect();
        assert_eq!(covered, SECTIONS.iter().map(|section| section.opens).collect::<Vec<_>>(), "a case for each row");
        for ((_, text, expected), section) in cases.iter().zip(SECTIONS) {
            let found: Vec<&str> = sections(text).into_iter().map(|range| &text[range]).collect();
            assert_eq!(found, [expected.as_str()], "{}: {}", section.client, section.opens);
        }
    }

    #[test]
    fn several_sections_of_one_prompt_are_told_apart() {
        let memory = format!("{BAR}\nMEMORY (your personal notes) [1% — 9/2,200 chars]\n{BAR}\nlikes tea\n\n");
        let user = format!("{BAR}\nUSER PROFILE (who the user is) [1% — 9/1,375 chars]\n{BAR}\nis Ann\n\n");
        let text = format!("Be brief.\n\n# Project Context\n\nNo tabs.\n\n{memory}{user}Conversation started: today");
        let found: Vec<&str> = sections(&text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, ["# Project Context\n\nNo tabs.\n\n", &memory, &user]);
    }

    #[test]
    fn what_is_only_mentioned_or_has_no_end_is_no_section() {
        for text in [
            "remember the milk",
            "Read CLAUDE.md and MEMORY.md first. Use the <available_skills> list.",
            "<available_skills>\n- and no end",
            "## Skills\nA heading of the prompt's own.",
            "# Memory leaks\nare found with valgrind.",
            "The memory (see # claudeMd) is loaded later.",
            "",
        ] {
            assert!(sections(text).is_empty(), "{text}");
        }
    }
}
