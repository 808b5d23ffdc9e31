"""Test runs in R, Julia, Solidity, PL/SQL, Erlang, hardware simulation, a phone, a file system, a compiler and more."""

import statistics

from ..case import case
from .stock import THINGS, Clock, camel, distinct, entries, hexes, ident, idents


@case("Rscript -e 'devtools::test()'")
def testthat_r(r):
    d = r.randint
    names = idents(r, 560)
    bad, slow, broken, *names = names
    got, want, took = f"{d(20, 60)}.{d(11, 99)}", f"{d(61, 99)}.{d(11, 99)}", f"{d(91, 240)}.{d(1, 9)}s"
    rule = "─" * 60
    sums = dict(F=0, W=0, S=0, OK=0)

    def context(name, ok, fails=0, warns=0, skips=0, took="", *blocks):
        for key, n in zip(sums, (fails, warns, skips, ok)):
            sums[key] += n
        show = lambda n: f"{n or '':>2}"
        line = f"{'✖' if fails else '✔'} | {show(fails)} {show(warns)} {show(skips)} {ok:>3} | {name}{took}"
        return "\n".join([line, *(f"{rule}\n{b}" for b in blocks), *([rule] if blocks else [])])

    def plain():
        n = names.pop()
        k, at = d(0, 19), f"(test-{n}.R:{d(5, 200)}:{d(3, 9)})"
        if k == 0:
            return context(n, d(3, 40), 0, 0, 1, "",
                f"Skipped {at}: {n.replace('_', ' ')} handles locales\nReason: On CRAN")
        if k == 1:
            return context(n, d(3, 40), 0, 1, 0, "",
                f"Warning {at}: {n.replace('_', ' ')} reads old files\nNAs introduced by coercion")
        if k == 2:
            return context(n, d(3, 40), 0, 1, 0, f" [{d(1, 4)}.{d(1, 9)}s]",
                f"Warning {at}: {n.replace('_', ' ')} plots\n`size` was "
                "deprecated in ggplot2 3.4.0.\nℹ Please use `linewidth` instead.")
        return context(n, d(3, 60), took=r.choice(["", "", "", f" [{d(1, 5)}.{d(1, 9)}s]"]))

    special = [
        lambda: context(bad, 11, 1, 0, 0, "",
            f"Failure (test-{bad}.R:{d(9, 90)}:3): {bad.replace('_', ' ')} keeps the dilution\n`out$titre` "
            f"not equal to `expected`.\n1/1 mismatches\n[1] {got} - {want} == {float(got) - float(want):.2f}"),
        lambda: context(slow, 8, took=f" [{took}]"),
        lambda: context(broken, 4, 1, 0, 0, "",
            f"Error (test-{broken}.R:{d(9, 90)}:7): {broken.replace('_', ' ')} accepts empty racks\nError "
            f"in `check_{broken}(x)`: argument \"lot_expiry\" is missing, with no default\nBacktrace:\n    ▆\n 1. "
            f"└─labtools::{broken}(x)"),
    ]
    body = entries(r, 9, plain, special)
    end = ["", "══ Results ═════════════════════════════════", f"Duration: {d(250, 400)}.{d(1, 9)} s", "",
        f"[ FAIL {sums['F']} | WARN {sums['W']} | SKIP {sums['S']} | PASS {sums['OK']} ]", "Error: Test failures",
        "Execution halted"]
    return ["ℹ Testing labtools", "✔ | F W  S  OK | Context", "", *body, *end], [
        [bad, got, want], [slow, took], [broken, '"lot_expiry" is missing']]


