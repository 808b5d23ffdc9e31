"""Pages, prose and configuration: the outline, the figures, and what was decided."""

import html

from .bulk import HOSTS, NAMES, NOUNS, VERBS, hexes, ident, idents, plant
from .case import case


def sentence(r):
    a, b, c = r.sample(NOUNS, 3)
    return r.choice(
        [
            f"The {a} is usually inspected before the {b} leaves the {c}.",
            f"Most crews {r.choice(VERBS)} the {a} while the {b} waits at the {c}.",
            f"In practice a {a} and a {b} share one {c}, and nobody minds.",
            f"When the {a} is full, the {b} can be handled at the next {c}.",
            f"A {a} of this kind needs little care beyond a clean {b}.",
            f"Visitors find the {a} behind the {b}, not far from the {c}.",
        ]
    )


def paragraph(r, n=5):
    return " ".join(sentence(r) for _ in range(n))


def headings(r, n):
    return [
        f"{v.capitalize()}ing the {o}"
        for v, o in zip(
            r.sample(["Load", "Plann", "Moor", "Weigh", "Rout", "Releas", "Audit", "Book", "Track", "Sort", "Seal", "Pack"], n),
            r.sample(NOUNS, n),
        )
    ]


def prices(r):
    return [(f"{n.capitalize()} pass", f"{r.randint(11, 990)}.{r.randint(10, 99)} EUR") for n in r.sample(NOUNS, 4)]


@case(tool="fetch", url="https://port.example/passes", ask="What do the passes cost?")
def web_page_html(r):
    title, heads, table = f"Passes and fees of {r.choice(NAMES)} harbour", headings(r, 5), prices(r)
    nav = "".join(
        f'<li class="nav__item nav__item--{hexes(r, 4)}"><a href="/{n}?ref={hexes(r, 6)}" data-track="{hexes(r, 12)}">{n}</a></li>'
        for n in idents(r, 40, "-")
    )
    script = ";".join(f"window.{ident(r)}={{k:'{hexes(r, 16)}',v:{r.randint(1, 999)}}}" for _ in range(40))
    parts = [f"<h2>{html.escape(h)}</h2>\n" + "\n".join(f"<p>{paragraph(r)}</p>" for _ in range(3)) for h in heads]
    parts.insert(
        3,
        '<table class="fees"><thead><tr><th>Pass</th><th>Price</th></tr></thead><tbody>'
        + "".join(f"<tr><td>{a}</td><td>{b}</td></tr>" for a, b in table)
        + "</tbody></table>",
    )
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>{"".join(f".c{hexes(r, 4)}{{margin:{r.randint(0, 40)}px}}" for _ in range(90))}</style><script>{script}</script></head>\n<body><nav><ul>{nav}</ul></nav><main>\n'
        + "\n".join(parts)
        + "\n</main></body></html>",
        [title, *heads, *[list(p) for p in table]],
    )


@case(tool="web_fetch", url="https://port.example/guide", ask="What do the passes cost?")
def web_page_text(r):
    title, heads, table = f"Guide to {r.choice(NAMES)} harbour", headings(r, 6), prices(r)
    out = [title, "=" * len(title), "", "Skip to content | " + " | ".join(idents(r, 25, " ")), ""]
    for k, h in enumerate(heads):
        out += [h, "-" * len(h), "", *[x for _ in range(4) for x in (paragraph(r, 9), "")]]
        if k == 3:
            out += [
                f"| {'Pass':<16} | {'Price':<12} |",
                f"|{'-' * 18}|{'-' * 14}|",
                *[f"| {a:<16} | {b:<12} |" for a, b in table],
                "",
            ]
    return out, [title, *heads, *[list(p) for p in table]]


