"""What a film studio has lying about: changed system files, search hits, scheduled tasks, trees, snapshots, tapes."""

import base64

from ..case import case
from .stock import DEEDS, HOSTS, PEOPLE, THINGS, Clock, camel, distinct, entries, hexes, ident, idents, uuid

LINE = "---------------------------------------------------"


def digest(r):
    return base64.b64encode(r.randbytes(24)).decode()


def aide_item(r, path, *changes):
    """The details of one changed file; a change is (what, before, after)."""
    out = [f"File: {path}"]
    out += [f" {what:<9} : {before:<32} | {after}" for what, before, after in changes]
    return "\n".join([*out, ""])


def aide_usual(r):
    """What an update of packages leaves behind."""
    stem, n = f"{r.choice(THINGS)}-{r.choice(DEEDS)}", r.randint(1, 40)
    path = r.choice(
        [
            f"/usr/lib/x86_64-linux-gnu/lib{stem}.so.{n}",
            f"/usr/lib/python3/dist-packages/{stem.replace('-', '_')}/core.py",
            f"/usr/share/doc/{stem}/changelog.Debian.gz",
            f"/usr/share/locale/{r.choice(['de', 'fr', 'pl', 'fi'])}/LC_MESSAGES/{stem}.mo",
            f"/var/lib/dpkg/info/{stem}.md5sums",
            f"/etc/{stem}/{r.choice(THINGS)}.conf",
        ]
    )
    time = lambda: f"0{r.randint(1, 9)}:{r.randint(10, 59)}:07 +0200"
    day = lambda low, high: f"2025-0{r.randint(low, high)}-{r.randint(10, 19)} {time()}"
    size = ("Size", str(r.randint(300, 90000)), str(r.randint(300, 90000)))
    some = [("Mtime", day(1, 4), day(5, 5)), ("SHA256", digest(r), digest(r))]
    return aide_item(r, path, *r.choice([[size], [], [size]]), *some[: r.randint(1, 2)])


@case("aide --check --config=/etc/aide/aide.conf")
def aide_report(r):
    day = "2025-05-19 03:12:44 +0200"
    setuid, shell = f"/usr/bin/{ident(r)}", f"/etc/pam.d/{r.choice(THINGS)}-auth"
    user, log = r.choice(PEOPLE).lower(), f"/var/log/{ident(r)}.log"
    special = [
        aide_item(r, setuid, ("Perm", "-rwxr-xr-x", "-rwsr-xr-x"), ("Mtime", day, "2025-05-20 03:58:10 +0200")),
        aide_item(r, shell, ("Uid", "0", "1007"), ("SHA256", digest(r), digest(r))),
        aide_item(r, f"/home/{user}/.ssh/authorized_keys", ("Size", "402", "983"), ("SHA256", digest(r), digest(r))),
        aide_item(r, log, ("Size", str(r.randint(10**6, 10**7)), "0"), ("Inode", "91822", "91822")),
    ]
    details = entries(r, 9, lambda: aide_usual(r), special)
    head = [
        "Start timestamp: 2025-05-20 05:00:02 +0200 (AIDE 0.18.3)",
        "AIDE found differences between database and filesystem!!",
        "", "Summary:", f"  Total number of entries:\t{r.randint(180000, 240000)}", "  Added entries:\t\t0",
        "  Removed entries:\t\t0", f"  Changed entries:\t\t{len(details)}", "",
        LINE, "Detailed information about changes:", LINE, "",
    ]
    tail = [LINE, "The attributes of the (uncompressed) database(s):", LINE, "", "/var/lib/aide/aide.db",
            f" SHA256    : {digest(r)}", "", "", "End timestamp: 2025-05-20 05:07:51 +0200 (run time: 7m 49s)"]
    needles = [[setuid, "-rwsr-xr-x"], [shell, "1007"], f"/home/{user}/.ssh/authorized_keys", log]
    return [*head, *details, *tail], needles


def ast_hit(r, path, call, before=None, after=None):
    """One hit of a structural search with a line of context on either side."""
    n, name = r.randint(8, 700), camel(ident(r))
    before = before or r.choice(
        [
            f"  const {name} = await this.open({r.randint(1, 90)});", f"  // the {r.choice(THINGS)} may be gone by now",
            f"async function {name}({r.choice(THINGS)}: string) {{", "  try {",
            f"  if (!{r.choice(THINGS)}) return null;", f"  this.log.debug('{ident(r, ' ')}');",
        ]
    )
    after = after or r.choice(
        [
            "  }", f"  return {name};", f"  metrics.count('{ident(r, '.')}');", "",
            f"  if ({r.choice(THINGS)}Id) this.emit('{r.choice(DEEDS)}');", "} catch (e) { this.report(e); }",
        ]
    )
    return f"{path}\n{n}│{before}\n{n + 1}│  {call}\n{n + 2}│{after}\n"


