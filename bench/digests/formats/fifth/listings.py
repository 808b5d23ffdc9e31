"""Listings, inventories, trees and searches of Windows, Hadoop, clouds, archives and package managers."""

from ..case import case
from .stock import DEEDS, HOSTS, PEOPLE, THINGS, Clock, camel, distinct, entries, hexes, ident, idents, ip


def walk(r, per):
    """Folders and names in the order in which a tool walks a tree."""
    for folder in sorted(THINGS):
        for name in sorted(idents(r, per)):
            yield folder, name


def delphi_text(r):
    """A line with SQL, as a search in Delphi sources finds it."""
    name, field = camel(ident(r), True), camel(r.choice(THINGS), True)
    return r.choice(
        [
            f"  Query.SQL.Text := 'SELECT * FROM {field} WHERE id = :id';",
            f"  Query.SQL.Add('ORDER BY {field}_no');",
            f"    FQuery.SQL.Text := 'UPDATE {field} SET state = :state WHERE id = :id';",
            f"  // SQL of {name} is kept in the resource file",
            f"function T{name}.BuildSQL(const {field}: Integer): string;",
            f"  Result := {name}Dm.ExecSQL(SQL_{field.upper()}_COUNT) > 0;",
            f"  SQL_{field.upper()}_LIST = 'SELECT id, no FROM {field} WHERE ward = :ward';",
            f"  Log.Debug('SQL for {field} ready in %d ms', [Watch.Elapsed]);",
            f"  uses SQLConst, {name}Types, {field}Forms;",
        ]
    )


def delphi_unit(r, folder, name, special=None):
    """The hits of one file, `special` among them."""
    texts = [delphi_text(r) for _ in range(r.randint(1, 5))]
    if special:
        texts.insert(r.randint(0, len(texts)), special)
    lines = sorted(distinct(r, len(texts), 3, 4000))
    file = f"src\\{folder.capitalize()}\\u{camel(name, True)}.pas"
    return "\n".join(f"{file}:{n}:{t}" for n, t in zip(lines, texts))


@case("findstr /s /n /i SQL src\\*.pas")
def findstr_delphi(r):
    places = walk(r, 6)
    a, b, c = (camel(n, True) for n in idents(r, 3))
    password = f"sa/{ident(r, '')}{r.randint(10, 99)}"
    joined, cleared = f"WHERE name = ''' + Edit{a}.Text", f"DELETE FROM {b}Result'"
    special = [
        lambda: delphi_unit(r, *next(places), f"  Query.SQL.Text := 'SELECT * FROM Ward {joined} + '''';"),
        lambda: delphi_unit(r, *next(places), f"  ExecSQL('{cleared}); // no WHERE, clears the table"),
        lambda: delphi_unit(r, *next(places), f"  Connect{c}('SQLNCLI', '{password}'); // TODO: move to the vault"),
    ]
    return entries(r, 6.5, lambda: delphi_unit(r, *next(places)), special), [joined, cleared, [f"Connect{c}", password]]


def package(r, clock, name, others, **more):
    """What `pacman -Qi` says of one package."""
    built = clock()
    fields = {
        "Name": name,
        "Version": f"{r.randint(0, 9)}.{r.randint(0, 40)}.{r.randint(0, 9)}-{r.randint(1, 4)}",
        "Description": (
            f"{r.choice(['Library', 'Tools', 'Daemon', 'Driver'])} to {r.choice(DEEDS)} a {r.choice(THINGS)}"
        ),
        "Architecture": r.choice(["x86_64", "x86_64", "any"]),
        "URL": f"https://{name}.example.org/",
        "Licenses": r.choice(["GPL-3.0-or-later", "MIT", "BSD-3-Clause", "LGPL-2.1-only", "Apache-2.0"]),
        "Groups": "None",
        "Depends On": "  ".join(["glibc", *r.sample(others, 3)]),
        "Optional Deps": "None",
        "Required By": r.choice(["None", "  ".join(r.sample(others, 2))]),
        "Installed Size": f"{r.randint(12, 9000)}.{r.randint(10, 99)} KiB",
        "Packager": f"{r.choice(PEOPLE)} <builds@example.org>",
        "Build Date": built.strftime("%a %d %b %Y %H:%M:%S"),
        "Install Date": clock.text("%a %d %b %Y %H:%M:%S"),
        "Install Reason": r.choice(["Explicitly installed", "Installed as a dependency for another package"]),
        "Install Script": r.choice(["No", "No", "Yes"]),
        "Validated By": "Signature",
        **more,
    }
    return "\n".join(f"{k:<16}: {v}" for k, v in fields.items()) + "\n"


