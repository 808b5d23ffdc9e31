"""Builds, packaging and deployments: FPGA, firmware, proofs, mainframe, app stores, clusters, package managers."""

from datetime import timedelta

from ..case import case
from .stock import DEEDS, HOSTS, PEOPLE, THINGS, Clock, camel, entries, hexes, ident, idents


@case("quartus_sh --flow compile studio_mixer")
def quartus_fit(r):
    units = idents(r, 160)
    latch, memory, clock = r.sample(units, 3)
    depth = r.choice([512, 1024, 2048])
    wanted = depth - r.randint(3, 90)
    slack, pins = f"-{r.randint(1, 3)}.{r.randint(101, 989)}", r.randint(3, 9)
    signal = ident(r) + "_next"

    def place(u):
        return f"File: /work/fpga/rtl/{u}.sv Line: {r.randint(4, 400)}"

    def elaborate():
        u, k = r.choice(units), r.randint(0, 9)
        width = r.choice([8, 10, 12, 16])
        return (
            f"Info (12021): Found 1 design units, including 1 entities, in source file rtl/{u}.sv\n"
            f"    Info (12023): Found entity 1: {u} {place(u)}",
            f'Info (12128): Elaborating entity "{u}" for hierarchy "{r.choice(units)}:u_{ident(r)}" {place(u)}',
            f'Info (12128): Elaborating entity "{u}" for hierarchy'
            f' "{r.choice(units)}:u_{ident(r)}|{u}:i{r.randint(0, 7)}"',
            f"Warning (10230): Verilog HDL assignment warning at {u}.sv({r.randint(4, 400)}): truncated value with"
            f" size 32"
            f" to match size of target ({width}) {place(u)}",
            f'Warning (10036): Verilog HDL or VHDL warning at {u}.sv({r.randint(4, 400)}): object "{ident(r)}"'
            f' assigned a'
            f" value but never read {place(u)}",
            f'Info (19000): Inferred 1 megafunctions from design logic\n    Info (276029): Inferred altsyncram'
            f' megafunction'
            f' from the following design logic: "{u}|fifo_rtl_0"',
            f'Info (12130): Elaborated megafunction instantiation "{u}:u_{ident(r)}|altsyncram:fifo_rtl_0"',
            f'Info (12133): Instantiated megafunction "{u}|altsyncram:fifo_rtl_0" with the following parameter:\n'
            f'    Info (12134): Parameter "OPERATION_MODE" = "DUAL_PORT"\n'
            f'    Info (12134): Parameter "WIDTH_A" = "{width}"\n    Info (12134): Parameter "NUMWORDS_A" ='
            f' "{2 ** width}"',
            f'Info (17049): {r.randint(2, 40)} registers lost all their fanouts during netlist optimizations.',
            f'Info (13000): Registers with preset signals will power-up high {place(u)}',
        )[k]

    def fit():
        k, u = r.randint(0, 4), r.choice(units)
        return (
            f"Info (176235): Finished register packing for {u}\n    Extra Info (176219): No registers were packed into"
            " other blocks",
            f"Info (170195): Router estimated average interconnect usage is {r.randint(4, 30)}% of the available device"
            " resources",
            f'Info (176353): Automatically promoted node {u}~clkctrl to use location or clock signal Global Clock',
            f"Info (170194): Fitter routing operations ending: elapsed time is 00:00:{r.randint(10, 59)}",
            f'Warning (169133): Can\'t reserve pin {ident(r)}[{r.randint(0, 15)}] -- pin name is an illegal or'
            " unsupported format",
        )[k]

    specials = [
        f'Warning (10240): Verilog HDL Always Construct warning at {latch}.sv({r.randint(40, 300)}): inferring'
        f' latch(es)'
        f' for variable "{signal}", which holds its previous value in one or more paths through the always construct'
        f" {place(latch)}",
        f'Critical Warning (127005): Memory depth ({depth}) in the design file differs from memory depth ({wanted})'
        f' in the'
        f' Memory Initialization File "/work/fpga/rom/{memory}.mif" -- setting initial value for remaining addresses'
        " to 0",
    ]
    clocks = [f"clk_{c}" for c in idents(r, 7)] + [f"clk_{clock}"]

    def corner(name, kind, bad):
        rows = sorted((r.uniform(0.4, 9), c) for c in clocks if not (bad and c == clocks[-1]))
        rows = [(f"{s:.3f}", "0.000", c) for s, c in rows]
        if bad:
            rows.insert(0, (slack, f"-{r.randint(40, 900)}.{r.randint(100, 999)}", clocks[-1]))
        out = [f"Info (332146): Worst-case {kind} slack is {rows[0][0]}"]
        out.append("    Info (332119):     Slack       End Point TNS Clock")
        out.append("    Info (332119): ========= =================== =====================")
        out += [f"    Info (332119): {s:>9} {t:>19} {c}" for s, t, c in rows]
        if bad:
            out.insert(0, "Critical Warning (332148): Timing requirements not met")
        return out

    corners = [(f"Slow 1100mV {t}C Model", k) for t in (85, 0) for k in ("setup", "hold", "recovery", "removal")]
    corners += [(f"Fast 1100mV {t}C Model", k) for t in (85, 0) for k in ("setup", "hold", "recovery", "removal")]
    sta = []
    for name, kind in corners:
        if kind == "setup":
            sta.append(f"Info: Analyzing {name}")
        sta += corner(name, kind, name.startswith("Slow 1100mV 85C") and kind == "setup")
    pin = (
        f"Critical Warning (169085): No exact pin location assignment(s) for {pins} pins of {r.randint(180, 260)} total"
        " pins. For the list of pins please refer to the I/O Assignment Warnings table in the fitter report."
    )
    out = [
        "Info: *******************************************************************",
        "Info: Running Quartus Prime Analysis & Synthesis",
        "    Info: Version 23.1std.0 Build 991 11/28/2023 SC Standard Edition",
        "Info: Command: quartus_map --read_settings_files=on --write_settings_files=off studio_mixer -c studio_mixer",
        "Info (20030): Parallel compilation is enabled and will use 8 of the 8 processors detected",
        *entries(r, 8, elaborate, specials, 0.15),
        f'Info (21057): Implemented {r.randint(9000, 30000)} device resources after synthesis',
        "Info: Running Quartus Prime Fitter",
        *entries(r, 1.5, fit, [pin], 0.2, 0.8),
        "Info: Running Quartus Prime Timing Analyzer",
        *sta,
        f"Info (293000): Quartus Prime Full Compilation was successful. 0 errors, {r.randint(90, 160)} warnings",
    ]
    return out, [
        ["inferring latch(es)", signal],
        [f"memory depth ({wanted})", f"{memory}.mif"],
        [slack, f"clk_{clock}"],
        f"No exact pin location assignment(s) for {pins} pins",
    ]


