"""Output of commands: replication, flows, firewalls, buses, fabrics, databases, tracing, batch jobs, keys, phones."""

from ..case import case
from .stock import HOSTS, PEOPLE, THINGS, Clock, entries, hexes, ident, idents


@case("drbdsetup status --verbose --statistics")
def drbd_resources(r):
    names = [n.replace("_", "-") for n in idents(r, 48)]
    alone, behind, dead, split = (names[k] for k in r.sample(range(6, 42), 4))
    sync = r.randint(1_000_000, 90_000_000)

    def resource(k, name):
        primary = r.random() < 0.5
        size, minor = r.choice([52428800, 104857600, 209715200, 1048576000]), 1000 + k
        disk = "Failed" if name == dead else "UpToDate"
        quorum = "no" if name == split else "yes"
        out = [
            f"{name} node-id:0 role:{'Primary' if primary else 'Secondary'}"
            f" suspended:{'quorum' if name == split else 'no'}"
            " force-io-failures:no",
            f"    write-ordering:{r.choice(['flush', 'flush', 'drain'])}",
            f"  volume:0 minor:{minor} disk:{disk} backing_dev:/dev/vg{r.randint(0, 2)}/{name}_00 quorum:{quorum}"
            f" open:{'yes' if primary else 'no'}",
            f"      size:{size} read:{r.randint(10**5, 10**8)} written:{r.randint(10**5, 10**8)}"
            f" al-writes:{r.randint(20, 9000)}"
            f" bm-writes:0 upper-pending:{r.choice([0, 0, 0, 1, 2])} lower-pending:0",
            "      al-suspended:no blocked:no",
        ]
        for node, peer in enumerate(r.sample(HOSTS, 2)):
            cut = name == alone and node == 0
            lag = name == behind and node == 0
            out.append(
                f"  {peer} node-id:{node + 1} connection:{'StandAlone' if cut else 'Connected'} role:"
                f"{'Unknown' if cut else 'Secondary' if primary or node else 'Primary'} tls:no"
                f" congested:{'yes' if r.random() < 0.04 else 'no'}"
                f" ap-in-flight:{0 if cut else r.choice([0, 0, 0, 24])} rs-in-flight:0"
            )
            out.append(
                f"    volume:0 replication:{'Off' if cut else 'Established'}"
                f" peer-disk:{'DUnknown' if cut else 'UpToDate'}"
                " resync-suspended:no"
            )
            out.append(
                f"        received:{r.choice([0, r.randint(1000, 10**7)])} sent:{r.randint(10**5, 10**8)}"
                f" out-of-sync:{sync if lag else 0} pending:0 unacked:0"
            )
        return out + [""]

    out = []
    for k, name in enumerate(names):
        out += resource(k, name)
    return out, [
        [alone, "connection:StandAlone"],
        [f"out-of-sync:{sync}", behind],
        [dead, "disk:Failed"],
        [split, "suspended:quorum"],
    ]