@case("ssh analyzer-a pacman -Qi")
def pacman_query_info(r):
    clock, pool = Clock(r, 9000.0), idents(r, 300, "-")
    names, odd = iter(sorted(pool)), {}
    licence = f"evaluation until 20{r.randint(19, 24)}-{r.randint(10, 12)}-{r.randint(10, 28)}"

    def remarkable(suffix, **more):
        odd[suffix] = f"{next(names)}-{suffix}"
        return package(r, clock, odd[suffix], pool, **more)

    special = [
        lambda: remarkable("bin", **{"Validated By": "None"}),
        lambda: remarkable("git", Packager="Unknown Packager", Licenses=f"custom: {licence}"),
        lambda: remarkable("legacy", **{"Install Date": "Thu 01 Jan 1970 00:00:00"}),
    ]

    def usual():
        return package(r, clock, next(names) + r.choice(["", "", "", "-bin", "-git", "-libs"]), pool)

    made = entries(r, 7.5, usual, special)
    return made, [[odd["bin"], "Validated By", "None"], [odd["git"], licence], [odd["legacy"], "01 Jan 1970"]]


@case("gcloud compute instances list --filter=labels.unit=lab")
def gcloud_instances(r):
    numbers, names = iter(distinct(r, 900, 1000, 9999)), iter(idents(r, 300, "-"))

    def machine(name=None, zone=None, kind=None, outside="", status=None):
        cells = (
            name or f"{next(names)}-{next(numbers)}",
            zone or f"europe-north1-{r.choice('abc')}",
            kind or r.choice(["e2-standard-4", "e2-standard-4", "n2-highmem-8", "e2-small", "t2d-standard-2"]),
            r.choice(["", "", "", "true"]),
            f"10.{r.randint(128, 131)}.{r.randint(0, 255)}.{r.randint(2, 250)}",
            outside,
            status or r.choice(["RUNNING"] * 14 + ["TERMINATED"]),
        )
        return "{:<32}{:<20}{:<18}{:<13}{:<17}{:<17}{}".format(*cells)

    open_, costly, stuck = (f"{next(names)}-{next(numbers)}" for _ in range(3))
    address, region = f"34.88.{r.randint(0, 255)}.{r.randint(2, 250)}", f"southamerica-east1-{r.choice('abc')}"
    special = [
        machine(open_, outside=address),
        machine(costly, region, "a3-megagpu-8g"),
        machine(stuck, status="REPAIRING"),
    ]
    head = "{:<32}{:<20}{:<18}{:<13}{:<17}{:<17}STATUS"
    head = head.format("NAME", "ZONE", "MACHINE_TYPE", "PREEMPTIBLE", "INTERNAL_IP", "EXTERNAL_IP")
    needles = [[open_, address], [costly, region, "a3-megagpu-8g"], [stuck, "REPAIRING"]]
    return [head, *entries(r, 5, machine, special)], needles


def artifact(r, names):
    """What `mvn dependency:tree -Dverbose` says of one dependency."""
    name = next(names)
    group, version = f"org.lab.{r.choice(THINGS)}", f"{r.randint(1, 9)}.{r.randint(0, 30)}.{r.randint(0, 9)}"
    whole = f"{group}:{name}:jar:{version}:{r.choice(['compile', 'compile', 'runtime', 'test', 'provided'])}"
    return r.choice(
        [
            whole,
            whole,
            whole,
            f"({whole} - omitted for duplicate)",
            f"({whole} - version managed from {version[0]}.0.0)",
        ]
    )


def branches(rows):
    """The lines of a tree whose rows are (depth, text)."""
    later, out = set(), []
    for depth, text in reversed(rows):
        stem = "".join("|  " if d in later else "   " for d in range(depth)) + ("+- " if depth in later else "\\- ")
        later = {d for d in later if d < depth} | {depth}
        out.append("[INFO] " + stem + text)
    return out[::-1]


