"""Test runs: which test failed, with what message, and how many."""

import json
import re
from xml.sax.saxutils import escape, quoteattr

from .bulk import NOUNS, VERBS, camel, hexes, ident, idents, plant
from .case import case

ASK = "Do the tests pass?"


def cents(r):
    return f"{r.randint(10, 900)}.{r.randint(10, 98)}"


@case("pytest -q", ask=ASK)
def pytest_quiet(r):
    files = [f"tests/test_{n}.py" for n in r.sample(NOUNS, 24)]
    bad = [(r.choice(files), f"test_{n}") for n in idents(r, 3)]
    why = [
        f"assert {cents(r)} == {cents(r)}",
        f"KeyError: 'lane_{r.randint(10, 99)}'",
        f"ValueError: tide table has {r.randint(25, 99)} hours",
    ]
    dots = "".join(r.choices(".s", [97, 3])[0] for _ in range(1700))
    lines = [dots[i : i + 72] + f" [{min(100, (i + 72) * 100 // 1700):3d}%]" for i in range(0, 1700, 72)]
    lines.append("=================================== FAILURES ===================================")
    for (file, test), message in zip(bad, why):
        at = r.randint(20, 300)
        lines += [
            f"{'_' * 28} {test} {'_' * 28}",
            "",
            "    @pytest.mark.usefixtures('harbour')",
            f"    def {test}(quay, tariff):",
            *[f"        {ident(r)} = quay.{ident(r)}({r.randint(1, 99)})" for _ in range(14)],
            f">       assert quay.{ident(r)}() == tariff.total",
            f"E       {'Assertion' * message.startswith('assert')}{'Error: ' * message.startswith('assert')}{message}",
            "",
            f"{file}:{at}: {message.split(':')[0] if ':' in message else 'AssertionError'}",
            "----------------------------- Captured log call -----------------------------",
            *[
                f"INFO     port:{r.choice(NOUNS)}.py:{r.randint(10, 200)} {ident(r)} done in {r.randint(1, 80)} ms"
                for _ in range(60)
            ],
        ]
    lines += [
        "=========================== short test summary info ============================",
        *[f"FAILED {f}::{t} - {m}" for (f, t), m in zip(bad, why)],
        f"3 failed, 1648 passed, 49 skipped in {r.randint(20, 90)}.{r.randint(10, 99)}s",
    ]
    return lines, [[f"{f}::{t}", m] for (f, t), m in zip(bad, why)] + ["3 failed, 1648 passed"]


@case("pytest -n 8 -v", ask=ASK)
def pytest_xdist(r):
    """One worker crashes and one fixture errors: neither line says FAILED."""
    tests = [f"tests/{r.choice(NOUNS)}/test_{r.choice(NOUNS)}.py::test_{n}" for n in idents(r, 420)]
    bad, crashed, broken = r.sample(tests, 3)
    value = cents(r)
    lines = ["8 workers [420 items]", "scheduling tests via LoadScheduling", ""]
    for k, t in enumerate(tests):
        lines += [
            t,
            f"[gw{r.randint(0, 7)}] [{k * 100 // 420:3d}%] {'FAILED' if t == bad else 'ERROR' if t == broken else 'PASSED'} {t}",
        ]
        if t == crashed:
            lines[-1] = f"[gw5] node down: Not properly terminated\nreplacing crashed worker gw5\n[gw8] FAILED {t}"
    lines += [
        "",
        "================ FAILURES ================",
        f"____ {crashed.split('/')[-1]} ____",
        f"worker 'gw5' crashed while running '{crashed}'",
        f"____ {bad.split('::')[1]} ____",
        f"E       assert round(fee, 2) == {value}",
        "",
        "=========== short test summary info ===========",
        f"FAILED {crashed}",
        f"FAILED {bad} - assert round(fee, 2) == {value}",
        f"ERROR {broken} - fixture 'gangway' not found",
        "====== 2 failed, 417 passed, 1 error in 41.22s ======",
    ]
    return lines, [
        crashed,
        [bad, f"assert round(fee, 2) == {value}"],
        [broken, "fixture 'gangway' not found"],
        "2 failed, 417 passed, 1 error",
    ]


