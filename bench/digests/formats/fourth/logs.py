"""Logs of servers, networks and devices."""

import json

from ..case import case
from .stock import HOSTS, THINGS, Clock, alarms, camel, distinct, entries, hexes, ident, ip, quiet, uuid


@case("aws s3 cp s3://grid-logs/alb/latest.log -")
def alb_access(r):
    clock, tg = Clock(r, 0.3), hexes(r, 16)

    def one(code=200, path=None, target=None, spent=None, reason="-"):
        t = f"{clock():%Y-%m-%dT%H:%M:%S.%fZ}"
        spent = spent or f"{r.uniform(0.001, 0.2):.3f}"
        path = path or f"/api/{r.choice(THINGS)}s/{r.randint(100, 9999)}"
        return (
            f"https {t} app/grid-lb/{tg} {ip(r)}:{r.randint(1025, 65000)} {target or ip(r) + ':8080'} 0.000 {spent} "
            f"0.000 {code} {code if target != '-' else '-'} "
            f'{r.randint(100, 900)} {r.randint(200, 9000)} "GET https://grid.example.net:443{path} HTTP/1.1" '
            '"okhttp/4.12" '
            'TLS_AES_128_GCM_SHA256 TLSv1.3 arn:aws:elasticloadbalancing:eu-north-1:123456789012:targetgroup/grid/'
            f'{tg} "Root=1-{hexes(r, 8)}-{hexes(r, 24)}" "{reason}"'
        )

    p, q, s = (f"/api/{ident(r, '-')}/{n}" for n in distinct(r, 3, 10000, 99999))
    slow = f"{r.randint(28, 59)}.{r.randint(100, 999)}"
    bad = [
        lambda: one(502, p, reason="InvalidContentLength"),
        lambda: one(200, q, spent=slow),
        lambda: one(503, s, target="-", reason="NoTargets"),
    ]
    return entries(r, 22, one, bad), [[p, "502"], [q, slow], [s, "503"]]


@case("tail -n 500 /var/log/cassandra/system.log")
def cassandra_system(r):
    clock = Clock(r, 5)

    def line(level, thread, place, said):
        return f"{level:<5} [{thread}] {clock.text('%Y-%m-%d %H:%M:%S,%L')} {place} - {said}"

    def one():
        k = r.randint(1, 99)
        return line(
            "INFO",
            *r.choice(
                [
                    (f"CompactionExecutor:{k}", "CompactionTask.java:252", f"Compacted ({hexes(r, 12)}) 4 sstables "
                        f"to [/data/grid/{ident(r)}-{hexes(r, 8)}/nb-{r.randint(100, 9999)}-big,] to level=0.  "
                        f"{r.randint(1, 90)}.{r.randint(100, 999)}MiB in {r.randint(20, 900)}ms"),
                    (f"MemtableFlushWriter:{k}", "Memtable.java:469", f"Writing Memtable-{ident(r)}"
                        f"@{r.randint(10**8, 10**9)}({r.randint(1, 90)}.{r.randint(100, 999)}KiB serialized bytes, "
                        f"{r.randint(10, 9000)} ops)"),
                    ("GossipStage:1", "Gossiper.java:1406", f"InetAddress /{ip(r)}:7000 is now UP"),
                    ("IndexSummaryManager:1", "IndexSummaryRedistribution.java:80", "Redistributing index summaries"),
                ]
            ),
        )

    table, cells, node, peer = ident(r), r.randint(100000, 900000), ip(r), uuid(r)
    bad = [
        lambda: line("WARN", "ReadStage-7", "ReadCommand.java:653", f"Read 12 live rows and {cells} tombstone cells "
            f"for query SELECT * FROM grid.{table}; token {r.randint(10**17, 10**18)} (see tombstone_warn_threshold)"),
        lambda: line("ERROR", "AntiEntropyStage:1", "RepairSession.java:338",
            f"[repair #{peer}] Session completed with the following error: Endpoint not alive: /{node}"),
        lambda: line("WARN", "Service Thread", "GCInspector.java:294", f"G1 Old Generation GC in {cells // 10}ms.  "
            f"G1 Old Gen: {r.randint(10**9, 10**10)} -> {r.randint(10**9, 10**10)}"),
    ]
    return entries(r, 15, one, bad), [
        [table, f"{cells} tombstone cells"],
        [peer, f"Endpoint not alive: /{node}"],
        f"GC in {cells // 10}ms",
    ]


