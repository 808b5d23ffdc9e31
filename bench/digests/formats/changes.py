"""Version control: which files changed, and the one line of a change that needs a second look."""

from .bulk import NAMES, NOUNS, camel, hexes, ident, idents, plant, times
from .case import case

REVIEW = "Please review this change."


def context(r, n):
    return [f"     {r.choice(NOUNS)} = port.{ident(r)}({r.randint(1, 99)})" for _ in range(n)]


def hunk(r, extra=()):
    """A renamed call or two, with `extra` lines among them."""
    at, old, new = r.randint(5, 800), ident(r), ident(r)
    changes = [
        x
        for k in range(r.randint(1, 3))
        for x in (f"-    log.info('{old} %s', lane_{k})", f"+    log.info('{new} %s', lane_{k})")
    ]
    changes[2:2] = extra
    return [f"@@ -{at},9 +{at},9 @@ def {ident(r)}(quay):", *context(r, 3), *changes, *context(r, 3)]


def patch(r, paths, special, hunks=4):
    """A git diff over `paths`; the lines `special` go into a random hunk of a random file."""
    place = (r.choice(paths[1:-1]), r.randint(0, hunks - 1))
    out = []
    for p in paths:
        out += [f"diff --git a/{p} b/{p}", f"index {hexes(r, 7)}..{hexes(r, 7)} 100644", f"--- a/{p}", f"+++ b/{p}"]
        for h in range(hunks):
            out += hunk(r, special if (p, h) == place else ())
    return out, place[0]


def files(r, n, ext="py"):
    return [f"{r.choice(['port', 'tide', 'web'])}/{name}.{ext}" for name in idents(r, n)]


@case("git diff main", ask=REVIEW)
def diff_dangerous_line(r):
    bad = r.choice(
        [
            f"session.verify = False  # {r.choice(NAMES)}",
            f"subprocess.call('rm -rf ' + request.args['{r.choice(NOUNS)}'], shell=True)",
            f"PASSWORD = '{hexes(r, 10)}'",
            f"eval(payload['{r.choice(NOUNS)}'])",
        ]
    )
    paths = files(r, 14)
    lines, where = patch(r, paths, [f"+    {bad}"])
    return lines, paths + [[bad, where]]


@case("git diff HEAD~3", ask=REVIEW)
def diff_deleted_check(r):
    gone = [f"-    if not {r.choice(NOUNS)}.may('{ident(r)}'):", "-        raise Forbidden('not yours')"]
    paths = files(r, 12)
    lines, where = patch(r, paths, gone)
    return lines, paths + [[gone[0][1:].strip(), "raise Forbidden", where]]


@case("git diff --cached", ask=REVIEW)
def diff_mode_rename_binary(r):
    script, old, new, binary = (
        f"bin/{ident(r)}.sh",
        f"port/{ident(r)}_old.py",
        f"port/{ident(r)}_new.py",
        f"assets/{ident(r)}.wasm",
    )
    paths = files(r, 9)
    lines, _ = patch(r, paths, [])
    blocks = "\n".join(lines).split("\ndiff --git")
    blocks = [blocks[0]] + ["diff --git" + b for b in blocks[1:]]
    special = [
        f"diff --git a/{script} b/{script}\nold mode 100644\nnew mode 100755",
        f"diff --git a/{old} b/{new}\nsimilarity index 97%\nrename from {old}\nrename to {new}",
        f"diff --git a/{binary} b/{binary}\nindex {hexes(r, 7)}..{hexes(r, 7)} 100644\nBinary files a/{binary} and b/{binary} differ",
    ]
    return plant(r, blocks, special, 2), paths + [[script, "100755"], [old, new], [binary, "Binary"]]


@case("git show HEAD", tool="terminal", ask=REVIEW)
def git_show(r):
    subject = f"{ident(r)}: stop rounding {r.choice(NOUNS)} fees"
    commit, paths = hexes(r, 40), files(r, 11)
    bad = f"except BaseException: pass  # {r.choice(NAMES)} {hexes(r, 4)}"
    lines, where = patch(r, paths, [f"+    {bad}"])
    return [
        f"commit {commit}",
        f"Author: {r.choice(NAMES)} <dev@port.example>",
        "Date:   Tue Jun 3 10:12:11 2025 +0200",
        "",
        f"    {subject}",
        "",
        "    Fees were rounded twice, once per lane.",
        "",
        *lines,
    ], [commit[:7], subject, [bad, where], *paths]


