"""Logs of systems and services, and of CI runs."""

import json

from ..case import case
from .stock import HOSTS, PEOPLE, THINGS, calm, camel, distinct, hexes, ident, idents, ip, mishaps, plant, spots, times, uuid, weave


@case("adb logcat -d -v threadtime", ask="The app closes by itself after a while. What does the log say?")
def logcat(r):
    tags = [
        "ActivityManager",
        "WindowManager",
        "chatty",
        "OkHttp",
        "GnssLocationProvider",
        "AudioFlinger",
        "art",
        "Choreographer",
    ]

    def line(t, pid, level, tag, said):
        return f"{t:%m-%d %H:%M:%S}.{t.microsecond // 1000:03} {pid:>5} {pid + 12:>5} {level} {tag}: {said}"

    ts = times(r, 170, 0.8)
    pid, fn = r.randint(9000, 22000), ident(r)
    kind = camel(ident(r), True)
    at, n = r.randint(60, 120), r.randint(20, 300)
    skipped = r.randint(160, 420)
    slow = r.choice([k for k in range(20, 150) if abs(k - at) > 9])
    out = ["--------- beginning of main"]
    for k, t in enumerate(ts):
        if k == at:
            said = f"java.lang.IllegalStateException: {kind} was not initialised (attach=false)"
            trace = [
                "FATAL EXCEPTION: main",
                f"Process: com.shop.app, PID: {pid}",
                said,
                f"\tat com.shop.app.{kind}.{camel(fn)}({kind}.kt:{n})",
                "\tat android.os.Handler.dispatchMessage(Handler.java:106)",
                "\tat android.os.Looper.loop(Looper.java:223)",
            ]
            out += [line(t, pid, "E", "AndroidRuntime", x) for x in trace]
        elif k == slow:
            out.append(
                line(
                    t,
                    pid,
                    "I",
                    "Choreographer",
                    f"Skipped {skipped} frames!  The application may be doing too much work on its main thread.",
                )
            )
        else:
            out.append(line(t, r.choice([pid, 1432, 611]), r.choice("DDIVW"), r.choice(tags), calm(r)))
    return out, [[said, f"{kind}.kt:{n}"], f"Skipped {skipped} frames!"]


@case("cat logs/dag_id=nightly_ledger/attempt=1.log", ask="Why did tonight's DAG run fail?")
def airflow_task(r):
    ts = times(r, 120, 6)
    task, source = ident(r), ident(r)
    pairs = distinct(r, 2, 10000, 900000)

    def line(t, level, said, where="taskinstance.py:1157"):
        return f"[{t:%Y-%m-%dT%H:%M:%S}.{t.microsecond // 1000:03}+0000] {{{where}}} {level} - {said}"

    bulk = [
        line(
            t,
            "INFO",
            r.choice(
                [
                    f"Running statement: INSERT INTO stage.{ident(r)} SELECT * FROM raw.{ident(r)}, parameters: None",
                    f"Rows affected: {r.randint(0, 90000)}",
                    f"Exporting env vars: AIRFLOW_CTX_DAG_OWNER='data' AIRFLOW_CTX_TASK_ID='{task}'",
                    calm(r),
                ]
            ),
            r.choice(["sql.py:450", "sql.py:460", "taskinstance.py:2524", "logging_mixin.py:188"]),
        )
        for t in ts
    ]
    at = spots(r, len(ts), 2)
    drift = line(ts[at[0]], "WARNING", f"row count of raw.{source} is {pairs[0]}, yesterday it was {pairs[1]}", "checks.py:71")
    retry = line(ts[at[1]], "INFO", f"Task {task} is up for retry, try_number=3 of 3", "taskinstance.py:1400")
    out = weave(bulk, at, [drift, retry])
    said = f"psycopg2.errors.NotNullViolation: null value in column \"{ident(r)}_id\" of relation \"{source}\" violates not-null constraint"
    out += [
        line(ts[-1], "ERROR", "Task failed with exception", "taskinstance.py:2728"),
        "Traceback (most recent call last):",
        '  File "/home/airflow/.local/lib/python3.11/site-packages/airflow/models/taskinstance.py", line 439, in _execute_task',
        "    result = execute_callable(context=context, **execute_callable_kwargs)",
        f'  File "/opt/airflow/dags/nightly_ledger.py", line {r.randint(40, 300)}, in {task}',
        f'    hook.run("insert into mart.{source} select * from stage.{source}")',
        said,
        f"DETAIL:  Failing row contains ({r.randint(10**6, 10**7)}, null, 2026-03-01).",
        line(
            ts[-1],
            "INFO",
            f"Marking task as FAILED. dag_id=nightly_ledger, task_id={task}, run_id=scheduled__2026-03-01T02:00:00+00:00",
        ),
    ]
    return out, [said, [f"raw.{source} is {pairs[0]}", f"yesterday it was {pairs[1]}"], f"task_id={task}"]


