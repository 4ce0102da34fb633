"""The far end of ``copyproof.external.interpreter``: plays a policy inside another Python.

It is started as ``python worker.py`` by an interpreter that need not have copyproof, so this file
imports nothing but the standard library, and runs on Python 3.9 and newer. It reads one JSON object
a line from standard input and answers each with one line on standard output::

    {"load": ["package.module", "make", {"scale": 2}]}      {"ok": null}
    {"make": [["ann/1", ...], {"ann/1": "ann", ...}, T, seed]}   {"ok": null}
    {"choose": []}                                          {"ok": "ann/1"}
    {"learn": ["ann/1", 1.0]}                               {"ok": null}
    {"source": ["package.module"]}                          {"ok": "1.2.0 sha256:..."}

or with ``{"error": "ValueError: ..."}``. It ends when its standard input does. What the policy
prints goes nowhere, as standard output is taken; standard error is left alone.
"""

import sys

if __name__ == "__main__":
    # Python puts this file's folder first, whose modules must not stand in for the policy's own.
    sys.path.pop(0)

import functools
import hashlib
import importlib
import importlib.metadata
import importlib.util
import json
import os
import signal
from typing import Any, TextIO


def load(where: str, name: str) -> Any:
    """Return what is called ``name`` in a module, or in a file if ``where`` ends in ``.py``."""
    if not where.endswith(".py"):
        return getattr(importlib.import_module(where), name)
    path = os.path.abspath(where)
    # Not called by its bare name: a file river.py must not stand in for the package River.
    spec = importlib.util.spec_from_file_location(f"file {path}", path)
    if spec is None or spec.loader is None or not os.path.isfile(path):
        raise FileNotFoundError(f"there is no file {where}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module  # data classes look themselves up there
    # Not by the loader, which may take bytecode of before for a file that changed within a second.
    with open(path, "rb") as file:
        exec(compile(file.read(), path, "exec"), module.__dict__)
    return getattr(module, name)


def source(where: str) -> str:
    """Say which code a module or a file is: the version of its package, a digest of its bytes.

    Of a package with a version, installed or not, the named module's own file counts, too: one that
    is being worked on keeps its version.
    """
    path = where
    known = []
    if not where.endswith(".py"):
        try:
            known = [importlib.metadata.version(where.partition(".")[0])]
        except importlib.metadata.PackageNotFoundError:
            known = []
        spec = importlib.util.find_spec(where)
        path = (spec and spec.origin) or ""
    if os.path.isfile(path):
        with open(path, "rb") as file:
            known.append(f"sha256:{hashlib.sha256(file.read()).hexdigest()}")
    if not known:
        raise FileNotFoundError(f"the code of {where} cannot be found")
    return " ".join(known)


class Host:
    """Holds the factory and the learner of the game that is on."""

    def __init__(self) -> None:
        self.factory: Any = None
        self.learner: Any = None

    def answer(self, request: dict[str, Any]) -> Any:
        """Do what one request asks for."""
        ((what, given),) = request.items()
        if what == "choose":
            return self.learner.choose()
        if what == "learn":
            return self.learner.learn(*given)
        if what == "make":
            arms, owners, horizon, seed = given
            self.learner = None
            self.learner = self.factory(arms, owners=owners, horizon=horizon, seed=seed)
            return None
        if what == "source":
            return source(*given)
        where, name, parameters = given
        found = load(where, name)
        self.factory = functools.partial(getattr(found, "factory", found), **parameters)
        return None


def serve(requests: TextIO, answers: TextIO) -> None:
    """Answer requests until there are no more."""
    host = Host()
    for line in requests:
        try:
            answer = {"ok": host.answer(json.loads(line))}
        except (Exception, SystemExit) as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer, default=repr) + "\n")
        answers.flush()


def main() -> None:
    """Keep standard output for answers alone, and leave Ctrl-C to whoever started this."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    with open(0, encoding="utf-8", closefd=False) as requests:
        serve(requests, answers)


if __name__ == "__main__":
    main()
