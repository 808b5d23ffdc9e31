"""Programs as an agent reads them: Prolog, Tcl, GDScript, RISC-V assembly, Structured Text, Starlark and Crystal.

The needles are what a file offers to others, and the one line in it that a reader would want to be told about."""

from ..case import case
from .stock import PEOPLE, THINGS, camel, distinct, entries, hexes, ident, idents

WHY = (
    "Called once for each {a} of a day; the {b} is locked by then.",
    "The {a} is taken as it is, a missing {b} counts as zero.",
    "Older {a}s have no {b}, these are left alone.",
    "Gives the {b} that belongs to the {a}, in frames.",
    "Order matters: the {b} has to come after its {a}.",
    "Runs for every {a} after the {b} has been booked.",
    "Kept apart from the {b} so that a {a} can be tried alone.",
    "Only the last {a} of a {b} is looked at.",
)


def why(r):
    a, b = r.sample(THINGS, 2)
    return r.choice(WHY).format(a=a, b=b)


def split(r, public, secret):
    """`public` and `secret` different names."""
    names = idents(r, public + secret)
    return names[:public], iter(names[public:])


def spread(r, size, private, public):
    """Private definitions, with the public ones among them."""
    return entries(r, size, private, public, low=0.06, high=0.92)


def numbered(lines, start=1):
    return [f"{k:6}\t{line}" for k, line in enumerate("\n".join(lines).split("\n"), start)]


# Prolog


def goals(r, n):
    out = []
    for _ in range(n):
        a, b = (x.capitalize() for x in r.sample(THINGS, 2))
        k = r.randint(2, 96)
        out.append(
            r.choice(
                [
                    f"member({a}-{b}, Pairs{k})",
                    f"{ident(r)}_({a}, {b})",
                    f"{b}Len is {a}End - {a}Start + {k}",
                    f"findall({a}, {r.choice(THINGS)}_of({a}, {b}), {a}s)",
                    f"\\+ {r.choice(THINGS)}_hold({a}, Day, _)",
                    f"(   {a}Fps =:= {k} ->  {b}Rate = film\n    ;   {b}Rate = video\n    )",
                    f"exclude(short({k}), {a}s, {b}s)",
                    f"must_be(positive_integer, {a}Count)",
                    f"sort(1, @>=, {a}s, Sorted{b}s)",
                    f"format(atom({a}Label), '~w/~w', [{b}, {k}])",
                    f"nb_getval({r.choice(THINGS)}_limit, {a}Max), {b}Count =< {a}Max",
                    f"debug(booking, '{a.lower()} ~w takes ~w', [{a}, {b}])",
                ]
            )
        )
    return ",\n    ".join(out) + "."


def predicate(r, name, documented):
    args = [x.capitalize() for x in r.sample(THINGS, r.randint(2, 3))]
    doc = ""
    if documented:
        modes = ", ".join(r.choice(["+", "-", "?"]) + a for a in args)
        doc = f"%!  {name}({modes}) is {r.choice(['det', 'semidet', 'nondet'])}.\n%\n%   {why(r)}\n\n"
    head = f"{name}({', '.join(args)})"
    first = f"{name}([], _{', []' * (len(args) - 2)}).\n" if r.random() < 0.3 else ""
    return f"{doc}{first}{head} :-\n    {goals(r, r.randint(3, 8))}\n"


@case("cat rules/stage_booking.pl")
def prolog_module(r):
    public, secret = split(r, 11, 200)
    person = r.choice(PEOPLE).lower()
    exported = ",\n            ".join(f"{n}/{r.randint(2, 3)}" for n in public)
    head = [
        f":- module(stage_booking,\n          [ {exported}\n          ]).\n",
        ":- use_module(library(lists)).\n:- use_module(library(apply)).\n:- use_module(library(debug)).\n",
        ":- dynamic stage_hold/3, crew_rest/2, union_rule/3.\n",
    ]
    loose = (
        "%   Who may overrule a hold on a stage.\n\nmay_overrule(Person, Stage) :-\n    head_of(Person, Stage), !.\n"
        f"may_overrule({person}, _) :- !.    % always, ticket STG-{r.randint(1000, 9999)}\n"
    )
    hours = r.randint(2, 5)
    rest = f"min_rest_hours(night_shoot, {hours}).\nmin_rest_hours(day_shoot, 11).\nmin_rest_hours(travel, 11).\n"
    special = [predicate(r, n, True) for n in public] + [loose, rest]
    body = spread(r, 6.5, lambda: predicate(r, next(secret), r.random() < 0.3), special)
    return head + body, [*public, f"may_overrule({person}, _)", f"min_rest_hours(night_shoot, {hours})"]