@case("tail -n 120 /var/log/mongodb/mongod.log")
def mongod_json(r):
    def line(t, s, c, i, ctx, msg, attr):
        return json.dumps(
            {
                "t": {"$date": f"{t:%Y-%m-%dT%H:%M:%S}.{t.microsecond // 1000:03}+00:00"},
                "s": s,
                "c": c,
                "id": i,
                "ctx": ctx,
                "msg": msg,
                "attr": attr,
            },
            separators=(",", ":"),
        )

    ts = times(r, 120)
    bulk = []
    for t in ts:
        k = r.randint(0, 2)
        remote = f"{ip(r)}:{r.randint(30000, 60000)}"
        if k == 0:
            bulk.append(
                line(
                    t,
                    "I",
                    "NETWORK",
                    22943,
                    "listener",
                    "Connection accepted",
                    dict(remote=remote, connectionId=r.randint(100, 9000), connectionCount=r.randint(20, 90)),
                )
            )
        elif k == 1:
            bulk.append(
                line(
                    t,
                    "I",
                    "ACCESS",
                    5286306,
                    f"conn{r.randint(10, 9000)}",
                    "Successfully authenticated",
                    dict(client=remote, mechanism="SCRAM-SHA-256", user="shop", db="admin"),
                )
            )
        else:
            bulk.append(
                line(
                    t,
                    "I",
                    "STORAGE",
                    22430,
                    "Checkpointer",
                    "WiredTiger message",
                    dict(
                        message=f"[{r.randint(10**9, 2 * 10**9)}:{r.randint(1000, 9999)}] saving checkpoint snapshot min: {r.randint(1000, 99999)}"
                    ),
                )
            )
    ms, docs, coll = r.randint(20000, 90000), r.randint(10**6, 10**7), ident(r)
    member = f"db-{r.randint(2, 9)}.shop.internal:27017"
    at = spots(r, len(ts), 2)
    slow = line(
        ts[at[0]],
        "I",
        "COMMAND",
        51803,
        f"conn{r.randint(10, 9000)}",
        "Slow query",
        dict(
            type="command",
            ns=f"shop.{coll}",
            planSummary="COLLSCAN",
            keysExamined=0,
            docsExamined=docs,
            nreturned=3,
            durationMillis=ms,
        ),
    )
    down = line(
        ts[at[1]],
        "I",
        "REPL",
        21216,
        "ReplCoord-2",
        "Member is now in state DOWN - no response within election timeout period",
        dict(hostAndPort=member, newState="DOWN"),
    )
    return weave(bulk, at, [slow, down]), [[f"shop.{coll}", "COLLSCAN", str(docs), str(ms)], [member, "DOWN"]]