@case("pio run")
def platformio_envs(r):
    names = [n.replace("_", "-") for n in idents(r, 16)]
    full, broken, tight = r.sample(range(2, 14), 3)
    over, member = r.randint(300, 9000), camel(ident(r))
    bounds, size = r.randint(9, 40), r.choice([4, 6, 8])
    boards = [
        ("espressif32", "esp32dev", "Espressif ESP32 Dev Module", "ESP32 240MHz, 320KB RAM, 4MB"
        " Flash", 327680, 1310720),
        ("ststm32", "nucleo_f446re", "ST Nucleo F446RE", "STM32F446RET6 180MHz, 128KB RAM, 512KB"
        " Flash", 131072, 524288),
        ("raspberrypi", "pico", "Raspberry Pi Pico", "RP2040 133MHz, 264KB RAM, 2MB Flash", 270336, 2093056),
        ("atmelsam", "zeroUSB", "Arduino Zero (USB)", "SAMD21G18A 48MHz, 32KB RAM, 256KB Flash", 32768, 262144),
    ]
    sources = idents(r, 60)
    states = []

    def meter(label, share, total):
        bar = "=" * round(share / 10)
        used = round(share * total / 100)
        return f"{label:<6} [{bar:<10}] {share:5.1f}% (used {used} bytes from {total} bytes)"

    def complaint():
        f = r.choice(sources)
        at = f"src/{f}.cpp:{r.randint(9, 400)}:{r.randint(3, 40)}"
        return r.choice([
            f"{at}: warning: unused variable '{camel(ident(r))}' [-Wunused-variable]",
            f"{at}: warning: comparison of integer expressions of different signedness: 'int' and 'size_t'"
            " {aka 'unsigned int'} [-Wsign-compare]",
            f"{at}: note: #pragma message: {ident(r).upper()} uses the software timer",
            f"{at}: warning: '{camel(ident(r))}' defined but not used [-Wunused-function]",
        ])

    def environment(k, name):
        platform, board, title, hardware, ram, flash = boards[0] if k == full else r.choice(boards)
        folder = f".pio/build/{name}"
        version = f"{r.randint(2, 15)}.{r.randint(0, 9)}.{r.randint(0, 4)}"
        out = [
            f"Processing {name} (platform: {platform}@{version}; board: {board}; framework: arduino)",
            "-" * 80,
            "Verbose mode can be enabled via `-v, --verbose` option",
            f"CONFIGURATION: https://docs.platformio.org/page/boards/{platform}/{board}.html",
            f"PLATFORM: {platform} ({version}) > {title}",
            f"HARDWARE: {hardware}",
            "PACKAGES:",
            f" - framework-arduino-{platform} @ {r.randint(2, 4)}.{r.randint(100, 900)}.0",
            f" - toolchain-{platform} @ {r.randint(8, 12)}.{r.randint(1, 4)}.0",
            "LDF: Library Dependency Finder -> https://bit.ly/configure-pio-ldf",
            "LDF Modes: Finder ~ chain, Compatibility ~ soft",
            f"Found {r.randint(12, 44)} compatible libraries",
            "Scanning dependencies...",
            "Dependency Graph",
            *(f"|-- {camel(x, True)} @ {r.randint(0, 4)}.{r.randint(0, 20)}.{r.randint(0, 9)}" for x in idents(r, 3)),
            "Building in release mode",
        ]
        for f in r.sample(sources, r.randint(8, 16)):
            out.append(f"Compiling {folder}/src/{f}.cpp.o")
            if r.random() < 0.2:
                out.append(complaint())
        spent = f"Took {r.randint(4, 60)}.{r.randint(0, 99):02d} seconds"
        if k == tight:
            f = r.choice(sources)
            out += [
                f"src/{f}.cpp: In member function 'void {camel(f, True)}::advance()':",
                f"src/{f}.cpp:{r.randint(30, 300)}:18: warning: array subscript {bounds} is above array bounds of"
                f" 'uint16_t [{size}]' [-Warray-bounds]",
            ]
        if k == broken:
            f = r.choice(sources)
            line = r.randint(30, 300)
            out += [
                f"src/{f}.cpp: In function 'void loop()':",
                f"src/{f}.cpp:{line}:11: error: 'class {camel(r.choice(sources), True)}' has no member named"
                f" '{member}'",
                f" {line} |     unit.{member}(frame);",
                f"      |          ^{'~' * (len(member) - 1)}",
                f"*** [{folder}/src/{f}.cpp.o] Error 1",
            ]
        elif k == full:
            out += [
                f"Linking {folder}/firmware.elf",
                f"/root/.platformio/packages/toolchain-xtensa-esp32/bin/ld: {folder}/firmware.elf section `.dram0.bss'"
                " will not fit in region `dram0_0_seg'",
                f"/root/.platformio/packages/toolchain-xtensa-esp32/bin/ld: region `dram0_0_seg' overflowed by {over}"
                f" bytes",
                "collect2: error: ld returned 1 exit status",
                f"*** [{folder}/firmware.elf] Error 1",
            ]
        else:
            out += [
                f"Linking {folder}/firmware.elf",
                f"Checking size {folder}/firmware.elf",
                'Advanced Memory Usage is available via "PlatformIO Home > Project Inspect"',
                meter("RAM:", r.uniform(8, 62), ram),
                meter("Flash:", r.uniform(20, 74), flash),
                f"Building {folder}/firmware.bin",
            ]
        failed = k in (full, broken)
        states.append((name, "FAILED" if failed else "SUCCESS"))
        return out + [f"{'=' * 25} [{states[-1][1]}] {spent} {'=' * 25}", ""]

    out = []
    for k, name in enumerate(names):
        out += environment(k, name)
    out += ["Environment                 Status    Duration", "-" * 26 + "  --------  ------------"]
    out += [f"{n:<26}  {s:<8}  00:00:{r.randint(4, 59):02d}.{r.randint(0, 999):03d}" for n, s in states]
    out.append(f"==================== 2 failed, {len(names) - 2} succeeded in 00:07:{r.randint(10, 59)}.112"
    f" ====================")
    return out, [
        [f"overflowed by {over} bytes", names[full]],
        f"has no member named '{member}'",
        f"array subscript {bounds} is above array bounds",
    ]


