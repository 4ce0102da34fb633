"""Every policy a second time, slow and plain, straight from the paper's table.

Nothing here is shared with the engine but logarithms and powers (``engine.numerics``): even the
random streams are written again (Philox in plain Python). ``choices`` plays one game and lists the
arm of every round; the compiled engine must make the identical choice in every one of them.

A flat policy is ``Flat(rule, sample)``, a hierarchical one ``Hierarchical(agent rule, arm rule,
sample, …)``. A rule is a function (candidates, clock, draws) → the chosen candidate.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from copyproof import Admit, Market, Renew, Retire, Schedule
from copyproof.engine import numerics
from copyproof.engine.cache import part
from copyproof.engine.numerics_tables import TILTS
from copyproof.game import Arm, Changing
from tests.baselines_reference import d_ucb, exp3, imed, moss, moss_anytime, sw_ucb
from tests.thompson_reference import FEW, largest_draw


def log(x: float) -> float:
    return numerics.log(float(x))


# --- random streams --------------------------------------------------------------------------

REWARD, PICK, COIN, SAMPLE, PRIORITY, POSTERIOR = 0, 1, 2, 3, 4, 16
WORD = 0xFFFFFFFF


def philox(counter: Sequence[int], key: Sequence[int]) -> list[int]:
    """Philox4x32 with ten rounds, from the paper of Salmon and others."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = (p1 >> 32) ^ c1 ^ k0, p1 & WORD, (p0 >> 32) ^ c3 ^ k1, p0 & WORD
        k0, k1 = (k0 + 0x9E3779B9) & WORD, (k1 + 0xBB67AE85) & WORD
    return [c0, c1, c2, c3]


@dataclass
class Stream:
    """The numbers of one owner (0 is the principal, i + 1 is agent i) in one repetition."""

    seed: int
    owner: int
    repetition: int
    epoch: int = 0
    bar: float = 0.0  # of Thompson sampling in its pool; 0 if there is none yet
    # What some baselines remember of their pool (``baselines_reference``).
    history: list[tuple[int, float, float]] = field(default_factory=list)
    discounted: dict[int, tuple[float, float]] = field(default_factory=dict)
    discounted_upto: int = 0
    estimates: dict[int, float] = field(default_factory=dict)
    chance: float = 1.0
    arms: int = 0  # K of MOSS, where the market says it

    def __post_init__(self) -> None:
        self.key = philox([self.owner, self.epoch, 0, 0], [self.seed & WORD, self.seed >> 32])[:2]

    def two(self, k: int, purpose: int, arm: int = 0) -> tuple[float, float]:
        words = philox([k & WORD, (k >> 32) | purpose << 16, arm, self.repetition], self.key)
        high, low = (words[0] << 32 | words[1]) >> 12, (words[2] << 32 | words[3]) >> 12
        return (high + 0.5) / 2**52, (low + 0.5) / 2**52

    def one(self, k: int, purpose: int, arm: int = 0) -> float:
        return self.two(k, purpose, arm)[0]


@dataclass
class Draws:
    """What a choice may draw: a stream and its counter."""

    stream: Stream
    k: int
    by_order: bool = False

    def pick(self, equals: "list[Candidate]") -> "Candidate":
        """Uniformly among equals, with one uniform; or the first, where an order was drawn."""
        if len(equals) == 1 or self.by_order:
            return equals[0]
        return equals[int(self.stream.one(self.k, PICK) * len(equals))]

    def coin(self) -> float:
        return self.stream.one(self.k, COIN)

    def beta(self, a: float, b: float, number: int, first: int = 0) -> float:
        """Beta(a, b) by Cheng's algorithm BB, or by inversion where a or b is 1."""
        for attempt in range(first, first + 1000):
            u1, u2 = self.stream.two(self.k, POSTERIOR + attempt, number)
            if a == 1:
                return 1 - numerics.power(1 - u1, 1 / b)
            if b == 1:
                return numerics.power(u1, 1 / a)
            small, large = min(a, b), max(a, b)
            alpha = a + b
            beta = math.sqrt((alpha - 2) / (2 * small * large - alpha))
            v = beta * log(u1 / (1 - u1))
            w = small * numerics.exp(v)
            r = (small + 1 / beta) * v - log(4)
            if r + alpha * log(alpha / (large + w)) >= log(u1 * u1 * u2):
                return w / (large + w) if a == small else large / (large + w)
        raise AssertionError("a thousand attempts")