@case("tail -n 700 /var/log/clickhouse-server/clickhouse-server.log")
def clickhouse_server(r):
    clock = Clock(r, 1)

    def line(level, who, said):
        q = f"{{{uuid(r)}}}" if r.random() < 0.6 else "{}"
        return f"{clock():%Y.%m.%d %H:%M:%S.%f} [ {r.randint(100, 9999)} ] {q} <{level}> {who}: {said}"

    def one():
        t = f"grid.{ident(r)} ({uuid(r)})"
        return line(
            r.choice(["Debug", "Trace", "Information"]),
            *r.choice(
                [
                    ("executeQuery", f"(from {ip(r)}:{r.randint(2000, 60000)}) SELECT avg(value) FROM "
                        f"grid.{ident(r)} WHERE site = {r.randint(1, 900)} (stage: Complete)"),
                    ("MemoryTracker", f"Peak memory usage (for query): {r.randint(1, 90)}.{r.randint(10, 99)} MiB."),
                    (t, f"Loaded {r.randint(2, 90)} parts, marks {r.randint(100, 9000)}"),
                    ("TCPHandler", f"Processed in 0.{r.randint(1000, 9999)} sec."),
                ]
            ),
        )

    part, gib, x = f"2025{r.randint(10, 12)}_{r.randint(100, 999)}_{r.randint(1000, 9999)}_7", r.randint(61,
        200), ident(r)
    said = alarms(r, 1)[0]
    bad = [
        lambda: line("Error", f"grid.{x}", f"Part {part} is broken and needs manual correction: Code: 40. "
            "DB::Exception: Checksum doesn't match: corrupted data"),
        lambda: line("Error", "executeQuery", "Code: 241. DB::Exception: Memory limit (total) exceeded: would use "
            f"{gib}.41 GiB (attempt to allocate chunk of 4 MiB)"),
        lambda: line("Warning", "Application", said),
    ]
    return entries(r, 16, one, bad), [[x, part, "Checksum doesn't match"], f"would use {gib}.41 GiB", said]


@case("tail -n 800 /var/log/squid/access.log")
def squid_access(r):
    clock = Clock(r, 0.7)
    denied, host, big = ip(r), f"paste-{hexes(r, 6)}.example.org", r.randint(2 * 10**9, 9 * 10**9)
    user = "svc_" + ident(r)

    def one(client=None, code="TCP_TUNNEL/200", size=None, method="CONNECT", to=None, ms=None, who="-"):
        t = clock()
        return (
            f"{t.timestamp():.3f} {ms or r.randint(5, 900):>6} {client or ip(r)} {code} "
            f"{size or r.randint(300, 90000)} {method} "
            f"{to or ident(r, '-') + '.grid.example.net:443'} {who} HIER_DIRECT/{ip(r)} -"
        )

    bad = [
        lambda: one(denied, "TCP_DENIED/403", 3900, to=f"{host}:443"),
        lambda: one(size=big, who=user),
    ]
    return entries(r, 24, one, bad), [[denied, "TCP_DENIED/403", host], [str(big), user]]


@case("tail -n 250 /var/log/suricata/eve.json")
def suricata_eve(r):
    clock = Clock(r, 1)

    def one(**more):
        kind = r.choice(["flow", "dns", "tls", "flow"])
        row = dict(
            timestamp=f"{clock():%Y-%m-%dT%H:%M:%S.%f}+0000", flow_id=r.randint(10**14, 10**15), in_iface="eth1",
                event_type=kind,
            src_ip=ip(r), src_port=r.randint(1025, 65000), dest_ip=ip(r), dest_port=r.choice([53, 443, 502, 2404]),
                proto="TCP",
        )
        if kind == "dns":
            row["dns"] = dict(type="query", id=r.randint(1, 65000), rrname=f"{ident(r, '-')}.grid.example.net",
                rrtype="A")
        elif kind == "tls":
            row["tls"] = dict(subject=f"CN={ident(r, '-')}", version="TLS 1.3", sni=f"{r.choice(HOSTS)}.example.net")
        else:
            row["flow"] = dict(pkts_toserver=r.randint(1, 90), bytes_toserver=r.randint(60, 9000), state="closed",
                alerted=False)
        return json.dumps({**row, **more}, separators=(",", ":"))

    src, dst, sid = ip(r), ip(r), r.randint(2100000, 2900000)
    sig = f"ET SCADA Modbus function code {r.randint(20, 99)} from unknown master"
    bad = [
        lambda: one(
            event_type="alert", src_ip=src, dest_ip=dst,
            alert=dict(action="allowed", gid=1, signature_id=sid, signature=sig, category="Misc Attack", severity=1),
        ),
        lambda: one(event_type="anomaly", src_ip=dst,
            anomaly=dict(type="applayer", event="APPLAYER_DETECT_PROTOCOL_ONLY_ONE_DIRECTION")),
    ]
    return entries(r, 17, one, bad), [[sig, src], str(sid), "APPLAYER_DETECT_PROTOCOL_ONLY_ONE_DIRECTION"]


