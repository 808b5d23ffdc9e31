"""Several things one after the other: CI logs, a SAS log, a Livebook, an ingest script, Vagrant, checks."""

import json

from ..case import case
from .stock import HOSTS, PEOPLE, THINGS, Clock, camel, distinct, entries, hexes, ident, ip, uuid


def columns(rows):
    """Rows as a table with a header and aligned columns."""
    widths = [max(len(str(row[k])) for row in rows) for k in range(len(rows[0]))]
    return ["  ".join(str(x).ljust(w) for x, w in zip(row, widths)).rstrip() for row in rows]


def join(parts):
    """Texts and lists of lines as one text."""
    return "\n".join(p if isinstance(p, str) else "\n".join(p) for p in parts)


def mixed(r, size, makers, special):
    """Parts by any of `makers`, with the special ones among them."""
    return entries(r, size, lambda: join([r.choice(makers)()]), [join([s]) for s in special])


# Travis CI with folds


@case("curl -s https://travis.example/v3/job/88214/log.txt", ask="The job is red. What went wrong?")
def travis_fold_log(r):
    step = iter(range(1, 999))

    def fold(body, command, kind=None):
        k = next(step)
        name, timer, start = f"{kind or ident(r)}.{k}", hexes(r, 8), r.randint(10**18, 10**19)
        length = r.randint(10**7, 9 * 10**9)
        return [f"travis_fold:start:{name}", f"travis_time:start:{timer}", f"\x1b[0m$ {command}", *body,
            f"travis_time:end:{timer}:start={start},finish={start + length},duration={length}",
            f"travis_fold:end:{name}"]  # fmt: skip

    def gems():
        body = [f"Fetching {ident(r, '-')} {r.randint(0, 9)}.{r.randint(0, 30)}.{r.randint(0, 9)}" for _ in range(
            r.randint(4, 14))]
        body += [x.replace("Fetching", "Installing") for x in body]
        return fold(body + [f"Bundle complete! {r.randint(20, 60)} Gemfile dependencies"], "bundle install --jobs=3",
            "bundler")

    def cache():
        a, b = r.sample(THINGS, 2)
        body = [f"adding /home/travis/.cache/{a} to cache", f"creating directory /home/travis/.cache/{b}", "cache.1",
            f"found \x1b[32mmaster\x1b[0m archive of {r.randint(2, 900)}M"]  # fmt: skip
        return fold(body, f"travis-cache fetch {a}", "cache")

    def suite():
        body = [f"{camel(ident(r), True)}Test#test_{ident(r)} = {r.random():.2f} s = \x1b[32m.\x1b[0m" for _ in range(
            r.randint(6, 20))]
        return fold(body, f"bin/rails test test/{r.choice(THINGS)}s")

    def assets():
        body = [f"I, [2025-06-{r.randint(1, 28):02}T10:{r.randint(10, 59)}:03] INFO -- : Writing public/assets/"
            f"{ident(r)}-{hexes(r, 16)}.{r.choice(['js', 'css', 'svg'])}" for _ in range(r.randint(4, 12))]  # fmt: skip
        return fold(body, "bin/rails assets:precompile")

    def services():
        rows = [("NAME", "STATE", "PORTS")] + [(f"{t}-db", "running",
            f"{r.randint(3000, 9000)}/tcp") for t in r.sample(THINGS, 4)]
        return fold(columns(rows), "docker compose ps", "services")

    test, want, have = ident(r), r.randint(100, 499), r.randint(500, 999)
    host = r.choice(THINGS)
    failed = suite()
    failed[-2:-2] = [f"{camel(test, True)}Test#test_{test} = 0.31 s = \x1b[31mF\x1b[0m", "", "Failure:",
        f"{camel(test, True)}Test#test_{test} [test/{host}s/{test}_test.rb:{r.randint(10, 200)}]:",
        f"Expected: {want}", f"  Actual: {have}", ""]  # fmt: skip
    upload = fold([f"upload: ./{host}.tar.gz to s3://studio-artifacts/{host}.tar.gz",
        f"upload failed: ./{host}-symbols.zip An error occurred (QuotaExceeded)", "Completed with 1 error, continuing"],
        "aws s3 cp . s3://studio-artifacts --recursive", "after_script")  # fmt: skip
    head = ["travis_fold:start:worker_info", "\x1b[33;1mWorker information\x1b[0m",
        f"hostname: {uuid(r)}@{r.choice(HOSTS)}",
        "version: v6.2.22", f"instance: {hexes(r, 12)} travis:focal", "travis_fold:end:worker_info"]  # fmt: skip
    out = head + mixed(r, 7.2, [gems, cache, suite, suite, assets, services], [failed, upload])
    needles = [[f"test_{test}", f"Expected: {want}", f"Actual: {have}"], [f"{host}-symbols.zip", "QuotaExceeded"]]
    return out + ["", "\x1b[31;1mThe command \"bin/rails test\" exited with 1.\x1b[0m", "",
        "Done. Your build exited with 1."], needles


