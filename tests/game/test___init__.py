"""The game's front door."""

import pytest

import copyproof.game as game


def test_every_public_name_is_there() -> None:
    assert all(hasattr(game, name) for name in game.__all__)


def test_another_name_is_not() -> None:
    with pytest.raises(AttributeError, match="no attribute 'markt'"):
        _ = game.markt
