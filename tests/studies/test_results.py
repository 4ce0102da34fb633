"""The table: fixed columns and types, nothing but what was asked for, and no bytes that differ."""

import io
from typing import Any

import pyarrow.parquet as pq
import pytest

from copyproof import Study, audit, paper_market
from copyproof.studies import results
from copyproof.studies.cells import MEASURES
from copyproof.studies.results import COLUMNS, IDENTITY, frame_of, results_bytes

ROW: dict[str, Any] = {"policy": "h-ucb", "seed": 2**64 - 1, "agents": ["ann"], "cell": "0a"}


@pytest.mark.parametrize("measure", MEASURES)
def test_columns_are_those_of_the_measure(measure: str) -> None:
    table = pq.read_table(io.BytesIO(results_bytes([ROW], [measure])))
    assert table.column_names == [*IDENTITY, *COLUMNS[measure], "failure"]
    assert table.column("seed").to_pylist() == [2**64 - 1]
    assert table.column(next(iter(COLUMNS[measure]))).to_pylist() == [None]


def test_groups_of_rows_do_not_change_the_types(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [ROW | {"regret_mean": None}, ROW | {"regret_mean": 1.5}, ROW | {"failure": "why"}]
    whole = frame_of(rows, ["regret"])
    monkeypatch.setattr(results, "_GROUP", 1)
    read = pq.read_table(io.BytesIO(results_bytes(rows, ["regret"]))).to_pandas()
    assert read.astype(str).equals(whole.astype(str))
    assert read.dtypes.equals(whole.dtypes)


def test_an_audit_has_every_deviation() -> None:
    asked: dict[str, Any] = {"agent": "0.5-agent", "deviations": [[2], [3]], "budget": 20_000}
    study = Study(
        "ucb1", "paper:1a", horizons=100, repetitions=1, seed=1, measure=["audit"], audit=asked
    )
    (row,) = study.run().frame().to_dict("records")
    alone = audit(paper_market("1a"), "ucb1", horizon=100, seed=1, **asked)
    (agent,) = alone.agents
    assert row["audit_revenue"].tolist() == [agent.revenue]
    assert row["audit_tolerance"].tolist() == [agent.tolerance]
    found = [(tuple(one["copies"]), one["copying"]) for one in row["audit_deviations"]]
    assert found == [((2,), True), ((3,), True)]
    for one, gain in zip(row["audit_deviations"], (*agent.copying, *agent.showing), strict=True):
        assert (one["gain"], one["gain_low"], one["gain_high"]) == (
            gain.gain.mean,
            gain.gain.low,
            gain.gain.high,
        )
        assert (one["loss_low"], one["games"]) == (gain.loss.low, gain.repetitions)
