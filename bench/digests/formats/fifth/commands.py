"""Output of commands about disks, switches, clusters, directories, printers, databases, backups, USB and the cloud."""

from ..case import case
from .stock import HOSTS, PEOPLE, THINGS, Clock, distinct, entries, hexes, ident, idents, ip, uuid


@case("MegaCli64 -PDList -aALL -NoLog")
def megacli_disks(r):
    d = r.randint
    n = 44
    failing, predictive, hot, foreign = distinct(r, 4, 5, n - 6)
    serials = [f"ZA1{hexes(r, 5).upper()}" for _ in range(n)]
    errors, predicted, degrees = d(1100, 9000), d(11, 80), d(61, 69)
    out = ["", "Adapter #0", ""]
    for k in range(n):
        temp = degrees if k == hot else d(29, 36)
        out += [
            f"Enclosure Device ID: {8 + k // 24 * 12}", f"Slot Number: {k % 24}",
            f"Drive's position: DiskGroup: {k // 8}, Span: 0, Arm: {k % 8}",
            f"Enclosure position: {1 + k // 24}", f"Device Id: {k + 9}", f"WWN: 5000C500{hexes(r, 8).upper()}",
            "Sequence Number: 2",
            f"Media Error Count: {errors if k == failing else 0}", f"Other Error Count: {d(0, 3)}",
            f"Predictive Failure Count: {predicted if k == predictive else 0}",
            "Last Predictive Failure Event Seq Number: "
            f"{d(9000, 40000) if k == predictive else 0}", "PD Type: SAS", "",
            "Raw Size: 7.277 TB [0x3a3812ab0 Sectors]",
            "Non Coerced Size: 7.276 TB [0x3a3712ab0 Sectors]", "Coerced Size: 7.276 TB [0x3a3700000 Sectors]",
            "Sector Size:  512",
            f"Firmware state: {'Unconfigured(bad)' if k == foreign else 'Online, Spun Up'}",
            f"Device Firmware Level: E{d(1, 3):03}",
            "Shield Counter: 0", "Successful diagnostics completion on :  N/A",
            f"SAS Address(0): 0x5000c500{hexes(r, 8)}", "SAS Address(1): 0x0",
            f"Connected Port Number: {k % 2}(path0) ",
            f"Inquiry Data: SEAGATE ST8000NM0075    E002{serials[k]}            ",
            "FDE Capable: Not Capable", f"Foreign State: {'Foreign' if k == foreign else 'None'} ",
            "Device Speed: 12.0Gb/s ", "Link Speed: 12.0Gb/s ",
            "Media Type: Hard Disk Device", f"Drive Temperature :{temp}C ({temp * 9 / 5 + 32:.2f} F)",
            "PI Eligibility:  No ",
            "Drive is formatted for PI information:  No", "Port-0 :", "Port status: Active",
            "Port's Linkspeed: 12.0Gb/s ",
            f"Drive has flagged a S.M.A.R.T alert : {'Yes' if k == predictive else 'No'}", "", "",
        ]
    slot = lambda k: f"Slot Number: {k % 24}"
    return out + ["Exit Code: 0x00"], [
        [slot(failing), f"Media Error Count: {errors}"],
        [slot(predictive), f"Predictive Failure Count: {predicted}"],
        ["Unconfigured(bad)", "Foreign State: Foreign"],
        [serials[hot], f"Drive Temperature :{degrees}C"],
    ]


