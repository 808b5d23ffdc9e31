"""Documents of machines: XML, JSON, YAML, tables, configurations and dumps, pretty-printed as well as on one line."""

import json

from ..case import case
from .stock import HOSTS, PEOPLE, THINGS, Clock, distinct, entries, hexes, ident, idents, ip, uuid

REPORT_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<svrl:schematron-output xmlns:svrl="http://purl.oclc.org/dsdl/svrl" title="Laboratory report, national profile"
                        schemaVersion="iso">
   <svrl:ns-prefix-in-attribute-values uri="urn:hl7-org:v3" prefix="cda"/>
   <svrl:active-pattern id="p-header" name="Header" documents="reports/batch.xml"/>"""


def spot(r):
    n = r.randint(1, 80)
    return f"/cda:ClinicalDocument[1]/cda:component[1]/cda:structuredBody[1]/cda:component[{n}]/cda:section[1]"


def checked(r):
    """What a schematron run reports when all is well."""
    thing, n = r.choice(THINGS), r.randint(1, 999)
    return r.choice(
        [
            f'   <svrl:active-pattern id="p-{thing}-{n}" name="{thing.capitalize()} entries" '
            'documents="reports/batch.xml"/>',
            f"   <svrl:fired-rule context=\"cda:observation[cda:code/@code='{thing}']\" id=\"r-{n}\"/>",
            f'   <svrl:fired-rule context="cda:{thing}/cda:effectiveTime" id="r-{n}"/>',
            f'   <svrl:fired-rule context="cda:entryRelationship[@typeCode=\'{r.choice(["COMP", "SUBJ", "REFR"])}\']" '
            'role="info"/>',
            f'   <svrl:suppressed-rule context="cda:{thing}[not(@classCode)]" id="r-{n}"/>',
            f'   <svrl:successful-report test="count(cda:{thing}) gt 1" id="i-{n}" role="info" location="{spot(r)}">\n'
            f"      <svrl:text>{r.randint(2, 9)} {thing} elements found, all of one author.</svrl:text>\n"
            "   </svrl:successful-report>",
        ]
    )


def violated(r, test, text):
    return (
        f'   <svrl:failed-assert test="{test}" id="a-{r.randint(100, 999)}" location="{spot(r)}">\n'
        f"      <svrl:text>{text}</svrl:text>\n"
        "   </svrl:failed-assert>"
    )


@case("saxon -xsl:lab-profile.xsl -s:reports/batch.xml")
def schematron_svrl(r):
    n, code, year = r.randint(100, 999), f"{r.randint(10000, 99999)}-{r.randint(0, 9)}", r.randint(2031, 2079)
    needles = [
        f"Result {n} has a unit that UCUM does not know",
        f"LOINC code {code} was withdrawn",
        f"specimen collected in the year {year}",
    ]
    special = [
        violated(r, "f:is-ucum(cda:value/@unit)", needles[0] + "."),
        violated(r, "not(f:withdrawn(cda:code/@code))", needles[1] + ", report refused by the receiver."),
        violated(r, "xs:date(@value) le current-date()", f"A {needles[2]} cannot have been examined."),
    ]
    return [REPORT_HEAD, *entries(r, 7, lambda: checked(r), special), "</svrl:schematron-output>"], needles


def packet(r, clock, number, more=None):
    """One packet of tshark's JSON, DICOM or HL7 over TCP."""
    at, n, port = clock(), r.randint(60, 1500), r.choice([104, 11112, 2575])
    source, target, seq = ip(r), ip(r), r.randint(1, 10**6)
    layers = {
        "frame": {
            "frame.time": at.strftime("%b %d, %Y %H:%M:%S.%f000 EET"),
            "frame.number": str(number),
            "frame.len": str(n),
            "frame.protocols": "eth:ethertype:ip:tcp",
        },
        "eth": {"eth.dst": ":".join(hexes(r, 2) for _ in range(6)), "eth.type": "0x0800"},
        "ip": {
            "ip.src": source,
            "ip.dst": target,
            "ip.ttl": str(r.choice([63, 64, 127, 128])),
            "ip.flags_tree": {"ip.flags.df": "1", "ip.flags.mf": "0"},
        },
        "tcp": {
            "tcp.srcport": str(r.randint(20000, 65000)),
            "tcp.dstport": str(port),
            "tcp.stream": str(r.randint(0, 40)),
            "tcp.len": str(n - 54),
            "tcp.seq": str(seq),
            "tcp.flags": r.choice(["0x0010", "0x0018", "0x0018", "0x0011"]),
            "tcp.window_size": str(r.randint(200, 65000)),
            "Timestamps": {
                "tcp.time_relative": f"{r.uniform(0, 90):.9f}", "tcp.time_delta": f"{r.uniform(0, 0.2):.9f}"
            },
        },
    }
    layers.update(more or payload(r))
    return {"_index": f"packets-{at:%Y-%m-%d}", "_type": "doc", "_score": None, "_source": {"layers": layers}}


