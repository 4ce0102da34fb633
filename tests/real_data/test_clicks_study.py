"""Clicks: the rows as they are, and the uniform policy's value from the other policy's log."""

from pathlib import Path

import pytest

from copyproof.real_data.clicks_study import PAGES, read_clicks, run
from tests.real_data.sets import real


def test_rows_are_read_in_their_order(tmp_path: Path) -> None:
    head = ",timestamp,item_id,position,click,propensity_score,more\n"
    rows = "0,now,3,1,0,0.25,x\n1,now,1,2,1,0.5,x\n"
    (tmp_path / "bts-men.csv").write_text(head + rows, encoding="utf-8")
    log = read_clicks(tmp_path, "bts", "men")
    assert log.items.tolist() == [3, 1]
    assert log.clicks.tolist() == [0, 1]
    assert log.propensities.tolist() == [0.25, 0.5]


@pytest.mark.slow
def test_estimates_agree_with_the_uniform_log_or_are_refused(tmp_path: Path) -> None:
    found = run(real("open-bandit"), tmp_path)
    for page in PAGES:
        one = found["pages"][page]
        assert one["rows"] == 10_000
        assert all(answer["agrees"] in (True, None) for answer in one["estimates"])
        assert all((answer["agrees"] is None) == bool(answer["refused"])
                   for answer in one["estimates"])  # fmt: skip
    assert any(answer["agrees"] for page in PAGES for answer in found["pages"][page]["estimates"])
    assert (tmp_path / "clicks.png").stat().st_size > 10_000
