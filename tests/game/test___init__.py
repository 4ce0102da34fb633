"""What the package of the game offers."""

import copyproof.game as game


def test_every_public_name_is_there() -> None:
    assert all(hasattr(game, name) for name in game.__all__)
