"""Logs of a film studio: render workers, routers, mail, middleware, storage, a cluster, a broadcaster's playout."""

import json

from ..case import case
from .stock import DEEDS, HOSTS, PEOPLE, THINGS, Clock, distinct, entries, fill, hexes, ident, ip


def shot(r):
    return f"{r.choice(['ODE', 'KRA', 'MIN', 'VLT'])}_{r.randint(10, 99)}_{r.randint(1, 99) * 10:04d}"


def deadline_task(r, clock, lines, took, end=None):
    """What a worker prints around one task; `lines` are those of the renderer, `end` is how it failed, if it did."""
    task, frame = r.randint(0, 400), r.randint(1001, 1900)
    say = [
        f"0: Render Thread - Rendering task {task}",
        f"0: Task timeout is {r.choice([3600, 7200, 10800])} seconds and is being monitored",
        f"0: INFO: Starting frame {frame} of {shot(r)}",
    ]
    say += [f"0: STDOUT: {x}" for x in lines]
    say += [f"0: {end}"] if end else [
        f"0: STDOUT: Saved /farm/out/{shot(r)}/beauty.{frame}.exr ({r.randint(9, 88)}.{r.randint(0, 9)} MB)",
        f"0: INFO: Frame {frame} finished, render time {took}",
    ]
    say += r.sample(
        [
            "0: Done executing plugin command of type 'Render Task'",
            f"Scheduler - Previously-acquired limits: [Deadline.Scheduling.LimitGroupStub: redshift-{hexes(r, 4)}]",
            "Scheduler - Returning limit stubs not in use.",
            f"Info Thread - requesting worker info thread quit: {r.choice(['False', 'no'])}",
        ],
        2,
    )
    return "\n".join(f"{clock.text('%Y-%m-%d %H:%M:%S')}:  {x}" for x in say)


def redshift(r):
    """Renderer lines of an ordinary frame, some of them odd but harmless."""
    gpus = r.randint(1, 2)
    some = [
        f"[redshift] Block {r.randint(1, 240)}/240 ({r.randint(0, 19)},{r.randint(0, 11)}) by GPU {k % gpus} "
        f"in {r.randint(60, 900)}ms"
        for k in range(r.randint(2, 7))
    ]
    more = [
        f"[redshift] Extracting geometry time: {r.uniform(0.2, 9):.2f}s",
        f"[redshift] Allocated {r.randint(2, 19)}.{r.randint(0, 9)} GB of texture cache",
        f"[redshift] Warning: light '{ident(r)}' has zero samples, using default",
        f"[redshift] Denoising with OptiX pass {r.randint(1, 3)}",
        f"[redshift] Loaded proxy /farm/lib/{r.choice(THINGS)}_{r.randint(1, 40)}.rs in {r.randint(4, 900)}ms",
        f"[redshift] Cryptomatte manifest holds {r.randint(20, 900)} names",
    ]
    return some + r.sample(more, r.randint(1, 3))


@case("tail -n 900 /var/log/Thinkbox/Deadline10/deadlineslave-farm-a-0.log")
def deadline_worker(r):
    clock = Clock(r, 6)
    slow = f"{r.randint(3, 6)}h {r.randint(10, 59)}m {r.randint(1, 59)}s"
    asset = f"/farm/lib/{ident(r)}_{r.randint(100, 999)}.rs"
    code = f"exit code {r.choice([-1073741819, -1073740791, -1073741571])}"
    gpu = f"GPU {r.randint(2, 7)} fell off the bus"

    def normal():
        took = f"{r.randint(1, 6)}m {r.randint(1, 59)}s"
        return deadline_task(r, clock, redshift(r), took)

    def failed():
        lines = redshift(r)[:3] + [f"[redshift] Proxy {asset} is truncated, drawing a bounding box"]
        return deadline_task(r, clock, lines, f"{r.randint(1, 6)}m {r.randint(1, 59)}s")

    def crashed():
        end = f"Error: RenderPluginException : Renderer returned {code}"
        return deadline_task(r, clock, redshift(r) + [f"[redshift] CUDA error 719: {gpu}"], "", end)

    special = [failed, crashed, lambda: deadline_task(r, clock, redshift(r), slow)]
    return fill(r, 7, normal, special), [f"render time {slow}", [asset, "truncated"], code, gpu]


