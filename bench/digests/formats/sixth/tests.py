"""Test runs: C++, Clojure, consistency checkers, API fuzzers, MATLAB, databases, Turkish features, kernel tests."""

from ..case import case
from .stock import DEEDS, HOSTS, PEOPLE, THINGS, Clock, camel, distinct, entries, hexes, ident, idents


@case("./build/studio_core_tests --log_level=all --report_level=no")
def boost_test_log(r):
    suites = [f"{n}_suite" for n in r.sample(THINGS, 20)]
    cases = idents(r, 300)
    files = {s: f"tests/{s[:-6]}_test.cpp" for s in suites}
    crash, wrong, slow, thrown = (cases.pop() for _ in range(4))
    got, want = distinct(r, 2, 1001, 9999)
    micros = r.randint(21_000_000, 88_000_000)
    what = r.choice(["reel index out of range", "bad palette header", "timecode went backwards", "lens table is empty"])
    now = [suites[0]]

    def spot():
        return f"{files[now[0]]}({r.randint(20, 600)})"

    def passed():
        a = r.choice(THINGS)
        n = r.randint(1, 900)
        return f"{spot()}: info: check " + r.choice([
            f"{a}.frames() == {n} has passed",
            f"{a}.empty() has passed",
            f"'{ident(r)}({n}) keeps the order' has passed",
            f"std::abs({a}.rate() - {r.choice([24, 25, 30, 50])}.0) < 1e-9 has passed",
            f"no exceptions thrown by {ident(r)}({a}) has passed" if n % 2 else f"{a}.id() != {n} has passed",
        ])

    def test_case(name, inner, micro=None):
        line = r.randint(20, 600)
        at = f"{files[now[0]]}({line})"
        return "\n".join([
            f'{at}: Entering test case "{name}"',
            *inner,
            f'{at}: Leaving test case "{name}"; testing time: {micro or r.randint(20, 9000)}us',
        ])

    def make():
        if r.random() < 0.06:
            before, now[0] = now[0], r.choice(suites)
            return (
                f'{files[before]}(18): Leaving test suite "{before}"; testing time: {r.randint(3000, 90000)}us\n'
                f'{files[now[0]]}(18): Entering test suite "{now[0]}"'
            )
        if r.random() < 0.05:
            return f'Test case {now[0]}/{r.choice(cases)} did not check any assertions'
        inner = [passed() for _ in range(r.randint(1, 4))]
        if r.random() < 0.06:
            inner.append(f"{ident(r)}: using the built-in table of {r.randint(2, 60)} {r.choice(THINGS)}s")
        return test_case(r.choice(cases), inner)

    def failing():
        a = r.choice(THINGS)
        return test_case(wrong, [
            passed(),
            f'{spot()}: error: in "{now[0]}/{wrong}": check {a}.checksum() == {want} has failed [{got} != {want}]',
            passed(),
        ])

    def crashing():
        at = spot()
        return test_case(crash, [
            passed(),
            f'unknown location(0): fatal error: in "{now[0]}/{crash}": memory access violation at address:'
            f" 0x{hexes(r, 12)}: no mapping at fault address",
            f"{at}: last checkpoint",
        ])

    def throwing():
        return test_case(thrown, [
            f'{spot()}: error: in "{now[0]}/{thrown}": unexpected exception thrown by {ident(r)}(take)',
            f"    std::runtime_error: {what}",
        ])

    def slowly():
        return test_case(slow, [passed()], micros)

    head = ["Running 304 test cases...", 'Entering test module "studio_core"', f'{files[now[0]]}(18): Entering test'
    f' suite "{now[0]}"']
    out = head + entries(r, 8, make, [failing, crashing, throwing, slowly])
    out += [
        f'{files[now[0]]}(18): Leaving test suite "{now[0]}"; testing time: {r.randint(3000, 90000)}us',
        f'Leaving test module "studio_core"; testing time: {micros + r.randint(900_000, 2_000_000)}us',
        "",
        '*** 3 failures are detected in the test module "studio_core"',
    ]
    return out, [
        [wrong, f"[{got} != {want}]"],
        [crash, "memory access violation"],
        [thrown, what],
        [slow, f"{micros}us"],
    ]