@case("hubble observe --since 5m --print-node-name=false")
def hubble_flows(r):
    clock = Clock(r, 0.15)
    apps = [f"{r.choice(['dailies', 'grading', 'sound'])}/{n.replace('_', '-')}" for n in idents(r, 26)]
    identity = {a: 2000 + 13 * k for k, a in enumerate(apps)}
    pods = {a: [f"{a}-{hexes(r, 9)}-{hexes(r, 5)}" for _ in range(2)] for a in apps}
    denied, target, odd, weak = r.sample(apps, 4)
    outside = f"{r.choice([91, 185, 193])}.{r.randint(10, 240)}.{r.randint(2, 250)}.{r.randint(2, 250)}"
    port = r.choice([4444, 3333, 14433, 45700])
    route = f"/v1/{ident(r, '/')}"

    def end(app, p):
        return f"{r.choice(pods[app])}:{p} (ID:{identity[app]})"

    def stamp():
        t = clock()
        return t.strftime("%b %e %H:%M:%S.") + f"{t.microsecond // 1000:03d}:"

    def line(a, arrow, b, rest):
        return f"{stamp()} {a} {arrow} {b} {rest}"

    def make():
        x, y = r.sample(apps, 2)
        high, k = r.randint(32768, 60999), r.random()
        back = r.random() < 0.5
        if k < 0.2:
            name = r.choice([y.split("/")[1], "registry", "vault"])
            return line(
                end(x, high), "->", f"kube-system/coredns-{'5d78c9869d-' + r.choice(['x7k2p', 'm9qlt'])}:53 (ID:1890)",
                f"dns-request proxy FORWARDED (DNS Query {name}.{y.split('/')[0]}.svc.cluster.local."
                f" {r.choice(['A', 'AAAA'])})",
            )
        if k < 0.35:
            path = f"/v1/{ident(r, '/')}"
            if back:
                code = r.choice([200, 200, 200, 201, 204, 304, 404])
                return line(end(x, high), "<-", end(y, 8080), f"http-response FORWARDED (HTTP/1.1 {code}"
                f" {r.randint(1, 90)}ms"
                            f" (GET http://{y.split('/')[1]}:8080{path}))")
            return line(end(x, high), "->", end(y, 8080), "http-request FORWARDED (HTTP/1.1 GET"
                        f" http://{y.split('/')[1]}:8080{path})")
        if k < 0.4:
            return line(f"fe80::{hexes(r, 4)}:{hexes(r, 4)}:{hexes(r, 4)}", "<>", "ff02::2 (unknown)",
                        "Unsupported L3 protocol DROPPED (ICMPv6 RouterSolicitation)")
        if k < 0.45:
            return line(end(x, high), "->", f"203.0.113.{r.randint(10, 14)}:443 (world)",
                        "to-stack FORWARDED (TCP Flags: ACK, PSH)")
        flags = r.choice(["SYN", "ACK", "ACK", "ACK, PSH", "ACK, FIN", "SYN, ACK", "ACK, RST"])
        where = r.choice(["to-endpoint", "to-overlay", "to-network"])
        return line(end(x, high), "<-" if back else "->", end(y, r.choice([8080, 5432, 6379, 9092])),
                    f"{where} FORWARDED (TCP Flags: {flags})")

    def drop():
        high = r.randint(32768, 60999)
        a, b = end(denied, high), end(target, 5432)
        return "\n".join([
            line(a, "<>", b, "policy-verdict:none INGRESS DENIED (TCP Flags: SYN)"),
            line(a, "<>", b, "Policy denied DROPPED (TCP Flags: SYN)"),
        ])

    def leak():
        return line(end(odd, r.randint(32768, 60999)), "->", f"{outside}:{port} (world)",
                    "to-stack FORWARDED (TCP Flags: ACK, PSH)")

    def fault():
        return line(end(odd, r.randint(32768, 60999)), "<-", end(weak, 8080), "http-response FORWARDED (HTTP/1.1 503"
                    f" 30001ms (POST http://{weak.split('/')[1]}:8080{route}))")

    return entries(r, 12, make, [drop, leak, fault]), [
        ["Policy denied DROPPED", denied],
        [odd, f"{outside}:{port}"],
        ["HTTP/1.1 503 30001ms", route],
    ]


