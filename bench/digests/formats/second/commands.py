"""What an operator types: state of services, clusters, networks and disks, and the one thing in it that is not well."""

import json

from ..case import case
from .stock import PEOPLE, SITES, THINGS, hexes, lines_at, name, names, plant, small, times, trouble


@case("systemctl status 'lib-*' --no-pager -l", ask="Are our services healthy?")
def systemctl_status(r):
    units = names(r, 24, "-")
    bad, code, why = r.choice(units[4:-4]), r.randint(2, 99), trouble(r, 1)[0]
    lines = []
    for u in units:
        pid, t = r.randint(900, 30000), times(r, 1)[0]
        failed = u == bad
        state = (
            f"failed (Result: exit-code) since {t:%a %Y-%m-%d %H:%M:%S} UTC"
            if failed
            else f"active (running) since {t:%a %Y-%m-%d %H:%M:%S} UTC"
        )
        lines += [
            f"{'×' if failed else '●'} lib-{u}.service - {u.replace('-', ' ').title()} daemon",
            f"     Loaded: loaded (/usr/lib/systemd/system/lib-{u}.service; enabled; preset: enabled)",
            f"     Active: {state}",
            f"    Process: {pid} ExecStart=/usr/bin/{u} (code=exited, status={code})"
            if failed
            else f"   Main PID: {pid} ({u})",
            f"        CPU: {r.randint(1, 900)}ms",
        ]
        if not failed:
            lines += [f"     CGroup: /system.slice/lib-{u}.service", f"             └─{pid} /usr/bin/{u} --foreground"]
        lines.append("")
        lines += [f"{t:%b %d %H:%M:%S} lib-a1 {u}[{pid}]: {small(r)}" for _ in range(8)]
        if failed:
            lines += [
                f"{t:%b %d %H:%M:%S} lib-a1 {u}[{pid}]: {why}",
                f"{t:%b %d %H:%M:%S} lib-a1 systemd[1]: lib-{u}.service: Main process exited, code=exited, status={code}",
            ]
        lines.append("")
    return lines, [[f"lib-{bad}.service", "failed", f"status={code}"], why]


@case("kubectl describe pod -n press", ask="Why does the pod keep restarting?")
def kubectl_describe(r):
    """Four pods, of which one was killed for its memory and cannot mount a volume."""
    pods = [f"{n}-{hexes(r, 10)}-{hexes(r, 5)}" for n in names(r, 6, "-")]
    bad, restarts, secret = pods[r.randint(1, 4)], r.randint(31, 400), name(r, "-")
    limit = f"{r.randint(130, 900)}Mi"
    mount = f'MountVolume.SetUp failed for volume "keys" : secret "{secret}" not found'
    out = []
    for p in pods:
        sick = p == bad
        out += [
            f"Name:             {p}",
            "Namespace:        press",
            "Priority:         0",
            "Service Account:  default",
            f"Node:             {r.choice(SITES)}/10.9.0.{r.randint(2, 250)}",
            f"Labels:           app={p.rsplit('-', 2)[0]}",
            f"                  pod-template-hash={p.split('-')[-2]}",
            "Status:           Running",
            f"IP:               10.42.{r.randint(0, 9)}.{r.randint(2, 250)}",
            "Containers:",
            "  main:",
            f"    Container ID:   containerd://{hexes(r, 64)}",
            f"    Image:          images.example/{p.rsplit('-', 2)[0]}:{hexes(r, 7)}",
            f"    State:          {'Waiting' if sick else 'Running'}",
            *(
                [
                    "      Reason:       CrashLoopBackOff",
                    "    Last State:     Terminated",
                    "      Reason:       OOMKilled",
                    "      Exit Code:    137",
                ]
                if sick
                else []
            ),
            f"    Ready:          {not sick}",
            f"    Restart Count:  {restarts if sick else 0}",
            "    Limits:",
            f"      memory:  {limit if sick else '2Gi'}",
            "    Environment:",
            *[f"      {n.upper()}:  {hexes(r, 8)}" for n in names(r, 14)],
            "    Mounts:",
            "      /etc/keys from keys (ro)",
            "Conditions:",
            "  Type              Status",
            f"  Ready             {not sick}",
            "QoS Class:         Burstable",
            "Events:",
            "  Type     Reason     Age    From     Message",
            "  ----     ------     ----   ----     -------",
            f"  Normal   Pulled     {r.randint(2, 59)}m    kubelet  Container image already present on machine",
            *([f"  Warning  FailedMount  {r.randint(2, 59)}m  kubelet  {mount}"] if sick else []),
            f"  Normal   Started    {r.randint(2, 59)}m    kubelet  Started container main",
            "",
            "",
        ]
    return out, [[bad, "CrashLoopBackOff"], ["OOMKilled", "137", str(restarts)], mount]


