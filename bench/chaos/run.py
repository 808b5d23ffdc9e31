#!/usr/bin/env python3
"""Tests `epitome serve` from outside with everything that can go wrong. README.md says what each scenario does."""

import argparse
import asyncio
import json
import random
import sys
from pathlib import Path

import disk
import kill
import slow
import squeeze
import term
from checks import show

ROOT = Path(__file__).resolve().parents[2]


def built():
    return next((str(path) for kind in ("release", "debug") if (path := ROOT / "target" / kind / "epitome").exists()), None)


SCENARIOS = {
    "kill": lambda options: [kill.run(options, options.kills or 350, options.postgres)],
    "disk": lambda options: [disk.run(options, options.rounds or 60)],
    "slow": lambda options: [slow.run(options, options.requests or 4000)],
    "squeeze": lambda options: [squeeze.run(options, options.turns or 150)],
    "term": lambda options: [term.run(options, options.rounds or 20)],
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenario", choices=[*SCENARIOS])
    parser.add_argument("--epitome", default=built(), help="the program; the newest that was built here, if not said")
    parser.add_argument("--seed", type=int, default=None, help="repeats a run's choices")
    parser.add_argument("--kills", type=int)
    parser.add_argument("--requests", type=int)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--turns", type=int)
    parser.add_argument("--postgres", action="store_true", help="kill: two gateways on one PostgreSQL, which is killed, too")
    parser.add_argument("--json", action="store_true", help="a line of JSON instead of the table")
    options = parser.parse_args()
    if not options.epitome:
        parser.error("nothing is built; hint: cargo build -p epitome-cli, or --epitome PATH")
    options.seed = random.randrange(1 << 32) if options.seed is None else options.seed
    print(f"seed {options.seed}, {options.epitome}", file=sys.stderr)
    results = []
    for scenario in SCENARIOS[options.scenario](options):
        results.append(asyncio.run(scenario))
        if not options.json:
            show(results[-1])
    if options.json:
        print(json.dumps({"seed": options.seed, "results": results}))
    sys.exit(0 if all(result["holds"] for result in results) else 1)


if __name__ == "__main__":
    main()