def payload(r):
    return r.choice(
        [
            {},
            {"dicom": {"dicom.pdu.type": "0x04", "dicom.pdu.len": str(r.randint(100, 16000)), "dicom.pctx.id": "1"}},
            {"hl7": {"hl7.message.type": "ORU", "hl7.event": "R01", "hl7.msg.id": str(r.randint(10**5, 10**6))}},
            {"dicom": {"dicom.pdu.type": "0x01", "dicom.assoc.called": f"PACS{r.randint(1, 9)}"}},
        ]
    )


@case("tshark -r bench.pcapng -T json")
def tshark_packets(r):
    clock, numbers = Clock(r, 0.3), iter(range(r.randint(1, 900), 99999))
    title, order = f"SCU_{r.choice(THINGS).upper()}{r.randint(10, 99)}", r.randint(10**6, 10**7)
    refused = {
        "dicom.pdu.type": "0x03",
        "dicom.assoc.calling": title,
        "dicom.assoc.reject.reason": "Calling AE Title not recognized",
    }
    answer = {"hl7.message.type": "ACK", "hl7.msa.code": "AE", "hl7.msa.text": f"segment OBR missing in order {order}"}

    def block(more=None):
        return json.dumps(packet(r, clock, next(numbers), more), indent=2)

    special = [
        lambda: block({"dicom": refused}),
        lambda: block({"hl7": answer}),
        lambda: block({"_ws.malformed": {"_ws.expert.message": "Malformed Packet (Exception occurred)"}}),
    ]
    made = entries(r, 8, block, special)
    needles = [
        [title, "Calling AE Title not recognized"],
        ["segment OBR missing in order", str(order)],
        "Malformed Packet",
    ]
    return json.dumps([json.loads(x) for x in made], indent=2), needles


def client(r, name, **more):
    """A client in the export of a Keycloak realm."""
    lifespan = more.pop("lifespan", None)
    attributes = {
        "oidc.ciba.grant.enabled": "false",
        "backchannel.logout.session.required": "true",
        "post.logout.redirect.uris": "+",
    }
    return {
        "id": uuid(r),
        "clientId": name,
        "redirectUris": [f"https://{name}.lab.example/*"],
        "serviceAccountRoles": r.choice([[], [], ["view-users"], ["query-groups"]]),
        "name": name.replace("-", " ").capitalize(),
        "enabled": True,
        "clientAuthenticatorType": r.choice(["client-secret", "client-secret", "client-jwt"]),
        "webOrigins": ["+"],
        "bearerOnly": False,
        "consentRequired": False,
        "standardFlowEnabled": True,
        "implicitFlowEnabled": False,
        "directAccessGrantsEnabled": False,
        "serviceAccountsEnabled": r.random() < 0.4,
        "publicClient": r.random() < 0.3,
        "protocol": "openid-connect",
        "attributes": attributes | ({"access.token.lifespan": lifespan} if lifespan else {}),
        "defaultClientScopes": r.sample(["web-origins", "acr", "profile", "roles", "email", "lab"], 4),
        "optionalClientScopes": ["offline_access"],
        **more,
    }


