"""Source files: of an outline the names of its functions and types must stay, of an edited file what was edited."""

from ..case import case
from .stock import PEOPLE, THINGS, camel, distinct, entries, hexes, idents, ip, pair


def spread(heads, body, r, size):
    """Each of `heads`, a text with one %s for its body, filled with statements; `size` as in `entries`."""
    each = size / len(heads)
    return [h % "\n".join(entries(r, each, body)) for h in heads]


@case(tool="Read", file_path="/src/grid/src/relay.zig")
def zig_outline(r):
    fns = [camel(n) for n in idents(r, 18)]
    types = [camel(pair(r), True) + k for k in ("Table", "Queue", "Frame")]

    def body():
        v, f = pair(r), camel(pair(r))
        return r.choice(
            [
                f"        const {v} = try self.{r.choice(THINGS)}.{f}(self.gpa, {r.randint(1, 900)});\n        defer "
                f"self.gpa.free({v});",
                f"        if ({v}.len > {r.randint(8, 4096)}) return error.Bad{f[0].upper()}{f[1:]};",
                f"        for ({v}.items, 0..) |item, i| {{\n            self.{r.choice(THINGS)}[i] +%= "
                f"item.{r.choice(THINGS)};\n        }}",
                f"        std.log.debug(\"{pair(r, ' ')} {{d}}\", .{{{v}}});",
            ]
        )

    heads = [f"    pub fn {n}(self: *@This(), {r.choice(THINGS)}: u{r.choice([16, 32, 64])}) !void {{\n%s\n    }}\n"
        for n in fns]
    parts = spread(heads, body, r, 8)
    out = ['const std = @import("std");', ""]
    for k, t in enumerate(types):
        out += [f"pub const {t} = struct {{", "    gpa: std.mem.Allocator,", "    seq: u32 = 0,", "",
            *parts[k * 6 : k * 6 + 6], "};", ""]
    return out, [*fns, *types]


@case("cat lib/estimator.ml")
def ocaml_outline(r):
    fns, mods = idents(r, 20), [pair(r).capitalize() + k for k in ("_log", "_map")]

    def body():
        a, b = pair(r), r.choice(THINGS)
        return r.choice(
            [
                f"  let {a} = List.filter_map (fun {b} -> {b}.state) acc in",
                f"  match {a} with\n  | None -> ()\n  | Some {b} when {b} > {r.randint(2, 900)} -> Log.debug (fun m "
                f"-> m \"{b} %d\" {b})\n  | Some _ -> ();",
                f"  Hashtbl.replace cache {r.randint(1, 900)} ({a} +. {r.uniform(0.1, 9):.2f});",
                f'  if String.equal {a} "{b}" then raise Not_found;',
            ]
        )

    heads = [f"let {'rec ' if r.random() < 0.3 else ''}{n} acc ~{r.choice(THINGS)} =\n%s\n  acc\n" for n in fns]
    parts = spread(heads, body, r, 7)
    return ["open Grid_base", "", f"module {mods[0]} = struct", "  type t = { id : int; kv : float }", "end", "",
        *parts[:10], f"module {mods[1]} = Map.Make (Int)", "", *parts[10:]], [*fns, *mods]


@case("nl -ba src/flow.f90")
def fortran_outline(r):
    subs = idents(r, 16)
    mod = "mod_" + pair(r)

    def body():
        a, b = r.choice(THINGS)[:8], r.choice(THINGS)[:8]
        return r.choice(
            [
                f"    do i = 1, n_{a}\n      {b}(i) = {b}(i) + {r.uniform(0.1, 9):.3f}d0 * {a}(i)\n    end do",
                f"    if (abs({a}(k)) > eps) then\n      call log_value('{a}', {a}(k))\n    end if",
                f"    ! the {a} is taken from the {b} of the previous step",
                f"    allocate({a}_work({r.randint(8, 900)}), stat=ierr)",
            ]
        )

    heads = [f"  {'pure ' if r.random() < 0.3 else ''}subroutine {n}(state, dt)\n    real(8), intent(in) :: dt\n%s\n "
        " end subroutine\n" for n in subs]
    text = "\n".join([f"module {mod}", "  use iso_fortran_env", "  implicit none", "contains", "",
        *spread(heads, body, r, 7), f"end module {mod}"])
    return [f"{k:>6}\t{x}" for k, x in enumerate(text.split("\n"), 1)], [*subs, mod]


