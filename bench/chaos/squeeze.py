"""Long runs in windows that are hardly larger than what must stay: system prompt, first and newest message."""

import itertools
import random

import dialects
import stub as provider
from checks import Prefixes, Promises
from processes import Gateway, stage
from stub import CALLS, MARK, answer_text
from wire import Connection, NoAnswer, request

# Three letters and a space: a token for tokenizers, and four characters for us. So both count the same.
SYLLABLES = "the and for not you all can her was one our out day get has him his how man new now old see two way who let put say she too use".split()
NEVER = "the provider never refuses a prompt as too long"
TYPED = "every request is answered, or refused in so many words where nothing smaller exists"
NEWEST = "the newest message stands in every prompt; whole where the newest request fits beside it"
SMALLER = "what is sent again after a refusal is smaller than what was refused"
REFUSED = "the provider refuses no request for its form"
LEARNT = "a window that a provider told is believed as it was told: it refuses one prompt at most"
NOT_LESS = "and nothing is compacted that is far below it"
ALLOWANCE = 1.02
# A short summary, our note, the tools, and the call that the newest message answers.
OURS = 900
FACTORS = [1.15, 1.2, 1.3, 1.5]
# Tokens of the system prompt, of the first and of the newest message.
SHAPES = {"large first message": (300, 6500, 2400), "large system prompt": (7000, 300, 1500), "large newest message": (600, 600, 5000)}


def prose(chance, tokens):
    return " ".join(chance.choice(SYLLABLES) for _ in range(max(1, tokens)))


async def run(options, turns, factors=None):
    promises = Promises("squeeze", [NEVER, TYPED, NEWEST, SMALLER, REFUSED, LEARNT, NOT_LESS])
    rows = []
    async with stage(options) as (place, stub):
        cases = itertools.product(factors or FACTORS, SHAPES, dialects.ALL)
        for number, (factor, shape, dialect) in enumerate(cases):
            rows.append(await one_run(options, promises, place, stub, number, factor, shape, dialect, turns))
        await told_windows(options, promises, place, stub)
    refused = {f"{factor}, {shape}": 0 for factor in factors or FACTORS for shape in SHAPES}
    for row in rows:
        refused[row["case"]] += row["too long"]
    promises.figure("runs, requests", [len(rows), sum(row["requests"] for row in rows)])
    promises.figure("prompts that were too long", refused)
    promises.figure("errors of ours", sum(row["errors"] for row in rows))
    promises.figure("compactions", sum(row["compacted"] for row in rows))
    promises.figure("fullest prompt, share of the window", max(row["fullest"] for row in rows))
    return promises.result()


class Session:
    """An agent whose newest message is a result of a tool, mostly, and of the largest size now and then."""

    def __init__(self, options, gateway, stub, dialect, name, system, first, newest):
        self.gateway, self.stub, self.dialect, self.name = gateway, stub, dialect, name
        self.chance, self.connection = random.Random(f"{options.seed}/{name}"), Connection()
        self.system, self.newest, self.turn, self.call = prose(self.chance, system), newest, 0, None
        self.history = dialect.user(f"<message {name}.0> " + prose(self.chance, first))
        # Tokens of all that stays beside the newest message: system prompt, first and newest request.
        self.stays, self.request, self.size = system + first, 0, 0

    def body(self):
        return self.dialect.body(self.system, self.history, self.turn % 2 == 0)

    async def ask(self, call, attempt=0):
        """The answer, or None."""
        self.call = f"call_{self.name}.{self.turn}" if call else None
        headers = {**self.dialect.credential("sk-squeeze"), MARK: f"{self.name}.{self.turn}.{attempt}", "x-epitome-session": self.name}
        if self.call:
            headers[CALLS] = self.call
        try:
            return await self.connection.ask(self.gateway.port, request("POST", self.dialect.path, headers, self.body()))
        except NoAnswer:
            return None

    def go_on(self, tokens):
        self.history += self.dialect.said(answer_text(f"{self.name}.{self.turn}.0"), self.call)
        self.turn += 1
        text = f"<message {self.name}.{self.turn}> " + prose(self.chance, tokens)
        self.size = tokens
        if not self.call:
            self.request, self.size = tokens, 0
        self.history += self.dialect.result(self.call, text) if self.call else self.dialect.user(text)


