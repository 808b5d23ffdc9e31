"""Outputs of several things one after the other: pipelines, scripts, sessions, reports with code and its results."""

import json

from ..case import case
from .stock import DEEDS, HOSTS, PEOPLE, THINGS, Clock, camel, distinct, entries, fill, hexes, ident, idents


def calm(r):
    """One message of an ordinary night in the laboratory."""
    t, n = r.choice(THINGS), r.randint(10, 9999)
    return r.choice([
        f"{t} {n} scanned on {r.choice(HOSTS)}", f"{r.choice(DEEDS)} of {t} {n} took {r.randint(3, 900)} ms",
        f"{n} rows read from {t}_journal",
        f"next {t} check in {r.randint(5, 300)} s", f"{r.choice(PEOPLE).lower()} opened the {t} list",
        f"{t} {n} sent to {r.choice(HOSTS)}",
        f"label for {t} {n} printed twice on request", f"kept {n} {t} entries, dropped {r.randint(0, 9)} duplicates",
        f"{t} volume {r.randint(50, 900)} ul, enough for {r.randint(2, 9)} runs",
        f"connection to {r.choice(HOSTS)} idle for {r.randint(5, 90)} s",
        f"index of {t} is up to date", f"retry 1 of 5 for {t} {n} succeeded", f"cache of {t} holds {n} items",
    ])


def troubles(r, n):
    """`n` different (message, its telling words) that nobody wants to miss."""
    d, t = r.randint, r.choice(THINGS)
    a, b = d(11, 98), d(1000, 9999)
    return r.sample([
        (f"control sample of {t} is {a}.4 % too high, results since 02:10 are not valid", f"{a}.4 % too high"),
        (f"two patients share the barcode {b}{a}, kept the first one", f"share the barcode {b}{a}"),
        (f"{d(200, 900)} results were never sent: gateway answered AR (application reject)",
        "answered AR (application reject)"),
        (f"freezer F{a} is at -4.2 degrees, limit is -18", f"freezer F{a} is at -4.2"),
        (f"cannot open /srv/lis/{t}.lock: No space left on device", f"/srv/lis/{t}.lock: No space left on device"),
        (f"result {b} was signed by nobody, but is released", f"result {b} was signed by nobody"),
        (f"certificate of analyzer-{a} ended yesterday, using plain text",
        f"certificate of analyzer-{a} ended yesterday"),
        (f"skipped {b} requisitions: unknown ward code ZZ{a}", f"unknown ward code ZZ{a}"),
        (f"backup of {t} is empty (0 bytes), the old one was removed", f"backup of {t} is empty"),
        (f"unit of potassium changed from mmol/l to mg/dl in message {b}", "from mmol/l to mg/dl"),
    ], n)


def psql_table(r, rows=None):
    a, b = r.sample(THINGS, 2)
    wide = r.randint(20, 28)
    rows = rows or [(r.choice(idents(r, 1)), r.randint(1, 90000), r.choice(HOSTS)) for _ in range(r.randint(5, 18))]
    out = [f" {a:<{wide}} | {b:>10} | {'host':<12}", "-" * (wide + 2) + "+" + "-" * 12 + "+" + "-" * 14]
    return [*out, *(f" {x:<{wide}} | {y:>10} | {z:<12}" for x, y, z in rows), f"({len(rows)} rows)", ""]


def report_json(r, name, **extra):
    fields = {t: r.choice([r.randint(0, 9000), round(r.uniform(0, 99), 2), r.choice(HOSTS), True, None])
        for t in r.sample(THINGS, r.randint(4, 9))}
    return json.dumps({"job": name, **fields, **extra}, indent=r.choice([2, 2, None])).split("\n")


def azure_stamp(clock):
    return f"{clock().strftime('%Y-%m-%dT%H:%M:%S.%f')}{clock.r.randint(0, 9)}Z"


