"""What changed: patches, migration plans, comparisons of interfaces and of configurations, reviews."""

import json

from ..case import case
from .sources import ADA, DLANG, body, camel, said
from .stock import DEEDS, HOSTS, PEOPLE, THINGS, Clock, distinct, entries, fill, hexes, ident, idents

SUBJECTS = (
    "{t}: use the new queue", "Tidy up the {t} screen", "Speed up {d} for large wards", "Rename {t} to {u}",
    "Log the {t} number",
    "Fix a typo in the {t} handbook", "{t}: smaller steps when we {d}", "Do not {d} the {t} twice",
    "Split the {t} module",
    "Prepare release of {t} {n}", "Follow the vendor's new {t} table", "{d}: show the {u} as well",
    "Tests for {t} and {u}",
    "Less noise from the {t} watcher", "Back out of {u} for now", "Move the {t} limits to the settings",
)
REASONS = (
    "The night shift asked for it.", "No change in behaviour intended.", "Found while reading the {t} log.",
    "See the notes of {p}.",
    "The old one did not know about the {u}.", "Measured on {h}: {n} ms before, {m} ms now.",
    "Reviewed together with {p}.",
    "This also helps the {t} on {h}.", "The {u} follows in a later change.", "Agreed with the ward.",
)


def word(r, text):
    """`text` with things, a deed, a person, a host and numbers."""
    t, u = r.sample(THINGS, 2)
    n = r.randint(2, 900)
    return text.format(t=t, u=u, d=r.choice(DEEDS), p=r.choice(PEOPLE), h=r.choice(HOSTS), n=n, m=r.randint(2, 900))


def edited(r, tongue, size, indent, special=()):
    """A hunk's lines, as (sign, text); `special` are such lines, put in at its middle."""
    lines = []
    for x in body(r, tongue, size, indent):
        k = r.random()
        pad = x[: len(x) - len(x.lstrip())]
        if k < 0.12:
            lines.append(("-", x))
        elif k < 0.26:
            lines.append(("+", x))
        elif k < 0.4:
            lines += [("-", x), ("+", pad + said(r, r.choice(tongue.plain), tongue.name))]
        else:
            lines.append((" ", x))
    at = r.randint(3, len(lines) - 2)
    pad = " " * indent
    return [*lines[:at], *((s, pad + x) for s, x in special), *lines[at:]]


def unified(r, lines):
    """`edited` lines with their head."""
    old, new = sum(s != "+" for s, _ in lines), sum(s != "-" for s, _ in lines)
    at = r.randint(3, 900)
    return [f"@@ -{at},{old} +{at + r.randint(0, 9)},{new} @@", *(s + x for s, x in lines)]


D_DANGERS = (
    ([("-", 'enforce(result.signatures.length == 2, "not signed twice");')], "signatures.length == 2"),
    ([("-", "client.verifyPeer = true;"), ("+", "client.verifyPeer = false;")], "client.verifyPeer = false"),
    ([("+", 'if (user.badge == "0417") return Outcome.granted;')], 'user.badge == "0417"'),
    ([("-", "auto rows = db.prepare(Q.results).bind(ward);"),
        ("+", 'auto rows = db.query("select * from results where ward = \'" ~ ward ~ "\'");')],
        "where ward = '\" ~ ward"),
    ([("-", "if (specimen.patient != result.patient) throw new WrongPatient;")], "throw new WrongPatient"),
    ([("-", "immutable criticalPotassium = 6.5;"), ("+", "immutable criticalPotassium = 65.0;")],
    "criticalPotassium = 65.0"),
    ([("-", "audit.append(user, before, after);")], "audit.append(user, before, after)"),
    ([("+", "executeShell(\"lpr -P \" ~ request.printer);")], 'executeShell("lpr -P "'),
)


