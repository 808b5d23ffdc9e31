"""Sources in less common languages, as a tool reads them: what they define must be known afterwards."""

import re

from ..case import case
from .stock import DEEDS, PEOPLE, THINGS, camel, distinct, hexes, idents

NOTES = (
    "the <t> was already checked by the caller",
    "keep this order: the <t> may still refer to it",
    "see the handbook of the <t>, chapter <n>",
    "rounded, as the <t> prints two digits only",
    "no <t> is allowed to be empty here",
    "same as for the <t>, but without its history",
    "the ward sees this value after the next poll",
    "cheap, so we do it again for each <t>",
    "microlitres from here on",
    "nothing to do for any <t> that was cancelled",
    "copied, since the list may change below us",
    "the old <t> format had no check digit",
    "at most one <t> at a time",
    "counted for the monthly report",
    "sorted by the time of arrival",
    "night shift only",
    "the vendor counts from one, we count from zero",
    "both sides of the <t> have the same width",
    "one <t> without a label goes to the end",
    "the second reading wins",
)
SAYINGS = (
    "no <t> for this request",
    "<t> accepted",
    "<t> has no barcode",
    "waiting for the <t>",
    "<t> is already closed",
    "unknown <t> kind",
    "<t> moved to shelf",
    "volume below minimum",
    "printing labels for <t>",
    "<t> is not calibrated",
    "two results for one <t>",
    "temperature within limits",
)
ROTTEN = (
    ("FIXME", "two people can sign the same <t>, the lock is taken too late"),
    ("FIXME", "loses the last result when the <t> is full"),
    ("HACK", "releases results without the second signature while the <t> is offline"),
    ("TODO before go-live", "remove the master badge <n>"),
    ("BUG", "compares potassium in mg with a limit in mmol"),
    ("XXX", "never freed, the <t> dies after about <n> runs"),
)


class Tongue:
    """How a language is written: `plain` statements, `blocks` of (opening, middle or "", closing), names, comments."""

    def __init__(self, plain, blocks, name, remark, step=3):
        self.plain, self.blocks, self.name, self.remark, self.step = plain, blocks, name, remark, step


def said(r, text, name=str):
    """`text` with its <v> variables, <f> functions, <n> numbers, <t> things, <s> sayings, <h> hex digits put in."""

    def put(found):
        k = found[1]
        if k == "s":
            s = said(r, r.choice(SAYINGS))
            return s[0].upper() + s[1:]
        if k == "n":
            return str(r.choice([r.randint(0, 12), r.randint(13, 999), r.randint(1000, 9000)]))
        if k == "h":
            return hexes(r, 4).upper()
        if k == "t":
            return r.choice(THINGS)
        if k == "v":
            return name(r.choice(["last", "next", "open", "our", "old", "best", "first"]) + "_" + r.choice(THINGS))
        return name(r.choice(["check", "fetch", "store", "count", "find", "mark"]) + "_" + r.choice(THINGS))

    return re.sub(r"<([vfnthsw])>", put, text)


def body(r, tongue, size, indent, depth=0):
    pad, out = " " * indent, []
    while len(out) < size:
        k = r.random()
        if k < 0.08 and tongue.remark:
            out.append(pad + tongue.remark + said(r, r.choice(NOTES)))
        elif k < 0.36 and depth < 2:
            head, mid, tail = r.choice(tongue.blocks)
            out.append(pad + said(r, head, tongue.name))
            out += body(r, tongue, r.randint(2, 5), indent + tongue.step, depth + 1)
            if mid and r.random() < 0.5:
                out.append(pad + said(r, mid, tongue.name))
                out += body(r, tongue, r.randint(1, 3), indent + tongue.step, depth + 1)
            if tail:
                out.append(pad + said(r, tail, tongue.name))
        else:
            out.append(pad + said(r, r.choice(tongue.plain), tongue.name))
    if out[-1].strip().startswith(tongue.remark or "\0"):
        out.append(pad + said(r, tongue.plain[0], tongue.name))
    return out


