"""The words of the study's figures: titles, notes, captions, and what one sees."""

from collections.abc import Mapping
from types import MappingProxyType

from copyproof.paper import OURS
from copyproof.paper import Figure as Runs
from copyproof.report.looks import name_of

__all__ = ["CAPTIONS", "HEADINGS", "TITLES", "note"]

HEADINGS: Mapping[str, str] = MappingProxyType(
    {
        "fig1a": "Figure 1a",
        "fig1b": "Figure 1b",
        "fig2a": "Figure 2a",
        "fig2b": "Figure 2b",
        "fig2c": "Figure 2c",
        "markets": "One policy for all markets",
        "ablation": "Hierarchy and sampling",
        "samples": "The size of the sample",
        "growth": "Growth with the horizon",
    }
)
"""How a figure is called in running text."""

TITLES: Mapping[str, str] = MappingProxyType(
    {
        "fig1a": "Figure 1a: what the worst agent earns with copies",
        "fig1b": "Figure 1b: what the best agent earns with copies",
        "fig2a": "Figure 2a: regret with one replicator",
        "fig2b": "Figure 2b: regret with four replicators",
        "fig2c": "Figure 2c: regret with five replicators of three arms",
        "markets": "One policy for all markets: regret next to the paper's best",
        "ablation": "Hierarchy × sampling: regret without one, or both",
        "samples": "RH-UCB on figure 2c's market, by the size of its samples",
        "growth": "Regret against the horizon: growth like Tᵇ",
    }
)
"""What is written above a figure."""

CAPTIONS: Mapping[str, str] = MappingProxyType(
    {
        "fig1a": (
            "Five agents with one arm each, of means 0.5 to 0.9. The 0.5-agent registers its arm "
            "1, 100, 200, 300, 400 or 500 times; the figure shows what it earns. Where a line is "
            "level, copies buy nothing."
        ),
        "fig1b": (
            "The same five agents, and it is the 0.9-agent that copies. Where the axis is cut, no "
            "line runs, and the parts above and below the cut have scales of their own."
        ),
        "fig2a": "One arm each; the 0.5-agent registers its arm 1000 times, the others once.",
        "fig2b": "One arm each; all but the 0.9-agent register their arm 1000 times.",
        "fig2c": (
            "Three arms each: a best one, 0.2 and 0.1. The 0.5-, 0.6- and 0.7-agents register "
            "each of them 1000 times, the 0.8- and 0.9-agents 10, 100 and 100 times."
        ),
        "markets": (
            "Five markets of five agents, best means 0.5 to 0.9: without copies, with one arm each "
            "or with three (a best one, 0.2 and 0.1), and the markets of figures 2a, 2b and 2c. "
            "The paper offers H-UCB for rational agents, and RH-UCB and PRH-UCB against "
            "replicators; Grace is not told which of them it meets. Where all arms of an agent are "
            "equal, copies change nothing under any of the four, so that the first three rows are "
            "the same. The numbers at the dots are regrets. Not in the paper."
        ),
        "ablation": (
            "RH-UCB chooses an agent first (the hierarchy) and has only a sample of each agent's "
            "arms in play (the sampling). UCB1 has neither; S-UCB samples from one pool of all "
            "arms; RH-UCB on all arms has the hierarchy alone. Where an agent's arms are all "
            "equal, as on the markets of figures 2a and 2b, samples change nothing. Not in the "
            "paper."
        ),
        "samples": (
            "RH-UCB has ⌊L ln T⌋ arms of each agent in play. A small sample may hold none of the "
            "best agent's best arms, and then regret grows linearly; a large one takes longer to "
            "explore. Each dot is one repetition. Theorem 5 asks for L ≥ 1/c, shaded; the paper "
            "uses L = 3. Not in the paper."
        ),
        "growth": (
            "Games of different lengths, both axes logarithmic: a straight line is a power of T. "
            "b is fitted over the five longest horizons. Dashed lines are the theorems' bounds, "
            "where they apply and lie below the most regret there can be (T times the largest "
            "gap, grey). Not in the paper."
        ),
    }
)
"""What is written below a figure, about what was played and how to read it."""


def note(name: str, runs: Runs) -> str:
    """The small print inside a figure: length and number of the games, and what bands are.

    Examples
    --------
    >>> from copyproof.paper import Settings, play, runs_of
    >>> runs = runs_of("samples", Settings(horizon=200, repetitions=3))
    >>> len(note("samples", {key: play(run) for key, run in runs.items()}).splitlines())
    1
    """
    counts = sorted({one.repetitions for one in runs.values()}, reverse=True)
    horizons = sorted({one.horizon for one in runs.values()})
    seeds = sorted({one.seed for one in runs.values()})
    repetitions = " or ".join(f"{count:,}" for count in counts)
    length = f"T = {horizons[0]:,}" + (f" … {horizons[-1]:,}" if horizons[1:] else "")
    about = f"{length}; {repetitions} repetitions, seed {', '.join(map(str, seeds))}. Means; "
    if name == "markets":
        about += "error bars, where wider than a dot: 95 % intervals."
    else:
        around = "error bars" if name in ("ablation", "samples") else "bands"
        about += f"{around}: one standard deviation."
    if any(str(one.policy) == OURS for one in runs.values()):
        about += f"\n{name_of(OURS)} is copyproof's own policy; the others are the paper's."
    return about