@case("netsh advfirewall firewall show rule name=all verbose")
def netsh_polski(r):
    names = [f"Studio {a} {b}" for a, b in (n.split("_") for n in idents(r, 60))]
    gate, bypass, blocked = r.sample(range(8, 36), 3)
    weird = f"C:\\Users\\Public\\{r.choice(['Pobrane', 'Muzyka', 'Obrazy'])}\\svc{r.randint(10, 99)}.exe"
    peer = f"10.{r.randint(20, 90)}.{r.randint(2, 250)}.{r.randint(2, 250)}"
    keys = (
        "Nazwa reguły,Opis,Włączone,Kierunek,Profile,Grupowanie,Lokalny adres IP,Zdalny adres IP,Protokół,Port lokalny,"
        "Port zdalny,Przechodzenie krawędzi,Program,Usługa,Typy interfejsów,Zabezpieczenia,Źródło reguły,Akcja"
    ).split(",")

    def rule(k, name):
        protocol = r.choice(["TCP", "TCP", "UDP"])
        v = {
            "Nazwa reguły": name,
            "Opis": f"Reguła dla usługi {name.split()[-1]} ({r.choice(PEOPLE)})",
            "Włączone": r.choice(["Tak", "Tak", "Tak", "Nie"]),
            "Kierunek": r.choice(["Do wewnątrz", "Na zewnątrz"]),
            "Profile": r.choice(["Domena", "Domena,Prywatny"]),
            "Grupowanie": r.choice(["", "Studio", "Montaż", "Archiwum"]),
            "Lokalny adres IP": "Dowolny",
            "Zdalny adres IP": r.choice(["LocalSubnet", "10.12.0.0/16", "10.14.8.0/24"]),
            "Protokół": protocol,
            "Port lokalny": str(r.choice([80, 443, 8080, 8443, 9000, r.randint(20000, 40000)])),
            "Port zdalny": "Dowolny",
            "Przechodzenie krawędzi": "Nie",
            "Program": f"C:\\Studio\\bin\\{name.split()[-1]}.exe",
            "Usługa": "",
            "Typy interfejsów": "Dowolny",
            "Zabezpieczenia": "Nie wymagane",
            "Źródło reguły": r.choice(["Ustawienie lokalne", "Ustawienie zasad grupy"]),
            "Akcja": "Zezwalaj",
        }
        if k == gate:
            v.update({"Włączone": "Tak", "Kierunek": "Do wewnątrz", "Profile": "Domena,Prywatny,Publiczny",
                "Protokół": "TCP",
                      "Zdalny adres IP": "Dowolny", "Port lokalny": "3389", "Program": weird})
        if k == bypass:
            v.update({"Włączone": "Tak", "Przechodzenie krawędzi": "Tak", "Akcja": "Obejdź"})
        if k == blocked:
            v.update({"Włączone": "Tak", "Kierunek": "Na zewnątrz", "Zdalny adres IP": peer, "Akcja": "Blokuj"})
        lines = [f"{key + ':':<38}{v[key]}".rstrip() for key in keys]
        return ["", lines[0], "-" * 70, *lines[1:]]

    out = []
    for k in range(44):
        out += rule(k, names[k])
    return out + ["OK", ""], [
        [names[gate], "3389", weird],
        [names[bypass], "Obejdź"],
        [names[blocked], peer, "Blokuj"],
    ]


@case("candump -t A -x -e any")
def candump_bus(r):
    clock = Clock(r, 0.02)
    ids = sorted(r.sample(range(0x181, 0x57F), 14))
    emergency = 0x80 + r.randint(0x11, 0x6F)
    code = r.choice(["10 81", "20 43", "30 86", "11 73"])
    detail = " ".join(f"{r.getrandbits(8):02X}" for _ in range(5))
    state = {i: [r.getrandbits(8) for _ in range(8)] for i in ids}
    silent = r.choice(["can0", "can1"])

    def stamp():
        t = clock()
        return t.strftime("(%Y-%m-%d %H:%M:%S.") + f"{t.microsecond:06d})"

    def frame(bus, number, data, note=""):
        shown = " ".join(f"{b:02X}" for b in data) if isinstance(data, list) else data
        length = len(shown.split())
        return f" {stamp()}  {bus}  RX - -  {number:>8}   [{length}]  {shown}{note}"

    def make():
        k = r.random()
        bus = "can0" if k < 0.7 else "can1"
        if k < 0.05:
            return frame(bus, f"{0x700 + r.choice([0x11, 0x12, 0x21, 0x22]):03X}", "05")
        if k < 0.09:
            return frame(bus, "080", "")[:-2].rstrip()
        if k < 0.11:
            return frame("can1", "20000004", "00 08 00 00 00 00 60 00", "  "
            " ERRORFRAME\n\tcontroller-problem{tx-error-warning}"
                         "\n\terror-counter-tx-rx{{96}{0}}")
        i = r.choice(ids)
        b = state[i]
        b[r.randint(0, 2)] = r.getrandbits(8)
        b[7] = (b[7] + 1) % 256
        return frame(bus, f"{i:03X}", b[: 8 - i % 3])

    def off():
        return frame(silent, "20000040", "00 00 00 00 00 00 00 00", "   ERRORFRAME\n\tbus-off")

    def overflow():
        return frame("can0", "20000004", "00 01 00 00 00 00 00 00", "   ERRORFRAME\n\tcontroller-problem{rx-overflow}")

    def alarm():
        return frame("can0", f"{emergency:03X}", f"{code} {detail}")

    return entries(r, 10, make, [off, overflow, alarm]), [
        "bus-off",
        "rx-overflow",
        [f"{emergency:03X}   [7]", f"{code} {detail}"],
    ]


