"""Search results and listings of files, packages, images and addresses."""

import json

from ..case import case
from .stock import PEOPLE, THINGS, camel, distinct, hexes, ident, idents, ip, plant, prose, spots


@case("git grep -n -p 'retry_limit' -- '*.py'", ask="Where is retry_limit set, rather than only read?")
def git_grep_function(r):
    bulk = []
    for f, n in zip(idents(r, 66), distinct(r, 66, 20, 900)):
        path = f"shop/{r.choice(THINGS)}/{f}.py"
        use = r.choice(
            [
                "if attempt > settings.retry_limit:",
                "log.info('try %d of %d', n, job.retry_limit)",
                "for _ in range(self.retry_limit):",
                f"assert {ident(r)}.retry_limit > 0",
            ]
        )
        bulk += [f"{path}={n - 6}=def {ident(r)}(self, {r.choice(THINGS)}):", f"{path}:{n}:        {use}", "--"]
    bulk = ["\n".join(bulk[k : k + 3]) for k in range(0, len(bulk), 3)]
    sets = []
    special = []
    for value, left in (
        (r.randint(30, 90), "settings.retry_limit = "),
        (0, "job.retry_limit = max(0, int(os.environ['RETRIES'])) or "),
    ):
        path, n = f"shop/{r.choice(THINGS)}/{ident(r)}.py", r.randint(901, 1500)
        special.append(f"{path}={n - 3}=def {ident(r)}(job):\n{path}:{n}:    {left}{value}\n--")
        sets.append(f"{path}:{n}: {left}{value}")
    return plant(r, bulk, special, 6), [[s.split(": ")[0], s.split(": ", 1)[1]] for s in sets]


@case("rg --json 'unsafe' src", ask="Which uses of unsafe lack a SAFETY comment? And how many matches are there?")
def rg_json(r):
    out, n = [], 0

    def match(path, line, text):
        return json.dumps(
            dict(
                type="match",
                data=dict(
                    path=dict(text=path),
                    lines=dict(text=text + "\n"),
                    line_number=line,
                    absolute_offset=line * 31,
                    submatches=[dict(match=dict(text="unsafe"), start=4, end=10)],
                ),
            ),
            separators=(",", ":"),
        )

    files = [f"src/{r.choice(THINGS)}/{f}.rs" for f in idents(r, 24)]
    bad = r.sample(range(5, 19), 2)
    needles = []
    for k, f in enumerate(files):
        out.append(json.dumps(dict(type="begin", data=dict(path=dict(text=f))), separators=(",", ":")))
        for line in sorted(distinct(r, r.randint(1, 3), 10, 300)):
            out.append(match(f, line, f"    unsafe {{ {ident(r)}.get_unchecked(i) }} // SAFETY: i < len"))
            n += 1
        if k in bad:
            line, fn = r.randint(301, 900), ident(r)
            out.append(match(f, line, f"    let p = unsafe {{ {fn}(ptr.add(len + 1)) }};"))
            n += 1
            needles.append([f, str(line), f"{fn}(ptr.add(len + 1))"])
        out.append(
            json.dumps(
                dict(
                    type="end",
                    data=dict(
                        path=dict(text=f),
                        binary_offset=None,
                        stats=dict(elapsed=dict(secs=0, nanos=r.randint(1000, 90000)), bytes_searched=r.randint(1000, 90000)),
                    ),
                ),
                separators=(",", ":"),
            )
        )
    total = dict(
        type="summary",
        data=dict(
            elapsed_total=dict(secs=0, nanos=r.randint(10**6, 10**7)), stats=dict(matches=n, searches=r.randint(300, 900))
        ),
    )
    return out + [json.dumps(total, separators=(",", ":"))], needles + [["matches", str(n)]]


