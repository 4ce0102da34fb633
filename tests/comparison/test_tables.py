"""Tables of a comparison: what they say, and that names are only ever names."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copyproof.comparison import Comparison, Difference, Played, ranking
from copyproof.comparison.result import Verdict
from copyproof.comparison.tables import words_of
from copyproof.simulation import Estimate, Interval
from tests.pages.parsed import Page

PLAYED = Played("two shops", 1, 1000, 100, (Estimate(3, 1, 0.1), Estimate(5, 1, 0.1)))


def made_up(first: str = "a", second: str = "b", market: str = "two shops") -> Comparison:
    """Two policies on one market, the first better."""
    played = replace(PLAYED, market=market)
    by = Interval(2.0, 1.5, 2.5)
    difference = Difference(first, second, played, by, "better", None)
    return Comparison(
        "regret", None, (first, second), (played,), (difference,), None, 0.95, unseen=True
    )


def across(*policies: str) -> Comparison:
    """Three policies on two markets."""
    one = made_up(*policies[:2])
    table = [[1.0, 2.0, 3.0], [1.0, 3.0, 2.0]]
    return replace(one, policies=policies, ranking=ranking(table, policies))


def test_markdown() -> None:
    assert made_up().to_markdown() == (
        "regret on two shops: T = 1,000, 100 games, seed 1\n\n"
        "| policy | is | other policy | by | note |\n"
        "| --- | --- | --- | ---: | --- |\n"
        "| a | better than | b | 2.00 [1.50, 2.50] |  |\n\n"
        "Limits hold with 95 %, with an allowance for what no game has shown.\n"
    )
    assert str(made_up()) == made_up().to_markdown()


def test_latex() -> None:
    by = Interval(2.0, -1.5, 5.5)
    one = made_up("h_ucb", "50% {x}")
    found = replace(
        one, differences=(replace(one.differences[0], by=by, verdict="open", needed=1234),)
    )
    assert found.to_latex().splitlines()[2:] == [
        r"\begin{tabular}{lllrl}",
        r"\toprule",
        r"policy & is & other policy & by & note \\",
        r"\midrule",
        r"h\_ucb & not told from & 50\% \{x\} & 2.0 [$-$1.5, 5.5] & "
        r"about 1,300 games would decide \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_what_is_open_says_what_would_decide() -> None:
    def note(verdict: Verdict, needed: int | None) -> str:
        one = made_up()
        changed = replace(one.differences[0], verdict=verdict, needed=needed)
        return words_of(replace(one, differences=(changed,))).rows[0][-1]

    assert note("open", 999) == "about 1,000 games would decide"
    assert note("open", None) == "no number of games would decide"
    assert note("equal", None) == "equal in every game"


def test_several_markets_show_ranks_and_say_what_they_cannot_tell() -> None:
    words = words_of(across("a", "b", "c"))
    assert words.rows[0][:3] == ("a (rank 1.00)", "not told from", "b (rank 2.50)")
    assert words.notes[-1] == "2 markets cannot tell any pair apart: 7 are needed at least."
    for text in (across("a", "b", "c").to_markdown(), across("a", "b", "c").to_latex()):
        assert "rank 1.00" in text


def test_an_assumption_is_said() -> None:
    trusting = words_of(replace(made_up(), unseen=False))
    assert trusting.notes == ["Limits hold with 95 %, if the games have shown all that can happen."]


lines = st.text(st.characters(blacklist_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1)


@given(lines, lines)
def test_names_in_html_are_text(policy: str, market: str) -> None:
    page = Page(made_up(policy, "b", market)._repr_html_())
    assert {tag for tag, _ in page.tags} == {
        "div", "p", "strong", "table", "thead", "tbody", "tr", "th", "td"
    }  # fmt: skip
    assert " ".join(policy.split()) in page.text
    assert " ".join(market.split()) in page.text


@given(lines)
def test_names_in_latex_are_text(policy: str) -> None:
    text = made_up(policy).to_latex()
    row = next(line for line in text.split("\n") if "better than" in line)
    plain = re.sub(r"\\[&%$#_{}]|\\text\w+\{\}|\$-\$|\$\\leq\$", "", row)
    assert len(re.findall(r"(?<!\\)&", plain)) == 4
    assert not re.search(r"[%$#_^~{}]", plain)


@given(lines)
def test_names_in_markdown_stay_in_their_cell(policy: str) -> None:
    row = made_up(policy).to_markdown().split("\n")[4]
    assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) == 6


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("<b>x</b>", r"\<b>x\</b>"),
        ("[x](y)", r"[x\](y)"),
        ("$x$", r"\$x\$"),
        ("a_b*c", r"a\_b\*c"),
        ("&lt;", r"\&lt;"),
        ("rh-ucb(L=3)", "rh-ucb(L=3)"),
    ],
)
def test_markdown_is_escaped_where_it_must_be(name: str, written: str) -> None:
    assert f"| {written} |" in made_up(name).to_markdown()


def test_several_settings_of_one_market_have_a_column() -> None:
    one = made_up()
    later = replace(PLAYED, horizon=2000, means=(Estimate(9, 1, 0.1), Estimate(5, 1, 0.1)))
    other = Difference("b", "a", later, Interval(4.0, -1.0, 9.0), "open", 300)
    both = replace(one, played=(PLAYED, later), differences=(*one.differences, other))
    assert both.to_markdown().splitlines()[:6] == [
        "regret on two shops: 2 settings",
        "",
        "| policy | is | other policy | by | setting | note |",
        "| --- | --- | --- | ---: | --- | --- |",
        "| a | better than | b | 2.00 [1.50, 2.50] | T = 1,000, 100 games, seed 1 |  |",
        "| b | not told from | a | 4.0 [-1.0, 9.0] | T = 2,000, 100 games, seed 1 | "
        "about 300 games would decide |",
    ]


def test_a_ranking_says_what_it_averages() -> None:
    found = across("a", "b", "c")
    more = replace(found, played=found.played * 5)
    note = "5 settings: the means of a market are averaged over its own before it is ranked"
    assert note in more.to_markdown()
    assert note not in found.to_markdown()
