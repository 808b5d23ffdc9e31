#!/usr/bin/env python3
"""Each agent that `epitome wrap` knows, as a user starts it: by the line that `epitome serve` prints, and by `epitome wrap`.

usage: agents.py install DIR [agent…]
       agents.py DIR --epitome BIN [agent…]      all that are installed in DIR, without a name

The agent runs a real loop of tool calls against a scripted, strict provider. It passes if it ends with the script's last answer, its
last tool call was done, and every model call that reached the provider was valid. Exit 0 only if all pass.
"""
import argparse, os, pathlib, re, shlex, subprocess, sys, tempfile, threading, time

import servers

NPM = {"claude": "@anthropic-ai/claude-code@2.1.197", "codex": "@openai/codex@0.166.0", "opencode": "opencode-ai@1.18.33"}
PIP = {"hermes": ["hermes-agent==0.19.0", "anthropic==0.87.0"], "aider": ["aider-chat==0.86.2"]}
TASKS = [4]
WINDOW = 200_000
# What is typed behind the agent's name; aider has no tools, and its proof is an edit.
ARGUMENTS = {
    "claude": ["-p", "{prompt}", "--allowedTools", "Bash", "Read", "Write", "--model", "claude-sonnet-4-5"],
    "codex": ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "-m", "gpt-5.1-codex", "{prompt}"],
    "opencode": ["run", "--model", "anthropic/claude-sonnet-4-5", "{prompt}"],
    "hermes": ["--yolo", "-z", "{prompt}"],
    "aider": ["--model", "openai/gpt-4o", "--yes-always", "--no-git", "--no-check-update", "--no-analytics", "--no-show-model-warnings",
              "--message", "{prompt}"],
}
ENVIRONMENT = {
    "ANTHROPIC_API_KEY": "dummy", "OPENAI_API_KEY": "dummy", "CODEX_API_KEY": "dummy", "OPENROUTER_API_KEY": "sk-or-v1-4f1c2a7be90d43a58c61", "NO_COLOR": "1", "CI": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1", "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1", "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
    "HERMES_YOLO_MODE": "1", "AIDER_ANALYTICS": "false", "LITELLM_LOCAL_MODEL_COST_MAP": "True",
}
HERMES = "model:\n  default: anthropic/claude-sonnet-4-5\n  provider: openrouter\nterminal:\n  backend: local\n  cwd: {work}\napprovals:\n  mode: \"off\"\n"
OPENCODE = '{"permission": {"*": "allow"}, "small_model": "anthropic/claude-sonnet-4-5", "autoupdate": false, "share": "disabled"}'


class Script(servers.Script):
    """Shell commands alone: not every agent's other tools say which file they wrote."""

    def next(self, turns, tools, number):
        return super().next(turns, {name: tools[name] for name in servers.SHELL if name in tools}, number)


def install(place, agents):
    failed = False
    for agent in agents or [*NPM, *PIP]:
        began = time.time()
        if agent in NPM:
            folder = place / agent
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "package.json").write_text('{"private": true}')
            commands = [["npm", "install", "--prefix", folder, "--save-exact", "--no-audit", "--no-fund", "--loglevel=error", NPM[agent]]]
        else:
            commands = [[sys.executable, "-m", "venv", place / agent], [place / agent / "bin/python", "-m", "pip", "install", "--quiet", *PIP[agent]]]
        done = program(place, agent).exists() or all(subprocess.run(command).returncode == 0 for command in commands)
        failed |= not done
        print(f"{'ok' if done else 'FAILED':7}{agent:12}{time.time() - began:5.0f} s", flush=True)
    return failed


def program(place, agent):
    return place / agent / ("node_modules/.bin" if agent in NPM else "bin") / agent


def started_by_hand(agent, epitome, upstream, folder, environment):
    """The gateway, and the line that it prints for the agent."""
    gateway = subprocess.Popen([epitome, "serve", "--listen", "127.0.0.1:0", "--upstream", upstream, "--store", "memory"],
                               stderr=subprocess.PIPE, text=True, cwd=folder, env=environment)
    for said in gateway.stderr:
        line = said.removeprefix("epitome:").strip()
        words = shlex.split(line) if line.endswith(agent) or f" {agent} " in f" {line} " else []
        if agent in words:
            # Read on, so that the gateway never waits for somebody to.
            threading.Thread(target=gateway.stderr.read, daemon=True).start()
            return gateway, line
    sys.exit(f"epitome serve prints no line for {agent}")


