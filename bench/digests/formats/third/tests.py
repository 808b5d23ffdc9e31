"""Test runs, coverage, sanitizers and benchmarks."""

import json

from ..case import case
from .stock import THINGS, calm, camel, distinct, hexes, ident, idents, ip, mishaps, plant, uuid


@case("bin/rails test 2>&1")
def minitest(r):
    names = idents(r, 3)
    bulk = [
        f"DEPRECATION WARNING: {camel(a, True)}#{b} is deprecated and will be removed from Shop {r.randint(3, 9)}.0 "
        f"(called from {b} at /app/app/models/{r.choice(THINGS)}.rb:{r.randint(5, 300)})"
        for a, b in zip(idents(r, 90), idents(r, 90))
    ]
    bulk += ["." * r.randint(20, 80) for _ in range(14)]
    r.shuffle(bulk)
    want, got = distinct(r, 2, 1000, 99000)
    lines = distinct(r, 3, 10, 300)
    said = mishaps(r, 1)[0]
    at = f"test/models/{names[0]}_test.rb:{lines[0]}"
    fails = [
        f"F\n\nFailure:\n{camel(names[0], True)}Test#test_{ident(r)}_rounds_up [{at}]:\nExpected: {want}\n  Actual: {got}\n\n"
        f"bin/rails test {at}\n",
        f"E\n\nError:\n{camel(names[1], True)}ControllerTest#test_{names[2]}:\nShop::Conflict: {said}\n"
        f"    app/services/{names[1]}.rb:{lines[1]}:in `call'\n    test/controllers/{names[1]}_controller_test.rb:{lines[2]}:in `block in <class>'\n\n"
        f"bin/rails test test/controllers/{names[1]}_controller_test.rb:{lines[2]}\n",
    ]
    total = f"{r.randint(600, 900)} runs, {r.randint(1000, 2000)} assertions, 1 failures, 1 errors, {r.randint(2, 9)} skips"
    head = [f"Run options: --seed {r.randint(1000, 65000)}", "", "# Running:", ""]
    tail = ["", f"Finished in {r.randint(20, 90)}.{r.randint(100000, 999999)}s, {r.randint(10, 30)}.1 runs/s.", total]
    return head + plant(r, bulk, fails, 8) + tail, [
        [at, f"Expected: {want}", f"Actual: {got}"],
        [f"app/services/{names[1]}.rb:{lines[1]}", said],
        total,
    ]


@case("bundle exec cucumber --no-color")
def cucumber(r):
    out, needles, failed = [], [], r.randint(7, 16)
    steps = 0
    for k, name in enumerate(idents(r, 24)):
        deed, thing = name.split("_")
        path = f"features/{thing}/{name}.feature"
        out += [f"Feature: {deed.capitalize()} the {thing}", "", f"  Scenario: Customer can {deed} a {thing} # {path}:3"]
        amount = r.randint(10, 900)
        body = [
            f"Given a customer with {r.randint(1, 9)} {thing}s # features/step_definitions/{thing}_steps.rb:{r.randint(3, 90)}",
            f"And the shop is open # features/step_definitions/common_steps.rb:{r.randint(3, 30)}",
            f"When she {deed}s the {thing} # features/step_definitions/{thing}_steps.rb:{r.randint(3, 90)}",
        ]
        out += [f"    {x}" for x in body]
        then = f"Then the total is {amount}.00 EUR"
        place = f"features/step_definitions/{thing}_steps.rb:{r.randint(91, 200)}"
        out.append(f"    {then} # {place}")
        if k == failed:
            off = amount + r.randint(1, 9)
            out += [
                "",
                f"      expected: {amount}.00",
                f"           got: {off}.00",
                "",
                "      (compared using ==)",
                "       (RSpec::Expectations::ExpectationNotMetError)",
            ]
            out += [f"      ./{place}:in `/^the total is (.+) EUR$/'", f"      {path}:7:in `{then}'"]
            needles += [[f"Customer can {deed} a {thing}", f"expected: {amount}.00", f"got: {off}.00"], f"{path}:7"]
        steps += 5
        out.append("")
    undefined = f"When the {ident(r, ' ')} mail arrives"
    out[
        r.randint(60, 80)
    ] += f"\n    {undefined} # features/mail.feature:{r.randint(10, 90)}\n      Undefined step: \"{undefined[5:]}\" (Cucumber::Undefined)"
    out += [
        "24 scenarios (1 failed, 1 undefined, 22 passed)",
        f"{steps + 1} steps (1 failed, 1 undefined, {steps - 1} passed)",
        "0m14.221s",
    ]
    return out, needles + [[undefined, "Undefined step"], "1 failed, 1 undefined, 22 passed"]