@case("cat u_ex260302.log", ask="Customers report broken downloads on the old Windows server. Anything in the IIS log?")
def iis_w3c(r):
    head = ["#Software: Microsoft Internet Information Services 10.0", "#Version: 1.0", "#Date: 2026-03-02 00:00:04"]
    head.append(
        "#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) sc-status sc-substatus sc-win32-status time-taken"
    )

    def line(t, stem, status="200 0 0", took=None, user="-"):
        return f"{t:%Y-%m-%d %H:%M:%S} 10.1.0.9 {r.choice(['GET', 'GET', 'POST'])} {stem} - 443 {user} {ip(r)} Mozilla/5.0+(Windows+NT+10.0;+Win64;+x64) - {status} {took or r.randint(3, 240)}"

    ts = times(r, 150, 20)
    bulk = [line(t, f"/{r.choice(THINGS)}/{ident(r)}.aspx", r.choice(["200 0 0", "200 0 0", "304 0 0", "302 0 0"])) for t in ts]
    pdf, admin = f"/export/{ident(r)}-{r.randint(100, 999)}.pdf", f"/admin/{ident(r)}.axd"
    took = r.randint(60000, 190000)
    at = spots(r, len(ts), 2)
    special = [
        line(ts[at[0]], pdf, "500 19 5", took),
        line(ts[at[1]], admin, "401 2 2148074254", None, f"SHOP\\{r.choice(PEOPLE).lower()}"),
    ]
    return "\r\n".join(head + weave(bulk, at, special)), [[pdf, "500 19 5", str(took)], [admin, "401 2"]]


@case("grep -h postfix /var/log/mail.log | tail -180", ask="Order confirmations do not arrive everywhere. What is going on?")
def postfix_mail(r):
    out, left = [], times(r, 400, 9)

    def line(t, prog, said):
        return f"{t:%b %d %H:%M:%S} mx1 postfix/{prog}[{r.randint(1000, 30000)}]: {said}"

    domains = ["web.example", "mail.example.org", "post.example.de", "inbox.example.fr"]
    for t in left:
        q = hexes(r, 10).upper()
        to = f"{r.choice(PEOPLE).lower()}{r.randint(1, 999)}@{r.choice(domains)}"
        out.append(
            r.choice(
                [
                    line(t, "qmgr", f"{q}: from=<orders@shop.example>, size={r.randint(2000, 60000)}, nrcpt=1 (queue active)"),
                    line(
                        t,
                        "smtp",
                        f"{q}: to=<{to}>, relay=mx.{to.split('@')[1]}[{ip(r)}]:25, delay=0.{r.randint(10, 99)}, dsn=2.0.0, status=sent (250 2.0.0 Ok: queued as {hexes(r, 8).upper()})",
                    ),
                    line(t, "cleanup", f"{q}: message-id=<{hexes(r, 12)}@shop.example>"),
                    line(t, "qmgr", f"{q}: removed"),
                ]
            )
        )
    refused, code = f"strict{r.randint(10, 99)}.example.net", r.randint(100, 999)
    said = f"550 5.7.26 Unauthenticated email from shop.example is not accepted due to domain's DMARC policy ({code})"
    size = r.randint(30, 90) * 10**6
    at = spots(r, len(left), 3)
    special = [
        line(
            left[at[0]],
            "smtp",
            f"{hexes(r, 10).upper()}: to=<{r.choice(PEOPLE).lower()}@{refused}>, relay=mx.{refused}[{ip(r)}]:25, delay=1.4, dsn=5.7.26, status=bounced (host mx.{refused} said: {said})",
        ),
        line(left[at[1]], "cleanup", f"warning: {hexes(r, 10).upper()}: message size {size} exceeds limit 20480000, discarded"),
        line(
            left[at[2]],
            "smtp",
            f"{hexes(r, 10).upper()}: to=<bulk@{domains[1]}>, relay=none, delay={r.randint(40000, 90000)}, dsn=4.4.1, status=deferred (connect to mx2.{domains[1]}[{ip(r)}]:25: Connection timed out)",
        ),
    ]
    return weave(out, at, special), [
        [refused, said],
        f"message size {size} exceeds limit",
        [f"mx2.{domains[1]}", "status=deferred", "Connection timed out"],
    ]


