"""The study's figures show the study's numbers."""

import dataclasses
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import copyproof
from copyproof.paper import (
    FIGURES,
    draw_figure,
    table,
)
from copyproof.paper.figures.growth import growth_fits, upper_bounds
from copyproof.paper.measures import misses
from copyproof.paper.study import (
    ABLATION_MARKETS,
    COPIES,
    MARKETS,
    OURS,
    POLICIES,
    RIVALS,
    StudyResults,
)
from copyproof.plots import COLOURS
from copyproof.plots.palette import colour_of, name_of
from copyproof.simulation import Interval, Result
from copyproof.theory import sample_misses_best

# matplotlib's types do not say what its containers hold, and tests read it back.
plots: Any = copyproof
whole: Any = draw_figure


def lines_of(*axes: Any) -> dict[str, Any]:
    return {line.get_label(): line for ax in axes for line in ax.lines}


def with_revenue(result: Result, agent: int, values: Any) -> Result:
    revenue = np.array(result.revenue)
    revenue[:, agent] = values
    return dataclasses.replace(result, revenue=revenue)


@pytest.mark.parametrize(("name", "agent"), [("fig1a", 0), ("fig1b", 4)])
def test_copies_are_drawn_as_they_pay(study: StudyResults, name: str, agent: int) -> None:
    axes = plots.plot_copies(study[name])
    lines = lines_of(*axes)
    for policy in POLICIES:
        line = lines[name_of(policy)]
        found = [study[name][c, policy].agents[agent].revenue.mean for c in COPIES]
        assert line.get_xdata().tolist() == list(COPIES)
        np.testing.assert_allclose(line.get_ydata(), found)
        assert to_hex(line.get_color()).upper() == COLOURS[policy.partition("(")[0]]
    assert sum(len(ax.collections) for ax in axes) == 7
    assert axes[-1].get_ylim()[0] == 0
    texts = [text.get_text() for ax in axes for text in ax.texts]
    assert len(texts) == 7
    assert any(text.startswith("H-UCB  ") for text in texts)


def test_a_wide_gap_is_cut_out(study: StudyResults) -> None:
    """As in figure 1b at full size: four policies around 88,000, three far below."""
    levels = dict(zip(POLICIES, (89e3, 88.5e3, 18e3, 88e3, 38e3, 28e3, 89.5e3), strict=True))
    around = np.array([-200, -100, 100, 200])
    far = {
        key: with_revenue(result, 4, levels[str(key[1])] + around)
        for key, result in study["fig1b"].items()
    }
    upper, lower = plots.plot_copies(far)
    drawn = [line.get_label() for line in upper.lines if line.get_label() in map(name_of, POLICIES)]
    assert drawn == ["UCB1", "S-UCB", "H-UCB", name_of(OURS)]
    assert upper.get_ylim()[0] > 80e3
    assert lower.get_ylim()[0] == 0
    assert lower.get_ylim()[1] < 50e3
    assert upper.get_xlim() == lower.get_xlim()
    assert not upper.spines["bottom"].get_visible()
    marks = [line for line in lower.lines if line.get_label().startswith("_")]
    assert len(marks) == 1
    # On one Axes of one's own nothing is cut.
    own = Figure().subplots()
    assert plots.plot_copies(far, axes=own) == (own,)
    assert own.get_ylim()[1] > 80e3
    close = {
        key: with_revenue(result, 4, 1000 * POLICIES.index(str(key[1])) + around)
        for key, result in study["fig1b"].items()
    }
    assert len(plots.plot_copies(close)) == 1


@pytest.mark.parametrize("name", ["fig2a", "fig2b", "fig2c"])
def test_figures_of_regret_show_seven_curves(study: StudyResults, name: str) -> None:
    figure = whole(name, study)
    (ax,) = figure.axes
    assert [to_hex(line.get_color()).upper() for line in ax.lines] == list(COLOURS.values())
    texts = [text.get_text() for text in ax.texts]
    for policy in POLICIES:
        assert f"{name_of(policy)}  {study[name][policy,].regret.mean:,.0f}" in texts
    said = f"{name_of(OURS)} is copyproof's own policy; the others are the paper's."
    assert said in figure.get_supxlabel()
    assert "copyproof's own" not in whole("ablation", study).get_supxlabel()
    assert "copyproof's own" not in whole("frontier", study).get_supxlabel()