@case("ssh admin@core-sw2 'show interfaces extensive | no-more'")
def junos_interfaces(r):
    d = r.randint
    n = 34
    crc, flap = distinct(r, 2, 4, 23)
    duplex = d(24, n - 5)
    name = lambda k: f"{'xe' if k < 24 else 'ge'}-0/{k // 12}/{k % 12}"
    errors, flaps, out = d(20000, 900000), d(300, 900), []
    for k in range(n):
        bytes_in, bytes_out = d(10**9, 10**13), d(10**9, 10**13)
        bad = errors if k == crc else 0
        seconds = f"00:00:{d(10, 59)}" if k == flap else f"{d(10, 60)}w{d(1, 6)}d 0{d(1, 9)}:{d(10, 59)}"
        speed = "10Gbps" if k < 24 else "1000mbps"
        link = "Half-duplex" if k == duplex else "Full-duplex"
        out += [
            f"Physical interface: {name(k)}, Enabled, Physical link is Up",
            f"  Interface index: {150 + k}, SNMP ifIndex: {520 + k}, Generation: {d(160, 400)}",
            f"  Description: {r.choice(HOSTS)} {r.choice(THINGS)} uplink {d(1, 40)}",
            f"  Link-level type: Ethernet, MTU: 9192, MRU: 9200, LAN-PHY mode, Speed: {speed}, BPDU Error: None,",
            f"  Loop Detect PDU Error: None, MAC-REWRITE Error: None, Loopback: Disabled, Link-mode: {link}, Flow "
            "control: Disabled",
            "  Device flags   : Present Running", "  Interface flags: SNMP-Traps Internal: 0x4000",
            f"  Current address: {':'.join(hexes(r, 2) for _ in range(6))}",
            f"  Last flapped   : 2025-0{d(1, 6)}-{d(10, 28)} ({seconds} ago)",
            "  Statistics last cleared: Never", "  Traffic statistics:",
            f"   Input  bytes  : {bytes_in:>20} {d(10**5, 10**9):>20} bps",
            f"   Output bytes  : {bytes_out:>20} {d(10**5, 10**9):>20} bps", "  Input errors:",
            f"    Errors: {bad}, Drops: 0, Framing errors: {bad}, Runts: 0, Policed discards: 0, L3 incompletes: 0, L2 "
            "channel errors: 0,",
            "    FIFO errors: 0, Resource errors: 0", "  Output errors:",
            f"    Carrier transitions: {flaps if k == flap else d(1, 9)}, Errors: 0, Drops: "
            f"{r.choice([0, 0, 0, d(1, 40)])}, Collisions: 0, Aged packets: 0, "
            "HS link CRC errors: 0, MTU errors: 0", "  MAC statistics:                      Receive         Transmit",
            f"    CRC/Align errors        {bad:>20}                0", "  Active alarms  : None",
            "  Active defects : None", "",
        ]
    return out, [[name(crc), f"Framing errors: {errors}"], [name(flap), f"Carrier transitions: {flaps}"],
        [name(duplex), "Half-duplex"]]


@case("gcloud sql instances list --format=yaml --project=hospital-lab-prod")
def interest_gcloud_sql(r):
    d = r.randint
    names = idents(r, 46, "-")
    asked = names[d(12, 36)]
    out, answer = [], ""
    for n in names:
        version, private, zone = d(14, 16), f"10.{d(8, 90)}.{d(0, 255)}.{d(2, 250)}", f"europe-west{d(1, 4)}"
        answer = private if n == asked else answer
        out += [
            "---", "backendType: SECOND_GEN", f"connectionName: hospital-lab-prod:{zone}:{n}",
            f"createTime: '2024-0{d(1, 9)}-{d(10, 28)}T{d(10, 23)}:14:22.118Z'",
            f"databaseVersion: POSTGRES_{version}", f"etag: {hexes(r, 48)}", f"gceZone: {zone}-{r.choice('bcd')}",
            "instanceType: CLOUD_SQL_INSTANCE",
            "ipAddresses:", f"- ipAddress: {private}", "  type: PRIVATE", "kind: sql#instance",
            f"maintenanceVersion: POSTGRES_{version}_7.R2024{d(10, 12)}10.01_{d(10, 40)}",
            f"name: {n}", "project: hospital-lab-prod", f"region: {zone}", "serverCaCert:", "  certSerialNumber: '0'",
            f"  sha1Fingerprint: {hexes(r, 40)}",
            "settings:", "  activationPolicy: ALWAYS", f"  availabilityType: {r.choice(['ZONAL', 'REGIONAL'])}",
            "  backupConfiguration:", "    enabled: true",
            f"    startTime: 0{d(0, 6)}:00", f"  dataDiskSizeGb: '{d(10, 900)}'", "  dataDiskType: PD_SSD",
            f"  settingsVersion: '{d(3, 60)}'",
            f"  tier: db-custom-{2 ** d(1, 4)}-{d(2, 16) * 1920}", "  userLabels:",
            f"    owner: {r.choice(PEOPLE).lower()}", "sqlNetworkArchitecture: NEW_NETWORK_ARCHITECTURE",
            "state: RUNNABLE",
        ]
    return out, [answer], dict(last=f"I must write the connection string now: what is the private address of {asked}?")