@case("iblinkinfo --switches-only")
def iblinkinfo_fabric(r):
    switches = [f"sw-{h}-{k:02d}" for h in ("stage", "farm", "vault") for k in range(1, 4)]
    hosts = [f"{a}-{n:03d} mlx5_{r.randint(0, 1)}" for a in ("render", "cut", "dub", "vault") for n in range(1, 90)]
    r.shuffle(hosts)
    spots = [(s, p) for s in range(1, len(switches) - 1) for p in range(3, 36)]
    narrow, slow, waiting = r.sample(spots, 3)
    out, named, lid = [], {}, 100
    for s, switch in enumerate(switches):
        out.append(f"Switch: 0x{hexes(r, 16)} MF0;{switch}:MQM8700/U1:")
        for port in range(1, 41):
            here = f"{s + 1:>12}  {port:>3}[  ]"
            spot = (s, port)
            if spot not in (narrow, slow, waiting) and r.random() < 0.18:
                down = r.choice(["Down/ Polling", "Down/ Polling", "Down/Disabled"])
                out.append(f'{here} ==({down:>33})==>             [  ] "" ( )')
                continue
            lid += 1
            peer = f"MF0;{r.choice(switches)}:MQM8700/U1" if port > 32 else hosts.pop()
            remote = r.randint(1, 40) if port > 32 else 1
            width, speed, note, phase = "4X", "53.125", "", "Active"
            if spot == narrow:
                width, note = "1X", "Could be 4X"
            if spot == slow:
                speed, note = "14.0625", "Could be 53.125 Gbps"
            if spot == waiting:
                phase = "  Init"
            named[spot] = peer
            link = f"{width} {speed:>14} Gbps {phase}/  LinkUp"
            out.append(f'{here} ==( {link})==>  {lid:>8}  {remote:>3}[  ] "{peer}" ({note:^1})')
    return out, [
        [named[narrow], "Could be 4X"],
        [named[slow], "14.0625 Gbps"],
        [named[waiting], "Init/ LinkUp"],
    ]