@case(
    "yarn logs -applicationId application_1772_0041 -log_files stderr",
    ask="The Spark job runs much longer than last week. Why?",
)
def spark_driver(r):
    ts = times(r, 480, 3)
    lines = []
    for k, t in enumerate(ts):
        task = f"{r.randint(0, 199)}.0 in stage {k // 40}.0 (TID {r.randint(1000, 9000)})"
        lines.append(
            f"{t:%y/%m/%d %H:%M:%S} INFO "
            + r.choice(
                [
                    f"TaskSetManager: Starting task {task} (worker-{r.randint(1, 8)}, executor {r.randint(1, 12)}, partition {r.randint(0, 199)}, PROCESS_LOCAL, 7412 bytes)",
                    f"TaskSetManager: Finished task {task} in {r.randint(300, 1900)} ms on worker-{r.randint(1, 8)} (executor {r.randint(1, 12)}) ({r.randint(1, 200)}/200)",
                    f"BlockManagerInfo: Added broadcast_{r.randint(1, 60)}_piece0 in memory on worker-{r.randint(1, 8)}:4{r.randint(1000, 9999)} (size: {r.randint(3, 60)}.1 KiB, free: 2.1 GiB)",
                    f"MapOutputTrackerMasterEndpoint: Asked to send map output locations for shuffle {r.randint(0, 9)} to {ip(r)}:51{r.randint(100, 999)}",
                ]
            )
        )
    slow, part, lost = r.randint(900000, 2900000), r.randint(201, 399), r.randint(13, 40)
    used = f"{r.randint(10, 14)}.{r.randint(1, 9)} GB of {r.randint(15, 16)}.0 GB"
    at = spots(r, len(ts), 3)
    special = [
        f"{ts[at[0]]:%y/%m/%d %H:%M:%S} INFO TaskSetManager: Finished task {part}.0 in stage 2.0 (TID {r.randint(1000, 9000)}) in {slow} ms on worker-3 (executor 9) (199/200)",
        f"{ts[at[1]]:%y/%m/%d %H:%M:%S} ERROR YarnScheduler: Lost executor {lost} on worker-7: Container killed by YARN for exceeding memory limits. {used} physical memory used.",
        f"{ts[at[2]]:%y/%m/%d %H:%M:%S} WARN ExecutorAllocationManager: Dynamic allocation: reached the ceiling of {lost + 3} executors",
    ]
    return weave(lines, at, special), [
        [f"Finished task {part}.0 in stage 2.0", f"in {slow} ms"],
        [f"Lost executor {lost}", used],
        f"ceiling of {lost + 3} executors",
    ]


@case("journalctl -u shopd -o json --since -1h --no-pager")
def journal_json(r):
    def line(t, prio, said, **more):
        usec = int(t.timestamp() * 10**6)
        return json.dumps(
            dict(
                __REALTIME_TIMESTAMP=str(usec),
                __CURSOR=f"s={hexes(r, 16)};i={hexes(r, 5)}",
                PRIORITY=str(prio),
                _HOSTNAME=r.choice(HOSTS),
                SYSLOG_IDENTIFIER="shopd",
                _PID=str(r.randint(400, 9000)),
                _SYSTEMD_UNIT="shopd.service",
                _TRANSPORT="stdout",
                MESSAGE=said,
                **more,
            )
        )

    ts = times(r, 110)
    bad = mishaps(r, 3)
    bulk = [line(t, r.choice([6, 6, 6, 7]), calm(r)) for t in ts]
    code = r.randint(2, 99)
    at = spots(r, len(ts), 4)
    special = [
        line(ts[at[0]], 3, bad[0]),
        line(ts[at[1]], 2, bad[1], CODE_FILE="ledger.c", CODE_LINE=str(r.randint(30, 900))),
        line(ts[at[2]], 4, bad[2]),
    ]
    special.append(
        line(ts[at[3]], 5, f"shopd.service: Main process exited, code=exited, status={code}/n/a", UNIT="shopd.service")
    )
    return weave(bulk, at, special), [*bad, f"Main process exited, code=exited, status={code}"]


