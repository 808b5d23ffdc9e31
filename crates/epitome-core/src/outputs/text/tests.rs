//! Texts that people write, and what is none.

use super::*;
use crate::outputs::testing::{check, output};

#[test]
fn a_report_keeps_its_headings_its_opening_and_what_was_decided() {
    let filler = "The module was read and described at some length, and nothing in it was out of the ordinary.\n\n";
    let text = format!(
        "# Review of the cache\n\nThe cache was reviewed for errors and failures.\n\n## Findings\n\n{}- Eviction takes 340 ms with 20,000 entries.\n\n## Decisions\n\n{}We decided to use a ring buffer instead of a list.\n\n## Next\n\nAsk the owner of the queue.\n",
        filler.repeat(9),
        filler.repeat(9)
    );
    insta::assert_snapshot!(check("cat REVIEW.md", &text), @"
    [digest of text: 10 of 51 lines kept, 482 tokens; original c772d86441a4]
    1: # Review of the cache
    3: The cache was reviewed for errors and failures.
    5: ## Findings
    7: The module was read and described at some length, and nothing in it was out of the ordinary.
    25: - Eviction takes 340 ms with 20,000 entries.
    27: ## Decisions
    29: The module was read and described at some length, and nothing in it was out of the ordinary.
    47: We decided to use a ring buffer instead of a list.
    49: ## Next
    51: Ask the owner of the queue.
    ");
}

#[test]
fn headings_do_not_take_the_room_of_decisions() {
    let part = |n: usize| {
        format!(
            "## Part number {n} of the minutes of the meeting\n\nThe group spoke about this at length, and nothing came of it.\n\n"
        )
    };
    let text = format!(
        "# Minutes\n\n{}We agreed to move the archive to the second site.\n\n{}- Nora sends the contract to the supplier by 14 March.\n",
        (0..9).map(part).collect::<String>(),
        (9..20).map(part).collect::<String>()
    );
    let digest = check("cat minutes.md", &text);
    for kept in ["# Minutes", "agreed to move the archive", "Nora sends the contract"] {
        assert!(digest.contains(kept), "{kept} in {digest}");
    }
}

#[test]
fn numbers_of_lines_do_not_hide_a_text() {
    let text: String = (1..60)
        .map(|n| {
            format!(
                "{n:6}→{}\n",
                if n % 20 == 1 { "## Part of it" } else { "These words are written for people, not for programs." }
            )
        })
        .collect();
    assert!(Text.read(&output("Read", &text), Effort::Full).is_some());
}

#[test]
fn a_trace_in_a_text_is_kept() {
    let text = format!(
        "# Report\n\n{}\n```\nTraceback (most recent call last):\n  File \"a.py\", line 1, in f\n    x[1]\nKeyError: 1\n```\n\n{}",
        "These words are written for people, not for programs.\n".repeat(30),
        "The end of it was written for people as well.\n".repeat(30)
    );
    let digest = check("cat REPORT.md", &text);
    for line in ["Traceback (most recent call last):", "  File \"a.py\", line 1, in f", "    x[1]", "KeyError: 1"] {
        assert!(digest.contains(line), "{line} in {digest}");
    }
}

#[test]
fn sentences_that_a_program_made_are_told_once_and_the_odd_one_is_kept() {
    let mut lines: Vec<String> =
        (0..90).map(|n| format!("Parcel {n} was weighed, labelled and handed over to the carrier.")).collect();
    lines[40] = "Parcel 40 was sent back because its label could be read by nobody.".into();
    insta::assert_snapshot!(check("./dispatch.sh", &lines.join("\n")), @"
    [digest of command output: 5 of 90 lines kept, 1,438 tokens; original 0528cbcf7355]
    89× Parcel * was weighed, labelled and handed over to the carrier.
    Parcel 0 was weighed, labelled and handed over to the carrier.
    Parcel 1 was weighed, labelled and handed over to the carrier.
    [… 38 lines …]
    Parcel 40 was sent back because its label could be read by nobody.
    [… 47 lines …]
    Parcel 88 was weighed, labelled and handed over to the carrier.
    Parcel 89 was weighed, labelled and handed over to the carrier.
    ");
}

#[test]
fn a_manual_speaks_of_errors_without_reporting_them() {
    let option = |n: usize| {
        format!(
            "       -{0}, --option-{0}\n              Print what was found, one line for each of the files that were\n              looked at. It is an error to use this option together with a\n              pattern that could not be read.\n\n",
            char::from(b'a' + n as u8)
        )
    };
    let text = format!(
        "SORTMAIL(1)                 User Commands                 SORTMAIL(1)\n\nNAME\n       sortmail - sort letters by their sender\n\nSYNOPSIS\n       sortmail [OPTION]... [FILE]...\n\nDESCRIPTION\n{}EXIT STATUS\n       0 if all letters were sorted, 1 if some failed.\n",
        (0..12).map(option).collect::<String>()
    );
    insta::assert_snapshot!(check("man sortmail", &text), @"
    [digest of manual: 8 of 71 lines kept, 726 tokens; original c29408f24ef3]
    options: -a/--option-a, -b/--option-b, -c/--option-c, -d/--option-d, -e/--option-e, -f/--option-f, -g/--option-g, -h/--option-h, -i/--option-i, -j/--option-j, -k/--option-k, -l/--option-l
    SORTMAIL(1)                 User Commands                 SORTMAIL(1)
    NAME
           sortmail - sort letters by their sender
    SYNOPSIS
           sortmail [OPTION]... [FILE]...
    DESCRIPTION
    EXIT STATUS
           0 if all letters were sorted, 1 if some failed.
    ");
}

#[test]
fn what_is_no_text_is_not_taken_for_one() {
    let build = "Compiling serde v1.0\nerror: no such file\nwarning: it was not used, and that is all\n".repeat(9);
    let source =
        "fn main() {\n    let x = 1;\n    // The words of a comment, written for people.\n    call(x);\n}\n".repeat(9);
    let types = "src/ui/screen.ts(12,3): error TS2345: Argument of type string is not assignable to it.\n".repeat(9);
    let tests = "--- FAIL: TestSync (0.00s)\n    The commit was not signed, because no key was given.\n".repeat(9);
    let listing = "src/a.rs\nsrc/b.rs\n".repeat(30);
    for text in [build.as_str(), &types, &tests, &source, &listing, "", "ok", "{\"a\": 1}"] {
        assert!(Text.read(&output("x", text), Effort::Full).is_none(), "{text}");
    }
}
