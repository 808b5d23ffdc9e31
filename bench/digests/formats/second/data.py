"""Data in notations other than plain JSON arrays: the record, the node or the counter unlike its fellows."""

import json
from xml.sax.saxutils import escape

from ..bulk import camel
from ..case import case
from .stock import DEEDS, PEOPLE, SITES, THINGS, hexes, name, names, pairs, plant, prose, trouble

ASK = "Does anything stand out?"


@case("cat inventory/readers.yaml", ask=ASK)
def yaml_list(r):
    def entry(key, state, more=()):
        return "\n".join(
            [
                f"- card: {key}",
                f"  name: {r.choice(PEOPLE)} {r.choice(THINGS).capitalize()}",
                f"  branch: {r.choice(SITES)}",
                f"  loans: {r.randint(0, 9)}",
                "  contact:",
                f"    mail: {name(r, '.')}@readers.example",
                f"    post: {r.randint(10000, 99999)}",
                f"  state: {state}",
                *more,
            ]
        )

    key, owed, other = (r.randint(900000, 999999) for _ in range(3))
    odd = entry(key, "blocked", [f"  owed_cents: {owed}", "  note: do not lend"])
    empty = entry(other, "active").replace("  branch: ", "  branch: null  # was ")
    return ["---", "readers:", *plant(r, [entry(100000 + 17 * k, "active") for k in range(110)], [odd, empty], 6)], [
        [str(key), "blocked", str(owed)],
        [str(other), "branch: null"],
    ]


@case(tool="http_get", url="https://press.example/orders.xml", ask="Which orders went wrong?")
def xml_orders(r):
    def order(n, state, inner=""):
        return f'  <order id="P-{n}" state="{state}">\n    <customer>{r.choice(PEOPLE)}</customer>\n    <item sku="{hexes(r, 8)}" copies="{r.randint(50, 900)}">{name(r, " ")}</item>\n    <due>2025-1{r.randint(0, 2)}-{r.randint(10, 28)}</due>{inner}\n  </order>'

    bad, why = r.randint(70000, 79999), trouble(r, 1)[0]
    twice = r.randint(80000, 89999)
    special = [
        order(bad, "rejected", f'\n    <fault code="E{r.randint(100, 999)}">{escape(why)}</fault>'),
        order(twice, "cancelled"),
    ]
    return [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<orders xmlns="urn:example:press:2">',
        *plant(r, [order(40000 + k, "printed") for k in range(90)], special, 6),
        "</orders>",
    ], [[f"P-{bad}", "rejected", escape(why)], [f"P-{twice}", "cancelled"]]


@case("cat returns.csv", ask="Our importer chokes on this file. Where?")
def csv_broken_row(r):
    rows = [
        f'{5000 + k},{r.choice(SITES)},"{name(r, ", ")}",{r.randint(1, 40)},2025-0{r.randint(1, 9)}-{r.randint(10, 28)}'
        for k in range(260)
    ]
    short = f"{r.randint(70000, 79999)},{r.choice(SITES)},{name(r)}"
    shifted = f'{r.randint(80000, 89999)},{r.choice(SITES)},"{name(r, ", ")}",{r.randint(1, 40)},2025-0{r.randint(1, 9)}-{r.randint(10, 28)},{hexes(r, 5)},{r.randint(1, 9)}'
    return ["return_id,branch,title,days,returned", *plant(r, rows, [short, shifted])], [
        short,
        shifted,
        "return_id,branch,title,days,returned",
    ]


@case("psql -x -c 'select * from loans where overdue'", ask=ASK)
def psql_expanded(r):
    def record(k, number, days, fine, note):
        return f"-[ RECORD {k} ]--+---------------------\nloan           | {number}\nreader         | {r.choice(PEOPLE)}\nfolio          | {hexes(r, 8)}\ndays_overdue   | {days}\nfine           | {fine}\nnote           | {note}"

    n, days, at = r.randint(800000, 899999), r.randint(4000, 9000), r.randint(20, 90)
    fine = f"-{r.randint(10, 99)}.{r.randint(10, 99)}"
    rows = [
        record(
            k,
            n if k == at else 300000 + k,
            days if k == at else r.randint(1, 30),
            fine if k == at else f"{r.randint(1, 9)}.{r.randint(10, 99)}",
            "",
        )
        for k in range(1, 116)
    ]
    return rows, [[str(n), str(days), fine]]