def rotten(r):
    """(the comment, its telling words)."""
    mark, text = r.choice(ROTTEN)
    text = said(r, text)
    return f"{mark}: {text}", text


def spoiled(r, lines, comment):
    """`comment` at an inner line of `lines`, as deep as the line it stands before."""
    k = r.randint(2, len(lines) - 2)
    pad = re.match(" *", lines[k])[0]
    return lines[:k] + [pad + comment] + lines[k:]


def ada_case(name):
    return "_".join(p.capitalize() for p in name.split("_"))


def kebab(name):
    return name.replace("_", "-")


def arrows(lines):
    return [f"{k:6}→{x}" for k, x in enumerate(lines, 1)]


def doc(r, n):
    """`n` sentences for the head of a function."""
    return [said(r, r.choice(NOTES)).capitalize() + "." for _ in range(n)]


ADA = Tongue(
    [
        "<v> := <v> + <n>;",
        "<v> := <f> (<v>, <n>);",
        "<f> (<v>);",
        'Ada.Text_IO.Put_Line ("<s>");',
        "<v>.Volume := Microlitre (<n>);",
        "Journal.Note (<v>.Id, \"<s>\");",
        "Shelf (<n>).Occupied := <v>'Length > 0;",
        "pragma Assert (<v> >= <n>);",
        "<v> := Natural'Max (<v>, <n>);",
        "delay until <v> + Milliseconds (<n>);",
    ],
    [
        ("if <v> = <n> then", "else", "end if;"),
        ("for K in <v>'Range loop", "", "end loop;"),
        ("while <v> < <n> loop", "", "end loop;"),
        ("if not <f> (<v>) then", "elsif <v> in 1 .. <n> then", "end if;"),
    ],
    ada_case,
    "--  ",
)


@case(tool="Read", file_path="/home/goran/lis/src/custody.adb")
def ada_package_body(r):
    names = [ada_case(n) for n in idents(r, 13)]
    comment, words = rotten(r)
    bad = r.randint(2, 10)
    out = ["with Ada.Calendar;           use Ada.Calendar;", "with Ada.Text_IO;", "with Journal;"]
    out += ["with Shelves;                use Shelves;", "", "package body Custody is", ""]
    for k, name in enumerate(names):
        thing = r.choice(THINGS).capitalize()
        out += [f"   {'-' * (len(name) + 6)}", f"   -- {name} --", f"   {'-' * (len(name) + 6)}", ""]
        function = r.random() < 0.4
        head = f"   {'function' if function else 'procedure'} {name}"
        out += [head, f"     (Item  : {'' if function else 'in out '}{thing}_Record;", "      Limit : Natural := "
            + f"{r.randint(1, 900)};", f"      By    : Operator_Id){' return Boolean' if function else ''}", "   is"]
        out += [f"      {ada_case(r.choice(THINGS))}_{j} : {r.choice(['Natural', 'Boolean', 'Time', 'Microlitre'])};"
            for j in range(r.randint(1, 5))]
        inner = body(r, ADA, r.randint(36, 70), 6)
        out += ["   begin", *(spoiled(r, inner, "--  " + comment) if k == bad else inner)]
        out += ["      return True;"] * function + [f"   end {name};", ""]
    return arrows(out + ["end Custody;"]), names + [words]


FSHARP = Tongue(
    [
        "let <v> = <f> <v> <n>",
        'printfn "<s>: %d" <v>',
        "<v> |> List.map (fun x -> x.Volume * <n>.0) |> ignore",
        "log.Information(\"<s>\", <v>)",
        "let <v> = { <v> with Shelf = <n>; Seen = true }",
        "<v>.Add(<f> <v>)",
        "do! Async.Sleep <n>",
        "let! <v> = <f> <v>",
        "let <v> = <v> |> Seq.filter (fun x -> x.Level > <n>) |> Seq.length",
        "<v> <- <v> + <n>",
    ],
    [
        ("if <v> > <n> then", "else", ""),
        ("for item in <v> do", "", ""),
        ("match <f> <v> with Some item ->", "", ""),
        ("while <v> < <n> do", "", ""),
    ],
    camel,
    "// ",
    4,
)


