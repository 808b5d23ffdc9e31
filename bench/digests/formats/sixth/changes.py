"""What changed: patches, difftastic, a plain diff, CVS annotations, offline SQL, a change set, an op log."""

import json

from ..case import case
from .stock import HOSTS, PEOPLE, THINGS, camel, entries, hexes, ident, idents, uuid


def c_line(r):
    """One harmless line of C."""
    a, b = r.sample(THINGS, 2)
    k = r.randint(2, 900)
    return r.choice(
        [
            f"    {a}->{b}_count += {k};",
            f"    if ({a} == NULL) return -EINVAL;",
            f"    {ident(r)}({a}, {b}->frames);",
            f"    for (i = 0; i < {a}->n_{b}s; i++)",
            f"        {a}[i] = {b}[i] >> {k % 7 + 1};",
            f"    memset(&{a}, 0, sizeof {a});",
            f'    log_debug("{a} %d of %d", i, {b}->total);',
            f"    int {a}_{b} = {k};",
            f"    /* the {a} has been locked by the {b} */",
            f"    return {b}_ok({a});",
            "    }",
            "",
            f"    switch ({a}->kind) {{",
            f"    case {b.upper()}: n = {k}; break;",
            f"    free({a});",
        ]
    )


# Patches on a vendor's tree


def hunks(r, n):
    out, at = [], r.randint(20, 200)
    for k in range(1, n + 1):
        at += r.randint(20, 160)
        lag = r.choice([0, 0, r.randint(1, 40), -r.randint(1, 12)])
        if lag and r.random() < 0.7:
            fuzz = f" with fuzz {r.randint(1, 2)}" if r.random() < 0.3 else ""
            out.append(f"Hunk #{k} succeeded at {at}{fuzz} (offset {lag} line{'' if abs(lag) == 1 else 's'}).")
    return out


def c_path(r):
    return (
        f"{r.choice(['src', 'lib', 'drivers', 'tools'])}/{r.choice(THINGS)}/"
        f"{ident(r)}.{r.choice(['c', 'c', 'h', 'cc'])}"
    )


@case('for p in vendor-patches/*.patch; do echo "== $p"; patch -p1 --forward < "$p"; done')
def patch_rejects(r):
    number = iter(range(1, 9999))

    def patch(bad=()):
        name = f"== vendor-patches/{next(number):04}-{ident(r, '-')}-{r.choice(THINGS)}.patch"
        out = [name]
        files = [None] * r.randint(1, 5)
        at = r.randint(0, len(files))
        for k in range(len(files) + 1):
            if k == at:
                out += bad
            if k < len(files):
                out += [f"patching file {c_path(r)}", *hunks(r, r.randint(1, 5))]
        return "\n".join(out)

    one, two, three = c_path(r), c_path(r), c_path(r)
    h, n = r.randint(2, 4), r.randint(4, 7)
    failed = lambda: patch(  # noqa: E731
        [f"patching file {one}", *hunks(r, h - 1), f"Hunk #{h} FAILED at {r.randint(200, 900)}.",
            f"1 out of {n} hunks FAILED -- saving rejects to file {one}.rej"]
    )  # fmt: skip
    reverse = lambda: patch(  # noqa: E731
        [f"patching file {two}", "Reversed (or previously applied) patch detected!  Skipping patch.",
            f"{n} out of {n} hunks ignored -- saving rejects to file {two}.rej"]
    )  # fmt: skip
    lost = lambda: patch(  # noqa: E731
        [f"can't find file to patch at input line {r.randint(20, 300)}",
            "Perhaps you used the wrong -p or --strip option?", "The text leading up to this was:",
            "--------------------------", f"|diff --git a/{three} b/{three}",
            f"|index {hexes(r, 12)}..{hexes(r, 12)} 100644", f"|--- a/{three}", f"|+++ b/{three}",
            "--------------------------", "No file to patch.  Skipping patch.", "2 out of 2 hunks ignored"]
    )  # fmt: skip
    out = entries(r, 9.5, patch, [failed, reverse, lost])
    return out, [[f"{one}.rej", "FAILED"], [two, "previously applied"], [three, "No file to patch"]]


# Difftastic