@case("ceph -s; ceph health detail; ceph osd df tree")
def ceph_osd_tree(r):
    d = r.randint
    n = 192
    full, down, weight = distinct(r, 3, 24, n - 24)
    percent, low, pg = f"{d(93, 95)}.{d(10, 99)}", f"0.{d(11, 29)}00", f"{d(2, 9)}.{hexes(r, 2)}"
    acting = ",".join(map(str, distinct(r, 3, 0, n - 1)))
    out = [
        "  cluster:", f"    id:     {uuid(r)}", "    health: HEALTH_ERR", "            1 backfillfull osd(s)",
        "            1 osds down",
        "            Possible data damage: 1 pg inconsistent", "            90 pgs not deep-scrubbed in time", "",
        "  services:", "    mon: 3 daemons, quorum a,b,c (age 5w)",
        f"    osd: {n} osds: {n - 1} up (since 3h), {n} in (since 7M)", "",
        "  data:", "    pools:   9 pools, 4129 pgs",
        f"    objects: {d(100, 400)}.{d(10, 99)}M objects, {d(300, 600)} TiB", "",
        "HEALTH_ERR 1 backfillfull osd(s); Possible data damage: 1 pg inconsistent; 1 osds down",
        "[WRN] OSD_BACKFILLFULL: 1 backfillfull osd(s)", f"    osd.{full} is backfill full",
        "[WRN] PG_NOT_DEEP_SCRUBBED: 90 pgs not deep-scrubbed in time",
    ]

    def stale():
        day = f"2025-0{d(4, 5)}-{d(10, 28)}T{d(10, 23)}:{d(10, 59)}:{d(10, 59)}.{d(100000, 999999)}+0000"
        return f"    pg {d(1, 9)}.{hexes(r, 3)} not deep-scrubbed since {day}"

    out += [stale() for _ in range(90)]
    out += [
        "[ERR] PG_DAMAGED: Possible data damage: 1 pg inconsistent",
        f"    pg {pg} is active+clean+inconsistent, acting [{acting}]",
        "ID   CLASS  WEIGHT     REWEIGHT  SIZE     RAW USE  AVAIL    %USE   VAR   PGS  STATUS  TYPE NAME",
        " -1         1396.9920         -  1.4 PiB  947 TiB  449 TiB  67.81  1.00    -          root default",
    ]
    for k in range(n):
        if k % 12 == 0:
            name = f"host cold-store-{k // 12 + 1}"
            out.append(f"{-3 - k // 12:>3}          87.31212         -   87 TiB   59 TiB   28 TiB  67.{d(10, 99)}  "
                f"1.00    -              {name}")
        used = percent if k == full else f"{d(62, 73)}.{d(10, 99)}"
        raw, share = 7.28 * float(used) / 100, low if k == weight else "1.00000"
        out.append(
            f"{k:>3}    hdd    7.27600   {share:<7}  7.3 TiB  {raw:.1f} TiB  {7.28 - raw:.1f} TiB  {used}  "
            f"{float(used) / 67.81:.2f}  "
            f"{d(98, 131):>3}    {'down' if k == down else '  up'}              osd.{k}"
        )
    out += [
        "                         TOTAL  1.4 PiB  947 TiB  449 TiB  67.81",
        f"MIN/MAX VAR: 0.91/{float(percent) / 67.81:.2f}  STDDEV: 3.{d(10, 99)}",
    ]
    return out, [[f"pg {pg}", "inconsistent"], [percent, f"osd.{full}"], f"down osd.{down}", [low, f"osd.{weight}"]]


@case("virsh domstats --block --vcpu --balloon --interface")
def interest_virsh_domstats(r):
    d = r.randint
    names = idents(r, 26, "-")
    asked = names[d(6, 20)]
    out, answer = [], ""
    for n in names:
        out += [f"Domain: '{n}'", f"  balloon.current={d(2, 32) * 1048576}", f"  balloon.maximum={d(33, 64) * 1048576}",
            f"  balloon.rss={d(10**6, 10**8)}",
            f"  vcpu.current={d(2, 6)}", "  vcpu.maximum=8"]
        for k in range(2):
            out += [f"  vcpu.{k}.state=1", f"  vcpu.{k}.time={d(10**12, 10**14)}", f"  vcpu.{k}.wait=0",
                f"  vcpu.{k}.halted=no"]
        out += ["  net.count=1", f"  net.0.name=vnet{d(2, 90)}", f"  net.0.rx.bytes={d(10**8, 10**12)}",
            f"  net.0.rx.pkts={d(10**5, 10**9)}", "  net.0.rx.errs=0",
            f"  net.0.rx.drop={d(0, 90)}", f"  net.0.tx.bytes={d(10**8, 10**12)}", f"  net.0.tx.pkts={d(10**5, 10**9)}",
            "  net.0.tx.errs=0", "  block.count=2"]
        for k, disk in enumerate(("vda", "vdb")):
            flushes = d(10**5, 10**8)
            if n == asked and k == 1:
                answer = str(flushes)
            out += [f"  block.{k}.name={disk}", f"  block.{k}.path=/var/lib/libvirt/images/{n}-{disk}.qcow2",
                f"  block.{k}.rd.reqs={d(10**5, 10**8)}",
                f"  block.{k}.rd.bytes={d(10**9, 10**12)}", f"  block.{k}.wr.reqs={d(10**5, 10**8)}",
                f"  block.{k}.wr.bytes={d(10**9, 10**12)}",
                f"  block.{k}.fl.reqs={flushes}", f"  block.{k}.allocation={d(10**9, 10**11)}",
                f"  block.{k}.capacity={2 ** d(35, 39)}"]
        out.append("")
    return out, [answer], dict(last=f"How many flush requests has the second disk (vdb) of {asked} seen?")