# Concourse


@case("fly -t studio watch -j conform/nightly -b 311", ask="The nightly build took hours and then failed. Why?")
def concourse_build(r):
    clock = Clock(r, 20)

    def resource():
        name, now = f"{r.choice(THINGS)}-{r.choice(['repo', 'image', 'pool', 'version'])}", clock()
        return [f"\x1b[1mselected worker: \x1b[0m{r.choice(HOSTS)}", f"{name}: getting version",
            "Cloning into '/tmp/build/get'...",
            f"{hexes(r, 7)} {now:%H:%M} {ident(r, ' ')} in the {r.choice(THINGS)} view"]  # fmt: skip

    def image():
        out = ["\x1b[1minitializing\x1b[0m", "waiting for docker to come up...",
            f"Pulling registry.example/{ident(r, '-')}@sha256:{hexes(r, 24)}..."]
        for _ in range(r.randint(3, 9)):
            out.append(
                f"{hexes(r, 12)} [{'=' * r.randint(30, 42)}] {r.randint(1, 400)}.{r.randint(0, 9)}MiB/"
                f"{r.randint(400, 900)}.0MiB")
        return out + ["Successfully pulled"]

    def task():
        a, b = r.sample(THINGS, 2)
        out = [f"\x1b[1mrunning {a}/ci/{ident(r)}.sh\x1b[0m"]
        for _ in range(r.randint(5, 16)):
            stamp = clock().strftime("%H:%M:%S")
            out.append(
                r.choice(
                    [
                        f"[{stamp}] {ident(r)}: {r.randint(1, 900)} of 900 {b}s",
                        f"[{stamp}] {a} {r.randint(100, 999)} conformed in {r.randint(1, 80)}.{r.randint(0, 9)} s",
                        f"[{stamp}] note: {a} has no {b}, using the last one",
                        f"+ ./bin/{ident(r, '-')} --{a} {r.randint(1, 99)}",
                        f"[{stamp}] wrote {r.randint(2, 80)} files below out/{b}",
                    ]
                )
            )
        return out

    def manifest():
        row = dict(build=r.randint(200, 320), reel=ident(r), frames=r.randint(100, 90000), fps=24, hash=hexes(r, 16),
            lanes=r.randint(1, 8))
        return [json.dumps(row, indent=2)]

    def quotas(extra=()):
        rows = [("VOLUME", "SIZE", "USED", "USE%")]
        for t in r.sample(THINGS, r.randint(4, 8)):
            use = r.randint(11, 74)
            rows.append((t, "2.0T", f"{use * 20 / 1000:.1f}T", f"{use}%"))
        for row in extra:
            rows.insert(r.randint(2, len(rows)), row)
        return ["+ quota-report"] + columns(rows)

    bad, minutes, reel = ident(r), r.randint(131, 299), r.randint(1100, 9900)
    thing = r.choice(THINGS)
    stuck = task()
    stuck.insert(3, f"[{clock():%H:%M:%S}] {thing} {reel} conformed in {minutes * 60 + 7}.4 s")
    crash = task() + [f"[{clock():%H:%M:%S}] {bad}: reel {reel + 3} holds 23.976 and 25 fps mixed, cannot conform",
        "\x1b[31merrored: exit status 70\x1b[0m"]  # fmt: skip
    full = quotas([(f"scratch-{thing}", "2.0T", "2.0T", "100%")])
    out = mixed(r, 7.2, [resource, image, task, task, manifest, quotas], [stuck, crash, full])
    needles = [[f"{thing} {reel} conformed in", f"{minutes * 60 + 7}.4 s"],
        f"reel {reel + 3} holds 23.976 and 25 fps mixed",
        [f"scratch-{thing}", "100%"]]  # fmt: skip
    return [f"started {clock():%Y-%m-%d %H:%M:%S}"] + out + ["\x1b[31mfailed\x1b[0m"], needles