@case("az devops invoke --area build --resource logs --route-parameters project=lis buildId=20417 --query value -o tsv")
def azure_pipeline(r):
    clock = Clock(r, 0.4)
    (text, needle), (other, hint), (third, clue) = troubles(r, 3)

    def git():
        return ["Syncing repository: lis-core (Git)", "git version", "git version 2.45.2",
            "git init \"/home/vsts/work/1/s\"",
            "##[command]git -c http.extraheader=\"AUTHORIZATION: bearer ***\" fetch --force --tags --prune "
            "--depth=1 origin",
            *(f" * [new branch]      {ident(r, '-')} -> origin/{ident(r, '-')}" for _ in range(r.randint(5, 20))),
            f"HEAD is now at {hexes(r, 7)} Merge pull request {r.randint(100, 4000)}"]

    def restore():
        return [f"  Restored /home/vsts/work/1/s/src/Lab.{camel(ident(r), True)}/Lab.{camel(ident(r), True)}.csproj "
            f"(in {r.randint(90, 900)} ms)."
            for _ in range(r.randint(8, 25))]

    def build():
        out = [f"  Lab.{camel(ident(r), True)} -> "
            f"/home/vsts/work/1/s/bin/Release/net8.0/Lab.{camel(ident(r), True)}.dll" for _ in range(r.randint(8, 24))]
        out += [f"##[warning]src/Lab/{camel(ident(r), True)}.cs({r.randint(9, 900)},{r.randint(4, 80)}): Warning "
            f"CS8618: Non-nullable property "
            f"'{r.choice(THINGS).capitalize()}' must contain a non-null value when exiting constructor."
            for _ in range(r.randint(0, 3))]
        return out

    def test():
        return [f"  Passed Lab.Tests.{camel(ident(r), True)}Tests.{camel(ident(r), True)} [{r.randint(1, 800)} ms]"
            for _ in range(r.randint(15, 50))]

    def image():
        return [x for k in range(r.randint(4, 12)) for x in (f"#{k + 4} [{r.choice(['build', 'final'])} {k + 1}/12] "
            f"RUN make {ident(r, '-')}",
            f"#{k + 4} {r.choice(['CACHED', f'DONE {r.randint(1, 40)}.{r.randint(0, 9)}s'])}")]

    def script():
        return [calm(r) for _ in range(r.randint(8, 26))]

    kinds = {git: "Checkout lis-core@main to s", restore: "dotnet restore", build: "Build solution", test: "VSTest",
        image: "Docker build", script: "Bash"}

    def section(kind=None, extra=(), end=()):
        kind = kind or r.choice([restore, build, test, image, script, script])
        name = kinds[kind] + (f" ({ident(r, ' ')})" if kind is not git else "")
        lines = kind()
        at = r.randint(len(lines) // 3, len(lines) - 1)
        head = ["=" * 78, f"Task         : {kinds[kind].split()[0]}",
            f"Version      : {r.randint(1, 5)}.{r.randint(200, 260)}.{r.randint(0, 9)}", "=" * 78]
        out = [f"##[section]Starting: {name}", *head, "Generating script." if kind is script else "", *lines[:at],
            *extra, *lines[at:], *end,
            f"##[section]Finishing: {name}"]
        return "\n".join(f"{azure_stamp(clock)} {x}" for x in out if x)

    broken = camel(ident(r), True)
    specials = [
        lambda: section(test, [f"  Failed Lab.Tests.{broken}Tests.Keeps_Unit [1 s]", "  Error Message:",
        f"   Assert.Equal() Failure: {text}", "  Stack Trace:",
            f"     at Lab.Tests.{broken}Tests.Keeps_Unit() in /home/vsts/work/1/s/test/{broken}Tests.cs:line "
            f"{r.randint(20, 400)}"],
            ["##[error]Error: The process '/usr/bin/dotnet' failed with exit code 1"]),
        lambda: section(script, [other], ["##[error]Bash exited with code '3'."]),
        lambda: section(script, [f"##[warning]{third}"]),
    ]
    return [section(git), *entries(r, 12, section, specials)], [[f"{broken}Tests", needle], hint, clue]


GREY, CYAN, GREEN, RED, OFF = "\x1b[90m", "\x1b[36m", "\x1b[32m", "\x1b[31m", "\x1b[0m"


@case("bk job log 0196e2a1-5c4f --no-timestamps")
def buildkite_groups(r):
    pairs = troubles(r, 3)
    port = r.randint(2000, 9000)

    def yarn():
        return [f"{GREY}➤{OFF} YN0013: │ "
            f"{r.choice(['@lab/', ''])}{ident(r, '-')}@npm:{r.randint(0, 9)}.{r.randint(0, 20)}.{r.randint(0, 9)} "
            f"can't be found in the cache "
            + "and will be fetched from the remote registry"
            for _ in range(r.randint(5, 15))] + [f"{GREY}➤{OFF} YN0000: └ Completed in {r.randint(2, 90)}s"]

    def hugo():
        return [f"{GREEN}✔{OFF} {ident(r, '/')}.ts {GREY}({r.randint(1, 900)} kB){OFF}"
            for _ in range(r.randint(10, 30))]

    def credo():
        return ["Compiling " + f"{r.randint(10, 90)} files (.ex)",
            *(f"{CYAN}[debug]{OFF} {calm(r)}" for _ in range(r.randint(5, 20))), f"Generated {ident(r)} app"]

    def terraform():
        return [f"module.{r.choice(THINGS)}.aws_{r.choice(['s3_bucket', 'iam_role', 'sqs_queue'])}.{ident(r)}: "
            f"Refreshing state... [id={ident(r, '-')}]"
            for _ in range(r.randint(6, 20))] + ["No changes. Your infrastructure matches the configuration."]

    def dots():
        return ["".join(r.choice("......*.") for _ in range(80))
            for _ in range(r.randint(2, 8))] + [f"Finished in {r.randint(2, 90)}.{r.randint(0, 9)} seconds, 0 failures"]

    def artifact():
        return [f"{GREY}2025-06-03 INFO{OFF}   Uploading artifact {hexes(r, 8)} tmp/{ident(r)}.xml "
            f"({r.randint(1, 900)} KiB)" for _ in range(r.randint(3, 12))]

    kinds = [yarn, hugo, credo, terraform, dots, artifact]

    def group(extra=(), opened=False):
        kind = r.choice(kinds)
        lines = kind()
        at = r.randint(1, len(lines))
        icon = r.choice([":yarn:", ":terraform:", ":elixir:", ":package:", ":microscope:", ":test_tube:"])
        out = [f"{'+++' if opened else '~~~' if r.random() < 0.5 else '---'} {icon} {ident(r, ' ').capitalize()}",
            f"{GREY}${OFF} {r.choice(['make', './bin/ci', 'mise run'])} {ident(r, '-')}", *lines[:at], *extra,
            *lines[at:]]
        return "\n".join(out)

    specials = [
        lambda: group([f"{RED}** (RuntimeError) {pairs[0][0]}{OFF}",
        f"    lib/lab/{ident(r)}.ex:{r.randint(9, 300)}: Lab.{camel(ident(r), True)}.run/2"], True),
        lambda: group([f"  1) {ident(r, ' ')}: {pairs[1][0]}", f"     {RED}Assertion with == failed{OFF}"]),
        lambda: group([f"warning: {pairs[2][0]}"]),
        lambda: group([f"  + ingress from 0.0.0.0/0 on port {port} of lis-db was added outside of this code"]),
    ]
    return fill(r, 10, group, specials), [n for _, n in pairs] + [[f"0.0.0.0/0 on port {port}", "outside of this code"]]


@case("cat /opt/teamcity/logs/Lis_Integration_4471.log")
def teamcity_messages(r):
    flow = r.randint(1000, 9000)
    (text, needle), (problem, hint) = troubles(r, 2)

    def service(kind, **fields):
        inside = " ".join(f"{k}='{v}'" for k, v in fields.items())
        return f"##teamcity[{kind} {inside} flowId='{flow}']"

    def one():
        name = f"lab.it.{camel(ident(r), True)}Test.{camel(ident(r))}"
        out = [service("testStarted", name=name, captureStandardOutput="true")]
        out += [f"{r.choice(['DEBUG', 'INFO ', 'INFO '])} [main] lab.{r.choice(THINGS)} - {calm(r)}"
            for _ in range(r.choice([0, 0, 1, 2, 4]))]
        k = r.random()
        if k < 0.05:
            out.append(service("testIgnored", name=name, message="needs a real analyzer"))
        return [*out, service("testFinished", name=name, duration=r.randint(1, 900))]

    def block():
        k = r.random()
        if k < 0.7:
            suite = camel(ident(r), True)
            return [service("testSuiteStarted", name=suite), *(x for _ in range(r.randint(2, 7)) for x in one()),
                service("testSuiteFinished", name=suite)]
        if k < 0.8:
            name = ident(r, "-")
            return [service("blockOpened", name=f"gradle {name}"),
                *(f"> Task :{r.choice(THINGS)}:{camel(ident(r))} {r.choice(['UP-TO-DATE', '', 'NO-SOURCE'])}".strip()
                for _ in range(r.randint(4, 12))), service("blockClosed", name=f"gradle {name}")]
        if k < 0.9:
            return [service("buildStatisticValue", key=f"{ident(r)}_ms",
                value=r.randint(100, 9000)) for _ in range(r.randint(1, 3))]
        return [service("progressMessage", text=f"Waiting for {r.choice(HOSTS)}"),
            *(f"{r.choice(HOSTS)}  | {calm(r)}" for _ in range(r.randint(3, 9)))]

    bad, key, host = f"lab.it.{camel(ident(r), True)}Test.{camel(ident(r))}", f"{ident(r)}_coverage", r.choice(HOSTS)
    low = f"{r.randint(11, 39)}.{r.randint(1, 9)}"
    specials = [
        "\n".join([service("testStarted", name=bad, captureStandardOutput="true"),
        f"INFO  [main] lab.{r.choice(THINGS)} - {calm(r)}",
            service("testFailed", name=bad, message=f"java.lang.AssertionError: {text}",
            details=f"at lab.it.Base.check(Base.java:{r.randint(9, 400)})|n"
                + f"at {bad}(Test.java:{r.randint(9, 400)})"),
                service("testFinished", name=bad, duration=r.randint(900, 9000))]),
        "\n".join([f"{host}  | {calm(r)}", f"{host}  | {problem}", f"{host}  | {calm(r)}"]),
        service("buildProblem", description=f"Coverage of {key} fell from 81.2 to {low}", identity=hexes(r, 6)),
    ]
    return fill(r, 12, lambda: "\n".join(block()), specials), [[bad, needle], hint, f"fell from 81.2 to {low}"]


@case("cat reports/turnaround.md")
def knitr_report(r):
    (text, needle), = troubles(r, 1)
    rows = r.randint(2000, 9000)

    def prose():
        return " ".join(r.sample([
            f"The {r.choice(THINGS)} is counted from the first scan.", "Weekends are shown in grey.",
            f"As before, {r.choice(HOSTS)} is left out on Mondays.",
            f"We thank {r.choice(PEOPLE)} for the data.", "The figure has a logarithmic axis.",
            f"There is little change against the {r.choice(THINGS)} report.",
            "Medians are more telling than means here.", "Values in brackets are quartiles.",
            f"The {r.choice(THINGS)} group is small.",
        ], r.randint(2, 4)))

    def summary():
        t = r.choice(THINGS)
        values = sorted(r.uniform(1, 99) for _ in range(6))
        return ["``` r", f"summary({t}$minutes)", "```", "", "```",
            "##    Min. 1st Qu.  Median    Mean 3rd Qu.    Max. ",
            "## " + " ".join(f"{v:7.2f}" for v in values), "```"]

    def glimpse():
        t, n = r.choice(THINGS), r.randint(4, 12)
        out = ["``` r", f"{t} |> filter(ward != \"test\") |> count({r.choice(THINGS)}, sort = TRUE)", "```", "",
            "```", f"## # A tibble: {n} × 3",
            "##    ward        n  share", "##    <chr>   <int>  <dbl>"]
        return out + [f"## {k:2} {w:<10} {r.randint(10, 900):4} {r.uniform(0.01, 0.3):6.3f}" for k,
            w in enumerate(r.sample(THINGS, n), 1)] + ["```"]

    def model(extra=()):
        t = r.choice(THINGS)
        out = ["``` r", f"fit <- lm(minutes ~ ., data = {t})", "summary(fit)", "```", "", "```", "## Coefficients:",
            "##              Estimate Std. Error t value Pr(>|t|)    "]
        out += [f"## {w:<12} {r.uniform(-4, 4):8.4f}   {r.uniform(0.1, 0.4):8.4f} {r.uniform(3.5, 9):7.3f}  "
            f"{r.uniform(1, 9):.2f}e-0{r.randint(4, 9)} ***"
            for w in r.sample(THINGS, r.randint(4, 9))]
        return [*out, *extra, "## ---", f"## Residual standard error: {r.uniform(1, 9):.3f} on {r.randint(100, 900)} "
            f"degrees of freedom",
            f"## Multiple R-squared:  {r.uniform(0.6, 0.9):.4f}", "```"]

    def figure():
        t, n = r.choice(THINGS), r.randint(1, 99)
        return ["``` r", f"ggplot({t}, aes(day, minutes)) + geom_{r.choice(['line', 'col', 'boxplot'])}()", "```", "",
            f"![plot of chunk {t}-{n}](figure/{t}-{n}.png)"]

    def part(extra=None):
        out = [f"## {ident(r, ' ').capitalize()} {r.randint(2019, 2025)}", "", prose(), "",
            *(extra or r.choice([summary, glimpse, glimpse, model, figure])()), ""]
        return "\n".join(out)

    t, factor = r.choice(THINGS), r.randint(12, 30)
    specials = [
        lambda: part(["``` r", f"{t} <- read_csv(\"{t}.csv\") |> mutate(minutes = as.numeric(minutes))", "```", "",
        "```",
            f"## Warning: NAs introduced by coercion, {rows} of {rows + 900} rows are empty now", "```"]),
        lambda: part(["``` r", f"check_controls({t})", "```", "", "```", f"## Error in check_controls({t}): {text}",
        "```"]),
        lambda: part(["**Conclusion.** " + f"The new {t} route is {factor} % slower than the old one, we advise "
        f"against keeping it."]),
    ]
    head = ["---", "title: Turnaround times", f"author: {r.choice(PEOPLE)}", "output: github_document", "---", ""]
    return head + entries(r, 10, part, specials), [f"NAs introduced by coercion, {rows} of", needle,
        [f"{factor} % slower", "advise against"]]


@case("cat logs/panel_study.log")
def stata_session(r):
    line = "-" * 78
    a, odd = r.choice(THINGS), r.randint(1200, 5800)

    def names(n):
        return r.sample(THINGS, n)

    def regress():
        x, *more = names(r.randint(4, 8))
        out = [f". regress {x} {' '.join(more)}, vce(robust)", "",
            f"Linear regression                               Number of obs     = {r.randint(3000, 9999):10,}",
            f"                                                R-squared         = {r.uniform(0.3, 0.8):10.4f}", "",
            line,
            f"{x:>12} | Coefficient  std. err.      t    P>|t|     [95% conf. interval]", "-" * 13 + "+" + "-" * 64]
        for m in [*more, "_cons"]:
            b, e = r.uniform(0.5, 6), r.uniform(0.05, 0.2)
            out.append(f"{m:>12} | {b:11.6f} {e:10.6f} {b / e:8.2f}   0.000    {b - 2 * e:9.6f}   {b + 2 * e:9.6f}")
        return [*out, line]

    def tabulate():
        x, out = r.choice(THINGS), []
        shares = [r.randint(10, 900) for _ in range(r.randint(3, 9))]
        sofar = 0
        for w, n in zip(names(len(shares)), shares):
            sofar += n
            out.append(f"{w:>12} | {n:10,} {100 * n / sum(shares):11.2f} {100 * sofar / sum(shares):11.2f}")
        return [f". tabulate {x}", "", f"{x:>12} |      Freq.     Percent        Cum.", "-" * 13 + "+" + "-" * 35,
            *out, "-" * 13 + "+" + "-" * 35,
            f"       Total | {sum(shares):10,}      100.00"]

    def small():
        x, y = names(2)
        return r.choice([
            [f". generate {x}_log = ln({x})", f"({r.randint(1, 40)} missing values generated)"],
            [f". drop if {x} == .", f"({r.randint(1, 60)} observations deleted)"],
            [f". label variable {x} \"{x} per {y}\""],
            [f". sort {x} {y}"],
            [f". replace {x} = 0 if {y} < {r.randint(2, 90)}", f"({r.randint(1, 300)} real changes made)"],
            [f". use {x}.dta, clear", f"({x}s of {r.randint(2018, 2025)})"],
            [f". * {r.choice(PEOPLE)}: {y} as in the protocol"],
            [f". count if {x} > {r.randint(2, 90)}", f"  {r.randint(100, 900)}"],
        ])

    def summarize():
        picked = names(r.randint(3, 6))
        out = [f". summarize {' '.join(picked)}", "", "    Variable |        Obs        Mean    Std. dev.       Min   "
            "     Max", "-" * 13 + "+" + "-" * 57]
        return out + [f"{w:>12} | {r.randint(3000, 9999):10,} {r.uniform(10, 60):11.5f} {r.uniform(1, 9):11.6f} "
            f"{r.uniform(0, 5):10.3f} {r.uniform(70, 99):10.3f}" for w in picked]

    def command():
        return "\n".join([*r.choice([regress, tabulate, small, small, small, summarize])(), ""])

    b, c = r.sample([t for t in THINGS if t != a], 2)
    specials = [
        f". merge m:1 patient using {a}.dta\n\n    Result                      Number of obs\n    "
        f"-----------------------------------------\n"
        f"    Not matched                         {odd:5,}\n        from master                     {odd:5,}  "
        f"(_merge==1)\n"
        f"    Matched                                17  (_merge==3)\n    -----------------------------------------\n",
        f". xtreg {b} {c}, fe\nnote: {c} omitted because of collinearity.\nconvergence not achieved after 300 "
        f"iterations\n",
        f". ranksum {b}, by(arm)\nvariable {b} is the same in both arms in all of {odd + 17:,} observations; test is "
        f"meaningless\nr(459);\n",
    ]
    head = ["", "      name:  <unnamed>", f"       log:  /home/{r.choice(PEOPLE).lower()}/logs/panel_study.log",
        "  log type:  text",
        f" opened on:  {Clock(r).text('%d %b %Y, %H:%M:%S')}", ""]
    return head + entries(r, 12, command, specials), [
        [f"using {a}.dta", "Matched 17"], ["convergence not achieved", f"{c} omitted"],
        [f"variable {b} is the same in both arms"]]


@case("ssh netops@cold-core-1 show tech-support | sed 's/\\r//'")
def show_tech_switch(r):
    bad, user = r.randint(3, 44), r.choice(PEOPLE).lower()
    slow = r.randint(91, 99)

    def interface(k, broken=False):
        down = r.random() < 0.2 and not broken
        errors = r.randint(20000, 90000) if broken else 0
        return [f"GigabitEthernet1/0/{k} is {'down' if down else 'up'}, line protocol is "
            f"{'down (notconnect)' if down else 'up (connected)'}",
            f"  Hardware is Gigabit Ethernet, address is {hexes(r, 4)}.{hexes(r, 4)}.{hexes(r, 4)}",
            f"  Description: {r.choice(THINGS)} bench {r.randint(1, 60)}",
            f"  MTU 1500 bytes, BW 1000000 Kbit/sec, reliability {'201' if broken else '255'}/255, txload "
            f"{r.randint(1, 20)}/255, rxload {r.randint(1, 20)}/255",
            f"  {'Half' if broken else 'Full'}-duplex, 1000Mb/s, media type is 10/100/1000BaseTX",
            f"  5 minute input rate {r.randint(0, 900000)} bits/sec, {r.randint(0, 900)} packets/sec",
            f"     {errors} input errors, {errors // 2} CRC, 0 frame, 0 overrun, 0 ignored",
            f"     {r.randint(10**6, 10**8)} packets output, {r.randint(10**8, 10**10)} bytes, 0 underruns"]

    out = ["", "------------------ show version ------------------", "",
        "Switch Software, Version 17.9.4a, RELEASE SOFTWARE (fc3)",
        f"cold-core-1 uptime is {r.randint(2, 60)} weeks, {r.randint(1, 6)} days",
        f"Processor board ID FOC{hexes(r, 8).upper()}", "",
        "------------------ show running-config ------------------", "", "hostname cold-core-1"]
    config = []
    for k in range(1, 49):
        config.append([f"interface GigabitEthernet1/0/{k}", f" description {r.choice(THINGS)} bench",
            f" switchport access vlan {r.randint(10, 90)}",
            " switchport mode access", *r.sample([" spanning-tree portfast", " storm-control broadcast level 2.00",
            " no cdp enable"], r.randint(1, 2)), "!"])
    config.insert(r.randint(12, 40), [f"username {user} privilege 15 password 0 {hexes(r, 6)}", "!"])
    out += [x for c in config for x in c]
    out += ["", "------------------ show interfaces ------------------", ""] + [x for k in range(1,
        49) for x in interface(k, k == bad)]
    out += ["", "------------------ show processes cpu sorted ------------------", "",
        f"CPU utilization for five seconds: {slow}%/12%; one minute: {slow - 1}%; five minutes: {slow - 3}%",
        " PID Runtime(ms)     Invoked      uSecs   5Sec   1Min   5Min TTY Process"]
    shares = [slow - 15.4, *sorted((r.uniform(0, 0.9) for _ in range(29)), reverse=True)]
    out += [f"{r.randint(2, 400):4} {r.randint(1000, 9999999):11} {r.randint(1000, 9999999):11} "
        f"{r.randint(1, 900):10} {x:5.2f}% {x:5.2f}% {x:5.2f}%   0 {n}"
        for x, n in zip(shares, ["ARP Input", *(ident(r, " ").title() for _ in range(29))])]
    out += ["", "------------------ show vlan brief ------------------", "",
        "VLAN Name                             Status    Ports",
        "---- -------------------------------- --------- -------------------------------"]
    out += [f"{v:<4} {ident(r, '-'):<32} active    Gi1/0/{r.randint(1, 48)}" for v in sorted(distinct(r, 30, 10, 999))]
    out += ["", "------------------ show mac address-table ------------------", ""]
    out += [f"{r.randint(10, 90):4}    {hexes(r, 4)}.{hexes(r, 4)}.{hexes(r, 4)}    DYNAMIC     "
        f"Gi1/0/{r.randint(1, 48)}" for _ in range(140)]
    out += ["", "------------------ show environment ------------------", "", "Switch 1 FAN 1 is OK",
        "Switch 1 FAN 2 is OK", "SYSTEM TEMPERATURE is OK", ""]
    return out, [f"username {user} privilege 15 password 0", [f"GigabitEthernet1/0/{bad} is up", "Half-duplex"],
        ["ARP Input", f"{slow - 15.4:5.2f}%".strip()]]


@case("./release.sh 7.14.0 2>&1 | tee release.out")
def release_script(r):
    (text, needle), (other, hint) = troubles(r, 2)
    old, late = ident(r, "-"), r.choice(idents(r, 1, "/"))
    clock = Clock(r, 1)

    def push():
        return [f"The push refers to repository [registry.lab.example/lis/{ident(r, '-')}]",
            *(f"{hexes(r, 12)}: {r.choice(['Layer already exists', 'Pushed', 'Pushed'])}"
            for _ in range(r.randint(4, 14))), f"7.14.0: digest: sha256:{hexes(r, 64)} size: {r.randint(900, 5000)}"]

    def pods(extra=()):
        rows = [f"{ident(r, '-') + '-' + hexes(r, 5):<34} 1/1     Running   {r.randint(0, 1)}          "
            f"{r.randint(20, 90)}s   lis:7.14.0" for _ in range(r.randint(8, 20))]
        at = r.randint(2, len(rows) - 2)
        return [f"{'NAME':<34} READY   STATUS    RESTARTS   AGE   IMAGE", *rows[:at], *extra, *rows[at:]]

    def smoke(extra=()):
        rows = [f"  {r.choice(['GET ', 'GET ', 'POST'])} /api/{ident(r, '/'):<28} "
            f"{r.choice([200, 200, 200, 201, 204])}  {r.randint(8, 180):4} ms" for _ in range(r.randint(10, 26))]
        at = r.randint(2, len(rows) - 2)
        return [*rows[:at], *extra, *rows[at:]]

    def migrate(extra=()):
        rows = [f"{clock.text('%H:%M:%S,%L')} INFO  [migrate] applied {r.randint(100, 999)}_{ident(r)} in "
            f"{r.randint(3, 900)} ms" for _ in range(r.randint(6, 18))]
        at = r.randint(2, len(rows) - 2)
        return [*rows[:at], *extra, *rows[at:]]

    def flags():
        return report_json(r, ident(r), version="7.14.0")

    def lines(extra=()):
        rows = [f"{clock.text('%H:%M:%S,%L')} {r.choice(['INFO ', 'INFO ', 'DEBUG'])} [{r.choice(THINGS)}] {calm(r)}"
            for _ in range(r.randint(8, 24))]
        at = r.randint(2, len(rows) - 2)
        return [*rows[:at], *extra, *rows[at:]]

    titles = {push: "Push image", pods: "Wait for rollout", smoke: "Smoke test", migrate: "Migrate",
        flags: "Feature flags", psql_table: "Row counts", lines: "Tail of the log"}

    def section(kind=None, extra=()):
        kind = kind or r.choice(list(titles))
        made = kind(r) if kind is psql_table else kind(extra) if extra else kind()
        return "\n".join([f"==> {titles[kind]}: {ident(r, '-')}", *made, ""])

    specials = [
        lambda: section(migrate, [f"{clock.text('%H:%M:%S,%L')} INFO  [migrate] skipped 812_{old.replace('-', '_')}: "
        f"column is in use, continuing"]),
        lambda: section(pods, [f"{old + '-' + hexes(r, 5):<34} 1/1     Running   0          19d   lis:7.9.3"]),
        lambda: section(smoke, [f"  POST /api/{late:<28} 500   312 ms", f"       {text}"]),
        lambda: section(lines, [f"{clock.text('%H:%M:%S,%L')} WARN  [{r.choice(THINGS)}] {other}"]),
    ]
    return fill(r, 11, section, specials), [["skipped 812_", "column is in use"], [old, "lis:7.9.3"],
        [f"/api/{late}", needle], hint]


@case("snakemake --cores 16 --use-conda 2>&1")
def snakemake_workflow(r):
    clock, job = Clock(r, 40), iter(distinct(r, 900, 10, 999))
    rules, total = idents(r, 9), r.randint(240, 420)
    done = [0]
    bad, strain = f"S{r.randint(1000, 9999)}", f"S{r.randint(1000, 9999)}"

    def stamp():
        return f"[{clock().strftime('%a %b %d %H:%M:%S %Y')}]"

    def chat(sample):
        return r.choice([
            [f"[M::mem_pestat] analyzing insert size distribution for orientation FR...",
            f"[M::mem_pestat] (25, 50, 75) percentile: ({r.randint(180, 220)}, "
                + f"{r.randint(260, 300)}, {r.randint(340, 390)})",
                f"[main] Real time: {r.uniform(20, 90):.3f} sec; CPU: {r.uniform(200, 900):.3f} sec"],
            [f"[bam_sort_core] merging from {r.randint(0, 9)} files and 16 in-memory blocks..."],
            [f"{r.randint(10**6, 9 * 10**6)} + 0 in total (QC-passed reads + QC-failed reads)",
            f"{r.randint(10**5, 10**6)} + 0 mapped ({r.uniform(95, 99.8):.2f}% : N/A)"],
            [f"INFO  {clock().strftime('%H:%M:%S')} ProgressMeter - chr{r.randint(1, 22)}:{r.randint(10**5, 10**8)}  "
            f"{r.uniform(1, 9):.1f}  {r.randint(1000, 90000)}"
                for _ in range(r.randint(2, 7))],
            ["Read1 before filtering:", f"total reads: {r.randint(10**6, 9 * 10**6)}",
            f"Q30 bases: {r.uniform(90, 96):.2f}%", f"Duplication rate: {r.uniform(5, 19):.2f}%"],
            [],
        ])

    def run(extra=None):
        rule, n, sample = r.choice(rules), next(job), f"S{r.randint(1000, 9999)}"
        out = [stamp(), f"rule {rule}:", f"    input: work/{r.choice(rules)}/{sample}.bam, ref/panel.fa",
            f"    output: work/{rule}/{sample}.{r.choice(['vcf.gz', 'bam', 'tsv'])}",
            f"    jobid: {n}", f"    wildcards: sample={sample}",
            f"    resources: mem_mb={r.choice([4000, 8000, 16000])}, tmpdir=/tmp", ""]
        out += extra or chat(sample)
        done[0] += 1
        return "\n".join([*out, stamp(), f"Finished job {n}.",
            f"{done[0]} of {total} steps ({100 * done[0] // total}%) done", ""])

    def failed():
        n, rule = next(job), r.choice(rules)
        return "\n".join([stamp(), f"Error in rule {rule}:", f"    jobid: {n}", f"    output: work/{rule}/{bad}.vcf.gz",
            f"    shell: bcftools call --ploidy 2 -mv work/pile/{bad}.bcf | bgzip > work/{rule}/{bad}.vcf.gz",
            "        (one of the commands exited with non-zero exit code)",
            f"[E::bcf_hdr_read] Failed to read header of work/pile/{bad}.bcf: file is truncated",
            f"Removing output files of failed job {rule}: work/{rule}/{bad}.vcf.gz", ""])

    specials = [
        failed,
        lambda: run([f"contamination check of {strain}: estimated FREEMIX 0.3{r.randint(10, 99)}",
        "total reads: " + str(r.randint(10**6, 9 * 10**6))]),
        lambda: run(["warning: chromosome names differ between reads (chr1) and panel (1), 0 sites overlap"]),
    ]
    head = ["Building DAG of jobs...", "Using shell: /usr/bin/bash", "Provided cores: 16", "Job stats:",
        "job                          count", "-------------------------  -------"]
    head += [f"{x:<25}  {r.randint(9, 48):7}" for x in rules] + [f"total                      {total:7}", ""]
    return head + entries(r, 9, run, specials), [[f"work/pile/{bad}.bcf", "file is truncated"],
        [strain, "FREEMIX 0.3"], "0 sites overlap"]


@case("cat /var/log/lab/nightly-2025.out")
def interest_nightly_script(r):
    clock, answers, names = Clock(r, 3), iter(distinct(r, 900, 100000, 999999)), iter(idents(r, 400, "-"))
    known = {}

    def archive():
        out = ["sending incremental file list"]
        return out + [f"{ident(r, '/')}/{hexes(r, 6)}.hl7" for _ in range(r.randint(5,
            16))] + [f"sent {r.randint(10**5, 10**7):,} bytes  received {r.randint(100, 9000):,} bytes"]

    def debug():
        out = []
        for _ in range(r.randint(8, 18)):
            level, message = r.choice(["INFO ", "DEBUG", "DEBUG"]), calm(r)
            if level == "DEBUG" and r.random() < 0.4:
                name, value = next(names), str(next(answers))
                known[name] = value
                message = f"batch {name} closed, last offset {value}, {r.randint(2, 90)} ms"
            out.append(f"{clock.text('%H:%M:%S.%L')} {level} {r.choice(HOSTS):<12} {message}")
        return out

    def disk():
        return ["Filesystem            Size  Used Avail Use% Mounted on"] + [
            f"/dev/mapper/vg-{t:<12}{r.randint(20, 900):4}G {r.randint(2, 19):4}G {r.randint(2, 900):4}G "
            f"{r.randint(5, 70):3}% /srv/{t}" for t in r.sample(THINGS, r.randint(4, 9))]

    def section():
        kind = r.choice([archive, debug, debug, disk, lambda: psql_table(r), lambda: report_json(r, ident(r, "-"))])
        title = f"{ident(r, ' ')} ({r.choice(HOSTS)})"
        return "\n".join([f"##### {clock.text('%H:%M:%S')} {title}", *kind(), f"##### done in {r.randint(1, 300)} s",
            ""])

    text = entries(r, 11, section)
    name = list(known)[r.randint(len(known) // 5, len(known) * 4 // 5)]
    return text, [known[name]], dict(last=f"One question only: at which last offset was batch {name} closed?")


@case("mongosh --quiet lis < inspect.js")
def interest_mongosh_session(r):
    docs, rates = {}, iter(distinct(r, 900, 10000, 99999))

    def find():
        t = r.choice(THINGS)
        out = [f"lis> db.{t}s.find({{ ward: '{r.choice(THINGS)}' }}).limit({r.randint(3, 8)})", "["]
        for _ in range(r.randint(3, 7)):
            key, code = hexes(r, 24), str(next(rates))
            docs[key] = code
            fields = [f"    _id: ObjectId('{key}'),", f"    {r.choice(DEEDS)}At: "
                f"ISODate('2025-0{r.randint(1, 9)}-1{r.randint(0, 9)}T0{r.randint(0, 9)}:12:00.000Z'),",
                f"    shelf: {r.randint(1, 90)},", f"    tubeCode: 'T{code}',"]
            fields += [f"    {x}: {r.choice([str(r.randint(1, 900)), 'true', 'null', repr(r.choice(HOSTS))])},"
                for x in r.sample(THINGS, r.randint(2, 5))]
            out += ["  {", *fields[:-1], fields[-1].rstrip(","), "  },"]
        return [*out[:-1], "  }", "]"]

    def stats():
        t = r.choice(THINGS)
        return [f"lis> db.{t}s.stats({{ scale: 1024 }})", "{", "  ok: 1,", f"  ns: 'lis.{t}s',",
            f"  count: {r.randint(1000, 90000)},", f"  size: {r.randint(1000, 90000)},",
            f"  avgObjSize: {r.randint(200, 900)},", f"  nindexes: {r.randint(1, 7)},",
            f"  indexSizes: {{ _id_: {r.randint(20, 900)}, {r.choice(THINGS)}_1: {r.randint(20, 900)} }}", "}"]

    def explain():
        t = r.choice(THINGS)
        query = f"{{ {r.choice(THINGS)}: {r.randint(1, 90)} }}"
        return [f"lis> db.{t}s.find({query}).explain('executionStats').executionStats", "{",
            "  executionSuccess: true,",
            f"  nReturned: {r.randint(1, 90)},", f"  executionTimeMillis: {r.randint(0, 40)},",
            f"  totalKeysExamined: {r.randint(1, 90)},", f"  totalDocsExamined: {r.randint(1, 90)},",
            "  executionStages: {", "    stage: 'FETCH',", f"    inputStage: "
            f"{{ stage: 'IXSCAN', indexName: '{r.choice(THINGS)}_1' }}", "  }", "}"]

    def small():
        t = r.choice(THINGS)
        return r.choice([
            [f"lis> db.{t}s.countDocuments()", str(r.randint(100, 9000))],
            [f"lis> db.{t}s.getIndexes().map(i => i.name)", f"[ '_id_', '{r.choice(THINGS)}_1', "
            f"'{r.choice(THINGS)}_-1' ]"],
            [f"lis> db.{t}s.distinct('{r.choice(DEEDS)}')", str(r.sample(THINGS, r.randint(3, 8)))],
            [f"lis> // {r.choice(PEOPLE)}: same for the {t}s"],
            ["lis> rs.printSecondaryReplicationInfo()", f"source: {r.choice(HOSTS)}:27017", "{",
            "  replLag: '0 secs (0 hrs) behind the primary '", "}", "---"],
        ])

    def block():
        return "\n".join(r.choice([find, find, stats, explain, small])())

    text = entries(r, 10, block)
    key = list(docs)[r.randint(len(docs) // 5, len(docs) * 4 // 5)]
    return text, [f"T{docs[key]}"], dict(last=f"Please tell me only the tubeCode of the document {key}.")