@case("psql -f explain.sql", ask="Why is the query slow?")
def explain_analyze(r):
    """A deep plan whose cheap nodes hide one that reads the whole table."""
    slow, gone, disk = r.randint(40000, 99000), r.randint(10**7, 10**8), r.randint(200000, 900000)
    table, out = name(r), []

    def node(depth, text, *more):
        pad = "  " * depth
        out.append(f" {pad}->  {text}")
        out.extend(f" {pad}      {m}" for m in more)

    out.append(f" Limit  (cost=100.1..900.2 rows=20 width=88) (actual time={slow + 90}.2..{slow + 91}.0 rows=20 loops=1)")
    for k, n in enumerate(names(r, 34)):
        node(
            k % 9 + 1,
            f"Nested Loop  (cost={r.randint(1, 90)}.1..{r.randint(100, 900)}.2 rows={r.randint(1, 90)} width=88) (actual time=0.0{r.randint(10, 99)}..{r.randint(1, 9)}.{r.randint(100, 999)} rows={r.randint(1, 90)} loops=1)",
            f"Buffers: shared hit={r.randint(10, 900)}",
        )
        node(
            k % 9 + 2,
            f"Index Scan using {n}_pkey on {n}  (cost=0.4..8.4 rows=1 width=40) (actual time=0.0{r.randint(10, 99)}..0.0{r.randint(10, 99)} rows=1 loops={r.randint(1, 90)})",
            f"Index Cond: (id = {name(r)}.id)",
            f"Buffers: shared hit={r.randint(10, 900)}",
        )
        if k == 14:
            node(
                7,
                f"Seq Scan on {table}_old  (cost=0.0..{r.randint(10**6, 10**7)}.0 rows=1 width=40) (actual time=3.1..{slow}.7 rows=12 loops=1)",
                "Filter: (lower(title) ~~ '%folio%'::text)",
                f"Rows Removed by Filter: {gone}",
                f"Buffers: shared hit=12 read={disk}",
            )
        if k == 20:
            node(
                6,
                "Sort  (cost=9.1..9.2 rows=20 width=88) (actual time=80.1..88.2 rows=20 loops=1)",
                f"Sort Method: external merge  Disk: {disk + 7}kB",
            )
    return [
        "                         QUERY PLAN",
        "-" * 60,
        *out,
        " Planning Time: 4.112 ms",
        f" Execution Time: {slow + 92}.551 ms",
    ], [
        [f"Seq Scan on {table}_old", f"{slow}.7", f"Rows Removed by Filter: {gone}"],
        f"external merge  Disk: {disk + 7}kB",
        f"Execution Time: {slow + 92}.551 ms",
    ]


@case("cat openapi.yaml", ask="Which operations are open to everybody, and which are on their way out?")
def openapi(r):
    title, paths = f"Loans of {r.choice(PEOPLE)}", [f"/{a}/{{id}}/{b}" for a, b in (n.split("_") for n in names(r, 30))]
    free, old = r.sample(paths[3:-3], 2)
    out = [
        "openapi: 3.1.0",
        "info:",
        f"  title: {title}",
        f"  version: 2.{r.randint(10, 99)}.0",
        "security:",
        "  - bearer: []",
        "paths:",
    ]
    for p in paths:
        out += [
            f"  {p}:",
            "    get:",
            f"      operationId: {camel(p.split('/')[1] + '_' + p.split('/')[3])}",
            f"      summary: {prose(r, 1)}",
        ]
        out += (
            ["      security: []"]
            if p == free
            else ["      deprecated: true", "      x-sunset: 2026-01-31"]
            if p == old
            else []
        )
        out += [
            "      parameters:",
            "        - name: id",
            "          in: path",
            "          required: true",
            "          schema: {type: string, format: uuid}",
            "      responses:",
            '        "200":',
            "          content:",
            "            application/json:",
            f"              schema: {{$ref: '#/components/schemas/{camel(p.split('/')[3], True)}'}}",
        ]
    return out, [title, [free, "security: []"], [old, "deprecated: true", "2026-01-31"]]


