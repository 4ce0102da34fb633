"""Policies in files: all of one of ours, and of another's what can be kept, its name and its text.

The code of an external policy is not in the file. What is read back is called the same, has the
same text, and refuses to be played: what the text stands for may have changed since, and whoever
wants to play it says so by giving the text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from copyproof.external.records import ExternalError, ExternalPolicy, Learner
from copyproof.policy import Policy, from_dict, to_dict
from copyproof.validation import FieldError, text


@dataclass(frozen=True, slots=True)
class NotStored:
    """In the place of a factory that a file does not hold."""

    name: str
    text: str | None

    def __call__(
        self, arms: Sequence[str], *, owners: Mapping[str, str], horizon: int, seed: int
    ) -> Learner:
        """Say that there is nothing to play."""
        give = "the policy itself" if self.text is None else f"{self.text!r}, its text"
        raise ExternalError(f"it was read from a file, which does not hold its code: give {give}")


def policy_to_dict(policy: Policy | ExternalPolicy) -> dict[str, Any]:
    """Write a policy as plain data, ready for JSON.

    Examples
    --------
    >>> from copyproof import river_policy
    >>> policy_to_dict(river_policy("UCB", delta=1))
    {'external': 'river:UCB(delta=1)', 'text': 'river:UCB(delta=1)'}
    """
    if isinstance(policy, Policy):
        return to_dict(policy)
    return {"external": policy.name, "text": policy.text}


def policy_from_dict(data: Any) -> Policy | ExternalPolicy:
    """Read what ``policy_to_dict`` writes; an external policy comes back without its code.

    Examples
    --------
    >>> print(policy_from_dict({"external": "mine", "text": None}))
    mine
    """
    if not isinstance(data, dict) or "external" not in data:
        return from_dict(data)
    if {*data} != {"external", "text"}:
        raise FieldError("policy", data, "an object with external and text")
    name = text("policy.external", data["external"])
    found = None if data["text"] is None else text("policy.text", data["text"])
    return ExternalPolicy(name, NotStored(name, found), found)