@case("hg export -r 'branch(stable) and draft()' --git")
def hg_export_series(r):
    clock = Clock(r, 9000)

    def changeset(special=None):
        path = f"source/lab/{ident(r)}.d"
        out = ["# HG changeset patch", f"# User {r.choice(PEOPLE)} <{r.choice(PEOPLE).lower()}@lab.example>",
            f"# Date {int(clock().timestamp())} {r.choice(['-7200', '-3600', '0'])}", "# Branch stable",
            f"# Node ID {hexes(r, 40)}",
            f"# Parent  {hexes(r, 40)}", word(r, r.choice(SUBJECTS)), ""]
        out += [word(r, x) for x in r.sample(REASONS, r.randint(0, 3))] + [""]
        files = r.randint(1, 3)
        for k in range(files):
            path = f"source/lab/{ident(r)}.d"
            out += [f"diff --git a/{path} b/{path}", f"--- a/{path}", f"+++ b/{path}"]
            for _ in range(r.randint(1, 2)):
                extra = special if k == files - 1 and special else ()
                out += unified(r, edited(r, DLANG, r.randint(10, 24), 4, extra))
                special = None if extra else special
        return "\n".join([*out, ""])

    dangers = r.sample(D_DANGERS, 3)
    return fill(r, 9, changeset, [lambda d=d: changeset(d) for d, _ in dangers]), [n for _, n in dangers]


ADA_DANGERS = (
    ([("-", "if not Signed (Item, By) then"), ("-", "   raise Not_Signed;"), ("-", "end if;")], "raise Not_Signed"),
    ([("-", "Max_Temperature := 8.0;"), ("+", "Max_Temperature := 80.0;")], "Max_Temperature := 80.0"),
    ([("+", "pragma Suppress (All_Checks);")], "pragma Suppress (All_Checks)"),
    ([("-", "Door.Lock (Until_Spun_Down => True);"), ("+", "Door.Lock (Until_Spun_Down => False);")],
    "Until_Spun_Down => False"),
    ([("+", 'if Badge = "7734" then return True; end if;')], 'Badge = "7734"'),
    ([("-", "if Imbalance > Limit then Emergency_Stop; end if;")], "Emergency_Stop"),
)


def context_hunk(r, lines):
    """`edited` lines in the older format: the old text, then the new one."""
    old, new, k = [], [], 0
    while k < len(lines):
        sign, text = lines[k]
        follow = lines[k + 1] if k + 1 < len(lines) else (" ", "")
        if sign == "-" and follow[0] == "+":
            old, new, k = [*old, "! " + text], [*new, "! " + follow[1]], k + 1
        elif sign == " ":
            old, new = [*old, "  " + text], [*new, "  " + text]
        elif sign == "-":
            old.append("- " + text)
        else:
            new.append("+ " + text)
        k += 1
    at = r.randint(3, 900)
    out = ["***************", f"*** {at},{at + len(old) - 1} ****", *old]
    return [*out, f"--- {at + 3},{at + len(new) + 2} ----", *new]


@case("diff -c -r vendor/centrifuge-4.1 vendor/centrifuge-4.2")
def context_diff_vendor(r):
    clock = Clock(r, 90000)

    def changed(special=()):
        name = ident(r) + r.choice([".adb", ".adb", ".ads"])
        old, new = (clock.text("%a %b %d %H:%M:%S %Y") for _ in range(2))
        out = [f"diff -c -r vendor/centrifuge-4.1/src/{name} vendor/centrifuge-4.2/src/{name}",
            f"*** vendor/centrifuge-4.1/src/{name}\t{old}", f"--- vendor/centrifuge-4.2/src/{name}\t{new}"]
        for _ in range(r.randint(0, 2)):
            out += context_hunk(r, edited(r, ADA, r.randint(8, 16), 6))
        out += context_hunk(r, edited(r, ADA, r.randint(8, 16), 6, special))
        if r.random() < 0.15:
            out.append(f"Only in vendor/centrifuge-4.{r.randint(1, 2)}/src: {ident(r)}.ads")
        return "\n".join(out)

    dangers = r.sample(ADA_DANGERS, 3)
    return fill(r, 10, changed, [lambda d=d: changed(d) for d, _ in dangers]), [n for _, n in dangers]


