"""Compilers, linters and package managers."""

import json

from ..case import case
from .stock import THINGS, camel, distinct, hexes, ident, idents, plant


@case("sbt compile", ask="The Scala build is red. What has to be fixed?")
def sbt_compile(r):
    root = "/srv/shop/core/src/main/scala/shop"

    def place(name, line=None):
        return f"{root}/{r.choice(THINGS)}/{camel(name, True)}.scala:{line or r.randint(9, 400)}:{r.randint(3, 60)}"

    def warning():
        a, b = ident(r), camel(ident(r))
        said, code = r.choice(
            [
                (
                    "method mapValues in trait MapOps is deprecated (since 2.13.0): Use .view.mapValues(f)",
                    f"{b}.mapValues(_.size)",
                ),
                (f"parameter value {b} in method {camel(a)} is never used", f"def {camel(a)}({b}: Long): Unit ="),
                ("Unused import", f"import shop.{r.choice(THINGS)}.{camel(b, True)}"),
                ("match may not be exhaustive.", f"{b} match {{"),
            ]
        )
        return f"[warn] {place(a)}: {said}\n[warn]     {code}\n[warn]     ^"

    one, two, three = idents(r, 3)
    at, there = place(one), place(two)
    errors = [
        f"[error] {at}: type mismatch;\n[error]  found   : Option[shop.{camel(three, True)}]\n[error]  required: shop.{camel(three, True)}\n"
        f"[error]     {camel(one)}(total, discount)\n[error]     {' ' * len(camel(one))}        ^",
        f"[error] {there}: value {camel(two)}All is not a member of shop.Repo[Long]\n[error]     repo.{camel(two)}All(ids)\n[error]          ^",
    ]
    n = r.randint(36, 48)
    lines = plant(r, [warning() for _ in range(n)], errors, 8)
    head = [
        "[info] welcome to sbt 1.9.7 (Eclipse Adoptium Java 17.0.9)",
        "[info] loading settings for project root from build.sbt ...",
        f"[info] compiling {r.randint(120, 300)} Scala sources to /srv/shop/core/target/scala-2.13/classes ...",
    ]
    tail = [
        f"[warn] {n} warnings found",
        "[error] two errors found",
        "[error] (core / Compile / compileIncremental) Compilation failed",
        f"[error] Total time: {r.randint(20, 90)} s, completed Mar 4, 2026, 10:12:41 AM",
    ]
    needles = [
        [at, "type mismatch", f"found : Option[shop.{camel(three, True)}]", f"required: shop.{camel(three, True)}"],
        [there, f"value {camel(two)}All is not a member of shop.Repo[Long]"],
    ]
    return head + lines + tail, needles


@case("cabal build all", ask="Does it build now?")
def cabal_build(r):
    names = idents(r, 62)
    out, total = [
        "Build profile: -w ghc-9.6.4 -O1",
        "In order, the following will be built (use -v for more details):",
    ], len(names)
    out += [" - shop-core-0.9.1 (lib) (file src/Shop/Prelude.hs changed)", "Preprocessing library for shop-core-0.9.1.."]
    bad, shadow = sorted(r.sample(range(20, 50), 2))
    needles = []
    for k, n in enumerate(names):
        module = camel(n, True)
        path = f"src/Shop/{camel(r.choice(THINGS), True)}/{module}.hs"
        out.append(
            f"[{k + 1:2} of {total}] Compiling Shop.{path[9:-3].replace('/', '.')} ( {path}, dist/build/{path[4:-3]}.o )"
        )
        line, col = r.randint(12, 300), r.randint(3, 40)
        if k in (bad, shadow):
            fn, kind = camel(ident(r)), camel(r.choice(THINGS), True)
            at = f"{path}:{line}:{col}: error:"
            if k == bad:
                said = f"Couldn't match expected type ‘Maybe {kind}’ with actual type ‘{kind}’"
                out += ["", f"{at} [GHC-83865]", f"    • {said}", f"    • In the first argument of ‘{fn}’, namely ‘row’"]
            else:
                said = f"No instance for ‘ToJSON {kind}’ arising from a use of ‘{fn}’"
                out += ["", f"{at} [GHC-39999]", f"    • {said}", f"    • In the expression: {fn} row"]
            out += ["    |", f"{line:3} |   pure ({fn} row)", f"    |   {' ' * (6 + len(fn))} ^^^"]
            needles.append([at, said])
        elif r.random() < 0.35:
            what = camel(ident(r))
            out += ["", f"{path}:{line}:{col}: warning: [GHC-40910] [-Wunused-matches]", f"    Defined but not used: ‘{what}’"]
            out += ["    |", f"{line:3} |   go {what} = do", "    |      ^^^^", ""]
    out += [
        "Error: [Cabal-7125]",
        "Failed to build shop-core-0.9.1 (which is required by exe:shop-server from shop-server-0.9.1).",
    ]
    return out, needles


