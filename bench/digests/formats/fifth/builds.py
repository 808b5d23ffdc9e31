"""Builds, compilers, packaging and deployments of rarer kinds: hardware, firmware, Ada, Pascal, Fortran, games."""

from datetime import timedelta

from ..case import case
from .stock import HOSTS, PEOPLE, THINGS, Clock, camel, distinct, entries, hexes, ident, idents


def title(name):
    """`thaw_plasma` as Ada and Pascal people write it."""
    return "_".join(p.capitalize() for p in name.split("_"))


@case("vivado -mode batch -source scripts/impl.tcl -notrace")
def vivado_implement(r):
    d = r.randint
    mods, nets = idents(r, 50), idents(r, 60)
    net, var, mod = nets.pop(), nets.pop(), mods.pop()
    lut, bram, at = d(41, 63), d(137, 139), d(12, 90)
    wns = f"-0.{d(310, 890)}"

    def line():
        m, n = r.choice(mods), r.choice(nets)
        here = f"[/proj/fpga/rtl/{m}.sv:{d(12, 400)}]"
        return r.choice(
            [
                f"INFO: [Synth 8-6157] synthesizing module '{m}' {here}",
                f"INFO: [Synth 8-6155] done synthesizing module '{m}' (0#1) {here}",
                f"INFO: [Synth 8-5544] ROM \"{n}\" won't be mapped to Block RAM because address size (4) smaller than "
                "threshold (5)",
                f"WARNING: [Synth 8-7129] Port {n}[{d(0, 31)}] in module {m} is either unconnected or has no load",
                f"WARNING: [Synth 8-6014] Unused sequential element {n}_reg was removed.  {here}",
                f"INFO: [Synth 8-3886] merging instance '{m}/{n}_reg[{d(0, 15)}]' (FDRE) to '{m}/{n}_reg[{d(16, 31)}]'",
                f"WARNING: [Synth 8-3332] Sequential element ({n}_reg[{d(0, 15)}]) is unused and will be removed from "
                f"module {m}.",
                f"\tParameter WIDTH bound to: {d(2, 64)} - type: integer",
                f"INFO: [Synth 8-802] inferred FSM for state register '{n}_q_reg' in module '{m}'",
            ]
        )

    special = [
        f"WARNING: [Vivado 12-584] No ports matched '{net}_clk'. [/proj/fpga/xdc/lab_top.xdc:{at}]\n"
        "CRITICAL WARNING: [Common 17-55] 'create_clock' expects at least one object. "
        f"[/proj/fpga/xdc/lab_top.xdc:{at}]",
        f"WARNING: [Synth 8-327] inferring latch for variable '{var}_reg' [/proj/fpga/rtl/{mod}.sv:{d(12, 400)}]",
    ]
    head = ["", "****** Vivado v2024.1 (64-bit)", "  **** SW Build 5076996 on Wed May 22 18:36:09 MDT 2024", "",
        "source scripts/impl.tcl -notrace", "Command: synth_design -top lab_top -part xc7z020clg400-1",
        "Starting synth_design"]
    # Routing comes between synthesis and the table of what is used.
    route, ram = [], d(2100, 2600)
    for k in range(1, 46):
        route.append(f"Phase {1 + k // 9}.{k % 9 + 1} "
            f"{r.choice(['Build RT Design', 'Update Timing', 'Global Iteration'])}")
        route.append(f"Phase {1 + k // 9}.{k % 9 + 1} | Checksum: {hexes(r, 8)}")
        route.append(f"Time (s): cpu = 00:00:{d(10, 59)} ; elapsed = 00:00:{d(10, 40)} . Memory (MB): peak = "
            f"{ram}.{d(0, 999)}")
        if k % 11 == 0 and k < 40:
            route.append(f"INFO: [Route 35-416] Intermediate Timing Summary | WNS=0.{d(10, 90)} | TNS=0.000  | "
                f"WHS=0.0{d(11, 99)}")
    route += [
        f"INFO: [Route 35-57] Estimated Timing Summary | WNS={wns} | TNS=-{d(20, 90)}.{d(100, 999)} | WHS=0.021  | "
        "THS=0.000  |",
        "CRITICAL WARNING: [Route 35-39] The design did not meet timing requirements. Please run report_timing_summary "
        "for detailed "
        "reports.",
    ]
    table = ["+----------------------------+-------+-------+-----------+-------+",
        "|          Site Type         |  Used | Fixed "
        "| Available | Util% |", "+----------------------------+-------+-------+-----------+-------+"]
    for site, used, all_ in [("Slice LUTs", lut * 532, 53200), ("LUT as Memory", 1740, 17400),
        ("Slice Registers", 30111, 106400),
            ("Block RAM Tile", bram, 140), ("DSPs", d(20, 90), 220), ("Bonded IOB", 61, 125), ("BUFGCTRL", 3, 32)]:
        table.append(f"| {site:<26} | {used:>5} |     0 | {all_:>9} | {100 * used / all_:>5.2f} |")
    tail = [table[0], "| Instance                     | Total LUTs |   FFs  | RAMB36 | DSP |", table[0]]
    tail += [f"|   u_{m:<26} | {d(20, 900):>10} | {d(20, 1900):>6} | {d(0, 5):>6} | {d(0, 3):>3} |"
        for m in r.sample(mods, 44)]
    tail += [table[0], "INFO: [Common 17-1381] The checkpoint '/proj/fpga/out/lab_top_routed.dcp' has been generated."]
    text = head + entries(r, 8, line, special) + route + table + tail + ["INFO: [Common 17-206] Exiting Vivado"]
    return text, [f"No ports matched '{net}_clk'", ["inferring latch", var], [f"WNS={wns}", "did not meet timing"],
        ["Block RAM Tile", f"{100 * bram / 140:.2f}"]]