@case("vacuumdb --all --verbose --analyze -j 4")
def vacuum_verbose(r):
    tables = [f"{r.choice(['dailies', 'grading', 'archive'])}.public.{n}" for n in idents(r, 200)]
    dead, failsafe, locked, broken = (tables.pop() for _ in range(4))
    rows = r.randint(3_000_000, 90_000_000)
    old = r.randint(200_000_000, 900_000_000)
    block = r.randint(1000, 90000)

    def report(t, stuck=0):
        pages, live = r.randint(2, 9000), r.randint(10, 400000)
        out = [f'INFO:  vacuuming "{t}"']
        if pages > 6000:
            out.append("INFO:  launched 2 parallel vacuum workers for index vacuuming (planned: 2)")
        xid = r.randint(10**8, 10**9)
        out += [
            f'INFO:  finished vacuuming "{t}": index scans: {r.randint(0, 1)}',
            f"pages: {r.choice([0, 0, 0, 4])} removed, {pages} remain, {pages} scanned (100.00% of total)",
            f"tuples: {r.randint(0, 900)} removed, {live} remain, {stuck} are dead but not yet removable",
            f"removable cutoff: {xid}, which was {old if stuck else r.randint(0, 90)} XIDs old when operation ended",
            f"frozen: 0 pages from table (0.00% of total) had 0 tuples frozen",
        ]
        if r.random() < 0.5:
            out.append(f'index "{t.split(".")[-1]}_pkey": pages: {r.randint(2, 900)} in total, 0 newly deleted, 0'
            f' currently'
                       f" deleted, {r.randint(0, 4)} reusable")
        else:
            out.append("index scan not needed: 0 pages from table (0.00% of total) had 0 dead item identifiers removed")
        out += [
            f"avg read rate: {r.uniform(0, 40):.3f} MB/s, avg write rate: {r.uniform(0, 4):.3f} MB/s",
            f"buffer usage: {r.randint(20, 90000)} hits, {r.randint(0, 900)} misses, {r.randint(0, 90)} dirtied",
            f"WAL usage: {r.randint(1, 900)} records, {r.randint(0, 40)} full page images, {r.randint(188, 90000)}"
            f" bytes",
            f"system usage: CPU: user: {r.uniform(0, 2):.2f} s, system: {r.uniform(0, 1):.2f} s,"
            f" elapsed: {r.uniform(0.01, 9):.2f} s",
        ]
        if r.random() < 0.6:
            out += [f'INFO:  analyzing "{".".join(t.split(".")[1:])}"',
                    f'INFO:  "{t.split(".")[-1]}": scanned {pages} of {pages} pages, containing {live} live rows and'
                    f' {stuck}'
                    f" dead rows; {min(live, 30000)} rows in sample, {live} estimated total rows"]
        return "\n".join(out)

    def make():
        if r.random() < 0.05:
            return f'vacuumdb: vacuuming database "{r.choice(["dailies", "grading", "archive", "postgres"])}"'
        if r.random() < 0.06:
            short = tables.pop().split(".")[-1]
            return f'INFO:  table "{short}": truncated {r.randint(20, 90)} to {r.randint(2, 19)} pages'
        return report(tables.pop())

    def bypass():
        name = failsafe
        return (
            f'WARNING:  bypassing nonessential maintenance of table "{name}" as a failsafe after 0 index scans\n'
            "DETAIL:  The table's relfrozenxid or relminmxid is too far in the past.\n"
            "HINT:  Consider increasing configuration parameter \"maintenance_work_mem\" or \"autovacuum_work_mem\".\n"
            "You might also need to consider other ways for VACUUM to keep up with the allocation of transaction IDs.\n"
            + report(name)
        )

    def skip():
        return f'WARNING:  skipping vacuum of "{locked.split(".")[-1]}" --- lock not available'

    def corrupt():
        return (
            f'WARNING:  page is not marked all-visible but visibility map bit is set in relation'
            f' "{broken.split(".")[-1]}"'
            f" page {block}\n" + report(broken)
        )

    out = ['vacuumdb: vacuuming database "dailies"']
    out += entries(r, 9, make, [lambda: report(dead, rows), bypass, skip, corrupt])
    return out, [
        [f"{rows} are dead but not yet removable", dead],
        ["as a failsafe", failsafe],
        ["skipping vacuum of", locked.split(".")[-1]],
        ["visibility map bit is set", broken.split(".")[-1]],
    ]


