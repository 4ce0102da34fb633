"""The time that one round of UCB1 takes in other libraries.

Measured is one steady-state round: choose an arm, draw its Bernoulli reward, tell the policy. Every
arm has been played once before (by the library's own updates, or by its batch ``fit``), and a few
rounds are played untimed. Then blocks of rounds are timed until the given seconds have passed, but
at least `MINIMUM_ROUNDS` rounds. The means of the arms are spread evenly from 0.1 to 0.9, the last
arm being the best. Each library is used as its documentation shows:

numpy
    The plain loop of ``plain_numpy.py``: ``s/n + np.sqrt(2*np.log(t)/n)``, ``argmax``, update.
river
    ``bandit.UCB(delta=1)``, which its documentation calls UCB1: ``pull(range(arms))`` and
    ``update(arm, reward)``.
mabwiser
    ``MAB(arms, LearningPolicy.UCB1(alpha=1))``: ``fit`` once, then ``predict()`` and
    ``partial_fit([arm], [reward])``.
smpybandits
    ``Policies.UCB(arms)``: ``startGame()``, then ``choice()`` and ``getReward(arm, reward)``.

``python peers.py worker NAME``, run by the peer's own interpreter (see ``environments.py``), reads
lines ``ARMS SECONDS`` and answers each with one line of JSON: peer, version, arms, rounds, seconds,
us_per_round (all rounds) and best_us_per_round (the fastest block). Beyond the peer's largest
number of arms, where setting up or a round takes unreasonably long, the times are null. `Worker` is
the caller's end. ``python peers.py check NAME`` plays a short game of five arms and prints the
plays of each.
"""

import argparse
import importlib
import importlib.metadata
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, Self, TextIO

import numpy as np

from plain_numpy import Floats, ucb1_rounds

MINIMUM_ROUNDS = 20
BLOCKS = 20


class Game(Protocol):
    """A game of UCB1 in which every arm has been played once."""

    def play(self, rounds: int) -> None:
        """Play some rounds."""

    def plays(self) -> list[int]:
        """Return the plays of every arm so far."""


class NumpyGame:
    """The plain NumPy loop.

    Parameters
    ----------
    means
        The means of the arms.
    rng
        The source of the rewards.
    """

    def __init__(self, means: Floats, rng: np.random.Generator) -> None:
        self.means = means
        self.rng = rng
        self.s = (rng.random(len(means)) < means).astype(np.float64)
        self.n = np.ones(len(means))
        self.t = len(means) + 1

    def play(self, rounds: int) -> None:
        """Play some rounds."""
        ucb1_rounds(self.means, self.s, self.n, self.t, self.t + rounds, self.rng)
        self.t += rounds

    def plays(self) -> list[int]:
        """Return the plays of every arm so far."""
        return [int(count) for count in self.n]


class RiverGame:
    """River's UCB with delta 1.

    Parameters
    ----------
    means
        The means of the arms.
    rng
        The source of the rewards.
    """

    def __init__(self, means: Floats, rng: np.random.Generator) -> None:
        bandit = importlib.import_module("river.bandit")
        self.means: list[float] = means.tolist()
        self.rng = rng
        self.policy: Any = bandit.UCB(delta=1, seed=0)
        for arm, mean in enumerate(self.means):
            self.policy.update(arm, rng.random() < mean)

    def play(self, rounds: int) -> None:
        """Play some rounds."""
        means, rng, policy = self.means, self.rng, self.policy
        arms = range(len(means))
        for _ in range(rounds):
            arm = policy.pull(arms)
            policy.update(arm, rng.random() < means[arm])

    def plays(self) -> list[int]:
        """Return the plays of every arm so far."""
        return [self.policy._counts[arm] for arm in range(len(self.means))]


class MabwiserGame:
    """MABWiser's UCB1 with alpha 1.

    Parameters
    ----------
    means
        The means of the arms.
    rng
        The source of the rewards.
    """

    def __init__(self, means: Floats, rng: np.random.Generator) -> None:
        module = importlib.import_module("mabwiser.mab")
        self.means: list[float] = means.tolist()
        self.rng = rng
        arms = list(range(len(means)))
        self.mab: Any = module.MAB(arms, module.LearningPolicy.UCB1(alpha=1))
        self.mab.fit(arms, (rng.random(len(means)) < means).astype(int).tolist())

    def play(self, rounds: int) -> None:
        """Play some rounds."""
        means, rng, mab = self.means, self.rng, self.mab
        for _ in range(rounds):
            arm = mab.predict()
            mab.partial_fit([arm], [int(rng.random() < means[arm])])

    def plays(self) -> list[int]:
        """Return the plays of every arm so far."""
        counts = self.mab._imp.arm_to_count
        return [int(counts[arm]) for arm in range(len(self.means))]