def mac(r):
    return ":".join(hexes(r, 2).upper() for _ in range(6))


def router_line(r):
    lan, who, d = f"10.20.{r.randint(0, 9)}.{r.randint(2, 250)}", r.choice(PEOPLE).lower(), r.randint
    outer = f"{d(31, 99)}.{d(1, 250)}.{d(1, 250)}.{d(1, 250)}"
    return r.choice(
        [
            f"dhcp,info dhcp-stage assigned {lan} for {mac(r)} {r.choice(THINGS)}-{d(1, 60)}",
            f"dhcp,info dhcp-stage deassigned {lan} for {mac(r)} {r.choice(THINGS)}-{d(1, 60)}",
            f"wireless,info {mac(r)}@wlan{d(1, 3)}: connected, signal strength -{d(41, 78)}",
            f"wireless,info {mac(r)}@wlan{d(1, 3)}: disconnected, received deauth: sending station leaving (3)",
            f"firewall,info drop-wan input: in:ether1-wan out:(unknown 0), connection-state:new src-mac {mac(r)}, "
            f"proto TCP (SYN), {outer}:{d(1024, 65000)}->82.14.7.2:{r.choice([22, 23, 445, 8291])}, len {d(40, 60)}",
            f"firewall,info guest forward: in:vlan40 out:ether1-wan, connection-state:new proto UDP, "
            f"{lan}:{d(1024, 65000)}->{outer}:443, len {d(200, 1278)}",
            f"system,info,account user {who} logged in from {lan} via {r.choice(['ssh', 'winbox'])}",
            f"system,info,account user {who} logged out from {lan} via {r.choice(['ssh', 'winbox'])}",
            f"system,error,critical login failure for user {r.choice(['root', 'admin', 'ubnt'])} from {outer} via ssh",
            f"interface,info ether{d(2, 8)} link {r.choice(['up (speed 1G, full duplex)', 'down'])}",
            f"script,info backup of {r.choice(['config', 'leases', 'queues'])} sent to vault-2 ({d(20, 900)} KiB)",
            f"ipsec,info the packet is retransmitted by {outer}[500].",
            f"system,info dhcp lease {lan} changed by {who}",
        ]
    )


@case("ssh noc@gw-stage '/log print without-paging'")
def mikrotik_print(r):
    clock = Clock(r, 9)
    when = lambda text: lambda: f" {clock.text('%Y-%m-%d %H:%M:%S')} {text}"
    intruder = f"185.{r.randint(10, 250)}.{r.randint(1, 250)}.{r.randint(2, 250)} via winbox"
    rule = f"filter rule \"drop-wan\" {r.choice(['disabled', 'removed'])} by {r.choice(PEOPLE).lower()}"
    boot = "router was rebooted without proper shutdown, probably power outage"
    psu = f"PSU{r.randint(1, 2)} voltage {r.randint(3, 8)}.{r.randint(1, 9)} V, expected 24 V"
    special = [
        when(f"system,info,account user backup logged in from {intruder}"),
        when(f"system,info {rule}"),
        when(f"system,error,critical {boot}"),
        when(f"system,health,warning {psu}"),
    ]
    return entries(r, 5, lambda: when(router_line(r))(), special), [intruder, rule, "without proper shutdown", psu]


def exim_id(r):
    letters = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz0123456789"
    return f"1t{''.join(r.choice(letters) for _ in range(4))}-{''.join(r.choice(letters) for _ in range(11))}"


TLS = "X=TLS1.3:TLS_AES_256_GCM_SHA384:256"


