"""Games of principals: paths of a group are those of one name with all arms, told by name."""

from typing import Any

import numpy as np
import pytest

from copyproof import Agent, Market, simulate
from copyproof.game import (
    NO_DISCOUNT,
    Admit,
    Beta,
    BetaPrior,
    Discount,
    Explicit,
    Geometric,
    Piecewise,
    Retire,
    Schedule,
    quotient,
)
from copyproof.simulation import principals
from copyproof.simulation.run import play
from copyproof.simulation.slices import SlicedGame
from copyproof.validation import FieldError

AGENTS = [
    Agent("ann", [0.5]),
    Agent("bob", [0.9]),
    Agent("anna", [0.5, 0.2], copies=[3, 1]),
    Agent("cat", [0.7]),
]
GAME: dict[str, Any] = {"horizon": 400, "repetitions": 5, "seed": 3}
POLICIES = ("h-ucb", "ucb1", "trial", "trial-anytime", "rh-ucb(L=2)", "thompson")


def check(market: Market, policy: str, **game: Any) -> None:
    """Hold a market with groups against its quotient: the same games, and sums by name."""
    found = simulate(market, policy, **{**GAME, **game})
    one = quotient(market)
    assert found.revenue.shape == (GAME["repetitions"], len(market.agents))
    alone = simulate(one.market, policy, **{**GAME, **game})
    assert np.array_equal(found.regret_curves, alone.regret_curves)
    for place, members in enumerate(one.members):
        together = found.revenue[:, list(members)].sum(axis=1)
        np.testing.assert_allclose(together, alone.revenue[:, place], rtol=1e-12)
        assert np.array_equal(found.plays[:, list(members)].sum(axis=1), alone.plays[:, place])
    assert np.array_equal(found.original_plays[:, one.originals], alone.original_plays)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_group_plays_as_one_name_with_all_arms(policy: str) -> None:
    check(Market(AGENTS).bind(["ann", "anna"], "ann & co"), policy)


@pytest.mark.parametrize("discount", [Geometric(0.99), Explicit([1.0] * 300 + [0.5] * 100)])
def test_discounted_revenue_is_told_by_name(discount: Discount) -> None:
    agents = [Agent("ann", [Beta(2, 3)]), Agent("bob", [Beta(3, 2)]), Agent("anna", [0.5])]
    check(Market(agents, discount=discount).bind(["ann", "anna"], "x"), "h-ucb")


def test_drawn_means_stand_in_the_order_of_the_names() -> None:
    agents = [
        Agent("ann", [BetaPrior(1, 1)]),
        Agent("bob", [0.9]),
        Agent("anna", [BetaPrior(2, 1)]),
    ]
    market = Market(agents).bind(["ann", "anna"], "x")
    check(market, "h-ucb")
    found = simulate(market, "h-ucb", **GAME)
    assert found.means is not None
    assert set(found.means[:, 1]) == {0.9}
    assert found.lost is not None


def test_means_that_change_are_told_by_name() -> None:
    agents = [
        Agent("ann", [Piecewise([(1, 0.9), (200, 0.1)])]),
        Agent("bob", [0.6]),
        Agent("eve", [0.5]),
    ]
    check(Market(agents).bind(["ann", "eve"], "x"), "h-ucb")


def test_other_libraries_see_the_principal_and_results_the_names() -> None:
    market = Market(AGENTS).bind(["ann", "anna"], "ann & co")
    check(market, "river:UCB(delta=1)", workers=1)


def test_the_rewards_of_a_name_are_those_of_its_own_arms() -> None:
    agents = [Agent("always", [1.0]), Agent("bob", [0.9]), Agent("never", [0.0])]
    found = simulate(Market(agents).bind(["always", "never"], "x"), "h-ucb", **GAME)
    assert np.array_equal(found.revenue[:, 0], found.plays[:, 0])
    assert not found.revenue[:, 2].any()
    assert found.plays[:, 2].all()


def test_games_are_the_same_however_they_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    market = Market(AGENTS).bind(["ann", "anna"], "ann & co")
    game: dict[str, Any] = {"horizon": 300, "seed": 1}
    whole = play(market, "trial", 0, 7, **game)
    monkeypatch.setattr(principals, "_CHOICES", 600)
    told: list[int] = []
    cut = play(market, "trial", 0, 7, **game, workers=2, progress=told.append)
    later = play(market, "trial", 4, 3, **game)
    for name in ("revenue", "plays", "original_plays", "regret_curves"):
        assert np.array_equal(getattr(whole, name), getattr(cut, name))
        assert np.array_equal(getattr(whole, name)[4:], getattr(later, name))
    assert told == sorted(told)
    assert told[-1] == 7 * 300