@case("tail -n 600 /var/log/named/query.log")
def bind_queries(r):
    clock = Clock(r, 0.4)

    def one(said=None):
        n = f"{ident(r, '-')}.grid.example.net"
        c = f"client @0x{hexes(r, 12)} {ip(r)}#{r.randint(1025, 65000)}"
        said = said or f"queries: info: {c} ({n}): query: {n} IN {r.choice(['A', 'AAAA', 'SRV'])} +E(0)K ({ip(r)})"
        return f"{clock.text('%d-%b-%Y %H:%M:%S.%L')} {said}"

    zone, who, name = f"{ident(r, '-')}.example.net", ip(r), f"{hexes(r, 40)}.t.{hexes(r, 6)}.example.org"
    bad = [
        lambda: one(f"xfer-in: error: transfer of '{zone}/IN' from {ip(r)}#53: failed while receiving responses: "
            "REFUSED"),
        lambda: one(f"security: error: client @0x{hexes(r, 12)} {who}#4711: zone transfer 'grid.example.net/AXFR/IN' "
            "denied"),
        lambda: one(f"queries: info: client @0x{hexes(r, 12)} {ip(r)}#53211 ({name}): query: {name} IN TXT + "
            f"({ip(r)})"),
    ]
    return entries(r, 14, one, bad), [[zone, "REFUSED"], [who, "AXFR/IN' denied"], name]


@case("trace-cmd report | tail -n 600")
def ftrace_events(r):
    t = [r.uniform(1000, 9000)]
    task, irq = ident(r, "-")[:12], f"{ident(r)}_isr"
    late = r.randint(31000, 99000)

    def one(comm=None, said=None):
        t[0] += r.uniform(0.00001, 0.004)
        comm = comm or f"{r.choice(['kworker', 'ems', 'rtu', 'ksoftirqd', 'python3'])}-{r.randint(10, 9999)}"
        said = said or r.choice(
            [
                f"sched_switch:         {comm} [120] S ==> swapper/{r.randint(0, 7)}:0 [120]",
                f"sched_wakeup:         {r.choice(HOSTS)}:{r.randint(100, 9999)} [120] CPU:00{r.randint(0, 7)}",
                f"irq_handler_entry:    irq={r.randint(20, 90)} name=eth0-rx-{r.randint(0, 7)}",
                f"irq_handler_exit:     irq={r.randint(20, 90)} ret=handled",
            ]
        )
        return f"{comm:>22} [00{r.randint(0, 7)}] {t[0]:.6f}: {said}"

    bad = [
        lambda: one(f"{task}-77", f"sched_deadline_miss:  comm={task} runtime={late}us period=10000us"),
        lambda: one(None, f"irq_handler_exit:     irq={r.randint(20, 90)} name={irq} ret=unhandled"),
    ]
    return entries(r, 12, one, bad), [[task, f"{late}us"], [irq, "ret=unhandled"]]


@case("ros2 launch grid_crawler bringup.launch.py")
def ros2_launch(r):
    clock = Clock(r, 0.5)
    nodes = [f"{n}_node" for n in r.sample(THINGS, 8)]

    def one(level="INFO", who=None, said=None):
        k = r.randrange(8)
        who = who or nodes[k]
        return f"[{who}-{k + 1}] [{level}] [{clock().timestamp():.9f}] [{who}]: {said or quiet(r)}"

    n, said, code = nodes[3], alarms(r, 1)[0], r.choice([-11, -6, -4])
    age, frame = r.randint(2100, 9000), f"{ident(r)}_link"
    bad = [
        lambda: one("ERROR", None, said),
        lambda: f"[ERROR] [{n}-4]: process has died [pid {r.randint(1000, 9999)}, exit code {code}, cmd "
            f"'/opt/ros/humble/lib/grid_crawler/{n} --ros-args -r __node:={n}'].",
        lambda: one("WARN", None, f"Lookup would require extrapolation {age} ms into the past for frame {frame}"),
    ]
    return entries(r, 11, one, bad), [said, [n, f"exit code {code}"], [frame, f"{age} ms"]]