@case("ausearch -ts today -i")
def auditd(r):
    out, ts = [], times(r, 150, 20)
    comm = ["nginx", "shopd", "cron", "sshd", "logrotate"]
    for t in ts:
        n = r.randint(1000, 99999)
        out.append(
            f"----\ntype=PROCTITLE msg=audit({t:%m/%d/%Y %H:%M:%S}.{n % 1000:03}:{n}) : proctitle=/usr/sbin/{r.choice(comm)} -D\n"
            f"type=SYSCALL msg=audit({t:%m/%d/%Y %H:%M:%S}.{n % 1000:03}:{n}) : arch=x86_64 syscall={r.choice(['openat', 'connect', 'execve'])} success=yes exit={r.randint(3, 20)} "
            f"ppid=1 pid={r.randint(300, 30000)} auid=unset uid=root comm={r.choice(comm)} subj=system_u:system_r:init_t:s0 key=(null)"
        )
    t, n, pid = ts[75], r.randint(1000, 99999), r.randint(31000, 60000)
    target, who = f"/var/lib/shop/{ident(r)}.sock", r.choice(PEOPLE).lower()
    deny = f"avc:  denied  {{ connectto }} for  pid={pid} comm=php-fpm path={target} scontext=system_u:system_r:httpd_t:s0 tcontext=system_u:system_r:unconfined_service_t:s0"
    special = [
        f"----\ntype=AVC msg=audit({t:%m/%d/%Y %H:%M:%S}.114:{n}) : {deny} tclass=unix_stream_socket permissive=0",
        f"----\ntype=USER_AUTH msg=audit({t:%m/%d/%Y %H:%M:%S}.870:{n + 9}) : pid={pid + 3} uid=root auid=unset msg='op=PAM:authentication grantors=? acct={who} exe=/usr/bin/su hostname=? addr=? terminal=/dev/pts/3 res=failed'",
        f"----\ntype=CONFIG_CHANGE msg=audit({t:%m/%d/%Y %H:%M:%S}.901:{n + 12}) : auid={who} op=remove_rule key=shadow_watch list=exit res=yes",
    ]
    return weave(out, [75, 76, 77], special), [
        ["denied { connectto }", target, "httpd_t"],
        [f"acct={who}", "/usr/bin/su", "res=failed"],
        ["op=remove_rule", "key=shadow_watch"],
    ]


@case("journalctl -u ssh --since yesterday --no-pager", ask="Did anybody break in over ssh?")
def sshd_auth(r):
    ts = times(r, 170, 60)
    bulk = []
    for t in ts:
        user = r.choice(["root", "admin", "oracle", "test", "ubuntu", "git", "postgres"])
        src = f"{r.choice([45, 103, 185, 218])}.{r.randint(1, 250)}.{r.randint(1, 250)}.{r.randint(1, 250)} port {r.randint(30000, 60000)}"
        bulk.append(
            f"{t:%b %d %H:%M:%S} bastion sshd[{r.randint(1000, 60000)}]: "
            + r.choice(
                [
                    f"Failed password for invalid user {user} from {src} ssh2",
                    f"Invalid user {user} from {src}",
                    f"Connection closed by authenticating user {user} {src} [preauth]",
                    f"Received disconnect from {src}:11: Bye Bye [preauth]",
                ]
            )
        )
    who, src = r.choice(PEOPLE).lower(), f"91.{r.randint(1, 250)}.{r.randint(1, 250)}.{r.randint(1, 250)}"
    good = f"Accepted password for {who} from {src}"
    at = spots(r, len(ts), 2)
    special = [
        f"{ts[at[0]]:%b %d %H:%M:%S} bastion sshd[{r.randint(1000, 60000)}]: {good} port {r.randint(30000, 60000)} ssh2",
        f"{ts[at[1]]:%b %d %H:%M:%S} bastion sshd[{r.randint(1000, 60000)}]: error: kex_exchange_identification: banner line contains invalid characters: \\x16\\x03{hexes(r, 2)}",
    ]
    return weave(bulk, at, special), [good]


