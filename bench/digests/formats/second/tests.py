"""Test runners that the first set does not have: what failed, with what message and where, and the totals."""

from ..bulk import camel
from ..case import case
from .stock import DEEDS, PEOPLE, THINGS, hexes, name, names, plant, prose, small, trouble

ASK = "Are the tests green?"


def titles(r, n):
    """`n` different sentences of the kind that tests are called by."""
    return [
        f"{d}s a {t} {w}"
        for d, t, w in r.sample([(d, t, w) for d in DEEDS for t in THINGS for w in ("at night", "once", "for guests")], n)
    ]


@case("bats --print-output-on-failure test/", ask=ASK)
def bats(r):
    said = titles(r, 290)
    bad, at, got = r.choice(said[20:-20]), r.randint(10, 300), hexes(r, 7)
    lines = []
    for k, s in enumerate(said):
        if k % 30 == 0:
            lines.append(f"{name(r)}.bats")
        lines.append(f" {'✗' if s == bad else '✓'} {s}")
        if s == bad:
            lines += [
                f"   (in test file test/lend.bats, line {at})",
                f'     `[ "$output" = "lent {got}" ]\' failed',
                "   Last output:",
                f"   lend: cannot stat '/var/lib/lend/{got}'",
            ]
    return [*lines, "", "290 tests, 1 failure, 3 skipped"], [
        [bad, f"test/lend.bats, line {at}", f"cannot stat '/var/lib/lend/{got}'"],
        "290 tests, 1 failure",
    ]


@case("./build/press_tests", ask=ASK)
def gtest(r):
    suites = {camel(s, True) + "Test": [camel(n, True) for n in names(r, 16)] for s in names(r, 14)}
    suite = r.choice(list(suites)[3:-3])
    bad, at, ms = r.choice(suites[suite]), r.randint(20, 700), r.randint(30000, 90000)
    slow = r.choice([(s, t) for s in suites for t in suites[s] if s != suite])
    lines = ["[==========] Running 224 tests from 14 test suites.", "[----------] Global test environment set-up."]
    for s, tests in suites.items():
        lines.append(f"[----------] 16 tests from {s}")
        for t in tests:
            lines.append(f"[ RUN      ] {s}.{t}")
            if (s, t) == (suite, bad):
                lines += [
                    f"/src/press/tests/galley_test.cc:{at}: Failure",
                    "Expected equality of these values:",
                    "  galley.pages()",
                    f"    Which is: {at * 3}",
                    f"  {at * 2}",
                    "",
                    f"[  FAILED  ] {s}.{t} (0 ms)",
                ]
            else:
                lines.append(f"[       OK ] {s}.{t} ({ms if (s, t) == slow else r.randint(0, 9)} ms)")
        lines += [f"[----------] 16 tests from {s} ({r.randint(1, 90)} ms total)", ""]
    lines += [
        "[----------] Global test environment tear-down",
        "[==========] 224 tests from 14 test suites ran.",
        "[  PASSED  ] 223 tests.",
        "[  FAILED  ] 1 test, listed below:",
        f"[  FAILED  ] {suite}.{bad}",
        "",
        " 1 FAILED TEST",
    ]
    return lines, [f"{suite}.{bad}", [f"galley_test.cc:{at}", f"Which is: {at * 3}"], "223 tests", [".".join(slow), f"{ms} ms"]]


