#!/usr/bin/env python3
"""Do small requests notice heavy ones? Their latency beside heavy bodies, and beside another process that burns as much CPU.

usage: heavy.py EPITOME [--large 4] [--large-mb 40] [--letters 4] [--letters-mb 20] [--rate 20] [--small-kb 20]
                        [--max-buffered 256000000] [--set KEY=VALUE]... [--rounds 1] [--check]

EPITOME is the program, built with --profile dist. Standard library only; Linux, for /proc.

1. heavy: a gateway gets all heavy bodies at once, `--large` sessions of words and `--letters` messages of one letter, and small
   requests at a steady rate, each on a connection of its own, until the last heavy one is answered. The time of a small request
   counts from when it was due (open loop). What the gateway used of the CPU and its peak of memory are read from /proc.
2. control: another gateway gets the same small requests for as long, while as many processes as the pool has threads burn as much
   CPU as the heavy bodies cost in 1.
3. quiet: the same small requests with nothing beside them, for comparison.

Heavy bodies speak Chat and small ones Messages, so that each kind has a provider of its own (a stub that answers at once): a busy
stub is not what is measured. Who sends and takes heavy bodies plays other machines, and so gives way to the rest (nice). Writes one JSON line a run and one with the ratio of the p99s. --check fails if that is above 3, if
the peak is above 600 MB or if an answer is not 200.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import random
import re
import subprocess
import sys
import tempfile
import time

WORDS = ("the of and to in is for on that with as it by from at this was are not have which session request error line file "
         "value index build test compile module function return string number write read open close path server client "
         "provider context window token summary message answer result output input memory thread pool queue wait").split()
# Answers of a provider that says nothing much.
MESSAGES = json.dumps({"id": "m", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn",
                       "content": [{"type": "text", "text": "ok"}], "usage": {"input_tokens": 10, "output_tokens": 1}})
CHAT = json.dumps({"id": "c", "object": "chat.completion", "model": "m", "choices": [
    {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "ok"}}]})


GIVES_WAY = 15


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("epitome")
    parser.add_argument("--large", type=int, default=4, help="sessions of words")
    parser.add_argument("--large-mb", type=float, default=40)
    parser.add_argument("--letters", type=int, default=4, help="messages of one letter")
    parser.add_argument("--letters-mb", type=float, default=20)
    parser.add_argument("--rate", type=float, default=20, help="small requests a second")
    parser.add_argument("--small-kb", type=float, default=20)
    parser.add_argument("--max-buffered", type=int, default=256_000_000, help="0 leaves it out, for programs that do not know it")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="more settings of the gateway")
    parser.add_argument("--rounds", type=int, default=1, help="times all of it is done, each with new gateways; the p99s are of all rounds")
    parser.add_argument("--check", action="store_true", help="fail if the goals are not reached")
    return parser.parse_args()


# A session of about so many bytes: requests of a person, answers, and outputs of tools, as agents have them.
def session(size, seed):
    words = random.Random(seed)
    text = lambda count: " ".join(words.choices(WORDS, k=count))
    messages, length, number = [{"role": "user", "content": f"Task {seed}: {text(100)}"}], 0, 0
    while length < size:
        number += 1
        call = {"id": f"c{number}", "type": "function", "function": {"name": "bash", "arguments": json.dumps({"n": number})}}
        output = "\n".join(f"{line}: {text(12)}" for line in range(120))
        messages += [{"role": "assistant", "content": text(60), "tool_calls": [call]},
                     {"role": "tool", "tool_call_id": f"c{number}", "content": output}]
        if number % 20 == 0:
            messages += [{"role": "assistant", "content": text(80)}, {"role": "user", "content": text(50)}]
        length += len(output) + 700
    messages.append({"role": "user", "content": f"Now finish task {seed}."})
    return json.dumps({"model": "heavy", "messages": messages}).encode()


def one_letter(size, seed):
    messages = [{"role": "user", "content": f"Hello {seed}."}, {"role": "assistant", "content": "Hello."},
                {"role": "user", "content": "a" * size}]
    return json.dumps({"model": "heavy", "messages": messages}).encode()


def small(size, seed):
    words = random.Random(seed)
    messages = [{"role": ("user", "assistant")[turn % 2], "content": " ".join(words.choices(WORDS, k=size // 6 // 11))}
                for turn in range(11)]
    return json.dumps({"model": "small", "max_tokens": 100, "messages": messages}).encode()


# Reads the head of a request or an answer: its first line, and its headers.
async def head(reader):
    raw = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    return raw[0], {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in raw[1:] if line)}


async def skip_body(reader, headers):
    if headers.get("transfer-encoding") == "chunked":
        while length := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
            await reader.readexactly(length + 2)
        await reader.readuntil(b"\r\n")
        return
    left = int(headers.get("content-length", 0))
    while left:
        part = await reader.read(min(left, 1 << 20))
        if not part:
            raise EOFError("the body broke off")
        left -= len(part)


def provider(answer, port, gives_way):
    os.nice(gives_way)

    async def serve(reader, writer):
        try:
            while True:
                _, headers = await head(reader)
                await skip_body(reader, headers)
                writer.write(f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(answer)}\r\n\r\n"
                             f"{answer}".encode())
                await writer.drain()
        except (EOFError, ConnectionError, asyncio.IncompleteReadError):
            writer.close()

    async def run():
        server = await asyncio.start_server(serve, "127.0.0.1", 0, limit=1 << 20)
        port.value = server.sockets[0].getsockname()[1]
        await server.serve_forever()
    asyncio.run(run())


# Asks once, on a connection of its own. The status, and what was done.
async def ask(port, path, body):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    request = (f"POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nconnection: close\r\n"
               f"content-length: {len(body)}\r\n\r\n").encode()
    writer.write(request)
    for at in range(0, len(body), 1 << 20):
        writer.write(body[at:at + (1 << 20)])
        await writer.drain()
    line, headers = await head(reader)
    await skip_body(reader, headers)
    writer.close()
    return int(line.split()[1]), headers.get("x-epitome-action", "-")


def send_heavy(port, bodies, results):
    os.nice(GIVES_WAY)

    async def one(name, body):
        began = time.monotonic()
        try:
            status, action = await ask(port, "/v1/chat/completions", body)
        except (OSError, EOFError) as error:
            status, action = 0, str(error)
        results.put((name, status, action, round(time.monotonic() - began, 2)))

    async def run():
        await asyncio.gather(*(one(name, body) for name, body in bodies))
    asyncio.run(run())


# Small requests at a steady rate until `over` is set; their latencies and statuses.
def send_small(port, body, rate, over, results):
    async def one(due):
        try:
            status, _ = await ask(port, "/v1/messages", body)
        except (OSError, EOFError):
            status = 0
        return time.monotonic() - due, status

    async def run():
        began, tasks = time.monotonic(), []
        while not over.is_set():
            due = began + len(tasks) / rate
            await asyncio.sleep(max(0, due - time.monotonic()))
            tasks.append(asyncio.create_task(one(due)))
        results.put(await asyncio.gather(*tasks))
    asyncio.run(run())


def burn(seconds):
    while time.process_time() < seconds:
        sum(range(10_000))


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(pid, field):
    with open(f"/proc/{pid}/status") as file:
        return int(re.search(rf"{field}:\s+(\d+)", file.read()).group(1)) / 1024


class Gateway:
    def __init__(self, options, providers):
        self.directory = tempfile.TemporaryDirectory(prefix="epitome-heavy-")
        settings = [f"gateway.max_buffered={options.max_buffered}"] if options.max_buffered else []
        settings += [f"gateway.upstream_anthropic=http://127.0.0.1:{providers[0]}",
                    f"gateway.upstream_chat=http://127.0.0.1:{providers[1]}", "auxiliary.compression.provider=local",
                    "model.context_length=200000", *options.set]
        command = [options.epitome, "serve", "--listen", "127.0.0.1:0", "--store", os.path.join(self.directory.name, "store.db")]
        command += [word for setting in settings for word in ("--set", setting)]
        environment = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "EPITOME_LOG": "error"}
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
        for line in self.process.stderr:
            if found := re.search(r"listening on http://127\.0\.0\.1:(\d+)", line):
                self.port, self.pid = int(found.group(1)), self.process.pid
                return
        sys.exit("the gateway did not start")

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.directory.cleanup()


def share(values, part):
    return sorted(values)[min(len(values) - 1, int(len(values) * part))] * 1000


# One run: `beside` does something beside the small requests and ends when that is done.
def run(name, options, providers, body, beside):
    gateway, over, results = Gateway(options, providers), multiprocessing.Event(), multiprocessing.Queue()
    for _ in range(5):
        asyncio.run(ask(gateway.port, "/v1/messages", body))
    cpu, began = cpu_seconds(gateway.pid), time.monotonic()
    sender = multiprocessing.Process(target=send_small, args=(gateway.port, body, options.rate, over, results))
    sender.start()
    more = beside(gateway)
    took = time.monotonic() - began
    over.set()
    answers = results.get()
    sender.join()
    cpu, peak, after = cpu_seconds(gateway.pid) - cpu, memory(gateway.pid, "VmHWM"), memory(gateway.pid, "VmRSS")
    gateway.stop()
    times = [seconds for seconds, _ in answers]
    told = {"run": name, "seconds": round(took, 1), "small_requests": len(times), "not_200": sum(s != 200 for _, s in answers),
            "p50_ms": round(share(times, 0.5), 2), "p99_ms": round(share(times, 0.99), 2), "max_ms": round(max(times) * 1000, 2),
            "gateway_cpu_s": round(cpu, 2), "peak_mb": round(peak), "after_mb": round(after), **more}
    print(json.dumps(told), flush=True)
    return told, times


def main():
    options = arguments()
    ports = [multiprocessing.Value("i", 0) for _ in range(2)]
    stubs = [multiprocessing.Process(target=provider, args=of, daemon=True) for of in zip((MESSAGES, CHAT), ports, (0, GIVES_WAY))]
    for stub in stubs:
        stub.start()
    while not all(port.value for port in ports):
        time.sleep(0.05)
    providers = [port.value for port in ports]
    body = small(int(options.small_kb * 1000), 1)
    bodies = [(f"words {seed}", session(int(options.large_mb * 1e6), seed)) for seed in range(options.large)]
    bodies += [(f"letters {seed}", one_letter(int(options.letters_mb * 1e6), seed)) for seed in range(options.letters)]

    def heavy(gateway):
        results = multiprocessing.Queue()
        sender = multiprocessing.Process(target=send_heavy, args=(gateway.port, bodies, results))
        sender.start()
        answers = [results.get() for _ in bodies]
        sender.join()
        return {"heavy": answers}
    burners = max(1, len(os.sched_getaffinity(0)) - 1)
    beside_heavy, beside_control, peak, wrong = [], [], 0, 0
    for _ in range(options.rounds):
        heavily, times = run("heavy", options, providers, body, heavy)
        beside_heavy += times

        def control(gateway):
            began = time.monotonic()
            processes = [multiprocessing.Process(target=burn, args=(heavily["gateway_cpu_s"] / burners,)) for _ in range(burners)]
            for process in processes:
                process.start()
            for process in processes:
                process.join()
            time.sleep(max(0, heavily["seconds"] - (time.monotonic() - began)))
            return {"burners": burners}
        controlled, times = run("control", options, providers, body, control)
        beside_control += times
        run("quiet", options, providers, body, lambda gateway: time.sleep(min(heavily["seconds"], 20)) or {})
        peak = max(peak, heavily["peak_mb"])
        wrong += heavily["not_200"] + controlled["not_200"] + sum(answer[1] != 200 for answer in heavily["heavy"])
    ratio = share(beside_heavy, 0.99) / share(beside_control, 0.99)
    print(json.dumps({"p99_ms": [round(share(times, 0.99), 2) for times in (beside_heavy, beside_control)], "small_requests": len(beside_heavy),
                      "p99_ratio": round(ratio, 2), "peak_mb": peak, "not_200": wrong}))
    if options.check and (ratio > 3 or peak > 600 or wrong):
        sys.exit("a goal is not reached: p99 at most 3 times the control's, peak at most 600 MB, all answers 200")


if __name__ == "__main__":
    main()