@case("mvn dependency:tree -Dverbose")
def maven_dependency_tree(r):
    names, log4j = iter(idents(r, 540, "-")), f"2.{r.randint(10, 14)}.{r.randint(0, 1)}"
    hl7, old = f"hl7-{r.choice(DEEDS)}-core", f"1.{r.randint(0, 9)}.{r.randint(0, 9)}"
    new, jar = f"{r.randint(4, 7)}.{r.randint(0, 9)}.0", f"labdriver-{r.choice(THINGS)}-{r.randint(2, 9)}.jar"
    special = [
        f"org.apache.logging.log4j:log4j-core:jar:{log4j}:compile",
        f"(org.lab.interop:{hl7}:jar:{old}:compile - omitted for conflict with {new})",
        f"com.vendor:instrument:jar:1.0:system (/home/{r.choice(PEOPLE).lower()}/lib/{jar})",
    ]
    rows, depth = [], 0
    for text in entries(r, 5, lambda: artifact(r, names), special):
        step = r.choice([-2, -1, 0, 0, 1, 1])
        if not rows or "(" in rows[-1][1]:  # What was omitted has no children.
            step = min(step, 0)
        depth = max(0, min(5, depth + step))
        rows.append((depth, text))
    head = [
        "Scanning for projects...",
        "",
        "------------------< org.lab:results-server >------------------",
        "Building results-server 8.4.0-SNAPSHOT",
        "",
        "--- dependency:3.6.1:tree (default-cli) @ results-server ---",
        "org.lab:results-server:jar:8.4.0-SNAPSHOT",
    ]
    tail = ["[INFO] " + "-" * 72, "[INFO] BUILD SUCCESS", "[INFO] " + "-" * 72]
    needles = [f"log4j-core:jar:{log4j}", [hl7, old, f"omitted for conflict with {new}"], [":system", jar]]
    return [f"[INFO] {x}" for x in head] + branches(rows) + tail, needles


def rights(r, path, more=()):
    """The entry of one file or folder in what icacls prints."""
    inherited = "(I)" if r.random() < 0.8 else ""
    who = [
        f"NT-AUTORITÄT\\SYSTEM:{inherited}(F)",
        f"VORDEFINIERT\\Administratoren:{inherited}(F)",
        f"KLINIK\\Labor_{r.choice(['Lesen', 'Lesen', 'Schreiben'])}:{inherited}({r.choice(['RX', 'RX', 'M'])})",
    ]
    if r.random() < 0.3:
        who.append(f"KLINIK\\{r.choice(PEOPLE).lower()}:{inherited}(RX)")
    who += more
    return "\n".join([f"{path} {who[0]}", *(" " * (len(path) + 1) + x for x in who[1:])]) + "\n"


@case("icacls D:\\Befunde /T /C")
def icacls_german(r):
    places, sid = walk(r, 8), f"S-1-5-21-{r.randint(10**8, 10**9)}-{r.randint(1000, 9999)}"
    odd = {}

    def path(key=None):
        folder, name = next(places)
        odd[key] = f"{name}_{r.randint(1, 999)}.{r.choice(['pdf', 'xml', 'docx'])}"
        return f"D:\\Befunde\\{folder.capitalize()}\\{odd[key]}"

    special = [
        lambda: rights(r, path("all"), ["Jeder:(F)"]),
        lambda: rights(r, path(), [f"{sid}:(OI)(CI)(M)"]),
        lambda: f"{path('denied')}: Zugriff verweigert\n",
    ]
    made = entries(r, 7, lambda: rights(r, path()), special)
    tail = f"{len(made) - 1} Dateien erfolgreich verarbeitet, bei 1 Dateien ist ein Verarbeitungsfehler aufgetreten."
    return [*made, tail], [[odd["all"], "Jeder:(F)"], sid, [odd["denied"], "Zugriff verweigert"]]


def member(r, clock, path, **more):
    """One file in the technical listing of an archive."""
    size = r.randint(200, 900000)
    fields = {
        "Path": path,
        "Size": size,
        "Packed Size": int(size * r.uniform(0.2, 0.9)),
        "Modified": clock.text("%Y-%m-%d %H:%M:%S"),
        "Attributes": r.choice(["A -rw-r--r--", "A -rw-r-----", "A"]),
        "CRC": hexes(r, 8).upper(),
        "Encrypted": "+",
        "Method": "LZMA2:24 7zAES:19",
        "Block": r.randint(0, 40),
        **more,
    }
    return "\n".join(f"{k} = {v}" for k, v in fields.items()) + "\n"


