"""Search hits and listings: which files, and the entry unlike the rest."""

from .bulk import HOSTS, NAMES, NOUNS, hexes, ident, idents, plant
from .case import Count, case


def hits(r, n):
    return [
        r.choice(
            [
                f"    {r.choice(NOUNS)}.retry(times={r.randint(2, 9)})",
                f"    retry = config.retry or {r.randint(2, 9)}",
                "    # retry is a count",
                f"    def {ident(r)}(self, retry=3):",
                "    except RetryError:",
            ]
        )
        for _ in range(n)
    ]


def odd_hit(r):
    return r.choice(
        [
            f"while True: retry()  # {r.choice(NAMES)}: never stops, see OPS-{r.randint(100, 999)}",
            f"RETRY_LIMIT = 10 ** {r.randint(7, 12)}  # effectively endless",
            f"retry(times=-1)  # HACK {hexes(r, 5)}",
        ]
    )


@case(tool="Grep", pattern="retry", path="src", ask="Where do we retry without a limit?")
def rg_plain(r):
    odd, at = odd_hit(r), f"src/{ident(r)}.py:{r.randint(10, 900)}"
    paths = [f"src/{n}.py" for n in idents(r, 60)]
    return plant(
        r, [f"{p}:{r.randint(3, 900)}:{x}" for p, x in zip(sorted(r.choices(paths, k=280)), hits(r, 280))], [f"{at}:    {odd}"]
    ), [[at, odd]]


@case("rg --heading -n retry", ask="Where do we retry without a limit?")
def rg_heading(r):
    odd, line, lines = odd_hit(r), r.randint(1000, 1900), []
    paths = [f"src/{r.choice(NOUNS)}/{n}.py" for n in idents(r, 40)]
    chosen = r.choice(paths[5:-5])
    for p in paths:
        found = sorted((r.randint(3, 900), x) for x in hits(r, r.randint(3, 9)))
        if p == chosen:
            found.append((line, "    " + odd))
        lines += [p, *[f"{k}:{x}" for k, x in found], ""]
    return lines, [[chosen, f"{line}:", odd]]


@case("grep -n retry legacy.py", ask="Where do we retry without a limit?")
def grep_one_file(r):
    odd, line = odd_hit(r), r.randint(5000, 5999)
    return sorted(
        [f"{r.randint(1000, 9999)}:{x}" for x in hits(r, 220)] + [f"{line}:    {odd}"], key=lambda x: int(x.split(":")[0])
    ), [[f"{line}:", odd]]


@case("rg -n retry src", tool="terminal", ask="Which files mention retry, and how often?")
def few_files(r):
    """Four files: a reader wants each name and its number of hits, which is why no line has such a number."""
    counts = dict(zip([f"src/{n}.py" for n in idents(r, 4)], r.sample(range(21, 99), 4)))
    return [f"{p}:{1000 + k}:{x}" for p, n in counts.items() for k, x in enumerate(hits(r, n))], [
        [p, Count(n)] for p, n in counts.items()
    ]


@case("rg -C2 'unsafe' crates", ask="Is any of these unsafe blocks unsound?")
def rg_context(r):
    """Hits with context, separated by `--`."""
    odd = f"unsafe {{ std::mem::transmute::<&[u8], &'static [u8]>({r.choice(NOUNS)}_{r.randint(10, 99)}) }}"

    def block(p, hit):
        at = r.randint(10, 900)
        return "\n".join(
            [
                f"{p}-{at - 2}-    let {ident(r)} = lane.{r.choice(NOUNS)}();",
                f"{p}-{at - 1}-    // SAFETY: checked by the caller",
                f"{p}:{at}:    {hit}",
                f"{p}-{at + 1}-    lane.{r.choice(NOUNS)} += 1;",
                f"{p}-{at + 2}-    }}",
                "--",
            ]
        )

    where = f"crates/quay/src/{ident(r)}.rs"
    return plant(
        r,
        [
            block(f"crates/{r.choice(NOUNS)}/src/{n}.rs", f"unsafe {{ {r.choice(NOUNS)}.get_unchecked({r.randint(0, 9)}) }}")
            for n in idents(r, 60)
        ],
        [block(where, odd)],
        5,
    ), [[where, odd]]


