"""What visitors who may see different agents do to the pathwise theorem, in tiny games."""

import itertools

import pytest

from tests.eligible_sets import ONE, ORDERS, Sharing, Stream, earned, pairs, play

ONE_INDEX = Sharing("one", "one")
OWN_STREAMS = Sharing("one", "own")
SHARED_ARMS = Sharing("own", "one")
LARGEST = Sharing("largest", "own")
RAISED = Sharing("raised", "own", doubt=0.1)
VALUES = {"0": 0.0, "m": 0.45, "1": 1.0, "l": 0.4, "h": 0.5}
AB, BC, AC, ABC, B = 0b011, 0b110, 0b101, 0b111, 0b010


def tapes(rewards: dict[tuple[int, int], str], *, less: bool) -> Stream:
    """Rewards by agent and set; agent 0 earns 1/2 at every play of its best arm."""

    def reward(agent: int, of: int, k: int) -> float:
        if agent == 0 and not less:
            return 0.5
        tape = rewards.get((agent, of), "h" if agent == 0 else "0")
        return VALUES[tape[k] if k < len(tape) else tape[-1]]

    return reward


# Found by going through all games of two or three sets, the shortest first. The last column is the
# mean gain over all orders of priority.
CASES = {
    "one index, two pairs": (
        ONE_INDEX, [AB, AB, AB, BC, BC, AB, AB], "021",
        {(0, ONE): "lhh", (1, ONE): "m10", (2, ONE): "m0"}, 0.15,
    ),
    "one index, arms by set": (
        OWN_STREAMS, [AB, AB, AB, BC, BC, AB, AB], "012",
        {(0, AB): "lhh", (1, AB): "mm0", (1, BC): "1", (2, BC): "m0"}, None,
    ),
    "one index, one set within another": (
        ONE_INDEX, [ABC, ABC, ABC, AB, ABC, AB, AB], "021",
        {(0, ONE): "lhh", (1, ONE): "m10", (2, ONE): "m0"}, 0.15,
    ),
    "one index, a common agent": (
        ONE_INDEX, [AB, AB, AB, AC, AC, AB, AC], "102",
        {(0, ONE): "lhh", (1, ONE): "100", (2, ONE): "m0"}, 0.15,
    ),
    "one index, a rival alone": (
        ONE_INDEX, [ABC, ABC, ABC, ABC, B, ABC, B, ABC, ABC], "021",
        {(0, ONE): "lhh", (1, ONE): "m100", (2, ONE): "m10"}, 0.15,
    ),
    "arms by all plays, two pairs": (
        SHARED_ARMS, [AB, AB, AB, BC, AB, AB], "012", {(0, ONE): "lhh", (1, ONE): "m010"}, 0.15,
    ),
    "arms by all plays, one set within another": (
        SHARED_ARMS, [AB, AB, AB, ABC, AB, AB], "102", {(0, ONE): "lhh", (1, ONE): "m010"}, None,
    ),
    "the largest index, two pairs": (
        LARGEST, [AB, AB, AB, BC, BC, BC, AB, AB], "102",
        {(0, AB): "lhh", (1, AB): "m00", (1, BC): "01", (2, BC): "m0"}, None,
    ),
    "the largest index, a common agent": (
        LARGEST, [AB, AB, AB, AB, AC, AC, AC, AB, AB], "102",
        {(0, AB): "hhhh", (0, AC): "l", (1, AB): "1010", (2, AC): "m0"}, None,
    ),
    "raised by lower bounds, three pairs": (
        RAISED, [AB] * 4 + [BC] * 6 + [AC] * 4, "210",
        {
            (0, AB): "lhh", (0, AC): "h", (1, AB): "m110", (1, BC): "10110m",
            (2, BC): "m111011", (2, AC): "000m1101",
        },
        None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_sets_share_can_pay_for_less(name: str) -> None:
    sharing, visitors, order, rewards, mean = CASES[name]

    def gain(order: tuple[int, ...]) -> float:
        less, best = (
            earned(play(visitors, tapes(rewards, less=less), order, sharing))[-1]
            for less in (True, False)
        )
        return less - best

    assert gain(tuple(map(int, order))) == pytest.approx(0.4)
    if mean is not None:
        assert sum(map(gain, ORDERS)) / len(ORDERS) == pytest.approx(mean)


# What is proven: a game of its own for each set, also after a common trial; and one index for all
# sets where an agent always meets the same others, or none, and so where there are two agents.
@pytest.mark.parametrize(
    ("sharing", "family"),
    [
        (Sharing(), (AB, BC, AC, ABC, B)),
        (Sharing(trial=1), (AB, BC, AC, ABC, B)),
        (Sharing(trial=2), (AB, BC, AC)),
        (ONE_INDEX, (ABC, BC, 0b001)),
        (ONE_INDEX, (AB, 0b001, B)),
    ],
)
def test_where_the_order_is_proven_nothing_breaks_it(
    sharing: Sharing, family: tuple[int, ...]
) -> None:
    for visitors, best, less in itertools.islice(pairs(1, family), 200):
        for order in ORDERS[::2]:
            better = earned(play(visitors, best, order, sharing))
            worse = earned(play(visitors, less, order, sharing))
            assert all(low <= high for low, high in zip(worse, better, strict=True))
