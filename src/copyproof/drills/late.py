"""Rewards that come late or never, agents that go and come back, and arms that are replaced.

Three agents have click rates of 10, 8 and 5 %; a visitor comes every second, and a reward is told
within 2,000 seconds. It is told

- *at once*, be it 0 or 1;
- *clicks*: at once if it is 1, and never if it is 0;
- *late*: just before the window is over, ten at a time.

Before the first of them is answered nobody knows what a play is worth: a newcomer of 1 %, or an
agent that returns when a policy's epoch has forgotten it, may be shown all that time.
"""

from collections import deque
from collections.abc import Callable
from itertools import product
from typing import Any, Literal, TypeAlias

from copyproof.drills.live_game import LiveGame, Play
from copyproof.drills.scenario import Scenario, Setting

Telling: TypeAlias = Literal["at once", "clicks", "late"]

RATES = {"ten": 0.10, "eight": 0.08, "five": 0.05}
_WINDOW = 2000
_STEP = 10
_ROUNDS = 12_000


class Visitors:
    """Visitors who come one a second, and what is told of them."""

    def __init__(self, game: LiveGame, telling: Telling) -> None:
        self._game = game
        self._telling = telling
        self._waiting: deque[list[Play]] = deque()

    def come(self, count: int) -> None:
        """Let so many visitors come; a multiple of ten."""
        if self._telling == "late":
            for _ in range(count // _STEP):
                self._come_late()
        else:
            for _ in range(count):
                self._come_one()

    def _come_one(self) -> None:
        game = self._game
        game.now += 1.0
        plays = game.decide()
        if self._telling == "at once" or plays[0].reward:
            game.tell(plays)

    def _come_late(self) -> None:
        game = self._game
        game.now += _STEP
        if len(self._waiting) == _WINDOW // _STEP - 1:
            game.tell(self._waiting.popleft())
        self._waiting.append(game.decide(_STEP))


def _config(unanswered: str) -> dict[str, Any]:
    return {"reward_window": float(_WINDOW), "unanswered": unanswered}


def _register(game: LiveGame) -> None:
    for agent, rate in RATES.items():
        game.register(agent, rate)


_CAME, _END = 6000, 18_000


def _newcomer(telling: Telling) -> Callable[[LiveGame], None]:
    """A newcomer of 1 %; with the attack its rewards, and all others, are told in some way."""

    def play(game: LiveGame) -> None:
        _register(game)
        visitors = Visitors(game, telling if game.attacks else "at once")
        visitors.come(_CAME)
        game.register("new", 0.01)
        visitors.come(_END - _CAME)

    return play


_TELLINGS: dict[Telling, str] = {"clicks": "only clicks told", "late": "told a window late"}
LATE = Scenario(
    "late",
    f"a newcomer of 1 % comes after {_CAME:,} visitors; its plays in its first window of "
    f"{_WINDOW:,}, if all is told at once and if it is not",
    "new",
    0.01,
    tuple(
        Setting(
            name,
            _newcomer(telling),
            _END,
            _WINDOW,
            _config(unanswered),
            is_old=unanswered == "omitted",
            counted=(_CAME, _CAME + _WINDOW),
            like=unanswered,
        )
        for unanswered, (telling, name) in product(("omitted", "estimated"), _TELLINGS.items())
    ),
    measure="plays",
)


def _sleeper(gone: int, back: int) -> Callable[[LiveGame], None]:
    """The agent of 5 % is away between two rounds."""

    def play(game: LiveGame) -> None:
        _register(game)
        visitors = Visitors(game, "late")
        if game.attacks:
            visitors.come(gone)
            game.retire("five", "0")
            visitors.come(back - gone)
            game.bring_back("five", "0")
        visitors.come(_ROUNDS - len(game.path))

    return play


TIMES = [
    (gone, gone + away)
    for gone, away in product((490, 700, 990, 1500, 3000), (510, 1000, 2500, 4010))
]


def _away(gone: int, back: int, unanswered: str) -> Setting:
    return Setting(
        f"{gone:,} to {back:,}",
        _sleeper(gone, back),
        _ROUNDS,
        _ROUNDS,
        _config(unanswered),
        is_old=unanswered == "omitted",
        like=unanswered,
    )


SLEEP = Scenario(
    "sleep",
    f"all is told a window late; the agent of 5 % is away for a while of {_ROUNDS:,} visitors",
    "five",
    RATES["five"],
    (_away(990, 5000, "omitted"), *(_away(gone, back, "estimated") for gone, back in TIMES)),
    measure="plays",
)


def _replaces(telling: Telling, every: int) -> Callable[[LiveGame], None]:
    """The agent of 5 % registers its arm anew, under another name, and retires the one before."""

    def play(game: LiveGame) -> None:
        _register(game)
        visitors = Visitors(game, telling)
        for n in range(_ROUNDS // every):
            visitors.come(every)
            if game.attacks:
                game.register("five", RATES["five"])
                game.retire("five", str(n))

    return play


def _comes_and_goes(telling: Telling, every: int) -> Callable[[LiveGame], None]:
    """The agent of 5 % is away, and there, and away, for as long each time."""

    def play(game: LiveGame) -> None:
        _register(game)
        visitors = Visitors(game, telling)
        for n in range(_ROUNDS // every):
            visitors.come(every)
            if game.attacks:
                change = game.bring_back if n % 2 else game.retire
                change("five", "0")

    return play


_CHURNS: tuple[tuple[str, Callable[[Telling, int], Callable[[LiveGame], None]], Telling, int], ...]
_CHURNS = (
    ("new arms, at once", _replaces, "at once", 100),
    ("new arms, late", _replaces, "late", 100),
    ("away, at once", _comes_and_goes, "at once", 500),
    ("away, late", _comes_and_goes, "late", 500),
)

CHURN = Scenario(
    "churn",
    f"of {_ROUNDS:,} visitors, the agent of 5 % has a new arm for every 100, or is away for every "
    "second 500",
    "five",
    RATES["five"],
    tuple(
        Setting(
            name,
            how(telling, every),
            _ROUNDS,
            _ROUNDS,
            _config(unanswered),
            is_old=unanswered == "omitted",
            like=f"{telling} {unanswered}",
        )
        for unanswered in ("omitted", "estimated")
        for name, how, telling, every in _CHURNS
        if telling == "late" or unanswered == "estimated"
    ),
    measure="plays",
)
