#!/usr/bin/env python3
"""Does the ledger's money equal what the provider's own records say? (issue 6, must show 6)

usage: money.py --epitome BIN --kit DIR --python PYTHON [--session FILE] [--window N]
  --kit     the acceptance kit: stub.py and longrun.py
  --python  a Python that has what stub.py needs

Starts the kit's stub as provider and a gateway before it, plays a long session in each dialect, with compactions and with summaries
that the stub writes, and prices what the stub recorded by itself: with prices of its own that the gateway is given too, and a tier.
Exit 0 only if the sums agree to the cent, and nothing carried more than four markers.
"""
import argparse, glob, json, os, socket, subprocess, sys, tempfile, time, urllib.request

# Dollars a million tokens; dearer above a bound, as some models are. What a tier does not name rises as the input does.
CLAUDE = {"context": 200000, "input": 3.0, "output": 15.0, "cache_read": 0.3, "cache_write_5m": 3.75, "cache_write_1h": 6.0, "cache_min": 1024,
          "above": {"40000": {"input": 6.0, "output": 22.5, "cache_read": 0.6, "cache_write_5m": 7.5, "cache_write_1h": 12.0}}}
OPENAI = {"context": 200000, "input": 1.25, "output": 10.0, "cache_read": 0.125}
PRICES = {"claude-sonnet-4-5-20250929": CLAUDE, "wire-model": OPENAI, "gpt-5.1-codex": OPENAI}


def cost(model, prompt, read, write, write_1h, output):
    prices = dict(PRICES[model])
    for bound, dearer in prices.get("above", {}).items():
        if prompt > int(bound):
            prices.update(dearer)
    dollars = (prompt - read - write) * prices["input"] + read * prices["cache_read"] + output * prices["output"]
    dollars += (write - write_1h) * prices.get("cache_write_5m", prices["input"]) + write_1h * prices.get("cache_write_1h", prices["input"])
    return dollars / 1e6


def recorded(usage):
    """(prompt, read, written, written for an hour, output), whatever the dialect calls them"""
    if "cache_creation_input_tokens" in usage:
        read, write = usage["cache_read_input_tokens"], usage["cache_creation_input_tokens"]
        long = usage["cache_creation"]["ephemeral_1h_input_tokens"]
        return usage["input_tokens"] + read + write, read, write, long, usage["output_tokens"]
    if "prompt_tokens" in usage:
        return usage["prompt_tokens"], usage["prompt_tokens_details"]["cached_tokens"], 0, 0, usage["completion_tokens"]
    return usage["input_tokens"], usage["input_tokens_details"]["cached_tokens"], 0, 0, usage["output_tokens"]


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_for(url, process):
    for _ in range(200):
        if process.poll() is not None:
            sys.exit(f"{url}: the process ended with {process.returncode}")
        try:
            return urllib.request.urlopen(url, timeout=2).read()
        except OSError:
            time.sleep(0.05)
    sys.exit(f"{url}: nobody answers")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1])
    for name in ("epitome", "kit", "python"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--session"); parser.add_argument("--window", type=int, default=64000)
    arguments = parser.parse_args()
    directory = tempfile.mkdtemp(prefix="money-")
    stub_port, port = free_port(), free_port()
    stub_url, base, store = f"http://127.0.0.1:{stub_port}", f"http://127.0.0.1:{port}", os.path.join(directory, "store.db")
    models = os.path.join(directory, "models.json")
    with open(models, "w") as file:
        json.dump(PRICES, file)
    log = open(os.path.join(directory, "log"), "w")
    stub = subprocess.Popen([arguments.python, os.path.join(arguments.kit, "stub.py"), "--port", str(stub_port), "--record",
                             os.path.join(directory, "rec")], stdout=log, stderr=log)
    gateway = None
    try:
        wait_for_port(stub_port, stub)
        gateway = subprocess.Popen([arguments.epitome, "serve", "--upstream", stub_url, "--store", store, "--models", models,
                                    "--context-length", str(arguments.window), "--set", f"gateway.listen=127.0.0.1:{port}",
                                    "--set", "compression.protect_last_n=3"], stdout=log, stderr=log)
        wait_for(base + "/healthz", gateway)
        for dialect in ("anthropic", "chat", "responses"):
            command = [sys.executable, os.path.join(arguments.kit, "longrun.py"), "--dialect", dialect, "--stub", stub_url,
                       "--window", str(arguments.window), "--margin", "0.15"]
            command += (["--session", arguments.session] if arguments.session else []) + [base]
            played = subprocess.run(command, stdout=subprocess.PIPE, text=True)
            print(f"{dialect}: longrun exit {played.returncode}")
            if played.returncode != 0:
                print(played.stdout[-2000:])
        metrics = urllib.request.urlopen(base + "/metrics").read().decode()
    finally:
        if gateway:
            gateway.terminate(); gateway.wait(20)
        stub.terminate(); stub.wait(20)
    stats = json.loads(subprocess.check_output([arguments.epitome, "sessions", "stats", "--json", "--store", store]))
    expected, calls, most, markers = 0.0, 0, 0, 0
    kinds = {}
    for path in glob.glob(os.path.join(directory, "rec", "*", "*.json")):
        with open(path) as file:
            entry = json.load(file)
        found = len((entry.get("checks") or {}).get("cache_control") or [])
        most, markers = max(most, found), markers + found
        usage = entry.get("usage")
        if usage and entry.get("status", 200) == 200:
            tokens = recorded(usage)
            expected += cost(entry["body"]["model"], *tokens); calls += 1
            for name, amount in zip(("prompt", "read", "written", "written 1h", "output"), tokens):
                kinds[name] = kinds.get(name, 0) + amount
    spending = stats["spending"]
    ledger = spending["paid_usd"] + spending["summaries_usd"]
    told = sum(float(line.rsplit(" ", 1)[1]) for line in metrics.splitlines()
               if line.startswith(("epitome_cost_dollars_total{kind=\"paid\"}", "epitome_cost_dollars_total{kind=\"summaries\"}")))
    print(f"the stub recorded {calls} calls: {kinds}")
    print(f"by the stub's records ${expected:.9f}, by the ledger ${ledger:.9f} (calls ${spending['paid_usd']:.6f}, summaries "
          f"${spending['summaries_usd']:.6f}), by /metrics ${told:.9f}: {abs(expected - ledger) * 100:.7f} cents apart")
    print(f"without us ${spending['without_us_usd']:.6f}, saved ${spending['saved_usd']:.6f}; unpriced {spending['unpriced_calls']}; "
          f"most markers in a request {most}, {markers} in all; tokens saved by edits {stats['tokens_saved_by_edits']}")
    agrees = abs(expected - ledger) < 0.01 and abs(expected - told) < 0.01 and calls > 0 and spending["unpriced_calls"] == 0
    print("agrees to the cent" if agrees and most <= 4 else f"DOES NOT AGREE (see {directory})")
    sys.exit(0 if agrees and most <= 4 else 1)


def wait_for_port(port, process):
    for _ in range(200):
        if process.poll() is not None:
            sys.exit(f"the stub ended with {process.returncode}")
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    sys.exit("the stub does not listen")


main()