@case("docker logs grid-api 2>&1 | tail -n 600")
def uvicorn_console(r):
    a, col, path = ident(r), "mw_" + hexes(r, 4), f"/v1/{ident(r, '-')}/{r.randint(1000, 99999)}"
    line = r.randint(20, 500)

    def one(code="200 OK", to=None):
        return (
            f'\x1b[32mINFO\x1b[0m:     {ip(r)}:{r.randint(1025, 65000)} - "\x1b[1mGET '
            f'{to or "/v1/" + ident(r, "-") + "/" + str(r.randint(100, 99999))} HTTP/1.1\x1b[0m" \x1b[32m{code}\x1b[0m'
        )

    frames = "\n".join(
        f'  File "/usr/lib/python3.12/site-packages/starlette/{m}.py", line {r.randint(20, 900)}, in __call__\n    '
        'await self.app(scope, receive, send)'
        for m in ["applications", "middleware/errors", "middleware/cors", "middleware/exceptions", "routing"]
    )
    bad = [
        lambda: one("500 Internal Server Error", path)
        + f'\n\x1b[31mERROR\x1b[0m:    Exception in ASGI application\nTraceback (most recent call last):\n{frames}\n '
            f' File "/app/grid/views/{a}.py", line {line}, in {a}\n    return row["{col}"]\nKeyError: \'{col}\'',
        lambda: f"\x1b[33mWARNING\x1b[0m:  Worker 7 recycled: {alarm}",
    ]
    alarm = alarms(r, 1)[0]
    return entries(r, 13, one, bad), [[path, "500"], [f"/app/grid/views/{a}.py", f"line {line}", "KeyError: "
        f"'{col}'"], alarm]


@case("show logging | begin 0001", tool="network_cli", device="core-sw-2")
def cisco_syslog(r):
    clock, n = Clock(r, 6), [r.randint(10000, 50000)]

    def one(said=None):
        n[0] += 1
        port = f"GigabitEthernet{r.randint(1, 4)}/0/{r.randint(1, 48)}"
        said = said or r.choice(
            [
                f"%LINEPROTO-5-UPDOWN: Line protocol on Interface {port}, changed state to {r.choice(['up', 'down'])}",
                f"%LINK-3-UPDOWN: Interface {port}, changed state to {r.choice(['up', 'down'])}",
                f"%SEC_LOGIN-5-LOGIN_SUCCESS: Login Success [user: netops] [Source: {ip(r)}] [localport: 22]",
                f"%DOT1X-5-SUCCESS: Authentication successful for client ({hexes(r, 4)}.{hexes(r, 4)}.{hexes(r, 4)}) "
                f"on Interface {port}",
            ]
        )
        return f"{n[0]:06d}: *{clock.text('%b %d %H:%M:%S.%L')}: {said}"

    mac, vlan, temp = f"{hexes(r, 4)}.{hexes(r, 4)}.{hexes(r, 4)}", r.randint(100, 900), r.randint(81, 110)
    port = f"TenGigabitEthernet1/1/{r.randint(1, 8)}"
    bad = [
        lambda: one(f"%SW_MATM-4-MACFLAP_NOTIF: Host {mac} in vlan {vlan} is flapping between port Gi1/0/7 and port "
            "Te1/1/2"),
        lambda: one(f"%PM-4-ERR_DISABLE: bpduguard error detected on {port}, putting {port} in err-disable state"),
        lambda: one(f"%PLATFORM-2-ENVIRONMENT: Temperature of ASIC is {temp} Celsius, shutdown at 115"),
    ]
    return entries(r, 10, one, bad), [[mac, f"vlan {vlan}"], [port, "err-disable"], f"{temp} Celsius"]


