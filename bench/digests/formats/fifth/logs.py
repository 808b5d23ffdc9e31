"""Logs of telephone switches, databases, drivers, mainframes, game engines and other less common speakers."""

from datetime import timezone

from ..case import case
from .stock import HOSTS, PEOPLE, THINGS, Clock, camel, distinct, entries, hexes, ident, idents, ip


def routine(r):
    """A message of an ordinary day in the laboratory."""
    thing, n = r.choice(THINGS), r.randint(100, 99999)
    return r.choice(
        [
            f"{ident(r)} done for {thing} {n}",
            f"received {thing} {n} from {r.choice(HOSTS)}",
            f"printed {r.randint(1, 40)} labels for {thing} {n}",
            f"{thing} {n} checked in by {r.choice(PEOPLE)}",
            f"sent {r.randint(1, 90)} results to {r.choice(HOSTS)}",
            f"queue of {thing}s holds {r.randint(0, 60)} entries",
            f"refreshed the catalogue of {thing}s in {r.randint(3, 200)} ms",
            f"{r.choice(PEOPLE)} signed {thing} {n}",
        ]
    )


def extension(r):
    return r.choice("PJSIP/ward SIP/lab PJSIP/desk IAX2/courier".split()) + f"-{r.randint(10, 99)}-{hexes(r, 8)}"


def asterisk_line(r, clock):
    call, who, n = f"C-{hexes(r, 8)}", extension(r), r.randint(2000, 7999)
    level, call, said = r.choice(
        [
            (
                "VERBOSE",
                call,
                f'pbx.c: Executing [{n}@from-wards:{r.randint(1, 14)}] NoOp("{who}", "{ident(r)}") in new stack',
            ),
            (
                "VERBOSE",
                call,
                f'pbx.c: Executing [s@macro-{r.choice(THINGS)}:{r.randint(1, 9)}] Set("{who}", "TRIES={n}") in new '
                'stack',
            ),
            ("VERBOSE", call, f"app_dial.c: Called PJSIP/{n}"),
            ("VERBOSE", call, f"app_dial.c: {who} is ringing"),
            ("VERBOSE", call, f"app_dial.c: {who} answered {extension(r)}"),
            ("VERBOSE", call, f"bridge_channel.c: Channel {who} joined 'simple_bridge' basic-bridge <{hexes(r, 8)}>"),
            ("VERBOSE", call, f"bridge_channel.c: Channel {who} left 'native_rtp' basic-bridge <{hexes(r, 8)}>"),
            ("VERBOSE", call, f"file.c: <{who}> Playing 'please-hold.slin' (language 'en')"),
            (
                "DTMF",
                call,
                f"channel.c: DTMF end '{r.randint(0, 9)}' received on {who}, duration {r.randint(60, 200)} ms",
            ),
            ("DEBUG", "", f"res_pjsip_session.c: {who}: Method is {r.choice('INVITE BYE ACK UPDATE'.split())}"),
            ("WARNING", call, f"res_rtp_asterisk.c: RTP Read too short ({r.randint(1, 11)} bytes) on {who}"),
            ("NOTICE", "", f"chan_iax2.c: Peer 'courier-{r.randint(1, 9)}' is now REACHABLE! Time: {r.randint(3, 40)}"),
        ]
    )
    return (
        f"[{clock.text('%Y-%m-%d %H:%M:%S.%L')}] {level}[{r.randint(1000, 9999)}]{f'[{call}]' if call else ''} {said}"
    )


@case("ssh pbx-2 tail -n 400 /var/log/asterisk/full")
def asterisk_full(r):
    clock = Clock(r, 1.0)
    trunk, n = f"haematology-trunk-{r.randint(2, 9)}", r.randint(1000, 9999)
    dsn = f"cdr_{r.choice(THINGS)}_{r.randint(10, 99)}"
    dropped = f"res_odbc.c: Dropped {r.randint(61, 300)} call records, connection to '{dsn}' is gone"
    needles = [
        f"'{trunk}' is now UNREACHABLE",
        f"emergency call from ward {n} not placed",
        [dsn, dropped.split(": ")[1].split(",")[0]],
    ]

    def line(level, said):
        return lambda: f"[{clock.text('%Y-%m-%d %H:%M:%S.%L')}] {level}[{r.randint(1000, 9999)}] {said}"

    special = [
        line("NOTICE", f"chan_iax2.c: Peer {needles[0]}! Time: {r.randint(2, 40)}"),
        line("ERROR", f"app_dial.c: {needles[1]}: everyone is busy or congested (2:0/2/0)"),
        line("ERROR", dropped),
    ]
    return entries(r, 4.5, lambda: asterisk_line(r, clock), special), needles


def alert_entry(r, stamp, seq):
    """One entry of an Oracle alert log: a moment, then one or more lines."""
    seq[0] += r.randint(0, 2)
    s, n, log = seq[0], r.randint(1000, 99999), r.randint(1, 4)
    return "\n".join(
        [stamp()]
        + r.choice(
            [
                [
                    f"Thread 1 advanced to log sequence {s} (LGWR switch),  current SCN: {s * 90001 + n}",
                    f"  Current log# {log} seq# {s} mem# 0: /u02/oradata/LABDB/redo0{log}a.log",
                    f"  Current log# {log} seq# {s} mem# 1: /u03/oradata/LABDB/redo0{log}b.log",
                ],
                [f"ARC{log} (PID:{n}): Archived Log entry {s} added for T-1.S-{s - 1} ID 0x{hexes(r, 8)} LAD:1"],
                [f"Resize operation completed for file# {r.randint(4, 40)}, old size {n * 8}K, new size {n * 9}K"],
                [
                    f"TABLE LAB.{ident(r).upper()}: ADDED INTERVAL PARTITION SYS_P{n} ({r.randint(900, 4000)}) "
                    f"VALUES LESS THAN (TO_DATE(' 2025-{log:02d}-01 00:00:00', 'SYYYY-MM-DD HH24:MI:SS'))"
                ],
                [
                    f"Thread 1 cannot allocate new log, sequence {s + 1}",
                    "Private strand flush not complete",
                    f"  Current log# {log} seq# {s} mem# 0: /u02/oradata/LABDB/redo0{log}a.log",
                ],
                [
                    f"LAB(3):Setting Resource Manager plan SCHEDULER[0x{hexes(r, 4)}]:DEFAULT_MAINTENANCE_PLAN "
                    "via scheduler window"
                ],
                [f'Begin automatic SQL Tuning Advisor run for special tuning task  "SYS_AUTO_SQL_TUNING_TASK_{n}"'],
                [f"Completed checkpoint up to RBA [0x{hexes(r, 4)}.2.10], SCN: {s * 90001 + n}"],
            ]
        )
    )