@case("clojure -M:test -m kaocha.runner --reporter documentation")
def kaocha_documentation(r):
    spaces = [f"studio.{a}.{b}-test" for a, b in zip(r.sample(THINGS, 26), (x for x in DEEDS * 2))]
    bad = r.choice(spaces[4:-4])
    names = idents(r, 330, "-")
    wrong, error, late = names.pop(), names.pop(), names.pop()
    frames = r.randint(1000, 9000)
    off = frames - r.randint(1, 400)
    slow = r.choice(spaces[3:-3])
    keyword = ":" + ident(r, "-")
    phrases = [
        "when the {a} is empty", "keeps the {a} order", "with one {a} and one {b}", "rejects a {a} without {b}",
        "round trip through transit", "is idempotent", "with a {a} from the {b}", "closes the {a} on exit",
    ]

    def test(space, name):
        flag = "\x1b[31m FAIL\x1b[m" if name == wrong else "\x1b[31m ERROR\x1b[m" if name == error else ""
        out = [f"  {name}-test{flag}"]
        for p in r.sample(phrases, r.randint(0, 4)):
            a, b = r.sample(THINGS, 2)
            out.append("    " + p.format(a=a, b=b))
        if r.random() < 0.12:
            out.append(f"    WARN {space}: reflection on {camel(ident(r))}, {r.randint(9, 300)} {r.choice(THINGS)}s"
            f" read")
        return out

    out = ["--- unit (clojure.test) ---------------------------"]
    for k, space in enumerate(spaces):
        if k == 18:
            out += ["", "--- integration (clojure.test) ---------------------------"]
        out.append(f"\x1b[36m{space}\x1b[m")
        for name in [names.pop() for _ in range(r.randint(8, 12))]:
            out += test(space, name)
        if space == bad:
            out += test(space, wrong) + test(space, error)
        if space == slow:
            out += [f"  {late}-test", f"    waited {r.randint(70, 290)} s for the {r.choice(THINGS)} fixture"]
        out.append("")
    waited = next(x for x in out if x.startswith("    waited"))
    out += [
        f"\x1b[31mFAIL\x1b[m in {bad}/{wrong}-test ({bad.split('.')[-1].replace('-', '_')}.clj:{r.randint(20, 300)})",
        "keeps the total length",
        "Expected:",
        f"  {{:frames {frames}, :state :wrapped}}",
        "Actual:",
        f"  {{:frames \x1b[31m-{frames}\x1b[m \x1b[32m+{off}\x1b[m, :state :wrapped}}",
        "╭───── Test output ───────────────────────────────────────────────────────",
        *(f"│ {ident(r, '-')} {r.randint(1, 900)}" for _ in range(12)),
        "╰─────────────────────────────────────────────────────────────────────────",
        "",
        f"\x1b[31mERROR\x1b[m in {bad}/{error}-test (protocols.clj:{r.randint(20, 300)})",
        f"Exception: java.lang.IllegalArgumentException: No matching clause: {keyword}",
        *(f" at studio.{r.choice(THINGS)}$fn__{r.randint(1000, 90000)}.invoke"
        f" ({r.choice(THINGS)}.clj:{r.randint(9, 400)})"
          for _ in range(16)),
        "    ...",
        f"{sum(x.startswith('  ') and x[2] != ' ' for x in out)} tests, {r.randint(1200, 1900)} assertions, 1 errors,"
        f" 1 failures.",
        "",
        "Top 3 slowest kaocha.type/var (92.1% of total time)",
        f"  {slow}/{late}-test",
        f"    {waited.split()[1]}.{r.randint(10000, 99999)} seconds",
        *(x for n in names[:2] for x in (f"  {r.choice(spaces)}/{n}-test", f"    1.{r.randint(10000, 99999)} seconds")),
    ]
    return out, [
        [f"{wrong}-test", f"+{off}"],
        [f"{error}-test", f"No matching clause: {keyword}"],
        [f"{late}-test", waited.split("the")[0].strip()],
    ]