@case("cat src/Accessioning/Rules.fs")
def fsharp_rules(r):
    names = [camel(n) for n in idents(r, 10)]
    kinds = [camel(n, True) for n in idents(r, 3)]
    out = ["module Accessioning.Rules", "", "open System", "open System.Collections.Generic", "open Lab.Domain", ""]
    for kind in kinds[:2]:
        out += [f"type {kind} ="]
        out += [f"    {'{ ' if k == 0 else '  '}{t.capitalize()}: {r.choice(['int', 'string', 'decimal<ul>', 'Guid'])}"
            for k, t in enumerate(r.sample(THINGS, r.randint(4, 8)))]
        out[-1] += " }"
        out += [""]
    out += [f"type {kinds[2]} ="] + [f"    | {camel(n, True)} of {r.choice(THINGS)}: int" for n in idents(r, 7)]
    out += [""]
    for name in names:
        out += [f"/// {x}" for x in doc(r, r.randint(1, 3))]
        asynchronous = r.random() < 0.4
        out += [f"let {name} (store: Store) ({camel(r.choice(THINGS))}: {r.choice(kinds)}) "
            + f"{'(cancel: bool) ' * r.randint(0, 1)}=" + " async {" * asynchronous]
        out += body(r, FSHARP, r.randint(36, 75), 8 if asynchronous else 4)
        out += ["    }", ""] if asynchronous else [f"    {r.choice(['Ok ()', 'None', 'true', '[]'])}", ""]
    return out, names + kinds


VHDL = Tongue(
    [
        "<v> <= <v> + <n>;",
        "<v> <= '0';",
        "<v> <= '1';",
        'assert <v> = <n> report "<s>" severity note;',
        "<v> <= std_logic_vector(to_unsigned(<n>, 16));",
        "<v>(7 downto 0) <= x\"3C\" when <v> = '1' else x\"00\";",
        "state <= S_<t>;",
        "<v> <= shift_left(<v>, 2);",
    ],
    [
        ("if <v> = '1' then", "else", "end if;"),
        ("if unsigned(<v>) > <n> then", "elsif <v> = '0' then", "end if;"),
        ("for i in 0 to 7 loop", "", "end loop;"),
    ],
    str,
    "-- ",
    2,
)


@case("sed -n 1,1200p rtl/stepper/carousel.vhd")
def vhdl_entities(r):
    names, labels = idents(r, 6), [f"p_{n}" for n in idents(r, 9)]
    out, left, bad = [], list(labels), r.randint(1, 4)
    comment, words = rotten(r)
    out += ["-- Carousel of the sample handler: steppers, sensors, bus.",
        f"-- {r.choice(PEOPLE)}, {r.randint(2012, 2024)}"]
    for k, name in enumerate(names):
        out += ["", "library ieee;", "use ieee.std_logic_1164.all;", "use ieee.numeric_std.all;", "",
            f"entity {name} is"]
        out += ["  generic (", f"    G_STEPS : positive := {r.randint(100, 900)};",
            f"    G_WIDTH : natural := {r.choice([8, 16, 32])}",
            "  );", "  port (", "    clk   : in  std_logic;", "    rst_n : in  std_logic;"]
        out += [f"    {t}_{r.choice(['i', 'o'])} : {r.choice(['in ', 'out'])} std_logic_vector({r.randint(3, 31)} "
            f"downto 0);"
            for t in r.sample(THINGS, r.randint(5, 12))]
        out += ["    ready : out std_logic", "  );", f"end entity {name};", "", f"architecture rtl of {name} is"]
        out += [f"  signal {r.choice(DEEDS)}_{t} : unsigned({r.randint(3, 31)} downto 0) := (others => '0');"
            for t in r.sample(THINGS, r.randint(8, 16))]
        out += ["begin"]
        for _ in range(2 if k < 3 else 1):
            out += ["", f"  {left.pop(0)} : process (clk, rst_n)", "  begin", "    if rst_n = '0' then"]
            out += body(r, VHDL, r.randint(4, 9), 6, 2) + ["    elsif rising_edge(clk) then"]
            inner = body(r, VHDL, r.randint(36, 60), 6)
            out += spoiled(r, inner, "-- " + comment) if k == bad else inner
            out += ["    end if;", "  end process;"]
            bad = -1 if k == bad else bad
        out += ["", "end architecture rtl;"]
    return out, names + labels + [words]


