"""Source files: a reader of the digest must still know what is defined there, and the constants."""

from string import Template

from .bulk import NAMES, NOUNS, camel, hexes, idents
from .case import case

ASK = "Please read this file; we will work on it later."

# Per language: `head`, `const` (NAME, n), `types` and `frees` (openings of a type and of a free function, used in turn),
# `members` (openings of a method), `body` (statements, two of which are shared by all functions so that nothing but
# the name tells them apart), `end` of a function, `close` of a type, and `odd`: definitions of rarer kinds.
LANGUAGES = {
    "rs": dict(
        snake=True,
        head="//! Stowage of boxes.\n\nuse std::collections::HashMap;\n\nuse crate::lane::{Error, Lane};\n",
        const="/// Upper bound of a plan.\npub const $NAME: u32 = $n;\n",
        types=[
            "/// Keeps $a.\n#[derive(Debug, Clone)]\npub struct $T {\n    $a: u32,\n    $b: HashMap<u32, Lane>,\n}\n\nimpl $T {",
            "pub(crate) struct $T<L>(L);\n\nimpl<L: Clone> $T<L> {",
        ],
        members=[
            "    /// Works on one $a.\n    pub fn $name(&self, $a: u32) -> Result<u32, Error> {",
            "    pub async fn $name(&mut self, $a: u32) -> Result<u32, Error> {",
            "    fn $name<F: Fn(u32)>(&self, $a: u32, _then: F) -> Result<u32, Error> {",
        ],
        frees=["pub fn $name($a: u32) -> Result<u32, Error> {", "#[inline]\nfn $name($a: u32) -> Result<u32, Error> {"],
        body=[
            "let mut $b = $a + $n;",
            "if $b > $m {\n    return Err(Error::Full($b));\n}",
            "for step in 0..$n {\n    $b += step * $m;\n}",
            "let $c = lanes().get(&$n).map(|lane| lane.depth).unwrap_or($m);",
            "match $b % 3 {\n    0 => $b += $n,\n    1 => $b -= 1,\n    _ => {}\n}",
        ],
        end="Ok($a)\n}",
        close="}",
        odd=[
            "pub trait $T {\n    fn $name(&self) -> u32;\n}",
            "#[derive(Debug)]\npub enum $T {\n    Empty,\n    Held(u32),\n}",
            "macro_rules! $name {\n    ($$x:expr) => {\n        $$x + 1\n    };\n}",
            "pub type $T = HashMap<u32, Vec<u32>>;",
        ],
    ),
    "py": dict(
        snake=True,
        head='"""Stowage of boxes."""\nfrom __future__ import annotations\n\nimport asyncio\nfrom dataclasses import dataclass\n\nfrom .lane import Full, Lane\n',
        const="$NAME = $n\n",
        types=['class $T:\n    """Keeps the $a."""\n', "@dataclass(frozen=True)\nclass $T(Lane):\n    $a: int = 0\n"],
        members=[
            '    def $name(self, $a: int) -> int:\n        """Works on one $a."""',
            "    async def $name(self, $a: int, *, strict: bool = False) -> int:",
            "    @classmethod\n    def $name(cls, $a: int) -> int:",
        ],
        frees=["def $name($a: int) -> int:", "@cached\ndef $name($a: int, limit: int = $n) -> int:"],
        body=[
            "$b = $a + $n",
            "if $b > $m:\n    raise Full($b)",
            "for step in range($n):\n    $b += step * $m",
            "$c = lanes().get($n, $m)",
            "with lock($b):\n    $b -= 1",
        ],
        end="return $a",
        close="",
        odd=["class $T(Exception):\n    pass", "$name = lambda lane: lane.depth  # noqa: E731"],
    ),
    "js": dict(
        snake=False,
        head="'use strict';\n\nconst { Full, lanes } = require('./lane');\n",
        const="const $NAME = $n;\n",
        types=["/** Keeps the $a. */\nclass $T {\n  constructor() {\n    this.$a = $n;\n  }\n", "class $T extends Base {"],
        members=["  $name($a) {", "  async $name($a, then) {", "  static $name($a) {"],
        frees=["function $name($a) {", "const $name = async ($a) => {", "exports.$name = function ($a) {"],
        body=[
            "let $b = $a + $n;",
            "if ($b > $m) {\n  throw new Full($b);\n}",
            "for (let step = 0; step < $n; step++) {\n  $b += step * $m;\n}",
            "const $c = lanes().get($n) ?? $m;",
            "$b = [$n, $m, $b].map((x) => x + 1).reduce((x, y) => x + y);",
        ],
        end="return $a;\n}",
        close="}",
        odd=["function* $name() {\n  yield 1;\n}"],
    ),
    "ts": dict(
        snake=False,
        head="import { Full, lanes, type Lane } from './lane';\n",
        const="export const $NAME = $n;\n",
        types=[
            "export class $T implements Keeper {\n  private $a = $n;\n",
            "export abstract class $T<L extends Lane> {\n  constructor(private readonly $a: L) {}\n",
        ],
        members=[
            "  $name($a: number): number {",
            "  public async $name($a: number, then?: () => void): Promise<number> {",
            "  protected $name<K>($a: number, key: K): number {",
        ],
        frees=["export function $name($a: number): number {", "export const $name = async ($a: number): Promise<number> => {"],
        body=[
            "let $b = $a + $n;",
            "if ($b > $m) {\n  throw new Full($b);\n}",
            "for (const step of Array($n).keys()) {\n  $b += step * $m;\n}",
            "const $c: number = lanes().get($n)?.depth ?? $m;",
            "$b = [$n, $m, $b].map((x) => x + 1).reduce((x, y) => x + y);",
        ],
        end="return $a;\n}",
        close="}",
        odd=[
            "export interface $T {\n  lane: number;\n  seal?: string;\n}",
            "export type $T = 'open' | 'shut';",
            "export enum $T {\n  Low,\n  High,\n}",
            "export default function $name(): void {}",
        ],
    ),
    "go": dict(
        snake=False,
        head='// Package stowage plans boxes.\npackage stowage\n\nimport (\n\t"context"\n\t"fmt"\n)\n',
        const="const $NAME = $n\n",
        types=["// $T keeps the $a.\ntype $T struct {\n\t$a int\n\t$b map[int]Lane\n}\n"],
        members=[
            "// $name works on one $a.\nfunc (t *$T) $name(ctx context.Context, $a int) (int, error) {",
            "func (t $T) $name($a int) (int, error) {",
        ],
        frees=["func $name($a int) (int, error) {", "func $name[L any]($a int, l L) (int, error) {"],
        body=[
            "$b := $a + $n",
            'if $b > $m {\n\treturn 0, fmt.Errorf("full: %d", $b)\n}',
            "for step := 0; step < $n; step++ {\n\t$b += step * $m\n}",
            "$c, ok := lanes()[$n]\nif !ok {\n\t$c = $m\n}",
            "defer unlock($b)",
        ],
        end="return $a, nil\n}",
        close="",
        flat=True,
        odd=["type $T interface {\n\tDepth() int\n}", "type $T func(int) error", 'var $name = map[string]int{"low": 1}'],
    ),
    "java": dict(
        snake=False,
        head="package io.tidewater.stowage;\n\nimport java.util.Map;\nimport java.util.Optional;\n",
        const="final class Limits {\n    static final int $NAME = $n;\n}\n",
        types=[
            "/** Keeps the $a. */\npublic class $T implements Keeper {\n    private int $a = $n;\n",
            "@Service\nclass $T extends Base<Lane> {",
        ],
        members=[
            "    /** Works on one $a. */\n    public int $name(int $a) throws FullException {",
            "    @Override\n    protected int $name(final int $a, Map<String, Lane> lanes) {",
            "    private static <L> int $name(int $a, L lane) {",
        ],
        frees=[],
        body=[
            "int $b = $a + $n;",
            "if ($b > $m) {\n    throw new FullException($b);\n}",
            "for (int step = 0; step < $n; step++) {\n    $b += step * $m;\n}",
            "int $c = Optional.ofNullable(lanes.get($n)).map(Lane::depth).orElse($m);",
            "$b = switch ($b % 3) {\n    case 0 -> $n;\n    default -> $m;\n};",
        ],
        end="return $a;\n}",
        close="}",
        odd=["interface $T {\n    int depth();\n}", "enum $T { LOW, HIGH }", "record $T(int lane, String seal) {}"],
    ),
    "c": dict(
        snake=True,
        head='#include <errno.h>\n#include <stdio.h>\n\n#include "lane.h"\n',
        const="#define $NAME $n\n",
        types=["struct $t {\n    int $a;\n    struct lane *$b;\n};\n"],
        members=["int $name(struct $t *self, int $a)\n{", "static int $name(const struct $t *self, int $a)\n{"],
        frees=["static inline int\n$name(int $a)\n{", "void *$name(int $a)\n{"],
        body=[
            "int $b = $a + $n;",
            "if ($b > $m)\n    return -ENOSPC;",
            "for (int step = 0; step < $n; step++)\n    $b += step * $m;",
            "struct lane *$c = lane_at($n, $m);\nif (!$c)\n    goto out;",
            "do {\n    $b--;\n} while ($b > $n);",
        ],
        end="return $a;\n}",
        close="",
        flat=True,
        odd=["typedef int (*$name)(int lane);", "enum $t {\n    LOW,\n    HIGH,\n};", "#define $name(x) ((x) + 1)"],
    ),
    "cpp": dict(
        snake=False,
        head='#include <map>\n#include <optional>\n\n#include "lane.hpp"\n\nnamespace port {\n',
        const="constexpr int $NAME = $n;\n",
        types=[
            "/// Keeps the $a.\nclass $T : public Keeper {\npublic:\n    explicit $T(int $a);\n",
            "template <typename L>\nstruct $T {",
        ],
        members=[
            "    int $name(int $a) const override {",
            "    [[nodiscard]] auto $name(int $a) -> std::optional<int> {",
            "    template <class K>\n    static int $name(int $a, K&& key) {",
        ],
        frees=["int $name(int $a) {", "template <typename L>\nauto $name(int $a, const L& lane) -> int {"],
        body=[
            "int $b = $a + $n;",
            "if ($b > $m) {\n    throw full($b);\n}",
            "for (int step = 0; step < $n; ++step) {\n    $b += step * $m;\n}",
            "const auto $c = lanes().contains($n) ? $n : $m;",
            "std::for_each(all.begin(), all.end(), [&](auto& x) { x += $b; });",
        ],
        end="return $a;\n}",
        close="};",
        odd=["enum class $T { low, high };", "using $T = std::map<int, int>;"],
    ),
}


