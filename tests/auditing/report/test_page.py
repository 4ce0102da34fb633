"""The report of an audit: what it says, and that it is whole, safe and reproducible."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from copyproof import (
    Agent,
    Audit,
    BetaPrior,
    Custom,
    Explicit,
    Gaussian,
    Geometric,
    ListPrior,
    Market,
    RiskAverse,
    RiskSeeking,
    UniformPrior,
    audit,
    paper_market,
)
from copyproof.auditing.report import write_audit_report
from copyproof.auditing.report.captions import attitudes, fee_words, verdict_words
from copyproof.auditing.report.page import AuditPage, render_audit_page
from copyproof.game import Arm
from copyproof.plots import brief, limits
from tests.browser import check_report
from tests.pages.parsed import Page, template_variables

EVIL = '<b>ann</b> & "co"'
PAIR = Market([Agent(EVIL, [0.5, 0.2], copies=[7, 0]), Agent("bob", [0.75])])
COMMAND = "copyproof audit market.toml --policy ucb1 --policy 'x(\"<i>\")' --horizon 6 --seed 1"


def exactly(policy: str, market: Market = PAIR, **options: Any) -> Audit:
    return audit(market, policy, seed=1, **({"horizon": 6, "most_copies": 5} | options))


@pytest.fixture(scope="module")
def audits() -> list[Audit]:
    """A prone one, one without gain, and one that is open, of one market."""
    few = audit(PAIR, "h-kl-ucb", horizon=6, seed=1, most_copies=5, method="sampling", budget=600)
    assert few.verdict == "undecided"
    return [exactly("ucb1"), exactly("h-ucb"), few]


@pytest.fixture(scope="module")
def text(audits: list[Audit], tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("audit") / "audit.html"
    write_audit_report(audits, path, command=COMMAND)
    assert [file.name for file in path.parent.iterdir()] == ["audit.html"]
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(text: str) -> Page:
    return Page(text)


def test_every_policy_has_its_verdict_in_words(page: Page, audits: list[Audit]) -> None:
    for one, name in zip(audits, ("UCB1", "H-UCB", "h-kl-ucb"), strict=True):
        assert " ".join(verdict_words(one, name).split()) in page.text
    assert "UCB1 pays for copies: 2 of 2 audited agents gain by copying." in page.text
    assert "H-UCB does not pay for the copies that were tried" in page.text
    assert "h-kl-ucb is undecided" in page.text
    kinds = [one["class"] for one in page.all("li") if "class" in one]
    assert kinds == ["fails", "holds", "open"]


def test_every_gain_stands_in_the_tables(page: Page, audits: list[Audit]) -> None:
    for one in audits:
        for agent in one.agents:
            assert limits(agent.best_deviation.gain) in page.text
            for gain in (*agent.copying, *agent.showing):
                row = f"{agent.name}: {gain.deviation.name} {limits(gain.gain)}"
                assert " ".join(row.split()) in page.text
    deviations = sum(len(a.copying) + len(a.showing) for one in audits for a in one.agents)
    # heads: agents and deviations for each policy, the market, and what is known
    assert len(page.all("tr")) >= deviations + 2 * 3 + 2


def test_it_says_how_and_what_is_open(page: Page) -> None:
    for words in (
        "every way the games can go was enumerated",
        "the confidence is a guarantee",
        "the smallest difference to the reference and to all strategies without copies",
        "95 %, for all gains of a policy and all stages",
        "Several identities",
        "Other markets and other lengths",
        "for n ≥ 3 the printed proof is invalid",
        "0.5 × 7, 0.2 hidden",
    ):
        assert words in page.text
    assert COMMAND in page.text


def test_names_are_escaped_and_the_page_needs_nothing_else(page: Page, text: str) -> None:
    assert EVIL in page.text
    assert "<b>ann" not in text
    assert not page.all("script") + page.all("link") + page.all("iframe") + page.all("i")
    (source,), (alt_text,) = page.values("img", "src"), page.values("img", "alt")
    assert source.startswith("data:image/svg+xml;base64,")
    assert EVIL in alt_text
    assert "UCB1 +" in alt_text
    assert "url(" not in text
    assert page.all("html") == [{"lang": "en"}]
    assert len(page.ids) == len(set(page.ids))
    assert {target[1:] for target in page.values("a", "href")} <= set(page.ids)
    assert "/tmp/" not in text
    assert str(Path.home()) not in page.text


def test_equal_results_give_equal_bytes(audits: list[Audit], text: str, tmp_path: Path) -> None:
    later = [dataclasses.replace(one, seconds=one.seconds + 9) for one in audits]
    write_audit_report(later, tmp_path / "again.html", command=COMMAND)
    again = (tmp_path / "again.html").read_text(encoding="utf-8")
    pairs = zip(text.splitlines(), again.splitlines(), strict=True)
    changed = [(one, other) for one, other in pairs if one != other]
    assert len(changed) == 1
    assert all("timing" in line for line in changed[0])


def test_samples_are_told_as_what_they_are() -> None:
    one = audit(PAIR, "ucb1", horizon=300, seed=1, budget=400_000)
    page = Page(render_audit_page([one], None))
    assert "the intervals are confidence sequences" in page.text
    assert f"{one.rounds:,} rounds in all" in page.text
    assert not page.all("img")
    assert not page.all("pre")


def test_a_gain_by_hiding_is_not_put_down_to_copies() -> None:
    one = exactly("h-ucb", reference="honest")
    assert one.verdict == "no-gain"
    shown = one.agents[0].without_copies
    assert shown is not None
    assert (shown.copies, shown.verdict) == ((1, 0), "prone")
    said = f"Without any copy, “best × 1” gains {EVIL} {limits(shown.gain)}."
    assert said in verdict_words(one, "H-UCB")
    page = Page(render_audit_page([one], None))
    assert {"no gain", "gains"} <= {text.strip("✓ ") for text in page.words}
    assert said in page.text


def test_a_lower_regret_is_told_as_such() -> None:
    one = exactly("ucb1", agent="bob")
    assert one.agents[0].best_deviation.loss.high < 0
    assert "lowers the principal's regret by 0." in verdict_words(one, "UCB1")
    other = exactly("ucb1", agent=EVIL)
    assert "raises the principal's regret by 0." in verdict_words(other, "UCB1")


def test_attitudes_and_fees() -> None:
    prone, none = exactly("ucb1").agents[1], exactly("h-ucb").agents[1]
    assert attitudes(prone) == "not every attitude"
    assert attitudes(none) == "every risk attitude"
    unknown = tuple(dataclasses.replace(one, advantage=None) for one in none.copying)
    assert attitudes(dataclasses.replace(none, copying=unknown)) == "open"
    assert fee_words(none) == "0"
    assert prone.fee is not None
    assert fee_words(prone) == brief(prone.fee.mean)
    nothing = audit(PAIR, "ucb1", horizon=300, seed=1, budget=300)
    assert fee_words(nothing.agents[0]) == "none known"


def test_one_deviation_may_have_no_picture(tmp_path: Path) -> None:
    one = exactly("ucb1", agent=EVIL, deviations=[[2, 1]])
    write_audit_report(one, tmp_path / "a.html")
    page = Page((tmp_path / "a.html").read_text(encoding="utf-8"))
    assert not page.all("img")
    assert "copies 2, 1" in page.text


def test_a_budget_that_plays_nothing() -> None:
    one = audit(PAIR, "ucb1", horizon=300, seed=1, budget=300)
    page = Page(render_audit_page([one], None))
    assert "0 of 300 rounds were played" in page.text
    assert "not known" in page.text
    assert not {"nan", "inf", "nan,", "[-inf,"} & set(page.text.split())


def test_all_kinds_of_markets_are_told() -> None:
    agents = [
        Agent("averse", [0.5], utility=RiskAverse(0.5)),
        Agent("seeking", [0.5], utility=RiskSeeking(2.0)),
        Agent("own", [Gaussian(0.5, 0.1)], utility=Custom("steps", lambda v: v)),
    ]
    texts = []
    for discount in (Geometric(0.9), Explicit([1.0] * 10 + [0.5] * 10)):
        market = Market(agents, fee=0.25, discount=discount)
        one = audit(market, "ucb1", agent="own", horizon=20, seed=1, budget=20_000)
        texts.append(Page(render_audit_page([one], None)).text)
    for words in (
        "risk-averse: revenue to the power 0.5",
        "risk-seeking: revenue to the power 2",
        "its own: steps",
        "Gaussian 0.5 × 1",
        "Fee per registered arm: 0.25. Rewards of round t count 0.9 to the power t − 1.",
    ):
        assert words in texts[0]
    assert "Rewards count by weights, from 1 to 0.5." in texts[1]


def test_the_template_uses_what_its_record_holds() -> None:
    fields = {field.name for field in dataclasses.fields(AuditPage)}
    assert template_variables("copyproof.auditing.report", "audit.html.j2") == fields


def test_what_cannot_be_written_is_refused(audits: list[Audit], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot be written: No such file"):
        write_audit_report(audits, tmp_path / "missing" / "a.html")
    other = audit(paper_market("1a"), "ucb1", horizon=6, seed=1, budget=1000)
    with pytest.raises(ValueError, match="audits differ in their market"):
        write_audit_report([audits[0], other], tmp_path / "a.html")
    assert list(tmp_path.iterdir()) == []


def test_priors_are_told_and_nothing_is_claimed_of_them(tmp_path: Path) -> None:
    arms: list[Arm] = [UniformPrior(0, 1), BetaPrior(2, 5), ListPrior([0.5] * 7)]
    market = Market([Agent("ann", arms), Agent("bob", [0.6])])
    found = audit(market, "h-ucb-t-free", horizon=50, seed=1, most_copies=2, budget=10**6)
    write_audit_report(found, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    for words in (
        "drawn from [0, 1] × 1, drawn from Beta(2, 5) × 1, one of 0.5, 0.5, 0.5, 0.5, 0.5, … × 1",
        "the best arm once; every arm once where only a prior is known",
        "whether they pay an agent who knows only a prior is measured here",
        "Gains of registering the best arm or every arm several times",
    ):
        assert words in page


def test_in_a_browser(browser: Browser, tmp_path: Path) -> None:
    market = paper_market("1a")
    found = [audit(market, policy, horizon=300, seed=1) for policy in ("ucb1", "h-ucb")]
    write_audit_report([exactly("ucb1")], tmp_path / "evil.html", command=COMMAND)
    write_audit_report(found, tmp_path / "audit.html", command=COMMAND)
    check_report(browser, tmp_path / "evil.html", "report-audit-names")
    check_report(browser, tmp_path / "audit.html", "report-audit")
