"""Agents: each leads one session after the other through gateways, and sends again what was not answered."""

import asyncio
import random
import time

import dialects
from stub import CALLS, MARK, answer_text
from wire import Connection, NoAnswer, request

WORDS = "river stone paper cloud light garden window market engine letter winter summer bridge corner signal packet".split()
LONGEST_WAIT = 20
LEAVES = 0.01  # Share of requests whose client goes away when the answer begins, and asks again.

PREFIX, LEDGER = "0 edits lost: between two compactions the prefix does not move", "0 edits lost: an announced compaction is in the store"
LOST, ORDER = "0 acknowledged messages lost", "acknowledged messages stand in their order"
OURS, ACCEPTED = "no answer of ours with 500 or above, but documented ones", "the provider refuses no request"
ANSWERED, SAID = "every request is answered, or its gateway was killed", "an answer says what its provider said"
UNLOCKED, SOON = "every turn is answered in the end: no session locks up", f"no request waits longer than {LONGEST_WAIT} s"
PROMISES = [PREFIX, LEDGER, LOST, ORDER, OURS, ACCEPTED, ANSWERED, SAID, UNLOCKED, SOON]


class ClientLeft(Exception):
    """It has seen enough."""


class World:
    """What the agents of a scenario share."""

    def __init__(self, stub, gateways, promises, prefixes, seed, key):
        self.stub, self.gateways, self.promises, self.prefixes, self.seed, self.key = stub, gateways, promises, prefixes, seed, key
        self.over, self.turns, self.again, self.left, self.errors, self.slowest = False, 0, 0, 0, {}, 0.0
        self.on_moment, self.clock = lambda moment: None, time.monotonic
        self.store_up = asyncio.Event()
        self.store_up.set()
        self.excused = lambda answer: False
        stub.on_call = prefixes.saw
        stub.on_moment = lambda moment, call: self.on_moment(moment)
        self.next = 0

    def count(self, error):
        self.errors[error] = self.errors.get(error, 0) + 1

    async def gateway(self):
        """The next one that runs."""
        for _ in self.gateways:
            self.next += 1
            if (gateway := self.gateways[self.next % len(self.gateways)]).up.is_set():
                return gateway
        gateway = self.gateways[self.next % len(self.gateways)]
        await gateway.up.wait()
        return gateway