@case("cargo test --workspace 2>&1", ask=ASK)
def cargo_test(r):
    tests = [f"{r.choice(NOUNS)}::tests::{n}" for n in idents(r, 330)]
    bad = r.sample(tests, 2)
    at, left = r.randint(20, 400), r.randint(100, 999)
    said = [
        f"thread '{bad[0]}' panicked at crates/quay/src/lanes.rs:{at}:9:\nassertion `left == right` failed: lanes differ\n  left: {left}\n right: {left + 1}",
        f"thread '{bad[1]}' panicked at crates/quay/src/tide.rs:{at + 7}:30:\ncalled `Result::unwrap()` on an `Err` value: ParseTide(\"{hexes(r, 6)}\")",
    ]
    lines = [f"   Compiling {n} v0.{r.randint(1, 30)}.{r.randint(0, 9)}" for n in idents(r, 30, "-")] + [
        "    Finished `test` profile [unoptimized + debuginfo] target(s) in 21.17s",
        f"     Running unittests src/lib.rs (target/debug/deps/quay-{hexes(r, 16)})",
        "",
        "running 330 tests",
    ]
    lines += [f"test {t} ... {'FAILED' if t in bad else 'ok'}" for t in tests] + ["", "failures:", ""]
    for t, s in zip(bad, said):
        lines += [
            f"---- {t} stdout ----",
            "",
            s,
            "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace",
            "",
        ]
    lines += [
        "",
        "failures:",
        *[f"    {t}" for t in bad],
        "",
        "test result: FAILED. 328 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.92s",
        "",
        "error: test failed, to rerun pass `-p quay --lib`",
    ]
    return lines, [
        bad[0],
        [f"lanes.rs:{at}", f"left: {left}", f"right: {left + 1}"],
        [bad[1], f"tide.rs:{at + 7}", "called `Result::unwrap()` on an `Err` value"],
        "328 passed; 2 failed",
    ]


@case("cargo nextest run", ask=ASK)
def cargo_nextest(r):
    tests = [f"quay-{r.choice(['core', 'wire', 'store'])} {r.choice(NOUNS)}::{n}" for n in idents(r, 360)]
    slow, *bad = r.sample(tests, 3)
    secs = r.randint(120, 300)
    lines = [f"    Nextest run ID {hexes(r, 8)} with nextest profile: default", "    Starting 360 tests across 14 binaries"]
    for t in tests:
        if t == slow:
            lines.append(f"     TIMEOUT [ {secs}.004s] {t}")
        elif t in bad:
            lines += [
                f"        FAIL [   0.{r.randint(10, 99):03d}s] {t}",
                f"--- STDERR:              {t} ---",
                f"thread '{t.split()[1]}' panicked at src/{bad.index(t)}_berth.rs:{r.randint(10, 99)}:5:",
                f"berth {700 + bad.index(t)} is taken",
            ]
        else:
            lines.append(f"        PASS [   0.{r.randint(1, 400):03d}s] {t}")
    lines += [
        "------------",
        f"     Summary [  {secs}.110s] 360 tests run: 357 passed, 2 failed, 1 timed out, 0 skipped",
        *[f"        FAIL [   0.010s] {t}" for t in bad],
        f"     TIMEOUT [ {secs}.004s] {slow}",
        "error: test run failed",
    ]
    return lines, [slow, [bad[0], "berth 700 is taken"], [bad[1], "berth 701 is taken"], "357 passed, 2 failed, 1 timed out"]


@case("go test -v ./...", ask=ASK)
def go_test_v(r):
    tests = ["Test" + camel(n, True) for n in idents(r, 220)]
    bad = r.choice(tests[30:-30])
    at, want = r.randint(20, 300), r.randint(100, 999)
    data = f"race_{r.choice(NOUNS)}"
    lines = []
    for t in tests:
        lines.append(f"=== RUN   {t}")
        if t == bad:
            lines += [
                f"=== RUN   {t}/empty_{data}",
                f"    lanes_test.go:{at}: Lanes() = {want}, want {want - 3}",
                f"--- FAIL: {t} (0.02s)",
                f"    --- FAIL: {t}/empty_{data} (0.00s)",
            ]
        else:
            lines.append(f"--- PASS: {t} (0.{r.randint(0, 99):02d}s)")
    lines += [
        "FAIL",
        "FAIL\texample.org/port/lanes\t1.301s",
        *[f"ok  \texample.org/port/{n}\t0.{r.randint(100, 999)}s" for n in r.sample(NOUNS, 12)],
        "FAIL",
    ]
    return lines, [[f"{bad}/empty_{data}", f"lanes_test.go:{at}: Lanes() = {want}, want {want - 3}"], "example.org/port/lanes"]