@case("IarBuild.exe analyzer_fw.ewp -build Release -log warnings")
def iar_firmware(r):
    d = r.randint
    names = idents(r, 560)
    bad, gone, user = names.pop(), names.pop(), names.pop()
    size, limit = f"0x{d(2, 3)}'{hexes(r, 4)}", d(4, 24)

    def source(n, text, where="\\src\\"):
        return f'"C:\\lab\\fw{where}{n}.c",{d(20, 900)}  {text}'

    def unit():
        n, v = names.pop(), r.choice(names)
        kinds = [
            f'  static uint8_t {v};\n                 ^\n' + source(n,
                f'Warning[Pe177]: variable "{v}" was declared but never referenced'),
            f"    {v} = {v} + *reg;\n          ^\n" + source(n,
                "Warning[Pa082]: undefined behavior: the order of volatile accesses "
                "is undefined in this statement"),
            f"  int {v};\n      ^\n" + source(n, f'Warning[Pe550]: variable "{v}" was set but never used'),
            f"    mode = {d(0, 7)};\n           ^\n" + source(n,
                "Warning[Pe188]: enumerated type mixed with another type"),
            f"  return {v}(rack);\n         ^\n" + source(n, f'Warning[Pe223]: function "{v}" declared implicitly',
                "\\hal\\"),
        ]
        return "\n".join([f"{n}.c", *r.sample(kinds, r.choice([0, 0, 0, 1, 1, 2]))])

    special = [f"{bad}.c\n    cell[{limit}] = 0;\n         ^\n" + source(bad, "Warning[Pe175]: subscript out of range")]
    ram = f"0x2000'0000-0x200{d(1, 2)}'ffff"
    link = [
        "Linking",
        f'Error[Li005]: no definition for "{gone}" [referenced from C:\\lab\\fw\\Release\\Obj\\{user}.o]',
        "Error[Lp011]: section placement failed\n            unable to allocate space for sections/blocks with a "
        "total estimated minimum "
        f"size of\n            {size} bytes (max align 0x8) in\n            <[{ram}]> (total uncommitted space "
        "0x1'f000).",
    ]
    body = entries(r, 7, unit, special)
    warnings = "\n".join(body).count("Warning[")
    head = ["", "     IAR Command Line Build Utility V9.3.1.7143", "     Copyright 2002-2024 IAR Systems AB.", "", "",
        "Building configuration: analyzer_fw - Release", "Updating build tree..."]
    tail = ["Error(s) while running Linker", "", "Total number of errors: 2", f"Total number of warnings: {warnings}",
        "", "Build failed"]
    return head + body + link + tail, [[bad, "Pe175", "subscript out of range"], ["Li005", gone], ["Lp011", size]]


@case("gprbuild -k -p -P laboratory.gpr")
def gprbuild_ada(r):
    d = r.randint
    units = idents(r, 560)
    wrong, raised, *units = units
    types = [t.capitalize() for t in THINGS]
    kind, small = r.sample(types, 2)

    def unit():
        u, v, t = units.pop(), title(ident(r)), r.choice(types)
        lines = iter(sorted(distinct(r, 9, 12, 700)))
        at = lambda: f"{u}.adb:{next(lines)}:{d(4, 60):02}: "
        kinds = [
            at() + f'warning: variable "{v}" is not referenced [-gnatwu]',
            at() + 'warning: unit "Ada.Text_IO" is not referenced [-gnatwu]',
            at() + f'warning: "{v}" is not modified, could be declared constant [-gnatwk]',
            at() + f'warning: use clause for package "{t}s" has no effect [-gnatwu]',
            at() + "(style) bad casing of identifier [-gnatyr]",
            at() + f'warning: possible aliasing of "{v}" [-gnatw.i]',
            at() + "(style) multiple blank lines [-gnatyu]",
        ]
        chosen = sorted(r.sample(range(len(kinds)), r.choice([0, 0, 0, 1, 1, 2])))
        return "\n".join([f"   [Ada]          {u}.adb", *(kinds[k] for k in chosen)])

    value, at = d(300, 900), f"{wrong}.adb:{d(50, 400)}:{d(10, 50)}"
    special = [
        f"   [Ada]          {wrong}.adb\n{at}: error: expected private type \"{kind}_Id\" defined at "
        f"{kind.lower()}s.ads:{d(9, 40)}\n{at}: error: found type \"Standard.Integer\"",
        f"   [Ada]          {raised}.adb\n{raised}.adb:{d(50, 400)}:{d(10, 50)}: warning: value {value} not in range "
        "of type "
        f'"{small}_Count" defined at {small.lower()}s.ads:{d(9, 40)}, "Constraint_Error" will be raised at run time '
        '[enabled by default]',
    ]
    head = ["Setup", "   [mkdir]        object directory for project Laboratory", "Compile"]
    tail = ["", f"   compilation of {wrong}.adb failed", "", "gprbuild: *** compilation phase failed"]
    return head + entries(r, 7, unit, special) + tail, [
        [wrong, f'expected private type "{kind}_Id"'], [raised, "Constraint_Error", "raised at run time"]]


