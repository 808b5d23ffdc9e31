#!/usr/bin/env python3
"""A chat bot whose history the gateway keeps: it sends one message at a time, through a window that is far too small for all of them.

usage: chatbot.py --gateway "epitome serve …" --listen HOST:PORT --stub URL [--dialect D] [--messages N] [--window N] [--stream 0|1]

Starts the gateway, talks to the stub of the acceptance kit (`stub.py`, which refuses what a provider would refuse) through
it, kills it with SIGKILL while an answer is on its way, starts it again and goes on. Exit code 0 only if
  every message was answered, and every request upstream was accepted by the stub and under the window;
  between compactions every request began with the one before;
  no message that was answered is missing from what the gateway kept: the newest ones stand upstream word for word;
  the history was compacted, and the fact of the first message is still known in the end.
With a window of a million or more nothing may be compacted: then all messages and answers must be there, in order.
"""
import argparse, glob, http.client, json, os, random, shlex, signal, subprocess, sys, threading, time, urllib.request, uuid
from urllib.parse import urlsplit


def control(stub, path, body=None):
    data = json.dumps(body).encode() if body is not None else b""
    request = urllib.request.Request(f"{stub}/__stub/{path}", data=data, method="POST", headers={"content-type": "application/json"})
    return json.load(urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=30))


class Gateway:
    def __init__(self, command, listen):
        self.command, (self.host, port) = shlex.split(command) + ["--listen", listen], listen.split(":")
        self.port, self.process = int(port), None

    def start(self):
        self.process = subprocess.Popen(self.command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        for _ in range(300):
            try:
                connection = http.client.HTTPConnection(self.host, self.port, timeout=2)
                connection.request("GET", "/healthz")
                if connection.getresponse().status == 200: return
            except OSError: time.sleep(0.05)
        sys.exit("the gateway does not start")

    def kill(self):
        self.process.send_signal(signal.SIGKILL); self.process.wait()


PATHS = {"anthropic": "/v1/messages", "chat": "/v1/chat/completions", "responses": "/v1/responses"}
TOOL = {"type": "object", "properties": {"city": {"type": "string"}}}


def body(dialect, new, replay, stream):
    if dialect == "anthropic":
        return {"model": "claude-sonnet-4-5", "max_tokens": 1000, "system": "You are a friendly bot.", "thinking": {"type": "enabled", "budget_tokens": 1024},
                "tools": [{"name": "weather", "input_schema": TOOL}], "messages": [new], "stream": stream, "x_replay": replay}
    if dialect == "chat":
        return {"model": "wire-model", "tools": [{"type": "function", "function": {"name": "weather", "parameters": TOOL}}],
                "messages": [{"role": "system", "content": "You are a friendly bot."}, new], "stream": stream, "x_replay": replay}
    return {"model": "gpt-5.1", "instructions": "You are a friendly bot.", "tools": [{"type": "function", "name": "weather", "parameters": TOOL}], "store": False,
            "include": ["reasoning.encrypted_content"], "input": [new], "stream": stream, "x_replay": replay}


def words(dialect, text):
    if dialect == "anthropic": return {"role": "user", "content": [{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}]}
    return {"role": "user", "content": text} if dialect == "chat" else {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}


def result(dialect, call, text):
    if dialect == "anthropic": return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "content": text}]}
    return {"role": "tool", "tool_call_id": call, "content": text} if dialect == "chat" else {"type": "function_call_output", "call_id": call, "output": text}


def complete(dialect, stream, answer):
    if not stream: return bool(json.loads(answer))
    return {"anthropic": b"event: message_stop", "chat": b"data: [DONE]", "responses": b"event: response.completed"}[dialect] in answer


def plain(value):
    if isinstance(value, dict): return {key: plain(inner) for key, inner in value.items() if key != "cache_control"}
    return [plain(inner) for inner in value] if isinstance(value, list) else value


def said(request): return [json.dumps(plain(message), sort_keys=True) for message in request.get("messages") or request.get("input")]


