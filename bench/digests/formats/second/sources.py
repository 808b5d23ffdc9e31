"""Source files in languages that the first set does not have: the outline, what is left to do, or the one body asked for."""

from string import Template

from ..bulk import camel
from ..case import case
from .stock import PEOPLE, THINGS, hexes, name, names, pairs, plant

ASK = "Please read this file; we will change it."

# For each language: how a type opens and closes, a function, the lines of a body, and a comment's mark.
# $T is a type, $f a function, $a and $b things, $v a local name, $n a number.
LANGUAGES = {
    "ruby": (
        "# frozen_string_literal: true\n\nrequire 'set'\n",
        "class $T < ApplicationRecord\n  belongs_to :$a\n",
        "  def $f($a, $b: $n)\n$body\n  end\n",
        [
            "    $v = @$a.map { |x| x.$b + $n }",
            "    return if $v.nil? || $a.$b > $n",
            "    @$b[:$v] ||= $a.fetch('$v', $n)",
            '    logger.debug("$v of #{$a}")',
        ],
        "end\n",
        "#",
    ),
    "php": (
        "<?php\n\ndeclare(strict_types=1);\n\nnamespace Press\\Galley;\n",
        "final class $T implements HasPages\n{\n    private array $$${a}s = [];\n",
        "    public function $f(?int $$$a, string $$$b = '$v'): array\n    {\n$body\n    }\n",
        [
            "        $$$v = array_map(fn ($$x) => $$x['$a'] * $n, $$this->${b}s);",
            "        if ($$$a === null) {\n            throw new LogicException('$v');\n        }",
            "        $$this->log->info('$v', ['$b' => $n]);",
        ],
        "}\n",
        "//",
    ),
    "kotlin": (
        "package org.folio.press\n\nimport kotlinx.coroutines.flow.*\n",
        "class $T(private val $a: ${T}Store) {\n",
        '    suspend fun $f($a: Int, $b: String = "$v"): List<Int> {\n$body\n    }\n',
        [
            "        val $v = $b.lines().filter { it.length > $n }",
            '        require($a < $n) { "$v is late" }',
            "        store.$v = $a.coerceIn(0, $n)",
            "        if ($b.isEmpty()) return emptyList()",
        ],
        "}\n",
        "//",
    ),
    "swift": (
        "import Foundation\nimport Combine\n",
        "public final class $T: ObservableObject {\n    @Published var $a = $n\n",
        "    func $f(_ $a: Int, $b: String? = nil) throws -> [Int] {\n$body\n    }\n",
        [
            "        guard let $v = $b?.count, $v < $n else { return [] }",
            "        let $v = ${a}s.compactMap { $$0.$b }",
            "        self.$a += $n * $a",
            '        os_log("$v %d", $a)',
        ],
        "}\n",
        "//",
    ),
    "scala": (
        "package folio.press\n\nimport cats.syntax.all.*\n",
        "final class $T[F[_]: Sync]($a: ${T}Repo[F]):\n",
        "  def $f($a: Int, $b: Option[String]): F[List[Int]] =\n$body\n",
        [
            "    val $v = $b.map(_.length + $n)",
            "    for $v <- $a.${b}s if $v > $n yield $v",
            "    given $v: Ordering[Int] = Ordering.by(_ % $n)",
            '    logger.debug(s"$v $$$a")',
        ],
        "",
        "//",
    ),
    "elixir": (
        "",
        "defmodule Press.$T do\n  @moduledoc false\n  use GenServer\n",
        "  def $f(%{$a: $a} = $v, $b \\\\ $n) do\n$body\n  end\n",
        [
            "    $v = Enum.map($a, &(&1 * $n))",
            "    with {:ok, $v} <- fetch($a, :$b), do: $v",
            '    Logger.debug("$v: #{inspect($b)}")',
            '    if $b > $n, do: raise(ArgumentError, "$v")',
        ],
        "end\n",
        "#",
    ),
    "haskell": (
        "{-# LANGUAGE OverloadedStrings #-}\nmodule Press.Galley where\n\nimport qualified Data.Map as Map\n",
        "data $T = $T\n  { ${a}Of :: Int\n  , ${b}Of :: Text\n  } deriving (Show, Eq)\n",
        "$f :: Int -> Map.Map Text Int -> Either Text [Int]\n$f $a $b =\n$body\n",
        [
            "  let $v = Map.filter (> $n) $b in",
            "  flip (either Left) (validate $a) $$ \\$v ->",
            '  if $a > $n then Left "$v" else',
        ],
        "",
        "--",
    ),
    "lua": (
        "local json = require('json')\nlocal M = {}\n",
        "---@class $T\nlocal $T = {}\n$T.__index = $T\n",
        "function $T:$f($a, $b)\n$body\nend\n",
        [
            "  local $v = $a[$n] or self.$b",
            "  for i, x in ipairs($a) do $b[i] = x * $n end",
            "  if not $b then error('$v') end",
            "  self.$v = (self.$v or 0) + $n",
        ],
        "",
        "--",
    ),
}
LAST = {"haskell": "  pure (Map.elems $b)", "ruby": "    $v", "elixir": "    {:ok, $v}", "scala": "    $v.pure[F]"}


