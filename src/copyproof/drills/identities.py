"""One person with several names, and what binding them does.

Four agents of means 0.6, 0.5, 0.4 and 0.3 have one arm each. The attack: the worst one registers
its arm under four names. No policy can tell the names apart from four people: they are agents of
their own, and pay. Bound to one group they are one agent with four copies of its arm, so that
nothing changes: one play at a time, on slates, where not all may be seen, and where nothing is seen
twice. Found out in the middle of the game, they have had what they have had, and are one from then
on; what they get in its second half is counted.
"""

from collections.abc import Sequence

from copyproof.drills.copies import MEANS
from copyproof.drills.live_game import LiveGame
from copyproof.drills.scenario import Scenario, Setting

_NAMES = 4
_VISITORS, _PLACES, _CHANCE = 3000, 2, 0.4
_PEOPLE, _VISITS = 1000, 3
_ATTACKER = "worst"


def _register(game: LiveGame, group: str | None) -> dict[str, list[str]]:
    """Register the four, the attacker with several names if it attacks; the names of each."""
    names = {agent: [agent] for agent in MEANS}
    if game.attacks:
        names[_ATTACKER] += [f"{_ATTACKER} {n}" for n in range(2, _NAMES + 1)]
    for agent, mean in MEANS.items():
        for name in names[agent]:
            of = group if agent == _ATTACKER else None
            game.register(name, mean, person=agent, group=of)
    return names


def _free(game: LiveGame) -> None:
    _register(game, None)
    for _ in range(_VISITORS):
        game.show()


def _bound(game: LiveGame) -> None:
    _register(game, "found")
    for _ in range(_VISITORS):
        game.show()


def _bound_late(game: LiveGame) -> None:
    names = _register(game, None)
    for visitor in range(_VISITORS):
        if visitor == _VISITORS // 2:
            game.bind(names[_ATTACKER], "found")
        game.show()


def _bound_slates(game: LiveGame) -> None:
    _register(game, "found")
    for _ in range(_VISITORS // _PLACES):
        game.show(_PLACES, slate=True)


def _bound_eligible(game: LiveGame) -> None:
    """Each person may be seen by a visitor with the same chance, under all names or none."""
    names = _register(game, "found")
    for _ in range(_VISITORS):
        chances = game.visits.random(len(MEANS)).tolist()
        may: Sequence[str] = [
            name
            for agent, u in zip(MEANS, chances, strict=True)
            if u < _CHANCE
            for name in names[agent]
        ]
        if may:
            game.show(eligible=may)


def _bound_seen(game: LiveGame) -> None:
    _register(game, "found")
    had: dict[int, dict[str, list[str]]] = {}
    visitors = game.visits.integers(_PEOPLE, size=_PEOPLE * _VISITS).tolist()
    for visitor in visitors:
        mine = had.setdefault(visitor, {})
        if len(mine) < len(MEANS):
            [play] = game.show(seen=mine)
            mine.setdefault(play.agent, []).append(play.arm)


_HALF = (_VISITORS // 2, _VISITORS)
IDENTITIES = Scenario(
    "identities",
    f"{_VISITORS:,} visitors; the worst of four agents goes by {_NAMES} names",
    _ATTACKER,
    MEANS[_ATTACKER],
    (
        Setting("names of their own", _free, _VISITORS, _VISITORS, pays=True),
        Setting(
            "the same, second half", _free, _VISITORS, _VISITORS // 2, pays=True, counted=_HALF
        ),
        Setting("bound after a half", _bound_late, _VISITORS, _VISITORS // 2, counted=_HALF),
        Setting("bound", _bound, _VISITORS, _VISITORS),
        Setting("bound, slates", _bound_slates, _VISITORS, _VISITORS // _PLACES),
        Setting("bound, eligible", _bound_eligible, _VISITORS, _VISITORS),
        Setting("bound, seen", _bound_seen, _PEOPLE * _VISITS, _PEOPLE),
    ),
)