@case("multipath -ll -v2")
def multipath_paths(r):
    d = r.randint
    n = 90
    failed, single, ghost = distinct(r, 3, 5, n - 6)
    names = idents(r, n, "-")
    letters = [f"sd{a}{b}" for a in "abcdefghijklmnop" for b in "abcdefghijklmnopqrstuvwxyz"][::-1]
    out = []
    for k, name in enumerate(names):
        size, tpg = d(50, 900), d(1, 8)
        policy = "queue-length 0" if k % 9 == 4 else "service-time 0"
        out += [f"mp-{name} (360002ac{hexes(r, 25)}) dm-{k + 3} 3PARdata,VV",
            f"size={size}G features='{'0' if k == ghost else '1 queue_if_no_path'}' hwhandler='1 alua' "
            f"wp={'ro' if k == single else 'rw'}"]
        for g, (prio, state) in enumerate([(0, "enabled"), (10, "active")] if k == failed else [(50, "active"),
            (10, "enabled")]):
            out.append(f"{'|-+-' if g == 0 else '`-+-'} policy='{policy}' prio={prio} status={state}")
            for i in range(2):
                dev = letters.pop()
                path = f"{d(1, 4)}:0:{d(0, 3)}:{tpg:<3} {dev} {8 + k}:{16 * d(0, 15):<4}"
                dead = k == failed and g == 0
                out.append(f"{'| ' if g == 0 else '  '}{'|-' if i == 0 else '`-'} {path} "
                    f"{'failed faulty offline' if dead else 'active ready running'}")
    return out, [[f"mp-{names[failed]}", "failed faulty offline"], [f"mp-{names[single]}", "wp=ro"],
        [f"mp-{names[ghost]}", "features='0'"]]


@case("for p in $(cat printers.txt); do echo \"## $p\"; snmpwalk -v2c -c public $p 1.3.6.1.2.1.43; done")
def snmpwalk_printers(r):
    d = r.randint
    n = 24
    empty, jam, misread = distinct(r, 3, 3, n - 4)
    hosts = [f"label-{t}-{d(1, 90)}" for t in r.sample(THINGS, n)]
    pages, tray, out = d(2_000_000_000, 2_147_000_000), d(1, 4), []
    for k, h in enumerate(hosts):
        v = lambda oid, kind, value: f"SNMPv2-SMI::mib-2.43.{oid} = {kind}: {value}"
        life = pages if k == misread else d(4000, 900000)
        out += [f"## {h}", v("5.1.1.5.1", "STRING", f'"Station {d(1, 40)}"'),
            v("5.1.1.16.1", "STRING", f'"ZT{d(2, 6)}11"'), v("5.1.1.17.1", "STRING", f'"{hexes(r, 9).upper()}"')]
        for slot in range(1, 5):
            out += [v(f"8.2.1.9.1.{slot}", "INTEGER", 250), v(f"8.2.1.10.1.{slot}", "INTEGER", d(20, 249)),
                v(f"8.2.1.13.1.{slot}", "STRING", f'"Tray {slot}"'),
                v(f"8.2.1.12.1.{slot}", "STRING", f'"{r.choice(["thermal", "ribbon", "cryo", "matte"])}"')]
        out += [v("10.2.1.4.1.1", "Counter32", life), v("10.2.1.5.1.1", "Counter32", d(1, 90))]
        for colour, slot in (("black", 1), ("resin", 2)):
            out += [v(f"11.1.1.6.1.{slot}", "STRING", f'"{colour} ribbon"'), v(f"11.1.1.8.1.{slot}", "INTEGER", 9000),
                v(f"11.1.1.9.1.{slot}", "INTEGER", 0 if k == empty and slot == 2 else d(900, 9000))]
        alert = f"PAPER JAM IN TRAY {tray}, CUTTER LOCKED" if k == jam else r.choice(["ready", "sleep mode on", "ready",
            "energy saver"])
        out += [v("16.5.1.2.1.1", "STRING", f'"{alert}"'), v("18.1.1.2.1.1", "INTEGER", 3 if k == jam else 5),
            v("18.1.1.9.1.1", "Timeticks", f"({d(10**6, 10**8)}) {d(1, 90)} days, {d(1, 23)}:14:22.10")]
    return out, [[hosts[jam], "CUTTER LOCKED"], f"Counter32: {pages}", [hosts[empty], "11.1.1.9.1.2 = INTEGER: 0"]]


