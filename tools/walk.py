"""The modules that one warm call enters, in order: ``python -m tools.walk NAME FOLDER``.

Prints their names in the order of first entry. Where Python calls a kernel, these are the modules
that the kernel is compiled from, in the order in which its code names them. The call is made
several times, and what not every one of them enters is left out: a service renews its lease now and
then.
"""

import http.client
import inspect
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import IO, Any
from urllib.parse import urlsplit

TIMES = 5
_SOURCES = Path(__file__).parents[1] / "src"


class Profile:
    """What the threads of this process enter while it records."""

    def __init__(self) -> None:
        self.entered: dict[str, None] = {}
        self._names: dict[str, str | None] = {}

    def hook(self, frame: FrameType, event: str, _: object) -> None:
        """Note a call; for ``sys.setprofile``."""
        if event == "call":
            code = frame.f_code
            if code.co_filename not in self._names:
                self._names[code.co_filename] = _module_of(code.co_filename)
            name = self._names[code.co_filename]
            if name is not None and code.co_name != "<module>":
                self.entered.setdefault(name)

    def watch_kernels(self) -> None:
        """Note calls of kernels, too: profilers do not see them."""
        from numba.core.registry import CPUDispatcher

        def noted(kernel: Any) -> Callable[..., Any]:
            modules = dict.fromkeys(compiled_from(kernel))

            def call(*arguments: object) -> Any:
                self.entered |= {name: None for name in modules if name not in self.entered}
                return kernel(*arguments)

            return call

        for name, module in list(sys.modules.items()):
            if name.startswith("copyproof."):
                for key, value in list(vars(module).items()):
                    if isinstance(value, CPUDispatcher) and value.targetoptions.get("nogil"):
                        setattr(module, key, noted(value))

    @contextmanager
    def on(self) -> Iterator[None]:
        """Record in this thread and in those that are started from now on."""
        threading.setprofile(self.hook)
        sys.setprofile(self.hook)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)


def compiled_from(kernel: Any, known: set[int] | None = None) -> Iterator[str]:
    """The modules of a kernel and of the compiled functions that it calls."""
    known = set() if known is None else known
    if id(kernel) in known:
        return
    known.add(id(kernel))
    yield kernel.py_func.__module__
    names = kernel.py_func.__code__.co_names
    for name in names:
        found = kernel.py_func.__globals__.get(name)
        holders = [vars(found).get(each) for each in names] if inspect.ismodule(found) else [found]
        for other in holders:
            if hasattr(other, "py_func"):
                yield from compiled_from(other, known)


def _module_of(file: str) -> str | None:
    path = Path(file)
    if not path.is_relative_to(_SOURCES):
        return None
    parts = path.relative_to(_SOURCES).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def common(walks: list[list[str]]) -> list[str]:
    """What every one of the walks has, in the order of the first."""
    return [each for each in walks[0] if all(each in walk for walk in walks)]


def call_of(name: str) -> Callable[[], object]:
    """The call of a walk in this process."""
    from copyproof import Agent, Market, audit, simulate

    market = Market([Agent("ann", [0.5, 0.2]), Agent("bob", [0.9])])
    if name == "simulate":
        return lambda: simulate(market, "h-ucb", horizon=30, repetitions=2, seed=1, workers=1)
    return lambda: audit(
        *(market, "ucb1"),
        horizon=50,
        seed=1,
        agent="ann",
        most_copies=2,
        budget=2_000,
        method="sampling",
        workers=1,
    )


def here(name: str) -> list[str]:
    """The walk of a call in this process."""
    call = call_of(name)
    call()
    profile = Profile()
    profile.watch_kernels()
    walks = []
    for _ in range(TIMES):
        profile.entered.clear()
        with profile.on():
            call()
        walks.append(list(profile.entered))
    return common(walks)


def serve(folder: str) -> None:
    """Serve the example, profiled; an empty line asks for what was entered since the last one."""
    from copyproof.cli import main

    profile = Profile()
    answers = os.fdopen(os.dup(1), "w")

    def answer() -> None:
        for _ in sys.stdin:
            entered = [*profile.entered]
            profile.watch_kernels()
            profile.entered.clear()
            print(json.dumps(entered), file=answers, flush=True)

    threading.Thread(target=answer, daemon=True).start()
    store = f"sqlite:{folder}/live.db"
    sys.argv = ["copyproof", "serve", "--example", "--store", store, "--port", "0", "--json"]
    with profile.on():
        main()


def decision(folder: str) -> list[str]:
    """The walk of a decision over HTTP, in the process of the service."""
    command = [sys.executable, "-m", "tools.walk", "serve", folder]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        up = json.loads(process.stdout.readline())
        connection = http.client.HTTPConnection(urlsplit(up["url"]).netloc)
        walks = []
        for _ in range(2 + TIMES):  # the first ones are not warm
            connection.request(
                "POST",
                f"/v1/markets/{up['market']}/decisions",
                headers={"Authorization": f"Bearer {up['key']}"},
            )
            answer = connection.getresponse()
            assert answer.status == 200, answer.read()
            answer.read()
            walks.append(_since_last(process.stdin, process.stdout))
        connection.close()
        process.terminate()
    return common(walks[2:])


def _since_last(ask: IO[str], answers: IO[str]) -> list[str]:
    print(file=ask, flush=True)
    found: list[str] = json.loads(answers.readline())
    return found


if __name__ == "__main__":
    _, given, place = sys.argv
    if given == "serve":
        serve(place)
    else:
        for each in decision(place) if given == "decision" else here(given):
            print(each)
