"""Logs of well-known programs that the first set does not have, each with its own way to say that something broke."""

import json

from ..bulk import camel
from ..case import case
from .stock import PEOPLE, SITES, THINGS, hexes, lines_at, name, names, plant, prose, small, times, trouble


@case("tail -n 400 /var/log/nginx/error.log", ask="What does nginx complain about?")
def nginx_error(r):
    """Most of it is noise of clients that went away; upstreams without answer are not."""

    def form(t, said):
        return f"{t:%Y/%m/%d %H:%M:%S} {said[0]} {r.randint(20, 60)}#{r.randint(20, 60)}: *{r.randint(1000, 99999)} {said[1]}, client: 198.51.100.{r.randint(2, 250)}, server: loans.example"

    bulk = [
        ("[info]", f"client {r.choice(['198.51.100.7', '198.51.100.9'])} closed keepalive connection")
        if r.random() < 0.6
        else ("[warn]", f"a client request body is buffered to a temporary file /var/cache/nginx/{r.randint(1000, 9999)}")
        for _ in range(260)
    ]
    ups, path = f"10.9.3.{r.randint(2, 250)}:{r.randint(3000, 9999)}", f"/etc/nginx/tls/{name(r)}.pem"
    special = [
        ("[error]", f"connect() failed (111: Connection refused) while connecting to upstream, upstream: http://{ups}/"),
        ("[crit]", f'open() "{path}" failed (24: Too many open files)'),
        ("[alert]", f"worker process {r.randint(1000, 9999)} exited on signal 11"),
    ]
    return lines_at(r, plant(r, bulk, special), form), [
        ["111: Connection refused", ups],
        ["24: Too many open files", path],
        special[2][1],
    ]


@case("cat /var/log/postgresql/postgresql-16-main.log", ask="Is the database in trouble?")
def postgres_log(r):
    def form(t, said):
        return f"{t:%Y-%m-%d %H:%M:%S}.{r.randint(0, 999):03d} UTC [{r.randint(1000, 9999)}] {r.choice(['lib@loans', 'web@loans', ''])} {said}"

    bulk = [
        r.choice(
            [
                f"LOG:  checkpoint complete: wrote {r.randint(10, 9000)} buffers ({r.randint(0, 9)}.{r.randint(0, 9)}%); 0 WAL file(s) added",
                f"LOG:  connection received: host=10.9.0.{r.randint(2, 250)} port={r.randint(20000, 60000)}",
                f"LOG:  duration: {r.randint(0, 90)}.{r.randint(100, 999)} ms  statement: SELECT * FROM {r.choice(THINGS)}s WHERE id = {r.randint(1, 9999)}",
                f'LOG:  automatic vacuum of table "loans.public.{r.choice(THINGS)}s": index scans: 1',
            ]
        )
        for _ in range(260)
    ]
    a, b, table = r.randint(10000, 99999), r.randint(10000, 99999), name(r)
    special = [
        f"ERROR:  deadlock detected\nDETAIL:  Process {a} waits for ShareLock on transaction {r.randint(10**6, 10**7)}; blocked by process {b}.\n\tProcess {b} waits for ShareLock on transaction {r.randint(10**6, 10**7)}; blocked by process {a}.\nHINT:  See server log for query details.",
        f'PANIC:  could not write to file "pg_wal/xlogtemp.{r.randint(1000, 9999)}": No space left on device',
        f'ERROR:  canceling autovacuum task\nCONTEXT:  automatic vacuum of table "loans.public.{table}"',
    ]
    return lines_at(r, plant(r, bulk, special), form), [
        ["deadlock detected", f"Process {a} waits for ShareLock", f"blocked by process {b}"],
        special[1],
        ["canceling autovacuum task", table],
    ]


