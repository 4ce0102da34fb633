"""River's and MABWiser's policies, played through the real packages.

River (``river.bandit``) chooses by ``pull(arms)`` and learns by ``update(arm, reward)``. MABWiser
cannot ``predict`` before it was ``fit``, and an arm that was not in the data keeps the expectation
0 and may never be tried. So each arm is played once, in an order drawn from the seed, then MABWiser
is fitted to what came of it, and after that it is asked and told round by round.
"""

import copy
import importlib
import inspect
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from copyproof.external.records import ExternalPolicy, one_line
from copyproof.validation import shown

__all__ = ["call_text", "mabwiser_policy", "river_policy"]


def river_policy(kind: str, /, **parameters: Any) -> ExternalPolicy:
    """Take a policy from River.

    Parameters
    ----------
    kind : str
        A class of ``river.bandit`` that needs no context, such as ``"UCB"``.
    **parameters
        What the class is made with, but for ``seed``, which comes from the game. They are copied
        for every game.

    Returns
    -------
    ExternalPolicy

    Examples
    --------
    >>> len(river_policy("UCB", delta=1).name)
    18
    """
    name = call_text("river", kind, parameters)
    bandit = _load("river.bandit", "River", name)
    kinds = [
        one
        for one in bandit.__all__
        if inspect.isclass(found := getattr(bandit, one))
        and issubclass(found, bandit.base.Policy)
        and not issubclass(found, bandit.base.ContextualPolicy)
    ]
    _check_kind(name, kind, kinds, "classes of river.bandit without contexts")
    factory = _River(kind, parameters)
    _try(name, parameters, factory)
    return ExternalPolicy(name, factory)


def mabwiser_policy(kind: str, /, **parameters: Any) -> ExternalPolicy:
    """Take a policy from MABWiser.

    Parameters
    ----------
    kind : str
        A ``mabwiser.mab.LearningPolicy`` that needs no context, such as ``"UCB1"``.
    **parameters
        What the learning policy is made with. The seed comes from the game.

    Returns
    -------
    ExternalPolicy

    Examples
    --------
    >>> len(mabwiser_policy("UCB1", alpha=1).name)
    22
    """
    name = call_text("mabwiser", kind, parameters)
    module = _load("mabwiser.mab", "MABWiser", name)
    kinds = [
        one
        for one, found in vars(module.LearningPolicy).items()
        if inspect.isclass(found) and hasattr(found, "_validate") and not one.startswith("Lin")
    ]
    _check_kind(name, kind, kinds, "learning policies of MABWiser without contexts")
    factory = _Mabwiser(kind, parameters)
    _try(name, parameters, factory)
    return ExternalPolicy(name, factory)


@dataclass(frozen=True, slots=True, eq=False)
class _River:
    kind: str
    parameters: Mapping[str, Any]

    def __call__(
        self, arms: Sequence[str], *, owners: Mapping[str, str], horizon: int, seed: int
    ) -> "_RiverPlayer":
        made = getattr(importlib.import_module("river.bandit"), self.kind)
        given = copy.deepcopy(dict(self.parameters))  # reward scalers learn, too
        if "seed" in inspect.signature(made).parameters:
            given["seed"] = seed
        return _RiverPlayer(made(**given), list(arms))


@dataclass(slots=True)
class _RiverPlayer:
    policy: Any
    arms: list[str]

    def choose(self) -> str:
        arm: str = self.policy.pull(self.arms)
        return arm

    def learn(self, arm: str, reward: float) -> None:
        self.policy.update(arm, reward)


@dataclass(frozen=True, slots=True, eq=False)
class _Mabwiser:
    kind: str
    parameters: Mapping[str, Any]

    def __call__(
        self, arms: Sequence[str], *, owners: Mapping[str, str], horizon: int, seed: int
    ) -> "_MabwiserPlayer":
        module = importlib.import_module("mabwiser.mab")
        learning = getattr(module.LearningPolicy, self.kind)(**self.parameters)
        waiting = list(arms)
        random.Random(seed).shuffle(waiting)
        return _MabwiserPlayer(module.MAB(list(arms), learning, seed=seed), waiting, [], [])


@dataclass(slots=True)
class _MabwiserPlayer:
    mab: Any
    waiting: list[str]
    """Arms that are still to be played once; the last comes next."""
    arms: list[str]
    rewards: list[float]
    """The first plays, and what they paid."""

    def choose(self) -> str:
        if self.waiting:
            return self.waiting[-1]
        arm: str = self.mab.predict()
        return arm

    def learn(self, arm: str, reward: float) -> None:
        if not self.waiting:
            self.mab.partial_fit([arm], [reward])
            return
        self.arms.append(self.waiting.pop())
        self.rewards.append(reward)
        if not self.waiting:
            self.mab.fit(self.arms, self.rewards)


def call_text(library: str, kind: str, parameters: Mapping[str, Any]) -> str:
    """The text form ``library:Kind(parameter=value, …)``.

    Examples
    --------
    >>> len(call_text("river", "UCB", {"delta": 1}))
    18
    """
    given = ", ".join(f"{key}={shown(value)}" for key, value in parameters.items())
    return f"{library}:{kind}" + (f"({given})" if given else "")


def _load(module: str, called: str, name: str) -> Any:
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module.partition(".")[0]:
            raise  # the package is there, and something that it needs is not
        raise ValueError(
            f"policy = {name!r}: {called} is not installed; "
            "install it with: pip install 'copyproof[peers]'"
        ) from None


def _check_kind(name: str, kind: str, kinds: Iterable[str], of: str) -> None:
    known = sorted(kinds)
    if kind not in known:
        raise ValueError(f"policy = {name!r}: {kind} is not one of the {of}: {', '.join(known)}")


def _try(name: str, parameters: Mapping[str, Any], factory: _River | _Mabwiser) -> None:
    """Make a player once, so that wrong parameters are found before the first game."""
    if "seed" in parameters:
        raise ValueError(f"policy = {name!r}: seed is not a parameter; it comes from the game")
    try:
        factory(["a/1", "b/1"], owners={"a/1": "a", "b/1": "b"}, horizon=2, seed=0)
    except (TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"policy = {name!r}: {one_line(error)}") from error
