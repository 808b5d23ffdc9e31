"""The disk is full, and has room again, while sessions go on: a small file system, and a limit on the size of files."""

import os
import random
import resource
import subprocess
from collections import Counter

import agents
from agents import World
from checks import OUTSIDE, Promises
from processes import Gateway, stage

ROOM = 96_000_000
AGAIN = "with room again, everything is kept and remembered again"


class SmallDisk:
    """A file system of its own size, where we may mount one."""

    def __init__(self, path):
        self.path = path
        path.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={ROOM},mode=0777", "tmpfs", str(path)]
        self.mounted = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0

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
    promises, chance, done = Promises("disk", [*agents.PROMISES, AGAIN]), random.Random(options.seed), Counter()
    async with stage(options) as (place, stub):
        disk = SmallDisk(place.path / "disk")
        gateway = await Gateway(place, "gateway", stub.url, str(disk.path / "store.db"), agents.SMALL_WINDOW).start()

        async def trouble(world):
            for number in range(rounds):
                await world.at("whole", chance.randrange(1, 40), unless=gateway.reading)
                world.store_up.clear()
                if disk.mounted and number % 3 != 2:
                    disk.fill()
                    done["file system full"] += 1
                else:
                    size = os.path.getsize(gateway.store)
                    gateway.limit(resource.RLIMIT_FSIZE, chance.choice([0, size, size + 4096]))
                    done["files may not grow"] += 1
                await world.at("head", chance.randrange(20, 80), unless=gateway.reading)
                if chance.random() < 0.3:
                    gateway.kill()
                    done["killed meanwhile"] += 1
                disk.free()
                if gateway.up.is_set():
                    gateway.limit(resource.RLIMIT_FSIZE, resource.RLIM_INFINITY)
                else:
                    # Killed by us, or it has ended by itself, which is counted.
                    await gateway.restart()
                world.store_up.set()
                # Requests that were on their way when room came may still tell of its lack.
                await world.at("whole", 24)
                before = world.prefixes.actions[OUTSIDE]
                await world.at("whole", 24)
                promises.check(AGAIN, world.prefixes.actions[OUTSIDE] == before, f"round {number}")

        try:
            await World(promises, stub, [gateway], options.seed, store_fails=True).live(trouble, words=250)
        finally:
            disk.close()
    promises.figure("faults", done)
    promises.figure("a file system of its own", disk.mounted)
    return promises.result()