@case("cat results.sarif", ask="Does the scan block the release?")
def sarif(r):
    def result(rule, level, text, uri, line):
        return {
            "ruleId": rule,
            "level": level,
            "message": {"text": text},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": uri, "uriBaseId": "%SRCROOT%"},
                        "region": {"startLine": line, "startColumn": r.randint(1, 40)},
                    }
                }
            ],
            "partialFingerprints": {"primaryLocationLineHash": hexes(r, 16)},
        }

    bulk = [
        result("style/long-function", "note", f"{camel(n)} has {r.randint(60, 200)} lines.", f"src/{n}.ts", r.randint(1, 900))
        for n in names(r, 65)
    ]
    uri, line, flow = (
        f"src/{name(r)}_api.ts",
        r.randint(1000, 1900),
        f"User input from {camel(name(r))} reaches a shell command.",
    )
    doc = {
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {"name": "lintel", "rules": [{"id": "style/long-function"}, {"id": "sec/command-injection"}]}
                },
                "results": plant(r, bulk, [result("sec/command-injection", "error", flow, uri, line)], 6),
            }
        ],
    }
    return json.dumps(doc, indent=2), [[flow, "sec/command-injection", uri, str(line)]]


@case("protoc --decode=press.Plan press.proto < plan.pb", ask=ASK)
def textproto(r):
    def job(n, status, more=""):
        return f'job {{\n  id: {n}\n  title: "{name(r, " ")}"\n  press: "{r.choice(SITES)}"\n  sheets {{\n    count: {r.randint(100, 900)}\n    format: A{r.randint(2, 5)}\n  }}\n  status: {status}{more}\n}}'

    n, neg = r.randint(50000, 99999), r.randint(10**8, 10**9)
    why = trouble(r, 1)[0]
    odd = job(n, "HALTED", f'\n  halt {{\n    cause: "{why}"\n    since_unix: {neg}\n  }}')
    return [
        f"plan_id: {r.randint(10, 99)}",
        *plant(r, [job(1000 + k, "DONE") for k in range(95)], [odd], 6),
        "99: 12",
        f'98: "{hexes(r, 9)}"',
    ], [[str(n), "HALTED", why]]


@case(tool="web_fetch", url="https://press.example/feed.xml", ask="What is new at the press?")
def rss_feed(r):
    items = [f"{d.capitalize()}ing the {t}" for d, t in zip(r.sample(DEEDS, 16), r.sample(THINGS, 16))]
    at, version = r.randint(5, 11), f"{r.randint(3, 9)}.{r.randint(0, 9)}.{r.randint(1, 9)}"
    items[at] = f"Security release {version}: please upgrade before {r.choice(['Friday', 'Monday'])}"
    out = [
        '<?xml version="1.0"?>',
        '<rss version="2.0"><channel>',
        "<title>News of the press</title>",
        "<link>https://press.example/</link>",
    ]
    for k, t in enumerate(items):
        body = escape("".join(f"<p>{prose(r, 4)}</p>" for _ in range(5)))
        out += [
            "<item>",
            f"  <title>{t}</title>",
            f"  <link>https://press.example/{hexes(r, 6)}</link>",
            f'  <guid isPermaLink="false">{hexes(r, 24)}</guid>',
            f"  <pubDate>Tue, {28 - k:02d} Oct 2025 08:00:00 GMT</pubDate>",
            f"  <description>{body}</description>",
            "</item>",
        ]
    return [*out, "</channel></rss>"], ["News of the press", *items]