@case("sqlcmd -S lis-01 -d LabResults -Q \"DBCC CHECKDB WITH ALL_ERRORMSGS\"")
def dbcc_checkdb(r):
    d = r.randint
    tables = ["dbo." + "".join(p.capitalize() for p in n.split("_")) for n in idents(r, 500)]
    bad, orphan, *tables = tables
    page = f"1:{d(10000, 900000)}"

    def table():
        k = d(0, len(tables) - 1)
        rows, pages = d(0, 900000), d(1, 20000)
        name = tables.pop(k)
        return (f"DBCC results for '{name.split('.')[1]}'.\nThere are {rows} rows in {pages} pages for object "
            f"\"{name}\"." if d(0, 4) else
            f"DBCC results for '{name.split('.')[1]}'.\nThere are {rows} rows in {pages} pages for object "
            f"\"{name}\".\nService Broker Msg 9675, State 1: Message Types analyzed: {d(2, 20)}.")

    obj = d(10**8, 2 * 10**9)
    special = [
        f"Msg 8928, Level 16, State 1, Server LIS-01, Line 1\nObject ID {obj}, index ID 1, partition ID "
        f"7205759{d(10**9, 10**10)}, alloc unit ID 7205759{d(10**9, 10**10)} (type In-row data): "
        f"Page ({page}) could not be processed.  See other errors for details.\nMsg 8939, Level 16, State 98, Server "
        f"LIS-01, Line 1\nTable error: Object ID {obj}, index ID 1, page ({page}). Test "
        f"(IS_OFF (BUF_IOERR, pBUF->bstat)) failed.\nDBCC results for '{bad.split('.')[1]}'.\nThere are "
        f"{d(1000, 9000)} rows in {d(20, 90)} pages for object \"{bad}\".\nCHECKDB found 0 allocation errors and 2 "
        f"consistency errors in table '{bad.split('.')[1]}' (object ID {obj}).",
        f"Msg 8951, Level 16, State 1, Server LIS-01, Line 1\nTable error: table '{orphan.split('.')[1]}' (ID "
        f"{d(10**8, 10**9)}). Data row does not have a matching index row in the index "
        f"'IX_{orphan.split('.')[1]}_Barcode' (ID 3).\nDBCC results for '{orphan.split('.')[1]}'.\nThere are "
        f"{d(1000, 9000)} rows in {d(20, 90)} pages for object \"{orphan}\".",
    ]
    tail = ["CHECKDB found 0 allocation errors and 3 consistency errors in database 'LabResults'.",
        "repair_allow_data_loss is the minimum repair level for the errors found by DBCC CHECKDB (LabResults).",
        "DBCC execution completed. If DBCC printed error messages, contact your system administrator."]
    head = ["DBCC results for 'LabResults'.", "Service Broker Msg 9668, State 1: Service Queues analyzed: 3.",
        "Service Broker Msg 9667, State 1: Services analyzed: 3."]
    return head + entries(r, 9, table, special) + tail, [[f"Page ({page})", "could not be processed"],
        ["does not have a matching index row", f"IX_{orphan.split('.')[1]}_Barcode"], "repair_allow_data_loss"]


