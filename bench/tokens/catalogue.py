"""Writes the embedded model catalogue: catalogue.py <models.json> <models.tsv>.

One line a model, sorted by name as bytes, since it is searched by bisection:
name, context, max output, dollars a million tokens (input, output, cache read, write for 5 minutes, for 1 hour), smallest cacheable
prefix, price tiers `above:input:output:read:5m:1h` joined by commas. What is not known is empty.
"""

import json
import sys

PRICES = ["input", "output", "cache_read", "cache_write_5m", "cache_write_1h"]


def main(source, out):
    lines = []
    for name, facts in json.load(open(source)).items():
        assert name and not set(name) & set("\t\n") and name.isascii(), name
        sizes = [whole(facts.get(key)) for key in ("context", "max_output")]
        tiers = ",".join(":".join([above, *prices(tier)]) for above, tier in sorted(facts.get("above", {}).items(), key=lambda t: int(t[0])))
        lines.append("\t".join([name, *sizes, *prices(facts), whole(facts.get("cache_min")), tiers]).rstrip("\t"))
    with open(out, "w") as file:
        file.writelines(line + "\n" for line in sorted(lines, key=lambda line: line.split("\t")[0].encode()))


def whole(number):
    # A window of zero tokens is a gap in the source.
    return str(int(number)) if number else ""


def prices(facts):
    return [f"{facts[key]:.10g}" if key in facts else "" for key in PRICES]


main(*sys.argv[1:])
