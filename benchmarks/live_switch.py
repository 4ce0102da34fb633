"""A candidate beside the first policy: what it costs, and what its estimates are worth.

``cost`` asks and tells in a market in memory: without anything, with guard rails, with a shadow,
and with a share of one half, in turns. ``value`` plays a market of known means: what is said of a
candidate as a shadow and with a share, against what it earns in a market of its own.
"""

import random
import statistics
import sys
import time

from copyproof.live import MarketConfig, Principal

MEANS = {"ann": 0.5, "bob": 0.4, "cid": 0.3}
RAIL = {"measure": "share", "last": 1000, "at_most": 1.0}


def market(policy: str, seed: int, agents: int = 3) -> Principal:
    """A market in memory; of three agents one is the best."""
    names = list(MEANS) if agents == 3 else [f"agent {n}" for n in range(agents)]
    principal = Principal(config=MarketConfig(policy, seed=seed))
    principal.register_arms(
        [(name, f"{k}") for name in names for k in range(1 if agents == 3 else 10)]
    )
    return principal


def cost(decisions: int = 20_000, turns: int = 5) -> None:
    """Decisions and rewards a second, one by one and 100 at once; medians."""
    kinds = ("nothing", "guard rails", "shadow", "share 0.5")
    found: dict[tuple[str, int], list[float]] = {}
    for turn in range(turns):
        for kind in kinds:
            for batch in (1, 100):
                principal = market("default-anytime", turn, agents=100)
                if kind == "guard rails":
                    principal.set_rails([RAIL])
                elif kind != "nothing":
                    principal.set_policy("h-ucb", share=0.5 if kind == "share 0.5" else 0)
                began = time.perf_counter()
                for _ in range(decisions // batch):
                    made = principal.ask(batch)
                    principal.tell_many([(one.id, 1.0) for one in made])
                rate = decisions / (time.perf_counter() - began)
                found.setdefault((kind, batch), []).append(rate)
    print("beside the first policy | one by one, /s | 100 at once, /s")
    for kind in kinds:
        rates = (statistics.median(found[kind, batch]) for batch in (1, 100))
        print(f"{kind:24}|" + "|".join(f"{rate:15,.0f} " for rate in rates))


def earned(principal: Principal, luck: random.Random, decisions: int) -> float:
    """Play some decisions, told at once; the mean reward."""
    total = 0.0
    for _ in range(decisions):
        [one] = principal.ask()
        reward = float(luck.random() < MEANS[one.agent])
        total += reward
        principal.tell(one.id, reward)
    return total / decisions


def value(decisions: int = 5_000, games: int = 20) -> None:
    """Estimates of one candidate in four situations, and the truth."""
    print("first, candidate, share | agreed | known as | alone | limits held")
    for first, second in (("fair", "h-ucb"), ("h-ucb", "fair"), ("h-ucb", "default-anytime")):
        for share in (0.0, 0.1, 0.5):
            alone, agreed, lower, upper, means = [], [], [], [], []
            for seed in range(games):
                alone.append(earned(market(second, seed), random.Random(seed), decisions))
                principal = market(first, seed)
                principal.set_policy(second, share=share)
                earned(principal, random.Random(seed), decisions)
                one = principal.statistics().candidate
                assert one is not None
                agreed.append(one.agreed / one.decisions)
                lower.append(one.value.lower)
                upper.append(one.value.upper)
                means.append(one.value.mean)
            known = [mean for mean in means if mean is not None]
            mean = f"{statistics.mean(known):.3f} " if len(known) == games else ""
            limits = f"{mean}[{statistics.mean(lower):.3f}, {statistics.mean(upper):.3f}]"
            held = sum(a <= x <= b for a, x, b in zip(lower, alone, upper, strict=True))
            print(
                f"{first}, {second}, {share:g} | {statistics.mean(agreed):.0%} | {limits} | "
                f"{statistics.mean(alone):.3f} | {held} of {games}"
            )


if __name__ == "__main__":
    {"cost": cost, "value": value}[sys.argv[1]](*map(int, sys.argv[2:]))