@case("lazbuild --build-mode=Release labdesk.lpi")
def fpc_pascal(r):
    d = r.randint
    units = idents(r, 500, "")
    wrong, abstract, spill, *units = units

    def at(u):
        return f"/src/labdesk/{u}.pas({d(1000, 3900)},{d(3, 80)}) "

    def unit():
        u, v = units.pop(), camel(ident(r), True)
        kinds = [
            at(u) + f'Hint: (5024) Parameter "{r.choice(["Sender", "Key", "ARow"])}" not used',
            at(u) + f'Note: (5025) Local variable "{v}" not used',
            at(u) + f'Hint: (5057) Local variable "{v}" does not seem to be initialized',
            at(u) + f'Note: (5027) Local variable "{v}" is assigned but never used',
            at(u) + 'Warning: (4105) Implicit string type conversion with potential data loss from "UnicodeString" to '
            '"AnsiString"',
            at(u) + f'Hint: (5023) Unit "{v}Utils" not used in {u}',
            at(u) + "Note: (6058) Call to subroutine marked as inline is not inlined",
        ]
        return "\n".join([f"(3104) Compiling {u}.pas", *sorted(r.sample(kinds, r.choice([0, 1, 1, 2, 3]))),
            f"(9001) Assembling {u}"])

    cls, method, got = camel(ident(r), True), camel(ident(r), True), camel(ident(r), True)
    value = d(300, 900)
    special = [
        f'(3104) Compiling {abstract}.pas\n{at(abstract)}Warning: (4046) Constructing a class "T{cls}" with abstract '
        f'method "{method}"\n'
        f"(9001) Assembling {abstract}",
        f"(3104) Compiling {spill}.pas\n{at(spill)}Warning: (3187) range check error while evaluating constants "
        f"({value} must be between "
        f"0 and 255)\n(9001) Assembling {spill}",
    ]
    body = entries(r, 9, unit, special)
    end = [
        f"(3104) Compiling {wrong}.pas",
        f'{at(wrong)}Error: (3069) Call by var for arg no. 1 has to match exactly: Got "{got}" expected "LongInt"',
        f"labdesk.lpr({d(20, 90)},{d(3, 40)}) Fatal: (10026) There were 1 errors compiling module, stopping",
        "Fatal: (1018) Compilation aborted",
        "Error: /usr/bin/ppcx64 returned an error exitcode",
        "Error: (lazarus) Compile Project, Mode: Release, Target: labdesk: stopped with exit code 256",
        "Error: (lazbuild) failed compiling of project /src/labdesk/labdesk.lpi",
    ]
    head = ["Free Pascal Compiler version 3.2.2+dfsg-20 [2023/03/30] for x86_64",
        "Copyright (c) 1993-2021 by Florian Klaempfl and "
        "others", "(1002) Target OS: Linux for x86-64"]
    return head + body + end, [
        [wrong, "Call by var for arg no. 1", got], [f"T{cls}", "abstract method", method],
        [spill, f"{value} must be between 0 and 255"]]


