"""How often the default misses the best agent, where it has bad arms, too.

    copyproof study run studies/missed.toml --out out/studies/missed [--device cuda]
    python studies/missed.py [--cells FOLDER] [--out FOLDER]

- *Honest pairs*: agent A registers an arm of mean p and one of mean q, agent B an arm of mean b.
  Every arm is a Bernoulli arm or always pays its mean. p − b is 0.1 or more, q at most 0.99 b.
- *Few good arms*: A registers 10 arms of mean 0.9 and 200 of a smaller mean, B an arm of mean 0.8.

A game is missed (*lost*) if its last tenth costs at least half the gap p − b a round. Beside the
second table stands what theorem A′ with rates says that any policy must miss which plays the
truthful sibling as often as the default does (``least_lost.py``).

Writes ``missed.csv``, ``missed.md``, and ``frontier.md`` on what other values of ``lost`` cost.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from statistics import fmean
from typing import Any

from copyproof import Agent, Bernoulli, Empirical, Market, paper_market
from copyproof.game import Arm
from copyproof.policy import Trial
from copyproof.simulation import LostGames
from least_lost import least_lost, sibling
from markets import Case
from runs import Row, games_of, records, rows_of, study_parser, table_of, write

BEST = (0.2, 0.35, 0.5, 0.65, 0.8, 0.95)
GAPS = (0.1, 0.2, 0.4)
SECOND = (0.0, 0.5, 0.8, 0.9, 0.99)
"""The mean of A's second arm, as a share of the rival's."""
BAD = (0.0, 0.1, 0.2, 0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7)
FAMILIES: dict[str, Callable[[float], Arm]] = {
    "Bernoulli": Bernoulli,
    "constant": lambda mean: Empirical([mean]),
}
CONSTANT_HORIZON = 100_000
POLICIES = ("default", "h-ucb")
TRUTHFUL = "frontier: five truthful agents"
FRONTIER = ("bad arms of 0.3", "bad arms of 0.4", "bad arms of 0.5")
LOST = (0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)


def honest_pairs(horizon: int, games: int) -> list[Case]:
    """All honest pairs, each arm of either family."""
    cases = []
    for p in BEST:
        for b in (round(p - gap, 6) for gap in GAPS if p - gap > 0.04):
            for q in sorted({round(share * b, 6) for share in SECOND}):
                cases += _of_families(p, q, b, horizon, games)
    return cases


def _of_families(p: float, q: float, b: float, horizon: int, games: int) -> list[Case]:
    """Constant arms have a fifth of the games, and shorter ones: a GPU launches them one by one."""
    cases = []
    for names in product(FAMILIES, repeat=3):
        if horizon > CONSTANT_HORIZON and "constant" in names:
            continue
        best, second, rival = (FAMILIES[name] for name in names)
        market = Market([Agent("A", [best(p), second(q)]), Agent("B", [rival(b)])])
        name = f"pair {names[0]} {p:g}, {names[1]} {q:g} against {names[2]} {b:g}"
        count = games if set(names) == {"Bernoulli"} else games // 5
        cases.append(Case(name, f"p = {p:g}", market, horizon, count))
    return cases


def few_good(horizon: int, games: int) -> list[Case]:
    """Ten good arms among two hundred bad ones."""
    return [
        Case(
            f"bad arms of {bad:g}",
            "bad",
            Market([Agent("A", [0.9, bad], copies=[10, 200]), Agent("B", [0.8])]),
            horizon,
            games,
        )
        for bad in BAD
    ]


def frontier(horizon: int, games: int) -> list[Case]:
    """What a choice of ``lost`` costs truthful agents, and what it saves."""
    truthful = Case(TRUTHFUL, "truthful", paper_market("1a").honest(), horizon, games)
    few = [case for case in few_good(horizon, games) if case.name in FRONTIER]
    return [truthful, *(replace(case, name=f"frontier: {case.name}") for case in few)]


def few_good_siblings(horizon: int, games: int) -> list[Case]:
    """The same, in which A registers one bad arm alone."""
    return [
        Case(case.name, case.kind, sibling(case.market), horizon, games)
        for case in few_good(horizon, games)
    ]


def pairs_table(rows: Sequence[Row], policies: Sequence[str]) -> list[str]:
    """Markets, games and missed shares of pairs; of the first policy by the mean p, too."""
    text = [
        "| T | policy | p | markets | games | missed | worst market |",
        "|---:|---|---:|---:|---:|---:|---|",
    ]
    horizon = f"{int(rows[0]['horizon']):,}"
    for policy in policies:
        of_policy = [row for row in rows if row["variant"] == policy]
        kinds = list(dict.fromkeys(row["kind"] for row in of_policy))
        for kind in [*(kinds if policy == policies[0] else []), "all"]:
            chosen = [row for row in of_policy if kind in (row["kind"], "all")]
            missed = 100 * fmean(_missed(row) for row in chosen)
            games = sum(int(row["repetitions"]) for row in chosen)
            text.append(
                f"| {horizon} | {policy} | {kind.removeprefix('p = ')} | {len(chosen)} | "
                f"{games:,} | {missed:.3f} % | {_worst(chosen)} |"
            )
    return text


def _worst(rows: Sequence[Row]) -> str:
    worst = max(rows, key=_missed)
    if _missed(worst) == 0.0:
        return "none missed"
    return f"{100 * _missed(worst):.2f} %: {worst['market'].removeprefix('pair ')}"


def _missed(row: Row) -> float:
    return int(row["lost"]) / int(row["repetitions"])


def bad_table(short: Sequence[Row], long: Sequence[Row], least: dict[str, float]) -> list[str]:
    """Missed shares by the mean of the bad arms."""
    text = [
        "| bad arms | T = 10⁵ | 95 % interval | least possible | T = 10⁶ | H-UCB, 10⁵ |",
        "|---:|---:|---|---:|---:|---:|",
    ]
    of = {(row["market"], row["variant"]): row for row in short}
    later = {row["market"]: row for row in long}
    for case in few_good(1, 1):
        ours, theirs = of[case.name, "default"], of[case.name, "h-ucb"]
        interval = LostGames(int(ours["lost"]), int(ours["repetitions"])).interval
        low, high = 100 * interval.low, 100 * interval.high
        text.append(
            f"| {case.name.removeprefix('bad arms of ')} | {100 * _missed(ours):.1f} % | "
            f"[{low:.1f}, {high:.1f}] % | {100 * least[case.name]:.1f} % | "
            f"{100 * _missed(later[case.name]):.1f} % | {100 * _missed(theirs):.1f} % |"
        )
    return text


def frontier_table(rows: Sequence[Row]) -> list[str]:
    """For every ``lost``: q, regret with truthful agents, over H-UCB's, and missed shares."""
    of = {(row["market"], row["variant"]): row for row in rows}
    rival = float(of[TRUTHFUL, "h-ucb"]["regret"])
    heads = " | ".join(f"missed, {name}" for name in FRONTIER)
    text = [
        f"| lost | q | truthful | of H-UCB's | {heads} |",
        "|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for lost in LOST:
        name = f"trial(lost={lost:g})"
        regret = float(of[TRUTHFUL, name]["regret"])
        missed = " | ".join(
            f"{100 * _missed(of[f'frontier: {bad}', name]):.1f} %" for bad in FRONTIER
        )
        q, ratio = Trial(lost=lost).in_turn, regret / rival
        text.append(f"| {lost:g} | {q} | {regret:.0f} | {ratio:.2f} | {missed} |")
    return text


def _least(siblings: Any, played: dict[str, dict[str, Any]], folder: Any) -> dict[str, float]:
    """What must be missed with the default's plays, by market."""
    alone = {row["market"]: row for row in records(siblings)}
    return {
        case.name: least_lost(
            case, games_of(alone[case.name]["cell"], folder), played[case.name]
        ).least
        for case in few_good(100_000, 1000)
    }


def main() -> None:
    options = study_parser(__doc__).parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    folder = options.cells / "missed"
    parts = dict(list(table_of(folder).groupby("part")))
    pairs = [
        rows_of(parts[name], honest_pairs(horizon, 1), POLICIES)
        for name, horizon in (("pairs", 100_000), ("pairs, long", 1_000_000))
    ]
    short = rows_of(parts["bad"], few_good(100_000, 1), POLICIES)
    long = rows_of(parts["bad, long"], few_good(1_000_000, 1), POLICIES)
    by_default = parts["bad"][parts["bad"]["policy"] == "default"]
    played = {row["market"]: row for row in records(by_default)}
    least = _least(parts["siblings"], played, folder)
    points = [f"trial(lost={lost:g})" for lost in LOST]
    choices = rows_of(parts["frontier"], frontier(100_000, 1), [*points, "h-ucb"])
    write(options.out / "missed.csv", [*pairs[0], *pairs[1], *short, *long, *choices])
    (options.out / "frontier.md").write_text("\n".join(frontier_table(choices)) + "\n")
    text = [*bad_table(short, long, least), "", *pairs_table(pairs[0], POLICIES), ""]
    text += pairs_table(pairs[1], POLICIES[:1])
    (options.out / "missed.md").write_text("\n".join(text) + "\n")
    print("\n".join(text))


if __name__ == "__main__":
    main()