@case("lake build")
def lake_lean(r):
    areas = [camel(t, True) for t in r.sample(THINGS, 14)]
    parts = "Basic Lemmas Order Defs Finite Limits Instances Simp Induct Core Monoid Cast".split()
    modules = [f"Studio.{a}.{p}" for a in areas for p in parts] + [
        f"Studio.{a}.{camel(d, True)}.{p}" for a in areas for d in r.sample(DEEDS, 4) for p in parts[:6]
    ]
    r.shuffle(modules)
    total, step = len(modules) + 90, [90]
    goal, hole, slow, kind = idents(r, 4)
    beats = r.choice([200000, 400000])

    def path(m):
        return "././././" + m.replace(".", "/") + ".lean"

    def head(mark, m, verb="Built", seconds=None):
        step[0] += 1
        t = seconds or r.choice([f"{r.randint(180, 990)}ms", f"{r.randint(1, 9)}.{r.randint(0, 9)}s"])
        return f"{mark} [{step[0]}/{total}] {verb} {m} ({t})"

    def spot():
        return f"{r.randint(12, 400)}:{r.randint(2, 40)}"

    def make():
        m = modules.pop()
        if r.random() < 0.8:
            return head("✔", m)
        w = r.choice([
            f"unused variable `{r.choice(['h', 'hn', 'ih', 'hx', 'this'])}`\nnote: this linter can be disabled with"
            " `set_option linter.unusedVariables false`",
            f"`{camel(ident(r))}` has been deprecated, use `{camel(ident(r), True)}.{camel(ident(r))}` instead",
            "The `simp` argument `Nat.add_comm` is unused\nnote: this linter can be disabled with"
            " `set_option linter.unusedSimpArgs false`",
            "'rfl' tactic does nothing\nnote: this linter can be disabled with `set_option linter.unusedTactic false`",
        ])
        return f"{head('⚠', m)}\nwarning: {path(m)}:{spot()}: {w}"

    failed = []

    def unsolved():
        m = modules.pop()
        failed.append(m)
        return "\n".join([
            head("✖", m, "Building"),
            "trace: .> LEAN_PATH=./.lake/packages/batteries/.lake/build/lib:./.lake/build/lib lean"
            f" {path(m)} -R ./././. -o ./.lake/build/lib/{m.replace('.', '/')}.olean",
            f"error: {path(m)}:{spot()}: unsolved goals",
            "case succ",
            "r : Reel",
            "n : ℕ",
            f"ih : frames ({camel(goal)} n r) = frames r",
            f"⊢ frames ({camel(goal)} (n + 1) r) = frames r + 1",
            "error: Lean exited with code 1",
        ])

    def beaten():
        m = modules.pop()
        failed.append(m)
        return "\n".join([
            head("✖", m, "Building", f"{r.randint(60, 190)}s"),
            f"error: {path(m)}:{spot()}: (deterministic) timeout at `whnf`, maximum number of heartbeats ({beats})"
            f" has been"
            " reached",
            "Use `set_option maxHeartbeats <num>` to set the limit.",
            f"error: {path(m)}:{spot()}: unknown identifier '{camel(kind)}'",
            "error: Lean exited with code 1",
        ])

    def sorry():
        m = modules.pop()
        sorry.module = m
        return f"{head('⚠', m)}\nwarning: {path(m)}:{spot()}: declaration uses 'sorry'"

    def long():
        slow_seconds = f"{r.randint(310, 900)}s"
        long.text = [modules.pop(), slow_seconds]
        return head("✔", long.text[0], seconds=slow_seconds)

    out = entries(r, 9, make, [unsolved, beaten, sorry, long])
    out += ["Some required builds logged failures:", *(f"- {m}" for m in failed), "error: build failed"]
    return out, [
        f"⊢ frames ({camel(goal)} (n + 1) r)",
        [f"unknown identifier '{camel(kind)}'"],
        [sorry.module.replace(".", "/") + ".lean", "declaration uses 'sorry'"],
        long.text,
    ]