@case("salt-call state.apply --state-output=full")
def salt_highstate(r):
    d = r.randint
    clock, spent = Clock(r, 0.05), []

    def state(name, function, comment, changes="", ms=None, result="True"):
        took, started = ms or f"{d(1, 900)}.{d(10, 999)}", clock.text("%H:%M:%S.%f")
        clock.now += timedelta(milliseconds=float(took))
        spent.append(float(took))
        return (
            f"----------\n          ID: {name}\n    Function: {function}\n      Result: {result}\n     Comment: "
            f"{comment}\n"
            f"     Started: {started}\n    Duration: {took} ms\n     Changes:   {changes}"
        )

    def diff(path, *lines):
        body = "\n".join(["---", "+++", f"@@ -{d(1, 60)},3 +{d(1, 60)},3 @@", *lines])
        shown = "\n".join("                  " + x for x in body.split("\n"))
        return f"\n              ----------\n              diff:\n{shown}"

    def plain():
        n, t = ident(r, "-"), r.choice(THINGS)
        k = d(0, 6)
        if k == 0:
            return state(f"lab-{n}", "pkg.installed", "All specified packages are already installed")
        if k == 1:
            return state(f"{n}.service", "service.running", f"The service {n}.service is already running")
        if k == 2:
            return state(f"user_{t}", "user.present", f"User {t} is present and up to date")
        if k == 3:
            return state(f"/var/lib/lab/{t}s", "file.directory",
                f"The directory /var/lib/lab/{t}s is in the correct state")
        if k == 4:
            path, a = f"/etc/lab/{n}.conf", d(2, 30)
            change = diff(path, f" [{t}]", f"-workers = {a}", f"+workers = {a + 2}")
            return state(path, "file.managed", f"File {path} updated", change)
        if k == 5:
            return state(f"{n}-cron", "cron.present", f"Cron /opt/lab/bin/{n} already present")
        return state(f"/etc/lab/{n}.conf", "file.managed", f"File /etc/lab/{n}.conf is in the correct state")

    failed, slow, t = ident(r, "-"), ident(r, "-"), r.choice(THINGS)
    ms = f"{d(412, 880)}{d(100, 999)}.{d(10, 99)}"
    why = f"mount.nfs: access denied by server while mounting cold-store-3:/exports/{t}"
    special = [
        lambda: state(f"/srv/lab/{failed}", "mount.mounted", why, result="False"),
        lambda: state("/etc/ssh/sshd_config", "file.managed", "File /etc/ssh/sshd_config updated",
            diff("", " X11Forwarding no", "-PermitRootLogin no", "+PermitRootLogin yes")),
        lambda: state(f"index-{slow}", "cmd.run", f'Command "/opt/lab/bin/{slow} --reindex" run', ms=ms),
    ]
    body = entries(r, 12, plain, special)
    n, changed = len(body), sum("diff:" in b for b in body)
    tail = ["", f"Summary for {r.choice(HOSTS)}", "-------------", f"Succeeded: {n - 1} (changed={changed})",
        "Failed:      1",
        "-------------", f"Total states run:     {n}", f"Total run time: {sum(spent) / 1000:.3f} s"]
    return ["local:", *body, *tail], [[failed, "access denied by server"], "+PermitRootLogin yes", [slow, ms]]


@case("emerge --update --deep --newuse --keep-going @world")
def portage_emerge(r):
    d = r.randint
    sets = ["sci-libs", "dev-libs", "app-misc", "dev-python", "net-libs", "sys-apps", "media-gfx", "dev-db"]
    names = idents(r, 400, "-")
    count = [0]
    load = lambda: f"{d(2, 9)}.{d(10, 99)}, {d(2, 9)}.{d(10, 99)}, {d(2, 9)}.{d(10, 99)}"

    def package(extra=(), name=None):
        count[0] += 1
        p = f"{r.choice(sets)}/{name or names.pop()}-{d(0, 9)}.{d(0, 30)}.{d(0, 9)}"
        notes = [
            f" * Fixing permissions of /usr/share/{p.split('/')[1]}",
            " * Updating icons cache ...                                        [ ok ]",
            f" * Applying {p.split('/')[1]}-musl.patch ...                            [ ok ]",
            " * Determining the location of the kernel source code\n * Found kernel source directory:\n *     "
            "/usr/src/linux",
            " * Skipping make test/check due to ebuild restriction.",
            f" * QA Notice: file does not exist:\n * \tusr/share/doc/{p.split('/')[1]}/html",
            f" * A directory name has changed; nothing to do for {r.choice(THINGS)} users.",
        ]
        of = f"({count[0]} of @T) {p}::gentoo"
        out = [f">>> Emerging {of}", *r.sample(notes, r.choice([0, 0, 1, 1, 2])), *(x.replace("@P", p) for x in extra)]
        if "failed" not in "".join(extra):
            out += [f">>> Installing {of}", f">>> Completed {of}"]
        return "\n".join(out + [f">>> Jobs: {count[0]} of @T complete, {d(1, 3)} running               Load avg: "
            f"{load()}"])

    bad, manual, unsafe = names.pop(), names.pop(), names.pop()
    missing, old = r.choice(THINGS), d(12, 14)
    special = [
        lambda: package([f"ld: error: undefined symbol: {missing}_ctx_free_v2",
            " * ERROR: @P::gentoo failed (compile phase):",
            " *   emake failed", " * ", " * Call stack:", " *     ebuild.sh, line  136:  Called src_compile",
            " *   environment, line 2811:  Called die",
            " * The complete build log is located at '/var/tmp/portage/@P/temp/build.log'."],
            bad),
        lambda: package([f" * The on-disk format has changed. Run `{manual}-migrate --from={old}` BEFORE you restart",
            " * the service, or its tables will be unreadable."], manual),
        lambda: package([" * QA Notice: Package triggers severe warnings which indicate that it",
            " *            may exhibit random runtime failures.",
            f" * {unsafe}.c:{d(90, 900)}:{d(3, 40)}: warning: '__builtin___memcpy_chk' writing {d(65, 200)} bytes into "
            "a region of size 64 "
            "overflows the destination"], unsafe),
    ]
    head = ["Calculating dependencies... done!",
        f"Dependency resolution took {d(8, 40)}.{d(10, 99)} s (backtrack: 0/20).", "",
        ">>> Verifying ebuild manifests"]
    tail = ["", " * The following package has failed to build, install, or execute postinst:", " * ",
        f" *  ({bad}::gentoo, ebuild scheduled for merge)",
        " * IMPORTANT: 3 news items need reading for repository 'gentoo'."]
    body = [x.replace("@T", str(count[0])) for x in entries(r, 10, package, special)]
    return head + body + tail, [
        [bad, f"undefined symbol: {missing}_ctx_free_v2"], f"Run `{manual}-migrate --from={old}` BEFORE",
        [unsafe, "overflows the destination"]]


