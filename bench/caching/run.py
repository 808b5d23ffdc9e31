#!/usr/bin/env python3
"""What do recorded sessions cost with us, and what without us, as the provider's cache bills them?

usage: run.py --epitome BIN --kit DIR --python PYTHON --corpus DIR [--sessions short|whole] [--client NAME]… [--prefix reported|bare]…
              [--count N] [--only WORDS] [--details FILE] [--set KEY=VALUE]…
  --kit       the acceptance kit: stub.py, whose cache simulation bills both sides
  --python    a Python that has what stub.py needs
  --corpus    recorded sessions, one JSON line a file
  --sessions  short (default): the first 2 to 20 calls of 60 sessions, cut before a pause of more than five minutes
              whole: sessions with pauses of more than five minutes, 150 calls at most of each
  --client    plain, system-only, claude-code, opencode or hermes (default: all): who sets which markers itself
  --prefix    reported (default): tools and a system prompt as large as the provider reported; bare: what was recorded alone

Each request goes to a stub directly, and through a gateway to another stub. The clock of all three is moved on as it was recorded
(libfaketime), so that nothing waits. Nothing is compacted, unless it is asked for with --set compression.enabled=true. Exit 1 if a
call was refused.
"""
import argparse, glob, json, os, re, socket, subprocess, sys, tempfile, time, urllib.error, urllib.request
from datetime import datetime

MODEL = "claude-sonnet-4-5-20250929"
# Dollars a million tokens.
INPUT, WRITE, WRITE_LONG, READ = 3.0, 3.75, 6.0, 0.3
PAUSE = 300.0
EPHEMERAL = {"type": "ephemeral"}
CLIENTS = ("plain", "system-only", "claude-code", "opencode", "hermes")


# ---------------------------------------------------------------- recorded sessions
def seconds(stamp):
    """of a time as it was recorded; None: it was not"""
    if isinstance(stamp, str):
        return datetime.fromisoformat(stamp.replace("Z", "+00:00")).timestamp()
    if isinstance(stamp, (int, float)):
        return stamp / 1000 if stamp > 1e11 else float(stamp)
    return None


def blocks_of(message):
    if message["role"] == "tool":
        return [{"type": "tool_result", "tool_use_id": message["tool_call_id"], "content": message.get("content") or "(none)"}]
    said = [{"type": "text", "text": message["content"]}] if (message.get("content") or "").strip() else []
    for call in message.get("tool_calls") or []:
        try:
            arguments = json.loads(call["function"]["arguments"])
        except ValueError:
            arguments = None
        arguments = arguments if isinstance(arguments, dict) else {"text": call["function"]["arguments"]}
        said.append({"type": "tool_use", "id": call["id"], "name": call["function"]["name"], "input": arguments})
    return said or [{"type": "text", "text": "(nothing)"}]