@case(tool="Read", file_path="/src/app/GRDController.m")
def objc_outline(r):
    methods = [camel(n) for n in idents(r, 18)]

    def body():
        a, b = camel(pair(r)), r.choice(THINGS)
        return r.choice(
            [
                f"    NSArray<NSNumber *> *{b}s = [self.store {a}ForKey:@\"{b}\"];\n    [{b}s "
                f"enumerateObjectsUsingBlock:^(NSNumber *n, NSUInteger i, BOOL *stop) {{\n        self.total += "
                f"n.doubleValue;\n    }}];",
                f"    if (self.{a} == nil) {{\n        return;\n    }}",
                f"    NSLog(@\"{b} is now %@\", self.{b});",
                f"    self.{b}Label.text = [NSString stringWithFormat:@\"%ld\", (long){r.randint(1, 900)}];",
            ]
        )

    heads = [f"- (void){n}:(NSString *){r.choice(THINGS)} {{\n%s\n}}\n" for n in methods]
    cls = "GRD" + camel(pair(r), True)
    parts = ['#import "GRDController.h"', "", f"@implementation {cls}", "", *spread(heads, body, r, 7.5), "@end"]
    return "\n".join(parts).split("\n"), [*methods, cls]


@case("cat -n src/grid_session.erl")
def erlang_outline(r):
    fns = idents(r, 20)

    def body():
        a, b = pair(r), r.choice(THINGS).capitalize()
        return r.choice(
            [
                f"    {b} = maps:get({a}, State, {r.randint(1, 900)}),",
                f"    case ets:lookup({a}, {b}) of\n        [] -> ok;\n        [{{_, V}}] when V > "
                f"{r.randint(1, 90)} -> ?LOG_DEBUG(\"~p\", [V])\n    end,",
                f"    ok = gen_server:cast(?SERVER, {{{a}, self()}}),",
                f"    %% {b} comes from the {r.choice(THINGS)}",
            ]
        )

    heads = [f"{n}({r.choice(THINGS).capitalize()}, State) ->\n%s\n    {{noreply, State}}.\n" for n in fns]
    head = ["-module(grid_session).", "-behaviour(gen_server).", "-export([init/1]).", ""]
    text = "\n".join([*head, *spread(heads, body, r, 7)])
    return [f"{k:>6}\t{x}" for k, x in enumerate(text.split("\n"), 1)], fns


@case("cat rtl/protection.sv")
def verilog_modules(r):
    mods = idents(r, 14)

    def body():
        a, b = pair(r), r.choice(THINGS)
        w = r.choice([3, 7, 15, 31])
        return r.choice(
            [
                f"  logic [{w}:0] {a}_q;\n  always_ff @(posedge clk) {a}_q <= {b}_i;",
                f"  assign {b}_o = {a}[{w}:0] ^ {w + 1}'h{hexes(r, 2)};",
                f"  always_comb begin\n    case (state)\n      2'b00: {b}_n = {a};\n      default: {b}_n = '0;\n    "
                "endcase\n  end",
                f"  // the {b} follows one cycle later",
            ]
        )

    heads = [f"module {n} #(parameter int W = {r.choice([8, 16, 32])}) (\n  input  logic clk,\n  output logic "
        "[W-1:0] out\n);\n%s\nendmodule\n" for n in mods]
    return "\n".join(["`default_nettype none", "", *spread(heads, body, r, 9)]), mods


@case("cat src/ledger.cbl")
def interest_cobol_paragraph(r):
    pars = [n.upper() for n in idents(r, 26, "-")]
    wanted, limit, field = pars[r.randint(8, 18)], r.randint(10000, 99999), pair(r, "-").upper()

    def body():
        a, b = r.choice(THINGS).upper(), r.choice(THINGS).upper()
        return r.choice(
            [
                f"           MOVE {a}-QTY TO WS-{b}-TOTAL.",
                f"           ADD {r.randint(1, 90)} TO WS-{a}-COUNT.",
                f"           IF {a}-STATUS = 'X'\n              PERFORM {r.choice(pars)}-EXIT\n           END-IF.",
                f"           DISPLAY '{a} ' WS-{b}-ID.",
            ]
        )

    out = ["       IDENTIFICATION DIVISION.", "       PROGRAM-ID. LEDGER.", "       PROCEDURE DIVISION."]
    for p in pars:
        out += [f"       {p}."] + entries(r, 0.26, body)
        if p == wanted:
            out.append(f"           COMPUTE WS-MAX-{field} = {limit} * WS-RATE.")
        out.append(f"           GO TO {p}-EXIT.")
    return out, [[wanted, f"WS-MAX-{field} = {limit}"]], dict(last=f"What does the paragraph {wanted} compute, with "
        "which factor?")


def edited(r, path, before, after, old, new, needles, around):
    """The file with the function in the middle, and the edit that replaces one line of it."""
    return [*before, around, *after], needles, dict(edit=dict(file_path=path, old_string=old, new_string=new),
        args=dict(file_path=path))


