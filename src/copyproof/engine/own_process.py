"""One agent's own process against a fixed rival: a weighted ensemble of copies of its state.

Under a policy whose agent index is made of the agent's own rewards, T and n, the agent's plays,
arms and rewards are a process of its own: the others only decide when its next play comes. Here it
meets a rival whose index stays at V. It is *lost* when its index falls below V.

A weighted ensemble (Huber and Kim, 1996) makes that event frequent without making it likelier. Many
walkers, each a whole ``State`` with a weight, play side by side. At fixed numbers of own plays they
are sorted into bins by how near they seem to be to the loss, and within a bin as many new walkers
as are wanted are drawn from the old ones in proportion to their weights, all of one weight. The
weight of every bin stays what it was, and so does the expectation of everything: the weight that is
lost has the probability P(lost) as its mean, whatever the bins are.

Bins go by bad luck: how many of its plays went to arms that are not *good* (mean above V), how low
the sum of its rewards is, how low its index, how few good arms it has found. Each measure ranks the
walkers; the share of all weight that is at least as unlucky is a walker's tail, and its bin is the
k with 2^(−k−1) < tail ≤ 2^(−k) for the smallest of its tails. So every bin holds walkers that are
twice as rare as those of the one before, and none has to know the policy.

A walker is *safe*, and stops, when the mean r of its last half of plays, w of them, is above V with
w·kl(min(r, μ), V) ≥ ``safe``: as long as later plays pay r on average, their mean since then ever
falls to V with probability at most e^(−safe) (Ville's inequality), and the index is not below it.

Every draw is keyed: a walker's stream has a key made of the run's and of its descent.
"""

from typing import Any, NamedTuple

import numpy as np

from copyproof.engine.bounds import bernoulli_kl
from copyproof.engine.cache import inlined, kernel, part
from copyproof.engine.plan import Plan
from copyproof.engine.pools import reset
from copyproof.engine.principal import Observation, choose, observe
from copyproof.engine.quantiles import Rewards, reward
from copyproof.engine.rules import Turn, index, read_clock
from copyproof.engine.state import ABSENT, OUTSIDE, State
from copyproof.engine.streams import REWARD, SPLIT, branch_key, uniform

BINS = 20
MEASURES = 4  # of bad luck
HALF = 8  # stops from a number of plays to twice as many
ATTEMPTS = 64  # at a sample that holds a good arm

# What a run comes to, in weights; and how many own plays it took.
LOST, SAFE, UNDECIDED, PLAYS = 0, 1, 2, 3


class Question(NamedTuple):
    """What is asked of one agent."""

    agent: int
    rival: float  # V
    best: float  # μ
    safe: float
    good: Any  # per original: 1 if its mean is above V
    stops: Any  # own plays at which walkers are sorted; the last one ends the run
    bins: int  # at most BINS; the last one holds everything that is rarer than the one before
    walkers: int  # of a bin
    no_good: float  # the probability of a sample with no good arm, where that is split off


class Ensemble(NamedTuple):
    """Memory for walkers. Between stops, those of one side become those of the other."""

    words: Any  # all of the state and of ``sums``, which are views of it
    sums: Any  # of the rewards up to each stop
    states: Any  # side × walker × words
    drawn: Any  # of each walker that sets out: the one whose state it takes over
    weights: Any  # of each walker that sets out
    survivors: Any  # weights of the walkers that have come to a stop
    luck: Any  # measure × survivor: larger is worse
    bins: Any  # of the survivors


@kernel
def play_ensembles(
    plan: Plan,
    state: State,
    rewards: Rewards,
    question: Question,
    ensemble: Ensemble,
    first_run: int,
    results: np.ndarray,
    control: np.ndarray,
    worker: int,
) -> None:
    """Play as many runs as ``results`` has rows; it, ``state`` and ``ensemble`` are modified.

    ``control[0]`` is the wish to stop, read for every walker; ``control[1 + worker]`` counts runs.
    """
    for row in range(results.shape[0]):
        found = results[row]
        found[:] = 0.0
        run = first_run + row
        count = _begin(plan, state, question, ensemble, run)
        for stop in range(question.stops.shape[0]):
            source = ensemble.states[stop % 2]
            target = ensemble.states[1 - stop % 2]
            alive = 0
            for walker in range(count):
                if control[0] != 0:
                    return
                _copy(source[ensemble.drawn[walker]], ensemble.words)
                _new_branch(state, question.agent, walker)
                before = state.items[question.agent].plays
                end = _walk(plan, state, rewards, question, ensemble.sums, stop, run)
                found[PLAYS] += state.items[question.agent].plays - before
                if end >= 0:
                    found[end] += ensemble.weights[walker]
                    continue
                ensemble.survivors[alive] = ensemble.weights[walker]
                ensemble.luck[0, alive] = _bad_plays(state, question)
                ensemble.luck[1, alive] = -state.items[question.agent].total
                ensemble.luck[2, alive] = -_index(plan, state, question)
                ensemble.luck[3, alive] = -_good_in_play(state, question)
                _copy(ensemble.words, target[alive])
                alive += 1
            _sort(ensemble, alive, question.bins)
            count = _draw(state, question.walkers, ensemble, alive, stop, run)
        control[1 + worker] += 1


@part
def _copy(source: Any, target: Any) -> None:
    for word in range(target.shape[0]):
        target[word] = source[word]