# --- rules -----------------------------------------------------------------------------------


@dataclass
class Candidate:
    """An agent or an arm: its number, plays n and sum of rewards s, of which some are to come."""

    number: int
    original: int = -1
    n: int = 0
    s: float = 0.0
    pending: int = 0

    @property
    def answers(self) -> int:
        return self.n - self.pending

    @property
    def mean(self) -> float:
        return self.s / self.answers if self.answers else 0.5


Rule = Callable[[list[Candidate], float, Draws], Candidate]


def best(
    candidates: list[Candidate], index: Callable[[Candidate], float], draws: Draws
) -> Candidate:
    """Unplayed ones first, then the largest index; uniformly among equals."""
    unplayed = [one for one in candidates if one.n == 0]
    if unplayed:
        return draws.pick(unplayed)
    values = [index(one) for one in candidates]
    top = max(values)
    return draws.pick([one for one, value in zip(candidates, values, strict=True) if value == top])


def ucb(f: Callable[[float], float]) -> Rule:
    return lambda c, t, draws: best(c, lambda a: a.mean + math.sqrt(f(t) / a.n), draws)


def kl(p: float, q: float) -> float:
    first = 0.0 if p == 0 else p * log(p / q)
    return first + (0.0 if p == 1 else (1 - p) * log((1 - p) / (1 - q)))


def kl_bound(p: float, n: int, level: float) -> float:
    """The least (1 − e^−(level/n + s p))/(1 − e^−s) over the engine's table of s, all of them."""
    if p == 0:
        return -numerics.expm1(-level / n)
    if p == 1 or level == 0:
        return p
    return max(p, min(1.0, least_tilted(p, level / n)))


@part
def least_tilted(p: float, level: float) -> float:
    """Compiled, as it asks for hundreds of exponentials."""
    least = math.inf
    for place in range(len(TILTS)):
        s, rest = TILTS[place, 0], TILTS[place, 1]
        least = min(least, -numerics.expm1(-(level + s * p)) / rest)
    return least


def kl_ucb(scale: float = 1.0) -> Rule:
    return lambda c, t, draws: best(c, lambda a: kl_bound(a.mean, a.n, scale * log(t)), draws)


def sampled_kl_ucb(L: float, power: float) -> Rule:
    """For agents, told T: (N − κ)·kl(S/(N − κ), x) ≤ κ ln T; rewards to come count as the mean."""

    def index(agent: Candidate, T: float) -> float:
        kappa = max(1, math.floor(L * numerics.power(log(T), power)))
        w, total = agent.n - kappa, agent.s + agent.pending * agent.mean
        if w <= 0 or total >= w:
            return 1.0
        return kl_bound(total / w, w, kappa * log(T))

    return lambda c, T, draws: best(c, lambda a: index(a, T), draws)


def explore_then_commit(m: int) -> Rule:
    def rule(candidates: list[Candidate], t: float, draws: Draws) -> Candidate:
        fewest = min(one.n for one in candidates)
        if fewest < m:
            return draws.pick([one for one in candidates if one.n == fewest])
        most = max(one.n for one in candidates)
        if most > m:
            return draws.pick([one for one in candidates if one.n == most])
        return best(candidates, lambda a: a.mean, draws)

    return rule


def epsilon_greedy(epsilon: Callable[[float], float]) -> Rule:
    def rule(candidates: list[Candidate], t: float, draws: Draws) -> Candidate:
        if all(one.n > 0 for one in candidates) and draws.coin() < epsilon(t):
            return candidates[int(draws.stream.one(draws.k, PICK) * len(candidates))]
        return best(candidates, lambda a: a.mean, draws)

    return rule


def thompson(candidates: list[Candidate], t: float, draws: Draws) -> Candidate:
    if len(candidates) > FEW:
        return largest_draw(candidates, draws)
    return max(candidates, key=lambda a: draws.beta(1 + a.s, 1 + a.answers - a.s, a.number))