@case("cat /var/log/kafka/server.log", ask="Why did the consumers stop?")
def kafka_broker(r):
    def form(t, said):
        return f"[{t:%Y-%m-%d %H:%M:%S},{r.randint(0, 999):03d}] {said}"

    bulk = [
        r.choice(
            [
                f"INFO [GroupCoordinator 3]: Member consumer-{hexes(r, 8)} in group {r.choice(THINGS)} has left (kafka.coordinator.group.GroupCoordinator)",
                f"INFO [Log partition={r.choice(THINGS)}s-{r.randint(0, 11)}, dir=/kafka] Rolled new log segment at offset {r.randint(10**6, 10**8)} in {r.randint(1, 40)} ms. (kafka.log.Log)",
                f"INFO [ProducerStateManager partition={r.choice(THINGS)}s-{r.randint(0, 11)}] Wrote producer snapshot at offset {r.randint(10**6, 10**8)} (kafka.log.ProducerStateManager)",
            ]
        )
        for _ in range(210)
    ]
    part, away = f"loans-{r.randint(20, 99)}", r.randint(4, 9)
    file = f"/kafka/{part}/{r.randint(10**10, 10**11):020d}.index"
    special = [
        f"WARN [Partition {part} broker=3] Shrinking ISR from 3,{away} to 3. Leader: (highWatermark: {r.randint(1000, 9999)}). (kafka.cluster.Partition)",
        f"ERROR Error while flushing log for {part} in dir /kafka with offset {r.randint(10**6, 10**7)} (kafka.server.LogDirFailureChannel)\njava.io.IOException: Input/output error\n\tat java.base/sun.nio.ch.FileDispatcherImpl.force0(Native Method)\n\tat kafka.log.LogSegment.flush(LogSegment.scala:{r.randint(100, 900)})",
        f"FATAL Shutdown broker because all log dirs have failed: {file} (kafka.log.LogManager)",
    ]
    return lines_at(r, plant(r, bulk, special), form), [
        [f"Shrinking ISR from 3,{away} to 3", part],
        ["java.io.IOException: Input/output error", "Error while flushing log"],
        ["Shutdown broker because all log dirs have failed", file],
    ]


@case("Get-WinEvent -LogName System | Format-List", tool="powershell", ask="What happened on this server?")
def windows_events(r):
    def event(t, provider, number, level, message):
        return "\r\n".join(
            [
                f"TimeCreated  : {t:%m/%d/%Y %H:%M:%S}",
                f"ProviderName : {provider}",
                f"Id           : {number}",
                f"LevelDisplayName : {level}",
                f"Message      : {message}",
                "",
            ]
        )

    bulk = [
        (
            "Service Control Manager",
            7036,
            "Information",
            f"The {camel(n, True)} service entered the {r.choice(['running', 'stopped'])} state.",
        )
        for n in names(r, 120)
    ]
    disk, service = r.randint(2, 40), camel(name(r), True)
    special = [
        ("disk", 7, "Error", f"The device, \\Device\\Harddisk{disk}\\DR{disk}, has a bad block."),
        (
            "Service Control Manager",
            7031,
            "Error",
            f"The {service} service terminated unexpectedly.  It has done this {r.randint(5, 90)} time(s).",
        ),
        ("Microsoft-Windows-Kernel-Power", 41, "Critical", "The system has rebooted without cleanly shutting down first."),
    ]
    return "\r\n".join(lines_at(r, plant(r, bulk, special), lambda t, e: event(t, *e), 300)), [
        f"Harddisk{disk}\\DR{disk}, has a bad block",
        [f"The {service} service terminated unexpectedly", special[1][3].split("done ")[1]],
        ["Kernel-Power", "rebooted without cleanly shutting down"],
    ]


@case("cat gc.log", ask="Do pauses explain the latency?")
def gc_log(r):
    full, bad, out, t = r.randint(60, 250), r.randint(4000, 29000), [], 0.0
    for k in range(310):
        t += r.uniform(0.2, 3)
        if k == full:
            out.append(
                f"[{t:.3f}s][info][gc] GC({k}) Pause Full (G1 Compaction Pause) 8140M->7990M(8192M) {bad}.{r.randint(100, 999)}ms"
            )
            out.append(f"[{t:.3f}s][info][gc] GC({k}) To-space exhausted")
        else:
            out.append(
                f"[{t:.3f}s][info][gc] GC({k}) Pause Young (Normal) (G1 Evacuation Pause) {r.randint(3000, 5000)}M->{r.randint(900, 2000)}M(8192M) {r.randint(2, 30)}.{r.randint(100, 999)}ms"
            )
    return ["[0.011s][info][gc] Using G1", *out], [["Pause Full", f"GC({full})", f"{bad}."], "To-space exhausted"]


