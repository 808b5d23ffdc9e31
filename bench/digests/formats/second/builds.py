"""Builds and linters that the first set does not have: the error among progress, the rare rule among the common one."""

import json

from ..bulk import camel
from ..case import case
from .stock import THINGS, hexes, name, names, plant

ASK = "Does it build?"
LINT = "Which of these findings matter?"


@case("cmake -S . -B build", ask=ASK)
def cmake_configure(r):
    lib, at, want = camel(name(r), True), r.randint(10, 300), f"{r.randint(2, 9)}.{r.randint(10, 30)}"
    have = f"1.{r.randint(0, 9)}.{r.randint(0, 9)}"
    error = f'CMake Error at cmake/deps.cmake:{at} (find_package):\n  Could not find a configuration file for package "{lib}" that is compatible\n  with requested version "{want}".\n\n  The following configuration files were considered but not accepted:\n\n    /usr/lib/cmake/{lib}/{lib}Config.cmake, version: {have}\n'
    bulk = [
        r.choice(
            [
                f"-- Looking for {n}\n-- Looking for {n} - found",
                f"-- Performing Test HAVE_{n.upper()}\n-- Performing Test HAVE_{n.upper()} - Success",
                f'-- Found {camel(n, True)}: /usr/lib/lib{n}.so (found version "{r.randint(1, 9)}.{r.randint(0, 9)}")',
            ]
        )
        for n in names(r, 160)
    ]
    head = ["-- The CXX compiler identification is GNU 13.2.0", "-- Detecting CXX compile features - done"]
    return head + plant(r, bulk, [error]) + ["-- Configuring incomplete, errors occurred!"], [
        [f'package "{lib}"', f"deps.cmake:{at}", f'"{want}"', have],
        "Configuring incomplete, errors occurred",
    ]


@case("msbuild Press.sln /m", tool="terminal", ask=ASK)
def msbuild(r):
    root = "D:\\a\\press\\src"
    bulk = [
        f"     1>{root}\\{camel(n, True)}.cs({r.randint(5, 400)},{r.randint(5, 60)}): warning CS8618: Non-nullable property '{camel(n, True)}' must contain a non-null value when exiting constructor. [{root}\\Press.csproj]"
        for n in names(r, 110)
    ]
    cs, missing = f"{camel(name(r), True)}.cs({r.randint(5, 400)},{r.randint(5, 60)})", camel(name(r), True)
    link = f"LNK2019: unresolved external symbol {name(r)}_init referenced in function main"
    special = [
        f"     1>{root}\\{cs}: error CS0246: The type or namespace name '{missing}' could not be found (are you missing a using directive or an assembly reference?) [{root}\\Press.csproj]",
        f"     2>native.obj : error {link} [{root}\\Native.vcxproj]",
    ]
    lines = [
        "Build started 8/14/2025 9:12:01 AM.",
        *plant(r, bulk, special),
        "",
        "Build FAILED.",
        "",
        "    110 Warning(s)",
        "    2 Error(s)",
        "",
        f"Time Elapsed 00:00:{r.randint(10, 59)}.{r.randint(10, 99)}",
    ]
    return "\r\n".join(lines), [[cs, "CS0246", missing], link, "2 Error(s)"]


@case("bazel build //...", ask=ASK)
def bazel_build(r):
    """Progress is redrawn with cursor moves, and the error is printed in between."""
    label, at = f"//press/{r.choice(THINGS)}:{name(r)}", f"{r.randint(10, 300)}:{r.randint(2, 40)}"
    target = name(r)
    why = f"no such target '//third_party:{target}': target '{target}' not declared in package 'third_party'"
    beat = [
        f"\x1b[1A\x1b[K\x1b[32m[{k * 13:,} / 3,402]\x1b[0m Compiling {n}.cc; {r.randint(0, 9)}s linux-sandbox ... (8 actions running)"
        for k, n in enumerate(names(r, 190), 1)
    ]
    error = f"\x1b[1A\x1b[K\x1b[31m\x1b[1mERROR: \x1b[0m/src/press/BUILD.bazel:{at}: {why} and referenced by '{label}'"
    return [
        "INFO: Invocation ID: " + hexes(r, 32),
        *plant(r, beat, [error]),
        f"\x1b[31m\x1b[1mERROR: \x1b[0mAnalysis of target '{label}' failed; build aborted",
        f"INFO: Elapsed time: {r.randint(9, 90)}.{r.randint(100, 999)}s",
    ], [[f"BUILD.bazel:{at}", why], f"Analysis of target '{label}' failed"]


