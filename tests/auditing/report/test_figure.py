"""The figure of an audit: what is drawn is what was found."""

import dataclasses
import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from numpy.typing import NDArray

from copyproof import Agent, Audit, Market, RiskAverse, UniformPrior, audit, paper_market
from copyproof.auditing import report
from copyproof.auditing.report.captions import gain_text, reference_words
from copyproof.auditing.report.figure import MOST_PANELS
from copyproof.game import ByName
from copyproof.plots import COLOURS, save_figure
from copyproof.plots.palette import line_styles, names_of
from copyproof.simulation import Interval

# matplotlib's types do not say what its containers hold, and tests read it back.
plot_gains: Any = report.plot_gains

PAIR = Market([Agent("ann", [0.5]), Agent("bob", [0.2, 0.75])])
SMALL: dict[str, Any] = {"seed": 1, "budget": 400_000}


def exactly(policy: str, market: Market = PAIR, **options: Any) -> Audit:
    return audit(market, policy, seed=1, **({"horizon": 6, "most_copies": 5} | options))


@pytest.fixture(scope="module")
def sampled() -> list[Audit]:
    market = paper_market("1a")
    return [
        audit(market, policy, agent="0.5-agent", horizon=300, **SMALL)
        for policy in ("ucb1", "h-ucb", "h-thompson")
    ]


def segments(ax: Any, colour: str) -> NDArray[Any]:
    """The bars of one colour: their lower and upper ends."""
    found = [one for one in ax.collections if hasattr(one, "get_segments")]
    (bars,) = [one for one in found if to_hex(one.get_color()[0]) == colour.lower()]
    return np.array([[one[0, 1], one[1, 1]] for one in bars.get_segments()])


def test_lines_and_bars_are_the_gains(sampled: list[Audit]) -> None:
    (ax,) = plot_gains(sampled)
    assert len(ax.lines) == 3
    for line, one in zip(ax.lines, sampled, strict=True):
        agent = one.agents[0]
        gains = [gain.gain for gain in agent.copying]
        np.testing.assert_array_equal(line.get_xdata(), [1, 2, 5, 10, 20, 50, 100])
        means = np.array([0.0, *(gain.mean for gain in gains)])
        np.testing.assert_allclose(line.get_ydata(), means / agent.revenue)
    prone = sampled[0].agents[0]
    ends = [[0, 0], *([one.gain.low, one.gain.high] for one in prone.copying)]
    bars = segments(ax, COLOURS["ucb1"])
    np.testing.assert_allclose(bars, np.array(ends) / prone.revenue)
    assert ax.get_xscale() == "log"
    assert ax.get_yscale() == "symlog"
    assert "share of its revenue" in ax.figure.get_supylabel()


def test_every_policy_has_its_colour_and_its_label(sampled: list[Audit]) -> None:
    (ax,) = plot_gains(sampled)
    colours = [to_hex(line.get_color()) for line in ax.lines]
    assert colours[:2] == [COLOURS["ucb1"].lower(), COLOURS["h-ucb"].lower()]
    assert len(set(colours)) == 3
    most = sampled[0].agents[0].copying[-1].gain.mean / sampled[0].agents[0].revenue
    texts = {text.get_text() for text in ax.texts}
    assert texts == {f"UCB1  +{100 * most:,.0f} %", "H-UCB  0 %", "h-thompson  0 %"}


def test_lines_that_coincide_are_all_seen(sampled: list[Audit]) -> None:
    (ax,) = plot_gains(sampled)
    widths = [line.get_linewidth() for line in ax.lines]
    assert widths[1] > widths[2] == widths[0]


def test_a_panel_for_each_agent_and_one_on_demand() -> None:
    audits = [exactly("ucb1"), exactly("h-ucb")]
    panels = plot_gains(audits)
    assert [ax.get_title(loc="left").split()[0] for ax in panels] == ["ann", "bob"]
    assert panels[0].get_ylim() == panels[1].get_ylim()
    (ax,) = plot_gains(audits, agent="bob")
    assert "the best of 2 arms" in ax.get_title(loc="left")
    own = Figure().subplots()
    assert plot_gains(audits, agent="bob", ax=own) == (own,)
    assert "copies" in own.get_xlabel()
    with pytest.raises(ValueError, match="ax takes one agent, and 2 were audited"):
        plot_gains(audits, ax=own)


