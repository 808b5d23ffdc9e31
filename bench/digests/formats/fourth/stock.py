"""Filler for the fourth set: the control room of a power grid, in words that no other set uses, and larger outputs."""

from datetime import datetime, timedelta

from ..bulk import camel, hexes, namer

THINGS = (
    "turbine feeder relay breaker busbar inverter transformer substation cable pylon battery panel rotor stator fuse "
    "sensor outage reserve frequency voltage island phase capacitor reactor tap droop setpoint demand telemetry "
    "contactor"
).split()
DEEDS = (
    "balance trip arm ramp sample isolate energise ground calibrate curtail restore estimate poll latch shed smooth "
    "limit "
    "decode aggregate publish"
).split()
HOSTS = "scada-01 scada-02 rtu-north rtu-south ems-a ems-b historian gridgw-3".split()
PEOPLE = "Agnes Bora Cyril Delphine Esra Farid Gaia Henrik Imani Jonas Kaori Luis Malgorzata Noor Otto Petra".split()

__all__ = [
    "Clock",
    "DEEDS",
    "HOSTS",
    "PEOPLE",
    "THINGS",
    "alarms",
    "camel",
    "distinct",
    "entries",
    "fill",
    "fresh",
    "hexes",
    "ident",
    "idents",
    "ip",
    "pair",
    "prose",
    "quiet",
    "uuid",
]


class Clock:
    """Each call gives a later moment."""

    def __init__(self, r, seconds=2.0):
        self.r, self.seconds = r, seconds
        self.now = datetime(2025, r.randint(1, 12), r.randint(1, 27), r.randint(0, 15), r.randint(0, 59),
            r.randint(0, 59))

    def __call__(self):
        self.now += timedelta(seconds=self.r.uniform(0.02, 2 * self.seconds))
        return self.now

    def text(self, form):
        """The next moment by `strftime`, with `%L` for its milliseconds."""
        t = self()
        return t.strftime(form.replace("%L", f"{t.microsecond // 1000:03d}"))


def entries(r, size, make, special=(), low=0.1, high=0.9):
    """Entries of `make()` until they hold about `size` thousand tokens (of four bytes).

    Each of `special`, a text or a function that gives one, stands at a random place between the shares `low` and
    `high` of the whole, in random order. Functions are called in place, so that a `Clock` in them keeps rising."""
    limit = 4000 * size * r.uniform(0.9, 1.1)
    at = sorted(limit * r.uniform(low, high) for _ in special)
    waiting = r.sample(list(special), len(special))
    out, total = [], 0
    while total < limit:
        if at and total >= at[0]:
            at.pop(0)
            x = waiting.pop(0)
            x = x() if callable(x) else x
        else:
            x = make()
        out.append(x)
        total += len(x.encode()) + 1
    return out + [x() if callable(x) else x for x in waiting]


def fill(*args, **more):
    return "\n".join(entries(*args, **more))

ident, idents = namer(DEEDS, THINGS)


def distinct(r, n, low, high):
    """`n` different numbers in random order."""
    return r.sample(range(low, high + 1), n)


def pair(r, sep="_"):
    """A name such as `relay_tap`, which is never among `idents`: for what must not pass for a needle."""
    return sep.join(r.sample(THINGS, 2))


def fresh(r, sep="_"):
    """Different names without end: first plain ones, then numbered ones."""
    names = idents(r, len(DEEDS) * len(THINGS), sep)
    yield from names
    k = 1
    while k := k + 1:
        yield from (f"{n}{sep}{k}" for n in names)


def uuid(r):
    return "-".join(hexes(r, n) for n in (8, 4, 4, 4, 12))


def ip(r):
    return f"172.{r.randint(16, 31)}.{r.randint(0, 255)}.{r.randint(2, 254)}"


def quiet(r):
    """One message of an ordinary shift."""
    thing, n = r.choice(THINGS), r.randint(100, 99999)
    return (
        f"polled {thing} {n} in {r.randint(2, 140)} ms",
        f"{ident(r)} accepted for {thing} {n}",
        f"published {r.randint(1, 400)} points to topic {thing}.measured",
        f"archived {thing} block {n} ({r.randint(2, 900)} kB)",
        f"operator {r.choice(PEOPLE).lower()} opened the {thing} view",
        f"received heartbeat {n} from {r.choice(HOSTS)}",
        f"setpoint of {thing} {n} unchanged at {r.randint(40, 99)}.{r.randint(0, 9)} %",
        f"next {ident(r)} planned in {r.randint(5, 600)} s",
        f"compacted {r.randint(2, 30)} segments of {thing} history",
        f"session {hexes(r, 8)} renewed for {r.choice(HOSTS)}",
    )[r.randint(0, 9)]


def alarms(r, n):
    """`n` different messages that nobody on duty may miss, without quotes and backslashes, so as to fit into JSON."""
    d = r.randint
    return r.sample(
        [
            f"feeder F{d(100, 999)} still energised {d(20, 90)} s after trip command",
            f"telemetry of substation SS-{d(100, 999)} frozen since {d(11, 59)} minutes",
            f"dropped {d(1000, 9999)} setpoints: protocol version {d(7, 9)} not understood",
            f"relay group RG{d(10, 99)} answered with the serial number of RG{d(10, 99)}",
            f"historian partition h{d(100, 999)} is read-only, buffer holds {d(100, 900)} minutes",
            f"state estimator did not converge after {d(200, 900)} iterations, residual {d(3, 90)}.{d(10, 99)}",
            f"key of gateway gw-{d(100, 999)} was revoked, link closed",
            f"unable to allocate {d(1000, 9999)} MiB for the contingency matrix",
            f"two masters claim bus B{d(100, 999)}: split brain",
            f"frequency gate {d(10, 99)} stuck open, load shed of {d(100, 900)} MW not executed",
            f"cannot reach time server {ip(r)}, drift now {d(200, 900)} ms",
            f"reserve market rejected bid {d(10000, 99999)}: volume negative",
            f"corrupt frame from RTU {d(1000, 9999)}: CRC {hexes(r, 4)} instead of {hexes(r, 4)}",
            f"failover to ems-{d(3, 9)} refused, journal behind by {d(10000, 99999)} records",
            f"transformer T{d(100, 999)} oil at {d(111, 140)} C, cooling does not start",
            f"topology import lost {d(11, 99)} lines of region R{d(100, 999)}",
            f"limit table for cable K{d(1000, 9999)} is empty, all values pass",
            f"deadman timer of crew {d(100, 999)} expired without an answer",
        ],
        n,
    )


def prose(r, n=4):
    """A paragraph of `n` sentences without any decision in it."""
    out = []
    for _ in range(n):
        a, b, c = r.sample(THINGS, 3)
        out.append(
            r.choice(
                [
                    f"The {a} is drawn to the left of the {b} on every overview.",
                    f"Readers who know the {a} can skip the part on the {b}.",
                    f"In most regions a {a} serves one {b} and sometimes a {c}.",
                    f"The relation between {a} and {b} is described in many textbooks.",
                    f"Between the {a} and the {c} there is usually a {b}.",
                    f"It is common to look at the {a} together with its {b}.",
                    f"Training on the {a} takes place in the same room as that on the {c}.",
                    f"The symbol of the {a} resembles that of the {b}.",
                ]
            )
        )
    return " ".join(out)