@case("adrci exec='show alert -tail 800'")
def oracle_alert(r):
    clock, seq = Clock(r, 40.0), [r.randint(2000, 60000)]
    file, block, table = r.randint(5, 40), r.randint(10000, 900000), f"LAB.{ident(r).upper()}_HIST"
    undo, n = r.randint(11, 59), r.randint(10000, 99999)

    def stamp():
        return f"{clock.text('%Y-%m-%dT%H:%M:%S.%L')}{r.randint(100, 999)}+02:00"

    def say(*lines):
        return lambda: "\n".join([stamp(), *lines])

    special = [
        say(
            f"Errors in file /u01/app/oracle/diag/rdbms/labdb/LABDB/trace/LABDB_ora_{n}.trc:",
            f"ORA-01578: ORACLE data block corrupted (file # {file}, block # {block})",
            f"ORA-01110: data file {file}: '/u02/oradata/LABDB/results{file}.dbf'",
        ),
        say(f"ALTER SYSTEM SET undo_retention={undo} SCOPE=BOTH;"),
        say(
            f"ORA-1652: unable to extend temp segment by {r.choice([128, 1024])} in tablespace {table.split('.')[1]}_TS"
        ),
    ]
    needles = [
        ["ORA-01578", f"file # {file}, block # {block}"],
        f"undo_retention={undo}",
        ["unable to extend temp segment", f"{table.split('.')[1]}_TS"],
    ]
    return entries(r, 4, lambda: alert_entry(r, stamp, seq), special), needles


ANALYTES = (
    ("2345-7^Glucose^LN", "mmol/L", 3.9, 6.1), ("2823-3^Potassium^LN", "mmol/L", 3.5, 5.1),
    ("2951-2^Sodium^LN", "mmol/L", 136.0, 145.0), ("718-7^Hemoglobin^LN", "g/dL", 12.0, 17.0),
    ("2160-0^Creatinine^LN", "umol/L", 53.0, 106.0), ("1988-5^CRP^LN", "mg/L", 0.0, 5.0),
)  # fmt: skip


def observation(r, k):
    code, unit, low, high = r.choice(ANALYTES)
    value = round(r.uniform(low - (high - low) * 0.1, high * 1.1), 1)
    flag = "L" if value < low else "H" if value > high else "N"
    return f"OBX|{k}|NM|{code}||{abs(value)}|{unit}|{low}-{high}|{flag}|||F"


def exchange(r, clock, number, odd=None, answer=None):
    """A result message over MLLP and its acknowledgement."""
    at, who, end = clock(), f"{r.choice(PEOPLE).upper()}^{r.choice(PEOPLE)}", f"{ip(r)}:6661"
    day, accession = at.strftime("%Y%m%d%H%M%S"), f"A{r.randint(10**7, 10**8 - 1)}"
    seen = [observation(r, k) for k in range(1, r.randint(3, 7))]
    if odd:
        seen[-1] = f"OBX|{len(seen)}|" + odd
    return "\n".join(
        [
            f"{at:%H:%M:%S.%f} <-- {end} {r.randint(300, 900)} bytes",
            rf"MSH|^~\&|LIS|LAB|EHR|{r.choice(THINGS).upper()}|{day}||ORU^R01^ORU_R01|{number}|P|2.5.1",
            f"PID|1||{r.randint(10**6, 10**7)}^^^LAB^MR||{who}||19{r.randint(30, 99)}0{r.randint(1, 9)}"
            f"1{r.randint(0, 9)}|U",
            f"OBR|1|{accession}|{accession}|24331-1^{r.choice(THINGS)} profile^LN|||{day}|||||||||||||||{day}||CH|F",
            *seen,
            f"{clock():%H:%M:%S.%f} --> {end} {r.randint(70, 90)} bytes",
            rf"MSH|^~\&|EHR|{r.choice(THINGS).upper()}|LIS|LAB|{day}||ACK^R01^ACK|K{number}|P|2.5.1",
            answer or f"MSA|AA|{number}",
        ]
    )


@case("hl7gw trace --channel results-out --raw --last 20m")
def hl7_mllp_trace(r):
    clock = Clock(r, 3.0)
    ids = iter(f"MSG{n}" for n in distinct(r, 400, 100000, 999999))
    a, b, c = next(ids), next(ids), next(ids)
    kalium, lost = f"{r.uniform(7.6, 9.4):.1f}", f"no patient visit {r.randint(10**6, 10**7)}"
    code = f"{r.randint(10000, 99999)}-{r.randint(0, 9)}"
    special = [
        lambda: exchange(r, clock, a, f"NM|2823-3^Potassium^LN||{kalium}|mmol/L|3.5-5.1|HH|||F"),
        lambda: exchange(r, clock, b, None, f"MSA|AE|{b}|{lost}"),
        lambda: exchange(r, clock, c, None, f"MSA|AR|{c}|unknown test code {code}"),
    ]
    needles = [
        f"Potassium^LN||{kalium}|mmol/L|3.5-5.1|HH", f"MSA|AE|{b}|{lost}", f"MSA|AR|{c}|unknown test code {code}"
    ]
    return entries(r, 4, lambda: exchange(r, clock, next(ids)), special), needles


def smbd(r, clock, level, where, said):
    at = clock()
    return f"[{at:%Y/%m/%d %H:%M:%S.%f}, {level:2d}, pid={r.randint(900, 40000)}] {where}\n  {said}"