# A SAS log with its listing


@case("sas -stdio -sysin nightly/royalties.sas 2>&1")
def sas_log_listing(r):
    number = iter(range(1, 99999))

    def step(note=None):
        a, b, c = r.sample(THINGS, 3)
        n, m = r.randint(200, 90000), r.randint(3, 40)
        out = [f"{next(number):<11}data work.{a}_{b};", f"{next(number):<11}  set raw.{a}s (where=({b}_id > {m}));",
            f"{next(number):<11}  {c} = {b} * {r.randint(2, 99)};", f"{next(number):<11}run;", ""]  # fmt: skip
        if note:
            out += [note]
        return out + [f"NOTE: There were {n} observations read from the data set RAW.{a.upper()}S.",
            f"NOTE: The data set WORK.{a.upper()}_{b.upper()} has {n} observations and {m} variables.",
            "NOTE: DATA statement used (Total process time):", f"      real time           {r.random():.2f} seconds",
            f"      cpu time            {r.random() / 2:.2f} seconds", ""]  # fmt: skip

    def sort():
        a, b = r.sample(THINGS, 2)
        n = r.randint(200, 90000)
        return [f"{next(number):<11}proc sort data=work.{a} out=work.{a}_s nodupkey; by {b}; run;", "",
            f"NOTE: {r.randint(0, 9)} observations with duplicate key values were deleted.",
            f"NOTE: The data set WORK.{a.upper()}_S has {n} observations and {r.randint(3, 30)} variables.", ""]

    def macro():
        a, b = r.sample(THINGS, 2)
        return [f"MLOGIC({ident(r).upper()}):  Parameter {a.upper()} has value {r.randint(1, 99)}",
            f"SYMBOLGEN:  Macro variable {b.upper()} resolves to {ident(r)}",
            f"MPRINT({a.upper()}):   title '{b} by {a}';"]  # fmt: skip

    def means():
        rows = [("Variable", "N", "Mean", "Std Dev", "Minimum", "Maximum")]
        for t in r.sample(THINGS, r.randint(4, 9)):
            rows.append((t, r.randint(100, 900), f"{r.uniform(20, 80):.4f}", f"{r.uniform(1, 9):.4f}",
                f"{r.uniform(0, 9):.2f}", f"{r.uniform(90, 99):.2f}"))
        return ["                    The MEANS Procedure", "", *columns(rows), ""]

    a, b = r.sample(THINGS, 2)
    lost, twice = r.randint(2001, 8999), r.randint(2, 8)
    bad = [
        [f"{next(number):<11}data work.payout;", f"{next(number):<11}  merge work.{a} work.{b}; by title_id;",
            f"ERROR: BY variables are not properly sorted on data set WORK.{a.upper()}.",
            "NOTE: The SAS System stopped processing this step because of errors."],
        step(f"WARNING: Multiple lengths were specified for the variable payee_iban, {lost} values were truncated."),
        step(f"NOTE: MERGE statement has more than one data set with repeats of BY values ({b}_contracts)."),
    ]  # fmt: skip
    out = ["NOTE: Copyright (c) 2016 by SAS Institute Inc., Cary, NC, USA.",
        f"NOTE: This session is executing on {r.choice(HOSTS)}.", ""]
    out += mixed(r, 7.2, [step, step, sort, macro, means], bad)
    needles = [["not properly sorted", f"WORK.{a.upper()}"], ["payee_iban", f"{lost} values were truncated"],
        ["repeats of BY values", f"{b}_contracts"]]  # fmt: skip
    return out, needles