@case("7z l -slt export-2025.7z")
def sevenzip_records(r):
    clock, places, odd = Clock(r, 3000.0), walk(r, 7), {}

    def path(key=None, up=""):
        folder, name = next(places)
        odd[key] = (
            f"{up}{folder}/{r.randint(2019, 2025)}/{name}-{r.randint(100, 9999)}.{r.choice(['csv', 'hl7', 'pdf'])}"
        )
        return odd[key]

    size = r.randint(8, 60) * 10**9 + r.randint(1, 10**6)
    special = [
        lambda: member(r, clock, path("plain"), Encrypted="-", Method="LZMA2:24"),
        lambda: member(r, clock, path("up", "../../")),
        lambda: member(r, clock, path("huge"), Size=size, **{"Packed Size": r.randint(9000, 40000)}),
    ]
    head = [
        "7-Zip (z) 24.08 (x64) : Copyright (c) 1999-2024 Igor Pavlov : 2024-08-11",
        "\nListing archive: export-2025.7z\n",
        "--\nPath = export-2025.7z\nType = 7z\nHeaders Size = 48120\nMethod = LZMA2:24 7zAES\nSolid = +",
        "\n----------",
    ]
    made = entries(r, 7, lambda: member(r, clock, path()), special)
    return head + made, [[odd["plain"], "Encrypted = -"], odd["up"], [odd["huge"], str(size)]]


@case("hdfs dfs -ls -R /lab/lake 2>&1")
def hdfs_recursive(r):
    clock, here, lost = Clock(r, 600.0), [""], r.randint(10**8, 10**9)

    def line(where, mode="-rw-r-----", copies=3, owner=None, size=None):
        size = r.randint(10**5, 3 * 10**8) if size is None else size
        owner = owner or r.choice(["etl", "etl", "hive"])
        return f"{mode}   {copies} {owner:<8} lab {size:>12} {clock():%Y-%m-%d %H:%M} {here[0]}{where}"

    def part():
        return f"/part-{r.randint(0, 99999):05d}-{hexes(r, 8)}.{r.choice(['snappy.parquet', 'snappy.parquet', 'avro'])}"

    def tree():
        for thing in sorted(THINGS):
            for month in sorted(distinct(r, 4, 1, 12)):
                here[0] = f"/lab/lake/{thing}/day=2025-{month:02d}-{r.randint(1, 28):02d}"
                yield line("", "drwxr-x---", "-", None, 0)
                yield line("/_SUCCESS", size=0)
                yield from (line(p) for p in sorted(part() for _ in range(r.randint(2, 5))))

    world, single, guest = part(), part(), f"tmp_{r.choice(PEOPLE).lower()}"
    special = [
        lambda: line(world, "-rwxrwxrwx"),
        lambda: line(single, copies=1, owner=guest),
        lambda: f"ls: Could not obtain block: BP-{lost}: file={here[0]}{part()} No live nodes contain current block",
    ]
    lines = tree()
    needles = [["-rwxrwxrwx", world[1:]], [guest, single[1:]], [f"BP-{lost}", "No live nodes"]]
    return entries(r, 5.5, lambda: next(lines), special), needles


@case("go list -m -u -retracted all")
def go_module_updates(r):
    hosts = "github.com/lab gitlab.example.org/wards go.lab.example golang.org/x".split()
    names, odd = (f"{h}/{n}" for h in hosts for n in sorted(idents(r, 100, "-"))), {}

    def version():
        return f"v{r.randint(0, 1)}.{r.randint(0, 40)}.{r.randint(0, 9)}"

    def module():
        name, major = next(names), r.randint(2, 7)
        days = f"2025{r.randint(10, 12)}{r.randint(10, 28)}{r.randint(10, 23)}0512"
        return r.choice(
            [
                f"{name} {version()}",
                f"{name} {version()}",
                f"{name} {version()} [v1.{r.randint(41, 70)}.0]",
                f"{name} v0.0.0-{days}-{hexes(r, 12)}",
                f"{name}/v{major} v{major}.{r.randint(0, 30)}.0",
            ]
        )

    def remarkable(key, text):
        odd[key] = next(names)
        return f"{odd[key]} {text}"

    lossy, home = version(), f"/home/{r.choice(PEOPLE).lower()}/wip/{ident(r, '-')}"
    special = [
        lambda: remarkable("gone", f"{version()} (deprecated)"),
        lambda: remarkable("bad", f"{lossy} (retracted: loses negative results) [v1.{r.randint(41, 70)}.0]"),
        lambda: remarkable("local", f"{version()} => {home}"),
    ]
    made = entries(r, 3.3, module, special)
    needles = [[odd["gone"], "deprecated"], [odd["bad"], lossy, "loses negative results"], [odd["local"], home]]
    return ["lab.example/results/server", *made], needles