@case(
    "ls -la /srv/shop/releases /srv/shop/shared /etc/shop",
    ask="The service user cannot read something after the restore. Which entries have odd owners or modes?",
)
def ls_modes(r):
    def row(mode, owner, size, name):
        return f"{mode}  1 {owner:<16} {size:>9} {r.choice(['Jan', 'Feb', 'Mar'])} {r.randint(1, 28):>2} {r.randint(0, 23):02}:{r.randint(0, 59):02} {name}"

    names = [f"{n}.{r.choice(['json', 'yaml', 'pem', 'tar.zst'])}" for n in idents(r, 100, "-")]
    out, odd = [], []
    for title, some in (("/srv/shop/releases", names[3:36]), ("/srv/shop/shared", names[36:70]), ("/etc/shop", names[70:])):
        rows = [row("-rw-r-----", "shop  shop", r.randint(100, 900000), n) for n in some]
        k = len(odd)
        special = [
            row("-rw-------", "root  root", r.randint(100, 9000), names[0]),
            row("-rwsrwxrwx", "shop  shop", r.randint(100, 9000), names[1]),
            f"lrwxrwxrwx  1 shop  shop                37 Mar  1 02:11 {names[2]} -> /mnt/old/{names[2]}",
        ][k]
        odd.append(special)
        out += [
            f"{title}:",
            f"total {r.randint(1000, 9000)}",
            "drwxr-x---  2 shop  shop              4096 Mar  2 01:10 .",
            "drwxr-xr-x 14 root  root              4096 Feb 11 08:44 ..",
            *plant(r, rows, [special], 5),
            "",
        ]
    return out, [["-rw-------", names[0]], ["-rwsrwxrwx", names[1]], f"{names[2]} -> /mnt/old/{names[2]}"]


@case("unzip -lv theme.zip && unzip -t theme.zip", ask="A customer sent this theme. Is the archive safe and intact?")
def unzip_listing(r):
    def row(name, size=None, small=None):
        size = size or r.randint(300, 90000)
        small = small or int(size * r.uniform(0.2, 0.6))
        return f"{size:>8}  Defl:N {small:>8} {100 - 100 * small // size:>3}% 2026-01-{r.randint(10, 28)} 1{r.randint(0, 9)}:{r.randint(10, 59)} {hexes(r, 8)}  {name}"

    names = [
        f"theme/{r.choice(['css', 'img', 'js', 'tpl'])}/{n}.{r.choice(['css', 'png', 'js', 'tpl'])}"
        for n in idents(r, 110, "-")
    ]
    slip, bomb = f"../../../var/www/html/{ident(r)}.php", f"theme/img/{ident(r)}.svg"
    size = r.randint(2 * 10**9, 4 * 10**9)
    listed = plant(r, [row(n) for n in names], [row(slip), row(bomb, size, 31337)])
    crc = f"{names[r.randint(30, 80)]}"
    tests = [
        f"    testing: {n:<60} {'bad CRC ' + hexes(r, 8) + '  (should be ' + hexes(r, 8) + ')' if n == crc else 'OK'}"
        for n in names
    ]
    head = [
        "Archive:  theme.zip",
        " Length   Method    Size  Cmpr    Date    Time   CRC-32   Name",
        "--------  ------  ------- ---- ---------- ----- --------  ----",
    ]
    return head + listed + [
        "--------          -------  ---                            -------",
        f"{r.randint(10**9, 10**10)}          9031171  99%                            {len(listed)} files",
        "Archive:  theme.zip",
    ] + tests + ["At least one error was detected in theme.zip."], [slip, [bomb, str(size)], [crc, "bad CRC"]]


@case("tar -tvzf backup-2026-03-01.tgz", ask="Is the nightly backup complete? It should hold every table as one dump.")
def tar_listing(r):
    tables = sorted(idents(r, 96))
    bulk = [
        f"-rw-r----- backup/backup {r.randint(10**5, 10**9):>11} 2026-03-01 02:{r.randint(10, 59)} dump/shop.{t}.sql.zst"
        for t in tables
    ]
    a, b = spots(r, 96, 2, 12)
    bulk[a] = f"-rw-r----- backup/backup {0:>11} 2026-03-01 02:{r.randint(10, 59)} dump/shop.{tables[a]}.sql.zst"
    bulk[
        b
    ] = f"-rw-r----- backup/backup {r.randint(10**5, 10**6):>11} 20{r.randint(21, 24)}-0{r.randint(1, 9)}-11 02:14 dump/shop.{tables[b]}.sql.zst"
    year = bulk[b].split()[3]
    core = f"-rw------- root/root    {r.randint(10**9, 9 * 10**9)} 2026-03-01 02:41 dump/core.{r.randint(1000, 99999)}"
    out = plant(r, bulk, [core])
    return ["drwxr-x--- backup/backup           0 2026-03-01 02:59 dump/", *out], [
        [f"dump/shop.{tables[a]}.sql.zst", " 0 2026-03-01"],
        [year, f"dump/shop.{tables[b]}.sql.zst"],
        core.split()[-1],
    ]