@inlined
def _new_branch(state: State, agent: int, branch: int) -> None:
    """Give a walker a stream of its own."""
    keys = state.keys[agent + 1]
    keys[0], keys[1] = branch_key(keys[0], keys[1], branch)


@part
def _begin(plan: Plan, state: State, question: Question, ensemble: Ensemble, run: int) -> int:
    """Lay out the first walkers of a run; how many.

    If a sample without a good arm is split off, half of them have such a sample.
    """
    splits = question.no_good > 0.0
    count = 2 * question.walkers if splits else question.walkers
    for walker in range(count):
        without = splits and walker < question.walkers
        for number in range(state.order.shape[0], state.items.shape[0]):
            if state.items[number].owner == question.agent:
                hidden = without and question.good[state.items[number].original] != 0
                state.start[number] = ABSENT if hidden else OUTSIDE
        for attempt in range(ATTEMPTS):
            reset(plan, state, (run * count + walker) * ATTEMPTS + attempt)
            if not splits or without or _good_in_play(state, question) > 0:
                break
        weight = 1.0 / question.walkers
        if splits:
            weight *= question.no_good if without else 1.0 - question.no_good
        ensemble.weights[walker] = weight
        ensemble.drawn[walker] = walker
        _copy(ensemble.words, ensemble.states[0, walker])
    return count


@part
def _good_in_play(state: State, question: Question) -> int:
    """How many good arms are in the agent's sample."""
    pool = state.pools[question.agent + 1]
    count = 0
    for number in range(pool.first, pool.first + pool.items):
        if state.place[number] >= 0 and question.good[state.items[number].original] != 0:
            count += 1
    return count


@part
def _walk(
    plan: Plan,
    state: State,
    rewards: Rewards,
    question: Question,
    sums: Any,
    stop: int,
    run: int,
) -> int:
    """Play up to a stop: LOST, SAFE or UNDECIDED, or −1 if the walker goes on."""
    agent = question.agent
    until = question.stops[stop]
    keys = state.keys[agent + 1]
    while state.items[agent].plays < until:
        k = state.items[agent].plays
        _, arm, place = choose(plan, state, k + 1, run, None)
        u = uniform(keys[0], keys[1], k, REWARD, 0, run)
        paid = reward(rewards, state.items[arm].original, u, k + 1)  # means do not change here
        observe(plan, state, agent, arm, place, Observation(1, 1, paid))
        if _index(plan, state, question) < question.rival:
            return LOST
    sums[stop] = state.items[agent].total
    if stop >= HALF:
        w = until - question.stops[stop - HALF]
        r = min((sums[stop] - sums[stop - HALF]) / w, question.best)
        if r > question.rival and w * bernoulli_kl(r, question.rival) >= question.safe:
            return SAFE
    return UNDECIDED if stop == question.stops.shape[0] - 1 else -1


@inlined
def _index(plan: Plan, state: State, question: Question) -> float:
    """The agent's index; −∞ is a short answer for one that is certain to be below V."""
    plays = state.items[question.agent].plays
    turn = Turn(plays + 1, plays, plays + 1, state.epoch[0].horizon, 0)
    _, x = read_clock(plan.agent, turn)
    if plan.agent.is_line:
        top = state.pools[0]
        leaf = state.nodes[top.base + top.cap + state.place[question.agent]]
        return float(leaf.height + leaf.slope * x)
    return index(plan.agent, state, 0, question.agent, turn, x, question.rival)


@part
def _bad_plays(state: State, question: Question) -> int:
    """How many of the agent's plays went to arms that are not good."""
    pool = state.pools[question.agent + 1]
    plays = 0
    for number in range(pool.first, pool.first + pool.items):
        item = state.items[number]
        if question.good[item.original] == 0:
            plays += item.plays
    return plays


@part
def _sort(ensemble: Ensemble, alive: int, bins: int) -> None:
    """Give the survivors their bins, by the smallest of their tails."""
    for survivor in range(alive):
        least = 1.0
        for measure in range(MEASURES):
            luck = ensemble.luck[measure]
            tail = 0.0
            for other in range(alive):
                if luck[other] >= luck[survivor]:
                    tail += ensemble.survivors[other]
            least = min(least, tail)
        bin_ = 0
        while bin_ < bins - 1 and least <= 0.5:
            least *= 2.0
            bin_ += 1
        ensemble.bins[survivor] = bin_


@part
def _draw(state: State, walkers: int, ensemble: Ensemble, alive: int, stop: int, run: int) -> int:
    """Draw who sets out from a stop, bin by bin, in proportion to weights; how many.

    Systematic resampling: a bin's weight is cut into ``walkers`` equal pieces, and whoever holds
    the point at the share u of a piece is drawn for it.
    """
    count = 0
    for bin_ in range(BINS):
        total = 0.0
        last = -1
        for survivor in range(alive):
            if ensemble.bins[survivor] == bin_:
                total += ensemble.survivors[survivor]
                last = survivor
        piece = total / walkers
        u = uniform(state.keys[0, 0], state.keys[0, 1], stop, SPLIT, bin_, run)
        taken = 0
        passed = 0.0
        for survivor in range(last + 1):
            if ensemble.bins[survivor] != bin_:
                continue
            passed += ensemble.survivors[survivor]
            while taken < walkers and (survivor == last or (taken + u) * piece < passed):
                ensemble.drawn[count] = survivor
                ensemble.weights[count] = piece
                taken += 1
                count += 1
    return count