def exim_mail(r, clock):
    """The lines of one message, from its arrival to its end."""
    now = lambda: clock.text("%Y-%m-%d %H:%M:%S")
    before = [f"{now()} no host name found for IP address {ip(r)}"] if r.random() < 0.15 else []
    key, who = exim_id(r), f"{r.choice(PEOPLE).lower()}@{r.choice(['lumen-films', 'odeon-post', 'castline'])}.example"
    to = f"{r.choice(PEOPLE).lower()}@{r.choice(['studio', 'dailies.studio', 'post.studio'])}.example"
    host = f"mx{r.randint(1, 4)}.{who.split('@')[1]}"
    size, k = r.randint(1800, 950000), r.randint(0, 8)
    sent = f"H={host} [{ip(r)}]"
    out = before + [f"{now()} {key} <= {who} {sent} P=esmtps {TLS} CV=yes S={size} id={hexes(r, 9)}@{host}"]
    if k < 4:
        out.append(f"{now()} {key} => {to.split('@')[0]} <{to}> R=local_user T=maildir_home")
    elif k < 7:
        out.append(
            f"{now()} {key} => {to} R=dnslookup T=remote_smtp H=in.{to.split('@')[1]} [{ip(r)}] {TLS} CV=yes "
            f'C="250 2.0.0 Ok: queued as {hexes(r, 10).upper()}"'
        )
    elif k < 8:
        out.append(
            f"{now()} {key} == {to} R=dnslookup T=remote_smtp defer (-44) H=in.{to.split('@')[1]}: SMTP error from "
            "remote mail server after RCPT TO: 450 4.2.0 Greylisted, try again in 5 minutes"
        )
        out.append(f"{now()} {key} => {to} R=dnslookup T=remote_smtp H=in.{to.split('@')[1]} [{ip(r)}] {TLS} CV=yes")
    else:
        out.append(f"{now()} {key} -> {to.split('@')[0]} <{to}> R=virtual_alias T=lmtp_dovecot QT={r.randint(1, 4)}s")
    return "\n".join([*out, f"{now()} {key} Completed"])


@case("zcat -f /var/log/exim4/mainlog.1")
def exim_mainlog(r):
    clock = Clock(r, 5)
    now = lambda: clock.text("%Y-%m-%d %H:%M:%S")
    client = f"premiere@{r.choice(['grandcinema', 'filmbourse', 'arthaus-verleih'])}.example"
    space = f"spool directory space check failed: space={r.randint(300, 1900)}"
    listed = f"554 5.7.1 Service unavailable; client host [82.14.7.{r.randint(3, 90)}] blocked using zen"
    many = f"{r.randint(1200, 4800)} recipients"
    special = [
        lambda: f"{now()} {exim_id(r)} ** {client} R=dnslookup T=remote_smtp H=mx.{client.split('@')[1]} [{ip(r)}]: "
        f"SMTP error from remote mail server after RCPT TO: {listed}",
        lambda: f"{now()} {space} inodes={r.randint(10, 90)}",
        lambda: f"{now()} {exim_id(r)} <= lucio@studio.example H=([{ip(r)}]) P=esmtpsa {TLS} CV=no A=plain_login:lucio "
        f"S={r.randint(2000, 4000)} for {many}",
    ]
    return fill(r, 6, lambda: exim_mail(r, clock), special), [
        [client, "554 5.7.1"], "spool directory space check failed", ["A=plain_login:lucio", many],
    ]


def weblogic_line(r, clock, host, level, area, code, message):
    t = clock()
    when = t.strftime("%b %-d, %Y %-I:%M:%S,") + f"{t.microsecond // 1000:03d} {t:%p} CET"
    queue = f"[ACTIVE] ExecuteThread: '{r.randint(0, 60)}' for queue: 'weblogic.kernel.Default (self-tuning)'"
    return (
        f"####<{when}> <{level}> <{area}> <{host}> <casting1> "
        f"<{queue}> <<WLS Kernel>> <> <{hexes(r, 8)}-{hexes(r, 4)}> <{int(t.timestamp() * 1000)}> "
        f"<[severity-value: {dict(Info=64, Notice=32, Warning=16, Error=8)[level]}] > <{code}> <{message}>"
    )


