use crate::outputs::testing::{check, made};

#[test]
fn classes_without_failures_are_one_fact_and_a_grand_total_is_not_added_to_its_parts() {
    let mut text = String::new();
    for n in 1..=40 {
        text.push_str(&format!("[INFO] Running org.shop.part{n}.PriceTest\n[INFO] Tests run: {n}, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.0{n} s -- in org.shop.part{n}.PriceTest\n"));
    }
    let passed = format!(
        "{text}[INFO] Results:\n[INFO] \n[INFO] Tests run: 820, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS\n"
    );
    insta::assert_snapshot!(check("mvn verify", &passed), @"
    [digest of test run: 3 of 84 lines kept, 1,547 tokens; original 392ecc4b7ce0]
    40 suites without failures
    [INFO] Results:
    [INFO] Tests run: 820, Failures: 0, Errors: 0, Skipped: 0
    [INFO] BUILD SUCCESS
    ");
    text.push_str("[INFO] Running org.shop.CartTest\n[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 1, Time elapsed: 0.05 s <<< FAILURE! -- in org.shop.CartTest\n[ERROR] org.shop.CartTest.adds -- Time elapsed: 0.01 s <<< FAILURE!\norg.opentest4j.AssertionFailedError: expected: <7> but was: <6>\n\tat org.junit.jupiter.api.AssertionUtils.fail(AssertionUtils.java:39)\n\tat org.shop.CartTest.adds(CartTest.java:19)\n\n[INFO] Results:\n[INFO] \n[ERROR] Failures: \n[ERROR]   CartTest.adds:19 expected: <7> but was: <6>\n[INFO] \n[ERROR] Tests run: 825, Failures: 1, Errors: 0, Skipped: 1\n[INFO] BUILD FAILURE\n");
    insta::assert_snapshot!(check("mvn verify", &text), @"
    [digest of test run: 10 of 94 lines kept, 1,667 tokens; original 53a832766fdd]
    40 suites without failures
    [ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 1, Time elapsed: 0.05 s <<< FAILURE! -- in org.shop.CartTest
    [ERROR] org.shop.CartTest.adds -- Time elapsed: 0.01 s <<< FAILURE!
    org.opentest4j.AssertionFailedError: expected: <7> but was: <6>
    	at org.junit.jupiter.api.AssertionUtils.fail(AssertionUtils.java:39)
    	at org.shop.CartTest.adds(CartTest.java:19)
    [INFO] Results:
    [ERROR] Failures:
    [ERROR]   CartTest.adds:19 expected: <7> but was: <6>
    [ERROR] Tests run: 825, Failures: 1, Errors: 0, Skipped: 1
    [INFO] BUILD FAILURE
    ");
}

#[test]
fn each_of_several_numbered_failures_is_kept_and_what_is_to_do_is_none() {
    let mut text = String::from("TAP version 13\n1..90\n");
    for n in 1..=90 {
        match n {
            20 => text.push_str("not ok 20 - reads - empty file\n#   Failed test 'reads - empty file'\n#   at t/read.t line 9.\n#          got: '0'\n#     expected: '1'\n"),
            21 => text.push_str("not ok 21 - reads - large file\n"),
            40 => text.push_str("not ok 40 - writes # TODO not written yet\n"),
            50 => text.push_str("ok 50 # SKIP no network\n"),
            70 => text.push_str("not ok 70\n"),
            n => text.push_str(&format!("ok {n} - case {n} of the table\n")),
        }
    }
    insta::assert_snapshot!(check("prove -v", &text), @"
    [digest of test run: 9 of 96 lines kept, 677 tokens; original 6f89a15783fb]
    85 passed, 3 failed, 1 skipped, 1 todo
    not ok 20 - reads - empty file
    #   Failed test 'reads - empty file'
    #   at t/read.t line 9.
    #          got: '0'
    #     expected: '1'
    not ok 21 - reads - large file
    not ok 40 - writes # TODO not written yet
    not ok 70
    ok 90 - case 90 of the table
    ");
}

#[test]
fn a_test_that_takes_far_longer_is_kept() {
    let mut text = String::from("Test project /srv/build\n");
    for n in 1..=50 {
        let taken = if n == 31 { "  412.70" } else { "    0.90" };
        text.push_str(&format!(
            "      Start {n:>2}: net_case_{n}\n{n}/50 Test #{n}: net_case_{n} ...........   Passed {taken} sec\n"
        ));
    }
    text.push_str("\n100% tests passed, 0 tests failed out of 50\n\nTotal Test time (real) = 456.80 sec\n");
    insta::assert_snapshot!(check("ctest", &text), @"
    [digest of test run: 4 of 105 lines kept, 1,143 tokens; original 5ee8fb7ab324]
    Test project /srv/build
    31/50 Test #31: net_case_31 ...........   Passed   412.70 sec
    100% tests passed, 0 tests failed out of 50
    Total Test time (real) = 456.80 sec
    ");
}

#[test]
fn tests_that_differ_in_their_parameter_are_different_tests() {
    let mut text: String = (0..60).map(|n| format!("tests/test_unit.py::test_scale[{n}] PASSED [ {n}%]\n")).collect();
    for (n, said) in [(61, "ValueError: negative"), (62, "KeyError: 'kg'"), (63, "TypeError: no number")] {
        text.push_str(&format!("tests/test_unit.py::test_scale[{n}] FAILED [ {n}%]\n"));
        text.push_str(&format!("FAILED tests/test_unit.py::test_scale[{n}] - {said}\n"));
    }
    text.push_str("==== 3 failed, 60 passed in 1.00s ====\n");
    let digest = check("pytest -v", &text);
    for said in ["test_scale[61] - ValueError", "test_scale[62] - KeyError", "test_scale[63] - TypeError"] {
        assert!(digest.contains(said), "{digest}");
    }
}

#[test]
fn warnings_stay_beside_failures() {
    let mut text = String::from("===== test session starts =====\ncollected 300 items\n\n");
    (0..30).for_each(|n| text.push_str(&format!("tests/test_part{n}.py ..........                      [ {n}%]\n")));
    text.push_str("=================================== FAILURES ===================================\n__________________________________ test_half ___________________________________\n\n    def test_half():\n>       assert half(3) == 1\nE       assert 1.5 == 1\n\ntests/test_half.py:7: AssertionError\n=============================== warnings summary ===============================\ntests/test_part1.py::test_now\n  /srv/app/clock.py:12: DeprecationWarning: utcnow() is deprecated\n    return utcnow()\n\ntests/test_part2.py: 12 warnings\n  /srv/app/orm.py:7: MappingWarning: column is copied twice\n    relation(Order)\n\n-- Docs: see the manual\n=========================== short test summary info ============================\nFAILED tests/test_half.py::test_half - assert 1.5 == 1\n=========== 1 failed, 299 passed, 13 warnings in 2.00s ===========\n");
    insta::assert_snapshot!(check("pytest", &text), @"
    [digest of test run: 13 of 54 lines kept, 662 tokens; original bbfff6bda1cd]
    tests/test_half.py::test_half
        def test_half():
    >       assert half(3) == 1
    E       assert 1.5 == 1
    tests/test_half.py:7: AssertionError
    tests/test_part1.py::test_now
      /srv/app/clock.py:12: DeprecationWarning: utcnow() is deprecated
        return utcnow()
    tests/test_part2.py: 12 warnings
      /srv/app/orm.py:7: MappingWarning: column is copied twice
        relation(Order)
    -- Docs: see the manual
    =========== 1 failed, 299 passed, 13 warnings in 2.00s ===========
    ");
}

#[track_caller]
fn check_kept(command: &str, text: &str, kept: &[&str]) {
    let digest = made("", command, text).expect("a digest is made");
    assert_eq!(digest.kind, "test run", "{}", digest.text);
    kept.iter().for_each(|kept| assert!(digest.text.contains(kept), "{kept}: {}", digest.text));
    assert!(digest.text.len() < 1_000, "{}", digest.text);
}

#[test]
fn what_each_line_begins_with_hides_no_failure() {
    let mut text = String::new();
    for n in 0..40 {
        text.push_str(&format!("web:test:   ✓ shows page {n} ({n} ms)\nshop:test:   ✓ sells item {n} ({n} ms)\n"));
    }
    text.push_str("shop:test: FAIL src/basket.test.ts\nshop:test:   ● basket › sums up\nshop:test: \nshop:test:     expect(received).toBe(expected)\nshop:test: \nshop:test:     Expected: 41\nshop:test:     Received: 42\nshop:test: \nshop:test:       at Object.<anonymous> (src/basket.test.ts:8:15)\nshop:test: \nshop:test: Tests:       1 failed, 40 passed, 41 total\nweb:test: Tests:       40 passed, 40 total\n");
    check_kept(
        "turbo run test",
        &text,
        &["shop:test: ● basket › sums up", "Expected: 41", "Received: 42", "basket.test.ts:8:15"],
    );
    let mut text = String::new();
    (0..60).for_each(|n| {
        text.push_str(&format!(
            "unit\tRun tests\t2025-02-03T10:00:{:02}.1234567Z tests/test_page.py::test_{n} PASSED [ {n}%]\n",
            n % 60
        ))
    });
    for line in [
        "______ test_sum ______",
        "    def test_sum():",
        "E       assert 42 == 41",
        "tests/test_sum.py:9: AssertionError",
        "===== 1 failed, 60 passed in 3.2s =====",
    ] {
        text.push_str(&format!("unit\tRun tests\t2025-02-03T10:01:00.1234567Z {line}\n"));
    }
    check_kept(
        "gh run view --log",
        &text,
        &["\ntest_sum\n", "\nE       assert 42 == 41\n", "\ntests/test_sum.py:9: AssertionError\n"],
    );
}

#[test]
fn runs_of_other_languages_are_read() {
    let passed = |form: &str| (0..60).map(|n| form.replace('#', &n.to_string())).collect::<String>();
    let text = passed("  Passed Shop.BasketTests.Sells# [# ms]\n")
        + "  Failed Shop.BasketTests.Sum [12 ms]\n  Error Message:\n   Assert.Equal() Failure: Values differ\nExpected: 41\nActual:   42\n  Stack Trace:\n     at Shop.BasketTests.Sum() in /srv/BasketTests.cs:line 9\n"
        + &passed("  Passed Shop.MailTests.Sends# [# ms]\n")
        + "\nTotal tests: 121\n     Passed: 120\n     Failed: 1\n";
    check_kept(
        "dotnet test",
        &text,
        &["Failed Shop.BasketTests.Sum", "Values differ", "Expected: 41", "Actual:   42", "Failed: 1"],
    );
    let text = passed("Sells Item #                                      | PASS |\n------------------------------\n")
        + "Sums Up                                           | FAIL |\nTotal should be 41 but was 42\n------------------------------\nShop                                              | FAIL |\n61 tests, 60 passed, 1 failed\n";
    check_kept("robot shop", &text, &["Sums Up", "Total should be 41 but was 42", "60 passed, 1 failed"]);
    let text = passed(
        "Test Case '-[Shop.Basket testSells#]' started.\nTest Case '-[Shop.Basket testSells#]' passed (0.001 seconds).\n",
    ) + "Test Case '-[Shop.Basket testSum]' started.\n/srv/Basket.swift:9: error: -[Shop.Basket testSum] : XCTAssertEqual failed: (\"42\") is not equal to (\"41\")\nTest Case '-[Shop.Basket testSum]' failed (0.012 seconds).\n\t Executed 61 tests, with 1 failure (0 unexpected) in 0.1 (0.1) seconds\n";
    check_kept(
        "swift test",
        &text,
        &["testSum]' failed", "(\"42\") is not equal", "Executed 61 tests, with 1 failure"],
    );
    let text = passed("▶ part #\n  ✔ sells # (0.5ms)\n▶ part # (1.1ms)\n")
        + "▶ basket\n  ✖ sums up (2.1ms)\n    AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n\n    42 !== 41\n\n        at TestContext.<anonymous> (file:///srv/basket.test.js:9:10)\n▶ basket (3.1ms)\nℹ tests 61\nℹ pass 60\nℹ fail 1\nℹ duration_ms 120.1\n";
    check_kept("node --test", &text, &["✖ sums up", "42 !== 41", "basket.test.js:9:10", "ℹ fail 1"]);
    let text = passed("PASS: sells item number #\n")
        + "FAIL: sums up a basket\nXFAIL: an old one\n# TOTAL: 62\n# PASS:  60\n# XFAIL: 1\n# FAIL:  1\n";
    check_kept("make check", &text, &["FAIL: sums up a basket", "# FAIL:  1"]);
    let text = passed("//part#:unit_test                                 PASSED in 0.#s\n")
        + "==================== Test output for //basket:sum_test:\nbasket/sum_test.cc:9: Failure\nExpected equality of these values:\n  42\n  41\n================================================================================\n//basket:sum_test                                 FAILED in 0.1s\n//slow:all_test                                   TIMEOUT in 300.1s\n\nExecuted 62 out of 62 tests: 60 tests pass and 2 fail locally.\n";
    check_kept(
        "bazel test //...",
        &text,
        &["//basket:sum_test", "Expected equality of these values:", "//slow:all_test", "2 fail locally"],
    );
}

#[test]
fn of_tests_that_are_not_listed_nothing_is_said() {
    let mut text: String = (0..60).map(|n| format!("ok  \texample.org/shop/part{n}\t0.1{n}s\n")).collect();
    text.push_str("--- FAIL: TestSum (0.00s)\n    --- PASS: TestSum/empty (0.00s)\n    --- FAIL: TestSum/full (0.00s)\n        sum_test.go:9: sum = 42, want 41\nFAIL\nFAIL\texample.org/shop/basket\t0.01s\nFAIL\n");
    insta::assert_snapshot!(check("go test ./...", &text), @"
    [digest of test run: 5 of 67 lines kept, 581 tokens; original f8a426335333]
    2 failed
    61 packages, 1 failed
    --- FAIL: TestSum (0.00s)
    --- FAIL: TestSum/full (0.00s)
            sum_test.go:9: sum = 42, want 41
    FAIL	example.org/shop/basket	0.01s
    FAIL
    ");
}

#[test]
fn both_sides_of_a_comparison_are_shown_and_lines_that_come_again_are_counted() {
    let mut text = String::new();
    (0..60).for_each(|n| text.push_str(&format!("loading fixture {n}\ntest basket::sells_{n} ... ok\n")));
    text.push_str("test basket::sum ... FAILED\ntest mail::sum ... FAILED\n\nfailures:\n\n---- basket::sum stdout ----\nthread 'basket::sum' panicked at src/basket.rs:9:5:\nassertion `left == right` failed\n  left: 41\n right: 42\n\n---- mail::sum stdout ----\nthread 'mail::sum' panicked at src/mail.rs:7:5:\nassertion `left == right` failed\n  left: 41\n right: 40\n\ntest result: FAILED. 60 passed; 2 failed; 0 ignored\n");
    insta::assert_snapshot!(check("cargo test", &text), @"
    [digest of test run: 13 of 138 lines kept, 812 tokens; original f1fd93f91b39]
    loading fixture 0 [×60]
    test basket::sum ... FAILED
    test mail::sum ... FAILED
    ---- basket::sum stdout ----
    thread 'basket::sum' panicked at src/basket.rs:9:5:
    assertion `left == right` failed
      left: 41
     right: 42
    ---- mail::sum stdout ----
    thread 'mail::sum' panicked at src/mail.rs:7:5:
      left: 41
     right: 40
    test result: FAILED. 60 passed; 2 failed; 0 ignored
    ");
}

#[test]
fn failures_that_differ_in_what_was_compared_are_not_alike() {
    let mut text = String::from("FAIL src/page.test.ts\n");
    for (n, word) in ["apple", "pear", "plum", "fig", "lime"].iter().enumerate() {
        text.push_str(&format!("  ● page › shows {n}\n\n    expect(received).toMatchSnapshot()\n\n    - Snapshot\n    + Received\n\n    - <b>none</b>\n    + <b>{word}</b>\n\n      at Object.<anonymous> (src/page.test.ts:{n}:9)\n\n"));
    }
    text.push_str("Tests:       5 failed, 300 passed, 305 total\n");
    (0..60).for_each(|n| text.push_str(&format!("PASS src/part{n}.test.ts\n")));
    let digest = check("npx jest", &text);
    assert!((0..5).all(|n| digest.contains(&format!("● page › shows {n}"))), "{digest}");
    assert!(!digest.contains("alike"), "{digest}");
}

#[test]
fn a_failure_between_rules_keeps_the_title_of_its_block() {
    let rule = "-".repeat(79);
    let dots = ".".repeat(79);
    let block = |n: usize, title: &str, said: &str| {
        format!(
            "{rule}\n{title}\n  with coins\n{rule}\ntests/till.cpp:{n}\n{dots}\n\ntests/till.cpp:{}: {said}\n\n",
            n + 4
        )
    };
    let passed = |n: usize| format!("PASSED:\n  REQUIRE( drawer.count() == {n} )\nwith expansion:\n  {n} == {n}");
    let mut text: String = (10..30).map(|n| block(n, &format!("counts {n} coins"), &passed(n))).collect();
    text.push_str(&block(
        60,
        "gives change",
        "FAILED:\n  REQUIRE( paid - price == change )\nwith expansion:\n  42 == 41",
    ));
    text.extend((80..95).map(|n| block(n, &format!("opens {n} times"), &passed(n))));
    text.push_str(&format!(
        "{}\ntest cases: 36 | 35 passed | 1 failed\nassertions: 36 | 35 passed | 1 failed\n",
        "=".repeat(79)
    ));
    insta::assert_snapshot!(check("./build/tests -s", &text), @"
    [digest of test run: 9 of 435 lines kept, 3,428 tokens; original 9a8cd610f4c7]
    gives change
      with coins
    tests/till.cpp:60
    tests/till.cpp:64: FAILED:
      REQUIRE( paid - price == change )
    with expansion:
      42 == 41
    test cases: 36 | 35 passed | 1 failed
    assertions: 36 | 35 passed | 1 failed
    ");
}

#[test]
fn doctest_names_a_test_once_above_its_checks() {
    let rule = "=".repeat(79);
    let case =
        |n: usize, said: &str| format!("{rule}\ntests/till.cpp:{n}:\nTEST CASE:  counts {n} coins\n\n{said}\n\n");
    let passed = |n: usize| {
        case(
            n,
            &format!(
                "tests/till.cpp:{}: SUCCESS: CHECK( count() == {n} ) is correct!\n  values: CHECK( {n} == {n} )",
                n + 4
            ),
        )
    };
    let mut text: String = (10..40).map(passed).collect();
    text.push_str(&case(
        88,
        "tests/till.cpp:92: ERROR: CHECK( change(5) == 2 ) is NOT correct!\n  values: CHECK( 3 == 2 )",
    ));
    text.extend((100..120).map(passed));
    text.push_str(&format!("{rule}\n[doctest] test cases: 51 | 50 passed | 1 failed\n[doctest] Status: FAILURE!\n"));
    insta::assert_snapshot!(check("./build/tests -s", &text), @"
    [digest of test run: 6 of 360 lines kept, 2,874 tokens; original affd04256470]
    tests/till.cpp:88:
    TEST CASE:  counts 88 coins
    tests/till.cpp:92: ERROR: CHECK( change(5) == 2 ) is NOT correct!
      values: CHECK( 3 == 2 )
    [doctest] test cases: 51 | 50 passed | 1 failed
    [doctest] Status: FAILURE!
    ");
}
