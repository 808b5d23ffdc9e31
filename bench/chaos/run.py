#!/usr/bin/env python3
"""Tests `epitome serve` from outside with everything that can go wrong. README.md says what each scenario does."""

import argparse
import asyncio
import json
import random
import resource
import sys
from pathlib import Path

import disk
import kill
import mutate
import slow
import squeeze
import term
from checks import Promises, show

ROOT = Path(__file__).resolve().parents[2]


def built():
    return next((str(path) for kind in ("dist", "release", "debug") if (path := ROOT / "target" / kind / "epitome").exists()), None)


HEAVY = Path(__file__).with_name("heavy.py")


async def heavy(options, judged, *arguments):
    """A program of its own, for its load takes processes. Times are judged in a full run alone: they need a machine that is idle."""
    promises = Promises("heavy", ["every request is answered with 200", *(["p99 of small requests ≤ 3 × control", "peak ≤ 600 MB"] * judged)])
    process = await asyncio.create_subprocess_exec(sys.executable, HEAVY, options.epitome, *arguments, stdout=asyncio.subprocess.PIPE)
    lines = [json.loads(line) for line in (await process.communicate())[0].splitlines()]
    told = lines[-1] if lines else {}
    promises.check("every request is answered with 200", told.get("not_200") == 0, told or "it ended without a result")
    if judged and told:
        promises.check("p99 of small requests ≤ 3 × control", told["p99_ratio"] <= 3, told)
        promises.check("peak ≤ 600 MB", told["peak_mb"] <= 600, told)
    for run in lines[:-1]:
        promises.figure(run["run"], {name: run[name] for name in ("p50_ms", "p99_ms", "gateway_cpu_s", "peak_mb")})
    return promises.result()


# Each takes the options and gives its runs; the numbers are those of a full run, then those of a short one.
SCENARIOS = {
    "kill": lambda options, size: kill.run(options, options.kills or size(350, 25)),
    "kill-postgres": lambda options, size: kill.run(options, options.kills or size(150, 12), use_postgres=True),
    "disk": lambda options, size: disk.run(options, options.rounds or size(60, 6)),
    "mutate": lambda options, size: mutate.run(options, options.requests or size(100_000, 4000)),
    "slow": lambda options, size: slow.run(options, options.requests or size(4000, 240)),
    "squeeze": lambda options, size: squeeze.run(options, options.turns or size(150, 40), size(None, [1.2])),
    "term": lambda options, size: term.run(options, options.rounds or size(20, 2)),
}
if HEAVY.exists():
    LITTLE = ("--large=1", "--large-mb=2", "--letters=1", "--letters-mb=1")
    SCENARIOS["heavy"] = lambda options, size: heavy(options, size(True, False), *size((), LITTLE))
SHORT_SEED = 8484


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenario", choices=[*SCENARIOS, "all", "short"])
    parser.add_argument("--epitome", default=built(), help="the program; the one that was built here, if not said")
    parser.add_argument("--seed", type=int, help="repeats a run's choices")
    parser.add_argument("--kills", type=int)
    parser.add_argument("--requests", type=int)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--turns", type=int)
    parser.add_argument("--postgres", action="store_true", help="kill: two gateways on one PostgreSQL, which is killed, too")
    parser.add_argument("--json", action="store_true", help="a line of JSON instead of the tables")
    options = parser.parse_args()
    if not options.epitome:
        parser.error("nothing is built; hint: cargo build -p epitome-cli, or --epitome PATH")
    # The processes run in directories of their own.
    options.epitome = str(Path(options.epitome).resolve())
    if options.scenario == "kill" and options.postgres:
        options.scenario = "kill-postgres"
    short = options.scenario == "short"
    if options.seed is None:
        options.seed = SHORT_SEED if short else random.randrange(1 << 32)
    print(f"seed {options.seed}, {options.epitome}", file=sys.stderr)
    # Thousands of connections of ours.
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 16_384) if most > 0 else 16_384, most))
    results = []
    for name, scenario in SCENARIOS.items():
        if name == options.scenario or options.scenario in ("all", "short"):
            results.append(asyncio.run(scenario(options, lambda full, small: small if short else full)))
            if not options.json:
                show(results[-1])
    if options.json:
        print(json.dumps({"seed": options.seed, "results": results}))
    broken = [result["scenario"] for result in results if not result["holds"]]
    print(f"broken: {', '.join(broken)}" if broken else "everything holds", file=sys.stderr)
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
