"""The processes under test: `epitome serve`, and a PostgreSQL server. Each is ended with us, even if we are killed."""

import asyncio
import json
import os
import pwd
import re
import resource
import shutil
import signal
import socket
import tempfile
from contextlib import asynccontextmanager
from pathlib import Path

from stub import Stub

WITH_US = ["setpriv", "--pdeathsig", "KILL", "--"]
START = 60


@asynccontextmanager
async def stage(options):
    """A place and a provider for a scenario. Both are gone in the end, and so are all processes."""
    place, stub = Place(options.epitome), await Stub().start()
    # Connections that break are what is tested, and no news.
    is_news = lambda context: not isinstance(context.get("exception"), OSError)
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: is_news(context) and loop.default_exception_handler(context))
    try:
        yield place, stub
    finally:
        await stub.close()
        await place.close()


class Place:
    """A directory that is removed in the end, with the program that is tested."""

    def __init__(self, epitome):
        self.path, self.epitome = Path(tempfile.mkdtemp(prefix="epitome-chaos-")), epitome
        self.path.chmod(0o755)
        self.processes = []

    def environment(self):
        return {"HOME": str(self.path), "PATH": "/usr/local/bin:/usr/bin:/bin", "EPITOME_LOG": os.environ.get("EPITOME_LOG", "info")}

    async def cli(self, *arguments):
        """What a command of `epitome` prints; a failure is an error of the run."""
        process = await asyncio.create_subprocess_exec(
            self.epitome, *arguments, cwd=self.path, env=self.environment(),
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
        out, err = await process.communicate()
        if process.returncode:
            raise RuntimeError(f"epitome {' '.join(arguments[:3])}: {err.decode('utf-8', 'replace')[-300:]}")
        return out.decode()

    async def export(self, store, session):
        return [json.loads(line) for line in (await self.cli("sessions", "--store", store, "export", session)).splitlines()]

    async def sessions(self, store):
        return {row["session"]: row for row in json.loads(await self.cli("sessions", "--store", store, "list", "-n", "1000000", "--json"))["sessions"]}

    async def close(self):
        for process in reversed(self.processes):
            await process.end()
        shutil.rmtree(self.path, ignore_errors=True)


class Gateway:
    """`epitome serve` as a process. It has another port after each start."""

    def __init__(self, place, name, upstream, store, settings=(), files=4096):
        self.place, self.name, self.store = place, name, store
        self.command = [*WITH_US, "prlimit", f"--nofile={files}:{files}", place.epitome, "serve", "--listen", "127.0.0.1:0", "--upstream", upstream, "--store", store]
        for key, value in settings:
            self.command += ["--set", f"{key}={value}"]
        self.log = place.path / f"{name}.log"
        self.port, self.process, self.up, self.ending = None, None, asyncio.Event(), False
        self.aborts, self.starts, self.reviving = [], 0, asyncio.Lock()
        place.processes.append(self)

    async def start(self):
        self.ending, self.starts = False, self.starts + 1
        self.process = await asyncio.create_subprocess_exec(
            *self.command, cwd=self.place.path, env=self.place.environment(), stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE, limit=1 << 24)
        self.listening = asyncio.get_running_loop().create_future()
        self.reading = asyncio.create_task(self.read(self.process, self.listening))
        async with asyncio.timeout(START):
            self.port = await self.listening
        if self.port:
            self.up.set()
        return self

    async def read(self, process, listening):
        """Keeps what it says, and notes when it listens and when it has ended by itself."""
        with self.log.open("ab") as log:
            async for line in process.stderr:
                log.write(line)
                found = re.search(rb"listening on http://[^:]+:(\d+)", line)
                if found and not listening.done():
                    listening.set_result(int(found[1]))
        code = await process.wait()
        if process is self.process:
            self.up.clear()
        if not self.ending:
            self.aborts.append(f"{self.name} ended by itself: {code}")
        if not listening.done():
            listening.set_result(None)

    @property
    def runs(self):
        return self.process is not None and self.process.returncode is None

    def signal(self, number):
        """At once. What ends a process that had already ended is not ours."""
        if self.runs:
            before, self.ending = self.ending, True
            self.up.clear()
            try:
                os.kill(self.process.pid, number)
            except ProcessLookupError:
                self.ending = before

    def kill(self):
        self.signal(signal.SIGKILL)

    async def ended(self, patience=START):
        async with asyncio.timeout(patience):
            await self.reading
            return await self.process.wait()

    async def restart(self):
        await self.ended()
        return await self.start()

    async def revive(self):
        """Starts it again if it has ended by itself."""
        async with self.reviving:
            if not self.runs:
                await self.restart()

    async def end(self):
        if self.process:
            self.kill()
            await self.ended()

    def limit(self, what, value):
        _, hard = resource.prlimit(self.process.pid, what)
        resource.prlimit(self.process.pid, what, (value, hard))

    def memory(self):
        """MB that are in memory now; None: it has ended."""
        try:
            pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        except (OSError, IndexError):
            return None
        return int(pages) * resource.getpagesize() / 1e6


class Postgres:
    """A server of our own, on a free port of this machine, as a user who is not root."""

    def __init__(self, place):
        self.place, self.base = place, place.path / "postgres"
        homes = sorted(Path("/usr/lib/postgresql").glob("*/bin")) + [Path("/usr/bin"), Path("/usr/local/bin")]
        self.programs = next((home for home in homes if (home / "initdb").exists()), None)
        if not self.programs:
            raise SystemExit("PostgreSQL is not installed; hint: apt-get install postgresql")
        self.process, self.aborts = None, []
        place.processes.append(self)

    async def run(self, program, *arguments, wait=True):
        as_user = []
        if os.getuid() == 0:
            user = pwd.getpwnam("postgres")
            as_user = [f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
        with (self.place.path / "postgres.log").open("ab") as log:
            process = await asyncio.create_subprocess_exec(
                *WITH_US[:-1], *as_user, "--", str(self.programs / program), *arguments, cwd="/",
                stdin=asyncio.subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        if wait and await process.wait():
            raise RuntimeError(f"{program} failed: " + (self.place.path / "postgres.log").read_text()[-500:])
        return process

    async def start(self):
        if not self.base.exists():
            self.base.mkdir()
            if os.getuid() == 0:
                user = pwd.getpwnam("postgres")
                os.chown(self.base, user.pw_uid, user.pw_gid)
            await self.run("initdb", "-U", "postgres", "-A", "trust", "-N", "--no-locale", "-E", "UTF8", "-D", str(self.base / "data"))
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                self.port = free.getsockname()[1]
            self.url = f"postgres://postgres@127.0.0.1:{self.port}/postgres"
        # A commit is written before it is acknowledged; that it survives the machine's own end is not what is tested.
        settings = [f"port={self.port}", "listen_addresses=127.0.0.1", "fsync=off", f"unix_socket_directories={self.base}",
                    "max_connections=60"]
        options = [word for setting in settings for word in ("-c", setting)]
        deadline = asyncio.get_running_loop().time() + START
        while True:
            self.process = await self.run("postgres", "-D", str(self.base / "data"), *options, wait=False)
            while self.process.returncode is None:
                if await self.is_ready():
                    return self
                await asyncio.sleep(0.02)
            # After kill -9 its children hold the memory that they share, until they notice.
            if asyncio.get_running_loop().time() > deadline:
                raise RuntimeError("postgres does not start")
            await asyncio.sleep(0.05)

    async def is_ready(self):
        try:
            lines = (self.base / "data" / "postmaster.pid").read_text().splitlines()
        except OSError:
            return False
        return len(lines) > 7 and lines[7].strip() == "ready" and lines[0] == str(self.process.pid)

    async def stop_immediately(self):
        self.process.send_signal(signal.SIGQUIT)
        await self.process.wait()

    async def kill(self):
        self.process.kill()
        await self.process.wait()

    async def end(self):
        if self.process and self.process.returncode is None:
            await self.stop_immediately()


def files_with(root, secrets):
    """Which files below a directory hold one of these."""
    found = []
    for path in sorted(Path(root).rglob("*")):
        try:
            raw = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        except OSError:
            continue
        found += [f"{path.name}: {secret[:12].decode()}…" for secret in secrets if secret in raw]
    return found