@case("go test -json ./...", ask=ASK)
def go_test_json(r):
    bad, at = "Test" + camel(ident(r), True) + "Twice", r.randint(20, 300)
    got = hexes(r, 8)

    def event(action, test, **more):
        return json.dumps(
            {
                "Time": f"2025-06-01T10:00:{r.randint(10, 59)}Z",
                "Action": action,
                "Package": "example.org/port/tide",
                "Test": test,
                **more,
            },
            separators=(",", ":"),
        )

    lines = []
    for t in plant(r, ["Test" + camel(n, True) for n in idents(r, 70)], [bad]):
        lines += [event("run", t), event("output", t, Output=f"=== RUN   {t}\n")]
        if t == bad:
            lines.append(event("output", t, Output=f"    tide_test.go:{at}: digest {got} does not match\n"))
        how = "fail" if t == bad else "pass"
        lines += [event("output", t, Output=f"--- {how.upper()}: {t} (0.00s)\n"), event(how, t, Elapsed=0)]
    return lines, [[bad, f"tide_test.go:{at}: digest {got} does not match"]]


def js_tests(r, n):
    return [
        f"{r.choice(VERBS)}s the {r.choice(NOUNS)} when {r.choice(NOUNS)} {k} is {r.choice(['empty', 'late', 'full', 'closed'])}"
        for k in range(n)
    ]


@case("npx jest --verbose", ask=ASK)
def jest(r):
    names = js_tests(r, 260)
    bad, want, at = r.choice(names[20:-20]), r.randint(1000, 9999), r.randint(20, 200)
    lines, here = [], None
    for k, name in enumerate(names):
        if k % 20 == 0:
            here = f"src/{r.choice(NOUNS)}/{r.choice(NOUNS)}{k}.test.ts"
            lines += ["", f"{'FAIL' if bad in names[k : k + 20] else 'PASS'} {here}", f"  {r.choice(NOUNS).capitalize()}"]
        lines.append(f"    {'✕' if name == bad else '✓'} {name} ({r.randint(1, 60)} ms)")
        where = here if name == bad else None
        if where:
            failing = where
    lines += [
        "",
        f"  ● {r.choice(NOUNS).capitalize()} › {bad}",
        "",
        "    expect(received).toBe(expected) // Object.is equality",
        "",
        f"    Expected: {want}",
        f"    Received: {want + 11}",
        "",
        *[f"      {at - 2 + j} |     const {ident(r)} = await port.{camel(ident(r))}({j});" for j in range(4)],
        f"      at Object.<anonymous> ({failing}:{at}:19)",
        "",
        "Test Suites: 1 failed, 12 passed, 13 total",
        "Tests:       1 failed, 259 passed, 260 total",
        "Snapshots:   0 total",
        "Time:        9.412 s",
    ]
    return lines, [bad, [f"Expected: {want}", f"Received: {want + 11}", f"{failing}:{at}"], "1 failed, 259 passed"]


@case("npx vitest run --reporter=verbose", ask=ASK)
def vitest(r):
    names = js_tests(r, 240)
    bad, at, what = r.choice(names[20:-20]), r.randint(20, 200), camel(ident(r))
    lines = [" RUN  v2.1.4 /srv/portal", ""]
    lines += [
        f" {'×' if n == bad else '✓'} src/{'gate' if n == bad else r.choice(NOUNS)}.spec.ts > {n}{' 12ms' if n == bad else ''}"
        for n in names
    ]
    lines += [
        "",
        "⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯",
        "",
        f" FAIL  src/gate.spec.ts > {bad}",
        f"TypeError: {what} is not a function",
        f" ❯ src/gate.spec.ts:{at}:14",
        "",
        " Test Files  1 failed | 30 passed (31)",
        "      Tests  1 failed | 239 passed (240)",
        "   Duration  4.11s",
    ]
    return lines, [bad, [f"TypeError: {what} is not a function", f"src/gate.spec.ts:{at}"], "1 failed | 239 passed"]