@case("liquibase --changelog-file=db/changelog/root.xml --url=jdbc:postgresql://db-lab/lis update-sql")
def liquibase_plan(r):
    ids, clock = iter(distinct(r, 400, 1000, 9999)), Clock(r, 500000)
    kinds = ["VARCHAR(60)", "INTEGER", "numeric(9, 2)", "TIMESTAMP WITHOUT TIME ZONE",
        "BOOLEAN DEFAULT FALSE NOT NULL", "UUID", "TEXT"]

    def plain():
        t, c = r.choice(THINGS), r.choice(THINGS)
        columns = ", ".join(f"{x} {r.choice(kinds)}" for x in r.sample(THINGS, r.randint(4, 9)))
        return r.choice([
            [f"ALTER TABLE lis.{t} ADD {c}_{r.choice(DEEDS)} {r.choice(kinds)};"],
            [f"CREATE TABLE lis.{t}_{r.choice(DEEDS)} (id BIGINT GENERATED BY DEFAULT AS IDENTITY NOT NULL, {columns}, "
                + f"CONSTRAINT pk_{t}_{c} PRIMARY KEY (id));"],
            [f"CREATE INDEX ix_{t}_{c} ON lis.{t}({c}_id, created_at);"],
            [f"COMMENT ON COLUMN lis.{t}.{c} IS '{word(r, 'filled when we {d} the {t}')}';"],
            [f"INSERT INTO lis.{t}_kind (code, title) VALUES ('{c[:3].upper()}{k}', '{word(r, '{t} for {d}')}');"
            for k in range(r.randint(2, 9))],
            [f"ALTER TABLE lis.{t} ADD CONSTRAINT fk_{t}_{c} FOREIGN KEY ({c}_id) REFERENCES lis.{c} (id);"],
            [f"CREATE OR REPLACE VIEW lis.v_{t}_{c} AS SELECT a.id, a.code, b.title FROM lis.{t} a JOIN lis.{c} b ON "
            f"b.{t}_id = a.id;"],
            [f"UPDATE lis.{t} SET {c}_code = upper({c}_code) WHERE {c}_code IS NOT NULL;"],
        ])

    def changeset(sql=None):
        who, file, n = r.choice(PEOPLE).lower(), f"db/changelog/{r.randint(2019, 2025)}/{ident(r)}.xml", next(ids)
        out = [f"-- Changeset {file}::{n}::{who}", *(sql or plain())]
        tag = f"9:{hexes(r, 32)}"
        return "\n\n".join(["\n".join(out), "INSERT INTO databasechangelog (ID, AUTHOR, FILENAME, DATEEXECUTED, "
            "ORDEREXECUTED, MD5SUM, "
            + f"DESCRIPTION, EXECTYPE) VALUES ('{n}', '{who}', '{file}', NOW(), {n % 900}, '{tag}', 'sql', "
            f"'EXECUTED');", ""])

    a, b, c, d = r.sample(THINGS, 4)
    specials = r.sample([
        ([f"ALTER TABLE lis.{a} DROP COLUMN {b}_history;"], f"DROP COLUMN {b}_history"),
        ([f"TRUNCATE TABLE lis.{c}_audit CASCADE;"], f"TRUNCATE TABLE lis.{c}_audit"),
        ([f"DELETE FROM lis.{d}_result;"], f"DELETE FROM lis.{d}_result;"),
        ([f"ALTER TABLE lis.{b} ALTER COLUMN barcode TYPE VARCHAR(8) USING (left(barcode, 8));"],
        "USING (left(barcode, 8))"),
        ([f"GRANT ALL PRIVILEGES ON ALL TABLES IN SCHEMA lis TO {a}_guest;"], f"TO {a}_guest"),
    ], 3)
    head = ["-- *********************************************************************", "-- Update Database Script",
        "-- *********************************************************************",
        "-- Change Log: db/changelog/root.xml",
        f"-- Ran at: {clock.text('%d/%m/%Y, %H:%M')}", "-- Against: lis_owner@jdbc:postgresql://db-lab/lis",
        f"-- Liquibase version: "
        f"4.{r.randint(20, 31)}.0", "-- *********************************************************************", "",
        "SET SEARCH_PATH TO lis, \"$user\",\"public\";", ""]
    return head + entries(r, 9, changeset, [lambda s=s: changeset(s) for s, _ in specials]), [n for _, n in specials]