@case("lein run test --workload append --nemesis partition,clock --time-limit 120 --concurrency 2n")
def jepsen_ops(r):
    clock = Clock(r, 0.08)
    nodes = [f"n{k}" for k in range(1, 6)]
    thread = r.randint(0, 9)
    skew, victim = r.randint(21000, 99000), r.choice(nodes)
    key, element = r.randint(300, 900), r.randint(1000, 9999)
    writer = 10 * r.randint(20, 90) + thread
    broken = r.choice(["net.SocketException: Connection reset", "io.EOFException: truncated row packet"])

    def say(level, who, text):
        return f"{clock.text('%Y-%m-%d %H:%M:%S,%L')}{{GMT}}\t{level}\t[{who}] {text}"

    def process():
        return r.randint(0, 9) + 10 * r.randint(0, 9)

    def micro(k=None):
        key = r.randint(2, 280)
        values = " ".join(str(x) for x in range(1, r.randint(2, 9)))
        return r.choice([f"[:append {key} {r.randint(1, 90)}]", f"[:r {key} nil]", f"[:r {key} [{values}]]"])

    def op():
        p = process()
        txn = f"[{' '.join(micro() for _ in range(r.randint(1, 3)))}]"
        k = r.random()
        state = ":invoke" if k < 0.45 else ":ok" if k < 0.9 else ":fail" if k < 0.97 else ":info"
        why = dict([(":fail", "\t[:serialization-failure]"), (":info", "\t:timeout")]).get(state, "")
        return say("INFO", f"jepsen worker {p % 10}", f"jepsen.util: {p}\t{state}\t:txn\t{txn}{why}")

    def nemesis():
        group = r.sample(nodes, 3)
        cut = "{" + ", ".join(f'"{n}" #{{"{r.choice(nodes)}"}}' for n in group) + "}"
        return say("INFO", "jepsen nemesis", "jepsen.util: :nemesis\t:info\t" + r.choice([
            f":start-partition\t[:isolated {cut}]",
            ":stop-partition\t:network-healed",
            f':check-clock-offsets\t{{"{group[0]}" {r.uniform(-0.02, 0.02):.4f}, "{group[1]}"'
            f' {r.uniform(-0.02, 0.02):.4f}}}',
            f':bump-clock\t{{"{group[0]}" {r.randint(-90, 90)}}}',
        ]))

    def make():
        k = r.random()
        if k < 0.06:
            return nemesis()
        if k < 0.08:
            return say("INFO", f"jepsen node {r.choice(nodes)}", f"jepsen.control.util: tail of"
            f" {r.choice(THINGS)}.log saved")
        return op()

    def bump():
        return say("INFO", "jepsen nemesis", f'jepsen.util: :nemesis\t:info\t:bump-clock\t{{"{victim}" -{skew}}}')

    def crash():
        return "\n".join([
            say("WARN", f"jepsen worker {thread}", f"jepsen.generator.interpreter: Process {writer} crashed"),
            f"java.{broken}",
            *(f"\tat studio.jepsen.client$fn__{r.randint(1000, 9999)}.invoke(client.clj:{r.randint(30, 300)})"
              for _ in range(4)),
        ])

    chosen = r.sample(range(1, 280), 6)
    results = [
        say("INFO", "main", "jepsen.core: Analyzing..."),
        say("INFO", "main", "jepsen.core: Analysis complete"),
        say("INFO", "main", "jepsen.results: {:perf {:latency-graph {:valid? true},"),
        "        :rate-graph {:valid? true},",
        "        :valid? true},",
        " :clock {:valid? true},",
        " :stats {:valid? true,",
        f"         :count {r.randint(20000, 40000)},",
        f"         :ok-count {r.randint(16000, 19000)},",
        f"         :fail-count {r.randint(900, 2000)},",
        f"         :info-count {r.randint(200, 800)}}},",
        " :exceptions {:valid? true},",
        " :workload {:valid? false,",
        "            :anomaly-types (:G-single :lost-update),",
        f"            :anomalies {{:lost-update ({{:key {key},",
        f"                                         :value [{' '.join(map(str, chosen))}],",
        f"                                         :lost {element}}})}},",
        "            :not #{:snapshot-isolation}},",
        " :valid? false}",
        "",
        "",
        "Analysis invalid! (ﾉಥ益ಥ）ﾉ ┻━┻",
    ]
    head = [
        say("INFO", "main", "jepsen.core: Running test: studio-append"),
        *(say("INFO", f"jepsen node {n}", f"jepsen.os.debian: {n} setting up debian") for n in nodes),
        say("INFO", "main", "jepsen.core: Relative time begins now"),
    ]
    return head + entries(r, 12, make, [bump, crash]) + results, [
        [f"-{skew}", victim],
        broken.split(": ")[1],
        [":lost-update", f":key {key}"],
        ":not #{:snapshot-isolation}",
    ]


