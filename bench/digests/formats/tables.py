"""Tables: the columns and the row that is not like the others."""

import csv
import io

from .bulk import HOSTS, NAMES, NOUNS, VERBS, faults, hexes, ident, idents, plant, times
from .case import case

ASK = "Anything odd in this table?"


def moves(r, n):
    return [
        [
            str(7000 + 3 * k),
            r.choice(["Bergen", "Gdynia", "Porto", "Vigo"]),
            r.choice(["import", "export"]),
            f"{r.uniform(8, 30):.2f}",
            str(r.randint(100, 999)),
            f"2025-0{r.randint(1, 9)}-{r.randint(10, 28)}",
        ]
        for k in range(n)
    ]


HEAD = ["move_id", "port", "kind", "tonnes", "lane", "day"]


def ruled(rows, gap=" | "):
    widths = [max(len(row[c]) for row in rows) for c in range(len(rows[0]))]
    return [gap.join(cell.ljust(w) for cell, w in zip(row, widths)) for row in rows], widths


@case("psql -c 'select * from moves'", ask=ASK)
def psql(r):
    rows = moves(r, 260)
    odd = r.choice(rows[10:-10])
    odd[3] = f"{r.uniform(4000, 9000):.2f}"
    lines, widths = ruled([HEAD] + rows)
    return [" " + lines[0], "-" + "-+-".join("-" * w for w in widths) + "-", *[" " + x for x in lines[1:]], "(260 rows)"], [
        [odd[0], odd[3]],
        HEAD,
        "260 rows",
    ]


@case("cat moves.tsv", ask=ASK)
def tsv_rare_category(r):
    rows = moves(r, 300)
    odd = r.choice(rows[10:-10])
    odd[2] = r.choice(["contraband", "salvage", "dangerous-goods"])
    return ["\t".join(row) for row in [HEAD] + rows], [[odd[0], odd[2]], HEAD]


@case("cat REPORT.md", ask=ASK)
def markdown_table(r):
    rows = moves(r, 220)
    odd = r.choice(rows[10:-10])
    odd[1], odd[3] = "Port Sudan", f"-{r.uniform(10, 90):.2f}"
    lines, widths = ruled([HEAD] + rows)
    table = ["| " + x + " |" for x in lines]
    return [
        "# Moves of the quarter",
        "",
        f"Compiled by {r.choice(NAMES)}.",
        "",
        table[0],
        "|" + "|".join("-" * (w + 2) for w in widths) + "|",
        *table[1:],
    ], [[odd[0], "Port Sudan", odd[3]], "Moves of the quarter", "tonnes"]


@case("ps aux", ask="What is eating this machine?")
def ps_aux(r):
    def line(user, pid, cpu, mem, rss, stat, what):
        return f"{user:<9}{pid:>7} {cpu:>4} {mem:>4} {rss * 3:>7} {rss:>6} ?        {stat:<4} 08:0{r.randint(0, 9)}   {r.randint(0, 9)}:0{r.randint(0, 9)} {what}"

    pid = r.randint(20000, 29999)
    cpu, what = f"{r.uniform(350, 790):.0f}", f"/opt/port/bin/{ident(r, '-')} --all"
    zombie = r.randint(30000, 39999)
    bulk = [
        line(
            r.choice(["root", "www-data", "port", "postgres"]),
            r.randint(1, 19999),
            f"0.{r.randint(0, 9)}",
            f"0.{r.randint(0, 9)}",
            r.randint(1000, 90000),
            "Ss",
            f"/usr/sbin/{ident(r, '-')} -D",
        )
        for _ in range(190)
    ]
    return ["USER         PID %CPU %MEM     VSZ    RSS TTY      STAT START   TIME COMMAND"] + plant(
        r,
        bulk,
        [
            line("port", pid, cpu, "61.2", r.randint(6000000, 9999999), "Rl", what),
            line("port", zombie, "0.0", "0.0", 0, "Z", "[gangway] <defunct>"),
        ],
    ), [[str(pid), cpu, what], [str(zombie), "<defunct>"]]


@case("docker ps -a", ask="Is everything up?")
def docker_ps(r):
    def line(name, status):
        return f'{hexes(r, 12)}   {name.split("-")[0]}:{hexes(r, 7)}   "/entrypoint.sh"   {r.randint(2, 9)} weeks ago   {status:<28} 0.0.0.0:{r.randint(3000, 9999)}->80/tcp   {name}'

    bad = [
        (f"{r.choice(NOUNS)}-broken-{r.randint(10, 99)}".replace("broken", r.choice(VERBS)), s)
        for s in (f"Exited ({r.choice([1, 127, 137])}) 3 hours ago", "Restarting (1) 8 seconds ago")
    ]
    return ["CONTAINER ID   IMAGE   COMMAND   CREATED   STATUS   PORTS   NAMES"] + plant(
        r, [line(n, f"Up {r.randint(2, 9)} weeks (healthy)") for n in idents(r, 75, "-")], [line(*b) for b in bad]
    ), [list(b) for b in bad]


