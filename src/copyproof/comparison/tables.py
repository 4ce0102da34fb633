r"""A comparison as a table: in Markdown, in LaTeX and in notebooks.

On one market a row is a pair, with the difference and its limits. On several markets a row is a
pair, too, with the markets on which it is decided, and the p-value across them; the limits on every
market are in the data frame.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from copyproof.auditing.result import rounded_up
from copyproof.comparison.result import Comparison, Difference, Played, Verdict
from copyproof.plots.numbers import limits

# What Markdown may read as something else than text.
_MARKDOWN = re.compile(r"([\\`*_|$~]|<(?=[A-Za-z/!?])|\](?=[(\[:])|&(?=[#\w]))")
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "−": "$-$",
    "≤": r"$\leq$",
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
}
_MINUS = re.compile(r"(?<![\w.])-(?=\d)")
_VERDICTS: dict[Verdict, str] = {
    "better": "better than",
    "equal": "equal to",
    "open": "not told from",
}
# Of its columns, those that hold numbers stand on the right.
_NUMBERS = ("by", "p-value", "ahead on", "behind on", "surely ahead", "surely behind")


@dataclass(frozen=True, slots=True)
class Words:
    """A comparison in words: a title, a table and notes."""

    title: str
    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    notes: Sequence[str]


def words_of(comparison: Comparison) -> Words:
    """What all forms of the table say.

    Examples
    --------
    >>> from copyproof import compare, paper_market, simulate
    >>> market, size = paper_market("2a"), {"horizon": 100, "repetitions": 10, "seed": 1}
    >>> found = compare([simulate(market, policy, **size) for policy in ("ucb1", "h-ucb")])
    >>> words_of(found).title
    'regret on paper:2a: T = 100, 10 games, seed 1'
    """
    if comparison.ranking is not None:
        return _across_markets(comparison)
    several = len(comparison.played) > 1
    rows = [
        (
            one.policy,
            _VERDICTS[one.verdict],
            one.against,
            limits(one.by),
            *([setting_of(one.played)] if several else []),
            remark(one),
        )
        for one in in_order(comparison)
    ]
    played = comparison.played[0]
    size = f"{len(comparison.played):,} settings" if several else setting_of(played)
    return Words(
        f"{comparison.measured} on {played.market}: {size}",
        ("policy", "is", "other policy", "by", *(["setting"] if several else []), "note"),
        rows,
        [capital(_limits_note(comparison))],
    )


def setting_of(played: Played) -> str:
    """How games were played.

    Examples
    --------
    >>> setting_of(Played("two shops", seed=1, horizon=1000, games=100, means=()))
    'T = 1,000, 100 games, seed 1'
    """
    games = f"{played.games:,} game{'s' * (played.games != 1)}"
    return f"T = {played.horizon:,}, {games}, seed {played.seed}"


def in_order(comparison: Comparison) -> list[Difference]:
    """The differences on one market: setting by setting, the best policies first."""

    def place(one: Difference) -> tuple[float, ...]:
        means = [
            one.played.means[comparison.policies.index(name)].mean
            for name in (one.policy, one.against)
        ]
        return tuple(-mean if comparison.measure == "revenue" else mean for mean in means)

    settings: dict[tuple[str, int, int], list[Difference]] = {}
    for one in comparison.differences:
        settings.setdefault(key_of(one.played), []).append(one)
    return [one for own in settings.values() for one in sorted(own, key=place)]


def key_of(played: Played) -> tuple[str, int, int]:
    """What tells a setting from the others of a comparison."""
    return played.market, played.horizon, played.seed


def remark(difference: Difference) -> str:
    """What would decide a difference that is open.

    Examples
    --------
    >>> from copyproof.comparison import Played
    >>> from copyproof.simulation import Interval
    >>> played = Played("two shops", 1, 1000, 100, ())
    >>> remark(Difference("a", "b", played, Interval(0.5, -0.2, 1.2), "open", 1234))
    'about 1,300 games would decide'
    """
    if difference.verdict == "equal":
        return "equal in every game"
    if difference.verdict == "better":
        return ""
    if difference.needed is None:
        return "no number of games would decide"
    return f"about {rounded_up(difference.needed):,} games would decide"


def _across_markets(comparison: Comparison) -> Words:
    found = comparison.ranking
    assert found is not None
    ranks = dict(zip(found.policies, found.ranks, strict=True))
    rows = []
    for pair in found.pairs:
        own = [
            one
            for one in comparison.differences
            if {one.policy, one.against} == {pair.policy, pair.against}
        ]
        sure = [one.policy for one in own if one.verdict == "better"]
        surely = (sure.count(pair.policy), sure.count(pair.against))
        names = (f"{name} (rank {ranks[name]:.2f})" for name in (pair.policy, pair.against))
        policy, against = names
        verdict = _VERDICTS["better" if pair.told_apart else "open"]
        counts = (pair.ahead, pair.behind, *surely)
        rows.append((policy, verdict, against, _p_value(pair.p_value), *map(str, counts)))
    head = ("policy", "is", "other policy", *_NUMBERS[1:])
    notes = [
        f"Average ranks over {found.markets:,} markets; p-values of Wilcoxon's signed-rank test"
        + (f", corrected by Holm for {pairs:,} pairs." if (pairs := len(found.pairs)) > 1 else "."),
        "Ahead and behind on so many markets; surely where the limits leave 0 out: "
        + _limits_note(comparison),
    ]
    if len(comparison.played) > found.markets:
        notes.append(
            f"{len(comparison.played):,} settings: the means of a market are averaged over its own "
            "before it is ranked; surely counts settings."
        )
    if found.markets < found.markets_needed:
        notes.append(
            f"{found.markets:,} markets cannot tell any pair apart: {found.markets_needed:,} are "
            "needed at least."
        )
    return Words(f"{comparison.measured} on {found.markets:,} markets", head, rows, notes)


def _limits_note(comparison: Comparison) -> str:
    rare = (
        "with an allowance for what no game has shown"
        if comparison.unseen
        else "if the games have shown all that can happen"
    )
    count = len(comparison.differences)
    hold = "limits hold" if count == 1 else f"limits of all {count:,} differences hold together"
    return f"{hold} with {100 * comparison.confidence:g} %, {rare}."


def capital(text: str) -> str:
    """The text with a capital at its beginning."""
    return text[:1].upper() + text[1:]


def _p_value(p: float) -> str:
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}"


def markdown(comparison: Comparison) -> str:
    """The table in Markdown, with its title and notes."""
    words = words_of(comparison)
    sides = ["---:" if name in _NUMBERS else "---" for name in words.head]
    lines = [words.head, sides, *([_in_markdown(cell) for cell in row] for row in words.rows)]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    notes = "\n".join(_in_markdown(note) for note in words.notes)
    return f"{_in_markdown(words.title)}\n\n{table}\n\n{notes}\n"


def _in_markdown(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", text)


def latex(comparison: Comparison) -> str:
    """The table in LaTeX, its title and notes as comments."""
    words = words_of(comparison)
    sides = "".join("r" if name in _NUMBERS else "l" for name in words.head)
    rows = [r" & ".join(map(_in_latex, row)) + r" \\" for row in (words.head, *words.rows)]
    comments = [f"% {line}" for line in (words.title, *words.notes)]
    return "\n".join(
        [
            *comments,
            rf"\begin{{tabular}}{{{sides}}}",
            r"\toprule",
            rows[0],
            r"\midrule",
            *rows[1:],
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def _in_latex(text: str) -> str:
    plain = _MINUS.sub("−", text)
    return "".join(_LATEX.get(letter, letter) for letter in plain)


def html(comparison: Comparison) -> str:
    """What a notebook shows."""
    from copyproof.pages import notebook_table

    words = words_of(comparison)
    other = [name for name in words.head if name not in _NUMBERS]
    return notebook_table(words.head, words.rows, title=words.title, notes=words.notes, words=other)