@case("bundle exec cap production deploy")
def capistrano_deploy(r):
    d = r.randint
    now, people = [0], "deploy"
    hosts = HOSTS[:6]
    gems = idents(r, 150, "-")

    def stamp(seconds):
        now[0] += seconds
        return f"{now[0] // 60:02}:{now[0] % 60:02}"

    def done(k, host, took):
        return f"    ✔ {k:02} {people}@{host} {took}"

    def task():
        name, t = ident(r, ":"), r.choice(THINGS)
        k = d(0, 3)
        if k == 0:
            lines = [f"      01 ln -s /srv/lims/shared/{t}s /srv/lims/releases/20250611/{t}s"]
        elif k == 1:
            lines = [f"      01 Using {g} {d(0, 9)}.{d(0, 20)}.{d(0, 9)}" for g in r.sample(gems, d(4, 14))]
        elif k == 2:
            lines = [f"      01 == 2024{d(10, 12)}{d(10, 28)}{d(10, 23)}{d(10, 59)}{d(10, 59)} "
                f"Add{camel(ident(r), True)}: migrating ======",
                f"      01 -- add_column(:{t}s, :{r.choice(THINGS)}_note, :string)",
                f"      01    -> 0.{d(1000, 9999)}s",
                f"      01 == migrated (0.{d(1000, 9999)}s) ====="]
        else:
            lines = [f"      01 curl -sf http://localhost:3000/{t}s/health",
                f'      01 {{"status":"ok","pool":{d(4, 30)}}}']
        return "\n".join([f"{stamp(d(2, 9))} lims:{name}", *lines,
            *(done(1, h, f"{d(0, 8)}.{d(100, 999)}s") for h in r.sample(hosts, d(1, 5)))])

    def warm():
        text = "\n".join([f"{stamp(4)} lims:warm_{t}", f"      01 bin/rails lims:warm_{t}", done(1, slow, took)])
        now[0] += int(float(took[:-1]))
        return text

    t, col, host, slow = r.choice(THINGS), ident(r), HOSTS[6], r.choice(hosts)
    took, exit_ = f"{d(431, 890)}.{d(100, 999)}s", d(2, 9)
    special = [
        lambda: "\n".join([f"{stamp(9)} deploy:migrate",
            f"      01 == 20250611{d(10, 23)}{d(10, 59)}{d(10, 59)} Drop{camel(col, True)}: migrating ====",
            f"      01 -- remove_column(:{t}s, :{col})", f"      01    -> 0.{d(1000, 9999)}s",
            done(1, hosts[0], f"9.{d(100, 999)}s")]),
        lambda: "\n".join([f"{stamp(9)} lims:restart", f"      01 sudo systemctl reload lims-{t}",
            done(1, hosts[1], "1.204s"),
            f"    ✘ 01 {people}@{host} 30.012s",
            f"      01 Job for lims-{t}.service failed: control process exited with code {exit_}"]),
        warm,
    ]
    head = ["00:00 git:wrapper", "      01 mkdir -p /tmp", "    ✔ 01 deploy@lis-01 0.215s"]
    body = entries(r, 8, task, special)
    tail = [f"{stamp(3)} deploy:log_revision",
        f'      01 echo "Branch main (at {hexes(r, 7)}) deployed by {r.choice(PEOPLE).lower()}"',
        done(1, hosts[0], "0.118s")]
    return head + body + tail, [f"remove_column(:{t}s, :{col})", [f"✘ 01 {people}@{host}", f"exited with code {exit_}"],
        took]