def run(agent, way, place, epitome, folder):
    work, home = folder / "work", folder / "home"
    work.mkdir(parents=True), (home / ".hermes").mkdir(parents=True)
    (home / ".hermes/config.yaml").write_text(HERMES.format(work=work))
    (work / "opencode.json").write_text(OPENCODE)
    script = Script(work, TASKS, 40, False, 160)
    state = servers.State(script, WINDOW, 0)
    provider = servers.start(servers.Provider, state)
    upstream = f"http://127.0.0.1:{provider.server_port}"
    environment = {key: value for key, value in os.environ.items()
                   if "proxy" not in key.lower() and not key.startswith(("CLAUDE", "ANTHROPIC", "OPENAI", "EPITOME", "XDG"))}
    environment |= ENVIRONMENT | {"HOME": str(home), "HERMES_HOME": str(home / ".hermes"), "PATH": f"{program(place, agent).parent}:{os.environ['PATH']}"}
    given = shlex.join(word.format(prompt=script.prompts()[0]) for word in ARGUMENTS[agent])
    gateway = None
    if way == "by hand":
        gateway, line = started_by_hand(agent, epitome, upstream, folder, environment)
        command = f"{line} {given}"
    else:
        command = f"{shlex.quote(str(epitome))} wrap {'--observe ' if way == 'observed' else ''}--upstream {upstream} --store memory {agent} {given}"
    try:
        ran = subprocess.run(["sh", "-c", command], cwd=work, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
        status, out, errors = ran.returncode, ran.stdout, ran.stderr
    except subprocess.TimeoutExpired as late:
        status, out, errors = "timeout", (late.stdout or b"").decode(errors="replace"), (late.stderr or b"").decode(errors="replace")
    finally:
        if gateway:
            gateway.terminate(), gateway.wait()
        provider.shutdown()
    (folder / "command.txt").write_text(command), (folder / "out.txt").write_text(out), (folder / "err.txt").write_text(errors)
    faults = [f"it ended with {status}"] if status else []
    if not state.provider:
        faults.append("no model call reached the provider")
    faults += [f"call {number}: {error}" for number, record in enumerate(state.provider, 1) for error in record["errors"]]
    if agent != "aider" and not (work / "proof.txt").exists():
        faults.append("the last step was never done")
    if agent != "aider" and f"WIRE-DONE {len(TASKS)}" not in out:
        faults.append("it did not end with the last answer")
    if way != "by hand" and not re.search(r"^epitome: \d+ calls?,", errors, re.M):
        faults.append("wrap did not say what was done")
    return len(state.provider), faults


def main():
    if sys.argv[1:2] == ["install"] and len(sys.argv) > 2:
        return install(pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:])
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("place", type=lambda given: pathlib.Path(given).resolve())
    parser.add_argument("--epitome", type=lambda given: pathlib.Path(given).resolve(), required=True)
    parser.add_argument("agent", nargs="*")
    given = parser.parse_intermixed_args()
    agents = given.agent or [agent for agent in ARGUMENTS if program(given.place, agent).exists()]
    if not agents:
        sys.exit(f"no agent is installed in {given.place}; first: agents.py install {given.place}")
    out, failed = pathlib.Path(tempfile.mkdtemp(prefix="bench-agents-")), []
    print(f"commands and outputs: {out}\n\n| agent | way | model calls | seconds | faults |\n|---|---|---|---|---|")
    for agent in agents:
        for way in ["by hand", "wrapped", "observed"]:
            began = time.time()
            calls, faults = run(agent, way, given.place, given.epitome, out / f"{agent}-{way.replace(' ', '-')}")
            failed += [f"{agent} {way}"] if faults else []
            print(f"| {agent} | {way} | {calls} | {time.time() - began:.0f} | {'; '.join(faults).replace('|', '/') or 'none'} |", flush=True)
    print(f"\nfailed: {', '.join(failed) or 'none'}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
