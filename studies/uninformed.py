"""Which policies pay an agent who knows only a prior for copies.

One agent, ann, has m arms whose means are drawn from one prior; her rivals have one arm each, of a
known mean. Two questions for every policy and market, each answered by ``audit``, in expectation
over the draw and with limits that hold together:

- Do copies gain over *registering every arm once*? Tried are 2 and 5 copies of one arm and of all.
- Do copies gain over *the best strategy without copies*? To hide some arms is a strategy, too: with
  a strong rival and many arms, to stake all on a few of them may be better than to show them all,
  and copies of one arm may gain no more than that. The best number of arms is chosen with games of
  another seed; copies are then tried of so many arms, and of all.

Only if the answer to the second question is yes does a policy pay for copies that nothing honest
can replace. Markets in which it does are looked for by a random search over priors, numbers of
arms, rivals and horizons (``search``): the market and strategy of the clearest gain is audited
anew, with another seed, so that the selection does not count as evidence.

What is asked depends on what was found, the best strategy without copies and the clearest gain, so
that this is no study file; all games and audits are cells of a study's folder all the same, and
what is there is not played again. Writes ``uninformed.json`` and ``uninformed.md``.
"""

import argparse
import json
import math
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from copyproof import (
    Agent,
    BetaPrior,
    Case,
    ListPrior,
    Market,
    Study,
    UniformPrior,
    parse_policy,
)
from copyproof._files import write_atomically
from copyproof.game import Prior, Strategy
from copyproof.simulation import rules_digest
from runs import CELLS, RESULTS, games_of, records

POLICIES = (
    "ucb1", "fair(ucb1)", "h-ucb", "rh-ucb", "h-thompson", "h-etc", "trial",
    "trial-anytime", "rh-kl-ucb",
)  # fmt: skip
COUNTS = (2, 5)


@dataclass(frozen=True)
class Uninformed:
    """A market of one uninformed agent, and a horizon."""

    name: str
    prior: Prior
    arms: int
    rivals: tuple[float, ...]
    horizon: int

    @property
    def market(self) -> Market:
        """Ann, with every arm registered once, and her rivals."""
        rivals = [Agent(f"rival {k}", [mean]) for k, mean in enumerate(self.rivals, start=1)]
        return Market([Agent("ann", [self.prior] * self.arms), *rivals])

    def shown(self, number: int, count: int = 1, first: int = 1) -> Strategy:
        """So many arms, each ``count`` times, the first one ``first`` times that."""
        return (count * first, *[count] * (number - 1), *[0] * (self.arms - number))

    @property
    def numbers(self) -> list[int]:
        """How many arms ann may show; which of them does not matter, as their priors are equal."""
        return sorted({1, 2, math.ceil(self.arms / 2), self.arms})

    @property
    def plain(self) -> list[Strategy]:
        """Strategies without copies."""
        return [self.shown(number) for number in self.numbers]

    def copying(self, numbers: Sequence[int]) -> list[Strategy]:
        """Strategies with copies, of so many arms."""
        found = [
            strategy
            for number in numbers
            for count in COUNTS
            for strategy in (self.shown(number, count), self.shown(number, first=count))
        ]
        return list(dict.fromkeys(found))


MARKETS = (
    Uninformed("2 arms, 0 or 1; alone", ListPrior([0, 1]), 2, (), 7),
    Uninformed("2 arms, Beta(0.1, 0.1); 0.5", BetaPrior(0.1, 0.1), 2, (0.5,), 300),
    Uninformed("2 arms, 0.1 or 0.9; 0.7", ListPrior([0.1, 0.9]), 2, (0.7,), 300),
    Uninformed("2 arms, 0 or 0.2; 0.8", ListPrior([0, 0.2]), 2, (0.8,), 1000),
    Uninformed("3 arms, uniform; 0.7, 0.6, 0.5", UniformPrior(0, 1), 3, (0.7, 0.6, 0.5), 400),
    Uninformed("6 arms, 0 or 1; 0.9", ListPrior([0, 1]), 6, (0.9,), 120),
    Uninformed("10 arms, 0.9 (1 in 10) or 0.1; 0.5", ListPrior([0.9] + [0.1] * 9), 10, (0.5,), 400),
    # Where a climb ended that looked for the largest gain under `trial` (uninformed_climb.py).
    Uninformed(
        "4 arms, 0.94 (1 in 12) or 0.11; 0.97", ListPrior([0.94] + [0.11] * 11), 4, (0.97,), 450
    ),
)


