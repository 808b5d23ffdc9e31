"""A provider on loopback: answers in three dialects, keeps what it was sent, and says when it has come how far."""

import asyncio
import json
from dataclasses import dataclass, field

import dialects
from wire import HEAD_LIMIT, read_body, read_head

MARK = "x-chaos"          # Who asks: session.turn.attempt.
CALLS = "x-chaos-calls"   # The answer is to call a tool under this name.


@dataclass
class Call:
    """A request as it arrived."""
    method: str
    path: str
    headers: dict
    body: bytes
    dialect: object = None
    mark: str = ""
    stream: bool = False
    events: list = field(default_factory=list)


def answer_text(mark):
    turn = mark.rsplit(".", 1)[0]
    return f"<answer {turn}> It is done as it was asked, the next step can begin now, and nothing else was found."


class Stub:
    """`on_moment(name, call)` is called at once when a call has come so far. `respond(call, writer)` may be replaced."""

    def __init__(self, window=None):
        self.window, self.too_long_words = window, too_long
        self.on_moment = lambda moment, call: None
        self.on_call = lambda call: None
        self.respond = self.answer
        self.calls, self.too_long, self.largest = 0, 0, 0
        self.connections = set()

    async def start(self):
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0, limit=HEAD_LIMIT, backlog=1024)
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    async def close(self):
        self.server.close()
        for writer in list(self.connections):
            writer.transport.abort()
        await asyncio.sleep(0)

    async def serve(self, reader, writer):
        self.connections.add(writer)
        try:
            while True:
                first, headers = await read_head(reader)
                method, path, _ = first.split(" ")
                body = bytearray()
                await read_body(reader, headers, False, body)
                call = Call(method, path, headers, bytes(body), dialects.of(path), headers.get(MARK, ""))
                call.stream = b'"stream":true' in call.body[-64:]
                self.calls += 1
                self.on_call(call)
                self.on_moment("arrived", call)
                if await self.respond(call, writer) is False:
                    break
        except (OSError, EOFError, ValueError, asyncio.LimitOverrunError, asyncio.CancelledError):
            pass  # The connection ended, or the run did.
        finally:
            self.connections.discard(writer)
            writer.transport.abort() if writer.transport.is_closing() else writer.close()

    async def answer(self, call, writer):
        if "count_tokens" in call.path:
            return await self.send(writer, 200, {"input_tokens": dialects.tokens(call.body)})
        if not call.dialect:
            return await self.send(writer, 404, {"error": {"message": "there is nothing here"}})
        used = dialects.tokens(call.body)
        if call.mark:
            if problem := dialects.refused(call.dialect, call.body):
                return await self.send(writer, 400, call.dialect.error(problem, "invalid"))
            self.largest = max(self.largest, used)
            if self.window and used > self.window:
                self.too_long += 1
                words, code = self.too_long_words(call.dialect, used, self.window)
                return await self.send(writer, 400, call.dialect.error(words, code))
        tool, text = call.headers.get(CALLS), answer_text(call.mark)
        if not call.stream:
            await self.send(writer, 200, call.dialect.whole(text, tool, used))
            return self.on_moment("ended", call)
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        events = list(call.dialect.events(text, tool, used))
        for index, event in enumerate(events):
            moment = {1: "begun", len(events) // 2: "middle", len(events) - 1: "before the end"}.get(index)
            if moment:
                await writer.drain()
                self.on_moment(moment, call)
            writer.write(b"%x\r\n" % len(event) + event + b"\r\n")
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        self.on_moment("ended", call)

    async def send(self, writer, status, body, headers=()):
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        lines = [f"HTTP/1.1 {status} Status", "content-type: application/json", *headers, f"content-length: {len(raw)}"]
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + raw)
        await writer.drain()


def too_long(dialect, used, window):
    """How the makers of the three dialects say it."""
    if dialect.name == "anthropic":
        return f"prompt is too long: {used} tokens > {window} maximum", None
    if dialect.name == "chat":
        return (f"This model's maximum context length is {window} tokens. However, your messages resulted in {used} tokens. "
                "Please reduce the length of the messages."), "context_length_exceeded"
    return "Your input exceeds the context window of this model. Please adjust your input and try again.", "context_length_exceeded"