@case("aws logs tail /aws/lambda/lend --since 1h", ask="Do invocations fail?")
def lambda_log(r):
    out, late, broken = [], r.randint(10, 30), r.randint(31, 50)
    ids = [f"{hexes(r, 8)}-{hexes(r, 4)}-{hexes(r, 12)}" for _ in range(62)]
    key = name(r)
    memory = broken + 5
    for k, (t, i) in enumerate(zip(times(r, 62, 40), ids)):
        said = [f"START RequestId: {i} Version: $LATEST", f"[INFO] {i} {small(r)}", f"[INFO] {i} {small(r)}"]
        took = f"{r.randint(20, 400)}.{r.randint(10, 99)}"
        if k == late:
            said.append(f"{t:%Y-%m-%dT%H:%M:%S}Z {i} Task timed out after {(secs := r.randint(15, 90))}.03 seconds")
        if k == broken:
            said.append(
                f"[ERROR] KeyError: '{key}' Traceback (most recent call last): File \"/var/task/app.py\", line {(at := r.randint(10, 300))}, in handler"
            )
        if k == memory:
            said.append(f"RequestId: {i} Error: Runtime exited with error: signal: killed Runtime.ExitError")
        said += [
            f"END RequestId: {i}",
            f"REPORT RequestId: {i} Duration: {took} ms Billed Duration: {took.split('.')[0]} ms Memory Size: 256 MB Max Memory Used: {256 if k == memory else r.randint(70, 99)} MB",
        ]
        out += [f"{t:%Y-%m-%dT%H:%M:%S}.{r.randint(0, 999):03d}000+00:00 2025/06/01/[$LATEST]{hexes(r, 32)} {s}" for s in said]
    return out, [
        [f"Task timed out after {secs}.03 seconds", ids[late]],
        [f"KeyError: '{key}'", f"line {at}"],
        ["signal: killed", ids[memory]],
    ]


@case("tail -n 300 /var/log/haproxy.log", ask="Are all backends answering?")
def haproxy(r):
    """No word says error: it is in the four letters of the termination state and in -1 for a time."""

    def form(t, row):
        if isinstance(row, str):
            return f"{t:%b %e %H:%M:%S} {r.choice(SITES)} haproxy[812]: {row}"
        server, times_, status, size, state, path = row
        return f'{t:%b %e %H:%M:%S} {r.choice(SITES)} haproxy[812]: 198.51.100.{r.randint(2, 250)}:{r.randint(20000, 60000)} [{t:%d/%b/%Y:%H:%M:%S}.{r.randint(0, 999):03d}] web~ loans/{server} {times_} {status} {size} - - {state} {r.randint(1, 90)}/{r.randint(1, 90)}/0/0/0 0/0 "GET {path} HTTP/1.1"'

    bulk = [
        (
            f"app{r.randint(1, 4)}",
            f"0/0/{r.randint(0, 3)}/{r.randint(5, 90)}/{r.randint(91, 140)}",
            200,
            r.randint(300, 9000),
            "----",
            f"/{r.choice(THINGS)}s/{r.randint(1, 9999)}",
        )
        for _ in range(190)
    ]
    odd = [
        ("<NOSRV>", "0/-1/-1/-1/0", 503, 221, "SC--", f"/{name(r)}/{r.randint(10000, 99999)}"),
        ("app3", f"0/0/1/-1/{r.randint(30000, 60000)}", 504, 208, "sH--", f"/{name(r)}/{r.randint(10000, 99999)}"),
    ]
    down = f"Server loans/app{r.randint(5, 9)} is DOWN, reason: Layer4 timeout, check duration: {r.randint(2001, 2999)}ms."
    return lines_at(r, plant(r, bulk, [*odd, down]), form), [[o[5], f" {o[2]} ", o[4]] for o in odd] + [down]


