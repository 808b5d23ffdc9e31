"""Test runners, fuzzers and race detectors."""

import json

from ..case import case
from .stock import THINGS, Clock, camel, distinct, entries, fill, fresh, hexes, ident


def words(name):
    return name.replace("_", " ")


@case("Invoke-Pester -Output Detailed", tool="PowerShell")
def pester_detailed(r):
    names = fresh(r)
    (a, b), (want, got) = (next(names), next(names)), distinct(r, 2, 100, 9999)
    line = r.randint(20, 300)

    def one():
        n = next(names)
        if r.random() < 0.12:
            return f"Describing {camel(n, True)}\r\n Context when the {r.choice(THINGS)} is online\r"
        return (
            f"\x1b[32m   [+] should {words(n)} within the limit\x1b[0m\x1b[90m {r.randint(2, 400)}ms "
            f"({r.randint(1, 300)}ms|{r.randint(1, 9)}ms)\x1b[0m\r"
        )

    bad = [
        f"\x1b[91m   [-] should {words(a)} only once\x1b[0m\x1b[90m {r.randint(2, 90)}ms (80ms|4ms)\x1b[0m\r\n"
        f"\x1b[91m    Expected {want}, but got {got}.\x1b[0m\r\n\x1b[91m    at $result.Total | Should -Be {want}, "
        f"C:\\grid\\tests\\Ledger.Tests.ps1:{line}\x1b[0m\r",
        f"\x1b[33m   [!] should {words(b)}, is skipped because the relay simulator is offline\x1b[0m 0ms\r",
    ]
    body = entries(r, 8, one, bad)
    ok = sum("[+]" in x for x in body)
    tail = (
        f"Tests completed in {r.randint(20, 90)}.4s\r\nTests Passed: {ok}, Failed: 1, Skipped: 1, Inconclusive: 0, "
        "NotRun: 0\r"
    )
    return [*body, tail], [
        [f"should {words(a)}", f"Expected {want}, but got {got}"],
        f"Ledger.Tests.ps1:{line}",
        f"Passed: {ok}, Failed: 1, Skipped: 1",
    ]


@case("npx karma start --single-run")
def karma_chrome(r):
    names = fresh(r)
    a, b, k = next(names), next(names), [0]
    line = r.randint(20, 300)

    def progress():
        k[0] += r.randint(1, 3)
        return (
            f"\x1b[1A\x1b[2KHeadlessChrome 129.0.0.0 (Linux 0.0.0): Executed {k[0]} of TOTAL "
            f"(0.{r.randint(100, 999)} secs / 0.{r.randint(100, 999)} secs)"
            if r.random() < 0.85
            else f"LOG: '{words(next(names))}', Object{{id: {r.randint(1, 9999)}, state: 'ready'}}\nHeadlessChrome "
                f"129.0.0.0 (Linux 0.0.0) LOG: '{next(names)}'"
        )

    bad = [
        f"\x1b[1A\x1b[2K\x1b[31mHeadlessChrome 129.0.0.0 (Linux 0.0.0) {camel(a, True)}Component should {words(a)} "
        "FAILED\x1b[39m\n"
        f"\tTypeError: Cannot read properties of undefined (reading 'q{hexes(r, 4)}')\n\t    at "
        f"{camel(a, True)}Component.ngOnInit (src/app/{a}.component.ts:{line}:23)\n"
        "\t    at callHook (node_modules/@angular/core/fesm2022/core.mjs:2450:9)",
        f"ALERT: 'Spec {words(b)} has no expectations.'",
    ]
    reading = bad[0].split("(reading '")[1].split("'")[0]
    body = fill(r, 9, progress, bad)
    total = k[0] + 1
    tail = f"TOTAL: 1 FAILED, {total - 1} SUCCESS"
    return [body.replace("of TOTAL", f"of {total}"), tail], [
        [f"{camel(a, True)}Component should {words(a)} FAILED", reading],
        f"{a}.component.ts:{line}",
        tail,
    ]