@case("swift test 2>&1")
def swift_xctest(r):
    def ran(suite, test, word="passed"):
        return (
            f"Test Case '-[ShopTests.{suite} test{test}]' started.\n"
            f"Test Case '-[ShopTests.{suite} test{test}]' {word} (0.{r.randint(1, 400):03} seconds)."
        )

    names = [camel(n, True) for n in idents(r, 110)]
    suites = [camel(n, True) + "Tests" for n in idents(r, 6)]
    bulk = [ran(r.choice(suites), n) for n in names[2:]]
    a, b = distinct(r, 2, 100, 9999)
    lines = distinct(r, 2, 20, 300)
    place = [f"/w/Tests/ShopTests/{s}.swift:{n}" for s, n in zip(suites, lines)]
    said = mishaps(r, 1)[0]
    one = ran(suites[0], names[0], "failed").split("\n")
    one.insert(
        1,
        f'{place[0]}: error: -[ShopTests.{suites[0]} test{names[0]}] : XCTAssertEqual failed: ("{a}") is not equal to ("{b}")',
    )
    two = ran(suites[1], names[1], "failed").split("\n")
    two.insert(1, f"{place[1]}: error: -[ShopTests.{suites[1]} test{names[1]}] : failed: caught error: {said}")
    total = f"Executed {len(bulk) + 2} tests, with 2 failures (1 unexpected)"
    tail = ["Test Suite 'All tests' failed at 2026-02-11 09:41:07.311.", f"\t {total} in 9.{r.randint(100, 999)} (9.9) seconds"]
    head = [
        "[4/4] Linking ShopPackageTests",
        "Build complete! (21.04s)",
        "Test Suite 'All tests' started at 2026-02-11 09:40:57.112.",
    ]
    return head + plant(r, bulk, ["\n".join(one), "\n".join(two)], 8) + tail, [
        [place[0], names[0], f'("{a}") is not equal to ("{b}")'],
        [place[1], names[1], said],
        total,
    ]


@case("deno test -A 2>&1")
def deno_test(r):
    names = idents(r, 150, " ")
    out, left = [], names[:]
    want, got = distinct(r, 2, 100, 9000)
    bad, slow = names[r.randint(20, 60)], names[r.randint(5, 15)]
    leak = r.choice([n for n in names[25:60] if n != bad])
    millis = r.randint(21, 59)
    while left:
        some, left = left[:8], left[8:]
        out.append(f"running {len(some)} tests from ./tests/{ident(r)}_test.ts")
        for n in some:
            mark = f"\x1b[0m\x1b[32mok\x1b[0m \x1b[0m\x1b[38;5;245m({r.randint(1, 90)}ms)\x1b[0m"
            mark = f"\x1b[0m\x1b[32mok\x1b[0m \x1b[0m\x1b[38;5;245m({millis}s)\x1b[0m" if n == slow else mark
            mark = f"\x1b[0m\x1b[31mFAILED\x1b[0m \x1b[0m\x1b[38;5;245m({r.randint(1, 90)}ms)\x1b[0m" if n in (
                bad,
                leak,
            ) else mark
            out.append(f"{n} ... {mark}")
    file = f"./tests/{ident(r)}_test.ts:{r.randint(10, 200)}:{r.randint(3, 9)}"
    out += [
        "",
        "\x1b[1m\x1b[37m\x1b[41m ERRORS \x1b[0m",
        "",
        f"{bad} => {file}",
        "\x1b[31merror\x1b[0m: AssertionError: Values are not equal.",
        "",
    ]
    out += [
        "",
        "    [Diff] Actual / Expected",
        "",
        f"-   total: {got},",
        f"+   total: {want},",
        "",
        "  at assertEquals (https://jsr.io/@std/assert/1.0.8/equals.ts:51:9)",
        f"    at {file}",
        "",
    ]
    out += [
        f"{leak} => ./tests/leak_test.ts:{r.randint(5, 90)}:6",
        "\x1b[31merror\x1b[0m: Leaks detected:",
        "  - A timer was started in this test, but never completed. This is often caused by not calling `clearTimeout`.",
        "",
    ]
    out += [f"FAILED | {len(names) - 2} passed | 2 failed ({millis + 9}s)", "", "error: Test failed"]
    return out, [
        [bad, "Values are not equal", f"total: {got}", f"total: {want}"],
        [leak, "A timer was started in this test, but never completed"],
        f"{len(names) - 2} passed | 2 failed",
    ]