@case("Unity -batchmode -quit -projectPath . -executeMethod Build.Linux -logFile -")
def unity_batchmode(r):
    d = r.randint
    names = [camel(n, True) for n in idents(r, 200)]
    cls, member, prefab, shader, big, *names = names
    seconds = f"{d(190, 480)}.{d(1000000, 9999999)}"
    folders = ["Prefabs", "Textures", "Models/Bench", "Scenes", "Audio", "UI/Icons"]
    kinds = [".prefab", ".png", ".fbx", ".unity", ".wav", ".mat"]

    def imports(n, took):
        return (
            f"Start importing Assets/{r.choice(folders)}/{n}{r.choice(kinds)} using Guid({hexes(r, 32)}) Importer(-1,"
            f"{hexes(r, 32)})  -> (artifact id: '{hexes(r, 32)}') in {took} seconds"
        )

    def line():
        n, m = r.choice(names), r.choice(names)
        return r.choice(
            [
                imports(n, f"0.{d(1000000, 9999999)}"),
                f"Assets/Scripts/{n}.cs({d(9, 400)},{d(5, 60)}): warning CS0649: Field '{n}.{m}' is never assigned to, "
                "and will always "
                "have its default value null",
                f"Assets/Scripts/{n}.cs({d(9, 400)},{d(5, 60)}): warning CS0414: The field '{n}.{m}' is assigned but "
                "its value is "
                "never used",
                f"Refreshing native plugins compatible for Editor in {d(1, 9)}.{d(10, 99)} ms, "
                f"found {d(1, 6)} plugins.",
                f"Unloading {d(10, 900)} Unused Serialized files (Serialized files now loaded: {d(0, 40)})",
                f"[ScriptCompilation] Recompiling all scripts because of: {n} changed",
                f"Compiling shader \"Lab/{n}\" pass \"ForwardBase\" ({d(2, 64)} variants) [{d(0, 2)}.{d(10, 99)} sec]",
                f"Asset Pipeline Refresh (id={hexes(r, 16)}): Total: {d(0, 9)}.{d(100, 999)} seconds - Initiated by "
                "StopAssetImportingV2",
                f"[MODES] ModeService[default].InitializeCurrentMode {m}",
                f"DisplayProgressbar: Packing {m} atlas",
            ]
        )

    special = [
        f"Assets/Scripts/{cls}.cs({d(9, 400)},{d(5, 60)}): error CS1061: '{cls}' does not contain a definition for "
        f"'{member}' and no "
        "accessible extension method could be found",
        "The referenced script (Unknown) on this Behaviour is missing!\nThe referenced script on this Behaviour (Game "
        f"Object '{prefab}') "
        "is missing!",
        f"Shader error in 'Lab/{shader}': maximum ps_5_0 sampler register index (16) exceeded at line {d(40, 300)} (on "
        "vulkan)",
        imports(big, seconds),
    ]
    head = ["Unity Editor version:    2022.3.21f1 (bf09ca542b87)", "Branch:                  2022.3/staging",
        "BatchMode: 1, IsHumanControllingUs: 0",
        "[Licensing::Module] Successfully resolved entitlement details",
        "Loading GUID <-> Path mappings...0.000041 seconds"]
    tail = ["Aborting batchmode due to failure:", "Scripts have compiler errors."]
    return head + entries(r, 10, line, special) + tail, [
        [cls, "CS1061", member], ["script on this Behaviour", prefab], [f"Lab/{shader}", "sampler register index"],
        [big, seconds]]


@case("make -C plasma FC=nvfortran FFLAGS='-O3 -acc=gpu -gpu=cc80 -Minfo=accel' 2>&1")
def nvfortran_minfo(r):
    d = r.randint
    subs = idents(r, 220)
    serial, call, undeclared, *subs = subs
    field, callee, symbol = r.sample(THINGS, 3)

    def routine():
        s, at = subs.pop(), d(20, 300)
        out = [f"{s}:", f"{at:>7}, Generating implicit copyin({r.choice(THINGS)}(:,:)) [if not already present]"]
        for _ in range(d(1, 4)):
            at += d(4, 30)
            out += [f"{at:>7}, " + r.choice(["Loop is parallelizable", "Generating NVIDIA GPU code"])]
            out += [f"         {at + 1}, !$acc loop gang, vector({r.choice([64, 128, 128, 256])}) ! blockidx%x "
                "threadidx%x"]
            if d(0, 3) == 0:
                out += [f"         {at + 2}, !$acc loop seq", "             Generating implicit reduction(+:total)"]
        if d(0, 2) == 0:
            out = [f"nvfortran -O3 -acc=gpu -gpu=cc80 -Minfo=accel -c src/{s}.f90 -o obj/{s}.o", *out]
        return "\n".join(out)

    special = [
        f"{serial}:\n{d(50, 90):>7}, Loop carried dependence of {field} prevents parallelization\n         Loop "
        "carried backward dependence "
        f"of {field} prevents vectorization\n         Accelerator serial kernel generated\n         Generating NVIDIA "
        "GPU code",
        f"{call}:\n{d(50, 90):>7}, Accelerator restriction: unsupported call to 'mix_{callee}_'\n         Generating "
        "implicit copy(total)",
        f"NVFORTRAN-S-0038-Symbol, {symbol}_rate, has not been explicitly declared (src/{undeclared}.f90)\n"
        f"  0 inform,   0 warnings,   1 severes, 0 fatal for {undeclared}",
    ]
    tail = [f"make: *** [Makefile:{d(20, 60)}: obj/{undeclared}.o] Error 2",
        "make: Target 'all' not remade because of errors.",
        "make: Leaving directory '/home/lab/plasma'"]
    return ["make: Entering directory '/home/lab/plasma'", *entries(r, 7, routine, special), *tail], [
        [serial, "Accelerator serial kernel", field], [call, f"unsupported call to 'mix_{callee}_'"],
        [f"Symbol, {symbol}_rate", undeclared]]