@case("julia --project -e 'using Pkg; Pkg.test()'")
def julia_pkg_test(r):
    d = r.randint
    names = idents(r, 150)
    bad, wrong, slow, *names = names
    a, b, took = f"{d(1, 9)}.{d(1000, 9999)}", f"{d(10, 19)}.{d(1000, 9999)}", f"{d(7, 19)}m{d(10, 59)}.{d(1, 9)}s"

    def line():
        n = r.choice(names)
        return r.choice(
            [
                f"[ Info: {n.replace('_', ' ')} read {d(3, 900)} wells from fixtures/{n}.csv",
                f"┌ Warning: Assignment to `{n}` in soft scope is ambiguous because a global variable by the same name "
                "exists\n"
                f"└ @ Main /home/lab/LabPlates/test/{n}.jl:{d(5, 200)}",
                f"┌ Info: calibration\n│   n = {d(2, 96)}\n└   slope = 0.{d(1000, 9999)}",
                f"   {d(300, 9000)}.{d(1, 9)} ms  ✓ LabPlates → {camel(n, True)}Ext",
                f"  Downloaded artifact: {camel(n, True)}Data",
            ]
        )

    special = [
        f"{bad}: Test Failed at /home/lab/LabPlates/test/{bad}.jl:{d(9, 200)}\n  Expression: isapprox(halflife(w), "
        "ref; rtol = 1.0e-6)\n"
        f"   Evaluated: isapprox({a}, {b}; rtol = 1.0e-6)\n\nStacktrace:\n [1] macro expansion\n   @ "
        "/usr/share/julia/stdlib/v1.10/Test/src/"
        "Test.jl:672 [inlined]",
        f"{wrong}: Error During Test at /home/lab/LabPlates/test/{wrong}.jl:{d(9, 200)}\n  Test threw exception\n  "
        f"Expression: {wrong}(tray) == 8\n"
        f"  BoundsError: attempt to access 96-element Vector{{Float64}} at index [{d(97, 384)}]\n  Stacktrace:\n    "
        "[1] getindex\n"
        "      @ ./essentials.jl:13 [inlined]",
    ]
    head = ["     Testing LabPlates", "      Status `/tmp/jl_Xq3vTz/Project.toml`", "     Testing Running tests..."]
    rows = [(n, d(3, 90), 0, 0, f"{d(0, 9)}.{d(1, 9)}s") for n in names[:60]]
    rows += [(bad, d(3, 90), 1, 0, "0.4s"), (wrong, d(3, 90), 0, 1, "1.2s"), (slow, d(3, 90), 0, 0, took)]
    r.shuffle(rows)
    cells = lambda name, p, f, e, t: f"{name:<30} | {p:>5} {f or '':>5} {e or '':>6} {p + f + e:>6} {t:>10}"
    table = ["Test Summary:                  |  Pass  Fail  Error  Total       Time",
        cells("LabPlates", sum(x[1] for x in rows), 1, 1, f"{d(21, 30)}m04.2s"),
        *(cells("  " + x[0], *x[1:]) for x in rows)]
    tail = [f"ERROR: LoadError: Some tests did not pass: {sum(x[1] for x in rows)} passed, 1 failed, 1 errored, 0 "
        "broken.",
        "in expression starting at /home/lab/LabPlates/test/runtests.jl:4",
        "ERROR: Package LabPlates errored during testing"]
    return head + entries(r, 5, line, special) + table + tail, [
        [bad, f"isapprox({a}, {b}"], [wrong, "BoundsError", "96-element"], [slow, took]]


@case("make -C tb SIM=verilator results")
def cocotb_regression(r):
    d = r.randint
    tests = [f"test_{n}.{r.choice(['run', 'reset', 'burst', 'random_stalls'])}" for n in idents(r, 70)]
    bad, slow = r.sample(tests[8:60], 2)
    now = [0.0]
    a, b, ratio = d(16, 120), d(121, 255), f"{d(1, 9)}.{d(10, 99)}"

    def log(level, where, text):
        now[0] += r.uniform(4, 90)
        return f"{now[0]:>10.2f}ns {level:<8} {where:<34} {text}"

    def chat(t):
        n = r.choice(THINGS)
        return log(*r.choice([
            ("INFO", f"cocotb.lab_top.axis_{n}",
                f"TX frame: AxiStreamFrame(tdata=bytearray(b'\\x{hexes(r, 2)}\\x{hexes(r, 2)}'), tid={d(0, 7)})"),
            ("INFO", f"cocotb.lab_top.{n}_fifo", f"fill level {d(0, 63)} of 64"),
            ("DEBUG", "cocotb.scheduler", f"Task {d(3, 90)} resumed by RisingEdge(lab_top.{n}_clk)"),
            ("WARNING", f"cocotb.lab_top.{n}_if", f"backpressure for {d(2, 40)} cycles"),
            ("INFO", "cocotb.scoreboard", f"matched {d(1, 900)} of {d(901, 999)} beats"),
        ]))

    out, rows = [log("INFO", "cocotb.gpi", "Initialised cocotb 1.9.1 from /opt/venv"),
        log("INFO", "cocotb.regression", f"Found {len(tests)} tests")], []
    for k, t in enumerate(tests, 1):
        out.append(log("INFO", "cocotb.regression", f"running {t} ({k}/{len(tests)})"))
        out += [chat(t) for _ in range(d(2, 8))]
        if t == bad:
            out.append(log("ERROR", "cocotb.scoreboard",
                f"beat {d(40, 900)}: got tdata=0x{a:02x}, model says 0x{b:02x} (tkeep off by one)"))
        out.append(log("WARNING" if t == bad else "INFO", "cocotb.regression",
            f"{t} {'failed' if t == bad else 'passed'}"))
        sim, real = r.uniform(900, 9000), r.uniform(0.2, 3)
        shown = ratio if t == slow else f"{sim / real:.2f}"
        real = sim / float(ratio) if t == slow else real
        rows.append(f"** {t:<44} {'FAIL' if t == bad else 'PASS':^6} {sim:>12.2f} {real:>11.2f} {shown:>12} **")
    bar = "*" * 98
    head = [bar, f"** {'TEST':<44} STATUS  SIM TIME (ns) REAL TIME (s) RATIO (ns/s) **", bar]
    last = f"** TESTS={len(tests)} PASS={len(tests) - 1} FAIL=1 SKIP=0"
    return out + head + rows + [bar, f"{last:<92} **", bar], [[bad, "failed"], [f"got tdata=0x{a:02x}", "off by one"],
        [slow, ratio]]