def ts_line(r):
    a, b = r.sample(THINGS, 2)
    k = r.randint(2, 900)
    return r.choice(
        [
            f"  const {a} = await this.{b}s.find(id);",
            f"  this.{a}Count += {k};",
            f"  for (const {a} of {b}.{r.choice(THINGS)}s) {{",
            f"    yield {{ {a}, {b}: {k} }};",
            "  }",
            f"  return {b}.map((x) => x.{a});",
            f"  logger.debug('{a} ready', {{ {b} }});",
            f"  if (!{a}.{b}) continue;",
            f"  if (!session.roles.includes('viewer')) return {b};",
            f"  static readonly {a}Columns = {k};",
            f"  const agent = new Agent({{ keepAlive: true, host: {a}Host }});",
            f"  private readonly {a}{b.capitalize()} = new Map<string, {b.capitalize()}>();",
            f"  async {camel(ident(r))}({a}: {a.capitalize()}): Promise<void> {{",
        ]
    )


def renamed(r, line):
    """The line as it was, and with one word changed that changes nothing."""
    words = [w for w in THINGS if w in line]
    if not words:
        return line, line + " //"
    w = r.choice(words)
    return line, line.replace(w, f"{w}{r.choice(['Ref', 'Item', 'Entry'])}")


@case("git -c diff.external='difft --display inline' diff main...conform")
def difftastic_inline(r):
    a, b = r.sample(THINGS, 2)
    limit, more = r.choice([(5, 5000), (3, 3000), (10, 900)])
    role = r.choice(["editor", "producer", "supervisor"])
    guard = f"  if (!session.roles.includes('{role}')) throw new Forbidden();"
    away = [("-", guard)]
    slow = [("-", f"  static readonly {a}Retries = {limit};"), ("+", f"  static readonly {a}Retries = {more};")]
    tls = [("-", f"  const agent = new Agent({{ rejectUnauthorized: true, host: {b}Host }});"),
        ("+", f"  const agent = new Agent({{ rejectUnauthorized: false, host: {b}Host }});")]  # fmt: skip

    def chunk(odd=None):
        path, total = f"src/{r.choice(THINGS)}/{camel(ident(r))}.ts", r.randint(2, 9)
        old = r.randint(8, 600)
        new = old + r.randint(-6, 30)
        out = [f"{path} --- {r.randint(1, total)}/{total} --- TypeScript"]
        body = [(" ", ts_line(r)) for _ in range(r.randint(3, 6))]
        changes = []
        for _ in range(r.randint(1, 3)):
            x, y = renamed(r, ts_line(r))
            changes += [("-", x), ("+", y)]
        for mark, line in body[:2] + (odd or changes) + body[2:]:
            if mark == " ":
                out.append(f"{old:<4} {new:<4} {line}")
            else:
                out.append(f"{old:<4}      {line}" if mark == "-" else f"     {new:<4} {line}")
            old, new = old + (mark != "+"), new + (mark != "-")
        return "\n".join(out) + "\n"

    out = entries(r, 9, chunk, [chunk(x) for x in (away, slow, tls)])
    return out, [f"!session.roles.includes('{role}')", f"{a}Retries = {more}", "rejectUnauthorized: false"]


# A plain diff of two configurations


def router_pair(r):
    """A line of the router's configuration, before and after a harmless change."""
    a, b = r.sample(THINGS, 2)
    n, m, k = r.randint(1, 288), r.randint(1, 288), r.randint(1, 4)
    return r.choice(
        [
            (f"input {n} label \"{a.capitalize()} {k}\"", f"input {n} label \"{a.capitalize()} {k}A\""),
            (f"output {n} source {m}", f"output {n} source {m % 288 + 1}"),
            (f"salvo {n} name {a}-{b}", f"salvo {n} name {b}-{a}"),
            (f"panel {k} key {n} colour amber", f"panel {k} key {n} colour green"),
            (f"tally {n} group {k}", f"tally {n} group {k + 1}"),
            (f"input {n} delay {m} lines", f"input {n} delay {m + 2} lines"),
            (f"alias {a}_{k} output {n}", f"alias {a}_{k} output {m}"),
            (f"control port {k} idle {n}", f"control port {k} idle {m}"),
            (f"control log {a} level {k}", f"control log {a} level {k + 1}"),
            (f"reference {a} label \"{b} {n}\"", f"reference {a} label \"{b} {m}\""),
            (f"protect crosspoint {n} owner {a}", f"protect crosspoint {n} owner {b}"),
            (f"schedule {n} salvo {m} at 06:{n % 60:02}", f"schedule {n} salvo {m} at 06:{m % 60:02}"),
            (f"monitor {k} head {n} umd \"{b.upper()} {m}\"", f"monitor {k} head {n} umd \"{b.upper()} {m + 1}\""),
        ]
    )


