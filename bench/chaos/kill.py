"""kill -9 at random moments: of a gateway on SQLite, or of two gateways and their PostgreSQL."""

import asyncio
import random
from collections import Counter

import agents
import dialects
from agents import Agent, World
from checks import Promises
from processes import Gateway, Postgres, stage

MOMENTS = ["arrived", "begun", "middle", "before the end", "ended", "head", "whole"]
DEAD_LEASE = "a lease of a gateway that was killed is not waited for"


async def run(options, kills, use_postgres=False):
    own = [] if use_postgres else [DEAD_LEASE]
    promises, chance, done = Promises("kill-postgres" if use_postgres else "kill", [*agents.PROMISES, *own]), random.Random(options.seed), Counter()
    async with stage(options) as (place, stub):
        postgres = await Postgres(place).start() if use_postgres else None
        store = postgres.url if postgres else str(place.path / "store.db")
        gateways = [await Gateway(place, f"gateway-{number}", stub.url, store, agents.SMALL_WINDOW).start() for number in range(1 + use_postgres)]

        async def trouble(world):
            while done.total() < kills:
                victim = chance.choice(["gateway"] * 6 + ["postgres immediate", "postgres kill"] * use_postgres)
                if victim == "gateway":
                    done[victim] += await kill_gateway(world, chance.choice(gateways), chance)
                else:
                    done[victim] += await kill_postgres(world, postgres, victim, chance)
            await world.at("whole", 40)

        await World(promises, stub, gateways, options.seed, store_fails=use_postgres).live(trouble)
        if not postgres:
            await kills_in_preparation(options, promises, place, stub, 1 if kills < 100 else 5)
    promises.figure("kills", done)
    return promises.result()


async def kill_gateway(world, gateway, chance):
    """At a moment, or shortly behind it; one in ten is killed once more while it starts. How many kills that were."""
    delay, loop, kills = chance.choice([0, 0, chance.uniform(0, 0.02)]), asyncio.get_running_loop(), 1
    kill = (lambda: loop.call_later(delay, gateway.kill)) if delay else gateway.kill
    await world.at(chance.choice(MOMENTS), chance.randrange(1, 40), kill, unless=gateway.reading)
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


async def kill_postgres(world, postgres, how, chance):
    await world.at(chance.choice(MOMENTS), chance.randrange(1, 40))
    world.store_up.clear()
    await (postgres.kill() if how == "postgres kill" else postgres.stop_immediately())
    # Requests that come meanwhile see a store that is away.
    await asyncio.sleep(chance.uniform(0, 0.3))
    await postgres.start()
    world.store_up.set()
    return 1


async def kills_in_preparation(options, promises, place, stub, times):
    """A gateway is killed while a model writes a summary ahead: its lease stays behind."""
    asked, slow, usual, waits, key = asyncio.Event(), True, stub.respond, [], ""

    async def respond(call, writer):
        if not call.path.startswith("/summaries"):
            return await usual(call, writer)
        asked.set()
        if slow:
            await asyncio.Event().wait()
        # What a provider says of a credential may be the credential.
        return await stub.send(writer, 401, {"error": {"message": f"wrong key: {key}", "type": key, "code": key}})

    stub.respond = respond
    settings = [*agents.SMALL_WINDOW, ("auxiliary.compression.provider", "auto"), ("auxiliary.compression.model", "small"),
                ("auxiliary.compression.base_url", f"{stub.url}/summaries/v1")]
    gateway = await Gateway(place, "preparing", stub.url, str(place.path / "preparing.db"), settings).start()
    for number in range(times):
        world = World(promises, stub, [gateway], f"{options.seed}-{number}")
        key, slow = world.key, True
        asked.clear()
        agent = Agent(world, number, dialects.ALL[number % 3], stream=True, kept=False, turns=60, words=60)
        living = asyncio.create_task(agent.session())
        async with asyncio.timeout(120):
            await asked.wait()
        # At once: a moment later the agent waits for that summary itself, as long as it may.
        gateway.kill()
        slow = False
        await gateway.restart()
        while not world.prefixes.actions["compacted"] and not living.done():
            await world.at("whole", 1, unless=living)
        world.over = True
        await living
        agent.connection.close()
        waits.append(round(world.slowest, 1))
        promises.check(DEAD_LEASE, world.slowest < agents.LONGEST_WAIT, f"{world.slowest:.1f} s")
        promises.checked_all(agents.PREFIX, world.prefixes.looked, world.prefixes.moved)
        promises.check(agents.SECRET, key.encode() not in gateway.log.read_bytes(), "the log of a failed summary")
    gateway.kill()
    await gateway.ended()
    promises.figure("longest waits after a kill in a preparation, s", waits)
