"""What commands say of hosts, networks, queues and hardware."""

from ..case import case
from .stock import DEEDS, HOSTS, PEOPLE, THINGS, Clock, entries, fresh, hexes, ident, idents, ip, pair


@case("nmap -sV -p- 172.20.0.0/24")
def nmap_scan(r):
    def host(addr=None, extra=""):
        rows = [f"Nmap scan report for {ident(r, '-')}.grid.example.net ({addr or ip(r)})",
            f"Host is up (0.00{r.randint(10, 99)}s latency).", f"Not shown: {r.randint(65500, 65532)} closed tcp "
            "ports (reset)", "PORT      STATE SERVICE     VERSION"]
        rows += ["22/tcp    open  ssh         OpenSSH 9.6 (protocol 2.0)"]
        rows += ["443/tcp   open  ssl/https   nginx 1.26.1"] if r.random() < 0.7 else []
        rows += [extra] if extra else []
        return "\n".join([*rows, f"MAC Address: {':'.join(hexes(r, 2).upper() for _ in range(6))} (Dell)", ""])

    a, b, port = ip(r), ip(r), r.randint(30000, 60000)
    v = f"2.{r.randint(1, 9)}.{r.randint(10, 99)}"
    bad = [host(a, f"{port}/tcp open  telnet      BusyBox telnetd"), host(b, "6379/tcp  open  redis       Redis "
        f"key-value store {v}")]
    body = entries(r, 10, host, bad)
    n = len(body)
    tail = f"Nmap done: 256 IP addresses ({n} hosts up) scanned in {r.randint(300, 900)}.11 seconds"
    return [*body, tail], [[a, f"{port}/tcp", "telnet"], [b, f"Redis key-value store {v}"], f"{n} hosts up"]


@case("kafka-consumer-groups.sh --bootstrap-server k1:9092 --describe --all-groups")
def kafka_groups(r):
    head = (
        f"\n{'GROUP':<22} {'TOPIC':<24} {'PARTITION':<10} {'CURRENT-OFFSET':<15} {'LOG-END-OFFSET':<15} {'LAG':<10} "
        f"{'CONSUMER-ID':<52} {'HOST':<16} CLIENT-ID"
    )

    def row(group=None, topic=None, lag=None, member=True):
        o, lag = r.randint(10**6, 10**8), r.randint(0, 40) if lag is None else lag
        who = f"consumer-{r.randint(1, 30)}-{hexes(r, 8)}-{hexes(r, 4)}-{hexes(r, 12)}" if member else "-"
        return (
            f"{group or pair(r, '-'):<22} {topic or pair(r, '.') + '.v1':<24} {r.randint(0, 23):<10} {o:<15} "
            f"{o + lag:<15} {lag:<10} {who:<52} {'/' + ip(r) if member else '-':<16} "
            f"{'consumer-' + str(r.randint(1, 30)) if member else '-'}"
        )

    (a, b), (t, u) = idents(r, 2, "-"), idents(r, 2, ".")
    lag = r.randint(10**6, 9 * 10**6)
    gone = ident(r, "-") + "-old"
    bad = [row(a, t, lag), row(b, u, r.randint(2000, 9000), False), f"\nWarning: Consumer group '{gone}' is "
        "rebalancing."]
    return [head, *entries(r, 13, row, bad)], [[a, t, str(lag)], [b, u], f"'{gone}' is rebalancing"]


@case("rabbitmqctl list_queues name messages consumers state memory --formatter pretty_table")
def rabbitmq_queues(r):
    names = fresh(r, ".")

    def row(n=None, messages=None, consumers=None, state="running"):
        return (
            f"│ {n or next(names):<30} │ {r.randint(0, 30) if messages is None else messages:>9} │ "
            f"{r.randint(1, 8) if consumers is None else consumers:>9} │ {state:<8} │ {r.randint(10000, 90000):>10} │"
        )

    def ruled():
        return row() + "\n├" + "┼".join("─" * k for k in (32, 11, 11, 10, 12)) + "┤"

    a, b, c = (next(names) for _ in range(3))
    m = r.randint(10**6, 10**7)
    bad = [row(a, m, 1), row(b, r.randint(100, 900), 0), row(c, 0, 2, "down")]
    return ["Timeout: 60.0 seconds ...", "Listing queues for vhost / ...", *entries(r, 13, ruled, bad)], [[a, str(m)],
        b, [c, "down"]]