@case(tool="Read", file_path="/src/ci/Jenkins.groovy")
def edited_groovy(r):
    fns = [camel(n) for n in idents(r, 22)]
    mine, n, step = fns.pop(), *distinct(r, 1, 100, 900), pair(r, "-")
    def body():
        a, b = camel(pair(r)), r.choice(THINGS)
        return r.choice(
            [
                f"    def {a} = readJSON(file: \"${{dir}}/{b}.json\")",
                f"    sh \"make -C {b} {pair(r, '-')} JOBS={r.randint(1, 32)}\"",
                f"    {a}.each {{ k, v -> echo \"${{k}} ${{v}}\" }}",
                f"    if (params.{a}) {{\n        stash name: '{b}', includes: '**/*.log'\n    }}",
            ]
        )

    parts = spread([f"def {f}(Map opts) {{\n%s\n}}\n" for f in fns], body, r, 6)
    old = f"    retry({n}) {{ sh 'deploy {step}' }}"
    lock = f"    lock(resource: 'prod-{hexes(r, 5)}')"
    mid = f"def {mine}(String env) {{\n{lock}\n{old}\n    currentBuild.description = \"{step} on ${{env}}\"\n}}\n"
    new = old.replace(f"retry({n})", "retry(3)")
    return edited(r, "/src/ci/Jenkins.groovy", parts[:11], parts[11:], old, new,
        [[f"def {mine}(String env)", lock.strip(), f"{step} on ${{env}}"]], mid)


@case(tool="Read", file_path="/src/grid/meters.nim")
def edited_nim(r):
    fns = [camel(n) for n in idents(r, 24)]
    mine, table = fns.pop(), hexes(r, 5)

    def body():
        a, b = camel(pair(r)), r.choice(THINGS)
        return r.choice(
            [
                f"  let {a} = reading.{b}.get({r.randint(1, 900)})",
                f"  for i, x in {a}:\n    result.add(x * {r.uniform(0.1, 9):.2f})",
                f'  doAssert {a}.len > 0, "no {b}"',
                f"  when defined({b}):\n    echo {a}",
            ]
        )

    parts = spread([f"proc {f}*(reading: Reading): seq[float] =\n%s\n" for f in fns], body, r, 6.5)
    lines = [
        f"  let rows = db.getAllRows(sql\"SELECT t, kwh FROM m_{table}\")",
        "  for row in rows:",
        "    let kwh = parseFloat(row[1])",
        f"    if kwh > {r.randint(1000, 9999)}.5: continue",
        "    result.add(kwh)",
    ]
    mid = f"proc {mine}*(db: DbConn): seq[float] =\n" + "\n".join(lines) + "\n"
    new = "    let kwh = parseFloat(row[1].strip)"
    return edited(r, "/src/grid/meters.nim", parts[:12], parts[12:], lines[2], new,
        [[f"proc {mine}*(db: DbConn)", lines[0].strip(), lines[3].strip()]], mid)


@case(tool="Read", file_path="/src/grid/dispatcher.rkt")
def edited_racket(r):
    """Parentheses instead of keywords; the edited function is long, its second half matters as well."""
    fns = idents(r, 22, "-")
    mine = fns.pop() + "!"

    def body():
        a, b = pair(r, "-"), r.choice(THINGS)
        return r.choice(
            [
                f"  (define {a} (hash-ref state '{b} {r.randint(1, 900)}))",
                f"  (for ([x (in-list {a})])\n    (log-debug \"{b} ~a\" x))",
                f"  (when (> {a} {r.randint(1, 900)})\n    (raise-user-error '{b} \"too many\"))",
                f"  ;; the {b} was looked up before",
            ]
        )

    parts = spread([f"(define ({f} state)\n%s\n  state)\n" for f in fns], body, r, 7)
    n, key = r.randint(1000, 9999), f"{r.choice(PEOPLE).lower()}-{hexes(r, 4)}"
    lines = [
        f"  (define budget (min {n} (hash-ref state 'budget)))",
        f"  (define host \"{ip(r)}\")",
        f"  (hash-set! state '{key} (- budget 1))",
        "  (unless (positive? budget) (abort-current-continuation 'spent))",
    ]
    mid = f"(define ({mine} state)\n" + "\n".join(lines) + ")\n"
    path = "/src/grid/dispatcher.rkt"
    return edited(r, path, parts[:9], parts[9:], lines[1], '  (define host (current-host))',
        [[f"(define ({mine} state)", lines[0].strip(), lines[2].strip()]], mid)
