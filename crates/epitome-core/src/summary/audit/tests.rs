use proptest::prelude::*;

use super::*;
use crate::model::Role;
use crate::tokens::Tokens;

fn request(source: &str) -> SummaryRequest {
    SummaryRequest::new(vec![Message::text(Role::User, source)], Tokens(2_000))
}

/// What of `said` is not found in `source`, and how much was looked up.
#[track_caller]
fn check(source: &str, said: &str, checked: usize, unverified: &[&str]) {
    let audited = audit(&request(source), said);
    assert_eq!(
        (audited.audit.checked, audited.audit.unverified),
        (checked, unverified.iter().map(|s| (*s).to_owned()).collect()),
        "{said}"
    );
}

#[test]
fn what_stands_in_the_sources_is_verified() {
    check("edit /srv/app/src/main.rs", "- changed `src/main.rs` and main.rs.", 2, &[]);
    check("see https://host.example/a/b?c=1", "see https://host.example/a/b?c=1.", 1, &[]);
    check("let max_size = 4096;", "max_size is 4,096", 2, &[]);
    check("took 12,345 ms, 94.7 % and 0.85", "12345 ms, 94.7%, 94 % and 85%", 4, &[]);
    check("commit 4619cb3e77aa0012", "commit 4619cb3", 1, &[]);
    check(r#"{"text":"a\nmax_size = 3\nport 8484"}"#, "max_size, port 8484", 2, &[]);
    check("impl Sections {\n    fn read(", "Sections::read is missing", 1, &[]);
    check("on Nov 16 2026", "on 2026-11-16", 1, &["2026-11-16"]);
    check("2026-11-16T06:15:00Z", "on 2026-11-16 at 06:15", 2, &[]);
}

#[test]
fn what_was_cut_is_looked_up_by_its_beginning() {
    check("see src/my_mod/template.rs", "see src/my_mod/templ…", 1, &[]);
    check("see src/my_mod/template.rs", "see src/my_mod/templ", 1, &["src/my_mod/templ"]);
    check("see src/my_mod/template.rs", "see src/my_mod/temple…", 1, &["src/my_mod/temple"]);
}

#[test]
fn what_was_invented_is_named() {
    check("edit src/main.rs", "- changed `src/lib.rs:42`", 1, &["src/lib.rs"]);
    check("users and tests", "see users.py", 1, &["users.py"]);
    check("getUserName 1420 94,000", "getUser took 42 and 94 and 000", 3, &["getUser", "42", "94"]);
    check("https://host.example/a", "https://host.example/b", 1, &["https://host.example/b"]);
    check("port 8484", "use --strict-mode on DB_HOST", 2, &["--strict-mode", "DB_HOST"]);
}

#[test]
fn what_everybody_says_is_not_looked_up() {
    check(
        "",
        "1. three of 5 tests, e.g. and/or the I/O of the API; client/server, well-known\n12. 100% done\n~40 of 12k",
        0,
        &[],
    );
}

#[test]
fn marks_stand_behind_what_was_not_found() {
    let audited = audit(&request("port 8484"), "## Critical Context\n- `DB_HOST` listens on 8484, DB_HOST on 9999\n");
    insta::assert_snapshot!(audited.body, @"
    ## Critical Context
    - `DB_HOST`(?) listens on 8484, DB_HOST(?) on 9999(?)
    - (?) marks what was not found in the transcript
    ");
}

#[test]
fn a_summary_does_not_vouch_for_its_own_inventions() {
    let first = audit(&request("port 8484"), "- DB_HOST is 8484\n");
    let second = SummaryRequest { previous: Some(first.body), ..request("and so on") };
    let again = audit(&second, "- DB_HOST is 8484\n");
    assert_eq!(again.audit, Audit { checked: 2, unverified: vec!["DB_HOST".to_owned()] });
    // Found after all, it loses its mark.
    let third = SummaryRequest { previous: Some(again.body), ..request("export DB_HOST=here") };
    assert_eq!(audit(&third, "- DB_HOST(?) is 8484\n").body, "- DB_HOST is 8484\n");
}

#[test]
fn a_persons_words_are_not_marked() {
    let body = "## Goal\n<request>\nuse NOT_IN_SOURCES\n</request>\n- ok\n";
    assert_eq!(audit(&request(""), body).body, body);
}

#[test]
fn marked_lines_go_if_there_is_no_room_for_marks() {
    let audited = audit(&request("good"), "- good\n- BAD_ONE\n- BAD_TWO\n- good again\n");
    let short = without_marked_lines(&audited.body, |body| !body.contains("BAD_TWO"));
    assert_eq!(short, "- good\n- BAD_ONE(?)\n- good again\n- (?) marks what was not found in the transcript\n");
    assert_eq!(without_marked_lines(&audited.body, |_| false), "- good\n- good again\n");
}

#[test]
fn a_summary_that_is_mostly_invented_is_told_from_one_that_is_not() {
    let invented: String = (0..8).map(|n| format!("- made_up_{n}\n")).collect();
    assert!(audit(&request(""), &invented).audit.is_invented());
    assert!(!audit(&request(&invented), &invented).audit.is_invented());
}

proptest! {
    #[test]
    fn a_text_that_repeats_its_source_is_verified(text in "([a-zA-Z0-9_./:`, \\-]|src/|::|[0-9]{2,4}|é|\n){0,60}") {
        let audited = audit(&request(&text), &text);
        prop_assert_eq!(audited.audit.unverified, Vec::<String>::new());
    }

    #[test]
    fn nothing_but_marks_is_changed(text in "[ -~é\n]{0,200}", source in "[ -~é\n]{0,200}") {
        let audited = audit(&request(&source), &text);
        let restored = audited.body.replace(&format!("{LEGEND}\n"), "").replace(MARK, "");
        let unmarked = text.replace(MARK, "");
        prop_assert_eq!(restored.trim_end(), unmarked.trim_end());
    }
}

#[test]
fn a_line_of_any_length_is_looked_over_once() {
    // Looking back to its beginning at each word would be a hundred thousand times a megabyte.
    let said = "my_module.rs and 1234567, ".repeat(40_000);
    check("see my_module.rs", &said, 2, &["1234567"]);
    check("none", "- 1. step\n  12. step\n", 0, &[]);
}

#[test]
fn what_is_too_long_for_a_name_is_data_and_not_looked_up() {
    check("", &format!("see src/main.rs and {}", "1,".repeat(50_000)), 1, &["src/main.rs"]);
}