def smbd_entry(r, clock):
    who = r.choice(PEOPLE).lower()
    file = (f"{r.choice(THINGS)}/{ident(r)}_{r.randint(1, 999)}.{r.choice(['pdf', 'csv', 'tif'])}")
    n, pc = r.randint(2, 40), f"bench-pc{r.randint(10, 99)}"
    return smbd(
        r, clock,
        *r.choice(
            [
                (
                    2,
                    "../../source3/smbd/open.c:1671(open_file)",
                    f"{who} opened file {file} read=Yes write=No (numopen={n})",
                ),
                (
                    2,
                    "../../source3/smbd/close.c:834(close_normal_file)",
                    f"{who} closed file {file} (numopen={n}) NT_STATUS_OK",
                ),
                (
                    3,
                    "../../source3/smbd/service.c:1130(close_cnum)",
                    f"{pc} (ipv4:{ip(r)}:{n}{n}1) closed connection to service lab",
                ),
                (1, "../../source3/smbd/service.c:867(make_connection_snum)",
                 f"{pc} (ipv4:{ip(r)}:5{n}3) connect to service results initially as user {who} (uid=1{n}, gid=100)"),
                (
                    3,
                    "../../source3/auth/auth.c:268(auth_check_ntlm_password)",
                    f"check_ntlm_password: winbind authentication for user [{who}] succeeded",
                ),
                (3, "../../source3/smbd/smb2_server.c:3961(smbd_smb2_request_error_ex)",
                 f"smbd_smb2_request_error_ex: idx[1] status[STATUS_NO_MORE_FILES] || at smb2_query_directory.c:{n}56"),
                (3, "../../source3/lib/util.c:1226(fn_stat_cache)", f"stat cache lookup of {file} took {n} us"),
                (
                    2,
                    "../../source3/smbd/dosmode.c:137(unix_mode)",
                    f"unix_mode({file}) returning 0{r.choice([640, 644, 660])}",
                ),
            ]
        ),
    )  # fmt: skip


@case("cat /var/log/samba/log.smbd")
def samba_smbd(r):
    clock = Clock(r, 2.0)
    user, n, file = f"svc_{ident(r)}", r.randint(100, 999), f"locking_{hexes(r, 6)}.tdb"
    needles = [
        [file, "tdb_expand overflow detected"],
        f"user [{user}] FAILED with error NT_STATUS_ACCOUNT_LOCKED_OUT",
        f"deleted {n * 7} files below archive/{n}",
    ]
    special = [
        lambda: smbd(
            r, clock, 0, "../../lib/util/util_tdb.c:313(tdb_log)", f"tdb(/run/samba/{file}): {needles[0][1]} size={n}7"
        ),
        lambda: smbd(
            r, clock, 2, "../../source3/auth/auth.c:346(auth_check_ntlm_password)",
            f"check_ntlm_password: winbind authentication for {needles[1]}, authoritative=1"
        ),
        lambda: smbd(
            r, clock, 2, "../../source3/smbd/close.c:411(close_remove_share_mode)",
            f"{r.choice(PEOPLE).lower()} {needles[2]} (delete on close)"
        ),
    ]  # fmt: skip
    return entries(r, 6, lambda: smbd_entry(r, clock), special), needles


def install(r, clock, device, faults=(), status="SUCCESS"):
    """One section of setupapi.dev.log."""
    form, inf, begun = "%H:%M:%S.%L", f"oem{r.randint(4, 120)}.inf", clock.text("%Y/%m/%d %H:%M:%S.%L")
    steps = [
        f"     ump: Creating Install Process: DrvInst.exe {clock.text(form)}",
        "     ndv: Retrieving device info...",
        "     ndv: Setting device parameters...",
        f"     dvi: {{Build Driver List}} {clock.text(form)}",
        "     dvi:      Searching for hardware ID(s):",
        f"     dvi:           {device.rsplit(chr(92), 1)[0].lower()}&rev_{r.randint(1, 99):04d}",
        f"     dvi:      Created Driver Node:\n     dvi:           HardwareID   - {device.rsplit(chr(92), 1)[0]}",
        "     dvi:           InfName      - "
        f"C:\\Windows\\System32\\DriverStore\\FileRepository\\{inf}_amd64_{hexes(r, 16)}",
        f"     dvi:           Rank         - 0x00ff{hexes(r, 4)}",
        f"     dvi: {{Build Driver List - exit(0x00000000)}} {clock.text(form)}",
        "     cpy: Policy is set to make all digital signatures equal.",
        f"     sto: {{Configure Driver Package: {inf}}}\n     sto:      Source Filter  = "
        f"{device.rsplit(chr(92), 1)[0].lower()}",
        f"     sto: {{Configure Driver Package: exit(0x00000000)}} {clock.text(form)}",
        f"     flq: Copying file 'C:\\Windows\\INF\\{inf}' to 'C:\\Windows\\System32\\drivers\\{ident(r)}.sys'.",
        f"     dvi: Install Device: Starting device '{device}'. {clock.text(form)}",
        f"     dvi: Install Device: Starting device completed. {clock.text(form)}",
    ]
    if r.random() < 0.3:
        steps.insert(4, "!    ndv: Unable to retrieve device description from registry, using default.")
    steps = [s for s in steps if r.random() < 0.85]
    if status != "SUCCESS":
        steps = [s for s in steps if "device completed" not in s]
    for x in faults:
        steps.insert(len(steps) - (status == "SUCCESS"), x)
    return "\n".join(
        [
            f">>>  [Device Install (Hardware initiated) - {device}]",
            f">>>  Section start {begun}",
            *steps,
            f"<<<  Section end {clock.text('%Y/%m/%d %H:%M:%S.%L')}",
            f"<<<  [Exit status: {status}]\n",
        ]
    )


