"""Clicks: the rows as they are, the uniform policy's value from another's log, copied items."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from copyproof import read_market
from copyproof.real_data.clicks import ClickLog, chance_if_alike, items_market, read_clicks
from copyproof.real_data.clicks_study import PAGES, copied_items, run
from copyproof.real_data.copies import COPIES, best_and_worst
from tests.real_data.sets import real


def test_rows_are_read_in_their_order(tmp_path: Path) -> None:
    head = ",timestamp,item_id,position,click,propensity_score,more\n"
    rows = "0,now,3,1,0,0.25,x\n1,now,1,2,1,0.5,x\n"
    (tmp_path / "bts-men.csv").write_text(head + rows, encoding="utf-8")
    log = read_clicks(tmp_path, "bts", "men")
    assert log.items.tolist() == [3, 1]
    assert log.clicks.tolist() == [0, 1]
    assert log.propensities.tolist() == [0.25, 0.5]


#: Six items with 50 rows each; of item k, 3k are clicked.
MADE = ClickLog(
    np.repeat(np.arange(6), 50),
    np.concatenate([np.arange(50) < 3 * k for k in range(6)]).astype(float),
    np.full(300, 1 / 6),
)


def test_items_are_arms_whose_rates_come_from_their_rows() -> None:
    assert MADE.rows_by_item == [50] * 6
    assert MADE.clicks_by_item == [0, 3, 6, 9, 12, 15]
    market = items_market(MADE)
    assert best_and_worst(market) == ("item 5", "item 0")
    rates = [getattr(agent.arms[0], "mean", 0.0) for agent in market.agents]
    assert rates == sorted(rates)
    assert 0 < rates[0] < rates[-1] < 15 / 50  # drawn together


def test_whether_items_may_be_clicked_alike() -> None:
    assert chance_if_alike(MADE) < 0.01
    rng = np.random.default_rng(4)
    alike = [
        chance_if_alike(replace(MADE, clicks=rng.binomial(1, 0.1, size=300).astype(float)))
        for _ in range(50)
    ]
    assert np.mean(alike) == pytest.approx(0.5, abs=0.15)  # uniform: 3.5 standard errors


def test_copies_of_an_item_pay_under_ucb1_and_nothing_under_the_default(tmp_path: Path) -> None:
    found = copied_items(MADE, tmp_path, horizon=500, repetitions=8)
    assert read_market(tmp_path / "market.toml") == items_market(MADE)
    assert [found["items"][who]["clicks"] for who in ("best", "worst")] == [15, 0]
    for who in found["items"]:
        flat, default = (found["policies"][one]["copies"][who] for one in ("ucb1", "trial"))
        assert [row["copies"] for row in flat] == [1, *COPIES]
        assert flat[-1]["share"]["low"] > 0.9 > 0.5 > flat[0]["share"]["high"]
        assert all(row["gain"] == {"mean": 0, "low": 0, "high": 0} for row in default[1:])
    assert found["policies"]["ucb1"]["copies"]["best"][-1]["gain"]["low"] > 0
    assert found["policies"]["ucb1"]["copies"]["worst"][-1]["regret"]["low"] > 0


@pytest.mark.slow
def test_estimates_agree_or_are_refused_and_copies_pay_under_ucb1_alone(tmp_path: Path) -> None:
    found = run(real("open-bandit"), tmp_path, horizon=20_000, repetitions=10)
    for page in PAGES:
        one = found["pages"][page]
        assert one["rows"] == 10_000
        assert all(answer["agrees"] in (True, None) for answer in one["estimates"])
        assert all((answer["agrees"] is None) == bool(answer["refused"])
                   for answer in one["estimates"])  # fmt: skip
    assert any(answer["agrees"] for page in PAGES for answer in found["pages"][page]["estimates"])
    for who in found["copies"]["items"]:
        flat, default = (
            found["copies"]["policies"][one]["copies"][who][-1] for one in ("ucb1", "trial")
        )
        assert flat["gain"]["low"] > 0
        assert default["gain"] == {"mean": 0, "low": 0, "high": 0}
    for figure in ("clicks.png", "copies.png"):
        assert (tmp_path / figure).stat().st_size > 10_000