class Session:
    """A session as requests: what stood before each call, and when it was made."""

    def __init__(self, path):
        with open(path) as file:
            recorded = json.loads(file.readline())
        self.name = recorded["id"]
        self.system = "\n".join(m["content"] or "" for m in recorded["messages"] if m["role"] == "system")
        self.calls, self.reported = [], 0
        turns, when = [], None
        for message in recorded["messages"]:
            if message["role"] == "system":
                continue
            role = "assistant" if message["role"] == "assistant" else "user"
            if role == "assistant" and turns and turns[-1][0] == "user":
                self.calls.append((len(turns), when))
                usage = message.get("usage") or {}
                if not self.reported and usage:
                    self.reported = sum(usage.get(key) or 0 for key in ("input_tokens", "cache_read_tokens", "cache_write_tokens"))
            when = seconds(message.get("timestamp")) or when
            if turns and turns[-1][0] == role:
                turns[-1][1].extend(blocks_of(message))
            elif turns or role == "user":
                turns.append((role, blocks_of(message)))
        self.turns = turns

    def gaps(self):
        """before each call; 20 seconds where no time was recorded"""
        times = [when for _, when in self.calls]
        known = [20.0 if one is None or other is None else max(0.0, other - one) for one, other in zip(times, times[1:])]
        return [0.0] + known

    def hidden(self):
        """What the provider counted at the first call and nobody recorded, in tokens."""
        first = self.turns[:self.calls[0][0]] if self.calls else []
        return max(0, self.reported - (len(json.dumps(first)) + len(self.system)) // 4)


def chosen(paths, kind, count, only):
    sessions = [session for session in map(Session, paths) if session.calls and only in session.name]
    if kind == "whole":
        paused = [(s, s.gaps()[:150]) for s in sessions]
        paused = [(s, gaps) for s, gaps in paused if any(gap > PAUSE for gap in gaps)]
        return paused[:count]
    short = []
    for session in sessions:
        gaps = session.gaps()
        most = next((index for index, gap in enumerate(gaps) if gap > PAUSE), len(gaps))
        # 2 to 20 calls, each number as often as the others.
        wanted = 2 + len(short) % 19
        if most >= 2 and len(short) < count:
            short.append((session, gaps[:min(wanted, most)]))
    return short


# ---------------------------------------------------------------- requests
def filler(name, tokens):
    """Text of so many tokens that no other session has."""
    lines, size = [], 0
    while size < tokens * 4:
        lines.append(f"{name[-12:]} {len(lines):4}: keep what is asked, do it in small steps, and say what was done.")
        size += len(lines[-1]) + 1
    return "\n".join(lines)


def request(session, prefix, client, upto):
    hidden = session.hidden() if prefix == "reported" else 0
    system = session.system or "You are a coding agent."
    # Of what nobody recorded, tools are the larger part: 24 tools of 115 KB in Claude Code's first request.
    system = f"Session {client} {session.name}.\n{system}\n" + filler(session.name, hidden * 3 // 10)
    tools = [{"name": f"tool_{number}", "description": f"{client} " + filler(session.name + str(number), hidden * 7 // 100),
              "input_schema": {"type": "object"}} for number in range(10)] if hidden else []
    messages = [{"role": role, "content": [dict(block) for block in blocks]} for role, blocks in session.turns[:upto]]
    parts = [{"type": "text", "text": system}]
    if client == "claude-code":
        parts = [{"type": "text", "text": f"billing: {session.name}"}, {"type": "text", "text": system[:len(system) // 4], "cache_control": EPHEMERAL},
                 {"type": "text", "text": system[len(system) // 4:], "cache_control": EPHEMERAL}]
        marked = messages[-1:]
    elif client in ("opencode", "hermes"):
        parts[0]["cache_control"] = EPHEMERAL
        marked = messages[-2:] if client == "opencode" else messages[-3:]
    elif client == "system-only":
        parts[0]["cache_control"], marked = EPHEMERAL, []
    else:
        parts, marked = system, []
    for message in marked:
        message["content"][-1]["cache_control"] = EPHEMERAL
    body = {"model": MODEL, "max_tokens": 1000, "system": parts, "messages": messages}
    return {**body, "tools": tools} if tools else body


def cost(usage):
    writes = usage["cache_creation"]
    return (usage["input_tokens"] * INPUT + usage["cache_read_input_tokens"] * READ
            + writes["ephemeral_5m_input_tokens"] * WRITE + writes["ephemeral_1h_input_tokens"] * WRITE_LONG) / 1e6


# ---------------------------------------------------------------- processes
def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_for_port(port, process):
    for _ in range(600):
        if process.poll() is not None:
            sys.exit(f"a process ended with {process.returncode}")
        with socket.socket() as connection:
            if connection.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    sys.exit(f"nobody listens at {port}")


class World:
    """A stub alone, and a gateway before another; with a clock that is moved on by hand."""

    def __init__(self, arguments):
        self.directory = tempfile.mkdtemp(prefix="caching-")
        self.clock, self.offset = os.path.join(self.directory, "clock"), 0.0
        self.move(0)
        faked = next(iter(glob.glob("/usr/lib/*/faketime/libfaketime.so.1")), None)
        if not faked:
            sys.exit("libfaketime is not installed")
        # Waiting is measured by the real clock.
        environment = {**os.environ, "LD_PRELOAD": faked, "FAKETIME_TIMESTAMP_FILE": self.clock, "FAKETIME_NO_CACHE": "1",
                       "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1", "EPITOME_LOG": "warn"}
        self.log = open(os.path.join(self.directory, "log"), "w")
        self.processes = []

        def start(command, port):
            self.processes.append(subprocess.Popen(command, env=environment, stdout=self.log, stderr=self.log, cwd=self.directory))
            try:
                wait_for_port(port, self.processes[-1])
            except SystemExit:
                self.end()
                raise
            return f"http://127.0.0.1:{port}/v1/messages"

        def stub(name):
            port = free_port()
            return start([arguments.python, os.path.abspath(os.path.join(arguments.kit, "stub.py")), "--port", str(port), "--lenient",
                          "--record", os.path.join(self.directory, name)], port)
        self.alone, behind, port = stub("alone"), stub("behind"), free_port()
        # Compaction is another matter; the two are independent.
        settings = [word for setting in ["compression.enabled=false", *arguments.set] for word in ("--set", setting)]
        self.through = start([os.path.abspath(arguments.epitome), "serve", "--listen", f"127.0.0.1:{port}", "--upstream", behind.removesuffix("/v1/messages"),
                              "--store", "memory", *settings], port)

    def move(self, seconds):
        self.offset += seconds
        with open(self.clock + ".new", "w") as file:
            file.write(f"+{self.offset:.3f}\n")
        os.replace(self.clock + ".new", self.clock)

    def ask(self, url, session, body):
        headers = {"content-type": "application/json", "anthropic-version": "2026-10-21", "x-api-key": "none", "x-epitome-session": session}
        asked = urllib.request.Request(url, json.dumps(body).encode(), headers)
        try:
            with urllib.request.urlopen(asked, timeout=300) as answer:
                return json.load(answer)["usage"], answer.headers.get("x-epitome-action")
        except urllib.error.HTTPError as error:
            sys.exit(f"{session}: {error.code} {error.read()[:500]}")

    def recorded(self):
        """what came to the stub behind the gateway"""
        for path in sorted(glob.glob(os.path.join(self.directory, "behind", "*", "*.json"))):
            with open(path) as file:
                yield json.load(file)

    def end(self):
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.wait(30)


def played(world, session, gaps, prefix, client):
    """(dollars without us, with us, what was done, hit rates) of a session"""
    world.move(7200)
    sums, actions, hits = [0.0, 0.0], {}, [[0, 0], [0, 0]]
    for (upto, _), gap in zip(session.calls, gaps):
        world.move(gap)
        body = request(session, prefix, client, upto)
        for side, url in enumerate((world.alone, world.through)):
            usage, action = world.ask(url, f"{client}-{prefix}-{session.name}", body)
            sums[side] += cost(usage)
            hits[side][0] += usage["cache_read_input_tokens"]
            hits[side][1] += usage["input_tokens"] + usage["cache_read_input_tokens"] + usage["cache_creation_input_tokens"]
            if side:
                actions[action] = actions.get(action, 0) + 1
    return {"session": session.name, "calls": len(gaps), "pauses": sum(gap > PAUSE for gap in gaps), "without": sums[0], "with": sums[1],
            "actions": actions, "hits": hits}


def main():
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    for name in ("epitome", "kit", "python", "corpus"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--sessions", choices=("short", "whole"), default="short")
    parser.add_argument("--client", choices=CLIENTS, action="append")
    parser.add_argument("--prefix", choices=("reported", "bare"), action="append")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--only", default="")
    parser.add_argument("--details"); parser.add_argument("--set", action="append", default=[])
    arguments = parser.parse_args()
    sessions = chosen(sorted(glob.glob(os.path.join(arguments.corpus, "*.jsonl"))), arguments.sessions, arguments.count, arguments.only)
    world, all_rows = World(arguments), {}
    try:
        print("| client | prefix | sessions | calls | without us | with us | difference | best, worst session | above +2 % | hit rate without, with |")
        print("|---|---|---|---|---|---|---|---|---|---|", flush=True)
        for client in arguments.client or CLIENTS:
            for prefix in arguments.prefix or ["reported"]:
                rows = all_rows[f"{client} {prefix}"] = [played(world, s, gaps, prefix, client) for s, gaps in sessions]
                without, ours = sum(row["without"] for row in rows), sum(row["with"] for row in rows)
                apart = sorted((row["with"] / row["without"] - 1) * 100 for row in rows)
                rate = [100 * sum(row["hits"][side][0] for row in rows) / sum(row["hits"][side][1] for row in rows) for side in (0, 1)]
                print(f"| {client} | {prefix} | {len(rows)} | {sum(row['calls'] for row in rows)} | ${without:.4f} | ${ours:.4f} "
                      f"| {(ours / without - 1) * 100:+.2f} % | {apart[0]:+.2f} %, {apart[-1]:+.2f} % | {sum(a > 2 for a in apart)} "
                      f"| {rate[0]:.1f} %, {rate[1]:.1f} % |", flush=True)
    finally:
        world.end()
        if arguments.details:
            with open(arguments.details, "w") as file:
                json.dump(all_rows, file, indent=1)


if __name__ == "__main__":
    main()