@case("type C:\\Windows\\INF\\setupapi.dev.log")
def setupapi_device(r):
    clock = Clock(r, 0.4)

    def device():
        return (
            f"USB\\VID_{hexes(r, 4).upper()}&PID_{hexes(r, 4).upper()}\\{r.randint(4, 9)}&{hexes(r, 8)}&0&"
            f"{r.randint(1, 9)}"
        )

    a, b = device(), device()
    sys, code = f"{ident(r)}x64.sys", r.randint(100, 999)
    special = [
        lambda: install(
            r, clock, a, ["!!!  dvi: Device not started: problem 0x0a (CM_PROB_FAILED_START)."], "FAILURE(0xe0000219)"
        ),
        lambda: install(
            r, clock, b, [f"!!!  sig: File '{sys}' is not signed by a trusted publisher. Error = 0x800b0{code}"]
        ),
    ]
    needles = [
        [a.split("\\")[1], "CM_PROB_FAILED_START"],
        "FAILURE(0xe0000219)",
        [sys, "not signed by a trusted publisher"],
    ]
    return entries(r, 10, lambda: install(r, clock, device()), special), needles


def unified(r, clock, kind, said):
    at = clock()
    return (
        f"{at:%Y-%m-%d %H:%M:%S.%f}+0200 0x{hexes(r, 6):<8} {kind:<11} "
        f"0x{hexes(r, 5) if r.random() < 0.4 else '0':<18} "
        f"{r.randint(60, 9900):<6} {r.choice([0, 0, 0, 14, 30]):<4} {said}"
    )


def unified_line(r, clock):
    n, thing = r.randint(10, 9999), r.choice(THINGS)
    return unified(
        r, clock,
        *r.choice(
            [
                ("Default", f"kernel: (AppleUSBHost) USB device arrived, location 0x{hexes(r, 8)}, {thing} reader"),
                (
                    "Default",
                    f"labelprintd: (CUPS) [org.cups.cupsd:job] job {n} queued on {thing}-printer, {r.randint(1, 9)} "
                    "pages",
                ),
                (
                    "Info",
                    f"LabSync: (CFNetwork) [com.apple.CFNetwork:Default] Task <{hexes(r, 8)}>.<{n}> finished "
                    "successfully",
                ),
                ("Debug", f"LabSync: [org.lab.sync:store] {routine(r)}"),
                (
                    "Default",
                    f"bluetoothd: [com.apple.bluetooth:Server.LE] advertising report from {thing} tag, rssi "
                    f"-{r.randint(40, 90)}",
                ),
                (
                    "Error",
                    "mDNSResponder: [com.apple.mDNSResponder:Default] [Q" + str(
                        n
                    ) + "] DNSServiceQueryRecord got no answer, will retry",
                ),
                ("Error", f"trustd: (Security) [com.apple.securityd:ocsp] OCSP response cached, next update in {n} s"),
                ("Activity", f"locationd: (CoreLocation) session {hexes(r, 6)} began"),
                (
                    "Default",
                    f"WindowServer: [com.apple.SkyLight:default] display {r.randint(1, 3)} refreshed {n} regions",
                ),
                (
                    "Info",
                    f"powerd: [com.apple.powerd:assertions] Process LabSync.{n} Released NoIdleSleepAssertion "
                    f"age:00:00:{r.randint(10, 59)}",
                ),
            ]
        ),
    )  # fmt: skip


@case("log show --last 30m --info --debug --style default")
def macos_unified(r):
    clock = Clock(r, 0.6)
    pid, limit, volume = r.randint(400, 9000), r.randint(50, 300) * 1024, f"/Volumes/{camel(ident(r), True)}"
    sector = r.randint(10**7, 10**9)
    needles = [
        f"killing_specific_process pid {pid} [labelprintd]",
        ["LabSync", f"deny(1) file-write-create {volume}"],
        f"checksum failure in extent at block {sector}",
    ]
    special = [
        lambda: unified(
            r,
            clock,
            "Default",
            f"kernel: memorystatus: {needles[0]} (per-process-limit {limit}KB) - memorystatus_available_pages: {pid}1",
        ),
        lambda: unified(
            r, clock, "Error", f"kernel: (Sandbox) Sandbox: LabSync({pid + 31}) {needles[1][1]}/export.csv"
        ),
        lambda: unified(r, clock, "Fault", f"kernel: (apfs) obj_{hexes(r, 4)}: {needles[2]}, disk2s{r.randint(1, 5)}"),
    ]
    head = "Timestamp                       Thread     Type        Activity             PID    TTL"
    return [head, *entries(r, 9, lambda: unified_line(r, clock), special)], needles


def tunnel_block(r, clock):
    """What a client of OpenVPN leaves in the log when it comes or renews its keys."""
    who, at = f"courier-{r.randint(100, 999)}", f"{ip(r)}:{r.randint(20000, 65000)}"
    said = r.choice(
        [
            [
                f"{at} TLS: Initial packet from [AF_INET]{at}, sid={hexes(r, 8)} {hexes(r, 8)}",
                f"{at} VERIFY OK: depth=1, C=FI, O=Hospital, CN=lab-vpn-ca",
                f"{at} VERIFY OK: depth=0, C=FI, O=Hospital, CN={who}",
                f"{at} peer info: IV_VER=2.{r.randint(4, 6)}.{r.randint(0, 12)}",
                f"{at} peer info: IV_PLAT={r.choice(['linux', 'win', 'android'])}",
                f"{at} Control Channel: TLSv1.3, cipher TLSv1.3 TLS_AES_256_GCM_SHA384, peer certificate: 384 bits "
                "ECsecp384r1",
                f"{at} [{who}] Peer Connection Initiated with [AF_INET]{at}",
                f"{who}/{at} MULTI_sva: pool returned IPv4=10.8.{r.randint(0, 9)}.{r.randint(2, 250)}, IPv6=(Not "
                "enabled)",
                f"{who}/{at} SENT CONTROL [{who}]: 'PUSH_REPLY,route 10.40.0.0 255.255.0.0,ping 10,ping-restart 60' "
                "(status=1)",
            ],
            [
                f"{who}/{at} TLS: soft reset sec=3600/3600 bytes={r.randint(10**4, 10**7)}/-1 "
                f"pkts={r.randint(100, 99999)}/0",
                f"{who}/{at} VERIFY OK: depth=0, C=FI, O=Hospital, CN={who}",
                f"{who}/{at} Outgoing Data Channel: Cipher 'AES-256-GCM' initialized with 256 bit key",
            ],
            [
                f"{who}/{at} [{who}] Inactivity timeout (--ping-restart), restarting",
                f"{who}/{at} SIGUSR1[soft,ping-restart] received, client-instance restarting",
            ],
            [
                f"{at} TLS Error: TLS handshake failed",
                f"{at} SIGUSR1[soft,tls-error] received, client-instance restarting",
            ],
            [
                "MANAGEMENT: Client connected from [AF_INET]127.0.0.1:7505",
                "MANAGEMENT: CMD 'status 3'",
                "MANAGEMENT: Client disconnected",
            ],
        ]
    )  # fmt: skip
    return "\n".join(f"{clock.text('%Y-%m-%d %H:%M:%S')} {x}" for x in said)


