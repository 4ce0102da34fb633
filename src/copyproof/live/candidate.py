"""A candidate: a second policy that decides beside the first, on all that is shown.

Both policies have the same plays and rewards in their books, whoever decided: a play that the other
one chose is learnt from as if it were one's own (``engine.principal.shadow``). So the candidate
decides in round t as it would if it took over in round t, the first policy goes on learning while
the candidate decides, and going back loses nothing.

Who decides is drawn: round t goes to the candidate if u_t < s, where u_t in [0, 1) is made of the
market's seed and t alone. The same rounds that went to it at a small share do at a larger one. A
share of 0 is a shadow, one of 1 has taken over, with the first policy as its shadow.
"""

import hashlib
from collections.abc import Sequence
from itertools import groupby
from typing import Any, NamedTuple

from copyproof.live.comparison import Comparison
from copyproof.live.events import Diverged, PolicyChanged
from copyproof.live.idempotency import Answers
from copyproof.live.market import MarketState
from copyproof.live.records import MarketConfig
from copyproof.live.registry import Among
from copyproof.policy import Policy


class Request(NamedTuple):
    """A request for decisions."""

    plays: int
    at: float
    among: Among | None
    slate: bool


class Beside(NamedTuple):
    """What the journal says of decisions beside a candidate; nothing where there is none."""

    shadow: Sequence[int] | None = None
    propensities: Sequence[float] | None = None


class Candidate:
    """The second policy, and how it compares.

    Parameters
    ----------
    policy : Policy
        The policy.
    share : float
        Of the decisions that it makes.
    since : int
        The last round before.
    """

    def __init__(self, policy: Policy, share: float, since: int) -> None:
        self.policy = policy
        self.twins: list[MarketState] = []  # of each game of the market, the same under it
        self.comparison = Comparison(share, since)

    @property
    def share(self) -> float:
        """Of the decisions that it makes."""
        return self.comparison.share

    def with_share(self, share: float, since: int) -> "Candidate":
        """Return the same candidate, with another share from now on."""
        found = Candidate(self.policy, share, since)
        found.twins = self.twins
        return found

    def add_game(self, game: MarketState) -> None:
        """Follow one more game: with all its statistics, under the candidate's policy."""
        saved = {**MarketState.export(game), "keys": Answers().export()}
        twin = MarketState.restore(MarketState.words(game), saved)
        if str(self.policy) != str(game.policy):
            twin.enter(PolicyChanged(str(self.policy), twin.at))
        self.twins.append(twin)

    def draws(self, seed: int, first: int, plays: int, slate: bool) -> list[bool]:
        """Which of the next decisions the candidate makes; all or none of a slate."""
        if self.share in (0.0, 1.0):
            return [self.share == 1.0] * plays
        if slate:
            return [draw(seed, first) < self.share] * plays
        return [draw(seed, first + n) < self.share for n in range(plays)]

    def decide(
        self, game: MarketState, twin: MarketState, request: Request, draws: Sequence[bool]
    ) -> tuple[list[int], Beside]:
        """Let whoever is drawn decide, and the other one look on; the arms, for the event."""
        _, at, among, slate = request
        arms: list[int] = []
        own: list[int] = []
        for drawn, run in groupby(draws):
            decides, looks_on = (twin, game) if drawn else (game, twin)
            made = MarketState.decide(decides, len(list(run)), at, among, slate)
            own += _look_on(looks_on, made, request)
            arms += made
        return arms, self._note(arms, own, draws, slate)

    def _note(
        self, arms: Sequence[int], own: Sequence[int], draws: Sequence[bool], slate: bool
    ) -> Beside:
        """Compare decisions, and say with which probability each came to be shown."""
        agreed = [mine == shown for mine, shown in zip(own, arms, strict=True)]
        if slate and not all(agreed):
            first = agreed.index(False)
            agreed[first:] = [False] * (len(agreed) - first)
        self.comparison.decide(draws, agreed)
        share = self.share
        if share in (0.0, 1.0):
            return Beside(list(own))
        chances = [
            1.0 if same else share if drawn else 1.0 - share
            for drawn, same in zip(draws, agreed, strict=True)
        ]
        return Beside(list(own), chances)

    def export(self) -> dict[str, Any]:
        """The arrays of all twins."""
        return {
            f"{number}/{name}": rows
            for number, twin in enumerate(self.twins)
            for name, rows in twin.export().items()
            if name != "keys"
        }

    def load(
        self, words: dict[str, Any], saved: dict[str, Any], configs: Sequence[MarketConfig]
    ) -> None:
        """Take over the twins that ``export`` gave; ``words`` are the market's."""
        for number, config in enumerate(configs):
            head = f"{number}/"
            mine = {name[len(head) :]: v for name, v in saved.items() if name.startswith(head)}
            own = {**words, "config": config.to_dict(), "policy": str(self.policy)}
            mine["keys"] = Answers().export()
            self.twins.append(MarketState.restore(own, mine))


def _look_on(game: MarketState, arms: Sequence[int], request: Request) -> list[int]:
    """Let a game learn from what another policy decided; what it would have decided itself.

    All that was entered is settled. Each time it is given what was shown before.
    """
    game.gather(len(arms), request.at, request.among, request.slate)
    game._expected = list(arms)
    game._run(shadows=True)
    [outcomes] = game._outcomes
    shown, game._outcomes, game._made, game._expected = game._made, [], [], []
    game._done = 0
    game.at = max(game.at, request.at)
    if shown != list(arms):
        raise Diverged("a round was decided for an arm that is not registered")
    return [int(one) for one in outcomes["status"][len(outcomes) - len(arms) :]]


def draw(seed: int, round_: int) -> float:
    """Return u of a round, a number in [0, 1) that nobody knows without the seed.

    Examples
    --------
    >>> draws = [draw(7, t) for t in range(1, 10_001)]
    >>> sum(u < 0.1 for u in draws)
    988
    """
    key = f"share {seed}".encode()
    made = hashlib.blake2b(round_.to_bytes(8, "little"), key=key, digest_size=8).digest()
    return (int.from_bytes(made, "little") >> 11) / 2.0**53
