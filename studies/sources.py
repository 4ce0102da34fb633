"""What the study files here draw their markets from: functions that they name.

A case's seed comes from its market's name, so that none depends on which others there are; the
markets of ``missed.py`` share one.
"""

from collections.abc import Iterable

import copyproof
import least_lost
import missed
import price as price_study
import targets as targets_study
import trade as trade_study
from markets import Case
from mixed import development_mixed, held_out_mixed

MISSED_SEED = 1
"""Of all markets of ``missed.toml``: a GPU plays those of one seed together."""


def mixed() -> list[copyproof.Case]:
    """The held-out part of the mixed markets."""
    return _cases(held_out_mixed())


def mixed_development() -> list[copyproof.Case]:
    """The part on which parameters were chosen."""
    return _cases(development_mixed())


def targets(horizon: int) -> list[copyproof.Case]:
    """The markets that the default is known by."""
    return _cases(targets_study.cases(horizon))


def price(one_in: int) -> list[copyproof.Case]:
    """Four markets with one good arm in so many."""
    return _cases(price_study.cases(one_in))


def trade() -> list[copyproof.Case]:
    """Judged held-out markets whose best agent copies."""
    return _cases(trade_study.cases())


def copying() -> list[copyproof.Case]:
    """Markets whose one best agent has bad arms, too."""
    return _cases(least_lost.cases())


def siblings() -> list[copyproof.Case]:
    """The same, in which that agent registers its best bad arm alone."""
    return _cases(least_lost.siblings())


def honest_pairs(horizon: int, games: int) -> list[copyproof.Case]:
    """An agent with two arms against one with a worse one."""
    return _cases(missed.honest_pairs(horizon, games), MISSED_SEED)


def few_good(horizon: int, games: int) -> list[copyproof.Case]:
    """Few good arms among bad ones."""
    return _cases(missed.few_good(horizon, games), MISSED_SEED)


def frontier(horizon: int, games: int) -> list[copyproof.Case]:
    """Five truthful agents, and bad arms of three means."""
    return _cases(missed.frontier(horizon, games), MISSED_SEED)


def few_good_siblings(horizon: int, games: int) -> list[copyproof.Case]:
    """The same, in which that agent registers one bad arm alone."""
    return _cases(missed.few_good_siblings(horizon, games), MISSED_SEED)


def _cases(found: Iterable[Case], seed: int | None = None) -> list[copyproof.Case]:
    return [
        copyproof.Case(
            *(case.name, case.market, case.horizon, case.repetitions),
            case.seed if seed is None else seed,
        )
        for case in found
    ]
