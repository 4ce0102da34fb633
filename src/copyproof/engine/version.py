"""The number of the engine's numerics: equal numbers, equal decisions, on every machine.

1: logarithms, exponentials and powers of the C library, and a KL index by Newton's method.
2: those of ``numerics``, and the KL index of ``bounds`` that never falls where a reward grows.
3: under ``trial`` claims grow with what an agent has earned; Thompson sampling among more than 32
   arms is drawn by other random numbers (``posteriors``).
4: n counts the agents that have an arm as an epoch begins, and not all names (``pools``); under
   ``trial`` plays fail by the arm's shortfall, and claims grow linearly with what was earned.

Results and live markets keep the number they were computed under. It moves when what is decided
from the same rewards and random numbers moves, be it in the last bit; the engine of before is not
kept.
"""

NUMERICS = 4