@case("kubectl get events -A --sort-by=.lastTimestamp", ask="What went wrong in the cluster?")
def kubectl_events(r):
    def line(kind, reason, what, message):
        return f"{r.choice(['press', 'loans', 'kube-system']):<13}{str(r.randint(1, 59)) + 'm':<12}{kind:<9}{reason:<24}{what:<42}{message}"

    bulk = [
        line(
            "Normal",
            *r.choice(
                [
                    ("Scheduled", f"pod/{n}-{hexes(r, 5)}", f"Successfully assigned press/{n} to {r.choice(SITES)}"),
                    (
                        "Pulled",
                        f"pod/{n}-{hexes(r, 5)}",
                        f"Successfully pulled image in {r.randint(1, 9)}.{r.randint(100, 999)}s",
                    ),
                    ("Created", f"pod/{n}-{hexes(r, 5)}", "Created container: main"),
                    ("ScalingReplicaSet", f"deployment/{n}", f"Scaled up replica set {n}-{hexes(r, 9)} to {r.randint(1, 5)}"),
                ]
            ),
        )
        for n in names(r, 170, "-")
    ]
    node, pod, claim = (
        f"press-hall-{r.randint(10, 99)}",
        f"pod/{name(r, '-')}-{hexes(r, 6)}",
        f"persistentvolumeclaim/{name(r, '-')}",
    )
    special = [
        ("NodeNotReady", f"node/{node}", "Node status is now: NodeNotReady"),
        ("FailedScheduling", pod, f"0/{r.randint(7, 19)} nodes are available: {r.randint(3, 6)} Insufficient nvidia.com/gpu"),
        ("ProvisioningFailed", claim, f'storageclass "fast-{r.randint(10, 99)}" not found'),
    ]
    return [
        "NAMESPACE    LAST SEEN   TYPE     REASON                  OBJECT                                    MESSAGE"
    ] + plant(r, bulk, [line("Warning", *s) for s in special]), [list(s) for s in special]


@case("docker inspect $(docker ps -aq)", ask="Why is one container down?")
def docker_inspect(r):
    def container(n, state, health=None):
        return {
            "Id": hexes(r, 64),
            "Created": "2025-08-02T07:11:31.128Z",
            "Path": "/entry",
            "Args": ["serve", f"--{name(r, '-')}"],
            "State": {**state, **({"Health": health} if health else {})},
            "Image": f"sha256:{hexes(r, 64)}",
            "Name": f"/{n}",
            "RestartCount": 0,
            "HostConfig": {"Memory": 536870912, "NetworkMode": "press", "Binds": [f"/srv/{n}:/data"]},
            "Config": {"Env": [f"{k.upper()}={hexes(r, 6)}" for k in names(r, 7)], "Image": f"{n}:{hexes(r, 7)}"},
            "NetworkSettings": {"IPAddress": f"172.18.0.{r.randint(2, 250)}", "MacAddress": "02:42:ac:12:00:05"},
        }

    up = {"Status": "running", "Running": True, "OOMKilled": False, "ExitCode": 0, "Error": ""}
    all_of_them = [container(n, up) for n in names(r, 22, "-")]
    gone, sick, said = f"{name(r, '-')}-{r.randint(10, 49)}", f"{name(r, '-')}-{r.randint(50, 99)}", trouble(r, 1)[0]
    down = {"Status": "exited", "Running": False, "OOMKilled": True, "ExitCode": 137, "Error": ""}
    health = {"Status": "unhealthy", "FailingStreak": r.randint(20, 400), "Log": [{"ExitCode": 1, "Output": said}]}
    special = [container(gone, down), container(sick, up, health)]
    return json.dumps(plant(r, all_of_them, special, 4), indent=4), [
        ["exited", "137"],
        f"/{gone}",
        ["unhealthy", str(health["FailingStreak"]), said],
        f"/{sick}",
    ]


