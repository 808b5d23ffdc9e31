//! What did not fail has not therefore passed: each runner's way to say so.

use crate::outputs::test_run::counters::{counts, is_bad};
use crate::outputs::test_run::result::{Status, outcome};
use crate::outputs::testing::check;

#[track_caller]
fn check_line(runner: &str, line: &str, expected: Status) {
    assert_eq!(outcome(line).map(|outcome| outcome.status), Some(expected), "{runner}: {line}");
}

#[test]
fn a_test_that_fails_as_expected_has_not_passed() {
    for (runner, line) in [
        ("pytest -v", "tests/test_a.py::test_x XFAIL (not yet)                    [ 50%]"),
        ("pytest -rx", "XFAIL tests/test_a.py::test_x - not yet"),
        ("pytest -n 4", "[gw0] [ 50%] XFAIL tests/test_a.py::test_x"),
        ("unittest -v", "test_x (tests.test_a.A.test_x) ... expected failure"),
        ("automake", "XFAIL: reads an old file"),
    ] {
        check_line(runner, line, Status::ExpectedFailure);
    }
}

#[test]
fn a_test_that_passes_though_it_should_fail_has_not_passed() {
    for (runner, line) in [
        ("pytest -v", "tests/test_a.py::test_x XPASS (not yet)                    [ 50%]"),
        ("unittest -v", "test_x (tests.test_a.A.test_x) ... unexpected success"),
        ("automake", "XPASS: reads an old file"),
    ] {
        check_line(runner, line, Status::Failed);
    }
}

#[test]
fn a_test_that_is_still_to_be_written_has_not_passed() {
    for (runner, line) in [
        ("TAP", "not ok 3 - writes # TODO not written yet"),
        ("TAP", "ok 3 - writes # TODO not written yet"),
        ("TAP", "ok 3 - writes issue #12 #todo later"),
        ("TAP", "not ok 3 # todo"),
        ("node --test", "✔ writes (0.5ms) # TODO"),
        ("node --test", "✖ writes (0.5ms) # TODO not written yet"),
        ("jest", "    ✎ todo writes a file"),
        ("vitest", "   ↓ writes a file [todo]"),
        ("bun test", "(todo) basket > writes"),
    ] {
        check_line(runner, line, Status::Todo);
    }
}

#[test]
fn a_test_that_was_not_run_has_not_passed() {
    for (runner, line) in [
        ("pytest -v", "tests/test_a.py::test_x SKIPPED (no db)                    [ 50%]"),
        ("unittest -v", "test_x (tests.test_a.A.test_x) ... skipped 'no db'"),
        ("cargo test", "test a::reads ... ignored"),
        ("cargo test", "test a::reads ... ignored, needs a network"),
        ("nextest", "        SKIP [         ] crate a::reads"),
        ("go test -v", "    --- SKIP: TestX/part (0.00s)"),
        ("TAP", "ok 3 # SKIP no network"),
        ("TAP", "ok 3 - reads #skip no network"),
        ("node --test", "﹣ reads (0.1ms) # SKIP"),
        ("jest", "    ○ skipped reads a file"),
        ("vitest", "   ↓ reads a file [skipped]"),
        ("gtest", "[  SKIPPED ] Suite.Case (0 ms)"),
        ("gtest", "[ DISABLED ] Suite.Case"),
        ("ctest", "3/9 Test #3: reads ............................***Skipped   0.01 sec"),
        ("ctest", "4/9 Test #4: writes ...........................***Not Run (Disabled)   0.00 sec"),
        ("dotnet", "  Skipped Shop.CartTests.Adds [1 ms]"),
        ("XCTest", "Test Case '-[Cart.Tests testAdds]' skipped (0.001 seconds)."),
        ("Robot", "Valid Login                            | SKIP |"),
        ("bun test", "(skip) basket > writes"),
        ("deno test", "reads a file ... ignored (0ms)"),
    ] {
        check_line(runner, line, Status::Skipped);
    }
}

#[test]
fn a_test_that_did_pass_has_passed() {
    for (runner, line) in [
        ("TAP", "ok 3 - closes issue #12"),
        ("TAP", "ok 3 - counts # of items"),
        ("ctest", "3/9 Test #3: reads ............................   Passed    0.01 sec"),
        ("node --test", "✔ counts # signs (0.5ms)"),
        ("bun test", "(pass) basket > writes [0.12ms]"),
        ("cargo test", "test a::reads - should panic ... ok"),
    ] {
        check_line(runner, line, Status::Passed);
    }
}

#[test]
fn totals_count_what_failed_as_expected_by_itself() {
    for (line, expected) in [
        ("== 2 passed, 1 xfailed, 1 xpassed in 0.1s ==", vec![(2, "passed"), (1, "xfailed"), (1, "xpassed")]),
        ("OK (skipped=1, expected failures=2)", vec![(1, "skipped"), (2, "expected failures")]),
        ("FAILED (failures=1, unexpected successes=3)", vec![(1, "failures"), (3, "unexpected successes")]),
        ("# XFAIL: 2", vec![(2, "XFAIL")]),
        (
            "assertions: 9 | 7 passed | 2 failed as expected",
            vec![(9, "assertions"), (7, "passed"), (2, "failed as expected")],
        ),
    ] {
        assert_eq!(counts(line), expected, "{line}");
    }
    for (word, expected) in [
        ("expected failures", false),
        ("failed as expected", false),
        ("xfailed", false),
        ("xpassed", true),
        ("unexpected successes", true),
    ] {
        assert_eq!(is_bad(word), expected, "{word}");
    }
}

#[test]
fn a_digest_counts_passed_and_expected_failures_apart() {
    let mut text: String = (0..60).map(|n| format!("tests/test_a.py::test_{n} PASSED [ {n}%]\n")).collect();
    text += &(0..5).map(|n| format!("tests/test_b.py::test_{n} XFAIL (later) [ 9{n}%]\n")).collect::<String>();
    let digest = check("pytest -v", &text);
    assert!(digest.contains("60 passed, 0 failed, 5 failed as expected"), "{digest}");
    assert!(!digest.contains("tests/test_b.py 5"), "{digest}");
}

#[test]
fn reports_in_xml_count_what_was_not_run_and_what_failed_as_expected() {
    let mut text = String::from("<testsuite name=\"a\" tests=\"43\">\n");
    text += &(0..40)
        .map(|n| format!("<testcase classname=\"a\" name=\"test_{n}\" time=\"0.001\" />\n"))
        .collect::<String>();
    text += "<testcase classname=\"a\" name=\"test_x\"><skipped type=\"pytest.xfail\" message=\"later\" /></testcase>\n\
             <testcase classname=\"a\" name=\"test_y\" status=\"notrun\" result=\"suppressed\" />\n\
             <testcase classname=\"a\" name=\"test_z\"><skipped /></testcase>\n</testsuite>\n";
    let digest = check("cat report.xml", &text);
    assert!(digest.contains("40 passed, 0 failed, 2 skipped, 1 failed as expected"), "{digest}");
}
