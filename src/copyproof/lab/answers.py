"""The engine's answers to the page: games round by round, simulations with figures, audits."""

import base64
import csv
import io
from typing import Any

import numpy as np
import tomli_w

from copyproof.auditing import audit
from copyproof.game import market_to_dict
from copyproof.lab.asked import (
    AUDIT_BUDGET,
    AskedAudit,
    AskedGame,
    AskedIncomes,
    AskedSimulation,
)
from copyproof.plots import plot_regret
from copyproof.plots.files import figure_bytes
from copyproof.simulation import Result, simulate
from copyproof.simulation.decisions import decisions


def game_answer(asked: AskedGame) -> dict[str, Any]:
    """The decisions of one game, and what they came to."""
    how: dict[str, Any] = {
        "horizon": asked.horizon,
        "seed": asked.seed,
        "schedule": asked.schedule,
    }
    chosen = decisions(asked.market, asked.policy, **how)
    result = simulate(asked.market, asked.policy, repetitions=1, checkpoints=1, workers=1, **how)
    return {
        "choices": _base64(chosen.astype("<u2").tobytes()),
        "plays": result.plays[0].tolist(),
        "revenue": result.revenue[0].tolist(),
        "regret": float(result.regret.mean),
    }


def incomes_answer(asked: AskedIncomes) -> dict[str, Any]:
    """What each agent earned in each game, and each game's regret; by market."""
    how: dict[str, Any] = {
        "horizon": asked.horizon,
        "repetitions": asked.games,
        "seed": asked.seed,
        "checkpoints": 1,
    }
    results = [simulate(market, asked.policy, **how) for market in asked.markets]
    return {
        "markets": [
            {"revenue": one.revenue.tolist(), "regret": one.regret_curves[:, -1].tolist()}
            for one in results
        ]
    }


def simulation_answer(asked: AskedSimulation) -> dict[str, Any]:
    """What ``copyproof simulate --json`` says, with the figure, a table and the market file."""
    results = simulate(
        asked.market,
        asked.policies,
        horizon=asked.horizon,
        repetitions=asked.repetitions,
        seed=asked.seed,
    )
    figure = plot_regret(results).get_figure(root=True)
    assert figure is not None
    return {
        "policies": [result.to_dict() for result in results],
        "svg": figure_bytes(figure, "svg").decode(),
        "png": _base64(figure_bytes(figure, "png")),
        "csv": _table(results),
        "market": tomli_w.dumps(market_to_dict(asked.market)),
    }


def audit_answer(asked: AskedAudit) -> dict[str, Any]:
    """What ``copyproof audit --json`` says, within the lab's budget."""
    found = audit(
        asked.market, asked.policy, horizon=asked.horizon, seed=asked.seed, budget=AUDIT_BUDGET
    )
    return found.to_dict()


def _table(results: list[Result]) -> str:
    """A row for each policy, repetition and agent, as CSV."""
    memory = io.StringIO()
    rows = csv.writer(memory, lineterminator="\n")
    rows.writerow(["policy", "repetition", "agent", "plays", "revenue", "regret"])
    for result in results:
        regrets = np.asarray(result.regret_curves)[:, -1]
        for game, regret in enumerate(regrets.tolist()):
            for place, name in enumerate(result.market.names):
                plays, revenue = result.plays[game, place], result.revenue[game, place]
                rows.writerow([str(result.policy), game, name, int(plays), float(revenue), regret])
    return memory.getvalue()


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")