def test_markets_are_drawn_relative_to_the_papers_best(study: StudyResults) -> None:
    figure = Figure()
    own = figure.subplots()
    runs = study["markets"]
    assert plots.plot_markets(runs, ax=own) is own
    assert own.get_xscale() == "log"
    dots = {one.get_label(): one for one in own.containers}
    assert list(dots) == ["H-UCB", "RH-UCB", "PRH-UCB", name_of(OURS)]
    for policy in (*RIVALS, OURS):
        found = [
            runs[market, policy].regret.mean
            / min(runs[market, rival].regret.mean for rival in RIVALS)
            for market in MARKETS
        ]
        line = dots[name_of(policy)].lines[0]
        np.testing.assert_allclose(np.array(line.get_xdata(), float), found)
        assert to_hex(line.get_color()).upper() == COLOURS[policy]
    # 1 is the best of the paper's; on every market one of its policies stands there.
    others = [dots[name_of(rival)].lines[0].get_xdata() for rival in RIVALS]
    np.testing.assert_allclose(np.min(np.array(others, float), axis=0), 1)
    assert sorted(text.get_text() for text in own.texts) == sorted(
        f"{result.regret.mean:,.0f}" for result in runs.values()
    )
    assert len(own.get_yticklabels()) == 5
    assert own.yaxis_inverted()  # the first market on top


def test_intervals_of_the_markets_are_those_of_the_table(study: StudyResults) -> None:
    ax = plots.plot_markets(study["markets"])
    frame = table("markets", study)
    for policy in (*RIVALS, OURS):
        (bars,) = [one for one in ax.containers if one.get_label() == name_of(policy)]
        rights = [segment[1, 0] for segment in bars.lines[2][0].get_segments()]
        here = frame[frame["policy"] == policy]
        np.testing.assert_allclose(rights, here["relative_high"])
        low, mean, high = (here[f"relative{end}"] for end in ("_low", "", "_high"))
        assert ((low <= mean) & (mean <= high)).all()


def test_the_ablation_has_a_bar_for_each_market_and_policy(study: StudyResults) -> None:
    ax = plots.plot_ablation(study["ablation"])
    heights = {
        (round(bar.get_x() + bar.get_width() / 2), to_hex(bar.get_facecolor())): bar.get_height()
        for bar in ax.patches
    }
    for (market, policy), result in study["ablation"].items():
        place = list(ABLATION_MARKETS).index(str(market))
        assert heights[place, colour_of(str(policy)).lower()] == result.regret.mean
    assert len(ax.get_legend().get_texts()) == 4
    assert "2c" in ax.get_xticklabels()[2].get_text()
    bars = [segment for one in ax.collections for segment in one.get_segments()]
    stds = sorted(result.regret.std for result in study["ablation"].values())
    assert sorted((s[1, 1] - s[0, 1]) / 2 for s in bars) == pytest.approx(stds)


def test_samples_show_every_repetition_and_how_often_they_miss(study: StudyResults) -> None:
    figure = Figure()
    axes = figure.subplots(2, 1)
    upper, lower = plots.plot_samples(study["samples"], axes=list(axes))
    assert (upper, lower) == tuple(axes)
    dots = [one.get_offsets() for one in upper.collections if len(one.get_offsets()) > 1]
    regrets = [r.regret_curves[:, -1] for r in study["samples"].values()]
    several = {float(y) for group in dots for _, y in group}
    assert several <= {float(y) for one in regrets for y in one}
    lines = lines_of(lower)
    exact = [
        100 * sample_misses_best(r.market, 4, int(L), r.horizon)
        for (L,), r in study["samples"].items()
    ]
    np.testing.assert_allclose(lines["exact probability"].get_ydata(), exact)
    shares = [100 * misses(r).mean() for r in study["samples"].values()]
    measured = np.array(lower.containers[0].lines[0].get_ydata(), float)
    np.testing.assert_allclose(measured, shares)
    tops = [segment[1, 1] for segment in lower.containers[0].lines[2][0].get_segments()]
    wilson = [
        100 * Interval.of_share(int(misses(r).sum()), r.repetitions).high
        for r in study["samples"].values()
    ]
    np.testing.assert_allclose(tops, wilson)
    assert "%" in lower.get_ylabel()


