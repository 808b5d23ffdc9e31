#!/usr/bin/env python3
"""Writes a synthetic agent session of N messages: python3 generate.py N OUT

Chat format, one JSON document on one line, written message by message, so that its size does not matter.
Only the standard library. The same N gives the same bytes on every machine and every Python from 3.8 on: of `random`
only seeding by string and random() are used, which Python promises not to change.

The recipe (README.md tells it in words):
  session   one system prompt; then turns until N messages are written.
  turn      a request; 3 to 9 steps; an answer.
  step      an assistant message with one call (three in ten: two or three calls), then a result for each.
  call      run the tests, read, search or write a file, list a directory, follow a log, ask an HTTP service,
            show a diff: see TOOLS for the shares.
  project   a file's text depends on its path and on how often it was written, so reading a file again gives the same
            text, and reading it after a write gives a text that differs in one function. New files appear as the
            session goes on.
"""

import json
import random
import sys

# ---------------------------------------------------------------------------------------------------------------------
# Chance


class Dice:
    """Random choices out of random() alone."""

    def __init__(self, *seed):
        self.random = random.Random("/".join(map(str, seed))).random

    def upto(self, n):
        return int(self.random() * n)

    def between(self, low, high):
        return low + int(self.random() * (high - low + 1))

    def one_of(self, items):
        return items[int(self.random() * len(items))]

    def chance(self, share):
        return self.random() < share

    def weighted(self, table):
        """`table`: (weight, item)s whose weights sum to 100."""
        at = self.random() * 100
        for weight, item in table:
            at -= weight
            if at < 0:
                return item
        return table[-1][1]

    def hex(self, digits):
        return "%0*x" % (digits, int(self.random() * 16 ** min(digits, 12)))

    def skewed(self, low, high):
        """Mostly small, sometimes large: as sizes of real outputs are."""
        return low + int((high - low) * self.random() ** 3)


# ---------------------------------------------------------------------------------------------------------------------
# Words

NOUNS = (
    "account address archive asset batch bill block body bucket budget cache calendar cart catalog channel chunk client cluster "
    "column config contract counter cursor customer dataset deadline device digest discount document draft edge entry event export "
    "feature feed field file filter folder frame gateway group handler header history host image import index inventory invoice item "
    "job journal key label layer lease ledger license limit link list listing lock log mailbox manifest map member menu message meter "
    "metric migration mirror module monitor network node note notice offer option order owner package page parcel parser partner patch "
    "path payment peer period permission phase pipeline plan plugin point policy pool port price profile project prompt proxy queue quota "
    "range rate reader record region registry release report request reserve response result retry role route row rule sample schedule "
    "schema scope search section segment sensor series server session setting shard shipment signal slot snapshot socket source span "
    "stage state status step stock storage stream style summary switch table target task team template tenant term test thread ticket "
    "timer token topic trace track transfer tree trigger tuple unit upload usage user value vendor version view volume voucher wallet "
    "warehouse watcher webhook widget window worker writer zone"
).split()
VERBS = (
    "add adjust apply archive assign attach balance build cancel check claim clean close collect compare complete compute confirm "
    "convert copy count create decode deliver derive detach discard drain drop emit encode ensure estimate evict expand expire export fetch "
    "filter find flush format forward gather generate grant group handle import insert inspect join limit list load lock map mark match "
    "measure merge migrate move normalize notify open parse patch pick place poll prepare prune publish pull push query queue read rebuild "
    "receive record reduce refresh register release reload remove rename render replay replace report reserve reset resolve restore "
    "retry return review revoke rotate route save scan schedule select send serve settle shift skip sort split start stop store submit sum "
    "swap sync take track transfer trim unlock unpack update upload validate verify wait walk warm watch wrap write"
).split()
ADJECTIVES = (
    "active allowed async average broken cached clean closed cold common current daily dirty due early empty exact expired external final "
    "first fixed foreign fresh global hidden hot idle inner internal invalid known large last late latest linked local locked loose lost "
    "main manual maximum minimal missing mixed narrow nested next old open optional orphaned outer paid partial past pending previous "
    "primary public raw ready recent remote required scoped secondary shared short signed single slow small stale strict sync temporary "
    "total trusted unique unknown unused upper valid visible wide"
).split()
PEOPLE = "Ada Bjørn Chloé Dmitri Emre Fatima Grace Håkon Inés Jürgen Keiko Léa Mateo Nadia Olu Priya Quinn Rosa Søren Tomáš Uma Wei Zoë".split()
AREAS = "billing catalog checkout delivery identity ledger mail metrics orders payments pricing reports search shipping stock sync tenants users webhooks workers".split()
LANGUAGES = (
    # share, suffix, directory
    (38, ("py", "src")),
    (22, ("rs", "crates")),
    (24, ("ts", "web/src")),
    (6, ("yaml", "deploy")),
    (6, ("md", "docs")),
    (4, ("sql", "migrations")),
)
PROSE = (
    "The {a} {n} is {v}ed before the {n2} is known, so the {n3} stays {a2}.",
    "I will {v} the {n} first and then look at how the {n2} {v2}s its {n3}.",
    "When the {n} is {a}, `{id}` returns early and the {a2} {n2} is never {v}ed.",
    "Nothing else depends on the {a} {n}; the {n2} only needs `{id}`.",
    "That explains why the {n} took {num} ms: every {n2} was {v}ed twice.",
    "The {n} test expects {num} {n2}s, but the {a} {n3} has one more.",
    "Let me check whether `{id}` is used outside of the {n} module.",
    "There are two ways: {v} the {n} in the {n2}, or keep the {a} {n3} and {v2} it later.",
    "{p} asked for a {a} {n} last week, which is why the {n2} exists.",
    "Both callers pass a {a} {n}, so the check for a {a2} {n2} can go.",
    "The cause is in `{id}`: it compares the {n} with the {a} {n2} – by identity, not by value.",
    "After this change the {n} is {v}ed once per {n2} and the {n3} holds at most {num} entries.",
)