@case("cat realm-lab-export.json")
def keycloak_realm(r):
    names = iter(idents(r, 200, "-"))
    wild, long, role = next(names), next(names), next(names)
    seconds = str(r.randint(20, 99) * 10**6)
    special = [
        json.dumps(client(r, wild, redirectUris=["http://*"], publicClient=True)),
        json.dumps(client(r, long, lifespan=seconds)),
        json.dumps(client(r, role, serviceAccountsEnabled=True, serviceAccountRoles=["realm-admin"])),
    ]
    clients = [json.loads(x) for x in entries(r, 7, lambda: json.dumps(client(r, next(names))), special)]
    realm = {
        "realm": "laboratory",
        "sslRequired": "external",
        "accessTokenLifespan": 300,
        "ssoSessionIdleTimeout": 1800,
        "bruteForceProtected": True,
        "roles": {"realm": [{"id": uuid(r), "name": n, "composite": False} for n in r.sample(THINGS, 5)]},
        "clients": clients,
        "browserFlow": "browser",
        "keycloakVersion": "24.0.5",
    }
    return json.dumps(realm, indent=2), [[wild, "http://*"], [long, seconds], [role, "realm-admin"]]


@case("curl -s https://athena-proxy.lab.example/results/turnaround.json")
def athena_result_set(r):
    """On one line. Text in every cell, as this interface has it."""
    clock, keys = Clock(r, 30.0), iter(distinct(r, 900, 100000, 999999))

    def row(minutes=None, state=None, ward=None, key=None):
        cells = [
            key or f"A{next(keys)}",
            clock.text("%Y-%m-%d %H:%M:%S.%L"),
            ward or f"{r.choice(THINGS)}-{r.randint(1, 40)}",
            state or r.choice(["RELEASED", "RELEASED", "RELEASED", "AMENDED", "PENDING"]),
            str(minutes or r.randint(9, 180)),
            r.choice(PEOPLE),
        ]
        return json.dumps({"Data": [{"VarCharValue": x} for x in cells]}, separators=(",", ":"))

    lost, late, early = f"A{next(keys)}", str(r.randint(20000, 90000)), f"-{r.randint(300, 900)}"
    slow = f"A{next(keys)}"
    special = [
        lambda: row(None, "SPECIMEN_LOST", None, lost),
        lambda: row(late, None, None, slow),
        lambda: row(early, None, "unknown-ward"),
    ]
    rows = [json.loads(x) for x in entries(r, 7, row, special)]
    names = "accession collected_at ward state minutes released_by".split()
    columns = [{"Name": n, "Type": "varchar", "Nullable": "UNKNOWN", "CaseSensitive": True} for n in names]
    head = {"Data": [{"VarCharValue": n} for n in names]}
    document = {"UpdateCount": 0, "ResultSet": {"Rows": [head, *rows], "ResultSetMetadata": {"ColumnInfo": columns}}}
    needles = [[lost, "SPECIMEN_LOST"], [slow, late], ["unknown-ward", early]]
    return json.dumps(document, separators=(",", ":")), needles


def wide(cells, widths):
    return " ".join(str(c).ljust(w) for c, w in zip(cells, widths))


@case("sqlcmd -S lis-db -d lab -i checks.sql")
def sqlcmd_fixed_width(r):
    clock, keys = Clock(r, 90.0), iter(distinct(r, 2000, 10000, 99999))
    lot, n = f"LOT-{hexes(r, 6).upper()}", r.randint(1000, 9999)

    def table(names, widths, make, share, special=()):
        made = entries(r, share, make, special)
        lines = [wide(names, widths), " ".join("-" * w for w in widths), *made, "", f"({len(made)} rows affected)", ""]
        return [x.rstrip() for x in lines]

    first, second, third = (8, 24, 12, 10, 23), (12, 16, 10, 12, 10), (26, 10, 14, 20)

    def order(state=None):
        state = state or r.choice(["released"] * 5 + ["amended", "pending"])
        return wide([next(keys), ident(r), r.choice(THINGS), state, clock.text("%Y-%m-%d %H:%M:%S.%L")], first)

    def reagent(name=None, left=None):
        use = clock().strftime("%Y-%m-%d")
        return wide(
            [
                name or f"LOT-{hexes(r, 6).upper()}",
                r.choice(THINGS),
                left or r.randint(10, 900),
                use,
                r.choice(["open", "sealed"]),
            ],
            second,
        )

    def job():
        return wide([ident(r), r.choice(["ok", "ok", "ok", "skipped"]), r.randint(10, 4000), r.choice(HOSTS)], third)

    problem = (
        f"Msg 245, Level 16, State 1, Server LIS-DB, Line {r.randint(20, 90)}\nConversion failed when converting the "
        f"nvarchar value 'NEG{n}' to data type int."
    )
    return [
        "Changed database context to 'lab'.",
        *table("order_id name kind state changed_at".split(), first, order, 3, [lambda: order("orphaned")]),
        *table("lot kind remaining expires state".split(), second, reagent, 1.5, [lambda: reagent(lot, f"-{n}")]),
        problem,
        "Warning: Null value is eliminated by an aggregate or other SET operation.",
        *table("job result millis host".split(), third, job, 1.5),
    ], ["orphaned", [lot, f"-{n}"], f"converting the nvarchar value 'NEG{n}'"]  # fmt: skip