@case("ginkgo -v ./controllers/...")
def ginkgo_verbose(r):
    names, clock = fresh(r), Clock(r)
    a, line = next(names), r.randint(60, 600)

    def spec():
        x, t = next(names), r.uniform(0.001, 2)
        return (
            f"{camel(x, True)} Controller when reconciling\n  should {words(x)}\n  /src/controllers/{x}"
            f"_controller_test.go:{r.randint(20, 400)}\n"
            f"  STEP: creating the custom resource @ {clock():%m/%d/%y %H:%M:%S.%f}\n"
            f'  {clock():%Y-%m-%dT%H:%M:%SZ}\tINFO\treconciled\t{{"controller": "{x}", "namespace": "default", '
            f'"reconcileID": "{hexes(r, 12)}"}}\n'
            f"\x1b[38;5;10m• [{t:.3f} seconds]\x1b[0m\n\x1b[38;5;243m------------------------------\x1b[0m"
        )

    phase = "Degraded" + hexes(r, 3)
    bad = [
        f"{camel(a, True)} Controller when reconciling\n  should {words(a)}\n  /src/controllers/{a}"
        f"_controller_test.go:{line - 40}\n"
        "\x1b[38;5;9m• [FAILED] [10.004 seconds]\x1b[0m\n  \x1b[38;5;9m[FAILED] Timed out after 10.001s.\n  "
        f"Expected\n      <string>: {phase}\n"
        f"  to equal\n      <string>: Ready\x1b[0m\n  In [It] at: /src/controllers/{a}_controller_test.go:{line}\n"
        "\x1b[38;5;243m------------------------------\x1b[0m"
    ]
    body = entries(r, 12, spec, bad)
    n = len(body)
    tail = (
        f"Ran {n} of {n + 3} Specs in {r.randint(100, 400)}.118 seconds\nFAIL! -- {n - 1} Passed | 1 Failed | 0 "
        "Pending | 3 Skipped"
    )
    return [*body, tail], [
        [f"{a}_controller_test.go:{line}", phase],
        f"{n - 1} Passed | 1 Failed | 0 Pending | 3 Skipped",
    ]


@case("stack test --ta --format=specdoc")
def hspec_tree(r):
    names = fresh(r)
    a, (x, y), seed = next(names), distinct(r, 2, 1000, 99999), r.randint(10**8, 10**9)

    def one():
        n = next(names)
        if r.random() < 0.15:
            return f"  {camel(n, True)}\n"
        return f"    {words(n)} {r.choice(['keeps the order', 'is idempotent', 'rejects empty input', 'round-trips'])}" + (
            "\n      +++ OK, passed 100 tests." if r.random() < 0.3 else ""
        )

    body = entries(r, 4.5, one, [f"    {words(a)} preserves the sum FAILED [1]"])
    n = sum(x.startswith("    ") for x in body)
    tail = (
        f"Failures:\n\n  test/Grid/BalanceSpec.hs:{r.randint(20, 200)}:7:\n  1) Grid.Balance, {words(a)} preserves "
        "the sum\n"
        f"       Falsifiable (after {r.randint(3, 90)} tests and {r.randint(2, 9)} shrinks):\n         [{x},-{y}]\n"
        f"\n  To rerun use: --match \"/Grid.Balance/{words(a)}/\" --seed {seed}\n\n"
        f"Randomized with seed {seed}\n\nFinished in 4.{r.randint(1000, 9999)} seconds\n{n} examples, 1 failure"
    )
    return [*body, tail], [[f"{words(a)} preserves the sum", f"[{x},-{y}]"], f"seed {seed}", f"{n} examples, 1 failure"]