@case("ast-grep run -l ts -p 'withTimeout($F, $MS)' -A 1 -B 1 apps packages")
def ast_grep_matches(r):
    names = iter(camel(x) for x in idents(r, 500))
    path = lambda: f"{r.choice(['apps/web', 'apps/desk', 'packages/ingest', 'packages/farm'])}/src/{ident(r, '-')}.ts"
    lead = lambda: r.choice(["await ", "return ", f"const {r.choice(THINGS)} = await ", "void "])
    call = lambda ms: f"{lead()}withTimeout(this.{next(names)}({r.choice(THINGS)}), {ms});"
    usual = lambda: str(r.choice([500, 1000, 2_500, 5_000, 15_000, "30_000", "LIMITS.short", "LIMITS.long", "opts.ms"]))
    endless, zero, todo = next(names), next(names), f"never fires since the upgrade to Node {r.randint(20, 24)}"
    at = path().replace(".ts", f"-{r.randint(10, 99)}.ts")
    special = [
        ast_hit(r, path(), f"await withTimeout(this.{endless}(reel), Infinity);"),
        ast_hit(r, path(), f"return withTimeout(this.{zero}(take, {{ force: true }}), -1);"),
        ast_hit(r, at, call(usual()), before=f"  // FIXME {todo}"),
    ]
    lines = entries(r, 6.5, lambda: ast_hit(r, path(), call(usual())), special)
    return lines, [f"{endless}(reel), Infinity", [zero, "-1"], [at, todo]]


def schtask(r, task, **more):
    """One scheduled task, as a Swedish Windows lists it."""
    day = f"2025-{r.randint(1, 6):02d}-{r.randint(1, 28):02d}"
    clock = lambda: f"{r.randint(0, 23):02d}:{r.choice([0, 5, 15, 30]):02d}:00"
    tool, way = r.choice(THINGS), r.choice(["q", "nattlig", "tyst"])
    fields = {
        "Värddatornamn": "CUT-02",
        "Aktivitetsnamn": task,
        "Nästa körning": f"{day} {clock()}",
        "Status": "Redo",
        "Inloggningsläge": r.choice(["Interaktiv/bakgrund", "Endast bakgrund"]),
        "Senaste körning": f"{day} {clock()}",
        "Senaste resultat": r.choice(["0", "0", "0", "267011"]),
        "Skapare": f"STUDIO\\{r.choice(PEOPLE).lower()}",
        "Aktivitet att köra": f"C:\\Program Files\\Studio\\{tool}\\{ident(r, '-')}.exe /{way}",
        "Kommentar": r.choice(["Ej tillämpligt", f"Underhåll av {tool}", f"Beställd av {r.choice(PEOPLE)}"]),
        "Schemalagd aktivitetsstatus": "Aktiverad",
        "Vilotid": r.choice(["Inaktiverad", "Starta endast efter 10 minuters vilotid"]),
        "Kör som användare": r.choice(["SYSTEM", "STUDIO\\svc-farm", "Lokal tjänst"]),
        "Schematyp": r.choice(["Dagligen", "Varje vecka", "Vid inloggning", "En gång i timmen"]),
    }
    return "\n".join([""] + [f"{k + ':':<38}{v}" for k, v in {**fields, **more}.items()])


@case("ssh cut-02 schtasks /query /fo LIST /v", ask="Which of the planned tasks on that machine need attention?")
def schtasks_svenska(r):
    names = iter(idents(r, 400))
    task = lambda: f"\\Studio\\{r.choice(['Ljud', 'Bild', 'Arkiv', 'Leverans'])}\\{camel(next(names), True)}"
    strange, failed, off = task(), task(), task()
    script = f"C:\\Users\\Public\\{hexes(r, 6)}.vbs"
    special = [
        schtask(r, strange, **{"Aktivitet att köra": f"wscript.exe {script}", "Kör som användare": "SYSTEM"}),
        schtask(r, failed, **{"Senaste resultat": "-2147024784"}),
        schtask(r, off, **{"Schemalagd aktivitetsstatus": "Inaktiverad", "Kommentar": "Säkerhetskopia av mastern"}),
    ]
    lines = entries(r, 6, lambda: schtask(r, task()), special)
    return lines, [[strange, script], [failed, "-2147024784"], [off, "Säkerhetskopia av mastern"]]