def weblogic_quiet(r):
    pool, n = r.choice(["CastingDS", "ScriptDS", "RoyaltyDS"]), r.randint(2, 90)
    return r.choice(
        [
            ("Info", "JDBC", "BEA-001128", f'Connection for pool "{pool}" has been closed.'),
            ("Info", "JDBC", "BEA-001067", f'Connection for pool "{pool}" has been refreshed.'),
            ("Info", "Health", "BEA-310002", f"{n}% of the total memory in the server is free."),
            ("Info", "Deployer", "BEA-149059", f"Module {ident(r, '-')}.war of {r.choice(THINGS)} is ready."),
            ("Info", "WorkManager", "BEA-002959", f"Self-tuning thread pool: {n} running, 0 idle threads."),
            ("Info", "JMS", "BEA-040113", f"JMSServer 'dailies-jms' has paged {n} messages to disk."),
            ("Notice", "Cluster", "BEA-000142", f"Downloading cluster JNDI tree from casting{n % 3 + 2}."),
            ("Warning", "Socket", "BEA-000449", f"Closing the socket, no data read on {ip(r)} for 5 secs."),
            ("Info", "Common", "BEA-000628", f'Created "{n % 4 + 1}" resources for pool "{pool}".'),
            ("Info", "Diagnostics", "BEA-320143", f"Scheduled {n} data retirement tasks as per configuration."),
            ("Notice", "Security", "BEA-090169", f"Loading trusted certificates from the keystore of {ident(r)}."),
        ]
    )


@case("cat $DOMAIN_HOME/servers/casting1/logs/casting1.log00041")
def weblogic_domain(r):
    clock = Clock(r, 11)
    host = r.choice(HOSTS)
    line = lambda *x: lambda: weblogic_line(r, clock, host, *x)
    stuck = f'[STUCK] ExecuteThread has been busy for "{r.randint(700, 2900)}" seconds'
    page = f"/royalty/{ident(r)}.jsp"
    dropped = f'"RoyaltyDS" failed {r.randint(11, 60)} times in a row, suspending pool'
    wallet = f"certificate of alias {ident(r, '-')} expired"
    frame = lambda: f"\n  studio.royalty.{r.choice(DEEDS).capitalize()}Servlet.{ident(r)}(Unknown Source)"
    trace = "".join(frame() for _ in range(6))
    special = [
        line("Error", "WebLogicServer", "BEA-000337", f'{stuck} working on the request "{page}".{trace}'),
        line("Warning", "JDBC", "BEA-001129", f'Test of pool {dropped}.'),
        line("Error", "Security", "BEA-090482", f"The {wallet}, identity store not loaded."),
    ]
    return fill(r, 6, lambda: line(*weblogic_quiet(r))(), special), [[stuck, page], dropped, wallet]


def db2_record(r, clock, home, level, part, message, data=None):
    """`home` is the number of the server process and its host."""
    t, size = clock(), r.randint(380, 900)
    agent = r.choice(["db2agent (STUDIO) 0", "db2loggr (STUDIO) 0", "db2pclnr (STUDIO) 0"])
    out = [
        f"{t:%Y-%m-%d-%H.%M.%S.%f}+060 {'IE'[level == 'Event']}{r.randint(10**6, 10**8)}E{size:<10} LEVEL: {level}",
        f"PID     : {home[0]:<21}TID : {r.getrandbits(46):<16}PROC : db2sysc 0",
        "INSTANCE: db2reel              NODE : 000            DB   : STUDIO",
        f"APPHDL  : 0-{r.randint(10, 65000):<18} APPID: {ip(r)}.{r.randint(1024, 65000)}.{t:%y%m%d%H%M%S}",
        f"AUTHID  : {r.choice(THINGS).upper()[:8]:<20} HOSTNAME: {home[1]}",
        f"EDUID   : {r.randint(11, 900):<21}EDUNAME: {agent}",
        f"FUNCTION: DB2 UDB, {part}, probe:{r.randint(1, 3000)}",
        f"MESSAGE : {message}",
    ]
    if data:
        out.append(f"DATA #1 : String, {len(data)} bytes\n{data}")
    return "\n".join(out) + "\n"