def uniform(candidates: list[Candidate], t: float, draws: Draws) -> Candidate:
    return candidates[int(draws.stream.one(draws.k, PICK) * len(candidates))]


# --- policies --------------------------------------------------------------------------------

Size = Callable[[float, Market], float]


@dataclass
class Flat:
    rule: Rule
    fixed: Size | None = None
    growing: Size | None = None
    clock: str = "t"


@dataclass
class Hierarchical:
    agent: Rule
    arm: Rule
    fixed: Size | None = None
    growing: Size | None = None
    agent_clock: str = "t"
    arm_clock: str = "N"
    own_growth: bool = False
    priority: bool = False


def two_log(t: float) -> float:
    return 2 * log(t)


def robust(t: float) -> float:
    return math.sqrt(t) * log(t)


def prior_free(t: float) -> float:
    return math.sqrt(t * log(t) ** 3)


def most_originals(market: Market) -> int:
    return max(len(agent.arms) for agent in market.agents)


def ten_over(t: float) -> float:
    return min(1.0, 10 / t)


H = ucb(two_log)

# Their K is left to the market.
LEFT_TO_MARKET = ("moss", "h-moss", "moss-anytime", "h-moss-anytime")
POLICIES: dict[str, Flat | Hierarchical] = {
    "ucb1": Flat(ucb(two_log)),
    "s-ucb": Flat(H, fixed=lambda T, m: m.originals * log(T)),
    "s-ucb(l=2)": Flat(H, fixed=lambda T, m: 2 * log(T)),
    "h-ucb": Hierarchical(H, H),
    "rh-ucb": Hierarchical(ucb(robust), H, fixed=lambda T, m: most_originals(m) * log(T)),
    "rh-ucb(L=0.5)": Hierarchical(ucb(robust), H, fixed=lambda T, m: 0.5 * log(T)),
    "prh-ucb": Hierarchical(ucb(prior_free), H, growing=lambda t, m: log(t) ** 2),
    "rh-ucb-online(L=0.7)": Hierarchical(ucb(robust), H, growing=lambda t, m: 0.7 * log(t)),
    "rh-ucb-online": Hierarchical(ucb(robust), H, growing=lambda t, m: most_originals(m) * log(t)),
    "rh-ucb-ln2": Hierarchical(ucb(robust), H, fixed=lambda T, m: log(T) ** 2),
    "rh-ucb-all": Hierarchical(ucb(robust), H),
    "h-ucb-t-free": Hierarchical(H, H, agent_clock="T", priority=True),
    "rh-ucb-t-free(L=1)": Hierarchical(
        ucb(robust), H, fixed=lambda T, m: log(T), agent_clock="T", priority=True
    ),
    "rh-ucb-t-free": Hierarchical(
        ucb(robust),
        H,
        fixed=lambda T, m: most_originals(m) * log(T),
        agent_clock="T",
        priority=True,
    ),
    "h-ucb-kl": Hierarchical(H, kl_ucb()),
    "h-kl-ucb": Hierarchical(kl_ucb(), kl_ucb()),
    "h-epsilon-greedy": Hierarchical(epsilon_greedy(lambda t: 0.1), epsilon_greedy(lambda t: 0.1)),
    "h-epsilon-decreasing": Hierarchical(epsilon_greedy(ten_over), epsilon_greedy(ten_over)),
    "h-thompson": Hierarchical(thompson, thompson),
    "rh-kl-ucb": Hierarchical(
        sampled_kl_ucb(21, 1),
        kl_ucb(),
        fixed=lambda T, m: 21 * log(T),
        agent_clock="T",
        arm_clock="T",
        priority=True,
    ),
    "rh-kl-ucb(L=3, power=0)": Hierarchical(
        sampled_kl_ucb(3, 0),
        kl_ucb(),
        fixed=lambda T, m: 3.0,
        agent_clock="T",
        arm_clock="T",
        priority=True,
    ),
    "moss": Flat(moss(), clock="T"),
    "moss(K=7)": Flat(moss(7), clock="T"),
    "h-moss": Hierarchical(moss(), moss(), agent_clock="T", arm_clock="T", priority=True),
    "h-moss(agents=3, K=2)": Hierarchical(
        moss(3), moss(2), agent_clock="T", arm_clock="T", priority=True
    ),
    "moss-anytime": Flat(moss_anytime()),
    "moss-anytime(K=7, alpha=0.5)": Flat(moss_anytime(7, 0.5)),
    "h-moss-anytime": Hierarchical(moss_anytime(), moss_anytime(), arm_clock="N + 1"),
    "h-moss-anytime(agents=3, K=2)": Hierarchical(
        moss_anytime(3), moss_anytime(2), arm_clock="N + 1"
    ),
    "imed": Flat(imed),
    "h-imed": Hierarchical(imed, imed),
    "h-etc": Hierarchical(H, explore_then_commit(50)),
    "h-etc(plays=2)": Hierarchical(H, explore_then_commit(2)),
    "hierarchical(etc(plays=4), etc(plays=2))": Hierarchical(
        explore_then_commit(4), explore_then_commit(2)
    ),
    "etc": Flat(explore_then_commit(50)),
    "etc(plays=3)": Flat(explore_then_commit(3)),
    "kl-ucb": Flat(kl_ucb()),
    "epsilon-greedy": Flat(epsilon_greedy(lambda t: 0.1)),
    "epsilon-decreasing": Flat(epsilon_greedy(ten_over)),
    "thompson": Flat(thompson),
    "fair": Hierarchical(uniform, H, arm_clock="N + 1"),
    "fair(s-ucb(l=1))": Hierarchical(uniform, H, arm_clock="N + 1", fixed=lambda T, m: log(T)),
    "fair(kl-ucb)": Hierarchical(uniform, kl_ucb(), arm_clock="N + 1"),
    "fair(thompson)": Hierarchical(uniform, thompson, arm_clock="N + 1"),
    "fair(epsilon-decreasing)": Hierarchical(uniform, epsilon_greedy(ten_over), arm_clock="N + 1"),
    "fair(flat(ucb, sample=growing(factor=1, power=2)))": Hierarchical(
        uniform, H, arm_clock="N + 1", growing=lambda t, m: log(t) ** 2, own_growth=True
    ),
    "flat(ucb, sample=growing(factor=2))": Flat(H, growing=lambda t, m: 2 * log(t)),
    "flat(ucb(clock=horizon))": Flat(H, clock="T"),
    "h-ucb(a=0.5, b=0.3, c=0.7)": Hierarchical(
        ucb(lambda t: 0.5 * numerics.power(t, 0.3) * numerics.power(log(t), 0.7)), H
    ),
    "h-ucb(a=0)": Hierarchical(ucb(lambda t: 0.0), H),
    "hierarchical(thompson, ucb(clock=plays))": Hierarchical(thompson, H),
    "hierarchical(kl-ucb(scale=2), thompson)": Hierarchical(kl_ucb(2.0), thompson),
    "hierarchical(ucb, epsilon-greedy(epsilon=0.3))": Hierarchical(
        H, epsilon_greedy(lambda t: 0.3)
    ),
    "hierarchical(epsilon-greedy, kl-ucb(clock=plays), ties=priority)": Hierarchical(
        epsilon_greedy(lambda t: 0.1), kl_ucb(), priority=True
    ),
    "hierarchical(kl-ucb(clock=horizon), thompson, ties=priority)": Hierarchical(
        kl_ucb(), thompson, agent_clock="T", priority=True
    ),
    "hierarchical(ucb(clock=horizon), ucb(clock=horizon), "
    "sample=growing(factor=1, power=2, clock=own), ties=priority)": Hierarchical(
        H,
        H,
        agent_clock="T",
        arm_clock="T",
        growing=lambda t, m: log(t) ** 2,
        own_growth=True,
        priority=True,
    ),
}
"""Text form → the same policy in plain Python: every catalogue row, and variants."""

