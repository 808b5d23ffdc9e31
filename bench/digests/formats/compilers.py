"""Compilers and linters: every error with its place; warnings of a kind are told once, the odd one stays."""

from .bulk import HOSTS, NOUNS, camel, hexes, ident, idents, plant
from .case import case

ASK = "Does it build? If not, what do I have to fix?"


def source(r, ext, n=1):
    return [f"src/{a}/{b}.{ext}" for a, b in zip(r.choices(NOUNS, k=n), r.sample(NOUNS, n))]


def c_diagnostics(r, error, warnings, tool):
    """Warnings of one flag from many places and two errors; gcc and clang differ in wording and in the closing line."""
    out = []
    for _ in range(warnings):
        f, line, col, v = *source(r, "c"), r.randint(10, 900), r.randint(5, 40), ident(r)
        out.append(
            f"{f}: In function '{ident(r)}':\n{f}:{line}:{col}: warning: unused variable '{v}' [-Wunused-variable]\n {line:>4} |     int {v} = 0;\n      |         ^{'~' * (len(v) - 1)}"
            if tool == "gcc"
            else f"{f}:{line}:{col}: warning: unused variable '{v}' [-Wunused-variable]\n    int {v} = 0;\n        ^"
        )
    places = [f"{f}:{r.randint(10, 900)}:{r.randint(5, 40)}" for f in source(r, "c", len(error))]
    blocks = [
        f"{at}: error: {m}\n {at.split(':')[1]:>4} |     return {ident(r)}(lane);\n      |            ^~~~"
        for at, m in zip(places, error)
    ]
    return plant(r, out, blocks, edge=3), [[at, m] for at, m in zip(places, error)]


@case("make -j8 2>&1", ask=ASK)
def gcc_make(r):
    field = ident(r)
    lines, needles = c_diagnostics(
        r, [f"'struct berth' has no member named '{field}'", f"conflicting types for '{ident(r)}'; have 'int(void)'"], 60, "gcc"
    )
    lines = [f"cc -O2 -Wall -Iinclude -c -o build/{n}.o src/{n}.c" for n in idents(r, 40)] + lines
    stop = f"make: *** [Makefile:{r.randint(10, 99)}: build/{ident(r)}.o] Error 1"
    return lines + [
        stop,
        "make: *** Waiting for unfinished jobs....",
        *[f"cc -O2 -Wall -c -o build/late{k}.o src/late{k}.c" for k in range(9)],
    ], needles + [stop]


@case("ninja -C out", ask=ASK)
def clang_ninja(r):
    name = camel(ident(r))
    lines, needles = c_diagnostics(
        r, [f"use of undeclared identifier '{name}'", f"no matching function for call to '{camel(ident(r))}'"], 70, "clang"
    )
    odd = f"{source(r, 'c')[0]}:{r.randint(10, 900)}:{r.randint(5, 40)}: warning: address of stack memory associated with local variable 'buf' returned [-Wreturn-stack-address]"
    return plant(r, lines, [odd], 5) + [
        "71 warnings and 2 errors generated.",
        "ninja: build stopped: subcommand failed.",
    ], needles + [odd.split(": ", 1)]


@case("cargo build 2>&1", ask=ASK)
def rustc(r):
    def block(head, at, note):
        line = at.split(":")[1]
        return f"{head}\n  --> {at}\n   |\n{line} |     let {ident(r)} = {ident(r)}(&lanes);\n   |         ^^^^^^^ {note}\n   |\n   = note: `#[warn(unused)]` on by default\n"

    def at():
        return f"crates/quay/{source(r, 'rs')[0]}:{r.randint(10, 900)}:{r.randint(5, 40)}"

    bulk = [
        block(f"warning: unused variable: `{v}`", at(), f"help: if this is intentional, prefix it with an underscore: `_{v}`")
        for v in idents(r, 70)
    ]
    errors = [
        (
            f"error[E0502]: cannot borrow `{v}` as mutable because it is also borrowed as immutable",
            at(),
            "mutable borrow occurs here",
        )
        for v in idents(r, 1)
    ]
    errors.append(
        (f"error[E0308]: mismatched types: expected `Tide`, found `Option<{camel(ident(r), True)}>`", at(), "expected `Tide`")
    )
    lines = [f"   Compiling {n} v1.{r.randint(0, 60)}.{r.randint(0, 9)}" for n in idents(r, 80, "-")] + plant(
        r, bulk, [block(*e) for e in errors], 4
    )
    end = "error: could not compile `quay` (lib) due to 2 previous errors; 70 warnings emitted"
    return lines + [end], [[head, place] for head, place, _ in errors] + [end]


