"""SMPyBandits' policies as learners; loaded by ``worker.py`` in SMPyBandits' own interpreter.

SMPyBandits numbers the arms, draws from NumPy's global generator, and has policies that must be
told the horizon. It only imports with an older NumPy than copyproof's, so this file knows nothing
of copyproof.
"""

import importlib
import inspect
import random
from typing import Any


class SmpybanditsLearner:
    """One game of a class of ``SMPyBandits.Policies``."""

    def __init__(
        self,
        arms: list[str],
        *,
        owners: dict[str, str],
        horizon: int,
        seed: int,
        kind: str,
        parameters: dict[str, Any],
    ) -> None:
        policies = importlib.import_module("SMPyBandits.Policies")
        made: Any = getattr(policies, kind, None)
        if not isinstance(made, type) or not hasattr(made, "choice"):
            raise ValueError(f"{kind} is not a class of SMPyBandits.Policies with choice()")
        if "horizon" in inspect.signature(made).parameters:
            parameters = {"horizon": horizon, **parameters}
        importlib.import_module("numpy").random.seed(seed)
        random.seed(seed)
        self.arms = arms
        self.numbers = {arm: number for number, arm in enumerate(arms)}
        self.policy: Any = getattr(policies, kind)(len(arms), **parameters)
        self.policy.startGame()

    def choose(self) -> str:
        """Return the arm that the policy names by its number."""
        return self.arms[int(self.policy.choice())]

    def learn(self, arm: str, reward: float) -> None:
        """Pass the reward on."""
        self.policy.getReward(self.numbers[arm], reward)