def snake(d):
    k = d.upto(10)
    if k < 5:
        return f"{d.one_of(VERBS)}_{d.one_of(NOUNS)}"
    if k < 8:
        return f"{d.one_of(ADJECTIVES)}_{d.one_of(NOUNS)}"
    return f"{d.one_of(NOUNS)}_{d.one_of(NOUNS)}s"


def camel(d):
    first, *rest = snake(d).split("_")
    return first + "".join(part.capitalize() for part in rest)


def pascal(d):
    return d.one_of(ADJECTIVES + NOUNS).capitalize() + d.one_of(NOUNS).capitalize()


def sentence(d):
    return d.one_of(PROSE).format(
        a=d.one_of(ADJECTIVES), a2=d.one_of(ADJECTIVES), n=d.one_of(NOUNS), n2=d.one_of(NOUNS), n3=d.one_of(NOUNS),
        v=d.one_of(VERBS), v2=d.one_of(VERBS), id=snake(d), num=d.between(2, 900), p=d.one_of(PEOPLE),
    )  # fmt: skip


def prose(d, sentences):
    return " ".join(sentence(d) for _ in range(sentences))


def clock(d, second):
    second += d.random()
    return "2026-03-%02dT%02d:%02d:%06.3fZ" % (1 + second // 86400 % 28, second // 3600 % 24, second // 60 % 60, second % 60)


# ---------------------------------------------------------------------------------------------------------------------
# The project


class Project:
    """Files that are read, written and read again."""

    def __init__(self):
        self.paths = []
        self.writes = {}
        self.texts = {}
        for _ in range(60):
            self.new_path()

    def new_path(self):
        number = len(self.paths)
        d = Dice("path", number)
        suffix, directory = d.weighted(LANGUAGES)
        area = d.one_of(AREAS)
        name = f"{number:04d}_{snake(d)}" if suffix == "sql" else snake(d)
        path = f"{directory}/{area}/{name}_{number}.{suffix}" if number >= 200 else f"{directory}/{area}/{name}.{suffix}"
        self.paths.append(path)
        return path

    def path(self, d):
        # Work has a focus: half of the time it is one of the newest files.
        if d.chance(0.5):
            return self.paths[-1 - d.upto(min(12, len(self.paths)))]
        return d.one_of(self.paths)

    def write(self, path):
        self.writes[path] = self.writes.get(path, 0) + 1
        self.texts.pop(path, None)

    def text(self, path):
        if path not in self.texts:
            self.texts[path] = self.compose(path)
        return self.texts[path]

    def compose(self, path):
        d = Dice("file", path)
        part = PARTS[path.rsplit(".", 1)[1]]
        parts = d.between(5, 18)
        written = self.writes.get(path, 0)
        texts = [part(Dice(path, number), number) for number in range(parts)]
        for write in range(max(0, written - 3), written):
            changed = Dice(path, "write", write)
            texts[changed.upto(parts)] = part(changed, changed.upto(parts))
        return "\n".join(texts)


def python_part(d, number):
    if number == 0:
        names = [snake(d) for _ in range(d.between(3, 8))]
        imports = "\n".join(f"from {d.one_of(AREAS)}.{name} import {pascal(d)}, {name.split('_')[0]}_{d.one_of(NOUNS)}" for name in names)
        return f'"""{sentence(d)}"""\n\nfrom __future__ import annotations\n\nimport logging\n{imports}\n\nlogger = logging.getLogger(__name__)\n{d.one_of(NOUNS).upper()}_LIMIT = {d.between(2, 5000)}\n'
    arguments = [snake(d) for _ in range(d.between(1, 4))]
    lines = ["", f"def {snake(d)}_{number}({', '.join(f'{a}: {pascal(d)}' for a in arguments)}) -> {pascal(d)} | None:", f'    """{sentence(d)}"""']
    for _ in range(d.between(3, 14)):
        k = d.upto(8)
        a, b = d.one_of(arguments), snake(d)
        if k == 0:
            lines += [f"    if {a}.{b} is None:", f'        logger.warning("{d.one_of(ADJECTIVES)} {d.one_of(NOUNS)} %s", {a})', "        return None"]
        elif k == 1:
            lines += [f"    for {d.one_of(NOUNS)} in {a}.{b}({d.between(1, 99)}):", f"        {snake(d)} += {d.one_of(arguments)}.{camel(d)} * {d.between(2, 60)}"]
        elif k == 2:
            lines.append(f"    # {sentence(d)}")
        elif k == 3:
            lines.append(f'    {b} = {{"{snake(d)}": {a}.{snake(d)}, "{snake(d)}": "{d.one_of(NOUNS)}-{d.hex(6)}", "{d.one_of(NOUNS)}": {d.random():.4f}}}')
        elif k == 4:
            lines += ["    try:", f"        {b} = {snake(d)}({a}, timeout={d.between(1, 60)})", f"    except ({pascal(d)}Error, TimeoutError) as error:", f'        raise {pascal(d)}Error(f"{d.one_of(VERBS)} {{{a}!r}}: {{error}}") from error']
        else:
            lines.append(f"    {b} = {snake(d)}({a}, {d.one_of(arguments)}.{snake(d)})[{d.between(0, 9)}:]")
    lines.append(f"    return {pascal(d)}({', '.join(arguments)}, {snake(d)}={d.between(0, 4096)})")
    return "\n".join(lines)


def rust_part(d, number):
    if number == 0:
        uses = "\n".join(f"use crate::{d.one_of(AREAS)}::{{{pascal(d)}, {pascal(d)}}};" for _ in range(d.between(2, 6)))
        fields = "\n".join(f"    /// {sentence(d)}\n    pub {snake(d)}: {d.one_of(('u64', 'String', 'Vec<u8>', 'Option<Duration>', pascal(d)))}," for _ in range(d.between(2, 7)))
        return f"//! {sentence(d)}\n\nuse std::time::Duration;\n\n{uses}\n\n#[derive(Debug, Clone)]\npub struct {pascal(d)} {{\n{fields}\n}}\n"
    arguments = [snake(d) for _ in range(d.between(1, 3))]
    lines = ["", f"/// {sentence(d)}", f"pub fn {snake(d)}_{number}(&self, {', '.join(f'{a}: &{pascal(d)}' for a in arguments)}) -> Result<{pascal(d)}, {pascal(d)}Error> {{"]
    for _ in range(d.between(3, 12)):
        k = d.upto(6)
        a, b = d.one_of(arguments), snake(d)
        if k == 0:
            lines += [f"    let Some({b}) = {a}.{snake(d)}() else {{", f"        return Err({pascal(d)}Error::{pascal(d)} {{ {b}: {d.between(1, 900)} }});", "    };"]
        elif k == 1:
            lines += [f"    match {a}.{b} {{", f"        {pascal(d)}::{pascal(d)} => self.{snake(d)}(&{a}),", f"        {pascal(d)}::{pascal(d)}({d.one_of(NOUNS)}) if {d.one_of(NOUNS)} > {d.between(1, 99)} => {snake(d)}(),", "        _ => {}", "    }"]
        elif k == 2:
            lines.append(f"    // {sentence(d)}")
        else:
            lines.append(f"    let {b} = {a}.{snake(d)}().map(|{d.one_of(NOUNS)}| {snake(d)}({d.between(0, 255)})).collect::<Vec<_>>();")
    lines += [f"    Ok({pascal(d)}::new({', '.join(arguments)}))", "}"]
    return "\n".join(lines)


def typescript_part(d, number):
    if number == 0:
        imports = "\n".join(f'import {{ {pascal(d)}, {camel(d)} }} from "../{d.one_of(AREAS)}/{camel(d)}";' for _ in range(d.between(3, 7)))
        fields = "\n".join(f"  {camel(d)}{d.one_of(('', '?'))}: {d.one_of(('string', 'number', 'boolean', 'Date | null', pascal(d) + '[]'))};" for _ in range(d.between(3, 9)))
        return f"{imports}\n\nexport interface {pascal(d)}Props {{\n{fields}\n}}\n"
    arguments = [camel(d) for _ in range(d.between(1, 3))]
    lines = ["", f"/** {sentence(d)} */", f"export async function {camel(d)}{number}({', '.join(f'{a}: {pascal(d)}' for a in arguments)}): Promise<{pascal(d)}> {{"]
    for _ in range(d.between(3, 12)):
        k = d.upto(6)
        a, b = d.one_of(arguments), camel(d)
        if k == 0:
            lines += [f"  if (!{a}.{b} || {a}.{camel(d)} > {d.between(1, 500)}) {{", f"    throw new {pascal(d)}Error(`{d.one_of(ADJECTIVES)} {d.one_of(NOUNS)}: ${{{a}.{b}}}`);", "  }"]
        elif k == 1:
            lines.append(f'  const {{ {b}, {camel(d)} }} = await fetch(`/api/v{d.between(1, 4)}/{d.one_of(AREAS)}/${{{a}.id}}?limit={d.between(10, 500)}`).then((r) => r.json());')
        elif k == 2:
            lines.append(f"  // {sentence(d)}")
        elif k == 3:
            lines.append(f'  <{pascal(d)} {camel(d)}={{{a}}} className="{d.one_of(NOUNS)}-{d.one_of(ADJECTIVES)} px-{d.upto(9)}" onClick={{() => {camel(d)}({a})}} />')
        else:
            lines.append(f"  const {b} = {a}.{camel(d)}.filter(({d.one_of(NOUNS)}) => {camel(d)}({d.between(0, 99)})).map({camel(d)});")
    lines += [f"  return {{ ...{arguments[0]}, {camel(d)}: {d.between(0, 9999)} }};", "}"]
    return "\n".join(lines)


def yaml_part(d, number):
    lines = [f"{d.one_of(AREAS)}_{number}:", f"  image: registry.example/{d.one_of(AREAS)}-{d.one_of(NOUNS)}:{d.upto(9)}.{d.upto(30)}.{d.upto(9)}", f"  replicas: {d.between(1, 9)}", "  env:"]
    lines += [f"    {snake(d).upper()}: {d.one_of((str(d.upto(9999)), 'true', d.one_of(NOUNS) + '-' + d.hex(4)))}" for _ in range(d.between(3, 9))]
    return "\n".join(lines + [f"  resources: {{ cpu: {d.between(100, 4000)}m, memory: {d.between(64, 4096)}Mi }}  # {sentence(d)}"])


def markdown_part(d, number):
    head = f"{'#' if number == 0 else '##'} {d.one_of(ADJECTIVES).capitalize()} {d.one_of(NOUNS)}s"
    points = "\n".join(f"- `{snake(d)}`: {sentence(d)}" for _ in range(d.between(1, 5)))
    return f"{head}\n\n{prose(d, d.between(2, 6))}\n\n{points}\n"


def sql_part(d, number):
    table = f"{d.one_of(NOUNS)}_{d.one_of(NOUNS)}s"
    columns = ",\n".join(f"    {snake(d)} {d.one_of(('BIGINT NOT NULL', 'TEXT', 'TIMESTAMPTZ DEFAULT now()', 'NUMERIC(12,2)', 'JSONB'))}" for _ in range(d.between(3, 9)))
    return f"-- {sentence(d)}\nCREATE TABLE {table} (\n    id BIGSERIAL PRIMARY KEY,\n{columns}\n);\nCREATE INDEX idx_{table}_{number} ON {table} ({snake(d)});\n"


PARTS = {"py": python_part, "rs": rust_part, "ts": typescript_part, "yaml": yaml_part, "md": markdown_part, "sql": sql_part}

# ---------------------------------------------------------------------------------------------------------------------
# Tools: each gives the call's arguments and the result's text


def read_file(d, project):
    path = project.path(d)
    lines = project.text(path).split("\n")
    arguments = {"path": path}
    first = 0
    if len(lines) > 120 and d.chance(0.35):
        first, count = d.upto(len(lines) - 80), d.between(60, 160)
        arguments.update(offset=first + 1, limit=count)
        lines = lines[first : first + count]
    if d.chance(0.7):
        return arguments, "\n".join(f"{number:6}\t{line}" for number, line in enumerate(lines, first + 1))
    return arguments, "\n".join(lines)


def write_file(d, project):
    path = project.new_path() if d.chance(0.35) else project.path(d)
    project.write(path)
    text = project.text(path)
    return {"path": path, "content": text[: d.between(800, 6000)]}, f"Wrote {len(text)} bytes to {path}"


def patch(d, project):
    path = project.path(d)
    old = project.text(path).split("\n")
    project.write(path)
    new = project.text(path).split("\n")
    at = next((number for number, (a, b) in enumerate(zip(old, new)) if a != b), 0)
    replaced, replacement = "\n".join(old[at : at + 8]), "\n".join(new[at : at + 11])
    return {"path": path, "old_string": replaced, "new_string": replacement}, f"The file {path} has been updated ({d.between(1, 9)} lines changed)."


def search(d, project):
    word = d.one_of(NOUNS)
    lines = []
    for _ in range(d.between(2, 5)):
        path = project.path(d)
        lines += [f"{path}:{number}:{line.strip()}" for number, line in enumerate(project.text(path).split("\n"), 1) if line.strip() and (word in line or number % 11 == 0)]
    return {"pattern": word, "path": d.one_of(("src", "crates", "web/src", ".")), "output_mode": "content"}, "\n".join(lines) or "No matches found"


def listing(d, project):
    if d.chance(0.5):
        shown = [path for path in project.paths[-400:] if d.chance(0.6)]
        return {"command": f"find . -name '*.{d.one_of(('py', 'rs', 'ts'))}' -newer Makefile | sort"}, "\n".join("./" + path for path in shown)
    rows = [f"total {d.between(40, 4000)}"]
    for _ in range(d.between(12, 90)):
        rows.append(f"-rw-r--r-- {d.between(1, 3)} dev dev {d.skewed(60, 900000):8} Mar {d.between(1, 28):2} {d.upto(24):02}:{d.upto(60):02} {snake(d)}.{d.one_of(('py', 'rs', 'ts', 'json', 'lock', 'md', 'svg'))}")
    return {"command": f"ls -la {d.one_of(AREAS)}"}, "\n".join(rows)


def log(d, project):
    second = d.upto(2_000_000)
    service = d.one_of(AREAS)
    lines = []
    for _ in range(d.skewed(20, 180)):
        second += d.upto(9)
        k = d.upto(40)
        stamp, unit = clock(d, second), f"{service}.{d.one_of(NOUNS)}"
        if k == 0:
            lines.append(f"{stamp} ERROR {unit} {d.one_of(VERBS)} failed: {pascal(d)}Error: {d.one_of(ADJECTIVES)} {d.one_of(NOUNS)} '{d.one_of(NOUNS)}-{d.hex(8)}' (attempt {d.between(1, 5)}/5)")
            lines += [f'  File "/srv/app/{project.path(d)}", line {d.between(3, 900)}, in {snake(d)}' for _ in range(d.between(1, 5))]
        elif k < 4:
            lines.append(f"{stamp} WARN  {unit} {d.one_of(ADJECTIVES)} {d.one_of(NOUNS)} took {d.between(900, 30000)} ms, retrying in {d.between(1, 60)} s")
        elif k < 18:
            lines.append(f"{stamp} INFO  {unit} request id={d.hex(12)} GET /api/v2/{service}/{d.upto(99999)}/{d.one_of(NOUNS)}s 200 {d.between(1, 900)}ms")
        elif k < 26:
            lines.append(f"{stamp} DEBUG {unit} pool size={d.between(1, 64)} idle={d.upto(32)} waiting={d.upto(5)}")
        else:
            lines.append(f"{stamp} INFO  {unit} {d.one_of(VERBS)} {d.one_of(NOUNS)} {snake(d)}={d.upto(100000)} from 10.{d.upto(255)}.{d.upto(255)}.{d.upto(255)}")
    return {"command": f"docker compose logs --tail {len(lines)} {service}"}, "\n".join(lines)


def python_tests(d, project):
    lines = ["============================= test session starts ==============================", "platform linux -- Python 3.12.4, pytest-8.3.2, pluggy-1.5.0", "rootdir: /srv/app", f"collected {d.between(40, 900)} items", ""]
    failed = []
    for number in range(d.between(12, 70)):
        test = f"tests/{d.one_of(AREAS)}/test_{snake(d)}.py::test_{snake(d)}_{d.one_of(ADJECTIVES)}"
        bad = d.chance(0.03)
        if bad:
            failed.append(test)
        lines.append(f"{test} {'FAILED' if bad else 'PASSED'} [{number * 100 // 70:3}%]")
    for test in failed:
        name = test.rsplit("::", 1)[1]
        got, wanted = d.upto(999), d.upto(999)
        lines += ["", f"_________________________ {name} _________________________", "", f"    def {name}({snake(d)}):", f"        {snake(d)} = {snake(d)}({d.between(1, 99)})", f">       assert {snake(d)}.{d.one_of(NOUNS)} == {wanted}", f"E       assert {got} == {wanted}", f"E        +  where {got} = <{pascal(d)} object at 0x7f{d.hex(10)}>.{d.one_of(NOUNS)}", "", f"{test.split('::')[0]}:{d.between(10, 400)}: AssertionError"]
    tail = f"{len(failed)} failed, " if failed else ""
    lines.append(f"========================= {tail}{d.between(40, 900)} passed in {d.random() * 60:.2f}s =========================")
    return {"command": f"python -m pytest -v tests/{d.one_of(AREAS)}"}, "\n".join(lines)


def rust_build(d, project):
    lines = [f"   Compiling {d.one_of(AREAS)}-{d.one_of(NOUNS)} v0.{d.upto(30)}.{d.upto(9)}" for _ in range(d.between(5, 40))]
    for _ in range(d.between(0, 6)):
        path, line = project.path(d), d.between(3, 700)
        name = snake(d)
        lines += [d.one_of((f"error[E0{d.between(100, 599)}]: mismatched types", f"warning: unused variable: `{name}`", f"error[E0382]: use of moved value: `{name}`")), f"   --> {path}:{line}:{d.between(1, 80)}", "    |", f"{line:3} |     let {name} = self.{snake(d)}({snake(d)});", f"    |         {'^' * len(name)} expected `{pascal(d)}`, found `Option<{pascal(d)}>`", "    |", f"    = note: {sentence(d)}", ""]
    lines += [f"test {d.one_of(AREAS)}::tests::{snake(d)}_{d.one_of(ADJECTIVES)} ... {'FAILED' if d.chance(0.02) else 'ok'}" for _ in range(d.between(5, 60))]
    lines.append(f"test result: ok. {d.between(5, 600)} passed; 0 failed; {d.upto(5)} ignored; finished in {d.random() * 30:.2f}s")
    return {"command": f"cargo test -p {d.one_of(AREAS)}"}, "\n".join(lines)


def json_value(d, depth):
    k = d.upto(9 if depth > 0 else 6)
    if k == 0:
        return d.chance(0.5)
    if k == 1:
        return d.upto(10_000_000) / 100
    if k == 2:
        return d.upto(1_000_000)
    if k == 3:
        return clock(d, d.upto(2_000_000))
    if k == 4:
        return f"{d.one_of(NOUNS)}-{d.hex(10)}"
    if k == 5:
        return sentence(d) if d.chance(0.3) else d.one_of(ADJECTIVES)
    if k == 6:
        return [d.one_of(NOUNS) for _ in range(d.upto(5))]
    return {snake(d): json_value(d, depth - 1) for _ in range(d.between(1, 5))}


def http_request(d, project):
    area = d.one_of(AREAS)
    keys = ["id"] + [snake(d) for _ in range(d.between(3, 9))]
    rows = [{key: json_value(d, 2) for key in keys} for _ in range(d.skewed(3, 45))]
    for number, row in enumerate(rows):
        row["id"] = 1000 + number * 7
    answer = {"data": rows, "page": {"next": d.hex(12), "total": d.between(len(rows), 9999)}, "took_ms": d.between(1, 900)}
    # Services answer on one line, `jq` on many.
    text = json.dumps(answer, ensure_ascii=False, indent=None if d.chance(0.5) else 2)
    return {"url": f"http://localhost:8080/api/v2/{area}?limit={len(rows)}", "method": "GET"}, text


def diff(d, project):
    lines = []
    for _ in range(d.between(1, 4)):
        path = project.path(d)
        body = project.text(path).split("\n")
        lines += [f"diff --git a/{path} b/{path}", f"index {d.hex(7)}..{d.hex(7)} 100644", f"--- a/{path}", f"+++ b/{path}"]
        for _ in range(d.between(1, 3)):
            at = d.upto(max(1, len(body) - 20))
            lines.append(f"@@ -{at + 1},{12} +{at + 1},{13} @@ {snake(d)}")
            for line in body[at : at + 12]:
                lines += [" " + line] if d.chance(0.75) else ["-" + line, "+" + line.replace(" = ", f"_{d.one_of(NOUNS)} = ", 1)]
    return {"command": d.one_of(("git diff", "git show HEAD", "git diff --cached"))}, "\n".join(lines)


def short_command(d, project):
    commands = (
        ("git status --short", "\n".join(f"{d.one_of((' M', '??', 'A '))} {project.path(d)}" for _ in range(d.between(1, 9)))),
        (f"git commit -am '{d.one_of(VERBS)} the {d.one_of(NOUNS)}'", f"[main {d.hex(7)}] {d.one_of(VERBS)} the {d.one_of(NOUNS)}\n {d.between(1, 9)} files changed, {d.between(1, 200)} insertions(+), {d.upto(90)} deletions(-)"),
        (f"cat {d.one_of(AREAS)}/VERSION", f"{d.upto(9)}.{d.upto(30)}.{d.upto(9)}"),
        (f"make {d.one_of(VERBS)}", f"make: *** No rule to make target '{d.one_of(VERBS)}'.  Stop."),
        (f"mkdir -p build/{d.one_of(NOUNS)}", ""),
        (f"python -c 'import {d.one_of(AREAS)}'", f"Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\nModuleNotFoundError: No module named '{d.one_of(AREAS)}'"),
    )
    command, text = d.one_of(commands)
    return {"command": command}, text


TOOLS = (
    # share of calls, tool's name, what it does
    (30, ("read_file", read_file)),
    (13, ("search_files", search)),
    (8, ("patch", patch)),
    (6, ("write_file", write_file)),
    (9, ("terminal", log)),
    (9, ("terminal", python_tests)),
    (6, ("terminal", rust_build)),
    (5, ("terminal", diff)),
    (4, ("terminal", listing)),
    (5, ("http_request", http_request)),
    (5, ("terminal", short_command)),
)

# ---------------------------------------------------------------------------------------------------------------------
# The session


def system_prompt(d):
    rules = "\n".join(f"{number}. {sentence(d)}" for number in range(1, 31))
    return f"You are a software engineer who works in a repository with the tools you were given.\n\n# Rules\n{rules}\n\n# Project\n{prose(d, 25)}"


def request(d, project):
    wish = d.one_of((
        "Please {v} the {a} {n} in {path}.", "{path}: why is the {n} {a}? Find the cause and fix it.",
        "Add a {a} {n} to {area}, with tests.", "The {area} tests fail since yesterday, {p} says because of `{id}`. Have a look.",
        "Can you {v} {area} so that the {n} is no longer {a}?",
    ))  # fmt: skip
    text = wish.format(v=d.one_of(VERBS), a=d.one_of(ADJECTIVES), n=d.one_of(NOUNS), path=project.path(d), area=d.one_of(AREAS), p=d.one_of(PEOPLE), id=snake(d))
    return text + (" " + prose(d, d.between(1, 6)) if d.chance(0.6) else "")


def session(count):
    """The messages, one after the other."""
    project = Project()
    yield {"role": "system", "content": system_prompt(Dice("system"))}
    written, turn, call = 1, 0, 0
    while written < count:
        d = Dice("turn", turn)
        turn += 1
        yield {"role": "user", "content": request(d, project)}
        written += 1
        for _ in range(d.between(3, 9)):
            calls = d.weighted(((70, 1), (22, 2), (8, 3)))
            if written + 1 + calls > count:
                break
            made, results = [], []
            for _ in range(calls):
                name, tool = d.weighted(TOOLS)
                arguments, text = tool(d, project)
                made.append({"id": f"call_{call:06d}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}})
                results.append({"role": "tool", "tool_call_id": f"call_{call:06d}", "content": text})
                call += 1
            yield {"role": "assistant", "content": prose(d, d.between(0, 3)), "tool_calls": made}
            yield from results
            written += 1 + calls
        if written < count:
            yield {"role": "assistant", "content": prose(d, d.between(2, 10))}
            written += 1
        if d.chance(0.3):
            project.new_path()


def write(count, out):
    with open(out, "w", encoding="utf-8") as file:
        file.write('{"model":"synthetic","messages":[')
        for number, message in enumerate(session(count)):
            file.write("," if number else "")
            file.write(json.dumps(message, ensure_ascii=False, separators=(",", ":")))
        file.write("]}\n")


if __name__ == "__main__":
    if len(sys.argv) != 3 or not sys.argv[1].isdigit() or int(sys.argv[1]) < 1:
        sys.exit("usage: generate.py N OUT      (N messages, at least 1)")
    write(int(sys.argv[1]), sys.argv[2])
