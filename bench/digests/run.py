#!/usr/bin/env python3
"""Does a compressor keep what an engineer would insist on?   run.py COMMAND [options]

COMMAND reads a session (OpenAI or Anthropic shape) on stdin and prints the compacted one on stdout. In it, {n} becomes the
context length (tokens / 1.5) and {format} becomes openai or anthropic. Exit code 0 only if all needles are kept and
nothing is malformed."""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import zlib
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

from changed import CHANGES, changed
from formats import BUILDERS, family_of, found, make, normal, session

O200K_FILE = "fb374d419588a4632f3f557e76b4b70aebbca790"  # the name under which tiktoken caches o200k_base
PRESSURE = 1.5
SETS = ("first", "second", "third", "fourth", "fifth", "sixth")
SIZES = range(1500, 30001)  # of an output, in tokens
ROOM = 350  # the needles of a case must fit easily into a digest of 600 tokens


def token_counter():
    """(count, name). Never downloads: without the cached vocabulary a token is four bytes."""
    if os.path.exists(os.path.join(os.environ.get("TIKTOKEN_CACHE_DIR", ""), O200K_FILE)):
        try:
            import tiktoken

            encode = tiktoken.get_encoding("o200k_base").encode_ordinary
            return lambda text: len(encode(text)), "o200k_base"
        except ImportError:
            pass
    return lambda text: len(text.encode()) // 4, "bytes/4"


def parts(document):
    """(source, text) of everything the model sees; source is "result" for what a tool said, else the role."""

    def texts(role, content):
        for block in [content] if isinstance(content, str) else content or []:
            if isinstance(block, str):
                yield role, block
            elif block.get("type") == "tool_result":
                yield from texts("result", block.get("content"))
            elif block.get("type") == "tool_use":
                yield "call", json.dumps(block.get("input"), ensure_ascii=False)
            elif isinstance(block.get("text"), str):
                yield role, block["text"]

    yield from texts("system", document.get("system"))
    for message in document["messages"]:
        yield from texts("result" if message["role"] == "tool" else message["role"], message.get("content"))
        for call in message.get("tool_calls") or []:
            yield "call", call["function"]["arguments"]


def joined(pairs):
    return "\n".join(text for _, text in pairs)


def pairing(document):
    """Tool call ids in order of appearance: (calls, results)."""
    calls, results = [], []
    for message in document["messages"]:
        calls += [c["id"] for c in message.get("tool_calls") or []]
        if message["role"] == "tool":
            results.append(message["tool_call_id"])
        for block in message["content"] if isinstance(message.get("content"), list) else []:
            if block.get("type") == "tool_use":
                calls.append(block["id"])
            elif block.get("type") == "tool_result":
                results.append(block["tool_use_id"])
    return calls, results


def malformed(case, before, after):
    """What a provider would refuse, or what would change the task."""
    wrong = []
    calls, results = pairing(after)
    if calls != results:
        wrong.append("calls and results do not pair")
    if after["messages"][-1] != before["messages"][-1]:
        wrong.append("newest message changed")
    for role in ("system", "user"):
        first = next(text for source, text in parts(before) if source == role)
        if not any(source == role and first in text for source, text in parts(after)):
            wrong.append(f"first {role} text lost")
    if case.injected and any(normal(case.injected) in normal(text) for source, text in parts(after) if source != "result"):
        wrong.append("injected line left the tool result")
    return wrong


def examine(case, dialect, command, count, timeout):
    before = session(case, dialect)
    size = count(joined(parts(before)))
    row = dict(
        case=case.name,
        family=case.family,
        format=dialect,
        output=count(case.text),
        before=size,
        after=size,
        needles=len(case.needles),
        missing=case.needles,
        wrong=[],
    )
    argv = [a.replace("{n}", str(max(256, int(size / PRESSURE)))).replace("{format}", dialect) for a in shlex.split(command)]
    try:
        done = subprocess.run(argv, input=json.dumps(before, ensure_ascii=False).encode(), capture_output=True, timeout=timeout)
        if done.returncode:
            raise ValueError(f"exit code {done.returncode}: {done.stderr.decode(errors='replace').strip()[-200:]}")
        after = json.loads(done.stdout)
        text = joined(parts(after))
        row.update(
            after=count(text),
            wrong=malformed(case, before, after),
            # An output left as it was has lost nothing, however far apart in it the parts of a needle lie.
            missing=[n for n in case.needles if case.text not in text and not found(n, normal(text))],
        )
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, OSError, subprocess.TimeoutExpired) as problem:
        row["wrong"] = [f"{type(problem).__name__}: {problem}"]
    row["saved"] = round(100 * (1 - row["after"] / size), 1)
    return row


