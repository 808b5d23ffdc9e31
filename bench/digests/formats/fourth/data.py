"""Data as programs hand it out: JSON in several manners, wide tables, exchange formats, configuration."""

import json

from ..case import case
from .stock import HOSTS, PEOPLE, THINGS, Clock, camel, distinct, entries, fill, fresh, hexes, ident, idents, ip, uuid


@case("aws dynamodb scan --table-name grid-assets --max-items 150")
def dynamodb_scan(r):
    """Typed attributes; one of another type, one with an attribute more, one far too large."""
    n = [0]

    def item(**more):
        n[0] += 1
        row = {
            "assetId": {"S": f"{ident(r, '-')}-{n[0]}"},
            "site": {"S": r.choice(HOSTS)},
            "ratedKw": {"N": str(r.randint(100, 900))},
            "online": {"BOOL": True},
            "firmware": {"S": f"4.{r.randint(0, 3)}.{r.randint(0, 9)}"},
            "labels": {"SS": r.sample(THINGS, 2)},
            **more,
        }
        body = json.dumps(row, indent=4).replace("\n", "\n        ")
        return "        " + body + ","

    a, b, c = (f"{ident(r, '-')}-{n}" for n in distinct(r, 3, 1000, 9999))
    kw, why = str(r.randint(10**7, 10**8)), f"embargo {r.randint(1000, 9999)}"
    bad = [
        lambda: item(assetId={"S": a}, ratedKw={"S": "n/a"}),
        lambda: item(assetId={"S": b}, ratedKw={"N": kw}),
        lambda: item(assetId={"S": c}, online={"BOOL": False}, lockReason={"S": why}),
    ]
    body = fill(r, 19, item, bad)[:-1]
    tail = f'    ],\n    "Count": {n[0]},\n    "ScannedCount": {n[0] * 3},\n    "ConsumedCapacity": null\n}}'
    return f'{{\n    "Items": [\n{body}\n{tail}', [[a, "n/a"], [b, kw], [c, why], f'"ScannedCount": {n[0] * 3}']


@case("Patient bundle of the crew clinic", tool="fhir_search", resource="Observation")
def fhir_bundle(r):
    clock = Clock(r, 900)

    def entry(patient=None, value=None, note=None, status="final"):
        value = value or round(r.uniform(3.6, 5.1), 1)
        res = dict(
            resourceType="Observation",
            id=uuid(r),
            status=status,
            code=dict(coding=[dict(system="http://loinc.org", code="2823-3", display="Potassium")]),
            subject=dict(reference=patient or f"Patient/{r.randint(1000, 9999)}"),
            effectiveDateTime=f"{clock():%Y-%m-%dT%H:%M:%SZ}",
            valueQuantity=dict(value=value, unit="mmol/L", system="http://unitsofmeasure.org"),
            **({"note": [{"text": note}]} if note else {}),
        )
        return json.dumps(dict(fullUrl=f"urn:uuid:{res['id']}", resource=res, search=dict(mode="match")),
            indent=1) + ","

    p, q = (f"Patient/{n}" for n in distinct(r, 2, 10000, 99999))
    high, note = round(r.uniform(7.4, 9.9), 1), f"sample haemolysed, see ticket {r.randint(1000, 9999)}"
    bad = [lambda: entry(p, high), lambda: entry(q, None, note, "entered-in-error")]
    body = fill(r, 12, entry, bad)
    return '{"resourceType": "Bundle",\n"type": "searchset",\n"entry": [\n' + body[:-1] + "\n]}", [
        [p, str(high)],
        [q, "entered-in-error", note],
    ]