@case("journalctl -u openvpn-server@lab --output cat")
def openvpn_server(r):
    clock = Clock(r, 0.8)
    who, spoofed = f"bench-{r.randint(1000, 9999)}", f"10.40.{r.randint(0, 255)}.{r.randint(2, 250)}"
    serial = hexes(r, 14).upper()
    needles = [
        ["CRL has expired", serial],
        ["bad source address", spoofed],
        f"--client-config-dir authentication failed for common name '{who}'",
    ]

    def say(text):
        return lambda: f"{clock.text('%Y-%m-%d %H:%M:%S')} {text}"

    special = [
        say(
            f"{ip(r)}:{r.randint(20000, 65000)} VERIFY ERROR: depth=0, error=CRL has expired: C=FI, O=Hospital, "
            f"CN=courier-{r.randint(100, 999)}, serial={serial}"
        ),
        say(
            f"courier-{r.randint(100, 999)}/{ip(r)}:1194 MULTI: bad source address from client [{spoofed}], packet "
            "dropped"
        ),
        say(f"{who}/{ip(r)}:1194 TLS Auth Error: {needles[2]}"),
    ]
    return entries(r, 4.5, lambda: tunnel_block(r, clock), special), needles


def work_block(r, clock):
    n, table = r.randint(10, 9999), ident(r).upper()
    return "\n".join(
        [f"\n{r.choice('MAB')} {clock.text('%a %b %d %H:%M:%S:%L')} 2025"]
        + r.choice(
            [
                [
                    f"M  ThCheckReqInfo: user {r.choice(PEOPLE).upper()} mode {r.randint(0, 5)}, T{n}_U{n + 7}_M0",
                    f"M  PfStatDisconnect: task {n} written to stat buffer",
                ],
                [
                    f"B  dbcalbuf: Buffer CALE  (addr: 0x{hexes(r, 12)}, size: {n * 40}, end: 0x{hexes(r, 12)})",
                    f"B  table ZLAB_{table} loaded, {n} rows",
                ],
                [
                    f"A  TH VERBOSE LEVEL FULL\nA  Z_{table}: RFC 1{n} called from {r.choice(HOSTS)}",
                    "A  ** RABAX: level LEV_RX_ROLLBACK entered and left, no change",
                ],
                [
                    f"C  OCIStmtPrepare: cursor {n} reused for ZLAB_{table}",
                    f"C  fetch of {r.randint(1, 500)} rows took {r.randint(100, 900)} us",
                ],
                [
                    "M  ThAlarmHandler : check statistics buffer",
                    f"M  ThReschedAfterCommit: call ThSaveSPAFields, req {n}",
                ],
                [
                    f"S  handle memory type is RSTSPROMMM, spool request {n}",
                    f"S  *** init spool {r.choice(THINGS)} printer, {r.randint(1, 80)} pages",
                ],
                [f"N  RSEC: The entry with identifier /RFC/LAB_{table} was read from the secure store"],
            ]
        )
    )  # fmt: skip


@case("cat /usr/sap/LP1/D00/work/dev_w4")
def sap_work_process(r):
    clock = Clock(r, 8.0)
    report, mb = f"ZLAB_{ident(r).upper()}", r.randint(2100, 7900)
    dest = f"HL7_{r.choice(THINGS).upper()}_{r.randint(10, 99)}"
    needles = [
        ["STORAGE_PARAMETERS_WRONG_SET", report],
        f"EmIExtend: extended memory exhausted at {mb} MB",
        ["partner key expired", dest],
    ]

    def say(letter, *lines):
        return lambda: "\n".join(
            [f"\n{letter} {clock.text('%a %b %d %H:%M:%S:%L')} 2025", *(f"{letter}  {x}" for x in lines)]
        )

    special = [
        say(
            "A",
            f"*** ERROR => {needles[0][0]}: report {report}, line {r.randint(20, 900)} [abrabax.c "
            f"{r.randint(100, 999)}]",
            f"RABAX: program {report}, transaction aborted",
        ),
        say("M", f"*** ERROR => {needles[1]} [emxx.c {r.randint(1000, 1999)}]"),
        say(
            "N",
            f"*** ERROR => SncPEstablishContext(): {needles[2][0]}, destination {dest} [sncxxall.c "
            f"{r.randint(100, 999)}]",
        ),
    ]
    head = [
        "-" * 51,
        'trc file: "dev_w4", trc level: 1, release: "753"',
        "-" * 51,
        "*",
        "*  ACTIVE TRACE LEVEL           1",
        "*  ACTIVE TRACE COMPONENTS      all, MJ",
        "*",
    ]  # fmt: skip
    return [*head, *entries(r, 4, lambda: work_block(r, clock), special)], needles


def console(r, clock, task, said, flag="N"):
    at = clock()
    return (
        f"{flag} {hexes(r, 7).upper()} LAB1     25{at:%j} {at:%H:%M:%S}.{r.randint(0, 99):02d} {task:<8} "
        f"{hexes(r, 8).upper()}  {said}"
    )