@case("diff router-golden.cfg router-now.cfg")
def plain_diff_router(r):
    at = r.randint(10, 60)
    place, host = r.randint(1, 6), r.randint(20, 99)
    genlock = r.randint(2, 4)

    def change(olds, news, last=""):
        nonlocal at
        at += r.randint(2, 40)
        shift = at + r.randint(-3, 14)
        kind = "c" if olds and news else "a" if news else "d"
        span = lambda k, n: f"{k}" if n < 2 else f"{k},{k + n - 1}"  # noqa: E731
        out = [f"{span(at, len(olds))}{kind}{span(shift, len(news))}", *[f"< {x}" for x in olds]]
        return "\n".join(out + (["---"] if kind == "c" else []) + [f"> {x}" for x in news])

    def usual():
        pairs = [router_pair(r) for _ in range(r.choice([1, 1, 2, 3]))]
        kind = r.choice("cccccad")
        return change([p[0] for p in pairs] if kind != "a" else [], [p[1] for p in pairs] if kind != "d" else [])

    special = [
        lambda: change([f"control port {place} auth password"], [f"control port {place} auth none"]),
        lambda: change([f"reference genlock {genlock} source blackburst"],
            [f"reference genlock {genlock} source free-run"]),
        lambda: change([], [f"control allow 0.0.0.0/0 write  # {r.choice(PEOPLE).lower()} {host}"]),
        lambda: change(["protect output 1-16 lock on-air"], []),
    ]
    needles = [f"control port {place} auth none", f"genlock {genlock} source free-run", "control allow 0.0.0.0/0 write",
        "protect output 1-16 lock on-air"]  # fmt: skip
    return entries(r, 7.5, usual, special), needles


# CVS


@case("cvs annotate src/timecode/ltc_decode.c", ask="The timecode decoder drifts since spring. Who changed what?")
def cvs_annotate(r):
    people = [p.lower() for p in r.sample(PEOPLE, 4)]
    months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
    revisions = [(f"1.{k}", r.choice(people),
        f"{r.randint(1, 28):02}-{r.choice(months)}-{5 + k // 7:02}") for k in range(1, 83)]
    new = ("1.97", "extern7", f"{r.randint(11, 28)}-Mar-25")
    drop = f"    if (drop_frame && minute % {r.choice([9, 11, 12])} != 0)"
    shift = f"    usleep({r.randint(31, 88)}000);  /* helps on my machine */"

    def line(by=None, text=None):
        rev, who, day = by or block[0]
        return f"{rev:<12} ({who:<8} {day}): {c_line(r) if text is None else text}"

    block = [revisions[0]]

    def usual():
        if r.random() < 0.3:
            block[0] = r.choice(revisions)
        return line()

    out = ["", "Annotations for src/timecode/ltc_decode.c", "***************"]
    return out + entries(r, 9, usual, [line(new, drop), line(new, shift)]), [["extern7", drop.strip()],
        ["1.97", shift.strip()[:13]]]


# SQL that a migration would run


