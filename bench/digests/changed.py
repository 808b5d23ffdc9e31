"""The same outputs, changed in ways that leave what matters in place: a digest should keep as much of them."""

import random
import re
from dataclasses import replace

from formats.case import REACH

SHARE = 0.01  # of all letters and digits
BLOCK = 10  # lines
LABELS = dict(
    error="fehler", warning="warnung", warn="warn", info="angabe", debug="genau", failed="gescheitert", failure="misserfolg",
    passed="bestanden", ok="gut", name="bezeichnung", status="zustand", type="art", value="wert", date="datum", time="zeit",
    message="nachricht", file="datei", line="zeile", user="nutzer", host="rechner", size="umfang", count="anzahl",
    total="summe", level="stufe", version="fassung",
)  # fmt: skip


def places(part, text):
    """Where a part of a needle stands, whatever white space is in it."""
    words = part.split()
    return [m.span() for m in re.finditer(r"\s+".join(map(re.escape, words)), text)] if words else []


def spans(case):
    """Where needles stand, each with its parts, in order and without overlaps."""
    found = []
    for needle in case.needles:
        first, *rest = [needle] if isinstance(needle, str) else needle
        for start, end in places(first, case.text):
            near = [[s for s in places(part, case.text) if start - REACH < s[0] < end + REACH] for part in rest]
            if all(near):
                nearest = [min(part, key=lambda s: abs(s[0] - start)) for part in near]
                found.append((min([start, *(s for s, _ in nearest)]), max([end, *(e for _, e in nearest)])))
        found += [span for part in [first, *rest] for span in places(part, case.text)]
    merged = []
    for start, end in sorted(found):
        if merged and start < merged[-1][1]:
            merged[-1][1] = max(end, merged[-1][1])
        else:
            merged.append([start, end])
    return merged


def between(case, change):
    """The text with `change` made where no needle stands."""
    out, at = [], 0
    for start, end in spans(case):
        out += [change(case.text[at:start]), case.text[start:end]]
        at = end
    return "".join([*out, change(case.text[at:])])


def letters(case, r):
    """One letter or digit of a hundred is another one."""

    def other(match):
        c = match[0]
        if r.random() >= SHARE:
            return c
        return r.choice("0123456789" if c.isdigit() else "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if c.isupper() else "abcdefghijklmnopqrstuvwxyz")

    return between(case, lambda text: re.sub(r"[A-Za-z0-9]", other, text))


def labels(case, r):
    """Common labels are in another language."""

    def other(match):
        label = LABELS[match[0].lower()]
        return label.upper() if match[0].isupper() else label.capitalize() if match[0][0].isupper() else label

    pattern = re.compile(rf"(?<![A-Za-z0-9_])({'|'.join(LABELS)})(?![A-Za-z0-9_])", re.IGNORECASE)
    return between(case, lambda text: pattern.sub(other, text))


def blocks(case, r):
    """Blocks of lines stand in another order. No needle is cut in two."""
    whole, out, at, block = spans(case), [], 0, []
    for line in case.text.splitlines(keepends=True):
        at += len(line)
        block.append(line)
        if len(block) >= BLOCK and not any(start < at < end for start, end in whole):
            out.append("".join(block))
            block = []
    out += ["".join(block)] if block else []
    r.shuffle(out)
    return "".join(part if part.endswith("\n") else part + "\n" for part in out)


def ends(case, r):
    """Lines end as on Windows, and are indented twice as far."""
    return "\r\n".join(line[: len(line) - len(line.lstrip(" \t"))] + line for line in case.text.split("\n"))


CHANGES = dict(letters=letters, blocks=blocks, ends=ends, labels=labels)


def changed(case, how, seed):
    return replace(case, text=CHANGES[how](case, random.Random(f"{seed}/{how}/{case.name}")))