REMEMBERING: dict[str, Flat | Hierarchical] = {
    "sw-ucb": Flat(sw_ucb()),
    "sw-ucb(W=40, xi=1)": Flat(sw_ucb(40, 1.0)),
    "h-sw-ucb": Hierarchical(sw_ucb(), sw_ucb()),
    "h-sw-ucb(W=60, plays=25)": Hierarchical(sw_ucb(60), sw_ucb(25)),
    "d-ucb": Flat(d_ucb()),
    "d-ucb(gamma=0.9)": Flat(d_ucb(0.9)),
    "h-d-ucb": Hierarchical(d_ucb(), d_ucb()),
    "hierarchical(ucb, d-ucb(gamma=0.95, xi=0.2))": Hierarchical(H, d_ucb(0.95, 0.2)),
    "exp3": Flat(exp3(), clock="T"),
    "exp3(gamma=0.3)": Flat(exp3(0.3), clock="T"),
    "h-exp3": Hierarchical(exp3(), exp3(), agent_clock="T", arm_clock="T"),
    "hierarchical(exp3(gamma=0.1), ucb(clock=plays))": Hierarchical(exp3(0.1), H, agent_clock="T"),
}
"""The same for rules that see all plays of their pool: not live, and no arms come and go."""

# --- the game --------------------------------------------------------------------------------


