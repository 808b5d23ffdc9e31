"""Data of a film studio: a timeline, audit records, an inventory, a dashboard, bank statements, bills, translations."""

import json

from ..case import case
from .stock import DEEDS, HOSTS, PEOPLE, THINGS, Clock, camel, distinct, entries, fill, hexes, ident, idents, ip, uuid


def seconds(r, low, high):
    """A time as a timeline writes it: a rational number of seconds."""
    return f"{r.randint(low, high) * 1001}/24000s"


FILTERS = ("Film Grain", "Letterbox", "Colour Board", "Denoise")


def fcp_clip(r, name, attributes='tcFormat="NDF"', inside=()):
    """One clip of the timeline, with what editors commonly hang onto it."""
    ref = f"r{r.randint(2, 90)}"
    out = [
        f'            <asset-clip ref="{ref}" offset="{seconds(r, 1000, 90000)}" name="{name}" '
        f'start="{seconds(r, 80000, 999999)}" duration="{seconds(r, 12, 900)}" {attributes}>'
    ]
    usual = [
        f'<adjust-volume amount="{r.randint(-9, 3)}.{r.randint(0, 9)}dB"/>',
        f'<keyword start="0s" duration="{seconds(r, 12, 900)}" value="{r.choice(THINGS)}"/>',
        f'<marker start="{seconds(r, 80000, 999999)}" duration="1001/24000s" value="{r.choice(DEEDS)} here"/>',
        f'<adjust-transform position="{r.uniform(-9, 9):.3f} {r.uniform(-9, 9):.3f}" scale="1.0{r.randint(1, 9)} 1"/>',
        f'<filter-video ref="r{r.randint(91, 99)}" name="{r.choice(FILTERS)}"/>',
        f'<audio-channel-source srcCh="1, 2" role="dialogue.{r.choice(PEOPLE).lower()}"/>',
    ]
    out += [f"              {x}" for x in [*r.sample(usual, r.randint(1, 3)), *inside]]
    return "\n".join([*out, "            </asset-clip>"])


@case("cat exports/ep4_locked.fcpxml")
def fcpxml_timeline(r):
    scenes = iter(distinct(r, 400, 1, 900))
    take = lambda: f"{next(scenes)}{r.choice('ABCD')}-{r.choice(THINGS)}-T{r.randint(1, 19)}"
    off, mute = take(), take()
    stop = f"release form of {r.choice(PEOPLE)} never signed, do not air"
    head = ['<?xml version="1.0" encoding="UTF-8"?>', "<!DOCTYPE fcpxml>", '<fcpxml version="1.11">', "  <resources>"]
    head += [
        f'    <asset id="r{k}" name="{ident(r)}" hasVideo="1" format="r1" audioSources="{r.randint(1, 8)}"/>'
        for k in range(2, 24)
    ]
    head += ["  </resources>", '  <library><event name="Episode 4"><project name="ep4 locked">']
    head += [f'    <sequence format="r1" duration="{seconds(r, 60000, 70000)}" tcStart="0s">', "        <spine>"]
    special = [
        fcp_clip(r, off, 'enabled="0"'),
        fcp_clip(r, mute, inside=['<adjust-volume amount="-96dB"/>']),
        fcp_clip(r, take(), inside=[f'<marker start="{seconds(r, 9, 99)}" duration="1001/24000s" value="{stop}"/>']),
    ]
    body = fill(r, 6.5, lambda: fcp_clip(r, take()), special)
    tail = ["        </spine>", "    </sequence>", "  </project></event></library>", "</fcpxml>"]
    return [*head, body, *tail], [[off, 'enabled="0"'], [mute, "-96dB"], stop]


SERVICES = dict(
    GetObject="s3", ListBuckets="s3", HeadBucket="s3", PutObject="s3", PutBucketPolicy="s3", DescribeInstances="ec2",
    CreateTags="ec2", AssumeRole="sts", ConsoleLogin="signin", SubmitJob="batch", DescribeJobs="batch", Decrypt="kms",
    ScheduleKeyDeletion="kms", GetJob="mediaconvert", StopLogging="cloudtrail",
)
PARAMETERS = dict(s3="bucketName", kms="keyId", batch="jobId", mediaconvert="id", ec2="instanceId", sts="roleArn")


