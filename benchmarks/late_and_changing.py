"""Late rewards, an agent that goes and comes, a bait that is switched, means that change: measured.

Run ``python benchmarks/late_and_changing.py SCENARIO [GAMES]`` with SCENARIO one of

- ``late``: click rates 10, 8 and 5 %, a newcomer of 1 % after round 6,000, 18,000 rounds, rewards
  within 2,000; all told at once, only clicks told, or all told at the end of that window. Of each
  policy the newcomer's share of its first window, and the total reward after it came.
- ``sleep``: the same without the newcomer, all told late, 12,000 rounds; the agent of 5 % goes and
  comes back at 20 pairs of times (one, with unanswered plays omitted). Its share of the plays,
  beside that of the same game in which it stays.
- ``bait``: an arm of 0.9 is retired after round 6,000 and one of 0.05 registered, against two of
  0.5. Plays of the second in the next 6,000 rounds, beside those of an agent that comes with it.
- ``still``: nothing changes. Regret of 100,000 rounds, and the share of games that are lost for
  good (whose last tenth costs half the gap a round), with truthful agents and with replicators.
- ``drift``: five agents whose means are drawn anew every 20,000 rounds; regret of 100,000 rounds.

Late rewards and sleep go through the live principal, ask by ask and tell by tell, with unanswered
plays omitted and estimated; the others are simulated.
"""

import itertools
import random
import sys
from collections.abc import Callable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from copyproof import simulate
from copyproof.game import Admit, Agent, Bernoulli, Market, Retire, Schedule
from copyproof.live import MarketConfig, Principal

WINDOW = 2000
RATES = {"ten": 0.10, "eight": 0.08, "five": 0.05}
TELLING = ("at once", "clicks", "late")
WAYS = ("omitted", "estimated")
SLEEPS = [
    (gone, gone + away)
    for gone, away in itertools.product((490, 700, 990, 1500, 3000), (510, 1000, 2500, 4010))
]


def visits(
    config: MarketConfig,
    telling: str,
    rounds: int,
    seed: int,
    changes: Mapping[int, Callable[[Principal], object]],
    rates: Mapping[str, float],
) -> Iterator[tuple[int, str, float]]:
    """Play round after round, one a second: the round, who was chosen, and what came of it."""
    now = 0.0
    principal = Principal(config=config, clock=lambda: now)
    principal.register_arms([(agent, "arm") for agent in RATES])
    rng = random.Random(seed)
    waiting: list[tuple[int, str, float]] = []
    told = 0
    for round_ in range(1, rounds + 1):
        now = float(round_)
        if round_ in changes:
            changes[round_](principal)
        while told < len(waiting) and waiting[told][0] <= round_:
            principal.tell(waiting[told][1], waiting[told][2])
            told += 1
        [decision] = principal.ask()
        reward = float(rng.random() < rates[decision.agent])
        if telling == "at once" or (telling == "clicks" and reward):
            principal.tell(decision.id, reward)
        elif telling == "late":
            waiting.append((round_ + WINDOW - 1, decision.id, reward))
        yield round_, decision.agent, reward


def late(policy: str, telling: str, unanswered: str, seed: int) -> tuple[float, float]:
    """A newcomer's share of its first window, and the total reward after it came."""
    came = 6000
    config = MarketConfig.from_dict(_config(policy, unanswered, seed))
    changes = {came + 1: lambda market: market.register_arm("new", "arm")}
    first, total = 0, 0.0
    for round_, agent, reward in visits(
        config, telling, 18_000, seed, changes, {**RATES, "new": 0.01}
    ):
        if round_ > came:
            total += reward
            first += agent == "new" and round_ <= came + WINDOW
    return first / WINDOW, total


def sleeper(policy: str, unanswered: str, seed: int, times: tuple[int, int] | None) -> int:
    """Plays of the agent of 5 %, that goes before one round and comes back before another."""
    config = MarketConfig.from_dict(_config(policy, unanswered, seed))
    changes: dict[int, Callable[[Principal], object]] = {}
    if times is not None:
        changes[times[0]] = lambda market: market.retire_arm("five", "arm")
        changes[times[1]] = lambda market: market.register_arm("five", "arm")
    made = visits(config, "late", 12_000, seed, changes, RATES)
    return sum(agent == "five" for _, agent, _ in made)


def _config(policy: str, unanswered: str, seed: int) -> dict[str, object]:
    window = {"reward_window": float(WINDOW), "late": "correct"}
    return {**MarketConfig(policy, seed=seed).to_dict(), **window, "unanswered": unanswered}


def bait(policy: str, games: int, *, fresh: bool) -> NDArray[np.int64]:
    """Plays of an arm of 0.05 in 6,000 rounds, after one of 0.9 or by an agent that is new."""
    arms = [Bernoulli(0.9), Bernoulli(0.05)]
    spammer = Agent("spam", arms, [0, 0] if fresh else [1, 0])
    others = [Agent(name, [Bernoulli(0.5)]) for name in ("one", "two")]
    gone = [] if fresh else [Retire(6001, "spam", 0)]
    schedule = Schedule([*gone, Admit(6001, "spam", 1)])
    market = Market([spammer, *others])
    found = simulate(market, policy, horizon=12_000, repetitions=games, seed=1, schedule=schedule)
    return found.original_plays[:, 1]