@case("./check -g auto 2>&1")
def xfstests_check(r):
    d = r.randint
    numbers = [f"{g}/{n:03}" for g, top in (("generic", 560), ("ext4", 60), ("shared", 9)) for n in range(1, top)]
    bad, oops, slow = (numbers[k] for k in sorted(distinct(r, 3, 80, 520)))
    ran, skipped, out = [], [], []
    took, fn = d(1800, 5400), ident(r)
    reasons = ["requires a zoned block device", "this test requires a valid $SCRATCH_LOGDEV",
        "xfs_io fsync failed (old kernel?)",
        "Reflink not supported by scratch filesystem type: ext4", "fio utility required, skipped this test",
        "Assuming DAX not supported",
        "require userns support", "requires encryption support"]
    for n in numbers:
        if n in (bad, oops, slow) or d(0, 9) > 2:
            ran.append(n)
            s = d(0, 20)
            line = f"{n} {s}s ...  {took if n == slow else s + d(0, 2)}s"
            if n == bad:
                line = (f"{n} {s}s ... - output mismatch (see /var/lib/xfstests/results/{n}.out.bad)\n    --- "
                    f"tests/{n}.out\t2025-06-11 08:14:22\n"
                    f"    +++ /var/lib/xfstests/results/{n}.out.bad\t2025-06-12 02:41:09\n    @@ -1,2 +1,3 @@\n     QA "
                    f"output created by {n[-3:]}\n"
                    "    -after fsync: 65536 bytes\n    +after fsync: 0 bytes\n    ...")
            if n == oops:
                line = f"{n} {s}s ... _check_dmesg: something found in dmesg (see /var/lib/xfstests/results/{n}.dmesg)"
                line += f"\n BUG: KASAN: use-after-free in {fn}+0x{hexes(r, 2)}/0x{hexes(r, 3)}"
            out.append(line)
        else:
            skipped.append(n)
            out.append(f"{n}       [not run] {r.choice(reasons)}")
    head = ["FSTYP         -- ext4", "PLATFORM      -- Linux/x86_64 cold-store-3 6.9.0-rc4+ #12 SMP PREEMPT_DYNAMIC",
        "MKFS_OPTIONS  -- -F /dev/vdc",
        "MOUNT_OPTIONS -- -o acl,user_xattr -o context=system_u:object_r:root_t:s0 /dev/vdc /mnt/scratch", ""]
    tail = ["Not run: " + " ".join(skipped), f"Failures: {bad} {oops}", f"Failed 2 of {len(ran)} tests", ""]
    return head + out + tail, [[bad, "after fsync: 0 bytes"], [oops, "use-after-free in", fn], [slow, f"{took}s"]]