@case("cat /var/lib/mysql/slow.log", ask="Which query should we repair first?")
def mysql_slow_log(r):
    def entry(seconds, examined, query):
        return f"# Time: 2025-09-0{r.randint(1, 9)}T1{r.randint(0, 9)}:{r.randint(10, 59)}:{r.randint(10, 59)}.{r.randint(100000, 999999)}Z\n# User@Host: lib[lib] @ {r.choice(SITES)} []  Id: {r.randint(100, 9999)}\n# Query_time: {seconds:.6f}  Lock_time: 0.000{r.randint(100, 999)} Rows_sent: {r.randint(1, 90)}  Rows_examined: {examined}\nSET timestamp={r.randint(1750000000, 1759999999)};\n{query};"

    bulk = [
        entry(
            r.uniform(1, 2.5),
            r.randint(10000, 90000),
            f"SELECT id, {r.choice(THINGS)} FROM {n} WHERE reader_id = {r.randint(1, 9999)} ORDER BY due LIMIT 20",
        )
        for n in names(r, 75)
    ]
    secs, rows = r.uniform(400, 3000), r.randint(10**8, 10**9)
    query = f"SELECT COUNT(*) FROM loans l JOIN {name(r)} x ON x.barcode LIKE CONCAT('%', l.{r.choice(THINGS)}, '%')"
    return [
        "/usr/sbin/mysqld, Version: 8.0.36. started with:",
        "Time                 Id Command    Argument",
        *plant(r, bulk, [entry(secs, rows, query)], 6),
    ], [[query, f"{secs:.6f}", str(rows)]]


@case("cat log/erlang.log.1", ask="Which process crashed, and why?")
def erlang_reports(r):
    def report(t, kind, body):
        return f"={kind} REPORT==== {t:%d-%b-%Y::%H:%M:%S}.{r.randint(100000, 999999)} ===\n{body}\n"

    def progress(n):
        return (
            "PROGRESS",
            f"    supervisor: {{local,{n}_sup}}\n    started: [{{pid,<0.{r.randint(100, 9999)}.0>}},\n              {{id,{n}}},\n              {{restart_type,permanent}},\n              {{shutdown,5000}}]",
        )

    server, key = name(r), name(r)
    special = [
        (
            "ERROR",
            f'** Generic server {server} terminating \n** Last message in was {{renew,{r.randint(1000, 9999)}}}\n** When Server state == {{state,[],{r.randint(10, 99)}}}\n** Reason for termination == \n** {{{{badkey,{key}}},[{{maps,get,[{key},#{{}}],[]}},{{{server},handle_call,3,[{{file,"src/{server}.erl"}},{{line,{(at := r.randint(10, 400))}}}]}}]}}',
        ),
        (
            "SUPERVISOR",
            f"    supervisor: {{local,desk_sup}}\n    errorContext: shutdown\n    reason: reached_max_restart_intensity\n    offender: [{{id,{server}}}]",
        ),
    ]
    return lines_at(r, plant(r, [progress(n) for n in names(r, 60)], special, 6), lambda t, s: report(t, *s)), [
        [f"Generic server {server} terminating", f"badkey,{key}", f"{{line,{at}}}"],
        "reached_max_restart_intensity",
    ]


@case("cat log/production.log", ask="Did requests fail?")
def rails_log(r):
    def request(n, status, ms, more=()):
        i, c = hexes(r, 8), camel(n, True)
        return "\n".join(
            f"[{i}] {x}"
            for x in [
                f'Started GET "/{n}/{r.randint(1, 9999)}" for 198.51.100.{r.randint(2, 250)} at 2025-07-01 10:{r.randint(10, 59)}:00 +0000',
                f"Processing by {c}Controller#show as HTML",
                f'  Parameters: {{"id"=>"{r.randint(1, 9999)}"}}',
                f"  Rendered {n}/show.html.erb within layouts/application (Duration: {r.randint(1, 90)}.{r.randint(0, 9)}ms | Allocations: {r.randint(100, 9000)})",
                f"Completed {status} in {ms}ms (ActiveRecord: {r.randint(1, 20)}.1ms)",
                *more,
            ]
        )

    bulk = [request(n, "200 OK", r.randint(5, 190)) for n in names(r, 80)]
    what, at = camel(name(r)), r.randint(10, 300)
    bad, slow = f"{name(r)}_fines", r.randint(20000, 90000)
    error = [
        "  ",
        f"ActionView::Template::Error (undefined method `{what}' for nil:NilClass):",
        f"    {at}:   <td><%= @fine.{what} %></td>",
        "  ",
        f"app/views/{bad}/show.html.erb:{at}",
    ]
    tardy = f"{name(r)}_stats"
    return plant(r, bulk, [request(bad, "500 Internal Server Error", 31, error), request(tardy, "200 OK", slow)], 6), [
        [f"undefined method `{what}' for nil:NilClass", f"app/views/{bad}/show.html.erb:{at}"],
        [f"{slow}ms", tardy],
    ]


