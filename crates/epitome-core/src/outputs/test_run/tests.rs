mod not_passed;
mod runners;

use crate::outputs::testing::{check, made};

#[test]
fn a_verbose_pytest_run_tells_each_failure_once() {
    let mut text = String::from(
        "============================= test session starts ==============================\nplatform linux -- Python 3.12.1, pytest-8.0.0\nrootdir: /srv/app\ncollected 122 items\n\n",
    );
    for n in 0..60 {
        text.push_str(&format!(
            "tests/test_orders.py::TestOrders::test_error_case_{n} PASSED [ {:>2}%]\n",
            n * 100 / 122
        ));
        text.push_str(&format!("tests/test_users.py::test_user_{n} PASSED [ {:>2}%]\n", n * 100 / 122));
    }
    text.push_str("tests/test_billing.py::test_refund[eur] FAILED [ 99%]\ntests/test_users.py::test_legacy SKIPPED (no db) [100%]\n\n");
    text.push_str("=================================== FAILURES ===================================\n______________________________ test_refund[eur] ________________________________\n\ncurrency = 'eur'\n\n    def test_refund(currency):\n>       assert refund(100, currency).tenant == 'acme'\nE       KeyError: 'tenant_id'\n\ntests/test_billing.py:88: KeyError\n");
    text.push_str("=========================== short test summary info ============================\nFAILED tests/test_billing.py::test_refund[eur] - KeyError: 'tenant_id'\n============ 1 failed, 120 passed, 1 skipped in 12.30s ============\n");
    insta::assert_snapshot!(check("pytest -v", &text), @"
    [digest of test run: 7 of 141 lines kept, 1,928 tokens; original e7fbbb9216da]
    passed: tests/test_orders.py 60, tests/test_users.py 60
    tests/test_billing.py::test_refund[eur]
    currency = 'eur'
        def test_refund(currency):
    >       assert refund(100, currency).tenant == 'acme'
    E       KeyError: 'tenant_id'
    tests/test_billing.py:88: KeyError
    ============ 1 failed, 120 passed, 1 skipped in 12.30s ============
    ");
}

#[test]
fn a_failure_without_details_is_kept_by_its_name() {
    let mut text: String =
        (0..80).map(|n| format!("[gw{}] [ {n}%] PASSED tests/test_a.py::test_{n}\n", n % 4)).collect();
    text.push_str("[gw1] [ 99%] FAILED tests/test_b.py::test_last\n=========================== short test summary info ============================\nFAILED tests/test_b.py::test_last - AssertionError: assert 1 == 2\nERROR tests/test_c.py - ModuleNotFoundError: No module named 'boto3'\n==== 1 failed, 80 passed, 1 error in 3.21s ====\n");
    insta::assert_snapshot!(check("pytest -n4", &text), @"
    [digest of test run: 3 of 85 lines kept, 973 tokens; original cf877d56abd8]
    FAILED tests/test_b.py::test_last - AssertionError: assert 1 == 2
    ERROR tests/test_c.py - ModuleNotFoundError: No module named 'boto3'
    ==== 1 failed, 80 passed, 1 error in 3.21s ====
    ");
}

#[test]
fn a_cargo_run_keeps_the_panic_with_its_place() {
    let mut text = String::from(
        "   Compiling ledger v0.1.0\n    Finished `test` profile\n     Running unittests src/lib.rs\n\nrunning 61 tests\n",
    );
    (0..60).for_each(|n| text.push_str(&format!("test parse::tests::reads_error_number_{n} ... ok\n")));
    text.push_str("test settle::tests::rounds ... FAILED\n\nfailures:\n\n---- settle::tests::rounds stdout ----\nthread 'settle::tests::rounds' panicked at src/settle.rs:42:9:\nassertion `left == right` failed: halves go up\n  left: 12\n right: 13\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n\n\nfailures:\n    settle::tests::rounds\n\ntest result: FAILED. 60 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.02s\n\nerror: test failed, to rerun pass `--lib`\n");
    insta::assert_snapshot!(check("cargo test", &text), @"
    [digest of test run: 10 of 83 lines kept, 865 tokens; original 09e119bf693c]
       Compiling ledger v0.1.0
        Finished `test` profile
         Running unittests src/lib.rs
    ---- settle::tests::rounds stdout ----
    thread 'settle::tests::rounds' panicked at src/settle.rs:42:9:
    assertion `left == right` failed: halves go up
      left: 12
     right: 13
    test result: FAILED. 60 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.02s
    error: test failed, to rerun pass `--lib`
    ");
}

#[test]
fn a_nextest_run_keeps_what_failed() {
    let mut text: String =
        (0..60).map(|n| format!("        PASS [   0.00{}s] ledger parse::tests::case_{n}\n", n % 9)).collect();
    text.push_str("        FAIL [   0.012s] ledger settle::tests::rounds\n\n--- STDERR:              ledger settle::tests::rounds ---\nthread 'settle::tests::rounds' panicked at src/settle.rs:42:9:\nnot rounded: 12.5\n\n------------\n     Summary [   0.300s] 61 tests run: 60 passed, 1 failed, 0 skipped\n        FAIL [   0.012s] ledger settle::tests::rounds\nerror: test run failed\n");
    insta::assert_snapshot!(check("cargo nextest run", &text), @"
    [digest of test run: 5 of 70 lines kept, 897 tokens; original 41dba4012c10]
    --- STDERR:              ledger settle::tests::rounds ---
    thread 'settle::tests::rounds' panicked at src/settle.rs:42:9:
    not rounded: 12.5
         Summary [   0.300s] 61 tests run: 60 passed, 1 failed, 0 skipped
    error: test run failed
    ");
}

#[test]
fn a_go_run_keeps_the_message_above_the_failure() {
    let mut text = String::new();
    for n in 0..40 {
        text.push_str(&format!(
            "=== RUN   TestParse{n}\n    parse_test.go:{n}: ERROR logged on purpose\n--- PASS: TestParse{n} (0.00s)\n"
        ));
    }
    text.push_str("=== RUN   TestSettle\n    settle_test.go:10: starting\n    settle_test.go:31: Settle() = 12, want 13\n--- FAIL: TestSettle (0.01s)\nFAIL\nFAIL\texample.org/ledger/settle\t0.412s\nok  \texample.org/ledger/parse\t0.100s\nFAIL\n");
    insta::assert_snapshot!(check("go test -v ./...", &text), @"
    [digest of test run: 6 of 128 lines kept, 1,026 tokens; original 2d84def09b74]
    40 passed, 1 failed
    2 packages, 1 failed
        parse_test.go:0: ERROR logged on purpose
        settle_test.go:10: starting
        settle_test.go:31: Settle() = 12, want 13
    --- FAIL: TestSettle (0.01s)
    FAIL	example.org/ledger/settle	0.412s
    FAIL
    ");
}

#[test]
fn the_same_message_in_many_tests_is_said_once() {
    let mut text = String::from("FAIL src/shares/shares.spec.ts\n  SharesController\n");
    (0..12).for_each(|n| {
        text.push_str(&format!("    ✕ should do thing {n} (3 ms)\n    ✓ should do other thing {n} (1 ms)\n"))
    });
    for n in 0..12 {
        text.push_str(&format!("\n  ● SharesController › should do thing {n}\n\n    Nest can't resolve dependencies of the ThrottlerGuard (?, Reflector).\n\n      64 |\n    > 65 |     const module = await Test.create({{\n         |                    ^\n      at load (../node_modules/nest/injector.js:12:3)\n      at Object.<anonymous> (src/shares/shares.spec.ts:65:35)\n"));
    }
    text.push_str("\nTest Suites: 1 failed, 1 total\nTests:       12 failed, 12 passed, 24 total\nSnapshots:   0 total\nTime:        2.075 s\nRan all test suites matching /shares/i.\n");
    insta::assert_snapshot!(check("npx jest", &text), @"
    [digest of test run: 10 of 152 lines kept, 1,263 tokens; original 3f782ab94d7a]
    FAIL src/shares/shares.spec.ts
      SharesController
    ● SharesController › should do thing 0 [+11 alike: should do thing 1, should do thing 2, should do thing 3, should do thing 4, should do thing 5, should do thing 6, should do thing 7, should do thing 8, should do thing 9, should do thing 10, should do thing 11]
        Nest can't resolve dependencies of the ThrottlerGuard (?, Reflector).
          at Object.<anonymous> (src/shares/shares.spec.ts:65:35)
    Test Suites: 1 failed, 1 total
    Tests:       12 failed, 12 passed, 24 total
    Snapshots:   0 total
    Time:        2.075 s
    Ran all test suites matching /shares/i.
    ");
}

#[test]
fn a_unittest_run_keeps_the_exception() {
    let mut text: String =
        (0..60).map(|n| format!("test_number_{n} (tests.test_calc.TestCalc.test_number_{n}) ... ok\n")).collect();
    text.push_str("test_half (tests.test_calc.TestCalc.test_half) ... FAIL\n\n======================================================================\nFAIL: test_half (tests.test_calc.TestCalc.test_half)\n----------------------------------------------------------------------\nTraceback (most recent call last):\n  File \"/srv/app/tests/test_calc.py\", line 12, in test_half\n    self.assertEqual(half(3), 1)\nAssertionError: 1.5 != 1\n\n----------------------------------------------------------------------\nRan 61 tests in 0.010s\n\nFAILED (failures=1)\n");
    insta::assert_snapshot!(check("python -m unittest -v", &text), @r#"
    [digest of test run: 7 of 74 lines kept, 1,086 tokens; original 4db25e6edd35]
    FAIL: test_half (tests.test_calc.TestCalc.test_half)
    Traceback (most recent call last):
      File "/srv/app/tests/test_calc.py", line 12, in test_half
        self.assertEqual(half(3), 1)
    AssertionError: 1.5 != 1
    Ran 61 tests in 0.010s
    FAILED (failures=1)
    "#);
}

#[test]
fn of_a_run_in_which_all_passed_the_totals_are_left() {
    let mut text = String::from("TAP version 13\n");
    (1..=80).for_each(|n| text.push_str(&format!("ok {n} - handles failure number {n}\n")));
    text.push_str("1..80\n# tests 80\n# pass 80\n# fail 0\n");
    insta::assert_snapshot!(check("node --test", &text), @"
    [digest of test run: 3 of 85 lines kept, 689 tokens; original 66d9e409ee0d]
    # tests 80
    # pass 80
    # fail 0
    ");
}

#[test]
fn tap_mocha_and_gtest_failures_are_kept() {
    let mut text = String::new();
    (0..50).for_each(|n| text.push_str(&format!("[ RUN      ] Suite.Case{n}\n[       OK ] Suite.Case{n} (0 ms)\n")));
    text.push_str("[ RUN      ] Suite.Broken\nsrc/suite_test.cc:31: Failure\nExpected equality of these values:\n  3\n  4\n[  FAILED  ] Suite.Broken (1 ms)\n[==========] 51 tests from 1 test suite ran. (12 ms total)\n[  PASSED  ] 50 tests.\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] Suite.Broken\n");
    insta::assert_snapshot!(check("./suite_test", &text), @"
    [digest of test run: 9 of 110 lines kept, 802 tokens; original 5970f59ef83f]
    src/suite_test.cc:31: Failure
    Expected equality of these values:
      3
      4
    [  FAILED  ] Suite.Broken (1 ms)
    [==========] 51 tests from 1 test suite ran. (12 ms total)
    [  PASSED  ] 50 tests.
    [  FAILED  ] 1 test, listed below:
    [  FAILED  ] Suite.Broken
    ");
    let mut text = String::from("  ledger\n");
    (0..60).for_each(|n| text.push_str(&format!("    ✔ settles number {n}\n")));
    text.push_str("    1) rounds halves\n\n  60 passing (12ms)\n  1 failing\n\n  1) ledger\n       rounds halves:\n\n      AssertionError: expected 12 to equal 13\n      + expected - actual\n\n      -12\n      +13\n\n      at Context.<anonymous> (test/ledger.js:12:18)\n");
    insta::assert_snapshot!(check("npx mocha", &text), @"
    [digest of test run: 10 of 76 lines kept, 449 tokens; original 4ed9834ac46c]
        1) rounds halves
      60 passing (12ms)
      1 failing
    1) ledger
           rounds halves:
          AssertionError: expected 12 to equal 13
          + expected - actual
          -12
          +13
          at Context.<anonymous> (test/ledger.js:12:18)
    ");
}

#[test]
fn runs_written_for_machines_are_read() {
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<testsuites>\n<testsuite name=\"pytest\" errors=\"0\" failures=\"1\" tests=\"41\" time=\"1.2\">\n",
    );
    (0..40).for_each(|n| {
        text.push_str(&format!("<testcase classname=\"tests.test_a\" name=\"test_{n}\" time=\"0.001\" />\n"))
    });
    text.push_str("<testcase classname=\"tests.test_b\" name=\"test_x\" time=\"0.1\"><failure message=\"assert 1 &gt; 2\">def test_x():\n&gt; assert 1 &gt; 2\nE assert 1 &gt; 2\n\ntests/test_b.py:7: AssertionError</failure></testcase>\n</testsuite>\n</testsuites>\n");
    insta::assert_snapshot!(check("cat report.xml", &text), @"
    [digest of test run: 2 of 42 records kept, 742 tokens; original 54b21657b6cb]
    40 passed, 1 failed, 0 skipped
    testsuite name=pytest tests=41 failures=1 errors=0 time=1.2
    FAILED tests.test_b test_x: assert 1 > 2
    def test_x():
    > assert 1 > 2
    E assert 1 > 2
    tests/test_b.py:7: AssertionError
    ");
    let mut text = String::new();
    for n in 0..30 {
        text.push_str(&format!("{{\"Action\":\"run\",\"Package\":\"p\",\"Test\":\"T{n}\"}}\n{{\"Action\":\"pass\",\"Package\":\"p\",\"Test\":\"T{n}\",\"Elapsed\":0}}\n"));
    }
    text.push_str("{\"Action\":\"output\",\"Package\":\"p\",\"Test\":\"TX\",\"Output\":\"    x_test.go:9: got 1, want 2\\n\"}\n{\"Action\":\"fail\",\"Package\":\"p\",\"Test\":\"TX\",\"Elapsed\":0}\n{\"Action\":\"fail\",\"Package\":\"p\",\"Elapsed\":0.1}\n");
    insta::assert_snapshot!(check("go test -json ./...", &text), @"
    [digest of test run: 3 of 63 records kept, 801 tokens; original 43d8abdd3823]
    30 passed, 1 failed, 0 skipped
        x_test.go:9: got 1, want 2
    FAIL p TX
    FAIL p
    ");
}

#[test]
fn a_log_with_errors_is_no_test_run() {
    let text: String =
        (0..100).map(|n| format!("12:00:{:02} ERROR request {n} failed: 3 retries, 1 skipped\n", n % 60)).collect();
    assert_ne!(made("", "cat app.log", &text).map(|digest| digest.kind), Some("test run"));
    let text: String =
        (0..100).map(|n| format!("✓ Step {n} is planned and described\nmore about it in words\n")).collect();
    assert_ne!(made("", "cat plan.md", &text).map(|digest| digest.kind), Some("test run"));
}

#[test]
fn line_ends_of_windows_change_nothing() {
    let text: String = (0..60).map(|n| format!("test a::b_{n} ... ok\r\n")).collect();
    let text = format!(
        "running 61 tests\r\n{text}test a::bad ... FAILED\r\ntest result: FAILED. 60 passed; 1 failed; 0 ignored\r\n"
    );
    let digest = check("cargo test", &text);
    assert!(digest.contains("test a::bad ... FAILED") && digest.contains("60 passed; 1 failed"), "{digest}");
}

#[test]
fn a_panic_of_go_keeps_the_frame_of_the_project() {
    let mut text: String = (0..60).map(|n| format!("ok  \texample.org/app/package_{n}\t0.1{n}s\n")).collect();
    text.push_str("--- FAIL: TestListen (0.00s)\npanic: failed to listen on a port [recovered]\n\ngoroutine 23 [running]:\ntesting.tRunner.func1()\n\t/usr/lib64/go/1.26/src/testing/testing.go:1977 +0x349\nexample.org/app.TestListen(0x1bd547b77448)\n\t/srv/app/listen_test.go:78 +0xa9\nFAIL\texample.org/app\t0.005s\n# example.org/app/net\nnet/dial.go:9:15: undefined: NewDialer\nFAIL\texample.org/app/net [build failed]\nFAIL\n");
    insta::assert_snapshot!(check("go test ./...", &text), @"
    [digest of test run: 10 of 73 lines kept, 678 tokens; original b95f2ab7861d]
    1 failed
    62 packages, 2 failed
    --- FAIL: TestListen (0.00s)
    panic: failed to listen on a port [recovered]
    testing.tRunner.func1()
    example.org/app.TestListen(0x1bd547b77448)
    	/srv/app/listen_test.go:78 +0xa9
    FAIL	example.org/app	0.005s
    # example.org/app/net
    net/dial.go:9:15: undefined: NewDialer
    FAIL	example.org/app/net [build failed]
    FAIL
    ");
}

#[test]
fn many_crates_are_added_up() {
    let mut text = String::new();
    for n in 0..8 {
        text.push_str(&format!(
            "     Running unittests src/lib.rs (target/debug/deps/crate_{n})\n\nrunning 12 tests\n"
        ));
        (0..12).for_each(|test| text.push_str(&format!("test tests::case_{test} ... ok\n")));
        text.push_str(
            "\ntest result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s\n\n",
        );
    }
    insta::assert_snapshot!(check("cargo test --workspace", &text), @"
    [digest of test run: 2 of 143 lines kept, 982 tokens; original af6b5aabfeea]
    in 8 runs: 96 passed, 8 ignored
         Running unittests src/lib.rs (target/debug/deps/crate_0) [×8]
    test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s
    ");
}

#[test]
fn a_failure_among_planned_results_keeps_its_diagnostic() {
    let mut text = String::from("TAP version 13\n1..330\n");
    for n in 1..=330 {
        if n == 194 {
            text.push_str("not ok 194 - rounds half to even\n  ---\n  message: values differ\n  got: 3\n  expected: 2\n  at: t/round.t line 12\n  ...\n");
        } else {
            text.push_str(&format!("ok {n} - handles case number {n} of the table\n"));
        }
    }
    for command in ["prove -v t/", "make run", "npm test"] {
        let digest = check(command, &text);
        for kept in ["not ok 194 - rounds half to even", "got: 3", "expected: 2"] {
            assert!(digest.contains(kept), "{command}: {digest}");
        }
    }
}
