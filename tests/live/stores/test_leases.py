"""Leases as values: who holds one, and what a token is worth."""

import pytest

from copyproof.live.stores import LeaseLost
from copyproof.live.stores.leases import Lease


def test_nobody_holds_a_new_lease() -> None:
    assert not Lease().runs(0.0)
    Lease().check("m", None, 0.0)
    Lease().check("m", 0, 0.0)


def test_tokens_grow_with_every_change_of_hands() -> None:
    lease, tokens = Lease(), []
    for turn in range(5):
        lease = lease.taken("ab"[turn % 2], 10.0 * turn, 5.0)
        tokens.append(lease.token)
        lease = lease.given_back()
    assert tokens == sorted(set(tokens))


def test_a_token_is_good_until_the_next_holder() -> None:
    lease = Lease().taken("a", 0.0, 5.0)
    lease.check("m", lease.token, 1e9)
    with pytest.raises(LeaseLost, match=r"market 'm': the lease with token 1 is over, .* 2 of 'b'"):
        lease.taken("b", 6.0, 5.0).check("m", lease.token, 6.0)
    with pytest.raises(LeaseLost, match="market 'm' is being written by 'a'"):
        lease.check("m", None, 4.9)
    lease.check("m", None, 5.0)


def test_a_clock_that_is_a_little_behind_does_not_end_a_lease() -> None:
    lease = Lease().taken("a", 100.0, 5.0)
    assert lease.runs(99.5)
    assert not lease.runs(98.0)
