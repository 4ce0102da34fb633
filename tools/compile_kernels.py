"""Compile all kernels of the engine, on all cores: part of ``make setup``.

Compiled kernels are kept below the user's cache folder, named after the engine's sources, so that
every checkout compiles once, and again only after a change of the engine. Each step makes a tiny
call as users do, in a process that has nothing else to compile; the longest steps come first.
"""

import fcntl
import multiprocessing
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import copyproof
from copyproof import (
    Agent,
    BetaPrior,
    Drift,
    Market,
    audit,
    exact,
    function_policy,
    lost_probability,
    parse_policy,
    simulate,
)
from copyproof._machine import processors
from copyproof.engine.cache import cache_folder
from copyproof.engine.exact_layers import copy_layer, new_layer
from copyproof.live import Principal
from copyproof.simulation.logged_game import rows_of_game

SOURCES = Path(copyproof.__file__).parent
MARKET = Market([Agent("ann", [0.5, 0.2]), Agent("bob", [0.9])])
POLICIES = ("ucb1", "h-ucb", "prh-ucb")  # a flat pool, pools of agents, samples


def live_decisions() -> None:
    """Decisions, slates, eligible subsets, rewards, merged identities and a change of policy."""
    principal = Principal("prh-ucb")
    principal.register_arms([("ann", "1"), ("ann", "2"), ("bob", "1")])
    decisions = [
        *principal.ask(),
        *principal.ask(2, slate=True),
        *principal.ask(eligible={"ann": ["1"]}),
    ]
    principal.tell_many([(decision.id, 1.0) for decision in decisions])
    principal.bind(["ann", "bob"], "ann & bob")
    principal.set_policy("h-ucb")


def simulated_games() -> None:
    """Flat and hierarchical pools, means drawn from a prior, and merged identities."""
    for policy in POLICIES:
        simulate(MARKET, policy, horizon=10, repetitions=2, seed=1)
    drawn = Market([Agent("ann", [BetaPrior(1, 1)]), Agent("anna", [0.5])])
    simulate(drawn.bind(["ann", "anna"], "both"), "h-ucb", horizon=10, repetitions=2, seed=1)


def lost_agents() -> None:
    """Walks of one agent's own rewards."""
    lost_probability(MARKET, "rh-kl-ucb", horizon=100, seed=1, runs=2, workers=1)


def logged_games() -> None:
    """A policy's game over a log."""
    rows = np.tile([0, 1], 6)
    rows_of_game(rows, rows.astype(float), parse_policy("h-ucb"), [1, 1], seed=1)


def exact_values() -> None:
    """All games at once, as floats; and the move to a larger layer, which only large games make."""
    for policy in POLICIES[:2]:
        exact(MARKET, policy, horizon=3)
    copy_layer(new_layer(2, 1), new_layer(4, 1))


def exact_fractions() -> None:
    """All games at once, as fractions."""
    for policy in POLICIES[:2]:
        exact(MARKET, policy, horizon=3, fractions=True)


def external_policies() -> None:
    """The luck of policies that are not ours, where means stay and where they change."""
    first = function_policy(lambda tally: tally.arms[0], name="first")
    for market in (MARKET, Market([*MARKET.agents, Agent("eve", [Drift(0.1, 0.9, 2, 3)])])):
        audit(market, first, agent="bob", horizon=3, seed=1, workers=1, budget=100)


STEPS: tuple[Callable[[], None], ...] = (
    live_decisions,
    simulated_games,
    lost_agents,
    logged_games,
    exact_fractions,
    exact_values,
    external_policies,
)


def kernels() -> set[str]:
    """The names of all kernels, as the sources have them."""
    return {
        name
        for path in sorted(SOURCES.rglob("*.py"))
        for name in re.findall(r"^@kernel\ndef (\w+)", path.read_text(encoding="utf-8"), re.M)
    }


def stale_folders() -> list[Path]:
    """The folders of kernels that this checkout's engine had before its last change."""
    own = cache_folder()
    checkout = own.name.split("-")[1]
    folders = own.parent.glob(f"*-{checkout}-*")
    return [folder for folder in folders if folder != own]


@contextmanager
def _turn(folder: Path) -> Iterator[None]:
    """One process at a time compiles; those that come later find the kernels."""
    with (folder / ".setup").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.stderr.write("Waiting for another process that compiles the engine\n")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def compiled() -> set[str]:
    """The names of the kernels that have been compiled."""
    return {path.name.split(".")[1].split("-")[0] for path in cache_folder().rglob("*.nbc")}


def _show(names: set[str], began: float, before: str) -> str:
    """Write how many kernels are compiled: a line that moves, or lines where it has changed."""
    counts = f"Compiling the engine: {len(names & compiled())} of {len(names)} kernels"
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{counts}, {time.monotonic() - began:.0f} s ")
    elif counts != before:
        sys.stderr.write(f"{counts}, {time.monotonic() - began:.0f} s\n")
    sys.stderr.flush()
    return counts


def compile_all() -> None:
    """Run all steps, as many at once as there are processors."""
    names, began, shown = kernels(), time.monotonic(), ""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(processors(), len(STEPS)), mp_context=context) as pool:
        running: set[Future[None]] = {pool.submit(step) for step in STEPS}
        while running:
            shown = _show(names, began, shown)
            done, running = wait(running, timeout=1, return_when=FIRST_COMPLETED)
            for step in done:
                step.result()
    _show(names, began, shown)
    if sys.stderr.isatty():
        sys.stderr.write("\n")


def main() -> None:
    """Compile everything, or find it compiled; then remove what the engine was before."""
    folder = cache_folder()
    if folder.parent.name != "copyproof":
        sys.stderr.write(
            "warning: kernels cannot be kept, so every process compiles its own; "
            "set NUMBA_CACHE_DIR to a folder that can be written\n"
        )
        return
    with _turn(folder):
        compile_all()
        if missing := kernels() - compiled():
            sys.exit(f"error: no step compiles {', '.join(sorted(missing))}")
        for stale in stale_folders():
            shutil.rmtree(stale, ignore_errors=True)


if __name__ == "__main__":
    main()