async def one_run(options, promises, place, stub, number, factor, shape, dialect, turns):
    system, first, newest = SHAPES[shape]
    window = int(factor * (system + first + newest))
    stub.window, stub.too_long, stub.largest = int(window * ALLOWANCE), 0, 0
    gateway = Gateway(place, f"squeeze-{number}", stub.url, "memory",
                      [("model.context_length", window), ("auxiliary.compression.provider", "local")])
    await gateway.start()
    session = Session(options, gateway, stub, dialect, f"{dialect.name}-{number}", system, first, newest)
    sent, errors, prefixes = [], 0, Prefixes()

    def saw(call):
        sent.append(call.body)
        prefixes.saw(call)

    stub.on_call = saw
    for turn in range(turns):
        del sent[:]
        case = f"{factor}, {shape}, {dialect.name}, turn {turn}, window {window}"
        call = session.chance.random() < 0.8
        for attempt in range(3):
            answer = await session.ask(call, attempt)
            answered = answer is not None and dialects.answered(dialect, turn % 2 == 0, answer)
            errors += bool(answer and answer.our_error)
            prefixes.told(f"{session.name}.{turn}.{attempt}", answer and answer.action or None)
            if answered:
                break
        sizes = [dialects.tokens(body) for body in sent]
        promises.check(NEVER, all(size <= stub.window for size in sizes), f"{case}: {sizes}, {answer and answer.action}")
        # System prompt, first and newest message fit: something smaller exists.
        promises.check(TYPED, answered, f"{case}: {answer and (answer.status, answer.our_error, answer.body[:150])}")
        promises.check(SMALLER, all(two < one for one, two in zip(sizes, sizes[1:])), f"{case}: {sizes}")
        promises.check(REFUSED, not any(dialects.refused(dialect, body) for body in sent), f"{case}: {sent and dialects.refused(dialect, sent[-1])}")
        # Up to 90 % of the window, and with some room beside it, nothing of the newest message need go.
        fits = session.stays + session.request + session.size + OURS < 0.9 * window
        wanted = session.history[-1] if fits else f"<message {session.name}.{session.turn}>".encode()
        promises.check(NEWEST, all(wanted in dialects.prompt(body) for body in sent), f"{case}: {answer and answer.action}")
        if not answered:
            break
        session.go_on(newest if session.chance.random() < 0.15 else session.chance.randrange(60, 400))
    session.connection.close()
    gateway.kill()
    await gateway.ended()
    return {"case": f"{factor}, {shape}", "requests": turn + 1, "too long": stub.too_long, "errors": errors,
            "compacted": prefixes.actions["compacted"], "fullest": round(stub.largest / window, 3)}


def wordings():
    """How providers say that a prompt is too long, and what the gateway can know from it."""
    return {
        "Anthropic": (0, lambda used, window: f"prompt is too long: {used} tokens > {window} maximum"),
        "Anthropic, with the answer": (0, lambda used, window: (
            f"input length and `max_tokens` exceed context limit: {used} + 500 > {window}, decrease input length or `max_tokens` and try again")),
        "OpenAI": (1, lambda used, window: provider.too_long(dialects.ALL[1], used, window)[0]),
        "OpenAI, with the answer": (1, lambda used, window: (
            f"This model's maximum context length is {window} tokens. However, you requested {used + 500} tokens ({used} in the messages, "
            "500 in the completion). Please reduce the length of the messages or completion.")),
        "OpenRouter": (1, lambda used, window: (
            f"This endpoint's maximum context length is {window} tokens. However, you requested about {used + 884} tokens ({used} of text input, "
            "384 of tool input, 500 in the output). Please reduce the length of either one, or use the \"middle-out\" transform to compress your prompt automatically.")),
        "vLLM": (1, lambda used, window: (
            f"'max_tokens' or 'max_completion_tokens' is too large: 500. This model's maximum context length is {window} tokens and your request has "
            f"{used} input tokens (500 > {window} - {used}).")),
        "an echo of the client": (1, lambda used, window: (
            f"Invalid request: maximum context length is 4 tokens, said the client. This model's maximum context length is {window} tokens. "
            f"However, your messages resulted in {used} tokens.")),
        "no numbers": (2, lambda used, window: provider.too_long(dialects.ALL[2], used, window)[0]),
    }


async def told_windows(options, promises, place, stub):
    """The gateway does not know the window: the provider tells it. It learns that, and no other."""
    for number, (name, (index, words)) in enumerate(wordings().items()):
        dialect, stub.window, stub.too_long, sent = dialects.ALL[index], 40_000, 0, []
        stub.on_call = lambda call: sent.append(call.body)
        stub.too_long_words = lambda dialect, used, window: (words(used, window), None if dialect.name == "anthropic" else "context_length_exceeded")
        gateway = await Gateway(place, f"told-{number}", stub.url, "memory", [("auxiliary.compression.provider", "local")]).start()
        for run in range(2):
            session = Session(options, gateway, stub, dialect, f"told-{number}-{run}", 200, 300, 0)
            for turn in range(60):
                answer = await session.ask(True)
                answered = answer is not None and dialects.answered(dialect, turn % 2 == 0, answer)
                promises.check(TYPED, answered, f"{name}, turn {turn}: {answer and answer.body[:150]}")
                # Half of the window is where compaction begins by default.
                early = answer and answer.action == "compacted" and dialects.tokens(session.body()) < 15_000
                promises.check(NOT_LESS, not early, f"{name}: compacted at {dialects.tokens(session.body())} of {stub.window} tokens")
                if not answered:
                    break
                session.go_on(1000)
            session.connection.close()
        # Without a number, each size that is refused is news.
        promises.check(LEARNT, stub.too_long <= (1 if name != "no numbers" else 4), f"{name}: {stub.too_long} prompts were too long")
        gateway.kill()
        await gateway.ended()
    stub.too_long_words = provider.too_long
