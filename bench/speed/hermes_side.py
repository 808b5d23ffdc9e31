#!/usr/bin/env python3
"""Times Hermes Agent's ContextCompressor on recorded sessions. Run it with a Python that has hermes-agent and tiktoken:

    TIKTOKEN_CACHE_DIR=DIR python hermes_side.py [--context-length N] [--repetitions N] SESSION...
    TIKTOKEN_CACHE_DIR=DIR python hermes_side.py --worker      # run.py: one JSON order a line in, one JSON result a line out

Prints one JSON object per session. Only ContextCompressor.compress() is timed, on messages that were decoded and copied
before: no start-up, no imports, no JSON. There is no model and no network: the home directory is empty, so Hermes finds
no provider and builds its local handoff.

Two figures come out of each call, because most of the first one is not compression (each is the best of the repetitions):
  cpu_ms       the bare call, as installed
  work_cpu_ms  the same without the time in call_llm, where Hermes looks for a provider until it raises
               "No LLM provider configured": that part does not depend on the conversation
"""

import argparse
import copy
import gc
import json
import logging
import os
import sys
import tempfile
import time

# What a host keeps of a message. Recordings carry more (usage, timestamps), which would only slow Hermes down.
FIELDS = ("role", "content", "tool_calls", "tool_call_id", "name")

ONE_TURN = [
    {"role": "user", "content": "Thanks. Please run the tests of the part that you changed once more and tell me what they say."},
    {
        "role": "assistant",
        "content": "I will run them.",
        "tool_calls": [{"id": "call_speed_1", "type": "function", "function": {"name": "terminal", "arguments": '{"command": "make test"}'}}],
    },
    {"role": "tool", "tool_call_id": "call_speed_1", "content": "running 12 tests\n" + "".join(f"test part::case_{n} ... ok\n" for n in range(12)) + "\ntest result: ok. 12 passed; 0 failed"},
]


class Lookup:
    """Stands in front of call_llm and notes what it used before it gave up."""

    def __init__(self, call_llm):
        self.call_llm = call_llm
        self.cpu = 0.0
        self.calls = 0

    def __call__(self, **arguments):
        self.calls += 1
        started = time.process_time()
        try:
            return self.call_llm(**arguments)
        finally:
            self.cpu += time.process_time() - started


def load():
    os.environ["HERMES_HOME"] = tempfile.mkdtemp(prefix="hermes-home-")
    import agent.context_compressor as module

    logging.disable(logging.CRITICAL)
    module.call_llm = Lookup(module.call_llm)
    return module


def compressor(module, context_length):
    return module.ContextCompressor(model="bench/model", quiet_mode=True, config_context_length=context_length)


def timed(module, instance, messages):
    """One call: its result and its cost in ms."""
    lookup = module.call_llm
    lookup.cpu, lookup.calls = 0.0, 0
    gc.collect()
    cpu, wall = time.process_time(), time.perf_counter()
    out = instance.compress(messages)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return out, {"cpu_ms": cpu * 1e3, "work_cpu_ms": (cpu - lookup.cpu) * 1e3, "wall_ms": wall * 1e3, "summariser_asked": lookup.calls}


def characters(messages):
    return sum(len(m.get("content") or "") + sum(len(c["function"]["arguments"]) for c in m.get("tool_calls") or ()) for m in messages)


def tokens(encoding, messages):
    texts = []
    for m in messages:
        texts.append(m.get("content") or "")
        for call in m.get("tool_calls") or ():
            texts += [call["function"]["name"], call["function"]["arguments"]]
    return sum(len(encoding.encode(text, disallowed_special=())) for text in texts)


def verdict(instance, before, after):
    """Whether real work was done: a call that gave up early would be a flattering time for Hermes and a useless one for us."""
    return {
        "messages_in": len(before),
        "messages_out": len(after),
        "chars_in": characters(before),
        "chars_out": characters(after),
        "handoff_built": bool(after != before and instance._last_summary_fallback_used and not instance._last_compress_aborted),
        "smaller": characters(after) < characters(before),
    }


def measure(module, encoding, order):
    with open(order["path"], encoding="utf-8") as file:
        document = json.loads(file.read())
    everything = document["messages"]
    # The host takes the system messages out before it calls compress(), and puts them back afterwards.
    messages = [{key: m[key] for key in FIELDS if key in m} for m in everything if m["role"] != "system"]
    result = {
        "id": document.get("id") or os.path.basename(order["path"]),
        "bytes": os.path.getsize(order["path"]),
        "tokens": tokens(encoding, everything) if encoding and order.get("tokens", True) else None,
        "context_length": order["context_length"],
    }
    del document, everything

    runs = {"cold": [], "known": []}
    for _ in range(order["repetitions"]):
        instance, given = compressor(module, order["context_length"]), copy.deepcopy(messages)
        out, cost = timed(module, instance, given)
        runs["cold"].append(cost | verdict(instance, given, out))
        if not order.get("known", True):
            continue
        # The same instance, the same history and one turn more. After a failed summary Hermes does not try again for ten
        # minutes, and skips most of its work until then.
        instance._clear_compression_failure_cooldown()
        given = given + copy.deepcopy(ONE_TURN)
        out, cost = timed(module, instance, given)
        runs["known"].append(cost | verdict(instance, given, out))
    for mode, costs in runs.items():
        if costs:
            result[mode] = costs[-1] | {figure: min(c[figure] for c in costs) for figure in ("cpu_ms", "work_cpu_ms", "wall_ms")}
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--context-length", type=int, default=200_000)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--worker", action="store_true")
    parser.add_argument("sessions", nargs="*")
    options = parser.parse_args()

    # Libraries may print: keep our channel clean.
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    module = load()
    from importlib.metadata import version

    try:
        import tiktoken

        encoding = tiktoken.get_encoding("o200k_base")
    except Exception as error:  # no package, or no vocabulary and no network
        print(f"hermes_side: tokens are not counted: {error}", file=sys.stderr)
        encoding = None
    base = {"context_length": options.context_length, "repetitions": options.repetitions}

    def answer(value):
        channel.write(json.dumps(value) + "\n")
        channel.flush()

    if options.worker:
        answer({"hermes": version("hermes-agent"), "python": sys.version.split()[0], "counts_tokens": encoding is not None})
        for line in sys.stdin:
            answer(measure(module, encoding, base | json.loads(line)))
    else:
        for path in options.sessions:
            answer(measure(module, encoding, base | {"path": path}))


if __name__ == "__main__":
    main()