def summary(rows, unit, seeds):
    needles = sum(row["needles"] for row in rows)
    return dict(
        seeds=seeds,
        tokens=unit,
        runs=len(rows),
        needles=needles,
        kept=needles - sum(len(row["missing"]) for row in rows),
        # Cases count alike here: a source file has thirty needles, a log three.
        mean_kept=round(
            100 * sum(1 - len(row["missing"]) / row["needles"] if row["needles"] else 1 for row in rows) / len(rows), 1
        ),
        whole=sum(not row["missing"] and not row["wrong"] for row in rows),
        mean_saved=round(sum(row["saved"] for row in rows) / len(rows), 1),
        malformed=sum(bool(row["wrong"]) for row in rows),
    )


def show(rows, total, verbose):
    print(f"tokens: {total['tokens']}\n{'case':<30}{'format':<11}{'before':>7}{'after':>7}{'saved %':>9}{'needles':>10}")
    families = defaultdict(list)
    for row in rows:
        families[row["family"]].append(row)
    for family, members in families.items():
        part = summary(members, "", [])
        print(
            f"{family}: needles {part['kept']}/{part['needles']} (mean {part['mean_kept']} %), mean saved {part['mean_saved']} %"
        )
        for row in members:
            kept = f"{row['needles'] - len(row['missing'])}/{row['needles']}"
            print(
                f"  {row['case']:<28}{row['format']:<11}{row['before']:>7}{row['after']:>7}{row['saved']:>9}{kept:>10}  {'; '.join(row['wrong'])}".rstrip()
            )
            for needle in row["missing"] if verbose else []:
                print(f"      missing: {needle}")
    print(
        f"{total['runs']} runs: needles {total['kept']}/{total['needles']} (mean of the cases {total['mean_kept']} %), cases whole {total['whole']}, mean saved {total['mean_saved']} %, malformed {total['malformed']}"
    )


def chosen(path, which, only):
    """`path` is family/case, and family begins with the name of the set, save in the first."""
    own = path.split("/")[0]
    return which in ("all", own if own in SETS else "first") and re.search(only, path)


def main():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("command", help="the compressor; '-' prints the chosen tool outputs and runs nothing")
    ask.add_argument("--seed", type=int, action="append", help="repeatable; default 1")
    ask.add_argument("--set", choices=[*SETS, "all"], default="all", help="default all")
    ask.add_argument("--only", default="", metavar="REGEX", help="cases, or families, whose name matches")
    ask.add_argument(
        "--format", choices=["openai", "anthropic", "both"], help="default: alternating, the other way round for the next seed"
    )
    ask.add_argument("--json", action="store_true", help="print the report as JSON")
    ask.add_argument("--change", choices=CHANGES, help="measure on changed outputs: see changed.py")
    ask.add_argument("--timeout", type=float, default=60)
    ask.add_argument("-v", "--verbose", action="store_true", help="print the missing needles")
    options = ask.parse_args()
    seeds = options.seed or [1]
    count, unit = token_counter()
    names = [n for n, (build, *_) in BUILDERS.items() if chosen(f"{family_of(build)}/{n}", options.set, options.only)]
    if not names:
        ask.error("no case of that name")
    cases = [(make(name, seed), seed) for seed in seeds for name in names]
    if options.change:
        cases = [(changed(case, options.change, seed), seed) for case, seed in cases]
    if options.command == "-":
        for case, seed in cases:
            tokens, least = count(case.text), sum(count(" ".join([n] if isinstance(n, str) else n)) for n in case.needles)
            fits = "" if tokens in SIZES and least <= ROOM else "  UNFAIR"
            print(
                f"##### {case.family}/{case.name} seed {seed}: {tokens} tokens, {len(case.needles)} needles of {least} tokens{fits}"
            )
            if options.verbose:
                print(case.text, *(f"##### needle: {n}" for n in case.needles), sep="\n")
        return 0

    def dialects(case, seed):
        if options.format:
            return ["openai", "anthropic"] if options.format == "both" else [options.format]
        # By name, not by position: a case keeps its dialect when others come or go.
        return [("openai", "anthropic")[(zlib.crc32(case.name.encode()) + seed) % 2]]

    jobs = [(case, dialect) for case, seed in cases for dialect in dialects(case, seed)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        rows = list(pool.map(lambda job: examine(*job, options.command, count, options.timeout), jobs))
    total = summary(rows, unit, seeds)
    if options.json:
        print(json.dumps(dict(total, rows=rows), ensure_ascii=False, indent=1))
    else:
        show(rows, total, options.verbose)
    return 0 if total["kept"] == total["needles"] and not total["malformed"] else 1


if __name__ == "__main__":
    sys.exit(main())