@case("llvm-lit -v build/test")
def lit_llvm(r):
    d = r.randint
    dirs = ["CodeGen", "Transforms/Pool", "Parser", "Sema", "tools/labc", "Dialect/Assay"]
    names = [f"{r.choice(dirs)}/{n.replace('_', '-')}.{r.choice(['ll', 'mlir', 'test'])}" for n in idents(r, 560)]
    bad, hung, *names = names
    count = [0]
    op, want = r.choice(THINGS), d(16, 64)

    def result(kind, n):
        count[0] += 1
        return f"{kind}: LabC :: {n} ({count[0]} of @T)"

    def plain():
        n = names[count[0] % len(names)] if count[0] < len(names) else f"{r.choice(dirs)}/generated-{count[0]}.test"
        k = d(0, 30)
        return result("UNSUPPORTED" if k == 0 else "XFAIL" if k == 1 else "PASS", n)

    def fail():
        path = f"/src/labc/test/{bad}"
        return "\n".join([result("FAIL", bad), f"******************** TEST 'LabC :: {bad}' FAILED ********************",
            "Exit Code: 1", "",
            "Command Output (stderr):", "--",
            "RUN: at line 1: labc-opt --fold-dilutions < " + path + " | FileCheck " + path,
            f"{path}:{d(9, 60)}:11: error: CHECK: expected string not found in input",
            f"; CHECK: assay.{op} %0 : vector<{want}xf32>",
            "          ^", "<stdin>:7:13: note: possible intended match here",
            f"  %2 = assay.{op} %0 : vector<{want * 2}xf32>", "",
            "--", "", "********************"])

    def timeout():
        return "\n".join([result("TIMEOUT", hung),
            f"******************** TEST 'LabC :: {hung}' FAILED ********************",
            "Exit Code: -9", "Timeout: Reached timeout of 300 seconds", "", "Command Output (stdout):", "--", "--", "",
            "********************"])

    body = entries(r, 9, plain, [fail, timeout])
    count = count[0]
    body = [b.replace("of @T)", f"of {count})") for b in body]
    kinds = {k: sum(b.startswith(k) for b in body) for k in ("UNSUPPORTED", "XFAIL", "PASS")}
    tail = ["", f"Testing Time: {d(310, 420)}.{d(10, 99)}s", "", f"Total Discovered Tests: {count}",
        f"  Unsupported      : {kinds['UNSUPPORTED']:>3} ({100 * kinds['UNSUPPORTED'] / count:.2f}%)",
        f"  Passed           : {kinds['PASS']:>3} ({100 * kinds['PASS'] / count:.2f}%)",
        f"  Expectedly Failed: {kinds['XFAIL']:>3}",
        "  Timed Out        :   1", "  Failed           :   1"]
    return [f"-- Testing: {count} tests, 16 workers --", *body, *tail], [
        [bad, f"vector<{want * 2}xf32>", f"vector<{want}xf32>"], [hung, "Reached timeout of 300 seconds"]]