@case("for a in $(nomad job allocs -t '{{range .}}{{.ID}} {{end}}' lims); do nomad alloc status $a; done")
def nomad_allocs(r):
    d = r.randint
    clock = Clock(r, 20)
    groups = idents(r, 30, "-")
    oom, artifact, old = distinct(r, 3, 4, 25)
    limit, sha, version = d(3, 9) * 128, hexes(r, 8), d(11, 40)
    out = []
    for k, g in enumerate(groups):
        now = lambda: clock.text("%Y-%m-%dT%H:%M:%SZ")
        status = "failed" if k in (oom, artifact) else "running"
        events = [("Received", "Task received by client"), ("Task Setup", "Building Task Directory"),
            ("Downloading Artifacts", "Client is downloading artifacts")]
        if k == artifact:
            events += [("Failed Artifact Download",
                f"failed to download artifact \"https://pkg.lab/{g}.tgz\": checksum did not match: expected {sha}"),
                ("Not Restarting", "Error was unrecoverable")]
        else:
            events += [("Started", "Task started by client")] + [("Signaling", "Template re-rendered")] * d(0, 3)
        if k == oom:
            events += [("Terminated", "Exit Code: 137, Exit Message: \"OOM Killed\""),
                ("Not Restarting", "Exceeded allowed attempts 3 in interval 30m0s and mode is \"fail\"")]
        used = limit if k == oom else d(40, 250)
        out += [
            f"ID                  = {uuid(r)}", f"Eval ID             = {hexes(r, 8)}",
            f"Name                = lims.{g}[0]", f"Node ID             = {hexes(r, 8)}",
            f"Node Name           = {r.choice(HOSTS)}", "Job ID              = lims",
            f"Job Version         = {version - 7 if k == old else version}", f"Client Status       = {status}",
            "Client Description  = " + ("Failed tasks" if status == "failed" else "Tasks are running"),
            "Desired Status      = run", f"Created             = {d(1, 20)}d{d(1, 23)}h ago",
            "", "Allocation Addresses:", "Label  Dynamic  Address", f"*http  yes      {ip(r)}:{d(20000, 31999)}", "",
            f'Task "{g}" is "{"dead" if status == "failed" else "running"}"', "Task Resources:",
            "CPU          Memory           Disk     Addresses",
            f"{d(2, 480)}/500 MHz  {used}/{limit if k == oom else 256} MiB  300 MiB", "", "Recent Events:",
            "Time                  Type                      Description",
            *[f"{now()}  {t:<24}  {text}" for t, text in events], "",
        ]
    return out, [[groups[oom], "OOM Killed"], [groups[artifact], "checksum did not match", sha],
        [f"lims.{groups[old]}[0]", f"Job Version = {version - 7}"]]


@case("lsusb -v 2>/dev/null")
def lsusb_verbose(r):
    d = r.randint
    kinds = ["Barcode Scanner", "Label Printer", "Card Reader", "Balance", "Pipette Dock", "Plate Reader",
        "Fridge Probe", "Keypad"]
    n = 34
    hungry, reset = distinct(r, 2, 4, n - 4)
    names = [f"{r.choice(kinds)} {r.choice(THINGS).capitalize()}-{x}" for x in distinct(r, n, 100, 990)]
    power, out = d(720, 890), []
    for k in range(n):
        vendor, product = hexes(r, 4), hexes(r, 4)
        kind = names[k]
        out += [
            "", f"Bus {1 + k // 12:03} Device {2 + k % 12:03}: ID {vendor}:{product} LabTech {kind}",
            "Device Descriptor:", "  bLength                18", "  bDescriptorType         1",
            f"  bcdUSB               {r.choice(['2.00', '2.00', '1.10'])}", "  bDeviceClass            0 ",
            "  bMaxPacketSize0        64", f"  idVendor           0x{vendor} LabTech",
            f"  idProduct          0x{product} {kind}", f"  bcdDevice            {d(1, 4)}.{d(10, 99)}",
            "  iManufacturer           1 LabTech", f"  iProduct                2 {kind}",
            f"  iSerial                 3 {hexes(r, 10).upper()}", "  bNumConfigurations      1",
            "  Configuration Descriptor:", "    bLength                 9", "    wTotalLength       0x0022",
            "    bNumInterfaces          1", "    bConfigurationValue     1", "    bmAttributes         0xa0",
            "      (Bus Powered)", "      Remote Wakeup",
            f"    MaxPower              {power if k == hungry else r.choice([98, 100, 200, 500])}mA",
            "    Interface Descriptor:", "      bInterfaceNumber        0",
            "      bInterfaceClass         "
            f"{r.choice(['3 Human Interface Device', '255 Vendor Specific Class', '2 Communications'])}",
            f"      bNumEndpoints           {d(1, 3)}",
            "        bEndpointAddress     0x81  EP 1 IN", "        bmAttributes            3",
            "        wMaxPacketSize     0x0008  1x 8 bytes", f"        bInterval              {r.choice([1, 8, 10])}",
            "Device Status:     0x0000" if k != reset else "can't get debug descriptor: Resource temporarily "
            "unavailable\ncannot read device status, Input/output error (5)",
            *(["  (Bus Powered)"] if k != reset else []),
        ]
    return out, [[names[hungry], f"{power}mA"], [names[reset], "cannot read device status"]]


