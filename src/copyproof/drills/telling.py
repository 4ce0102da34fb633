"""One agent whose rewards are told otherwise than the others', and one that signs up late.

Agents of means 0.6, 0.5 and 0.3; visitors come ten at a time, and the attacker is the last agent.

- *silence*: its zeros are never told, and all else is: at once, on slates, or, of all agents, 500
  visitors late; or it tells its ones 500 visitors late, too, or at once where all others are late,
  which pays until the first of theirs are told.
- *fading*: it begins with 0.9, falls to 0.3 after 300 plays, and tells its ones from its 150th play
  on 900 visitors late. In a patient market what then waits counts as its plays of before did, for
  as long as that; in others it is not waited for, as nobody else is late.
- *slow*: it has the best arm, and its visitors take so long: what that costs it, and all.
- *sign-up*: it comes after the first visitors, when an epoch has begun without it.
"""

from collections import deque
from collections.abc import Callable

from copyproof.drills.live_game import LiveGame, Play
from copyproof.drills.scenario import Scenario, Setting

MEANS = {"best": 0.6, "second": 0.5, "last": 0.3}
_STEP, _VISITORS, _LATE = 10, 4000, 500
_PATIENT = {"unanswered": "patient"}
_PAYS = "all late, its ones at once"


def _silence(
    *, places: int = 1, others: int = 0, own: int = 0, tells_zeros: bool = False
) -> Callable[[LiveGame], None]:
    """Rewards are told so many visitors late; with the attack the last agent's as ``own`` says."""

    def play(game: LiveGame) -> None:
        for agent, mean in MEANS.items():
            game.register(agent, mean)
        waiting: deque[list[Play]] = deque()
        for _ in range(_VISITORS // _STEP):
            game.now += 1.0
            if places > 1:
                plays = [one for _ in range(_STEP) for one in game.decide(places, slate=True)]
            else:
                plays = game.decide(_STEP)
            waiting.append(plays)
            told = []
            for age, group in enumerate(reversed(waiting)):
                for one in group:
                    attacks = game.attacks and one.agent == "last"
                    late = own if attacks else others
                    is_told = one.reward > 0.0 or not attacks or tells_zeros
                    if age * _STEP == late and is_told:
                        told.append(one)
            if told:
                game.tell(told)
            if len(waiting) > max(others, own) // _STEP:
                waiting.popleft()

    return play


_SILENT: dict[str, tuple[Callable[[LiveGame], None], int]] = {
    "its zeros never": (_silence(), _VISITORS),
    "on slates of 2": (_silence(places=2), 2 * _VISITORS),
    "all late, its zeros never": (_silence(others=_LATE, own=_LATE), _VISITORS),
    "its ones late": (_silence(own=_LATE), _VISITORS),
    "all of it late": (_silence(own=_LATE, tells_zeros=True), _VISITORS),
    _PAYS: (_silence(others=_LATE), _VISITORS),
}
SILENCE = Scenario(
    "silence",
    f"{_VISITORS:,} visitors come ten at a time, and of the last of three agents it is told "
    "otherwise than of the others",
    "last",
    MEANS["last"],
    tuple(
        Setting(
            name,
            play,
            decisions,
            _VISITORS,
            pays=name == _PAYS,
        )
        for name, (play, decisions) in _SILENT.items()
    ),
)


_GOOD, _THEN, _FALLS, _LAGS, _WAIT = 0.9, 0.3, 300, 150, 900


def _fades(game: LiveGame) -> None:
    for agent, mean in {"best": 0.6, "second": 0.5, "fading": _GOOD}.items():
        game.register(agent, mean)
    late: deque[tuple[int, Play]] = deque()
    for visitor in range(_VISITORS):
        one = _decide(game, late, visitor, "fading", after=_LAGS)
        if one.agent == "fading" and game.plays["fading"] == _FALLS:
            game.register("fading", _THEN)
            game.retire("fading", "0")


def _decide(
    game: LiveGame, late: deque[tuple[int, Play]], visitor: int, agent: str, *, after: int
) -> Play:
    """Decide, and tell all at once but the agent's ones from a play of its own on."""
    while late and late[0][0] <= visitor:
        game.tell([late.popleft()[1]])
    [one] = game.decide()
    is_late = game.attacks and one.agent == agent and game.plays[agent] >= after
    if is_late and one.reward > 0.0:
        late.append((visitor + _WAIT, one))
    else:
        game.tell([one])
    return one


FADING = Scenario(
    "fading",
    f"of {_VISITORS:,} visitors; an agent whose mean falls from {_GOOD} to {_THEN} is told "
    f"{_WAIT} visitors late",
    "fading",
    _GOOD,
    (
        Setting("its ones late, patient", _fades, _VISITORS, _VISITORS, _PATIENT, pays=True),
        Setting("its ones late", _fades, _VISITORS, _VISITORS),
    ),
)


def _is_slow(game: LiveGame) -> None:
    for agent, mean in MEANS.items():
        game.register(agent, mean)
    late: deque[tuple[int, Play]] = deque()
    for visitor in range(_VISITORS):
        _decide(game, late, visitor, "best", after=0)


SLOW = Scenario(
    "slow",
    f"of {_VISITORS:,} visitors; the best of three agents is told {_WAIT} visitors late",
    "best",
    MEANS["best"],
    (
        Setting("its ones late, patient", _is_slow, _VISITORS, _VISITORS, _PATIENT),
        Setting("its ones late", _is_slow, _VISITORS, _VISITORS),
    ),
)


def _signs_up(after: int) -> Callable[[LiveGame], None]:
    def play(game: LiveGame) -> None:
        for agent in ("best", "last"):
            if agent != "last" or not game.attacks:
                game.register(agent, MEANS[agent])
        for visitor in range(_VISITORS):
            if game.attacks and visitor == after:
                game.register("last", MEANS["last"])
            game.show()

    return play


SIGN_UP = Scenario(
    "sign-up",
    f"of {_VISITORS:,} visitors; the weaker one of two agents signs up when some have come",
    "last",
    MEANS["last"],
    tuple(
        Setting(
            f"after {after}",
            _signs_up(after),
            _VISITORS,
            _VISITORS,
            like="without",
        )
        for after in (1, 100, 1000)
    ),
)