def console_line(r, clock):
    n = r.randint(1000, 99999)
    job, task = f"LAB{r.choice(THINGS).upper()[:5]}", f"JOB{n:05d}"
    at = f"{clock.now:%H.%M.%S}"
    return console(
        r, clock,
        *r.choice(
            [
                (task, f"$HASP373 {job:<8} STARTED - INIT {r.randint(1, 30):<4} - CLASS {r.choice('ABCK')} - SYS LAB1"),
                (task, f"IEF403I {job} - STARTED - TIME={at}"),
                (task, f"IEF404I {job} - ENDED - TIME={at}"),
                (
                    task,
                    f"-{job:<8} STEP{r.randint(1, 9):02d}   RC=00{r.choice(['00', '00', '00', '04'])}  EXCP={n:>7}  "
                    f"CPU={n % 50}.{n % 97:02d}",
                ),
                (task, f"$HASP395 {job:<8} ENDED - RC=0000"),
                (task, f"IEC070I 104-{n % 200},{job},STEP02,SYSUT1,0A{n % 90:02d},LABV{n % 99:02d},"),
                (f"STC{n:05d}", f"DFHZC3461I CICSLAB1 Node LU{n % 9999:04d} session started. {job}"),
                (f"STC{n:05d}", f"+CSQX500I LQM1 CSQXRCTL Channel LAB.{job[3:]}.{n % 90} started"),
                (f"TSU{n:05d}", f"IEF125I {r.choice(PEOPLE).upper():<8} - LOGGED ON - TIME={at}"),
                ("", f"IEA989I SLIP TRAP ID=X{n % 1000:03d} MATCHED.  JOBNAME={job}, ASID={hexes(r, 4).upper()}."),
                ("INTERNAL", f"D A,L                                   /* {r.choice(PEOPLE).upper()} */"),
                (f"STC{n:05d}", f"IEE389I MVS COMMAND PROCESSING AVAILABLE FOR {job}"),
            ]
        ),
    )  # fmt: skip


@case("zowe zos-logs list logs --range 25m")
def zos_syslog(r):
    clock = Clock(r, 1.5)
    job, device = (f"LAB{r.choice('POST BILL MOVE ARCH'.split())}{r.randint(10, 99)}"), hexes(r, 4).upper()
    user = f"XT{r.randint(1000, 9999)}"
    step, set_ = f"STEP{r.randint(10, 30)}", f"LAB.PROD.{r.choice(THINGS).upper()}.MASTER"
    needles = [[job, "ABEND=S0C7"], [device, "NO PATHS AVAILABLE"], ["INSUFFICIENT ACCESS AUTHORITY", user, set_]]
    special = [
        lambda: console(
            r, clock, f"JOB{r.randint(10000, 99999)}", f"IEF450I {job} {step} - ABEND=S0C7 U0000 REASON=00000000"
        ),
        lambda: console(r, clock, "", f"IOS002A {device},NO PATHS AVAILABLE", "M"),
        lambda: "\n".join(
            [
                console(
                    r,
                    clock,
                    f"TSU{r.randint(10000, 99999)}",
                    f"ICH408I USER({user}) GROUP(LABTEMP) NAME(EXTERNAL)",
                    "M",
                ),
                f"S                                              {set_} CL(DATASET) VOL(LABP01)",
                "E                                              INSUFFICIENT ACCESS AUTHORITY  ACCESS INTENT(UPDATE )",
            ]
        ),
    ]
    return entries(r, 4.5, lambda: console_line(r, clock), special), needles


def phrase(r):
    n, thing = r.randint(2, 9999), r.choice(THINGS)
    c = camel(ident(r), True)
    return r.choice(
        [
            (
                "INFOS",
                "org.apache.catalina.core.StandardContext.reload",
                f"Le rechargement du contexte [/{thing}] est terminé",
            ),
            ("INFOS", f"fr.hopital.labo.{c}Service.executer", f"{n} échantillons reçus de {r.choice(HOSTS)}"),
            ("PRÉCIS", f"fr.hopital.labo.{c}Depot.lire", f"lecture de la demande {n} en {n % 90 + 2} ms"),
            ("INFOS", f"fr.hopital.labo.{c}Filtre.doFilter", f"{r.choice(PEOPLE)} a consulté le dossier {n}"),
            ("INFOS", f"fr.hopital.labo.{c}Tache.run", f"prochaine exécution dans {n % 600 + 5} s"),
            (
                "PRÉCIS",
                "org.apache.catalina.session.ManagerBase.processExpires",
                f"Fin d'expiration des sessions, temps {n % 12} ms, expirées {n % 7}",
            ),
            (
                "AVERTISSEMENT",
                f"fr.hopital.labo.{c}Client.appeler",
                f"réponse lente de {r.choice(HOSTS)} ({n % 900 + 500} ms)",
            ),
            (
                "INFOS",
                f"fr.hopital.labo.{c}Edition.imprimer",
                f"étiquette {n} imprimée sur l'imprimante {thing}-{n % 20}",
            ),
            ("CONFIG", "org.apache.coyote.AbstractProtocol.setProperty", f"La propriété [{thing}Timeout] vaut [{n}]"),
        ]
    )