def trail(r, clock, name, who=None, **more):
    """One record of an audit trail; `more` replaces or adds fields."""
    who = who or r.choice(PEOPLE).lower()
    record = {
        "eventTime": clock().strftime("%Y-%m-%dT%H:%M:%SZ"),
        "eventSource": f"{SERVICES[name]}.amazonaws.com",
        "eventName": name,
        "awsRegion": "eu-north-1",
        "userIdentity": {"type": "AssumedRole", "userName": who, "accountId": "410077201933"},
        "sourceIPAddress": ip(r),
        "userAgent": r.choice(["aws-cli/2.17", "console.amazonaws.com", "Boto3/1.34", "render-broker/3.2"]),
        "requestParameters": {PARAMETERS.get(SERVICES[name], "name"): ident(r, "-")},
        "errorCode": None,
        "requestID": hexes(r, 12),
        "readOnly": name.startswith(("Get", "List", "Describe", "Head")),
    }
    return {k: v for k, v in {**record, **more}.items() if v is not None}


@case("gunzip -c trail_eu-north-1.json.gz")
def cloudtrail_records(r):
    clock = Clock(r, 6)
    names = [x for x in SERVICES if x not in ("StopLogging", "PutBucketPolicy", "ScheduleKeyDeletion", "ConsoleLogin")]
    normal = lambda: trail(r, clock, r.choice(names), errorCode=r.choice([None] * 11 + ["ThrottlingException"]))
    bucket = ident(r, "-") + f"-{r.randint(10, 99)}"
    who, key = r.choice(PEOPLE).lower(), f"alias/{ident(r, '-')}"
    special = [
        lambda: trail(r, clock, "StopLogging", who),
        lambda: trail(r, clock, "PutBucketPolicy", requestParameters={"bucketName": bucket, "Principal": "*"}),
        lambda: trail(r, clock, "ScheduleKeyDeletion", requestParameters={"keyId": key, "pendingWindowInDays": 7}),
        lambda: trail(r, clock, "ConsoleLogin", userIdentity={"type": "Root"}, additionalEventData={"MFAUsed": "No"}),
    ]
    pack = lambda x: json.dumps(x, separators=(",", ":"))
    make = lambda f: lambda: pack(f())
    body = ",".join(entries(r, 16, make(normal), [make(f) for f in special]))
    needles = [["StopLogging", who], ["PutBucketPolicy", bucket], ["ScheduleKeyDeletion", key]]
    return f'{{"Records":[{body}]}}', [*needles, ["ConsoleLogin", "Root"]]


def hostvars(r, **more):
    """Variables of one ordinary host in the order of the alphabet, as the inventory prints them."""
    usual = {
        "ansible_host": ip(r),
        "ansible_user": "deploy",
        "backup_enabled": True,
        "chassis": r.choice(["1U", "2U", "blade"]),
        "cpu_governor": "performance",
        "farm_pool": r.choice(["gpu", "cpu", "sim"]),
        "kernel_pinned": r.random() < 0.5,
        "mounts": [f"/{r.choice(['dailies', 'vault', 'lib'])}/{r.choice(THINGS)}" for _ in range(r.randint(1, 3))],
        "ntp_servers": ["ntp1.studio.lan", "ntp2.studio.lan"],
        "owner": r.choice(PEOPLE),
        "rack": f"{r.choice('ABCDE')}{r.randint(1, 40):02d}",
        "selinux_mode": "enforcing",
    }
    return dict(sorted({**usual, **more}.items()))