@case("npx mocha", ask=ASK)
def mocha(r):
    """A failure is only a number in the list; the message stands at the end."""
    names = js_tests(r, 300)
    bad = r.sample(names[20:-20], 2)
    lines = []
    for k, n in enumerate(names):
        if k % 15 == 0:
            lines += ["", f"  {r.choice(NOUNS).capitalize()}"]
        lines.append(f"    {bad.index(n) + 1}) {n}" if n in bad else f"    ✔ {n}")
    at = [r.randint(20, 300) for _ in bad]
    why = [
        f"AssertionError [ERR_ASSERTION]: {r.randint(10, 49)} == {r.randint(50, 99)}",
        f"Error: Timeout of {r.randint(2, 9)}000ms exceeded",
    ]
    lines += ["", "", "  298 passing (3s)", "  2 failing", ""]
    for k, n in enumerate(bad):
        lines += [
            f"  {k + 1}) Port",
            f"       {n}:",
            f"     {why[k]}",
            *[
                f"      at {camel(ident(r))} (node_modules/mocha/lib/{r.choice(NOUNS)}.js:{r.randint(10, 900)}:{r.randint(1, 40)})"
                for _ in range(5)
            ],
            f"      at Context.<anonymous> (test/port.js:{at[k]}:12)",
            "",
        ]
    return lines, [[n, w] for n, w in zip(bad, why)] + ["2 failing"]


@case("cat build/test-results/TEST-all.xml", ask=ASK)
def junit_xml(r):
    names = idents(r, 160)
    bad, broken = r.sample(names[10:-10], 2)
    said, at = f"expected:<{r.randint(100, 499)}> but was:<{r.randint(500, 999)}>", r.randint(30, 300)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<testsuite name="io.tidewater.AllTests" tests="160" skipped="0" failures="1" errors="1" time="12.4">',
    ]
    for n in names:
        head = f'  <testcase name="{camel(n)}" classname="io.tidewater.{r.choice(NOUNS).capitalize()}Test" time="0.{r.randint(1, 999):03d}"'
        if n == bad:
            lines += [
                head + ">",
                f'    <failure message={quoteattr(said)} type="java.lang.AssertionError">{escape("java.lang.AssertionError: " + said)}',
                f"\tat io.tidewater.TariffTest.{camel(n)}(TariffTest.java:{at})",
                "</failure>",
                "  </testcase>",
            ]
        elif n == broken:
            lines += [
                head + ">",
                f'    <error message="Connection to localhost:{r.randint(5000, 9999)} refused" type="java.net.ConnectException"/>',
                "  </testcase>",
            ]
            gone = lines[-2].split('"')[1]
        else:
            lines.append(head + "/>")
    return lines + ["</testsuite>"], [[camel(bad), *re.findall(r"\d+", said), f"TariffTest.java:{at}"], [camel(broken), gone]]


@case("python -m unittest -v", ask=ASK)
def unittest_verbose(r):
    names = idents(r, 260)
    bad, broken = r.sample(names[20:-20], 2)
    n, at = r.randint(100, 999), [r.randint(20, 300), r.randint(20, 300)]
    lines = [
        f"test_{x} (tests.test_port.PortTest.test_{x}) ... {'FAIL' if x == bad else 'ERROR' if x == broken else 'ok'}"
        for x in names
    ]
    lines += [
        "",
        "=" * 70,
        f"ERROR: test_{broken} (tests.test_port.PortTest.test_{broken})",
        "-" * 70,
        "Traceback (most recent call last):",
        f'  File "/srv/port/tests/test_port.py", line {at[0]}, in test_{broken}',
        "    self.port.open()",
        "    ~~~~~~~~~~~~~~^^",
        f"OSError: [Errno 98] Address already in use: {n}",
        "",
        "=" * 70,
        f"FAIL: test_{bad} (tests.test_port.PortTest.test_{bad})",
        "-" * 70,
        "Traceback (most recent call last):",
        f'  File "/srv/port/tests/test_port.py", line {at[1]}, in test_{bad}',
        f"    self.assertEqual(lanes, {n})",
        f"AssertionError: {n + 1} != {n}",
        "",
        "-" * 70,
        "Ran 260 tests in 2.113s",
        "",
        "FAILED (failures=1, errors=1)",
    ]
    return lines, [
        [f"test_{broken}", f"line {at[0]}", f"OSError: [Errno 98] Address already in use: {n}"],
        [f"test_{bad}", f"line {at[1]}", f"AssertionError: {n + 1} != {n}"],
        "failures=1, errors=1",
    ]


@case("bundle exec rspec -fd", ask=ASK)
def rspec(r):
    names = js_tests(r, 280)
    bad = r.choice(names[20:-20])
    want, at = cents(r), r.randint(20, 200)
    lines = []
    for k, n in enumerate(names):
        if k % 18 == 0:
            lines += ["", r.choice(NOUNS).capitalize()]
        lines.append(f"  {n}" + (" (FAILED - 1)" if n == bad else ""))
    lines += [
        "",
        "Failures:",
        "",
        f"  1) Tariff {bad}",
        "     Failure/Error: expect(tariff.total).to eq(quoted)",
        "",
        f"       expected: {want}",
        f"            got: {want}7",
        "",
        "       (compared using ==)",
        f"     # ./spec/models/tariff_spec.rb:{at}:in `block (3 levels) in <top (required)>'",
        "",
        "Finished in 4.2 seconds (files took 1.1 seconds to load)",
        "280 examples, 1 failure",
        "",
        "Failed examples:",
        "",
        f"rspec ./spec/models/tariff_spec.rb:{at} # Tariff {bad}",
    ]
    return lines, [bad, [f"expected: {want}", f"got: {want}7"], f"tariff_spec.rb:{at}", "280 examples, 1 failure"]