class SmpybanditsGame:
    """SMPyBandits' UCB, whose index is UCB1's.

    Parameters
    ----------
    means
        The means of the arms.
    rng
        The source of the rewards.
    """

    def __init__(self, means: Floats, rng: np.random.Generator) -> None:
        policies = importlib.import_module("SMPyBandits.Policies")
        self.means: list[float] = means.tolist()
        self.rng = rng
        self.policy: Any = policies.UCB(len(means))
        self.policy.startGame()
        for arm, mean in enumerate(self.means):
            self.policy.getReward(arm, rng.random() < mean)

    def play(self, rounds: int) -> None:
        """Play some rounds."""
        means, rng, policy = self.means, self.rng, self.policy
        for _ in range(rounds):
            arm = policy.choice()
            policy.getReward(arm, rng.random() < means[arm])

    def plays(self) -> list[int]:
        """Return the plays of every arm so far."""
        return [int(count) for count in self.policy.pulls]


# Per peer: its game, the name of its distribution, and the most arms that it is asked to play.
PEERS: dict[str, tuple[Callable[[Floats, np.random.Generator], Game], str, int]] = {
    "numpy": (NumpyGame, "numpy", 1_000_000),
    "river": (RiverGame, "river", 100_000),
    "mabwiser": (MabwiserGame, "mabwiser", 10_000),
    "smpybandits": (SmpybanditsGame, "SMPyBandits", 1_000_000),
}


def start(peer: str, arms: int) -> Game:
    """Return a game in which every arm has been played once.

    Parameters
    ----------
    peer
        One of the keys of `PEERS`.
    arms
        The number of arms.

    Returns
    -------
    Game
        The game.
    """
    return PEERS[peer][0](np.linspace(0.1, 0.9, arms), np.random.default_rng(arms))


def timed(game: Game, rounds: int) -> float:
    """Play some rounds and return the seconds that they took."""
    begin = time.perf_counter()
    game.play(rounds)
    return time.perf_counter() - begin


def measure(game: Game, seconds: float) -> tuple[int, float, float]:
    """Time blocks of rounds.

    Parameters
    ----------
    game
        The game to go on with.
    seconds
        The time to spend, apart from the warm-up and from the least number of rounds.

    Returns
    -------
    rounds
        The number of timed rounds.
    spent
        The seconds that they took.
    best
        The seconds per round of the fastest block.
    """
    block = 1
    while timed(game, block) < seconds / BLOCKS:
        block *= 2
    rounds, spent, best = 0, 0.0, float("inf")
    while spent < seconds or rounds < MINIMUM_ROUNDS:
        elapsed = timed(game, block)
        rounds += block
        spent += elapsed
        best = min(best, elapsed / block)
    return rounds, spent, best


def work(peer: str, answers: TextIO) -> None:
    """Answer the requests on standard input, one line of JSON each.

    The latest game is kept, so that asking again for the same number of arms goes on with it.

    Parameters
    ----------
    peer
        One of the keys of `PEERS`.
    answers
        Where the answers go.
    """
    _, distribution, largest = PEERS[peer]
    version = importlib.metadata.version(distribution)
    game: Game | None = None
    current = 0
    for line in sys.stdin:
        arms, seconds = int(line.split()[0]), float(line.split()[1])
        answer: dict[str, Any] = {"peer": peer, "version": version, "arms": arms, "rounds": 0}
        if arms > largest:
            answer |= {"seconds": None, "us_per_round": None, "best_us_per_round": None}
        else:
            if game is None or arms != current:
                game = None  # frees the previous game first
                game, current = start(peer, arms), arms
            rounds, spent, best = measure(game, seconds)
            answer |= {"rounds": rounds, "seconds": spent}
            answer |= {"us_per_round": 1e6 * spent / rounds, "best_us_per_round": 1e6 * best}
        print(json.dumps(answer), file=answers, flush=True)


class Worker:
    """A peer in a process of its own, run by its own interpreter.

    Parameters
    ----------
    peer
        One of the keys of `PEERS`.
    python
        The interpreter of the peer's environment.
    """

    def __init__(self, peer: str, python: Path) -> None:
        self.process = subprocess.Popen(
            [str(python), str(Path(__file__).resolve()), "worker", peer],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.peer = peer

    def measure(self, arms: int, seconds: float) -> dict[str, Any]:
        """Return the worker's answer to one request.

        Parameters
        ----------
        arms
            The number of arms.
        seconds
            The time to spend on timed rounds.

        Returns
        -------
        dict
            The answer; see the module's description.

        Raises
        ------
        RuntimeError
            When the worker ended instead of answering.
        """
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(arms, seconds, file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the worker of {self.peer} ended without an answer")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        """End the worker."""
        self.process.communicate()

    def __enter__(self) -> Self:
        """Return the worker itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the worker."""
        self.close()


def main() -> None:
    """Run the worker or the check that the command line asks for."""
    parser = argparse.ArgumentParser(description="Time one round of UCB1 in other libraries.")
    parser.add_argument("command", choices=("worker", "check"))
    parser.add_argument("peer", choices=sorted(PEERS))
    options = parser.parse_args()
    # Some libraries print on import: only answers may reach the real standard output.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 1)
    if options.command == "worker":
        work(options.peer, answers)
    else:
        game = start(options.peer, 5)
        game.play(5_000)
        print(json.dumps({"peer": options.peer, "plays": game.plays()}), file=answers, flush=True)


if __name__ == "__main__":
    main()