@case("curl -s http://collector:4318/debug/last | jq .")
def otlp_metrics(r):
    def metric(name=None, value=None, **more):
        body = dict(
            name=name or f"grid.{ident(r, '.')}.duration",
            unit="ms",
            gauge=dict(
                dataPoints=[
                    dict(
                        attributes=[dict(key="host", value=dict(stringValue=r.choice(HOSTS)))],
                        timeUnixNano=str(17 * 10**17 + r.randint(0, 10**9)),
                        asDouble=value or round(r.uniform(1, 90), 2),
                        **more,
                    )
                ]
            ),
        )
        return "      " + json.dumps(body, indent=2).replace("\n", "\n      ") + ","

    a, b, tid = f"grid.settle.{hexes(r, 5)}", f"grid.journal.{hexes(r, 5)}", hexes(r, 32)
    v = round(r.uniform(50000, 90000), 2)
    bad = [lambda: metric(a, v), lambda: metric(b, -1.0, exemplars=[dict(traceId=tid, asDouble=-1.0)])]
    return '{\n  "resourceMetrics": [\n' + fill(r, 13, metric, bad)[:-1] + "\n  ]\n}", [[a, str(v)], [b, "-1.0"], tid]


@case("curl -s 'http://ch:8123/?default_format=JSONCompact' -d @q.sql")
def columnar_json(r):
    clock = Clock(r, 60)

    def row(feeder=None, state="closed", amps=None, cosphi=None):
        return json.dumps(
            [
                f"{clock():%Y-%m-%d %H:%M:%S}",
                feeder or f"F{r.randint(100, 400)}",
                r.choice(HOSTS),
                state,
                amps if amps is not None else round(r.uniform(120, 390), 1),
                cosphi or round(r.uniform(0.93, 0.99), 3),
            ]
        )

    f, g = (f"F{n}" for n in distinct(r, 2, 500, 999))
    amps, phi = round(r.uniform(4100, 9900), 1), round(r.uniform(0.1, 0.3), 3)
    rows = entries(r, 8.5, row, [lambda: row(f, "earthed", amps), lambda: row(g, cosphi=phi)])
    meta = ",\n".join(f'\t\t{{"name": "{n}", "type": "{t}'
        f'"}}' for n, t in [("t", "DateTime"), ("feeder", "String"), ("host", "String"), ("state", "String"),
        ("amps", "Float64"), ("cosphi", "Float64")])
    total = len(rows) * 40 + 3
    return (
        f'{{\n\t"meta":\n\t[\n{meta}\n\t],\n\n\t"data":\n\t[\n'
        + ",\n".join("\t\t" + x for x in rows)
        + f'\n\t],\n\n\t"rows": {len(rows)},\n\t"rows_before_limit_at_least": {total}\n}}'
    ), [[f, "earthed", str(amps)], [g, str(phi)], str(total)]


@case("head -n 120 export/substations_wide.csv")
def wide_csv(r):
    """Sixty columns: a row does not fit a screen, and the odd cell is far to the right."""
    cols = ["station"] + [f"{t}_{k}" for t in THINGS[:15] for k in ("u", "i", "p", "q")]

    def row(name=None, at=None, value=None):
        cells = [name or f"ss-{r.randint(100, 999)}"] + [f"{r.uniform(10, 99):.2f}" for _ in cols[1:]]
        if at:
            cells[at] = value
        return ",".join(cells)

    (i, j), (a, b) = distinct(r, 2, 20, 58), (f"ss-{n}" for n in distinct(r, 2, 1000, 9999))
    v = f"{r.uniform(70000, 99999):.2f}"
    return [",".join(cols), *entries(r, 10, row, [lambda: row(a, i, v), lambda: row(b, j, "#DIV/0!")])], [[a, v],
        [b, "#DIV/0!"]]