# Tcl


def tcl_lines(r, n):
    out = []
    for _ in range(n):
        a, b = r.sample(THINGS, 2)
        k = r.randint(2, 900)
        out += r.choice(
            [
                [f"set {a} [dict get $opts -{b}]"],
                [f"if {{![info exists {a}s(${b})]}} {{", f'    return -code error "no {a} for ${b}"', "}"],
                [f"foreach {a} [lsort -integer ${b}s] {{", f"    lappend out [list ${a} [incr n {k}]]", "}"],
                [f"lassign [split ${a} :] {b} frames"],
                [f"set {a} [expr {{${b} * {k} / 24.0}}]"],
                [f"regexp {{^{a}-(\\d+)\\.(\\w+)$}} ${b} -> number ext"],
                [f"after {k} [namespace code [list {ident(r)} ${a}]]"],
                [f"dict incr totals {a} [string length ${b}]"],
                [f'log::debug "{a} ${b}: [llength $out] of {k}"'],
                [f"switch -- ${a} {{", f"    {b} {{ set rate {k} }}", "    default { set rate 24 }", "}"],
                [f"if {{[catch {{{ident(r)} ${a}}} err]}} {{", f'    log::notice "{a}: $err"', "    return {}", "}"],
            ]
        )
    return "".join(f"    {x}\n" for x in out)


def tcl_proc(r, name):
    args = " ".join(r.choice([a, f"{{{a} {r.randint(1, 99)}}}"]) for a in r.sample(THINGS, r.randint(1, 3)))
    doc = f"# {why(r)}\n" if r.random() < 0.5 else ""
    return (
        f"{doc}proc {name} {{{args}}} {{\n{tcl_lines(r, r.randint(3, 9))}    return "
        f"${r.choice(['out', 'n', 'rate'])}\n}}\n"
    )


@case("cat lib/ingest.tcl")
def tcl_namespace(r):
    public, secret = split(r, 12, 200)
    key = "vault" + hexes(r, 10)
    head = ["# ingest.tcl -- reels from the set into the vault", "", "package require Tcl 8.6", "package require log",
        "",
        "namespace eval ::ingest {", "    variable spool /srv/ingest/spool", "    variable lanes 4",
        "    variable totals {}",
        "}", ""]  # fmt: skip
    sweep = (
        "# After a day the spool is not needed any more.\nproc ::ingest::Sweep {} {\n    variable spool\n"
        "    foreach f [glob -nocomplain -directory $spool *] {\n"
        "        if {[file mtime $f] < [clock seconds] - 86400} {\n"
        "            catch {file delete -force -- $f}\n        }\n    }\n}\n"
    )
    login = (
        "proc ::ingest::Login {host} {\n    set s [socket $host 7411]\n"
        "    fconfigure $s -buffering line -encoding utf-8\n"
        f'    puts $s "AUTH ingest {key}"\n    return $s\n}}\n'
    )
    special = [tcl_proc(r, f"::ingest::{n}") for n in public] + [sweep, login]
    body = spread(r, 6, lambda: tcl_proc(r, f"::ingest::{camel(next(secret), True)}"), special)
    return head + body + ["package provide ingest 3.2"], [*public, "file delete -force", f"AUTH ingest {key}"]


# GDScript


