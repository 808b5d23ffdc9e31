"""Filler that looks real: a needle must be found by what it says, not by being the only English on the page."""

from datetime import datetime, timedelta

NOUNS = (
    "berth crane tide pilot vessel cargo manifest quay anchor buoy ledger tariff voyage hull beacon signal freight "
    "gantry dock lantern gauge channel harbour pallet winch rudder convoy depot barge lock"
).split()
VERBS = (
    "load plan moor weigh route assign release audit book track merge split sort trim seal check stow rank pack poll".split()
)
HOSTS = "harbour-01 harbour-02 quay-east quay-west pilot-7 depot-3".split()
NAMES = "Ines Marek Yusuf Priya Tomas Leila Oskar Wanjiru Sofia Anton Mei Rafael".split()


def hexes(r, n):
    return f"{r.getrandbits(4 * n):0{n}x}"


def ident(r, sep="_"):
    return sep.join([r.choice(VERBS), r.choice(NOUNS)])


def idents(r, n, sep="_"):
    """`n` different names such as `weigh_cargo`."""
    return [sep.join(p) for p in r.sample([(v, o) for v in VERBS for o in NOUNS], n)]


def namer(deeds, things):
    """(ident, idents): one name such as `plan_cargo` of these words, and `n` different ones."""

    def ident(r, sep="_"):
        return sep.join([r.choice(deeds), r.choice(things)])

    def idents(r, n, sep="_"):
        return [sep.join(p) for p in r.sample([(d, t) for d in deeds for t in things], n)]

    return ident, idents


def camel(name, upper=False):
    first, *rest = name.split("_")
    return (first.capitalize() if upper else first) + "".join(p.capitalize() for p in rest)


def times(r, n, seconds=4.0):
    """`n` rising moments."""
    t = datetime(2025, r.randint(1, 12), r.randint(1, 28), r.randint(0, 20), r.randint(0, 59), r.randint(0, 59))
    out = []
    for _ in range(n):
        t += timedelta(seconds=r.uniform(0.05, 2 * seconds))
        out.append(t)
    return out


def plant(r, bulk, special, edge=12):
    """`bulk` with each of `special` put in at a random place, in a random order, away from both ends.

    The ends are what every truncation keeps, so a needle there would test nothing."""
    out = list(bulk)
    for x in r.sample(special, len(special)):
        out.insert(r.randint(edge, len(out) - edge), x)
    return out


def chatter(r):
    """One uninteresting log message."""
    k = r.randint(0, 9)
    noun, n = r.choice(NOUNS), r.randint(1, 9000)
    return (
        f"{r.choice(['GET', 'GET', 'POST'])} /v2/{noun}s/{n} answered 200 in {r.randint(1, 180)} ms",
        f"{ident(r)} finished for {noun} {n}",
        f"cache hit for {noun}:{n} (age {r.randint(1, 300)} s)",
        f"heartbeat from {r.choice(HOSTS)} seq={n}",
        f"scheduled {ident(r)} in {r.randint(1, 60)} s",
        f"{noun} {n} moved to lane {r.randint(1, 12)}",
        f"opened connection {hexes(r, 6)} to {r.choice(HOSTS)}",
        f"closed connection {hexes(r, 6)} after {n} bytes",
        f"synced {r.randint(1, 90)} {noun}s with {r.choice(HOSTS)}",
        f"user {r.choice(NAMES).lower()} listed {noun}s page {r.randint(1, 30)}",
    )[k]


def faults(r, n):
    """`n` different messages that nobody wants to miss."""
    d = r.randint
    return r.sample(
        [
            f"lease {hexes(r, 8)} lost: coordinator member {d(1, 5)} unreachable for {d(61, 590)} s",
            f"cannot open /var/spool/berth/q{d(100, 999)}: Permission denied",
            f"checksum mismatch in segment {d(1000, 9999)}: wanted {hexes(r, 8)}, found {hexes(r, 8)}",
            f"stream to tariff-svc:7{d(100, 999)} reset after {d(10000, 99999)} bytes",
            f"column tide_level of readings_{d(10, 99)} is text, the manifest says double",
            f"clock is {d(130, 900)} s ahead of ntp{d(2, 9)}, refusing to sign",
            f"client crane-{d(100, 999)} presented a revoked token",
            f"write-ahead log ends early at offset {d(10**6, 10**7)}",
            f"no healthy backend for tenant t{d(1000, 9999)} (0 of 3)",
            f"cannot decode frame {d(1000, 9999)}: unexpected end of buffer",
            f'migration {d(100, 999)}_add_lanes: relation "lanes" already exists',
            f"out of file descriptors in acceptor (limit {d(1024, 4096)})",
            f"queue mooring-{d(10, 99)} gave up on {d(11, 99)} messages: bad signature",
            f"licence of module gantry-{d(10, 99)} expired {d(2, 40)} days ago",
            f"thread pilot-{d(10, 99)} stuck for {d(31000, 99000)} ms in flush()",
            f"replica on depot-{d(10, 99)} is {d(2000, 9000)} MB behind, giving up",
            f"could not resolve host tides-{d(10, 99)}.internal",
            f"division by zero while weighing hull {d(10000, 99999)}",
            f"disk /dev/nvme{d(1, 7)}n1 reports {d(12, 300)} unreadable sectors",
            f"invoice {d(10000, 99999)} charged twice (ref {hexes(r, 10)})",
        ],
        n,
    )