@case("zcat calls/cohort.vcf.gz | head -n 400")
def vcf_variants(r):
    pos, samples = [10000], [f"NA{n}" for n in distinct(r, 6, 12000, 13000)]
    head = ["##fileformat=VCFv4.2", '##FILTER=<ID=LowQual,Description="Low quality">'] + [f"##contig=<ID=chr{n},"
        f"length={r.randint(10**7, 10**8)}>" for n in range(1, 23)]

    def row(filt="PASS", info=None, name=".", qual=None):
        pos[0] += r.randint(20, 4000)
        ref, alt = r.sample("ACGT", 2)
        gts = "\t".join(f"{r.choice(['0/0', '0/1', '1/1'])}:{r.randint(8, 60)}:{r.randint(20, 99)}" for _ in samples)
        return (
            f"chr7\t{pos[0]}\t{name}\t{ref}\t{alt}\t{qual or round(r.uniform(200, 900), 1)}\t{filt}"
            f"\tAC={r.randint(1, 8)};AF=0.{r.randint(100, 900)};DP={r.randint(90, 400)}{info or ''}\tGT:DP:GQ\t{gts}"
        )

    a, b, gene = f"rs{r.randint(10**7, 10**8)}", f"rs{r.randint(10**7, 10**8)}", "CFTR" + str(r.randint(2, 9))
    bad = [
        lambda: row("PASS", f";CLNSIG=Pathogenic;GENE={gene}", a),
        lambda: row("LowQual", ";DP4=0,0,1,1", b, round(r.uniform(3, 9), 1)),
    ]
    head.append("#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t" + "\t".join(samples))
    return [*head, *entries(r, 12, row, bad)], [[a, "CLNSIG=Pathogenic", gene], [b, "LowQual"]]


@case("curl -s https://cal.example.net/shift.ics")
def ics_calendar(r):
    clock = Clock(r, 90000)

    def event(what=None, who=None, more=""):
        t = clock()
        a = who or r.choice(PEOPLE)
        return (
            f"BEGIN:VEVENT\r\nUID:{hexes(r, 16)}@grid.example.net\r\nDTSTAMP:{t:%Y%m%dT%H%M%SZ}\r\n"
            f"DTSTART:{t:%Y%m%dT}060000Z\r\n"
            f"DTEND:{t:%Y%m%dT}140000Z\r\nSUMMARY:{what or 'Shift ' + ident(r, ' ')}\r\nATTENDEE;CN={a}"
            f":mailto:{a.lower()}@example.net\r\n{more}END:VEVENT\r"
        )

    site, k = f"SS-{r.randint(1000, 9999)}", r.randint(100, 999)
    rule = f"FREQ=WEEKLY;UNTIL=20{r.randint(31, 49)}0{r.randint(1, 9)}15T000000Z"
    bad = [
        lambda: event(f"Planned blackout {site}", None, f"DESCRIPTION:Permit {k} not signed yet\r\nPRIORITY:1\r\n"),
        lambda: event("Shift handover", "Ludmila", f"RRULE:{rule}\r\nSTATUS:CANCELLED\r\n"),
    ]
    return "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n" + fill(r, 9, event, bad) + "\nEND:VCALENDAR\r\n", [
        [f"Planned blackout {site}", f"Permit {k} not signed"],
        [rule, "CANCELLED"],
    ]


@case("Get-Content .\\grid-export.reg", tool="PowerShell")
def registry_export(r):
    names = fresh(r)

    def key(name=None, values=None):
        out = [f"[HKEY_LOCAL_MACHINE\\SOFTWARE\\GridWorks\\{camel(name or next(names), True)}]"]
        out += values or [
            f'"Start"=dword:0000000{r.choice([2, 3])}',
            f'"ImagePath"="C:\\\\Program Files\\\\GridWorks\\\\{ident(r)}.exe"',
            f'"Timeout"=dword:0000{hexes(r, 4)}',
            f'"Token"=hex:{",".join(hexes(r, 2) for _ in range(16))}',
        ]
        return "\r\n".join([*out, "\r"])

    a, b, exe, n = next(names), next(names), hexes(r, 8), r.randint(100, 999)
    bad = [
        key(a, ['"Start"=dword:00000002', f'"ImagePath"="C:\\\\Users\\\\Public\\\\{exe}.exe"',
            '"RunAsSystem"=dword:00000001']),
        key(b, ['"Start"=dword:00000004', f'"DisabledBy"="policy GP-{n}"']),
    ]
    return ["Windows Registry Editor Version 5.00\r\n\r", *entries(r, 9.5, key, bad)], [
        [camel(a, True), f"C:\\\\Users\\\\Public\\\\{exe}.exe"],
        [camel(b, True), f"policy GP-{n}"],
    ]


