"""Lost games on mixed markets: the development part, then the part that no choice has seen.

    copyproof study run studies/lost_games.toml --out out/studies/lost_games
    copyproof study run studies/lost_games_development.toml --out out/studies/lost_games_development
    python studies/lost_games.py [--cells FOLDER] [--out FOLDER] [--part development|held-out]

``default``, ``default-anytime`` and the paper's six policies play every market of
``mixed.py`` with the same luck. ``default`` plays 100 games of a market (40 at T = 10⁵, 4 from 10⁶
on), the others of ours at most 30 at T = 10⁵, the paper's 4, and all at least one. Games lost
(``copyproof.simulation.lost``) are counted apart, over all games and on the worst market; they are
never part of a ratio. The ratio is a policy's regret over the best of the paper's on that market:
its geometric mean, the largest, and every market where it is above 1. Markets that can be decided
at all with c ≥ 1/21 are judged; the rest stand beside them.

Writes ``lost_games.csv`` and ``lost_games_development.csv`` (a row for each market and policy),
``lost_games.json`` and ``.md``.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from copyproof import parse_policy
from copyproof.policy import PAPER_POLICIES, Trial
from copyproof.policy.own_rules import SHARE
from copyproof.simulation import LostGames, gap_to_rivals
from copyproof.theory.quantities import best_agents
from markets import Case
from mixed import decidable, development_mixed, held_out_mixed, judged, share
from runs import Row, geometric_mean, rows_of, study_parser, table_of, write

OURS = ("default", "default-anytime")
PARTS: dict[str, tuple[Callable[[], list[Case]], str]] = {
    "development": (development_mixed, "lost_games_development"),
    "held-out": (held_out_mixed, "lost_games"),
}
Found = Mapping[str, Mapping[str, Row]]


def bad_to_rival(case: Case) -> float:
    """The best bad arm that a best agent registers, as a share of the best rival's mean."""
    market = case.market
    rival = market.best_mean - gap_to_rivals(market)
    bad = [
        arm.mean
        for agent in best_agents(market)
        for arm, copies in zip(agent.arms, agent.copies, strict=True)
        if copies and arm.mean < market.best_mean
    ]
    return max(bad, default=0.0) / rival


def ratio(found: Mapping[str, Row], policy: str) -> float:
    """A policy's regret over the best of the paper's on one market."""
    return float(found[policy]["regret"]) / float(_best_of_paper(found)["regret"])


def _best_of_paper(found: Mapping[str, Row]) -> Row:
    return min((found[name] for name in PAPER_POLICIES), key=lambda row: float(row["regret"]))


def lost(rows: Sequence[Row]) -> LostGames:
    """All games of some rows together."""
    return LostGames(
        sum(int(row["lost"]) for row in rows), sum(int(row["repetitions"]) for row in rows)
    )


def summary(cases: Sequence[Case], found: Found, policy: str) -> dict[str, Any]:
    """Games lost, over all games and on the worst market; and ratios."""
    rows = [found[case.name][policy] for case in cases]
    ratios = [ratio(found[case.name], policy) for case in cases]
    games = lost(rows)
    worst = max(rows, key=lambda row: lost([row]).share)
    return {
        "markets": len(cases),
        "games": games.games,
        "lost": games.share,
        "lost, high end": games.interval.high,
        "worst market": worst["market"],
        "lost there": lost([worst]).share,
        "geometric mean": geometric_mean(ratios),
        "worst ratio": max(ratios),
        "above 1": sum(value > 1 for value in ratios),
    }


def groups(cases: Sequence[Case]) -> dict[str, list[Case]]:
    """The judged markets, what they fall into, and the rest."""
    named: dict[str, list[Case]] = {"judged": [case for case in cases if judged(case)]}
    named["judged: the best agent a replicator"] = [
        case
        for case in named["judged"]
        if any(max(agent.copies) > 1 for agent in best_agents(case.market))
    ]
    for kind in dict.fromkeys(case.kind for case in cases):
        named[f"judged: {kind}"] = [case for case in named["judged"] if case.kind == kind]
    copying = [case for case in named["judged"] if share(case.market) < 1]
    for low, high in ((0.0, 0.5), (0.5, 0.8), (0.8, 1.01)):
        named[
            f"judged, best agent copies: bad arms at {low:g} to {min(high, 1):g} of the rival"
        ] = [case for case in copying if low <= bad_to_rival(case) < high]
    rest = [case for case in cases if not judged(case)]
    named["rest: c below 1/21"] = [case for case in rest if decidable(case)]
    named["rest: cannot be decided"] = [case for case in rest if not decidable(case)]
    return {name: members for name, members in named.items() if members}


