r"""A mean of numbers that come one after another, with limits that hold whenever one looks.

X₁, X₂, … lie in an interval of width c. Each may depend on all before it, as the rewards of a
policy that learns do; what is estimated after n of them is the mean of their conditional
expectations, μ_n = (1/n) Σ E[X_i | X₁, …, X_{i−1}]. With x̂_i, the mean of those before the i-th,
and V = Σ (X_i − x̂_i)²,

    |X̄_n − μ_n| ≤ S(V)/n  for all n at once, with probability at least 1 − 2α,
    S(v) = √(k₁² v ℓ + k₂² c² ℓ²) + k₂ c ℓ,   ℓ = 1.4 ln(1 + log₂(v/c²)) + ln(ζ(1.4)/α),

v at least c², k₁ = (2^¼ + 2^−¼)/√2 and k₂ = (√2 + 1)/2: the empirical Bernstein bound of Howard,
Ramdas, McAuliffe and Sekhon (2021, Annals of Statistics 49: theorem 4 with the stitched boundary of
theorem 1, η = 2, s = 1.4). As it holds for all n at once, it holds at whatever n one stops to look,
and for what reasons.
"""

import math

_ALPHA = 0.025  # on each side
_K1 = (2**0.25 + 2**-0.25) / math.sqrt(2.0)
_K2 = (math.sqrt(2.0) + 1.0) / 2.0
_ZETA = 3.1055472779775810  # Σ k^−1.4


class RunningMean:
    """The mean of numbers so far, and its limits.

    Parameters
    ----------
    width : float
        c, the width of the interval in which all numbers lie.

    Examples
    --------
    >>> mean = RunningMean(1.0)
    >>> for n in range(10_000):
    ...     mean.add(float(n % 10 == 0))
    >>> round(mean.mean, 3), round(mean.margin, 3)
    (0.1, 0.013)
    """

    def __init__(self, width: float) -> None:
        self.width = width
        self.count = 0
        self.total = 0.0
        self.squares = 0.0

    def add(self, value: float) -> None:
        """Count one more."""
        before = self.total / self.count if self.count else 0.0
        self.squares += (value - before) ** 2
        self.total += value
        self.count += 1

    @property
    def mean(self) -> float:
        """Their mean; 0 before the first."""
        return self.total / self.count if self.count else 0.0

    @property
    def margin(self) -> float:
        """How far the mean may be from what is estimated, on either side."""
        if self.count == 0:
            return math.inf
        c = self.width
        v = max(self.squares, c * c)
        level = 1.4 * math.log(1.0 + math.log2(v / (c * c))) + math.log(_ZETA / _ALPHA)
        bound = math.sqrt(_K1**2 * v * level + (_K2 * c * level) ** 2) + _K2 * c * level
        return bound / self.count

    def to_list(self) -> list[float]:
        """Everything that is remembered, ready for JSON."""
        return [self.width, self.count, self.total, self.squares]

    @classmethod
    def from_list(cls, saved: list[float]) -> "RunningMean":
        """Read what ``to_list`` wrote."""
        found = cls(saved[0])
        found.count, found.total, found.squares = int(saved[1]), saved[2], saved[3]
        return found