@case("schemathesis run http://stage-east:8080/openapi.json --checks all")
def schemathesis_run(r):
    things = [f"{t}s" for t in r.sample(THINGS, 22)]
    paths = []
    for t in things:
        paths += [("GET", f"/api/{t}"), ("POST", f"/api/{t}"), ("GET", f"/api/{t}/{{id}}"), ("DELETE",
            f"/api/{t}/{{id}}")]
        paths += [("PUT", f"/api/{t}/{{id}}"), ("POST", f"/api/{t}/{{id}}/{r.choice(DEEDS)}")]
    open_door, crash, late = r.sample(paths[12:-12], 3)
    routine = set(r.sample([p for p in paths if p not in (open_door, crash, late)], 34))
    table = f"{ident(r)}_log"
    millis = r.randint(21000, 58000)
    out = [
        "======================= Schemathesis test session starts =======================",
        "Schema location: http://stage-east:8080/openapi.json",
        "Base URL: http://stage-east:8080/",
        "Specification version: Open API 3.0.3",
        f"Random seed: {r.getrandbits(120)}",
        "Workers: 1",
        f"Collected API operations: {len(paths)}",
        f"Collected API links: {r.randint(20, 60)}",
        "API probing: SUCCESS",
        "Schema analysis: SUCCESS",
        "",
    ]
    for k, (verb, path) in enumerate(paths):
        mark = "F" if (verb, path) in routine or (verb, path) in (open_door, crash, late) else "."
        shown = f"{verb} {path} {mark}"
        out.append(f"{shown:<72}[{100 * (k + 1) // len(paths):3}%]")
    out += ["", "=================================== FAILURES ==================================="]

    def curl(verb, path, auth=True):
        header = " -H 'Authorization: [Filtered]'" if auth else ""
        return [
            "",
            "Reproduce with: ",
            "",
            f"    curl -X {verb}{header} 'http://stage-east:8080{path.replace('{id}', str(r.randint(0, 30000)))}'",
            "",
        ]

    def failure(verb, path):
        number = r.randint(0, 2)
        kind, code, phrase = (
            ("Undocumented HTTP status code", "422", "Unprocessable Entity"),
            ("Undocumented Content-Type", "200", "OK"),
            ("Response violates schema", "200", "OK"),
        )[number]
        detail = (
            [f"    Received: {code}", "    Documented: 200, 201, 404"],
            ["    Received: text/plain; charset=utf-8", "    Documented: application/json"],
            [f"    '{r.choice(THINGS)}' is a required property", "", "    Schema:", "", "        {", '           '
            ' "required": [',
             f'                "{r.choice(THINGS)}"', "            ]", "        }"],
        )[number]
        return [f"- {kind}", "", *detail, "", f"[{code}] {phrase}:", "",
                f'    `{{"id":{r.randint(1, 30000)},"{r.choice(THINGS)}":"{hexes(r, 12)}"}}`', *curl(verb, path)]

    def crashing(verb, path):
        return ["- Server error", "", "[500] Internal Server Error:", "",
                f'    `{{"detail":"relation \\"{table}\\" does not exist"}}`', *curl(verb, path)]

    def unguarded(verb, path):
        return ["- Authentication declared but not enforced for this operation", "", "[200] OK:", "",
                f'    `{{"id":{r.randint(1, 3000)},"owner":"{r.choice(PEOPLE)}"}}`', *curl(verb, path, False)]

    def slow(verb, path):
        return ["- Response time limit exceeded", "", f"    Actual: {millis}.{r.randint(10, 99)}ms", "    Limit: "
        " 5000.00ms", "",
                "[200] OK:", "", "    `[]`", *curl(verb, path)]

    for verb, path in paths:
        if (verb, path) not in routine and (verb, path) not in (open_door, crash, late):
            continue
        name = f" {verb} {path} "
        out.append(f"{name:_^80}")
        cases = {crash: crashing, open_door: unguarded, late: slow}.get((verb, path), failure)
        for k in range(1 if cases is not failure else r.randint(1, 2)):
            out += [f"{k + 1}. Test Case ID: {hexes(r, 6)}", "", *cases(verb, path)]
    out += [
        "=================================== SUMMARY ====================================",
        "",
        "Performed checks:",
        f"    not_a_server_error                    {r.randint(9000, 9900)} / 9912 passed          FAILED",
        f"    status_code_conformance               {r.randint(8000, 9000)} / 9912 passed          FAILED",
        f"    content_type_conformance              {r.randint(9000, 9900)} / 9912 passed          FAILED",
        f"    response_schema_conformance           {r.randint(9000, 9900)} / 9912 passed          FAILED",
        f"    ignored_auth                          {r.randint(9000, 9900)} / 9912 passed          FAILED",
        "",
        f"======================== {len(paths) - 37} passed, 37 failed in {r.randint(100, 400)}.{r.randint(10, 99)}s"
        " =========================",
    ]
    return out, [
        [f'{table}\\" does not exist', " ".join(crash)],
        ["declared but not enforced", " ".join(open_door)],
        [f"Actual: {millis}", " ".join(late)],
    ]


