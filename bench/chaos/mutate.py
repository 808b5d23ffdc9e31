"""Requests that nobody should send, and answers that no provider should give."""

import asyncio
import gzip
import json
import random
import zlib
from collections import Counter

import agents
import dialects
from checks import Promises
from processes import Gateway, files_with, stage
from stub import MARK
from wire import HEAD_LIMIT, Connection, NoAnswer, ask_once, chunked, request

ANSWERED = "every request is answered"
OURS = "no answer of ours with 500 or above"
BYTES = "what is not edited reaches the provider byte for byte"
RAW = "after broken HTTP the next client is served, and nothing is sent on that nobody asked for"
BACK = "an odd answer reaches the client as it came"
KEPT = "an odd answer that is said to be kept is kept"
APART = "two sessions with two names have two histories"
MEMORY = "memory does not grow with the number of requests"
DEPTHS = [3, 10, 64, 126, 127, 128, 129, 200, 511, 513, 1000, 5000, 20_000, 100_000]
HOLE = "@@hole@@"


# ---- Requests as trees, with a place for what JSON's writer would not write.

def base(chance):
    """A request of each dialect with everything in it that they know, and some that they do not."""
    dialect = chance.choice(dialects.ALL)
    elements = dialect.user(f"Please look at {chance.random()}")
    for number in range(chance.randrange(4)):
        elements += dialect.said(f"Step {number}.", f"call_{number}") + dialect.result(f"call_{number}", f"found {chance.random()}\nfailed 1")
    tree = json.loads(dialect.body("Be brief.", elements, chance.random() < 0.5))
    tree["x_unknown"] = {"a": [1, 2.50, -0.0, None], "b": "ü\u2028"}
    return dialect, tree


def nodes(tree, path=()):
    yield path
    pairs = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in pairs:
        yield from nodes(value, (*path, key))


def put(tree, path, value):
    if not path:
        return value
    at = tree
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return tree


def hole(tree, chance, raw):
    """The tree as bytes, with these bytes in place of one of its values."""
    return dialects.ser(put(tree, chance.choice(list(nodes(tree))[1:]), HOLE)).replace(dialects.ser(HOLE), raw)


def nested(tree, chance, depths):
    depth = chance.choice(depths)
    begin, end = chance.choice([(b"[", b"]"), (b'{"a":', b"}"), (b'[{"content":', b"}]"), (b'{"type":"text","content":[', b"]}")])
    closed = chance.random() < 0.8
    return hole(tree, chance, begin * depth + b"1" * closed + end * depth * closed)