@case("bpftrace read_latency.bt")
def bpftrace_histograms(r):
    tasks = [n.replace("_", "-")[:15] for n in idents(r, 34)]
    stalled, errors = r.sample(tasks[5:-5], 2)
    edges = "2 4 8 16 32 64 128 256 512 1K 2K 4K 8K".split()
    buckets = ["[0]", "[1]", *(f"[{a}, {b})" for a, b in zip(edges, edges[1:]))]
    tail = ["[8K, 16K)", "[16K, 32K)", "[32K, 64K)", "[64K, 128K)", "[128K, 256K)", "[256K, 512K)", "[512K,"
    " 1M)", "[1M, 2M)",
            "[2M, 4M)", "[4M, 8M)"]
    hits, eio = r.randint(90, 990), r.randint(40, 900)

    def histogram(task, name):
        middle, width = r.randint(4, 9), r.uniform(0.9, 1.8)
        peak = r.randint(400, 90000)
        counts = {
            b: int(peak * r.uniform(0.8, 1.2) * 2.7 ** (-(((k - middle) / width) ** 2))) for k, b in enumerate(buckets)
        }
        rows = [(b, c) for b, c in counts.items()]
        while rows and not rows[0][1]:
            rows.pop(0)
        while rows and not rows[-1][1]:
            rows.pop()
        if task == stalled and name == "read_us":
            rows = [(b, c) for b, c in counts.items()]
            first = next(k for k, (_, c) in enumerate(rows) if c)
            rows = rows[first:] + [(b, 0) for b in tail[:-1]] + [(tail[-1], hits)]
        most = max(c for _, c in rows)
        return [
            f"@{name}[{task}]: ",
            *(f"{b:<16}{c:>8} |{'@' * (52 * c // most):<52}|" for b, c in rows),
            "",
        ]

    out = ["Attaching 6 probes...", "Tracing block reads... Hit Ctrl-C to end.", "^C", ""]
    for t in tasks:
        out += histogram(t, "read_us")
        if r.random() < 0.5:
            out += [f"@opens[{t}, /media/{r.choice(THINGS)}/{r.choice(THINGS)}.mov]: {r.randint(1, 90)}"
                    for _ in range(r.randint(1, 4))] + [""]
        if t == errors:
            out += [f"@retval[{t}, -5]: {eio}", ""]
        elif r.random() < 0.4:
            out += [f"@retval[{t}, {r.choice([-11, -2, -4])}]: {r.randint(1, 900)}", ""]
        if r.random() < 0.5:
            out += histogram(t, "write_us")
    return out, [
        [f"@read_us[{stalled}]", "[4M, 8M)"],
        f"@retval[{errors}, -5]: {eio}",
    ]


FIELDS = "JobID%16,JobName%22,Partition,Account,AllocCPUS,State%18,ExitCode,Elapsed,MaxRSS,NodeList%12"


@case(f"sacct -a -S now-1day --format={FIELDS}")
def sacct_steps(r):
    names = idents(r, 240)
    memory, node, slow, crashed = (names.pop() for _ in range(4))
    host = f"farm{r.randint(100, 399)}"
    number = [r.randint(400000, 800000)]
    accounts = "grading sound vfx archive".split()

    def row(job, name, partition, account, cpus, state, code, elapsed, rss, nodes):
        return (f"{job:>16} {name:>22} {partition:>10} {account:>10} {cpus:>10} {state:>18} {code:>8} {elapsed:>10}"
        f" {rss:>10}"
                f" {nodes:>12}")

    def spent(top=300):
        m = r.randint(2, top)
        return f"{m // 60:02d}:{m % 60:02d}:{r.randint(0, 59):02d}"

    def job(name, state="COMPLETED", code="0:0", nodes=None, elapsed=None):
        number[0] += r.randint(1, 9)
        j, cpus = str(number[0]), r.choice([4, 8, 16, 32])
        account = r.choice(accounts)
        nodes, elapsed = nodes or f"farm{r.randint(100, 399)}", elapsed or spent()
        inner = "CANCELLED" if state.startswith("CANCELLED") or state == "TIMEOUT" else state
        rss = f"{r.randint(20000, 9000000)}K"
        out = [row(j, name, r.choice(["render", "short", "gpu"]), account, cpus, state, code, elapsed, "", nodes),
               row(j + ".batch", "batch", "", account, cpus, inner, code, elapsed, rss, nodes),
               row(j + ".extern", "extern", "", account, cpus, "COMPLETED", "0:0", elapsed, "0", nodes)]
        if r.random() < 0.4:
            out.append(row(j + ".0", r.choice(["hydra", "ffmpeg", "nuke"]), "", account, cpus, inner, code, elapsed,
                           rss, nodes))
        return "\n".join(out)

    def make():
        if r.random() < 0.05:
            return job(names.pop(), f"CANCELLED by {r.randint(1001, 1040)}")
        if r.random() < 0.03:
            number[0] += 1
            return row(number[0], names.pop(), "render", r.choice(accounts), 8, "PENDING", "0:0", "00:00:00", "",
                "None assign+")
        return job(names.pop())

    special = [
        lambda: job(memory, "OUT_OF_MEMORY", "0:125"),
        lambda: job(node, "NODE_FAIL", "1:0", host),
        lambda: job(slow, "TIMEOUT", "0:0", elapsed="2-00:00:19"),
        lambda: job(crashed, "FAILED", "139:0"),
    ]
    columns = ["JobID", "JobName", "Partition", "Account", "AllocCPUS", "State", "ExitCode", "Elapsed", "MaxRSS",
        "NodeList"]
    widths = [16, 22, 10, 10, 10, 18, 8, 10, 10, 12]
    out = [row(*columns), " ".join("-" * w for w in widths)] + entries(r, 18, make, special)
    return out, [
        [memory, "OUT_OF_MEMORY"],
        [node, "NODE_FAIL", host],
        [slow, "TIMEOUT"],
        [crashed, "139:0"],
    ]