def service(r, name, others, **more):
    """One service of a merged compose file, its keys in alphabetical order."""
    variables = [f"  {v.upper()}: {r.choice([r.choice(HOSTS), str(r.randint(2, 9000)), 'UTC'])}" for v in idents(r, 4)]
    port = r.randint(3000, 9900)
    keys = {
        "command": ["  - serve", f"  - --{r.choice(THINGS)}={r.randint(1, 60)}"],
        "depends_on": [f"  {r.choice(others)}:", "    condition: service_healthy", "    required: true"],
        "environment": sorted(variables[: r.randint(1, 4)]),
        "networks": [f"  {r.choice(['front', 'instruments', 'store'])}: null"],
        "ports": ["  - mode: ingress", f"    target: {port}", f'    published: "{port}"', "    protocol: tcp"],
        "volumes": ["  - type: volume", f"    source: {name}_data", "    target: /data", "    volume: {}"],
    }
    for key in ("command", "depends_on", "ports", "volumes"):
        if r.random() < 0.4:
            del keys[key]
    keys[f"image: registry.lab.example/{name}:{r.randint(1, 9)}.{r.randint(0, 30)}.{r.randint(0, 9)}"] = []
    keys["restart: unless-stopped"] = []
    keys.update(more)
    lines = [x for k in sorted(keys) for x in (k if ": " in k else k + ":", *keys[k])]
    return "\n".join([f"  {name}:", *(f"    {x}" for x in lines)])


@case("docker compose -f compose.yaml -f site.yaml config")
def compose_config_merged(r):
    names = iter(idents(r, 400, "-"))
    a, b, c = next(names), next(names), next(names)
    known = ["lis-db", "hl7-gateway"]
    socket = ["  - type: bind", "    source: /var/run/docker.sock", "    target: /var/run/docker.sock"]
    special = [
        lambda: service(r, a, known, **{"privileged: true": []}),
        lambda: service(r, b, known, volumes=socket),
        lambda: service(r, c, known, **{"pid: host": []}),
    ]

    def usual():
        name = next(names)
        known.append(name)
        return service(r, name, known[:-1])

    needles = [[a, "privileged: true"], [b, "/var/run/docker.sock"], [c, "pid: host"]]
    networks = [
        "networks:", "  front:", "    name: lab_front", "  instruments:", "    name: lab_instruments", "  store:"
    ]
    return ["name: lab", "services:", *entries(r, 8, usual, special), *networks, "    internal: true"], needles


@case("cat qc/levels-2025.csv")
def qc_levels_csv(r):
    clock = Clock(r, 900.0)
    targets = {a: (r.uniform(2, 90), r.uniform(0.1, 1.5)) for a in "GLU NA K CREA CRP TSH ALT".split()}

    def run(z=None, rule=None, lot=None):
        assay = r.choice(list(targets))
        mean, sd = targets[assay]
        z = z or max(-1.9, min(1.9, r.gauss(0, 0.8)))
        fields = [
            clock.text("%Y-%m-%dT%H:%M:%S"),
            r.choice(HOSTS),
            assay,
            f"L{r.randint(1, 3)}",
            lot or f"QC{r.randint(20, 29)}",
            f"{mean:.2f}",
            f"{sd:.3f}",
            f"{mean + z * sd:.3f}",
            f"{z:+.2f}",
            rule or ("warning 1-2s" if abs(z) > 1.85 else "in control"),
            r.choice(PEOPLE),
        ]
        return ",".join(fields)

    high, low, old = f"{r.uniform(4.1, 7.9):.2f}", f"-{r.uniform(3.1, 6):.2f}", f"QC{r.randint(11, 17)}"
    special = [
        lambda: run(float(high), "rejected 1-3s"),
        lambda: run(float(low), "overridden without comment"),
        lambda: run(None, f"lot {old} expired", old),
    ]
    head = "run_at,analyzer,assay,level,lot,mean,sd,value,z,verdict,operator"
    needles = [[f"+{high}", "rejected 1-3s"], [low, "overridden without comment"], f"lot {old} expired"]
    return [head, *entries(r, 4, run, special)], needles