@case("matlab -batch \"runtests('tests','OutputDetail','Detailed','LoggingLevel','Detailed')\"")
def matlab_runtests(r):
    classes = [camel(n, True) + "Test" for n in idents(r, 24)]
    methods = [camel(n) for n in idents(r, 260)]
    wrong, error, skipped = (methods.pop() for _ in range(3))
    actual, expected = r.uniform(0.2, 0.9), r.uniform(1.2, 2.9)
    fixture = camel(ident(r), True) + "Fixture"
    product = r.choice(["Image_Toolbox", "Signal_Toolbox", "Audio_Toolbox"])
    clock = Clock(r, 1.0)
    rate = ["fps24", "fps25", "fps30", "drop"]
    special = {}
    for k, m in zip(sorted(r.sample(range(4, 21), 3)), (wrong, error, skipped)):
        special[classes[k]] = m

    def spent():
        return f"in 0.{r.randint(1, 999):04d} seconds"

    def logged():
        t = clock().strftime("%Y-%m-%dT%H:%M:%S")
        return r.choice([
            f"    [Terse] Diagnostic logged ({t}): {ident(r)} used {r.randint(2, 90)} blocks",
            f"    [Concise] Diagnostic logged ({t}): {r.choice(THINGS)} table of {r.randint(2, 90)} rows",
            f"    Warning: The value of '{camel(ident(r))}' is not used in {r.choice(classes)[:-4]}.m (line"
            f" {r.randint(4, 90)})",
        ])

    def stack(cls, m):
        return [
            "    ------------------", "    Stack Information:", "    ------------------",
            f"    In /work/studio/tests/{cls}.m ({cls}.{m}) at {r.randint(20, 200)}",
            "================================================================================",
        ]

    def failed(cls):
        return [
            "================================================================================",
            f"Verification failed in {cls}/{wrong}(rate={r.choice(rate)}).",
            "    ---------------------", "    Framework Diagnostic:", "    ---------------------",
            "    verifyEqual failed.",
            '    --> The numeric values are not equal using "isequaln".',
            "    --> The error was not within relative tolerance.",
            "    --> Failure table:",
            "              Actual         Expected          Error         RelativeError    RelativeTolerance",
            "         ________________  ______________  ______________  _______________  _________________",
            "",
            f"         {actual:.14f}  {expected:.12f}  {actual - expected:.11f} "
            f" {(actual - expected) / expected:.12f}  1e-06",
            *stack(cls, wrong),
        ]

    def errored(cls):
        return [
            "================================================================================",
            f"Error occurred in {cls}/{error} and it did not run to completion.",
            "    ---------", "    Error ID:", "    ---------", "    'MATLAB:UndefinedFunction'",
            "    --------------", "    Error Details:", "    --------------",
            f"    Unrecognized function or variable '{fixture[0].lower() + fixture[1:]}Map'.",
            f"    Error in {cls}/{error} (line {r.randint(20, 200)})",
            "================================================================================",
        ]

    def assumed(cls):
        return [
            "================================================================================",
            f"{cls} was filtered.",
            f"    Assumption failed: verifyTrue(license('test','{product}'))",
            f"    {r.randint(14, 60)} tests of this class did not run.",
            *stack(cls, skipped),
        ]

    summary, out = [], []
    for cls in classes:
        out += [f" Running {cls}", f"  Setting up {fixture if r.random() < 0.3 else 'PathFixture'}",
                f"  Done setting up {spent()}"]
        mine = [methods.pop() for _ in range(r.randint(6, 10))]
        special_name = special.get(cls)
        at = r.randint(1, len(mine) - 1)
        for k, m in enumerate(mine):
            if k == at and special_name:
                out += {wrong: failed, error: errored, skipped: assumed}[special_name](cls)
                mark = {wrong: "  X                Failed by verification.", error: "  X         X      Errored.",
                        skipped: "            X      Filtered by assumption."}[special_name]
                summary.append(f"     {cls + '/' + special_name:<44}{mark}")
            shown = f"{cls}/{m}" + (f"(rate={r.choice(rate)})" if r.random() < 0.3 else "")
            out += [f"   Running {shown}", f"   Done {shown} {spent()}"]
            if r.random() < 0.18:
                out.append(logged())
        out += [f" Done {cls} {spent()}", "__________", ""]
    out += [
        "Failure Summary:", "",
        f"     {'Name':<44}Failed  Incomplete  Reason(s)",
        "    ==========================================================================================",
        *summary, "",
        "Totals:",
        f"   {r.randint(190, 240)} Passed, 2 Failed, {r.randint(10, 40)} Incomplete.",
        f"   {r.randint(20, 90)}.{r.randint(1000, 9999)} seconds testing time.",
    ]
    return out, [
        [f"/{wrong}", f"{actual:.14f}"[:9]],
        [f"Unrecognized function or variable '{fixture[0].lower() + fixture[1:]}Map'"],
        f"license('test','{product}')",
    ]