@case("./build-asan/shopd --selftest", ask="The self test dies under the sanitizer. Where is the bug?")
def asan_report(r):
    fns = [f"shop::{camel(n)}" for n in idents(r, 40)]
    files = idents(r, 12)

    def frame(k, fn, file=None, line=None):
        return f"    #{k} 0x{hexes(r, 12)} in {fn}(shop::Ctx&) /w/src/{file or r.choice(files)}.cc:{line or r.randint(10, 900)}:{r.randint(3, 40)}"

    def stack(top, n, first=0):
        below = [frame(k, r.choice(fns)) for k in range(first + 1, n)]
        return [frame(first, *top), *below, f"    #{n} 0x{hexes(r, 12)} in __libc_start_main"]

    size, off = r.randint(33, 400), r.randint(0, 24)
    uses, frees, makes = zip(fns[:3], files[:3], distinct(r, 3, 20, 900))
    out = [f"[selftest] {calm(r)}" for _ in range(110)]
    out += [
        "=" * 65,
        f"==4711==ERROR: AddressSanitizer: heap-use-after-free on address 0x6110{hexes(r, 8)} at pc 0x{hexes(r, 12)} bp 0x7ffd sp 0x7ffc",
    ]
    out += [f"WRITE of size 8 at 0x6110{hexes(r, 8)} thread T{r.randint(2, 9)}", *stack(uses, 18), ""]
    out += [f"0x6110{hexes(r, 8)} is located {off} bytes inside of {size}-byte region", "freed by thread T0 here:"]
    out += ["    #0 0x55d1 in operator delete(void*) (/w/build-asan/shopd+0xd11)", *stack(frees, 16, 1), ""]
    out += [
        "previously allocated by thread T0 here:",
        "    #0 0x55d1 in operator new(unsigned long) (/w/build-asan/shopd+0xd0f)",
    ]
    out += [*stack(makes, 14, 1), "", "Shadow bytes around the buggy address:"]
    out += [f"  0x0c22{hexes(r, 8)}: " + " ".join(r.choice(["fd", "fd", "fa", "00"]) for _ in range(16)) for _ in range(11)]
    out += [
        "Shadow byte legend (one shadow byte represents 8 application bytes):",
        "  Addressable:           00",
        "  Heap left redzone:       fa",
        "  Freed heap region:       fd",
        "==4711==ABORTING",
    ]

    def at(x):
        return [f"{x[0]}(shop::Ctx&)", f"{x[1]}.cc:{x[2]}"]

    return out, ["heap-use-after-free", at(uses), at(frees), at(makes)]