def test_best_means_the_best_arm_alone() -> None:
    one = exactly("ucb1", agent="bob", reference="honest")
    (ax,) = plot_gains(one)
    gains = {
        gain.copies: gain.gain.mean for gain in (*one.agents[0].copying, *one.agents[0].showing)
    }
    expected = [gains[0, count] / one.agents[0].revenue for count in (1, 2, 5)]
    np.testing.assert_allclose(ax.lines[0].get_ydata(), expected)
    assert "every arm once" in ax.figure.get_supxlabel()
    assert "Exact values" in ax.figure.get_supxlabel()


def test_many_agents_are_cut_to_those_who_gain_most() -> None:
    market = Market([Agent(f"agent {i}", [0.9 - i / 10]) for i in range(8)])
    one = audit(market, "ucb1", horizon=200, **SMALL, most_copies=2)
    panels = plot_gains(one)
    assert len(panels) == len(panels[0].figure.axes) == MOST_PANELS
    assert "Not shown: 2 more agents" in panels[0].figure.get_supxlabel()
    shares = [agent.copying[0].gain.mean / agent.revenue for agent in one.agents]
    kept = [ax.get_title(loc="left").split(" (")[0] for ax in panels]
    assert kept == [f"agent {i}" for i in sorted(np.argsort(shares)[2:])]


@pytest.mark.parametrize(
    "market",
    [
        Market([Agent("ann", [0.5], utility=RiskAverse(0.5)), Agent("bob", [0.9])]),
        Market([Agent("ann", [0.0]), Agent("bob", [0.9])]),
    ],
)
def test_gains_are_utilities_where_shares_make_no_sense(market: Market) -> None:
    one = exactly("ucb1", market, agent="ann")
    (ax,) = plot_gains(one)
    expected = [0.0, *(gain.gain.mean for gain in one.agents[0].copying)]
    np.testing.assert_allclose(ax.lines[0].get_ydata(), expected)
    assert ax.figure.get_supylabel() == "gain over the reference, in utility"
    assert "%" not in ax.texts[0].get_text()


def test_nothing_but_zeros_has_a_linear_axis() -> None:
    (ax,) = plot_gains(exactly("h-ucb", agent="ann"))
    assert ax.get_yscale() == "linear"
    low, high = ax.get_ylim()
    assert low == -high < 0


def test_what_is_not_known_is_not_drawn() -> None:
    none = audit(PAIR, "ucb1", agent="ann", horizon=300, seed=1, budget=300)
    (ax,) = plot_gains(none)
    assert ax.texts[0].get_text() == "UCB1  not known"
    few = audit(PAIR, "ucb1", agent="ann", horizon=300, seed=1, budget=300 * 7 * 8)
    (ax,) = plot_gains(few)
    assert len(ax.lines[0].get_xdata()) == 7
    assert np.isfinite(segments(ax, COLOURS["ucb1"])).all()


def test_audits_that_do_not_belong_together_are_refused() -> None:
    one = exactly("ucb1")
    others: dict[str, Any] = {"horizon": 7, "confidence": 0.9, "market": paper_market("1a")}
    for field, value in others.items():
        with pytest.raises(ValueError, match=f"audits differ in their {field}"):
            plot_gains([one, dataclasses.replace(one, **{field: value})])
    with pytest.raises(ValueError, match="audits differ in their agents"):
        plot_gains([one, exactly("h-ucb", agent="ann")])
    with pytest.raises(ValueError, match="audits is empty"):
        plot_gains([])
    with pytest.raises(ValueError, match="agent = 'eve' is not one of ann, bob"):
        plot_gains(one, agent="eve")
    other = exactly("ucb1", agent="bob", deviations=[[2, 1]])
    with pytest.raises(ValueError, match="copies of the best arm alone"):
        plot_gains(other)