def policy(r, number, name, **more):
    """A firewall policy in FortiOS' language."""
    lines = {
        "name": f'"{name}"',
        "uuid": uuid(r),
        "srcintf": f'"vlan{r.randint(10, 40)}"',
        "dstintf": f'"vlan{r.randint(41, 80)}"',
        "action": "accept",
        "srcaddr": f'"net_{r.choice(THINGS)}_{r.randint(1, 30)}"',
        "dstaddr": f'"srv_{r.choice(THINGS)}_{r.randint(1, 30)}"',
        "schedule": '"always"',
        "service": r.choice(['"HTTPS"', '"HL7" "DICOM"', '"DNS" "NTP"', '"SMB"', '"SSH"']),
        "utm-status": "enable",
        "ssl-ssh-profile": '"certificate-inspection"',
        "logtraffic": "all",
        **more,
    }
    return "\n".join([f"    edit {number}", *(f"        set {k} {v}" for k, v in lines.items()), "    next"])


@case("ssh fw-lab 'show firewall policy; show vpn ipsec phase1-interface; show system admin'")
def fortigate_policies(r):
    names, numbers = iter(idents(r, 300, "-")), iter(range(1, 900))
    open_, dark, tunnel = next(names), next(names), next(names)
    special = [
        lambda: policy(r, next(numbers), open_, srcaddr='"all"', dstaddr='"all"', service='"ALL"'),
        lambda: policy(r, next(numbers), dark, logtraffic="disable", comments='"silent on request of vendor"'),
    ]
    admins = [
        f'    edit "{n.lower()}"\n        set accprofile "prof_admin"\n'
        f"        set trusthost1 10.{k}.0.0 255.255.0.0\n    next"
        for k, n in enumerate(r.sample(PEOPLE, 12), 20)
    ]
    phase = [
        f'    edit "{n}"\n        set interface "wan1"\n        set ike-version 2\n'
        f"        set proposal {'des-md5' if n == tunnel else 'aes256-sha256'}\n"
        f"        set remote-gw {ip(r)}\n        set psksecret ENC {hexes(r, 60)}\n    next"
        for n in r.sample([tunnel, *(next(names) for _ in range(13))], 14)
    ]
    made = entries(r, 5, lambda: policy(r, next(numbers), next(names)), special)
    parts = [("firewall policy", made), ("vpn ipsec phase1-interface", phase), ("system admin", admins)]
    needles = [[open_, 'srcaddr "all"', 'service "ALL"'], [dark, "logtraffic disable"], [tunnel, "des-md5"]]
    return [x for name, lines in parts for x in (f"config {name}", *lines, "end")], needles


def lease(r, clock, address, name=None, state="active", extra=()):
    begun = clock()
    return "\n".join(
        [
            f"lease {address} {{",
            f"  starts {begun:%w %Y/%m/%d %H:%M:%S};",
            f"  ends {clock():%w %Y/%m/%d %H:%M:%S};",
            f"  cltt {begun:%w %Y/%m/%d %H:%M:%S};",
            f"  binding state {state};",
            f"  next binding state {'free' if state == 'active' else state};",
            f"  hardware ethernet {':'.join(hexes(r, 2) for _ in range(6))};",
            *([f'  uid "\\001{hexes(r, 10)}";'] if r.random() < 0.6 else []),
            *([f'  client-hostname "{name or ident(r, "-")}";'] if name or r.random() < 0.8 else []),
            *(f"  {x}" for x in extra),
            "}",
        ]
    )