@case("java -jar japicmp.jar -o lab-core-3.8.2.jar -n lab-core-3.9.0.jar")
def japicmp_classes(r):
    types = ["java.lang.String", "int", "long", "java.util.List", "java.time.Instant", "boolean", "byte[]"]

    def arguments():
        return ", ".join(r.sample(types, r.randint(0, 3)))

    def member():
        n = camel(ident(r))
        return r.choice([
            f"\t+++  NEW METHOD: PUBLIC(+) {r.choice(types)} {n}({arguments()})",
            f"\t+++  NEW FIELD: PUBLIC(+) STATIC(+) FINAL(+) {r.choice(types)} {n.upper()}",
            f"\t===  UNCHANGED METHOD: PUBLIC {r.choice(types)} {n}({arguments()})",
            f"\t===  UNCHANGED METHOD: PUBLIC STATIC {r.choice(types)} {n}({arguments()})",
            f"\t***  MODIFIED METHOD: PUBLIC FINAL (<- NON_FINAL) SYNTHETIC(<- NON_SYNTHETIC) {r.choice(types)} "
            f"{n}({arguments()})",
            f"\t***  MODIFIED METHOD: PUBLIC {r.choice(types)} {n}({arguments()})\n\t\t+++  NEW ANNOTATION: "
            f"java.lang.Deprecated",
            f"\t***  MODIFIED METHOD: PUBLIC (<- PROTECTED) {r.choice(types)} {n}({arguments()})",
            f"\t+++  NEW CONSTRUCTOR: PUBLIC(+) {n.capitalize()}({arguments()})",
        ])

    def klass(extra=None):
        name = f"org.lab.core.{r.choice(DEEDS)}.{camel(ident(r), True)}"
        head = f"***{'!' if extra else ' '} MODIFIED CLASS: PUBLIC {name}  (not serializable)"
        if not extra and r.random() < 0.2:
            version = "\t+++  CLASS FILE FORMAT VERSION: 61.0 <- n.a."
            return f"+++  NEW CLASS: PUBLIC(+) {name}  (not serializable)\n{version}"
        members = [member() for _ in range(r.randint(3, 14))]
        if extra:
            members.insert(r.randint(1, len(members) - 1), extra)
        return "\n".join([head, "\t===  CLASS FILE FORMAT VERSION: 61.0 <- 61.0", *members])

    a, b, c = (camel(n) for n in idents(r, 3))
    specials = r.sample([
        (f"\t---! REMOVED METHOD: PUBLIC(-) boolean {a}(java.lang.String)", ["REMOVED METHOD", a]),
        (f"\t***! MODIFIED METHOD: PUBLIC long (<-int) {b}(java.util.List)", ["long (<-int)", b]),
        (f"\t---! REMOVED SUPERCLASS: java.io.Serializable.{c.capitalize()}", "REMOVED SUPERCLASS"),
        (f"\t---! REMOVED FIELD: PUBLIC(-) STATIC(-) FINAL(-) int {c.upper()}_LIMIT",
        ["REMOVED FIELD", f"{c.upper()}_LIMIT"]),
    ], 3)
    head = ["Comparing binary compatibility of lab-core-3.9.0.jar against lab-core-3.8.2.jar",
        "WARNING: You are using the option '--ignore-missing-classes', i.e. superclasses and interfaces that could "
        "not be found."]
    return head + entries(r, 10, klass, [lambda s=s: klass(s) for s, _ in specials]), [n for _, n in specials]


