#!/usr/bin/env python3
"""What does the call right after a compaction read from the provider's cache?

usage: survives.py --epitome BIN --kit DIR --python PYTHON [--window N]
  (as for run.py)

A session without tools through a gateway to the kit's stub, in each dialect, until it was compacted three times. The stub bills by its
own simulation: markers and their look-back in Messages, blocks that it has seen before in Chat and Responses. A text that grew is
another block there; OpenAI's cache goes by tokens, so that `instructions` is shown by the characters in common, too, in steps of 128 tokens.
Exit 1 if the system prompt was not read.
"""
import argparse, json, sys, urllib.request

import run

SYSTEM = "\n".join(f"Rule {number:3}: mind the {number * 7919:06x} one, and say so when it is done." for number in range(180))
CASES = [
    # name, path, model, settings, how the system prompt is sent
    ("Messages", "/v1/messages", run.MODEL, [], lambda m: {"system": SYSTEM, "messages": m, "max_tokens": 100}),
    ("Chat through OpenRouter", "/v1/chat/completions", "anthropic/claude-sonnet-4.5", ["prompt_caching.rules=openrouter"],
     lambda m: {"messages": [{"role": "system", "content": SYSTEM}, *m]}),
    ("Responses, developer message", "/v1/responses", "gpt-5.1", [],
     lambda m: {"input": [{"role": "developer", "content": [{"type": "input_text", "text": SYSTEM}]}, *m], "store": False}),
    ("Responses, instructions", "/v1/responses", "gpt-5.1", [], lambda m: {"instructions": SYSTEM, "input": m, "store": False}),
]


def read_of(usage):
    for details in ("prompt_tokens_details", "input_tokens_details"):
        if details in usage:
            return usage[details]["cached_tokens"]
    return usage["cache_read_input_tokens"]


def prompt_of(usage):
    if "cache_read_input_tokens" in usage:
        return usage["input_tokens"] + usage["cache_read_input_tokens"] + usage["cache_creation_input_tokens"]
    return usage.get("prompt_tokens", usage.get("input_tokens"))


def text_of(body):
    """as a provider that caches by tokens reads it"""
    return (body.get("instructions") or "") + json.dumps(body.get("input") or body.get("messages"))


def common(one, other):
    length = next((at for at, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
    return length // 4 // 128 * 128


def main():
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    for name in ("epitome", "kit", "python"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--window", type=int, default=32000)
    arguments = parser.parse_args()
    print("| dialect | compaction | prompt before, after | read by the call | of it the system prompt | by characters in common | read by the next call |")
    print("|---|---|---|---|---|---|---|")
    lost = False
    for name, path, model, settings, spelled in CASES:
        arguments.set = ["compression.enabled=true", f"model.context_length={arguments.window}", "compression.protect_last_n=3",
                         "auxiliary.compression.provider=local", *settings]
        arguments.sessions = "short"
        world = run.World(arguments)
        try:
            messages, calls, compactions = [], [], []
            while len(compactions) < 3 or len(calls) == compactions[-1] + 1:
                number = len(calls)
                messages += [{"role": "assistant", "content": f"answer {number} " + "with some words in it, " * 50}] if messages else []
                messages += [{"role": "user", "content": f"question {number} " + "with some words in it, " * 50}]
                body = {"model": model, **spelled(messages)}
                headers = {"content-type": "application/json", "anthropic-version": "2026-10-21", "x-api-key": "none", "x-epitome-session": name[:8]}
                url = world.through.removesuffix("/v1/messages") + path
                with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers), timeout=300) as answer:
                    usage = json.load(answer)["usage"]
                    if answer.headers["x-epitome-action"] == "compacted":
                        compactions.append(number)
                calls.append(usage)
                if number > 500:
                    sys.exit(f"{name}: it is not compacted")
            sent = [entry["body"] for entry in world.recorded()]
        finally:
            world.end()
        for which, number in enumerate(compactions):
            instructions = "instructions" in sent[number]
            by_characters = max(common(text_of(sent[number]), text_of(earlier)) for earlier in sent[:number]) if instructions else 0
            read = read_of(calls[number])
            lost |= max(read, by_characters) < len(SYSTEM) // 4 // 128 * 128
            print(f"| {name} | {which + 1} | {prompt_of(calls[number - 1]):,}, {prompt_of(calls[number]):,} | {read:,} | {len(SYSTEM) // 4:,} "
                  f"| {f'{by_characters:,}' if instructions else '–'} | {read_of(calls[number + 1]):,} of {prompt_of(calls[number + 1]):,} |", flush=True)
    if lost:
        sys.exit("the system prompt was not read from the cache")


if __name__ == "__main__":
    main()