@case("node --test --test-reporter=spec")
def node_test_spec(r):
    names = fresh(r)
    a, b, want, got = next(names), next(names), *distinct(r, 2, 100, 9999)
    line, slow = r.randint(10, 300), r.randint(31000, 90000)

    def suite():
        out = [f"▶ {camel(next(names))}"]
        for _ in range(r.randint(3, 8)):
            out.append(f"  \x1b[32m✔ {words(next(names))} \x1b[90m({r.uniform(0.1, 40):.6f}ms)\x1b[39m\x1b[39m")
        return "\n".join([*out, f"▶ {camel(out[0][2:])} \x1b[90m({r.uniform(10, 300):.6f}ms)\x1b[39m\n"])

    bad = [
        f"▶ ledger\n  \x1b[31m✖ {words(a)} \x1b[90m(2.{r.randint(1000, 9999)}ms)\x1b[39m\n    AssertionError "
        "[ERR_ASSERTION]: Expected values to be strictly equal:\n\n"
        f"    {got} !== {want}\n\n        at TestContext.<anonymous> (file:///src/test/ledger.test.mjs:{line}"
        ":10)\x1b[39m\n▶ ledger (31.1ms)\n",
        f"▶ journal\n  \x1b[32m✔ {words(b)} \x1b[90m({slow}.{r.randint(1000, 9999)}ms)\x1b[39m\x1b[39m\n▶ journal "
        "(31.1ms)\n",
    ]
    body = fill(r, 9, suite, bad)
    n = body.count("✔") + 1
    tail = (
        f"ℹ tests {n}\nℹ suites {body.count('▶') // 2}\nℹ pass {n - 1}\nℹ fail 1\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0"
    )
    return [body, tail], [
        [words(a), f"{got} !== {want}"],
        f"ledger.test.mjs:{line}",
        [words(b), f"{slow}."],
        [f"pass {n - 1}", "fail 1"],
    ]


@case("./tst_grid -v2")
def qtest_cases(r):
    names = fresh(r)
    a, b, line = next(names), next(names), r.randint(30, 500)
    want, got = distinct(r, 2, 100, 999)

    def one():
        n = camel(next(names))
        if r.random() < 0.1:
            return f"QDEBUG : TestGrid::{n}() qml: {r.choice(THINGS)} model has {r.randint(2, 90)} rows"
        return f"PASS   : TestGrid::{n}({words(ident(r))})"

    bad = [
        f"FAIL!  : TestGrid::{camel(a)}(row {r.randint(2, 90)}) Compared values are not the same\n   Actual   "
        f"(model.count()): {got}\n"
        f"   Expected (rows)         : {want}\n   Loc: [../tests/tst_grid.cpp({line})]",
        f"XPASS  : TestGrid::{camel(b)}() 'd->isEmpty()' returned TRUE unexpectedly. ()\n   Loc: "
        f"[../tests/tst_grid.cpp({line + 71})]",
        f"QWARN  : TestGrid::{camel(next(names))}() QSqlDatabasePrivate::removeDatabase: connection 'c{hexes(r, 5)}' "
        "is still in use",
    ]
    conn = bad[2].split("connection '")[1].split("'")[0]
    body = entries(r, 8.5, one, bad)
    n = sum(x.startswith("PASS") for x in body)
    return [*body, f"Totals: {n} passed, 2 failed, 0 skipped, 0 blacklisted, 4182ms"], [
        [f"TestGrid::{camel(a)}", f"tst_grid.cpp({line})", str(got)],
        [f"TestGrid::{camel(b)}", "unexpectedly"],
        conn,
        f"{n} passed, 2 failed",
    ]


@case("flutter test --machine")
def flutter_machine_json(r):
    names, k, t = fresh(r), [2], [1000]
    a, line, want, got = next(names), r.randint(20, 300), *distinct(r, 2, 100, 9999)

    def one(n=None, fail=None):
        k[0] += 1
        t[0] += r.randint(3, 90)
        n = n or next(names)
        path = f"/src/grid_app/test/{n}_test.dart"
        test = dict(
            test=dict(id=k[0], name=words(n), suiteID=k[0] // 8, groupIDs=[2],
                metadata=dict(skip=False, skipReason=None),
                      line=fail or r.randint(10, 200), column=5, url=f"file://{path}"),
            type="testStart", time=t[0],
        )
        end = dict(testID=k[0], result="failure" if fail else "success", skipped=False, hidden=False, type="testDone",
            time=t[0] + 9)
        out = [json.dumps(test, separators=(",", ":"))]
        if fail:
            text = f"Expected: <{want}>\n  Actual: <{got}>\n"
            err = dict(testID=k[0], error=text, stackTrace=f"test/{n}_test.dart {fail}:7  main.<fn>\n",
                isFailure=True, type="error", time=t[0])
            out.append(json.dumps(err, separators=(",", ":")))
        return "\n".join([*out, json.dumps(end, separators=(",", ":"))])

    body = entries(r, 14, one, [lambda: one(a, line)])
    return [*body, f'{{"success":false,"type":"done","time":{t[0] + 100}}}'], [
        [f"{a}_test.dart {line}:7", f"<{want}>", f"<{got}>"],
        '"success":false',
    ]


