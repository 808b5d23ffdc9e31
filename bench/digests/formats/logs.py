"""Log files: what failed must stay, however rare and whatever a format calls an error."""

import base64
import json

from .bulk import HOSTS, NAMES, NOUNS, chatter, faults, hexes, ident, plant, times
from .case import case


def entries(r, n, special):
    """(moment, level, message) with the messages `special` planted as errors among `n` harmless ones."""
    bulk = [(r.choices(["INFO", "DEBUG", "WARN"], [80, 17, 3])[0], chatter(r)) for _ in range(n)]
    said = plant(r, bulk, [("ERROR", x) for x in special])
    return [(t, level, message) for t, (level, message) in zip(times(r, len(said)), said)]


@case("tail -n 700 /var/log/syslog")
def syslog(r):
    oom = r.randint(2000, 30000)
    special = [
        f"kernel: [{r.randint(9000, 99999)}.{r.randint(100000, 999999)}] Out of memory: Killed process {oom} (indexer) total-vm:{r.randint(10**6, 10**7)}kB",
        f"systemd[1]: berthd.service: Main process exited, code=exited, status={r.randint(2, 99)}/n/a",
        f"sshd[{r.randint(900, 9999)}]: error: maximum authentication attempts exceeded for root from 203.0.113.{r.randint(2, 250)} port {r.randint(20000, 60000)} ssh2",
    ]
    bulk = [
        r.choice(
            [
                f"CRON[{r.randint(900, 9999)}]: (root) CMD (/usr/lib/sysstat/sa1 1 1)",
                f"systemd[1]: Started Session {r.randint(10, 9000)} of user {r.choice(NAMES).lower()}.",
                f"dhclient[{r.randint(500, 999)}]: DHCPACK of 10.4.0.{r.randint(2, 250)} from 10.4.0.1",
                f"berthd[{r.randint(500, 999)}]: {chatter(r)}",
            ]
        )
        for _ in range(650)
    ]
    said = plant(r, bulk, special)
    return [f"{t:%b %e %H:%M:%S} quay-east {m}" for t, m in zip(times(r, len(said), 20), said)], [
        x.split(": ", 1)[1].split("] ")[-1] for x in special
    ]


@case("cat /var/log/nginx/access.log", ask="Did the site have trouble this morning?")
def nginx_access(r):
    def line(t, path, status, size):
        return f'198.51.100.{r.randint(2, 250)} - - [{t:%d/%b/%Y:%H:%M:%S} +0000] "{r.choice(["GET", "GET", "POST"])} {path} HTTP/1.1" {status} {size} "-" "Mozilla/5.0 (X11; Linux x86_64) rv:{r.randint(90, 130)}.0"'

    bad = [(f"/v2/{noun}s/{r.randint(100, 999)}/export", r.choice([500, 502, 503, 504])) for noun in r.sample(NOUNS, 4)]
    said = plant(
        r,
        [
            (f"/v2/{r.choice(NOUNS)}s/{r.randint(1, 9999)}", r.choices([200, 304, 201, 404], [85, 10, 4, 1])[0])
            for _ in range(360)
        ],
        bad,
    )
    return [line(t, p, s, r.randint(120, 48000)) for t, (p, s) in zip(times(r, len(said)), said)], [
        [p, f" {s}"] for p, s in bad
    ]


@case("journalctl -u berthd -b --no-pager")
def journald(r):
    special = faults(r, 4)
    said = entries(r, 480, special)
    mark = {"INFO": "", "DEBUG": "debug: ", "WARN": "warning: ", "ERROR": "error: "}
    lines = [f"{t:%b %d %H:%M:%S} quay-west berthd[4120]: {mark[level]}{m}" for t, level, m in said]
    lines.insert(0, "-- Logs begin at Mon 2025-03-03 04:11:09 UTC. --")
    lines.append(f"{said[-1][0]:%b %d %H:%M:%S} quay-west systemd[1]: berthd.service: Failed with result 'watchdog'.")
    return lines, special + ["Failed with result 'watchdog'"]


@case("kubectl -n port logs deploy/berth-controller --tail=600")
def klog(r):
    special = [
        (f"{ident(r)}.go:{r.randint(40, 900)}", f'"{m}" err="context deadline exceeded" node="{r.choice(HOSTS)}"')
        for m in faults(r, 4)
    ]
    bulk = [("I", f"reconciler.go:{r.randint(40, 400)}", f'"{chatter(r)}" controller="berth"') for _ in range(380)]
    bulk += [("W", "reflector.go:324", f'"watch closed" type="*v1.{r.choice(NOUNS).capitalize()}"') for _ in range(8)]
    r.shuffle(bulk)
    said = plant(r, bulk, [("E", at, m) for at, m in special])
    lines = [
        f"{k}{t:%m%d %H:%M:%S}.{r.randint(0, 999999):06d}       1 {at}] {m}" for t, (k, at, m) in zip(times(r, len(said)), said)
    ]
    return lines, [[m.split('"')[1], at] for at, m in special]