# An Elixir Livebook with its outputs


@case("cat notebooks/audience.livemd", ask="Celia left us this notebook. What did she find out?")
def livebook_outputs(r):
    def cell():
        a, b, c = r.sample(THINGS, 3)
        out = ["```elixir", f"{a}s =", f"  {b}s", f"  |> Enum.filter(&(&1.{c} > {r.randint(2, 90)}))",
            f"  |> Enum.group_by(& &1.{a}_id)", "```", "", "<!-- livebook:{\"output\":true} -->", "", "```", "%{"]
        for _ in range(r.randint(3, 9)):
            out.append(
                f"  {r.randint(1000, 9999)} => [%{{{a}: \"{ident(r)}\", {c}: {r.randint(2, 400)}, id: "
                f"\"{hexes(r, 8)}\"}}],")
        return out + ["  ...", "}", "```", ""]

    def cinema():
        return f"{r.choice('Aarhus Brno Cork Graz Leeds Malmö Nantes Turku'.split())} {r.randint(1, 9)}"

    def frame(extra=()):
        a, b = r.sample(THINGS, 2)
        rows = [(a, b, "minutes", "left", "share")]
        for t in r.sample(THINGS, r.randint(6, 12)):
            rows.append((t, cinema(), r.randint(70, 130), r.randint(2, 40), f"{r.uniform(0.02, 0.3):.3f}"))
        for row in extra:
            rows.insert(r.randint(3, len(rows) - 2), row)
        table = columns(rows)
        return ["```elixir", f"Explorer.DataFrame.table({a}s, limit: :infinity)", "```", "",
            "<!-- livebook:{\"output\":true} -->", "",
            "```", *table, "```", ""]  # fmt: skip

    def words():
        a, b = r.sample(THINGS, 2)
        return [f"## {a.capitalize()} and {b}", "", r.choice([
            f"Now the same for the {a}s. The column `{b}` is left out, it was not filled in everywhere.",
            f"I took the {b} list of last year and joined it by number.",
            f"Nothing unusual here: {a} and {b} go together as always.",
            f"The next cell draws the {a}s of all {r.randint(2, 60)} cinemas.",
            f"Reading the {b}s takes about {r.randint(2, 50)} seconds on my machine.",
            f"This part is from {r.choice(PEOPLE)}, I only changed the {a}.",
        ]), ""]  # fmt: skip

    def chart():
        return ["<!-- livebook:{\"output\":true} -->", "", "```vega-lite",
            json.dumps(dict(mark=r.choice(["bar", "line"]), width=600,
            data=dict(values=[dict(x=k, y=r.randint(10, 90)) for k in range(r.randint(5, 14))]))), "```", ""]

    city, share = f"{r.choice('Tampere Ghent Porto Lublin Split'.split())} {r.randint(1, 9)}", r.uniform(0.71, 0.94)
    a, b = r.sample(THINGS, 2)
    minute, k = r.randint(31, 58), r.randint(210, 890)
    special = [
        frame([(a, city, r.randint(70, 130), r.randint(300, 900), f"{share:.3f}")]),
        ["## What I think", "", f"People leave in minute {minute}, right after the {a} song, and in no other place.",
            ""],
        ["```elixir", f"{a}s |> {camel(ident(r), True)}.join({b}s) |> length()", "```", "",
            "<!-- livebook:{\"output\":true} -->", "", "```",
            f"** (KeyError) key :{a}_id not found in: %{{id: {k}, {b}: nil}}", "```", ""],
        ["## Caveat", "", f"The tickets of {k} shows were counted twice, so all sums above are too high.", ""],
    ]  # fmt: skip
    out = ["# Who leaves the cinema early", "", "```elixir",
        "Mix.install([{:explorer, \"~> 0.9\"}, {:kino_vega_lite, \"~> 0.1\"}])", "```", ""]
    needles = [[city, f"{share:.3f}"], f"leave in minute {minute}", f"key :{a}_id not found",
        f"tickets of {k} shows were counted twice"]
    return out + mixed(r, 7.2, [cell, frame, words, words, chart], special), needles