@case("git diff", tool="shell", ask=REVIEW)
def diff_lockfile(r):
    """A lock file is nine tenths of the change; the tenth is what is to be reviewed."""

    def pins(n):
        return [
            x
            for k, name in enumerate(idents(r, n, "-"))
            for x in (
                f' "{name}" = {{',
                f'-  version = "{k}.{r.randint(0, 9)}.0"',
                f'+  version = "{k}.{r.randint(10, 19)}.0"',
                f'-  checksum = "{hexes(r, 40)}"',
                f'+  checksum = "{hexes(r, 40)}"',
                " }",
            )
        ]

    path, name = f"src/{ident(r)}.rs", ident(r)
    code = [
        f"diff --git a/{path} b/{path}",
        f"index {hexes(r, 7)}..{hexes(r, 7)} 100644",
        f"--- a/{path}",
        f"+++ b/{path}",
        "@@ -40,6 +40,6 @@ impl Quay {",
        "     let lanes = self.lanes();",
        f"-    if self.{name}() < lanes {{",
        f"+    if self.{name}() <= lanes {{",
        "         return None;",
    ]
    return [
        *[
            "diff --git a/quay.lock b/quay.lock",
            "index 12ab..34cd 100644",
            "--- a/quay.lock",
            "+++ b/quay.lock",
            "@@ -1,900 +1,900 @@",
        ],
        *pins(70),
        *code,
        "diff --git a/ui.lock b/ui.lock",
        "--- a/ui.lock",
        "+++ b/ui.lock",
        "@@ -1,300 +1,300 @@",
        *pins(30),
    ], ["quay.lock", "ui.lock", [path, f"if self.{name}() <= lanes {{"]]


@case("diff -ru release-1 release-2", ask=REVIEW)
def plain_diff(r):
    paths = files(r, 10)
    only = f"Only in release-2/port: {ident(r)}.key"
    bad = f"ALLOWED_HOSTS = ['*']  # {r.choice(NAMES)}"
    lines, where = patch(r, paths, [f"+    {bad}"])
    lines = [
        x.replace("diff --git a/", "diff -ru release-1/")
        .replace("--- a/", "--- release-1/")
        .replace("+++ b/", "+++ release-2/")
        .replace(" b/", " release-2/")
        for x in lines
        if not x.startswith("index ")
    ]
    lines.insert(next(k for k, x in enumerate(lines) if paths[5] in x), only)
    return lines, paths + [only.split(": ")[1], [bad, where]]


@case("git log --stat -60")
def git_log_stat(r):
    subject, commit = f"remove {r.choice(NOUNS)} schema and its migrations", hexes(r, 40)
    blocks = []
    for t in times(r, 60, 40000):
        sub, h = ident(r).replace("_", " ") + f" in lane {r.randint(1, 90)}", hexes(r, 40)
        changed = files(r, r.randint(1, 3))
        blocks.append(
            "\n".join(
                [
                    f"commit {h}",
                    f"Author: {r.choice(NAMES)} <dev@port.example>",
                    f"Date:   {t:%a %b %d %H:%M:%S %Y} +0200",
                    "",
                    f"    {sub}",
                    "",
                    *[f" {f} | {r.randint(1, 40)} {'+' * r.randint(1, 9)}{'-' * r.randint(1, 9)}" for f in changed],
                    f" {len(changed)} files changed, {r.randint(1, 40)} insertions(+), {r.randint(1, 40)} deletions(-)",
                    "",
                ]
            )
        )
    n = r.randint(20000, 90000)
    odd = "\n".join(
        [
            f"commit {commit}",
            f"Author: {r.choice(NAMES)} <dev@port.example>",
            "Date:   Mon Jun 2 01:01:01 2025 +0200",
            "",
            f"    {subject}",
            "",
            f" db/schema.sql | {n} {'-' * 40}",
            f" 1 file changed, {n} deletions(-)",
            "",
        ]
    )
    return (
        plant(r, blocks, [odd], 5),
        [[subject, commit[:7]]],
        dict(last="Which commit deleted db/schema.sql? I need its hash."),
    )


@case("git status")
def git_status(r):
    branch, both = f"{ident(r, '-')}-{r.randint(100, 999)}", f"lib/{ident(r)}.py"
    return [
        f"On branch {branch}",
        f"Your branch and 'origin/{branch}' have diverged,",
        f"and have {r.randint(2, 9)} and {r.randint(2, 9)} different commits each, respectively.",
        "",
        "You have unmerged paths.",
        '  (fix conflicts and run "git commit")',
        "",
        "Changes to be committed:",
        *[f"\tmodified:   {f}" for f in files(r, 60)],
        "",
        "Unmerged paths:",
        '  (use "git add <file>..." to mark resolution)',
        f"\tboth modified:   {both}",
        "",
        "Changes not staged for commit:",
        *[f"\tmodified:   {f}" for f in files(r, 60)],
        "",
        "Untracked files:",
        *[f"\ttmp/{f}" for f in files(r, 120, "png")],
    ], [branch, "have diverged", ["both modified", both]]


@case("git blame -L1,200 port/fees.py")
def git_blame(r):
    """Two hundred lines of two hands, and one of a third."""
    hands = [(hexes(r, 8), n) for n in r.sample(NAMES, 3)]
    lines = [
        f"{h} ({n:<8} 2024-0{r.randint(1, 9)}-1{r.randint(0, 9)} 10:00:00 +0200 {{k}})     {r.choice(NOUNS)} = {camel(ident(r))}({r.randint(1, 99)})"
        for h, n in r.choices(hands[:2], k=170)
    ]
    odd = f"{hands[2][0]} ({hands[2][1]:<8} 2025-06-02 03:12:44 +0200 {{k}})     fee = fee * 0  # {hexes(r, 5)}"
    lines = plant(r, lines, [odd])
    return (
        [x.replace("{k}", f"{k:>4}") for k, x in enumerate(lines, 1)],
        [[hands[2][0], "fee = fee * 0"]],
        dict(ask="Who made the fee zero?"),
    )