def judge(cases: Sequence[Case], found: Found) -> dict[str, Any]:
    """Every group under each policy of ours, and judged markets where the default is above 1."""
    counted = [case for case in cases if judged(case)]
    above = [case for case in counted if ratio(found[case.name], "default") > 1]
    return {
        "groups": {
            name: {policy: summary(members, found, policy) for policy in OURS}
            for name, members in groups(cases).items()
        },
        "lost by the paper's": {
            policy: lost([found[case.name][policy] for case in counted]).share
            for policy in PAPER_POLICIES
            if counted
        },
        "above 1": [_described(case, found[case.name]) for case in above],
    }


def _described(case: Case, found: Mapping[str, Row]) -> dict[str, Any]:
    """A market above 1, and what the trials cost on it: B plays of every worse agent."""
    market = case.market
    trial = parse_policy("default").agent
    assert isinstance(trial, Trial)
    plays = max(1, min(trial.tries, int(SHARE * case.horizon / len(market.agents))))
    best = _best_of_paper(found)
    gaps = sum(market.best_mean - agent.best_mean for agent in market.agents)
    return {
        "market": case.name,
        "agents": len(market.agents),
        "horizon": case.horizon,
        "best mean": market.best_mean,
        "gap": gap_to_rivals(market),
        "share": share(market),
        "ratio": ratio(found, "default"),
        "regret": float(found["default"]["regret"]),
        "lost": lost([found["default"]]).share,
        "trials cost": plays * gaps,
        "best of them": best["variant"],
        "its regret": float(best["regret"]),
    }


def as_markdown(parts: Mapping[str, Mapping[str, Any]]) -> str:
    """Tables of the groups, and of the markets above 1."""
    text: list[str] = []
    for part, found in parts.items():
        text += [
            f"**{part.capitalize()} part.**",
            "",
            "| markets | policy | markets, games | lost | worst market | ratio | worst | above 1 |",
            "|---|---|---:|---:|---:|---:|---:|---:|",
        ]
        for name, by_policy in found["groups"].items():
            for policy, one in by_policy.items():
                if policy == "default" or name == "judged" or name.startswith("rest"):
                    text.append(_line(name, policy, one))
        shares = ", ".join(f"{k} {100 * v:.0f} %" for k, v in found["lost by the paper's"].items())
        text += [
            "",
            f"Games of judged markets that the paper's policies lose: {shares or '-'}.",
            "",
        ]
        if found["above 1"]:
            text += [
                "| above 1 | agents | T | best, gap | c | regret | lost | trials cost | best of "
                "the paper's |",
                "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
            ]
            text += [_above(one) for one in sorted(found["above 1"], key=lambda x: -x["ratio"])]
            text.append("")
    return "\n".join(text).rstrip() + "\n"


def _line(name: str, policy: str, one: Mapping[str, Any]) -> str:
    cells = (
        name,
        policy,
        f"{one['markets']}, {one['games']:,}",
        f"{100 * one['lost']:.2f} %",
        f"{100 * one['lost there']:.0f} %",
        f"{one['geometric mean']:.3f}",
        f"{one['worst ratio']:.2f}",
        str(one["above 1"]),
    )
    return "| " + " | ".join(cells) + " |"


def _above(one: Mapping[str, Any]) -> str:
    cells = (
        f"{one['ratio']:.2f}: {one['market']}",
        str(one["agents"]),
        f"{one['horizon']:,}",
        f"{one['best mean']:.3f}, {one['gap']:.3f}",
        f"1/{round(1 / one['share'])}",
        f"{one['regret']:,.0f}",
        f"{100 * one['lost']:.0f} %",
        f"{one['trials cost']:,.0f}",
        f"{one['best of them']}: {one['its regret']:,.0f}",
    )
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    parser = study_parser(__doc__)
    parser.add_argument("--part", choices=[*PARTS], help="one part only")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    answer = {}
    for part, (drawn, study) in PARTS.items():
        if options.part not in (None, part):
            continue
        rows = rows_of(table_of(options.cells / study), drawn(), (*OURS, *PAPER_POLICIES))
        write(options.out / f"{study}.csv", rows)
        found: dict[str, dict[str, Row]] = {}
        for row in rows:
            found.setdefault(row["market"], {})[row["variant"]] = row
        played = [case for case in drawn() if case.name in found]
        answer[part] = judge(played, found)
    (options.out / "lost_games.json").write_text(json.dumps(answer, indent=1) + "\n")
    (options.out / "lost_games.md").write_text(as_markdown(answer))
    print(as_markdown(answer))


if __name__ == "__main__":
    main()