@case("terraform apply -auto-approve -no-color", ask="Did the apply go through?")
def terraform_apply(r):
    """Nobody reads the heartbeats; the error stands among what the other resources still said."""
    made = [f"aws_{r.choice(['subnet', 'lb', 'iam_role', 's3_bucket', 'route53_record'])}.{n}" for n in names(r, 60)]
    bad, at = f"aws_rds_cluster.{name(r)}_main", r.randint(10, 400)
    why = f"creating RDS Cluster ({name(r, '-')}): InvalidParameterValue: engine version 16.{r.randint(11, 99)} is not available in this zone"
    steps = [f"{m}: Creating..." for m in made]
    for k in range(1, 5):
        steps += [f"{m}: Still creating... [{k}0s elapsed]" for m in r.sample(made, 30)]
    steps += [f"{m}: Creation complete after {r.randint(1, 59)}s [id={hexes(r, 12)}]" for m in made]
    steps += [
        "╷",
        f"│ Error: {why}",
        "│ ",
        f"│   with {bad},",
        f'│   on data.tf line {at}, in resource "aws_rds_cluster" "{bad.split(".")[1]}":',
        f'│  {at}: resource "aws_rds_cluster" "{bad.split(".")[1]}" {{',
        "│ ",
        "╵",
    ]
    steps += [f"{m}: Still destroying... [{k}0s elapsed]" for k in range(1, 4) for m in made[:12]]
    return steps + ["Releasing state lock. This may take a few moments..."], [[why, bad, f"data.tf line {at}"]]


@case("helm list -A --all", ask="Is every release deployed?")
def helm_list(r):
    def row(n, status, revision):
        t = times(r, 1)[0]
        return f"{n:<24}\t{r.choice(['press', 'loans', 'ops']):<9}\t{revision:<8}\t{t:%Y-%m-%d %H:%M:%S} +0000 UTC\t{status:<15}\t{n}-{r.randint(0, 9)}.{r.randint(0, 20)}.{r.randint(0, 9)}\t{r.randint(1, 9)}.{r.randint(0, 9)}"

    stuck, broken = f"{name(r, '-')}-x", f"{name(r, '-')}-y"
    rev = r.randint(200, 900)
    return [
        "NAME                    \tNAMESPACE\tREVISION\tUPDATED                 \tSTATUS         \tCHART\tAPP VERSION"
    ] + plant(
        r,
        [row(n, "deployed", str(r.randint(1, 40))) for n in names(r, 75, "-")],
        [row(stuck, "pending-upgrade", "7"), row(broken, "failed", str(rev))],
    ), [[stuck, "pending-upgrade"], [broken, str(rev), "failed"]]


@case("top -b -n 3", ask="What is this machine busy with?")
def top_batch(r):
    pid, who, hog = r.randint(100000, 999999), r.choice(PEOPLE).lower(), name(r, "-")
    cpu, wait, out = f"{r.randint(380, 790)}.{r.randint(0, 9)}", f"{r.randint(41, 77)}.{r.randint(0, 9)} wa", []
    load = f"{r.randint(30, 90)}.{r.randint(10, 99)}"
    for k in range(3):
        out += [
            f"top - 11:0{k}:07 up 91 days,  4:12,  3 users,  load average: {load}, 12.10, 4.02",
            f"Tasks: {r.randint(300, 400)} total,   2 running, 300 sleeping,   0 stopped,   0 zombie",
            f"%Cpu(s): {r.randint(5, 9)}.1 us,  2.0 sy,  0.0 ni,  9.1 id, {wait},  0.0 hi,  0.1 si,  0.0 st",
            f"MiB Mem :  64215.1 total,   {r.randint(300, 999)}.2 free,  60110.8 used,   3012.0 buff/cache",
            "",
            "    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND",
        ]
        rows = [
            f"{r.randint(1000, 99999):>7} {r.choice(['root', 'lib', 'www']):<9} 20   0 {r.randint(10000, 999999):>7} {r.randint(1000, 99999):>6}   {r.randint(1000, 9999)} S   {r.randint(0, 3)}.{r.randint(0, 9)}   0.{r.randint(0, 9)}   0:{r.randint(10, 59)}.{r.randint(10, 99)} {n}"
            for n in names(r, 70, "-")
        ]
        rows.insert(0, f"{pid:>7} {who:<9} 20   0   31.9g  28.4g   4112 D {cpu}  44.2 911:02.77 {hog}")
        out += rows + [""]
    return out, [[str(pid), cpu, hog], f"load average: {load}", wait]


