"""AlpacaEval's leaderboard as a market: models are arms, labs are owners, a win is the reward.

A model's answers to 805 instructions were compared with those of GPT-4 Turbo, and a judge named the
better one. A principal that sends every question to one model, and is told whether the answer won,
plays a bandit whose arms are the models. A draw counts as half a win.
"""

import csv
from dataclasses import dataclass
from pathlib import Path

from copyproof.game import Agent, Market
from copyproof.real_data.labs import lab_of
from copyproof.real_data.posteriors import posteriors
from copyproof.validation import FieldError


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of the leaderboard."""

    model: str
    lab: str
    wins: float
    battles: int


def read_leaderboard(folder: Path) -> list[Entry]:
    """The rows of ``leaderboard.csv``, with their labs.

    Raises
    ------
    FieldError
        If a model has no lab in the table of labs.
    """
    labs = lab_of()
    entries = []
    with (folder / "leaderboard.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            model = row[""]
            if model not in labs:
                raise FieldError("model", model, "in the table of labs")
            wins = float(row["n_wins"]) + float(row["n_draws"]) / 2
            entries.append(Entry(model, labs[model], wins, int(row["n_total"])))
    return entries


def leaderboard_market(entries: list[Entry]) -> Market:
    """The market: a lab's models from the best to the worst, their means known as posteriors.

    Examples
    --------
    >>> board = [Entry("a", "x", 5, 10), Entry("b", "x", 9, 10), Entry("c", "y", 2, 10)]
    >>> [(agent.name, len(agent.arms)) for agent in leaderboard_market(board).agents]
    [('x', 2), ('y', 1)]
    """
    known = posteriors([one.wins for one in entries], [one.battles for one in entries])
    labs = sorted({entry.lab for entry in entries})
    return Market([Agent(lab, [known[k] for k in _ranked(entries, lab)]) for lab in labs])


def models_of(entries: list[Entry], lab: str) -> list[str]:
    """The models of a lab, in the order of its arms.

    Examples
    --------
    >>> models_of([Entry("a", "x", 5, 10), Entry("b", "x", 9, 10), Entry("c", "y", 2, 10)], "x")
    ['b', 'a']
    """
    return [entries[k].model for k in _ranked(entries, lab)]


def _ranked(entries: list[Entry], lab: str) -> list[int]:
    own = [k for k, entry in enumerate(entries) if entry.lab == lab]
    return sorted(own, key=lambda k: (-entries[k].wins / entries[k].battles, k))