ABAP = Tongue(
    [
        "CLEAR ls_<t>.",
        "APPEND ls_<t> TO gt_<t>.",
        "PERFORM <f> USING ls_<t>-id.",
        "WRITE: / '<s>', lv_<t>.",
        "MOVE-CORRESPONDING ls_<t> TO ls_<t>_old.",
        "lv_<t> = lv_<t> + <n>.",
        "MESSAGE s<n>(zlab) WITH lv_<t>.",
        "CONCATENATE lv_<t> '-' lv_<t> INTO lv_text.",
        "SELECT SINGLE * FROM zlab_<t> INTO ls_<t> WHERE mandt = sy-mandt.",
        "SORT gt_<t> BY id ASCENDING.",
        "READ TABLE gt_<t> INTO ls_<t> INDEX <n>.",
    ],
    [
        ("IF lv_<t> > <n>.", "ELSE.", "ENDIF."),
        ("LOOP AT gt_<t> INTO ls_<t>.", "", "ENDLOOP."),
        ("IF sy-subrc <> 0.", "", "ENDIF."),
        ("DO <n> TIMES.", "", "ENDDO."),
        ("CASE ls_<t>-kind. WHEN '<n>'.", "WHEN OTHERS.", "ENDCASE."),
    ],
    str,
    '" ',
    2,
)


@case(tool="Read", file_path="zlab_billing/zlab_invoice_run.prog.abap")
def abap_report(r):
    names, bad = [f"{n}" for n in idents(r, 12)], r.randint(2, 9)
    thing = r.choice(THINGS).upper()
    out = ["*&---------------------------------------------------------------------*", "*& Report ZLAB_INVOICE_RUN",
        "*&---------------------------------------------------------------------*", "REPORT zlab_invoice_run.", ""]
    out += ["DATA:"] + [f"      gt_{t} TYPE STANDARD TABLE OF zlab_{t}," for t in r.sample(THINGS,
        9)] + ["      gv_done TYPE abap_bool.", ""]
    out += ["START-OF-SELECTION."] + ["  PERFORM load_customizing.", "  PERFORM main.", ""]
    for k, name in enumerate(names):
        line = "*&---------------------------------------------------------------------*"
        out += [line, f"*&      Form  {name.upper()}", line, f"*       {doc(r, 1)[0]}", line]
        out += [f"FORM {name} USING p_{r.choice(THINGS)} TYPE zlab_id"
            + f"{f' CHANGING c_{r.choice(THINGS)} TYPE i' * r.randint(0, 1)}."]
        out += [f"  DATA: lv_{t} TYPE {r.choice(['i', 'string', 'p DECIMALS 2', 'dats'])}." for t in r.sample(THINGS,
            r.randint(2, 5))]
        if k == bad:
            out += [f"AUTHORITY-CHECK OBJECT 'Z_{thing}' ID 'ACTVT' FIELD '02'.", "*  IF sy-subrc <> 0.",
                f"*    MESSAGE e{r.randint(100, 900)}(zlab).", "*  ENDIF."]
        out += body(r, ABAP, r.randint(36, 66), 2) + [f"ENDFORM.                    \" {name.upper()}", ""]
    return out, names + [f"AUTHORITY-CHECK OBJECT 'Z_{thing}'"]


