"""Means that change, and what a policy's memory does about it.

- *bait*: an agent's arm of 0.9 is retired after 6,000 visitors and one of 0.05 registered, against
  two agents of 0.5. What counts are the plays of the second, against those that it has if the agent
  comes with it as a new one. Without a memory, as in the policy of new markets, it pays.
- *drift*: five agents have a mean each from (0.05, 0.95), and replace their arms by others, drawn
  anew, every 20,000 visitors. What counts is the regret, without a memory and with one, against the
  best arm that is registered.
- *still*: nothing changes, with truthful agents and with replicators. What a memory costs.

In the last two, visitors come ten at a time.
"""

from collections.abc import Callable, Mapping, Sequence

from copyproof.drills.live_game import LiveGame
from copyproof.drills.scenario import Scenario, Setting

_MEMORIES = (800, 2000, 8000)
_SWITCHED, _END = 6000, 12_000


def _bait(game: LiveGame) -> None:
    if game.attacks:
        game.register("spam", 0.9)
    for name in ("one", "two"):
        game.register(name, 0.5)
    for _ in range(_SWITCHED):
        game.show()
    game.register("spam", 0.05)
    if game.attacks:
        game.retire("spam", "0")
    for _ in range(_END - _SWITCHED):
        game.show()


BAIT = Scenario(
    "bait",
    f"after {_SWITCHED:,} visitors an agent replaces its arm of 0.9 by one of 0.05; its plays in "
    f"the next {_END - _SWITCHED:,}, if it is new then and if it had the bait",
    "spam",
    0.05,
    tuple(
        Setting(
            "no memory" if memory is None else f"memory={memory}",
            _bait,
            _END,
            _END - _SWITCHED,
            pays=memory is None,
            counted=(_SWITCHED, _END),
            memory=memory,
        )
        for memory in (None, *_MEMORIES)
    ),
    measure="plays",
)

_STEP = 10
_PERIOD, _PERIODS, _AGENTS = 20_000, 5, 5


def _come(game: LiveGame, visitors: int) -> None:
    for _ in range(visitors // _STEP):
        game.show(_STEP)


def _drift(game: LiveGame) -> None:
    for period in range(_PERIODS):
        means = game.visits.uniform(0.05, 0.95, _AGENTS).tolist()
        for agent, mean in enumerate(means):
            game.register(f"agent {agent}", mean)
            if period:
                game.retire(f"agent {agent}", str(period - 1))
        _come(game, _PERIOD)


_ROUNDS = _PERIOD * _PERIODS
DRIFT = Scenario(
    "drift",
    f"the means of {_AGENTS} agents are drawn anew every {_PERIOD:,} of {_ROUNDS:,} visitors; the "
    "regret without a memory and with one",
    None,
    0.95,
    tuple(
        Setting(f"memory={memory}", _drift, _ROUNDS, _ROUNDS, memory=memory, like="none")
        for memory in _MEMORIES
    ),
    measure="regret",
    toggled="memory",
)

# By agent: means of its arms, and how many copies of each.
_Arms = Mapping[str, Sequence[tuple[float, int]]]
_MARKETS: dict[str, _Arms] = {
    "truthful": {f"{mean}": [(mean, 1)] for mean in (0.5, 0.6, 0.7, 0.8, 0.9)},
    "replicators": {
        **{f"{mean}": [(mean, 1000), (0.2, 1000), (0.1, 1000)] for mean in (0.5, 0.6, 0.7)},
        "0.8": [(0.8, 1)],
        "0.9": [(0.9, 10), (0.2, 100), (0.1, 100)],
    },
    "replicator": {"0.9": [(0.9, 10), (0.2, 100), (0.1, 100)], "0.8": [(0.8, 1)]},
}


def _still(market: _Arms) -> Callable[[LiveGame], None]:
    def play(game: LiveGame) -> None:
        for agent, arms in market.items():
            for mean, copies in arms:
                game.register(agent, mean, copies=copies)
        _come(game, _ROUNDS)

    return play


STILL = Scenario(
    "still",
    f"nothing changes for {_ROUNDS:,} visitors; the regret without a memory and with one",
    None,
    0.9,
    tuple(
        Setting(f"{name}, {memory}", _still(market), _ROUNDS, _ROUNDS, memory=memory, like=name)
        for name, market in _MARKETS.items()
        for memory in _MEMORIES[:2]
    ),
    measure="regret",
    toggled="memory",
)