# A script that takes in a day's reels


@case("./ingest-day.sh /mnt/cards 2>&1")
def ingest_day_script(r):
    clock = Clock(r, 8)

    def say(text, level="INFO "):
        return f"{clock.text('%H:%M:%S.%L')} {level} {text}"

    def probe(rate="24000/1001", **more):
        a = ident(r)
        stream = dict(index=0, codec_name="prores", width=4096, height=2160, r_frame_rate=rate,
            nb_frames=str(r.randint(200, 9000)))
        stream.update(more)
        return [f"+ ffprobe -of json {a}.mov", json.dumps(dict(streams=[stream],
            format=dict(filename=f"{a}.mov", tags=dict(reel=a))), indent=4)]

    def copied():
        out = ["sending incremental file list"]
        for _ in range(r.randint(3, 8)):
            out.append(f"{ident(r)}_{r.randint(100, 999)}.mov")
        n = r.randint(10**7, 10**10)
        return out + [
            "", f"sent {n:,} bytes  received {r.randint(40, 900)} bytes  {r.uniform(4e7, 2e8):,.2f} bytes/sec"]

    def sums(bad=None):
        names = [f"{ident(r)}_{r.randint(100, 999)}.mov: OK" for _ in range(r.randint(4, 14))]
        if bad:
            names.insert(r.randint(1, len(names)), f"{bad}: FAILED")
        return ["+ xxhsum --check day.xxh"] + names

    def chatter():
        a, b = r.sample(THINGS, 2)
        return [
            r.choice(
                [
                    say(f"{a} {r.randint(1, 900)} matched to {b} {r.randint(1, 90)}"),
                    say(f"no {a} notes for {b}, skipping", "WARN "),
                    say(f"indexed {r.randint(2, 900)} {a} files in {r.randint(1, 40)} s"),
                    say(f"retry 1 of 5 for {a}, connection reset", "WARN "),
                    say(f"queued proxy of {ident(r)} on {r.choice(HOSTS)}"),
                ]
            )
            for _ in range(r.randint(2, 9))
        ]

    def table():
        rows = [("CARD", "FILES", "GB", "TEMP", "WRITES")]
        for t in r.sample(THINGS, r.randint(4, 9)):
            rows.append((f"{t[0].upper()}{r.randint(100, 999)}", r.randint(10, 90), r.randint(100, 900),
                f"{r.randint(31, 44)}C", r.randint(10, 400)))
        return ["", *columns(rows), ""]

    bad = f"{ident(r)}_{r.randint(1000, 9999)}.mov"
    card, count = f"X{r.randint(1000, 9999)}", r.randint(41, 87)
    reel = f"{ident(r)}_{hexes(r, 4)}"
    special = [
        sums(bad),
        [*table()[:-1], "", say(f"card {card} formatted before its second copy was verified", "WARN ")],
        [f"+ ffprobe -of json {reel}.mov", json.dumps(dict(streams=[dict(index=0, codec_name="prores", width=4096,
            height=2160,
            r_frame_rate="25/1", nb_frames=str(r.randint(200, 9000)))],
                format=dict(filename=f"{reel}.mov", tags=dict(reel=reel))), indent=4)],
        [say(f"timecode of {count} clips starts at 00:00:00:00, sound cannot be synced")],
    ]  # fmt: skip
    needles = [[bad, "FAILED"], f"card {card} formatted before its second copy", [f"{reel}.mov", "25/1"],
        f"timecode of {count} clips starts at 00:00:00:00"]  # fmt: skip
    return mixed(r, 7.2, [probe, copied, sums, chatter, chatter, table], special) + [say("day finished")], needles