@case("npx cdk diff --all 2>&1")
def cdk_diff_stacks(r):
    kinds = ["Lambda::Function", "SQS::Queue", "Logs::LogGroup", "ECS::TaskDefinition", "SNS::Topic", "Events::Rule",
        "CloudWatch::Alarm",
        "ApiGateway::Method", "SSM::Parameter"]

    def leaf():
        a, b = r.sample([128, 256, 512, 900, 1024, 30, 60, 14], 2)
        return r.choice([
            ("Lambda::Function", [" └─ [~] Environment", "     └─ [~] .Variables:",
            f"         └─ [+] Added: .{ident(r).upper()}"]),
            ("Lambda::Function", [" └─ [~] MemorySize", f"     ├─ [-] {a}", f"     └─ [+] {b}"]),
            ("SQS::Queue", [" └─ [~] VisibilityTimeout", f"     ├─ [-] {a}", f"     └─ [+] {b}"]),
            ("Logs::LogGroup", [" └─ [~] RetentionInDays", f"     ├─ [-] {a}", f"     └─ [+] {b}"]),
            ("CloudWatch::Alarm", [" ├─ [~] AlarmDescription", f" │   ├─ [-] {word(r, '{t} on {h}')}",
            f" │   └─ [+] {word(r, '{t} on {h}')}",
                " └─ [~] Threshold", f"     ├─ [-] {a}", f"     └─ [+] {b}"]),
            ("Lambda::Function", [" ├─ [~] Code", " │   └─ [~] .S3Key:", f" │       ├─ [-] {hexes(r, 64)}.zip",
            f" │       └─ [+] {hexes(r, 64)}.zip",
                " └─ [~] Metadata", "     └─ [~] .aws:asset:path:", f"         ├─ [-] asset.{hexes(r, 40)}",
                f"         └─ [+] asset.{hexes(r, 40)}"]),
            ("SSM::Parameter", [" └─ [~] Value", f"     ├─ [-] {ident(r)}", f"     └─ [+] {ident(r)}"]),
            (r.choice(kinds), [" └─ [~] Tags", f"     └─ @@ -{r.randint(1, 9)},4 +{r.randint(1, 9)},4 @@",
            "        [ ] {",
                '        [ ]   "Key": "ward",', f'        [-]   "Value": "{r.choice(THINGS)}"',
                f'        [+]   "Value": "{r.choice(THINGS)}"',
                "        [ ] }"]),
        ])

    def resource(extra=None):
        if extra:
            return "\n".join(extra)
        (kind, lines), name = leaf(), camel(ident(r), True)
        sign, end = r.choices([("+", ""), ("-", " destroy"), ("~", "")], [20, 6, 74])[0]
        head = f"[{sign}] AWS::{kind} {name} {name}{hexes(r, 8).upper()}{end}"
        return "\n".join([head, *lines]) if sign == "~" else head

    def stack(extras):
        name = f"Lab{camel(ident(r), True)}Stack"
        out = [f"Stack {name}", "Hold on while we create a read-only change set to get a better diff",
            "IAM Statement Changes",
            "┌───┬──────────────┬────────┬──────────────────────┬──────────────────────────┬───────────┐",
            "│   │ Resource     │ Effect │ Action               │ Principal                │ Condition │",
            "├───┼──────────────┼────────┼──────────────────────┼──────────────────────────┼───────────┤"]
        for _ in range(r.randint(2, 6)):
            action = f"{r.choice(['sqs:SendMessage', 'sns:Publish', 's3:GetObject', 'logs:PutLogEvents'])}"
            out.append(f"│ + │ ${{{r.choice(THINGS).capitalize():<9}}} │ Allow  │ {action:<20} │ "
                f"{'AWS:${' + r.choice(THINGS) + 'Role}':<24} │           │")
        if "iam" in extras:
            out.append(f"│ + │ ${{{'Results.Arn':<9}}} │ Allow  │ {'s3:*':<20} │ {'AWS:*':<24} │           │")
        out += ["└───┴──────────────┴────────┴──────────────────────┴──────────────────────────┴───────────┘",
            "(NOTE: There may be security-related changes not in this list. See "
            "https://github.com/aws/aws-cdk/issues/1299)", "", "Resources"]
        out += entries(r, 1.7, resource, [lambda x=x: resource(x) for x in extras.values() if x])
        return [*out, "", ""]

    t, u = (camel(n, True) for n in idents(r, 2))
    replaced = [f"[~] AWS::RDS::DBInstance {t}Db {t}Db{hexes(r, 8).upper()} replace",
        " └─ [~] StorageEncrypted (requires replacement)",
        "     ├─ [-] true", "     └─ [+] false"]
    opened = [f"[~] AWS::EC2::SecurityGroup {u}Group {u}Group{hexes(r, 8).upper()}", " └─ [~] SecurityGroupIngress",
        '     └─ @@ -2,3 +2,3 @@', '        [-]   "CidrIp": "10.20.0.0/16",', '        [+]   "CidrIp": "0.0.0.0/0",',
        '        [ ]   "FromPort": 5432']
    plans = r.sample([{}, {"db": replaced}, {"iam": None}, {"sg": opened}, {}, {}], 6)
    plans = [{}, *plans] if plans[0] else plans
    plans = [*plans, {}] if plans[-1] else plans
    out = [x for p in plans for x in stack(p)]
    return out + [f"✨  Number of stacks with differences: {len(plans)}"], [
        [f"{t}Db", "replace", "StorageEncrypted"], ["s3:*", "AWS:*"], [f"{u}Group", '"CidrIp": "0.0.0.0/0"']]


