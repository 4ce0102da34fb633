"""Copies where the service offers more than one play at a time, or not every arm to everyone.

Four agents of means 0.6, 0.5, 0.4 and 0.3 have one arm each; the attack is copies of it. That such
copies change nothing under the new settings is proven. With weaker arms beside the best one it is
not, and audited here; by content such arms are something else to see, and an agent that has more to
show is shown more often, which is no attack.
"""

from collections.abc import Callable, Mapping

import numpy as np

from copyproof.drills.live_game import LiveGame, Play
from copyproof.drills.scenario import Scenario, Setting

MEANS = {"best": 0.6, "second": 0.5, "third": 0.4, "worst": 0.3}
_SLATES, _PLACES = 1500, 3
_VISITORS, _CHANCE = 3000, 0.3
_PEOPLE, _VISITS = 1000, 3


def register(game: LiveGame, attacker: str, copies: int, weaker: int = 0) -> dict[str, int]:
    """Register the four, the attacker with copies if it attacks; how many arms each has.

    Copies are of one content, as the operator's hash would have it. ``weaker`` arms of half the
    mean, each of a content of its own, may come beside.
    """
    arms = {}
    for agent, mean in MEANS.items():
        attacks = game.attacks and agent == attacker
        arms[agent] = copies if attacks else 1
        game.register(agent, mean, copies=arms[agent], content=agent)
        for n in range(weaker if attacks else 0):
            game.register(agent, mean / 2, content=f"{agent} {n}")
    return arms


def _slates(game: LiveGame) -> None:
    register(game, "best", 3)
    for _ in range(_SLATES):
        game.show(_PLACES, slate=True)


SLATES = Scenario(
    "slates",
    f"{_SLATES:,} visitors see {_PLACES} arms each; the best of four agents has 3 copies",
    "best",
    MEANS["best"],
    (
        Setting(
            "no limit", _slates, _SLATES * _PLACES, _SLATES * _PLACES, {"per_agent": None}, True
        ),
        Setting("one of an agent", _slates, _SLATES * _PLACES, _SLATES, {"per_agent": 1}),
    ),
)


def _eligible_arms(game: LiveGame) -> None:
    """Each arm may be seen by a visitor with the same chance, whosever it is."""
    arms = register(game, "worst", 10)
    for _ in range(_VISITORS):
        chances = game.visits.random(len(MEANS))
        may: dict[str, list[str]] = {}
        for agent, chance in zip(MEANS, chances.tolist(), strict=True):
            first = ["0"] if chance < _CHANCE else []
            more = np.flatnonzero(game.others.random(arms[agent] - 1) < _CHANCE) + 1
            may[agent] = first + list(map(str, more.tolist()))
        if any(may.values()):
            game.show(eligible=may)


def _eligible_agents(game: LiveGame) -> None:
    """Each agent may be seen by a visitor with the same chance."""
    register(game, "worst", 10)
    _visit_agents(game)


def _visit_agents(game: LiveGame) -> None:
    for _ in range(_VISITORS):
        chances = game.visits.random(len(MEANS))
        may = [agent for agent, u in zip(MEANS, chances.tolist(), strict=True) if u < _CHANCE]
        if may:
            game.show(eligible=may)


ELIGIBLE = Scenario(
    "eligible",
    f"{_VISITORS:,} visitors may see some; the worst of four agents has 10 copies",
    "worst",
    MEANS["worst"],
    (
        Setting("lists of arms", _eligible_arms, _VISITORS, _VISITORS, is_old=True),
        Setting("lists of agents", _eligible_agents, _VISITORS, _VISITORS),
    ),
)


class _Visitors:
    """People who come several times, in any order, and what each of them has had."""

    def __init__(self, game: LiveGame) -> None:
        self.order = game.visits.permutation(np.repeat(np.arange(_PEOPLE), _VISITS)).tolist()
        self._had: dict[int, dict[str, list[str]]] = {}

    def had(self, visitor: int) -> Mapping[str, list[str]]:
        return self._had.setdefault(visitor, {})

    def note(self, visitor: int, play: Play) -> None:
        mine = self._had.setdefault(visitor, {})
        mine.setdefault(play.agent, []).append(play.arm)


def _filtered_arms(game: LiveGame) -> None:
    """The site leaves out the arms that a visitor has had."""
    arms = register(game, "best", 3)
    visitors = _Visitors(game)
    for visitor in visitors.order:
        had = visitors.had(visitor)
        may = {
            agent: [str(n) for n in range(count) if str(n) not in had.get(agent, ())]
            for agent, count in arms.items()
        }
        visitors.note(visitor, game.show(eligible=may)[0])


def _seen(game: LiveGame) -> None:
    """The site says what a visitor has had."""
    register(game, "best", 3)
    _visit_again(game)


def _visit_again(game: LiveGame) -> None:
    visitors = _Visitors(game)
    for visitor in visitors.order:
        visitors.note(visitor, game.show(seen=visitors.had(visitor))[0])


_ALL = _PEOPLE * _VISITS
SEEN = Scenario(
    "seen",
    f"{_PEOPLE:,} visitors come {_VISITS} times and see nothing twice; the best of four agents has "
    "3 copies",
    "best",
    MEANS["best"],
    (
        Setting("arms left out", _filtered_arms, _ALL, _ALL, is_old=True),
        Setting("seen, by agent", _seen, _ALL, _PEOPLE, {"seen": "agent"}),
        Setting("seen, by content", _seen, _ALL, _PEOPLE, {"seen": "content"}),
    ),
)


def _under_content(content: str) -> Callable[[LiveGame], None]:
    """The third agent registers its arm once more, and says that it is something else."""

    def play(game: LiveGame) -> None:
        register(game, "third", 1)
        if game.attacks:
            game.register("third", MEANS["third"], content=content)
        _visit_again(game)

    return play


CONTENT = Scenario(
    "content",
    f"{_PEOPLE:,} visitors come {_VISITS} times and see nothing twice; the third of four agents "
    "registers its arm once more, under another content",
    "third",
    MEANS["third"],
    (
        Setting(
            "by content: new", _under_content("new"), _ALL, _ALL, {"seen": "content"}, pays=True
        ),
        Setting("the best's", _under_content("best"), _ALL, _ALL, {"seen": "content"}, pays=True),
        Setting("seen, by agent", _under_content("best"), _ALL, _PEOPLE, {"seen": "agent"}),
    ),
)


def _weaker_slates(game: LiveGame) -> None:
    register(game, "best", 2, weaker=2)
    for _ in range(_SLATES):
        game.show(_PLACES, slate=True)


def _weaker_eligible(game: LiveGame) -> None:
    register(game, "best", 2, weaker=2)
    _visit_agents(game)


def _weaker_seen(game: LiveGame) -> None:
    register(game, "best", 2, weaker=2)
    _visit_again(game)


WEAKER = Scenario(
    "weaker",
    "the best of four agents has 2 copies of its arm, and 2 arms of half its mean beside",
    "best",
    MEANS["best"],
    (
        Setting("slates", _weaker_slates, _SLATES * _PLACES, _SLATES),
        Setting("lists of agents", _weaker_eligible, _VISITORS, _VISITORS),
        Setting("seen, by agent", _weaker_seen, _ALL, _PEOPLE),
    ),
)