@case(tool="Bash", command="cat SYSPRINT.REELBILL.lst")
def cobol_listing(r):
    fields = [n.upper().replace("_", "-") for n in idents(r, 150)]
    paragraphs = [f"{1000 + 10 * k}-{n.upper().replace('_', '-')}" for k, n in enumerate(idents(r, 60))]
    missing = fields.pop() + "-YTD"
    nowhere = "9" + str(r.randint(100, 899)) + "-" + fields.pop()
    number, page = [0], [3]
    loop = r.choice(paragraphs)
    notes = dict(I=0, W=0, S=0)

    def line(text, map_=""):
        number[0] += 1
        return f"   {number[0]:06d}         {number[0] * 100:06d} {text:<66}{map_}".rstrip()

    def message(code, text):
        notes[code[-1]] += 1
        return f"==00{number[0]:04d}==> {code} {text}"

    def field():
        picture = r.choice(["PIC 9(6).", "PIC X(30).", "PIC S9(7)V99 COMP-3.", "PIC X.", "PIC S9(4) COMP.", "PIC"
        " 9(8)."])
        offset = f"BLW=00000+{r.getrandbits(12):03X}"
        return line(f"    {r.choice(['05', '05', '10'])}  {r.choice(fields):<24} {picture}", offset)

    def statement():
        a, b, c = r.sample(fields, 3)
        return r.choice([
            lambda: line(f"        MOVE {a}") + "\n" + line(f"          TO {b}."),
            lambda: line(f"        ADD 1 TO {a}."),
            lambda: line(f"        IF {a} > ZERO") + "\n" + line(f"           PERFORM {r.choice(paragraphs)}")
            + "\n" + line("        END-IF."),
            lambda: line(f"        COMPUTE {a} ROUNDED =") + "\n" + line(f"            {b} * {c} / 100."),
            lambda: line(f"        PERFORM {r.choice(paragraphs)} UNTIL END-OF-{r.choice(THINGS).upper()}."),
            lambda: line("        EVALUATE TRUE") + "\n" + line(f"           WHEN {a} = SPACES")
            + "\n" + line(f"              DISPLAY 'NO {r.choice(THINGS).upper()}'") + "\n" + line("       "
            " END-EVALUATE."),
            lambda: line(f"        WRITE PRINT-REC FROM {a} AFTER ADVANCING 1 LINE."),
        ])()

    def heading():
        page[0] += 1
        return (
            "1PP 5655-EC6 IBM Enterprise COBOL for z/OS  6.3.0 P230412         REELBILL  Date 03/04/2025  Time 10:41:07"
            f"   Page {page[0]:5}\n0  LineID  PL SL  ----+-*A-1-B--+----2----+----3----+----4----+----5----+----6----+"
            "----7-|--+----8 Map and Cross Reference"
        )

    waiting = list(reversed(paragraphs))

    def code():
        k = r.random()
        if k < 0.05:
            return heading()
        if k < 0.17 and waiting:
            return line("*") + "\n" + line(f"    {waiting.pop()}.")
        if k < 0.2:
            return statement() + "\n" + message(
                "IGYPG3113-I", "Truncation of high-order digit positions may occur due to precision of intermediate"
                " results."
            )
        if k < 0.22:
            return statement() + "\n" + message(
                "IGYOP3091-I", f'Code from "statement (line {number[0]}.01)" can be moved out of the loop at'
                f' optimization.'
            )
        return statement()

    def undefined():
        return line(f"        ADD {r.choice(fields)} TO {missing}.") + "\n" + message(
            "IGYPS2121-S", f'"{missing}" was not defined as a data-name.  The statement was discarded.'
        )

    def lost():
        return line(f"        PERFORM {nowhere}.") + "\n" + message(
            "IGYPA3007-S", f'"{nowhere}" was not defined as a procedure-name.  The statement was discarded.'
        )

    def endless():
        return line(f"        PERFORM {loop}") + "\n" + message(
            "IGYOP3094-W", f'There may be a loop from the "PERFORM" statement at "PERFORM {loop}" to itself.'
        )

    out = [
        "1PP 5655-EC6 IBM Enterprise COBOL for z/OS  6.3.0 P230412                   Date 03/04/2025  Time 10:41:07  "
        " Page     1",
        "0Invocation parameters:",
        "  FLAG(I,E),LIST,MAP,XREF,SSRANGE,OPTIMIZE(1)",
        heading(),
        line("IDENTIFICATION DIVISION."),
        line("PROGRAM-ID. REELBILL."),
        line("DATA DIVISION."),
        line("WORKING-STORAGE SECTION."),
    ]
    for group in r.sample(fields, 9):
        out.append(line(f"01  {group}-REC."))
        out += [field() for _ in range(r.randint(5, 12))]
    out.append(line("PROCEDURE DIVISION."))
    out += entries(r, 5.5, code, [undefined, lost, endless])
    printed = f"{sum(notes.values()):>8}{notes['I']:>16}{notes['W']:>11}{notes['S']:>20}"
    out += [
        "-Messages    Total    Informational    Warning    Error    Severe    Terminating",
        f"0Printed:{printed}",
        "-* Statistics for COBOL program REELBILL:",
        f" *    Source records = {number[0]}",
        "0End of compilation 1,  program REELBILL,  highest severity 12.",
        "0Return code 12",
    ]
    return out, [
        [missing, "was not defined as a data-name"],
        [nowhere, "was not defined as a procedure-name"],
        ["There may be a loop", loop],
    ]


