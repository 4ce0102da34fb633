"""Groups: the quotient of a market, and what is refused."""

from pathlib import Path

import pytest

from copyproof.game import (
    Admit,
    Agent,
    Market,
    Renew,
    Retire,
    RiskAverse,
    Schedule,
    market_digest,
    market_from_dict,
    market_to_dict,
    principal_of,
    quotient,
    read_market,
    write_market,
)
from copyproof.validation import FieldError

AGENTS = [
    Agent("ann", [0.5], copies=[2]),
    Agent("bob", [0.9]),
    Agent("anna", [0.4, 0.2], copies=[0, 3]),
]


def bound() -> Market:
    return Market(AGENTS, fee=0.5).bind(["ann", "anna"], "ann & co")


def test_a_market_without_groups_is_its_own_quotient() -> None:
    market = Market(AGENTS)
    assert market.quotient is market
    assert quotient(market).is_trivial
    assert "group" not in str(market_to_dict(market))


def test_a_group_has_all_arms_of_its_members_in_registration_order() -> None:
    market = bound()
    found = market.quotient
    assert found.names == ("ann & co", "bob")
    assert [arm.mean for arm in found["ann & co"].arms] == [0.5, 0.4, 0.2]
    assert found["ann & co"].copies == (2, 0, 3)
    assert (found.fee, found.registered) == (market.fee, market.registered)
    assert quotient(market).earners == (0, 2, 2, 1)
    assert found.quotient is found


def test_groups_survive_other_strategies() -> None:
    for other in (bound().honest(), bound().truthful(), bound().with_strategy("bob", [3])):
        assert other.groups == {"ann & co": ("ann", "anna")}


def test_market_files_hold_groups(tmp_path: Path) -> None:
    market = bound()
    for name in ("market.toml", "market.json"):
        write_market(market, tmp_path / name)
        assert read_market(tmp_path / name) == market
    assert market_digest(market) != market_digest(Market(AGENTS, fee=0.5))


def test_principals_go_by_the_name_of_an_agent_its_group_or_a_group() -> None:
    market = bound()
    assert [principal_of(market, name) for name in ("ann", "anna", "ann & co", "bob")] == [
        "ann & co",
        "ann & co",
        "ann & co",
        "bob",
    ]
    with pytest.raises(FieldError, match="zoe"):
        principal_of(market, "zoe")


def test_a_group_may_be_called_like_a_member_only() -> None:
    Market(AGENTS).bind(["ann", "anna"], "ann")
    with pytest.raises(FieldError, match=r"agents\[0\]\.group = 'bob' is the name of agents\[1\]"):
        Market(AGENTS).bind(["ann", "anna"], "bob")


def test_one_principal_has_one_utility() -> None:
    agents = [Agent("ann", [0.5]), Agent("anna", [0.5], utility=RiskAverse(0.5))]
    with pytest.raises(FieldError, match="one principal has one utility"):
        Market(agents).bind(["ann", "anna"], "x")


def test_a_bad_group_in_a_file_is_named() -> None:
    data = {"agents": [{"name": "ann", "group": 3, "arms": [{"mean": 0.5}]}]}
    with pytest.raises(FieldError, match=r"agents\[0\]\.group = 3"):
        market_from_dict(data)


def test_a_schedule_of_a_member_becomes_one_of_its_principal() -> None:
    schedule = Schedule(
        [Retire(5, "anna", 1), Admit(7, "ann", 0, count=2)], [Renew("bob", after=1)]
    )
    found = quotient(bound()).schedule(schedule)
    assert found is not None
    assert [(one.agent, one.original) for one in found.changes] == [
        ("ann & co", 2),
        ("ann & co", 0),
    ]
    assert found.renewals == schedule.renewals


def test_schedules_that_do_not_fit_are_refused() -> None:
    with pytest.raises(FieldError, match=r"renewals\[0\]\.agent = 'ann' is bound to a group"):
        quotient(bound()).schedule(Schedule(renewals=[Renew("ann", after=1)]))
    with pytest.raises(FieldError, match=r"changes\[0\]\.original = 1 is not below 1"):
        quotient(bound()).schedule(Schedule([Retire(5, "ann", 1)]))