@case("msbuild Labor.sln -m -p:Configuration=Release -clp:NoSummary")
def msbuild_deutsch(r):
    d = r.randint
    names = idents(r, 150)
    bad, local, path, *names = names
    got, want = r.sample([camel(n, True) for n in idents(r, 9)], 2)
    projects = ["Probenkern", "Messgeraet", "Befund", "Etikett", "Kuehllager"]

    def at(n):
        p = r.choice(projects)
        return f"C:\\Labor\\{p}\\{n}.cpp({d(12, 900)},{d(3, 70)}): ", f" [C:\\Labor\\{p}\\{p}.vcxproj]"

    def complain(n, text):
        a, b = at(n)
        return a + text + b

    def line():
        n, v = r.choice(names), r.choice(names)
        if d(0, 9) < 3:
            return f"  {n}.cpp"
        return complain(n, r.choice(
            [
                'warning C4244: "=": Konvertierung von "double" in "int", möglicher Datenverlust',
                f'warning C4101: "{v}": Unreferenzierte lokale Variable',
                'warning C4267: "Argument": Konvertierung von "size_t" nach "int", Datenverlust möglich',
                f'warning C4100: "{v}": unreferenzierter formaler Parameter',
                f'warning C4458: Die Deklaration von "{v}" blendet den Klassenmember aus.',
                f"warning C4996: '{v}': wurde als veraltet deklariert",
                'warning C4018: "<": Konflikt zwischen "signed" und "unsigned"',
            ]
        ))

    special = [
        complain(bad, f'error C2440: "Initialisierung": "{got}" kann nicht in "{want} *" konvertiert werden'),
        complain(local, 'warning C4172: Adresse einer lokalen Variablen oder eines temporären Objekts wird '
            f'zurückgegeben: "{local}_puffer"'),
        complain(path, f'warning C4715: "{camel(path, True)}": Nicht alle Codepfade geben einen Wert zurück.'),
    ]
    head = ["Microsoft (R)-Build-Engine, Version 17.9.8+b34f75857 für .NET Framework",
        "Copyright (C) Microsoft Corporation. Alle Rechte "
        "vorbehalten.", "", "Der Buildvorgang wurde am 11.06.2025 08:14:22 gestartet.", "ClCompile:"]
    return head + entries(r, 8, line, special) + ["", "Verstrichene Zeit 00:04:11.83"], [
        ["C2440", got, f"{want} *"], ["C4172", f"{local}_puffer"], ["C4715", camel(path, True)]]