def drift(policy: str, seed: int) -> float:
    """Regret where every agent replaces its arm by one of another mean every 20,000 rounds."""
    rng = np.random.default_rng(seed)
    means = rng.uniform(0.05, 0.95, (5, 5))  # period × agent
    agents = [
        Agent(f"agent {i}", [Bernoulli(m) for m in means[:, i].tolist()], [1, 0, 0, 0, 0])
        for i in range(5)
    ]
    changes: list[Retire | Admit] = []
    for period in range(1, 5):
        for agent in agents:
            changes.append(Retire(20_000 * period + 1, agent.name, period - 1))
            changes.append(Admit(20_000 * period + 1, agent.name, period))
    schedule = Schedule(changes)
    market = Market(agents)
    found = simulate(market, policy, horizon=100_000, repetitions=1, seed=seed, schedule=schedule)
    best = 20_000 * means.max(axis=1).sum()
    plays = found.original_plays[0].reshape(5, 5)  # agent × period
    return float(best - (plays * means.T).sum())


def _agent(name: str, means: list[float], copies: list[int]) -> Agent:
    return Agent(name, [Bernoulli(mean) for mean in means], copies)


STILL = {
    "five truthful agents": Market([_agent(f"{m}", [m], [1]) for m in (0.5, 0.6, 0.7, 0.8, 0.9)]),
    "2c with a rational 0.8-agent": Market(
        [_agent(f"{m}", [m, 0.2, 0.1], [1000] * 3) for m in (0.5, 0.6, 0.7)]
        + [_agent("0.8", [0.8], [1]), _agent("0.9", [0.9, 0.2, 0.1], [10, 100, 100])]
    ),
    "0.9 x 10, 0.2 x 100, 0.1 x 100 against 0.8": Market(
        [_agent("0.9", [0.9, 0.2, 0.1], [10, 100, 100]), _agent("0.8", [0.8], [1])]
    ),
}


def still(market: Market, policy: str, games: int) -> tuple[NDArray[np.float64], float]:
    """Regret of every game, and the share that is lost."""
    found = simulate(market, policy, horizon=100_000, repetitions=games, seed=1)
    regret = found.regret_curves[:, -1]
    last = regret - found.regret_curves[:, np.searchsorted(found.rounds, 90_000)]
    second, best = sorted(max(arm.mean for arm in agent.arms) for agent in market.agents)[-2:]
    return regret, float((last >= 0.5 * (best - second) * 10_000).mean())


def _say(*cells: object) -> None:
    print(" | ".join(map(str, cells)), flush=True)


def _late(games: int) -> None:
    for policy in ("trial-anytime", "grace-anytime", "h-ucb"):
        for unanswered, telling in itertools.product(WAYS, TELLING):
            found = np.array([late(policy, telling, unanswered, seed) for seed in range(games)])
            share, total = found.mean(axis=0)
            worst = f"{found[:, 0].max():.3f} | {found[:, 1].min():.0f}"
            _say(policy, unanswered, telling, f"{share:.3f} | {total:.0f} | worst {worst}")


def _sleep(games: int) -> None:
    for policy, unanswered in itertools.product(("trial-anytime", "grace-anytime"), WAYS):
        stays = np.array([sleeper(policy, unanswered, seed, None) for seed in range(games)])
        _say(policy, unanswered, f"stays {stays.mean() / 12_000:.3f}")
        for times in SLEEPS if unanswered == "estimated" else [(990, 5000)]:
            goes = np.array([sleeper(policy, unanswered, seed, times) for seed in range(games)])
            gains = (goes - stays) / 12_000
            error = gains.std(ddof=1) / np.sqrt(games)
            _say(policy, unanswered, times, f"{goes.mean() / 12_000:.3f}", f"± {error:.3f}")


def _bait(games: int) -> None:
    for policy in ("trial-anytime", "grace-anytime"):
        for memory in ("", "(memory=800)", "(memory=2000)", "(memory=8000)"):
            fresh, found = (bait(policy + memory, games, fresh=new) for new in (True, False))
            _say(
                policy + memory, f"{found.mean():.0f} | worst {found.max()}", f"{fresh.mean():.0f}"
            )
    found = bait("h-ucb", games, fresh=False)
    _say("h-ucb", f"{found.mean():.0f} | worst {found.max()}")


def _still(games: int) -> None:
    for policy in ("trial-anytime", "trial", "grace-anytime"):
        for memory, name in itertools.product(("", "(memory=800)", "(memory=2000)"), STILL):
            regret, lost = still(STILL[name], policy + memory, games)
            worst = f"worst {regret.max():.0f}"
            _say(policy + memory, name, f"{regret.mean():.0f} | {worst}", f"lost {lost:.2f}")


def _drift(games: int) -> None:
    for policy in ("trial-anytime", "grace-anytime"):
        for memory in ("", "(memory=800)", "(memory=2000)", "(memory=8000)"):
            found = np.array([drift(policy + memory, seed) for seed in range(games)])
            _say(policy + memory, f"{found.mean():.0f} | worst {found.max():.0f}")
    found = np.array([drift("h-ucb", seed) for seed in range(games)])
    _say("h-ucb", f"{found.mean():.0f} | worst {found.max():.0f}")


SCENARIOS = {"late": _late, "sleep": _sleep, "bait": _bait, "still": _still, "drift": _drift}

if __name__ == "__main__":
    SCENARIOS[sys.argv[1]](int(sys.argv[2]) if len(sys.argv) > 2 else 10)
