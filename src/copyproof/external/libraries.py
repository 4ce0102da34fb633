"""River's and MABWiser's policies, played through the real packages.

River (``river.bandit``) chooses by ``pull(arms)`` and learns by ``update(arm, reward)``. MABWiser
cannot ``predict`` before it was ``fit``, and an arm that was not in the data keeps the expectation
0 and may never be tried. So each arm is played once, in an order drawn from the seed, then MABWiser
is fitted to what came of it, and after that it is asked and told round by round.
"""

import copy
import functools
import importlib
import inspect
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from copyproof.external.records import ExternalPolicy, Factory, one_line
from copyproof.policy.syntax import Call, parse, refused
from copyproof.validation import FieldError, did_you_mean, shown

Parameters: TypeAlias = Mapping[str, Any]


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
    >>> river_policy("UCB", delta=1).name
    'river:UCB(delta=1)'
    """
    text = call_text("river", kind, parameters)
    bandit = _load("river.bandit", "River", text)
    kinds = [
        name
        for name in bandit.__all__
        if inspect.isclass(found := getattr(bandit, name))
        and issubclass(found, bandit.base.Policy)
        and not issubclass(found, bandit.base.ContextualPolicy)
    ]
    _check_kind(text, kind, kinds, "classes of river.bandit without contexts")
    return _checked(text, parameters, functools.partial(_river, kind, parameters))


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
    >>> mabwiser_policy("UCB1", alpha=1).name
    'mabwiser:UCB1(alpha=1)'
    """
    text = call_text("mabwiser", kind, parameters)
    mab = _load("mabwiser.mab", "MABWiser", text)
    kinds = [
        name
        for name, found in vars(mab.LearningPolicy).items()
        if inspect.isclass(found) and hasattr(found, "_validate") and not name.startswith("Lin")
    ]
    _check_kind(text, kind, kinds, "learning policies of MABWiser without contexts")
    return _checked(text, parameters, functools.partial(_mabwiser, kind, parameters))


def _river(
    kind: str, parameters: Parameters, arms: Sequence[str], *, owners: Any, horizon: int, seed: int
) -> "_RiverLearner":
    made = getattr(importlib.import_module("river.bandit"), kind)
    given = copy.deepcopy(dict(parameters))  # reward scalers learn, too
    if "seed" in inspect.signature(made).parameters:
        given["seed"] = seed
    return _RiverLearner(made(**given), list(arms))


@dataclass(slots=True)
class _RiverLearner:
    policy: Any
    arms: list[str]

    def choose(self) -> str:
        arm: str = self.policy.pull(self.arms)
        return arm

    def learn(self, arm: str, reward: float) -> None:
        self.policy.update(arm, reward)


def _mabwiser(
    kind: str, parameters: Parameters, arms: Sequence[str], *, owners: Any, horizon: int, seed: int
) -> "_MabwiserLearner":
    module = importlib.import_module("mabwiser.mab")
    learning = getattr(module.LearningPolicy, kind)(**parameters)
    waiting = list(arms)
    random.Random(seed).shuffle(waiting)
    return _MabwiserLearner(module.MAB(list(arms), learning, seed=seed), waiting, [], [])


@dataclass(slots=True)
class _MabwiserLearner:
    mab: Any
    # Arms that are still to be played once; the last comes next.
    waiting: list[str]
    arms: list[str]
    # The first plays, and what they paid.
    rewards: list[float]

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


def call_text(library: str, kind: str, parameters: Parameters) -> str:
    """The text form ``library:Kind(parameter=value, …)``.

    Examples
    --------
    >>> call_text("river", "UCB", {"delta": 1})
    'river:UCB(delta=1)'
    """
    given = {key: Call(shown(value)) for key, value in parameters.items()}
    return str(Call(kind, named=given, place=library))


def says_all(text: str, parameters: Parameters) -> bool:
    """Whether a text reads back as these parameters; objects, and what is cut, do not.

    Examples
    --------
    >>> says_all("river:UCB(delta=1)", {"delta": 1}), says_all("river:UCB(delta=1)", {"delta": [1]})
    (True, False)
    """
    try:
        return parse(text).parameters() == dict(parameters)
    except FieldError:
        return False


def _check_kind(text: str, kind: str, kinds: Iterable[str], of: str) -> None:
    known = sorted(kinds)
    if kind not in known:
        accepted = f"one of the {of}: {', '.join(known)}{did_you_mean(kind, known)}"
        raise refused(text, f"{kind} is not {accepted}")


def _checked(text: str, parameters: Parameters, factory: Factory) -> ExternalPolicy:
    """Make a learner once, so that wrong parameters are found before the first game."""
    if "seed" in parameters:
        raise refused(text, "seed is not a parameter; it comes from the game")
    try:
        factory(["a/1", "b/1"], owners={"a/1": "a", "b/1": "b"}, horizon=2, seed=0)
    except (TypeError, ValueError, AttributeError) as error:
        raise refused(text, one_line(error)) from error
    return ExternalPolicy(text, factory, text if says_all(text, parameters) else None)


def _load(module: str, called: str, text: str) -> Any:
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module.partition(".")[0]:
            raise  # the package is there, and something that it needs is not
        how = "install it with: pip install 'copyproof[peers]'"
        raise refused(text, f"{called} is not installed; {how}") from None
