"""The markets of the study: always the same, of the kinds they claim, and held apart."""

from markets import HELD_OUT_HORIZON, development, held_out


def test_generators_are_deterministic() -> None:
    assert development() == development()
    assert held_out() == held_out()
    # A change of the generators must not go unnoticed: results are kept by these digests.
    assert [case.digest for case in held_out(2)] == ["f5f76c57fe25", "591cc56e5e55"]


def test_a_longer_set_begins_with_the_shorter() -> None:
    assert held_out(30)[:10] == held_out(10)


def test_names_and_markets_differ() -> None:
    cases = development() + held_out()
    assert len({case.name for case in cases}) == len(cases)
    drawn = {case.digest for case in development() if case.name.startswith("random")}
    assert not drawn & {case.digest for case in held_out()}


def test_kinds_are_what_they_say() -> None:
    for case in development() + held_out():
        profile = case.market.profile
        if case.kind == "rational":
            assert profile == case.market.truthful().profile
        elif case.kind == "honest":
            assert profile == case.market.honest().profile
        else:
            assert max(count for copies in profile for count in copies) > 1


def test_held_out_has_what_was_asked_for() -> None:
    cases = held_out()
    sizes = [len(case.market.agents) for case in cases]
    assert len(cases) >= 200
    assert min(sizes) == 2
    assert 50 < max(sizes) <= 60
    assert {len(agent.arms) for case in cases for agent in case.market.agents} == {*range(1, 21)}
    assert {case.horizon for case in cases} == {HELD_OUT_HORIZON}
    assert all(agent.copies[agent.best_arm] >= 1 for case in cases for agent in case.market.agents)
    bad = [
        case
        for case in cases
        if any(max(agent.copies[1:], default=0) >= 100 for agent in case.market.agents)
    ]
    assert len(bad) >= 20
    assert sum(case.kind == "honest" for case in cases) >= 20


def test_development_spans_horizons_and_sizes() -> None:
    cases = development()
    assert {case.horizon for case in cases} >= {10**4, 10**5, 10**6}
    sizes = {len(case.market.agents) for case in cases}
    assert min(sizes) == 2
    assert max(sizes) == 200
