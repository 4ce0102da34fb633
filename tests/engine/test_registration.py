"""Arms that come and go: the engine decides like the slow reference, and churn gains nothing."""

import random
import zlib
from typing import Any

import numpy as np
import pytest

from copyproof import Admit, Agent, Market, Renew, Retire, Schedule, churn, parse_policy, simulate
from copyproof.engine.lower import lower
from copyproof.simulation.decisions import decisions_of_games
from tests.markets import random_market, random_schedule, record_of
from tests.reference import POLICIES, choices

PAPER = ["ucb1", "s-ucb(l=2)", "h-ucb", "rh-ucb", "rh-ucb(L=0.5)", "prh-ucb", "fair"]


def compare(policy: str, games: int, horizon: int, salt: int) -> None:
    for game in range(games):
        rng = random.Random(zlib.crc32(policy.encode()) + 1000 * salt + game)
        market = random_market(rng)
        schedule = random_schedule(rng, market, horizon)
        seed = rng.getrandbits(64)
        expected = choices(market, policy, horizon, seed, repetition=2, schedule=schedule)
        made = decisions_of_games(
            market, policy, horizon=horizon, repetitions=3, seed=seed, schedule=schedule
        )[2]
        differing = np.flatnonzero(made != np.array(expected))
        assert len(differing) == 0, f"round {differing[0] + 1} of {market}, {schedule}, {policy}"


@pytest.mark.parametrize("policy", PAPER)
def test_same_decisions_as_the_reference(policy: str) -> None:
    compare(policy, games=40, horizon=200, salt=10)


@pytest.mark.parametrize("policy", sorted(set(POLICIES) - set(PAPER)))
def test_same_decisions_as_the_reference_for_every_other_policy(policy: str) -> None:
    compare(policy, games=5, horizon=150, salt=11)


@pytest.mark.slow
@pytest.mark.parametrize("policy", POLICIES)
def test_same_decisions_as_the_reference_on_many_markets(policy: str) -> None:
    compare(policy, games=150, horizon=400, salt=12)
    compare(policy, games=3, horizon=5000, salt=13)


@pytest.mark.parametrize("policy", ["ucb1", "h-ucb", "prh-ucb", "rh-ucb(L=0.5)", "h-ucb-t-free"])
def test_tournament_and_scan_agree(policy: str) -> None:
    market = Market([Agent("many", [0.5, 0.4], copies=[300, 0]), Agent("few", [0.7, 0.2])])
    schedule = Schedule(
        churn(market, "many", every=700, horizon=5000).changes,
        [Renew("few", below=0.5), Renew("many", after=3)],
    )
    how: dict[str, Any] = {"horizon": 5000, "seed": 2, "schedule": schedule}
    kinetic = decisions_of_games(market, policy, **how)
    assert np.array_equal(kinetic, decisions_of_games(market, policy, scan=True, **how))


