"""Changes: diffs of other version control systems, of clusters and of binaries."""

import json

from ..case import case
from .stock import HOSTS, PEOPLE, THINGS, Clock, camel, distinct, entries, fill, fresh, hexes, ident, ip, prose


def code(r):
    return f"    {ident(r)} = {r.choice(THINGS)}.{ident(r)}({r.randint(1, 900)})"


@case("svn diff -r 41200:HEAD trunk")
def svn_diff(r):
    names, old = fresh(r), r.randint(41200, 49999)

    def change(path=None, minus=None, plus=None, prop=""):
        p, k = path or f"trunk/src/{r.choice(THINGS)}/{next(names)}.c", r.randint(10, 900)
        rows = [" " + code(r) for _ in range(3)] + ["-" + (minus or code(r)),
            "+" + (plus or code(r))] + [" " + code(r) for _ in range(3)]
        return (
            f"Index: {p}\n{'=' * 67}\n--- {p}\t(revision {old})\n+++ {p}\t(working copy)\n@@ -{k},7 +{k},7 @@\n"
            + "\n".join(rows) + prop
        )

    a, b, c = (f"trunk/src/core/{next(names)}.c" for _ in range(3))
    guard, url = f"    if (!{ident(r)}_allowed(ctx)) return -EPERM;", f"https://svn.example.net/{ident(r)}"
    bad = [
        change(a, guard, "    /* checked by the caller */"),
        change(b, prop=f"\n\nProperty changes on: {b}\n{'_' * 67}\nAdded: svn:externals\n## -0,0 +1 ##\n+vendor "
            f"{url}\n"),
        f"Index: {c}\n{'=' * 67}\nCannot display: file marked as a binary type.\nsvn:mime-type = "
        "application/octet-stream",
    ]
    return entries(r, 8.5, change, bad), [[a, "-" + guard], [b, "svn:externals", url], [c, "marked as a binary type"]]


@case("p4 describe -dc 88211")
def p4_describe(r):
    names, n = fresh(r), r.randint(80000, 99999)
    files = [f"//grid/main/{r.choice(THINGS)}/{next(names)}.cpp" for _ in range(70)]
    gone = f"//grid/main/keys/{next(names)}.pem"
    review = r.randint(10000, 79999)
    head = [
        f"Change {n} by {r.choice(PEOPLE).lower()}@{r.choice(HOSTS)} on 2025/03/{r.randint(10, 28)} 11:20:31",
        "",
        f"\tMove setpoints to the new bus. Review #{review}, do not submit before GRID-{n + 7}.",
        "",
        "Affected files ...",
        "",
    ]
    listing = [f"... {f}#{r.randint(2, 60)} edit" for f in files]
    listing.insert(r.randint(20, 50), f"... {gone}#4 delete")
    told = iter(files)

    def diff():
        f, k = next(told), r.randint(10, 900)
        return (
            f"==== {f}#{r.randint(2, 60)} (text) ====\n\n***************\n*** {k},{k + 4} ****\n  {code(r)}\n! "
            f"{code(r)}\n  {code(r)}\n--- {k},{k + 4} ----\n  {code(r)}\n! {code(r)}\n  {code(r)}\n"
        )

    var, v = f"kMax{camel(ident(r), True)}", r.randint(10**5, 10**6)
    odd = (
        f"==== //grid/main/core/limits.h#9 (text) ====\n\n***************\n*** 31,33 ****\n! constexpr int {var} = "
        f"{v // 1000};\n--- 31,33 ----\n! constexpr int {var} = {v};\n"
    )
    return [*head, *listing, "", "Differences ...", "", *entries(r, 5, diff, [odd])], [
        f"GRID-{n + 7}",
        [gone, "delete"],
        [var, str(v)],
    ]


@case("diff -y -W 160 old/inventory.txt new/inventory.txt")
def side_by_side(r):
    names = fresh(r, "-")

    def machine(name=None, where=None, cores=None):
        return f"{name or next(names):<30}{where or r.choice(HOSTS):<16}{cores or r.randint(1, 96):>4} cores"

    def pair(left=None, mark=" ", right=None):
        left = left if left is not None else machine()
        right = left if right is None else right
        return f"{left:<77} {mark} {right}".rstrip()

    a, b, c = (next(names) for _ in range(3))
    x, y = distinct(r, 2, 100, 900)
    bad = [
        pair(machine(a, "scada-01", x), "|", machine(a, "scada-01", y)),
        pair(machine(b), "<", ""),
        pair("", ">", machine(c, ip(r))),
    ]
    return entries(r, 10, pair, bad), [[a, f"{x} cores", f"{y} cores"], [b, "cores <"], "> " + c]


@case("git show --cc HEAD")
def combined_diff(r):
    names = fresh(r)

    def part(path=None, rows=None):
        p, k = path or f"lib/{r.choice(THINGS)}/{next(names)}.rb", r.randint(10, 900)
        rows = rows or [f"- {code(r)}", f" -{code(r)}", f"++{code(r)}"]
        ctx = [f"  {code(r)}" for _ in range(5)]
        return (
            f"diff --cc {p}\nindex {hexes(r, 7)},{hexes(r, 7)}..{hexes(r, 7)}\n--- a/{p}\n+++ b/{p}\n@@@ -{k},6 "
            f"-{k},6 +{k},6 @@@\n" + "\n".join(ctx[:3] + rows + ctx[3:])
        )

    a, b = f"lib/auth/{next(names)}.rb", f"lib/auth/{next(names)}.rb"
    call, who = f"verify_{ident(r)}!", r.choice(PEOPLE).lower()
    bad = [
        part(a, [f"- {call}(token)", f" -    {call}(token, strict: true)", "++    # merged: taken from neither side"]),
        part(b, ["++<<<<<<< HEAD", f"++    {ident(r)}_owner = :{who}", "++=======", "++    owner = nil",
            "++>>>>>>> release"]),
    ]
    h = hexes(r, 40)
    head = (
        f"commit {h}\nMerge: {hexes(r, 9)} {hexes(r, 9)}\nAuthor: {who} <{who}@example.net>\n\n    Merge branch "
        "'release' into main\n"
    )
    return [head, *entries(r, 5.8, part, bad)], [[a, f"{call}(token, strict: true)", "taken from neither side"],
        [b, "<<<<<<< HEAD"]]