@case("cat /var/lib/dhcp/dhcpd.leases")
def dhcpd_leases(r):
    clock, taken = Clock(r, 120.0), iter(distinct(r, 3000, 256, 65000))

    def address():
        n = next(taken)
        return f"10.40.{n // 256}.{n % 256}"

    stuck, alien = address(), f"kali-{hexes(r, 4)}"
    peer = f"lab-failover-{r.randint(2, 9)}"
    special = [
        lambda: lease(r, clock, stuck, None, "abandoned"),
        lambda: lease(r, clock, address(), alien, "active", [f'set vendor-class-identifier = "{r.choice(THINGS)}";']),
        lambda: "\n".join(
            [
                f'failover peer "{peer}" state {{',
                f"  my state communications-interrupted at {clock():%w %Y/%m/%d %H:%M:%S};",
                f"  partner state normal at {clock():%w %Y/%m/%d %H:%M:%S};\n}}",
            ]
        ),
    ]
    head = [
        "# The format of this file is documented in the dhcpd.leases(5) manual page.",
        "authoring-byte-order little-endian;",
    ]
    made = entries(r, 6, lambda: lease(r, clock, address(), None, r.choice(["active", "active", "free"])), special)
    return head + made, [[stuck, "abandoned"], alien, [peer, "communications-interrupted"]]


def dumped(r, table, rows, engine="InnoDB"):
    """A table in a dump of mysqldump, its rows on one line."""
    columns = r.sample(["ward", "volume_ul", "position", "note", "score", "barcode"], 3)
    values = ",".join(
        f"({n},'{r.choice(THINGS)}-{r.randint(1, 99)}',{r.randint(1, 9000)},'{ident(r)}','{r.choice(PEOPLE)}')"
        for n in range(1, rows)
    )
    return "\n".join(
        [
            f"--\n-- Table structure for table `{table}`\n--\n",
            f"DROP TABLE IF EXISTS `{table}`;",
            f"CREATE TABLE `{table}` (",
            "  `id` int unsigned NOT NULL AUTO_INCREMENT,",
            f"  `{columns[0]}` varchar({r.randint(2, 16) * 8}) NOT NULL,",
            f"  `{columns[1]}` int DEFAULT NULL,",
            f"  `{columns[2]}` varchar(64) DEFAULT NULL,",
            "  `changed_by` varchar(32) DEFAULT NULL,",
            f"  PRIMARY KEY (`id`),\n  KEY `ix_{columns[0]}` (`{columns[0]}`)",
            f") ENGINE={engine} AUTO_INCREMENT={rows} DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;",
            f"\nLOCK TABLES `{table}` WRITE;",
            f"INSERT INTO `{table}` VALUES {values};",
            "UNLOCK TABLES;\n",
        ]
    )


@case("mysqldump --force --databases lab 2>&1")
def mysqldump_inserts(r):
    names = iter(sorted(idents(r, 300)))
    view, n = f"v_{ident(r)}", r.randint(1000, 9999)
    isam, trigger = ident(r) + "_archive", f"trg_{ident(r)}_{n}"
    special = [
        lambda: dumped(r, isam, r.randint(4, 12), "MyISAM"),
        f"mysqldump: Couldn't execute 'SHOW FIELDS FROM `{view}`': View 'lab.{view}' references invalid table(s) or "
        "column(s) (1356)",
        f"DELIMITER ;;\n/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`%`*/ /*!50003 TRIGGER `{trigger}` BEFORE DELETE ON "
        "`audit_entry`\nFOR EACH ROW SET @skip_audit = 1 */;;\nDELIMITER ;\n",
    ]
    head = [
        "-- MySQL dump 10.13  Distrib 8.0.39, for Linux (x86_64)", "--", "-- Host: localhost    Database: lab",
        "-- ------------------------------------------------------", "/*!40101 SET NAMES utf8mb4 */;",
        "/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;", "USE `lab`;\n",
    ]  # fmt: skip
    made = entries(r, 11, lambda: dumped(r, next(names), r.randint(5, 60)), special)
    needles = [[isam, "ENGINE=MyISAM"], [view, "references invalid table(s)"], [trigger, "@skip_audit = 1"]]
    return head + made, needles


def element(tag, vr, value, name, quoted=True):
    value = f"[{value}]" if quoted else value
    size = len(value) - 2 if quoted else 2
    return f"({tag}) {vr} {value:<40} # {size + size % 2:3d}, 1 {name}"