def db2_quiet(r):
    d, table = r.randint, f"STUDIO.{ident(r).upper()}"
    return r.choice(
        [
            ("Info", "data protection services, sqlpgArchiveLogFile",
             f"Completed archive for log file S{d(0, 9999999):07d}.LOG",
             f"Archived to /vault/db2arch/NODE0000/C{d(1, 99):07d} in {d(1, 40)} s"),
            ("Event", "relation data serv, sqlrr_stats", f"ADM4500I  Statistics of {table} were gathered."),
            ("Info", "self tuning memory manager, stmmLog", f"Resized IBMDEFAULTBP to {d(20, 90) * 1000} pages"),
            ("Event", "config/install, sqlfLogUpdateCfgParam",
             f"CHANGE : STMM CFG DB STUDIO: \"Locklist\" to {d(4000, 9000)}"),
            ("Warning", "base sys utilities, sqleagnt_sigsegvh", f"Agent waited {d(2, 9)} s for a latch on {table}"),
            ("Info", "oper system services, sqloLogMemory", f"Private memory at {d(20, 70)} % of its limit"),
            ("Event", "runtime interpreter, sqlrw_reval", f"Package {ident(r).upper()} was revalidated.",
             f"{d(1, 60)} sections"),
            ("Info", "buffer pool services, sqlbPrefetch", f"Prefetch of {table} ended after {d(200, 9000)} pages"),
        ]
    )


@case("db2diag -time 2025-03 -fmt all")
def db2diag_records(r):
    clock = Clock(r, 40)
    home = (r.randint(2000, 60000), r.choice(HOSTS))
    make = lambda *x: lambda: db2_record(r, clock, home, *x)
    page, pool = r.randint(100000, 999999), f"TS_{ident(r).upper()}"
    bad = f"page {page} of object 2;{r.randint(10, 99)} has a wrong checksum"
    full = f"ADM6044E  The DMS table space {pool}"
    hook = f"Log archive target /vault/db2arch refused {r.randint(30, 90)} files"
    special = [
        make("Severe", "buffer pool services, sqlb_verify_page", f"ADM14001C  {bad}", f"Pool ID 4, {pool}.001"),
        make("Error", "buffer pool services, sqlbAllocateExtent", f"{full} is full; no extent could be allocated."),
        make("Warning", "data protection services, sqlpgRetry", f"{hook}, active log is {r.randint(91, 98)} % in use"),
    ]
    return fill(r, 9.5, lambda: make(*db2_quiet(r))(), special), [bad, full, hook]


def zigbee_payload(r, name):
    """What a device of that name usually reports."""
    base = dict(linkquality=r.randint(60, 255))
    if "door" in name:
        return dict(base, battery=r.randint(55, 100), contact=r.random() < 0.6, voltage=r.randint(2900, 3100))
    if "lamp" in name:
        return dict(base, brightness=r.randint(1, 254), color_temp=r.randint(153, 500), state=r.choice(["ON", "OFF"]))
    if "plug" in name:
        energy = round(r.uniform(1, 900), 2)
        return dict(base, current=round(r.uniform(0, 4), 2), energy=energy, power=r.randint(0, 900))
    climate = dict(humidity=round(r.uniform(31, 47), 1), temperature=round(r.uniform(17, 22.9), 1))
    return dict(base, battery=r.randint(40, 100), **climate)


@case("journalctl -u zigbee2mqtt -o cat --since yesterday")
def zigbee2mqtt_bridge(r):
    clock = Clock(r, 8)
    kinds = ("door", "lamp", "plug", "climate")
    names = [f"{r.choice(['stage', 'dressing', 'foley'])}_{kind}_{k}" for k in range(2, 9) for kind in kinds]
    names.append("vault_climate_1")
    line = lambda level, x: f"[{clock.text('%Y-%m-%d %H:%M:%S')}] {level}: \tz2m{x}"
    packed = lambda p: json.dumps(p, separators=(",", ":"))
    publish = lambda n, p: line("info", f":mqtt: MQTT publish: topic 'zigbee2mqtt/{n}', payload '{packed(p)}'")

    def normal():
        name = r.choice(names)
        if r.random() < 0.85:
            return publish(name, zigbee_payload(r, name))
        address = f"0x{hexes(r, 16)}"
        return r.choice([
            line("debug", f": Received Zigbee message from '{name}', type 'attributeReport', cluster 'genBasic'"),
            line("info", f": Successfully interviewed '{name}', device has successfully been paired"),
            line("warning", f": Device '{name}' ({address}) took {r.randint(3, 9)} s to answer a read"),
            line("debug", f": Saving state to file /opt/zigbee2mqtt/data/state.json ({r.randint(20, 60)} kB)"),
        ])

    hot, dry = round(r.uniform(58, 83), 1), round(r.uniform(11, 14), 1)
    cellar = dict(linkquality=r.randint(60, 255), battery=r.randint(40, 100), humidity=dry, temperature=hot)
    gone = f"stage_sprinkler_{r.randint(1, 9)}"
    special = [
        lambda: publish("vault_climate_1", cellar),
        lambda: line("error", f": Publish 'set' 'state' to '{gone}' failed: 'Error: ZCL command failed (Timeout)'"),
        lambda: line("error", f": Failed to restart adapter, giving up after {r.randint(5, 9)} attempts"),
    ]
    needles = [["vault_climate_1", f'"temperature":{hot}'], f"'{gone}' failed", "Failed to restart adapter, giving up"]
    return fill(r, 6, normal, special), needles