@case("npx tsc --noEmit", ask=ASK)
def tsc(r):
    """A hundred errors of one code and three of others: the three have causes of their own."""
    bulk = [
        f"src/{r.choice(NOUNS)}/{n}.ts({r.randint(3, 400)},{r.randint(3, 60)}): error TS7006: Parameter '{r.choice(NOUNS)}' implicitly has an 'any' type."
        for n in idents(r, 110)
    ]
    odd = [
        (f"src/api/{ident(r)}.ts({r.randint(3, 400)},{r.randint(3, 60)})", m)
        for m in (
            f"error TS2741: Property '{camel(ident(r))}' is missing in type 'Berth' but required in type 'Slot'.",
            f"error TS2307: Cannot find module '@port/{r.choice(NOUNS)}' or its corresponding type declarations.",
            f"error TS2554: Expected {r.randint(3, 6)} arguments, but got {r.randint(0, 2)}.",
        )
    ]
    return plant(r, bulk, [f"{at}: {m}" for at, m in odd]) + ["", f"Found 113 errors in {r.randint(70, 100)} files."], [
        [at, m] for at, m in odd
    ] + ["TS7006", "Found 113 errors"]


@case("npx eslint .", ask="What does the linter say?")
def eslint(r):
    rows = [
        (r.randint(1, 400), r.randint(1, 80), "warning", f"'{camel(n)}' is defined but never used", "no-unused-vars")
        for n in idents(r, 200)
    ]
    odd = [
        (r.randint(1, 400), 7, "error", f"Unexpected constant condition in {camel(ident(r))}", "no-constant-condition"),
        (r.randint(1, 400), 3, "error", f"Promise returned by {camel(ident(r))} is ignored", "no-floating-promises"),
    ]
    rows, lines, needles = plant(r, rows, odd), [], []
    for k, row in enumerate(rows):
        if k % 9 == 0:
            here = f"/srv/portal/src/{ident(r)}{k}.js"
            lines += ["", here]
        lines.append(f"  {row[0]:>4}:{row[1]:<3} {row[2]:<8} {row[3]:<50}  {row[4]}")
        if row in odd:
            needles.append([row[3], here.split("/")[-1], row[4]])
    return lines + ["", "✖ 202 problems (2 errors, 200 warnings)"], needles + ["2 errors, 200 warnings"]


@case("ruff check . --output-format concise", ask="What does the linter say?")
def ruff(r):
    bulk = [
        f"{f}/{n}.py:{r.randint(1, 700)}:{r.randint(1, 60)}: E501 Line too long ({r.randint(101, 160)} > 100)"
        for n in idents(r, 190)
        for f in [r.choice(NOUNS)]
    ]
    odd = [
        f"port/{ident(r)}.py:{r.randint(1, 700)}:5: F821 Undefined name `{ident(r)}`",
        f"port/{ident(r)}.py:{r.randint(1, 700)}:9: S608 Possible SQL injection vector through string-based query construction",
    ]
    return plant(r, bulk, odd) + ["Found 192 errors."], [o.split(": ", 1) for o in odd] + ["E501", "Found 192 errors"]


@case("mypy src", ask="Which type errors are real?")
def mypy(r):
    bulk = [
        f"src/{n}.py:{r.randint(1, 700)}: error: Function is missing a type annotation  [no-untyped-def]"
        for n in idents(r, 170)
    ]
    odd = [
        f'src/{ident(r)}.py:{r.randint(1, 700)}: error: Item "None" of "Optional[Berth]" has no attribute "{ident(r)}"  [union-attr]',
        f'src/{ident(r)}.py:{r.randint(1, 700)}: error: Incompatible return value type (got "int", expected "Tide")  [return-value]',
    ]
    return plant(r, bulk, odd) + ["Found 172 errors in 150 files (checked 410 source files)"], [
        o.split(": error: ", 1) for o in odd
    ] + ["no-untyped-def", "Found 172 errors"]


@case("mvn -B package", ask=ASK)
def maven(r):
    at = f"Stowage.java:[{r.randint(10, 400)},{r.randint(5, 60)}]"
    symbol, n = camel(ident(r)), r.randint(3, 9)
    lines = [
        "[INFO] Scanning for projects...",
        *[
            f"[INFO] Downloaded from central: io/tidewater/{a}/{r.randint(1, 9)}.{r.randint(0, 30)}/{a}.pom ({r.randint(1, 90)} kB at {r.randint(20, 900)} kB/s)"
            for a in idents(r, 130, "-")
        ],
        "[INFO] --- compiler:3.13.0:compile (default-compile) @ stowage ---",
        *[
            f"[WARNING] /srv/port/src/main/java/io/tidewater/{camel(a, True)}.java: uses or overrides a deprecated API."
            for a in idents(r, 30)
        ],
    ]
    error = f"[ERROR] /srv/port/src/main/java/io/tidewater/{at} cannot find symbol\n[ERROR]   symbol:   method {symbol}()\n[ERROR]   location: class io.tidewater.Plan"
    tail = [
        "[INFO] Reactor Summary for port 2.1:",
        *[
            f"[INFO] {x:.<40} {'FAILURE' if x == 'stowage' else 'SUCCESS'} [  {r.randint(1, 9)}.1 s]"
            for x in ["tide", "quay", "stowage"]
        ],
        "[INFO] BUILD FAILURE",
        "[INFO] Total time:  41.2 s",
        "[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.13.0:compile (default-compile) on project stowage: Compilation failure",
        *[f"[ERROR] [Help {k}] see the manual, section {k}" for k in range(1, n)],
    ]
    return lines + [error] + [f"[INFO] Finished {a}" for a in idents(r, 20)] + tail, [
        [at, "cannot find symbol", symbol],
        "BUILD FAILURE",
        "on project stowage",
    ]