def gd_lines(r, n):
    out = []
    for _ in range(n):
        a, b = r.sample(THINGS, 2)
        k = r.randint(2, 400)
        out += r.choice(
            [
                [f"var {a} := _{b}s[index] as Node3D"],
                [f"if {a}.is_empty():", "\treturn"],
                [f"for {a} in get_tree().get_nodes_in_group(&\"{b}s\"):", f"\t{a}.visible = {a}.index < {k}"],
                [f"_{a} = lerpf(_{a}, {k}.0, delta * {r.randint(1, 9)}.0)"],
                [f"await get_tree().create_timer(0.{k}).timeout"],
                [f"match {a}:", f'\t"{b}":', f"\t\t_{b}_speed = {k}.0", "\t_:", f"\t\t_{b}_speed = 1.0"],
                [f"$Rig/{a.capitalize()}.rotation_degrees.y = clampf(yaw, -{k}.0, {k}.0)"],
                [f"var tween := create_tween().set_trans(Tween.TRANS_{r.choice(['SINE', 'CUBIC', 'QUAD'])})"],
                [f"tween.tween_property({a}, ^\"position:x\", {k}.0, 0.{r.randint(1, 9)})"],
                [f"assert(_{a}s.size() <= {k})"],
                [f"_{a}s.sort_custom(func(x, y): return x.{b} < y.{b})"],
            ]
        )
    return "".join(f"\t{x}\n" for x in out)


def gd_func(r, name):
    a, b = r.sample(THINGS, 2)
    args = r.choice(["", f"{a}: Node3D", f"{a}: String, {b} := {r.randint(1, 60)}", "delta: float",
        "index: int, yaw: float"])
    doc = f"## {why(r)}\n" if not name.startswith("_") else ""
    kind = r.choice(["void", "void", "bool", "int", "Array[Node3D]"])
    end = {"void": "", "bool": "\treturn true\n", "int": f"\treturn _{a}s.size()\n",
        "Array[Node3D]": f"\treturn _{a}s\n"}[kind]
    return f"{doc}func {name}({args}) -> {kind}:\n{gd_lines(r, r.randint(3, 8))}{end}\n"


@case(tool="Read", file_path="/game/previs/virtual_stage.gd")
def gdscript_node(r):
    public, secret = split(r, 10, 200)
    signals = [f"{t}_{w}" for t, w in zip(r.sample(THINGS, 3), ("locked", "lost", "rewound"))]
    head = ["class_name VirtualStage", "extends Node3D", f"## {why(r)}", ""]
    head += [f"signal {s}({r.choice(['index: int', 'reason: String', ''])})" for s in signals] + [""]
    head += [f"@export_range(0, {r.randint(2, 900)}) var {t}_limit := {r.randint(1, 99)}" for t in r.sample(THINGS, 6)]
    head += [f"var _{t}s: Array[Node3D] = []" for t in r.sample(THINGS, 8)] + ["", ""]
    cheat = (
        "func _unhandled_key_input(event: InputEvent) -> void:\n\tif event.is_action_pressed(&\"ui_cancel\"):\n"
        "\t\tget_viewport().set_input_as_handled()\n"
        f"\tif OS.has_feature(\"web\") and event.keycode == KEY_F{r.randint(6, 11)}:\n"
        "\t\t_licence_ok = true  # HACK for the fair, must not ship\n\n"
    )
    special = [gd_func(r, n) for n in public] + [cheat]
    body = spread(r, 6, lambda: gd_func(r, f"_{next(secret)}"), special)
    lines = [x for part in body for x in part.split("\n")]
    return numbered(head + lines), ["VirtualStage", *signals, *public, "_licence_ok = true"]


# RISC-V assembly