def gluster_quiet(r):
    d = r.randint
    client = f"CTX_ID:{hexes(r, 8)}-{hexes(r, 4)}-GRAPH_ID:0-PID:{d(900, 60000)}-HOST:{r.choice(HOSTS)}"
    path = f"/dailies/day{d(1, 60)}/{ident(r)}_{r.choice('ABC')}{d(100, 999)}.mxf"
    return r.choice(
        [
            f"I [MSGID: 115029] [server-handshake.c:561:server_setvolume] 0-dailies-server: accepted {client}",
            f"I [MSGID: 115036] [server.c:498:server_rpc_notify] 0-dailies-server: disconnecting connection {client}",
            f"I [MSGID: 101055] [client_t.c:397:gf_client_unref] 0-dailies-server: Shutting down connection {client}",
            f"I [login.c:{d(100, 120)}:gf_auth] 0-auth/login: allowed user names: {hexes(r, 8)}-{hexes(r, 4)}",
            f"W [MSGID: 113096] [posix-handle.c:{d(700, 990)}:posix_handle_hard] 0-dailies-posix: link {path} exists",
            f"I [MSGID: 115072] [server-rpc-fops_v2.c:{d(1600, 1690)}:server4_setattr_cbk] 0-dailies-server: "
            f"{d(10**5, 10**7)}: SETATTR {path} ==> No such file or directory",
            f"D [MSGID: 0] [io-threads.c:{d(300, 390)}:iot_schedule] 0-dailies-io-threads: WRITE scheduled as slow fop",
            f"I [MSGID: 118035] [bit-rot-stub.c:{d(200, 290)}:br_stub_sign] 0-dailies-bitrot-stub: signed {path}",
            f"W [socket.c:{d(700, 790)}:__socket_rwv] 0-tcp.dailies-server: readv on {ip(r)}:{d(1000, 1023)} failed "
            "(No data available)",
        ]
    )


@case("cat /var/log/glusterfs/bricks/brick-dailies.log")
def gluster_brick(r):
    clock = Clock(r, 5)
    line = lambda text: f"[{clock().strftime('%Y-%m-%d %H:%M:%S.%f')} +0000] {text}"
    rotten = f"/dailies/day{r.randint(1, 60)}/{ident(r)}_A{r.randint(100, 999)}.mxf"
    check = f"server {ip(r)}:49152 has not responded in the last 42 seconds"
    free = f"min-free-disk reached, only {r.randint(1, 4)} % free"
    bad = f"A [MSGID: 118023] [bit-rot-scrub.c:246:bitd_compare_ckum] 0-dailies-bitd: CORRUPTION DETECTED: {rotten}"
    special = [
        lambda: line(f"{bad} {{Brick: /bricks/d1 | GFID: {hexes(r, 8)}}}"),
        lambda: line(f"C [rpc-clnt-ping.c:155:rpc_clnt_ping_timer_expired] 0-dailies-2: {check}, disconnecting."),
        lambda: line(f"W [MSGID: 113075] [posix-helpers.c:2214:posix_disk_check] 0-dailies-posix: {free}, writes fail"),
    ]
    return fill(r, 6, lambda: line(gluster_quiet(r)), special), [["CORRUPTION DETECTED", rotten], check, free]


