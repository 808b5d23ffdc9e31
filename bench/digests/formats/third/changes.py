"""Diffs, merges, reviews and what changed between two versions."""

import json

from ..case import case
from .stock import PEOPLE, THINGS, calm, camel, distinct, hexes, ident, idents, plant, prose, times


def statement(r):
    a, b = ident(r), ident(r)
    return r.choice(
        [
            f"    {a} = {b}({r.randint(1, 900)})",
            f"    if {a} is not None:",
            f"    log.debug('{b}', {a})",
            f"    return {b}(self, {a})",
            f"    # {prose(r, 1)}",
        ]
    )


def hunk(r, minus=(), plus=(), context=6, head="@@ -{0},{1} +{0},{2} @@ def {3}(self):"):
    body = [" " + statement(r) for _ in range(context)]
    body[context // 2 : context // 2] = [f"-{x}" for x in minus] + [f"+{x}" for x in plus]
    return [head.format(r.randint(10, 900), context + len(minus), context + len(plus), ident(r)), *body]


def rename(r, n):
    """Hunks that only give something another name."""
    old, new = "fetch_legacy", "fetch"
    return hunk(r, [f"    x = client.{old}({n})"], [f"    x = client.{new}({n})"])


@case(
    "git log -p -n 14 --no-color -- shop/",
    ask="One of these commits changed behaviour although its message says otherwise. Which, and how?",
)
def git_log_p(r):
    out, needles, ts = [], [], times(r, 14, 90000)
    bad = r.randint(3, 10)
    for k, t in enumerate(reversed(ts)):
        sha = hexes(r, 40)
        out += [
            f"commit {sha}",
            f"Author: {r.choice(PEOPLE)} <dev@shop.example>",
            f"Date:   {t:%a %b %d %H:%M:%S %Y} +0100",
            "",
            f"    rename fetch_legacy, part {k + 1}" if k != bad else "    tidy up formatting",
            "",
        ]
        for f in idents(r, 2):
            path = f"shop/{r.choice(THINGS)}/{f}.py"
            out += [
                f"diff --git a/{path} b/{path}",
                f"index {hexes(r, 7)}..{hexes(r, 7)} 100644",
                f"--- a/{path}",
                f"+++ b/{path}",
            ]
            out += rename(r, r.randint(1, 99)) + rename(r, r.randint(1, 99))
        if k == bad:
            limit, what = r.randint(100, 900), ident(r)
            out += hunk(
                r,
                [f"    if {what}.amount > {limit}: require_approval({what})"],
                [f"    if {what}.amount > {limit}0: require_approval({what})"],
            )
            needles = [sha[:7], [f"-    if {what}.amount > {limit}:", f"+    if {what}.amount > {limit}0:"]]
        out.append("")
    return out, needles


@case("diff -r -U2 /etc/shop.bak /etc/shop", ask="What was changed on this host by hand?")
def diff_recursive(r):
    out, needles = [], []
    key, a, b = ident(r, "."), r.randint(20, 90), r.randint(2, 9)
    only = f"Only in /etc/shop/conf.d: {ident(r)}-local.conf"
    files = idents(r, 34, "-")
    at = r.randint(8, 26)
    for k, n in enumerate(files):
        out += [
            f"diff -r -U2 /etc/shop.bak/{n}.conf /etc/shop/{n}.conf",
            f"--- /etc/shop.bak/{n}.conf\t2026-02-01 09:00:00.000000000 +0100",
            f"+++ /etc/shop/{n}.conf\t2026-03-01 14:12:09.000000000 +0100",
            "@@ -1,5 +1,5 @@",
            f"-# Managed by ansible, run {r.randint(1000, 1999)}",
            f"+# Managed by ansible, run {r.randint(2000, 2999)}",
            f" {ident(r, '.')} = {r.randint(1, 900)}",
            f" {ident(r, '.')} = {r.choice(['yes', 'no'])}",
        ]
        if k == at:
            out += [
                "@@ -31,5 +31,5 @@",
                f" {ident(r, '.')} = {r.randint(1, 900)}",
                f"-{key}.max_connections = {a}",
                f"+{key}.max_connections = {b}",
                f" {ident(r, '.')} = no",
            ]
            needles.append([f"-{key}.max_connections = {a}", f"+{key}.max_connections = {b}"])
    out.insert(r.randint(80, 180) // 8 * 8, only)
    return out, needles + [only]


@case("git merge release/4.2; git diff", ask="Which conflicts have to be decided by a human?")
def merge_conflicts(r):
    files = [f"shop/{r.choice(THINGS)}/{n}.py" for n in idents(r, 52)]
    out = [f"Auto-merging {f}" for f in files[3:]]
    real = files[:2]
    for f in real:
        out.insert(r.randint(10, 40), f"Auto-merging {f}\nCONFLICT (content): Merge conflict in {f}")
    gone = f"CONFLICT (modify/delete): {files[2]} deleted in release/4.2 and modified in HEAD."
    out.insert(r.randint(10, 40), gone + f"  Version HEAD of {files[2]} left in tree.")
    out.append("Automatic merge failed; fix conflicts and then commit the result.")
    needles = [gone]
    for f in real:
        what, a, b = ident(r).upper(), *distinct(r, 2, 10, 999)
        out += [f"diff --cc {f}", f"index {hexes(r, 9)},{hexes(r, 9)}..000000000", f"--- a/{f}", f"+++ b/{f}"]
        out += [
            f"@@@ -{r.randint(10, 90)},11 -{r.randint(10, 90)},11 +{r.randint(10, 90)},19 @@@ def {ident(r)}():",
            *["  " + statement(r) for _ in range(4)],
        ]
        out += [
            "++<<<<<<< HEAD",
            f" +    {what} = {a}",
            "++=======",
            f"+     {what} = {b}",
            "++>>>>>>> release/4.2",
            *["  " + statement(r) for _ in range(9)],
        ]
        for _ in range(3):
            out += [
                f"@@@ -{r.randint(100, 900)},9 -{r.randint(100, 900)},9 +{r.randint(100, 900)},9 @@@ def {ident(r)}():",
                *["  " + statement(r) for _ in range(9)],
            ]
        needles.append([f, f"{what} = {a}", f"{what} = {b}"])
    return out, needles


@case(
    "git diff --word-diff=plain v3.1 v3.2 -- docs/terms.md", ask="Legal wants to know what changed in substance in the terms."
)
def word_diff(r):
    paragraphs = []
    for _ in range(44):
        p = prose(r, 4)
        paragraphs.append(p.replace("customer", "[-customer-]{+user+}") if r.random() < 0.6 else p)
    days = distinct(r, 2, 10, 90)
    share = distinct(r, 2, 2, 40)
    changes = [
        f"The seller may cancel within [-{days[0]}-]{{+{days[1]}+}} days after the order without giving a reason.",
        f"Liability is limited to [-the value of the order-]{{+{share[0]} % of the value of the order+}}.",
        f"{{+Disputes are settled by arbitration in {r.choice(['Riga', 'Dublin', 'Malta'])}, section {share[1]}.+}}",
    ]
    out = []
    at = sorted(r.sample(range(6, 38), 3))
    for k, p in enumerate(paragraphs):
        if k in at:
            out += [f"§ {k}a {changes[at.index(k)]}", ""]
        out += [f"§ {k} {p}", ""]
    needles = [f"[-{days[0]}-]{{+{days[1]}+}} days", f"{share[0]} % of the value of the order", changes[2][2:-2]]
    return [
        "diff --git a/docs/terms.md b/docs/terms.md",
        "index 1b2c3d4..5e6f7a8 100644",
        "--- a/docs/terms.md",
        "+++ b/docs/terms.md",
        "@@ -1,180 +1,183 @@",
        *out,
    ], needles


@case("helm diff upgrade shop ./chart -f prod.yaml --no-color", ask="Will this upgrade do more than bump the image tag?")
def helm_diff(r):
    old, new = f"4.2.{r.randint(1, 9)}", f"4.3.{r.randint(1, 9)}"
    names = idents(r, 32, "-")
    a, b = r.sample(range(6, 26), 2)
    mem = distinct(r, 2, 1, 9)
    out, needles = [], []
    for k, n in enumerate(names):
        out += [
            f"shop, {n}, Deployment (apps) has changed:",
            f"  # Source: shop/templates/{n}.yaml",
            "  apiVersion: apps/v1",
            "  kind: Deployment",
            "  metadata:",
            f"    name: {n}",
            "  spec:",
            "    template:",
            "      spec:",
            "        containers:",
            f"        - name: {n}",
            f"-         image: registry.shop.example/{n}:{old}",
            f"+         image: registry.shop.example/{n}:{new}",
        ]
        if k == a:
            out += [
                "          resources:",
                "            limits:",
                f"-             memory: {mem[0]}Gi",
                f"+             memory: {mem[1]}00Mi",
            ]
            needles.append([n, f"-             memory: {mem[0]}Gi", f"+             memory: {mem[1]}00Mi"])
        if k == b:
            pvc = f"{ident(r, '-')}-data-{r.randint(1, 9)}"
            out += [
                "",
                f"shop, {pvc}, PersistentVolumeClaim (v1) has been removed:",
                "- apiVersion: v1",
                "- kind: PersistentVolumeClaim",
                f"-   name: {pvc}",
            ]
            needles.append(f"{pvc}, PersistentVolumeClaim (v1) has been removed")
        out.append("")
    return out, needles


@case("git range-diff main topic@{1} topic", ask="I force-pushed after review. What did I really change?")
def range_diff(r):
    out, needles = [], []
    edited = sorted(r.sample(range(8, 130), 2))
    for k in range(1, 150):
        a, b, title = hexes(r, 9), hexes(r, 9), f"{ident(r, ' ')} for {r.choice(THINGS)}s"
        out.append(f"{k:>2}:  {a} {'!' if k in edited else '='} {k:>2}:  {b} {title}")
        if k in edited:
            what, n = ident(r), distinct(r, 2, 10, 999)
            out += [
                f"    @@ shop/{ident(r)}.py: def {ident(r)}(self):",
                f"      {statement(r)}",
                f"     -+    timeout = {what}({n[0]})",
                f"     ++    timeout = {what}({n[1]})",
                f"      {statement(r)}",
            ]
            needles.append([title, f"timeout = {what}({n[0]})", f"timeout = {what}({n[1]})"])
    dropped = f"{ident(r, ' ')} of old {r.choice(THINGS)}s"
    out.insert(r.randint(15, 40), f"150:  {hexes(r, 9)} <  -:  --------- {dropped}")
    return out, needles + [dropped]


@case("gh pr view 902 --comments", ask="What does the reviewer still insist on before approving?")
def review_thread(r):
    def say(who, kind, text):
        return f"author:\t{who}\nassociation:\tmember\nedited:\tfalse\nstatus:\t{kind}\n--\n{text}\n--"

    a, b, c = (p.lower() for p in r.sample(PEOPLE, 3))
    fn, n = ident(r), r.randint(20, 300)
    must = f"this must not run inside the transaction: a slow mail server would keep {ident(r)} locked, see line {n}"
    other = f"please add a test for an empty {r.choice(THINGS)} list, {fn} divides by its length"
    small = [
        "nit: name",
        "nice",
        "could be shorter, up to you",
        "typo, never mind",
        "agreed, done",
        "done in the last push",
        "resolved",
    ]
    bulk = [
        say(r.choice([a, b, c]), "none", f"> {statement(r).strip()}\n\n{r.choice(small)}. {prose(r, 2)}") for _ in range(30)
    ]
    special = [
        say(a, "changes requested", f"Blocking: {must}."),
        say(a, "changes requested", f"Before I can approve, {other}."),
    ]
    head = [
        "title:\tMove mails to the worker",
        "state:\tOPEN",
        f"author:\t{b}",
        f"reviewers:\t{a} (Changes requested), {c} (Approved)",
        "number:\t902",
        f"additions:\t{r.randint(100, 900)}",
        f"deletions:\t{r.randint(10, 90)}",
        "--",
        prose(r, 5),
        "--",
        "",
    ]
    return head + plant(r, bulk, special, 5), [must, other]


@case("oasdiff changelog old.yaml new.yaml", ask="Can clients of the API keep working unchanged?")
def oasdiff(r):
    bulk = []
    for p in idents(r, 62, "/"):
        bulk.append(
            f"info\t[{r.choice(['endpoint-added', 'response-optional-property-added', 'request-parameter-became-optional'])}] at new.yaml\n\tin API {r.choice(['GET', 'POST'])} /v3/{p}\n\t\tadded the optional property '{camel(ident(r))}' to the response with the '200' status\n"
        )
    paths, prop = idents(r, 3, "/"), camel(ident(r))
    special = [
        f"error\t[api-removed-without-deprecation] at old.yaml\n\tin API DELETE /v3/{paths[0]}\n\t\tapi removed without deprecation\n",
        f"error\t[request-property-became-required] at new.yaml\n\tin API POST /v3/{paths[1]}\n\t\tthe request property '{prop}' became required\n",
        f"warning\t[response-property-enum-value-added] at new.yaml\n\tin API GET /v3/{paths[2]}\n\t\tadded the new '{ident(r)}_{r.randint(2, 9)}' enum value to the 'state' response property\n",
    ]
    return ["65 changes: 2 error, 1 warning, 62 info", *plant(r, bulk, special)], [
        [f"DELETE /v3/{paths[0]}", "api removed without deprecation"],
        [f"POST /v3/{paths[1]}", prop, "became required"],
        [f"GET /v3/{paths[2]}", "enum value"],
        "2 error, 1 warning",
    ]


@case("git log --oneline --graph --decorate -n 320", ask="Where does the hotfix branch leave main, and is it merged?")
def git_graph(r):
    out = [f"* {hexes(r, 9)} {ident(r, ' ')} {r.choice(THINGS)}" for _ in range(290)]
    a, b, c = (hexes(r, 9) for _ in range(3))
    k = r.randint(40, 80)
    tag = f"v4.{r.randint(1, 30)}.{r.randint(1, 9)}"
    side = [
        f"| * {a} (origin/hotfix/tax, hotfix/tax) round tax per line",
        f"| * {hexes(r, 9)} add failing test for tax",
        "|/  ",
        f"* {b} (tag: {tag}) release",
    ]
    out = [x.replace("* ", "* | ", 1) if 6 < j < k else x for j, x in enumerate(out)]
    out[k:k] = side
    out[0] = f"* {c} (HEAD -> main, origin/main) {ident(r, ' ')}"
    revert = f"Revert \"{ident(r, ' ')} everywhere\""
    out[k + 25] = f"* {hexes(r, 9)} {revert}"
    return out, [[a, "hotfix/tax"], [b, f"tag: {tag}"], revert]


@case(
    "for p in patches/*.patch; do patch -p1 --forward < $p; done",
    ask="Which patches of the series do not apply to the new upstream?",
)
def patch_series(r):
    out, needles = [], []
    bad, done = r.sample(range(6, 38), 2)
    for k in range(44):
        files = [f"src/{f}.c" for f in idents(r, 3)]
        for f in files:
            out.append(f"patching file {f}")
            if r.random() < 0.4:
                out.append(f"Hunk #{r.randint(1, 4)} succeeded at {r.randint(10, 900)} (offset {r.randint(1, 40)} lines).")
        if k == bad:
            h, line = r.randint(2, 5), r.randint(901, 1900)
            out += [f"Hunk #{h} FAILED at {line}.", f"1 out of 6 hunks FAILED -- saving rejects to file {files[-1]}.rej"]
            needles.append([f"Hunk #{h} FAILED at {line}", f"{files[-1]}.rej"])
        if k == done:
            f = f"src/{ident(r)}_{r.randint(10, 99)}.c"
            out += [
                f"patching file {f}",
                "Reversed (or previously applied) patch detected!  Skipping patch.",
                f"3 out of 3 hunks ignored -- saving rejects to file {f}.rej",
            ]
            needles.append([f, "Reversed (or previously applied) patch detected"])
    return out, needles


@case("gerrit-cli comments 88121 --format json", ask="Which review comments are still unresolved?")
def gerrit_comments(r):
    def comment(said, unresolved=False):
        return dict(
            author=dict(_account_id=r.randint(1000, 9999), name=r.choice(PEOPLE)),
            patch_set=r.randint(1, 9),
            id=hexes(r, 16),
            line=r.randint(5, 900),
            updated=f"2026-02-1{r.randint(0, 9)} 08:{r.randint(10, 59)}:11.000000000",
            message=said,
            unresolved=unresolved,
            commit_id=hexes(r, 40),
        )

    files = [f"core/{r.choice(THINGS)}/{n}.cc" for n in idents(r, 24)]
    out = {f: [comment(f"{r.choice(['Done', 'Ack', 'Fixed'])}. {prose(r, 1)}") for _ in range(r.randint(1, 3))] for f in files}
    a, b = r.sample(files[5:-5], 2)
    said = [
        f"Who frees {ident(r)} when {ident(r)} throws?",
        f"This breaks the wire format of version {r.randint(3, 9)}.{r.randint(10, 99)}.",
    ]
    out[a].insert(1, comment(said[0], True))
    out[b].insert(0, comment(said[1], True))
    return ")]}'\n" + json.dumps(out, indent=2), [[said[0], a], [said[1], b]]


@case("git bisect run ./check.sh", ask="Which commit introduced the regression?")
def git_bisect(r):
    out, left = [], 900
    while left > 1:
        left //= 2
        steps = left.bit_length()
        out += [
            f"Bisecting: {left} revisions left to test after this (roughly {steps} steps)",
            f"[{hexes(r, 40)}] {ident(r, ' ')} for {r.choice(THINGS)}s",
            "running './check.sh'",
            *[f"[{j:>3}%] {calm(r)}" for j in range(0, 100, 6)],
            f"p95 = {r.randint(300, 900) if r.random() < 0.5 else r.randint(40, 90)} ms",
        ]
    sha, who, title = hexes(r, 40), r.choice(PEOPLE), f"{ident(r, ' ')} through {r.choice(THINGS)} cache"
    path = f"shop/{ident(r)}/{ident(r)}.py"
    out += [
        f"{sha} is the first bad commit",
        f"commit {sha}",
        f"Author: {who} <dev@shop.example>",
        "Date:   Mon Feb 9 10:11:54 2026 +0100",
        "",
        f"    {title}",
        "",
        f" {path} | {r.randint(3, 30)} {'+' * 9}{'-' * 4}",
        " 1 file changed",
        "bisect found first bad commit",
    ]
    return out, [[sha[:12], "first bad commit", title, path]]