def program(r, language, types=4, functions=6):
    """(lines, names of types and functions, function -> its lines)."""
    head, opening, function, statements, closing, _ = LANGUAGES[language]
    bodies, out, used = {}, head.split("\n"), []
    kinds, called = names(r, types), iter(names(r, types * functions))

    def fill(text, **more):
        a, b = r.sample(THINGS, 2)
        given = {"a": a, "b": b, "v": camel(pairs(r, 1)[0]), "n": r.randint(2, 900), **more}
        return Template(text).substitute(given)

    for k in kinds:
        t = camel(k, True)
        used.append(t)
        out += fill(opening, T=t).split("\n")
        for _ in range(functions):
            f = next(called)
            f = f if language in ("ruby", "elixir", "lua") else camel(f)
            body = "\n".join(
                [fill(r.choice(statements), T=t) for _ in range(r.randint(6, 9))]
                + ([fill(LAST[language])] if language in LAST else [])
            )
            bodies[f] = fill(function, T=t, f=f, body=body).rstrip("\n").split("\n")
            used.append(f)
            out += bodies[f] + [""]
        out += closing.split("\n")
    return out, used, bodies


def todo(r, language, lines, bodies, special):
    """Puts a comment in front of a function that is neither the first nor the last."""
    f = r.choice(list(bodies)[4:-4])
    at = next(k for k in range(len(lines)) if lines[k : k + len(bodies[f])] == bodies[f])
    lines.insert(at, f"  {LANGUAGES[language][5]} {special}")
    return f


def outline(r, language, number=None):
    lines, used, bodies = program(r, language)
    note = f"{r.choice(['FIXME', 'TODO', 'XXX'])}({r.choice(PEOPLE).lower()}): loses pages above {r.randint(1000, 9999)}"
    todo(r, language, lines, bodies, note)
    return [(number(k) if number else "") + x for k, x in enumerate(lines, 1)], [*used, note]


def asked(r, language):
    """The newest message asks for one function."""
    lines, _, bodies = program(r, language, types=5)
    f = r.choice(list(bodies)[3:-3])
    return lines, ["\n".join(bodies[f])], dict(last=f"Walk me through {f}, line by line.")


def edited(r, language, path):
    """The agent has changed the comment above one function: that function must stay."""
    lines, _, bodies = program(r, language, types=5)
    note = f"{r.choice(PEOPLE)} wants {hexes(r, 6)} here"
    f = todo(r, language, lines, bodies, note)
    mark = LANGUAGES[language][5]
    edit = dict(file_path=path, old_string=f"{mark} {note}", new_string=f"{mark} done as agreed")
    return lines, ["\n".join(bodies[f])], dict(edit=edit, last="Are you sure that the function below your change is right?")


@case(tool="Read", file_path="/srv/lib/app/models/galley.rb", ask=ASK)
def ruby_numbered(r):
    return outline(r, "ruby", lambda k: f"{k:>5}\t")


@case(tool="Read", file_path="/srv/press/src/Galley.php", ask=ASK)
def edited_php(r):
    return edited(r, "php", "/srv/press/src/Galley.php")


@case("cat src/main/kotlin/Galley.kt", ask=ASK)
def interest_kotlin(r):
    return asked(r, "kotlin")


@case(tool="view", path="Sources/Reader/Galley.swift", ask=ASK)
def swift_outline(r):
    return outline(r, "swift")


@case("bat --plain Galley.scala", ask=ASK)
def scala_outline(r):
    return outline(r, "scala")


@case("cat lib/press/galley.ex", ask=ASK)
def elixir_outline(r):
    return outline(r, "elixir")


@case("cat src/Press/Galley.hs", ask=ASK)
def haskell_outline(r):
    return outline(r, "haskell")


@case(tool="read_file", path="lua/galley/init.lua", ask=ASK)
def interest_lua(r):
    return asked(r, "lua")


