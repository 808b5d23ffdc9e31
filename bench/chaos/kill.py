"""kill -9 at random moments: of a gateway on SQLite, or of two gateways and their PostgreSQL."""

import asyncio
import random

import agents
import dialects
from agents import Agent, World, check_histories, check_ledger
from checks import Prefixes, Promises
from processes import Gateway, Place, Postgres, files_with
from stub import Stub

MOMENTS = ["arrived", "begun", "middle", "before the end", "ended", "head", "whole"]
SMALL_WINDOW = [("model.context_length", 8000), ("compression.protect_last_n", 3), ("auxiliary.compression.provider", "local")]
ABORTS, SECRET, PANICS = "0 aborts: no process ends by itself", "no credential in store, log, metrics or errors", "the gateway does not panic"
PROMISES = [*agents.PROMISES, ABORTS, SECRET, PANICS]


def agents_of(world):
    """Of each dialect, streamed and not, with histories of the client's and of the gateway's."""
    kinds = [(dialect, stream, kept) for dialect in dialects.ALL for stream in (True, False) for kept in (True, False)]
    # A history that the gateway keeps goes on to the end; others are begun anew, as clients send all of theirs each time.
    return [Agent(world, number, *kind, turns=100_000 if kind[2] else 40) for number, kind in enumerate(kinds)]