@case("rpmbuild -ba SPECS/labtrack.spec 2>&1")
def rpmbuild_spec(r):
    d = r.randint
    names = idents(r, 200)
    stray, lib, weak, *names = names
    person = r.choice(PEOPLE).lower()
    root = "/root/rpmbuild/BUILDROOT/labtrack-4.2.1-3.el9.x86_64"

    def warn(n, text):
        return f"{n}.c: In function '{n}_init':\n{n}.c:{d(20, 400)}:{d(3, 40)}: warning: {text}"

    def stage(size, make, special=()):
        return entries(r, size, lambda: make(r.choice(names)), special)

    def build(n):
        return r.choice([
            "/bin/sh ../libtool --tag=CC --mode=compile gcc -DHAVE_CONFIG_H -I. -O2 -g -fstack-protector-strong -c -o "
            f"{n}.lo {n}.c",
            f"libtool: compile:  gcc -DHAVE_CONFIG_H -I. -O2 -g -c {n}.c  -fPIC -DPIC -o .libs/{n}.o",
            f"  CCLD     {n}",
            warn(n, "unused variable 'ret' [-Wunused-variable]"), warn(n,
                "comparison of integer expressions of different signedness"),
        ])

    def install(n):
        return r.choice([f"/usr/bin/install -p -m 644 {n}.h {root}/usr/include/labtrack/{n}.h",
            f"+ install -Dpm 0755 tools/{n} {root}/usr/libexec/labtrack/{n}",
            f"libtool: warning: relinking 'lib{n}.la'"])

    def polish(n):
        return r.choice([f"extracting debug info from {root}/usr/libexec/labtrack/{n}",
            f"mangling shebang in /usr/libexec/labtrack/{n} from /usr/bin/env python3 to /usr/bin/python3",
            f"*** WARNING: ./usr/share/labtrack/{n}.txt is executable but has no shebang, removing executable bit"])

    unsafe = warn(weak, "'sig_ok' may be used uninitialized [-Wmaybe-uninitialized]")
    invalid = (
        f"WARNING 0002: file '/usr/lib64/lib{lib}.so.2' contains an invalid runpath '/home/{person}/labtrack/.libs' in "
        f"[/home/{person}/labtrack/.libs]"
    )
    nameless = f"*** WARNING: No build ID note found in {root}/usr/libexec/labtrack/{stray}-agent"
    body = stage(1, lambda n: f"checking for {n}.h... {r.choice(['yes', 'yes', 'yes', 'no'])}") + ["+ make -O -j8 V=1"]
    body += stage(4, build, [unsafe]) + ["Executing(%install): /bin/sh -e /var/tmp/rpm-tmp." + hexes(r, 6)]
    body += stage(2, install) + ["+ /usr/lib/rpm/check-rpaths", invalid, "+ /usr/lib/rpm/check-buildroot"]
    body += stage(2, polish, [nameless]) + ["Processing files: labtrack-4.2.1-3.el9.x86_64"]
    body += stage(1, lambda n: f"Requires: lib{n}.so.{d(1, 4)}()(64bit)")
    head = ["Executing(%prep): /bin/sh -e /var/tmp/rpm-tmp." + hexes(r, 6), "+ umask 022", "+ cd /root/rpmbuild/BUILD",
        "+ rm -rf labtrack-4.2.1",
        "+ /usr/bin/gzip -dc /root/rpmbuild/SOURCES/labtrack-4.2.1.tar.gz",
        "+ ./configure --prefix=/usr --disable-static"]
    tail = ["Checking for unpackaged file(s): /usr/lib/rpm/check-files " + root,
        "error: Installed (but unpackaged) file(s) found:",
        f"   /etc/labtrack/{stray}.key", "", "RPM build errors:", "    Installed (but unpackaged) file(s) found:",
        f"   /etc/labtrack/{stray}.key"]
    return head + body + tail, [
        f"/etc/labtrack/{stray}.key", [f"lib{lib}.so.2", "invalid runpath"],
        [weak, "'sig_ok' may be used uninitialized"],
        ["No build ID note", f"{stray}-agent"]]


@case("conan create . --build=missing -pr:a lab-gcc13")
def interest_conan_package(r):
    d = r.randint
    packages = [f"{n}/{d(0, 9)}.{d(0, 30)}.{d(0, 9)}" for n in idents(r, 130, "-")]
    asked = r.choice(packages[30:90])
    ids = {p: hexes(r, 40) for p in packages}
    out = ["======== Exporting recipe to the cache ========",
        "labcore/7.3.0: Exporting package recipe: /work/labcore/conanfile.py",
        f"labcore/7.3.0: Exported: labcore/7.3.0#{hexes(r, 32)} (2025-06-11 08:14:22 UTC)", "",
        "======== Computing dependency graph ========"]
    for p in packages[::3]:
        out.append(f"{p}: Not found in local cache, looking in remotes...\n{p}: Checking remote: conancenter")
        out.append(f"{p}: Downloaded recipe revision {hexes(r, 32)}")
    out += ["", "======== Installing packages ========"]
    for k, p in enumerate(packages, 1):
        if d(0, 3) == 0:
            out += [f"-------- Installing package {p} ({k} of {len(packages)}) --------", f"{p}: Building from source",
                f"{p}: Package {p}:{ids[p]}", f"{p}: Copying sources to build folder", f"{p}: Calling build()",
                f"{p}: Package '{ids[p]}' built in {d(2, 90)}.{d(10, 99)}s"]
        elif p != asked and d(0, 2) == 0:
            out += [f"{p}: Already installed! ({k} of {len(packages)})"]
        else:
            out += [f"{p}: Retrieving package {ids[p]} from remote 'conancenter'",
                f"Downloading {d(20, 9000)}.{d(0, 9)}KB {p}",
                f"{p}: Decompressing conan_package.tgz", f"{p}: Package installed {ids[p]}"]
    out += ["", "======== Testing the package ========", "labcore/7.3.0 (test package): Running test()",
        "labcore: 41 checks passed"]
    return out, [ids[asked]], dict(last=f"Which package id (the 40 hex digits) did {asked} get in that run?")