@case("curl -s localhost:9100/metrics", ask="Is the service healthy?")
def prometheus_metrics(r):
    bad, down, errors = name(r), r.choice(SITES) + "-replica", r.randint(10000, 99999)
    out = []
    for n in names(r, 42):
        out += [f"# HELP lib_{n}_seconds How long it took to {n.replace('_', ' ')}.", f"# TYPE lib_{n}_seconds histogram"]
        out += [f'lib_{n}_seconds_bucket{{le="{le}"}} {r.randint(100, 9000)}' for le in ("0.1", "1", "+Inf")] + [
            f"lib_{n}_seconds_count {r.randint(100, 9000)}"
        ]
    fails = [f'lib_failures_total{{op="{n}"}} 0' for n in names(r, 30)]
    fails.insert(r.randint(8, 20), f'lib_failures_total{{op="{bad}_now"}} {errors}')
    ups = [f'lib_peer_up{{peer="{s}"}} 1' for s in SITES]
    ups.insert(3, f'lib_peer_up{{peer="{down}"}} 0')
    middle = [
        "# HELP lib_failures_total Failed operations.",
        "# TYPE lib_failures_total counter",
        *fails,
        "# TYPE lib_peer_up gauge",
        *ups,
    ]
    at = next(k for k in range(len(out) // 2, len(out)) if out[k].startswith("# HELP"))
    return out[:at] + middle + out[at:], [[f"{bad}_now", str(errors)], f'lib_peer_up{{peer="{down}"}} 0']


@case(tool="fetch", url="https://docs.press.example/api/galley", ask="How do I call this module?")
def html_docs(r):
    """A page of reference: the signatures and the warning, not the sidebar."""
    calls = [f"{camel(n)}({r.choice(THINGS)}, {{ {r.choice(THINGS)}: {r.randint(2, 900)} }})" for n in names(r, 8)]
    warn = f"Removed in {r.randint(5, 9)}.0: use {camel(name(r))}Async instead"
    side = "".join(
        f'<li class="toc-{hexes(r, 4)}"><a class="md-nav__link" href="../{n}/#{hexes(r, 5)}"><span class="md-ellipsis">{n}</span></a></li>\n'
        for n in names(r, 60, "-")
    )
    parts = [
        f'<h3 id="{hexes(r, 6)}"><code>{escape(c)}</code><a class="headerlink" title="Permanent link">¶</a></h3>\n<p>{prose(r, 5)}</p>\n<pre><code class="language-js">const out = await {camel(name(r))}.run({r.randint(1, 9)});</code></pre>'
        for c in calls
    ]
    parts[5] += f'\n<div class="admonition warning"><p class="admonition-title">Warning</p><p>{warn}.</p></div>'
    return (
        f'<!doctype html><html><head><meta charset="utf-8"><title>Galley – API reference</title><link rel="stylesheet" href="/a/{hexes(r, 20)}.css"></head><body><nav class="md-nav"><ul>\n{side}</ul></nav><main><h1>Galley</h1>\n'
        + "\n".join(parts)
        + "\n</main></body></html>",
        ["Galley – API reference", *[escape(c) for c in calls], warn],
    )


@case("cat session.har", ask="Why does the page feel slow?")
def har_file(r):
    def entry(url, status, wait):
        return {
            "startedDateTime": f"2025-02-02T09:00:{r.randint(10, 59)}.000Z",
            "time": wait + 9,
            "request": {"method": "GET", "url": url, "httpVersion": "h2", "headers": [{"name": "accept", "value": "*/*"}]},
            "response": {"status": status, "content": {"size": r.randint(300, 90000), "mimeType": "text/javascript"}},
            "timings": {"blocked": 1, "dns": -1, "connect": -1, "send": 0, "wait": wait, "receive": 8},
        }

    slow, denied = f"https://loans.example/api/{name(r)}?all=1", f"https://loans.example/fonts/{name(r)}.woff2"
    wait = r.randint(9000, 29000)
    bulk = [entry(f"https://loans.example/js/{n}.{hexes(r, 8)}.js", 200, r.randint(8, 90)) for n in names(r, 55)]
    return json.dumps(
        {"log": {"version": "1.2", "entries": plant(r, bulk, [entry(slow, 200, wait), entry(denied, 403, 12)], 5)}}, indent=1
    ), [[slow, str(wait)], [denied, "403"]]


@case("sqlite3 lib.db .schema", ask="Which tables do we have?")
def sqlite_schema(r):
    tables = names(r, 26)
    out = []
    for t in tables:
        cols = pairs(r, 11)
        out += [
            f"CREATE TABLE {t} (",
            "  id INTEGER PRIMARY KEY,",
            *[f"  {c} {r.choice(['TEXT', 'INTEGER', 'REAL'])}{r.choice([' NOT NULL', '', ' DEFAULT 0'])}," for c in cols],
            "  created_at TEXT NOT NULL",
            ");",
            f"CREATE INDEX idx_{hexes(r, 6)} ON {t}({cols[0]}, {cols[1]});",
        ]
    trigger = f"{name(r)}_guard"
    out.insert(
        len(out) // 2 // 16 * 16,
        f"CREATE TRIGGER {trigger} BEFORE DELETE ON {tables[12]} BEGIN SELECT RAISE(ABORT, 'never'); END;",
    )
    return out, [*tables, trigger]