@case("adb shell am instrument -r -w org.hospital.lab.test/androidx.test.runner.AndroidJUnitRunner")
def am_instrument_raw(r):
    d = r.randint
    classes = [f"org.hospital.lab.{camel(n, True)}Test" for n in idents(r, 30)]
    methods = idents(r, 480)
    total, bad, ignored = 60, d(8, 25), d(26, 29)
    view = r.choice(THINGS)
    crash = d(30, 52)
    out = []
    for k in range(1, total + 1):
        cls, test = classes[k // 3], camel(methods[k])
        status = [f"INSTRUMENTATION_STATUS: class={cls}", f"INSTRUMENTATION_STATUS: current={k}",
            "INSTRUMENTATION_STATUS: id=AndroidJUnitRunner",
            f"INSTRUMENTATION_STATUS: numtests={total}"]
        out += [*status, "INSTRUMENTATION_STATUS: stream=" + (f"\n{cls}:" if k % 3 == 0 else ""),
            f"INSTRUMENTATION_STATUS: test={test}",
            "INSTRUMENTATION_STATUS_CODE: 1"]
        trace, code, dots = [], "0", "."
        if k == bad:
            trace = ["INSTRUMENTATION_STATUS: stack=androidx.test.espresso.NoMatchingViewException: No views in "
                "hierarchy found matching: view.getId() "
                f"is <org.hospital.lab:id/{view}_confirm>", f"\tat {cls}.{test}({cls.split('.')[-1]}.kt:{d(20, 200)})"]
            bad_test, code, dots = test, "-2", "Error in " + test
        if k == crash:
            crashed, code = test, "-2"
            dots = "Error in " + test
            trace = ["INSTRUMENTATION_STATUS: stack=java.lang.AssertionError: expected:<UNVERIFIED> but was:<RELEASED>",
                f"\tat {cls}.{test}({cls.split('.')[-1]}.kt:{d(20, 200)})",
                "\tat java.lang.reflect.Method.invoke(Native Method)"]
        if k == ignored:
            code = "-3"
        out += [*status, *trace, f"INSTRUMENTATION_STATUS: stream={dots}", f"INSTRUMENTATION_STATUS: test={test}",
            f"INSTRUMENTATION_STATUS_CODE: {code}"]
    out += ["INSTRUMENTATION_RESULT: stream=", "", f"Time: {d(90, 300)}.{d(100, 999)}",
        f"There were 2 failures in {total} tests, 1 ignored", "",
        "FAILURES!!!", f"Tests run: {total - 1},  Failures: 2", "", "INSTRUMENTATION_CODE: -1"]
    return out, [[bad_test, f"id/{view}_confirm"], [crashed, "but was:<RELEASED>"]]


@case("vendor/bin/behat --lang=es --no-colors")
def behat_espanol(r):
    d = r.randint
    muestras = "sangre orina suero plasma saliva hisopo biopsia esputo médula líquido".split()
    lugares = "urgencias pediatría cardiología oncología quirófano maternidad farmacia".split()
    count, steps = [0], [0]
    got, want, code, paso = d(12, 40), d(41, 90), d(1000, 9999), r.choice(muestras)

    def scenario(lines, name):
        count[0] += 1
        steps[0] += sum(not x.startswith(" ") for x in lines)
        at = f"features/muestra.feature:{steps[0] + 2 * count[0] + 3}"
        return "\n".join([f"  Escenario: {name:<60} # {at}", *(f"    {x}" for x in lines), ""])

    def plain():
        m, l, n = r.choice(muestras), r.choice(lugares), d(2, 90)
        ctx = lambda f: f"# {r.choice(['Muestra', 'Pedido', 'Resultado'])}Context::{f}()"
        name, *lines = r.choice([
            [f"Registrar {n} muestras de {m}", f"Dado que hay {n} muestras de {m} sin registrar  {ctx('hayMuestras')}",
                f"Cuando {l} las registra  {ctx('registra')}",
                f"Entonces la bandeja muestra {n} etiquetas  {ctx('muestraEtiquetas')}"],
            [f"Rechazar un pedido duplicado de {l}", f"Dado un pedido {d(1000, 9999)} de {l}  {ctx('unPedido')}",
                f"Cuando llega de nuevo el mismo pedido  {ctx('llegaDeNuevo')}",
                f'Entonces veo el aviso "Pedido ya existente"  {ctx("veoElAviso")}',
                f"Y no se crea ninguna muestra de {m}  {ctx('noSeCrea')}"],
            [f"Imprimir el informe de {m}", f"Dado un resultado validado de {m}  {ctx('validado')}",
                f"Cuando pido el informe en PDF  {ctx('pidoPdf')}",
                f"Entonces el informe tiene {n} líneas  {ctx('tieneLineas')}"],
            [f"Avisar a {l} de un valor crítico", f"Dado que {m} tiene un valor crítico  {ctx('valorCritico')}",
                f"Entonces {l} recibe una llamada en {n} minutos  {ctx('recibeLlamada')}"],
        ])
        return scenario(lines, name)

    special = [
        lambda: scenario([f"Dado un lote de {paso} con {want} tubos  # MuestraContext::unLote()",
            "Cuando se congela el lote  # MuestraContext::congela()",
            f"Entonces el inventario cuenta {want} tubos  # InventarioContext::cuenta()",
            f"  Se esperaban {want} tubos, pero el inventario contiene {got}. (Exception)"],
                f"Congelar un lote de {paso}"),
        lambda: scenario([f"Dado el resultado {code} firmado  # ResultadoContext::firmado()",
            "Cuando lo abre un usuario sin permiso  # ResultadoContext::abre()",
            "Entonces recibe el código 403  # RestContext::recibeCodigo()",
            f"  El código de respuesta es 200, el resultado {code} quedó visible "
            "(Behat\\Mink\\Exception\\ExpectationException)"], "Ocultar resultados firmados"),
        lambda: scenario([f"Dado que existe la nevera {code % 90}  # FrioContext::existe()",
            "Y que su alarma está muda  # FrioContext::muda()", "  TODO: write pending definition"],
            f"Silenciar la alarma de la nevera {code % 90}"),
    ]
    head = ["# language: es", "Característica: Circuito de la muestra", "  Para no perder muestras",
        "  Como técnica de laboratorio", ""]
    body = entries(r, 14, plain, special)
    n = count[0]
    tail = [f"{n} escenarios ({n - 3} pasaron, 2 fallaron, 1 pendiente)",
        f"{steps[0]} pasos ({steps[0] - 3} pasaron, 2 fallaron, 1 pendiente)",
        f"{d(1, 9)}m{d(10, 59)}.{d(10, 99)}s ({d(40, 90)}.{d(10, 99)}Mb)"]
    return head + body + tail, [[f"Se esperaban {want} tubos", f"contiene {got}"], f"el resultado {code} quedó visible",
        [f"nevera {code % 90}", "TODO: write pending definition"]]


@case("forge test -vv")
def forge_solidity(r):
    d = r.randint
    names = [camel(n, True) for n in idents(r, 320)]
    bad, over, drain, *names = names
    left, right, arg = d(100, 499) * 10**15, d(500, 900) * 10**15, d(2, 9) * 10**d(58, 70)
    runs, again = [0, 0], []

    def suite(*more):
        c = names.pop()
        tests = []
        for _ in range(d(3, 10)):
            n, gas = names[d(0, len(names) - 1)], d(4000, 900000)
            tests.append(r.choice([
                f"[PASS] test_{n}() (gas: {gas})", f"[PASS] test_RevertWhen_{n}() (gas: {gas})",
                f"[PASS] testFuzz_{n}(uint256,address) (runs: 256, μ: {gas}, ~: {gas + d(-900, 900)})",
                f"[PASS] test_{n}() (gas: {gas})\nLogs:\n  specimens: {d(1, 90)}\n  custody hash 0x{hexes(r, 40)}",
            ]))
        for x in more:
            tests.insert(d(0, len(tests)), x)
        failed = sum("[FAIL" in x for x in tests)
        runs[0] += len(tests)
        runs[1] += failed
        verdict = "FAILED" if failed else "ok"
        again.extend([f"Encountered 1 failing test in test/{c}.t.sol:{c}Test", *(x for x in tests if "[FAIL" in x),
            ""] if failed else [])
        return "\n".join([f"Ran {len(tests)} tests for test/{c}.t.sol:{c}Test", *tests,
            f"Suite result: {verdict}. {len(tests) - failed} passed; "
            f"{failed} failed; 0 skipped; finished in {d(1, 90)}.{d(10, 99)}ms ({d(1, 90)}.{d(10, 99)}ms CPU time)",
            ""])

    fails = [
        f"[FAIL: assertion failed: {left} != {right}] test_{bad}_FeesAddUp() (gas: {d(9000, 90000)})",
        f"[FAIL: panic: arithmetic underflow or overflow (0x11); counterexample: calldata=0x{hexes(r, 8)}{arg:064x} "
        f"args=[{arg}]] "
        f"testFuzz_{over}(uint256) (runs: {d(3, 200)}, μ: {d(9000, 90000)}, ~: {d(9000, 90000)})",
    ]
    special = [lambda: suite(fails[0]), lambda: suite(fails[1]),
        lambda: suite(f"[PASS] test_{drain}() (gas: {d(29, 31)}{d(100000, 999999)})\nLogs:\n  WARNING withdraw() "
            f"callable by 0x{hexes(r, 40)}")]
    head = ["[⠊] Compiling...", "[⠒] Compiling 212 files with Solc 0.8.26", "[⠢] Solc 0.8.26 finished in 41.22s",
        "Compiler run successful!", ""]
    body = entries(r, 12, suite, special)
    tail = [f"Ran {len(body)} test suites in {d(2, 9)}.{d(10, 99)}s: {runs[0] - runs[1]} tests passed, {runs[1]} "
        f"failed, 0 skipped ({runs[0]} total tests)", "", "Failing tests:", *again,
        f"Encountered a total of {runs[1]} failing tests, {runs[0] - runs[1]} tests succeeded"]
    return head + body + tail, [[f"assertion failed: {left} != {right}", f"test_{bad}_FeesAddUp"],
        ["underflow or overflow", f"testFuzz_{over}"],
        [f"test_{drain}()", "withdraw() callable by"]]


@case("utplsql run lab/***@//oradev/LAB -f=ut_documentation_reporter")
def utplsql_documentation(r):
    d = r.randint
    names = idents(r, 400)
    bad, slow, err, *names = names
    count, total, disabled = [0], [0], [0]
    a, b, took, ora = d(3, 40), d(41,
        90), f"{d(64, 240)}.{d(100, 999)}", r.choice(["ORA-04091: table LAB.RESULT is mutating"])
    failures = []

    def row(text, took=None, note=""):
        total[0] += 1
        return f"    {text} [{took or f'.{d(2, 900):03}'} sec]{note}"

    def suite(*more):
        rows = []
        for _ in range(d(3, 9)):
            n = names[d(0, len(names) - 1)].replace("_", " ")
            text = r.choice([f"{n} keeps the ward", f"refuses to {n} twice", f"{n} returns null without a lot",
                f"raises when {n} is locked",
                f"logs who may {n}"])
            off = d(0, 30) == 0
            disabled[0] += off
            rows.append(row(text, None, " (DISABLED)" if off else ""))
        for text, took, failed in more:
            count[0] += failed
            rows.insert(d(0, len(rows)), row(text, took, f" (FAILED - {count[0]})" if failed else ""))
        return "\n".join([f"  {names.pop().replace('_', ' ').capitalize()}", *rows, "", ])

    def fail(name, actual, *detail):
        def make():
            text = suite((name, None, True))
            failures.append([f"  {count[0]}) {name.replace(' ', '_')}", *detail, ""])
            return text
        return make

    name1, name2 = f"{bad.replace('_', ' ')} sums the volumes", f"{err.replace('_', ' ')} closes the batch"
    special = [
        fail(name1, a, f"      Actual: {a} (number) was expected to equal: {b} (number) ",
            f'      at "LAB.UT_{bad.upper()}", line {d(20, 200)} ut.expect(l_ml).to_equal(l_sum);'),
        fail(name2, b, f"      {ora}, trigger/function may not see it",
            f'      ORA-06512: at "LAB.{err.upper()}_AIUD", line {d(4, 40)}', "      ORA-04088: error during "
            f"execution of trigger 'LAB.{err.upper()}_AIUD'"),
        lambda: suite((f"{slow.replace('_', ' ')} over one year", took, False)),
    ]
    body = entries(r, 10, suite, special)
    tail = ["Failures:", " ", *(x for f in failures for x in f), f"Finished in {d(300, 400)}.{d(100, 999)} seconds",
        f"{total[0]} tests, 1 failed, 1 errored, {disabled[0]} disabled, 0 warning(s)"]
    return ["laboratory", *body, *tail], [[bad.upper(), f"Actual: {a}", f"equal: {b}"],
        [err.upper(), "RESULT is mutating"], [slow.replace("_", " "), took]]


@case("java -jar target/benchmarks.jar -f 1 -wi 3 -i 6 -rf text")
def jmh_iterations(r):
    d = r.randint
    names = [f"org.hospital.bench.{camel(n, True)}Bench.{camel(ident(r))}" for n in idents(r, 40)]
    broken, spike, wild = r.sample(names[5:36], 3)
    jump = f"{d(91000, 99000)}.{d(100, 999)}"
    null, error = r.choice(THINGS), ""
    out, rows = ["# JMH version: 1.37", "# VM version: JDK 21.0.3, OpenJDK 64-Bit Server VM, 21.0.3+9-LTS",
        "# Blackhole mode: compiler"], []
    for k, n in enumerate(names):
        mean, size = r.uniform(200, 900), r.choice([16, 256, 4096])
        out += ["", "# Warmup: 3 iterations, 10 s each", "# Measurement: 6 iterations, 10 s each",
            "# Threads: 1 thread, will synchronize iterations",
            f"# Benchmark: {n}", f"# Parameters: (wells = {size})", "",
            f"# Run progress: {100 * k / len(names):.2f}% complete, ETA 00:{d(10, 59)}:{d(10, 59)}",
            "# Fork: 1 of 1"]
        shown = lambda: f"{mean * r.uniform(0.97, 1.03):.3f} ns/op"
        out += [f"# Warmup Iteration   {i}: {shown()}" for i in (1, 2, 3)]
        if n == broken:
            out += ["Iteration   1: <failure>", "",
                f'java.lang.IllegalStateException: {null} pool exhausted after 65536 borrows',
                f"\tat org.hospital.lab.Pool.borrow(Pool.java:{d(30, 200)})", f"\tat {n}(Bench.java:{d(20, 90)})", ""]
            continue
        low, high = (0.2, 9) if n == wild else (0.97, 1.03)
        values = [mean * r.uniform(low, high) for _ in range(6)]
        if n == spike:
            values[d(1, 4)] = float(jump)
        out += [f"Iteration   {i}: {v:.3f} ns/op" for i, v in enumerate(values, 1)]
        mean, dev = statistics.mean(values), statistics.stdev(values)
        err = f"{2.804 * dev:.3f}"
        error = err if n == wild else error
        out += ["", f'Result "{n}":', f"  {mean:.3f} ±(99.9%) {err} ns/op [Average]",
            f"  (min, avg, max) = ({min(values):.3f}, {mean:.3f}, "
            f"{max(values):.3f}), stdev = {dev:.3f}",
            f"  CI (99.9%): [{max(0, mean - 2.8 * dev):.3f}, {mean + 2.8 * dev:.3f}] (assumes normal distribution)"]
        rows.append(f"{n.split('bench.')[1]:<44} {size:>6}  avgt    6 {mean:>11.3f} ± {err:>9}  ns/op")
    out += ["", f"# Run complete. Total time: 00:{d(40, 59)}:{d(10, 59)}", "",
        f"{'Benchmark':<44} (wells) Mode  Cnt       Score     Error  Units", *rows]
    return out, [[broken, "<failure>", f"{null} pool exhausted"], [f"{jump} ns/op"], [wild.split(".")[-1], error]]


@case("rebar3 eunit -v")
def eunit_verbose(r):
    d = r.randint
    mods = idents(r, 90)
    tests = idents(r, 480)
    bad, exits, slow = distinct(r, 3, 9, 75)
    total, took, pid = [0], f"{d(31, 58)}.{d(100, 999)}", f"<0.{d(2000, 9000)}.0>"
    got, want = d(2, 40), d(41, 96)

    def module(m, k):
        out = [f"  module '{m}'"]
        mine = r.sample(tests, d(4, 9))
        total[0] += len(mine)
        at = d(0, len(mine) - 1)
        for i, t in enumerate(mine):
            here, line = i == at, d(20, 300)
            if here and k == bad:
                out += [f"    {m}:{line}: {t}_test...*failed*",
                    f"in function {m}:'-{t}_test/0-fun-0-'/0 ({m}.erl, line {line})",
                    "**error:{assertEqual,[{module," + m + "},", f"                     {{line,{line}}},",
                    "                     {expression,\"rack:free(R)\"},",
                    f"                     {{expected,{want}}},", f"                     {{value,{got}}}]}}",
                    '  output:<<"">>', ""]
            elif here and k == exits:
                out += [f"    {m}:{line}: {t}_test...*failed*",
                    f"**exit:{{timeout,{{gen_server,call,[{m}_srv,flush]}}}}",
                    f'  output:<<"{pid} still holds {d(100, 900)} {r.choice(THINGS)}s\\n">>', ""]
            else:
                wait = f"[{took} s] " if here and k == slow else f"[0.0{d(10, 99)} s] " if d(0, 3) == 0 else ""
                out.append(f"    {m}: {t}_test...{wait}ok")
                if d(0, 25) == 0:
                    out.append(f"    =INFO REPORT==== 11-Jun-2025::08:{d(10, 59)}:{d(10, 59)}.{d(100000, 999999)} "
                        f"===\n    {t}: {d(2, 90)} entries")
        return out + [f"    [done in {float(took) + 0.31 if k == slow else r.uniform(0.05, 2):.3f} s]"]

    out = ["===> Verifying dependencies...", "===> Analyzing applications...", "===> Compiling labserver",
        "===> Performing EUnit tests...",
        "======================== EUnit ========================", 'file "labserver.app"',
        '  application \'labserver\'']
    for k, m in enumerate(mods[:85]):
        out += module(m, k)
    out += [f"  [done in {d(130, 180)}.{d(100, 999)} s]", "=======================================================",
        f"  Failed: 2.  Skipped: 0.  Passed: {total[0] - 2}.",
        "===> Error running tests"]
    return out, [[mods[bad], f"{{expected,{want}}}", f"{{value,{got}}}"], [mods[exits], "exit:{timeout", "flush"],
        [mods[slow], took]]


@case("java -jar junit-platform-console-standalone.jar execute --scan-classpath --details=verbose")
def interest_console_tree(r):
    d = r.randint
    clock = Clock(r, 0.5)
    tests = [camel(n) for n in idents(r, 100)]
    asked = r.choice(tests[20:80])
    answer = f"{d(20000, 99999)}-{hexes(r, 6)}"
    out, classes = ["", "Thanks for using JUnit!", "", "├─ JUnit Jupiter"], [camel(n, True) + "Test" for n in idents(r,
        30)]
    keys = ["seed", "rows", "order", "lot"]
    for k, t in enumerate(tests):
        if k % 7 == 0:
            cls = classes[k // 7]
            out.append(f"│  ├─ {cls}")
        uid = f"[engine:junit-jupiter]/[class:org.hospital.lab.{cls}]/[method:{t}()]"
        out += [f"│  │  ├─ {t}()", f"│  │  │      tags: [{r.choice(['fast', 'slow', 'db'])}]",
            f"│  │  │  uniqueId: {uid}", "│  │  │    parent: "
            f"[engine:junit-jupiter]/[class:org.hospital.lab.{cls}]"]
        if t == asked or d(0, 2) == 0:
            value = answer if t == asked else f"{d(20000, 99999)}-{hexes(r, 6)}"
            key = "seed" if t == asked else r.choice(keys)
            out.append(f"│  │  │   reports: ReportEntry [timestamp = {clock.text('%Y-%m-%dT%H:%M:%S.%f')}, {key} = "
                f"'{value}']")
        out += [f"│  │  │  duration: {d(1, 900)} ms", "│  │  │    status: ✔ SUCCESSFUL"]
    n = len(tests)
    out += ["└─ JUnit Jupiter finished after 61204 ms.", "", f"[{n:>10} tests found           ]",
        f"[{n:>10} tests successful      ]", "[         0 tests failed          ]", ""]
    return out, [answer], dict(last=f"Which seed did the test {asked} report? I want to replay it.")