def sql_step(r):
    a, b = r.sample(THINGS, 2)
    c = r.choice(DEED_COLUMNS)
    return r.choice(
        [
            f"CREATE TABLE {a}_{b} (\n    id BIGSERIAL NOT NULL, \n    {b}_id BIGINT NOT NULL, \n"
            f"    {c} TIMESTAMP WITH TIME ZONE, \n"
            f"    note VARCHAR({r.randint(20, 400)}), \n    PRIMARY KEY (id), \n"
            f"    FOREIGN KEY({b}_id) REFERENCES {b}s (id)\n);",
            f"ALTER TABLE {a}s ADD COLUMN {b}_{c} INTEGER;",
            f"CREATE INDEX CONCURRENTLY ix_{a}s_{b}_{c} ON {a}s ({b}_id, {c});",
            f"ALTER TABLE {a}s ADD COLUMN {c} VARCHAR({r.randint(8, 200)}) DEFAULT '' NOT NULL;",
            f"COMMENT ON COLUMN {a}s.{c} IS 'set when the {b} is done';",
            f"ALTER TABLE {a}s ADD CONSTRAINT fk_{a}s_{b} FOREIGN KEY({b}_id) REFERENCES {b}s (id) ON DELETE SET NULL;",
            f"DROP INDEX ix_{a}s_{b}_old;",
            f"ALTER TABLE {a}s ALTER COLUMN {b}_id TYPE BIGINT;",
            f"DELETE FROM {a}_cache WHERE {c} IS NULL;",
            f"CREATE TYPE {a}_state AS ENUM ('planned', '{b}', 'done');",
            f"ALTER TABLE {a}s ALTER COLUMN {c} DROP NOT NULL;",
            f"UPDATE {a}s SET {c}=now() WHERE {a}s.{c} IS NULL AND {a}s.{b}_id > {r.randint(1, 9000)};",
            f"ALTER INDEX ix_{a}s_{c} RENAME TO ix_{a}s_{b}_{c};",
            f"INSERT INTO {a}_kinds (code, label) VALUES ('{b[:3].upper()}', '{b.capitalize()}');",
        ]
    )


DEED_COLUMNS = "started_at wrapped_at reviewed_at locked_by length_frames checksum rating source_uri".split()


@case("alembic upgrade 4c1e0f9a7b21:head --sql")
def alembic_offline_sql(r):
    last = ["4c1e0f9a7b21"]
    a, b, c = r.sample(THINGS, 3)

    def revision(odd=None):
        old, new = last[0], hexes(r, 12)
        last[0] = new
        steps = [sql_step(r) for _ in range(r.randint(1, 5))]
        if odd:
            steps.insert(r.randint(0, len(steps)), odd)
        return "\n\n".join([f"-- Running upgrade {old} -> {new}", *steps,
            f"UPDATE alembic_version SET version_num='{new}' WHERE alembic_version.version_num = '{old}';\n"])

    drop = f"ALTER TABLE {a}_rights DROP COLUMN expires_on;"
    narrow = f"ALTER TABLE {b}_payments ALTER COLUMN amount_cents TYPE SMALLINT;"
    wipe = f"DELETE FROM {c}_contracts;"
    special = [lambda x=x: revision(x) for x in (drop, narrow, wipe)]
    out = ["INFO  [alembic.runtime.migration] Context impl PostgresqlImpl.",
        "INFO  [alembic.runtime.migration] Generating static SQL",
        "INFO  [alembic.runtime.migration] Will assume transactional DDL.", "BEGIN;", ""]  # fmt: skip
    out += entries(r, 9.5, revision, special) + ["COMMIT;"]
    return out, [[f"{a}_rights", "DROP COLUMN expires_on"], [f"{b}_payments", "SMALLINT"], f"DELETE FROM {c}_contracts"]


# CloudFormation


KINDS = (
    "AWS::Lambda::Function AWS::SQS::Queue AWS::IAM::Role AWS::Events::Rule AWS::SNS::Topic AWS::Logs::LogGroup "
    "AWS::CloudWatch::Alarm AWS::StepFunctions::StateMachine AWS::S3::Bucket AWS::SSM::Parameter"
).split()
PROPERTIES = (
    "Tags Description Timeout MemorySize Environment Policies VisibilityTimeout RetentionInDays "
    "Threshold"
).split()


def change_record(r, action, logical, kind, replacement=None, properties=None):
    change = dict(
        Action=action,
        LogicalResourceId=logical,
        PhysicalResourceId=f"studio-prod-{logical}-{hexes(r, 12).upper()}",
        ResourceType=kind,
    )
    if action == "Add":
        change.pop("PhysicalResourceId")
    if action == "Modify":
        change.update(
            Replacement=replacement,
            Scope=["Properties"],
            Details=[
                dict(
                    Target=dict(Attribute="Properties", Name=p,
                        RequiresRecreation="Always" if replacement == "True" else "Never"),
                    Evaluation="Static",
                    ChangeSource=r.choice(["DirectModification", "ParameterReference"]),
                )
                for p in properties or r.sample(PROPERTIES, r.randint(1, 2))
            ],
        )
    return dict(Type="Resource", ResourceChange=change)