@case("./build/tests -s -r console", ask=ASK)
def catch2(r):
    def block(title, section, file, at, verdict, shown, became):
        bar = "-" * 79
        return "\n".join(
            [
                bar,
                title,
                f"  {section}",
                bar,
                f"{file}:{at}",
                "." * 79,
                "",
                f"{file}:{at + 4}: {verdict}:",
                f"  REQUIRE( {shown} )",
                "with expansion:",
                f"  {became}",
                "",
            ]
        )

    bulk = [
        block(s, name(r, " "), f"tests/{name(r)}.cpp", r.randint(10, 400), "PASSED", f"{name(r)}.size() == {k}", f"{k} == {k}")
        for k, s in enumerate(titles(r, 55))
    ]
    bad, at, n = f"margins survive {name(r, ' and ')}", r.randint(500, 900), r.randint(1000, 9999)
    special = block(bad, "narrow paper", "tests/margins.cpp", at, "FAILED", "layout.inner() == outer", f"{n} == {n + 1}")
    checks = r.randint(2000, 4000)
    return plant(r, bulk, [special], 5) + [
        "=" * 79,
        "test cases:   56 |   55 passed | 1 failed",
        f"assertions: {checks} | {checks - 1} passed | 1 failed",
    ], [[bad, f"tests/margins.cpp:{at + 4}", f"{n} == {n + 1}"], "55 passed | 1 failed"]


@case("mix test --trace", ask=ASK)
def exunit(r):
    said = titles(r, 230)
    bad, at, n = r.choice(said[25:-25]), r.randint(10, 400), r.randint(100, 999)
    lines = [f"Running ExUnit with seed: {r.randint(1000, 999999)}, max_cases: 1", ""]
    for k, s in enumerate(said):
        if k % 23 == 0:
            lines += ["", f"Lib.{camel(name(r), True)}Test [test/lib/{name(r)}_test.exs]"]
        lines.append(f"  * test {s} ({r.randint(0, 90)}.{r.randint(0, 9)}ms) [L#{k * 7 + 5}]")
        if s == bad:
            lines += [
                "",
                f"  1) test {s} (Lib.LoanTest)",
                f"     test/lib/loan_test.exs:{at}",
                "     match (=) failed",
                f"     code:  assert {{:ok, %Loan{{days: {n}}}}} = Loan.open(reader)",
                f"     left:  {{:ok, %Loan{{days: {n}}}}}",
                f"     right: {{:error, :reader_blocked_{n}}}",
                "     stacktrace:",
                f"       test/lib/loan_test.exs:{at + 6}: (test)",
                "",
            ]
    return [
        *lines,
        "",
        f"Finished in {r.randint(2, 9)}.{r.randint(1, 9)} seconds (0.00s async, 4.2s sync)",
        "230 tests, 1 failure",
    ], [[bad, f"loan_test.exs:{at}"], f"{{:error, :reader_blocked_{n}}}", "230 tests, 1 failure"]


@case("dotnet test --logger 'console;verbosity=normal'", ask=ASK)
def dotnet_test(r):
    tests = [f"Press.Tests.{camel(r.choice(THINGS), True)}Tests.{camel(n, True)}" for n in names(r, 210)]
    bad, at = r.choice(tests[20:-20]), r.randint(20, 300)
    want = f"Expected: {r.randint(100, 499)}"
    got = f"Actual:   {r.randint(500, 999)}"
    lines = [
        "  Determining projects to restore...",
        "  All projects are up-to-date for restore.",
        "Starting test execution, please wait...",
        "A total of 1 test files matched the specified pattern.",
    ]
    for t in tests:
        if t == bad:
            lines += [
                f"[xUnit.net 00:00:01.{r.randint(10, 99)}]     {t} [FAIL]",
                f"  Failed {t} [{r.randint(1, 90)} ms]",
                "  Error Message:",
                "   Assert.Equal() Failure: Values differ",
                want,
                got,
                "  Stack Trace:",
                f"     at {t}() in /src/Press.Tests/QuireTests.cs:line {at}",
                "   at System.RuntimeMethodHandle.InvokeMethod(Object target, Void** arguments)",
            ]
        else:
            lines.append(f"  Passed {t} [{r.randint(1, 90)} ms]")
    return [
        *lines,
        "",
        "Test Run Failed.",
        "Total tests: 210",
        "     Passed: 209",
        "     Failed: 1",
        f" Total time: {r.randint(2, 9)}.{r.randint(1000, 9999)} Seconds",
    ], [[bad, want, got, f"QuireTests.cs:line {at}"], ["Total tests: 210", "Failed: 1"]]