@case("find / -xdev -type f -size +50M -printf '%s %TY-%Tm-%Td %u %p\\n' 2>&1 | sort -rn", ask="What eats the disk?")
def find_large(r):
    sizes = sorted((r.randint(51 * 10**6, 400 * 10**6) for _ in range(120)), reverse=True)
    big = [r.randint(40 * 10**9, 90 * 10**9), r.randint(11 * 10**9, 20 * 10**9)]
    names = [f"/var/lib/shop/{ident(r)}/{ident(r)}.{r.choice(['wal', 'log', 'img'])}" for _ in range(2)]
    out = [
        f"{s} 2026-0{r.randint(1, 3)}-1{r.randint(0, 9)} {r.choice(['root', 'shop', 'postgres'])} /{r.choice(['usr/lib', 'opt', 'var/cache', 'home/shop'])}/{ident(r)}/{ident(r, '-')}.{r.choice(['so', 'bin', 'deb', 'db'])}"
        for s in sizes
    ]
    head = [f"{s} 2026-03-02 root {n}" for s, n in zip(big, names)]
    denied = f"find: ‘/root/{ident(r)}’: Permission denied"
    out.insert(r.randint(30, 90), denied)
    return head + out, [[str(s), n] for s, n in zip(big, names)]


@case("cloc --by-file --csv . && cloc .", ask="Roughly what is this code base, and is anything generated checked in?")
def cloc_files(r):
    langs = [("TypeScript", "ts"), ("Go", "go"), ("SQL", "sql"), ("YAML", "yaml"), ("CSS", "css")]
    out = ["language,filename,blank,comment,code,\"github.com/AlDanial/cloc v 1.98\""]
    rows = sorted((r.randint(20, 900) for _ in range(130)), reverse=True)
    gen, lines = f"internal/{ident(r)}/{ident(r)}.pb.go", r.randint(60000, 190000)
    out.append(f"Go,./{gen},{r.randint(100, 900)},{r.randint(100, 900)},{lines}")
    totals = {}
    for n in rows:
        lang, ext = r.choice(langs)
        totals[lang] = totals.get(lang, 0) + n
        out.append(f"{lang},./{r.choice(THINGS)}/{ident(r)}.{ext},{r.randint(1, 90)},{r.randint(1, 90)},{n}")
    totals["Go"] = totals.get("Go", 0) + lines
    rule = "-" * 79
    out += [
        "",
        "     131 text files.",
        "     131 unique files.",
        rule,
        "Language                     files          blank        comment           code",
        rule,
    ]
    out += [
        f"{lang:<28} {r.randint(5, 60):>5} {r.randint(100, 9000):>14} {r.randint(100, 9000):>14} {n:>14}"
        for lang, n in sorted(totals.items(), key=lambda x: -x[1])
    ]
    total = sum(totals.values())
    out += [
        rule,
        f"SUM:                           131 {r.randint(1000, 9000):>14} {r.randint(1000, 9000):>14} {total:>14}",
        rule,
    ]
    return out, [[gen, str(lines)], ["SUM:", str(total)], ["TypeScript", str(totals["TypeScript"])]]


@case(
    "aws s3 ls s3://shop-exports/daily/ --recursive --summarize",
    ask="Is the daily export there for every day, and of a plausible size?",
)
def s3_listing(r):
    out, day, base = [], 0, r.randint(400, 700) * 10**6
    missing, small = spots(r, 140, 2, 20)
    needles = []
    for k in range(140):
        m, d = 9 + k // 28, 1 + k % 28
        stamp = f"{2025 + (m > 12)}-{(m - 1) % 12 + 1:02}-{d:02}"
        if k == missing:
            continue
        size = r.randint(11, 900) if k == small else base + r.randint(-3, 3) * 10**6 + r.randint(0, 9999)
        out.append(f"{stamp} 03:1{r.randint(0, 9)}:{r.randint(10, 59)} {size:>10} daily/{stamp}/orders-{hexes(r, 6)}.parquet")
        if k == small:
            needles.append([f"daily/{stamp}/", str(size)])
        day += size
    stray = f"daily/_tmp/{ident(r)}-{hexes(r, 6)}.parquet.part"
    out.insert(r.randint(30, 110), f"2026-01-0{r.randint(1, 9)} 11:41:02 {r.randint(10**6, 10**7):>10} {stray}")
    return out + ["", f"Total Objects: {len(out)}", f"   Total Size: {day}"], needles + [
        stray,
        f"Total Objects: {len(out)}",
        f"Total Size: {day}",
    ]


