"""``grace`` on random markets that were held apart when it was chosen.

    copyproof study run studies/held_out.toml --out out/studies/held_out
    python studies/held_out.py [--cells FOLDER] [--out FOLDER]

``markets.held_out()``, T = 30,000, 10 games each with the same luck for all policies: the regret of
``grace`` and ``grace-anytime`` over the better of H-UCB's and RH-UCB's, its geometric mean over
markets, and every market where it is above 2. No market of this set is mixed (``mixed.py``), and so
it did not see what ``grace`` loses there: ``lost_games.py`` does.

Writes ``held_out.csv``, ``held_out.json`` and ``.md``.
"""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from markets import Case, held_out
from runs import geometric_mean, regrets, rows_of, study_parser, table_of, write

OURS = ("grace", "grace-anytime")
POLICIES = ("h-ucb", "rh-ucb", *OURS)
TOO_MUCH = 2.0
MOST_HELD_OUT = 0.5


def judge_held_out(
    cases: Sequence[Case], found: Mapping[str, Mapping[str, float]]
) -> dict[str, Any]:
    """Geometric means, and the markets where a policy of ours has more than twice the better."""
    answer: dict[str, Any] = {"markets": len(cases), "accepted": MOST_HELD_OUT}
    for policy in OURS:
        ratio = {}
        for case in cases:
            regret = found[case.name]
            ratio[case.name] = regret[policy] / min(regret["h-ucb"], regret["rh-ucb"])
        above = sorted((c for c in cases if ratio[c.name] > TOO_MUCH), key=lambda c: -ratio[c.name])
        answer[policy] = {
            "geometric mean": geometric_mean(ratio.values()),
            "by kind": {
                kind: geometric_mean(ratio[c.name] for c in cases if c.kind == kind)
                for kind in sorted({case.kind for case in cases})
            },
            "worst": max(ratio.values()),
            "above 1": sum(value > 1 for value in ratio.values()),
            "above 2": [described(c, found[c.name], ratio[c.name]) for c in above],
        }
    return answer


def described(case: Case, regret: Mapping[str, float], ratio: float) -> dict[str, Any]:
    """What a market looks like, and what the benefit of the doubt may cost on it.

    Against a leader of mean μ*, an agent has the benefit of the doubt for up to
    2M·min(1, 3 (1 − μ*)) plays, M = min(√(T/n), ln² T); each costs at least Δ_i.
    """
    market, best = case.market, case.market.best_mean
    n = len(market.agents)
    unit = min(math.sqrt(case.horizon / n), math.log(case.horizon) ** 2)
    plays = 2 * unit * min(1.0, 3 * (1 - best))
    return {
        "market": case.name,
        "kind": case.kind,
        "agents": n,
        "arms": market.registered,
        "best means": sorted((one.best_mean for one in market.agents), reverse=True)[:6],
        "ratio": ratio,
        "regret": dict(regret),
        "plays in doubt": plays,
        "doubt costs": plays * sum(best - one.best_mean for one in market.agents),
    }


def held_out_markdown(found: Mapping[str, Any]) -> str:
    """Means, and a table of the markets above 2."""
    text = [
        f"{found['markets']} markets; regret over the better of H-UCB's and RH-UCB's.",
        "",
        "| policy | geometric mean | worst | markets above 1 | above 2 |",
        "|---|---:|---:|---:|---:|",
    ]
    for policy in OURS:
        one = found[policy]
        text.append(
            f"| {policy} | {one['geometric mean']:.3f} | {one['worst']:.2f} | {one['above 1']} | "
            f"{len(one['above 2'])} |"
        )
    text += [
        "",
        "| above 2 | market | agents | arms | best means | regret | H-UCB | RH-UCB | doubt costs |",
        "|---|---|---:|---:|---|---:|---:|---:|---:|",
    ]
    for policy in OURS:
        for one in found[policy]["above 2"]:
            best = ", ".join(f"{mean:.2f}" for mean in one["best means"])
            best += ", …" if one["agents"] > len(one["best means"]) else ""
            regret = one["regret"]
            text.append(
                f"| {policy}: {one['ratio']:.2f} | {one['market']} ({one['kind']}) | "
                f"{one['agents']} | {one['arms']} | {best} | {regret[policy]:.0f} | "
                f"{regret['h-ucb']:.0f} | {regret['rh-ucb']:.0f} | {one['doubt costs']:.0f} |"
            )
    return "\n".join(text) + "\n"


def main() -> None:
    options = study_parser(__doc__).parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    rows = rows_of(table_of(options.cells / "held_out"), held_out(), POLICIES)
    write(options.out / "held_out.csv", rows)
    found = regrets(rows)
    judged = judge_held_out([case for case in held_out() if case.name in found], found)
    (options.out / "held_out.json").write_text(json.dumps(judged, indent=1) + "\n")
    (options.out / "held_out.md").write_text(held_out_markdown(judged))
    print(held_out_markdown(judged))


if __name__ == "__main__":
    main()