@dataclass
class Pool:
    """The arms of one agent, or all arms: registered, and in play (both in order of number).

    ``seats`` counts the arms ever admitted to a sample; ``left`` are those among them that were
    withdrawn, and may come back. ``bound`` is the size of a sample drawn once.
    """

    arms: list[Candidate]
    in_play: list[Candidate] = field(default_factory=list)
    seats: int = 0
    left: list[Candidate] = field(default_factory=list)
    bound: int = 0

    def outside(self) -> list[Candidate]:
        return [arm for arm in self.arms if all(arm is not one for one in self.in_play)]

    def sit_down(self, arm: Candidate) -> None:
        self.in_play = sorted([*self.in_play, arm], key=lambda one: one.number)

    def withdraw(self, arm: Candidate) -> None:
        self.arms = [one for one in self.arms if one is not arm]
        if any(one is arm for one in self.in_play):
            self.in_play = [one for one in self.in_play if one is not arm]
            self.left.append(arm)

    def register(self, arm: Candidate, sampled: bool) -> None:
        self.arms = sorted([*self.arms, arm], key=lambda one: one.number)
        comes_back = any(one is arm for one in self.left)
        self.left = [one for one in self.left if one is not arm]
        if not sampled:
            self.sit_down(arm)
        elif comes_back:
            if len(self.in_play) < self.seats:
                self.sit_down(arm)
        elif self.seats < self.bound:
            self.seats += 1
            self.sit_down(arm)


def drawn_sample(arms: list[Candidate], size: int, stream: Stream) -> list[Candidate]:
    """A uniform sample, arm by arm: each is taken with chance (missing)/(left)."""
    wanted = min(len(arms), size)
    sample: list[Candidate] = []
    for place, arm in enumerate(arms):
        missing, left = wanted - len(sample), len(arms) - place
        if missing == left or (missing > 0 and stream.one(0, SAMPLE, arm.number) * left < missing):
            sample.append(arm)
    return sample


def in_time(schedule: Schedule, horizon: int) -> list[Retire | Admit]:
    """The changes up to the horizon, by round, and as given within a round."""
    return sorted((one for one in schedule.changes if one.round <= horizon), key=lambda e: e.round)


def due(renewal: Renew | None, arm: Candidate) -> bool:
    if renewal is None:
        return False
    old = renewal.after is not None and arm.n >= renewal.after
    return old or (renewal.below is not None and arm.mean < renewal.below)


def mean_of(arm: Arm, t: int) -> float:
    return arm.mean_at(t) if isinstance(arm, Changing) else arm.mean


def reward_of(mean: float, u: float) -> float:
    return 1.0 if u >= 1 - mean else 0.0


def rh_ucb(L: float) -> Hierarchical:
    """RH-UCB with a sample of ⌊L ln T⌋ of each agent's arms."""
    return Hierarchical(ucb(robust), H, fixed=lambda T, m: L * log(T))


