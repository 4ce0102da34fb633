"""Examining several policies with the auditor, as ``audit``, ``equilibrium`` and ``attacks`` do."""

from collections.abc import Callable
from typing import Any, TypeVar

from copyproof.cli.progress import in_turn, prompt_interrupt
from copyproof.game import Market

R = TypeVar("R")


def examine(
    find: Callable[..., R], market: Market, texts: list[str], *, budget: int | None, **asked: Any
) -> list[R]:
    """Return what ``find`` says of each policy on the market, in their order.

    Parameters
    ----------
    find : callable
        One of the auditor's functions.
    market : Market
        What it is to look at.
    texts : list of str
        The policies.
    budget : int or None
        Rounds for each; None for the usual number.
    **asked : Any
        What else ``find`` is to be told.
    """
    with prompt_interrupt():  # the import takes its time, too
        from copyproof.auditing.request import usual_budget
        from copyproof.external import named_policy
        from copyproof.simulation import is_compiled

        policies = [named_policy(text) for text in texts]
        return in_turn(
            policies,
            [budget or usual_budget(one) for one in policies],
            lambda one, progress: find(market, one, budget=budget, progress=progress, **asked),
            compiles=not is_compiled(),
        )