@pytest.mark.parametrize("prior", [False, True])
def test_slices_of_a_study_are_the_same_games(prior: bool) -> None:
    agents = [*AGENTS[:3], Agent("cat", [BetaPrior(1, 1) if prior else 0.7])]
    market = Market(agents).bind(["ann", "anna"], "ann & co")
    schedule = Schedule([Admit(50, "anna", 0, count=2)])
    game: dict[str, Any] = {"horizon": 300, "seed": 1, "schedule": schedule}
    whole = play(market, "trial", 0, 7, checkpoints=[300], **game)
    sliced = SlicedGame(market, "trial", checkpoints=[300], **game)
    part = sliced.play(4, 3, np.zeros(2, np.int64), 0)
    assert part is not None
    for name in ("revenue", "plays", "original_plays", "regret_curves", "new_arms", "means"):
        one, other = getattr(whole, name), getattr(part, name)
        assert (one is None) == (other is None)
        assert one is None or np.array_equal(one[4:], other)


def test_new_arms_are_counted_by_name() -> None:
    market = Market(AGENTS).bind(["ann", "anna"], "ann & co")
    schedule = Schedule([Retire(50, "anna", 0), Admit(50, "anna", 0, count=2), Admit(60, "ann", 0)])
    found = simulate(market, "h-ucb", schedule=schedule, **GAME)
    assert found.new_arms is not None
    assert found.new_arms.tolist() == [[1, 0, 2, 0]] * 5


def test_a_tape_has_a_row_for_each_principal() -> None:
    market = Market(AGENTS).bind(["ann", "anna"], "ann & co")
    tape = [[1.0] * 60, [0.0] * 60, [0.0] * 60]
    found = simulate(market, "h-ucb", horizon=60, repetitions=2, seed=1, tape=tape)
    assert np.array_equal(found.revenue[:, [0, 2]], found.plays[:, [0, 2]])
    with pytest.raises(FieldError, match="3 rows"):
        simulate(market, "h-ucb", horizon=60, repetitions=2, seed=1, tape=[*tape, []])


def test_a_game_too_long_to_be_told_by_name_is_refused() -> None:
    market = Market(AGENTS).bind(["ann", "anna"], "ann & co")
    with pytest.raises(FieldError, match=r"horizon = .* where agents are bound to groups"):
        simulate(market, "h-ucb", horizon=2**29, repetitions=1, seed=1)


def test_bound_names_gain_nothing_and_unbound_ones_do() -> None:
    """Under a pathwise policy m bound names are one name with m copies, path by path."""
    rivals = [Agent("bob", [0.8]), Agent("cat", [0.7])]
    names = [Agent(f"ann{k}", [0.6]) for k in range(5)]
    one = Market([names[0], *rivals])
    several = Market([names[0], *rivals, *names[1:]])
    bound = several.bind([name.name for name in names], "ann")
    game: dict[str, Any] = {"horizon": 3000, "repetitions": 60, "seed": 1}
    for policy in ("h-ucb-t-free", "rh-ucb-t-free(L=3)"):
        alone = simulate(one, policy, **game)
        own = [0, 3, 4, 5, 6]
        together = simulate(bound, policy, **game).revenue[:, own].sum(axis=1)
        free = simulate(several, policy, **game).revenue[:, own].sum(axis=1)
        assert np.array_equal(together, alone.revenue[:, 0])
        gain = free - alone.revenue[:, 0]
        assert gain.mean() > 5 * gain.std(ddof=1) / np.sqrt(60)


def test_the_utility_of_a_group_is_that_of_all_it_earns() -> None:
    market = Market(AGENTS, fee=2.0, discount=NO_DISCOUNT).bind(["ann", "anna"], "ann & co")
    found = simulate(market, "h-ucb", **GAME)
    group = found.groups["ann & co"]
    assert group.utility.mean == pytest.approx(group.revenue.mean - 2.0 * 5)
    (row,) = found.to_dict()["groups"]
    assert row["agents"] == ["ann", "anna"]
