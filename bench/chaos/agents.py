"""Agents: each leads one session after the other through gateways, and sends again what was not answered."""

import asyncio
import random
import time

import dialects
from checks import OUTSIDE, Prefixes
from processes import files_with
from stub import CALLS, MARK, answer_text
from wire import Connection, NoAnswer, get, request

WORDS = "river stone paper cloud light garden window market engine letter winter summer bridge corner signal packet".split()
LONGEST_WAIT = 20
MOST_ATTEMPTS = 400
KEPT = ("kept", "pending")  # What the header says of a message that is kept when the whole answer is there.
LEAVES = 0.01  # Share of requests whose client goes away when the answer begins, and asks again.
SMALL_WINDOW = [("model.context_length", 8000), ("compression.protect_last_n", 3), ("auxiliary.compression.provider", "local")]

PREFIX, LEDGER = "0 edits lost: between two compactions the prefix does not move", "0 edits lost: an announced compaction is in the store"
LOST, ORDER = "0 acknowledged messages lost", "acknowledged messages stand in their order"
OURS, ACCEPTED = "no answer of ours with 500 or above, but documented ones", "the provider refuses no request"
ANSWERED, SAID = "every request is answered, or its gateway was killed", "an answer says what its provider said"
UNLOCKED, SOON = "every turn is answered in the end: no session locks up", f"no request waits longer than {LONGEST_WAIT} s"
ABORTS, PANICS = "0 aborts: no process ends by itself", "the gateway does not panic"
SECRET = "no credential in store, log, metrics or errors"
PROMISES = [PREFIX, LEDGER, LOST, ORDER, OURS, ACCEPTED, ANSWERED, SAID, UNLOCKED, SOON, ABORTS, PANICS, SECRET]


class ClientLeft(Exception):
    """It has seen enough."""