@case("git push heroku main")
def heroku_push(r):
    packages = [n.replace("_", "-") for n in idents(r, 90)]
    yanked, doubled, column, migration = idents(r, 4)
    yanked = yanked.replace("_", "-") + "-sdk"
    release = f"{r.randint(1, 6)}.{r.randint(0, 19)}.{r.randint(1, 9)}"
    reason = r.choice(["writes empty caption tracks", "leaks credentials into debug output", "drops every second"
    " frame"])
    slug = r.randint(320, 480)

    def collect():
        p = r.choice(packages)
        v = f"{r.randint(0, 9)}.{r.randint(0, 30)}.{r.randint(0, 9)}"
        wheel = p.replace("-", "_")
        return r.choice([
            f"       Collecting {p}=={v} (from -r requirements.txt (line {r.randint(1, 90)}))\n"
            f"         Downloading {wheel}-{v}-py3-none-any.whl ({r.randint(4, 900)}.{r.randint(0, 9)} kB)",
            f"       Collecting {p}>={v}\n         Downloading {wheel}-{v}-cp312-cp312-manylinux_2_17_x86_64.whl"
            f" ({r.randint(1, 30)}.{r.randint(0, 9)} MB)",
            f"       Requirement already satisfied: {p} in /app/.heroku/python/lib/python3.12/site-packages ({v})",
            f"       Collecting {p}=={v}\n         Downloading {wheel}-{v}.tar.gz ({r.randint(9, 300)} kB)\n"
            "         Preparing metadata (pyproject.toml): started\n"
            "         Preparing metadata (pyproject.toml): finished with status 'done'",
        ])

    def static():
        kind = r.choice(["css", "js", "fonts", "img"])
        end = dict(css="css", js="js", fonts="woff2", img="svg")[kind]
        f = f"{kind}/{ident(r, '-')}"
        return r.choice([
            f"       Post-processed '{f}.{end}' as '{f}.{hexes(r, 12)}.{end}'",
            f"       Copying '/tmp/build_{hexes(r, 8)}/assets/{f}.{end}'",
            f"       Post-processed '{f}.{end}' as '{f}.{hexes(r, 12)}.{end}'",
        ])

    app = r.choice(THINGS)
    steps = idents(r, 14)
    done = [f"  Applying {r.choice(THINGS)}s.{k + 20:04d}_{s}... OK" for k, s in enumerate(steps)]
    lines = [
        "Compressing source files... done.",
        "Building source:",
        "",
        "-----> Building on the Heroku-22 stack",
        "-----> Using buildpack: heroku/python",
        "-----> Python app detected",
        "-----> Using Python 3.12.3 specified in runtime.txt",
        "-----> Installing pip 24.0, setuptools 70.3.0 and wheel 0.43.0",
        "-----> Installing dependencies with 'pip install -r requirements.txt'",
        *entries(r, 5, collect, [
            f"       WARNING: The candidate selected for download or install is a yanked version: '{yanked}' candidate"
            f" (version {release} at https://pypi.example/simple/{yanked}/)\n       Reason for being yanked: {reason}",
        ], 0.2),
        f"       Successfully installed {' '.join(f'{p}-{r.randint(0, 9)}.{r.randint(0, 30)}' for p in packages[:40])}",
        "-----> $ python manage.py collectstatic --noinput",
        *entries(r, 2.5, static, [
            f"       Found another file with the destination path 'js/{doubled}.js'. It will be ignored since only"
            f" the first"
            " encountered file is collected.",
        ], 0.2, 0.8),
        f"       {r.randint(300, 900)} static files copied to '/tmp/build/staticfiles', {r.randint(200, 280)}"
        f" post-processed.",
        "-----> Discovering process types",
        "       Procfile declares types -> release, web, worker",
        "-----> Compressing...",
        f"       Done: {slug}.{r.randint(0, 9)}M",
        "-----> Launching...",
        f" !     Warning: Your slug size ({slug} MB) exceeds our soft limit (300 MB) which may affect boot time.",
        " !     Release command declared: this new release will not be available until the command succeeds.",
        f"       Released v{r.randint(100, 900)}",
        "       https://studio-dailies.herokuapp.example/ deployed to Heroku",
        "Verifying deploy... done.",
        "Running release command...",
        "",
        "Operations to perform:",
        "  Apply all migrations: admin, auth, contenttypes, sessions",
        "Running migrations:",
        *done,
        f"  Applying {app}s.{len(steps) + 20:04d}_{migration}...Traceback (most recent call last):",
        *(
            x
            for f, n in [("utils", 105), ("utils", 89), ("schema", 497), ("base/operations", 122)]
            for x in (
                f'  File "/app/.heroku/python/lib/python3.12/site-packages/django/db/backends/{f}.py", line {n}, in'
                f' execute',
                "    return self.cursor.execute(sql, params)",
            )
        ),
        f'psycopg2.errors.NotNullViolation: column "{column}" of relation "{app}s_{app}" contains null values',
        "",
        "The above exception was the direct cause of the following exception:",
        "",
        f'django.db.utils.IntegrityError: column "{column}" of relation "{app}s_{app}" contains null values',
        "Waiting for release.... failed.",
    ]
    out = [f"remote: {x}".rstrip() for x in "\n".join(lines).split("\n")]
    out = ["Enumerating objects: 214, done.", "Writing objects: 100% (132/132), 48.12 KiB | 6.87 MiB/s, done.", *out]
    out += ["To https://git.heroku.example/studio-dailies.git", f"   {hexes(r, 7)}..{hexes(r, 7)}  main -> main"]
    return out, [
        ["yanked version", yanked, reason],
        ["It will be ignored", f"js/{doubled}.js"],
        f"({slug} MB) exceeds our soft limit",
        f"_{migration}...Traceback",
        f'column "{column}" of relation',
    ]


