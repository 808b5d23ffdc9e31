"""Slow and silent clients beside working ones."""

import asyncio
import random
import time

import dialects
from checks import Promises
from processes import Gateway, stage
from stub import MARK
from wire import NoAnswer, ask_once, request

SERVED, SOON, LIVES = "working clients on new connections are served", "none of them waits longer than 10 s", "the gateway lives"
NOT_READ = "an answer that nobody reads is not held in memory"
FILES = 512  # That the gateway may have open.
TOKEN = {"x-epitome-token": "chaos-token"}
BODY = dialects.ALL[0].body("x", dialects.ALL[0].user("much"), True)
MUCH = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n", b'data: {"type":"ping","x":"' + b"x" * 50_000 + b'"}\n\n'

# What each sends, and how many bytes of it a second.
SLOW = {
    "silent": (b"", None),
    "idle after an answer": (request("GET", "/healthz", {}), None),
    "a byte a second": (request("POST", "/v1/messages", {f"x-{number}": "y" for number in range(40)}), 1),
    "a body that does not come": (request("POST", "/v1/messages", {"content-length": 100_000, **TOKEN}, b'{"model":', framing=None), None),
    "a chunk that does not end": (request("POST", "/v1/messages", {"transfer-encoding": "chunked", **TOKEN}, b"4000\r\n{", framing=None), None),
    "reads nothing": (request("POST", "/v1/messages", {"x-chaos-much": "1", **TOKEN}, BODY), None),
}


async def slow_client(gateway, kind, tried):
    sends, pace = SLOW[kind]
    try:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", gateway.port)
        finally:
            tried.put_nowait(kind)
        if kind == "reads nothing":
            writer.transport.pause_reading()
        for at in range(0, len(sends), pace or len(sends) or 1):
            writer.write(sends[at:at + (pace or len(sends))])
            await asyncio.sleep(1 if pace else 0)
        await reader.read()
    except OSError:
        pass  # It was closed, as it should be.


async def run(options, requests):
    promises, chance, slow = Promises("slow", [SERVED, SOON, LIVES, NOT_READ]), random.Random(options.seed), []
    async with stage(options) as (place, stub):
        usual = stub.respond

        async def respond(call, writer):
            if "x-chaos-much" not in call.headers:
                return await usual(call, writer)
            writer.write(MUCH[0])
            for _ in range(400):
                writer.write(MUCH[1])
                await writer.drain()
            return False

        stub.respond = respond
        token = place.path / "token"
        token.write_text(TOKEN["x-epitome-token"])
        gateway = await Gateway(place, "gateway", stub.url, "memory", [("auth.token_file", token)], files=FILES).start()
        before = gateway.memory()
        silent = ["silent", "a byte a second", "idle after an answer"]
        crowds = {"10 of each kind": [*SLOW] * 10, "more than there are file descriptors": [chance.choice(silent) for _ in range(2 * FILES)]}
        try:
            for name, kinds in crowds.items():
                tried, waits = asyncio.Queue(), []
                slow += [asyncio.create_task(slow_client(gateway, kind, tried)) for kind in kinds]
                for _ in kinds:
                    await tried.get()
                await asyncio.gather(*(work(gateway, f"{name}.{number}", requests // 8, promises, waits) for number in range(4)))
                promises.figure(f"p99 of working clients beside {name}, ms", round(sorted(waits)[int(len(waits) * 0.99)] * 1000, 1))
                promises.check(LIVES, gateway.runs and not gateway.aborts, gateway.aborts)
                promises.check(NOT_READ, (gateway.memory() or 0) - before < 120, f"{before:.0f} → {gateway.memory()} MB")
        finally:
            for task in slow:
                task.cancel()
    return promises.result()


async def work(gateway, name, requests, promises, waits):
    """A client that opens a connection for each request; it gives up where it is not served three times in a row."""
    failed = 0
    for number in range(requests):
        dialect, began = dialects.ALL[number % 3], time.monotonic()
        headers = {**dialect.credential("sk-slow"), MARK: f"{name}.{number}.0", **TOKEN}
        body = dialect.body("Be brief.", dialect.user(f"{name}, {number}"), number % 2 == 0)
        try:
            answer = await ask_once(gateway.port, request("POST", dialect.path, headers, body), patience=20)
            served = dialects.answered(dialect, number % 2 == 0, answer)
        except NoAnswer as error:
            answer, served = error, False
        waits.append(time.monotonic() - began)
        promises.check(SERVED, served, f"{name}.{number}: {answer}")
        promises.check(SOON, waits[-1] < 10, f"{name}.{number}: {waits[-1]:.1f} s")
        failed = 0 if served else failed + 1
        if failed == 3:
            return