FOUR = Market([Agent(f"{mean}", [mean]) for mean in (0.5, 0.7, 0.8, 0.9)])
ATTACKS = {
    "after every play": Schedule(renewals=[Renew("0.5", after=1)]),
    "after every failure": Schedule(renewals=[Renew("0.5", below=1)]),
    "after ten plays": Schedule(renewals=[Renew("0.5", after=10)]),
    "every 50 rounds": churn(FOUR, "0.5", every=50, horizon=3000),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_churn_pays_under_ucb1(attack: str) -> None:
    how: dict[str, Any] = {"horizon": 3000, "repetitions": 100, "seed": 1}
    before = simulate(FOUR, "ucb1", **how).revenue[:, 0]
    gain = simulate(FOUR, "ucb1", schedule=ATTACKS[attack], **how).revenue[:, 0] - before
    assert gain.mean() - 5 * gain.std(ddof=1) / 10 > 10 * before.mean()


HIERARCHICAL = ["h-ucb", "rh-ucb", "prh-ucb", "fair", "h-ucb-t-free", "h-thompson", "h-kl-ucb"]


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("policy", HIERARCHICAL)
def test_churn_of_an_only_arm_changes_no_path_of_a_hierarchy(policy: str, attack: str) -> None:
    how: dict[str, Any] = {"horizon": 3000, "repetitions": 20, "seed": 1}
    before = simulate(FOUR, policy, **how)
    after = simulate(FOUR, policy, schedule=ATTACKS[attack], **how)
    assert np.array_equal(before.revenue, after.revenue)
    assert np.array_equal(before.plays, after.plays)
    assert np.array_equal(before.regret_curves, after.regret_curves)
    assert np.array_equal(before.original_plays, after.original_plays)


def test_an_agents_statistics_survive() -> None:
    # Always reward 0 against always 1: when "a" comes back, H-UCB still knows what it is worth.
    market = Market([Agent("a", [0.0]), Agent("b", [1.0])])
    away = Schedule([Retire(200, "a", 0), Admit(300, "a", 0)])
    record = record_of(market, "h-ucb", horizon=400, schedule=away)
    plays = [np.sum(record.choices[0, :t] < 2) for t in (199, 299, 400)]  # b is number 2
    assert plays[0] == plays[1] < plays[2] <= plays[0] + 3
    # UCB1 only knows arms: it would start anew, and does.
    record = record_of(market, "ucb1", horizon=400, schedule=away)
    assert record.choices[0, 299] == 1  # the new arm, number 1, at once


def test_an_arm_that_comes_back_is_known_and_a_new_one_is_not() -> None:
    # Arms are numbered agent by agent, those that come later included.
    market = Market([Agent("a", [0.0]), Agent("b", [1.0])])
    back = Schedule([Retire(50, "a", 0), Admit(51, "a", 0, new=False)])
    made = decisions_of_games(market, "ucb1", horizon=60, schedule=back)[0]
    assert made[50] == 1  # b: what comes back is known to pay nothing
    new = Schedule([Retire(50, "a", 0), Admit(51, "a", 0)])
    made = decisions_of_games(market, "ucb1", horizon=60, schedule=new)[0]
    assert made[50] == 1  # a's new arm, which was never played; b is number 2
    assert made[49] == 2


def test_samples_stay_within_their_bound() -> None:
    # ⌊1·ln 1000⌋ = 6 seats. Three arms before round 1, then four more: one of them must wait.
    market = Market([Agent("a", [0.5], copies=[3]), Agent("b", [0.9])])
    schedule = Schedule([Admit(2, "a", 0, count=4)])
    made = decisions_of_games(market, "rh-ucb(L=1)", horizon=1000, schedule=schedule)[0]
    assert set(made) == {0, 1, 2, 3, 4, 5, 7}
    # All six leave: the one that waited takes over. They come back: five find a seat.
    leave: list[Retire | Admit] = [
        Retire(500, "a", 0, count=6),
        Admit(600, "a", 0, count=6, new=False),
    ]
    schedule = Schedule([*schedule.changes, *leave])
    made = decisions_of_games(market, "rh-ucb(L=1)", horizon=1000, schedule=schedule)[0]
    assert set(made[499:599]) == {6, 7}
    assert set(made[599:]) == {0, 1, 2, 3, 4, 6, 7}


def test_renewing_under_a_sample_spends_its_seats() -> None:
    # S-UCB has ⌊2·ln 100⌋ = 9 seats, two are taken at first: seven new arms, and no more.
    market = Market([Agent("a", [0.5]), Agent("b", [0.5])])
    renewals = Schedule(renewals=[Renew("a", after=1)])
    result = simulate(market, "s-ucb(l=2)", horizon=100, repetitions=50, seed=0, schedule=renewals)
    assert result.plays[:, 0].tolist() == [8] * 50


def test_room_is_kept_for_the_arms_at_a_time_not_for_all_that_ever_are() -> None:
    market = Market([Agent("a", [0.5], copies=[3]), Agent("b", [0.9])])
    schedule = churn(market, "a", every=1, horizon=1000)
    for policy in ("ucb1", "h-ucb"):
        lowered = lower(market, parse_policy(policy), horizon=1000, seed=0, schedule=schedule)
        assert lowered.new_state().pools["room"].max() == 4
        assert len(lowered.originals) == 4 + 3 * 999


def test_repetitions_and_workers_do_not_disturb_each_other() -> None:
    rng = random.Random(5)
    market = random_market(rng)
    for policy in ("ucb1", "prh-ucb", "rh-ucb-t-free"):
        schedule = random_schedule(rng, market, 100)
        how: dict[str, Any] = {"horizon": 100, "repetitions": 40, "seed": 3, "schedule": schedule}
        alone = record_of(market, policy, **how)
        together = record_of(market, policy, workers=3, batch=1, **how)
        for mine, theirs in zip(alone, together, strict=True):
            assert np.array_equal(mine, theirs)


def test_accounting_sums_over_all_that_an_original_was_registered_as() -> None:
    market = Market([Agent("a", [0.2, 0.9], copies=[2, 1]), Agent("b", [0.6])], fee=0.25)
    schedule = Schedule(
        [Retire(50, "a", 0, 2), Admit(60, "a", 0, 1), Admit(70, "a", 0, 2, new=False)],
        [Renew("b", after=2)],
    )
    result = simulate(market, "h-ucb", horizon=500, repetitions=9, seed=1, schedule=schedule)
    assert np.array_equal(result.original_plays[:, :2].sum(axis=1), result.plays[:, 0])
    assert np.array_equal(result.original_plays[:, 2], result.plays[:, 1])
    assert result.plays.sum(axis=1).tolist() == [500] * 9
    # Nobody renews an arm after the last round.
    record = record_of(market, "h-ucb", horizon=500, repetitions=9, seed=1, schedule=schedule)
    last = record.choices[:, -1] == 4
    renewed = (result.plays[:, 1] - last) // 2
    assert np.array_equal(result.registrations, np.stack([np.full(9, 4), 1 + renewed], axis=1))
    assert np.allclose(result.utility, result.revenue - 0.25 * result.registrations)
