"""Epochs: which lengths they have."""

import pytest

from copyproof.policy import Restart, Season


def test_seasons_are_all_alike() -> None:
    assert Season(7).horizons(7) == (7,)
    assert Season(7).horizons(8) == Season(7).horizons(2**47) == (7, 7)


def test_epochs_grow_to_the_cap() -> None:
    assert Restart(500, power=3).horizons(10**8) == (500, 500**3)
    assert Restart(500, power=3).horizons(2**47) == (500, 500**3, 2**62)


@pytest.mark.parametrize("rounds", [1, 0, -5, 2.5, 1e13, True, "7", None])
def test_what_is_no_season(rounds: object) -> None:
    with pytest.raises(ValueError, match="is not a whole number from 2 to 1e12"):
        Season(rounds)  # type: ignore[arg-type]