SIZES = ["212", "984", "1.4k", "7.9k", "38k", "212k", "1.1M", "9.8M", "88M", "412M", "1.9G", "7.3G"]


def eza_file(r, name, bits=".rw-r--r--", size=None, who=None, git="--"):
    """What stands to the left of the tree, and the name."""
    day = f"{r.randint(1, 28):>2} {r.choice(['jan', 'feb', 'mar', 'apr', 'maj', 'jun'])}"
    time = f"{r.randint(0, 23):02d}:{r.randint(0, 59):02d}"
    return f"{bits} {size or r.choice(SIZES):>5} {who or r.choice(PEOPLE[:4]).lower():<6} {day} {time} {git}", name


def eza_folders(r, files):
    """The lines of a tree whose folders hold `files` in this order, some to each."""
    about, name = eza_file(r, "/srv/post/ep4", "drwxr-xr-x", "-")
    lines, k, rest = [f"{about} {name}"], 0, files
    while rest:
        n, k = r.randint(6, 16), k + 1
        some, rest = sorted(rest[:n], key=lambda x: x[1]), rest[n:]
        about, name = eza_file(r, f"{k:03d}_{r.choice(THINGS)}", "drwxr-xr-x", "-")
        lines.append(f"{about} {'├──' if rest else '└──'} {name}")
        bar = "│" if rest else " "
        lines += [f"{a} {bar}  {'└──' if x == len(some) - 1 else '├──'} {b}" for x, (a, b) in enumerate(some)]
    return lines


@case("eza -lT --git /srv/post/ep4")
def eza_long_tree(r):
    names = iter(idents(r, 560))
    ends = ["exr", "mov", "wav", "xml", "nk", "aaf", "srt", "lut", "mxf", "md", "sh", "json"]
    file = lambda: eza_file(r, f"{next(names)}.{r.choice(ends)}", git=r.choice(["--"] * 9 + ["-M"]))
    empty, open_, gone, torn = (next(names) + x for x in ("_master.mxf", ".sh", ".mov", ".aaf"))
    target = f"/mnt/old-nas/{ident(r)}.mov"
    special = [
        eza_file(r, empty, size="0"),
        eza_file(r, open_, ".rwsrwxrwx", who="root"),
        eza_file(r, f"{gone} -> {target}", "lrwxrwxrwx", size="-"),
        eza_file(r, torn, git="UU"),
    ]
    flat = entries(r, 4.2, lambda: "\t".join(file()), ["\t".join(x) for x in special])
    needles = [empty, ["rwsrwxrwx", open_], [gone, target], ["UU", torn]]
    return eza_folders(r, [x.split("\t") for x in flat]), needles


def zfs_lines(r, rows):
    head = f"{'NAME':<52}{'USED':>7}  {'REFER':>6}  {'USERREFS':>8}  CREATION"
    return [head] + [f"{name:<52}{used:>7}  {refer:>6}  {refs:>8}  {when}" for name, used, refer, refs, when in rows]


def zfs_snapshot(r, clock, sizes, name, used=None, refer=None, refs=0):
    """One snapshot; `sizes` says how large its file system is, which grows from snapshot to snapshot."""
    n, pool = r.randint(10, 990), name.split("@")[0]
    few = r.choice([f"{n}K", f"{1 + n / 110:.2f}M", f"{n}M", f"{1 + n / 110:.2f}G", "0B"])
    sizes[pool] *= r.uniform(0.999, 1.006)
    return name, used or few, refer or f"{sizes[pool]:.2f}T", refs, clock.text("%a %b %d %k:%M %Y")


@case("ssh vault-2 zfs list -t snapshot -o name,used,refer,userrefs,creation -s creation -r tank")
def zfs_snapshots(r):
    clock = Clock(r, 4000)
    pools = [f"tank/{r.choice(['film', 'sound', 'stills'])}/{ident(r, '-')}" for _ in range(14)]
    sizes, kinds = {x: r.uniform(1.1, 8) for x in pools}, ["hourly", "hourly", "hourly", "daily", "weekly"]
    numbers = iter(distinct(r, 900, 1000, 9999))
    name = lambda: f"{r.choice(pools)}@auto-{r.choice(kinds)}-{next(numbers)}"
    fat, hollow, used = name(), name(), f"{r.randint(31, 88)}.{r.randint(1, 9)}T"
    court = f"{r.choice(pools)}@court-order-{r.randint(100, 999)}"
    pack = lambda row: "\t".join(map(str, row))
    snapshot = lambda *x, **more: lambda: pack(zfs_snapshot(r, clock, sizes, *x, **more))
    special = [snapshot(fat, used=used), snapshot(hollow, refer="96K"), snapshot(court, refs=2)]
    rows = [x.split("\t") for x in entries(r, 3.8, lambda: snapshot(name())(), special)]
    return zfs_lines(r, rows), [[fat, used], [hollow, "96K"], court]