def drawn_order(principal: Stream, agents: int) -> list[int]:
    """The agents in a random order: Fisher and Yates, from the inside out."""
    order: list[int] = []
    for i in range(agents):
        j = int(principal.one(0, PRIORITY, i) * (i + 1))
        order.append(i)
        order[i], order[j] = order[j], i
    return order


def choices(
    market: Market,
    policy: str | Flat | Hierarchical,
    horizon: int,
    seed: int,
    repetition: int,
    schedule: Schedule | None = None,
) -> list[int]:
    """The arm of every round, as a number in registration order; Bernoulli markets only."""
    spec = {**POLICIES, **REMEMBERING}[policy] if isinstance(policy, str) else policy
    schedule = schedule or Schedule()
    events = in_time(schedule, horizon)
    renewals = {one.agent: one for one in schedule.renewals}
    principal = Stream(seed, 0, repetition)
    streams = [Stream(seed, i + 1, repetition) for i in range(len(market.agents))]
    taking_part = sum(agent.takes_part for agent in market.agents)
    principal.arms = market.originals if isinstance(spec, Flat) else taking_part
    for stream in streams:
        stream.arms = most_originals(market)
    agents = [Candidate(i) for i in range(len(market.agents))]
    pools: list[Pool] = []
    payers: list[Arm] = []
    owner: list[int] = []
    first: list[int] = []
    # By (agent, original): arms that will come, are registered, and were withdrawn, oldest first.
    coming: dict[tuple[str, int], list[Candidate]] = {}
    here: dict[tuple[str, int], list[Candidate]] = {}
    gone: dict[tuple[str, int], list[Candidate]] = {}
    for i, person in enumerate(market.agents):
        pool = Pool([])
        first.append(len(owner))
        begin = len(payers)
        for place, (paying, copies) in enumerate(zip(person.arms, person.copies, strict=True)):
            new = [Candidate(len(pool.arms) + c, original=len(payers)) for c in range(copies)]
            pool.arms += new
            owner += [i] * copies
            here[person.name, place] = list(new)
            gone[person.name, place] = []
            coming[person.name, place] = []
            payers.append(paying)
        number = len(pool.arms)
        for event in events:
            if event.agent == person.name and isinstance(event, Admit) and event.new:
                for _ in range(event.count):
                    arm = Candidate(number, original=begin + event.original)
                    coming[person.name, event.original].append(arm)
                    owner.append(i)
                    number += 1
        pools.append(pool)
    if isinstance(spec, Flat):
        everything = Pool([arm for pool in pools for arm in pool.arms])
        for (name, _), arms in [*here.items(), *coming.items()]:
            for arm in arms:
                arm.number += first[market.names.index(name)]
        arm_pools = [everything] * len(agents)
        arm_streams = [principal] * len(agents)
    else:
        arm_pools = pools
        arm_streams = streams
    sampled = spec.fixed is not None or spec.growing is not None
    for pool, stream in zip(arm_pools, arm_streams, strict=True):
        if spec.fixed is not None:
            pool.bound = max(1, math.floor(spec.fixed(horizon, market)))
            pool.in_play = drawn_sample(pool.arms, pool.bound, stream)
            pool.seats = len(pool.in_play)
        elif spec.growing is None:
            pool.in_play = list(pool.arms)
    order = list(range(len(agents)))
    if isinstance(spec, Hierarchical) and spec.priority:
        order = drawn_order(principal, len(agents))

    made = []
    for t in range(1, horizon + 1):
        while events and events[0].round == t:
            event = events.pop(0)
            key = event.agent, event.original
            pool = arm_pools[market.names.index(event.agent)]
            for _ in range(event.count):
                if isinstance(event, Retire):
                    gone[key].append(here[key].pop(0))
                    pool.withdraw(gone[key][-1])
                else:
                    here[key].append((coming if event.new else gone)[key].pop(0))
                    pool.register(here[key][-1], sampled)
        if isinstance(spec, Flat):
            pool, draws, n = arm_pools[0], Draws(principal, t), t - 1
            growth_clock = t
            clock = float(horizon if spec.clock == "T" else t)
            rule = spec.rule
        else:
            clock = horizon if spec.agent_clock == "T" else t
            with_arms = [agents[i] for i in order if pools[i].arms]
            chosen = spec.agent(with_arms, clock, Draws(principal, t, spec.priority))
            pool, n = pools[chosen.number], chosen.n
            draws = Draws(streams[chosen.number], n)
            growth_clock = n + 1 if spec.own_growth else t
            clock = {"N": max(n, 1), "N + 1": n + 1, "T": horizon}[spec.arm_clock]
            rule = spec.arm
        more = spec.growing is not None and pool.seats < max(
            1.0, spec.growing(growth_clock, market)
        )
        if (more or not pool.in_play) and len(pool.in_play) < len(pool.arms):
            outside = pool.outside()
            arm = outside[int(draws.stream.one(draws.k, PICK) * len(outside))]
            pool.seats += more
            pool.sit_down(arm)
        else:
            arm = rule(pool.in_play, clock, draws)
        if isinstance(spec, Flat):
            number = arm.number
            agent = agents[owner[number]]
        else:
            agent = chosen
            number = first[agent.number] + arm.number
        mean = mean_of(payers[arm.original], t)
        reward = reward_of(mean, streams[agent.number].one(agent.n, REWARD))
        for one in (arm, agent):
            one.n += 1
            one.s += reward
        draws.stream.history.append((arm.number, reward, draws.stream.chance))
        if isinstance(spec, Hierarchical):
            principal.history.append((agent.number, reward, principal.chance))
        made.append(number)
        if due(renewals.get(market.names[agent.number]), arm):
            pool.withdraw(arm)
            pool.left = [one for one in pool.left if one is not arm]
            arm.n, arm.s = 0, 0.0
            pool.register(arm, sampled)
    return made


