"""The number of the engine's numerics: equal numbers, equal decisions, on every machine.

Results and live markets hold the number they were computed under. It moves when what is decided
from the same rewards and random numbers moves, be it in the last bit; the engine of before is not
kept. Until the first release it stays 1.
"""

NUMERICS = 1