@case("./fuzz_frame -max_total_time=600 corpus/")
def libfuzzer_run(r):
    k, cov = [0], [r.randint(200, 400)]
    fn, line, crash = ident(r), r.randint(40, 700), hexes(r, 40)
    over = r.randint(2, 64)

    def progress():
        k[0] += r.randint(20, 4000)
        cov[0] += r.randint(0, 2)
        kind = r.choice(["NEW   ", "REDUCE", "REDUCE", "pulse "])
        return (
            f"#{k[0]}\t{kind} cov: {cov[0]} ft: {cov[0] * 3} corp: {cov[0] // 2}/{cov[0] * 9}b lim: "
            f"{r.randint(4, 4096)} exec/s: {r.randint(2000, 9000)} "
            f"rss: {r.randint(40, 300)}Mb L: {r.randint(4, 400)}/{r.randint(400, 900)} MS: {r.randint(1, 5)} "
            f"{r.choice(['ChangeByte', 'CrossOver', 'EraseBytes', 'InsertByte'])}-"
        )

    body = entries(r, 9.5, progress)
    report = (
        "=================================================================\n==4711==ERROR: AddressSanitizer: "
        "heap-buffer-overflow on address "
        f"0x{hexes(r, 12)} at pc 0x{hexes(r, 12)}\nREAD of size {over} at 0x{hexes(r, 12)} thread T0\n"
        f"    #0 0x{hexes(r, 12)} in {fn} /src/proto/frame.cc:{line}:19\n    #1 0x{hexes(r, 12)} in "
        "LLVMFuzzerTestOneInput /src/fuzz/fuzz_frame.cc:14:3\n"
        + "\n".join(f"    #{i} 0x{hexes(r, 12)} in fuzzer::Fuzzer::Step{i} FuzzerLoop.cpp:{r.randint(100, 900)}"
            for i in range(2, 9))
        + "\n0x"
        + hexes(r, 12)
        + f" is located 0 bytes after {over * 7}-byte region\n"
    )
    shadow = [f"  0x{hexes(r, 12)}: " + " ".join("fa" for _ in range(16)) for _ in range(24)]
    tail = f"artifact_prefix='./'; Test unit written to ./crash-{crash}\nBase64: {hexes(r, 30)}=="
    return [*body, report, "Shadow bytes around the buggy address:", *shadow, tail], [
        ["heap-buffer-overflow", f"in {fn} /src/proto/frame.cc:{line}"],
        f"READ of size {over}",
        f"crash-{crash}",
    ]


@case("make installcheck-world; cat regression.diffs")
def pg_regress_diffs(r):
    names, k = fresh(r), [0]
    a, b = next(names), next(names)
    wrong, right = distinct(r, 2, 1000, 9999)

    def ok(n=None, state="ok    "):
        k[0] += 1
        return (
            f"{'ok' if state != 'FAILED' else 'not ok'} {k[0]:<5}   + {n or next(names):<36}{r.randint(8, 900):>8} ms"
        )

    body = entries(r, 7.5, ok, [lambda: ok(a, "FAILED"), lambda: ok(b, "FAILED")])

    def diff(n, minus, plus):
        return [
            f"diff -U3 /src/expected/{n}.out /src/results/{n}.out",
            f"--- /src/expected/{n}.out\t2025-03-0{r.randint(1, 9)} 10:01:11",
            f"+++ /src/results/{n}.out\t2025-03-1{r.randint(0, 9)} 08:44:59",
            f"@@ -{r.randint(20, 90)},7 +{r.randint(20, 90)},7 @@",
            *[f"  {ident(r):<30}|{r.randint(10, 9999):>8}" for _ in range(3)],
            "-" + minus,
            "+" + plus,
            *[f"  {ident(r):<30}|{r.randint(10, 9999):>8}" for _ in range(3)],
        ]

    plan = f"Seq Scan on {ident(r)}_log"
    return [
        *body,
        f"1..{k[0]}",
        f"# 2 of {k[0]} tests failed.",
        *diff(a, f"  total {right:>30}", f"  total {wrong:>30}"),
        *diff(b, "   ->  Index Only Scan using pk_idx", f"   ->  {plan}"),
    ], [[f"results/{a}.out", str(wrong)], [f"results/{b}.out", plan], f"2 of {k[0]} tests failed"]