@case("kubectl diff -f manifests/")
def kubectl_diff(r):
    names = fresh(r, "-")

    def one(kind="apps.v1.Deployment", name=None, rows=None):
        n, k = name or next(names), r.randint(2, 90)
        d = f"/tmp/{{}}-{r.randint(10**8, 10**9)}/{kind}.grid.{n}"
        rows = rows or [f"-  generation: {k}", f"+  generation: {k + 1}"]
        ctx = [f"     app.kubernetes.io/name: {n}", f"     owner: {r.choice(PEOPLE).lower()}",
            f"   creationTimestamp: \"2025-0{r.randint(1, 9)}-11T08:00:00Z\""]
        return (
            f"diff -u -N {d.format('LIVE')} {d.format('MERGED')}\n--- {d.format('LIVE')}\n+++ {d.format('MERGED')}\n"
            f"@@ -{k},7 +{k},7 @@\n" + "\n".join(ctx + rows + [f"   name: {n}", "   namespace: grid"])
        )

    a, b, c = (next(names) for _ in range(3))
    mem, host = r.randint(16, 64), f"{hexes(r, 6)}.example.net"
    bad = [
        one("v1.Service", a, ["-  type: ClusterIP", "+  type: LoadBalancer"]),
        one(name=b, rows=[f"-            memory: {mem}Gi", f"+            memory: {mem}Mi"]),
        one("networking.k8s.io.v1.Ingress", c, [f"-  - host: {ident(r, '-')}.example.net", f"+  - host: {host}"]),
    ]
    return entries(r, 10, one, bad), [[a, "+ type: LoadBalancer"], [b, f"memory: {mem}Gi", f"memory: {mem}Mi"],
        [c, host]]


@case("abidiff libgrid.so.3 libgrid.so.4")
def abi_report(r):
    names = fresh(r)

    def change(fn=None, what=None):
        f = fn or next(names)
        t = f"grid_{r.choice(THINGS)}_t"
        return (
            f"  [C] 'function int {f}(const {t}*)' at {r.choice(THINGS)}.c:{r.randint(10, 900)}:1 has some indirect "
            f"sub-type changes:\n    parameter 1 of type 'const {t}*' has sub-type changes:\n"
            + (what or f"      in pointed to type 'const {t}':\n        1 data member insertion:\n          "
                f"'uint32_t {ident(r)}', at offset {r.randint(64, 900)} (in bits)\n")
        )

    a, b, off = next(names), next(names), distinct(r, 2, 10, 90)
    bad = [
        change(a, f"      type size changed from {off[0] * 64} to {off[1] * 64} (in bits)\n      1 data member "
            f"deletion:\n        'char* owner_{a}', at offset {off[0] * 32} (in bits)\n"),
        f"  [D] 'function void {b}(void)'    {{{b}@@GRID_3}}\n",
    ]
    n = r.randint(90, 300)
    head = (
        f"Functions changes summary: 1 Removed, {n} Changed ({n * 3} filtered out), 0 Added functions\nVariables "
        "changes summary: 0 Removed, 0 Changed, 0 Added variable\n"
    )
    return [head, *entries(r, 9.5, change, bad)], [
        [a, f"owner_{a}", f"{off[0] * 64} to {off[1] * 64}"],
        f"[D] 'function void {b}(void)'",
        f"1 Removed, {n} Changed",
    ]


@case(tool="gitlab_discussions", merge_request=311)
def merge_request_notes(r):
    clock = Clock(r, 3000)

    def note(body=None, resolved=True, system=False, line=None):
        p = r.choice(PEOPLE)
        d = dict(
            id=hexes(r, 40), individual_note=False,
            notes=[dict(
                id=r.randint(10**6, 10**7), type="DiffNote", body=body or prose(r, 2),
                    author=dict(username=p.lower(), name=p, avatar_url=f"https://git.example.net/a/{hexes(r, 8)}.png"),
                created_at=f"{clock():%Y-%m-%dT%H:%M:%S.000Z}", system=system, resolvable=True, resolved=resolved,
                position=dict(new_path=f"src/{ident(r)}.go", new_line=line or r.randint(1, 900), head_sha=hexes(r, 40)),
            )],
        )
        return json.dumps(d, indent=1)

    n = r.randint(1000, 9999)
    block = f"This blocks the release: retries are not bounded, we saw {n} of them in staging."
    veto = f"I veto this until {r.choice(PEOPLE)} has signed off the key rotation ({hexes(r, 6)})."
    bad = [lambda: note(block, False), lambda: note(veto, False)]
    return "[\n" + fill(r, 11, lambda: note() + ",", [lambda f=f: f() + "," for f in bad])[:-1] + "\n]", [block, veto]