@case("gpg --homedir /etc/release-keys --check-sigs --keyid-format long")
def gpg_keyring(r):
    surnames = "Aalto Bakker Cermak Dvorak Eriksen Fontana Grabner Hoxha Ivanova Jokinen Kovac Lindqvist Moreau".split()
    owners = [(p, s) for p in PEOPLE for s in surnames]
    owners = r.sample(owners, 52)
    revoked, bad, weak, late = r.sample(range(6, 46), 4)
    keys = [hexes(r, 16).upper() for _ in owners]
    day = f"{r.choice([2024, 2025])}-{r.randint(1, 12):02d}-{r.randint(1, 28):02d}"
    forged = hexes(r, 16).upper()
    home = [r.choice(["studio", "dailies", "reel"]) for _ in owners]

    def date(low=2015, high=2023):
        return f"{r.randint(low, high)}-{r.randint(1, 12):02d}-{r.randint(1, 28):02d}"

    def uid(k):
        p, s = owners[k]
        return f"{p} {s} <{p.lower()}.{s.lower()}@{home[k]}.example>"

    def sig(k):
        n = r.randint(0, len(owners) - 1)
        level = r.choice(["sig!   ", "sig!3  ", "sig!2  "])
        return f"{level}      {keys[n]} {date()}  {uid(n)}"

    out = ["gpg: checking the trustdb", "gpg: marginals needed: 3  completes needed: 1  trust model: pgp",
           "/etc/release-keys/pubring.kbx", "-----------------------------"]
    for k in range(len(owners)):
        made, end = date(), f"{r.randint(2027, 2031)}-{r.randint(1, 12):02d}-{r.randint(1, 28):02d}"
        kind, validity = r.choice(["rsa4096", "rsa4096", "ed25519", "rsa3072"]), r.choice(["  full  ", "ultimate", " "
        " undef ", "marginal"])
        note = f"[expires: {end}]"
        if k == revoked:
            note, validity = f"[revoked: {day}]", " revoked"
        if k == late:
            note, validity = f"[expired: {date(2025, 2025)}]", " expired"
        if k == weak:
            kind, note = "rsa768", ""
        out += [f"pub   {kind}/{keys[k]} {made} [SC] {note}".rstrip(), f"      {hexes(r, 24).upper()}{keys[k]}",
                f"uid                 [{validity}] {uid(k)}", f"sig!3        {keys[k]} {made}  {uid(k)}"]
        out += [sig(k) for _ in range(r.randint(0, 4))]
        if k == bad:
            out.append(f"sig-3        {forged} {date()}  {uid(r.randint(0, 9))}")
        if r.random() < 0.15:
            out += [f"uid                 [{validity}] {owners[k][0]} {owners[k][1]} (old address)"
            f" <{owners[k][1].lower()}@cut.example>",
                    f"sig!3        {keys[k]} {made}  {uid(k)}"]
        out += [f"sub   {kind}/{hexes(r, 16).upper()} {made} [E] {note}".rstrip(), f"sig!         {keys[k]} {made} "
        f" {uid(k)}", ""]
    out += [f"gpg: {r.randint(190, 300)} good signatures", "gpg: 1 bad signature", "gpg: 31 signatures not checked"
    " due to missing keys"]
    return out, [
        [keys[revoked], f"[revoked: {day}]"],
        ["sig-3", forged],
        [f"rsa768/{keys[weak]}"],
        [keys[late], "[expired:"],
    ]


