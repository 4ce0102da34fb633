"""``equilibrium``: where agents end up if each answers the others' strategies, under a cap.

**Best-response dynamics.** From a start profile the agents take turns. An agent compares all its
strategies with at most ``cap`` copies of an arm against the one it plays, the others standing
still, and moves to the one of largest gain if that gain is certain to exceed ε. The dynamics end in
an *equilibrium* if in a whole round of turns every gain is certain to be at most ε (an
ε-equilibrium among these strategies), in a *cycle* if a profile comes back, and *undecided* if
nobody has a certain gain but not every gain could be ruled out within the budget.

All comparisons of all turns share one error rate: the j-th gets α/(j(j + 1)), so that with the
stated confidence every step taken was an improvement and every equilibrium found is one. Regrets
and prices have limits of the same confidence, each for itself.

**The price of replication** is the principal's regret where the dynamics end less its regret if all
agents register their best arm only. Whether that truthful profile is an ε-equilibrium itself is
answered apart, from the first round of turns that starts there.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from copyproof._progress import Progress
from copyproof.auditing.deviations import Deviation, standard_deviations
from copyproof.auditing.limits import large_sample_limits
from copyproof.auditing.request import Request, checked_request, positive
from copyproof.auditing.result import Gain, plain
from copyproof.auditing.sampled_gains import sample
from copyproof.auditing.trials import DeviationTrial, largest_regret
from copyproof.defaults import CAP, CONFIDENCE, SEED, STARTS
from copyproof.external import AnyPolicy
from copyproof.game import Agent, GivenMarket, Market, Profile, Strategy, as_market
from copyproof.simulation import Interval
from copyproof.validation import FieldError, known, whole_in

if TYPE_CHECKING:
    import pandas as pd

Ending: TypeAlias = Literal["equilibrium", "cycle", "undecided"]
_STARTS = ("truthful", "honest", "market", "capped")
# All copy counts up to the cap are tried if they are no more than this; else standard ones.
_MOST_STRATEGIES = 40
# A turn may spend this part of the budget at most.
_TURN_SHARE = 20
_MOST_TURNS = 1000


@dataclass(frozen=True, slots=True)
class Step:
    """One agent's move."""

    agent: str
    before: Strategy
    after: Strategy
    gain: Interval

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        moved = {"from": list(self.before), "to": list(self.after)}
        return {"agent": self.agent, **moved, **plain(self, "gain")}


@dataclass(frozen=True, slots=True)
class Path:
    """The dynamics from one start.

    Attributes
    ----------
    start : str
        How the start profile is called.
    steps : tuple of Step
        The moves, in order.
    profile : tuple of tuples of int
        Where they end.
    ending : str
        How they end: "equilibrium", "cycle" or "undecided".
    regret : Interval
        The principal's, at the end.
    price : Interval
        Of replication: that regret less the regret of the truthful profile, game by game.
    """

    start: str
    steps: tuple[Step, ...]
    profile: Profile
    ending: Ending
    regret: Interval
    price: Interval

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return plain(self, "start steps profile ending regret price")


@dataclass(frozen=True, slots=True)
class Equilibrium:
    """What ``equilibrium`` found for one policy.

    Attributes
    ----------
    market : Market
        The agents and their arms.
    policy : str
        Its text, or its name.
    horizon, seed, cap, epsilon, confidence
        What was asked; ε is None for 0.1 % of an agent's revenue.
    truthful : bool or None
        Whether registering the best arm only is an ε-equilibrium; None if undecided.
    tempted : tuple of (str, Gain)
        The agents that are not certain to gain nothing there, with their best deviation.
    truthful_regret : Interval
        The principal's regret there.
    paths : tuple of Path
        The dynamics, one for each start.
    rounds, seconds
        What it took.
    """

    market: Market
    policy: str
    horizon: int
    seed: int
    cap: int
    epsilon: float | None
    confidence: float
    truthful: bool | None
    tempted: tuple[tuple[str, Gain], ...]
    truthful_regret: Interval
    paths: tuple[Path, ...]
    rounds: int
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "policy": self.policy,
            "truthful_is_equilibrium": self.truthful,
            "tempted": [{"agent": name, **gain.to_dict()} for name, gain in self.tempted],
            **plain(self, "truthful_regret paths"),
            **plain(self, "horizon seed cap epsilon confidence rounds seconds"),
        }

    def to_frame(self) -> "pd.DataFrame":
        """A row per start: policy, market, seed, horizon, how it ends, regret and price.

        Examples
        --------
        >>> from copyproof import Agent, Market, equilibrium
        >>> market = Market([Agent("ann", [0.5]), Agent("bob", [0.8])])
        >>> found = equilibrium(market, "h-ucb", horizon=500, seed=1, cap=3, starts=["truthful"])
        >>> found.to_frame()["profile"].tolist()
        ['[[1], [1]]']
        """
        from copyproof.auditing.display import equilibrium_frame

        return equilibrium_frame(self)

    def __repr__(self) -> str:
        """Say on one line what was followed, and how it ended."""
        from copyproof.auditing.display import examined

        endings = ", ".join(dict.fromkeys(path.ending for path in self.paths))
        return f"<Equilibrium {examined(self)}: {endings}>"

    def _repr_html_(self) -> str:
        """Show where every start ends in a notebook."""
        from copyproof.auditing.display import equilibrium_html

        return equilibrium_html(self)