@case("npx nyc report --reporter=text", ask="Coverage dropped below our limit of 80 %. Which files are to blame?")
def istanbul_coverage(r):
    rule = "-" * 38 + "|---------|----------|---------|---------|" + "-" * 19

    def row(n, s, b, f, miss):
        return f" {n:<37}| {s:>7} | {b:>8} | {f:>7} | {s:>7} | {miss:<18}"

    def good(n):
        s = r.randint(860, 1000) / 10
        b = r.randint(800, 990) / 10
        return row(
            f"  {n}.ts", s, b, r.randint(85, 100), ",".join(str(x) for x in sorted(distinct(r, 2, 10, 400))) if s < 99 else ""
        )

    names = [camel(n) for n in idents(r, 120)]
    zero, low = names[0], names[1]
    part = r.randint(110, 290) / 10
    ranges = f"{r.randint(11, 40)}-{r.randint(200, 300)},{r.randint(310, 350)}-{r.randint(360, 420)}"
    special = [row(f"  {zero}.ts", 0, 0, 0, f"1-{r.randint(150, 400)}"), row(f"  {low}.ts", part, 9.1, 12.5, ranges)]
    total = r.randint(750, 795) / 10
    lines = plant(r, [good(n) for n in names[2:]], special, 8)
    title = f" {'File':<37}| % Stmts | % Branch | % Funcs | % Lines | Uncovered Line #s "
    head = [rule, title, rule, row("All files", total, 74.2, 81.9, "")]
    return head + lines + [rule, "", f"ERROR: Coverage for lines ({total}%) does not meet global threshold (80%)"], [
        f"{zero}.ts",
        [f"{low}.ts", str(part), ranges],
        str(total),
    ]


@case("benchstat old.txt new.txt", ask="Did the patch make anything slower?")
def go_benchstat(r):
    def row(name, old, new, p, mark=None):
        delta = mark or f"{(new / old - 1) * 100:+.2f}%"
        return f"{name:<42} {old:8.2f}µ ± {r.randint(1, 3)}%   {new:8.2f}µ ± {r.randint(1, 3)}%  {delta:>9} (p={p:.3f} n=10)"

    names = [f"{camel(n, True)}-8" for n in idents(r, 120)]
    bulk = []
    for n in names[3:]:
        old = r.randint(300, 90000) / 100
        bulk.append(row(n, old, old * r.uniform(0.99, 1.01), r.uniform(0.1, 0.9), "~"))
    special, needles = [], []
    for n, factor in zip(names, (r.uniform(1.6, 2.9), r.uniform(1.15, 1.3), r.uniform(0.3, 0.5))):
        old = r.randint(300, 90000) / 100
        special.append(row(n, old, old * factor, 0))
        needles.append([n, f"{(factor * old / old - 1) * 100:+.2f}%"])
    title = f"{'':<42} │   old.txt    │              new.txt               │"
    head = [
        "goos: linux",
        "goarch: amd64",
        "pkg: example.com/shop/internal/pricing",
        "cpu: AMD EPYC 7763 64-Core Processor",
        title,
    ]
    return head + plant(r, bulk, special, 8) + [
        f"{'geomean':<42} {r.randint(20, 90)}.12µ        {r.randint(20, 90)}.90µ        +1.7%"
    ], needles


@case("cargo bench --bench pricing")
def criterion(r):
    out, needles, names = [], [], [f"{a}/{b}" for a, b in zip(idents(r, 24), r.sample(THINGS, 24))]
    worse = r.sample(range(4, 20), 2)
    for k, n in enumerate(names):
        t, d = r.randint(1000, 90000) / 100, r.uniform(-1.4, 1.4)
        if k in worse:
            d = r.uniform(18, 160)
        low, high = f"{d - abs(d) * 0.1:+.4f}%", f"{d + abs(d) * 0.1:+.4f}%"
        out += [
            f"Benchmarking {n}",
            f"Benchmarking {n}: Warming up for 3.0000 s",
            f"Benchmarking {n}: Collecting 100 samples in estimated 5.{r.randint(1000, 9999)} s (1.2M iterations)",
            f"Benchmarking {n}: Analyzing",
        ]
        out += [
            f"{n:<24}time:   [{t * 0.99:.2f} µs {t:.2f} µs {t * 1.01:.2f} µs]",
            f"{'':<24}change: [{low} {d:+.4f}% {high}] (p = {0 if k in worse else r.uniform(0.1, 0.9):.2f} {'<' if k in worse else '>'} 0.05)",
        ]
        out += [f"{'':<24}{'Performance has regressed.' if k in worse else 'No change in performance detected.'}"]
        if k in worse:
            needles.append([n, f"{d:+.4f}%", "Performance has regressed"])
        if r.random() < 0.5:
            out += [f"Found {r.randint(1, 9)} outliers among 100 measurements", f"  {r.randint(1, 9)} (2.00%) high mild"]
        out.append("")
    return out, needles