LAST = "early late cold spare inner north daily twice prior".split()


def source(r, ext, types=3, members=6, frees=6):
    """(lines, names of all definitions, the constant, {name: body lines of the function})."""
    lang = LANGUAGES[ext]
    names, used, bodies, out = iter(idents(r, 60)), [], {}, []

    def fill(text, **given):
        a, b, c = r.sample(NOUNS, 3)
        return Template(text).substitute(dict(a=a, b=b, c=c, n=r.randint(2, 99), m=r.randint(100, 999)) | given)

    def new(kind):
        # Three words, so that no name is part of another or of a statement.
        name = f"{next(names)}_{r.choice(LAST)}"
        name = camel(name, True) if kind == "T" or ext == "go" else name if lang["snake"] else camel(name)
        used.append(name)
        return name

    def function(opening, member, **given):
        name = new("name")
        a, b = r.sample(NOUNS, 2)
        given |= dict(name=name, a=a, b=b)
        statements = lang["body"][:1] + [s for _ in range(r.randint(2, 4)) for s in r.sample(lang["body"][1:], 3)]
        inner = "\n".join(fill(s, **given) for s in statements) + "\n" + fill(lang["end"], **given)
        body, closing = (inner.split("\n"), []) if ext == "py" else (inner.split("\n")[:-1], ["}"])
        pad = "\t" if ext == "go" else "  " if ext in ("js", "ts") else "    "
        lead = pad if member and not lang.get("flat") else ""
        body = [lead + pad + x for x in body] + [lead + x for x in closing]
        bodies[name] = body
        return fill(opening, **given).split("\n") + body + [""]

    constant = camel(next(names), True) + "Max" if ext == "go" else f"{next(names).upper()}_MAX"
    value = r.randint(10000, 99999)
    out += lang["head"].split("\n") + fill(lang["const"], NAME=constant, n=value).split("\n")
    for k in range(types):
        t = new("t" if ext == "c" else "T")
        given = dict(T=t, t=t)
        out += fill(lang["types"][k % len(lang["types"])], **given).split("\n")
        for j in range(members):
            out += function(lang["members"][j % len(lang["members"])], True, **given)
        out += [lang["close"], ""]
        for odd in lang["odd"][k::types]:
            kind = new("T" if "$T" in odd else "t")
            out += fill(odd, **({"T": kind, "t": kind, "name": new("name") if "$T" in odd and "$name" in odd else kind})).split(
                "\n"
            ) + [""]
    for k in range(frees if lang["frees"] else 0):
        out += function(lang["frees"][k % len(lang["frees"])], False)
    return out + ["}  // namespace port"] * (ext == "cpp"), used, [constant, str(value)], bodies