@case("tox -p 0", ask="Which environments fail?")
def tox(r):
    envs = ["py39", "py310", "py311", "py312", "py313", "lint", "docs", "types"]
    bad, why = (
        r.choice(envs[1:5]),
        f"ImportError: cannot import name '{name(r)}' from 'lib.{r.choice(THINGS)}' (/src/lib/__init__.py)",
    )
    lines, n = [], r.randint(2, 9)
    for e in envs:
        lines += [f"{e}: install_deps> python -I -m pip install -r requirements.txt", f"{e}: commands[0]> pytest -q tests"]
        lines += [f"tests/test_{x}.py {'.' * r.randint(4, 30)} [{k * 4:>3}%]" for k, x in enumerate(names(r, 25))]
        if e == bad:
            lines += [
                "==================================== ERRORS ====================================",
                f"_____________________ ERROR collecting tests/test_{name(r)}.py _____________________",
                f"E   {why}",
                f"{e}: exit {n} (3.11 seconds) /src> pytest -q tests pid={r.randint(1000, 9999)}",
            ]
        else:
            lines.append(f"{r.randint(100, 900)} passed in {r.randint(1, 9)}.{r.randint(10, 99)}s")
        lines.append(f"{e}: {'FAIL ✖' if e == bad else 'OK ✔'} in {r.randint(3, 30)}.{r.randint(10, 99)} seconds")
    return lines + [
        f"  {e}: {f'FAIL code {n}' if e == bad else 'OK'} ({r.randint(3, 30)}.1=setup[2.1]+cmd[9.0] seconds)" for e in envs
    ] + ["  evaluation failed :( (61.02 seconds)"], [why, [f"{bad}: FAIL code {n}"], "evaluation failed"]


@case("bazel test //... --test_output=errors", ask=ASK)
def bazel_test(r):
    targets = [f"//{r.choice(THINGS)}/{n}:{n}_test" for n in names(r, 150)]
    bad, flaky, slow = r.sample(targets, 3)
    said = f"lib/{name(r)}.go:{r.randint(10, 300)}: got {r.randint(10, 49)} folios, want {r.randint(50, 99)}"
    lines = [f"INFO: Analyzed {r.randint(300, 900)} targets (91 packages loaded, 4021 targets configured)."]
    lines += plant(
        r,
        [f"[{r.randint(100, 900):,} / 1,204] Compiling {n}.go [for tool]; 0s processwrapper-sandbox" for n in names(r, 60)],
        [
            f"FAIL: {bad} (see /out/testlogs/{bad[2:].replace(':', '/')}/test.log)\n==================== Test output for {bad}:\n--- FAIL: TestCount (0.00s)\n    {said}\nFAIL\n"
            + "=" * 80
        ],
        8,
    )
    for t in targets:
        state = (
            "FAILED in 3 out of 3 in 0.9s"
            if t == bad
            else "FLAKY, failed in 1 out of 3 in 2.1s"
            if t == flaky
            else "TIMEOUT in 300.1s"
            if t == slow
            else f"PASSED in {r.randint(0, 3)}.{r.randint(1, 9)}s"
        )
        lines.append(f"{t:<62}{'(cached) ' if r.random() < 0.5 and 'PASSED' in state else ''}{state}")
    return [*lines, "", "Executed 70 out of 150 tests: 148 tests pass, 1 fails locally and 1 times out."], [
        [bad, said],
        [flaky, "FLAKY"],
        [slow, "TIMEOUT"],
        "1 fails locally",
    ]