def equilibrium(
    market: GivenMarket,
    policy: AnyPolicy | str,
    *,
    horizon: int,
    seed: int = SEED,
    cap: int = CAP,
    epsilon: float | None = None,
    starts: Sequence[str] = STARTS,
    confidence: float = CONFIDENCE,
    budget: int | None = None,
    workers: int | None = None,
    progress: Progress = None,
) -> Equilibrium:
    """Follow best responses over copy counts, from several starts.

    Parameters
    ----------
    market : Market, path or str
        The agents and their arms, or the path of their file, or ``"paper:2a"``.
    policy : Policy, ExternalPolicy or str
        As for ``audit``.
    horizon : int
        T, the rounds of a game.
    seed : int
        Below 2^64; equal seeds share their luck.
    cap : int
        Most copies of one arm, at least 2.
    epsilon : float, optional
        A gain that nobody moves for; by default 0.1 % of the agent's revenue, at least 0.001.
    starts : sequence of str
        Of "truthful" (best arm only), "honest" (every arm once), "market" (as it stands) and
        "capped" (every arm as often as the cap allows).
    confidence : float
        The chance, at least, that every step is an improvement and every answer is right.
    budget : int, optional
        Most rounds to play.
    workers, progress
        As for ``audit``.

    Examples
    --------
    >>> from copyproof import Agent, Market
    >>> market = Market([Agent("ann", [0.5]), Agent("bob", [0.8])])
    >>> found = equilibrium(market, "h-ucb", horizon=500, seed=1, cap=3, starts=["truthful"])
    >>> found.truthful
    True
    >>> found.paths[0].steps
    ()
    """
    market = as_market(market).quotient
    asked = checked_request(market, policy, horizon, seed, confidence, budget, workers)
    market.require_known_means("equilibrium")
    cap = whole_in("cap", cap, 2, 10_000)
    epsilon = positive("epsilon", epsilon)
    for start in starts:
        known("start", start, _STARTS)
    search = _Search(asked, cap, epsilon)
    truthful = market.truthful()
    with asked.watched(progress):
        answers = [search.answer(truthful, name) for name in truthful.names]
        paths = tuple(search.path(market, start) for start in dict.fromkeys(starts))
        truthful_regret = search.regret(truthful)
    verdicts = [gain.verdict for gains in answers for gain in gains]
    tempted = [
        (name, max(gains, key=lambda gain: gain.gain.mean))
        for name, gains in zip(truthful.names, answers, strict=True)
        if any(gain.verdict != "no-gain" for gain in gains)
    ]
    return Equilibrium(
        market=market,
        cap=cap,
        epsilon=epsilon,
        truthful=False if "prone" in verdicts else True if set(verdicts) <= {"no-gain"} else None,
        tempted=tuple(tempted),
        truthful_regret=truthful_regret,
        paths=paths,
        **asked.summary(),
    )