@case("aws cloudformation describe-change-set --stack-name studio-prod --change-set-name release-88")
def change_set_json(r):
    names = (camel(n, True) + str(k) for k, n in enumerate(idents(r, 400)))
    database, bucket = f"{r.choice(THINGS).capitalize()}CatalogueDb", f"{r.choice(THINGS).capitalize()}MastersBucket"

    def usual():
        action = r.choice(["Modify", "Modify", "Modify", "Add"])
        return change_record(r, action, next(names), r.choice(KINDS), "False")

    special = [
        lambda: change_record(r, "Modify", database, "AWS::RDS::DBInstance", "True", ["Engine"]),
        lambda: change_record(r, "Remove", bucket, "AWS::S3::Bucket"),
    ]
    changes = []
    for text in entries(r, 6.5, lambda: json.dumps(usual()), [lambda f=f: json.dumps(f()) for f in special]):
        changes.append(json.loads(text))
    arn = f"arn:aws:cloudformation:eu-north-1:{r.randint(10**11, 10**12 - 1)}"
    out = dict(
        Changes=changes, ChangeSetName="release-88", ChangeSetId=f"{arn}:changeSet/release-88/{uuid(r)}",
        StackId=f"{arn}:stack/studio-prod/{uuid(r)}", StackName="studio-prod", Description="Release 88",
        ExecutionStatus="AVAILABLE", Status="CREATE_COMPLETE", Capabilities=["CAPABILITY_NAMED_IAM"],
        IncludeNestedStacks=False,
    )  # fmt: skip
    return json.dumps(out, indent=4), [[database, "True", "Engine"], [bucket, "Remove"]]


# Jujutsu


def jj_op(r, ago, name=None, done=None):
    a, b = r.sample(THINGS, 2)
    rev = "".join(r.choice("klmnopqrstuvwxyz") for _ in range(8))
    what, call = done or r.choice(
        [
            (f"restore into commit {hexes(r, 12)}", f"jj restore --from {rev} src/{a}/{b}.rs"),
            ("snapshot working copy", "jj st"),
            (f"describe commit {hexes(r, 12)}{hexes(r, 28)}", f"jj describe -m 'more room for the {a}'"),
            ("new empty commit", f"jj new {rev}"),
            (f"squash commits into {hexes(r, 12)}", f"jj squash --into {rev}"),
            (f"rebase commit {hexes(r, 12)}", f"jj rebase -r {rev} -d main"),
            ("fetch from git remote(s) origin", "jj git fetch"),
            (f"create bookmark {a}-{b} pointing to commit {hexes(r, 12)}", f"jj bookmark create {a}-{b} -r {rev}"),
            ("push all tracked bookmarks to git remote origin", "jj git push"),
            (f"edit commit {hexes(r, 12)}", f"jj edit {rev}"),
            (f"split commit {hexes(r, 12)}", f"jj split -r {rev} src/{a}/{b}.rs"),
            (f"abandon commit {hexes(r, 12)}", f"jj abandon {rev}"),
        ]
    )
    who = f"{r.choice(PEOPLE).lower()}@{r.choice(HOSTS)}"
    return (
        f"○  {name or hexes(r, 12)} {who} {ago[0] // 60} minutes ago, lasted {r.randint(2, 900)} milliseconds\n"
        f"│  {what}\n│  args: {call}"
    )


@case("jj op log --no-pager", ask="Here is what happened in the repository today. Read it, I shall ask about it.")
def interest_jj_operation(r):
    ago = [200]
    name, k = hexes(r, 12), r.randint(10, 99)
    rev = "".join(r.choice("klmnopqrstuvwxyz") for _ in range(8))

    def usual(**more):
        ago[0] += r.randint(1, 90)
        return jj_op(r, ago, **more)

    done = (f"restore into commit {hexes(r, 12)}", f"jj restore --from {rev} src/lens/shift_{k}.rs")
    asked = lambda: usual(name=name, done=done)  # noqa: E731
    out = entries(r, 9, usual, [asked], low=0.3, high=0.8)
    out[0] = "@" + out[0][1:]
    last = f"In operation {name} somebody restored a file. From which revision? Just its id, please."
    return out + ["○  000000000000 root()"], [rev], dict(last=last)