@case("ss -tanp", ask="Is any connection stuck?")
def ss_sockets(r):
    def row(state, recv, send, here, there, who):
        return f'{state:<11}{recv:<8}{send:<8}{here:<24}{there:<24}users:(("{who}",pid={r.randint(900, 9999)},fd={r.randint(3, 90)}))'

    def peer():
        return f"10.9.{r.randint(0, 9)}.{r.randint(2, 250)}:{r.randint(20000, 65000)}"

    bulk = [
        row("ESTAB", "0", "0", f"10.9.0.7:{r.choice([443, 8080, 5432])}", peer(), r.choice(["nginx", "loand", "postgres"]))
        for _ in range(210)
    ]
    far, queue, debug = peer(), str(r.randint(100000, 999999)), r.randint(9001, 9999)
    special = [
        row("ESTAB", queue, "0", "10.9.0.7:6379", far, "redis-server"),
        row("LISTEN", "0", "5", f"0.0.0.0:{debug}", "0.0.0.0:*", "debugpy"),
    ]
    return ["State      Recv-Q  Send-Q  Local Address:Port      Peer Address:Port       Process"] + plant(r, bulk, special), [
        [queue, far, "redis-server"],
        [f"0.0.0.0:{debug}", "debugpy"],
    ]


@case("ip -s link", ask="Is the network in order?")
def ip_link(r):
    links = [f"veth{hexes(r, 7)}" for _ in range(28)] + ["eth0", "eth1", "bond0"]
    r.shuffle(links)
    down, lossy = r.sample(links[4:-4], 2)
    errors, out = r.randint(100000, 999999), []
    for k, link in enumerate(links, 1):
        state = "DOWN" if link == down else "UP"
        flags = "NO-CARRIER,BROADCAST,MULTICAST,UP" if link == down else "BROADCAST,MULTICAST,UP,LOWER_UP"
        count = errors if link == lossy else 0
        mac = ":".join(hexes(r, 2) for _ in range(6))
        out += [
            f"{k}: {link}: <{flags}> mtu 1500 qdisc fq_codel state {state} mode DEFAULT group default qlen 1000",
            f"    link/ether {mac} brd ff:ff:ff:ff:ff:ff",
            "    RX:  bytes packets errors dropped  missed   mcast           ",
            f"    {r.randint(10**8, 10**9):>10} {r.randint(10**5, 10**6)} {count:>6}       0       0       0 ",
            "    TX:  bytes packets errors dropped carrier collsns           ",
            f"    {r.randint(10**8, 10**9):>10} {r.randint(10**5, 10**6)}      0       0       0       0 ",
        ]
    return out, [[down, "state DOWN"], [lossy, str(errors)]]


@case("git rebase main", ask="Did the rebase work?")
def git_rebase(r):
    path, sha, subject = f"src/{name(r)}.kt", hexes(r, 8), f"Let {r.choice(PEOPLE)} {name(r, ' the ')} twice"
    gone = f"src/{name(r)}_old.kt"
    out = [f"Rebasing ({k}/190)\rAuto-merging src/{n}.kt" for k, n in enumerate(names(r, 150), 1)]
    special = [f"warning: inexact rename detection was skipped due to too many files ({r.randint(1001, 9999)})"]
    out = plant(r, out, special) + [
        f"CONFLICT (content): Merge conflict in {path}",
        f"CONFLICT (modify/delete): {gone} deleted in HEAD and modified in {sha} ({subject}).  Version {sha} of {gone} left in tree.",
        f"error: could not apply {sha}... {subject}",
        *[f"Recorded preimage for 'src/{n}.kt'" for n in names(r, 25)],
        "hint: Resolve all conflicts manually, mark them as resolved with",
        'hint: "git add/rm <conflicted_files>", then run "git rebase --continue".',
        'hint: To abort and get back to the state before "git rebase", run "git rebase --abort".',
    ]
    return out, [f"Merge conflict in {path}", [f"{gone} deleted in HEAD", sha], f"could not apply {sha}... {subject}"]


@case("git reflog", ask="My commits are gone. What happened?")
def git_reflog(r):
    back, branch = r.randint(11, 90), f"{r.choice(PEOPLE).lower()}/{name(r, '-')}"
    bulk = [f"commit: {name(r, ' ')} in {r.choice(THINGS)} view" for _ in range(230)]
    bulk = [b if r.random() < 0.9 else f"checkout: moving from main to {name(r, '-')}" for b in bulk]
    special = [f"reset: moving to HEAD~{back}", f"rebase (abort): returning to refs/heads/{branch}"]
    return [f"{hexes(r, 9)} HEAD@{{{k}}}: {x}" for k, x in enumerate(plant(r, bulk, special))], special


