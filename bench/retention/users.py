#!/usr/bin/env python3
"""What is left of what people said: user messages whose first 150 tokens stand word for word in the output.

usage: users.py CORPUS --measure DIR --epitome PATH [--window TOKENS]... [--json FILE]

Over the cases of the needed-later-recall benchmark, asked for 10, 20, 30 and 50 % of the tokens; or, with --window, as
the defaults compact them for windows of that size (`--force`: below the trigger too). White space at the
beginning and the end of a message apart. *Typed* leaves out what the recording marks as put in by the harness; the
program does not see that mark.
"""
import argparse
import json
import os
import sys

import measuring

TOKENS = 150
SIZES = (0.10, 0.20, 0.30, 0.50)


def beginning(text, strategies):
    """The first tokens of a message; a character that they cut through is left out."""
    tokens = strategies.ENC.encode_ordinary(text.strip())[:TOKENS]
    return strategies.ENC.decode(tokens).rstrip("\ufffd").strip()


def marks(corpus, session):
    """For each message of a session, whether the harness put it in."""
    with open(os.path.join(corpus, session + ".jsonl")) as file:
        return [bool(message.get("meta")) for message in json.loads(file.readline())["messages"]]


def ways(windows):
    """What is asked for, by name: options of `compress`, given the size of the input."""
    if windows:
        return {f"window {window}": lambda _, window=window: ["--force", "--context-length", str(window)] for window in windows}
    return {f"asked {size:.0%}": lambda before, size=size: ["--target-tokens", str(int(size * before))] for size in SIZES}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument("--measure", required=True, metavar="DIR", help="where retention.py and strategies.py are")
    parser.add_argument("--epitome", default="epitome", metavar="PATH")
    parser.add_argument("--window", type=int, action="append", default=[], metavar="TOKENS")
    parser.add_argument("--json", metavar="FILE", help="write what was lost there, by case and size")
    parser.add_argument("--skip", action="append", default=[], metavar="PREFIX", help="leave sessions out")
    arguments = parser.parse_args()
    retention, strategies = measuring.functions(arguments.measure)
    asked = ways(arguments.window)
    kept = {way: {"all": [0, 0], "typed": [0, 0], "whole cases": [0, 0]} for way in asked}
    lost = []
    for case in retention.cases(arguments.corpus, arguments.skip, 0):
        injected = marks(arguments.corpus, case["id"])
        said = [(beginning(strategies.content(message), strategies), put_in)
                for message, put_in in zip(case["messages"], injected) if message["role"] == "user"]
        before = strategies.total(case["messages"])
        for way, options in asked.items():
            out = measuring.compress(arguments.epitome, case["messages"], *options(before))
            text = "\n".join(map(strategies.content, out))
            missing = [(words, put_in) for words, put_in in said if words not in text]
            typed = sum(not put_in for _, put_in in said)
            typed_missing = sum(not put_in for _, put_in in missing)
            for kind, good, of in (("all", len(said) - len(missing), len(said)),
                                   ("typed", typed - typed_missing, typed), ("whole cases", int(not missing), 1)):
                kept[way][kind][0] += good
                kept[way][kind][1] += of
            lost.append({"id": case["id"], "cut": case["cut"], "way": way, "tokens": before,
                         "after": strategies.total(out), "user messages": len(said),
                         "lost": [{"beginning": words, "injected": put_in} for words, put_in in missing]})
        print(f"{case['id']} {case['cut']}: " + ", ".join(str(len(row["lost"])) for row in lost[-len(asked):])
              + f" of {len(said)} lost", file=sys.stderr, flush=True)
    print("| user messages kept, % | " + " | ".join(asked) + " |")
    print("|" + "---|" * (len(asked) + 1))
    for kind in ("all", "typed", "whole cases"):
        cells = [f"{measuring.cell(*kept[way][kind])} ({kept[way][kind][0]} of {kept[way][kind][1]})" for way in asked]
        print(f"| {kind} | {' | '.join(cells)} |")
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump(lost, file, indent=1)


if __name__ == "__main__":
    main()
