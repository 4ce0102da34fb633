"""Examining several policies with the auditor, as ``audit``, ``equilibrium`` and ``attacks`` do."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from copyproof.cli.progress import in_turn, prompt_interrupt

if TYPE_CHECKING:
    from copyproof.external import ExternalPolicy
    from copyproof.policy import Policy

R = TypeVar("R")


def examine(
    texts: list[str],
    budget: int | None,
    find: "Callable[[Policy | ExternalPolicy, Callable[[int], None]], R]",
) -> list[R]:
    """Return what ``find`` says of each policy, in their order.

    Parameters
    ----------
    texts : list of str
        The policies.
    budget : int or None
        Rounds for each; None for the usual number.
    find : callable
        Takes a policy and a callback for progress.
    """
    with prompt_interrupt():  # the import takes its time, too
        from copyproof.auditing.request import usual_budget
        from copyproof.external import named_policy
        from copyproof.simulation import is_compiled

        policies = [named_policy(text) for text in texts]
        budgets = [budget or usual_budget(one) for one in policies]
        return in_turn(policies, budgets, find, compiles=not is_compiled())