@case("tail -n 700 /var/log/slurm/slurmctld.log")
def slurm_controller(r):
    clock, job = Clock(r, 3), [r.randint(100000, 900000)]

    def one(said=None):
        job[0] += r.randint(0, 3)
        node = f"calc{r.randint(100, 480)}"
        said = said or r.choice(
            [
                f"sched: Allocate JobId={job[0]} NodeList={node} #CPUs={r.choice([8, 16, 64])} "
                f"Partition={r.choice(['short', 'long'])}",
                f"_job_complete: JobId={job[0]} WEXITSTATUS 0",
                f"_job_complete: JobId={job[0]} done",
                f"_slurm_rpc_submit_batch_job: JobId={job[0]} InitPrio={r.randint(1000, 9000)} "
                f"usec={r.randint(100, 9000)}",
            ]
        )
        return f"[{clock.text('%Y-%m-%dT%H:%M:%S.%L')}] {said}"

    a, b, x, y = *distinct(r, 2, 500, 999), *distinct(r, 2, 910000, 999999)
    bad = [
        lambda: one(f"update_node: node calc{a} reason set to: Kill task failed"),
        lambda: one(f"error: Node calc{b} has low real_memory size ({r.randint(100, 200)}000 < 515000)"),
        lambda: one(f"_job_complete: JobId={x} OOM failure"),
        lambda: one(f"_job_complete: JobId={y} WEXITSTATUS {r.randint(2, 139)}"),
    ]
    return entries(r, 12, one, bad), [
        [f"calc{a}", "Kill task failed"],
        [f"calc{b}", "low real_memory"],
        [f"JobId={x}", "OOM failure"],
        f"JobId={y} WEXITSTATUS",
    ]


@case("kubectl logs deploy/grid-market --tail=600")
def dotnet_console(r):
    area = ["Grid.Market.Api", "Grid.Market.Bids", "Microsoft.Hosting.Lifetime",
        "Microsoft.EntityFrameworkCore.Database.Command"]

    def one(level="\x1b[40m\x1b[32minfo\x1b[39m\x1b[22m\x1b[49m", who=None, said=None):
        return f"{level}: {who or r.choice(area)}[{r.choice([0, 14, 20101])}]\n      {said or quiet(r)}"

    said, other = alarms(r, 2)
    cls, line = camel(ident(r), True), r.randint(30, 400)
    bad = [
        lambda: one("\x1b[41m\x1b[30mfail\x1b[39m\x1b[22m\x1b[49m", f"Grid.Market.{cls}", said)
        + "\n      System.InvalidOperationException: Sequence contains more than one element\n         at "
            "System.Linq.ThrowHelper.ThrowMoreThanOneElementException()\n"
        f"         at Grid.Market.{cls}.RunAsync(CancellationToken ct) in /src/Market/{cls}.cs:line {line}",
        lambda: one("\x1b[1m\x1b[33mwarn\x1b[39m\x1b[22m\x1b[49m", None, other),
    ]
    return entries(r, 11, one, bad), [
        [said, "Sequence contains more than one element"],
        f"{cls}.cs:line {line}",
        other,
    ]


@case("Get-Content C:\\Windows\\Logs\\CBS\\CBS.log -Tail 500", tool="PowerShell")
def cbs_windows(r):
    clock = Clock(r, 1)
    kb, file, code = r.randint(5030000, 5050000), f"{ident(r)}.dll", f"0x800f{hexes(r, 4)}"

    def one(level="Info", part=None, said=None):
        part = part or r.choice(["CBS", "CSI"])
        said = said or r.choice(
            [
                f"Appl: Evaluating package applicability for package Package_{r.randint(10, 9999)}"
                f"_for_KB50{r.randint(10000, 29999)}~31bf3856ad364e35~amd64~~10.0.1.{r.randint(1, 9)}",
                f"0000{hexes(r, 4)} [SR] Verifying 100 (0x00000064) components",
                f"Plan: Package: {ident(r)}, current: Installed, pending: Default, start: Installed, applicable: "
                "Installed, targeted: Installed",
                f"0000{hexes(r, 4)} Performing {r.randint(1, 9)} operations as follows: LockComponentPath (10)",
            ]
        )
        return f"{clock():%Y-%m-%d %H:%M:%S}, {level:<22}{part:<7}{said}\r"

    bad = [
        lambda: one("Error", "CSI", f"0000{hexes(r, 4)} (F) [SR] Cannot repair member file [l:{len(file)}]'{file}' "
            "of Grid-Core, hash mismatch"),
        lambda: one("Error", "CBS", f"Failed to resolve execution update. Package: KB{kb} [HRESULT = {code} - "
            "CBS_E_SOURCE_MISSING]"),
    ]
    return entries(r, 15, one, bad), [[file, "hash mismatch"], [f"KB{kb}", code]]
