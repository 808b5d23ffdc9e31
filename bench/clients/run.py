#!/usr/bin/env python3
"""Agents and frameworks through the gateway, with compactions forced; what the provider got is compared with what the client sent.

usage: run.py install DIR [target…]
       run.py DIR --epitome BIN [--out DIR] [case…]     a case by its name, or the beginning of it; all without
       run.py list
"""
import argparse, json, os, pathlib, re, shutil, subprocess, sys, tempfile, time

import checks, servers

HERE = pathlib.Path(__file__).resolve().parent
PIP = {
    "claude_agent_sdk": ["claude-agent-sdk==0.2.184"],
    "openai_agents": ["openai-agents==0.24.0", "openai==3.51.0"],
    "langgraph": ["langgraph==1.2.22", "langchain==1.4.7", "langchain-core==1.7.2", "langchain-openai==1.7.3", "langchain-anthropic==1.7.7",
                  "openai==3.51.0", "anthropic==2.10.0"],
    "pydantic_ai": ["pydantic-ai-slim[openai,anthropic]==2.66.0", "openai==3.51.0", "anthropic==2.10.0"],
    "smolagents": ["smolagents[openai]==1.26.0", "openai==3.51.0"],
    "autogen": ["autogen-agentchat==0.7.5", "autogen-ext[openai,anthropic]==0.7.5", "openai==3.51.0", "anthropic==0.125.0"],
    "agno": ["agno==3.1.10", "openai==3.51.0", "anthropic==2.10.0"],
    "strands": ["strands-agents[openai,anthropic]==1.62.0", "openai==2.54.0", "anthropic==0.125.0"],
    "mini_swe_agent": ["mini-swe-agent==2.4.6", "litellm==1.106.2", "mcp==2.3.0"],
    "scripted": [],
}
NPM = {
    "vercel_ai": ["ai@7.0.173", "@ai-sdk/openai@4.0.118", "@ai-sdk/anthropic@4.0.104", "zod@4.6.7"],
    "qwen_code": ["@qwen-code/qwen-code@0.24.4"],
    "mastra": ["@mastra/core@1.71.0", "@ai-sdk/openai@3.0.141", "@ai-sdk/anthropic@3.0.138", "zod@4.6.7"],
    "pi": ["@mariozechner/pi-coding-agent@0.73.1"],
    "openai_agents_js": ["@openai/agents@0.20.0", "zod@4.6.7"],
}
MODEL = {"messages": "claude-sonnet-4-5", "chat": "wire-model", "responses": "gpt-5.1"}
# Target: dialects, ways (streamed or not), and what differs from WINDOW, TASKS and RECORDS.
WINDOW, TASKS, RECORDS = 24000, [4, 40, 6], 60
SETTINGS = ["--set", "compression.protect_last_n=4"]
BOTH = ["streamed", "whole"]
CASES = {
    "claude_agent_sdk": (["messages"], ["streamed"], {"window": 64000, "model": "claude-sonnet-5", "records": 100,
                         "also": [("messages", "tight")], "tight": 48000}),
    "openai_agents": (["responses", "chat"], BOTH, {}),
    "langgraph": (["messages", "chat", "responses"], BOTH, {}),
    "pydantic_ai": (["messages", "chat", "responses"], BOTH, {}),
    "smolagents": (["chat"], BOTH, {}),
    "autogen": (["chat", "messages"], BOTH, {}),
    "agno": (["messages", "chat", "responses"], BOTH, {}),
    "strands": (["messages", "chat"], ["streamed"], {}),
    "mini_swe_agent": (["chat", "responses"], ["whole"], {"tasks": [44], "submits": True, "also": [("chat", "text")]}),
    "vercel_ai": (["messages", "chat", "responses"], BOTH, {"also": [("responses", "stored")]}),
    "qwen_code": (["messages", "chat", "responses"], ["streamed"], {"window": 48000}),
    "mastra": (["messages", "responses"], BOTH, {}),
    "pi": (["messages", "chat", "responses"], ["streamed"], {}),
    "openai_agents_js": (["responses", "chat"], BOTH, {}),
    "scripted": (["messages", "chat", "responses"], ["reminded", "plain"], {"settings": [], "largest": 720}),
}


def install(place, targets):
    for target in targets or [*PIP, *NPM]:
        began = time.time()
        folder = place / target
        folder.mkdir(parents=True, exist_ok=True)
        if target in NPM:
            (folder / "package.json").write_text('{"private": true}')
            command = ["npm", "install", "--prefix", folder, "--save-exact", "--no-audit", "--no-fund", "--loglevel=error", *NPM[target]]
        else:
            subprocess.run([sys.executable, "-m", "venv", folder], check=True)
            command = [folder / "bin/python", "-m", "pip", "install", "--quiet", *PIP[target]] if PIP[target] else ["true"]
        done = subprocess.run(command).returncode
        print(f"{'FAILED' if done else 'ok':7}{target:20}{time.time() - began:5.0f} s", flush=True)


def cases(wanted):
    for target, (apis, ways, other) in CASES.items():
        for api, way in [(api, way) for api in apis for way in ways] + other.get("also", []):
            name = f"{target}-{api}-{way}"
            if not wanted or any(name.startswith(part) for part in wanted):
                yield name, target, api, way, other


