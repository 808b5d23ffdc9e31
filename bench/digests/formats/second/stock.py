"""Filler for the second set, in other words than the first set's: nothing that was tuned to those shall help here."""

from ..bulk import hexes, plant, times

THINGS = (
    "shelf volume reader loan folio catalogue press font margin plate spine quire galley proof ribbon stamp atlas binder "
    "index copy reel annex archive desk slip stack tray wing vault clasp"
).split()
DEEDS = "lend shelve bind print scan renew recall label fetch fold crop stitch mail file batch export weed digitise lift emboss".split()
SITES = "lib-a1 lib-a2 lib-b1 reading-room press-hall annex-4".split()
PEOPLE = "Amara Bjorn Chiara Dmitri Elif Femi Greta Hiro Ilse Joaquin Katya Lionel".split()

__all__ = [
    "DEEDS",
    "PEOPLE",
    "SITES",
    "THINGS",
    "hexes",
    "lines_at",
    "name",
    "names",
    "pairs",
    "plant",
    "prose",
    "small",
    "times",
    "trouble",
]


def name(r, sep="_"):
    return sep.join([r.choice(DEEDS), r.choice(THINGS)])


def names(r, n, sep="_"):
    """`n` different names such as `renew_loan`."""
    return [sep.join(p) for p in r.sample([(d, t) for d in DEEDS for t in THINGS], n)]


def pairs(r, n, sep="_"):
    """`n` different names such as `shelf_atlas`, of which none is among `names`: for what must not pass for a needle."""
    return [sep.join(p) for p in r.sample([(a, b) for a in THINGS for b in THINGS], n)]


def small(r):
    """One message that nobody would miss."""
    thing, n = r.choice(THINGS), r.randint(1, 9000)
    return r.choice(
        [
            f"renewed loan {n} for reader {r.randint(1, 900)}",
            f"{name(r)} took {r.randint(1, 240)} ms",
            f"{thing} {n} fetched from {r.choice(SITES)}",
            f"queued {thing} {n} behind {r.randint(0, 40)} others",
            f"rotated {thing} key, next in {r.randint(2, 48)} h",
            f"session {hexes(r, 8)} of {r.choice(PEOPLE).lower()} resumed",
            f"wrote {r.randint(100, 90000)} bytes to {thing}-{n}.tmp",
            f"replied 200 to {r.choice(SITES)} with {r.randint(1, 60)} {thing}s",
            f"page {n} of {thing} rendered",
            f"lease on {thing} {n} extended by {r.randint(10, 90)} s",
        ]
    )


def trouble(r, n):
    """`n` different messages that somebody would be woken for. No quotes in them, so that JSON leaves them as they are."""
    d = r.randint
    return r.sample(
        [
            f"reader card {d(10000, 99999)} rejected: PIN blocked after {d(3, 9)} tries",
            f"scanner {d(10, 99)} jammed on folio {d(1000, 9999)}, operator needed",
            f"TLS handshake with annex-{d(10, 99)} timed out after {d(5000, 60000)} ms",
            f"index shard {d(10, 99)} is corrupt: bad magic 0x{hexes(r, 8)}",
            f"refused to overwrite folio {d(1000, 9999)}: newer revision {hexes(r, 7)} on disk",
            f"spool has {d(1, 9)} kB left, job {d(10000, 99999)} dropped",
            f"loan {d(10000, 99999)} violates constraint loans_reader_fk",
            f"unable to parse barcode {hexes(r, 9)} at column {d(10, 99)}",
            f"binder process {d(1000, 9999)} was killed by signal {d(6, 11)}",
            f"quota of tenant lib-{d(100, 999)} exceeded by {d(11, 99)} GB, uploads refused",
            f"certificate of press-{d(10, 99)}.internal expired on 2025-0{d(1, 9)}-1{d(0, 9)}",
            f"deadlock between sessions {hexes(r, 6)} and {hexes(r, 6)}, victim rolled back",
            f"template {name(r, '-')}-{d(10, 99)} references an undefined variable",
            f"cannot bind 0.0.0.0:{d(2000, 9999)}: address already in use",
            f"lost {d(101, 999)} events: ring buffer overrun on cpu {d(2, 63)}",
            f"catalogue import aborted at record {d(10000, 99999)}: invalid UTF-8",
        ],
        n,
    )


def lines_at(r, said, form, seconds=4.0):
    """A log: each of `said` put through `form(moment, said)`."""
    return [form(t, s) for t, s in zip(times(r, len(said), seconds), said)]


def prose(r, n=5):
    """A paragraph of `n` sentences without any news in it."""
    out = []
    for _ in range(n):
        a, b, c = r.sample(THINGS, 3)
        out.append(
            r.choice(
                [
                    f"Each {a} is kept next to the {b} it belongs to.",
                    f"A {a} can be read without the {b}, though the {c} helps.",
                    f"Older editions put the {a} before the {b}.",
                    f"Whoever opens the {a} will find the {b} and, below it, the {c}.",
                    f"There is seldom a reason to move the {a} away from its {b}.",
                    f"As with every {a}, the {b} is only a convention.",
                ]
            )
        )
    return " ".join(out)