class World:
    """What the agents of a scenario share. `store_fails`: the store is broken on purpose now and then."""

    def __init__(self, promises, stub, gateways, seed, store_fails=False):
        self.promises, self.stub, self.gateways, self.seed, self.store_fails = promises, stub, gateways, seed, store_fails
        self.key, self.prefixes, self.store_up, self.over = f"sk-chaos-{seed}-credential", Prefixes(store_fails), asyncio.Event(), False
        self.turns, self.again, self.left, self.errors, self.slowest, self.next = 0, 0, 0, {}, 0.0, 0
        self.store_up.set()
        self.wanted = None
        stub.on_call = self.prefixes.saw
        stub.on_moment = lambda moment, call: self.come_to(moment)

    def count(self, error):
        self.errors[error] = self.errors.get(error, 0) + 1

    async def gateway(self):
        """The next one that runs."""
        for _ in self.gateways:
            self.next = (self.next + 1) % len(self.gateways)
            if self.gateways[self.next].up.is_set():
                return self.gateways[self.next]
        await self.gateways[self.next].up.wait()
        return self.gateways[self.next]

    def come_to(self, moment):
        if self.wanted and self.wanted[0] == moment:
            self.wanted[1] -= 1
            if self.wanted[1] <= 0:
                _, _, deed, done = self.wanted
                self.wanted = None
                deed()
                done.set_result(None)

    async def at(self, moment, nth, deed=lambda: None, unless=None, patience=120):
        """Does something at once when agents or provider have come to a moment for the nth time. `unless`: a task; when that has
        ended, the moment is not waited for any more."""
        done = asyncio.get_running_loop().create_future()
        self.wanted = [moment, nth, deed, done]
        ended, _ = await asyncio.wait({done, unless} - {None}, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
        self.wanted = None
        if not ended:
            raise TimeoutError(f"{moment} did not come within {patience} s")

    async def live(self, trouble, words=90):
        """Agents live while trouble is made; then everything is looked over. Of each dialect, streamed and not, with histories of
        the client's and of the gateway's."""
        kinds = [(dialect, stream, kept) for dialect in dialects.ALL for stream in (True, False) for kept in (True, False)]
        # A history that the gateway keeps goes on to the end; others are begun anew, as clients send all of theirs each time.
        agents = [Agent(self, number, *kind, turns=100_000 if kind[2] else 40, words=words) for number, kind in enumerate(kinds)]
        async with asyncio.TaskGroup() as group:
            for agent in agents:
                group.create_task(agent.live())
            await trouble(self)
            self.over = True
        for gateway in self.gateways:
            await check_end(self.promises, gateway, self.key)
        store, place = self.gateways[0].store, self.gateways[0].place
        await check_histories(self.promises, place, store, agents)
        rows = await place.sessions(store)
        stored = {session: rows.get(session, {}).get("compactions", 0) for session in self.prefixes.announced}
        broken = [f"{session}: {stored[session]} stored, {count} announced" for session, count in self.prefixes.announced.items() if stored[session] < count]
        self.promises.checked_all(LEDGER, sum(self.prefixes.announced.values()), broken)
        self.promises.checked_all(PREFIX, self.prefixes.looked, self.prefixes.moved)
        self.promises.checked_all(SECRET, 1, files_with(place.path, [self.key.encode()]))
        self.promises.figure("turns answered, requests sent again, clients that went away", [self.turns, self.again, self.left])
        self.promises.figure("actions", dict(self.prefixes.actions))
        self.promises.figure("errors that clients saw", self.errors)
        self.promises.figure("longest wait, s", round(self.slowest, 2))


class Agent:
    """`kept`: the gateway keeps its history, so that it sends its new message alone."""

    def __init__(self, world, number, dialect, stream, kept, turns, words):
        self.world, self.number, self.dialect, self.stream, self.kept = world, number, dialect, stream, kept
        self.turns, self.words, self.connection, self.generation, self.acknowledged = turns, words, Connection(), 0, {}

    async def live(self):
        try:
            while not self.world.over:
                await self.session()
                self.generation += 1
        finally:
            self.connection.close()

    async def session(self):
        self.name = f"{self.dialect.name}{'-stream' * self.stream}{'-kept' * self.kept}-{self.number}-{self.generation}"
        self.chance = chance = random.Random(f"{self.world.seed}/{self.name}")
        history, call = [], None
        for turn in range(self.turns):
            if self.world.over:
                return
            words = (f"{chance.choice(WORDS)}-{chance.randrange(999)}" for _ in range(chance.randrange(10, self.words)))
            text = f"<message {self.name}.{turn}> " + " ".join(words)
            new = self.dialect.result(call, text) if call else self.dialect.user(text)
            call = f"call_{self.name}.{turn}" if chance.random() < 0.7 else None
            history += new
            if not await self.turn(turn, new if self.kept else history, call):
                return
            history += self.dialect.said(answer_text(f"{self.name}.{turn}.0"), call)

    async def turn(self, turn, messages, call):
        """Whether it was answered in the end."""
        world, promises, refused, answer = self.world, self.world.promises, 0, None
        for attempt in range(MOST_ATTEMPTS):
            # As clients do, it waits a little before it asks again.
            await asyncio.sleep(0.05 if attempt > 1 else 0)
            gateway, mark = await world.gateway(), f"{self.name}.{turn}.{attempt}"
            answer = await self.ask(gateway, mark, messages, call)
            if answer is None:
                continue
            kept = answer.header("x-epitome-history")
            outside = self.kept and kept not in KEPT and (answer.status == 200 or kept != "unchanged")
            if answer.status != 200 or outside:
                world.count(f"{answer.status} {answer.our_error or 'of the provider'}{f', history: {kept}' if self.kept else ''}")
                # While the store is broken, a history that cannot be read or stored is refused in so many words.
                documented = world.store_fails and answer.status == 503
                promises.check(OURS, not answer.our_error or answer.status < 500 or documented, f"{mark}: {answer.body[:200]}")
            if outside:
                # The client is told that this message is not in the history: it sends it again.
                await world.store_up.wait()
            elif dialects.answered(self.dialect, self.stream, answer):
                world.turns += 1
                promises.check(SAID, answer_text(mark).encode() in answer.body, mark)
                if self.kept:
                    self.acknowledged.setdefault(self.name, []).append(turn)
                world.come_to("whole")
                return promises.check(UNLOCKED, True)
            elif answer.status != 200 and not answer.our_error:
                refused += 1
                promises.check(ACCEPTED, False, f"{mark}: {answer.body[:200]}")
                if refused == 3:
                    break
            elif self.kept:
                # The end of the answer did not come, as it could not be kept.
                await world.store_up.wait()
        return promises.check(UNLOCKED, False, f"{self.name}.{turn}: {answer and answer.body[:150]}")

    async def ask(self, gateway, mark, messages, call):
        """None: the gateway did not answer, or the client went away."""
        world, leaves, began = self.world, self.chance.random() < LEAVES, time.monotonic()
        headers = {**self.dialect.credential(world.key), MARK: mark, "x-epitome-session": self.name, "content-type": "application/json"}
        headers |= ({CALLS: call} if call else {}) | ({"x-epitome-history": "server"} if self.kept else {})
        body = self.dialect.body("You are a careful agent.", messages, self.stream)

        def on_head(answer):
            world.come_to("head")
            # What is not in the history is no part of the prompts that follow.
            outside = self.kept and answer.header("x-epitome-history") not in (*KEPT, "unchanged")
            world.prefixes.told(mark, OUTSIDE if outside else answer.action or None)
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
        waited = time.monotonic() - began
        world.slowest = max(world.slowest, waited)
        world.promises.check(SOON, waited < LONGEST_WAIT, f"{mark}: {waited:.1f} s")
        for promise in (ANSWERED, OURS, ACCEPTED):
            world.promises.check(promise, True)
        return answer


async def check_histories(promises, place, store, agents):
    """No message that was acknowledged is missing from what the gateway keeps, and they stand in their order."""
    for session, turns in [pair for agent in agents for pair in agent.acknowledged.items()]:
        try:
            kept = [row["text"] for row in await place.export(store, session) if row["type"] == "kept"]
        except RuntimeError:
            kept = []
        wanted = [f"<{kind} {session}.{turn}>" for turn in turns for kind in ("message", "answer")]
        # A message that was sent again may be there twice: its last place counts.
        places = {mark: at for at, text in enumerate(kept) for mark in [text[text.find("<"):text.find(">") + 1]]}
        promises.checked_all(LOST, len(wanted), [f"{mark} of {len(turns)} turns" for mark in wanted if mark not in places])
        order = [places[mark] for mark in wanted if mark in places]
        promises.check(ORDER, order == sorted(order), session)


async def check_end(promises, gateway, key):
    """A gateway that is stopped in the end has never stopped by itself, nor panicked, nor told a credential."""
    promises.check(SECRET, key.encode() not in (await get(gateway.port, "/metrics")).body, f"{gateway.name}: metrics")
    gateway.signal(15)
    await gateway.ended()
    promises.checked_all(ABORTS, gateway.starts, gateway.aborts)
    panics = [line for line in gateway.log.read_text(errors="replace").splitlines() if "panicked" in line or "a fault:" in line]
    promises.check(PANICS, not panics, panics[:1])
