"""The report: files, their bytes, and the page."""

import dataclasses
import json
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import Browser

from copyproof.paper import (
    FIGURES,
    PAPER_SIZE,
    ClaimVerdict,
    Settings,
    StudyResults,
    judge,
    table,
    write_report,
)
from copyproof.paper.page import StudyPage, figure_of, render_page
from copyproof.paper.theorems import THEOREMS, bound_rows
from tests.browser import check_report
from tests.pages.parsed import Page, template_variables


@pytest.fixture(scope="module")
def folder(
    study: StudyResults, settings: Settings, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    out = tmp_path_factory.mktemp("report")
    write_report(out, study, judge(study, settings), settings)
    return out


@pytest.fixture(scope="module")
def page(folder: Path) -> Page:
    return Page((folder / "index.html").read_text(encoding="utf-8"))


def test_in_a_browser(browser: Browser, folder: Path) -> None:
    check_report(browser, folder / "index.html", "report-paper")


def files_of(folder: Path) -> dict[str, bytes]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def test_all_files_are_there(folder: Path) -> None:
    expected = {"index.html", "claims.json"}
    for name in FIGURES:
        expected |= {f"figures/{name}.{kind}" for kind in ("png", "svg", "pdf")}
        expected |= {f"data/{name}.{kind}" for kind in ("csv", "parquet")}
    assert files_of(folder).keys() == expected


def test_equal_results_give_equal_bytes(
    study: StudyResults, settings: Settings, tmp_path: Path
) -> None:
    """Played again, a study differs by the time it took, on one line of the page."""
    some = {name: study[name] for name in ("fig1a", "fig2c", "samples")}
    # Results that figures share are one object, as the store gives them.
    games = {id(one): one for runs in some.values() for one in runs.values()}
    later = {place: dataclasses.replace(r, seconds=r.seconds + 99) for place, r in games.items()}
    again = {name: {k: later[id(r)] for k, r in runs.items()} for name, runs in some.items()}
    both: tuple[StudyResults, StudyResults] = (some, again)
    for number, figures in enumerate(both):
        write_report(tmp_path / str(number), figures, judge(figures, settings), settings)
    one, other = files_of(tmp_path / "0"), files_of(tmp_path / "1")
    assert [name for name in one if one[name] != other[name]] == ["index.html"]
    pages = [files["index.html"].decode().splitlines() for files in (one, other)]
    changed = [(a, b) for a, b in zip(*pages, strict=True) if a != b]
    assert len(changed) == 1
    assert all("timing" in line for line in changed[0])


def test_the_page_needs_nothing_else(page: Page, folder: Path) -> None:
    assert not page.all("script")
    assert not page.all("link")
    assert not page.all("iframe")
    assert [source[:26] for source in page.values("img", "src")] == [
        "data:image/svg+xml;base64,"
    ] * len(FIGURES)
    assert len(page.all("style")) == 1
    raw = (folder / "index.html").read_text(encoding="utf-8")
    css = raw[raw.index("<style>") : raw.index("</style>")]
    assert "url(" not in css
    assert "@import" not in css
    assert "@media print" in css
    assert (folder / "index.html").stat().st_size < 5_000_000
    assert page.all("html") == [{"lang": "en"}]
    assert any(one.get("name") == "viewport" for one in page.all("meta"))


def test_links_lead_somewhere(page: Page, folder: Path) -> None:
    assert len(page.ids) == len(set(page.ids))
    targets = page.values("a", "href")
    assert len(targets) > 60
    for target in targets:
        if target.startswith("#"):
            assert target[1:] in page.ids
        elif not target.startswith("https://"):
            assert (folder / target).is_file()


def test_images_say_what_one_sees(page: Page, study: StudyResults) -> None:
    alternatives = page.values("img", "alt")
    assert alternatives == [FIGURES[name].alt_text(study[name]) for name in FIGURES]
    revenue = study["fig1a"][1, "h-ucb"].agents[0].revenue.mean
    assert f"H-UCB stays at {revenue:,.0f}" in alternatives[0]
    end = study["fig1a"][500, "ucb1"].agents[0].revenue.mean
    assert f"to {end:,.0f}" in alternatives[0]


def test_every_claim_is_shown_with_its_verdict(
    page: Page, study: StudyResults, settings: Settings
) -> None:
    verdicts = judge(study, settings)
    found = [verdict.holds for verdict in verdicts]
    papers = [verdict.holds for verdict in verdicts if not verdict.beyond]
    assert None in papers
    assert f"Of 22 statements made about its simulations {papers.count(True)} hold" in page.text
    assert "statements of ours, beyond the paper," in page.text
    for verdict in verdicts:
        assert " ".join(f"{verdict.claim}. {verdict.text}".split()) in page.text
        assert " ".join(f"Evidence: {verdict.evidence}.".split()) in page.text
        assert figure_of(verdict, study) is not None
    assert page.text.count("✓ holds") == 2 * found.count(True)
    assert page.text.count("✗ fails") == 2 * found.count(False)
    assert page.text.count("? undecided") == 2 * found.count(None)


def test_a_reduced_study_says_so_on_the_page(
    page: Page, study: StudyResults, settings: Settings
) -> None:
    notice = "Not the paper's size: T = 300 and 4 repetitions instead of 100,000 and 100."
    assert notice in page.text
    verdicts = judge(study, settings)
    signs = ("✓ holds*", "✗ fails*", "? undecided*")
    assert sum(page.text.count(sign) for sign in signs) == 2 * (len(verdicts) - 1)
    some = {"fig2a": study["fig2a"]}
    whole = Page(render_page(some, judge(some), PAPER_SIZE, {"fig2a": b""}))
    assert "Not the paper's size" not in whole.text
    assert "holds*" not in whole.text
    assert "fails*" not in whole.text


def test_ours_stand_apart(study: StudyResults, settings: Settings, page: Page) -> None:
    assert page.text.count("Beyond the paper.") == 8
    assert "UCB1, S-UCB, Fair, H-UCB, RH-UCB and PRH-UCB are the paper's six" in page.text
    outcomes = {
        (True, True): "All 2 statements of ours",
        (True, False): "2 statements of ours, beyond the paper, 1 holds, 1 fails ( D1 ) and 0 are",
        (None, None): "0 hold, 0 fail and 2 are undecided ( D0 ; D1 ).",
    }
    for holds, text in outcomes.items():
        two = [
            ClaimVerdict(f"D{n}", "", one, "", ("fig2a",), beyond=True)
            for n, one in enumerate(holds)
        ]
        alone = Page(render_page({"fig2a": study["fig2a"]}, two, settings, {"fig2a": b""}))
        assert text in alone.text
        assert "made about its simulations" not in alone.text


def test_a_claim_stands_under_the_last_of_its_figures(study: StudyResults) -> None:
    verdict = ClaimVerdict("1", "", True, "", ("fig2a", "fig1a"))
    assert figure_of(verdict, study) == "fig2a"
    assert figure_of(ClaimVerdict("1", "", True, "", ()), study) == "samples"
    assert figure_of(ClaimVerdict("1", "", True, "", ()), {"fig2a": study["fig2a"]}) is None


def test_claims_as_data(folder: Path, study: StudyResults, settings: Settings) -> None:
    claims = json.loads((folder / "claims.json").read_text(encoding="utf-8"))
    assert claims == [verdict.to_dict() for verdict in judge(study, settings)]
    for claim in claims:
        assert {"claim", "text", "holds", "evidence"} <= claim.keys()
        assert claim["holds"] in (True, False, None)
        assert not isinstance(claim["holds"], int) or isinstance(claim["holds"], bool)


@pytest.mark.parametrize("name", FIGURES)
def test_data_are_the_tables(folder: Path, study: StudyResults, name: str) -> None:
    expected = table(name, study)
    parquet = pd.read_parquet(folder / "data" / f"{name}.parquet")
    pd.testing.assert_frame_equal(parquet, expected)
    csv = pd.read_csv(folder / "data" / f"{name}.csv")
    pd.testing.assert_frame_equal(csv, expected, check_dtype=False)


def test_theorems_are_shown_with_their_status(page: Page) -> None:
    for number, theorem in THEOREMS.items():
        assert number in page.text
        for words in theorem:
            assert " ".join(words.split()) in page.text
    assert list(THEOREMS) == [*"1234567", "Lemma 1"]


def test_bounds_stand_next_to_measurements(study: StudyResults) -> None:
    rows = bound_rows(study)
    (row,) = [row for row in rows if row[:2] == ("2a, H-UCB", "theorem 3")]
    assert row[3] == f"{study['fig2a']['h-ucb',].regret.mean:,.0f}"
    (row,) = [row for row in rows if row[:2] == ("2c, RH-UCB (L=3)", "theorem 5")]
    assert row[2] == "–"
    assert row[4].startswith("Does not apply")
    assert any(row[4].startswith("Applies, but is vacuous") for row in rows)


def test_some_figures_only(study: StudyResults, settings: Settings, tmp_path: Path) -> None:
    some = {"fig1a": study["fig1a"]}
    write_report(tmp_path, some, judge(some, settings), settings)
    page = Page((tmp_path / "index.html").read_text(encoding="utf-8"))
    assert len(page.all("img")) == 1
    assert "Figure 2c breaks" in page.text  # rests on no figure
    assert "One policy for all markets" not in page.text
    targets = page.values("a", "href")
    assert "#beyond" not in targets
    assert {target for target in targets if target.startswith("#fig")} == {"#fig1a"}
    assert {target[1:] for target in targets if target.startswith("#")} <= set(page.ids)


@pytest.mark.parametrize("name", FIGURES)
def test_each_figure_alone(study: StudyResults, settings: Settings, name: str) -> None:
    page = Page(render_page({name: study[name]}, (), settings, {name: b"<svg/>"}))
    assert len(page.all("img")) == 1
    assert "No claim can be judged" in page.text
    targets = page.values("a", "href")
    assert {target[1:] for target in targets if target.startswith("#")} <= set(page.ids)


def test_texts_are_escaped(study: StudyResults, settings: Settings) -> None:
    evil = ClaimVerdict('<b id="x">', '</li><script>"&', False, "<img src=x>", ("fig2a",))
    page = Page(render_page({"fig2a": study["fig2a"]}, [evil], settings, {"fig2a": b""}))
    assert not page.all("script")
    assert len(page.all("img")) == 1
    assert '</li><script>"&' in page.text
    assert "Evidence: <img src=x>." in page.text
    assert "Of 1 statement made about its simulations 0 hold, 1 fails (" in page.text


def test_the_template_uses_what_its_record_holds() -> None:
    fields = {field.name for field in dataclasses.fields(StudyPage)}
    assert template_variables("copyproof.paper", "study.html.j2") == fields


def test_nothing_to_report_is_refused(settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="figures is empty"):
        write_report(tmp_path, {}, (), settings)


def test_what_cannot_be_written_is_refused(
    study: StudyResults, settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "figures").write_text("a file in the way")
    with pytest.raises(ValueError, match="cannot be written"):
        write_report(tmp_path, {"fig2a": study["fig2a"]}, (), settings)


def test_the_page_tells_no_paths(page: Page, folder: Path) -> None:
    raw = (folder / "index.html").read_text(encoding="utf-8")
    assert str(folder) not in raw
    assert str(Path.home()) not in page.text
    assert "/tmp/" not in raw