@case("cat logs/portal.log")
def log4j_traces(r):
    def trace(kind, said, cause, why, at):
        frames = [
            f"\tat org.springframework.{r.choice(['web', 'aop', 'tx'])}.{r.choice(NOUNS).capitalize()}Support.invoke({r.choice(NOUNS).capitalize()}Support.java:{r.randint(20, 900)})"
            for _ in range(9)
        ]
        return "\n".join(
            [
                f"{kind}: {said}",
                f"\tat io.tidewater.portal.Desk.handle(Desk.java:{r.randint(20, 400)})",
                *frames,
                f"Caused by: {cause}: {why}",
                f"\tat {at}",
                *frames[:3],
                f"\t... {r.randint(20, 70)} common frames omitted",
            ]
        )

    parts = [
        (
            "java.lang.IllegalStateException",
            f"voyage {r.randint(1000, 9999)} has no manifest",
            "java.io.EOFException",
            f"manifest part {r.randint(10, 99)} ends early",
            f"io.tidewater.manifest.Reader.next(Reader.java:{r.randint(20, 400)})",
        ),
        (
            "io.tidewater.TariffException",
            f"no tariff for class {r.choice('KLMN')}{r.randint(10, 99)}",
            "java.sql.SQLTimeoutException",
            f"statement cancelled after {r.randint(31, 99)} s",
            f"io.tidewater.tariff.Store.find(Store.java:{r.randint(20, 400)})",
        ),
    ]
    bulk = [(r.choices(["INFO ", "DEBUG", "WARN "], [80, 17, 3])[0], chatter(r)) for _ in range(300)]
    said = plant(r, bulk, [("ERROR", f"request {hexes(r, 6)} broke\n{trace(*p)}") for p in parts])
    lines = [
        f"{t:%Y-%m-%d %H:%M:%S},{r.randint(0, 999):03d} [exec-{r.randint(1, 16)}] {level} i.t.portal.{r.choice(NOUNS).capitalize()} - {m}"
        for t, (level, m) in zip(times(r, len(said)), said)
    ]
    return lines, [
        x for kind, m, cause, why, at in parts for x in (f"{kind}: {m}", [f"Caused by: {cause}: {why}", at.split("(")[1][:-1]])
    ]


@case("docker logs --since 1h tariff-svc")
def logfmt(r):
    special = faults(r, 3)
    lines = [
        f"ts={t:%Y-%m-%dT%H:%M:%S}.{r.randint(0, 999):03d}Z level={level.lower()} caller={ident(r)}.go:{r.randint(10, 400)} msg={json.dumps(m)} trace={hexes(r, 16)}"
        for t, level, m in entries(r, 330, special)
    ]
    return lines, [json.dumps(m)[1:-1] for m in special]


@case("cat /srv/app/log/events.jsonl")
def json_lines_log(r):
    special = faults(r, 3)

    def line(t, level, m):
        e = {
            "time": f"{t:%Y-%m-%dT%H:%M:%S}Z",
            "level": level.lower(),
            "logger": f"app.{r.choice(NOUNS)}",
            "msg": m,
            "pid": 812,
            "req": hexes(r, 12),
        }
        if level == "ERROR":
            e["err"] = {"type": f"{r.choice(NOUNS).capitalize()}Error", "code": f"P{r.randint(1000, 9999)}"}
            codes.append(e["err"]["code"])
        return json.dumps(e, separators=(",", ":"))

    codes = []
    lines = [line(*e) for e in entries(r, 330, special)]
    return lines, [json.dumps(m)[1:-1] for m in special] + codes


@case("tail -n 500 worker.log")
def python_logging(r):
    key, at, m = f"lane_{r.randint(10, 99)}", r.randint(30, 300), faults(r, 1)[0]
    trace = f"""Unhandled error in job {hexes(r, 6)}
Traceback (most recent call last):
  File "/srv/app/worker/loop.py", line {r.randint(30, 300)}, in run
    self.step(job)
  File "/srv/app/worker/stowage.py", line {at}, in step
    slot = plan[key]
           ~~~~^^^^^
KeyError: '{key}'"""
    lines = []
    for t, level, text in entries(r, 420, [m, trace]):
        lines.append(
            f"{t:%Y-%m-%d %H:%M:%S},{r.randint(0, 999):03d} {level:<8} worker.{r.choice(NOUNS)}:{r.randint(10, 300)} {text}"
        )
    return lines, [m, [f"KeyError: '{key}'", f'stowage.py", line {at}']]