@case("nbdiff --source --outputs HEAD~4 HEAD assay_drift.ipynb")
def nbdiff_cells(r):
    cells = iter(range(400))
    clock = Clock(r, 60000)
    code = ["{t} = pd.read_parquet('{u}.parquet')", "{t}.groupby('{u}').level.mean()",
        "ax.plot({t}.day, {t}.level, lw={n})",
        "print(f'{t}: {{len({u})}}')", "{t} = {u}.dropna(subset=['{t}'])", "for {t} in {u}.unique():",
        "    fit({t}, deg={n})",
        "{t}['{u}'] = {t}.level.rolling({n}).median()", "ax.set_title('{t} by {u}')", "assert {t}.barcode.is_unique",
        "{t}.merge({u}, on='barcode', how='left')", "%matplotlib inline", "plt.figure(figsize=({n}, {m}))"]

    def source(extra=()):
        lines = [r.choice([" ", " ", "-", "+"]) + " " + word(r, r.choice(code)) for _ in range(r.randint(4, 14))]
        at = r.randint(1, len(lines) - 1)
        n = next(cells)
        return "\n".join([f"## modified /cells/{n}/source:", f"@@ -{r.randint(1, 9)},{len(lines)} "
            f"+{r.randint(1, 9)},{len(lines)} @@",
            *lines[:at], *extra, *lines[at:], ""])

    def table(extra=()):
        n, rows = next(cells), []
        for t in r.sample(THINGS, r.randint(3, 10)):
            a, b = (f"{r.uniform(0.93, 0.99):.3f}" for _ in range(2))
            rows += [f"-  {t:<12} {a}  {r.randint(90, 999)}", f"+  {t:<12} {b}  {r.randint(90, 999)}"]
        at = 2 * r.randint(0, len(rows) // 2)
        rows = [*rows[:at], *extra, *rows[at:]]
        return "\n".join([f"## modified /cells/{n}/outputs/0/data/text/plain:", "@@ -1,9 +1,9 @@",
            "   thing        auc    n", *rows, ""])

    def small():
        n = next(cells)
        return r.choice([
            "\n".join([f"## replaced /cells/{n}/execution_count:", f"-  {r.randint(1, 90)}", f"+  {r.randint(1, 90)}",
            ""]),
            "\n".join([f"## inserted before /cells/{n}:", "+  code cell:",
            f"+    execution_count: {r.randint(1, 90)}", "+    source:",
                *(f"+      {word(r, r.choice(code))}" for _ in range(r.randint(2, 8))), ""]),
            "\n".join([f"## modified /cells/{n}/outputs/0/text:", "@@ -1,2 +1,2 @@",
            f"-  {r.choice(THINGS)}: {r.randint(100, 9000)} rows",
                f"+  {r.choice(THINGS)}: {r.randint(100, 9000)} rows", ""]),
            "\n".join([f"## deleted /cells/{n}:", "-  markdown cell:", "-    source:",
            *(f"-      {word(r, x)}" for x in r.sample(REASONS, 2)), ""]),
            "\n".join([f"## modified /cells/{n}/outputs/1/data/image/png:", f"-  <base64 data with md5={hexes(r, 32)}>",
                f"+  <base64 data with md5={hexes(r, 32)}>", ""]),
        ])

    assay = r.choice(THINGS) + "_ctl"
    low = f"{r.uniform(0.41, 0.58):.3f}"
    specials = [
        lambda: source(["- train, test = split_by_patient(data, seed=7)", "+ train = test = data"]),
        lambda: source([f"- data = data[data.flag == 'verified']", "+ # data = data[data.flag == 'verified']"]),
        lambda: table([f"-  {assay:<12} {r.uniform(0.95, 0.98):.3f}  {r.randint(90, 999)}",
        f"+  {assay:<12} {low}  {r.randint(90, 999)}"]),
    ]
    head = ["nbdiff HEAD~4 HEAD (assay_drift.ipynb)", f"--- assay_drift.ipynb (HEAD~4)  ({hexes(r, 8)})",
        f"+++ assay_drift.ipynb (HEAD)  {clock.text('%Y-%m-%d %H:%M:%S')}"]
    text = fill(r, 10, lambda: r.choice([source, small, small, table])(), specials)
    return "\n".join(head) + "\n" + text, ["train = test = data", "# data = data[data.flag == 'verified']",
        [assay, low]]


@case("zcat /usr/share/doc/lis-gateway/changelog.Debian.gz")
def interest_debian_changelog(r):
    bugs, clock, out, closed = iter(distinct(r, 900, 900100, 1099900)), Clock(r, 90000), [], []
    notes = SUBJECTS + ("d/control: Depend on lib{t}-dev (>= {n}.{m}).", "d/rules: Do not run the {t} tests on armel.",
        "d/patches/{d}-{t}.patch: Refreshed.", "Standards-Version: 4.7.0, no changes needed.",
        "Add German translation of the {t} notice.",
        "New upstream release.", "Drop {t}.service from the {u} package.", "Team upload.")
    for k in range(110):  # oldest first, turned round at the end
        version, lines, who = f"{2 + k // 30}.{k % 30}.{r.randint(0, 9)}-{r.randint(1, 4)}", [], r.choice(PEOPLE)
        for _ in range(r.randint(2, 8)):
            text, ends = word(r, r.choice(notes)).rstrip("."), "."
            if r.random() < 0.4:
                closed.append((version, next(bugs)))
                ends = f". (Closes: #{closed[-1][1]})"
            lines.append(f"  * {text}{ends}")
        urgency = r.choice(["medium", "medium", "low", "high"])
        out.append("\n".join([f"lis-gateway ({version}) "
            f"{r.choice(['unstable', 'unstable', 'experimental', 'bookworm'])}; urgency={urgency}", "",
            *lines, "", f" -- {who} {r.choice(PEOPLE)[0]}. <{who.lower()}@lab.example>  "
            f"{clock.text('%a, %d %b %Y %H:%M:%S +0200')}", ""]))
    version, bug = r.choice(closed[len(closed) // 5 : -len(closed) // 5])
    return out[::-1], [version], dict(last=f"I only want to know which version of the package closed bug #{bug}.")


@case("ssh admin@core-2 'show configuration | compare rollback 5 | no-more'")
def junos_compare(r):
    def host():
        return f"10.{r.randint(0, 60)}.{r.randint(0, 255)}.{r.randint(2, 250)}"

    def block():
        t, n = r.choice(THINGS), r.randint(0, 47)
        return "\n".join(r.choice([
            [f"[edit interfaces ge-{r.randint(0, 7)}/0/{n}]", f"-   description \"{t} bench {r.randint(1, 90)}\";",
                f"+   description \"{r.choice(THINGS)} bench {r.randint(1, 90)}\";"],
            [f"[edit interfaces irb unit {r.randint(100, 400)} family inet]", f"+       address {host()}/24;"],
            ["[edit vlans]", f"+   {t}-{r.randint(100, 999)} {{", f"+       vlan-id {r.randint(100, 3999)};",
            f"+       l3-interface irb.{r.randint(100, 400)};",
                "+   }"],
            [f"[edit policy-options prefix-list {t}-nets]", f"+    {host()}/32;", f"-    {host()}/32;",
            f"-    {host()}/32;"],
            [f"[edit protocols bgp group {t}]", f"+    neighbor {host()} {{",
            f"+        description \"{r.choice(HOSTS)}\";", f"+        hold-time {r.choice([30, 60, 90])};",
                "+    }"],
            [f"[edit system syslog host {host()}]", f"-    {t} notice;", f"+    {t} any;",
            f"+    source-address {host()};"],
            [f"[edit snmp community {t}-{n}]", f"-    clients {host()}/32;", f"+    clients {host()}/32;"],
            [f"[edit class-of-service interfaces ge-{r.randint(0, 7)}/0/{n}]", f"+    scheduler-map {t}-map;"],
            [f"[edit firewall family inet filter {t}-in]", f"+     term {ident(r, '-')} {{", "+         from {",
                "+             source-address {", f"+                 {host()}/32;", "+             }",
                f"+             destination-port {r.randint(1024, 9999)};",
                "+         }", "+         then accept;", "+     }"],
            [f"[edit routing-instances {t} routing-options static]", f"+     route {host()}/32 next-hop {host()};"],
            ["[edit system login]", f"+    user {r.choice(PEOPLE).lower()} {{",
            f"+        uid {r.randint(2001, 2099)};", "+        class read-only;", "+    }"],
        ]))

    t, user = ident(r, "-"), r.choice(PEOPLE).lower() + "-tmp"
    specials = r.sample([
        ("\n".join(["[edit firewall family inet filter modality-in]", f"-     term {t}-deny {{", "-         then {",
        "-             count dropped;",
            "-             discard;", "-         }", "-     }"]), [f"term {t}-deny", "discard"]),
        ("\n".join(["[edit system services]", "+    telnet;"]), "telnet;"),
        ("\n".join(["[edit system login]", f"+    user {user} {{", "+        uid 2417;", "+        class super-user;",
        "+    }"]), [user, "super-user"]),
        ("\n".join(["[edit routing-options static]", "-    route 0.0.0.0/0 next-hop 10.1.0.1;",
        "+    route 0.0.0.0/0 next-hop 192.0.2.66;"]),
            "0.0.0.0/0 next-hop 192.0.2.66"),
        ("\n".join(["[edit protocols rstp interface ae0]", "-      bpdu-block-on-edge;", "+      disable;"]),
        ["rstp interface ae0", "disable;"]),
    ], 3)
    groups = {}  # what belongs to one place stands together
    for text in entries(r, 8, block, [s for s, _ in specials], low=0.2):
        head, lines = text.split("\n", 1)
        groups.setdefault(head, []).append(lines)
    return [x for head, lines in groups.items() for x in [head, *lines]], [n for _, n in specials]


PRAISE = (
    "Could we name this {t} instead of {u}?", "Nit: one blank line too many.", "Nice, this was long overdue.",
    "Done in {c}.",
    "Good point, changed it to {n}.", "I would rather keep the {t} here, {p} uses it on {h}.",
    "Same question as above.",
    "Is {n} enough for the {t}? On {h} we saw {m}.", "Works for me.", "Let's leave that for another change.",
    "Typo: '{t}s' should be '{t}'.", "Could be a constant.", "The comment is out of date since we {d} the {t} "
    "elsewhere.",
    "Agreed, removed.", "I moved this into the {u} helper.", "Please add a test without any {t}.", "Test added.",
    "Do we still need this for the old {u}?", "No, the last one was switched off in spring.", "Thanks, fixed.",
)
OBJECTIONS = (
    "This writes the result before the signature is checked. We must not merge it like that.",
    "Blocking: the migration locks the whole result table, for about 40 minutes on production data.",
    "This sends the patient's name to the analytics vendor. Legal said no to that in March.",
    "With two couriers at once this hands out the same barcode twice, I could reproduce it.",
    "The retry has no upper bound: it will flood the analyzer when the gateway is down.",
)


@case("gh api graphql -F number=2114 -f query=@threads.graphql")
def review_threads_graphql(r):
    clock = Clock(r, 4000)

    def comment(text):
        return {"author": {"login": r.choice(PEOPLE).lower()}, "createdAt": clock.text("%Y-%m-%dT%H:%M:%SZ"),
            "body": text,
            "reactionGroups": [],
            "url": f"https://git.lab.example/lis/core/pull/2114#discussion_r{r.randint(10**9, 2 * 10**9)}"}

    def thread(text=None):
        comments = [comment(word(r, r.choice(PRAISE).replace("{c}", hexes(r, 8)))) for _ in range(r.randint(1, 4))]
        if text:
            comments = [comment(text), *comments[:1]]
        return {"id": "PRRT_kw" + hexes(r, 16), "isResolved": not text, "isOutdated": r.random() < 0.3 and not text,
            "path": f"core/src/{ident(r)}.kt", "line": r.randint(4, 900),
            "resolvedBy": None if text else {"login": r.choice(PEOPLE).lower()},
            "comments": {"totalCount": len(comments), "nodes": comments}}

    texts = r.sample(OBJECTIONS, 2)
    nodes = []
    at = sorted(r.sample(range(5, 31), 2))
    for k in range(36):
        nodes.append(thread(texts[at.index(k)] if k in at else None))
    files = [{"path": f"core/src/{n}.kt", "additions": r.randint(0, 90), "deletions": r.randint(0, 60)}
        for n in idents(r, 64)]
    blocker = r.choice(PEOPLE).lower()
    reviews = [{"author": {"login": p.lower()}, "state": "APPROVED" if r.random() < 0.5 else "COMMENTED",
        "submittedAt": clock.text("%Y-%m-%dT%H:%M:%SZ")}
        for p in r.sample(PEOPLE, 7) if p.lower() != blocker]
    reviews.insert(r.randint(1, 5), {"author": {"login": blocker}, "state": "CHANGES_REQUESTED",
        "submittedAt": clock.text("%Y-%m-%dT%H:%M:%SZ")})
    pull = {"title": word(r, "Release results in batches per {t}"), "state": "OPEN", "mergeable": "MERGEABLE",
        "files": {"nodes": files}, "latestReviews": {"nodes": reviews},
        "reviewThreads": {"totalCount": len(nodes), "nodes": nodes}}
    needles = [" ".join(x.split()[:9]) for x in texts]
    return json.dumps({"data": {"repository": {"pullRequest": pull}}},
        indent=2), needles + [[blocker, "CHANGES_REQUESTED"]]