def read(r, ext, number=None, **size):
    """Definitions and the constant must survive; `number(k)` is what the tool writes before line k."""
    lines, names, constant, _ = source(r, ext, **size)
    return [(number(k) if number else "") + x for k, x in enumerate(lines, 1)], names + [constant]


@case(tool="Read", file_path="/srv/port/src/stowage.rs", ask=ASK)
def rust_arrow_numbers(r):
    return read(r, "rs", lambda k: f"{k:>6}→")


@case("cat src/stowage.rs", ask=ASK)
def rust_plain(r):
    return read(r, "rs", types=2)


@case("cat -n stowage.py", ask=ASK)
def python_cat_n(r):
    return read(r, "py", lambda k: f"{k:>6}\t")


@case(tool="read_file", path="port/stowage.py", ask=ASK)
def python_plain(r):
    return read(r, "py", types=4)


@case(tool="Read", file_path="/srv/portal/lib/stowage.js", ask=ASK)
def javascript_bar_numbers(r):
    return read(r, "js", lambda k: f"{k:>4}| ")


@case("nl -ba src/stowage.ts", ask=ASK)
def typescript_nl(r):
    return read(r, "ts", lambda k: f"{k:>6}\t")


@case("cat internal/stowage/stowage.go", ask=ASK)
def go_plain(r):
    return read(r, "go", frees=10)