class Agent:
    """`kept`: the gateway keeps its history, so that it sends its new message alone."""

    def __init__(self, world, number, dialect, stream, kept, turns, words=90):
        self.world, self.number, self.dialect, self.stream, self.kept = world, number, dialect, stream, kept
        self.turns, self.words, self.connection = turns, words, Connection()
        self.generation, self.acknowledged = 0, {}

    async def live(self):
        try:
            while not self.world.over:
                await self.session()
                self.generation += 1
        finally:
            self.connection.close()

    async def session(self):
        kind = f"{self.dialect.name}{'-stream' if self.stream else ''}{'-kept' if self.kept else ''}"
        self.name = f"{kind}-{self.number}-{self.generation}"
        self.chance = chance = random.Random(f"{self.world.seed}/{self.name}")
        history, call = [], None
        for turn in range(self.turns):
            if self.world.over:
                return
            text = f"<message {self.name}.{turn}> " + " ".join(
                f"{chance.choice(WORDS)}-{chance.randrange(999)}" for _ in range(chance.randrange(10, self.words)))
            new = self.dialect.result(call, text) if call else self.dialect.user(text)
            call = f"call_{self.name}.{turn}" if chance.random() < 0.7 else None
            history += new
            if not await self.turn(turn, new if self.kept else history, call):
                return
            history += self.dialect.said(answer_text(f"{self.name}.{turn}.0"), call)

    async def turn(self, turn, messages, call):
        world, promises, refused = self.world, self.world.promises, 0
        for attempt in range(100):
            gateway, mark = await world.gateway(), f"{self.name}.{turn}.{attempt}"
            answer = await self.ask(gateway, mark, messages, call)
            if answer is None:
                continue
            if self.kept and answer.header("x-epitome-history") != "kept":
                # The client is told that this message is not in the history: it sends it again.
                world.count(f"{answer.status}, history: {answer.header('x-epitome-history') or 'not said'} {answer.our_error}")
                self.allowed(mark, answer)
                await world.store_up.wait()
                continue
            if dialects.answered(self.dialect, self.stream, answer):
                world.turns += 1
                promises.check(SAID, answer_text(mark).encode() in answer.body, mark)
                if self.kept and answer.header("x-epitome-history") == "kept":
                    self.acknowledged.setdefault(self.name, []).append(turn)
                world.on_moment("whole")
                return True
            if answer.status != 200:
                world.count(f"{answer.status} {answer.our_error or 'of the stub'}")
                self.allowed(mark, answer)
                refused += promises.check(ACCEPTED, bool(answer.our_error), f"{mark}: {answer.body[:200]}") is False
            if refused == 3:
                break
        return promises.check(UNLOCKED, False, f"{self.name}.{turn}: {answer and answer.body[:150]}")

    def allowed(self, mark, answer):
        ours = answer.our_error and answer.status >= 500 and not self.world.excused(answer)
        self.world.promises.check(OURS, not ours, f"{mark}: {answer.body[:200]}")

    async def ask(self, gateway, mark, messages, call):
        """None: the gateway did not answer."""
        world = self.world
        headers = {**self.dialect.credential(world.key), MARK: mark, "x-epitome-session": self.name, "content-type": "application/json"}
        if call:
            headers[CALLS] = call
        if self.kept:
            headers["x-epitome-history"] = "server"
        body = self.dialect.body("You are a careful agent.", messages, self.stream)
        began, leaves = world.clock(), self.chance.random() < LEAVES

        def on_head(answer):
            world.on_moment("head")
            # What is not in the history is no part of the prompts that follow.
            outside = self.kept and answer.header("x-epitome-history") != "kept"
            world.prefixes.told(mark, "not in the history" if outside else answer.action or None)
            if leaves:
                raise ClientLeft

        try:
            answer = await self.connection.ask(gateway.port, request("POST", self.dialect.path, headers, body), on_head=on_head)
        except ClientLeft:
            self.connection.close()
            world.left += 1
            return None
        except NoAnswer as error:
            world.prefixes.told(mark, None)
            world.again += 1
            world.promises.check(ANSWERED, not gateway.up.is_set(), f"{mark}: {error}")
            return None
        waited = world.clock() - began
        world.slowest = max(world.slowest, waited)
        world.promises.check(SOON, waited < LONGEST_WAIT, f"{mark}: {waited:.1f} s")
        for promise in (ANSWERED, UNLOCKED, OURS, ACCEPTED):
            world.promises.check(promise, True)
        return answer


async def check_histories(promises, place, store, agents):
    """No message that was acknowledged is missing from what the gateway keeps, and they stand in their order."""
    for agent in agents:
        for session, turns in agent.acknowledged.items():
            try:
                rows = await place.export(store, session)
            except RuntimeError as error:
                rows = [{"type": "error", "text": str(error)}]
            kept = [row["text"] for row in rows if row["type"] == "kept"]
            places = {}
            for at, text in enumerate(kept):
                for kind in ("message", "answer"):
                    begin = text.find(f"<{kind} {session}.")
                    if begin >= 0:
                        places[(kind, int(text[begin:].split(">")[0].rsplit(".", 1)[1]))] = at
            wanted = [(kind, turn) for turn in turns for kind in ("message", "answer")]
            lost = [f"{session}: {kind} {turn} of {len(turns)}" for kind, turn in wanted if (kind, turn) not in places]
            promises.checked_all(LOST, len(wanted), lost)
            order = [places[key] for key in wanted if key in places]
            promises.check(ORDER, order == sorted(order), session)


async def check_ledger(promises, place, store, prefixes):
    """Every compaction that was announced is in the store."""
    rows = await place.sessions(store)
    broken = [f"{session}: {rows.get(session, {}).get('compactions')} stored, {count} announced"
              for session, count in prefixes.announced.items() if rows.get(session, {}).get("compactions", 0) < count]
    promises.checked_all(LEDGER, sum(prefixes.announced.values()), broken)
    promises.checked_all(PREFIX, prefixes.looked, prefixes.moved)