@case("flutter analyze")
def flutter_analyze(r):
    def place():
        return f"lib/src/{r.choice(THINGS)}/{ident(r)}.dart:{r.randint(5, 500)}:{r.randint(3, 40)}"

    rules = [
        ("   info", "Use 'const' with the constructor to improve performance", "prefer_const_constructors"),
        ("   info", "Don't invoke 'print' in production code", "avoid_print"),
        (
            "   info",
            "'withOpacity' is deprecated and shouldn't be used. Use .withValues() to avoid precision loss",
            "deprecated_member_use",
        ),
        ("warning", "Unused import: 'package:shop/src/theme.dart'", "unused_import"),
    ]
    bulk = [f"{a} • {b} • {place()} • {c}" for a, b, c in (r.choice(rules) for _ in range(r.randint(70, 95)))]
    first, second, third = place(), place(), place()
    getter, kind = camel(ident(r)), camel(r.choice(THINGS), True)
    errors = [
        (f"The getter '{getter}' isn't defined for the type '{kind}'", first, "undefined_getter"),
        (
            "The argument type 'String?' can't be assigned to the parameter type 'String'. ",
            second,
            "argument_type_not_assignable",
        ),
    ]
    special = [f"  error • {a} • {b} • {c}" for a, b, c in errors]
    special.append(f"warning • This condition is always false, the code after it never runs • {third} • dead_code")
    lines = plant(r, bulk, special)
    total = f"{len(lines)} issues found."
    needles = [[b, a.strip()] for a, b, _ in errors] + [[third, "always false"], total]
    return ["Analyzing shop_app...", "", *lines, "", f"{total} (ran in {r.randint(3, 19)}.{r.randint(0, 9)}s)"], needles


@case("make -j2 shopd 2>&1 | tail -150", ask="It compiles but does not link, why?")
def linker_undefined(r):
    a, b, c = (f"shop::{camel(r.choice(THINGS), True)}::{camel(x)}" for x in idents(r, 3))
    common, other, rare = f"{a}(long, bool)", f"{b}(std::string_view)", f"vtable for {c.rsplit('::', 1)[0]}{r.randint(2, 9)}"

    def use(symbol):
        f, fn = ident(r), camel(ident(r))
        return (
            f"/usr/bin/ld: CMakeFiles/shopd.dir/src/{f}.cpp.o: in function `shop::{fn}(shop::Request const&)':\n"
            f"{f}.cpp:(.text+0x{hexes(r, 3)}): undefined reference to `{symbol}'"
        )

    bulk = [use(common) for _ in range(r.randint(34, 44))]
    special = [
        use(other),
        use(rare),
        f"/usr/bin/ld: warning: libprice.so.{r.randint(2, 4)}, needed by lib/libtax.so, may conflict with libprice.so.{r.randint(5, 8)}",
    ]
    lines = plant(r, bulk, special, 6)
    so = special[2].split("warning: ")[1]
    head = [f"[ {p}%] Building CXX object CMakeFiles/shopd.dir/src/{ident(r)}.cpp.o" for p in range(81, 99)]
    tail = [
        "collect2: error: ld returned 1 exit status",
        "make[2]: *** [CMakeFiles/shopd.dir/build.make:913: bin/shopd] Error 1",
    ]
    tail += [
        "make[1]: *** [CMakeFiles/Makefile2:104: CMakeFiles/shopd.dir/all] Error 2",
        "make: *** [Makefile:91: all] Error 2",
    ]
    return head + ["[ 99%] Linking CXX executable bin/shopd", *lines, *tail], [common, other, rare, so]