@case("borg create --list --stats --show-rc /mnt/vault::{hostname}-{now} /srv/lab 2>&1")
def borg_create(r):
    d = r.randint
    names = idents(r, 300)
    lost, unread, changed = names.pop(), names.pop(), names.pop()
    t, u, v = r.sample(sorted(THINGS)[5:-5], 3)
    name = f"{r.choice(HOSTS)}-2025-06-11T02:00:04"
    folder = lambda: f"srv/lab/{r.choice(THINGS)}s/{d(2019, 2025)}/{r.choice(names)}"

    def line():
        f = folder()
        return r.choice([
            f"U {f}.dcm", f"U {f}.hl7", f"U {f}_{d(1, 900)}.tif", f"A {f}.csv", f"M {f}.sqlite", f"d {f}",
            f"U {f}.xml.gz", f"s {f}_latest", f"x {f}.tmp", f"A {f}_{hexes(r, 6)}.json", f"h {f}.raw",
        ])

    special = [
        f"/srv/lab/{t}s/2025/{lost}.key: open: [Errno 13] Permission denied: '{lost}.key'\nE "
        f"srv/lab/{t}s/2025/{lost}.key",
        f"C srv/lab/{u}s/2025/{changed}.sqlite",
        f"/srv/lab/{v}s/2024/{unread}.vol: read: [Errno 5] Input/output error: '{unread}.vol'\nE "
        f"srv/lab/{v}s/2024/{unread}.vol",
    ]
    body = sorted(entries(r, 12, line, special), key=lambda x: x.split("\n")[-1][2:])
    rows = ["-" * 78, "Repository: /mnt/vault", f"Archive name: {name}", f"Archive fingerprint: {hexes(r, 64)}",
        "Time (start): Wed, 2025-06-11 02:00:09",
        f"Duration: {d(20, 50)} minutes {d(2, 59)}.{d(10, 99)} seconds", f"Number of files: {len(body)}",
        "Utilization of max. archive size: 0%", "-" * 78,
        "                       Original size      Compressed size    Deduplicated size",
        f"This archive:                1.{d(10, 99)} TB            812.{d(10, 99)} GB  "
            f"            3.{d(10, 99)} GB",
        f"All archives:               {d(40, 90)}.{d(10, 99)} TB             31.{d(10, 99)} TB              "
        f"1.{d(10, 99)} TB", "-" * 78, "terminating with warning status, rc 1"]
    return [f'Creating archive at "/mnt/vault::{name}"', *body, *rows], [
        [f"{lost}.key", "Permission denied"], [f"{unread}.vol", "Input/output error"],
        [f"C srv/lab/{u}s/2025/{changed}.sqlite"], ["warning status, rc 1"]]


@case("LANG=fr_FR.UTF-8 lpstat -t -l")
def lpstat_francais(r):
    d = r.randint
    n = 60
    names = [f"{r.choice(['etiquettes', 'laser', 'zebra', 'couleur'])}-{x}" for x in idents(r, n, "-")]
    stopped, refused, stuck = r.sample(names[8:52], 3)
    offices = "accueil bactériologie hématologie réanimation pharmacie urgences archives congélation".split()

    def day():
        k = d(1, 28)  # the first of that June was a Sunday
        name = "sam. dim. lun. mar. mer. jeu. ven.".split()[k % 7]
        return f"{name} {k:02} juin 2025 {d(6, 20):02}:{d(10, 59)}:{d(10, 59)}"

    jobs, filtre = d(180, 900), f"rastertolabel{d(2, 9)}"
    out = ["l’ordonnanceur est en cours d’exécution", f"destination par défaut du système : {names[0]}"]
    ways = ["socket", "ipp", "lpd"]
    out += [f"matériel pour {x} : {r.choice(ways)}://{ip(r)}:{r.choice([9100, 631, 515])}/" for x in names]
    for x in names:
        if x != refused:
            out.append(f"{x} accepte des requêtes depuis {day()}")
        else:
            out.append(f"{x} n’accepte pas les requêtes depuis {day()} -\n\tquota du service dépassé, voir la "
                "comptabilité")
    for x in names:
        if x == stopped:
            state = f"l’imprimante {x} est désactivée depuis {day()} -\n"
            state += f"\tFilter failed: {filtre} terminé par le signal 11"
        elif x == stuck:
            state = f"l’imprimante {x} imprime {x}-{d(100, 900)}. activée depuis {day()}\n"
            state += f"\tconnexion refusée, {jobs} travaux en attente"
        else:
            state = f"l’imprimante {x} est inactive. activée depuis {day()}"
        out += [state, "\tFormulaire monté :", "\tTypes de contenu : any",
            f"\tDescription : imprimante du service {r.choice(offices)}",
            f"\tEmplacement : bâtiment {r.choice('ABCD')}, {d(2, 6)}e étage",
            "\tConnexion : direct", f"\tInterface : /etc/cups/ppd/{x}.ppd", "\tEn cas d’erreur : aucune alerte",
            f"\tUtilisateurs autorisés : {r.choice(['(tous)', '(tous)', 'labo'])}", "\tBannières requises"]
    out += [f"{r.choice(names)}-{d(1000, 9999)} {r.choice(PEOPLE).lower():<12} {d(1024, 90000):>8}   {day()}"
        for _ in range(30)]
    return out, [[stopped, f"{filtre} terminé par le signal 11"], [refused, "quota du service dépassé"],
        [stuck, f"{jobs} travaux en attente"]]