def random_markets(seed: int, count: int) -> Iterator[Uninformed]:
    """Markets of the search: wide priors, 2 to 10 arms, weak and strong rivals, T to 400."""
    rng = random.Random(seed)
    priors: dict[str, Prior] = {
        "Beta(0.1, 0.1)": BetaPrior(0.1, 0.1),
        "uniform": UniformPrior(0, 1),
        "0 or 1": ListPrior([0, 1]),
        "0.1 or 0.9": ListPrior([0.1, 0.9]),
        "0.5 or 1": ListPrior([0.5, 1]),
        "0 or 0.6": ListPrior([0, 0.6]),
        "0 or 0.3": ListPrior([0, 0.3]),
        "one in ten 1, else 0": ListPrior([1] + [0] * 9),
        "one in five 0.9, else 0.1": ListPrior([0.9] + [0.1] * 4),
        "four in five 0.9, else 0.1": ListPrior([0.9] * 4 + [0.1]),
    }
    rivals = ((), (0.3,), (0.5,), (0.7,), (0.9,), (0.5, 0.5), (0.8, 0.8, 0.8, 0.8))
    for _ in range(count):
        words = rng.choice(list(priors))
        arms, horizon = rng.choice([2, 2, 3, 4, 6, 10]), rng.choice([7, 12, 20, 50, 120, 400])
        others = rng.choice(rivals)
        name = f"{arms} arms, {words}; {', '.join(map(str, others)) or 'alone'}; T = {horizon}"
        yield Uninformed(name, priors[words], arms, others, horizon)