@case("cat audit.ndjson", ask="Did anybody do what they should not have done?")
def audit_events(r):
    """No level and no error: one actor, and what he did, is out of the ordinary."""
    acts = [
        {
            "ts": f"2025-05-0{r.randint(1, 9)}T{r.randint(10, 23)}:{r.randint(10, 59)}:00Z",
            "actor": {"name": r.choice(PEOPLE), "ip": f"10.9.0.{r.randint(2, 250)}"},
            "action": r.choice(["loan.create", "loan.renew", "reader.view"]),
            "target": {"type": r.choice(THINGS), "id": r.randint(1000, 9999)},
            "outcome": "allowed",
            "ua": f"desk/{r.randint(1, 9)}.2",
        }
        for _ in range(170)
    ]
    role = f"role-{r.randint(1000, 9999)}"
    odd = [
        {
            **acts[0],
            "actor": {"name": f"svc-{name(r, '-')}", "ip": f"203.0.113.{r.randint(2, 250)}"},
            "action": "role.grant_admin",
            "target": {"type": "role", "id": role},
        },
        {
            **acts[1],
            "action": "backup.delete",
            "outcome": "denied",
            "target": {"type": "backup", "id": r.randint(10**6, 10**7)},
        },
    ]
    return [json.dumps(a) for a in plant(r, acts, odd)], [
        ["role.grant_admin", odd[0]["actor"]["name"], odd[0]["actor"]["ip"]],
        ["backup.delete", "denied", str(odd[1]["target"]["id"])],
    ]


@case("celery -A lib worker -l info", ask="Do the jobs run?")
def celery_worker(r):
    """Every job says that it was received; one never says that it succeeded, but why."""
    out, retried = [], name(r)
    why, n = trouble(r, 1)[0], r.randint(3, 9)
    for task in plant(r, [f"lib.tasks.{x}" for x in names(r, 95)], ["lib.tasks.bill"]):
        i = f"{hexes(r, 8)}-{hexes(r, 12)}"
        out.append(f"[INFO/MainProcess] Task {task}[{i}] received")
        if task == "lib.tasks.bill":
            out.append(
                f'[ERROR/ForkPoolWorker-{n}] Task {task}[{i}] raised unexpected: SpoolError(\'{why}\')\nTraceback (most recent call last):\n  File "/srv/lib/celery/app/trace.py", line 453, in trace_task\n    R = retval = fun(*args, **kwargs)\n  File "/srv/lib/tasks.py", line {(at := r.randint(20, 400))}, in bill\n    spool.put(page)\nSpoolError: {why}'
            )
        else:
            out.append(
                f"[INFO/ForkPoolWorker-{r.randint(1, 8)}] Task {task}[{i}] succeeded in 0.{r.randint(100, 999)}s: {{'pages': {r.randint(1, 90)}, 'note': '{prose(r, 1)}'}}"
            )
    moved = f"[WARNING/MainProcess] consumer: Connection to broker lost. Trying to re-establish the connection to {retried}..."
    return lines_at(r, plant(r, out, [moved]), lambda t, s: f"[{t:%Y-%m-%d %H:%M:%S},{r.randint(0, 999):03d}: {s[1:]}"), [
        [why, f'tasks.py", line {at}'],
        ["Connection to broker lost", retried],
    ]