@case("cat docs/design.md", ask="Read our design document, please.")
def prose_decision(r):
    heads = headings(r, 8)
    decision = f"Decided on 2025-0{r.randint(1, 9)}-1{r.randint(0, 9)}: we drop {r.choice(NOUNS)} replication and accept a loss of at most {r.randint(11, 59)} seconds."
    limit = f"must not exceed {r.randint(310, 990)} ms at the 99th percentile"
    out = ["# Design of the planner", ""]
    for k, h in enumerate(heads):
        body = [paragraph(r, 8) for _ in range(4)]
        if k == 3:
            body[2] = sentence(r) + f" The answer {limit}. " + paragraph(r, 3)
        if k == 5:
            body.insert(2, f"**{decision}**")
        out += [f"## {h}", "", *[x for b in body for x in (b, "")]]
    return out, ["Design of the planner", *heads, decision, limit]


@case("cat minutes.txt", ask="What came out of the meeting?")
def prose_actions(r):
    actions = [
        f"ACTION {r.choice(NAMES)}: {r.choice(VERBS)} the {r.choice(NOUNS)} report before 2025-0{r.randint(1, 9)}-2{r.randint(0, 8)}"
        for _ in range(3)
    ]
    deadline = f"Deadline moved to 2026-0{r.randint(1, 9)}-0{r.randint(1, 9)}"
    said = [f"{r.choice(NAMES)}: {paragraph(r, 3)}" for _ in range(70)]
    return ["Minutes of the harbour board", "", *plant(r, said, [*actions, deadline + "."], 5)], [
        *actions,
        deadline,
        "Minutes of the harbour board",
    ]


@case("cat deploy/values.yaml", ask="Is anything wrong in this configuration?")
def yaml_config(r):
    tops = idents(r, 9)
    odd, where = ident(r, "-"), r.randint(2, 6)
    note = f"FIXME switched off by {r.choice(NAMES)}, see OPS-{r.randint(100, 999)}"
    out = ["# Values of the port chart", ""]
    for k, t in enumerate(tops):
        out += [f"{t}:"]
        for s in idents(r, 7, "-") + ([odd] if k == where else []):
            out += [
                f"  {s}:",
                f"    image: registry.example/{s}:{r.randint(1, 9)}.{r.randint(0, 30)}",
                f"    replicas: {0 if s == odd else 3}",
                "    resources:",
                f"      limits: {{cpu: {r.randint(1, 4)}, memory: {r.randint(1, 8)}Gi}}",
                f"    enabled: {'false' if s == odd else 'true'}",
                *([f"    # {note}"] if s == odd else []),
            ]
    return out, [*tops, [odd, note]]


@case(tool="Read", file_path="/srv/port/port.toml", ask="Is anything wrong in this configuration?")
def toml_config(r):
    tops, key, value = idents(r, 14), ident(r, "-"), r.randint(10**6, 10**7)
    out = []
    for t in tops:
        out += [
            f"[{t}]",
            f'host = "{r.choice(HOSTS)}"',
            f"port = {r.randint(3000, 9000)}",
            f"timeout_ms = {r.randint(200, 900)}",
            f'path = "/srv/{t}"',
            f"lanes = [{', '.join(str(r.randint(1, 90)) for _ in range(40))}]",
            'mode = "strict"',
            *[f'allow_{n} = ["{hexes(r, 8)}", "{hexes(r, 8)}"]' for n in r.sample(NOUNS, 4)],
            "",
        ]
    at = out.index(f"[{r.choice(tops[4:-4])}]")
    out[at + 3], out[at + 6] = f"timeout_ms = {value}", f'mode = "{key}"'
    return out, [*tops, [str(value), out[at].strip("[]")], key]


@case("./planner --help", ask="How is this tool called?")
def help_page(r):
    flags = idents(r, 40, "-")
    out = ["planner 3.1: plans the day", "", "Usage: planner [OPTIONS] <MANIFEST>", "", "Options:"]
    for f in flags:
        out += [f"      --{f} <N>", f"          {paragraph(r, 3)} [default: {r.randint(1, 99)}]", ""]
    flag = r.choice(flags[5:-5])
    default = f"[default: {r.randint(10000, 99999)}]"
    at = out.index(f"      --{flag} <N>") + 1
    out[at] = paragraph(r, 2) + f" {default}"
    return out, ["Usage: planner [OPTIONS] <MANIFEST>", [f"--{flag}", default]], dict(last=f"What is the default of --{flag}?")