@case("kubectl get pods -A", ask="Are all pods well?")
def kubectl_pods(r):
    def line(name, ready="1/1", status="Running", restarts="0"):
        return (
            f"{r.choice(['port', 'tide', 'kube-system']):<13}{name:<44}{ready:<8}{status:<20}{restarts:<16}{r.randint(2, 90)}d"
        )

    bad = [(f"{n}-{hexes(r, 10)}", s) for n, s in zip(idents(r, 3, "-"), ["CrashLoopBackOff", "ImagePullBackOff", "Pending"])]
    restarts = str(r.randint(100, 900))
    return ["NAMESPACE    NAME                                        READY   STATUS              RESTARTS        AGE"] + plant(
        r,
        [line(f"{n}-{hexes(r, 9)}-{hexes(r, 5)}") for n in idents(r, 150, "-")],
        [line(n, "0/1", s, restarts if s.startswith("Crash") else "0") for n, s in bad],
    ), [list(b) for b in bad] + [[bad[0][0], restarts]]


@case("cat incidents.csv", ask=ASK)
def csv_multiline_cells(r):
    """A quoted cell holds a traceback over several lines."""
    name, at = ident(r), r.randint(20, 300)
    trace = f'Traceback (most recent call last):\n  File "/srv/port/{name}.py", line {at}, in close\n    raise LaneError("lane {r.randint(10, 99)} is locked")\nport.LaneError: lane locked by {r.choice(NAMES)}-{r.randint(100, 999)}'
    rows = [
        [
            f"INC-{400 + k}",
            r.choice(NAMES),
            r.choice(["low", "medium"]),
            "closed",
            f"{ident(r)}, then {ident(r)}\nno further action",
        ]
        for k in range(170)
    ]
    odd = r.choice(rows[10:-10])
    odd[2:] = ["critical", "open", trace]
    out = io.StringIO()
    csv.writer(out).writerows([["id", "owner", "severity", "state", "notes"]] + rows)
    return out.getvalue(), [[odd[0], "critical", "open"], [trace.splitlines()[-1], f"line {at}"], "severity"]


@case("cat tarife.csv", ask=ASK)
def semicolon_csv(r):
    rows = [
        [
            f"T{100 + k}",
            r.choice(["Stückgut", "Massengut"]),
            f"{r.randint(10, 40)},{r.randint(10, 99)}",
            str(r.randint(1, 9)),
            r.choice(NAMES),
        ]
        for k in range(260)
    ]
    odd = r.choice(rows[10:-10])
    odd[2] = f"{r.randint(90000, 99000)},00"
    return [";".join(x) for x in [["Nr", "Gattung", "Entgelt", "Zone", "Prüfer"]] + rows], [[odd[0], odd[2]], "Entgelt"]


@case("cat sensors.csv", ask=ASK)
def csv_empty_cell(r):
    """A single cell is empty in a column that is full elsewhere."""
    rows = [
        [f"{t:%H:%M:%S}", f"gauge-{r.randint(100, 999)}", f"{r.uniform(1, 4):.3f}", f"{r.uniform(5, 15):.1f}", "ok"]
        for t in times(r, 320, 30)
    ]
    odd = r.choice(rows[10:-10])
    odd[2] = ""
    return [",".join(x) for x in [["time", "gauge", "level_m", "temp_c", "quality"]] + rows], [[odd[0], odd[1]], "level_m"]


@case("mysql -e 'show full processlist'", ask="Who blocks the database?")
def boxed_table(r):
    rows = [
        [str(900 + k), r.choice(NAMES).lower(), r.choice(HOSTS), "Sleep", str(r.randint(1, 60)), "", "NULL"] for k in range(170)
    ]
    odd = r.choice(rows[10:-10])
    odd[3:] = [
        "Query",
        str(r.randint(8000, 90000)),
        "Waiting for table metadata lock",
        f"ALTER TABLE {ident(r)} ADD COLUMN {ident(r)} INT",
    ]
    head = ["Id", "User", "Host", "Command", "Time", "State", "Info"]
    lines, widths = ruled([head] + rows)
    bar = "+" + "+".join("-" * (w + 2) for w in widths) + "+"
    boxed = ["| " + x + " |" for x in lines]
    return [bar, boxed[0], bar, *boxed[1:], bar], [[odd[0], odd[4], odd[5], odd[6]]]


@case("df -h; systemctl list-units --type=service", ask="Is the machine in order?")
def fixed_width_units(r):
    full = f"/var/lib/{r.choice(NOUNS)}"
    disks = [
        f"/dev/sd{c}1        {r.randint(40, 900)}G   {r.randint(1, 30)}G   {r.randint(30, 800)}G  {r.randint(3, 60)}% /mnt/{n}"
        for c, n in zip("abcdefghijkl", r.sample(NOUNS, 12))
    ]
    disks.insert(6, f"/dev/sdz1        80G   80G     0G 100% {full}")
    bad = ident(r, "-") + "d.service"
    units = plant(
        r,
        [f"  {n}.service{' ' * (30 - len(n))}loaded active running {n.replace('-', ' ')} service" for n in idents(r, 190, "-")],
        [f"● {bad}{' ' * 6}loaded failed failed  {faults(r, 1)[0][:18]} service"],
    )
    return [
        "Filesystem      Size  Used Avail Use% Mounted on",
        *disks,
        "",
        "  UNIT   LOAD   ACTIVE SUB     DESCRIPTION",
        *units,
        "",
        "191 loaded units listed.",
    ], [[full, "100%"], [bad, "failed"]]