@case("mvn -B surefire:test", ask=ASK)
def surefire(r):
    classes = [f"org.folio.{c}.{camel(n, True)}Test" for n in names(r, 90) for c in [r.choice(THINGS)]]
    bad, at = r.choice(classes[10:-10]), r.randint(30, 400)
    method, n = camel(name(r)), r.randint(11, 99)
    why = f"org.opentest4j.AssertionFailedError: reader limit ==> expected: <{n}> but was: <{n - 4}>"
    lines = [
        "[INFO] -------------------------------------------------------",
        "[INFO]  T E S T S",
        "[INFO] -------------------------------------------------------",
    ]
    for c in classes:
        lines.append(f"[INFO] Running {c}")
        if c == bad:
            lines += [
                f"[ERROR] Tests run: 6, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.14 s <<< FAILURE! -- in {c}",
                f"[ERROR] {c}.{method} -- Time elapsed: 0.011 s <<< FAILURE!",
                why,
                f"\tat {c}.{method}({c.split('.')[-1]}.java:{at})",
                "\tat java.base/java.lang.reflect.Method.invoke(Method.java:580)",
            ]
        else:
            lines.append(
                f"[INFO] Tests run: {r.randint(2, 20)}, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.{r.randint(10, 99)} s -- in {c}"
            )
    end = f"Tests run: {r.randint(700, 990)}, Failures: 1, Errors: 0, Skipped: {r.randint(2, 9)}"
    return [
        *lines,
        "[INFO] ",
        "[INFO] Results:",
        "[INFO] ",
        "[ERROR] Failures: ",
        f"[ERROR]   {c and bad.split('.')[-1]}.{method}:{at} reader limit ==> expected: <{n}> but was: <{n - 4}>",
        "[INFO] ",
        f"[ERROR] {end}",
        "[INFO] BUILD FAILURE",
    ], [[method, bad.split(".")[-1], f"expected: <{n}> but was: <{n - 4}>"], end]


@case("robot --console verbose suites/", ask=ASK)
def robot_framework(r):
    rows, said = [], titles(r, 180)
    bad, why = (
        r.choice(said[15:-15]),
        f"Element with locator 'css:#{name(r, '-')}' not visible after {r.randint(5, 60)} seconds",
    )
    for k, s in enumerate(said):
        if k % 12 == 0:
            suite = f"Suites.{camel(name(r), True)}"
            rows += ["=" * 78, f"{suite} :: {prose(r, 1)}", "=" * 78]
        rows.append(f"{s.capitalize():<68}| {'FAIL' if s == bad else 'PASS'} |")
        rows += [why] if s == bad else []
        rows.append("-" * 78)
    return [
        *rows,
        "Suites                                                                | FAIL |",
        "180 tests, 179 passed, 1 failed",
        "=" * 78,
        "Output:  /out/output.xml",
    ], [[bad.capitalize(), why], "179 passed, 1 failed"]


@case("k6 run --vus 200 load.js", ask="Did the load test meet its goals?")
def k6(r):
    p95, rate = r.randint(1200, 9000), f"{r.randint(4, 19)}.{r.randint(10, 99)}%"
    beat = [
        f"running (0m{k % 60:02d}.{r.randint(0, 9)}s), {r.randint(150, 200)}/200 VUs, {k * 93} complete and 0 interrupted iterations\ndefault   [ {k // 2:>2}% ] 200 VUs  0m{k % 60:02d}s/2m0s"
        for k in range(120)
    ]
    seen = [
        f'time="2025-04-02T10:10:{r.randint(10, 59)}Z" level=warning msg="Request Failed" error="Post \\"https://loans.example/v1\\": request timeout on {x}"'
        for x in names(r, 2)
    ]
    end = [
        "",
        "     ✓ status is 200",
        f"     ✗ body has {name(r, ' ')}",
        f"      ↳  {r.randint(70, 95)}% — ✓ {r.randint(9000, 9999)} / ✗ {r.randint(400, 900)}",
        "",
        f"     checks.........................: {r.randint(80, 94)}.{r.randint(10, 99)}%",
        f"     data_received..................: {r.randint(20, 90)} MB",
        f"   ✗ http_req_duration..............: avg={r.randint(200, 900)}ms min=3ms med=88ms max=30s p(90)={p95 - 300}ms p(95)={p95}ms",
        f"   ✗ http_req_failed................: {rate}",
        f"     http_reqs......................: {r.randint(10000, 90000)}",
        f"     iterations.....................: {r.randint(9000, 9999)}",
        "     vus............................: 200",
        "",
        'time="2025-04-02T10:12:01Z" level=error msg="thresholds on metrics \'http_req_duration, http_req_failed\' have been crossed"',
    ]
    return plant(r, beat, seen) + end, [
        ["http_req_duration", f"p(95)={p95}ms"],
        ["http_req_failed", rate],
        "have been crossed",
        end[2].strip(" ✗"),
    ]