@case("bundle exec fastlane ios beta")
def fastlane_lane(r):
    clock = Clock(r, 1.2)
    person = r.choice(PEOPLE)
    files = [camel(n, True) for n in idents(r, 170)]
    purpose = r.choice(["NSCameraUsageDescription", "NSMicrophoneUsageDescription", "NSPhotoLibraryUsageDescription"])
    itms = r.choice([90683, 90362, 90809])
    isolated, days, slow = camel(ident(r)), r.randint(2, 6), r.randint(1500, 3900)
    step = [0]

    def say(text, colour=None):
        inner = f"\x1b[{colour}m{text}\x1b[0m" if colour else text
        return f"[{clock.text('%H:%M:%S')}]: {inner}"

    def title(name):
        step[0] += 1
        dashes = "-" * (len(name) + 12)
        return [say(dashes, 32), say(f"--- Step: {name} ---", 32), say(dashes, 32)]

    def build():
        f, g = r.choice(files), f"{r.choice(['App', 'DailiesKit', 'ReelCore', 'PlayerUI'])}"
        k = r.randint(0, 11)
        at = f"/Users/ci/studio-ios/{g}/Sources/{f}.swift:{r.randint(9, 300)}:{r.randint(5, 30)}"
        if k < 7:
            return say(f"▸ \x1b[39;1mCompiling\x1b[0m {f}.swift")
        return say((
            f"▸ \x1b[33m⚠️  {at}: '{camel(ident(r))}' was deprecated in iOS {r.randint(14, 17)}.0\x1b[0m",
            f"▸ \x1b[33m⚠️  {at}: variable '{r.choice(THINGS)}' was never mutated; consider changing to 'let'"
            f" constant\x1b[0m",
            f"▸ \x1b[39;1mCopying\x1b[0m {f}.strings",
            f"▸ \x1b[39;1mProcessing\x1b[0m {g}-Info.plist",
            f"▸ \x1b[39;1mLinking\x1b[0m {g}",
        )[k - 7])

    def upload():
        n = r.randint(1, 9999)
        return say(r.choice([
            f"[Transporter]: DEBUG: uploaded part {n} ({r.randint(100, 9000)} kB)",
            f"[Transporter]: INFO: reservation {hexes(r, 8)} acknowledged",
            f"[Transporter]: DEBUG: checksum of {r.choice(files)}.car accepted",
            f"Waiting for processing on... app_id: 64{r.randint(10**7, 10**8 - 1)}, {r.choice(HOSTS)}",
        ]))

    def profiles():
        return say(r.choice([
            f"Installing provisioning profile tv.studio.{r.choice(THINGS)}...",
            f"Decrypted 'profiles/appstore/AppStore_tv.studio.{r.choice(THINGS)}.mobileprovision'",
            f"Profile AppStore_tv.studio.{r.choice(THINGS)} is valid until {r.randint(1, 28)}.{r.randint(1, 12)}.2026",
        ]))

    expiry = (
        f"Certificate 'Apple Distribution: {person} Pictures Ltd' expires in {days} days, renew it before the next"
        f" release"
    )
    race = (
        f"▸ \x1b[33m⚠️  /Users/ci/studio-ios/PlayerUI/Sources/{r.choice(files)}.swift:{r.randint(20, 300)}:17:"
        f" mutation of"
        f" captured var '{isolated}' in concurrently-executing code; this is an error in Swift 6\x1b[0m"
    )
    actions = "default_platform ensure_git_status_clean match increment_build_number cocoapods build_app".split()
    out = [say(f"fastlane 2.22{r.randint(0, 4)}.0 in /Users/ci/studio-ios", 32)]
    for name in actions[:2]:
        out += title(name) + [say("Driving the lane 'ios beta' 🚀" if name[0] == "d" else "Git status is clean, all"
        " good! 💪", 32)]
    out += title("match")
    clock.now += timedelta(seconds=slow)
    out += entries(r, 1.6, profiles, [lambda: say(expiry, 33)], 0.75, 0.95)
    out += title("increment_build_number") + [say(f"$ agvtool new-version -all {r.randint(100, 999)}", 36)]
    out += title("cocoapods") + [say(f"▸ Installing {f} ({r.randint(1, 9)}.{r.randint(0, 20)})") for f in files[:30]]
    out += title("build_app") + entries(r, 4.5, build, [lambda: say(race)], 0.1, 0.9)
    out += [say("Successfully exported and signed the ipa file:", 32), say("/Users/ci/studio-ios/Studio.ipa")]
    out += title("upload_to_testflight") + entries(r, 1.5, upload)
    fault = (
        f'ERROR ITMS-{itms}: "Missing purpose string in Info.plist. Your app\'s code references one or more APIs that'
        f' access'
        f" sensitive user data. The Info.plist for the Payload/Studio.app bundle should contain a {purpose} key\""
    )
    out += [say(f"[Transporter Error Output]: {fault}", 31), say("Error uploading ipa file:", 31)]
    out += ["", f"+{'-' * 48}+", f"|{'fastlane summary':^48}|", f"+------+{'-' * 27}+-------------+"]
    out.append(f"| Step | {'Action':<25} | Time (in s) |")
    seconds = [0, r.randint(0, 2), slow, r.randint(2, 6), r.randint(30, 60), r.randint(240, 500)]
    out += [f"| {k + 1:<4} | {a:<25} | {t:<11} |" for k, (a, t) in enumerate(zip(actions, seconds))]
    out += [f"| 💥   | {'upload_to_testflight':<24} | {r.randint(90, 200):<11}"
    f" |", f"+------+{'-' * 27}+-------------+", ""]
    out.append(f"[{clock.text('%H:%M:%S')}]: \x1b[31mfastlane finished with errors\x1b[0m")
    return out, [
        f"expires in {days} days",
        ["mutation of captured var", isolated],
        [f"ITMS-{itms}", purpose],
        ["match", str(slow)],
    ]


