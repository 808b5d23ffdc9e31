#!/usr/bin/env python3
"""Compares the speed of Epitome with that of Hermes Agent's ContextCompressor, side by side, in one run.

    python3 bench/speed/run.py --corpus DIR --hermes-python PATH --tokens DIR \\
        --epitome target/dist/epitome --bench target/dist/epitome-bench [--quick] [--strict] [--out FILE]

Session by session: Hermes, then Epitome, then the whole command `epitome compress`, so that noise hits all of them.
CPU time decides, the best of the repetitions. Exit code: 0 all goals reached, 1 a goal missed or not measured, 2 it could not run.
What is measured, and what is not, is told in README.md.
"""

import argparse
import glob
import json
import os
import platform
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CORPUS_WINDOW = 200_000
# Messages and window; with the larger window Hermes was measured on the larger session.
SYNTHETIC = ((2_000, 200_000), (10_000, 1_000_000))
LINEAR = (1_000, 10_000, 100_000)
# How much more CPU per byte the largest session may need than the one a tenth of its size.
LINEAR_SLACK = 1.25
MEMORY_BASE, MEMORY_PER_BYTE = 60_000_000, 3

# ---------------------------------------------------------------------------------------------------------------------
# The three sides


class CannotRun(Exception):
    pass


class Hermes:
    """hermes_side.py, started once: its imports are not part of any figure."""

    def __init__(self, python, tokens, repetitions):
        environment = dict(os.environ, PYTHONHASHSEED="0")
        if tokens:
            environment["TIKTOKEN_CACHE_DIR"] = tokens
        command = [python, os.path.join(HERE, "hermes_side.py"), "--worker", "--repetitions", str(repetitions)]
        try:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        except OSError as error:
            raise CannotRun(f"{python}: {error}") from error
        self.about = self.answer()
        if not self.about["counts_tokens"]:
            self.close()
            raise CannotRun("Hermes' Python cannot count tokens\nhint: install tiktoken there, and give its vocabulary with --tokens DIR")

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise CannotRun("hermes_side.py ended early; its message is above")
        return json.loads(line)

    def measure(self, path, window, known=True):
        self.process.stdin.write(json.dumps({"path": path, "context_length": window, "known": known}) + "\n")
        self.process.stdin.flush()
        return self.answer()

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def run(command, capture):
    """One process: what it printed, its CPU in ms, its peak memory in bytes."""
    with open(os.devnull, "wb") as nowhere:
        try:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE if capture else nowhere, stderr=subprocess.PIPE)
        except OSError as error:
            raise CannotRun(f"{command[0]}: {error}") from error
        # One pipe is read to its end before the other: neither program prints much on its error channel.
        printed = process.stdout.read() if capture else b""
        complaint = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise CannotRun(f"{' '.join(command)}: exit {process.returncode}\n{complaint.decode(errors='replace')[-800:]}")
    return printed, {"cpu_ms": (usage.ru_utime + usage.ru_stime) * 1e3, "rss": usage.ru_maxrss * 1024}


class Epitome:
    """epitome-bench: decodes, then times the compaction inside of its process."""

    def __init__(self, bench, repetitions):
        self.bench, self.repetitions = bench, repetitions

    def measure(self, path, window):
        command = [self.bench, "--context-length", str(window), "--repetitions", str(self.repetitions), path]
        printed, _ = run(command, capture=True)
        return json.loads(printed)


class Command:
    """`epitome compress`, from its start to its end."""

    def __init__(self, epitome, repetitions):
        self.epitome, self.repetitions = epitome, repetitions

    def measure(self, path, window):
        command = [self.epitome, "compress", "--context-length", str(window), path]
        costs = [run(command, capture=False)[1] for _ in range(self.repetitions)]
        return {"cpu_ms": min(c["cpu_ms"] for c in costs), "rss": max(c["rss"] for c in costs), "bytes": os.path.getsize(path)}


# ---------------------------------------------------------------------------------------------------------------------
# Measuring


