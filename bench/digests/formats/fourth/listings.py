"""Searches, findings and listings."""

import json

from ..case import case
from .stock import PEOPLE, THINGS, Clock, camel, distinct, entries, fresh, hexes, ident


@case("rg --vimgrep -i timeout src")
def vimgrep_hits(r):
    names = fresh(r)

    def hit():
        f, k = next(names), r.randint(5, 900)
        return f"src/{r.choice(THINGS)}/{f}.rs:{k}:{r.randint(5, 30)}:    " + r.choice(
            [
                f"let timeout = config.{ident(r)}_timeout;",
                f"self.{ident(r)}(timeout).await?;",
                f"timeout: Duration::from_secs({r.randint(1, 30)}),",
                f"/// Waits for {r.choice(THINGS)} until the timeout is over.",
            ]
        )

    a, b, n = next(names), next(names), r.randint(10**6, 10**7)
    bad = [
        f"src/core/{a}.rs:{r.randint(10, 900)}:9:    pub const DEFAULT_TIMEOUT: Duration = Duration::from_millis({n});",
        f"src/core/{b}.rs:{r.randint(10, 900)}:12:    // HACK: timeout disabled since release {r.randint(20, 90)}, "
        f"see GRID-{n}",
    ]
    return entries(r, 9, hit, bad), [[f"src/core/{a}.rs", "DEFAULT_TIMEOUT", str(n)], [f"src/core/{b}.rs", f"GRID-{n}"]]


@case("semgrep scan --config auto")
def semgrep_findings(r):
    names = fresh(r)

    def finding(f=None, rule=None, mark="❯❱", text=None, code=None):
        f, k = f or next(names), r.randint(5, 900)
        plain = [
            ("python.lang.maintainability.useless-ifelse", "Useless if statement; both blocks have the same body"),
            ("python.lang.best-practice.open-never-closed", "File object opened without corresponding close"),
            ("generic.comments.todo-left", "A comment announces work to be done"),
        ]
        rule, text = (rule, text) if rule else r.choice(plain)
        return (
            f"    \x1b[36m\x1b[22m{r.choice(THINGS)}/{f}.py\x1b[0m\n   {mark} \x1b[1m{rule}\x1b[0m\n          "
            f"{text}\n          Details: https://sg.run/{hexes(r, 4)}\n\n          \x1b[0m{k}┆ "
            f"{code or ident(r) + ' = open(path)'}\n"
        )

    a, b = next(names), next(names)
    bad = [
        finding(a, "python.lang.security.deserialization.pickle", "❯❯❱", "Avoid using `pickle`, which is known to "
            "lead to code execution vulnerabilities", f"state = pickle.loads(request.{a})"),
        finding(b, "python.django.security.injection.sql.sql-injection-using-raw", "❯❯❱",
            "Detected unsanitised input in a raw query", f"{b}.objects.raw(q % user)"),
    ]
    body = entries(r, 9, finding, bad)
    n = r.randint(200, 400)
    return [*body, f"Ran {n} rules on {n * 4} files: {len(body)} findings."], [
        [f"{a}.py", "deserialization.pickle"],
        [f"{b}.py", "sql-injection-using-raw"],
        f"{len(body)} findings",
    ]


@case("cmd /c dir /s /t:w D:\\grid", tool="PowerShell")
def windows_dir(r):
    clock, names = Clock(r, 9000), fresh(r)

    def folder(extra=()):
        rows = []
        for _ in range(r.randint(4, 12)):
            t = clock()
            rows.append(f"{t:%m/%d/%Y  %I:%M %p}{r.randint(1000, 900000):>18,} {next(names)}"
                f".{r.choice(['dll', 'ini', 'xml', 'log'])}\r")
        for size, f in extra:
            rows.insert(2, f"{clock():%m/%d/%Y  %I:%M %p}{size:>18,} {f}\r")
        total = f"{len(rows):>16} File(s) {r.randint(10**6, 10**7):>14,} bytes\r"
        return "\n".join([f" Directory of D:\\grid\\{ident(r)}\r", "\r", *rows, total, "\r"])

    dump, size, key = f"core_{hexes(r, 6)}.dmp", r.randint(2 * 10**10, 9 * 10**10), f"{ident(r)}_private.pfx"
    free = r.randint(10**6, 9 * 10**6)
    bad = [lambda: folder([(size, dump)]), lambda: folder([(2911, key)])]
    tail = (
        f"     Total Files Listed:\r\n{r.randint(900, 4000):>16} File(s) {r.randint(10**10, 10**11):>18,} bytes\r\n"
        f"{r.randint(90, 400):>16} Dir(s)  {free:>18,} bytes free\r"
    )
    return [" Volume in drive D is DATA\r", *entries(r, 9, folder, bad), tail], [[dump, f"{size:,}"], key,
        f"{free:,} bytes free"]


