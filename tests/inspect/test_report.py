"""The page about an inspection: what it says, and that it is whole, safe and reproducible."""

import dataclasses
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from copyproof import Inspection, inspect_log, write_inspection_report
from copyproof.inspect.figure import shares_figure
from copyproof.inspect.report import InspectionPage, render_inspection_page
from tests.browser import check_report
from tests.inspect.logs import copied_rows, write
from tests.pages.parsed import Page, template_variables

EVIL = '<b>ann</b> & "co"'


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Inspection:
    rows = copied_rows(plays=60)
    for row in rows:
        row["agent"] = EVIL if row["agent"] == "ann" else row["agent"]
    rows += [{"agent": "bob", "arm": "b", "reward": 7.0, "time": -1.0, "text": "?"}]
    rows += [{"agent": "", "arm": "b", "reward": 7.0, "time": -1.0, "text": "?"}]
    path = write(tmp_path_factory.mktemp("log") / "log.csv", rows)
    return inspect_log(path, time="time", content="text", policy="ucb1", repetitions=39)


def test_what_it_says(found: Inspection, tmp_path: Path) -> None:
    write_inspection_report(found, tmp_path / "page.html", command="copyproof inspect <log>")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    page = Page(text)
    words = " ".join(" ".join(page.words).split())
    assert "1 agent holds 9 copies" in words
    for answer in found.answers:
        assert answer.text in words
    for note in found.notes:
        assert note in words
    assert "no agent" in words  # the row that was left out
    assert "copyproof inspect <log>" in words
    assert EVIL in words
    arm = max((arm for agent in found.agents for arm in agent.arms), key=lambda arm: arm.plays)
    assert f"{arm.name} {arm.agent} {arm.plays}" in words
    assert "2 arms more, which --json has" in words
    assert "<b>ann" not in text
    assert len(page.all("img")) == 2
    assert all(value for value in page.values("img", "alt"))
    assert all(value.startswith("data:") for value in page.values("img", "src"))


def test_it_is_readable_for_everyone(found: Inspection, browser: Browser, tmp_path: Path) -> None:
    write_inspection_report(found, tmp_path / "page.html", command="copyproof inspect <log>")
    check_report(browser, tmp_path / "page.html", "report-inspect")


def test_equal_results_give_equal_pages(found: Inspection) -> None:
    assert render_inspection_page(found) == render_inspection_page(found)


def test_the_template_gets_what_it_asks_for() -> None:
    asked = template_variables("copyproof.inspect", "inspection.html.j2")
    given = {field.name for field in dataclasses.fields(InspectionPage)}
    assert asked <= given
    assert given <= asked


def test_a_page_of_an_honest_log(tmp_path: Path) -> None:
    rows = [{"agent": "ann", "arm": "a", "reward": 1}]
    found = inspect_log(write(tmp_path / "log.csv", rows), repetitions=0)
    page = Page(render_inspection_page(found))
    assert "no copies found" in " ".join(page.words)
    assert len(page.all("img")) == 1


@pytest.mark.parametrize("unit", [1, 10**3, 10**6, 10**9])
def test_times_are_dates_in_any_unit(unit: int, tmp_path: Path) -> None:
    began = 1_767_225_600  # the year 2026
    rows = [
        {"agent": "ann", "arm": "a", "reward": 1, "time": (began + 86_400 * day) * unit}
        for day in range(8)
    ]
    found = inspect_log(write(tmp_path / "log.csv", rows), time="time", repetitions=0)
    axis = shares_figure(found).axes[0].xaxis
    assert axis.get_major_formatter()((began + 3 * 86_400) * unit) == "2026-01-04"
    alone = inspect_log(write(tmp_path / "log.csv", rows[:1]), time="time", repetitions=0)
    low, high = shares_figure(alone).axes[0].get_xlim()
    assert low < high


def test_a_file_that_cannot_be_written(found: Inspection, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot be written"):
        write_inspection_report(found, tmp_path / "no folder" / "page.html")