@case("shellcheck scripts/*.sh", ask=LINT)
def shellcheck(r):
    def block(script, at, code, level, source, said):
        return f"\nIn scripts/{script}.sh line {at}:\n{source}\n{' ' * r.randint(2, 8)}^-- {code} ({level}): {said}"

    bulk = [
        block(
            n,
            r.randint(3, 300),
            "SC2086",
            "info",
            f"  cp ${r.choice(THINGS)} /srv/{n}",
            "Double quote to prevent globbing and word splitting.",
        )
        for n in names(r, 85)
    ]
    odd = [
        (
            name(r, "-"),
            r.randint(3, 300),
            "SC2115",
            "warning",
            f'rm -rf "${name(r).upper()}/"*',
            'Use "${var:?}" to ensure this never expands to / .',
        ),
        (
            name(r, "-"),
            r.randint(3, 300),
            "SC1073",
            "error",
            f"if [ ${name(r)} ; then",
            "Couldn't parse this test expression. Fix to allow more checks.",
        ),
    ]
    return plant(r, bulk, [block(*o) for o in odd], 5) + [
        "",
        "For more information:",
        "  SC2086 -- Double quote to prevent globbing and word splitting.",
    ], [[o[2], f"scripts/{o[0]}.sh line {o[1]}", o[4]] for o in odd] + ["SC2086"]


@case("bundle exec rubocop", ask=LINT)
def rubocop(r):
    def block(path, at, mark, cop, said, source):
        return f"{path}:{at}:{r.randint(1, 40)}: {mark}: {cop}: {said}\n{source}\n{'^' * r.randint(3, 20)}"

    bulk = [
        block(
            f"app/models/{n}.rb",
            r.randint(2, 300),
            "C",
            "[Correctable] Style/StringLiterals",
            "Prefer single-quoted strings when you don't need string interpolation or special symbols.",
            f'    label = "{r.choice(THINGS)}"',
        )
        for n in names(r, 75)
    ]
    odd = [
        (f"app/jobs/{name(r)}.rb", r.randint(2, 300), "F", "Lint/Syntax", "unexpected token kEND", "  end"),
        (
            f"lib/{name(r)}.rb",
            r.randint(2, 300),
            "W",
            "Security/MarshalLoad",
            "Avoid using `Marshal.load`.",
            f"    Marshal.load(params[:{r.choice(THINGS)}])",
        ),
    ]
    return [
        "Inspecting 412 files",
        "." * 300,
        "",
        "Offenses:",
        "",
        *plant(r, bulk, [block(*o) for o in odd], 5),
        "",
        "412 files inspected, 77 offenses detected, 75 offenses autocorrectable",
    ], [[f"{o[0]}:{o[1]}", o[3]] for o in odd] + ["77 offenses detected"]


@case("run-clang-tidy -p build", ask=LINT)
def clang_tidy(r):
    def block(at, said, check):
        v = name(r)
        return f"{at}: warning: {said} [{check}]\n  {r.randint(10, 400)} |   int {v} = {r.randint(10, 99)};\n      |       ^\n      |         = 0"

    bulk = [
        block(
            f"/src/press/{n}.cpp:{r.randint(5, 700)}:{r.randint(2, 50)}",
            f"{r.randint(10, 99)} is a magic number; consider replacing it with a named constant",
            "readability-magic-numbers",
        )
        for n in names(r, 80)
    ]
    odd = [
        (
            f"/src/press/{name(r)}.cpp:{r.randint(5, 700)}:{r.randint(2, 50)}",
            f"'{name(r)}' used after it was moved",
            "bugprone-use-after-move",
        ),
        (
            f"/src/press/{name(r)}.cpp:{r.randint(5, 700)}:{r.randint(2, 50)}",
            f"Potential leak of memory pointed to by '{name(r)}'",
            "clang-analyzer-cplusplus.NewDeleteLeaks",
        ),
    ]
    return plant(r, bulk, [block(*o) for o in odd], 6) + ["Suppressed 81920 warnings (81918 in non-user code, 2 NOLINT)."], [
        [o[1], o[2], o[0].split("/")[-1]] for o in odd
    ]


@case("pylint lib", ask=LINT)
def pylint(r):
    lines, odd = [], []
    for k, n in enumerate(names(r, 14)):
        lines.append(f"************* Module lib.{n}")
        for _ in range(11):
            lines.append(
                f"lib/{n}.py:{r.randint(2, 500)}:{r.choice([0, 4, 8])}: C0116: Missing function or method docstring (missing-function-docstring)"
            )
        if k in (4, 9):
            place = f"lib/{n}.py:{r.randint(501, 900)}:4"
            what = r.choice(
                [
                    f"E1120: No value for argument '{r.choice(THINGS)}' in function call (no-value-for-parameter)",
                    f"E0602: Undefined variable '{name(r)}' (undefined-variable)",
                ]
            )
            lines.insert(-r.randint(2, 9), f"{place}: {what}")
            odd.append([place, what])
    score = f"{r.randint(3, 8)}.{r.randint(10, 99)}/10"
    return [*lines, "", "-" * 67, f"Your code has been rated at {score} (previous run: 8.91/10, -1.02)"], odd + [
        score,
        "missing-function-docstring",
    ]