def in_known_places(tree, chance, depths):
    """Nesting where readers look: blocks, results, arguments."""
    depth = chance.choice(depths)
    deep = "[" * depth + "]" * depth
    key = "input" if "input" in tree else "messages"
    element = chance.choice([
        {"role": "user", "content": [{"type": "x_block", "x": HOLE}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_0", "content": HOLE}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "shell", "input": HOLE}]},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "type": "function", "function": {"name": "s", "arguments": deep}}]},
        {"type": "function_call", "call_id": "c", "name": "s", "arguments": deep},
        {"type": "function_call_output", "call_id": "c", "output": HOLE},
        {"type": "x_item", "x": HOLE}, HOLE])
    tree[key].append(element)
    return dialects.ser(tree).replace(dialects.ser(HOLE), deep.encode())


def wrong_type(tree, chance, depths):
    value = chance.choice([None, True, 0, -1, "", "x", [], {}, [None], {"": ""}, [[]], {"type": None}, ["text"], 1e300])
    return dialects.ser(put(tree, chance.choice(list(nodes(tree))), value))


def odd_value(tree, chance, depths):
    return hole(tree, chance, chance.choice([
        b"1e999", b"-0", b"1E+05", b"0.1e-400", b"9" * 400, b"01", b"+1", b".5", b"1.", b"NaN", b"-Infinity", b"'x'", b"\"\\ud800\"",
        b"\"\\udc00\\ud800\"", b"\"\\u0000\"", b"\"\x00\"", b"\"\n\"", b"\"\\x\"", b"\"\xff\xfe\"", b"\"\xed\xa0\x80\"", b"\"\xc0\xaf\"", b"tru", b"[1,]",
        b"{\"a\":1,}", b"{\"a\" 1}", b"{1:2}", b"//x\n1", b"", b"\"", b"\xef\xbb\xbf1", b"\"" + b"\\u0041" * 300 + b"\""]))


def doubled_key(tree, chance, depths):
    raw = dialects.ser(tree)
    at = [at for at in range(len(raw)) if raw[at:at + 1] == b"{"]
    cut = chance.choice(at) + 1
    return raw[:cut] + chance.choice([b'"role":"user",', b'"content":"x",', b'"messages":[],', b'"model":"m",', b'"type":"text",', b'"text":1,']) + raw[cut:]


def strange_history(tree, chance, depths):
    key = "input" if "input" in tree else "messages"
    history = tree[key]
    kind = chance.randrange(9)
    if kind == 0:
        chance.shuffle(history)
    elif kind == 1:
        tree[key] = []
    elif kind == 2:
        history.insert(0, chance.choice(history[-1:] or [{}]))
    elif kind == 3:
        history.append({"role": "tool", "tool_call_id": "nobody", "content": "x"})
    elif kind == 4:
        history.append({"role": chance.choice(["critic", "", "USER", "system", "developer", None, 7]), "content": "x"})
    elif kind == 5:
        history[chance.randrange(len(history))] = chance.choice([{}, {"role": "user"}, {"role": "user", "content": []}, {"content": "x"}, "x", None, []])
    elif kind == 6:
        tree[key] = chance.choice(["just a text", {"0": history}, None, 5])
    elif kind == 7:
        history.extend({"role": "user", "content": ""} for _ in range(chance.randrange(1, 300)))
    else:
        del history[chance.randrange(len(history)):]
    return dialects.ser(tree)


def large_key(tree, chance, depths):
    size = 1_000_000 if max(depths) > 5000 else 20_000
    tree[chance.choice(["k", "ü", "\\", "\u2028"]) * size] = chance.choice([1, None, "x" * 1000])
    return dialects.ser(tree)


def bits(tree, chance, depths):
    raw = bytearray(dialects.ser(tree))
    for _ in range(chance.randrange(1, 9)):
        raw[chance.randrange(len(raw))] ^= 1 << chance.randrange(8)
    return bytes(raw)


def pieces(tree, chance, depths):
    raw = dialects.ser(tree)
    one, two = sorted(chance.randrange(len(raw) + 1) for _ in range(2))
    return chance.choice([raw[:one], raw[one:], raw[:one] + raw[two:], raw[:two] + raw[one:], raw + raw, b"\xef\xbb\xbf" + raw, b" \t\r\n" * 50 + raw,
                          raw[:one] + chance.randbytes(20) + raw[one:], b"", b"[" + raw + b"]", raw + b"\x00", chance.randbytes(200)])


MUTATIONS = [bits, pieces, wrong_type, odd_value, doubled_key, strange_history, nested, in_known_places, large_key]


def encoded(raw, chance):
    """A body and its headers: whole, in chunks, packed, or only said to be."""
    kind = chance.randrange(12)
    if kind == 0:
        return gzip.compress(raw, 1), {"content-encoding": chance.choice(["gzip", "GZIP", "x-gzip", "gzip, identity"])}, "length"
    if kind == 1:
        return raw, {"content-encoding": chance.choice(["gzip", "deflate", "br", "zstd", "identity", "foo", "gzip, gzip", "", "gzip;q=1"])}, "length"
    if kind == 2:
        packed = gzip.compress(raw, 1)
        return packed[:chance.randrange(len(packed) + 1)] + chance.randbytes(5), {"content-encoding": "gzip"}, "length"
    if kind == 3:
        return zlib.compress(raw), {"content-encoding": "deflate"}, "length"
    if kind == 4:
        return raw, {"transfer-encoding": "chunked"}, [chance.choice([1, 3, 17, 1000, 70_000]) if len(raw) < 5000 else 70_000 for _ in range(3)]
    return raw, {}, "length"


STRANGE_HEADERS = {
    "x-epitome": ["off", "observe", "nonsense", "", "ÿ", "off, observe"],
    "x-epitome-session": ["a/../b", "", "ÿþ", "x" * 5000, "a b", "%00", "'; drop table sessions; --"],
    "x-epitome-history": ["server", "SERVER ", "nonsense", ""],
    "x-session-id": ["s", "ÿ"], "anthropic-beta": ["a,b,,", ""], "accept-encoding": ["gzip", "*;q=0", "br;q=x"],
    "expect": ["100-continue"], "content-type": ["", "text/plain", "application/json; charset=utf-16", "multipart/form-data"],
    "connection": ["x-chaos-hop, keep-alive"], "te": ["trailers"], "range": ["bytes=0-1"], "x-codex-turn-metadata": ['{"request_kind":"compaction"}', "{"],
}


def mutated(chance, number):
    """One request: its path, headers, body and how it is framed. The first ones nest, as deep as is tried anywhere."""
    dialect, tree = base(chance)
    nests = number < 12 * len(DEPTHS)
    # What takes milliseconds to read is rarer behind that, so that it does not take all of the time.
    depths = [DEPTHS[number % len(DEPTHS)]] if nests else DEPTHS if chance.random() < 0.03 else [depth for depth in DEPTHS if depth <= 5000]
    raw = chance.choice([nested, in_known_places] if nests else MUTATIONS)(tree, chance, depths)
    body, headers, framing = (raw, {}, "length") if nests else encoded(raw, chance)
    headers |= {"content-type": "application/json", **dialect.credential("sk-mutate-credential-0000")}
    for _ in range(chance.choice([0, 0, 0, 1, 2])):
        name = chance.choice(list(STRANGE_HEADERS))
        headers[name] = chance.choice(STRANGE_HEADERS[name])
    path = dialect.path + chance.choice([""] * 8 + ["?beta=true", "/count_tokens", "?a=%00&b=ü".encode().decode("latin-1")])
    if chance.random() < 0.1:
        path = chance.choice(["/v1/messages/count_tokens", "/v1/messages/count_tokens?beta=true"])
    return path, headers, body, framing


# ---- The scenario.

class Mutants:
    def __init__(self, promises, stub, seed):
        self.promises, self.seed, self.seen, self.left, self.actions, self.memory = promises, seed, {}, 0, Counter(), {}
        stub.on_call = self.saw
        stub.respond = lambda call, writer: respond_at_once(stub, call, writer)

    def saw(self, call):
        if call.mark:
            self.seen.setdefault(call.mark, []).append(call.body)

    async def worker(self, gateway, total):
        connection = Connection()
        while self.left > 0:
            self.left -= 1
            number = total - self.left
            chance = random.Random(f"{self.seed}/mutate/{gateway.name}/{number}")
            path, headers, body, framing = mutated(chance, number)
            mark = headers[MARK] = f"{gateway.name}.{number}.0"
            sent = chunked(body, framing) if isinstance(framing, list) else body
            data = request("POST", path, headers, sent, "length" if framing == "length" else None)
            try:
                answer = await connection.ask(gateway.port, data, patience=120)
            except NoAnswer as error:
                self.promises.check(ANSWERED, False, f"{mark}: {error}; {body[:80]!r}")
                await gateway.revive()
                continue
            self.promises.check(ANSWERED, True)
            self.actions[f"{answer.status} {answer.our_error or answer.action}"] += 1
            self.promises.check(OURS, answer.status < 500, f"{mark}: {answer.status} {answer.body[:200]!r}")
            seen = self.seen.pop(mark, [])
            # With a history of the gateway's before it, the body is another.
            alone = headers.get("x-epitome-history", "").strip().lower() != "server"
            if answer.action.split(":")[0] in ("", "untouched") and alone:
                self.promises.check(BYTES, seen == [body], f"{mark} ({answer.action}): {body[:100]!r} -> {[one[:100] for one in seen]}")
            if self.left % max(1, total // 10) == 0:
                self.memory[100 * number // total] = round(gateway.memory() or 0)
        connection.close()


async def respond_at_once(stub, call, writer):
    """Without a look at the body: that is not ours to read."""
    if not call.dialect:
        return await stub.send(writer, 200, {"input_tokens": 5})
    await stub.send(writer, 200, call.dialect.whole("ok", None, 5))


async def run(options, requests):
    promises = Promises("mutate", [ANSWERED, OURS, BYTES, RAW, BACK, KEPT, APART, MEMORY, agents.ABORTS, agents.PANICS, agents.SECRET])
    async with stage(options) as (place, stub):
        mutants = Mutants(promises, stub, options.seed)
        # Markers for the provider's cache are no fault, but they are an edit. The second gateway compacts what it understands.
        settings = [("prompt_caching.strategy", "client"), ("auxiliary.compression.provider", "local")]
        tight = [*settings, ("model.context_length", 400), ("compression.protect_last_n", 1)]
        plain = await Gateway(place, "plain", stub.url, str(place.path / "plain.db"), settings).start()
        small = await Gateway(place, "small", stub.url, str(place.path / "small.db"), tight).start()
        for gateway, share in ((plain, 0.85), (small, 0.15)):
            mutants.left = total = int(requests * share)
            mutants.memory = {}
            await asyncio.gather(*(mutants.worker(gateway, total) for _ in range(6)))
            promises.figure(f"{gateway.name}: memory in MB, by share of the requests", mutants.memory)
            grown = (gateway.memory() or 0) - next(iter(mutants.memory.values()), 0)
            promises.check(MEMORY, grown < 300, f"{gateway.name}: {grown:.0f} MB more")
        await broken_http(promises, plain, stub)
        await names_of_sessions(promises, plain, stub)
        await odd_answers(promises, place, plain, stub)
        for gateway in (plain, small):
            await agents.check_end(promises, gateway, "sk-mutate")
        promises.checked_all(agents.SECRET, 1, files_with(place.path, [b"sk-mutate"]))
    promises.figure("answers", dict(sorted(mutants.actions.items(), key=lambda item: -item[1])[:12]))
    return promises.result()


# ---- Broken HTTP, word for word.

def http_cases():
    """Name, bytes, and how many requests may be sent on at most."""
    body = dialects.ALL[0].body("x", dialects.ALL[0].user("hi"), False)
    line, length, key = b"POST /v1/messages HTTP/1.1\r\nhost: 127.0.0.1\r\nx-chaos: raw.0.0\r\n", b"content-length: %d\r\n" % len(body), b"x-api-key: sk-mutate-raw\r\n"
    one, chunks = line + length + key + b"\r\n" + body, b"transfer-encoding: chunked\r\n"
    smuggled = b"0\r\n\r\nPOST /smuggled HTTP/1.1\r\nhost: 127.0.0.1\r\nx-chaos: smuggled.0.0\r\ncontent-length: 0\r\n\r\n"
    yield "both lengths, chunked first", line + chunks + length + b"\r\n" + smuggled, 1
    yield "both lengths, chunked last", line + b"content-length: 6\r\n" + chunks + b"\r\n" + smuggled, 1
    yield "two lengths", line + length + b"content-length: 1\r\n\r\n" + body, 0
    yield "the same length twice", line + length + length + b"\r\n" + body, 1
    for value in (b"-1", b"+5", b"5, 5", b"0x5", b"99999999999999999999", b"", b"5 5", b"1e3"):
        yield f"content-length: {value.decode()}", line + b"content-length: " + value + b"\r\n\r\n" + body, 1
    for value in (b"chunked, chunked", b"gzip, chunked", b"identity", b"xchunked", b"chunked\x0b", b"CHUNKED", b" chunked", b"\tchunked"):
        yield f"transfer-encoding: {value!r}", line + b"transfer-encoding: " + value + b"\r\n\r\n" + chunked(body, [9]), 1
    for chunk in (b"-1\r\n", b"ffffffffffffffffff\r\n", b"zz\r\n", b"5\n", b"\r\n", b"5;" + b"x" * 100_000 + b"\r\n", b"5;a=\"\r\n0\r\n\r\n\"\r\n", b"00000000000000005\r\nhello\r\n0\r\n\r\n"):
        yield f"chunk {chunk[:12]!r}", line + chunks + b"\r\n" + chunk + b"hello\r\n0\r\n\r\n", 1
    yield "trailers", line + chunks + b"\r\n" + chunked(body, [50])[:-2] + b"x-chaos: other\r\ncontent-length: 5\r\n\r\n", 1
    yield "a flood of trailers", line + chunks + b"\r\n" + chunked(body, [50])[:-2] + b"a: b\r\n" * 100_000 + b"\r\n", 1
    yield "20 in one go", one * 20, 20
    yield "one and a half", one + one[:150], 1
    yield "10,000 headers", line + b"a: b\r\n" * 10_000 + length + b"\r\n" + body, 1
    yield "a header of 2 MB", line + b"a: " + b"x" * 2_000_000 + b"\r\n" + length + b"\r\n" + body, 1
    yield "a path of 200 kB", b"POST /" + b"v" * 200_000 + b"/v1/messages HTTP/1.1\r\nhost: x\r\n" + length + b"\r\n" + body, 1
    for odd in (b"a b: c", b"a : c", b": c", b" folded: x", b"no colon", b"a: b\r\n more", b"a\x00: b", b"a: \x00", b"a: \x7f", b"\xff: x", b"a: b\rc"):
        yield f"header {odd!r}", line + odd + b"\r\n" + length + b"\r\n" + body, 1
    for odd in (b"POST /v1/messages HTTP/1.0", b"POST /v1/messages HTTP/9.9", b"POST  /v1/messages HTTP/1.1", b"POST /v1/messages", b"POST v1/messages HTTP/1.1",
                b"POST http://example.org/v1/messages HTTP/1.1", b"POST //v1/messages HTTP/1.1", b"POST /../v1/messages HTTP/1.1", b"POST /v1/messages#x HTTP/1.1",
                b"CONNECT example.org:443 HTTP/1.1", b"OPTIONS * HTTP/1.1", b"TRACE /v1/messages HTTP/1.1", b"B\x00D / HTTP/1.1", b"P\xd6ST / HTTP/1.1", b"POST /\xff HTTP/1.1"):
        yield f"{odd!r}", odd + b"\r\nhost: 127.0.0.1\r\n" + length + b"\r\n" + body, 1
    yield "no host", b"POST /v1/messages HTTP/1.1\r\n" + length + b"\r\n" + body, 1
    yield "two hosts", line + b"host: example.org\r\n" + length + b"\r\n" + body, 1
    yield "expect and no body", line + b"expect: 100-continue\r\n" + length + b"\r\n", 0
    yield "a body that ends early", line + length + b"\r\n" + body[:20], 0
    yield "more body than said", one + b"xxxxxxx", 1
    yield "HTTP/2 preface and garbage", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\xff" * 1000, 0
    yield "a TLS greeting", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 500, 0
    yield "zeros", b"\x00" * 100_000, 0
    yield "line feeds alone", one.replace(b"\r\n", b"\n"), 1
    yield "an upgrade", line + b"connection: upgrade\r\nupgrade: websocket\r\n" + length + b"\r\n" + body, 1


async def broken_http(promises, gateway, stub):
    seen = []
    stub.on_call = lambda call: seen.append(call)
    for name, data, most in http_cases():
        del seen[:]
        writer = None
        try:
            async with asyncio.timeout(30):
                reader, writer = await asyncio.open_connection("127.0.0.1", gateway.port, limit=HEAD_LIMIT)
                writer.write(data)
                writer.write_eof()
                got = await reader.read(HEAD_LIMIT)
                while more := await reader.read(HEAD_LIMIT):
                    got += more
        except TimeoutError:
            got = b"HTTP/1.1 599 it hangs"
        except OSError:
            got = b""
        if writer:
            writer.transport.abort()
        status = int(got.split(b" ")[1]) if got.startswith(b"HTTP/1.") else 0
        promises.check(OURS, status < 500, f"{name}: {got[:200]!r}")
        smuggled = [call.path for call in seen if "smuggled" in call.path]
        try:
            after = await ask_once(gateway.port, request("POST", "/v1/messages", {}, dialects.ALL[0].body("x", dialects.ALL[0].user("hi"), False)))
            served = after.status == 200
        except NoAnswer:
            served = False
        promises.check(RAW, served and not smuggled and len(seen) - served <= most, f"{name}: {len(seen) - served} sent on, {smuggled}, served: {served}")
        await gateway.revive()


# ---- Odd answers.

def odd_heads():
    """Dialect, name, head, body, and what a client must get of it; None: there is no saying."""
    json_type, sse = b"content-type: application/json\r\n", b"content-type: text/event-stream\r\n"
    whole = {dialect.name: dialects.ser(dialect.whole("<odd> answer", None, 5)) for dialect in dialects.ALL}
    streams = {dialect.name: b"".join(dialect.events("<odd> answer", None, 5)) for dialect in dialects.ALL}
    for dialect in dialects.ALL:
        answer, stream = whole[dialect.name], streams[dialect.name]
        length = b"content-length: %d\r\n" % len(answer)
        yield dialect, "both lengths", json_type + b"content-length: 99999\r\ntransfer-encoding: chunked\r\n", chunked(answer, [9]), answer
        yield dialect, "a length that is too large", json_type + b"content-length: 99999\r\n", answer, None
        yield dialect, "no length", json_type, answer, answer
        yield dialect, "said to be gzip", json_type + length + b"content-encoding: gzip\r\n", answer, answer
        packed = gzip.compress(answer)
        yield dialect, "gzip", json_type + b"content-encoding: gzip\r\n", packed, packed
        yield dialect, "half of a gzip", json_type + b"content-encoding: gzip\r\n", packed[:40], packed[:40]
        large = answer.replace(b"<odd> ", b"<odd> " + b"x" * 17_000_000)
        yield dialect, "17 MB", json_type + b"content-length: %d\r\n" % len(large), large, large
        for name, raw in (("not UTF-8", answer.replace(b"<odd>", b"<odd>\xff\xfe")), ("half of JSON", answer[:-9]), ("a lone surrogate", answer.replace(b"<odd>", b"<odd>\\ud800")),
                          ("nested", b"[" * 100_000 + b"]" * 100_000), ("nested in a block", answer.replace(b'"<odd> answer"', b"[" * 50_000 + b"]" * 50_000)),
                          ("empty", b""), ("null", b"null"), ("doubled keys", answer[:-1] + b',"usage":{"input_tokens":-5},"id":"again"}')):
            yield dialect, name, json_type + b"content-length: %d\r\n" % len(raw), raw, raw
        for name, raw in (("a stream that is not UTF-8", stream.replace(b"<odd>", b"<odd>\xff\xfe")), ("a stream without an end", stream[:-60]),
                          ("a stream with a huge event", b"data: " + b"x" * 3_000_000 + b"\n\n" + stream), ("a stream of line feeds", b"\n" * 50_000 + stream),
                          ("a stream with nested events", stream.replace(b"data: {", b"data: " + b"[" * 40_000 + b"\n\ndata: {", 1)),
                          ("a stream with CR", stream.replace(b"\n", b"\r\n")), ("a stream said to be gzip", stream)):
            packed = b"content-encoding: gzip\r\n" if "gzip" in name else b""
            yield dialect, name, sse + packed, raw, raw


async def odd_answers(promises, place, gateway, stub):
    """Whole or not, they pass as they came; with a history of the gateway's, `kept` is true or not said."""
    now = [b"", b""]

    async def respond(call, writer):
        writer.write(b"HTTP/1.1 200 OK\r\nconnection: close\r\n" + now[0] + b"\r\n" + now[1])
        await writer.drain()
        return False

    stub.respond, stub.on_call, expected = respond, lambda call: None, {}
    for number, (dialect, name, head, raw, whole) in enumerate(odd_heads()):
        now[:] = head, raw
        for kept in (False, True):
            session = f"odd-{number}"
            headers = {**dialect.credential("sk-mutate-odd"), "x-epitome-session": session, **({"x-epitome-history": "server"} if kept else {})}
            body = dialect.body("x", dialect.user(f"<message {session}>"), b"event-stream" in head)
            try:
                answer = await ask_once(gateway.port, request("POST", dialect.path, headers, body), patience=30)
            except NoAnswer as error:
                promises.check(BACK, False, f"{dialect.name}, {name}: {error}")
                await gateway.revive()
                continue
            if not kept and whole is not None:
                promises.check(BACK, answer.whole and answer.body == whole, f"{dialect.name}, {name}: {answer.status} {answer.our_error} {len(answer.body)} of {len(whole)} bytes")
            if kept and answer.header("x-epitome-history") in agents.KEPT and answer.status == 200 and answer.whole and answer.body:
                stream = b"event-stream" in head
                # A client that is lenient about letters takes this for a whole answer.
                whole_text = gzip.decompress(answer.body) if name == "gzip" else answer.body
                if b"<odd>" in whole_text and (dialect.end in whole_text and whole_text.endswith(b"\n") if stream else whole_text.endswith(b"}")):
                    expected[session] = f"{dialect.name}, {name}"
    # Errors in which a provider repeats the credential.
    for status, error in ((401, {"error": {"message": "bad key sk-mutate-odd", "type": "sk-mutate-odd", "code": "sk-mutate-odd"}}),
                          (400, {"type": "error", "error": {"type": "sk-mutate-odd", "message": "prompt is too long: sk-mutate-odd tokens > 5 maximum"}})):
        raw = dialects.ser(error)
        now[:] = b"content-type: application/json\r\ncontent-length: %d\r\n" % len(raw), raw
        for dialect in dialects.ALL:
            body = dialect.body("x", dialect.user("hi"), False)
            await ask_once(gateway.port, request("POST", dialect.path, dialect.credential("sk-mutate-odd"), body))
    for session, name in expected.items():
        rows = await place.export(gateway.store, session)
        promises.check(KEPT, any("<odd>" in row["text"] for row in rows if row["type"] == "kept"), f"{name}: {[row['type'] for row in rows]}")


async def names_of_sessions(promises, gateway, stub):
    """Two users of a bot, whose histories the gateway keeps, with names that are alike."""
    seen = []
    stub.on_call = lambda call: seen.append(call.body)
    stub.respond = lambda call, writer: respond_at_once(stub, call, writer)
    for one, two in (("a b", "ab"), ("anna@example.com", "annaexample.com"), ("x" * 64 + "1", "x" * 64 + "2"), ("user/1", "user1"), ("A", "a")):
        for name in (one, two):
            dialect = dialects.ALL[1]
            headers = {**dialect.credential("sk-mutate-name"), "x-epitome-session": name, "x-epitome-history": "server"}
            body = dialect.body("x", dialect.user(f"<words of {name}>"), False)
            await ask_once(gateway.port, request("POST", dialect.path, headers, body))
        promises.check(APART, f"<words of {one}>".encode() not in seen[-1], f"{one}, {two}")