@case("kapp deploy -a studio -f rendered/ --yes")
def kapp_deploy(r):
    clock = Clock(r, 1.5)
    kinds = [
        ("Deployment", "apps/v1"), ("ConfigMap", "v1"), ("Service", "v1"), ("ServiceAccount", "v1"),
        ("HorizontalPodAutoscaler", "autoscaling/v2"), ("CronJob", "batch/v1"), ("Role",
            "rbac.authorization.k8s.io/v1"),
        ("NetworkPolicy", "networking.k8s.io/v1"),
    ]
    names = [n.replace("_", "-") for n in idents(r, 118)]
    lost, pulled, job = names.pop(), names.pop(), names.pop()
    tag = f"{r.randint(2, 9)}.{r.randint(0, 40)}.{r.randint(0, 9)}-rc{r.randint(1, 9)}"
    image = f"registry.studio.example/{r.choice(HOSTS)}/{pulled}:{tag}"
    spaces = r.sample("dailies grading sound vault render".split(), 4)
    rows = []
    for n in names:
        kind, version = r.choice(kinds)
        rows.append((r.choice(spaces), n, kind, version))
    space = r.choice(spaces)
    place = r.randint(20, 90)

    def row(ns, name, kind, age, op, wait, state="ok", hint="-"):
        return f"{ns:<10} {name:<26} {kind:<24} {age:<5} {op:<7} {'-':<8} {wait:<10} {state:<3} {hint}".rstrip()

    out = [
        f"Target cluster 'https://10.40.{r.randint(1, 9)}.12:6443' (nodes: {r.choice(HOSTS)}, 11+)",
        "",
        "Changes",
        "",
        f"{'Namespace':<10} {'Name':<26} {'Kind':<24} {'Age':<5} {'Op':<7} {'Op st.':<8} {'Wait to':<10} {'Rs':<3} Ri",
    ]
    for k, (ns, name, kind, _) in enumerate(rows):
        if k == place:
            out.append(row(space, lost, "PersistentVolumeClaim", f"{r.randint(200, 700)}d", "delete", "delete"))
        new = r.random() < 0.1
        out.append(row(ns, name, kind, "-" if new else f"{r.randint(2, 400)}d", "create" if new else "update",
            "reconcile",
                       "-" if new else "ok"))
    out += ["", f"Op:      {len(names) // 10} create, 1 delete, {len(names)} update, 0 noop, 0 exists"]
    out += [f"Wait to: {len(names) + 2} reconcile, 1 delete, 0 noop", ""]
    total, done = len(names) + 3, [0]

    def say(text):
        return f"{clock.text('%-I:%M:%S%p')}: {text}"

    def low(kind):
        return kind.lower()

    def step():
        ns, name, kind, version = r.choice(rows)
        thing = f"{low(kind)}/{name} ({version}) namespace: {ns}"
        k = r.randint(0, 9)
        if k == 0:
            done[0] = min(total - 1, done[0] + r.randint(1, 4))
            return say(f"---- waiting on {r.randint(1, 30)} changes [{done[0]}/{total} done] ----")
        if k < 4:
            return say(f"update {thing}")
        if k < 7 or kind != "Deployment":
            return say(f"ok: reconcile {thing}")
        pod = f"{name}-{hexes(r, 9)}-{hexes(r, 5)}"
        return "\n".join([
            say(f"ongoing: reconcile deployment/{name} (apps/v1) namespace: {ns}"),
            say(f" ^ Waiting for {r.randint(1, 3)} unavailable replicas"),
            say(f" L ok: waiting on replicaset/{pod[:-6]} (apps/v1) namespace: {ns}"),
            say(f" L ongoing: waiting on pod/{pod} (v1) namespace: {ns}"),
            say(r.choice(["    ^ Pending", "    ^ Condition Ready is not True (False)", "    ^ Pending:"
            " ContainerCreating"])),
        ])

    def pull():
        return "\n".join([
            say(f"ongoing: reconcile deployment/{pulled} (apps/v1) namespace: {space}"),
            say(" ^ Waiting for 2 unavailable replicas"),
            say(f" L ongoing: waiting on pod/{pulled}-{hexes(r, 9)}-{hexes(r, 5)} (v1) namespace: {space}"),
            say(f'    ^ Pending: ImagePullBackOff (message: Back-off pulling image "{image}")'),
        ])

    out.append(say(f"---- applying {total} changes [0/{total} done] ----"))
    out += entries(r, 4, step, [pull])
    out += [
        say(f"fail: reconcile job/{job} (batch/v1) namespace: {space}"),
        say(" ^ Failed with reason BackoffLimitExceeded: Job has reached the specified backoff limit"),
        "",
        f"kapp: Error: waiting on reconcile job/{job} (batch/v1) namespace: {space}:",
        "  Finished unsuccessfully (Failed with reason BackoffLimitExceeded: Job has reached the specified backoff"
        " limit)",
    ]
    return out, [
        [lost, "PersistentVolumeClaim", "delete"],
        ["ImagePullBackOff", f"{pulled}:{tag}"],
        [f"job/{job}", "BackoffLimitExceeded"],
    ]