def progress(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def corpus(options, sides):
    paths = sorted(glob.glob(os.path.join(options.corpus, "*.jsonl")))
    if not paths:
        raise CannotRun(f"{options.corpus}: no sessions (*.jsonl) in it")
    if options.quick:
        paths = paths[::8]
    rows = []
    for number, path in enumerate(paths, 1):
        progress(f"corpus {number}/{len(paths)}")
        rows.append(sides_of(path, CORPUS_WINDOW, sides, known=True))
    return rows


def sides_of(path, window, sides, known):
    row = {"id": os.path.basename(path), "bytes": os.path.getsize(path), "window": window}
    for name, side in sides.items():
        row[name] = side.measure(path, window, known) if name == "hermes" else side.measure(path, window)
    return row


def generated(directory, messages):
    path = os.path.join(directory, f"synthetic-{messages}.json")
    if not os.path.exists(path):
        progress(f"generating {messages:,} messages")
        # A process of its own, so that its memory is not ours: a child's peak starts at its parent's size.
        subprocess.run([sys.executable, os.path.join(HERE, "generate.py"), str(messages), path + ".part"], check=True)
        os.replace(path + ".part", path)
    return path


def synthetic(options, sides, directory):
    rows = {}
    for messages, window in SYNTHETIC[:1] if options.quick else SYNTHETIC:
        path = generated(directory, messages)
        progress(f"synthetic {messages:,}")
        rows[messages] = sides_of(path, window, sides, known=False)
    return rows


def linear(options, sides, directory):
    ours = {name: side for name, side in sides.items() if name != "hermes"}
    rows = {}
    if ours:
        for messages in LINEAR[:-1] if options.quick else LINEAR:
            path = generated(directory, messages)
            progress(f"linear {messages:,}")
            rows[messages] = sides_of(path, CORPUS_WINDOW, ours, known=False)
    return rows


# ---------------------------------------------------------------------------------------------------------------------
# Judging


class Goal:
    """`bare`: against Hermes' call as it is. `work`: against it without its search for a provider."""

    def __init__(self, what, wanted, unit, judged, bare, work, reached):
        values = {"bare": bare, "work": work}
        measured = values[judged]
        self.what, self.wanted, self.unit, self.judged, self.bare, self.work = what, wanted, unit, judged, bare, work
        self.passed = None if measured is None else reached(measured)

    def show(self, value):
        return "–" if value is None else f"{value:.2f}{self.unit}"

    def as_json(self):
        return {"goal": self.what, "wanted": self.wanted, "judged": self.judged, "bare": self.bare, "work": self.work, "passed": self.passed}


def summed(rows, *path):
    """The sum of a figure over rows; None where a side was not run."""
    total = 0
    for row in rows:
        for key in path:
            row = row.get(key) if row is not None else None
        if row is None:
            return None
        total += row
    return total if rows else None


def divided(a, b):
    return None if a is None or not b else a / b


def goals(options, found):
    sessions = found["corpus"]
    corpus_reading = "work" if options.strict else "bare"
    list_ = []

    def times(what, at_least, judged, rows, mode):
        ours = summed(rows, "epitome", mode, "cpu_ms")
        bare, work = (divided(summed(rows, "hermes", mode, figure), ours) for figure in ("cpu_ms", "work_cpu_ms"))
        list_.append(Goal(what, f"≥ {at_least}×", "×", judged, bare, work, lambda ratio: ratio >= at_least))

    times("less CPU over the corpus", 20, corpus_reading, sessions, "cold")
    # The figures that this goal was set with (260 and 1,338 ms) do not hold the search for a provider.
    for messages, row in found["synthetic"].items():
        times(f"less CPU, synthetic {messages:,}", 8, "work", [row], "cold")
    times("less CPU, known session, one turn added", 50, corpus_reading, sessions, "known")
    command = summed(sessions, "command", "cpu_ms")
    shares = [divided(command, summed(sessions, "hermes", "cold", figure)) for figure in ("cpu_ms", "work_cpu_ms")]
    list_.append(Goal("whole command / Hermes' calls", "≤ 0.33", "", corpus_reading, *shares, lambda share: share <= 1 / 3))

    growth = [steepness(found["linear"], side) for side in (("epitome", "cold", "cpu_ms"), ("command", "cpu_ms"))]
    for what, value in zip(("compaction", "whole command"), growth):
        list_.append(Goal(f"linear, {what}: CPU per MB, largest / a tenth of it", f"≤ {LINEAR_SLACK}", "", "bare", value, None, lambda ratio: ratio <= LINEAR_SLACK))
    peaks = [memory_share(row) for row in sessions + list(found["synthetic"].values()) + list(found["linear"].values())]
    worst = max(peaks) if peaks and None not in peaks else None
    list_.append(Goal("peak memory / (60 MB + 3 × input), worst", "≤ 1", "", "bare", worst, None, lambda share: share <= 1))
    return list_


def steepness(rows, figure):
    sizes = sorted(rows)[-2:]
    if len(sizes) < 2:
        return None
    small, large = (divided(summed([rows[size]], *figure), rows[size]["bytes"]) for size in sizes)
    return divided(large, small)


def memory_share(row):
    command = row.get("command")
    return command and command["rss"] / (MEMORY_BASE + MEMORY_PER_BYTE * row["bytes"])


# ---------------------------------------------------------------------------------------------------------------------
# Telling


def number(value, digits=0):
    return "–" if value is None else f"{value:,.{digits}f}"


def print_table(head, rows):
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    for row in [head, ["-" * width for width in widths], *rows]:
        print("  ".join(cell.ljust(width) if column == 0 else cell.rjust(width) for column, (cell, width) in enumerate(zip(row, widths))).rstrip())
    print()


def tell(options, found, list_):
    about = found["about"]
    print(f"Hermes Agent {about['hermes']} on Python {about['python']}; {platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(f"best of {found['repetitions']}; CPU in ms{'; --quick: a sample, no verdict on the corpus' if options.quick else ''}\n")

    sessions = found["corpus"]
    tokens = sum(row["hermes"]["tokens"] for row in sessions)

    def line(what, rows, *path):
        total = summed(rows, *path)
        many = sum(row["hermes"]["tokens"] for row in rows)
        return [what, number(total, 1), number(divided(total, many / 1e5), 2)]

    built = sum(row["hermes"]["cold"]["handoff_built"] for row in sessions)
    smaller = sum(row["hermes"]["cold"]["smaller"] for row in sessions)
    print(f"Corpus: {len(sessions)} sessions, {sum(row['bytes'] for row in sessions) / 1e6:.1f} MB, {tokens:,} tokens, window {CORPUS_WINDOW:,}")
    print(f"Hermes built its handoff in {built} of them, {smaller} became smaller.", end=" ")
    if "epitome" in sessions[0]:
        due = sum(row["epitome"]["due"] for row in sessions)
        made = sum(bool(row["epitome"]["cold"]["rungs"]) for row in sessions)
        smaller = sum(row["epitome"]["cold"]["tokens_out"] < row["epitome"]["cold"]["tokens_in"] for row in sessions)
        print(f"Epitome found something to compact in {made}, {smaller} became smaller; {due} had reached its trigger.", end="")
    print("\n")
    rows = [
        line("Hermes, bare call", sessions, "hermes", "cold", "cpu_ms"),
        line("Hermes, without its search for a provider", sessions, "hermes", "cold", "work_cpu_ms"),
        line("Epitome, compaction", sessions, "epitome", "cold", "cpu_ms"),
        line("Epitome, splice into the client's bytes", sessions, "epitome", "cold", "splice_cpu_ms"),
        line("Epitome, decode", sessions, "epitome", "decode_cpu_ms"),
        line("known + one turn: Hermes, bare call", sessions, "hermes", "known", "cpu_ms"),
        line("known + one turn: Hermes, without its search", sessions, "hermes", "known", "work_cpu_ms"),
        line("known + one turn: Epitome", sessions, "epitome", "known", "cpu_ms"),
        line("whole command `epitome compress`", sessions, "command", "cpu_ms"),
    ]
    for messages, row in found["synthetic"].items():
        size = f"{messages:,} messages ({row['bytes'] / 1e6:.1f} MB)"
        rows += [
            line(f"{size}: Hermes, bare call", [row], "hermes", "cold", "cpu_ms"),
            line(f"{size}: Hermes, without its search", [row], "hermes", "cold", "work_cpu_ms"),
            line(f"{size}: Epitome, compaction", [row], "epitome", "cold", "cpu_ms"),
            line(f"{size}: whole command", [row], "command", "cpu_ms"),
        ]
    print_table(["CPU", "ms", "ms per 100K tokens"], rows)

    if found["linear"]:
        rows = []
        for messages, row in found["linear"].items():
            megabytes = row["bytes"] / 1e6
            compaction, command = row.get("epitome"), row.get("command")
            rows.append([
                f"{messages:,} messages", number(megabytes, 1),
                number(compaction and compaction["cold"]["cpu_ms"], 1), number(compaction and compaction["cold"]["cpu_ms"] / megabytes, 2),
                number(command and command["cpu_ms"]), number(command and command["cpu_ms"] / megabytes, 2),
                number(command and command["rss"] / 1e6), number((MEMORY_BASE + MEMORY_PER_BYTE * row["bytes"]) / 1e6),
            ])  # fmt: skip
        print_table(["linear", "MB", "compaction ms", "per MB", "command ms", "per MB", "peak MB", "allowed MB"], rows)

    rows = []
    for goal in list_:
        verdict = {True: "reached", False: "MISSED", None: "not measured"}[goal.passed]
        bare, work = goal.show(goal.bare), goal.show(goal.work)
        rows.append([goal.what, goal.wanted, bare + (" *" if goal.judged == "bare" else "  "), work + (" *" if goal.judged == "work" else "  "), verdict])
    print_table(["goal", "wanted", "measured  ", "without search  ", ""], rows)
    print("* decides. `without search`: against Hermes without its search for a provider, which is not compression.")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--corpus", required=True, help="directory of recorded sessions (*.jsonl)")
    parser.add_argument("--hermes-python", required=True, help="a Python with hermes-agent and tiktoken")
    parser.add_argument("--tokens", default=os.environ.get("TIKTOKEN_CACHE_DIR"), help="tiktoken's vocabulary (default: $TIKTOKEN_CACHE_DIR)")
    parser.add_argument("--epitome", help="the program `epitome`")
    parser.add_argument("--bench", help="the program `epitome-bench`")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="one repetition, every eighth session, up to 10,000 messages")
    parser.add_argument("--strict", action="store_true", help="judge all goals against Hermes without its search for a provider")
    parser.add_argument("--synthetic-dir", help="keep the generated sessions here (390 MB) instead of in a temporary directory")
    parser.add_argument("--out", help="write all figures as JSON")
    options = parser.parse_args()
    repetitions = 1 if options.quick else options.repetitions
    for program in filter(None, (options.epitome, options.bench)):
        if not os.access(program, os.X_OK):
            raise CannotRun(f"{program}: no such program\nhint: cargo build --profile dist")

    with tempfile.TemporaryDirectory(prefix="epitome-speed-") as temporary:
        directory = options.synthetic_dir or temporary
        os.makedirs(directory, exist_ok=True)
        sides = {"hermes": Hermes(options.hermes_python, options.tokens, repetitions)}
        if options.bench:
            sides["epitome"] = Epitome(options.bench, repetitions)
        if options.epitome:
            sides["command"] = Command(options.epitome, repetitions)
        found = {"about": sides["hermes"].about, "repetitions": repetitions, "load_at_start": os.getloadavg()[0]}
        found["corpus"] = corpus(options, sides)
        found["synthetic"] = synthetic(options, sides, directory)
        sides["hermes"].close()
        found["linear"] = linear(options, sides, directory)
        progress("")
    list_ = goals(options, found)
    tell(options, found, list_)
    if options.out:
        with open(options.out, "w", encoding="utf-8") as file:
            json.dump(found | {"goals": [goal.as_json() for goal in list_]}, file, indent=1)
            file.write("\n")
    return 0 if all(goal.passed for goal in list_) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except CannotRun as error:
        print(f"run.py: {error}", file=sys.stderr)
        sys.exit(2)
