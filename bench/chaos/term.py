"""SIGTERM right behind the last answer: every call that was answered is recorded."""

import asyncio
import json
import random
import signal
import time

import dialects
from checks import Promises
from processes import Gateway, Postgres, stage
from stub import MARK
from wire import Connection, request

RECORDED = "no recorded call is missing"
ENDS = "it ends by itself, soon and with 0"
TOGETHER = 8


async def run(options, rounds):
    promises, chance, slowest = Promises("term", [f"{RECORDED} (SQLite)", f"{RECORDED} (PostgreSQL)", ENDS]), random.Random(options.seed), 0.0
    async with stage(options) as (place, stub):
        postgres = await Postgres(place).start()
        for number in range(rounds):
            for store, name in ((str(place.path / "store.db"), "SQLite"), (postgres.url, "PostgreSQL")):
                gateway = await Gateway(place, f"gateway-{name}", stub.url, store).start()
                sessions, calls = [f"{name}-{number}-{index}" for index in range(TOGETHER)], chance.randrange(1, 4)
                await asyncio.gather(*(session_of(gateway, session, index, calls) for index, session in enumerate(sessions)))
                gateway.signal(signal.SIGTERM)
                began = time.monotonic()
                code = await gateway.ended()
                slowest = max(slowest, time.monotonic() - began)
                promises.check(ENDS, code == 0 and time.monotonic() - began < 10, f"{name}: {code}")
                rows = await place.sessions(store)
                missing = [f"{session}: {rows.get(session, {}).get('calls', 0)} of {calls} calls" for session in sessions
                           if rows.get(session, {}).get("calls", 0) < calls]
                promises.checked_all(f"{RECORDED} ({name})", len(sessions), missing)
                if sessions[0] in rows:
                    shown = json.loads(await place.cli("sessions", "--store", store, "show", sessions[0], "--json"))
                    used = [turn["usage"]["output"] for turn in shown["turns"]]
                    promises.check(f"{RECORDED} ({name})", len(used) == calls and all(used), f"{sessions[0]}: usage {used}")
    promises.figure("stops", 2 * rounds)
    promises.figure("longest until it has ended, s", round(slowest, 2))
    return promises.result()


async def session_of(gateway, session, index, calls):
    dialect, connection = dialects.ALL[index % 3], Connection()
    for call in range(calls):
        headers = {**dialect.credential("sk-term"), MARK: f"{session}.{call}.0", "x-epitome-session": session}
        body = dialect.body("Be brief.", dialect.user(f"{session}, {call}"), index % 2 == 0)
        answer = await connection.ask(gateway.port, request("POST", dialect.path, headers, body))
        assert dialects.answered(dialect, index % 2 == 0, answer), answer
    connection.close()