@case("cat inbox/MSCONS_20250412.edi")
def edifact_message(r):
    n = [0]

    def meter(loc=None, qty=None, unit="KWH", note=None):
        n[0] += 1
        return (
            f"NAD+DP'\nLOC+172+DE{loc or r.randint(10**10, 10**11)}'\nLIN+{n[0]}'\nPIA+5+1-1?:1.29.0:SRW'\n"
            + "\n".join(
                f"QTY+220:{q}:{unit}'\nDTM+163:20250412{h:02d}00?+00:303'" for h,
                q in enumerate(qty or [f"{r.uniform(1, 9):.3f}" for _ in range(3)])
            )
            + (f"\nFTX+ACB+++{note}'" if note else "")
        )

    a, b, c = distinct(r, 3, 10**11, 10**12 - 1)
    q, note = f"-{r.randint(100, 900)}.{r.randint(100, 999)}", f"Zaehler getauscht am 0{r.randint(1, 9)}.04."
    bad = [lambda: meter(a, ["2.111", q, "2.300"]), lambda: meter(b, note=note), lambda: meter(c, unit="MWH")]
    body = fill(r, 8, meter, bad)
    k = n[0] * 11
    return f"UNB+UNOC:3+990{r.randint(10**9, 10**10)}:500'\nUNH+1+MSCONS:D:04B:UN:2.4c'\n{body}\nUNT+{k}+1'\nUNZ+1+4711'", [
        [str(a), q],
        [str(b), note],
        [str(c), ":MWH"],
    ]


@case("kubectl kustomize overlays/prod")
def kustomize_manifests(r):
    names = fresh(r, "-")

    def manifest(name=None, replicas=2, tag=None, more=""):
        n = name or next(names)
        tag = tag or f"1.{r.randint(0, 30)}.{r.randint(0, 9)}"
        return (
            f"apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  labels:\n    app: {n}\n  name: {n}\n  namespace: "
            f"grid\nspec:\n  replicas: {replicas}\n"
            f"  selector:\n    matchLabels:\n      app: {n}\n  template:\n    metadata:\n      labels:\n        app: "
            f"{n}\n    spec:\n      containers:\n"
            f"      - image: registry.example.net/grid/{n}:{tag}\n        name: main\n        resources:\n          "
            f"limits:\n            memory: {r.choice([256, 512])}Mi\n{more}---"
        )

    a, b, c = (next(names) for _ in range(3))
    path = f"/var/run/{hexes(r, 4)}"
    bad = [
        manifest(a, 0),
        manifest(b, tag="latest"),
        manifest(c, more="        securityContext:\n          privileged: true\n      volumes:\n      - hostPath:\n "
            f"         path: {path}\n        name: host\n"),
    ]
    return fill(r, 11, manifest, bad), [[a, "replicas: 0"], [b, ":latest"], [c, "privileged: true", path]]


@case("cat thesis/references.bib")
def bibtex_entries(r):
    names = fresh(r, "")

    def entry(key=None, year=None, more=None):
        a, b = r.sample(PEOPLE, 2)
        return (
            f"@article{{{key or next(names) + str(r.randint(1990, 2024))},\n  author  = {{{a}, {b[0]}. and {b}, "
            f"{a[0]}.}},\n  title   = {{On the {ident(r, ' ')} in {r.choice(THINGS)} networks}},\n"
            f"  journal = {{Journal of {r.choice(THINGS).capitalize()} Studies}},\n  volume  = "
            f"{{{r.randint(1, 60)}}},\n  pages   = {{{r.randint(1, 90)}--{r.randint(100, 190)}}},\n"
            f"  year    = {{{year or r.randint(1990, 2024)}}},\n  doi     = {{10.{r.randint(1000, 9999)}/"
            f"{hexes(r, 8)}}}{more or ''}\n}}\n"
        )

    a, b, bad_year, n = next(names) + "xx", next(names) + "yy", r.randint(2090, 2099), r.randint(1000, 9999)
    bad = [entry(a, bad_year), entry(b, None, f",\n  note    = {{RETRACTED, see notice {n}}}")]
    return fill(r, 5.2, entry, bad), [[a, str(bad_year)], [b, f"RETRACTED, see notice {n}"]]