@case("gh run view 710442 --log", ask="The workflow is red. Which step, and what is wrong?")
def github_actions(r):
    ts = iter(times(r, 400, 1))
    out, needles = [], []

    def say(job, step, *lines):
        for x in lines:
            t = next(ts)
            out.append(f"{job}\t{step}\t{t:%Y-%m-%dT%H:%M:%S}.{t.microsecond:06}0Z {x}")

    say(
        "build",
        "Set up job",
        "Current runner version: '2.321.0'",
        "##[group]Operating System",
        "Ubuntu",
        "24.04.1",
        "LTS",
        "##[endgroup]",
        "##[group]GITHUB_TOKEN Permissions",
        "Contents: read",
        "Metadata: read",
        "##[endgroup]",
    )
    say(
        "build",
        "Checkout",
        "##[group]Run actions/checkout@v4",
        "with:",
        "  fetch-depth: 1",
        "##[endgroup]",
        *[f" * [new tag] v{r.randint(1, 9)}.{r.randint(0, 30)}.{k} -> v{k}" for k in range(20)],
    )
    key = f"node-{hexes(r, 12)}"
    say(
        "build",
        "Restore cache",
        "##[group]Run actions/cache@v4",
        f"  key: {key}",
        "##[endgroup]",
        f"##[warning]Failed to restore: Cache service responded with {r.choice([503, 422, 429])}",
    )
    needles.append(out[-1].split("##[warning]")[1])
    say(
        "build",
        "Install",
        "##[group]Run pnpm install --frozen-lockfile",
        "shell: /usr/bin/bash -e {0}",
        "##[endgroup]",
        *[f"Progress: resolved {k * 31}, reused {k * 30}, downloaded {k}, added {k * 29}" for k in range(1, 40)],
    )
    file, line = f"apps/web/src/{ident(r)}.tsx", r.randint(10, 300)
    said = f"Type error: Property '{camel(ident(r))}' is missing in type '{{ id: string; }}' but required in type '{camel(ident(r), True)}'."
    say(
        "build",
        "Build",
        "##[group]Run pnpm build",
        "shell: /usr/bin/bash -e {0}",
        "##[endgroup]",
        *[f"@shop/{n}:build: cache miss, executing {hexes(r, 16)}" for n in idents(r, 24, "-")],
        f"@shop/web:build: ./{file}:{line}:{r.randint(3, 20)}",
        f"@shop/web:build: {said}",
    )
    say(
        "build",
        "Build",
        *[f"@shop/{n}:build: done in {r.randint(1, 20)}.{r.randint(1, 9)}s" for n in idents(r, 18, "-")],
        " Tasks:    23 successful, 24 total",
        "##[error]Process completed with exit code 1.",
    )
    say(
        "build",
        "Post Checkout",
        *[f"[command]/usr/bin/git config --local --unset-all core.{n}" for n in idents(r, 12, "")],
        "Cleaning up orphan processes",
    )
    return out, needles + [[f"{file}:{line}", said]]


@case("glab ci trace deploy-staging")
def gitlab_sections(r):
    t = 1772440000 + r.randint(1, 90000)
    out = [
        "\x1b[0KRunning with gitlab-runner 17.5.1 (0cfd3eaa)\x1b[0;m",
        f"\x1b[0K  on runner-{hexes(r, 5)} {hexes(r, 8)}, system ID: s_{hexes(r, 6)}\x1b[0;m",
    ]

    def section(name, title, lines):
        nonlocal t
        out.append(f"section_start:{t}:{name}\r\x1b[0K\x1b[0K\x1b[36;1m{title}\x1b[0;m\x1b[0;m")
        out.extend(lines)
        t += r.randint(3, 90)
        out.append(f"section_end:{t}:{name}\r\x1b[0K")

    section(
        "get_sources",
        "Getting source from Git repository",
        [f"remote: Counting objects: {k}% ({k * 12}/1200)" for k in range(2, 100, 3)],
    )
    wait = [
        f"Waiting for deployment \"{n}\" rollout to finish: {r.randint(0, 2)} of 3 updated replicas are available..."
        for n in r.choices(idents(r, 6, "-"), k=60)
    ]
    dep = ident(r, "-") + f"-v{r.randint(2, 9)}"
    image = f"registry.shop.example/{dep}:{hexes(r, 8)}"
    late = [
        f"error: deployment \"{dep}\" exceeded its progress deadline",
        f"  Warning  Failed  kubelet  Failed to pull image \"{image}\": manifest unknown",
    ]
    step = [
        "\x1b[32;1m$ kubectl -n staging apply -f rendered/\x1b[0;m",
        *[f"deployment.apps/{n} {r.choice(['configured', 'unchanged'])}" for n in idents(r, 26, "-")],
    ]
    gone = f"Warning: policy/v1beta1 PodDisruptionBudget {ident(r, '-')}-pdb is unavailable in v1.25+"
    section(
        "step_script", 'Executing "step_script" stage of the job script', plant(r, step + wait, [gone], 12) + late + wait[:12]
    )
    section("cleanup", "Cleaning up project directory and file based variables", ["\x1b[0;33mkeeping /builds/.cache\x1b[0;m"])
    return out + ["\x1b[31;1mERROR: Job failed: exit code 1\x1b[0;m"], [
        [f'deployment "{dep}" exceeded its progress deadline', image, "manifest unknown"],
        gone,
    ]