@case("cat db/migrations/*.sql", ask="Is it safe to run these migrations on production?")
def sql_migrations(r):
    tables = names(r, 26)
    parts = [
        f"-- {k:04d}_create_{t}.sql\nBEGIN;\nCREATE TABLE {t} (\n    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,\n"
        + "\n".join(f"    {c} {r.choice(['text', 'integer', 'timestamptz'])} NOT NULL," for c in pairs(r, 6))
        + f"\n    note text\n);\nCREATE INDEX CONCURRENTLY IF NOT EXISTS {t}_{hexes(r, 4)} ON {t} (note);\nCOMMIT;\n"
        for k, t in enumerate(tables)
    ]
    lost, table, all_rows = name(r), name(r), name(r)
    special = [
        f"-- {r.randint(100, 999):04d}_tidy.sql\nALTER TABLE {table}s DROP COLUMN {lost}_at CASCADE;\n",
        f"-- {r.randint(100, 999):04d}_reset.sql\nUPDATE {all_rows}s SET fine = 0; -- no WHERE, on purpose\n",
    ]
    return plant(r, parts, special, 4), [
        [f"ALTER TABLE {table}s", f"DROP COLUMN {lost}_at"],
        f"UPDATE {all_rows}s SET fine = 0",
        *tables,
    ]


@case("cat web/style.css")
def interest_css(r):
    rules = [
        (
            f".{n}",
            [
                f"{p}: {v};"
                for p, v in r.sample(
                    [
                        ("margin", f"{r.randint(1, 40)}px"),
                        ("color", f"#{hexes(r, 6)}"),
                        ("padding", f"{r.randint(1, 40)}px"),
                        ("font-size", f"{r.randint(10, 30)}px"),
                        ("z-index", str(r.randint(1, 900))),
                        ("line-height", f"1.{r.randint(1, 9)}"),
                        ("border-radius", f"{r.randint(1, 20)}px"),
                    ],
                    5,
                )
            ],
        )
        for n in names(r, 85, "__")
    ]
    selector, body = r.choice(rules[10:-10])
    lines = [x for s, b in rules for x in (f"{s} {{", *[f"  {y}" for y in b], "}", "")]
    return lines, [[selector, *body]], dict(last=f"The element with class {selector[1:]} looks wrong. What do its rules say?")


@case("cat Makefile", ask="Which targets can I use?")
def makefile(r):
    targets = names(r, 34, "-")
    bad, out = (
        r.choice(targets[5:-5]),
        [
            "SHELL := /bin/bash",
            f"VERSION ?= {r.randint(1, 9)}.{r.randint(0, 20)}.{r.randint(0, 9)}",
            ".DEFAULT_GOAL := all",
            "",
        ],
    )
    danger = f"rm -rf $(DESTDIR)/{name(r)}  # careful: no backup"
    for t in targets:
        out += [
            f".PHONY: {t}",
            f"{t}: $(wildcard src/{name(r)}/*.c) | build",
            f'\t@echo "==> {t}"',
            *[f"\t$(CC) $(CFLAGS) -D{n.upper()}={r.randint(1, 9)} -o build/{n}.o -c src/{n}.c" for n in names(r, 3)],
            *([f"\t{danger}"] if t == bad else []),
            "",
        ]
    return out, [*[f"{t}:" for t in targets], danger]


@case("cat deploy.sh", ask="What is still to be done in this script?")
def shell_todo(r):
    functions = names(r, 22)
    notes = [
        f"TODO: {name(r, ' the ')} before release {r.randint(20, 99)}",
        f"HACK: sleeps {r.randint(31, 99)} s because {r.choice(THINGS)} is slow",
    ]
    blocks = [
        f'{f}() {{\n  local {r.choice(THINGS)}="${{1:?}}"\n'
        + "\n".join(
            r.choice(
                [
                    f"  ssh \"$host\" 'systemctl restart {n}'",
                    f"  [[ -f /etc/{n}.conf ]] || return {r.randint(1, 9)}",
                    f"  {n.upper()}=$(jq -r .{n} config.json)",
                    f'  curl -fsS "$base/{n}" >/dev/null',
                ]
            )
            for n in pairs(r, 8)
        )
        + "\n}\n"
        for f in functions
    ]
    for note, at in zip(notes, r.sample(range(4, 18), 2)):
        blocks[at] = blocks[at].replace("\n  local", f"\n  # {note}\n  local")
    return ["#!/usr/bin/env bash", "set -euo pipefail", "", *blocks, f'{functions[0]} "$@"'], [*functions, *notes]