def test_equal_audits_give_equal_files(sampled: list[Audit], tmp_path: Path) -> None:
    for name in ("one.svg", "other.svg"):
        save_figure(plot_gains(sampled)[0].figure, tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "other.svg").read_bytes()


def test_names_and_looks_tell_any_policies_apart() -> None:
    policies = ["ucb1", "rh-ucb(L=1)", "rh-ucb(L=3)", "rh-ucb-all", "river:UCB(delta=1)", "x:y"]
    assert names_of(policies)[:3] == ["UCB1", "rh-ucb(L=1)", "rh-ucb(L=3)"]
    assert len(set(line_styles(policies))) == len(policies)
    assert len(set(line_styles(["h-ucb"] * 20))) == 20
    assert line_styles(["x:y", "h-ucb"])[1] == (COLOURS["h-ucb"], "-")
    assert len(names_of(["package.module:name(parameter=1234567)"])[0]) == 26


def test_gains_in_words() -> None:
    assert gain_text(14.2, relative=True) == "+1,420 %"
    assert gain_text(-0.0123, relative=True) == "−1.2 %"
    assert gain_text(0.0, relative=True) == "0 %"
    assert gain_text(3.25, relative=False) == "+3.2"


def test_references_in_words() -> None:
    assert reference_words([exactly("h-ucb")]) == "the best arm once"
    assert reference_words([exactly("h-ucb", reference="honest")]) == "every arm once"
    market = PAIR.with_strategy("bob", [3, 1])
    assert reference_words([exactly("h-ucb", market, reference="market")]) == "what the market says"
    one = exactly("h-ucb", agent="bob", reference=[2, 1])
    assert reference_words([one]) == "copies 2, 1"


def test_a_wide_interval_is_cut_at_the_axis(sampled: list[Audit]) -> None:
    agent = sampled[0].agents[0]
    wide = Interval(agent.copying[0].gain.mean, -math.inf, math.inf)
    copying = (dataclasses.replace(agent.copying[0], gain=wide), *agent.copying[1:])
    changed = dataclasses.replace(agent, copying=copying)
    one = dataclasses.replace(sampled[0], agents=ByName([changed]))
    (ax,) = plot_gains(one)
    bars = segments(ax, COLOURS["ucb1"])
    np.testing.assert_allclose(bars[1], ax.get_ylim())


def test_who_knows_only_a_prior_is_drawn_with_copies_of_every_arm() -> None:
    market = Market([Agent("ann", [UniformPrior(0, 1)] * 2), Agent("bob", [0.6])])
    found = audit(market, "ucb1", agent="ann", horizon=50, seed=1, most_copies=5, budget=10**6)
    (ax,) = plot_gains(found)
    assert ax.lines[0].get_xdata().tolist() == [1, 2, 5]
    assert ax.get_xlabel() == "copies of every arm"
    assert ax.get_title(loc="left") == "ann (2 arms of drawn means)"


@pytest.mark.parametrize("agents", [1, 2, 3, 5])
def test_no_cell_is_empty_and_no_two_counts_touch(agents: int) -> None:
    market = Market([Agent(f"agent {i}", [0.9 - i / 10]) for i in range(agents)])
    names = market.names
    one = audit(market, "ucb1", agent=None if agents > 1 else names[0], horizon=50, **SMALL)
    panels = plot_gains([one, dataclasses.replace(one, policy="h-ucb")])
    figure = panels[0].figure
    assert len(figure.axes) == agents
    figure.draw_without_rendering()
    if agents > 2 and agents % 2:
        assert panels[-1].get_position().width > 1.5 * panels[0].get_position().width
    for ax in panels:
        boxes = [t.get_window_extent() for t in ax.get_xticklabels() if t.get_text()]
        assert {t.get_text() for t in ax.get_xticklabels()} >= {"1", "10", "100"}
        assert all(one.x1 < other.x0 for one, other in itertools.pairwise(boxes))
