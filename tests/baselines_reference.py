"""MOSS, also anytime, IMED, SW-UCB, D-UCB and Exp3 a second time, slow and plain.

SW-UCB, D-UCB and Exp3 see every play of their pool: ``Draws.stream.history`` lists (candidate's
number, reward) in order, and of Exp3 the chance that it had.
"""

import math
from typing import TYPE_CHECKING

from copyproof.engine import numerics

if TYPE_CHECKING:
    from tests.reference import Candidate, Draws, Rule

PICK = 1


def log(x: float) -> float:
    return float(numerics.log(float(x)))


def best_of(
    candidates: "list[Candidate]", values: list[float], draws: "Draws", least: bool = False
) -> "Candidate":
    top = min(values) if least else max(values)
    return draws.pick([one for one, value in zip(candidates, values, strict=True) if value == top])


def moss(given: int = 0) -> "Rule":
    def rule(candidates: "list[Candidate]", T: float, draws: "Draws") -> "Candidate":
        K = given or draws.stream.arms

        def index(one: "Candidate") -> float:
            if one.n == 0:
                return math.inf
            return one.mean + math.sqrt(max(0.0, log(T / (K * one.n))) / one.n)

        return best_of(candidates, [index(one) for one in candidates], draws)

    return rule


def moss_anytime(given: int = 0, alpha: float = 1.35) -> "Rule":
    def rule(candidates: "list[Candidate]", t: float, draws: "Draws") -> "Candidate":
        K = given or draws.stream.arms

        def index(one: "Candidate") -> float:
            if one.n == 0:
                return math.inf
            bonus = (1 + alpha) / 2 * max(0.0, log(t / (K * one.n)))
            return one.mean + math.sqrt(bonus / one.n)

        return best_of(candidates, [index(one) for one in candidates], draws)

    return rule


def imed(candidates: "list[Candidate]", t: float, draws: "Draws") -> "Candidate":
    top = max((one.mean for one in candidates if one.n), default=0.0)

    def index(one: "Candidate") -> float:
        if one.n == 0:
            return -math.inf
        p = one.mean
        if p == top:
            return log(one.n)
        if top == 1:
            return math.inf
        kl = 0.0 if p == 0 else p * log(p / top)
        return log(one.n) + one.n * (kl + (1 - p) * log((1 - p) / (1 - top)))

    return best_of(candidates, [index(one) for one in candidates], draws, least=True)


def sw_ucb(window: int = 1000, xi: float = 0.6) -> "Rule":
    def rule(candidates: "list[Candidate]", t: float, draws: "Draws") -> "Candidate":
        history = draws.stream.history
        last = history[-window:]
        x = xi * log(min(len(history) + 1, window))
        plays: dict[int, list[float]] = {}
        for number, reward, _ in last:
            plays.setdefault(number, []).append(reward)
        values = []
        for one in candidates:
            rewards = plays.get(one.number, [])
            n = len(rewards)
            values.append(sum(rewards) / n + math.sqrt(x / n) if n else math.inf)
        return best_of(candidates, values, draws)

    return rule


def d_ucb(gamma: float = 0.999, xi: float = 0.6) -> "Rule":
    def rule(candidates: "list[Candidate]", t: float, draws: "Draws") -> "Candidate":
        stream = draws.stream
        # The discounted number and sum of each candidate, brought up to date play by play.
        for number, reward, _ in stream.history[stream.discounted_upto :]:
            for key, (n, s) in stream.discounted.items():
                stream.discounted[key] = gamma * n, gamma * s
            n, s = stream.discounted.get(number, (0.0, 0.0))
            stream.discounted[number] = n + 1, s + reward
        stream.discounted_upto = len(stream.history)
        total = (1 - numerics.power(gamma, float(len(stream.history)))) / (1 - gamma)
        x = 4 * xi * log(max(total, 1.0))
        values = []
        for one in candidates:
            n, s = stream.discounted.get(one.number, (0.0, 0.0))
            values.append(s / n + math.sqrt(x / n) if n > 0 else math.inf)
        return best_of(candidates, values, draws)

    return rule


def exp3(gamma: float = 0.0) -> "Rule":
    def rule(candidates: "list[Candidate]", T: float, draws: "Draws") -> "Candidate":
        k = len(candidates)
        share = gamma or min(1.0, math.sqrt(k * log(k) / ((math.e - 1) * T)))
        stream = draws.stream
        for number, reward, chance in stream.history[stream.discounted_upto :]:
            before = stream.estimates.get(number, 0.0)
            stream.estimates[number] = before + reward / chance
        stream.discounted_upto = len(stream.history)
        found = [stream.estimates.get(one.number, 0.0) for one in candidates]
        weights = [numerics.exp(share * (one - max(found)) / k) for one in found]
        total = 0.0
        for weight in weights:
            total += weight
        u = stream.one(draws.k, PICK)
        place = -1
        while u >= 0 and place < k - 1:
            place += 1
            stream.chance = (1 - share) * (weights[place] / total) + share / k
            u -= stream.chance
        return candidates[place]

    return rule