@case("cargo build --workspace --message-format json")
def cargo_json_messages(r):
    def artifact(name):
        return dict(
            reason="compiler-artifact",
            package_id=f"registry+https://github.com/rust-lang/crates.io-index#{name}@{r.randint(0, 4)}.{r.randint(0, 20)}.{r.randint(0, 9)}",
            target=dict(kind=["lib"], crate_types=["lib"], name=name, edition="2021", doc=True, doctest=True, test=True),
            profile=dict(opt_level="0", debuginfo=2, debug_assertions=True, overflow_checks=True, test=False),
            features=["default", "std"],
            filenames=[f"/srv/shop/target/debug/deps/lib{name}-{hexes(r, 16)}.rlib"],
            executable=None,
            fresh=r.random() < 0.7,
        )

    def message(level, code, said, path, line, label):
        return dict(
            reason="compiler-message",
            package_id="path+file:///srv/shop/billing#0.4.0",
            target=dict(kind=["lib"], name="billing", src_path="/srv/shop/billing/src/lib.rs", edition="2021"),
            message=dict(
                rendered=f"{level}: {said}\n  --> {path}:{line}:9\n   |\n{line} |     {label}\n   |     ^^^^\n\n",
                level=level,
                code=dict(code=code, explanation=None) if code else None,
                message=said,
                spans=[
                    dict(
                        file_name=path,
                        line_start=line,
                        line_end=line,
                        column_start=9,
                        column_end=13,
                        is_primary=True,
                        label=label,
                    )
                ],
                children=[],
            ),
        )

    bulk = [artifact(n) for n in idents(r, 34)]
    bulk += [
        message("warning", "dead_code", f"function `{n}` is never used", f"billing/src/{ident(r)}.rs", r.randint(9, 300), n)
        for n in idents(r, 12)
    ]
    r.shuffle(bulk)
    one, two = idents(r, 2)
    lines = distinct(r, 2, 30, 500)
    errors = [
        message(
            "error",
            "E0502",
            f"cannot borrow `{one}s` as mutable because it is also borrowed as immutable",
            f"billing/src/{one}.rs",
            lines[0],
            "mutable borrow occurs here",
        ),
        message(
            "error",
            "E0063",
            f"missing field `{two}_id` in initializer of `Line`",
            f"billing/src/{two}.rs",
            lines[1],
            f"missing `{two}_id`",
        ),
    ]
    out = plant(r, bulk, errors, 8) + [dict(reason="build-finished", success=False)]
    needles = [
        [f"cannot borrow `{one}s` as mutable", f"billing/src/{one}.rs", str(lines[0])],
        [f"missing field `{two}_id` in initializer of `Line`", f"billing/src/{two}.rs", str(lines[1])],
    ]
    return [json.dumps(x, separators=(",", ":")) for x in out], needles


@case("git ls-files '*Dockerfile' | xargs hadolint", ask="Anything serious in our Dockerfiles, or is it all style?")
def hadolint(r):
    rules = [
        "DL3008 warning: Pin versions in apt get install. Instead of `apt-get install <package>` use `apt-get install <package>=<version>`",
        "DL3015 info: Avoid additional packages by specifying `--no-install-recommends`",
        "DL3059 info: Multiple consecutive `RUN` instructions. Consider consolidation.",
        "DL3042 warning: Avoid use of cache directory with pip. Use `pip install --no-cache-dir <package>`",
        "DL4006 warning: Set the SHELL option -o pipefail before RUN with a pipe in it.",
    ]
    files = [f"services/{n}/Dockerfile" for n in idents(r, 30, "-")]
    bulk = [f"{r.choice(files)}:{r.randint(3, 70)} {r.choice(rules)}" for _ in range(r.randint(75, 95))]
    a, b, c = (f"{f}:{n}" for f, n in zip(r.sample(files, 3), distinct(r, 3, 71, 140)))
    special = [
        f"{a} DL3021 error: COPY with more than 2 arguments requires the last argument to end with /",
        f"{b} DL1000 unexpected end of input expecting a new line followed by the next instruction",
        f"{c} DL3002 warning: Last USER should not be root",
    ]
    return plant(r, bulk, special), [
        [a, "COPY with more than 2 arguments"],
        [b, "unexpected end of input"],
        [c, "Last USER should not be root"],
    ]