@case("prove -v t/", ask=ASK)
def tap(r):
    names = [n.replace("_", " ") for n in idents(r, 330)]
    bad = r.choice(names[30:-30])
    k, got = names.index(bad) + 1, hexes(r, 6)
    lines = ["TAP version 13", "1..330"]
    for i, n in enumerate(names, 1):
        lines.append(f"{'not ok' if n == bad else 'ok'} {i} - {n}")
        if n == bad:
            lines += ["  ---", "  message: lanes collide", "  severity: fail", f"  got: '{got}'", "  ..."]
    return lines, [[f"not ok {k} - {bad}", f"got: '{got}'"]]


@case("vendor/bin/phpunit --testdox", ask=ASK)
def phpunit(r):
    names = [n.replace("_", " ").capitalize() for n in idents(r, 480)]
    bad, at, n = r.choice(names[20:-20]), r.randint(20, 300), r.randint(100, 999)
    lines = ["PHPUnit 11.2.5 by Sebastian Bergmann and contributors.", "", "Berth (Tests\\Berth)"] + [
        f" {'✘' if x == bad else '✔'} {x}" for x in names
    ]
    lines += [
        "",
        "Time: 00:03.118, Memory: 44.00 MB",
        "",
        "There was 1 failure:",
        "",
        f"1) Tests\\BerthTest::test{camel(bad.replace(' ', '_').lower(), True)}",
        f"Failed asserting that {n} matches expected {n + 5}.",
        "",
        f"/srv/port/tests/BerthTest.php:{at}",
        "",
        "FAILURES!",
        "Tests: 480, Assertions: 1301, Failures: 1.",
    ]
    return lines, [
        f"Failed asserting that {n} matches expected {n + 5}",
        f"BerthTest.php:{at}",
        f"test{camel(bad.replace(' ', '_').lower(), True)}",
        "Tests: 480, Assertions: 1301, Failures: 1",
    ]


@case("npx playwright test", ask=ASK)
def playwright(r):
    """One test is flaky: it failed and then passed, and that is worth knowing."""
    names = js_tests(r, 130)
    bad, flaky = r.sample(names[10:-10], 2)
    at, timeout = r.randint(10, 99), r.randint(5, 30) * 1000
    label = f"Book {r.choice(NOUNS)} {r.randint(100, 999)}"
    lines = ["Running 130 tests using 6 workers", ""]
    for k, n in enumerate(names, 1):
        mark, browser = ("✘", "firefox") if n == bad else ("✓", "webkit")
        if n == flaky:
            lines.append(f"  ✘  {k} [webkit] › e2e/gate.spec.ts:{at + 1}:5 › {n} (3.0s)")
        lines.append(
            f"  {mark}  {k} [{browser}] › e2e/{'book' if n == bad else 'gate' if n == flaky else r.choice(NOUNS)}.spec.ts:{at if n == bad else at + 1 if n == flaky else r.randint(5, 99)}:5 › {n}{' (retry #1)' if n == flaky else ''} ({r.randint(1, 9)}.{r.randint(0, 9)}s)"
        )
    lines += [
        "",
        f"  1) [firefox] › e2e/book.spec.ts:{at}:5 › {bad} ──────",
        "",
        f"    Error: Timed out {timeout}ms waiting for expect(locator).toBeVisible()",
        "",
        f"    Locator: getByRole('button', {{ name: '{label}' }})",
        "    Expected: visible",
        "    Received: <element(s) not found>",
        "",
        "  1 failed",
        f"    [firefox] › e2e/book.spec.ts:{at}:5 › {bad}",
        "  1 flaky",
        f"    [webkit] › e2e/gate.spec.ts:{at + 1}:5 › {flaky}",
        "  128 passed (1.4m)",
    ]
    return lines, [[bad, f"book.spec.ts:{at}"], [f"Timed out {timeout}ms", label], ["1 flaky", flaky], "128 passed"]