def ask(
    policies: Sequence[str], cases: Sequence[Uninformed], budget: int, folder: Path
) -> list[dict[str, Any]]:
    """Both questions of every policy and market; cells are kept in ``folder``."""
    asked = [(policy, case) for policy in policies for case in cases]
    best = _best_plain(asked, budget // 4, folder)
    questions = []
    for policy, case in asked:
        every, plain = case.shown(case.arms), best[policy, case]
        of_all, of_best = case.copying([case.arms]), case.copying([sum(plain), case.arms])
        questions.append(_audit(policy, case, every, of_all, budget, seed=1))
        questions.append(_audit(policy, case, plain, of_best, budget, seed=3))
    answers = _answers(questions, folder)
    return [
        _line(policy, case, budget) | {"every": every, "best": found}
        for (policy, case), every, found in zip(asked, answers[::2], answers[1::2], strict=True)
    ]


def _line(policy: str, case: Uninformed, budget: int) -> dict[str, Any]:
    rules = rules_digest(MARKETS[0].market, policy, MARKETS[0].horizon)
    asked = {"market": case.name, "T": case.horizon, "budget": budget}
    return {"policy": policy, "rules": rules, **asked}


def _best_plain(
    asked: Sequence[tuple[str, Uninformed]], budget: int, folder: Path
) -> dict[tuple[str, Uninformed], Strategy]:
    """The strategies without copies that earn most, as games of a seed of their own show it."""
    played, owners = [], []
    for policy, case in asked:
        games = max(50, budget // (case.horizon * len(case.plain)))
        for copies in case.plain:
            played.append(_games(policy, case, copies, games, seed=2))
            owners.append(((policy, case), copies))
    earned: dict[tuple[str, Uninformed], dict[Strategy, float]] = {}
    rows = _rows(Study(None, played, measure=["revenue"]), folder)
    for (owner, copies), row in zip(owners, rows, strict=True):
        earned.setdefault(owner, {})[copies] = row["revenue_mean"][0]
    return {owner: max(found, key=found.__getitem__) for owner, found in earned.items()}


def search(
    policies: Sequence[str], cases: Sequence[Uninformed], budget: int, folder: Path
) -> list[dict[str, Any]]:
    """Each policy's clearest gain over the best strategy without copies, audited anew."""
    found = [_clearest(policy, cases, budget, folder) for policy in policies]
    questions = [
        _audit(policy, case, best, [copies], budget, seed=5)
        for policy, (case, best, copies) in zip(policies, found, strict=True)
    ]
    answers = _answers(questions, folder)
    return [
        _line(policy, case, budget) | {"best": answer}
        for policy, (case, _, _), answer in zip(policies, found, answers, strict=True)
    ]


def _clearest(
    policy: str, cases: Sequence[Uninformed], budget: int, folder: Path
) -> tuple[Uninformed, Strategy, Strategy]:
    """The market and the copies whose gain is largest in standard errors."""
    tried = [(case, copies) for case in cases for copies in case.plain]
    tried += [(case, copies) for case in cases for copies in case.copying(case.numbers)]
    played = [
        _games(policy, case, copies, _searched(case, budget), seed=4) for case, copies in tried
    ]
    # For gains with the same luck: the differences of single games count.
    study = Study(None, played, measure=["revenue"], arrays=True, checkpoints=1)
    cells = {one: row["cell"] for one, row in zip(tried, _rows(study, folder), strict=True)}
    found: list[tuple[float, Uninformed, Strategy, Strategy]] = []
    for case in cases:
        known = {one: games_of(cells[case, one], folder).revenue[:, 0] for one in case.plain}
        best = max(known, key=lambda one: known[one].mean())
        for copies in case.copying(case.numbers):
            gain = games_of(cells[case, copies], folder).revenue[:, 0] - known[best]
            error = float(gain.std(ddof=1)) / math.sqrt(len(gain))
            if error > 0:
                found.append((float(gain.mean()) / error, case, best, copies))
    return max(found, key=lambda one: one[0])[1:]


def _searched(case: Uninformed, budget: int) -> int:
    return min(2000, max(60, budget // (20 * case.horizon)))


def _games(policy: str, case: Uninformed, copies: Strategy, games: int, *, seed: int) -> Case:
    market = case.market.with_strategy("ann", copies)
    return Case(f"{case.name}: {policy}, {copies}", market, case.horizon, games, seed, policy)


def _audit(
    policy: str,
    case: Uninformed,
    reference: Strategy,
    deviations: Sequence[Strategy],
    budget: int,
    *,
    seed: int,
) -> Case:
    options = {
        "agent": "ann",
        "reference": list(reference),
        "deviations": [list(one) for one in deviations if one != reference],
        "budget": budget,
        "method": "sampling",
    }
    name, games = f"{case.name}: {policy}, {reference}, {seed}", max(1, budget // case.horizon)
    return Case(name, case.market, case.horizon, games, seed, policy, options)


def _answers(questions: Sequence[Case], folder: Path) -> list[dict[str, Any]]:
    rows = _rows(Study(None, questions, measure=["audit"]), folder)
    return [
        _answer(question.audit["reference"], row)
        for question, row in zip(questions, rows, strict=True)
        if question.audit is not None
    ]


def _rows(study: Study, folder: Path) -> list[dict[str, Any]]:
    frame = study.run(folder, progress=sys.stderr.isatty()).frame()
    if study.failures:
        raise SystemExit(study.failures[0])
    return records(frame)


def _answer(reference: Sequence[int], row: Mapping[str, Any]) -> dict[str, Any]:
    """What one audit has found, from its row."""
    copies = row["audit_copies"][0].tolist()
    tried = {tuple(one["copies"]): one for one in row["audit_deviations"] if one["copying"]}
    best = tried[tuple(copies)]
    return {
        "reference": list(reference),
        "revenue": row["audit_revenue"][0],
        "verdict": row["audit_verdict"],
        "copies": copies,
        "gain": best["gain"],
        "low": best["gain_low"],
        "high": best["gain_high"],
        "games": best["games"],
    }


def markdown(lines: Sequence[dict[str, Any]], question: str) -> str:
    """A row for each policy and a column for each market: the gain of the best copying, in %."""
    markets = list(dict.fromkeys(f"{one['market']}; T = {one['T']:,}" for one in lines))
    cells = {
        (one["policy"], f"{one['market']}; T = {one['T']:,}"): _gain(one[question]) for one in lines
    }
    rows = [["policy", *markets], ["---"] * (1 + len(markets))]
    for policy in dict.fromkeys(one["policy"] for one in lines):
        rows.append([f"`{policy}`", *(cells.get((policy, market), "") for market in markets)])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def searched_markdown(lines: Sequence[dict[str, Any]]) -> str:
    """A row for each policy: the clearest gain that the search found, audited anew."""
    rows = [["policy", "market", "without copies → with copies", "gain, %"], ["---"] * 4]
    for one in lines:
        found = one["best"]
        strategies = f"{_short(found['reference'])} → {_short(found['copies'])}"
        rows.append([f"`{one['policy']}`", one["market"], strategies, _gain(found)])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _gain(found: dict[str, Any]) -> str:
    """A gain in per cent of the revenue with its limits, bold if it is certain."""
    unit = 100 / found["revenue"]
    gain, low, high = (f"{unit * found[key]:+.1f}" for key in ("gain", "low", "high"))
    bold = "**" if found["verdict"] == "prone" else ""
    return f"{bold}{gain}{bold} [{low}, {high}]".replace("-", "−")


def _short(copies: Sequence[int]) -> str:
    """Copy counts, equal neighbours together: 10, 1 × 5."""
    parts: list[list[int]] = []
    for count in copies:
        if count == 0:
            continue
        if parts and parts[-1][0] == count:
            parts[-1][1] += 1
        else:
            parts.append([count, 1])
    return ", ".join(f"{count}" if times == 1 else f"{count} × {times}" for count, times in parts)


def main() -> None:
    """Play what is missing, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--policy", action="append", help="instead of all")
    parser.add_argument("--budget", type=int, default=10_000_000, help="rounds of an audit")
    parser.add_argument("--searched", type=int, default=10, help="random markets for each policy")
    parser.add_argument("--cells", type=Path, default=CELLS / "uninformed", help="their folder")
    parser.add_argument("--out", type=Path, default=RESULTS)
    asked = parser.parse_args()
    policies = asked.policy or POLICIES
    for text in policies:
        parse_policy(text)
    found = {"markets": ask(policies, MARKETS, asked.budget, asked.cells), "search": []}
    if asked.searched:
        cases = list(random_markets(11, asked.searched))
        found["search"] = search(policies, cases, asked.budget, asked.cells)
    _write(asked.out / "uninformed.json", found)


def _write(path: Path, known: dict[str, list[dict[str, Any]]]) -> None:
    write_atomically(path, (json.dumps(known, indent=1) + "\n").encode())
    tables = []
    if known["markets"]:
        tables += ["Over every arm once:\n", markdown(known["markets"], "every")]
        tables += ["Over the best strategy without copies:\n", markdown(known["markets"], "best")]
    if known["search"]:
        tables += ["Searched:\n", searched_markdown(known["search"])]
    write_atomically(path.with_suffix(".md"), "\n".join(tables).encode())


if __name__ == "__main__":
    main()