@case("npx eslint src --format json", ask="Lint fails in CI. Which findings are errors?")
def eslint_json(r):
    def entry(name, messages):
        return dict(
            filePath=f"/home/ci/shop/src/{name}.tsx",
            messages=messages,
            suppressedMessages=[],
            errorCount=sum(m["severity"] == 2 for m in messages),
            fatalErrorCount=sum(m.get("fatal", False) for m in messages),
            warningCount=sum(m["severity"] == 1 for m in messages),
            fixableErrorCount=0,
            fixableWarningCount=0,
            usedDeprecatedRules=[],
        )

    def mild():
        rule, said = r.choice(
            [
                ("no-console", "Unexpected console statement."),
                ("@typescript-eslint/no-explicit-any", "Unexpected any. Specify a different type."),
                ("react-hooks/exhaustive-deps", f"React Hook useEffect has a missing dependency: '{camel(ident(r))}'."),
            ]
        )
        line = r.randint(4, 300)
        return dict(
            ruleId=rule, severity=1, message=said, line=line, column=r.randint(1, 50), nodeType="CallExpression", endLine=line
        )

    names = [f"{r.choice(THINGS)}/{camel(n, True)}" for n in idents(r, 42)]
    files = [entry(n, [mild() for _ in range(r.choice([0, 0, 1, 2]))]) for n in names[2:]]
    l1, l2 = distinct(r, 2, 301, 900)
    hook = camel(ident(r), True)
    parse = dict(
        ruleId=None,
        fatal=True,
        severity=2,
        message="Parsing error: JSX element has no corresponding closing tag",
        line=l1,
        column=7,
    )
    hooked = f'React Hook "use{hook}" is called conditionally.'
    rules = dict(ruleId="react-hooks/rules-of-hooks", severity=2, message=hooked, line=l2, column=9, nodeType="Identifier")
    special = [entry(names[0], [mild(), parse]), entry(names[1], [mild(), rules, mild()])]
    needles = [
        [names[0], "JSX element has no corresponding closing tag", str(l1)],
        [names[1], f"use{hook}", "is called conditionally", str(l2)],
    ]
    return json.dumps(plant(r, files, special, 6), separators=(",", ":")), needles


@case("vendor/bin/phpstan analyse --level 6 src")
def phpstan_table(r):
    rule = " ------ " + "-" * 96 + " "
    kinds = [
        ("Method App\\{0}::{1}() has no return type specified.", "missingType.return"),
        ("Property App\\{0}::${1} type has no value type specified in iterable type array.", "missingType.iterableValue"),
        ("Method App\\{0}::{1}() has parameter $opts with no type specified.", "missingType.parameter"),
    ]
    names = idents(r, 26)
    bug, off = r.sample(range(5, 20), 2)
    out, needles, n = [f" {r.randint(200, 400)}/400 [▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓] 100%", ""], [], 0
    for k, name in enumerate(names):
        path, rows = f"src/{camel(r.choice(THINGS), True)}/{camel(name, True)}.php", []
        for line in sorted(distinct(r, r.randint(2, 4), 10, 400)):
            said, tag = r.choice(kinds)
            rows.append((line, said.format(camel(name, True), camel(ident(r))), tag))
        if k == bug:
            rows.insert(
                1,
                (
                    rows[0][0] + 1,
                    f"Call to an undefined method App\\Entity\\{camel(r.choice(THINGS), True)}::get{camel(ident(r), True)}().",
                    "method.notFound",
                ),
            )
            needles.append([path, str(rows[1][0]), rows[1][1]])
        if k == off:
            rows.insert(
                1,
                (
                    rows[0][0] + 1,
                    f"Offset '{ident(r)}_no' does not exist on array{{id: int, label: string}}.",
                    "offsetAccess.notFound",
                ),
            )
            needles.append([path, str(rows[1][0]), rows[1][1]])
        n += len(rows)
        out += [rule, f"  Line   {path}", rule]
        for line, said, tag in rows:
            out += [f"  {line:<6} {said}", f"         🪪  {tag}"]
        out += [rule, ""]
    return out + [f" [ERROR] Found {n} errors", ""], needles + [f"Found {n} errors"]