@case("adb -s stage-east-tab4 shell dumpsys package packages")
def interest_dumpsys_package(r):
    packages = [f"tv.{r.choice(['studio', 'dailies', 'reelkit'])}.{n.replace('_', '.')}" for n in idents(r, 40)]
    asked = r.randint(6, 20)
    installer = f"com.{r.choice(THINGS)}.{ident(r)}"
    rights = "CAMERA RECORD_AUDIO READ_MEDIA_VIDEO BLUETOOTH_CONNECT POST_NOTIFICATIONS ACCESS_FINE_LOCATION".split()
    plain = "INTERNET WAKE_LOCK FOREGROUND_SERVICE RECEIVE_BOOT_COMPLETED VIBRATE".split()

    others = ["com.android.vending", "com.android.shell", "null", *(f"com.{r.choice(THINGS)}.{x}" for x in idents(r,
        4))]

    def when():
        day = f"2025-{r.randint(1, 12):02d}-{r.randint(1, 28):02d}"
        return f"{day} {r.randint(0, 23):02d}:{r.randint(0, 59):02d}:{r.randint(0, 59):02d}"

    out = ["Packages:"]
    for k, p in enumerate(packages[:24]):
        code, sdk = r.randint(100, 99999), r.choice([31, 33, 34])
        folder = f"/data/app/~~{hexes(r, 16)}==/{p}-{hexes(r, 16)}=="
        out += [
            f"  Package [{p}] ({hexes(r, 7)}):",
            f"    userId={10100 + k}",
            f"    pkg=Package{{{hexes(r, 7)} {p}}}",
            f"    codePath={folder}",
            f"    legacyNativeLibraryDir={folder}/lib",
            "    primaryCpuAbi=arm64-v8a",
            f"    versionCode={code} minSdk={r.choice([26, 28, 29])} targetSdk={sdk}",
            f"    versionName={r.randint(1, 9)}.{r.randint(0, 40)}.{r.randint(0, 9)}",
            "    splits=[base, config.arm64_v8a, config.xxhdpi]",
            f"    flags=[ HAS_CODE ALLOW_CLEAR_USER_DATA{r.choice(['', ' ALLOW_BACKUP', ' LARGE_HEAP'])} ]",
            f"    dataDir=/data/user/0/{p}",
            f"    timeStamp={when()}",
            f"    firstInstallTime={when()}",
            f"    lastUpdateTime={when()}",
            f"    installerPackageName={installer if k == asked else r.choice(others)}",
            f"    signatures=PackageSignatures{{{hexes(r, 7)} version:{r.choice([2, 3])}, signatures:[{hexes(r, 8)}],"
            f" past signatures:[]}}",
            "    install permissions:",
            *(f"      android.permission.{x}: granted=true" for x in r.sample(plain, r.randint(2, 5))),
            f"    User 0: ceDataInode={r.randint(10000, 900000)} installed=true hidden=false suspended=false stopped="
            f"{r.choice(['true', 'false'])} notLaunched=false enabled={r.randint(0, 1)} instant=false",
            "      runtime permissions:",
            *(f"        android.permission.{x}: granted={r.choice(['true', 'false'])}, flags=[ USER_SET ]"
              for x in r.sample(rights, r.randint(1, 4))),
            "",
        ]
    question = f"Good. One detail from the tablet: which installer put {packages[asked]} on it?"
    return out, [installer], dict(last=question)