def strategies_of(agent: Agent, cap: int) -> tuple[Deviation, ...]:
    """The strategies that register something with at most ``cap`` copies of an arm.

    All of them if they are few, else the standard ones of ``auditing.deviations``.

    Examples
    --------
    >>> [one.copies for one in strategies_of(Agent("ann", [0.5, 0.2]), 1)]
    [(0, 1), (1, 0), (1, 1)]
    """
    arms = len(agent.arms)
    if (cap + 1) ** arms - 1 <= _MOST_STRATEGIES:
        every = itertools.product(range(cap + 1), repeat=arms)
        return tuple(
            Deviation(copies, ", ".join(map(str, copies))) for copies in every if sum(copies) > 0
        )
    return standard_deviations(agent, (0,) * arms, most_copies=cap)


class _Search:
    """Best responses with one error rate for all of them."""

    def __init__(self, asked: Request, cap: int, epsilon: float | None) -> None:
        self.games = asked.games
        self.alpha = asked.alpha
        self.budget = asked.budget
        self.cap = cap
        self.epsilon = epsilon
        self.turns = 0
        self._answers: dict[tuple[Profile, str], list[Gain]] = {}

    def answer(self, profile: Market, name: str) -> list[Gain]:
        """The gains of all other strategies of an agent, the others standing still."""
        case = (profile.profile, name)
        if case in self._answers:
            return self._answers[case]
        self.turns += 1
        position = profile.names.index(name)
        trials = [
            DeviationTrial(position, profile, deviated, one, self.epsilon, group=name, clearly=True)
            for one in strategies_of(profile.agents[position], self.cap)
            if (deviated := profile.with_strategy(name, one.copies)) != profile
        ]
        left = self.budget - self.games.rounds
        gains = sample(
            trials,
            self.games,
            alpha=self.alpha / (self.turns * (self.turns + 1)),
            budget=max(0, min(left, self.budget // _TURN_SHARE)),
        )
        self.games.keep(profile)
        self._answers[case] = gains
        return gains

    def path(self, market: Market, start: str) -> Path:
        """Follow the dynamics from one start."""
        profile = _start(market, start, self.cap)
        steps: list[Step] = []
        seen = {profile.profile}
        quiet = 0  # turns since the last move
        certain = True  # whether all gains of these turns are certain to be at most ε
        ending: Ending = "undecided"
        for name in itertools.islice(itertools.cycle(profile.names), _MOST_TURNS):
            gains = self.answer(profile, name)
            better = [gain for gain in gains if gain.verdict == "prone"]
            if better:
                best = max(better, key=lambda gain: gain.gain.mean)
                before = profile.agent(name).copies
                steps.append(Step(name, before, best.copies, best.gain))
                profile = profile.with_strategy(name, best.copies)
                self.games.keep(profile)
                quiet, certain = 0, True
                if profile.profile in seen:
                    ending = "cycle"
                    break
                seen.add(profile.profile)
                continue
            quiet += 1
            certain = certain and all(gain.verdict == "no-gain" for gain in gains)
            if quiet == len(profile.names):
                ending = "equilibrium" if certain else "undecided"
                break
        return Path(
            start=start,
            steps=tuple(steps),
            profile=profile.profile,
            ending=ending,
            regret=self.regret(profile),
            price=self._price(profile, market.truthful()),
        )

    def regret(self, profile: Market) -> Interval:
        """The principal's regret at a profile, with its own limits."""
        most = largest_regret(profile, self.games.horizon)
        return large_sample_limits(self._regrets(profile), self.alpha, least=0.0, most=most)

    def _price(self, profile: Market, truthful: Market) -> Interval:
        more = self._regrets(profile) - self._regrets(truthful)
        if profile == truthful:
            return Interval(0.0, 0.0, 0.0)
        most = largest_regret(profile, self.games.horizon)
        return large_sample_limits(more, self.alpha, least=-most, most=most)

    def _regrets(self, profile: Market) -> NDArray[np.float64]:
        """Of a fixed number of games, whatever the budget."""
        repetitions = max(100, min(4096, 1_000_000 // self.games.horizon))
        return self.games.of(profile, repetitions).regret


def _start(market: Market, start: str, cap: int) -> Market:
    if start == "truthful":
        return market.truthful()
    if start == "honest":
        return market.honest()
    if start == "capped":
        return market.with_profile([cap] * len(agent.arms) for agent in market.agents)
    if max(max(strategy) for strategy in market.profile) > cap:
        said = f"= 'market' has more than cap = {cap} copies of an arm"
        raise FieldError("start", start, "a start within the cap", said)
    return market