@case("TSAN_OPTIONS=halt_on_error=0 ./unit_tests 2>&1")
def tsan_race(r):
    names = fresh(r)
    w, rd, var = next(names), next(names), "g_" + next(names)
    x, y = distinct(r, 2, 50, 900)

    def one():
        n = next(names)
        return (
            f"[{r.randint(1, 9)}/8] case {n} ... {r.choice(['done', 'done', 'done (retried lock)'])}  "
            f"{r.randint(1, 900)} us  threads={r.choice([2, 4, 8])}"
        )

    frames = "\n".join(f"    #{i} worker::Loop<{i}>::run src/pool/loop.hpp:{r.randint(20, 90)} "
        f"(unit_tests+0x{hexes(r, 6)})" for i in range(1, 6))
    bad = [
        f"==================\nWARNING: ThreadSanitizer: data race (pid={r.randint(1000, 9999)})\n  Write of size 8 "
        f"at 0x{hexes(r, 12)} by thread T{r.randint(3, 8)} (mutexes: write M{r.randint(10, 99)}):\n"
        f"    #0 {w} src/core/state.cc:{x} (unit_tests+0x{hexes(r, 6)})\n{frames}\n\n  Previous read of size 8 by "
        f"thread T2:\n    #0 {rd} src/core/view.cc:{y}\n{frames}\n\n"
        f"  Location is global '{var}' of size 8\n\nSUMMARY: ThreadSanitizer: data race src/core/state.cc:{x} in "
        f"{w}\n=================="
    ]
    return [*entries(r, 4.8, one, bad), "ThreadSanitizer: reported 1 warnings"], [
        ["data race", f"{w} src/core/state.cc:{x}"],
        [rd, f"src/core/view.cc:{y}"],
        var,
    ]


@case("sbt testOnly")
def scalatest_suites(r):
    names = fresh(r)
    a, want, got, line = next(names), *distinct(r, 2, 100, 9999), r.randint(20, 300)
    abort = camel(next(names), True) + "Suite"

    def suite():
        out = [f"[info] {camel(next(names), True)}Spec:"]
        for _ in range(r.randint(3, 9)):
            out.append(f"[info] - should {words(next(names))} ({r.randint(1, 400)} milliseconds)")
        return "\n".join(out)

    bad = [
        f"[info] BalanceSpec:\n[info] - should {words(a)} *** FAILED *** (12 milliseconds)\n[info]   {got} was not "
        f"equal to {want} (BalanceSpec.scala:{line})",
        f"[info] grid.io.{abort} *** ABORTED ***\n[info]   java.net.BindException: Address already in use: "
        f"0.0.0.0:{r.randint(5000, 9999)}\n[info]   at sun.nio.ch.Net.bind0(Native Method)",
    ]
    body = fill(r, 10, suite, bad)
    n = body.count("- should") - 1
    tail = (
        f"[info] Suites: completed {body.count('Spec:')}, aborted 1\n[info] Tests: succeeded {n}, failed 1, canceled "
        "0, ignored 0, pending 0\n[info] *** 1 SUITE ABORTED ***\n[info] *** 1 TEST FAILED ***"
    )
    return [body, tail], [
        [words(a), f"{got} was not equal to {want}", f"BalanceSpec.scala:{line}"],
        [abort, "Address already in use"],
        f"succeeded {n}, failed 1",
    ]
