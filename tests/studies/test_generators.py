"""Markets drawn at random: a function of parameters, seed and number, and of what they promise."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copyproof import Market, MixedMarkets, NeedlesMarkets, RandomMarkets, ZipfMarkets
from copyproof.simulation import gap_to_rivals
from copyproof.studies.cells import digest_market
from copyproof.studies.generators import GENERATORS

# What version 1 of every generator draws, for ever.
FIRST = {
    "random": "795e5b68e4615dce",
    "mixed": "11c01c5b1fce8481",
    "needles": "743b9be648d7a5e9",
    "zipf": "36156cbfac735085",
}


@pytest.mark.parametrize("kind", GENERATORS)
def test_a_market_does_not_depend_on_how_many_there_are(kind: str) -> None:
    few, many = (list(GENERATORS[kind](count=count, seed=5)) for count in (3, 6))
    assert many[:3] == few
    assert len({digest_market(market) for _, market in many}) == 6
    assert [name for name, _ in few] == [f"{kind} 1", f"{kind} 2", f"{kind} 3"]
    other = list(GENERATORS[kind](count=3, seed=6))
    assert all(a[1] != b[1] for a, b in zip(few, other, strict=True))


@pytest.mark.parametrize("kind", GENERATORS)
def test_draws_do_not_move(kind: str) -> None:
    (_, market), *_ = GENERATORS[kind](count=1, seed=1)
    assert digest_market(market) == FIRST[kind]


@given(st.integers(0, 10**6), st.integers(1, 8), st.integers(0, 8), st.integers(1, 4))
def test_random_markets_keep_their_ranges(seed: int, low: int, more: int, arms: int) -> None:
    drawn = RandomMarkets(
        count=1, seed=seed, agents=(low, low + more), arms=(1, arms), copies=[0, 2], high=0.5
    )
    market = drawn.market(0)
    assert low <= len(market.agents) <= low + more
    for agent in market.agents:
        assert 1 <= len(agent.arms) <= arms
        assert agent.copies[0] in (1, 2)
        assert set(agent.copies[1:]) <= {0, 2}
        assert 0 <= agent.best_mean <= 0.5


@given(st.integers(0, 10**6))
def test_the_best_agent_of_a_mixed_market_copies(seed: int) -> None:
    market = MixedMarkets(count=1, seed=seed, one_in=[5, 21]).market(0)
    best = market.agents[0]
    assert best.best_mean == market.best_mean
    assert best.registered in (5 * best.copies[0], 21 * best.copies[0])
    assert 0.05 - 1e-4 <= gap_to_rivals(market) <= 0.4 + 1e-4


def test_needles_and_zipf() -> None:
    market: Market
    for _, market in NeedlesMarkets(count=5, bad=(20, 30)):
        assert market.best_mean == 0.9
        assert all(20 <= agent.copies[1] <= 30 for agent in market.agents)
    (_, market), *_ = ZipfMarkets(count=1, agents=1000, most=100, exponent=2)
    assert [len(agent.arms) for agent in market.agents][:3] == [100, 25, 12]
    assert len(market.agents[-1].arms) == 1


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [
        ("random", {"count": 0}, "count = 0 is not a whole number from 1"),
        ("random", {"agents": [3]}, r"agents = \[3\] is not two whole numbers"),
        ("random", {"agents": [5, 2]}, "agents = .* is not in order"),
        ("random", {"copies": 5}, "copies = 5 is not a list of whole numbers"),
        ("random", {"copies": []}, r"copies = \[\] is not a list of whole numbers"),
        ("random", {"name": 5}, "name = 5 is not one line of visible text"),
        ("mixed", {"one_in": 5}, "one_in = 5 is not a list of whole numbers"),
        ("mixed", {"best": 5}, "best = 5 is not two numbers, least and most"),
        ("needles", {"best": [5]}, r"best = \[5\] is not a number"),
        ("random", {"low": 0.5, "high": 0.2}, "low = 0.5 is not at most 0.2"),
        ("mixed", {"one_in": [1]}, r"one_in\[0\] = 1 is not a whole number >= 2"),
        ("mixed", {"best": [0.2, 0.5]}, "gap = .* is not at most the least best mean"),
        ("needles", {"gap": 2.0}, r"gap = 2.0 is not in \[0, 1\]"),
        ("zipf", {"exponent": -1.0}, "exponent = -1.0 is not >= 0"),
    ],
)
def test_parameters_are_checked(kind: str, change: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GENERATORS[kind](**({"count": 1} | change))  # type: ignore[arg-type]