@case("golangci-lint run", ask="What does the linter say?")
def golangci(r):
    bulk = [
        f"internal/{r.choice(NOUNS)}/{n}.go:{r.randint(5, 600)}:{r.randint(2, 40)}: exported function {camel(n, True)} should have comment or be unexported (revive)\nfunc {camel(n, True)}(ctx context.Context) error {{\n^"
        for n in idents(r, 110)
    ]
    odd = [
        (f"internal/lane/{ident(r)}.go:{r.randint(5, 600)}:{r.randint(2, 40)}", m)
        for m in (
            f"Error return value of `{camel(ident(r))}.Close` is not checked (errcheck)",
            "G402: TLS InsecureSkipVerify set true. (gosec)",
            f"SA4006: this value of `{camel(ident(r))}` is never used (staticcheck)",
        )
    ]
    return plant(r, bulk, [f"{at}: {m}\n\tx := 1\n\t^" for at, m in odd]), [[m, at] for at, m in odd] + [
        "should have comment or be unexported (revive)"
    ]


@case("g++ -std=c++20 -c src/plan.cpp", ask=ASK)
def template_error(r):
    """One error buried under its own instantiation notes."""
    at, t = r.randint(10, 300), camel(ident(r), True)
    notes = [
        f"/usr/include/c++/13/bits/{n}.h:{r.randint(20, 900)}:{r.randint(5, 50)}: note:   template argument deduction/substitution failed: candidate: 'template<class _T{k}> constexpr bool std::{n}(const _T{k}&, const _T{k}&)'"
        for k, n in enumerate(idents(r, 90))
    ]
    error = f"src/plan.cpp:{at}:22: error: no match for 'operator<' (operand types are 'const port::{t}' and 'const port::{t}')"
    lines = (
        [f"In file included from /usr/include/c++/13/{n}:{r.randint(20, 90)}," for n in ("algorithm", "functional", "map")]
        + notes[:20]
        + [error]
        + notes[20:]
    )
    return lines + [f"src/plan.cpp:{at + 40}:9:   required from here"], [error.split(": ", 1)]


@case("ansible-playbook site.yml", ask="Did the rollout work?")
def ansible(r):
    hosts = HOSTS + [f"node-{k:02d}" for k in range(10)]
    bad, task = r.choice(hosts), f"install {r.choice(NOUNS)} agent"
    message = f"No package {r.choice(NOUNS)}-agent-{r.randint(2, 9)}.{r.randint(0, 9)} available."
    lines = ["PLAY [all] " + "*" * 60]
    for t in plant(r, [n.replace("_", " ") for n in idents(r, 26)], [task], 4):
        lines += ["", f"TASK [port : {t}] " + "*" * 40]
        lines += [
            f'fatal: [{h}]: FAILED! => {{"changed": false, "msg": "{message}", "rc": 126}}'
            if t == task and h == bad
            else f"{r.choice(['ok', 'ok', 'changed'])}: [{h}]"
            for h in hosts
        ]
    lines += [
        "",
        "PLAY RECAP " + "*" * 60,
        *[
            f"{h:<12}: ok={r.randint(10, 27)}   changed={r.randint(1, 9)}    unreachable=0    failed={int(h == bad)}"
            for h in hosts
        ],
    ]
    return lines, [[bad, message], task]


@case("terraform plan -no-color", ask="Is it safe to apply?")
def terraform_plan(r):
    """One destroy among many harmless changes in place."""
    db = f"aws_db_instance.{r.choice(NOUNS)}_{r.randint(10, 99)}"

    def block(name, verb, sign):
        return f'  # {name} {verb}\n  {sign} resource "{name.split(".")[0]}" "{name.split(".")[1]}" {{\n        id   = "{hexes(r, 12)}"\n      ~ tags = {{\n          ~ "release" = "{r.randint(10, 50)}" -> "{r.randint(51, 99)}"\n        }}\n        # ({r.randint(4, 30)} unchanged attributes hidden)\n    }}\n'

    blocks = [block(f"aws_instance.{n}", "will be updated in-place", "~") for n in idents(r, 70)]
    why = "forces replacement"
    bad = block(db, "must be replaced", "-/+").replace(
        "      ~ tags", f'      ~ engine_version = "{r.randint(9, 12)}.1" -> "16.{r.randint(1, 6)}" # {why}\n      ~ tags'
    )
    end = "Plan: 1 to add, 70 to change, 1 to destroy."
    return ["Terraform will perform the following actions:", "", *plant(r, blocks, [bad], 5), end], [
        [db, "must be replaced"],
        end,
    ]