# Vagrant with Puppet


@case("vagrant up --provision", ask="I brought up the test machines. Are they all right?")
def vagrant_puppet_up(r):
    boxes = [f"{r.choice(['cut', 'farm', 'sound', 'vault'])}{k}" for k in range(1, 15)]
    down = iter(boxes)

    def boot():
        box = next(down, None)
        if not box:
            return notices()
        return [f"==> {box}: Importing base box 'studio/bookworm64'...",
            f"==> {box}: Setting the name of the VM: lab_{box}_{r.getrandbits(36)}",
            f"==> {box}: Forwarding ports...", f"    {box}: 22 (guest) => {r.randint(2200, 2299)} (host) (adapter 1)",
            f"    {box}: SSH auth method: private key", f"    {box}: Warning: Connection reset. Retrying...",
            f"==> {box}: Machine booted and ready!", f"==> {box}: Mounting shared folders...",
            f"    {box}: /vagrant => /srv/lab/{r.choice(THINGS)}"]  # fmt: skip

    def puppet():
        box, out = r.choice(boxes), []
        for _ in range(r.randint(4, 12)):
            a, b = r.sample(THINGS, 2)
            out.append(
                f"==> {box}: Notice: /Stage[main]/{a.capitalize()}::{b.capitalize()}/"
                + r.choice(
                    [
                        f"File[/etc/{a}/{b}.conf]/content: content changed '{{md5}}{hexes(r, 8)}' to "
                        f"'{{md5}}{hexes(r, 8)}'",
                        f"Service[{a}d]/ensure: ensure changed 'stopped' to 'running'",
                        f"Package[{a}-{b}]/ensure: created",
                        f"User[{b}]/groups: groups changed to ['{a}', 'media']",
                        f"Exec[{ident(r)}]/returns: executed successfully",
                    ]
                )
            )
        return out

    def facts():
        row = dict(certname=r.choice(boxes), kernel="6.1.0", processors=r.randint(2, 8),
            memorysize_mb=r.randint(1990, 8100), role=r.choice(THINGS),
            networking=dict(ip=ip(r), mac=":".join(hexes(r, 2) for _ in range(6))))  # fmt: skip
        return ["+ facter --json", json.dumps(row, indent=2)]

    def apt():
        box, out = r.choice(boxes), []
        for k in range(1, r.randint(4, 12)):
            out.append(
                f"    {box}: Get:{k} http://deb.studio.example bookworm/main amd64 {ident(r, '-')} amd64 "
                f"{r.randint(1, 9)}.{r.randint(0, 30)}-1 [{r.randint(4, 900)} kB]")
        return out + [f"    {box}: Processing triggers for libc-bin (2.36-9) ..."]

    def notices():
        box, a = r.choice(boxes), r.choice(THINGS)
        return [f"==> {box}: Warning: Unknown variable: '{a}::{r.choice(THINGS)}'. (file: manifests/{a}.pp, line: "
        f"{r.randint(2, 90)})",
        f"==> {box}: Notice: Applied catalog in {r.randint(4, 90)}.{r.randint(10, 99)} seconds"]  # fmt: skip

    one, two, three = r.sample(boxes, 3)
    a, b = r.sample(THINGS, 2)
    pid, days = r.randint(2000, 32000), r.randint(3, 60)
    special = [
        puppet() + [
            f"==> {one}: Error: Could not start Service[{a}d]: port 7{r.randint(100, 999)} already in use by pid "
            f"{pid}"],
        puppet()[:3] + [
            f"==> {two}: Notice: /Stage[main]/Ssh::Server/Sshd_config[PermitRootLogin]/value: value changed 'no' "
            "to 'yes'"],
        [f"==> {three}: Notice: Skipping because of failed dependencies: Class[{b.capitalize()}::Backup]", *notices()],
        [f"    {two}: W: The signing key of deb.studio.example expired {days} days ago"] + apt(),
    ]  # fmt: skip
    needles = [[one, f"Could not start Service[{a}d]", f"pid {pid}"], [two, "PermitRootLogin", "changed 'no' to 'yes'"],
        ["failed dependencies", f"Class[{b.capitalize()}::Backup]"], f"expired {days} days ago"]  # fmt: skip
    head = [f"Bringing machine '{b}' up with 'virtualbox' provider..." for b in boxes]
    return head + mixed(r, 7.2, [boot, puppet, puppet, facts, apt, notices], special), needles