@case("sha256sum -c SHA256SUMS 2>&1", ask="Did the download arrive intact?")
def checksums(r):
    names = [f"pool/{n[0]}/{n}_{r.randint(1, 9)}.{r.randint(0, 30)}-{r.randint(1, 4)}_amd64.deb" for n in idents(r, 280, "-")]
    bulk = [f"{n}: OK" for n in names[3:]]
    special = [
        f"{names[0]}: FAILED",
        f"{names[1]}: FAILED",
        f"sha256sum: {names[2]}: No such file or directory\n{names[2]}: FAILED open or read",
    ]
    end = ["sha256sum: WARNING: 1 listed file could not be read", "sha256sum: WARNING: 2 computed checksums did NOT match"]
    return plant(r, bulk, special) + end, [
        f"{names[0]}: FAILED",
        f"{names[1]}: FAILED",
        [names[2], "No such file"],
        "2 computed checksums did NOT match",
    ]


@case(
    tool="WebFetch",
    url="https://shop.example/sitemap.xml",
    ask="Check the site map: anything that should not be indexed, or that is stale?",
)
def sitemap(r):
    def url(loc, mod=None, change="weekly"):
        mod = mod or f"2026-0{r.randint(1, 2)}-{r.randint(10, 28)}"
        return f"  <url>\n    <loc>{loc}</loc>\n    <lastmod>{mod}</lastmod>\n    <changefreq>{change}</changefreq>\n    <priority>0.{r.randint(3, 8)}</priority>\n  </url>"

    bulk = [url(f"https://shop.example/{r.choice(['de', 'en', 'fr'])}/{n}") for n in idents(r, 84, "/")]
    draft, test, old = f"https://shop.example/admin/{ident(r)}?draft={r.randint(10, 99)}", f"http://localhost:{r.randint(3000, 9000)}/en/{ident(r)}", f"https://shop.example/en/{ident(r)}-{r.randint(10, 99)}"
    year = f"20{r.randint(11, 16)}-0{r.randint(1, 9)}-14"
    head = ['<?xml version="1.0" encoding="UTF-8"?>', '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">']
    return head + plant(
        r, bulk, [url(draft), url(test), url(old, year, "never")], 8
    ) + ["</urlset>"], [draft, test, [old, year]]


@case(
    tool="mcp__lsp__references",
    symbol="PriceBook.lookup",
    ask="I want to change the return type. Which references are outside of the pricing package?",
)
def lsp_references(r):
    def ref(path, line):
        col = r.randint(3, 60)
        return dict(
            uri=f"file:///w/shop/{path}",
            range=dict(start=dict(line=line, character=col), end=dict(line=line, character=col + 6)),
        )

    bulk = [ref(f"pricing/{r.choice(THINGS)}/{n}.kt", r.randint(5, 400)) for n in idents(r, 70)]
    lines = distinct(r, 3, 401, 990)
    paths = [f"{r.choice(['checkout', 'admin', 'legacy'])}/{n}.kt" for n in idents(r, 3)]
    special = [ref(p, n) for p, n in zip(paths, lines)]
    return json.dumps(plant(r, bulk, special), indent=2), [[p, str(n)] for p, n in zip(paths, lines)]


@case(
    tool="WebSearch",
    query="migrate sessions redis cluster zero downtime",
    ask="Which of these results looks like an official statement about our version?",
)
def web_results(r):
    def hit(k, title, host, text):
        return f"{k}. **{title}**\n   https://{host}/{ident(r, '/')}-{r.randint(10, 999)}\n   {text}\n"

    v = f"{r.randint(6, 8)}.{r.randint(2, 9)}.{r.randint(1, 30)}"
    official = f"Upgrading to {v} keeps sessions only if `{ident(r, '-')}` is set to no before the failover."
    hits = [
        (f"{r.choice(['How to', 'Ten ways to', 'Why we'])} {ident(r, ' ')}", f"{ident(r, '-')}.blog.example", prose(r, 3))
        for _ in range(36)
    ]
    hits.insert(r.randint(8, 28), (f"Release notes {v} (official documentation)", "docs.redis.example", official))
    return [hit(k, *h) for k, h in enumerate(hits, 1)], [[official, "docs.redis.example"]]