class Moment:
    """Does something at once when agents or provider have come to a moment for the nth time."""

    def __init__(self, world):
        self.wanted = None
        world.on_moment = self.reached

    def reached(self, moment):
        if self.wanted and self.wanted[0] == moment:
            self.wanted[1] -= 1
            if self.wanted[1] <= 0:
                deed, self.wanted = self.wanted[2], None
                deed()

    async def do(self, moment, nth, deed=lambda: None, unless=None, patience=120):
        """`unless`: a task; when that has ended, the moment is not waited for any more."""
        done = asyncio.get_running_loop().create_future()

        def do_it():
            deed()
            done.set_result(None)

        self.wanted = [moment, nth, do_it]
        ended, _ = await asyncio.wait({done, unless} - {None}, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
        self.wanted = None
        if not ended:
            raise TimeoutError(f"{moment} did not come within {patience} s")


async def kill_gateway(gateway, moment, chance):
    """At a moment, or shortly behind it; one in ten is killed once more while it starts."""
    delay = chance.choice([0, 0, chance.uniform(0, 0.02)])
    loop = asyncio.get_running_loop()
    await moment.do(chance.choice(MOMENTS), chance.randrange(1, 40),
                    lambda: loop.call_later(delay, gateway.kill) if delay else gateway.kill())
    kills = 1
    await gateway.ended()
    while chance.random() < 0.1:
        starting = asyncio.create_task(gateway.start())
        await asyncio.sleep(chance.uniform(0, 0.1))
        gateway.kill()
        await starting
        gateway.kill()  # If it had not even begun to start.
        await gateway.ended()
        kills += 1
    await gateway.start()
    return kills


async def kill_postgres(postgres, world, moment, chance, how):
    await moment.do(chance.choice(MOMENTS), chance.randrange(1, 40))
    world.store_up.clear()
    await (postgres.kill() if how == "kill" else postgres.stop_immediately())
    # Requests that come meanwhile see a store that is away.
    await asyncio.sleep(chance.uniform(0, 0.3))
    await postgres.start()
    world.store_up.set()
    return 1


async def run(options, kills, use_postgres=False):
    promises = Promises("kill --postgres" if use_postgres else "kill", PROMISES)
    chance, key = random.Random(f"{options.seed}/kill"), f"sk-chaos-{options.seed:08x}-credential"
    place, stub = Place(options.epitome), await Stub().start()
    postgres = await Postgres(place).start() if use_postgres else None
    store = postgres.url if postgres else str(place.path / "store.db")
    gateways = [Gateway(place, f"gateway-{number}", stub.url, store, SMALL_WINDOW) for number in range(2 if postgres else 1)]
    prefixes = Prefixes(store_fails=use_postgres)
    world = World(stub, gateways, promises, prefixes, options.seed, key)
    if postgres:
        # A history that cannot be read or stored is refused in so many words, and the client sends again.
        world.excused = lambda answer: answer.status == 503
    tasks, done = [], {"gateway": 0, "postgres immediate": 0, "postgres kill": 0}
    try:
        for gateway in gateways:
            await gateway.start()
        clients, moment = agents_of(world), Moment(world)
        tasks = [asyncio.create_task(client.live()) for client in clients]
        while sum(done.values()) < kills and not any(task.done() for task in tasks):
            victim = chance.choice(["gateway"] * 6 + (["postgres immediate", "postgres kill"] if postgres else []))
            if victim == "gateway":
                done[victim] += await kill_gateway(chance.choice(gateways), moment, chance)
            else:
                done[victim] += await kill_postgres(postgres, world, moment, chance, victim.split()[1])
        await moment.do("whole", 40)
        world.over = True
        await asyncio.gather(*tasks)
        if not postgres:
            await kills_in_preparation(options, promises, place, stub, 1 if kills < 100 else 5, key)
        await looked_over(promises, place, stub, world, gateways, store, clients, key)
    finally:
        for task in tasks:
            task.cancel()
        await stub.close()
        await place.close()
    promises.figure("kills", done)
    promises.figure("turns answered, requests sent again, clients that went away", [world.turns, world.again, world.left])
    promises.figure("actions", dict(prefixes.actions))
    promises.figure("errors that clients saw", world.errors)
    promises.figure("longest wait, s", round(world.slowest, 2))
    return promises.result()


async def looked_over(promises, place, stub, world, gateways, store, clients, key):
    """What is there in the end: histories, ledger, logs, files."""
    for gateway in gateways:
        metrics = (await gateway.page("/metrics")).body
        promises.check(SECRET, key.encode() not in metrics, "metrics")
        gateway.signal(15)
        await gateway.ended()
        promises.checked_all(ABORTS, gateway.starts, gateway.aborts)
        panics = [line for line in gateway.log.read_text(errors="replace").splitlines() if "panicked" in line or "a fault:" in line]
        promises.check(PANICS, not panics, panics[:1])
    await check_histories(promises, place, store, [client for client in clients if client.kept])
    await check_ledger(promises, place, store, world.prefixes)
    promises.checked_all(SECRET, 1, files_with(place.path, [key.encode()]))


async def kills_in_preparation(options, promises, place, stub, times, key):
    """A gateway is killed while a model writes a summary ahead. Its lease is a dead man's: nobody waits for it."""
    asked, slow = asyncio.Event(), True
    usual = stub.respond

    async def respond(call, writer):
        if call.path.startswith("/summaries"):
            asked.set()
            if slow:
                await asyncio.Event().wait()
            # What a provider says of a credential may be the credential.
            return await stub.send(writer, 401, {"error": {"message": f"wrong key: {key}", "type": key, "code": key}})
        return await usual(call, writer)

    stub.respond = respond
    settings = [("model.context_length", 8000), ("compression.protect_last_n", 3), ("auxiliary.compression.provider", "auto"),
                ("auxiliary.compression.base_url", f"{stub.url}/summaries/v1"), ("auxiliary.compression.model", "small")]
    gateway = await Gateway(place, "preparing", stub.url, str(place.path / "preparing.db"), settings).start()
    waits = []
    for number in range(times):
        prefixes = Prefixes()
        world = World(stub, [gateway], promises, prefixes, f"{options.seed}/{number}", key)
        agent = Agent(world, 900 + number, dialects.ALL[number % 3], True, False, turns=60, words=60)
        asked.clear()
        slow = True
        living = asyncio.create_task(agent.session())
        async with asyncio.timeout(120):
            await asked.wait()
        moment = Moment(world)
        await moment.do("whole", 1, gateway.kill)
        slow = False
        await gateway.restart()
        async with asyncio.timeout(180):
            while prefixes.actions["compacted"] == 0 and not living.done():
                await moment.do("whole", 1)
        world.over = True
        await living
        agent.connection.close()
        waits.append(round(world.slowest, 1))
        promises.check(agents.PREFIX, not prefixes.moved, prefixes.moved[:1])
    gateway.kill()
    await gateway.ended()
    stub.respond = usual
    promises.figure("longest waits after a kill in a preparation, s", waits)
