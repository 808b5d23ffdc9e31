"""HTTP/1.1 byte by byte, for a client and for a provider: nothing here corrects what a test wants to be wrong."""

import asyncio
from dataclasses import dataclass, field

HEAD_LIMIT = 1 << 20


@dataclass
class Answer:
    """What a client got. `whole`: it came to the end that its head announced."""
    status: int = 0
    headers: dict = field(default_factory=dict)
    body: bytes = b""
    whole: bool = False

    def header(self, name):
        return self.headers.get(name, "")

    @property
    def action(self):
        reason = self.header("x-epitome-reason")
        return self.header("x-epitome-action") + (f": {reason}" if reason else "")

    @property
    def our_error(self):
        """The name of an error that the gateway itself answers with."""
        return self.header("x-epitome-error")


class NoAnswer(Exception):
    """The connection ended, or stayed silent, before a head of an answer came."""


def request(method, path, headers, body=b"", framing="length"):
    lines = [f"{method} {path} HTTP/1.1", "host: 127.0.0.1", *(f"{name}: {value}" for name, value in headers.items())]
    if framing == "length":
        lines.append(f"content-length: {len(body)}")
    return "\r\n".join(lines).encode("latin-1", "replace") + b"\r\n\r\n" + body


def chunked(body, sizes):
    """A body in chunks of these sizes, again and again, and its end."""
    out, at, turn = [], 0, 0
    while at < len(body):
        piece = body[at:at + sizes[turn % len(sizes)]]
        out += [b"%x\r\n" % len(piece), piece, b"\r\n"]
        at, turn = at + len(piece), turn + 1
    return b"".join(out) + b"0\r\n\r\n"


async def read_head(reader):
    raw = await reader.readuntil(b"\r\n\r\n")
    first, *lines = raw[:-4].decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in lines)
    return first, {name.strip().lower(): value.strip() for name, _, value in pairs}


async def read_body(reader, headers, until_end, sink):
    """Reads as the head says, into `sink` piece by piece, so that what came before a break is not lost."""
    if "chunked" in headers.get("transfer-encoding", "").lower():
        while True:
            size = int((await reader.readuntil(b"\r\n")).split(b";")[0], 16)
            if size:
                sink += await reader.readexactly(size)
            if await reader.readexactly(2) != b"\r\n":
                raise ValueError("a chunk that does not end where it says")
            if not size:
                return
    elif "content-length" in headers:
        left = int(headers["content-length"])
        while left:
            piece = await reader.read(min(left, 1 << 18))
            if not piece:
                raise asyncio.IncompleteReadError(bytes(sink), None)
            sink += piece
            left -= len(piece)
    elif until_end:
        while piece := await reader.read(1 << 18):
            sink += piece


async def read_answer(reader, method="POST", on_head=None):
    answer = Answer()
    while answer.status < 200:
        try:
            first, answer.headers = await read_head(reader)
            answer.status = int(first.split(" ")[1])
        except (OSError, EOFError, ValueError, IndexError, asyncio.LimitOverrunError) as error:
            raise NoAnswer(repr(error)) from error
    if on_head:
        on_head(answer)
    sink = bytearray()
    try:
        if method != "HEAD" and answer.status not in (204, 304):
            await read_body(reader, answer.headers, True, sink)
        answer.whole = True
    except (OSError, EOFError, ValueError, asyncio.LimitOverrunError):
        pass
    answer.body = bytes(sink)
    return answer


class Connection:
    """A connection that is kept for the next request, as clients do."""

    def __init__(self):
        self.port, self.reader, self.writer = None, None, None

    async def ask(self, port, data, patience=60, on_head=None, method="POST"):
        """Raises NoAnswer. What ends a connection that was idle is no fault: it is asked once more on a new one."""
        try:
            async with asyncio.timeout(patience):
                kept = self.writer is not None and self.port == port and not self.reader.at_eof()
                if kept:
                    try:
                        return await self.once(data, on_head, method)
                    except NoAnswer:
                        pass
                self.close()
                await self.open(port)
                return await self.once(data, on_head, method)
        except TimeoutError as error:
            self.close()
            raise NoAnswer(f"nothing within {patience} s") from error
        except OSError as error:
            self.close()
            raise NoAnswer(repr(error)) from error

    async def open(self, port):
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", port, limit=HEAD_LIMIT)
        self.port = port

    async def once(self, data, on_head, method):
        # An answer may come, and the connection end, before all is written: so both go on side by side.
        self.writer.write(data)
        answer = await read_answer(self.reader, method, on_head)
        if not answer.whole or "close" in answer.header("connection").lower():
            self.close()
        return answer

    def close(self):
        if self.writer:
            self.writer.transport.abort()
        self.reader = self.writer = None


async def ask_once(port, data, patience=60, method="POST"):
    connection = Connection()
    try:
        return await connection.ask(port, data, patience, method=method)
    finally:
        connection.close()


async def get(port, path):
    return await ask_once(port, request("GET", path, {}), method="GET")