@case("aws cloudformation describe-stack-events --stack-name press", ask="Why was the stack rolled back?")
def stack_events(r):
    """One resource failed for a reason; all others were only cancelled because of it."""

    def event(n, status, reason=None):
        return {
            "StackId": "arn:aws:cloudformation:eu-west-1:000000000000:stack/press",
            "EventId": f"{n}-{status}-{hexes(r, 12)}",
            "StackName": "press",
            "LogicalResourceId": n,
            "PhysicalResourceId": f"press-{n}-{hexes(r, 10).upper()}",
            "ResourceType": r.choice(["AWS::SQS::Queue", "AWS::Lambda::Function", "AWS::IAM::Role"]),
            "Timestamp": f"2025-03-04T10:{r.randint(10, 59)}:{r.randint(10, 59)}Z",
            "ResourceStatus": status,
            **({"ResourceStatusReason": reason} if reason else {}),
        }

    bad = "".join(p.capitalize() for p in name(r).split("_")) + "Bucket"
    why = f"bucket {name(r, '-')}-{r.randint(100, 999)} already exists in another account"
    kept = [
        event(n, s, "Resource creation Initiated" if s == "CREATE_IN_PROGRESS" else None)
        for n in names(r, 24, "")
        for s in ("DELETE_COMPLETE", "CREATE_IN_PROGRESS")
    ]
    kept += [event(n, "CREATE_FAILED", "Resource creation cancelled") for n in names(r, 9, "")]
    r.shuffle(kept)
    return json.dumps({"StackEvents": plant(r, kept, [event(bad, "CREATE_FAILED", why)], 6)}, indent=4), [[why, bad]]


@case("vmstat -t 1 300", ask="Did the machine swap during the run?")
def vmstat(r):
    def row(t, swapped, blocked, so):
        return f"{r.randint(1, 4):>2} {blocked:>2} {swapped:>6} {r.randint(200000, 900000)} {r.randint(1000, 9999)} {r.randint(100000, 999999)}    0 {so:>4}    {r.randint(0, 9)} {r.randint(10, 90):>5} {r.randint(900, 2000)} {r.randint(900, 3000)} {r.randint(10, 40)}  {r.randint(1, 6)} {r.randint(50, 80)}  {r.randint(0, 2)}  0 {t:%Y-%m-%d %H:%M:%S}"

    at, so, blocked = r.randint(60, 240), r.randint(40000, 99999), r.randint(31, 90)
    moments = times(r, 300, 0.5)
    lines = [row(t, 0, blocked if k == at else 0, so if k == at else 0) for k, t in enumerate(moments)]
    return [
        "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----",
        " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 UTC",
        *lines,
    ], [[f"{moments[at]:%H:%M:%S}", str(so)]]


@case("rsync -av --progress archive/ annex-4:/backup/", ask="Is the backup complete?")
def rsync(r):
    lost, gone = f"folios/{name(r)}.tif", f"reels/{name(r)}.mov"
    special = [
        f'rsync: [sender] send_files failed to open "/srv/archive/{lost}": Permission denied (13)',
        f'file has vanished: "/srv/archive/{gone}"',
    ]
    bulk = [
        f"{r.choice(THINGS)}s/{n}.tif\n     {r.randint(10**5, 10**7):,} 100%   {r.randint(10, 90)}.{r.randint(10, 99)}MB/s    0:00:0{r.randint(0, 9)} (xfr#{k}, to-chk={180 - k}/190)"
        for k, n in enumerate(names(r, 160))
    ]
    total = f"{r.randint(10**9, 10**10):,}"
    end = "rsync error: some files/attrs were not transferred (see previous errors) (code 23) at main.c(1338) [sender=3.2.7]"
    return [
        "sending incremental file list",
        *plant(r, bulk, special),
        "",
        f"sent {total} bytes  received 3,912 bytes  41,220,102.10 bytes/sec",
        f"total size is {total}  speedup is 1.00",
        end,
    ], [[lost, "Permission denied"], ["vanished", gone], "code 23"]


@case("last -x", ask="Did somebody odd log in, or was there a crash?")
def last_logins(r):
    def form(t, row):
        who, line, origin, end = row
        return f"{who:<9}{line:<13}{origin:<20} {t:%a %b %e %H:%M} - {end}"

    bulk = [
        (
            r.choice(PEOPLE).lower(),
            f"pts/{r.randint(0, 9)}",
            f"10.9.{r.randint(0, 9)}.{r.randint(2, 250)}",
            f"{r.randint(10, 23)}:{r.randint(10, 59)}  (0{r.randint(0, 9)}:{r.randint(10, 59)})",
        )
        for _ in range(190)
    ]
    odd, kernel = f"203.0.113.{r.randint(2, 250)}", f"6.8.0-{r.randint(31, 99)}-generic"
    special = [("root", "pts/7", odd, "03:14  (00:01)"), ("reboot", "system boot", kernel, "crash")]
    lines = lines_at(r, plant(r, bulk, special), form, 4000)
    return [*reversed(lines), "", "wtmp begins Wed Jan  1 06:25:01 2025"], [["root", odd], [kernel, "crash"]]