@case("newman run shop.postman_collection.json -e staging.json")
def newman(r):
    out = ["newman", "", "Shop API"]
    names, (wrong, slow) = idents(r, 76, " "), r.sample(range(8, 66), 2)
    code, took = r.choice([409, 422, 502, 503]), r.randint(4000, 9000)
    for k, n in enumerate(names):
        status = f"{code} Conflict" if k == wrong else "200 OK"
        ms = took if k == slow else r.randint(20, 300)
        out += [
            "",
            f"→ {n.capitalize()}",
            f"  {r.choice(['GET', 'POST', 'PUT'])} https://staging.shop.example/api/v3/{n.split()[1]}s/{r.randint(100, 9999)} [{status}, {r.randint(1, 9)}.2kB, {ms}ms]",
        ]
        if k == wrong:
            out += ["  1. Status code is 200", "  ✓  Response has a body"]
        elif k == slow:
            out += ["  ✓  Status code is 200", "  2. Response time is less than 800ms"]
        else:
            out += ["  ✓  Status code is 200", "  ✓  Response time is less than 800ms"]
    out += [
        "",
        "┌─────────────────────────┬──────────┬──────────┐",
        "│                         │ executed │   failed │",
        "├─────────────────────────┼──────────┼──────────┤",
        "│              requests   │       76 │        0 │",
        "│            assertions   │      152 │        2 │",
        "└─────────────────────────┴──────────┴──────────┘",
    ]
    out += [
        "",
        "  #  failure         detail",
        "",
        " 1.  AssertionError  Status code is 200",
        f"                     expected response to have status code 200 but got {code}",
        '                     at assertion:0 in test-script',
        f'                     inside "{names[wrong].capitalize()}"',
    ]
    out += [
        "",
        " 2.  AssertionError  Response time is less than 800ms",
        f"                     expected {took} to be below 800",
        "                     at assertion:1 in test-script",
        f'                     inside "{names[slow].capitalize()}"',
    ]
    return out, [
        [f'inside "{names[wrong].capitalize()}"', f"but got {code}"],
        [f'inside "{names[slow].capitalize()}"', f"expected {took} to be below 800"],
    ]


@case("cat TestResults/run.trx")
def trx_xml(r):
    def result(name, outcome="Passed", extra=""):
        end = f">{extra}</UnitTestResult>" if extra else " />"
        return (
            f'    <UnitTestResult executionId="{uuid(r)}" testId="{uuid(r)}" testName="Shop.Tests.{name}" computerName="ci-7" '
            f'duration="00:00:00.{r.randint(1000, 9999999):07}" outcome="{outcome}"{end}'
        )

    names = [f"{camel(a, True)}Tests.{camel(b, True)}" for a, b in zip(idents(r, 70), idents(r, 70))]
    said = mishaps(r, 1)[0]
    line = r.randint(20, 400)
    info = f"<Output><ErrorInfo><Message>Shop.ConflictException : {said}</Message><StackTrace>   at Shop.{names[0]}() in /src/Shop.Tests/{names[0].split('.')[0]}.cs:line {line}</StackTrace></ErrorInfo></Output>"
    out = plant(r, [result(n) for n in names[2:]], [result(names[0], "Failed", info), result(names[1], "Timeout")], 6)
    head = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f'<TestRun id="{uuid(r)}" name="ci@ci-7 2026-01-14 08:12:55" xmlns="http://microsoft.com/schemas/VisualStudio/TeamTest/2010">',
        "  <Results>",
    ]
    tail = [
        "  </Results>",
        '  <ResultSummary outcome="Failed">',
        f'    <Counters total="{len(out)}" executed="{len(out)}" passed="{len(out) - 2}" failed="1" timeout="1" />',
        "  </ResultSummary>",
        "</TestRun>",
    ]
    return "\r\n".join(head + out + tail), [[names[0], said], f"{names[0].split('.')[0]}.cs:line {line}", [names[1], "Timeout"]]