@case("cat /opt/tomcat/logs/catalina.log")
def catalina_francaise(r):
    clock, months = Clock(r, 2.0), "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.".split()
    names = idents(r, 3)

    def line(level, who, said):
        at = clock()
        thread = r.choice([f"http-nio-8080-exec-{r.randint(1, 40)}", f"planif-{r.randint(1, 6)}", "main"])
        return (
            f"{at.day:02d}-{months[at.month - 1]}-{at:%Y %H:%M:%S}.{at.microsecond // 1000:03d} {level} [{thread}] "
            f"{who} {said}"
        )

    wait, base = r.randint(31, 90) * 1000, f"jdbc/labo_{r.choice(THINGS)}_{r.randint(2, 9)}"
    jeton = r.randint(1000, 9999)
    trace = "\n".join(
        [
            f"\tjava.sql.SQLException: connexion refusée après {wait} ms",
            *(
                "\t\tat "
                f"fr.hopital.labo.{camel(n, True)}Depot.{camel(n)}({camel(n, True)}Depot.java:{r.randint(20, 400)})"
                for n in names
            ),
        ]
    )
    needles = [
        [f"pool de connexions [{base}] épuisé", f"refusée après {wait} ms"],
        f"lot {jeton} transmis deux fois",
        ["fuite de mémoire", camel(names[0]) + "Fil"],
    ]
    special = [
        lambda: line("GRAVE", f"fr.hopital.labo.{camel(names[0], True)}Depot.ouvrir", f"{needles[0][0]}\n{trace}"),
        lambda: line(
            "AVERTISSEMENT",
            f"fr.hopital.labo.{camel(names[1], True)}Envoi.clore",
            f"{needles[1]} au service des urgences",
        ),
        lambda: line(
            "GRAVE", "org.apache.catalina.loader.WebappClassLoaderBase.clearReferencesThreads",
            f"L'application [labo] n'a pas arrêté le fil [{needles[2][1]}], probable fuite de mémoire"
        ),
    ]  # fmt: skip
    return entries(r, 6.5, lambda: line(*phrase(r)), special), needles


def seconds(clock):
    return int(clock().replace(tzinfo=timezone.utc).timestamp())


def transaction(r, ids, clock, failure=None, took=None):
    """A request as varnishlog groups it, with its backend fetch if it was a miss."""
    n, at, took = next(ids), seconds(clock) + r.random(), took or round(r.uniform(0.004, 0.6), 6)
    path, backend = f"/{r.choice(THINGS)}s/{r.randint(1, 99999)}/{r.choice(THINGS)}.json", r.choice(HOSTS)
    hit, end = not failure and took < 9 and r.random() < 0.5, at + took
    out = [
        f"*   << Request  >> {n}",
        f"-   Begin          req {n - 1} rxreq",
        f"-   Timestamp      Start: {at:.6f} 0.000000 0.000000",
        f"-   ReqStart       {ip(r)} {r.randint(20000, 65000)} a0",
        f"-   ReqMethod      {r.choice(['GET', 'GET', 'GET', 'HEAD'])}",
        f"-   ReqURL         {path}",
        "-   ReqHeader      Host: results.lab.example",
        f"-   ReqHeader      User-Agent: {r.choice(['LabClient/4.2', 'curl/8.5.0', 'WardBoard/1.9'])}",
        "-   VCL_call       RECV",
        "-   VCL_return     hash",
    ]
    if hit:
        out += [f"-   Hit            {n - r.randint(3, 900)} {r.uniform(1, 90):.6f} 10.000000 0.000000"]
        out += ["-   VCL_call       HIT", "-   VCL_return     deliver"]
    else:
        out += ["-   VCL_call       MISS", "-   VCL_return     fetch", f"-   Link           bereq {n + 1} fetch"]
    out += [
        f"-   RespStatus     {503 if failure else r.choice([200] * 12 + [304, 404])}",
        f"-   Timestamp      Resp: {at + 0.0002 if hit else end:.6f} {0.0002 if hit else took:.6f} 0.000031",
        f"-   ReqAcct        {r.randint(100, 400)} 0 {r.randint(100, 400)} 250 {r.randint(300, 9000)} 1290",
        "-   End\n",
    ]
    if hit:
        return "\n".join(out)
    fine = [
        f"--  Timestamp      Beresp: {end:.6f} {took:.6f} {took:.6f}",
        "--  BerespStatus   200",
        f"--  TTL            RFC {r.randint(10, 600)} 10 0 {int(end)} {int(end)}",
    ]
    out += [
        f"**  << BeReq    >> {n + 1}",
        f"--  Begin          bereq {n} fetch",
        f"--  BereqURL       {path}",
        f"--  BackendOpen    {r.randint(20, 60)} {backend} {ip(r)} 8080 {ip(r)} {r.randint(20000, 65000)} connect",
        *([f"--  FetchError     {failure}", "--  VCL_call       BACKEND_ERROR"] if failure else fine),
        f"--  Length         {r.randint(300, 90000)}",
        "--  End\n",
    ]
    return "\n".join(out)


@case("varnishlog -d -g request")
def varnish_transactions(r):
    ids, clock = iter(range(r.randint(10**6, 10**7), 10**9, 3)), Clock(r, 1.0)
    down, took = f"backend bench-{r.randint(100, 999)}: unhealthy", round(r.uniform(41, 118), 6)
    short = f"wanted {r.randint(10**6, 10**7)} bytes"
    special = [
        lambda: transaction(r, ids, clock, down),
        lambda: transaction(r, ids, clock, None, took),
        lambda: transaction(r, ids, clock, f"Short read, {short}"),
    ]
    needles = [down, f"{took:.6f}", ["Short read", short]]
    return entries(r, 9, lambda: transaction(r, ids, clock), special), needles


def unreal_line(r, frame):
    frame[0] = (frame[0] + r.randint(0, 2)) % 1000
    n, asset = r.randint(2, 9999), f"/Game/Lab/{camel(ident(r), True)}/M_{camel(r.choice(THINGS), True)}"
    return r.choice(
        [
            f"LogStreaming: Display: FlushAsyncLoading({n}): 1 QueuedPackages, 0 AsyncPackages",
            f"LogUObjectGlobals: Loading package {asset}_{n}",
            f"LogAudioMixer: Display: Voice {n} started for SC_{camel(r.choice(THINGS), True)}",
            f"LogNet: Client netspeed is {n * 10}, channel {n % 90} for BP_{camel(ident(r), True)}_C",
            f"LogBlueprintUserMessages: [BP_{camel(ident(r), True)}_C_{n % 30}] {routine(r)}",
            f"LogTexture: Warning: Texture {asset}_D is not a power of two, mips are not streamed",
            f"LogGarbage: Collecting garbage, {n} objects in {n % 40 + 1}.{n % 97:02d} ms",
            f"LogAnimMontage: Display: Montage AM_{camel(ident(r), True)} blends out at {n % 9}.{n % 89:02d}",
            f"LogSlate: Took {r.uniform(0.0001, 0.02):.6f} seconds to synchronously load lazily loaded font "
            f"'{camel(r.choice(THINGS), True)}.ufont' ({n}K)",
            f"LogNavigation: Verbose: rebuilt tile ({n % 60},{n % 40}) in {n % 9}.{n % 10} ms",
        ]
    )