@case("terraform validate -json", ask="Is the configuration valid?")
def terraform_validate(r):
    def finding(severity, summary, detail, file, line):
        spot = {"line": line, "column": r.randint(3, 30), "byte": line * 31}
        return {
            "severity": severity,
            "summary": summary,
            "detail": detail,
            "range": {"filename": file, "start": spot, "end": {**spot, "column": 44}},
            "snippet": {
                "context": f'resource "aws_instance" "{name(r)}"',
                "code": f"  {name(r)} = var.{name(r)}",
                "start_line": line,
                "highlight_start_offset": 2,
                "values": [],
            },
        }

    bulk = [
        finding(
            "warning",
            "Argument is deprecated",
            f"Use the aws_s3_bucket_{n} resource instead.",
            f"modules/{r.choice(THINGS)}/main.tf",
            r.randint(3, 400),
        )
        for n in names(r, 40)
    ]
    file, line = f"modules/{name(r)}/outputs.tf", r.randint(400, 900)
    detail = f'A managed resource "aws_kms_key" "{name(r)}" has not been declared in module.{name(r)}.'
    answer = {
        "format_version": "1.0",
        "valid": False,
        "error_count": 1,
        "warning_count": 40,
        "diagnostics": plant(r, bulk, [finding("error", "Reference to undeclared resource", detail, file, line)], 6),
    }
    return json.dumps(answer, indent=2), [["Reference to undeclared resource", json.dumps(detail)[1:-1]], [file, str(line)]]


@case("pdflatex thesis.tex", ask="Why is there no PDF?")
def latex(r):
    bulk = [
        r.choice(
            [
                f"(/usr/share/texmf/tex/latex/{n}/{n}.sty",
                f"Overfull \\hbox ({r.randint(1, 40)}.{r.randint(1000, 9999)}pt too wide) in paragraph at lines {r.randint(10, 900)}--{r.randint(901, 999)}\n[]\\OT1/cmr/m/n/10 {r.choice(THINGS)} ",
                f"LaTeX Font Info:    Font shape `OT1/{n[:4]}/m/n' in size <{r.randint(7, 14)}> not available",
                f"[{r.randint(1, 200)}]",
            ]
        )
        for n in names(r, 230, "")
    ]
    macro, at, cite = "\\" + camel(name(r)), r.randint(1000, 3000), f"{name(r, '')}{r.randint(1990, 2024)}"
    special = [
        f"! Undefined control sequence.\nl.{at} {macro}\n             {{fig:{r.choice(THINGS)}}}\n?",
        f"LaTeX Warning: Citation `{cite}' on page {r.randint(10, 99)} undefined on input line {r.randint(100, 999)}.",
    ]
    return [
        "This is pdfTeX, Version 3.141592653-2.6-1.40.25",
        "entering extended mode",
        *plant(r, bulk, special),
        "!  ==> Fatal error occurred, no output PDF file produced!",
        "Transcript written on thesis.log.",
    ], [["Undefined control sequence", f"l.{at}", macro], f"`{cite}'", "no output PDF file produced"]


@case("xcodebuild -scheme Reader build", ask=ASK)
def xcodebuild(r):
    steps = [
        f"CompileSwift normal arm64 /src/Reader/{camel(n, True)}.swift (in target 'Reader' from project 'Reader')\n    cd /src\n    /Applications/Xcode.app/usr/bin/swift-frontend -frontend -c -primary-file /src/Reader/{camel(n, True)}.swift -module-name Reader -o /out/{camel(n, True)}.o"
        for n in names(r, 70)
    ]
    file, what = camel(name(r), True) + "View.swift", f"value of type '{camel(name(r), True)}' has no member '{camel(name(r))}'"
    at = f"{r.randint(10, 300)}:{r.randint(5, 40)}"
    sign = f"No profiles for 'org.example.{name(r, '-')}' were found"
    special = [
        f"/src/Reader/{file}:{at}: error: {what}\n        reader.open()\n        ~~~~~~ ^~~~",
        f"error: {sign}: Xcode couldn't find any iOS App Development provisioning profiles (in target 'Share' from project 'Reader')",
    ]
    return [
        "Command line invocation:",
        "    xcodebuild -scheme Reader build",
        "",
        *plant(r, steps, special, 6),
        "",
        "** BUILD FAILED **",
        "",
        "The following build commands failed:",
        f"\tCompileSwift normal arm64 /src/Reader/{file}",
        "(1 failure)",
    ], [[f"{file}:{at}", what], sign, "BUILD FAILED"]
