"""Slow and silent clients beside working ones."""

import asyncio
import random
import time

import dialects
from checks import Promises
from processes import Gateway, Place
from stub import MARK, Stub
from wire import Connection, NoAnswer, request

SERVED, SOON, LIVES = "working clients on new connections are served", "none of them waits longer than 10 s", "the gateway lives"
NOT_READ = "an answer that nobody reads is not held in memory"
FILES = 512


class SlowClient:
    """A connection that is opened and not used as it should be."""

    def __init__(self, gateway, kind, chance):
        self.gateway, self.kind, self.chance, self.writer = gateway, kind, chance, None

    async def live(self):
        try:
            reader, self.writer = await asyncio.open_connection("127.0.0.1", self.gateway.port)
            await getattr(self, self.kind)(reader)
            await reader.read(1)
        except OSError:
            pass

    async def silent(self, reader):
        pass

    async def after_an_answer(self, reader):
        self.writer.write(request("GET", "/healthz", {}))

    async def drip(self, reader):
        for byte in request("POST", "/v1/messages", {f"x-{number}": "y" for number in range(40)}):
            self.writer.write(bytes([byte]))
            await asyncio.sleep(1)

    async def no_body(self, reader):
        self.writer.write(request("POST", "/v1/messages", {"content-length": 100_000}, b'{"model":', framing=None))

    async def chunk_without_end(self, reader):
        self.writer.write(request("POST", "/v1/messages", {"transfer-encoding": "chunked"}, b"4000\r\n{", framing=None))

    async def deaf(self, reader):
        """Asks for a large answer and reads nothing of it."""
        body = dialects.ALL[0].body("x", dialects.ALL[0].user("much"), True)
        reader._transport.pause_reading()
        self.writer.write(request("POST", "/v1/messages", {"x-chaos-much": "1", "x-epitome-token": "chaos-token"}, body))
        await asyncio.Event().wait()


KINDS = ["silent", "after_an_answer", "drip", "no_body", "chunk_without_end", "deaf"]


async def run(options, requests):
    promises = Promises("slow", [SERVED, SOON, LIVES, NOT_READ])
    place, stub = Place(options.epitome), await Stub().start()
    token = place.path / "token"
    token.write_text("chaos-token\n")
    gateway = Gateway(place, "gateway", stub.url, "memory", [("auth.token_file", token)], files=FILES)
    chance, usual, strangers = random.Random(f"{options.seed}/slow"), stub.respond, []

    async def respond(call, writer):
        if "x-chaos-much" not in call.headers:
            return await usual(call, writer)
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n")
        for _ in range(400):
            writer.write(b'data: {"type":"ping","x":"' + b"x" * 50_000 + b'"}\n\n')
            await writer.drain()
        return False

    stub.respond = respond
    waits = []
    try:
        await gateway.start()
        for stage, each in (("a few of each kind", 10), ("more than there are file descriptors", FILES // 4)):
            before = gateway.memory()
            clients = [SlowClient(gateway, kind, chance) for kind in KINDS for _ in range(each)]
            if stage != "a few of each kind":
                clients = [SlowClient(gateway, chance.choice(["silent", "drip", "after_an_answer"]), chance) for _ in range(2 * FILES)]
            strangers += [asyncio.create_task(client.live()) for client in clients]
            asked = asyncio.gather(*(work(gateway, f"{stage[:6]}.{number}", requests // 8, promises, waits) for number in range(4)))
            await asked
            if stage == "a few of each kind":
                promises.check(NOT_READ, (gateway.memory() or 0) - before < 120, f"{before:.0f} → {gateway.memory():.0f} MB")
                promises.figure("p99 beside a few of each kind, ms", percentile(waits))
                waits = []
            promises.check(LIVES, gateway.runs and not gateway.aborts, gateway.aborts)
        promises.figure(f"p99 beside {2 * FILES} silent connections, {FILES} file descriptors, ms", percentile(waits))
    finally:
        for stranger in strangers:
            stranger.cancel()
        await stub.close()
        await place.close()
    return promises.result()


async def work(gateway, name, requests, promises, waits):
    """A client that opens a connection for each request; it gives up where it is not served three times in a row."""
    failed = 0
    for number in range(requests):
        dialect, connection, began = dialects.ALL[number % 3], Connection(), time.monotonic()
        headers = {**dialect.credential("sk-slow"), MARK: f"{name}.{number}.0", "x-epitome-token": "chaos-token"}
        body = dialect.body("Be brief.", dialect.user(f"{name}, {number}"), number % 2 == 0)
        try:
            answer = await connection.ask(gateway.port, request("POST", dialect.path, headers, body), patience=20)
            served = dialects.answered(dialect, number % 2 == 0, answer)
        except NoAnswer as error:
            answer, served = error, False
        connection.close()
        waits.append(time.monotonic() - began)
        promises.check(SERVED, served, f"{name}.{number}: {answer}")
        promises.check(SOON, waits[-1] < 10, f"{name}.{number}: {waits[-1]:.1f} s")
        failed = 0 if served else failed + 1
        if failed == 3:
            return


def percentile(waits):
    return round(sorted(waits)[int(len(waits) * 0.99)] * 1000, 1) if waits else None