@case("rclone lsjson -R --hash remote:grid-backup")
def rclone_json(r):
    clock = Clock(r, 80000)

    def item(path=None, size=None, **more):
        p = path or f"{ident(r)}/{clock():%Y-%m-%d}.tar.zst"
        d = dict(Path=p, Name=p.split("/")[-1], Size=size if size is not None else r.randint(10**8, 9 * 10**8),
            MimeType="application/zstd", ModTime=f"{clock():%Y-%m-%dT%H:%M:%S.000Z}", IsDir=False, Tier="STANDARD")
        return json.dumps({**d, **more}, separators=(",", ":"))

    a, b, c = (f"{ident(r)}/{hexes(r, 6)}.tar.zst" for _ in range(3))
    bad = [item(a, 0), item(b, Tier="DEEP_ARCHIVE"), item(c, Encrypted=hexes(r, 12))]
    return "[\n" + ",\n".join(entries(r, 11, item, bad)) + "\n]", [[a, '"Size":0,'], [b, "DEEP_ARCHIVE"],
        [c, "Encrypted"]]


@case("git ls-tree -r -l HEAD")
def git_ls_tree(r):
    names = fresh(r)

    def blob(path=None, size=None, mode="100644", kind="blob"):
        p = (
            path or f"{r.choice(['src', 'docs', 'web', 'proto'])}/{r.choice(THINGS)}/{next(names)}"
                f".{r.choice(['py', 'md', 'ts', 'proto'])}"
        )
        return f"{mode} {kind} {hexes(r, 40)} {size or r.randint(200, 40000):>7}\t{p}"

    a, b, c = next(names), next(names), next(names)
    big = r.randint(10**8, 10**9)
    bad = [
        blob(f"assets/{a}.mp4", big),
        blob(f"vendor/{b}", "-", "160000", "commit"),
        blob(f"deploy/{c}.current", 14, "120000"),
    ]
    return entries(r, 13, blob, bad), [[f"assets/{a}.mp4", str(big)], [f"vendor/{b}", "160000"],
        [f"deploy/{c}.current", "120000"]]


@case("rpm -Va")
def rpm_verify(r):
    names = fresh(r, "-")

    def row():
        return r.choice(
            [
                f".......T.  c /etc/{next(names)}.conf",
                f".......T.    /usr/share/doc/{next(names)}/README",
                f"......G..  g /run/{next(names)}",
                f".......T.    /usr/lib/python3.9/site-packages/{next(names)}/__init__.pyc",
            ]
        )

    a, b, c = next(names), next(names), next(names)
    bad = [f"S.5....T.    /usr/sbin/{a}", f"missing     /usr/lib64/lib{b}.so.4", f".M...UG..    /usr/bin/{c}"]
    return entries(r, 4.6, row, bad), [f"S.5....T. /usr/sbin/{a}", [f"lib{b}.so.4", "missing"],
        f".M...UG.. /usr/bin/{c}"]


