#!/usr/bin/env python3
"""What is left after many compactions in a row, against one compaction of everything to the same size.

usage: iteration.py CORPUS --measure DIR --epitome PATH [--window 64000] [--sessions 10] [--json FILE]

The longest sessions are fed message by message, as an agent would send them: before every answer of the agent the
context goes through `epitome compress --context-length WINDOW`, and what comes out takes its place. At both cuts of
the session's probes the context is measured, and beside it one compaction of all messages up to there with
`--target-tokens` set to the same size. CORPUS and DIR are those of the needed-later-recall benchmark.
"""
import argparse
import glob
import json
import os
import sys

import measuring

OPENING = "[CONTEXT COMPACTION]"
KINDS = ("strict", "context", "passage", "near")


def longest(corpus, strategies, count):
    """The ids of the longest sessions that have probes, and of all others."""
    sizes = {}
    for path in glob.glob(os.path.join(corpus, "*.probes.json")):
        session = os.path.basename(path)[: -len(".probes.json")]
        with open(path) as probes:
            cuts = json.load(probes)["cuts"]
        usable = any(cut["n_probes"] and cut["tokens_dropped_region"] > 0 for cut in cuts)
        with open(os.path.join(corpus, session + ".jsonl")) as file:
            messages = json.loads(file.readline())["messages"]
        sizes[session] = strategies.total(messages) if usable else 0
    ordered = sorted(sizes, key=lambda session: (-sizes[session], session))
    chosen = [session for session in ordered[:count] if sizes[session]]
    return chosen, [session for session in sizes if session not in chosen]


class Agent:
    """A context that grows by a session's messages and is compacted whenever that is due."""

    def __init__(self, epitome, window, retention, strategies):
        self.epitome, self.window = epitome, window
        self.retention, self.strategies = retention, strategies
        self.context, self.fed, self.size = [], 0, 0
        self.rounds = []

    def feed(self, messages):
        """Takes the messages that it does not have yet; asks before each answer, and at the end."""
        for message in messages[self.fed :]:
            if message["role"] == "assistant":
                self.ask()
            self.context.append(message)
            self.size += self.strategies.tokens(message)
        self.fed = len(messages)
        self.ask()

    def ask(self):
        # Far below half of the window nothing can happen; the program counts a few tokens for each message too.
        if self.size + 12 * len(self.context) < 0.4 * self.window:
            return
        after = measuring.compress(self.epitome, self.context, "--context-length", str(self.window))
        if after is self.context:
            return
        texts = [self.strategies.content(message) for message in after]
        blocks = [self.strategies.ntok(text) for text in texts if text.startswith(OPENING)]
        self.rounds.append({
            "before": self.size,
            "after": self.strategies.total(after),
            "summary": sum(blocks),
            "summaries": len(blocks),
            "problems": self.retention.problems(self.context, after),
        })
        self.context, self.size = after, self.strategies.total(after)


def measured(case, agent, retention):
    """One row: the context after all rounds, and one compaction to its size."""
    agent.feed(case["messages"])
    again = retention.measure(case, agent.context)
    single = measuring.compress(agent.epitome, case["messages"], "--target-tokens", str(again["after"]))
    once = retention.measure(case, single)
    return {
        "id": case["id"],
        "cut": case["cut"],
        "before": agent.strategies.total(case["messages"]),
        "n": {kind: len(case[kind]) for kind in KINDS},
        "rounds": list(agent.rounds),
        "iterated": again,
        "single": once,
        "problems": sorted({problem for step in agent.rounds for problem in step["problems"]}),
        "single_problems": retention.problems(case["messages"], single),
        "frame": retention.problems(case["messages"], agent.context),
    }


def table(rows):
    """The rows as Markdown, with a line that sums them up."""
    print("| session, cut | tokens in | rounds | kept, again and again | once | summary: first, last, largest | valid "
          "| strict | in context | passage | near |")
    print("|" + "---|" * 11)
    total = {"n": dict.fromkeys(KINDS, 0), "iterated": dict.fromkeys(KINDS, 0), "single": dict.fromkeys(KINDS, 0)}
    for row in rows:
        for kind in KINDS:
            total["n"][kind] += row["n"][kind]
            for way in ("iterated", "single"):
                total[way][kind] += row[way][kind]
        sizes = [step["summary"] for step in row["rounds"]]
        blocks = f"{sizes[0]}, {sizes[-1]}, {max(sizes)}" if sizes else "-"
        valid = "yes" if not row["problems"] and not row["frame"] else "; ".join(row["problems"] + row["frame"])
        print(f"| {row['id'][:44]}, {row['cut']} | {row['before']} | {len(row['rounds'])} | {row['iterated']['after']} "
              f"| {row['single']['after']} | {blocks} | {valid} | {cells(row)} |")
    rounds, valid = [len(row["rounds"]) for row in rows], [not row["problems"] and not row["frame"] for row in rows]
    print(f"| **all** | {sum(row['before'] for row in rows)} | {min(rounds)} to {max(rounds)} "
          f"| {sum(row['iterated']['after'] for row in rows)} | {sum(row['single']['after'] for row in rows)} "
          f"| largest {max((step['summary'] for row in rows for step in row['rounds']), default=0)} "
          f"| {sum(valid)} of {len(valid)} | {cells(total)} |")


def cells(row):
    """Four cells: again and again / once."""
    share = lambda way, kind: measuring.cell(row[way][kind], row["n"][kind])
    return " | ".join(f"{share('iterated', kind)} / {share('single', kind)}" for kind in KINDS)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument("--measure", required=True, metavar="DIR", help="where retention.py and strategies.py are")
    parser.add_argument("--epitome", default="epitome", metavar="PATH")
    parser.add_argument("--window", type=int, default=64_000)
    parser.add_argument("--sessions", type=int, default=10)
    parser.add_argument("--json", metavar="FILE", help="write all rows there")
    arguments = parser.parse_args()
    retention, strategies = measuring.functions(arguments.measure)
    chosen, others = longest(arguments.corpus, strategies, arguments.sessions)
    rows, agents = [], {}
    for case in retention.cases(arguments.corpus, others, 0):
        if case["id"] not in chosen:
            continue
        if case["id"] not in agents:
            agents[case["id"]] = Agent(arguments.epitome, arguments.window, retention, strategies)
        rows.append(measured(case, agents[case["id"]], retention))
        print(f"{case['id']} {case['cut']}: {len(rows[-1]['rounds'])} rounds", file=sys.stderr, flush=True)
    if not rows:
        sys.exit("no session with probes")
    table(rows)
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
