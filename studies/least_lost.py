"""The games that any policy must lose which plays truthful agents as often as the default does.

    copyproof study run studies/least_lost.toml --out out/studies/least_lost
    python studies/least_lost.py [--cells FOLDER] [--out FOLDER]

Theorem A′ with rates (``copyproof.theory.information``): let the best agent have few good arms
among bad ones, and let a policy that does not pay for copies play it N times in expectation on the
*truthful sibling* of the market, where that agent registers its best bad arm alone. Then a share
z(x, ρN) of the games is lost at least, x the probability that it has at most T/20 plays there. N
and x are those of ``default`` (means over games, so that the bound is as exact as they are). If its
plays were spent in the best way, it could lose no fewer games; what it loses beyond that is what a
better search could still save.

- *truthful*: the paper's five means; each of the first four has, in turn, 10 arms of 0.95 in 210;
- *judged*: the held-out markets of ``mixed.py`` on which the targets speak, with one best agent
  that registers bad arms, too.

Where bad arms differ the theorem takes a policy of the pathwise theorem, which the default is.

Writes ``least_lost.csv``, a row for each market, and ``least_lost.md``.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from copyproof import Agent, Market, Result
from copyproof._files import write_atomically
from copyproof.simulation import LostGames
from copyproof.theory import (
    best_agents,
    information_rate,
    information_rate_at_share,
    least_probability,
    registered_best,
    share_of_best,
)
from markets import BEST, Case, agents
from mixed import held_out_mixed, judged
from runs import games_of, records, study_parser, table_of

HORIZON, GAMES, GOOD, ARMS, BETTER = 100_000, 50, 10, 210, 0.95
ROUNDS = 1_000_000
"""About as many rounds of a judged market in all: 1 to 100 games, and as many of its sibling."""
SHOWN = 0.001
"""Markets of a smaller least share are in the file, and not in the table."""


@dataclass(frozen=True)
class LeastLost:
    """A market: share of good arms, distance of means, plays where truthful, games lost.

    ``least`` is for the market's own number of arms. ``many`` is for the same shares of very many
    arms, where the theorem says more; it takes bad arms of one kind.
    """

    market: str
    kind: str
    horizon: int
    c: float
    delta: float
    rate: float
    plays: float
    usual: float
    least: float
    many: float | None
    lost: int
    games: int


def truthful_in_turn() -> list[Case]:
    """Five agents with one arm each, but for one, who has few better ones among many such."""
    found = []
    for place, mean in enumerate(BEST[:-1]):
        rows = [([one], [1]) for one in BEST]
        rows[place] = ([BETTER, mean], [GOOD, ARMS - GOOD])
        name = f"truthful but for the {mean}-agent"
        found.append(Case(name, "truthful", agents(rows), HORIZON, GAMES))
    return found


def judged_copying() -> list[Case]:
    """Held-out markets that are judged, whose one best agent registers bad arms besides."""
    return [
        replace(case, repetitions=min(100, max(1, ROUNDS // case.horizon)))
        for case in held_out_mixed()
        if judged(case) and bad_arms(case.market)
    ]


def bad_arms(market: Market) -> list[tuple[float, int]]:
    """Mean and number of the bad arms of the one best agent; none if there are several."""
    owners = best_agents(market)
    if len(owners) > 1:
        return []
    (owner,) = owners
    registered = zip(owner.arms, owner.copies, strict=True)
    return [(arm.mean, n) for arm, n in registered if n and arm.mean < market.best_mean]


def sibling(market: Market) -> Market:
    """The same market, in which the best agent registers its best bad arm alone."""
    (owner,) = best_agents(market)
    alone = Agent(owner.name, [max(mean for mean, _ in bad_arms(market))])
    return Market([alone if agent is owner else agent for agent in market.agents])


def cases() -> list[Case]:
    """All markets."""
    return [*truthful_in_turn(), *judged_copying()]


def siblings() -> list[Case]:
    """The siblings of all markets, by the same names."""
    return [replace(case, market=sibling(case.market)) for case in cases()]


def _sized(case: Case, row: Mapping[str, Any]) -> Case:
    return replace(case, horizon=row["horizon"], repetitions=row["repetitions"])


def least_lost(case: Case, alone: Result, played: Mapping[str, Any]) -> LeastLost:
    """One market, from the games of its sibling and its own row."""
    market, horizon = case.market, case.horizon
    (owner,) = best_agents(market)
    bad, good = bad_arms(market), market.best_mean
    rate = information_rate(good, bad, registered_best(owner))
    plays = alone.plays[:, market.agents.index(owner)]
    mean, usual = float(plays.mean()), float((20 * plays <= horizon).mean())
    return LeastLost(
        market=case.name,
        kind="truthful" if case.kind == "truthful" else "judged",
        horizon=horizon,
        c=float(share_of_best(owner)),
        delta=good - max(one for one, _ in bad),
        rate=rate,
        plays=mean,
        usual=usual,
        least=least_probability(usual, rate * mean),
        many=_of_many(usual, mean, good, bad, float(share_of_best(owner))),
        lost=played["lost_count"],
        games=case.repetitions,
    )


def _of_many(
    usual: float, plays: float, good: float, bad: Sequence[tuple[float, int]], c: float
) -> float | None:
    if len(bad) > 1:
        return None
    return least_probability(usual, plays * information_rate_at_share(good, bad[0][0], c))


def as_csv(rows: Sequence[LeastLost]) -> str:
    """One line for each market."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(field.name for field in fields(LeastLost))
    for row in rows:
        values = asdict(row).values()
        writer.writerow(f"{value:.6g}" if isinstance(value, float) else value for value in values)
    return text.getvalue()


def as_markdown(rows: Sequence[LeastLost]) -> str:
    """What must be lost and what is, over all judged markets, and where it is most."""
    text = ["| markets | | least lost | lost |", "|---|---:|---:|---:|"]
    for kind in dict.fromkeys(row.kind for row in rows):
        of_kind = [row for row in rows if row.kind == kind]
        games = LostGames(sum(row.lost for row in of_kind), sum(row.games for row in of_kind))
        least = sum(row.least * row.games for row in of_kind) / games.games
        text.append(
            f"| {kind} | {len(of_kind)} | {100 * least:.2f} % | {100 * games.share:.2f} % |"
        )
    text += [
        "",
        "| market | T | c | δ | N | least lost | of many arms | lost |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in sorted(rows, key=lambda row: (row.kind != "truthful", -row.least)):
        if row.least >= SHOWN or row.kind == "truthful":
            many = "" if row.many is None else f"{100 * row.many:.1f} %"
            text.append(
                f"| {row.market} | {row.horizon:,} | 1/{1 / row.c:.0f} | {row.delta:.2g} | "
                f"{row.plays:,.0f} | {100 * row.least:.1f} % | {many} | "
                f"{100 * row.lost / row.games:.1f} % of {row.games} |"
            )
    return "\n".join(text) + "\n"


def main() -> None:
    options = study_parser(__doc__).parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    folder = options.cells / "least_lost"
    by_part = {
        name: {row["market"]: row for row in records(part)}
        for name, part in table_of(folder).groupby("part")
    }
    alone, played = by_part["siblings"], by_part["markets"]
    rows = [
        least_lost(_sized(case, row), games_of(alone[case.name]["cell"], folder), row)
        for case in cases()
        if (row := played.get(case.name)) is not None
    ]
    write_atomically(options.out / "least_lost.csv", as_csv(rows).encode())
    (options.out / "least_lost.md").write_text(as_markdown(rows))
    print(as_markdown(rows))


if __name__ == "__main__":
    main()