def tokens(request): return (sum(len(message) for message in said(request)) + len(json.dumps(request.get("tools"))) + 30) // 4


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1])
    parser.add_argument("--gateway", required=True); parser.add_argument("--listen", required=True); parser.add_argument("--stub", required=True)
    parser.add_argument("--dialect", choices=PATHS, default="anthropic"); parser.add_argument("--messages", type=int, default=200)
    parser.add_argument("--window", type=int, default=16000); parser.add_argument("--stream", type=int, default=1); parser.add_argument("--kills", type=int, default=3)
    a = parser.parse_args(); stream = bool(a.stream); chance = random.Random(11)
    session = f"bot-{uuid.uuid4().hex[:8]}"; label = f"chatbot_{a.dialect}_{session}"
    recordings = os.path.join(control(a.stub, f"label?name={label}")["dir"], label)
    gateway = Gateway(a.gateway, a.listen); gateway.start()
    fact = f"FACT-{chance.getrandbits(32):08x}"; problems, repeated, kills, began = [], 0, 0, time.time()
    kill_at = {a.messages * (n + 1) // (a.kills + 1) for n in range(a.kills)}
    headers = {"content-type": "application/json", "x-epitome-session": session, "x-epitome-history": "server", "anthropic-version": "2023-06-01", "x-api-key": "k", "authorization": "Bearer k"}
    call = None
    for number in range(a.messages):
        filler = " ".join(f"{chance.choice(['alpha', 'river', 'stone', 'paper', 'cloud'])}-{chance.randrange(9999)}" for _ in range(chance.randrange(40, 160)))
        text = f"Message {number}. Remember that the code is {fact}." if number == 0 else f"Message {number}: {filler}"
        new = result(a.dialect, call, f"Sunny, {number}. {filler}") if call else words(a.dialect, text)
        replay = f"{session}-{number:04d}"; call = f"call_{number}" if number % 9 == 5 else None
        reply = {"text": f"Answer {number}: {filler[:200]}", "tool_calls": [{"id": call, "name": "weather", "arguments": json.dumps({"city": f"c{number}"})}] if call else []}
        if a.dialect == "anthropic": reply["thinking"] = f"What about {number}? \u2028 e\u0301 \U0001f980"
        control(a.stub, f"reply?id={replay}", reply)
        kill = number in kill_at
        if kill: control(a.stub, "opt?slow=0.05"); timer = threading.Timer(chance.uniform(0.02, 0.4), gateway.kill); timer.start()
        for attempt in range(6):
            try:
                connection = http.client.HTTPConnection(gateway.host, gateway.port, timeout=60)
                connection.request("POST", PATHS[a.dialect], json.dumps(body(a.dialect, new, replay, stream)), headers)
                answer = connection.getresponse(); data = answer.read()
                if answer.getheader("x-epitome-error") == "history_not_stored": time.sleep(0.2); continue
                if answer.status != 200: problems.append(f"message {number}: HTTP {answer.status} {data[:200]}"); break
                # A stream is kept when its last event arrives; an answer in one piece is kept when it arrives.
                if answer.getheader("x-epitome-history") != ("pending" if stream else "kept"): problems.append(f"message {number}: {answer.getheader('x-epitome-history')}")
                if complete(a.dialect, stream, data): break
            except (OSError, http.client.HTTPException): pass
            if kill:
                timer.join(); kill = False; kills += 1; repeated += 1
                control(a.stub, "opt?slow=0"); gateway.start()
            else: time.sleep(0.2)
        else: problems.append(f"message {number}: not answered")
        if kill: timer.join(); kills += 1; control(a.stub, "opt?slow=0"); gateway.start()
        if problems: break
    gateway.kill(); time.sleep(0.5)  # the stub writes a recording when its answer has ended
    requests = []
    for name in sorted(glob.glob(os.path.join(recordings, "*.json"))):
        with open(name) as file: entry = json.load(file)
        if entry["method"] == "POST" and isinstance(entry.get("body"), dict): requests.append(entry)
    errors = [error for entry in requests for error in (entry.get("checks") or {}).get("errors", [])]
    if errors: problems.append(f"{len(errors)} requests were refused, first: {errors[0]}")
    largest = max(tokens(entry["body"]) for entry in requests)
    if largest > a.window: problems.append(f"{largest} tokens were sent")
    compactions, before, size = 0, [], 0
    for entry in requests:
        now = said(entry["body"]); common = 0
        if not entry["body"].get("x_replay"): continue
        while common < min(len(now), len(before)) and now[common] == before[common]: common += 1
        # A message that is sent again stands where it stood.
        if common < len(before) - 1:
            compactions += 1
            if tokens(entry["body"]) >= size: problems.append(f"request {entry['seq']}: the prefix moved, and nothing became smaller")
        before, size = now, tokens(entry["body"])
    everything = "\n".join(before)
    for number in range(0 if a.window >= 1_000_000 else a.messages - 6, a.messages):
        asked = max(everything.find(f"Message {number}{mark}") for mark in ".:") if everything.find(f"Sunny, {number}.") < 0 else everything.find(f"Sunny, {number}.")
        answered = everything.find(f"Answer {number}:") if number + 1 < a.messages else asked
        if asked < 0 or answered < asked: problems.append(f"message {number} or its answer is missing")
    if a.window < 1_000_000 and compactions < 3 or a.window >= 1_000_000 and compactions: problems.append(f"{compactions} compactions")
    if fact not in json.dumps(before): problems.append("the fact of the first message is lost")
    print(json.dumps({"dialect": a.dialect, "stream": stream, "messages": a.messages, "kills": kills, "sent_again": repeated, "requests": len(requests), "compactions": compactions,
                      "largest": largest, "window": a.window, "kept_in_last": len(before), "seconds": round(time.time() - began, 1), "problems": problems}))
    sys.exit(1 if problems else 0)


main()