# --- the game as it is served ----------------------------------------------------------------


class Served:
    """A live market under a policy that plays all arms: one decision at a time, rewards later."""

    def __init__(self, policy: str, arms: Sequence[int], horizon: int, seed: int) -> None:
        spec = POLICIES[policy]
        assert spec.fixed is None
        assert spec.growing is None
        self.spec, self.horizon, self.round = spec, horizon, 0
        self.principal = Stream(seed, 0, 0)
        self.streams = [Stream(seed, i + 1, 0) for i in range(len(arms))]
        self.agents = [Candidate(i) for i in range(len(arms))]
        first = 0
        self.arms: list[list[Candidate]] = []
        for count in arms:
            self.arms.append([Candidate(first + number) for number in range(count)])
            first += count if isinstance(spec, Flat) else 0
        self.order = list(range(len(arms)))
        if isinstance(spec, Hierarchical) and spec.priority:
            self.order = drawn_order(self.principal, len(arms))

    def ask(self, allowed: set[tuple[int, int]]) -> tuple[int, int] | None:
        """The agent and its arm among those that are allowed; None if there are none."""
        may = [
            [arm for place, arm in enumerate(arms) if (i, place) in allowed]
            for i, arms in enumerate(self.arms)
        ]
        if not any(may):
            return None
        self.round += 1
        t, spec = self.round, self.spec
        if isinstance(spec, Flat):
            clock = self.horizon if spec.clock == "T" else t
            arm = spec.rule([one for some in may for one in some], clock, Draws(self.principal, t))
            i = next(i for i, some in enumerate(may) if any(one is arm for one in some))
        else:
            clock = self.horizon if spec.agent_clock == "T" else t
            taking_part = [self.agents[i] for i in self.order if may[i]]
            i = spec.agent(taking_part, clock, Draws(self.principal, t, spec.priority)).number
            n = self.agents[i].n
            clock = {"N": max(n, 1), "N + 1": n + 1, "T": self.horizon}[spec.arm_clock]
            arm = spec.arm(may[i], clock, Draws(self.streams[i], n))
        for one in (arm, self.agents[i]):
            one.n += 1
            one.pending += 1
        return i, next(place for place, one in enumerate(self.arms[i]) if one is arm)

    def tell(self, agent: int, place: int, reward: float) -> None:
        for one in (self.arms[agent][place], self.agents[agent]):
            one.pending -= 1
            one.s += reward