@case("prove -lv t/ 2>&1", ask="Which Perl tests fail?")
def prove_verbose(r):
    out, needles = [], []
    files = [f"t/{k:02}-{n}.t" for k, n in enumerate(idents(r, 40, "-"), 10)]
    bad = r.randint(8, 30)
    died = bad + 2
    for k, f in enumerate(files):
        n = r.randint(6, 9)
        out += [f"{f} .. ", f"1..{n}"]
        for j in range(1, n + 1):
            what = f"{ident(r, ' ')} returns {r.choice(THINGS)}"
            if k == bad and j == 3:
                got, want = distinct(r, 2, 100, 9999)
                line = r.randint(20, 200)
                out += [
                    f"not ok {j} - {what}",
                    "",
                    f"#   Failed test '{what}'",
                    f"#   at {f} line {line}.",
                    f"#          got: '{got}'",
                    f"#     expected: '{want}'",
                ]
                needles.append([f"{f} line {line}", f"got: '{got}'", f"expected: '{want}'"])
            else:
                out.append(f"ok {j} - {what}")
            if k == died and j == 4:
                said = f"Can't locate object method \"{ident(r)}\" via package \"Shop::{camel(ident(r), True)}\""
                out += [
                    f"{said} at lib/Shop/Ledger.pm line {r.randint(30, 300)}.",
                    "# Looks like your test exited with 255 just after 4.",
                ]
                needles.append(said)
                break
        if k == bad:
            out += [
                f"# Looks like you failed 1 test of {n}.",
                "Dubious, test returned 1 (wstat 256, 0x100)",
                f"Failed 1/{n} subtests ",
            ]
        elif k == died:
            out += ["Dubious, test returned 255 (wstat 65280, 0xff00)", f"Failed {n - 4}/{n} subtests "]
        else:
            out.append("ok")
    out += [
        "",
        "Test Summary Report",
        "-------------------",
        f"{files[bad]} (Wstat: 256 (exited 1) Tests: 6 Failed: 1)",
        "  Failed test:  3",
    ]
    out += [f"{files[died]} (Wstat: 65280 (exited 255) Tests: 4 Failed: 0)", "  Non-zero exit status: 255", "Result: FAIL"]
    return out, needles + [[files[died], "Non-zero exit status: 255"]]


@case("npx stryker run | tail -n 300", ask="Which mutants survive? We have to write tests for them.")
def stryker(r):
    out, needles = [], []
    for n in idents(r, 5):
        path, line = f"src/{r.choice(THINGS)}/{n}.ts", r.randint(10, 300)
        old, new = r.choice([("<", "<="), ("&&", "||"), ("+", "-"), (">", ">=")])
        left = camel(ident(r))
        out += [
            "[Survived] "
            + {"<": "EqualityOperator", ">": "EqualityOperator", "&&": "LogicalOperator", "+": "ArithmeticOperator"}[old]
        ]
        out += [
            f"{path}:{line}:{r.randint(5, 40)}",
            f"-       if ({left} {old} limit) {{",
            f"+       if ({left} {new} limit) {{",
            "Tests ran:",
            *[f"    {ident(r, ' ')} {x}" for x in idents(r, 3, " ")],
            "",
        ]
        needles.append([f"{path}:{line}", f"{left} {new} limit"])
    score = f"{r.randint(60, 90)}.{r.randint(10, 99)}"
    progress = [
        f"Mutation testing  [{'=' * (k // 4):<22}] {k}% (elapsed: ~{k // 9}m, remaining: ~{(99 - k) // 9}m) {k * 4}/400 Mutants tested (5 survived, 0 timed out)"
        for k in range(9, 98, 3)
    ]
    rows = [
        f"  {n + '.ts':<34}|  {r.randint(80, 100)}.00 |      {r.randint(20, 80)} |          0 |          0 |"
        for n in idents(r, 32)
    ]
    return progress + out + [
        "-" * 80,
        "File                                | % score | # killed | # timeout | # survived |",
        "-" * 80,
        f"All files                           |   {score} |      395 |         0 |          5 |",
        *rows,
    ], needles + [score]