def test_growth_has_seven_lines_and_the_bounds_that_apply(study: StudyResults) -> None:
    axes = plots.plot_growth(study["growth"])
    fits = growth_fits(study["growth"])
    for ax, market in zip(axes, ("2a", "2c"), strict=True):
        assert ax.get_xscale() == ax.get_yscale() == "log"
        lines = lines_of(ax)
        horizons = sorted({key[2] for key in study["growth"]})
        for policy in POLICIES:
            found = [study["growth"][market, policy, T].regret.mean for T in horizons]
            np.testing.assert_allclose(lines[name_of(policy)].get_ydata(), found)
            b = f"{name_of(policy)}  b = {fits[market, policy].mean:.2f}"
            assert b in [text.get_text() for text in ax.texts]
        assert len(ax.collections) == 7
        np.testing.assert_allclose(
            lines["most there can be"].get_ydata(),
            np.array(horizons) * (0.4 if market == "2a" else 0.8),
        )
    assert "not applicable" in axes[1].texts[0].get_text()


def test_theorem_3_is_drawn_where_it_says_something(study: StudyResults) -> None:
    long = {
        (market, policy, T): dataclasses.replace(result, horizon=1000 * result.horizon)
        for (market, policy, horizon), result in study["growth"].items()
        for T in [1000 * int(horizon)]
    }
    first, second = plots.plot_growth(long)
    (line,) = [line for line in first.lines if line.get_linestyle() == "--"]
    assert line.get_label() == "theorem 3"
    assert to_hex(line.get_color()).upper() == COLOURS["h-ucb"]
    T = int(line.get_xdata()[-1])
    (bound,) = [b for p, b in upper_bounds("2a", ["h-ucb"], T) if b.theorem == "theorem 3"]
    assert line.get_ydata()[-1] == bound.value
    assert not [line for line in second.lines if line.get_linestyle() == "--"]


@pytest.mark.parametrize("name", FIGURES)
def test_whole_figures_have_title_and_note(study: StudyResults, name: str) -> None:
    figure = whole(name, {name: study[name]})
    assert figure.get_suptitle() == FIGURES[name].title
    repetitions = next(iter(study[name].values())).repetitions
    assert f"{repetitions}" in figure.get_supxlabel()
    assert "seed 1" in figure.get_supxlabel()
    assert all(ax.get_ylabel() for ax in figure.axes[-1:])


@pytest.mark.parametrize("name", FIGURES)
def test_nothing_is_cut_off(study: StudyResults, name: str) -> None:
    """After layout everything lies on the page: labels, legends, titles, notes."""
    figure = whole(name, study)
    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()
    drawn = figure.get_tightbbox()  # inches
    assert drawn.x0 >= -0.01
    assert drawn.y0 >= -0.01
    assert drawn.x1 <= figure.get_figwidth() + 0.01
    assert drawn.y1 <= figure.get_figheight() + 0.01


def test_unknown_figures_are_refused(study: StudyResults) -> None:
    with pytest.raises(ValueError, match=r"'fig9' is not one of fig1a, "):
        whole("fig9", study)


def test_one_repetition_has_no_band(study: StudyResults) -> None:
    def first(result: Result) -> Result:
        arrays = ("regret_curves", "revenue", "plays", "original_plays")
        cut = {name: getattr(result, name)[:1] for name in arrays}
        return dataclasses.replace(result, repetitions=1, **cut)

    one = {key: first(result) for key, result in study["fig1a"].items()}
    assert all(len(ax.collections) == 0 for ax in plots.plot_copies(one))
    bars = plots.plot_ablation({key: first(r) for key, r in study["ablation"].items()})
    assert len(bars.patches) == 16


def test_pyplot_is_left_alone() -> None:
    code = (
        "import sys\n"
        "from copyproof.paper import Settings, draw_figure, play, runs_of\n"
        "runs = runs_of('samples', Settings(horizon=100, repetitions=2))\n"
        "draw_figure('samples', {'samples': {k: play(r) for k, r in runs.items()}})\n"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
