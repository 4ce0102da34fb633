"""Cells: equal digests where results are equal, different ones wherever something differs."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copyproof import Market, Renew, Schedule, Study, paper_market
from copyproof.studies.cells import Cell, Terms, _checkpoint_identity, digest_market, make_cell
from copyproof.studies.policies import study_policy


def cell(market: Market | None = None, policy: str = "h-ucb", **changes: Any) -> Cell:
    game: dict[str, Any] = {"horizon": 1000, "repetitions": 10, "seed": 1}
    game |= {"terms": Terms(("regret",))} | changes
    schedule = game.pop("schedule", None)
    market = market or paper_market("2a")
    digest = digest_market(market)
    return make_cell(market, study_policy(policy), schedule, market_digest=digest, **game)


@pytest.mark.parametrize(
    "changes",
    [
        {"market": paper_market("2b")},
        {"policy": "h-ucb(a=1)"},
        {"horizon": 1001},
        {"repetitions": 11},
        {"seed": 2},
        {"terms": Terms(("regret", "lost"))},
        {"terms": Terms(("regret",), arrays=True)},
        {"schedule": Schedule(renewals=[Renew("0.5-agent", after=1)])},
    ],
)
def test_whatever_differs_is_another_cell(changes: dict[str, Any]) -> None:
    assert cell(**changes).digest != cell().digest


def test_names_and_spellings_do_not_matter() -> None:
    assert cell(paper_market("1a", copies=1000)).digest == cell().digest
    plain, written = (cell(paper_market("2c"), one) for one in ("rh-ucb", "rh-ucb( L = 3 )"))
    assert plain.digest == written.digest
    audit = Terms(("regret",), audit={"most_copies": 7})  # nothing is audited
    assert cell(terms=audit).digest == cell().digest


def test_a_policy_of_ones_own_is_known_by_its_file(tmp_path: Path) -> None:
    def digest(text: str, folder: Path) -> str:
        (folder / "mine.py").write_text(text)
        return cell(policy=f"{folder}/mine.py:Rule").digest

    rule = "class Rule:\n    def __init__(self, arms, *, owners, horizon, seed): ...\n"
    folders = [tmp_path / name for name in "abc"]
    for folder in folders:
        folder.mkdir()
    study = [
        Study.from_dict({"policies": ["ucb1"], "markets": ["paper:2a"], "horizons": 10}
                        | {"repetitions": 1, "seed": 1})
    ]  # fmt: skip
    assert len(study) == 1
    one, other = (
        digest(text, folder) for text, folder in zip((rule, rule + "#"), folders[:2], strict=True)
    )
    assert one != other


@given(st.integers(1, 10**7), st.integers(1, 10**5), st.sampled_from(["2a", "2c"]))
def test_slices_cover_the_repetitions_once(horizon: int, repetitions: int, figure: str) -> None:
    one = cell(paper_market(figure), horizon=horizon, repetitions=repetitions)
    assert 1 <= one.slice_size <= max(1, 1_000_000 // horizon)
    first, count = one.slice(0)
    last = one.slice(one.slices - 1)
    assert first == 0
    assert count == min(one.slice_size, repetitions)
    assert sum(last) == repetitions
    assert one.slices == -(-repetitions // one.slice_size)


def test_checkpoints_have_the_last_tenth_where_lost_games_are_counted() -> None:
    def kept(checkpoints: int, *measure: str) -> Cell:
        return cell(terms=Terms(measure, arrays=True, checkpoints=checkpoints))

    assert kept(4, "regret").checkpoints == [250, 500, 750, 1000]
    assert kept(4, "regret", "lost").checkpoints == [250, 500, 750, 900, 1000]
    assert kept(10, "lost").checkpoints == kept(10, "regret").checkpoints
    assert cell(terms=Terms(("lost",))).checkpoints == [900, 1000]


def test_only_cells_whose_checkpoints_are_others_are_new() -> None:
    """A last tenth that is an evenly spaced checkpoint makes no other cell."""
    assert _checkpoint_identity(1000, 200, lost=True) == 200
    assert _checkpoint_identity(1000, 7, lost=False) == 7
    assert _checkpoint_identity(1000, 0, lost=True) == 0
    assert _checkpoint_identity(1000, 7, lost=True) == [7, 900]
