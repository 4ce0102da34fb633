"""The default on markets that were held apart, and on the paper's at full length.

    python studies/held_out.py [--quick] [--out FOLDER]

**Held out**: ``markets.held_out()``, T = 30,000, 10 games each with the same luck for all policies.
The regret of ``default`` and ``default-anytime`` over the better of H-UCB's and RH-UCB's: the
geometric mean over markets, and every market where it is above 2.

**Targets**, T = 100,000: figures 2a and 2b and honest agents with three arms, 100 games; figure 2c,
400 games; and the share of late runs (``late.py``).

Writes ``held_out.csv``, ``held_out.json`` and ``.md``, ``targets.json`` and ``.md``.
"""

import argparse
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from copyproof import paper_market, parse_policy, simulate
from late import share_late
from markets import Case, held_out, three_armed
from runs import play_all, regrets
from search import geometric_mean

HERE = Path(__file__).resolve().parent
OURS = ("default", "default-anytime")
POLICIES = ("h-ucb", "rh-ucb", *OURS)
TOO_MUCH = 2.0
TARGETS: dict[str, tuple[str, float]] = {
    "figure 2a": ("h-ucb", 1 / 2),
    "figure 2b": ("h-ucb", 1 / 2),
    "three arms each": ("h-ucb", 0.7),
    "figure 2c": ("rh-ucb", 1 / 12),
}
"""Against whom, and the largest ratio that is accepted."""
MOST_LATE = 0.03
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


def targets(horizon: int, share: float) -> list[dict[str, Any]]:
    """The paper's markets at full length: regrets, ratios and late runs."""
    markets = {f"figure {name}": paper_market(name) for name in ("2a", "2b", "2c")}
    markets["three arms each"] = three_armed([1, 1, 1])
    answer = []
    for name, (rival, accepted) in TARGETS.items():
        repetitions = math.ceil(share * (400 if name == "figure 2c" else 100))
        line: dict[str, Any] = {"market": name, "repetitions": repetitions, "horizon": horizon}
        for policy in POLICIES:
            result = simulate(
                markets[name],
                policy,
                horizon=horizon,
                repetitions=repetitions,
                seed=1,
                checkpoints=[horizon - horizon // 10],
            )
            line[policy] = {
                "regret": result.regret.mean,
                "stderr": result.regret.stderr,
                "sd": result.regret.std,
                "late runs": share_late(result),
            }
            print(name, policy, line[policy], flush=True)
        ratio = line["default"]["regret"] / line[rival]["regret"]
        line |= {"against": rival, "ratio": ratio, "accepted": accepted, "met": ratio <= accepted}
        answer.append(line)
    return answer


def targets_markdown(lines: Sequence[Mapping[str, Any]]) -> str:
    """A table of regrets (mean ± standard error)."""
    text = [
        "| market (games) | default | default-anytime | H-UCB | RH-UCB | ratio | accepted | "
        "late runs of default |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for line in lines:
        cells = [
            f"{line[policy]['regret']:,.0f} ± {line[policy]['stderr']:,.0f}"
            for policy in ("default", "default-anytime", "h-ucb", "rh-ucb")
        ]
        rival = {"h-ucb": "H-UCB", "rh-ucb": "RH-UCB"}[line["against"]]
        text.append(
            f"| {line['market']} ({line['repetitions']}) | {' | '.join(cells)} | "
            f"{line['ratio']:.3f} of {rival} | {line['accepted']:.3f} | "
            f"{100 * line['default']['late runs']:.2f} % |"
        )
    return "\n".join(text) + "\n"


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
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="tiny games: a trial of the script")
    parser.add_argument("--workers", type=int, help="threads; no effect on the result")
    parser.add_argument("--out", type=Path, default=HERE / "results")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    cases = held_out()
    if options.quick:
        cases = [replace(case, horizon=300, repetitions=2) for case in cases[:5]]
    policies = {name: parse_policy(name) for name in POLICIES}
    rows = play_all(cases, policies, options.out / "held_out.csv", options.workers)
    found = judge_held_out(cases, regrets(rows))
    (options.out / "held_out.json").write_text(json.dumps(found, indent=1) + "\n")
    (options.out / "held_out.md").write_text(held_out_markdown(found))
    print(held_out_markdown(found))
    size = (300, 0.02) if options.quick else (100_000, 1.0)
    lines = targets(*size)
    (options.out / "targets.json").write_text(json.dumps(lines, indent=1) + "\n")
    (options.out / "targets.md").write_text(targets_markdown(lines))
    print(targets_markdown(lines))


if __name__ == "__main__":
    main()