@case("ant -f build.xml dist")
def ant_javac_japanese(r):
    root = "/home/jenkins/eizo/src/jp/eizo"
    names = [camel(n, True) for n in idents(r, 120)]
    gone, wrong = camel(ident(r)) + "All", r.choice(names)
    zero = r.choice(names)
    counts = dict(warn=0)

    def at(cls=None):
        return f"{root}/{r.choice(THINGS)}/{cls or r.choice(names)}.java:{r.randint(20, 700)}"

    def marked(code, column):
        return [f"        {code}", " " * (8 + column) + "^"]

    def javac(lines):
        return "\n".join(f"    [javac] {x}" for x in lines)

    def warning():
        counts["warn"] += 1
        a, b, m = r.choice(names), r.choice(names), camel(ident(r))
        k = r.randint(0, 5)
        head, code = (
            (f"[deprecation] {a}の{m}()は推奨されません", f"{m[:1]}.{m}();"),
            (f"[unchecked] 無検査キャスト\n  期待値: List<{b}>\n  検出値:    Object", f"List<{b}> rows = (List<{b}>) value;"),
            (f"[rawtypes] raw型が見つかりました: List\n  汎用クラスList<E>の型引数がありません", f"List {m} = new ArrayList();"),
            (f"[serial] 直列化可能なクラス{a}には、serialVersionUIDが定義されていません", f"public class {a} implements Serializable {{"),
            (f"[cast] {b}への冗長なキャストです", f"{b} x = ({b}) {m};"),
            (f"[fallthrough] switchのcaseにフォール・スルーする可能性があります", f"case {m.upper()[:8]}:"),
        )[k]
        first, *more = head.split("\n")
        return javac([f"{at(a)}: 警告: {first}", *marked(code, r.randint(2, 12)), *more])

    def chores():
        return r.choice([
            f"   [delete] 削除中: {root}/../../build/{r.choice(THINGS)}/{r.choice(names)}.class",
            f"     [copy] 1個のファイルを/home/jenkins/eizo/build/{r.choice(THINGS)}にコピーしています",
            f"    [mkdir] 作成されたディレクトリ: /home/jenkins/eizo/build/{r.choice(THINGS)}",
            f"     [echo] {r.choice(PEOPLE)}のリール設定を読み込みました ({r.randint(3, 90)}件)",
        ])

    symbol = javac([
        f"{at()}: エラー: シンボルを見つけられません",
        *marked(f"reel.{gone}(take, {r.randint(2, 60)});", 4),
        f"  シンボル:   メソッド {gone}(Take,int)",
        f"  場所: タイプReelの変数 reel",
    ])
    types = javac([
        f"{at(wrong)}: エラー: 不適合な型: {r.choice(names)}を{wrong}に変換できません:",
        *marked(f"{wrong} next = queue.poll();", 22),
    ])
    division = javac([f"{at(zero)}: 警告: [divzero] ゼロ除算です", *marked("int rate = frames / 0;", 19)])
    out = [
        "Buildfile: /home/jenkins/eizo/build.xml",
        "",
        "init:",
        *(chores() for _ in range(40)),
        "",
        "compile:",
        f"    [javac] {r.randint(400, 800)}個のソース・ファイルを/home/jenkins/eizo/build/classesにコンパイルします",
        *entries(r, 8, warning, [symbol, types, division], 0.05),
        "    [javac] エラー2個",
        f"    [javac] 警告{counts['warn'] + 1}個",
        "",
        "BUILD FAILED",
        "/home/jenkins/eizo/build.xml:88: Compile failed; see the compiler error output for details.",
        "",
        f"Total time: {r.randint(20, 58)} seconds",
    ]
    return out, [
        ["シンボルを見つけられません", gone],
        ["不適合な型", f"{wrong} next = queue.poll()"],
        ["ゼロ除算", f"{zero}.java"],
    ]


@case("yarn install --immutable")
def interest_yarn_berry(r):
    scopes = "@studio @dailies @reelkit @matte-ui".split()
    names = [f"{r.choice(scopes)}/{n.replace('_', '-')}" if r.random() < 0.4 else n.replace("_",
        "-") for n in idents(r, 400)]
    asked = names.pop()
    version = f"{r.randint(11, 19)}.{r.randint(21, 60)}.{r.randint(10, 99)}"

    def v():
        return f"{r.randint(0, 9)}.{r.randint(0, 20)}.{r.randint(0, 12)}"

    def resolve():
        a, b = r.choice(names), r.choice(names)
        return r.choice([
            f"➤ YN0060: │ {a} is listed by your project with version {v()} (p{hexes(r, 5)}), which doesn't satisfy"
            f" what {b}"
            f" and other dependencies request (^{r.randint(5, 20)}.0.0).",
            f"➤ YN0002: │ {a}@npm:{v()} doesn't provide {b} (p{hexes(r, 5)}), requested by {r.choice(names)}.",
            f"➤ YN0061: │ {a}@npm:{v()} is deprecated: use {b} instead",
        ])

    def fetch():
        a = r.choice(names)
        return r.choice([
            f"➤ YN0013: │ {a}@npm:{v()} can't be found in the cache and will be fetched from the remote registry",
            f"➤ YN0013: │ {a}@npm:{v()} can't be found in the cache and will be fetched from the remote registry",
            f"➤ YN0019: │ {a.split('/')[-1]}-npm-{v()}-{hexes(r, 10)}-{hexes(r, 10)}.zip appears to be unused -"
            f" removing",
            f"➤ YN0013: │ {a}@patch:{a}@npm%3A{v()}#~builtin<compat/{r.choice(THINGS)}>"
            f"::version={v()}&hash={hexes(r, 6)}"
            f" can't be found in the cache and will be fetched from the remote registry",
        ])

    def link():
        a = r.choice(names)
        return r.choice([
            f"➤ YN0007: │ {a}@npm:{v()} must be built because it never has been before or the last one failed",
            f"➤ YN0000: │ {a}@npm:{v()} STDOUT > {ident(r, ' ')} ready ({r.randint(1, 90)} objects)",
            f"➤ YN0008: │ {a}@npm:{v()} must be rebuilt because its dependency tree changed",
        ])

    answer = (
        f"➤ YN0013: │ {asked}@npm:{version} can't be found in the cache and will be fetched from the remote registry"
    )
    out = [
        "➤ YN0000: · Yarn 4.3.1",
        "➤ YN0000: ┌ Resolution step",
        *entries(r, 2, resolve),
        f"➤ YN0000: └ Completed in {r.randint(2, 9)}s {r.randint(100, 999)}ms",
        "➤ YN0000: ┌ Fetch step",
        *entries(r, 9, fetch, [answer], 0.1, 0.8),
        f"➤ YN0000: └ Completed in {r.randint(9, 40)}s {r.randint(100, 999)}ms",
        "➤ YN0000: ┌ Link step",
        *entries(r, 2, link),
        f"➤ YN0000: └ Completed in {r.randint(9, 40)}s {r.randint(100, 999)}ms",
        f"➤ YN0000: · Done with warnings in {r.randint(1, 2)}m {r.randint(11, 59)}s",
    ]
    return out, [version], dict(last=f"Fine. One thing from that install: which version of {asked} did yarn fetch?")