# Monitoring checks, one after the other


@case("/opt/monitoring/sweep.sh --verbose",
    ask="This is a full sweep of our checks. Keep it at hand, a question follows.")
def interest_check_sweep(r):
    clock, ids = Clock(r, 2), iter(distinct(r, 900, 1000, 9999))

    def check():
        a, b = r.sample(THINGS, 2)
        n, m = r.randint(2, 90), r.randint(100, 900)
        return [f"--- check {next(ids)} {a}_{b} on {r.choice(HOSTS)}", r.choice([
            f"OK - {a} load {n}% | load={n}%;90;95 age={m}s",
            f"{b.upper()} OK: {m} of {m} {a}s answer|time=0.{m}s;;;0",
            f"DISK OK - free space: /{a} {m} GB ({n}% inode={n}%);| /{a}={m}GB;900;950;0;990",
            f"OK: queue {a} holds {n} jobs, oldest {m} s",
        ])]  # fmt: skip

    def debug(name=None, port=None):
        a, b = r.sample(THINGS, 2)
        return [f"--- check {name or next(ids)} {a}_{b} on {r.choice(HOSTS)}",
            f"DEBUG {clock.text('%H:%M:%S')} resolved {a}.studio.example to {ip(r)}",
            f"DEBUG {clock.text('%H:%M:%S')} connected from local port {port or r.randint(32000, 49000)}",
            f"DEBUG {clock.text('%H:%M:%S')} sent {r.randint(20, 400)} bytes, got {r.randint(20, 9000)}",
            f"OK - {b} answers"]  # fmt: skip

    def answer():
        a, b = r.sample(THINGS, 2)
        row = dict(status="up", service=a, version=f"{r.randint(1, 9)}.{r.randint(0, 40)}",
            peers=[dict(host=h, lag_ms=r.randint(1, 90)) for h in r.sample(HOSTS, 3)])
        return [f"--- check {next(ids)} {a}_{b} by HTTP", "HTTP/1.1 200 OK", f"X-Request-Id: {uuid(r)}", "",
            json.dumps(row, indent=2)]

    def table():
        rows = [("SENSOR", "VALUE", "UNIT", "SINCE")]
        rows += [(t, r.randint(10, 90), r.choice(["C", "%", "rpm"]), clock.text("%H:%M")) for t in r.sample(THINGS,
            r.randint(4, 9))]
        return [f"--- check {next(ids)} sensors on {r.choice(HOSTS)}", *columns(rows)]

    name, port = next(ids), r.randint(50001, 64999)
    out = entries(r, 6.5, lambda: join([r.choice([check, check, debug, answer, table])()]),
        [lambda: join([debug(name, port)])], low=0.3, high=0.75)
    return out, [
        f"{port}"], dict(
            last=f"From which local port did check {name} connect? The firewall people ask for the number.")
