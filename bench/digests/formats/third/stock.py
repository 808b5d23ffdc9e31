"""Filler for the third set: the back office of a web shop, in words that neither other set uses."""

from ..bulk import camel, hexes, namer, plant, times

THINGS = (
    "account invoice payment refund coupon cart order shipment voucher session token webhook tenant report quota plan seat "
    "payout dispute variant stock price rate receipt mailbox banner wishlist parcel supplier discount"
).split()
DEEDS = (
    "create update fetch parse render validate resolve merge compute flush encode dispatch apply cancel archive notify "
    "reindex clone redact expire"
).split()
HOSTS = "web-01 web-02 web-03 worker-a worker-b db-primary db-replica cache-01".split()
PEOPLE = "Aisha Benedikt Carla Daniel Emeka Fatima Gustav Hana Ivo Jun Kemal Lucia Mirela Nils".split()

__all__ = [
    "DEEDS",
    "HOSTS",
    "PEOPLE",
    "THINGS",
    "calm",
    "camel",
    "distinct",
    "hexes",
    "ident",
    "idents",
    "ip",
    "mishaps",
    "people",
    "plant",
    "prose",
    "spots",
    "times",
    "uuid",
    "weave",
]

ident, idents = namer(DEEDS, THINGS)


def distinct(r, n, low, high):
    """`n` different numbers in random order."""
    return r.sample(range(low, high + 1), n)


def people(r, n):
    return r.sample(PEOPLE, n)


def uuid(r):
    return "-".join(hexes(r, n) for n in (8, 4, 4, 4, 12))


def ip(r):
    return f"10.{r.randint(0, 40)}.{r.randint(0, 255)}.{r.randint(2, 254)}"


def calm(r):
    """One log message of a good day."""
    thing, n = r.choice(THINGS), r.randint(100, 99999)
    return (
        f"{ident(r)} done for {thing} {n} in {r.randint(2, 190)} ms",
        f"GET /api/{thing}s/{n} 200 {r.randint(3, 180)}ms",
        f"consumed {thing}.updated offset={n} partition={r.randint(0, 11)}",
        f"picked up job {ident(r)} #{n}",
        f"{thing} {n} cached for {r.randint(30, 900)} s",
        f"rendered template {ident(r, '-')}.html",
        f"sent mail {ident(r, '-')} to customer {n}",
        f"{r.choice(PEOPLE).lower()} signed in from {ip(r)}",
        f"refreshed {thing} view, {r.randint(1, 400)} rows",
        f"config {ident(r, '.')} unchanged",
    )[r.randint(0, 9)]


def mishaps(r, n):
    """`n` different messages that somebody has to act on. Without quotes or backslashes, so that JSON leaves them alone."""
    d = r.randint
    return r.sample(
        [
            f"payment {d(10000, 99999)} captured twice, ledger is off by {d(11, 900)}.{d(10, 99)} EUR",
            f"giving up on webhook {hexes(r, 8)} after {d(6, 14)} attempts: 410 Gone",
            f"refusing order {d(10000, 99999)}: stock would become -{d(2, 40)}",
            f"token issuer id-{d(10, 99)}.example.net not trusted",
            f"could not obtain lock on table {ident(r)} within {d(11, 90)} s",
            f"card processor returned code {d(2, 9)}{d(100, 999)} (merchant suspended)",
            f"upstream pricing-{d(10, 99)} closed the connection without a response",
            f"tax rate for region R{d(100, 999)} is missing, using 0 %",
            f"snapshot {hexes(r, 10)} is truncated at byte {d(10**6, 10**7)}",
            f"tenant t-{d(1000, 9999)} sees orders of tenant t-{d(1000, 9999)}",
            f"memory limit of {d(200, 900)} MiB hit, worker {d(1000, 9999)} killed",
            f"consumer lag on refunds-{d(10, 99)} is {d(100000, 999999)} and growing",
            f"schema version {d(300, 400)} is newer than this binary ({d(200, 299)})",
            f"no route to host {ip(r)} port {d(2000, 9999)}",
            f"clock went back by {d(1200, 9000)} ms, dropping {d(11, 99)} timers",
            f"signature of update {hexes(r, 7)} does not verify",
            f"exchange rate {r.choice(['SEK', 'PLN', 'JPY'])} is {d(30, 90)} h old",
            f"could not deserialize cart {hexes(r, 8)}: unknown tag {d(20, 99)}",
        ],
        n,
    )


def prose(r, n=4):
    """A paragraph of `n` sentences that decide nothing."""
    out = []
    for _ in range(n):
        a, b, c = r.sample(THINGS, 3)
        out.append(
            r.choice(
                [
                    f"The {a} page lists every {b} that the customer has seen.",
                    f"Most teams look at the {a} first and open the {b} later.",
                    f"A {a} is shown together with its {b}, the {c} comes below.",
                    f"In the usual case the {a} follows from the {b}.",
                    f"You will find the {a} under the {b} in the side bar.",
                    f"For a {a} the same holds as for a {b} or a {c}.",
                    f"Nothing about the {a} depends on which {b} was chosen.",
                    f"The name of the {a} is taken over from the {c}.",
                ]
            )
        )
    return " ".join(out)


def spots(r, n, k, edge=15):
    """`k` places in a list of `n`, away from both ends."""
    return r.sample(range(edge, n - edge), k)


def weave(bulk, at, special):
    """`bulk` with each of `special` put in at its place of `at`, so that the times of a log keep rising."""
    out = list(bulk)
    for k, x in sorted(zip(at, special, strict=True), reverse=True):
        out.insert(k, x)
    return out
