"""Ids of decisions: the market, the round in base 36, and a check that only this market makes.

The check keeps a mistyped id, or one of another market, from naming a decision here. It is no
secret: who may tell rewards is the business of whoever stands in front.
"""

import hashlib

from copyproof.live.records import Unknown

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class Ids:
    """Ids of one market.

    Examples
    --------
    >>> ids = Ids("m", seed=0)
    >>> ids.round(ids.id(12345), last=20000)
    12345
    """

    def __init__(self, market: str, seed: int) -> None:
        self._market = market
        self._start = hashlib.blake2b(f"{market} {seed}".encode(), digest_size=5)

    def id(self, round_: int) -> str:
        """The id of a decision."""
        return f"{self._market}-{_base36(round_)}-{self._check(round_)}"

    def round(self, decision: object, last: int, field: str = "decision") -> int:
        """The round of a decision, at most ``last``; Unknown if this is no id of this market."""
        if isinstance(decision, str) and len(decision) < 1000:
            name, _, _ = decision.rpartition("-")
            market, _, digits = name.rpartition("-")
            if market == self._market and 0 < len(digits) <= 12 and set(digits) <= set(_DIGITS):
                number = int(digits, 36)
                if 0 < number <= last and decision == self.id(number):
                    return number
        raise Unknown(field, decision)

    def _check(self, round_: int) -> str:
        digest = self._start.copy()
        digest.update(round_.to_bytes(8, "little"))
        return digest.hexdigest()


def _base36(number: int) -> str:
    """A number of at least 1 in base 36."""
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return digits
