"""A shadow after the fact is the one that there would have been."""

import pytest

from copyproof.live.retrospect import shadow_of
from copyproof.live.stores import open_store
from copyproof.validation import FieldError
from tests.live.test_principal import market
from tests.live.test_switch import play


@pytest.mark.parametrize("policy", ["fair", "trial-anytime", "ucb1"])
def test_it_is_the_shadow_that_there_would_have_been(policy: str) -> None:
    (plain, clock), (watched, other) = market(reward_window=20), market(reward_window=20)
    watched.set_policy(policy, share=0)
    play(plain, clock, 100)
    play(watched, other, 100)
    before = plain.digest()
    assert shadow_of(plain.store, "default", policy) == watched.statistics().candidate
    assert plain.digest() == before
    plain.set_rails([{"measure": "share", "last": 10, "at_most": 0.4}])
    plain.set_policy("prh-ucb")
    since = plain.round + 1
    plain.ask(10, eligible=["ann"])
    found = shadow_of(plain.store, "default", policy)
    assert (found.since, found.decisions) == (since, 10)


def test_of_a_journal_that_was_cut_it_begins_with_the_snapshot() -> None:
    principal, clock = market()
    play(principal, clock, 50)
    principal.compact()
    play(principal, clock, 50)
    middle = principal.round
    principal.compact()
    play(principal, clock, 20)
    assert principal.store.compacted("default") > 0
    found = shadow_of(principal.store, "default", "h-ucb")
    assert found.agreed == found.decisions > principal.round - middle


def test_what_cannot_be_looked_back_on() -> None:
    principal, _ = market()
    principal.ask(5)
    with pytest.raises(FieldError, match=r"policy = .* needs T"):
        shadow_of(principal.store, "default", "s-ucb")
    old = open_store("memory:")
    old.create_market("default", {**principal.config.to_dict(), "numerics": 4})
    with pytest.raises(FieldError, match="numerics = 4 is not 1, the only version that this"):
        shadow_of(old, "default", "h-ucb")
    principal.set_policy("fair", share=0)
    with pytest.raises(
        FieldError, match=r"market = 'default' has had a candidate of its own .event"
    ):
        shadow_of(principal.store, "default", "ucb1")