def unit(r, pids):
    """A service, or a session, and its processes in the tree of control groups."""
    name, pid = ident(r, "-"), next(pids)
    if r.random() < 0.1:
        who = r.choice(PEOPLE).lower()
        shell = r.choice(["-bash", "less +F lab.log", "vim notes"])
        lines = [f"sshd: {who} [priv]", f"sshd: {who}@pts/{r.randint(0, 9)}", shell]
        return group("│ ", f"session-{r.randint(10, 99)}.scope", pid, lines)
    commands = [
        f"/usr/lib/lab/{name} --listen {ip(r)} --queue {r.randint(1, 90)}",
        f"/usr/bin/python3 -m lab.{r.choice(THINGS)} --worker {r.randint(1, 16)}",
        "nginx: worker process",
        f"/usr/bin/java -Xmx{r.randint(1, 8)}g -jar /srv/lab/{name}.jar",
        f"postgres: lab {r.choice(THINGS)} {ip(r)}({r.randint(20000, 65000)}) idle",
        f"/bin/sh /opt/lab/{name}.sh {r.choice(HOSTS)}",
    ]
    return group("│ ", f"{name}.service", pid, r.sample(commands, r.randint(1, 5)))


def group(bar, name, pid, lines):
    rows = [f"{bar}├─{name}"]
    for k, x in enumerate(lines):
        rows.append(f"{bar}│ {'└' if k == len(lines) - 1 else '├'}─{pid + 3 * k:>7} {x}")
    return "\n".join(rows)


@case("ssh bench-7 systemd-cgls --no-pager -l")
def cgroup_tree(r):
    pids = iter(range(r.randint(300, 900), 4 * 10**6, 17))
    pool, trace, name = f"{ip(r)}:3333", f"/var/lib/{ident(r)}/core.{r.randint(1000, 9999)}", ident(r, "-")
    miner = ["/usr/lib/lab/agent", f"/dev/shm/.x/kworkerds -o {pool} --donate-level 1"]
    dump = [f"/usr/lib/systemd/systemd-coredump --dump {trace}"]
    shell = [f"sshd: {r.choice(PEOPLE).lower()} [priv]", f"bash -c 'rm -rf /srv/lab/{name}-archive'"]
    special = [
        lambda: group("│ ", f"{name}.service", next(pids), miner),
        lambda: group("│ ", f"systemd-coredump@{r.randint(2, 9)}.service", next(pids), dump),
        lambda: group("│ ", f"session-{r.randint(10, 99)}.scope", next(pids), shell),
    ]
    made = entries(r, 8, lambda: unit(r, pids), special)
    head = [
        "Control group /:",
        "-.slice",
        "├─init.scope",
        "│ └─      1 /usr/lib/systemd/systemd --system --deserialize=41",
        "├─system.slice",
    ]
    needles = [["/dev/shm/.x/kworkerds", pool], ["systemd-coredump", trace], f"rm -rf /srv/lab/{name}-archive"]
    return head + made, needles


@case("global -x '.*'")
def interest_gtags_symbol(r):
    """Definitions with line, file and text, as GNU GLOBAL lists them."""
    names = sorted(idents(r, 500))[: r.randint(240, 300)]
    rows, lines = [], iter(distinct(r, 400, 20, 4000))
    for n in names:
        file = f"{r.choice(['src', 'lib', 'drivers'])}/{r.choice(THINGS)}/{r.choice(THINGS)}_{r.randint(1, 60)}.c"
        text = r.choice(
            [
                f"int {n}(struct {r.choice(THINGS)} *p, size_t n)",
                f"static void {n}(void)",
                f"#define {n}(x) ((x) << {r.randint(1, 15)})",
                f"struct {n} {{",
                f"bool {n}(const char *{r.choice(THINGS)}_no)",
                f"typedef enum {n} {n};",
            ]
        )
        rows.append((n, next(lines), file, text))
    asked = r.choice(rows[40:200])
    last = f"In which file is {asked[0]} defined? I want to open it there."
    return [f"{n:<16} {k:>5} {f:<32} {t}" for n, k, f, t in rows], [asked[2]], {"last": last}