def asm_lines(r, label):
    s = [f"s{k}" for k in range(4)]
    t = [f"t{k}" for k in range(6)] + [f"a{k}" for k in range(5)]
    out = []
    for _ in range(r.randint(9, 26)):
        a, b, c, k = r.choice(t), r.choice(t), r.choice(s), 8 * r.randint(0, 31)
        out.append(
            r.choice(
                [
                    f"ld      {a}, {k}({c})", f"lw      {a}, {k}({b})", f"sd      {a}, {k}({c})",
                    f"addi    {a}, {b}, {r.randint(-64, 640)}", f"slli    {a}, {b}, {r.randint(1, 12)}",
                    f"and     {a}, {b}, {c}", f"add     {a}, {a}, {b}", f"mulw    {a}, {a}, {b}",
                    f"li      {a}, {r.randint(2, 4095)}", f"la      {a}, {r.choice(THINGS)}_table",
                    f"beqz    {a}, {label}", f"bltu    {a}, {b}, {label}", f"mv      {c}, {a}",
                    f"lbu     {a}, 0({b})          # next {r.choice(THINGS)}",
                    f"call    {r.choice(THINGS)}_step", f"vle32.v v{r.randint(0, 7)}, ({a})",
                ]
            )
        )  # fmt: skip
    out.insert(r.randint(len(out) // 2, len(out)), label + ":")
    return out


def asm_function(r, name, glob, note=None):
    label, size = f".L{r.getrandbits(14)}", 16 * r.randint(2, 6)
    lines = asm_lines(r, label)
    if note:
        lines.insert(r.randint(3, 7), note)
    head = [f"# {why(r)}"] if glob or r.random() < 0.2 else []
    head += [f"\t.globl\t{name}"] if glob else []
    head += ["\t.p2align\t2", f"\t.type\t{name}, @function", f"{name}:", f"\taddi    sp, sp, -{size}",
        f"\tsd      ra, {size - 8}(sp)"]
    end = [f"\tld      ra, {size - 8}(sp)", f"\taddi    sp, sp, {size}", "\tret", f"\t.size\t{name}, .-{name}", ""]
    return "\n".join(head + [x if x.endswith(":") else "\t" + x for x in lines] + end)


@case("cat kernels/grade_rv64.S")
def riscv_assembly(r):
    public, secret = split(r, 9, 300)
    bug = f"csrci   mstatus, {8 * r.randint(1, 2)}          # FIXME interrupts stay off until reboot"
    wide = f"# BUG: reads {r.randint(3, 15)} bytes past the row when width % 8 != 0"
    notes = dict(zip(r.sample(public, 2), (bug, wide)))
    head = ["# Colour kernels of the grading desk, RV64GCV.", "", '\t.attribute arch, "rv64imafdcv"', "\t.option pic",
        "\t.text", ""]  # fmt: skip
    special = [asm_function(r, n, True, notes.get(n)) for n in public]
    body = spread(r, 7, lambda: asm_function(r, next(secret), False), special)
    tables = ["\t.section\t.rodata", "\t.p2align\t3"]
    for t in r.sample(THINGS, 5):
        tables += [
            f"{t}_table:"] + [f"\t.word\t{', '.join(hex(r.getrandbits(16)) for _ in range(6))}" for _ in range(4)]
    return head + body + tables, [*public, "FIXME interrupts stay off", wide[2:26].strip()]


# Structured Text of a PLC


def st_lines(r, n):
    out = []
    for _ in range(n):
        a, b = (x.capitalize() for x in r.sample(THINGS, 2))
        k = r.randint(2, 950)
        out += r.choice(
            [
                [f"ton{a}(IN := x{b}Moving, PT := T#{k}MS);"],
                [f"IF ton{a}.Q AND NOT x{b}Blocked THEN", f"    x{a}Release := TRUE;", "END_IF;"],
                [f"r{a}Pos := r{a}Pos + r{b}Speed * 0.{k};"],
                [f"CASE i{a}Step OF", f"    0: IF x{b}Home THEN i{a}Step := 10; END_IF;",
                    f"    10: r{b}Speed := {k}.0;", "        " + f"i{a}Step := 20;", "    20: ;", "END_CASE;"],
                [f"r{a}Ramp := LIMIT(0.0, r{b}Set, {k}.0);"],
                [f"trig{a}(CLK := x{b}Button);"],
                [f"FOR i := 1 TO {k % 16 + 2} DO", f"    arr{a}[i] := arr{b}[i] AND w{a}Mask;", "END_FOR;"],
                [f"w{a}State.{k % 16} := x{b}Fault;  (* shown on panel {k % 7 + 1} *)"],
                [f"x{a}Warning := r{b}Temp > {k / 10:.1f};"],
                [f"fb{a}(xEnable := x{b}Ready, rTarget := r{a}Pos);"],
            ]
        )  # fmt: skip
    return out


def st_block(r, name, kind, extra=()):
    var = []
    for _ in range(r.randint(2, 5)):
        a = r.choice(THINGS).capitalize()
        var.append(r.choice([f"    x{a}Ready : BOOL;", f"    r{a}Set : REAL := {r.randint(1, 90)}.0;",
            f"    ton{a} : TON;"]))
    lines = st_lines(r, r.randint(11, 24))
    lines = lines[:2] + list(extra) + lines[2:]
    result = " : REAL" if kind == "FUNCTION" else ""
    return "\n".join([f"(* {why(r)} *)", f"{kind} {name}{result}", "VAR_INPUT", *var[:2], "END_VAR", "VAR", *var[2:],
        "END_VAR", "",
        *lines, f"END_{kind}", ""])  # fmt: skip


@case("cat plc/StageMachinery.st")
def structured_text_plc(r):
    names = idents(r, 13)
    kinds = ["FUNCTION_BLOCK"] * 9 + ["FUNCTION"] * 3 + ["PROGRAM"]
    prefix = {"FUNCTION_BLOCK": "FB_", "FUNCTION": "F_", "PROGRAM": "PRG_"}
    full = [prefix[k] + camel(n, True) for n, k in zip(names, kinds)]
    speed = f"{r.randint(31, 79) / 10}"
    odd = {
        r.randint(0, 4): ["xEStopOk := TRUE;  (* xEStopA AND xEStopB, put back after commissioning *)"],
        r.randint(5, 8): ["IF xDoorOpen THEN", f"    rHoistSpeed := {speed};  (* was 0.0 *)", "END_IF;"],
    }
    blocks = [st_block(r, f, k, odd.get(i, ())) for i, (f, k) in enumerate(zip(full, kinds))]
    text, types = r.sample(blocks[:-1], 12), ["TYPE E_StageMode :", "(", "    Idle := 0,"]
    types += [f"    {t.capitalize()} := {k * 10}," for k, t in enumerate(r.sample(THINGS, 8), 1)]
    text = ["(* Stage 4: flying rig, turntable and doors *)", *types, "    Service := 99", ");", "END_TYPE", "", *text,
        blocks[-1]]
    return text, [*full, "xEStopOk := TRUE", f"rHoistSpeed := {speed}"]


# Starlark


def attributes(r, names):
    out = []
    for n in names:
        out.append(
            r.choice(
                [
                    f'        "{n}": attr.int(default = {r.randint(2, 99)}),',
                    f'        "{n}": attr.label_list(allow_files = [".{r.choice(["mov", "exr", "wav", "dpx"])}"]),',
                    f'        "{n}": attr.bool(default = {r.choice(["True", "False"])}),',
                    f'        "{n}": attr.string(default = "{r.choice(THINGS)}", values = ["{r.choice(THINGS)}", '
                    '"none"]),',
                    f'        "{n}": attr.label(mandatory = True, cfg = "exec", executable = True),',
                    f'        "{n}": attr.string_dict(),',
                ]
            )
        )
    return out


def star_rule(r, name, extra=()):
    a, b, c = r.sample(THINGS, 3)
    attrs = attributes(r, idents(r, r.randint(4, 9)))
    attrs[1:1] = extra
    return "\n".join(
        [
            f"def _{name}_impl(ctx):", f'    """{why(r)}"""',
            f"    {a} = ctx.actions.declare_file(ctx.label.name + \".{b}\")",
            "    args = ctx.actions.args()", f'    args.add("--{c}", {a})',
            f'    args.add_all(ctx.files.{b}s, before_each = "-{b[0]}")', "    ctx.actions.run(",
            f"        outputs = [{a}],", f"        inputs = ctx.files.{b}s,",
            "        executable = ctx.executable._tool,",
            "        arguments = [args],", f'        mnemonic = "{camel(name, True)}",',
            f'        progress_message = "{name.split("_")[0]} %{{label}}",', "    )",
            f"    return [DefaultInfo(files = depset([{a}])), {b.capitalize()}Info({c} = {a})]", "",
            f"{name} = rule(", f"    implementation = _{name}_impl,", "    attrs = {", *attrs,
            f'        "_tool": attr.label(default = "//tools/{b}:{c}", cfg = "exec", executable = True),', "    },",
            ")", "", "",
        ]
    )  # fmt: skip


@case("cat bazel/reels.bzl", ask="These are our build rules. Have a look at them before we go on.")
def interest_starlark_defaults(r):
    names = iter(idents(r, 400))
    name, key = next(names), f"{r.choice(THINGS)}_{r.choice(['handles', 'padding', 'margin'])}"
    value = r.randint(2100, 9700)
    head = ['"""Rules for reels."""', "", 'load("//bazel:providers.bzl", "ReelInfo", "SceneInfo")', ""]
    asked = star_rule(r, name, [f'        "{key}": attr.int(default = {value}),'])
    body = entries(r, 8, lambda: star_rule(r, next(names)), [asked], low=0.3, high=0.7)
    last = f"What does {key} default to in the rule {name}? I need the number for the ticket."
    return head + body, [f"{value}"], dict(last=last)


# Crystal


def cr_lines(r, n):
    out = []
    for _ in range(n):
        a, b = r.sample(THINGS, 2)
        k = r.randint(2, 500)
        out += r.choice(
            [
                [f"{a} = @{b}s[index]? || return nil"],
                [f"@{a}s.each_with_index do |{a}, i|", f"  {a}.offset += i * {k}", "end"],
                [f"raise {a.capitalize()}Error.new(\"{b} #{{index}}\") if {b} > {k}"],
                [f"Log.debug {{ \"{a} of #{{{b}}} after #{{count}}\" }}"],
                [f"{a}s = @{b}s.select {{ |x| x.frames >= {k} }}.sort_by(&.{a})"],
                [f"case {a}", f"when .{b}? then count += {k}", "else            count -= 1", "end"],
                [f"spawn(name: \"{a}\") {{ @{b}_done.send({k}) }}"],
                [f"@lock.synchronize {{ @{a}_total += {b}.to_i64 * {k} }}"],
            ]
        )
    return [f"      {x}" for x in out]


def cr_def(r, name, lines=None):
    a = r.choice(THINGS)
    args = r.choice([f"({a} : Int32, index = 0)", "(index : Int32)", f"({a} : String)", ""])
    doc = [f"    # {why(r)}"] if r.random() < 0.5 else []
    lines = lines or cr_lines(r, r.randint(4, 10)) + [f"      {r.choice(['count', 'index', 'nil', 'true'])}"]
    return "\n".join([*doc, f"    def {name}{args}", *lines, "    end", ""])


@case(tool="Read", file_path="/srv/dub/src/dub/queue.cr")
def edited_crystal(r):
    names = iter(idents(r, 300))
    name = next(names)
    a, b, c = r.sample(THINGS, 3)
    k, m, n = distinct(r, 3, 11, 990)
    old = f"      slack = {k}.milliseconds"
    mine = [
        f"      pending = @{a}s.reject {{ |x| x.locked? || x.{b}_id == @skip }}", old,
        f"      pending.in_groups_of({m}, filled_up_with: nil) do |group|",
        "        deadline = Time.monotonic + slack * group.compact.size",
        f"        group.each {{ |x| x.try &.hand_over(@{c}, deadline) }}",
        f"        break if @{c}.backlog > {n}", "      end", f"      pending.sum(&.{b}_frames)",
    ]  # fmt: skip
    head = ["require \"log\"", "require \"./lane\"", "", "module Dub", "  class Queue",
        "    Log = ::Log.for(\"dub.queue\")", ""]
    head += [f"    @{t}s = [] of {t.capitalize()}" for t in r.sample(THINGS, 9)] + [""]
    body = entries(r, 7, lambda: cr_def(r, next(names)), [cr_def(r, name, mine)], low=0.25, high=0.75)
    edit = dict(
        file_path="/srv/dub/src/dub/queue.cr", old_string=old, new_string=f"      slack = {k * 2}.milliseconds"
    )
    needles = [f"reject {{ |x| x.locked? || x.{b}_id == @skip }}", f"in_groups_of({m}, filled_up_with: nil)",
        f"break if @{c}.backlog > {n}"]  # fmt: skip
    lines = [x for part in head + body + ["  end", "end"] for x in part.split("\n")]
    return numbered(lines), needles, dict(edit=edit)