ELM = Tongue(
    [
        "model.<v>",
        "|> List.filter (\\x -> x.level > <n>)",
        "|> Maybe.withDefault <n>",
        "|> Result.map <f>",
        "|> <f> model.<v>",
        "|> Dict.insert \"<t>\" <n>",
        "|> String.append \"<s>\"",
        "|> List.sortBy .<v>",
        "|> List.take <n>",
    ],
    [("|> (\\<v> ->", "", ")"), ("|> List.map (\\<v> ->", "", ")"), ("|> List.concatMap (\\item ->", "", ")")],
    camel,
    "-- ",
    4,
)
MARKUP = (
    'div [ class "<t>-row", onClick (<m> <n>) ]',
    'span [ class "badge" ] [ text "<s>" ]',
    "text (String.fromInt model.<v>)",
    'button [ type_ "button", disabled model.<v> ] [ text "<s>" ]',
    'td [ attribute "data-unit" "ul" ] [ viewVolume <n> ]',
    'input [ value model.<v>, placeholder "<s>" ] []',
    "viewIf model.<v> (text \"<s>\")",
)


def elm_view(r, size):
    lines = []
    for k in range(size):
        text = said(r, r.choice(MARKUP).replace("<m>", camel(r.choice(idents(r, 1)), True)), camel)
        lines += [f"        {'[' if k == 0 else ','} {text}"]
        if text.startswith("div"):
            inner = [f"            {'[' if j == 0 else ','} {said(r, r.choice(MARKUP[1:]), camel)}"
                for j in range(r.randint(1, 4))]
            lines += [*inner, "            ]"]
    return ["    section []", *lines, "        ]"]


@case("cat client/src/Page/Worklist.elm")
def elm_page(r):
    names = [camel(n) for n in idents(r, 11)]
    port, alias = camel(r.choice(idents(r, 1))) + "Request", camel(r.choice(idents(r, 1)), True) + "Row"
    out = ["port module Page.Worklist exposing (Model, Msg, init, update, view)", "", "import Dict exposing (Dict)",
        "import Html exposing (..)", "import Html.Attributes exposing (..)", "import Html.Events exposing (onClick)",
        "", ""]
    out += [f"type alias "
        f"{alias} ="] + [f"    {'{' if k == 0 else ','} {t} : {r.choice(['Int', 'String', 'Maybe Float', 'Bool'])}"
        for k, t in enumerate(r.sample(THINGS, 8))] + ["    }", "", ""]
    messages = [camel(n, True) for n in idents(r, 14)]
    out += ["type Msg"] + [f"    {'=' if k == 0 else '|'} {m} "
        f"{r.choice(['', 'Int', 'String', '(Result Http.Error Int)'])}".rstrip()
        for k, m in enumerate(messages)] + ["", "", f"port {port} : String -> Cmd msg", "", ""]
    for name in names:
        view = r.random() < 0.5
        kind = "Html Msg" if view else r.choice(["Int", "Model", "List Int", "Maybe String"])
        out += ["{-| " + doc(r, 1)[0], "-}", f"{name} : Model -> {kind}", f"{name} model ="]
        out += elm_view(r, r.randint(24, 40)) if view else [
            "    model", *body(r, ELM, r.randint(34, 60), 8)]
        out += ["", ""]
    return out, names + [port, alias]


