"""Compile the engine's kernels once, with a line for each step: part of ``make setup``.

Compiled kernels are kept below the user's cache folder, named after the engine's sources, so that
every checkout compiles once, and again only after a change of the engine. Each step plays a tiny
game as users do, so that nothing has to be listed here.
"""

import sys
import time
from collections.abc import Callable

from copyproof import Agent, Market, audit, exact, function_policy, simulate
from copyproof.live import Principal

MARKET = Market([Agent("ann", [0.5, 0.2]), Agent("bob", [0.9])])


def simulated_games() -> None:
    """Flat and hierarchical pools."""
    for policy in ("ucb1", "h-ucb", "prh-ucb"):
        simulate(MARKET, policy, horizon=10, repetitions=2, seed=1)


def exact_values() -> None:
    """All games at once, as floats and as fractions."""
    for policy in ("ucb1", "h-ucb"):
        exact(MARKET, policy, horizon=3)
        exact(MARKET, policy, horizon=3, fractions=True)


def external_policies() -> None:
    """The luck of policies that are not ours."""
    first = function_policy(lambda tally: tally.arms[0], name="first")
    audit(MARKET, first, agent="bob", horizon=3, seed=1, workers=1, budget=100)


def live_decisions() -> None:
    """Decisions, slates, eligible subsets, rewards and a change of policy."""
    principal = Principal("prh-ucb")
    principal.register_arms([("ann", "1"), ("ann", "2"), ("bob", "1")])
    decisions = [
        *principal.ask(),
        *principal.ask(2, slate=True),
        *principal.ask(eligible={"ann": ["1"]}),
    ]
    principal.tell_many([(decision.id, 1.0) for decision in decisions])
    principal.set_policy("h-ucb")


STEPS: tuple[Callable[[], None], ...] = (
    simulated_games,
    exact_values,
    external_policies,
    live_decisions,
)


def main() -> None:
    """Compile everything, or find it compiled."""
    for number, step in enumerate(STEPS, start=1):
        what = step.__name__.replace("_", " ")
        sys.stderr.write(f"Compiling the engine, {number} of {len(STEPS)}: {what} ... ")
        sys.stderr.flush()
        began = time.perf_counter()
        step()
        sys.stderr.write(f"{time.perf_counter() - began:.0f} s\n")


if __name__ == "__main__":
    main()