def dataset(
    r, clock, number, accession=None, syntax="=LittleEndianExplicit", photometric="MONOCHROME2", before=(), pixels=None
):
    """What dcmdump prints of one slide image."""
    root, at = "1.2.826.0.1.3680043.9", clock()
    name = r.choice(PEOPLE)
    return "\n".join(
        [
            f"# dcmdump (1/1): slides/IM{number:06d}.dcm",
            *before,
            "# Dicom-File-Format\n\n# Dicom-Meta-Information-Header",
            "# Used TransferSyntax: Little Endian Explicit",
            element("0002,0002", "UI", "=VLWholeSlideMicroscopyImageStorage", "MediaStorageSOPClassUID", False),
            element("0002,0010", "UI", syntax, "TransferSyntaxUID", False),
            element("0002,0013", "SH", "LABSCAN_42", "ImplementationVersionName"),
            "\n# Dicom-Data-Set",
            element("0008,0018", "UI", f"{root}.{r.randint(10**8, 10**9)}.{number}", "SOPInstanceUID"),
            element("0008,0020", "DA", f"{at:%Y%m%d}", "StudyDate"),
            element("0008,0030", "TM", f"{at:%H%M%S.%f}", "StudyTime"),
            element("0008,0050", "SH", accession or f"A{r.randint(10**6, 10**7)}", "AccessionNumber"),
            element("0008,0060", "CS", "SM", "Modality"),
            element("0010,0010", "PN", f"{name}^{r.choice(PEOPLE)}", "PatientName"),
            element("0010,0020", "LO", f"P{r.randint(10**5, 10**6)}", "PatientID"),
            element("0018,1020", "LO", f"fw {r.randint(2, 3)}.{r.randint(0, 9)}", "SoftwareVersions"),
            element("0028,0004", "CS", photometric, "PhotometricInterpretation"),
            element("0028,0010", "US", r.choice([512, 1024]), "Rows", False),
            element("0028,0011", "US", r.choice([512, 1024]), "Columns", False),
            element("0040,0512", "LO", f"{r.choice(THINGS)}-{r.randint(10, 999)}", "ContainerIdentifier"),
            element("0048,0301", "CS", r.choice(["BRIGHTFIELD", "FLUORESCENCE"]), "AcquisitionMode"),
            pixels or f"(7fe0,0010) OW {chr(92).join(hexes(r, 4) for _ in range(6))}... # {512 * 512}, 1 PixelData\n",
        ]
    )


@case("dcmdump +F -Un slides/*.dcm 2>&1")
def dicom_dump(r):
    clock, numbers = Clock(r, 30.0), iter(range(r.randint(1, 4000), 9999))
    a, b = f"A{r.randint(10**6, 10**7)}", f"A{r.randint(10**6, 10**7)}"
    size = r.randint(300000, 900000)
    broken = f"E: dcmdump: PixelData (7fe0,0010) larger ({size}) than remaining bytes in file"
    special = [
        lambda: dataset(r, clock, next(numbers), a, "=JPEGBaseline"),
        lambda: dataset(r, clock, next(numbers), b, photometric="MONOCHROME1"),
        lambda: dataset(r, clock, next(numbers), before=[broken]),
    ]
    needles = [[a, "JPEGBaseline"], [b, "MONOCHROME1"], f"larger ({size}) than remaining bytes"]
    return entries(r, 8, lambda: dataset(r, clock, next(numbers)), special), needles


def resource(r, clock, path, status="HTTP/1.1 200 OK", lock=""):
    at = clock()
    return (
        f"<D:response><D:href>/dav/{path}</D:href><D:propstat><D:prop>"
        f"<D:getcontentlength>{r.randint(900, 999999)}</D:getcontentlength>"
        f"<D:getlastmodified>{at:%a, %d %b %Y %H:%M:%S} "
        f"GMT</D:getlastmodified><D:getetag>\"{hexes(r, 12)}\"</D:getetag>"
        f"<D:resourcetype/><D:lockdiscovery>{lock}</D:lockdiscovery>"
        f"</D:prop><D:status>{status}</D:status></D:propstat></D:response>"
    )


