"""Guard rails within a group that somebody else stores, as the service's committer does."""

import logging

import pytest

from copyproof.live import MarketPaused, Principal


@pytest.fixture
def principal() -> Principal:
    """A market that pauses once ann has all of the last five decisions."""
    found = Principal("h-ucb")
    found.register_arms([("ann", "a"), ("bob", "b")])
    found.set_rails([{"measure": "share", "last": 5, "at_most": 0.8}])
    return found


def _staged(principal: Principal) -> None:
    with principal.staging():
        for _ in range(5):
            principal.ask(eligible=["ann"])
        with pytest.raises(MarketPaused):
            principal.ask()


def test_a_rail_that_was_left_is_told_once_it_is_stored(
    principal: Principal, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        _staged(principal)
        assert caplog.messages == []
        append = principal.staged
        assert append is not None
        assert append.events[-1]["kind"] == "crossed"
        assert principal.store.append_all([append]) == [None]
        principal.stored()
        [said] = caplog.messages
        assert "the share of an agent in the last 5 decisions is 1" in said
    assert principal.paused
    assert Principal(store=principal.store).paused == principal.paused


def test_what_is_undone_was_never_left(
    principal: Principal, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        _staged(principal)
        principal.undo()
        assert principal.paused is None
        assert principal.round == 0
        principal.ask()
    assert caplog.messages == []