@case(tool="github_search_code", query="sha1(")
def code_search_api(r):
    names = fresh(r, "-")

    def item(repo=None, frag=None, archived=False):
        n, f = repo or f"grid/{next(names)}", f"lib/{ident(r)}.py"
        return json.dumps(
            dict(
                name=f.split("/")[1], path=f, sha=hexes(r, 40), url="https://api.github.com/repositories/"
                    f"{r.randint(10**6, 10**8)}/contents/{f}",
                repository=dict(full_name=n, private=True, fork=False, archived=archived,
                    html_url=f"https://github.com/{n}"),
                score=1.0, text_matches=[dict(property="content", fragment=frag or f"def {ident(r)}(b):\n    return "
                    "cache_key(sha1(b))")],
            ),
            indent=2,
        )

    a = "grid/" + next(names)
    b = "grid/" + next(names)
    fn = ident(r) + "_password"
    bad = [item(a, f"def {fn}(pw):\n    return sha1(pw)"), item(b, archived=True)]
    rows = entries(r, 14, item, bad)
    total = len(rows) + r.randint(900, 4000)
    return f'{{"total_count": {total},\n"incomplete_results": true,\n"items": [\n' + ",\n".join(rows) + "\n]}", [
        [a, fn],
        [b, '"archived": true'],
        [str(total), '"incomplete_results": true'],
    ]


@case("trivy image registry.example.net/grid/api:1.9")
def trivy_table(r):
    names = fresh(r, "-")

    def row(lib=None, sev=None, fixed=""):
        cells = [lib or next(names), f"CVE-20{r.randint(18, 25)}-{r.randint(1000, 49999)}",
            sev or r.choice(["LOW", "LOW", "MEDIUM"]), "fixed" if fixed else "affected",
                f"{r.randint(0, 9)}.{r.randint(0, 30)}-r{r.randint(0, 9)}", fixed,
                ident(r, " ") + " " + r.choice(["leak", "misuse", "overflow"])]
        widths = [24, 16, 8, 8, 10, 10, 38]
        return "│ " + " │ ".join(f"{c:<{w}}" for c,
            w in zip(cells, widths)) + " │\n├" + "┼".join("─" * (w + 2) for w in widths) + "┤"

    a, b, c = (next(names) for _ in range(3))
    v, w = f"8.{r.randint(10, 30)}-r7", f"9.{r.randint(10, 30)}-r7"
    bad = [row(a, "CRITICAL", v), row(b, "CRITICAL"), row(c, "HIGH", w)]
    body = entries(r, 20, row, bad)
    counts = {s: sum(f"│ {s} " in x for x in body) for s in ("LOW", "MEDIUM", "HIGH", "CRITICAL")}
    total = len(body)
    head = (
        f"grid/api:1.9 (alpine 3.19.1)\n=============\nTotal: {total} "
        f"({', '.join(f'{k}: {n}' for k, n in counts.items())})\n"
    )
    return [head, *body], [
        [a, "CRITICAL", v],
        [b, "CRITICAL"],
        [c, "HIGH", w],
        f"Total: {total}",
    ]


@case("gitleaks detect --report-format csv --report-path /dev/stdout")
def leaks_csv(r):
    clock = Clock(r, 80000)

    def row(rule="generic-api-key", f=None, secret="REDACTED", line=None):
        p = r.choice(PEOPLE)
        return (
            f"{rule},{hexes(r, 40)},{f or 'tests/fixtures/' + ident(r) + '.json'},{secret},"
            f"{line or r.randint(1, 400)},{p},{p.lower()}@example.net,{clock():%Y-%m-%dT%H:%M:%SZ},[],{hexes(r, 12)}"
        )

    f, g = f"deploy/{ident(r)}.env", f"src/{camel(ident(r))}.ts"
    k, n = distinct(r, 2, 500, 999)
    bad = [lambda: row("aws-access-token", f, f"AKIA{hexes(r, 4).upper()}REDACTED", k),
        lambda: row("private-key", g, "-----BEGIN REDACTED", n)]
    body = entries(r, 8, row, bad)
    said = f"{r.randint(11, 99)} commits could not be read: packfile {hexes(r, 8)} is truncated"
    head = "RuleID,Commit,File,Secret,StartLine,Author,Email,Date,Tags,Fingerprint"
    return [head, *body, f"WRN partial scan, {said}"], [[f, "aws-access-token", str(k)], [g, "private-key", str(n)],
        said]