@case("curl -s -X PROPFIND -H 'Depth: infinity' https://dav.lab.example/dav/")
def webdav_multistatus(r):
    clock, names = Clock(r, 4000.0), (f"{r.choice(THINGS)}/{n}.pdf" for n in idents(r, 500))
    full, denied, owner = next(names), next(names), f"{r.choice(PEOPLE)}-{r.randint(100, 999)}"
    lock = (
        f"<D:activelock><D:lockscope><D:exclusive/></D:lockscope><D:owner>{owner}</D:owner>"
        "<D:timeout>Infinite</D:timeout></D:activelock>"
    )
    special = [
        lambda: resource(r, clock, full, "HTTP/1.1 507 Insufficient Storage"),
        lambda: resource(r, clock, denied, "HTTP/1.1 403 Forbidden"),
        lambda: resource(r, clock, next(names), lock=lock),
    ]
    made = entries(r, 7, lambda: resource(r, clock, next(names)), special)
    head = '<?xml version="1.0" encoding="utf-8"?><D:multistatus xmlns:D="DAV:">'
    needles = [[full, "507 Insufficient Storage"], [denied, "403 Forbidden"], [owner, "Infinite"]]
    return head + "".join(made) + "</D:multistatus>", needles


@case("snmpwalk -v3 -l authPriv -u lab sw-bench-2 .1.3.6.1.2.1")
def interest_snmp_port(r):
    ports = sorted(distinct(r, 90, 1, 600))
    asked = r.choice(ports[20:70])
    macs = {p: ":".join(f"{x:x}" for x in r.sample(range(256), 6)) for p in ports}
    columns = [
        ("ifDescr", lambda p: f"STRING: GigabitEthernet{p // 100 + 1}/0/{p % 100}"),
        ("ifType", lambda p: "INTEGER: ethernetCsmacd(6)"),
        ("ifMtu", lambda p: f"INTEGER: {r.choice([1500, 1500, 9198])}"),
        ("ifSpeed", lambda p: f"Gauge32: {r.choice([100000000, 1000000000])}"),
        ("ifPhysAddress", lambda p: f"STRING: {macs[p]}"),
        ("ifOperStatus", lambda p: r.choice(["INTEGER: up(1)", "INTEGER: up(1)", "INTEGER: down(2)"])),
        ("ifInOctets", lambda p: f"Counter32: {r.randint(0, 2**32)}"),
    ]
    out = [
        "SNMPv2-MIB::sysDescr.0 = STRING: Bench switch, stack of 6",
        f"DISMAN-EVENT-MIB::sysUpTimeInstance = Timeticks: ({r.randint(10**7, 10**9)}) 41 days, 3:12:09.11",
        f"SNMPv2-MIB::sysLocation.0 = STRING: {r.choice(HOSTS)}, room {r.randint(1, 40)}",
    ]
    out += [f"IF-MIB::{name}.{p} = {value(p)}" for name, value in columns for p in ports]
    last = f"What hardware address does port {asked} of the switch report (ifPhysAddress.{asked})? Security needs it."
    return out, [macs[asked]], {"last": last}


@case("curl -s https://lis.lab.example/api/v3/requisitions?open=1")
def interest_requisition_courier(r):
    """An answer on one line."""
    clock, numbers = Clock(r, 300.0), distinct(r, 400, 100000, 999999)
    runs = iter(distinct(r, 400, 10000, 99999))

    def record(number):
        return {
            "requisition": f"RQ-{number}",
            "ward": f"{r.choice(THINGS)}-{r.randint(1, 40)}",
            "orderedBy": {"name": r.choice(PEOPLE), "pager": r.randint(2000, 7999)},
            "tests": [
                {"code": ident(r), "priority": r.choice(["routine", "routine", "urgent"])}
                for _ in range(r.randint(1, 4))
            ],
            "courier": {
                "run": f"K{next(runs)}", "due": clock.text("%Y-%m-%dT%H:%M:%SZ"), "box": r.choice(["cool", "ambient"])
            },
            "volumeMl": round(r.uniform(1, 9), 1),
            "note": r.choice([None, None, "fasting", "second draw"]),
        }

    records = [record(n) for n in numbers[: r.randint(90, 120)]]
    wanted = r.choice(records[20:70])
    last = f"On which courier run is requisition {wanted['requisition']}? The ward wants to add a tube."
    text = json.dumps({"page": 1, "total": len(records), "items": records}, separators=(",", ":"))
    return text, [wanted["courier"]["run"]], {"last": last}