@case('sqlcmd -S vault-2 -d StudioTest -Q "EXEC tSQLt.RunAll"')
def tsqlt_results(r):
    classes = [camel(t, True) + "Tests" for t in r.sample(THINGS, 26)]
    deeds = ["test that {} keeps its order", "test {} rejects NULL", "test {} with no rows", "test total of {} per day",
             "test {} view matches base table", "test trigger on {} writes the audit row"]
    tests = []
    for c in classes:
        for d in r.sample(deeds, r.randint(3, 6)):
            tests.append(f"[{c}].[{d.format(r.choice(THINGS))} {r.randint(1, 40)}]")
    n = len(tests)
    wrong, rows, error, slow = (tests[k] for k in r.sample(range(n // 6, n - n // 6), 4))
    got, want = distinct(r, 2, 2000, 9999)
    lost, other, third = r.sample(PEOPLE, 3)
    scene = r.randint(1000, 9999)
    proc = camel(ident(r), True)
    long = r.randint(41000, 95000)
    messages = {
        wrong: f"{wrong} failed: (Failure) Expected: <{want}> but was: <{got}>",
        rows: f"{rows} failed: (Failure) Unexpected/missing resultset"
        f" rows!\n|_m_|scene_id|director|\n+---+--------+--------+\n"
        f"|<  |{scene:<8}|{lost:<8}|\n|=  |{r.randint(100, 999):<8}|{other:<8}|\n"
        f"|=  |{r.randint(100, 999):<8}|{third:<8}|",
        error: f"{error} failed: (Error) Could not find stored procedure"
        f" 'studio.{proc}'.[16,62]{{studio.Build{proc[:3]},"
        f"{r.randint(9, 90)}}}",
    }

    def chat():
        a = r.choice(THINGS)
        return r.choice([
            f"({r.randint(1, 400)} rows affected)",
            "Warning: Null value is eliminated by an aggregate or other SET operation.",
            f"PRINT: faked table studio.{camel(a, True)} with {r.randint(1, 30)} rows",
            f"The module '{camel(ident(r), True)}' depends on the missing object 'dbo.{camel(ident(r), True)}'. The"
            f" module will"
            " still be created; however, it cannot run successfully until the object exists.",
            f"PRINT: spy on {camel(ident(r), True)} recorded {r.randint(1, 9)} calls",
        ])

    out = []
    for t in tests:
        for _ in range(r.randint(0, 4)):
            out.append(chat())
        if t in messages:
            out.append(messages[t])
    width = max(map(len, tests))
    out += ["", "+----------------------+", "|Test Execution Summary|", "+----------------------+", "",
            f"|No|{'Test Case Name':<{width}}|Dur(ms)|Result |", f"+--+{'-' * width}+-------+-------+"]
    for k, t in enumerate(tests):
        spent = long if t == slow else r.randint(3, 900)
        result = "Error" if t == error else "Failure" if t in messages else "Success"
        out.append(f"|{k + 1:<2}|{t:<{width}}|{spent:>7}|{result:<7}|")
    out += [
        "-" * 77,
        "Msg 50000, Level 16, State 10, Server VAULT-2, Line 1",
        f"Test Case Summary: {n} test case(s) executed, {n - 3} succeeded, 2 failed, 1 errored.",
        "-" * 77,
    ]
    return out, [
        [wrong, f"<{want}> but was: <{got}>"],
        [rows, f"|<  |{scene}"],
        [error, f"'studio.{proc}'"],
        [slow, str(long)],
    ]


@case("behave --lang tr features/")
def behave_turkish(r):
    things = "sahne makara çekim kamera mercek vinç kostüm ışık klaket senaryo dublaj fragman altyazı kadraj".split()
    deeds = "düzenle kes kaydet karıştır eşitle kırp birleştir seslendir listele onayla".split()
    clock = dict(steps=0, scenarios=0)
    failing = {}
    given = ['"{t}" kaydı sistemde var', "kurgu odası boş", '"{p}" adlı kullanıcı giriş yaptı', "vardiya {n} numaralı"
    " stüdyoda başladı"]
    when = ['"{t}" için "{d}" işlemini başlatırım', "{n} numaralı kareye giderim", '"{t}" listesini açarım']
    then = ["sonuç {n} kare olmalı", '"{t}" durumu "hazır" görünmeli', "hiçbir uyarı gösterilmemeli", "günlükte {n}"
    " satır bulunmalı"]
    wrong, missing, slow = r.sample(range(12, 80), 3)
    shown, hoped = distinct(r, 2, 1100, 9900)
    unknown = f"{r.choice(deeds)} kuyruğu {r.randint(41, 99)} saniye içinde boşalmalı"
    long = f"{r.randint(61, 240)}.{r.randint(100, 999)}s"

    def value(text):
        return text.format(t=r.choice(things), d=r.choice(deeds), p=r.choice(PEOPLE), n=r.randint(2, 900))

    def step(word, text, spent=None):
        clock["steps"] += 1
        file = r.choice(["kurgu", "ses", "arsiv", "giris"])
        left = f"    {word} {text}"
        spent = spent or f"0.{r.randint(1, 900):03d}s"
        return f"{left:<66} # features/steps/{file}_adimlari.py:{r.randint(9, 300)} {spent}"

    def scenario(feature):
        k, line = clock["scenarios"], r.randint(5, 200)
        clock["scenarios"] += 1
        title = f"{r.choice(things).capitalize()} {r.choice(deeds)} denemesi {k + 1}"
        if k in (wrong, missing):
            failing[title] = (feature, line)
        out = [f"  @{r.choice(['hızlı', 'gece', 'duman', 'ağır'])}", f"  Senaryo: {title}"]
        out[-1] = f"{out[-1]:<66} # features/{feature}.feature:{line}"
        out.append(step("Diyelim ki", value(r.choice(given))))
        if r.random() < 0.5:
            out.append(step("Ve", value(r.choice(given))))
        out.append(step("Eğer ki", value(r.choice(when)), long if k == slow else None))
        if k == wrong:
            out.append(step("O zaman", f"sonuç {hoped} kare olmalı"))
            out += [
                "      Traceback (most recent call last):",
                f'        File "features/steps/kurgu_adimlari.py", line {r.randint(20, 300)}, in adim_sonuc',
                "          assert context.sonuc == kare",
                f"      ASSERT FAILED: beklenen {hoped}, bulunan {shown}",
                "",
            ]
        elif k == missing:
            out.append(f"    {'O zaman ' + unknown:<62} # None")
        else:
            out.append(step("O zaman", value(r.choice(then))))
            if r.random() < 0.3:
                out.append(step("Ama", value(r.choice(then))))
        if r.random() < 0.12:
            out.append(f"      Uyarı: {r.choice(PEOPLE)} oturumu {r.randint(2, 50)} saniyedir boşta")
        return out + [""]

    out = ["USING RUNNER: behave.runner:Runner"]
    for feature in r.sample(["kurgu", "dublaj", "arsiv", "giris", "isik", "kostum", "takvim", "altyazi", "fragman"], 9):
        out += [f"Özellik: {feature.capitalize()} ekranı # features/{feature}.feature:1",
                f"  Bir {r.choice(things)} sorumlusu olarak", f"  {r.choice(deeds).capitalize()} işini izlemek"
                f" istiyorum", ""]
        for _ in range(r.randint(10, 12)):
            out += scenario(feature)
    n, bad = clock["scenarios"], len({f for f, _ in failing.values()})
    out += [
        "Failing scenarios:",
        *(f"  features/{f}.feature:{line}  {title}" for title, (f, line) in failing.items()),
        "",
        f"{9 - bad} features passed, {bad} failed, 0 skipped\n{n - 2} scenarios passed, 2 failed, 0 skipped",
        f"{clock['steps'] - 1} steps passed, 1 failed, 0 skipped, 1 undefined",
        f"Took {r.randint(5, 8)}m{r.randint(10, 59)}.{r.randint(100, 999)}s",
    ]
    return out, [f"beklenen {hoped}, bulunan {shown}", [unknown, "# None"], long]


@case("./runltp -f syscalls -l results.log")
def ltp_syscalls(r):
    calls = (
        "accept bind brk chdir chmod chown clone close connect dup epoll_wait eventfd execve fallocate fchmod fcntl"
        " fork fstat "
        "fsync futex getcpu getdents getpid getrandom inotify ioctl kcmp keyctl lchown link listen lseek madvise"
        " mincore mkdir "
        "mlock mmap mount mprotect mremap msgctl munmap nanosleep open pipe poll prctl pread ptrace pwrite quotactl"
        " read "
        "readlink recvmsg rename rmdir select sendfile setpgid shmat sigaction socket splice statx symlink sync tee"
        " truncate "
        "umask unlink unshare utimensat vmsplice wait4 writev"
    ).split()
    tags = [f"{c}{k:02d}" for c in calls for k in r.sample(range(1, 12), 2)]
    r.shuffle(tags)
    failing, hanging, crashing, tainted = (tags.pop() for _ in range(4))
    errno = r.choice(["EIO (5)", "EOVERFLOW (75)", "ESTALE (116)"])
    stamp = [1741000000 + r.randint(0, 10**6)]

    def block(tag, lines, status="exited", code="0", duration=None):
        seconds = duration or r.randint(0, 3)
        stamp[0] += seconds
        return "\n".join([
            "<<<test_start>>>", f"tag={tag} stime={stamp[0]}", f'cmdline="{tag}"', 'contacts=""', "analysis=exit",
            "<<<test_output>>>", *lines, "<<<execution_status>>>", 'initiation_status="ok"',
            f"duration={seconds} termination_type={status} termination_id={code}"
            f" corefile={'yes' if status != 'exited' else 'no'}",
            f"cutime={r.randint(0, 90)} cstime={r.randint(0, 90)}", "<<<test_end>>>",
        ])

    def summary(passed, failed=0, broken=0, skipped=0, warnings=0):
        return ["", "Summary:", f"passed   {passed}", f"failed   {failed}", f"broken   {broken}", f"skipped  {skipped}",
                f"warnings {warnings}"]

    def head():
        return [f"tst_test.c:{r.choice([1733, 1741])}: TINFO: LTP version: 20240524",
                "tst_test.c:1617: TINFO: Timeout per run is 0h 00m 30s"]

    def passes(tag, n):
        c = tag[:-2]
        return [
            f"{tag}.c:{r.randint(40, 200)}: TPASS: " + r.choice([
                f"{c}() passed",
                f"{c}() failed as expected: {r.choice(['EINVAL (22)', 'EBADF (9)', 'EFAULT (14)', 'EPERM (1)'])}",
                f"{c}() returned {r.randint(0, 40)} as expected", f"bad"
                f" {r.choice(['pointer', 'fd', 'flags', 'length'])} rejected",
            ])
            for _ in range(n)
        ]

    def make():
        tag = tags.pop() if tags else f"{r.choice(calls)}{r.randint(12, 30)}"
        k, n = r.random(), r.randint(1, 5)
        if k < 0.12:
            why = r.choice([
                f"{tag}.c:{r.randint(40, 99)}: TCONF: syscall({r.randint(430, 460)}) __NR_{tag[:-2]}2 not supported"
                f" on your arch",
                "tst_kconfig.c:88: TCONF: Constraint 'CONFIG_KALLSYMS_ALL' not satisfied!",
                "tst_supported_fs_types.c:128: TINFO: Filesystem exfat is not supported\n"
                "tst_test.c:1290: TCONF: No supported filesystems",
            ])
            return block(tag, [*head(), *why.split("\n"), *summary(0, skipped=1)], code="32")
        more = []
        if k < 0.3:
            more = [f"tst_device.c:96: TINFO: Found free device {r.randint(0, 9)} '/dev/loop{r.randint(0, 9)}'",
                    f"tst_test.c:1106: TINFO: Formatting /dev/loop0 with {r.choice(['ext4', 'xfs', 'btrfs'])} opts=''"
                    f" extra opts=''"]
        return block(tag, [*head(), *more, *passes(tag, n), *summary(n)])

    def fail():
        c = failing[:-2]
        return block(failing, [
            *head(), *passes(failing, 2),
            f"{failing}.c:{r.randint(60, 200)}: TFAIL: {c}() failed unexpectedly: {errno}", *summary(2, failed=1),
        ], code="1")

    def hang():
        return block(hanging, [
            *head(), "Test timeouted, sending SIGKILL!",
            "tst_test.c:1679: TINFO: Killed the leftover descendant processes",
            "tst_test.c:1687: TBROK: Test killed! (timeout?)", *summary(0, broken=1),
        ], code="2", duration=r.randint(31, 40))

    def crash():
        return block(crashing, [*head(), *passes(crashing, 1),
                                "tst_test.c:1743: TBROK: Test killed by"
                                " SIGSEGV!", *summary(1, broken=1)], "signaled", "11")

    def taint():
        return block(tainted, [*head(), *passes(tainted, 3),
                               "tst_taint.c:165: TFAIL: Kernel is tainted: oops by"
                               " WARN_ON", *summary(3, failed=1)], code="1")

    out = ["INFO: creating /opt/ltp/results directory", f"Running tests on {r.choice(HOSTS)}", "LTP Version: 20240524"]
    out += entries(r, 13, make, [fail, hang, crash, taint])
    out += ["INFO: ltp-pan reported some tests FAIL", "LTP Version: 20240524"]
    return out, [
        [failing, f"failed unexpectedly: {errno}"],
        [hanging, "Test killed! (timeout?)"],
        [crashing, "SIGSEGV"],
        [tainted, "Kernel is tainted: oops"],
    ]


@case("./tools/testing/kunit/kunit.py run --raw_output")
def interest_kunit_log(r):
    suites = idents(r, 34)
    tests = idents(r, 330)
    asked = tests.pop()
    stride = r.randint(100_000, 999_000)
    place, number, skips = r.randint(6, 27), 0, 0

    def debug(name):
        return r.choice([
            f"    # {name}: {r.choice(THINGS)} table at {r.randint(100, 900) * 4096} holds {r.randint(2, 60)} slots",
            f"    # {name}: {r.choice(THINGS)} pool settled at {r.randint(1000, 99_999)} bytes",
            f"    # {name}: pass 2 took {r.randint(20, 900)} ns",
            f"    # {name}: {ident(r)} stride {r.randint(1, 99) * 64}",
            f"    # {name}.speed: slow",
        ])

    out = [
        "[10:21:09] Configuring KUnit Kernel ...",
        "[10:21:12] Building KUnit Kernel ...",
        "[10:21:55] Starting KUnit Kernel (1/1)...",
        "Linux version 6.8.0-studio (ci@farm-a) (gcc 13.2.0, GNU ld 2.42) #1 Tue Mar  4",
        "random: crng init done",
        f"Memory: {r.randint(200, 400)}44K/524288K available",
        "KTAP version 1",
        f"1..{len(suites)}",
    ]
    for k, suite in enumerate(suites):
        mine = [tests.pop() for _ in range(r.randint(7, 9))]
        if k == place:
            mine.insert(r.randint(2, 5), asked)
        out += ["    KTAP version 1", f"    # Subtest: {suite}", f"    # module: {r.choice(THINGS)}_core", f"   "
        f" 1..{len(mine)}"]
        skipped = 0
        for j, name in enumerate(mine):
            if name == asked:
                out.append(f"    # {name}: {r.choice(THINGS)} pool settled at {stride} bytes")
            elif r.random() < 0.35:
                out.append(debug(name))
            if r.random() < 0.05 and name != asked:
                skipped += 1
                out.append(f"    ok {j + 1} {name} # SKIP needs CONFIG_{ident(r).upper()}")
            elif r.random() < 0.1:
                out += ["        KTAP version 1", f"        # Subtest: {name}"]
                out += [f"        ok {n + 1} {r.choice(THINGS)}={r.choice([24, 25, 30, 50])}" for n in range(3)]
                out.append(f"    ok {j + 1} {name}")
            else:
                out.append(f"    ok {j + 1} {name}")
        out += [f"# {suite}: pass:{len(mine) - skipped} fail:0 skip:{skipped} total:{len(mine)}", f"ok {k + 1} {suite}"]
        number, skips = number + len(mine), skips + skipped
    out += ["reboot: Restarting system", f"[10:22:31] Testing complete. Ran {number} tests: passed: {number - skips},"
    f" skipped: {skips}"]
    return out, [str(stride)], dict(last=f"Thanks. In that run, at how many bytes did the pool settle in {asked}?")