@case(tool="view", path="src/main/java/Stowage.java", ask=ASK)
def java_plain(r):
    return read(r, "java", members=8)


@case("cat -n drivers/stowage.c", ask=ASK)
def c_cat_n(r):
    return read(r, "c", lambda k: f"{k:>6}\t")


@case("cat src/stowage.cpp", ask=ASK)
def cpp_plain(r):
    return read(r, "cpp")


@case("sed -n '120,400p' port/stowage.py", ask=ASK)
def python_fragment(r):
    """The window opens and ends inside a function: what is defined within it counts."""
    lines, names, *_ = source(r, "py", types=4, members=7)
    cut = lines[37:-4]
    return cut, [n for n in names if any(n in x for x in cut)]


@case("sed -n '60,300p' src/stowage.rs", ask=ASK)
def rust_fragment(r):
    lines, names, *_ = source(r, "rs", types=4, members=6)
    cut = lines[31:-5]
    return cut, [n for n in names if any(n in x for x in cut)]


def edited(r, ext, path, mark, number=None):
    """The agent edits one function afterwards: its whole body stays, the rest may shrink."""
    lines, _, _, bodies = source(r, ext)
    name = r.choice(list(bodies)[3:-3])
    body = bodies[name]
    at = lines.index(next(x for x in lines if name in x and "(" in x))
    while lines[at : at + len(body)] != body:
        at += 1
    special = f"{mark} {r.choice(NAMES)} {hexes(r, 6)}: see the harbour rules"
    indent = body[0][: len(body[0]) - len(body[0].lstrip())]
    lines.insert(at, indent + special)
    body = [indent + special] + body
    text = [(number(k) if number else "") + x for k, x in enumerate(lines, 1)]
    said = [x.strip() for x in body if x.strip() != "}"]
    # Numbers stand between the lines, so these are looked for five at a time.
    return (
        text,
        [said[k : k + 5] for k in range(0, len(said), 5)] if number else ["\n".join(body)],
        dict(
            edit=dict(file_path=path, old_string=indent + special, new_string=indent + f"{mark} done"),
            last="Now show me that you know the function which you have just changed.",
        ),
    )


@case(tool="Read", file_path="/srv/port/lanes.py", ask=ASK)
def edited_python(r):
    return edited(r, "py", "/srv/port/lanes.py", "#")


@case(tool="Read", file_path="/srv/port/src/lanes.rs", ask=ASK)
def edited_rust(r):
    return edited(r, "rs", "/srv/port/src/lanes.rs", "//")


@case(tool="Read", file_path="/srv/port/src/lanes.ts", ask=ASK)
def edited_typescript_numbered(r):
    return edited(r, "ts", "/srv/port/src/lanes.ts", "//", lambda k: f"{k:>6}\t")