def cluster_quiet(r):
    """Daemon, function and message of one ordinary line."""
    node, d, res = r.choice(HOSTS), r.randint, f"{r.choice(['ip', 'fs', 'nfs', 'lvm', 'db'])}_{r.choice(THINGS)}"
    states = r.choice(["S_IDLE -> S_POLICY_ENGINE", "S_TRANSITION_ENGINE -> S_IDLE"])
    return r.choice(
        [
            f"controld|do_state_transition|notice: State transition {states} | input=I_PE_CALC",
            f"based|cib_perform_op|info: ++ /cib/status/node_state[@id='{d(1, 4)}']: "
            f"<lrm_rsc_op id=\"{res}_monitor_10000\"/>",
            f"based|cib_process_request|info: Completed cib_modify operation for section status: OK (rc=0, "
            f"origin={node}/crmd/{d(100, 9000)}, version=0.{d(100, 900)}.{d(1, 90)})",
            f"attrd|attrd_peer_update|notice: Setting load-threshold[{node}]: {d(10, 80)} -> {d(10, 80)}",
            f"schedulerd|pe_fence_node|info: Node {node} is active, nothing to fence",
            f"schedulerd|log_list_item|info: Leave   {res}  ( Started {node} )",
            f"execd|log_finished|info: {res} monitor (call {d(10, 900)}, PID {d(1000, 60000)}) exited with status 0 "
            f"(OK) (execution time {d(9, 400)}ms)",
            f"controld|process_graph_event|info: Transition {d(100, 4000)} action {d(1, 90)} ({res}_monitor_0 on "
            f"{node}) confirmed: not running",
            f"corosync|TOTEM|info: A new membership ({d(1, 4)}.{hexes(r, 4)}) was formed. Members joined: {d(1, 4)}",
            f"controld|throttle_check_thresholds|warning: Moderate CPU load detected: {d(5, 9)}.{d(10, 99)}",
        ]
    ).split("|", 2)


@case("less -FX /var/log/pacemaker/pacemaker.log")
def pacemaker_cluster(r):
    clock = Clock(r, 6)
    pids = {}

    def line(daemon, place, text):
        daemon = daemon if daemon == "corosync" else f"pacemaker-{daemon}"
        pid = pids.setdefault(daemon, r.randint(1000, 4000))
        return f"{clock.text('%b %d %H:%M:%S.%L')} cut-01 {daemon:<20} [{pid}] ({place}) \t{text}"

    node, res = r.choice(HOSTS[2:]), f"fs_{ident(r)}"
    fence = f"Operation 'reboot' targeting {node} by cut-01 for controld failed"
    stuck = f"Resource {res} cannot run anywhere"
    quorum = f"Quorum lost, {r.randint(1, 2)} of 5 votes left"
    both = f"Resource db_{r.choice(THINGS)} is active on 2 nodes"
    special = [
        lambda: line("fenced", "finalize_op", f"error: {fence}: No such device"),
        lambda: line("schedulerd", "rsc_assign", f"info: {stuck}"),
        lambda: line("corosync", "VSTYP", f"notice: {quorum}, blocking activity"),
        lambda: line("schedulerd", "pe_rsc_multiple", f"error: {both} (attempting recovery)"),
    ]
    return fill(r, 13, lambda: line(*cluster_quiet(r)), special), [fence, stuck, quorum, both]


TYTULY = (
    "Wieczór w montażowni|Cichy plan|Druga klapka|Zimowe światło|Suflerka|Pociąg do Łodzi|Kaskader|Ostatnia szpula|"
    "Próba kostiumowa|Garderoba nr 9|Noc filmu|Prognoza pogody|Zwiastun: Rekwizytor|Blok reklamowy|Autopromocja"
).split("|")