@case("find . -type f", ask="Does anything lie here that should not?")
def find_files(r):
    odd = r.choice(
        [
            f"./deploy/{r.choice(NOUNS)}/id_rsa.bak",
            f"./web/{r.choice(NOUNS)}/core.{r.randint(1000, 9999)}",
            f"./port/{r.choice(NOUNS)}/prod-dump.sql.gz",
        ]
    )
    return plant(
        r,
        [
            f"./{r.choice(['port', 'tide', 'web'])}/{r.choice(NOUNS)}/{n}.{r.choice(['py', 'py', 'pyi'])}"
            for n in idents(r, 420)
        ],
        [odd],
    ), [odd.split("/")[:0:-1]]


@case("ls -lR var", ask="What fills the disk?")
def ls_recursive(r):
    odd, size, lines = f"{ident(r)}.log.1", r.randint(40, 99) * 10**9 + r.randint(0, 10**8), []
    dirs = [f"var/{n}" for n in r.sample(NOUNS, 12)]
    chosen = r.choice(dirs[2:-2])
    for d in dirs:
        rows = [(f"{n}.log", r.randint(900, 90000)) for n in idents(r, 15)]
        if d == chosen:
            rows.insert(r.randint(1, 14), (odd, size))
        lines += [
            f"{d}:",
            f"total {r.randint(100, 900)}",
            *[f"-rw-r--r-- 1 port port {s:>12} Jun {r.randint(1, 28):>2} 10:{r.randint(10, 59)} {n}" for n, s in rows],
            "",
        ]
    return lines, [[odd, str(size)]]


@case("tree -a", ask="Give me an idea of this project.")
def tree_listing(r):
    odd = f"{r.choice(NOUNS)} -> ../../../etc/{r.choice(['shadow', 'ssl/private', 'sudoers'])}"
    tops = r.sample(NOUNS, 9)
    lines = ["."]
    for d in tops:
        lines += [f"├── {d}", *[f"│   ├── {n}.go" for n in idents(r, 26)], "│   └── doc.go"]
    return plant(r, lines, [f"│   ├── {odd}"]) + ["└── go.mod", "", "9 directories, 245 files"], [
        odd,
        "9 directories, 245 files",
        tops,
    ]


@case(tool="Glob", pattern="**/*", ask="Which languages are in use here?")
def glob_paths(r):
    """Three kinds of files by the hundred, and two Dockerfiles."""
    odd = [f"/srv/port/{d}/{n}" for d, n in zip(r.sample(NOUNS, 2), ["Dockerfile", "Makefile.am"])]
    return plant(r, [f"/srv/port/{r.choice(NOUNS)}/{n}.{r.choice(['rs', 'rs', 'toml', 'md'])}" for n in idents(r, 330)], odd), [
        o.split("/")[:2:-1] for o in odd
    ] + [".toml", ".md"]


@case("rg -c TODO", ask="Where are the most TODOs?")
def count_per_file(r):
    rows = [f"src/{r.choice(NOUNS)}/{n}.c:{r.randint(1, 6)}" for n in idents(r, 230)]
    worst, n = f"src/{r.choice(HOSTS)}/{ident(r)}_all.c", r.randint(150, 900)
    return plant(r, rows, [f"{worst}:{n}"]), [[worst, str(n)]]


@case("du -ah --max-depth=3 .", ask="What fills the disk?")
def du_sizes(r):
    odd = f"./data/{ident(r)}.parquet"
    size = f"{r.randint(200, 900)}G"
    return plant(r, [f"{r.randint(4, 900)}K\t./{r.choice(NOUNS)}/{n}" for n in idents(r, 300)], [f"{size}\t{odd}"]) + [
        f"{size}\t."
    ], [[odd, size]]