@case("repadmin /showrepl * /verbose")
def repadmin_showrepl(r):
    d = r.randint
    sites = ["Zentral", "Nord", "Forschung"]
    servers = [f"DC{k:02}" for k in range(1, 9)]
    parts = ["DC=lab,DC=hospital", "CN=Configuration,DC=lab,DC=hospital",
        "CN=Schema,CN=Configuration,DC=lab,DC=hospital", "DC=DomainDnsZones,DC=lab,DC=hospital"]
    links = [(a, p, b) for a in servers for p in parts for b in servers if a != b and (int(a[2:]) + int(b[2:])) % 3]
    broken, tomb = (links[k] for k in distinct(r, 2, 14, len(links) - 12))
    fails, out, last = d(300, 4000), [], None
    at = lambda server: f"{sites[int(server[2:]) % 3]}\\{server}"
    when = lambda: f"2025-06-11 {d(6, 9):02}:{d(10, 59)}:{d(10, 59)}"
    for link in links:
        server, part, source = link
        if server != last:
            out += ["", f"Repadmin: running command /showrepl against full DC {server}.lab.hospital", at(server),
                "DSA Options: IS_GC", "Site Options: (none)",
                f"DSA object GUID: {uuid(r)}", f"DSA invocationID: {uuid(r)}", "",
                "==== INBOUND NEIGHBORS ======================================"]
            last = server
        out += ["", part, f"    {at(source)} via RPC", f"        DSA object GUID: {uuid(r)}",
            f"        Address: {uuid(r)}._msdcs.lab.hospital",
            "        SYNC_ON_STARTUP DO_SCHEDULED_SYNCS WRITEABLE",
            f"        USNs: {d(10**6, 10**8)}/OU, {d(10**6, 10**8)}/PU"]
        if link == broken:
            out += [f"        Last attempt @ {when()} failed, result 1908 (0x774):",
                "            Could not find the domain controller for this domain.",
                f"        {fails} consecutive failure(s).",
                f"        Last success @ 2025-0{d(2, 4)}-{d(10, 28)} 03:12:40."]
        elif link == tomb:
            out += [f"        Last attempt @ {when()} failed, result 8614 (0x21a6):",
                "            The Active Directory cannot replicate with this server because the time since the last "
                "replication "
                "with this server has exceeded the tombstone lifetime."]
        else:
            out += [f"        Last attempt @ {when()} was successful."]
    return out, [[broken[2], "1908", "Could not find the domain controller", f"{fails} consecutive failure"],
        [tomb[2], "exceeded the tombstone lifetime"]]


@case("lldpctl -f keyvalue")
def interest_lldp_port(r):
    d = r.randint
    systems = ["Arista Networks EOS 4.31.2F", "Cumulus Linux 5.9.1", "Cisco IOS XE 17.9.4"]
    names = [f"{n}-sw" for n in idents(r, 56, "-")]
    asked = names[d(15, 44)]
    out, answer = [], ""
    for k, n in enumerate(names, 1):
        port = f"{r.choice(['Ethernet', 'GigabitEthernet', 'swp'])}{d(1, 4)}/{d(1, 60)}/{d(1, 4)}"
        p = f"lldp.enp{k}s0f0"
        answer = f"{p}.port.ifname={port}" if n == asked else answer
        out += [f"{p}.via=LLDP", f"{p}.rid={k}", f"{p}.age={d(1, 90)} days, 0{d(0, 9)}:{d(10, 59)}:{d(10, 59)}",
            f"{p}.chassis.mac={':'.join(hexes(r, 2) for _ in range(6))}", f"{p}.chassis.name={n}",
            f"{p}.chassis.descr={r.choice(systems)}",
            f"{p}.chassis.mgmt-ip={ip(r)}", f"{p}.chassis.Bridge.enabled=on",
            f"{p}.chassis.Router.enabled={r.choice(['on', 'off'])}", f"{p}.port.ifname={port}",
            f"{p}.port.descr={ident(r, ' ')} {d(1, 90)}", f"{p}.port.ttl=120", f"{p}.vlan.vlan-id={d(10, 900)}",
            f"{p}.vlan.pvid=yes"]
    return out, [answer], dict(last=f"The cable to {asked} has to be traced. On which port of it do we hang?")