@case("docker compose logs --no-color")
def compose(r):
    services = ["api-1", "db-1", "worker-1", "proxy-1"]
    stop = f"exited with code {r.choice([1, 137, 139])}"
    fatal = f"FATAL:  database files are incompatible with server: initialised by version {r.randint(11, 13)}, this is {r.randint(14, 17)}.{r.randint(1, 9)}"
    panic = f"thread 'main' panicked at src/lanes.rs:{r.randint(20, 300)}:{r.randint(5, 40)}: index out of bounds: the len is 4 but the index is {r.randint(5, 90)}"
    bulk = [f"{r.choice(services):<9}| {t:%H:%M:%S} {chatter(r)}" for t in times(r, 420)]
    return plant(r, bulk, [f"db-1     | {fatal}", f"worker-1 | {panic}", f"worker-1 {stop}"]), [fatal, panic, stop]


@case("make serve")
def ansi_coloured(r):
    colour = {"INFO": 32, "DEBUG": 36, "WARN": 33, "ERROR": 31}
    special = faults(r, 4)
    return [
        f"\x1b[2m{t:%H:%M:%S}\x1b[0m \x1b[1;{colour[level]}m{level:>5}\x1b[0m \x1b[35m{r.choice(NOUNS)}\x1b[0m {m}"
        for t, level, m in entries(r, 330, special)
    ], special


@case("cat import.log")
def very_long_lines(r):
    """The cause stands at the end of a line of several kilobytes, where clipping at the right edge loses it."""

    def payload(n):
        return ";".join(f"{ident(r)}={r.randint(0, 10**6)}" for _ in range(n))

    short, start = faults(r, 2)
    end = f"rejected because field {ident(r)} appears twice (row {r.randint(1000, 9999)})"
    special = [short, f"{start} payload={payload(260)}", f"batch {r.randint(10, 99)} payload={payload(260)} -> {end}"]
    lines = [f"[{t:%H:%M:%S}] {level} {m}" for t, level, m in entries(r, 140, special)]
    lines.insert(40, f"[00:00:00] DEBUG dump {payload(300)}")
    return lines, [short, start, end]


@case("cat /tmp/mailer.log")
def base64_blob(r):
    special = faults(r, 2)
    lines = [f"{t:%H:%M:%S} {level} {m}" for t, level, m in entries(r, 200, special)]
    blob = base64.b64encode(bytes(r.getrandbits(8) for _ in range(7000))).decode()
    bounce = f"550 5.1.1 <{r.choice(NAMES).lower()}{r.randint(10, 99)}@port.example>: mailbox unavailable"
    return plant(
        r,
        lines,
        [
            "DEBUG attachment follows\n" + "\n".join(blob[i : i + 76] for i in range(0, len(blob), 76)),
            f"12:00:00 SMTP reply: {bounce}",
        ],
    ), special + [bounce]


@case("type C:\\services\\gate\\gate.log", tool="terminal")
def crlf(r):
    special = faults(r, 3)
    return "\r\n".join(
        f"{t:%d.%m.%Y %H:%M:%S} [{level.capitalize()}] {m}" for t, level, m in entries(r, 380, special)
    ) + "\r\n", special


@case("RUST_LOG=debug ./target/debug/berthd 2>&1")
def rust_tracing(r):
    special = faults(r, 3)
    lines = [
        f"{t:%Y-%m-%dT%H:%M:%S}.{r.randint(0, 999999):06d}Z {level:>5} serve{{conn={r.randint(1, 99)}}}: berthd::{r.choice(NOUNS)}: {m} elapsed={r.randint(1, 900)}µs"
        for t, level, m in entries(r, 280, special)
    ]
    return lines, special


@case("./pilot --verbose 2>&1")
def env_logger(r):
    special = faults(r, 3)
    return [
        f"[{t:%Y-%m-%dT%H:%M:%SZ} {level:<5} pilot::{r.choice(NOUNS)}] {m}" for t, level, m in entries(r, 380, special)
    ], special


@case("grep -v healthz /var/log/stowage.log")
def repeats_and_singletons(r):
    """Forty errors of one template must not crowd out the three that happened once."""
    single = faults(r, 3)
    many = [
        f"upload of container C{r.randint(10000, 99999)} to bay {r.randint(1, 40)} failed with status 429" for _ in range(40)
    ]
    return [f"{t:%H:%M:%S} {level} {m}" for t, level, m in entries(r, 500, single + many)], single + [
        ["upload of container C", "failed with status 429"]
    ]


@case("cat run/scheduler.out")
def levels_unnamed(r):
    """No level anywhere: only the words tell that something broke."""
    d = r.randint
    special = [
        f"worker {d(10, 99)} died with signal {d(6, 15)} while packing lane {d(100, 999)}",
        f"giving up on depot-{d(10, 99)} after {d(5, 20)} attempts",
        f"could not read plan {hexes(r, 6)}: no such file",
    ]
    said = plant(r, [chatter(r) for _ in range(480)], special)
    return [f"{t:%H:%M:%S}  {m}" for t, m in zip(times(r, len(said)), said)], special
