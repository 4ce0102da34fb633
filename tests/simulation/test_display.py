"""Results as people see them: one line, tables in notebooks, frames of any size."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copyproof import Agent, Market, Result, paper_market, parse_policy, simulate
from copyproof.simulation import play
from tests.pages.parsed import Page


def test_a_result_is_one_short_line() -> None:
    market = paper_market("2a")
    result = simulate(market, "h-ucb", horizon=1000, repetitions=10, seed=1)
    assert repr(result).startswith("<Result h-ucb on paper:2a: T = 1,000, 10 games, seed 1: regret")
    alone = simulate(market, "h-ucb", horizon=1000, repetitions=1, seed=1)
    assert "1 game, seed 1" in repr(alone)
    assert "±" not in repr(alone)
    long = "hierarchical(ucb(a=1, b=0.5), ucb(a=1.25, clock=plays), ties=priority, restart=epochs)"
    wide = simulate(market.named("x" * 200), long, horizon=10, repetitions=2, seed=2**64 - 1)
    for one in (result, alone, wide):
        assert len(repr(one)) < 220
        assert "\n" not in repr(one)
    assert repr(play(market, "h-ucb", 3, 2, horizon=9, seed=1)) == (
        "<Repetitions 3 to 4: 5 agents, T = 9>"
    )


def test_small_numbers_keep_their_digits() -> None:
    market = Market([Agent("a", [0.9995]), Agent("b", [1.0])])
    result = simulate(market, "h-ucb", horizon=50, repetitions=20, seed=1)
    assert result.regret.mean < 0.05
    assert f"regret {result.regret.mean:.3g} ± {result.regret.stderr:.2g}>" in repr(result)


def test_a_notebook_shows_every_agent() -> None:
    market = Market([Agent("<script>ann", [0.5]), Agent("bob", [0.9])]).named("a & b")
    result = simulate(market, "h-ucb", horizon=100, repetitions=4, seed=1)
    page = Page(result._repr_html_())
    assert not page.all("script")
    assert "<script>ann" in page.text
    assert page.text.startswith("h-ucb on a & b")
    assert "T = 100, 4 games, seed 1." in page.text
    assert "of 4 games lost" in page.text
    alone = simulate(market, "h-ucb", horizon=100, repetitions=1, seed=1, checkpoints=[3])
    assert "lost" not in Page(alone._repr_html_()).text


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 4), st.integers(1, 5), st.integers(1, 9), st.integers(0, 2**64 - 1))
def test_frames_have_a_row_for_each(agents: int, games: int, checkpoints: int, seed: int) -> None:
    market = Market([Agent(f"a{k}", [0.5]) for k in range(agents)])
    result = simulate(
        market, "ucb1", horizon=20, repetitions=games, seed=seed, checkpoints=checkpoints
    )
    frame, curve = result.to_frame(), result.curve_frame()
    assert len(frame) == agents * games
    assert len(curve) == len(result.rounds) == checkpoints
    for one in (frame, curve):
        assert list(one.columns[:4]) == ["policy", "market", "seed", "horizon"]
        assert one.iloc[0][:4].tolist() == ["ucb1", market.label, seed, 20]
    assert frame["plays"].sum() == 20 * games


def test_a_file_keeps_the_markets_name(tmp_path: Path) -> None:
    for market in (paper_market("1a"), paper_market("1a").honest()):
        result = simulate(market, "h-ucb", horizon=10, repetitions=2, seed=1)
        result.save(tmp_path / "x.npz")
        again = Result.load(tmp_path / "x.npz")
        assert (again.market.name, again.market.label) == (market.name, market.label)


def test_agents_by_name() -> None:
    result = simulate(paper_market("2a"), "h-ucb", horizon=100, repetitions=4, seed=1)
    assert result.agents["0.9-agent"] == result.agents[4]
    assert [one.name for one in result.agents] == list(result.market.names)
    with pytest.raises(ValueError, match=r"did you mean '0.9-agent'"):
        result.agents["09-agent"]


def test_policies() -> None:
    policy = parse_policy("rh-ucb(L=3)")
    assert repr(policy) == "<Policy rh-ucb(L=3)>"
    assert policy.to_frame()["part"].tolist() == ["agent", "arm", "sampling", "ties", "restart"]
    assert "fixed(factor=3)" in Page(policy._repr_html_()).text
    assert "none" in Page(parse_policy("ucb1")._repr_html_()).text