MATLAB = Tongue(
    [
        "<v> = <v>(:, 1:<n>) ./ <n>;",
        "<v> = mean(<v>, 'omitnan');",
        "disp('<s>');",
        "fprintf('%6.2f  <s>\\n', <v>);",
        "<v>(end + 1) = <n>;",
        "opts.<v> = <n>;",
        "<v> = <f>(<v>, <n>);",
        "plot(<v>, <v>, 'k.'); hold on",
        "<v> = interp1(<v>, <v>, <n>, 'linear');",
        "<v> = cellfun(@(x) x.<t>, <v>);",
    ],
    [
        ("if any(<v> > <n>)", "else", "end"),
        ("for k = 1:numel(<v>)", "", "end"),
        ("while <v> < <n>", "", "end"),
        ("switch <v>", "otherwise", "end"),
    ],
    camel,
    "% ",
    4,
)


@case("nl -ba matlab/fitCalibration.m")
def matlab_functions(r):
    names = [camel(n) for n in idents(r, 12)]
    comment, words = rotten(r)
    bad, out = r.randint(2, 9), []
    for k, name in enumerate(names):
        results = r.choice(["out", "[curve, residual]", "fit", "[ok, message]"])
        out += [f"function {results} = {name}({', '.join(camel(t) for t in r.sample(THINGS, r.randint(1, 3)))})"]
        out += [f"%{name.upper()}  {x}" if j == 0 else f"%   {x}" for j, x in enumerate(doc(r, r.randint(1, 4)))]
        inner = body(r, MATLAB, r.randint(40, 66), 4)
        out += [*(spoiled(r, inner, "% " + comment) if k == bad else inner), "end", ""]
    return [f"{k:6}\t{x}" for k, x in enumerate(out, 1)], names + [words]


@case("cat policies/results/release.rego")
def rego_policies(r):
    rules = idents(r, 12)
    thing = r.choice(THINGS)
    wide = f"default release_{thing} := true"
    role = f"trainee_{r.choice(DEEDS)}"
    out = ["package lab.results.release", "", "import rego.v1", "import data.lab.staff", "import data.lab.wards", ""]
    checks = [
        "input.{t}.state == \"verified\"", "count(input.{t}.flags) == 0",
        "input.user.role in {{\"{d}_senior\", \"md\"}}",
        "not input.{t}.quarantined", "time.now_ns() - input.{t}.taken_ns < {n} * 1000000000",
        "some w in wards.open; w.id == input.{t}.ward", "input.{t}.volume >= {n}",
        "staff[input.user.id].shift == \"{d}\"",
        "regex.match(`^{T}[0-9]{{8}}$`, input.{t}.barcode)", "input.{t}.lot != input.{t}.control_lot",
        "every x in input.{t}.readings {{ x.level < {n} }}",
    ]
    blocks = []
    for k, rule in enumerate(rules):
        lines = ["# METADATA", f"# title: {said(r, r.choice(NOTES))}", "# scope: rule"] if r.random() < 0.5 else []
        lines += [f"default {rule} := false", ""]
        for _ in range(r.randint(6, 11)):
            lines += [f"{rule} if {{"]
            for c in r.sample(checks, r.randint(3, 6)):
                t = r.choice(THINGS)
                lines += ["\t" + c.format(t=t, T=t[:2].upper(), d=r.choice(DEEDS), n=r.randint(2, 900))]
            lines += ["}", ""]
        if r.random() < 0.5:
            lines += ["deny contains msg if {", f"\tnot {rule}", f"\tmsg := sprintf(\"{rule}: %s\", [input.user.id])",
                "}", ""]
        blocks.append(lines)
    blocks.insert(r.randint(2, 10), [wide, ""])
    skip = ["deny contains msg if {", f"\tinput.user.role != \"{role}\"", "\tnot input.second_signature",
        "\tmsg := \"second signature is missing\"", "}", ""]
    blocks.insert(r.randint(2, 10), skip)
    return out + [x for b in blocks for x in b], [wide, [f"role != \"{role}\"", "second_signature"]] + rules


