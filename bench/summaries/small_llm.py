#!/usr/bin/env python3
"""Compacts recorded sessions with a real small LLM as the summary model, and checks what comes out.

usage: small_llm.py --epitome BIN --corpus DIR --base-url http://127.0.0.1:18090/v1 [--sessions 10] [--window 16000]
                    [--model-window 8192] [--timeout 600] [--out results.json]

Takes the smallest sessions for which a compaction at --window writes a summary and can reach the trigger. Each result must be valid (every call
answered once, directly behind it; no answer without a call) and below the trigger. Who wrote each summary, or why the
local summariser stood in, and what the audit found, is printed as a table. Needs nothing but Python and the binary."""

import argparse
import json
import pathlib
import subprocess
import time


def compress(options, session, settings):
    """The compacted session and the report of one run."""
    command = [options.epitome, "compress", str(session), "--context-length", str(options.window), "--report", "--json"]
    for setting in settings:
        command += ["--set", setting]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        raise SystemExit(f"{session.name}: {run.stderr}")
    return run.stdout, json.loads(next(line for line in run.stderr.splitlines() if line.startswith("{")))


def problems(text):
    """What a provider would refuse."""
    messages, found, open_calls = json.loads(text)["messages"], [], []
    for number, message in enumerate(messages):
        if message["role"] == "tool":
            if message.get("tool_call_id") in open_calls:
                open_calls.remove(message["tool_call_id"])
            else:
                found.append(f"message {number} answers no call")
            continue
        if open_calls:
            found.append(f"a call before message {number} has no answer")
        open_calls = [call["id"] for call in message.get("tool_calls") or []]
        if not message.get("content") and not open_calls:
            found.append(f"message {number} is empty")
    return found


def summary_of(text):
    """The summary message."""
    contents = [message.get("content") or "" for message in json.loads(text)["messages"]]
    return next((content for content in contents if content.startswith("[CONTEXT COMPACTION]")), "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epitome", required=True)
    parser.add_argument("--corpus", required=True, type=pathlib.Path)
    parser.add_argument("--base-url", required=True)
    parser.add_argument("--sessions", type=int, default=10)
    parser.add_argument("--window", type=int, default=16_000)
    parser.add_argument("--model", default="SmolLM2-135M-Instruct")
    parser.add_argument("--model-window", type=int, default=8_192)
    parser.add_argument("--timeout", type=int, default=600)
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    model = [
        f"auxiliary.compression.base_url={options.base_url}",
        f"auxiliary.compression.model={options.model}",
        f"auxiliary.compression.context_length={options.model_window}",
        f"auxiliary.compression.timeout={options.timeout}",
    ]
    rows = []
    for session in sorted(options.corpus.glob("*.jsonl"), key=lambda path: path.stat().st_size):
        if len(rows) == options.sessions:
            break
        _, local = compress(options, session, ["auxiliary.compression.provider=local"])
        # What is protected is too large by itself in some sessions: no summary could bring them below the trigger.
        if local["action"] != "compacted" or not local["summary_by"] or local["shortfall"]:
            continue
        start = time.monotonic()
        text, report = compress(options, session, model)
        by = report["summary_by"]
        author = by.get("asked") or by["stood_in"]
        rows.append({
            "session": session.stem,
            "before": report["tokens_before"],
            "after": report["tokens_after"],
            "trigger": report["trigger"],
            "problems": problems(text),
            "by": "model" if "asked" in by else "local",
            "why": author.get("why"),
            "work": author["work"],
            "audit": author.get("audit"),
            "seconds": round(time.monotonic() - start, 1),
            "summary": summary_of(text),
        })
        print(json.dumps({key: value for key, value in rows[-1].items() if key != "summary"}), flush=True)
        if options.out:
            options.out.write_text(json.dumps(rows, indent=1))
    print("\n| session | tokens | summary by | parts, calls | tokens in, out | checked, not found | seconds |")
    print("|---|---|---|---|---|---|---|")
    for row in rows:
        work, audit = row["work"], row["audit"]
        by = "the model" if row["by"] == "model" else f"local: {row['why']}"
        checked = f"{audit['checked']}, {len(audit['unverified'])}" if audit else ""
        print(f"| {row['session'][-40:]} | {row['before']} → {row['after']} | {by} | {work['chunks']}, {work['calls']} "
              f"| {work['input']}, {work['output']} | {checked} | {row['seconds']} |")
    invalid = sum(bool(row["problems"]) for row in rows)
    above = sum(row["after"] >= row["trigger"] for row in rows)
    model_wrote = sum(row["by"] == "model" for row in rows)
    print(f"\n{len(rows)} sessions: {invalid} invalid, {above} not below the trigger, "
          f"{model_wrote} summaries by the model, {len(rows) - model_wrote} by the local summariser in its place")
    return 1 if invalid or above or len(rows) < options.sessions else 0


if __name__ == "__main__":
    raise SystemExit(main())