@case("type Saved\\Logs\\LabTrainer.log")
def unreal_client(r):
    clock, frame = Clock(r, 0.2), [r.randint(0, 999)]
    a, b = (camel(x, True) for x in idents(r, 2))
    hitch = f"{r.randint(3100, 9900)}.{r.randint(10, 99)}"
    needles = [
        "DXGI_ERROR_DEVICE_HUNG",
        [f"SaveGame slot {a}", "checksum mismatch, slot discarded"],
        [f"BP_{b}_C", f"game thread blocked {hitch} ms"],
    ]

    def stamped(text):
        return f"[{clock.text('%Y.%m.%d-%H.%M.%S:%L')}][{frame[0]:3d}]{text}"

    special = [
        lambda: stamped(
            f"LogD3D12RHI: Error: CommandQueue->Signal failed with error {needles[0]} on frame {r.randint(1000, 9999)}"
        ),
        lambda: stamped(f"LogSaveGame: Error: {needles[1][0]}_{r.randint(1, 9)}: {needles[1][1]}"),
        lambda: stamped(f"LogStats: Warning: Hitch in BP_{b}_C: {needles[2][1]}"),
    ]
    head = [
        f"Log file open, {clock():%m/%d/%y %H:%M:%S}",
        "LogWindows: Process priority set to Normal",
        "LogInit: Build: ++UE5+Release-5.4-CL-0",
    ]
    return head + entries(r, 12, lambda: stamped(unreal_line(r, frame)), special), needles


def broker_line(r, clock):
    client, at = f"{r.choice(THINGS)}-{hexes(r, 6)}", seconds(clock)
    n = r.randint(1, 65000)
    topic = (f"lab/{r.choice(THINGS)}/{r.randint(1, 400)}/{r.choice(['temp', 'state', 'lid', 'speed'])}")
    return f"{at}: " + r.choice(
        [
            f"New connection from {ip(r)}:{r.randint(20000, 65000)} on port 8883.",
            f"New client connected from {ip(r)}:{r.randint(20000, 65000)} as {client} (p2, c1, k60, "
            f"u'{ident(r, '.')}.{n}').",
            f"Sending CONNACK to {client} (0, 0)",
            f"Received SUBSCRIBE from {client}",
            f"\t{topic} (QoS {r.randint(0, 2)})",
            f"Received PUBLISH from {client} (d0, q1, r0, m{n}, '{topic}', ... ({n % 90 + 2} bytes))",
            f"Sending PUBACK to {client} (m{n}, rc0)",
            f"Sending PUBLISH to {client} (d0, q0, r0, m0, '{topic}', ... ({n % 90 + 2} bytes))",
            f"Received PINGREQ from {client}",
            f"Sending PINGRESP to {client}",
            f"Client {client} disconnected.",
            f"Client {client} closed its connection.",
        ]
    )


@case("docker logs mosquitto")
def interest_broker_user(r):
    clock = Clock(r, 1.0)
    client, user = f"{r.choice(THINGS)}-{hexes(r, 6)}", f"{ident(r, '.')}.{r.randint(65001, 99999)}"
    special = [
        lambda: (
            f"{seconds(clock)}: New client connected from {ip(r)}:{r.randint(20000, 65000)} as {client} "
            f"(p2, c1, k60, u'{user}')."
        ),
        lambda: f"{seconds(clock)}: Sending CONNACK to {client} (0, 0)",
    ]
    ask = f"Which user name does the MQTT client {client} log in with? I have to rotate its password."
    return entries(r, 5, lambda: broker_line(r, clock), special), [user], {"last": ask}


def loguru(clock, level, where, said):
    return f"{clock.text('%Y-%m-%d %H:%M:%S.%L')} | {level:<8} | {where} - {said}"


def loguru_line(r, clock):
    accession, n = f"A25-{r.randint(100000, 499999)}", r.randint(2, 999)
    place = f"{r.choice(HOSTS)}/shelf {r.randint(1, 60)}/slot {r.randint(1, 96)}{r.choice('ABCDEFGH')}"
    where = f"coldchain.{r.choice(THINGS)}:{ident(r)}:{n}"
    return loguru(
        clock,
        *r.choice(
            [
                ("DEBUG", where, f"accession {accession} put away at {place}"),
                ("DEBUG", where, f"accession {accession} taken from {place} by {r.choice(PEOPLE)}"),
                ("INFO", where, routine(r)),
                ("INFO", where, f"gripper moved {n} mm in {n % 9 + 1}.{n % 10} s"),
                ("SUCCESS", where, f"inventory of {r.choice(HOSTS)} matches, {n} tubes"),
                ("WARNING", where, f"door of {r.choice(HOSTS)} open for {n % 50 + 10} s"),
                ("TRACE", where, f"plc register {n}: 0x{hexes(r, 4)}"),
            ]
        ),
    )  # fmt: skip


@case("tail -n 600 /srv/coldchain/log/robot.log")
def interest_freezer_slot(r):
    clock = Clock(r, 2.0)
    accession = f"A25-{r.randint(500000, 999999)}"
    slot = f"shelf {r.randint(1, 60)}/slot {r.randint(1, 96)}{r.choice('ABCDEFGH')}"
    said = f"accession {accession} put away at {r.choice(HOSTS)}/{slot}"
    special = [lambda: loguru(clock, "DEBUG", f"coldchain.{r.choice(THINGS)}:{ident(r)}:{r.randint(2, 999)}", said)]
    return (
        entries(r, 9, lambda: loguru_line(r, clock), special),
        [slot],
        {"last": f"The ward is asking for accession {accession}: where did the robot put it away?"},
    )