@case("ansible-inventory -i inventories/post --list")
def ansible_inventory_vars(r):
    n = r.randint(58, 70)
    names = [f"{kind}{k:03d}.post.studio.lan" for kind in ("cut", "farm") for k in range(1, n // 2)]
    nodes = {name: hostvars(r) for name in names}
    odd = r.sample(names[n // 10 : -n // 10], 3)
    secret = f"Klappe-{hexes(r, 6)}"
    nodes[odd[0]] = hostvars(r, ansible_become_password=secret)
    nodes[odd[1]] = hostvars(r, backup_enabled=False)
    nodes[odd[2]] = hostvars(r, selinux_mode="disabled")
    groups = {kind: {"hosts": [x for x in names if x.startswith(kind)]} for kind in ("cut", "farm")}
    tree = {"_meta": {"hostvars": nodes}, "all": {"children": ["ungrouped", "cut", "farm"]}, **groups}
    needles = [[odd[0], secret], [odd[1], '"backup_enabled": false'], [odd[2], '"selinux_mode": "disabled"']]
    return json.dumps(tree, indent=4), needles


def panel(r, k, title, expr, **more):
    """One panel of a dashboard; its keys are in the order in which the service stores them."""
    about = r.choice(["", "", f"Asked for by {r.choice(PEOPLE)}", f"See also the page on the {r.choice(THINGS)}"])
    steps = [{"color": "green", "value": None}, {"color": "red", "value": r.choice([80, 90, 500])}]
    return {
        "datasource": {"type": "prometheus", "uid": "thanos-post"},
        "description": about,
        "fieldConfig": {
            "defaults": {
                "unit": r.choice(["s", "bytes", "percentunit", "short"]),
                "thresholds": {"mode": "absolute", "steps": steps},
            },
            "overrides": [],
        },
        "gridPos": {"h": 8, "w": r.choice([6, 8, 12]), "x": k % 3 * 8, "y": k // 3 * 8},
        "id": k,
        "title": title,
        "type": r.choice(["timeseries", "stat", "gauge", "timeseries", "table"]),
        "targets": [{"expr": expr, "legendFormat": "{{host}}", "refId": "A"}],
        **more,
    }


def promql(r, metric):
    f = r.choice(["rate({}[5m])", "increase({}[1h])", "avg_over_time({}[10m])", "max_over_time({}[5m])"])
    pool = r.choice(["gpu", "cpu", "sim"])
    return "sum by (host) (" + f.format(metric + '{pool="' + pool + '"}') + ")"


@case("curl -s $GRAFANA/api/dashboards/uid/post-overview | jq .dashboard")
def grafana_dashboard(r):
    names = iter(idents(r, 120))
    title = lambda: f"{next(names).replace('_', ' ').capitalize()} by host"
    count = iter(range(1, 200))
    usual = lambda: panel(r, next(count), title(), promql(r, f"studio_{ident(r)}_total"))
    always, lost = title(), title()
    warn = f"wrong since the move to {r.choice(HOSTS)}: counts every retry twice"
    special = [
        lambda: panel(r, next(count), always, f"sum(studio_{ident(r)}_errors) * 0"),
        lambda: panel(r, next(count), lost, promql(r, "studio_farm_up"), datasource={"uid": "deleted-influx"}),
        lambda: panel(r, next(count), title(), promql(r, "studio_jobs_total"), description=warn),
    ]
    show = lambda f: lambda: json.dumps(f(), indent=2).replace("\n", "\n    ")
    body = ",\n    ".join(entries(r, 8, show(usual), [show(f) for f in special]))
    head = '{\n  "annotations": {\n    "list": []\n  },\n  "panels": [\n    '
    tail = '\n  ],\n  "refresh": "30s",\n  "version": 214\n}'
    return head + body + tail, [[always, "_errors) * 0"], "deleted-influx", warn]


def alert_rule(r, name, expr=None, wait=None, severity=None, note=""):
    metric, limit = f"studio_{ident(r)}_{r.choice(['seconds', 'bytes', 'ratio', 'total'])}", r.randint(2, 900)
    plain = f"{r.choice(['max', 'avg', 'sum'])} by (host) ({metric}) > {limit}"
    state = r.choice(["is slow", "is late", "is nearly full"])
    summary = f"{r.choice(THINGS).capitalize()} on {{{{ $labels.host }}}} {state}"
    return "\n".join(
        [
            f"      - alert: {name}{note}",
            f"        expr: {expr or plain}",
            f"        for: {wait or r.choice(['2m', '5m', '10m', '15m', '30m'])}",
            "        labels:",
            f"          severity: {severity or r.choice(['page', 'ticket', 'ticket'])}",
            f"          team: {r.choice(['post', 'sound', 'farm', 'delivery'])}",
            "        annotations:",
            f'          summary: "{summary}"',
            f"          runbook: https://wiki.studio.lan/runbooks/{ident(r, '-')}",
        ]
    )


@case(tool="Read", file_path="/etc/prometheus/rules/post-production.yaml")
def prometheus_rules(r):
    names = iter(camel(x, True) for x in idents(r, 300))
    name = lambda: next(names) + r.choice(["Slow", "Failing", "Full", "Stale"])
    quiet, long, never = name(), name(), name()
    note = f"muted by {r.choice(PEOPLE)} for the premiere, restore afterwards"
    special = [
        alert_rule(r, quiet, note=f"  # {note}", severity="none"),
        alert_rule(r, long, wait="90d"),
        alert_rule(r, never, expr=f"vault_copies_missing > {10 ** 9}", severity="page"),
    ]

    def rule():
        text = alert_rule(r, name(), note=r.choice([""] * 8 + ["  # see the handbook"]))
        group = f"\n  - name: {ident(r)}.rules\n    interval: {r.choice([15, 30, 60])}s\n    rules:\n"
        return group + text if r.random() < 0.1 else text

    head = ["# Alerts of post-production, changed by merge request only.", "groups:", "  - name: base", "    rules:"]
    needles = [[quiet, "severity: none"], note, [long, "for: 90d"], [never, "1000000000"]]
    return [*head, *entries(r, 7, rule, special)], needles


FIRMS = "Lumen Licht GmbH|Atelier Nord|Castline Oy|Odeon Post AB|Kulissenbau Weber|Foley &amp; Fils|Kran Süd".split("|")


def booking(r, clock, amount=None, sign=None, status="BOOK", reason=""):
    """One entry of a bank statement."""
    day, sign = clock().strftime("%Y-%m-%d"), sign or r.choice(["DBIT", "DBIT", "CRDT"])
    amount = amount or f"{r.randint(15, 8900)}.{r.randint(0, 99):02d}"
    party = "Cdtr" if sign == "DBIT" else "Dbtr"
    return (
        f'<Ntry><Amt Ccy="EUR">{amount}</Amt><CdtDbtInd>{sign}</CdtDbtInd><Sts><Cd>{status}</Cd></Sts>'
        f"<BookgDt><Dt>{day}</Dt></BookgDt><AcctSvcrRef>{hexes(r, 12).upper()}</AcctSvcrRef><NtryDtls><TxDtls>"
        f"<Refs><EndToEndId>INV-{r.randint(10000, 99999)}</EndToEndId></Refs><RltdPties><{party}>"
        f"<Nm>{r.choice(FIRMS)}</Nm></{party}></RltdPties>"
        f"<RmtInf><Ustrd>{ident(r, ' ')} {r.randint(1, 40)}</Ustrd></RmtInf>{reason}</TxDtls></NtryDtls></Ntry>"
    )


@case("curl -s --cert ebics.pem https://bank.example/statements/camt053/117")
def camt_statement(r):
    clock = Clock(r, 2000)
    money = lambda low, high: f"{r.randint(low, high)}.{r.randint(10, 99)}"
    back, huge, waiting = money(9001, 9900), money(400000, 990000), money(9901, 9999)
    closed = "<RtrInf><Rsn><Cd>AC04</Cd></Rsn><AddtlInf>account closed</AddtlInf></RtrInf>"
    special = [
        lambda: booking(r, clock, back, "CRDT", reason=closed),
        lambda: booking(r, clock, huge, "DBIT"),
        lambda: booking(r, clock, waiting, "DBIT", "PDNG"),
    ]
    body = "".join(entries(r, 7.5, lambda: booking(r, clock), special))
    head = (
        '<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08">'
        f"<BkToCstmrStmt><GrpHdr><MsgId>{hexes(r, 16)}</MsgId></GrpHdr><Stmt><Id>117</Id>"
        "<Acct><Id><IBAN>DE02120300000000202051</IBAN></Id></Acct>"
    )
    return f"{head}{body}</Stmt></BkToCstmrStmt></Document>", [[back, "account closed"], huge, [waiting, "PDNG"]]


@case('clickhouse-client -q "SELECT * FROM system.query_log WHERE event_date = today() FORMAT Vertical"')
def interest_clickhouse_query(r):
    clock, keys, count = Clock(r, 20), [uuid(r) for _ in range(300)], iter(range(1, 300))
    memory = iter(distinct(r, 300, 20_000_000, 900_000_000))

    def row(used):
        k, t = next(count), clock()
        total = f"{r.choice(['sum', 'avg', 'uniq'])}({r.choice(THINGS)}_ms)"
        sql = f"SELECT {r.choice(THINGS)}, {total} FROM {ident(r)} GROUP BY 1"
        fields = dict(
            type="QueryFinish", event_time=f"{t:%Y-%m-%d %H:%M:%S}", query_duration_ms=r.randint(2, 9000),
            read_rows=r.randint(100, 10**8), read_bytes=r.randint(10**4, 10**10), result_rows=r.randint(1, 900),
            memory_usage=used, query=sql, exception_code=0, user=r.choice(PEOPLE).lower(), query_id=keys[k],
            address=f"::ffff:{ip(r)}", interface=r.choice([1, 2]), thread_ids=str(sorted(distinct(r, 3, 100, 9999))),
        )
        body = [f"{name + ':':<19}{value}" for name, value in fields.items()]
        return f"Row {k}:\n" + "─" * (len(f"Row {k}:")) + "\n" + "\n".join(body) + "\n"

    asked = []

    def target():
        used = next(memory)
        text = row(used)
        asked.append((text.split("query_id:")[1].split()[0], used))
        return text

    lines = entries(r, 6, lambda: row(next(memory)), [target])
    key, used = asked[0]
    return lines, [str(used)], dict(last=f"How much memory did the query {key} take?")


CUR = (
    "identity/LineItemId,bill/PayerAccountId,lineItem/UsageAccountId,lineItem/LineItemType,lineItem/UsageStartDate,"
    "lineItem/ProductCode,lineItem/UsageType,lineItem/Operation,lineItem/ResourceId,lineItem/UsageAmount,"
    "lineItem/UnblendedCost,lineItem/LineItemDescription"
)


def cur_line(r, clock, resource=None, cost=None, region="EUN1", kind="Usage"):
    code, use, act, price, unit = r.choice(
        [
            ("AmazonEC2", "BoxUsage:g5.4xlarge", "RunInstances", 1.7226, "per On Demand Linux g5.4xlarge Hour"),
            ("AmazonEC2", "EBS:VolumeUsage.gp3", "CreateVolume-Gp3", 0.0836, "per GB-month of gp3 storage"),
            ("AmazonS3", "TimedStorage-ByteHrs", "StandardStorage", 0.023, "per GB - first 50 TB / month of storage"),
            ("AmazonS3", "Requests-Tier2", "GetObject", 0.0043, "per 10,000 GET and all other requests"),
            ("AWSLambda", "Lambda-GB-Second", "Invoke", 0.0021, "per 100 GB-Seconds used in the second tier"),
            ("AmazonFSx", "Storage_SSD", "CreateFileSystem:Lustre", 0.154, "per GB-month of SSD storage"),
        ]
    )
    amount = float(cost) / price if cost else r.uniform(0.01, 24)
    return ",".join(
        [
            hexes(r, 14), "410077201933", f"41007720{r.randint(1934, 1939)}", kind,
            clock().strftime("%Y-%m-%dT%H:00:00Z"), code, f"{region}-{use}", act,
            resource or f"{ident(r, '-')}-{r.randint(1000, 9999)}",
            f"{amount:.6f}", cost or f"{price * amount:.6f}", f'"${price} {unit}"',
        ]
    )


@case("aws s3 cp s3://studio-billing/cur/20250301-20250401/post-00001.csv -")
def cur_billing_csv(r):
    clock = Clock(r, 1500)
    odd = [f"{ident(r, '-')}-{n}" for n in distinct(r, 3, 1000, 9999)]
    cost = f"{r.randint(21000, 88000)}.{r.randint(100000, 999999)}"
    special = [
        lambda: cur_line(r, clock, odd[0], cost),
        lambda: cur_line(r, clock, odd[1], region="MES1"),
        lambda: cur_line(r, clock, odd[2], cost=f"-{r.randint(300, 990)}.{r.randint(100000, 999999)}", kind="Refund"),
    ]
    needles = [[odd[0], cost], [odd[1], "MES1-"], [odd[2], "Refund"]]
    return [CUR, *entries(r, 8, lambda: cur_line(r, clock), special)], needles


def backend(r, name, inside=(), server=""):
    """One section of the proxy's configuration."""
    kind, port = r.choice(["http", "http", "tcp"]), r.randint(7000, 9999)
    out = [f"backend {name}", f"    mode {kind}", f"    balance {r.choice(['leastconn', 'roundrobin', 'source'])}"]
    usual = [
        f"    timeout check {r.choice([2, 3, 5])}s",
        f"    timeout queue {r.choice([5, 10, 20])}s",
        f"    retries {r.randint(2, 4)}",
        f"    option httpchk GET /{r.choice(['health', 'live', 'ready'])}",
        f"    http-check expect status {r.choice([200, 204])}",
        f"    stick-table type ip size {r.choice([20, 50, 200])}k expire {r.choice([10, 30])}m",
        f"    # {r.choice(PEOPLE)}: shared with {r.choice(THINGS)}",
        f"    http-request set-header X-Pool {r.choice(THINGS)}",
    ]
    wait = [] if inside else [f"    timeout server {r.choice([15, 30, 60, 120])}s"]
    out += r.sample(usual, r.randint(2, 5)) + wait + list(inside)
    check = server or "check inter 5s ssl verify required ca-file /etc/haproxy/studio-ca.pem"
    out += [f"    server {host} {ip(r)}:{port} {check}" for host in r.sample(HOSTS, r.randint(2, 4))]
    return "\n".join(out) + "\n"


@case("ssh lb-east cat /etc/haproxy/haproxy.cfg")
def haproxy_config(r):
    names = iter(idents(r, 300, "-"))
    blind, open_, gone, slow = (f"be-{next(names)}" for _ in range(4))
    head = [
        "global", "    log /dev/log local0", "    maxconn 40000", "    user haproxy", "    group haproxy", "",
        "defaults", "    log global", "    option httplog", "    timeout connect 4s", "    timeout client 60s", "",
        "frontend public", "    bind :443 ssl crt /etc/haproxy/certs alpn h2,http/1.1",
        *[f"    use_backend be-{ident(r, '-')} if {{ path_beg /{r.choice(THINGS)}/{k} }}" for k in range(30)], "",
    ]
    special = [
        backend(r, blind, server="check ssl verify none"),
        backend(r, open_, ["    stats uri /lb-admin", "    stats admin if TRUE"]),
        backend(r, gone, ["    http-request deny deny_status 503  # until the lawyers say otherwise"]),
        backend(r, slow, ["    timeout server 24d"]),
    ]
    body = entries(r, 7, lambda: backend(r, f"be-{next(names)}"), special)
    return [*head, *body], [
        [blind, "verify none"], [open_, "stats admin if TRUE"], [gone, "deny_status 503"], [slow, "timeout server 24d"],
    ]


TEKOJA = "Poista Tallenna Leikkaa Toista Lataa Jaa Lukitse Äänitä Merkitse Siirrä Hylkää Yhdistä Kopioi".split()
MITÄ = "kohtaus otos kela käsikirjoitus ääniraita tekstitys traileri rooli puku lavaste linssi väritys musiikki".split()
MIHIN = "arkistoon leikkaamoon ohjaajalle jonoon kansioon studiolle huomiseksi uudelleen pilveen".split()


@case(tool="Read", file_path="/src/studio-app/lib/l10n/app_fi.arb")
def interest_locale_string(r):
    keys, said = iter(idents(r, 500)), set()

    def sentence():
        while (text := f"{r.choice(TEKOJA)} {r.choice(MITÄ)} {r.choice(MIHIN)}") in said:
            pass
        said.add(text)
        return text + r.choice(["", "?", "…"])

    def message(key, text):
        about = dict(description=f"{r.choice(['Button', 'Title', 'Hint', 'Dialog'])} on the {r.choice(THINGS)} page")
        if r.random() < 0.3:
            about["placeholders"] = {"count": dict(type="int", format=r.choice(["compact", "decimalPattern"]))}
        return f'  "{key}": {json.dumps(text, ensure_ascii=False)},\n  "@{key}": {json.dumps(about)},'

    normal = lambda: message(camel(next(keys)) + r.choice(["Action", "Label", "Hint"]), sentence())
    key, text = camel(next(keys)) + r.choice(["Action", "Label", "Hint"]), sentence()
    body = entries(r, 4.6, normal, [lambda: message(key, text)])
    lines = ["{", '  "@@locale": "fi",', *body, '  "appTitle": "Studio"', "}"]
    return lines, [text], dict(last=f"By the way, what is the Finnish text of {key}?")