@case("docker images --digests && docker system df -v", ask="Clean-up: what is dangling or unusually large?")
def docker_images(r):
    def row(repo, tag, size):
        return f"{repo:<46} {tag:<14} sha256:{hexes(r, 64)}   {hexes(r, 12)}   {r.randint(2, 11)} weeks ago   {size}"

    repos = [f"registry.shop.example/{n}" for n in idents(r, 70, "-")]
    big = f"{r.randint(12, 38)}.{r.randint(1, 9)}GB"
    dangling = f"{r.randint(4, 9)}.{r.randint(10, 99)}GB"
    bulk = [row(x, f"v{r.randint(1, 9)}.{r.randint(0, 30)}", f"{r.randint(60, 400)}MB") for x in repos[1:]]
    out = plant(r, bulk, [row(repos[0], "nightly", big), row("<none>", "<none>", dangling)])
    vol, vsize = f"shop_{ident(r)}_{r.randint(10, 99)}", f"{r.randint(60, 190)}.{r.randint(1, 9)}GB"
    vols = plant(
        r,
        [f"{hexes(r, 64)}   1         {r.randint(1, 90)}.{r.randint(1, 9)}MB" for _ in range(32)],
        [f"{vol:<64}   0         {vsize}"],
        5,
    )
    return [
        f"{'REPOSITORY':<46} {'TAG':<14} {'DIGEST':<73} IMAGE ID       CREATED       SIZE",
        *out,
        "",
        "Local Volumes space usage:",
        "",
        f"{'VOLUME NAME':<64}   LINKS     SIZE",
        *vols,
    ], [[repos[0], big], ["<none>", dangling], [vol, vsize]]


@case("dpkg -l | grep -v '^ii  lib'", ask="Are all packages properly installed, and is something held back?")
def dpkg_list(r):
    def row(state, name):
        return f"{state}  {name:<34} {r.randint(1, 9)}.{r.randint(0, 40)}-{r.randint(1, 5)}ubuntu{r.randint(1, 9):<12} amd64        {prose(r, 1)[:46]}"

    names = idents(r, 92, "-")
    special = [row("hi", names[0]), row("iF", names[1]), row("iU", names[2])]
    head = [
        "Desired=Unknown/Install/Remove/Purge/Hold",
        "| Status=Not/Inst/Conf-files/Unpacked/halF-conf/Half-inst/trig-aWait/Trig-pend",
        "|/ Err?=(none)/Reinst-required (Status,Err: uppercase=bad)",
        "||/ Name                               Version                   Architecture Description",
        "+++-==================================-=========================-============-" + "=" * 46,
    ]
    return head + plant(r, [row("ii", n) for n in names[3:]], special), [f"hi {names[0]}", f"iF {names[1]}", f"iU {names[2]}"]


@case(
    "ls -R app/src && wc -l $(git ls-files app/src) | tail -60", ask="Give me an idea of the layout. Where is most of the code?"
)
def tree_and_lines(r):
    dirs = r.sample(THINGS, 14)
    out, files = [], []
    for d in dirs:
        names = [f"{n}.{r.choice(['kt', 'kt', 'xml'])}" for n in idents(r, r.randint(16, 22))]
        files += [f"app/src/{d}/{n}" for n in names]
        out += [f"app/src/{d}:", *names, ""]
    odd = f"{ident(r)}.kt.orig"
    out.insert(r.randint(60, 200), odd)
    counts = sorted(((r.randint(30, 400), f) for f in r.sample(files, 58)), key=lambda x: x[1])
    big = r.randint(15, 45)
    counts[big] = (r.randint(6000, 14000), counts[big][1])
    total = sum(n for n, _ in counts)
    out += [f"{n:>7} {f}" for n, f in counts] + [f"{total:>7} total"]
    return out, [*[f"app/src/{d}" for d in dirs], odd, [counts[big][1], str(counts[big][0])], f"{total} total"]


@case("grep -rn 'FIXME\\|XXX\\|HACK' --include=*.go . | sort", ask="Are any of these notes about security or data loss?")
def grep_notes(r):
    def hit(said, kind="FIXME"):
        return f"./{r.choice(THINGS)}/{ident(r)}.go:{r.randint(5, 900)}:\t// {kind}{r.choice(['', '(' + r.choice(PEOPLE).lower() + ')'])}: {said}"

    dull = [
        "name is too long",
        "move to package util",
        "remove once Go 1.24 is out",
        "tidy the imports",
        "use generics here",
        "better test data",
    ]
    bulk = [hit(f"{r.choice(dull)}, see {camel(ident(r))}", r.choice(["FIXME", "XXX", "HACK"])) for _ in range(84)]
    a, b = f"certificate of {ip(r)} is not checked, anybody can pose as the bank", f"a crash between {ident(r)} and {ident(r)} loses the order for good"
    return plant(r, bulk, [hit(a), hit(b)]), [a, b]
