"""Mixed markets: always the same, of the families they claim, and held apart."""

import math

from copyproof.simulation import gap_to_rivals
from mixed import decidable, development_mixed, held_out_mixed, judged, share

PARTS = (development_mixed, held_out_mixed)


def test_generators_are_deterministic() -> None:
    for part in PARTS:
        assert part() == part()
    # A change of the generators must not go unnoticed: results are kept by these digests.
    assert [part()[0].digest for part in PARTS] == ["a5805029c668", "fc74e7f7bf60"]


def test_the_parts_share_no_market() -> None:
    drawn = [{case.digest for case in part()} for part in PARTS]
    assert not drawn[0] & drawn[1]
    names = [case.name for part in PARTS for case in part()]
    assert len(set(names)) == len(names)


def test_families_span_what_was_asked_for() -> None:
    for part in PARTS:
        cases = part()
        sizes = [len(case.market.agents) for case in cases]
        assert min(sizes) == 2
        assert 40 < max(sizes) <= 50
        assert {case.horizon for case in cases} >= {10**k for k in range(3, 8)}
        shares = {round(1 / share(case.market)) for case in cases}
        assert shares >= {1, 3, 21, 50, 200}
        assert min(case.market.best_mean for case in cases) < 0.05
        assert {len(agent.arms) for case in cases for agent in case.market.agents} == {1, 2, 3}


def test_what_is_judged_can_be_decided() -> None:
    for case in development_mixed():
        if case.kind in ("small shares", "hardly decided"):
            continue
        assert judged(case), case.name
        rounds = case.horizon / len(case.market.agents)
        assert rounds >= 10 * math.log(100) / share(case.market)
        assert case.horizon * gap_to_rivals(case.market) ** 2 >= 10 * math.log(case.horizon)
    small = [case for case in development_mixed() if case.kind == "small shares"]
    assert all(decidable(case) and not judged(case) for case in small)


def test_every_subset_of_rational_agents_is_there_once() -> None:
    for number in range(4):
        family = [
            c for c in held_out_mixed() if c.name.startswith(f"held-out mixed: subsets {number}.")
        ]
        rational = {tuple(len(agent.arms) == 1 for agent in case.market.agents) for case in family}
        assert len(family) == len(rational) == 2 ** len(family[0].market.agents)
        best = {tuple(agent.best_mean for agent in case.market.agents) for case in family}
        assert len(best) == 1


def test_a_rational_best_agent_has_one_arm() -> None:
    for case in held_out_mixed():
        if case.kind == "rational best":
            assert share(case.market) == 1
            assert any(agent.registered > 1 for agent in case.market.agents)