@case("curl -s http://gridgw-3/api/topology", ask="Is the topology fine? Anything out of the ordinary?")
def packed_json(r):
    """One line without a space in it."""

    def node(name=None, **more):
        d = dict(id=name or f"{ident(r)}_{r.randint(10, 999)}", kind="bus", kv=r.choice([110, 220, 380]), up=True,
            pos=[r.randint(0, 999), r.randint(0, 999)], peers=[f"n{r.randint(1, 900)}" for _ in range(3)])
        return json.dumps({**d, **more}, separators=(",", ":"))

    a, b, c = (f"{ident(r)}_{n}" for n in distinct(r, 3, 1000, 9999))
    why = f"earth fault on phase L{r.randint(1, 3)} at {r.randint(10, 99)}.{r.randint(1, 9)} km"
    bad = [node(a, up=False, reason=why), node(b, peers=[]), node(c, kv=11)]
    nodes = entries(r, 9, node, bad)
    return '{"version":7,"nodes":[' + ",".join(nodes) + f'],"total":{len(nodes)}}}', [[a, why], [b, '"peers":[]'],
        [c, '"kv":11,']]


@case("cat conf/messages_pt.properties")
def properties_bundle(r):
    names = fresh(r, ".")

    def pair():
        if r.random() < 0.06:
            return f"\n# {ident(r, ' ').capitalize()} screen"
        n = next(names)
        return (
            f"{n}.label={r.choice(['Mostrar', 'Abrir', 'Guardar', 'Fechar'])} {r.choice(THINGS)} {{0}}\n"
            f"{n}.help=Texto de ajuda para {r.choice(THINGS)} ({r.randint(1, 99)})"
        )

    a, b, c = (next(names) for _ in range(3))
    n, host = r.randint(100, 999), ip(r)
    bad = [
        f"{a}.label=TODO translate (#{n})",
        f"{b}.url=http://{host}:8080/debug",
        f"# FIXME {c}.label is used with two arguments but declares one",
    ]
    return fill(r, 4.9, pair, bad), [[a, f"#{n}"], [b, host], [c, "two arguments"]]


@case("psql -c 'table pg_stat_statements' --html")
def html_result_table(r):
    def row(query=None, calls=None, mean=None):
        q = query or f"select * from {ident(r)} where id = $1"
        return (
            f'  <tr valign="top">\n    <td align="left">{q}</td>\n    <td align="right">'
            f'{calls or r.randint(100, 9000)}</td>\n'
            f'    <td align="right">{mean or round(r.uniform(0.1, 9), 3)}</td>\n    <td align="right">'
            f'{r.randint(1, 900)}</td>\n  </tr>'
        )

    a, b = idents(r, 2)
    ms, calls = round(r.uniform(21000, 90000), 3), r.randint(10**8, 10**9)
    bad = [row(f"update {a}_state set seen = now()", None, ms), row(f"select pg_advisory_lock(hash_{b})", calls)]
    body = entries(r, 10, row, bad)
    head = "\n".join(f'    <th align="center">{h}</th>' for h in ["query", "calls", "mean_exec_time", "rows"])
    return ['<table border="1">', "  <tr>", head, "  </tr>", *body, "</table>", f"<p>({len(body)} rows)<br />",
        "</p>"], [
        [f"{a}_state", str(ms)],
        [f"hash_{b}", str(calls)],
    ]