@case("locust -f load.py --headless -u 200 -t 5m", ask="Does staging bear the load?")
def locust_stats(r):
    def row(method, name, n, fails, avg, top, p99):
        return f"{method:<8} {name:<44} {n:>7} {f'{fails}({100 * fails / n:.2f}%)':>15} | {avg:>7} {r.randint(2, 19):>7} {top:>7} {avg - r.randint(1, 9):>7} | {n / 300:>7.2f} {fails / 300:>10.2f} {p99:>8}"

    names = [f"/api/{n}" for n in idents(r, 90, "/")]
    bulk = [
        row(r.choice(["GET", "POST"]), n, r.randint(2000, 9000), 0, r.randint(20, 90), r.randint(200, 600), r.randint(100, 190))
        for n in names[2:]
    ]
    fails, p99, n1 = r.randint(700, 1900), r.randint(9000, 30000), r.randint(4000, 9000)
    special = [
        row("POST", names[0], n1, fails, r.randint(40, 90), r.randint(200, 600), r.randint(100, 190)),
        row("GET", names[1], r.randint(4000, 9000), 0, r.randint(2000, 3000), r.randint(31000, 60000), p99),
    ]
    said = f"HTTPError('503 Server Error: Service Unavailable for url: {names[0]}')"
    rule = "-" * 130
    head = [
        f"[2026-03-02 11:04:{k:02},{r.randint(100, 999)}] load-1/INFO/locust.runners: All users spawned: {{\"ShopUser\": {k * 10}}}"
        for k in range(1, 21)
    ]
    title = f"{'Type':<8} {'Name':<44} {'# reqs':>7} {'# fails':>15} | {'Avg':>7} {'Min':>7} {'Max':>7} {'Med':>7} | {'req/s':>7} {'failures/s':>10} {'99%':>8}"
    tail = [rule, "", "Error report", "# occurrences      Error", rule, f"{fails:<18} POST {names[0]}: {said}", rule]
    return head + [title, rule] + plant(r, bulk, special, 6) + tail, [
        [str(fails), f"POST {names[0]}", "503 Server Error"],
        f"{fails}({100 * fails / n1:.2f}%)",
        [names[1], str(p99)],
    ]


@case("cat out/lint-and-test.json", ask="Which checks of the run failed, and for what reason?")
def ctrf_report(r):
    def test(name, status="passed", **more):
        return dict(
            name=name,
            status=status,
            duration=r.randint(3, 900),
            suite=f"shop > {r.choice(THINGS)}",
            retries=0,
            flaky=False,
            browser="chromium 121",
            host=ip(r),
            **more,
        )

    names = idents(r, 62, " ")
    said = mishaps(r, 1)[0]
    want = r.randint(1000, 9999)
    special = [
        test(
            names[0],
            "failed",
            message=f"expected order total {want} but the page shows NaN",
            filePath=f"e2e/{ident(r)}.spec.ts",
        ),
        test(names[1], "failed", message=said, filePath=f"e2e/{ident(r)}.spec.ts"),
    ]
    tests = plant(r, [test(n) for n in names[2:]], special, 10)
    summary = dict(tests=len(tests), passed=len(tests) - 2, failed=2, pending=0, skipped=0, other=0)
    report = dict(
        reportFormat="CTRF", specVersion="0.0.0", results=dict(tool=dict(name="playwright"), summary=summary, tests=tests)
    )
    return json.dumps(report, indent=2), [
        [names[0], f"expected order total {want}", special[0]["filePath"]],
        [names[1], said, special[1]["filePath"]],
    ]