@case("ovs-ofctl dump-flows br-int")
def ovs_flows(r):
    def flow(more="", act=None, table=None, src=None, n=None):
        return (
            f" cookie=0x{hexes(r, 8)}, duration={r.randint(1000, 99999)}.{r.randint(100, 999)}s, "
            f"table={table or r.randint(0, 60)}, n_packets={n or r.randint(0, 90000)}, "
            f"n_bytes={r.randint(0, 10**7)}, priority={r.choice([50, 100, 200])},ip,metadata=0x{hexes(r, 2)},"
            f"nw_src={src or ip(r)}{more} actions={act or f'resubmit(,{r.randint(1, 60)})'}"
        )

    a, b, n, vip = ip(r), ip(r), r.randint(10**9, 10**10), ip(r)
    bad = [flow(src=a, act="drop", n=n), flow(src=b, act=f"mod_nw_dst:{vip},output:{r.randint(100, 900)}")]
    return ["NXST_FLOW reply (xid=0x4):", *entries(r, 14, flow, bad)], [[a, str(n), "drop"], [b, f"mod_nw_dst:{vip}"]]


@case("cat perf.folded")
def folded_stacks(r):
    """One line per stack, hundreds of bytes long; the last number is its samples. One stack has most of them."""
    frames = [f"grid::{p.replace('_', '::')}" for p in [pair(r) for _ in range(60)]]

    def stack(leaf=None, n=None):
        mid = [r.choice(frames) for _ in range(r.randint(4, 9))]
        return (
            f"gridd;start_thread;{';'.join(mid)};{leaf or r.choice(['memcpy', 'malloc', 'epoll_wait', 'write'])} "
            f"{n or r.randint(1, 60)}"
        )

    a, b, n = ident(r), ident(r), r.randint(50000, 90000)
    return entries(r, 9, stack, [stack(f"std::regex::{a}", n), stack(f"[unknown];page_fault;{b}", n // 3)]), [
        [a, str(n)], [b, str(n // 3)]]


@case("show bgp neighbors summary wide", tool="network_cli", device="edge-1")
def bgp_neighbours(r):
    def peer(addr=None, state=None, up=None, asn=None, desc=None):
        up = up or f"{r.randint(2, 60)}w{r.randint(1, 6)}d"
        return (
            f"{addr or ip(r):<16} 4 {asn or r.randint(64512, 65534):>10} {r.randint(10**5, 10**7):>9} "
            f"{r.randint(10**5, 10**7):>9} {r.randint(1000, 9000):>8}    0    0 {up:>9} "
            f"{state or r.randint(10, 900):>12} {r.randint(1, 90):>7} {desc or pair(r, '-')}"
        )

    a, b, c = ip(r), ip(r), ip(r)
    routes, up = r.randint(800000, 990000), f"00:00:{r.randint(10, 59)}"
    bad = [peer(a, "Idle (PfxCt)"), peer(b, str(routes), desc="leaf-7"), peer(c, None, up)]
    head = (
        f"BGP router identifier {ip(r)}, local AS number 64999 vrf-id 0\nRIB entries {routes * 2}, using "
        f"{r.randint(90, 190)} MiB of memory\n\n{'Neighbor':<16} V {'AS':>10} {'MsgRcvd':>9} {'MsgSent':>9} "
        f"{'TblVer':>8}  InQ OutQ {'Up/Down':>9} {'State/PfxRcd':>12} {'PfxSnt':>7} Desc"
    )
    return [head, *entries(r, 5, peer, bad)], [[a, "Idle (PfxCt)"], [b, str(routes)], [c, up]]


@case("ipmitool sel elist")
def ipmi_sel(r):
    clock, k = Clock(r, 9000), [0]

    def event(what=None):
        k[0] += 1
        t = clock()
        what = what or r.choice(
            [
                f"Fan #0x{hexes(r, 2)} | Lower Non-critical going low  | {r.choice(['Asserted', 'Deasserted'])}",
                "Event Logging Disabled #0x72 | Log area reset/cleared | Asserted",
                f"Power Supply #0x{hexes(r, 2)} | Presence detected | Asserted",
                "OS Boot | C: boot completed | Asserted",
                "Physical Security #0x73 | General Chassis intrusion | Deasserted",
            ]
        )
        return f"{k[0]:>4x} | {t:%m/%d/%Y} | {t:%H:%M:%S} | {what}"

    dimm, psu = f"DIMM_{r.choice('ABCDEFGH')}{r.randint(1, 9)}", f"PSU{r.randint(2, 8)}-{hexes(r, 4)}"
    temp = r.randint(96, 119)
    bad = [
        lambda: event(f"Memory #0x87 | Uncorrectable ECC ({dimm}) | Asserted"),
        lambda: event(f"Power Supply {psu} | Failure detected () | Asserted"),
        lambda: event(f"Temperature CPU2 Temp | Upper Non-recoverable going high | Asserted | Reading {temp} > "
            "Threshold 95 degrees C"),
    ]
    return entries(r, 5, event, bad), [[dimm, "Uncorrectable ECC"], [psu, "Failure detected"],
        f"Reading {temp} > Threshold 95"]


@case("getfacl -R /srv/grid")
def getfacl_recursive(r):
    names = fresh(r)

    def entry(path=None, more=""):
        owner = r.choice(HOSTS).split("-")[0]
        return (
            f"# file: srv/grid/{path or r.choice(THINGS) + '/' + next(names)}\n# owner: {owner}\n# group: grid\n"
            f"user::rw-\n{more}group::r--\nmask::r--\nother::---\n"
        )

    a, b, who = f"keys/{next(names)}", f"export/{next(names)}", r.choice(PEOPLE).lower() + str(r.randint(10, 99))
    open_to_all = (
        f"# file: srv/grid/{b}\n# owner: root\n# group: root\n# flags: s--\nuser::rwx\ngroup::rwx\nother::rwx\n"
    )
    return entries(r, 8.5, entry, [entry(a, f"user:{who}:rw-\n"), open_to_all]), [[a, f"user:{who}:rw-"],
        [b, "other::rwx"]]


@case("mysql -e 'show engine innodb status\\G'")
def innodb_status(r):
    """Fixed sections; the deadlock and the long transaction among the transactions of all sessions."""
    def trx(age=None, thread=None, sql=None):
        t = thread or r.randint(100, 9999)
        return (
            f"---TRANSACTION {r.randint(10**8, 10**9)}, {'not started' if age is None else f'ACTIVE {age} sec'}\n"
            f"{r.randint(0, 3)} lock struct(s), heap size 1128, {r.randint(0, 9)} row lock(s)\n"
            f"MySQL thread id {t}, OS thread handle {r.randint(10**14, 10**15)}, query id {r.randint(10**6, 10**8)} "
            f"{ip(r)} app\n{sql or ''}"
        ).rstrip()

    a, b = idents(r, 2)
    age, thread, undo = r.randint(4000, 90000), r.randint(10000, 99999), r.randint(10**6, 10**7)
    dead = (
        "------------------------\nLATEST DETECTED DEADLOCK\n------------------------\n2025-03-11 "
        f"02:11:{r.randint(10, 59)} 0x7f\n*** (1) TRANSACTION:\nUPDATE {a} SET state = 2 WHERE id = "
        f"{r.randint(1, 900)}\n"
        f"*** (2) TRANSACTION:\nDELETE FROM {b} WHERE id < {r.randint(1, 900)}\n*** WE ROLL BACK TRANSACTION (1)\n"
        f"------------\nTRANSACTIONS\n------------\nTrx id counter {r.randint(10**9, 10**10)}\nHistory list length "
        f"{undo}"
    )
    tail = (
        f"--------\nFILE I/O\n--------\nPending normal aio reads: 0\n{r.randint(10**6, 10**7)} OS file reads, "
        f"{r.randint(10**6, 10**7)} OS file writes\n----------------------------\nEND OF INNODB MONITOR OUTPUT\n"
        "============================"
    )
    rows = entries(r, 8, trx, [trx(age, thread, "LOCK TABLES ledger WRITE")])
    return ["=====================================\nINNODB MONITOR OUTPUT\n=====================================",
        *entries(r, 0.8, lambda: f"OS WAIT ARRAY INFO: {r.choice(DEEDS)} signal count {r.randint(1, 9999)}"), dead,
            *rows, tail], [
        [f"UPDATE {a}", f"DELETE FROM {b}"],
        f"History list length {undo}",
        [f"ACTIVE {age} sec", f"thread id {thread}"],
    ]


@case("pidstat -r -u -h 1 40")
def pidstat_samples(r):
    t = [1741680000 + r.randint(0, 9999)]
    comms = [(r.randint(300, 9000), n) for n in idents(r, 9, "-")]
    head = (
        "# Time        UID       PID    %usr %system  %guest   %wait    %CPU   CPU  minflt/s  majflt/s     VSZ     "
        "RSS   %MEM  Command"
    )

    def row(pid, comm, cpu=None, rss=None, maj=0.0):
        cpu = cpu or r.uniform(0.1, 9)
        return (
            f"{t[0]:<12} {1000:>5} {pid:>9} {cpu:>7.2f} {0.4:>7.2f} {0.0:>7.2f} {0.0:>7.2f} {cpu + 0.4:>7.2f} "
            f"{r.randint(0, 15):>5} {r.uniform(0, 90):>9.2f} {maj:>9.2f} {r.randint(10**5, 9 * 10**5):>7} "
            f"{rss or r.randint(9000, 90000):>7} {r.uniform(0.1, 2):>6.2f}  {comm}"
        )

    def sample(cpu=None, rss=None):
        t[0] += 1
        odd = [row(p, c, cpu, rss, 881.0 if rss else 0.0)] if cpu or rss else []
        return "\n".join([head, *[row(*x) for x in comms], *odd, ""])

    (p, c), cpu, rss = (r.randint(10000, 32000), ident(r, "-") + "-job"), round(r.uniform(790, 1590),
        2), r.randint(10**7, 9 * 10**7)
    bad = [lambda: sample(cpu), lambda: sample(None, rss)]
    return ["Linux 6.8.0 (ems-a)  03/11/25  _x86_64_  (16 "
        "CPU)", "", *entries(r, 12, sample, bad)], [[c, f"{cpu:.2f}"], [c, str(rss)]]


@case("dmidecode")
def dmidecode_dump(r):
    """A slot in sixteen runs slower, one is empty; the rest says the same over and over."""
    k = [0]

    def handle(kind, rows):
        k[0] += 1
        return f"Handle 0x{k[0]:04X}, DMI type {r.randint(1, 41)}, {r.randint(20, 92)} bytes\n{kind}\n" + "".join(
            f"\t{x}\n" for x in rows)

    def other():
        if r.random() < 0.4:
            return dimm()
        return handle("Port Connector Information", ["Internal Reference Designator: "
            f"J{r.randint(1000, 9999)}", "Internal Connector Type: None", "External Reference Designator: "
            f"USB{r.randint(1, 9)}", "Port Type: USB"])

    def dimm(slot=None, speed=4800, size="64 GB", serial=None):
        return handle(
            "Memory Device",
            [f"Size: {size}", "Form Factor: DIMM", "Locator: "
                f"{slot or 'P' + str(r.randint(0, 1)) + '_' + hexes(r, 2).upper()}", "Type: DDR5",
                f"Speed: {speed} MT/s",
             "Manufacturer: Hynix", f"Serial Number: {serial or hexes(r, 8).upper()}", "Rank: 2",
             f"Configured Memory Speed: {speed} MT/s", "Minimum Voltage: 1.1 V"],
        )

    a, b, bios = f"P0_X{r.randint(10, 99)}", f"P1_Y{r.randint(10, 99)}", f"1.{r.randint(2, 9)}.{r.randint(10, 99)}-beta"
    bad = [
        lambda: dimm(a, 3200),
        lambda: dimm(b, "Unknown", "No Module Installed"),
        lambda: handle("BIOS Information", ["Vendor: American Megatrends", f"Version: {bios}", "Release Date: "
            f"0{r.randint(1, 9)}/11/2019"]),
    ]
    return ["# dmidecode 3.5", "Getting SMBIOS data from sysfs.", "", *entries(r, 9, other, bad)], [[a, "3200 MT/s"],
        [b, "No Module Installed"], bios]


@case("wg show all")
def wg_peers(r):
    def key():
        return (hexes(r, 21) + hexes(r, 21).upper())[:43] + "="

    def peer(k=None, seen=None, rx=None):
        return (
            f"peer: {k or key()}\n  endpoint: {ip(r)}:{r.randint(20000, 60000)}\n  allowed ips: {ip(r)}/32\n  latest "
            f"handshake: {seen or f'{r.randint(2, 59)} seconds ago'}\n  transfer: "
            f"{rx or f'{r.randint(1, 900)}.{r.randint(10, 99)} MiB'} received, {r.randint(1, 900)}"
            f".{r.randint(10, 99)} MiB sent\n"
        )

    a, b, days, addr = key(), key(), r.randint(20, 300), f"0.0.0.0/{r.choice([0, 1])}"
    bad = [peer(a, f"{days} days, 3 hours, 11 minutes ago", "0 B"), peer(b).replace("/32", f"/32, {addr}")]
    return ["interface: wg0\n  public key: " + key() + "\n  private key: (hidden)\n  listening port: 51820\n",
        *entries(r, 5.5, peer, bad)], [
        [a, f"{days} days"],
        [b, addr],
    ]