@case("nix build .#shop --keep-going -L")
def nix_build(r):
    def h():
        return "".join(r.choice("0123456789abcdfghijklmnpqrsvwxyz") for _ in range(32))

    names = idents(r, 9, "-")
    bulk = []
    for _ in range(120):
        n = r.choice(names)
        bulk.append(
            r.choice(
                [
                    f"{n}> unpacking source archive /nix/store/{h()}-source",
                    f"{n}> patching script interpreter paths in ./scripts/{ident(r)}.sh",
                    f"{n}> checking for {ident(r)}... yes",
                    f"{n}> [{r.randint(1, 90)}/90] Compiling C object {ident(r)}.c.o",
                    f"copying path '/nix/store/{h()}-{ident(r, '-')}-{r.randint(1, 9)}.{r.randint(0, 30)}' from 'https://cache.nixos.org'...",
                    f"building '/nix/store/{h()}-{n}-1.{r.randint(0, 9)}.drv'...",
                ]
            )
        )
    drv = f"{ident(r, '-')}-{r.randint(2, 9)}.{r.randint(10, 99)}-source.drv"
    want, got = (f"sha256-{hexes(r, 30)}=" for _ in range(2))
    mismatch = f"error: hash mismatch in fixed-output derivation '/nix/store/{h()}-{drv}':\n         specified: {want}\n            got:    {got}"
    test = f"{names[0]}> FAIL: tests/{ident(r)}_{r.randint(10, 99)}.sh (exit status: {r.randint(3, 120)})"
    lines = plant(r, bulk, [mismatch, test])
    end = [f"error: 1 dependencies of derivation '/nix/store/{h()}-shop-3.1.drv' failed to build"]
    return lines + end, [[drv, want, got], test.split("> ")[1]]


@case("uv lock -v", ask="Why does locking fail?")
def uv_resolver(r):
    names = idents(r, 40, "-")
    a, b, c = idents(r, 3, "")
    out = [
        "DEBUG uv 0.5.11",
        "DEBUG Found project root: `/srv/shop`",
        "DEBUG Using Python request `>=3.11` from `requires-python` metadata",
    ]
    for n in names:
        v = f"{r.randint(0, 5)}.{r.randint(0, 30)}.{r.randint(0, 9)}"
        out += [
            f"DEBUG Searching for a compatible version of {n} (>={v})",
            f"DEBUG Selecting: {n}=={v} [compatible] ({n}-{v}-py3-none-any.whl)",
        ]
        if r.random() < 0.4:
            out.append(
                f"DEBUG Adding transitive dependency for {n}=={v}: {r.choice(names)}>={r.randint(0, 3)}.{r.randint(0, 9)}"
            )
        if r.random() < 0.2:
            out.append(f"DEBUG Found fresh response for: https://pypi.org/simple/{n}/")
    x, y, z = (f"{r.randint(1, 9)}.{r.randint(1, 40)}" for _ in range(3))
    out += [
        f"  × No solution found when resolving dependencies for split (python_full_version >= '3.{r.randint(12, 14)}'):",
        f"  ╰─▶ Because {a}=={x}.0 depends on {b}>={y} and {c}>=2.{r.randint(1, 9)} depends on {b}<{z}, we can conclude that",
        f"      {a}=={x}.0 and {c}>=2.1 are incompatible.",
        f"      And because your project depends on {a}=={x}.0 and {c}, we can conclude that your project's requirements are",
        "      unsatisfiable.",
    ]
    return out, [f"{a}=={x}.0 depends on {b}>={y}", f"depends on {b}<{z}"]


@case("cat build/reports/checkstyle/main.xml")
def checkstyle_xml(r):
    checks = [
        ("whitespace.WhitespaceAroundCheck", "WhitespaceAround: &apos;{&apos; is not preceded with whitespace."),
        ("javadoc.MissingJavadocMethodCheck", "Missing a Javadoc comment."),
        ("sizes.LineLengthCheck", "Line is longer than 100 characters (found 117)."),
        ("imports.CustomImportOrderCheck", "Extra separation in import group before &apos;java.util.List&apos;"),
    ]

    def error(severity, said, check, line):
        source = f"com.puppycrawl.tools.checkstyle.checks.{check}"
        return f'<error line="{line}" column="{r.randint(1, 60)}" severity="{severity}" message="{said}" source="{source}"/>'

    names = [camel(n, True) for n in idents(r, 24)]
    marks = r.sample(range(4, 20), 2)
    l1, l2 = distinct(r, 2, 401, 900)
    out = ['<?xml version="1.0" encoding="UTF-8"?>', '<checkstyle version="10.12.4">']
    for k, n in enumerate(names):
        out.append(f'<file name="/srv/shop/api/src/main/java/com/shop/{n}.java">')
        rows = [error("warning", *r.choice(checks)[::-1], r.randint(8, 400)) for _ in range(r.randint(1, 3))]
        if k == marks[0]:
            rows.insert(
                1,
                error(
                    "error",
                    "Definition of &apos;equals()&apos; without corresponding definition of &apos;hashCode()&apos;.",
                    "coding.EqualsHashCodeCheck",
                    l1,
                ),
            )
        if k == marks[1]:
            rows.insert(
                1, error("error", "Fall through from previous branch of the switch statement.", "coding.FallThroughCheck", l2)
            )
        out += rows + ["</file>"]
    needles = [
        [f"{names[marks[0]]}.java", "without corresponding definition", str(l1)],
        [f"{names[marks[1]]}.java", "Fall through from previous branch", str(l2)],
    ]
    return out + ["</checkstyle>"], needles