def run(name, target, api, way, other, place, epitome, out):
    folder = out / name
    shutil.rmtree(folder, ignore_errors=True)
    work, home = folder / "work", folder / "home"
    work.mkdir(parents=True), home.mkdir()
    script = servers.Script(work, other.get("tasks", TASKS), other.get("records", RECORDS), other.get("submits", False), other.get("largest", 4 * RECORDS))
    window = other.get(way, other.get("window", WINDOW))
    state = servers.State(script, window, 0)
    provider, recorder = servers.start(servers.Provider, state), servers.start(servers.Recorder, state)
    log = open(folder / "gateway.log", "wb")
    gateway = subprocess.Popen(
        [epitome, "serve", "--listen", "127.0.0.1:0", "--upstream", f"http://127.0.0.1:{provider.server_port}", "--store", folder / "store.db",
         "--context-length", str(window), "--set", "auxiliary.compression.provider=local", *other.get("settings", SETTINGS)], stdout=log, stderr=log, cwd=folder)
    try:
        state.gateway = listening(folder / "gateway.log", gateway)
        environment = {key: value for key, value in os.environ.items() if "proxy" not in key.lower() and not key.startswith("CLAUDE")}
        environment |= {"HOME": str(home), "WIRE_URL": f"http://127.0.0.1:{recorder.server_port}", "WIRE_API": api, "WIRE_STREAM": str(int(way == "streamed")), "WIRE_WAY": way,
                        "WIRE_MODEL": other.get("model", MODEL[api]), "WIRE_PROMPTS": json.dumps(script.prompts()), "WIRE_DIR": str(place / target),
                        "OPENAI_API_KEY": "dummy", "ANTHROPIC_API_KEY": "dummy", "PYTHONPATH": str(HERE / "drive"), "NO_COLOR": "1", "CI": "1"}
        if target in NPM:
            (work / "node_modules").symlink_to(place / target / "node_modules")
            driver = work / f"drive_{target}.mjs"  # beside its modules
            shutil.copy(HERE / "drive" / driver.name, driver), shutil.copy(HERE / "drive/tools.mjs", work)
            command = ["node", driver]
        else:
            command = [place / target / "bin/python", HERE / "drive" / f"drive_{target}.py"]
        began = time.time()
        with open(folder / "out.txt", "wb") as told, open(folder / "err.txt", "wb") as errors:
            try:
                status = subprocess.run(command, cwd=work, env=environment, stdin=subprocess.DEVNULL, stdout=told, stderr=errors, timeout=420).returncode
            except subprocess.TimeoutExpired:
                status = "timeout"
        figures, faults = checks.judge(state)
        if status != 0:
            faults.insert(0, f"the client ended with {status}: {last_line(folder / 'err.txt')}")
        if not (work / "proof.txt").exists():
            faults.insert(0, "the last step was never done")
        if f"WIRE-DONE {len(script.tasks)}" not in (folder / "out.txt").read_text(errors="replace"):
            faults.insert(0, "the client did not end with the last answer")
        if figures["compactions"] < 2:
            faults.append("fewer than two compactions")
        for side, records in [("client", state.client.values()), ("provider", state.provider)]:
            (folder / f"{side}.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
        (folder / "faults.txt").write_text("\n".join(faults))
        return {"case": name, "seconds": round(time.time() - began), "window": window, **figures, "faults": len(faults), "first_fault": (faults or [""])[0]}
    finally:
        gateway.terminate(), gateway.wait()
        provider.shutdown(), recorder.shutdown()


def main():
    if sys.argv[1:2] == ["install"] and len(sys.argv) > 2:
        return install(pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:])
    if sys.argv[1:] == ["list"]:
        return print("\n".join(name for name, *_ in cases([])))
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("place", type=pathlib.Path)
    parser.add_argument("--epitome", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("case", nargs="*")
    given = parser.parse_intermixed_args()
    out = (given.out or pathlib.Path(tempfile.mkdtemp(prefix="bench-clients-"))).resolve()
    rows = []
    print(f"recordings, logs and faults of each case: {out}\n")
    print("| case | requests | compactions | invalid | newest verbatim | live request kept | reminders | other faults |\n|---|---|---|---|---|---|---|---|")
    for case in cases(given.case):
        row = run(*case, given.place.resolve(), given.epitome.resolve(), out)
        rows.append(row)
        print(f"| {row['case']} | {row['requests']} | {row['compactions']} | {row['invalid']} | {row['newest']} of {row['requests']} | "
              f"{row['live']} of {row['requests']} | {row['reminders']} | {row['first_fault'].replace('|', '/')} |", flush=True)
    (out / "rows.json").write_text(json.dumps(rows, indent=1))
    failed = [row["case"] for row in rows if row["faults"]]
    print(f"\n{len(rows)} cases, {sum(row['requests'] for row in rows)} requests, {sum(row['compactions'] for row in rows)} compactions, failed: {failed or 'none'}")
    return bool(failed) or not rows


def last_line(path):
    lines = path.read_text(errors="replace").strip().splitlines()
    return lines[-1][:200] if lines else ""


def listening(log, process):
    """The port that the gateway took, from its log."""
    for _ in range(200):
        found = re.search(r"127\.0\.0\.1:(\d+)", "".join(line for line in log.read_text().splitlines() if "listen" in line))
        if found:
            return int(found.group(1))
        if process.poll() is not None:
            sys.exit(f"the gateway ended: {log.read_text()[-500:]}")
        time.sleep(0.05)
    sys.exit("the gateway does not listen")


if __name__ == "__main__":
    sys.exit(main())