def emisja(r):
    """One ordinary line of a Polish playout: channel, part, message."""
    d, tytul, kto = r.randint, r.choice(TYTULY), r.choice(["Zofia", "Marek", "Halina", "Staszek"])
    czas = f"{d(0, 1):02d}:{d(0, 59):02d}:{d(0, 59):02d}:{d(0, 24):02d}"
    return r.choice(
        [
            f"EMISJA     start pozycji {d(100, 999)} „{tytul}”, czas trwania {czas}, materiał M{d(100000, 999999)}",
            f"EMISJA     koniec pozycji {d(100, 999)}, odchyłka {d(0, 3)} klatek",
            f"ODTWARZACZ serwer {r.choice('AB')} załadował materiał M{d(100000, 999999)} w {d(80, 900)} ms",
            f"ODTWARZACZ bufor {d(80, 100)} %, zgubione klatki: 0",
            f"GRAFIKA    szablon „{r.choice(['pasek', 'zegar', 'logo', 'plansza wieku'])}” na wizji, warstwa {d(1, 6)}",
            f"GRAFIKA    zdjęto warstwę {d(1, 6)}",
            f"MIKSER     przejście miękkie {d(10, 50)} klatek do wejścia {d(1, 16)}",
            f"DŹWIĘK     głośność pozycji {d(100, 999)}: -{d(22, 23)},{d(0, 9)} LUFS, szczyt -{d(2, 6)},{d(0, 9)} dBTP",
            f"LISTA      operator {kto} przesuwa pozycję {d(100, 999)} o {d(1, 40)} s",
            f"NAPISY     wczytano {d(40, 900)} wierszy do pozycji {d(100, 999)}",
            f"OSTRZEŻENIE brak opisu dla niesłyszących w pozycji {d(100, 999)} (nieobowiązkowy)",
            f"ROUTER     krosowanie wejścia {d(1, 64)} na wyjście {d(1, 64)} potwierdzone",
        ]
    )


@case("cat /srv/emisja/dzienniki/kanal2.log")
def emisja_polska(r):
    clock = Clock(r, 14)
    line = lambda text: f"{clock.text('%d.%m.%Y %H:%M:%S')}:{r.randint(0, 24):02d}  KANAŁ 2  {text}"
    czern = f"czarny obraz na wyjściu przez {r.randint(31, 95)} s"
    brak = f"materiał M{r.randint(100000, 999999)} nie istnieje na żadnym serwerze"
    rezerwa = f"przełączono na tor rezerwowy, serwer {r.choice('AB')} nie odpowiada"
    glosno = f"-{r.randint(9, 13)},{r.randint(0, 9)} LUFS"
    special = [
        lambda: line(f"EMISJA     {czern}, nikt nie potwierdził alarmu"),
        lambda: line(f"LISTA      {brak}, pozycja {r.randint(100, 999)} zostanie pominięta"),
        lambda: line(f"ROUTER     {rezerwa}"),
        lambda: line(f"DŹWIĘK     głośność pozycji {r.randint(100, 999)}: {glosno}, szczyt 0,{r.randint(1, 9)} dBTP"),
    ]
    return fill(r, 4, lambda: line(emisja(r)), special), [czern, brak, rezerwa, glosno]


def clef(clock, template, level=None, **more):
    event = {"@t": clock().isoformat(timespec="milliseconds") + "Z", "@mt": template}
    if level:
        event["@l"] = level
    return json.dumps({**event, **more}, separators=(",", ":"))


@case("cat logs/grading-20250304.clef")
def interest_clef_batch(r):
    clock, keys = Clock(r, 3), iter(distinct(r, 900, 10000, 99999))
    lut = lambda: f"{r.choice(['kodak', 'fuji', 'agfa', 'orwo'])}-{hexes(r, 6)}"

    def graded(key, value):
        return clef(clock, "Batch {Batch} graded {Frames} frames with {Lut}", "Debug", Batch=f"gb-{key}", Lut=value,
                    Frames=r.randint(24, 4800), Ms=r.randint(40, 900), SourceContext="Studio.Grading.Worker")

    def normal():
        k = r.randint(0, 9)
        if k < 5:
            return graded(next(keys), lut())
        if k < 7:
            size = r.randint(900, 10**7)
            return clef(clock, "Cached {Kind} for {Host}", Kind=r.choice(THINGS), Host=r.choice(HOSTS), Bytes=size)
        if k < 9:
            return clef(clock, "HTTP {Method} {Path} responded {Status} in {Elapsed} ms", Method="GET", Status=200,
                        Path=f"/v1/{ident(r, '-')}", Elapsed=round(r.uniform(0.5, 90), 3), RequestId=hexes(r, 8))
        return clef(clock, "{Person} signed in", Person=r.choice(PEOPLE), SourceContext="Studio.Web.Login")

    key, value = next(keys), lut()
    lines = entries(r, 8, normal, [lambda: graded(key, value)])
    return lines, [value], dict(last=f"One thing before we go on: which LUT was batch gb-{key} graded with?")
