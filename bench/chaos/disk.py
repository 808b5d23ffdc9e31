"""The disk is full, and has room again, while sessions go on: a small file system, and a limit on the size of files."""

import asyncio
import os
import random
import resource
import subprocess

from agents import World
from checks import Prefixes, Promises
from kill import PROMISES, SMALL_WINDOW, Moment, agents_of, looked_over
from processes import Gateway, Place
from stub import Stub

ROOM = 96_000_000
AGAIN = "with room again, everything is kept and remembered again"


class SmallDisk:
    """A file system of its own size, where we may mount one."""

    def __init__(self, path):
        self.path = path
        path.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={ROOM},mode=0777", "tmpfs", str(path)]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        self.mounted = done.returncode == 0

    def fill(self):
        """Leaves less than a page."""
        with open(self.path / "filler", "ab", buffering=0) as filler:
            for size in (1 << 16, 1 << 12):
                try:
                    while filler.write(bytes(size)):
                        pass
                except OSError:
                    pass

    def free(self):
        (self.path / "filler").unlink(missing_ok=True)

    def close(self):
        if self.mounted:
            subprocess.run(["umount", "-l", str(self.path)], check=False)


async def run(options, rounds):
    promises = Promises("disk", [*PROMISES, AGAIN])
    chance, key = random.Random(f"{options.seed}/disk"), f"sk-chaos-{options.seed:08x}-credential"
    place, stub = Place(options.epitome), await Stub().start()
    disk = SmallDisk(place.path / "disk")
    store = str(disk.path / "store.db")
    gateway = Gateway(place, "gateway", stub.url, store, SMALL_WINDOW)
    prefixes = Prefixes(store_fails=True)
    world = World(stub, [gateway], promises, prefixes, options.seed, key)
    # What cannot be kept is refused in so many words, and the client sends again.
    world.excused = lambda answer: answer.status in (503, 507)
    tasks, done = [], {"file system full": 0, "files may not grow": 0, "killed meanwhile": 0}
    try:
        await gateway.start()
        clients, moment = agents_of(world), Moment(world)
        for client in clients:
            client.words = 250
        tasks = [asyncio.create_task(client.live()) for client in clients]
        for number in range(rounds):
            await moment.do("whole", chance.randrange(1, 40), unless=gateway.reading)
            world.store_up.clear()
            if disk.mounted and number % 3 != 2:
                disk.fill()
                done["file system full"] += 1
            else:
                size = os.path.getsize(store)
                gateway.limit(resource.RLIMIT_FSIZE, chance.choice([0, size, size + 4096]))
                done["files may not grow"] += 1
            await moment.do("head", chance.randrange(20, 80), unless=gateway.reading)
            if chance.random() < 0.3:
                gateway.kill()
                done["killed meanwhile"] += 1
            disk.free()
            if gateway.runs and gateway.up.is_set():
                gateway.limit(resource.RLIMIT_FSIZE, resource.RLIM_INFINITY)
            if not gateway.runs or not gateway.up.is_set():
                # Killed by us, or it has ended by itself, which is counted.
                await gateway.restart()
            world.store_up.set()
            before = prefixes.actions["not in the history"]
            await moment.do("whole", 24, unless=gateway.reading)
            after = prefixes.actions["not in the history"]
            # Requests that were on their way when room came may still tell of its lack.
            promises.check(AGAIN, after - before <= 2 * len(clients), f"{after - before} of 24 turns were not kept")
        world.over = True
        await asyncio.gather(*tasks)
        await looked_over(promises, place, stub, world, [gateway], store, clients, key)
    finally:
        for task in tasks:
            task.cancel()
        await stub.close()
        disk.close()
        await place.close()
    promises.figure("faults", done)
    promises.figure("a file system of its own", disk.mounted)
    promises.figure("turns answered, requests sent again", [world.turns, world.again])
    promises.figure("actions", dict(prefixes.actions))
    promises.figure("errors that clients saw", world.errors)
    return promises.result()
