"""Ask the auditor about several policies, one after the other, with a bar while it works."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from copyproof.cli.waiting import Waiting, prompt_interrupt

if TYPE_CHECKING:
    from copyproof.external import ExternalPolicy
    from copyproof.policy import Policy

__all__ = ["examined"]

T = TypeVar("T")


def examined(
    texts: list[str],
    budget: int | None,
    find: "Callable[[Policy | ExternalPolicy, Callable[[int], None]], T]",
) -> list[T]:
    """What ``find`` says of each policy, in their order.

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
        from copyproof.auditing.asked import usual_budget
        from copyproof.external import ExternalPolicy, named_policy
        from copyproof.simulation import is_compiled

        policies = [named_policy(text) for text in texts]
        budgets = [budget or usual_budget(one) for one in policies]
        # A policy that may be refused goes first: a refusal comes before any work.
        order = sorted(
            range(len(policies)),
            key=lambda i: (
                not isinstance(one := policies[i], ExternalPolicy) and not one.needs_unit_rewards
            ),
        )
        found = {}
        with Waiting(sum(budgets), compiles=not is_compiled()) as waiting:
            for place in order:
                found[place] = find(policies[place], waiting.part(budgets[place]))
    return [found[place] for place in range(len(policies))]