@case("mtx -f /dev/tape/by-id/scsi-changer status")
def interest_tape_slot(r):
    n = r.randint(430, 500)
    tags = [f"{r.choice(['FLM', 'SND', 'MAG', 'NEG'])}{k:03d}L{r.choice([7, 8, 9])}" for k in distinct(r, n, 100, 999)]
    rows = [f"  Storage Changer /dev/tape/by-id/scsi-changer:4 Drives, {n} Slots ( 12 Import/Export )"]
    for k in range(4):
        loaded = f"Full (Storage Element {r.randint(1, 60)} Loaded):VolumeTag = CLN{r.randint(10, 99)}0L8"
        rows.append(f"Data Transfer Element {k}:{r.choice([loaded, 'Empty'])}")
    slot = r.randint(100, n - 60)
    for k, tag in enumerate(tags, 1):
        kind = " IMPORT/EXPORT" if k > n - 12 else ""
        full = k == slot or r.random() < 0.85
        rows.append(f"      Storage Element {k}{kind}:" + (f"Full :VolumeTag={tag}" if full else "Empty"))
    ask = f"Thanks. In which slot of the changer is tape {tags[slot - 1]} now?"
    return rows, [f"Storage Element {slot}:"], dict(last=ask)


def caller(r, call, name=None):
    """One line of a list of callers: file, function, line, text."""
    part, kind = r.choice(["core", "farm", "io", "ui", "codec"]), r.choice(["ops", "list", "pool", "io"])
    return f"{part}/{r.choice(THINGS)}_{kind}.c {name or ident(r)} {r.randint(20, 2900)} {call}"


@case("cscope -d -L -3 reel_release")
def cscope_callers(r):
    names = iter(idents(r, 560))
    owner = ["{}", "{}->reel", "&{}[i].reel", "r", "self->reel"]
    thing = lambda: r.choice(owner).format(r.choice(THINGS))
    flag = lambda: r.choice(["REEL_SYNC", "REEL_SYNC", "REEL_LAZY", "flags", "REEL_SYNC | REEL_TRIM"])
    frame = ["{};", "{};", "rc = {};", "if ({} < 0)", "return {};", "err |= {};", "CHECK({});"]
    usual = lambda: caller(r, r.choice(frame).format(f"reel_release({thing()}, {flag()})"), next(names))
    twice, wrong, lost, a = next(names), next(names), next(names), r.choice(THINGS)
    why = f"crashes on {r.choice(['arm64', 'musl', 'ppc64le'])}, nobody knows why"
    special = [
        caller(r, f"reel_release({a}, 0); free({a}); reel_release({a}, 0);", twice),
        caller(r, "reel_release((struct reel *)(uintptr_t)fd, REEL_SYNC);", wrong),
        caller(r, f"// reel_release(r, REEL_SYNC);  {why}", lost),
    ]
    needles = [[twice, f"free({a}); reel_release({a}"], [wrong, "(uintptr_t)fd"], [lost, why]]
    return entries(r, 3.7, usual, special), needles


def whereis(r, path, places, state="ok"):
    """What the annex says about one file."""
    many = f"({len(places)} cop{'y' if len(places) == 1 else 'ies'})"
    return "\n".join([f"whereis {path} {many} ", *[f"  \t{x}" for x in places], state])


@case("git annex whereis --not --copies=5 reels")
def annex_whereis(r):
    numbers = iter(distinct(r, 800, 1000, 9999))
    usual = [f"{uuid(r)} -- {host}" for host in [*HOSTS, "glacier [archive]", "tape-north", "here [post]"]]
    stick = f"stick of {r.choice(PEOPLE)}"
    path = lambda: f"reels/{r.choice(THINGS)}/{ident(r)}_{next(numbers)}.{r.choice(['mov', 'mxf', 'wav', 'exr'])}"
    none, one, bad = path(), path(), path()
    special = [
        whereis(r, none, [], "failed"),
        whereis(r, one, [f"{uuid(r)} -- {stick}"]),
        whereis(r, bad, r.sample(usual, 2), "  The following untrusted locations may also have copies: lost-nas\nok"),
    ]
    lines = entries(r, 5.5, lambda: whereis(r, path(), r.sample(usual, r.randint(2, 4))), special)
    return [*lines, "whereis: 1 failed"], [[none, "(0 copies)"], [one, stick], [bad, "untrusted locations"]]