@case("npx cypress run", ask=ASK)
def cypress(r):
    specs = [f"{n}.cy.ts" for n in names(r, 14, "-")]
    bad, failing = r.choice(specs[3:-3]), titles(r, 1)[0]
    why = f"AssertionError: Timed out retrying after 4000ms: Expected to find element: `[data-cy={name(r, '-')}]`, but never found it."
    at, lines = f"{r.randint(10, 200)}:{r.randint(5, 30)}", []
    for s in specs:
        lines += ["─" * 90, "", f"  Running:  {s}", "", f"  {camel(name(r), True)}"]
        lines += [f"    ✓ {x} ({r.randint(100, 3000)}ms)" for x in titles(r, 11)]
        if s == bad:
            lines += [
                f"    1) {failing}",
                "",
                "  11 passing (9s)",
                "  1 failing",
                "",
                f"  1) {failing}:",
                f"     {why}",
                f"      at Context.eval (webpack://press/./cypress/e2e/{s}:{at})",
                "",
            ]
        else:
            lines += ["", f"  11 passing ({r.randint(3, 20)}s)", ""]
        lines += [
            "  (Results)",
            "  ┌" + "─" * 60 + "┐",
            f"  │ Tests:        {12 if s == bad else 11}",
            f"  │ Failing:      {int(s == bad)}",
            f"  │ Spec Ran:     {s}",
            "  └" + "─" * 60 + "┘",
            "",
        ]
    lines += [
        "  (Run Finished)",
        *[
            f"  │ {'✖' if s == bad else '✔'}  {s:<40} 00:{r.randint(10, 40)}   {12 if s == bad else 11}   11   {1 if s == bad else '-'}"
            for s in specs
        ],
        "  ✖  1 of 14 failed (7%)",
    ]
    return lines, [[failing, why], f"{bad}:{at}", "1 of 14 failed"]


@case("ctest --output-on-failure", ask=ASK)
def ctest(r):
    tests = names(r, 200)
    bad, crash, late = r.sample(tests[10:-10], 3)
    said, lines = f"{r.choice(PEOPLE).lower()}.conf:{r.randint(10, 90)}: {trouble(r, 1)[0]}", ["Test project /src/build"]
    for k, t in enumerate(tests, 1):
        state = (
            "***Failed" if t == bad else "***Exception: SegFault" if t == crash else "***Timeout" if t == late else "   Passed"
        )
        lines += [
            f"        Start {k:>3}: {t}",
            f"{k:>3}/200 Test #{k:>3}: {t + ' ' + '.' * (34 - len(t))} {state}  {1500.01 if t == late else r.randint(1, 99) / 100} sec",
        ]
        lines += [small(r), said, ""] if t == bad else []
    end = [
        "",
        "98% tests passed, 3 tests failed out of 200",
        "",
        "Total Test time (real) = 1511.20 sec",
        "",
        "The following tests FAILED:",
    ]
    return lines + end + [
        f"\t{tests.index(t) + 1:>3} - {t} ({w})" for t, w in ((bad, "Failed"), (crash, "SEGFAULT"), (late, "Timeout"))
    ] + ["Errors while running CTest"], [bad, said, [crash, "SEGFAULT"], [late, "Timeout"], "3 tests failed out of 200"]