@case("kubectl -n edge logs deploy/envoy --tail 110", ask="One upstream makes trouble. Which, and how?")
def envoy_access(r):
    def line(t, path, code, flags, up, took, host):
        return f'[{t:%Y-%m-%dT%H:%M:%S}.{t.microsecond // 1000:03}Z] "{r.choice(["GET", "POST"])} {path} HTTP/2" {code} {flags} {r.randint(0, 900)} {r.randint(90, 9000)} {took} {max(took - 1, 0)} "{ip(r)}" "okhttp/4.12.0" "{uuid(r)}" "{host}.shop.example" "{up}"'

    ts = times(r, 110, 0.4)
    bulk = [line(t, f"/api/{ident(r, '/')}", 200, "-", f"{ip(r)}:8080", r.randint(2, 120), r.choice(THINGS)) for t in ts]
    bad, path = f"{ip(r)}:90{r.randint(10, 99)}", f"/api/{ident(r, '/')}"
    at = spots(r, len(ts), 4)
    special = [line(ts[at[k]], path, 503, "UF,URX", bad, r.randint(9000, 15000), "pricing") for k in range(3)]
    large = f"/upload/{ident(r)}"
    special.append(line(ts[at[3]], large, 413, "-", "-", 3, "media"))
    return weave(bulk, at, special), [[path, "503 UF,URX", bad], [large, "413"]]


@case("cat jenkins-console.txt", ask="Build 812 failed. Root cause?")
def jenkins_console(r):
    out = [
        "Started by upstream project \"shop/main\" build number 811",
        "[Pipeline] Start of Pipeline",
        "[Pipeline] node",
        f"Running on agent-{r.randint(2, 19)} in /var/jenkins/workspace/shop_release",
    ]
    bad = r.randint(3, 5)
    stages = ["Checkout", "Lint", "Unit", "Package", "Sign", "Publish", "Notify"]
    disk, need = r.randint(100, 900), r.randint(2000, 5000)
    needles = []
    for k, stage in enumerate(stages):
        out += ["[Pipeline] stage", f"[Pipeline] {{ ({stage})"]
        if k > bad:
            out.append(f'Stage "{stage}" skipped due to earlier failure(s)')
        else:
            out += ["[Pipeline] sh", f"+ ./ci/{stage.lower()}.sh", *[calm(r) for _ in range(r.randint(34, 52))]]
        if k == 1:
            note = f"[WARN] licence of plugin {ident(r, '-')} ends in {r.randint(2, 9)} days"
            out.insert(len(out) - 8, note)
            needles.append(note[7:])
        if k == bad:
            said = f"cp: error writing '/mnt/artifacts/shop-{r.randint(2, 9)}.{r.randint(10, 99)}.tar.zst': No space left on device"
            out += [f"available {disk} MiB, needed {need} MiB", said, "script returned exit code 1"]
            needles += [[f"available {disk} MiB, needed {need} MiB", said], stage]
        out += ["[Pipeline] }", "[Pipeline] // stage"]
    needles[-1] = f'Stage "{stages[bad + 1]}" skipped due to earlier failure(s)'
    return out + [
        "[Pipeline] // node",
        "[Pipeline] End of Pipeline",
        "ERROR: script returned exit code 1",
        "Finished: FAILURE",
    ], needles