@case("mix compile --force 2>&1")
def mix_compile(r):
    def warning(said, code, at, mark):
        line = at.split(":")[1]
        return f"    warning: {said}\n    │\n {line:>3} │   {code}\n    │   {mark}\n    │\n    └─ {at}\n"

    def place(fn):
        thing = r.choice(THINGS)
        return f"lib/shop/{thing}.ex:{r.randint(10, 400)}:{r.randint(3, 30)}: Shop.{thing.capitalize()}.{fn}/{r.randint(1, 3)}"

    bulk = []
    for a, b in zip(idents(r, 30), idents(r, 30)):
        bulk.append(
            warning(
                f'variable "{b}" is unused (if the variable is not meant to be used, prefix it with an underscore)',
                f"def {a}(conn, {b}) do",
                place(a),
                "~~~~",
            )
        )
    gone, caller, missing = idents(r, 3)
    at = place(caller)
    undefined = f"Shop.{camel(r.choice(THINGS), True)}.{gone}/2 is undefined or private. Did you mean:"
    lines = plant(r, bulk, [warning(f"{undefined}\n\n          * {gone}/3\n", f"|> {gone}(scope)", at, "~~~")], 5)
    file = f"lib/shop_web/live/{missing}_live.ex"
    said = f"undefined function assign_{missing}/2"
    end = [
        f"== Compilation error in file {file} ==",
        f"** (CompileError) {file}:{r.randint(20, 300)}: {said} (expected ShopWeb.{camel(missing, True)}Live to define such a function or for it to be imported)",
        "    (elixir 1.16.2) lib/kernel/parallel_compiler.ex:428: anonymous fn/5 in Kernel.ParallelCompiler.spawn_workers/8",
    ]
    return ["Compiling 164 files (.ex)", *lines, "", *end], [[undefined.split(" Did")[0], at.split(": ")[0]], [file, said]]


@case("docker run --rm -v $PWD:/w firmware make", ask="The firmware image no longer builds since the last merge. Why?")
def firmware_size(r):
    objects = [f"  CC      build/{r.choice(THINGS)}/{n}.o" for n in idents(r, 110)]
    over = r.randint(1100, 9800)
    used = 1048576 + over
    fat = [f"{n}.o" for n in idents(r, 2)]
    bulk = [f" .text.{n:<32} 0x{hexes(r, 8)} {r.randint(40, 900):>8} build/{r.choice(THINGS)}/{n}.o" for n in idents(r, 60)]
    big = f" .rodata.logo_rgb888{'':<20} 0x{hexes(r, 8)} {r.randint(190000, 260000):>8} build/ui/{fat[0]}"
    lines = plant(r, bulk, [big], 10)
    tail = [
        f"arm-none-eabi/bin/ld: build/fw-r{r.randint(2, 40)}.elf section `.rodata' will not fit in region `FLASH'",
        f"arm-none-eabi/bin/ld: region `FLASH' overflowed by {over} bytes",
        "Memory region         Used Size  Region Size  %age Used",
        f"           FLASH:     {used} B         1 MB    {used / 10485.76:.2f}%",
        f"             RAM:      {r.randint(90000, 120000)} B       192 KB     {r.randint(47, 60)}.{r.randint(10, 99)}%",
        "collect2: error: ld returned 1 exit status",
        "make: *** [Makefile:212: build/fw.elf] Error 1",
    ]
    return objects + ["  LD      build/fw.elf", "  MAP     largest sections by address"] + lines + tail, [
        f"region `FLASH' overflowed by {over} bytes",
        [".rodata.logo_rgb888", fat[0]],
    ]