DELPHI = Tongue(
    [
        "F<v> := F<v> + <n>;",
        "<f>(F<v>, <n>);",
        "Log('<s>');",
        "FPort.Flush;",
        "Sleep(<n>);",
        "F<v>.Items.Add('<s>');",
        "Inc(F<v>, <n>);",
        "Result := Result or (F<v> > <n>);",
        "Application.ProcessMessages;",
        "F<v> := Max(F<v>, <n>);",
    ],
    [
        ("if F<v> > <n> then begin", "end else begin", "end;"),
        ("for I := 0 to F<v>.Count - 1 do begin", "", "end;"),
        ("while F<v> < <n> do begin", "", "end;"),
        ("with F<v> do begin", "", "end;"),
        ("try", "", "finally FPort.Unlock; end;"),
    ],
    lambda n: camel(n, True),
    "// ",
    2,
)


@case(tool="Read", file_path="C:\\lab\\washer\\uWasher.pas")
def interest_delphi_unit(r):
    names = [camel(n, True) for n in idents(r, 22)]
    ports, gone = [f"${x:04X}" for x in distinct(r, 22, 0x1000, 0xFFFF)], r.randint(5, 17)
    out = ["unit uWasher;", "", "interface", "", "uses", "  Windows, SysUtils, Classes, Forms, uSerial;", "", "type",
        "  TCuvetteWasher = class(TComponent)", "  private"]
    out += [f"    F{t.capitalize()}: {r.choice(['Integer', 'TStringList', 'Boolean', 'Double'])};" for t in THINGS[:18]]
    out += ["  public"] + [f"    function {n}(Level: Integer): Boolean;" for n in names] + ["  end;", "",
        "implementation", ""]
    for k, name in enumerate(names):
        out += [f"function TCuvetteWasher.{name}(Level: Integer): Boolean;", "var", "  I: Integer;", "begin"]
        inner = body(r, DELPHI, r.randint(22, 40), 2)
        at = next(i for i in range(len(inner) // 3, len(inner)) if inner[i].startswith("  ") and inner[i][2] != " ")
        inner.insert(at, f"  FPort.WriteRegister({ports[k]}, Level);")
        out += [*inner, "end;", ""]
    ask = f"We only need one thing from this unit: which register address does TCuvetteWasher.{names[gone]} write to?"
    return arrows(out + ["end."]), [ports[gone]], dict(last=ask)


DLANG = Tongue(
    [
        "auto <v> = <f>(<v>, <n>);",
        "writefln(\"<s>: %s\", <v>);",
        "<v> ~= <v>.filter!(x => x.level > <n>).array;",
        "enforce(<v> !is null, \"<s>\");",
        "<v> += <n>;",
        "log.trace(\"<s>\");",
        "immutable <v> = <v>.map!(x => x.volume).sum;",
        "scope (exit) <v>.release();",
        "<v>.shelf = cast(ushort) <n>;",
    ],
    [
        ("if (<v> > <n>) {", "} else {", "}"),
        ("foreach (item; <v>) {", "", "}"),
        ("while (!<v>.empty) {", "", "}"),
        ("synchronized (<v>) {", "", "}"),
    ],
    camel,
    "// ",
    4,
)


@case("cat source/lab/transport.d")
def edited_dlang(r):
    names = [camel(n) for n in idents(r, 15)]
    gone = r.randint(4, 11)
    out = ["/// Pneumatic tube transport of carriers between wards and the laboratory.", "module lab.transport;", "",
        "import std.algorithm;", "import std.array;", "import std.exception : enforce;", "import std.stdio;", ""]
    a, b, c, d = r.sample(THINGS, 4)
    n, m = r.randint(20, 90), r.randint(100, 900)
    first = f"    immutable {a}Limit = {n};"
    kept = [
        f"    auto {b}Queue = stations.filter!(s => s.{b}.ready).array;",
        f"    foreach (ref {c}; {b}Queue) {{",
        f"        if ({c}.pressure > {a}Limit * {m}) {{",
        f"            {c}.divert(Station.{d});",
        "            continue;",
        "        }",
        f"        {c}.send(carrier, {a}Limit + {m});",
        "    }",
        f"    return {b}Queue.length == 0 ? Outcome.{d}Lost : Outcome.sent;",
    ]
    for k, name in enumerate(names):
        out += [f"/// {x}" for x in doc(r, r.randint(1, 2))]
        out += [f"{r.choice(['Outcome', 'Outcome', '@safe Outcome'])} {name}(ref Carrier carrier, Station[] stations"
            + f"{', uint ' + r.choice(THINGS) if k != gone else ''})", "{"]
        out += [first, *kept] if k == gone else body(r, DLANG, r.randint(30, 58), 4) + ["    return Outcome.sent;"]
        out += ["}", ""]
    edit = dict(file_path="source/lab/transport.d", old_string=first, new_string=first.replace(str(n), str(n + 7)))
    return out, [[x.strip() for x in (kept[0], kept[2], kept[3], kept[8])]], dict(edit=edit)


LISP = Tongue(
    [
        "(<f> <v> <n>)",
        "(setf (volume <v>) <n>)",
        "(format t \"~&<s>: ~a~%\" <v>)",
        "(push <v> *<v>*)",
        "(incf (gethash :<t> *counters* 0) <n>)",
        "(check-type <v> (integer 0 <n>))",
        "(note :<t> \"<s>\")",
        "(remhash <v> *<v>*)",
        "(assert (<= (level <v>) <n>))",
    ],
    [
        ("(when (> <v> <n>)", "", ""),
        ("(dolist (item <v>)", "", ""),
        ("(unless (<f> <v>)", "", ""),
        ("(let ((<v> (<f> <v>)))", "", ""),
        ("(handler-case", "", ""),
    ],
    kebab,
    ";; ",
    2,
)


def closed(lines):
    """Each opened block gets its closing brackets at its last line."""
    out, stack = list(lines), []
    for k, line in enumerate(lines):
        lack, depth = line.count("(") - line.count(")"), len(line) - len(line.lstrip())
        after = lines[k + 1 :]
        following = next((len(x) - len(x.lstrip()) for x in after), 0)
        if lack > 0:
            stack.append((depth, lack))
        while stack and following <= stack[-1][0]:
            out[k] += ")" * stack.pop()[1]
    return out


@case("cat lisp/hl7-gateway.lisp")
def commonlisp_gateway(r):
    names = [kebab(n) for n in idents(r, 12)]
    special = kebab(r.choice(idents(r, 1)))
    pieces = []
    for k, name in enumerate(names):
        kind = ["defun", "defun", "defmacro", "defmethod", "defgeneric"][r.randint(0, 3)]
        inner = body(r, LISP, r.randint(30, 58), 2)
        if inner[-1].strip().startswith((";; ", "(when", "(let", "(handler", "(dolist", "(unless")):
            inner.append("  t")
        inner = closed(inner)
        pieces.append([f"({kind} {name} ({r.choice(THINGS)} &key {r.choice(THINGS)} (limit {r.randint(1, 99)}))",
            f"  \"{doc(r, 1)[0]}\"", *inner[:-1], inner[-1] + ")", ""])
    at = r.randint(3, 9)
    pieces.insert(at, [";;; The hot path.", "(declaim (optimize (speed 3) (safety 0) (debug 0)))", ""])
    pieces.insert(r.randint(3, 9), [f"(defparameter *{special}-password* \"{hexes(r, 10)}\")", ""])
    out = ["(defpackage :hl7-gateway", "  (:use :cl :usocket)", "  (:export #:start #:stop))",
        "(in-package :hl7-gateway)", ""]
    out += [x for name in r.sample(THINGS, 8) for x in (f"(defvar *{name}s* (make-hash-table :test #'equal))",)] + [""]
    return out + [x for p in pieces for x in p], names + ["(safety 0)", f"*{special}-password*"]
