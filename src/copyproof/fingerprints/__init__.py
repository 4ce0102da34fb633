"""Fingerprints: what of an arm's content is kept, and how much two of them are alike.

Content is text, or a fingerprint made elsewhere: a 64-bit hash of an image, a set of hashes, an
embedding. Hashes are kept, and never the content. ``Index`` finds what is near something, as arms
come; ``alike`` sorts many arms into groups. That two arms are alike says nothing about who was
first, nor who is to blame: copying a rival's item makes the rival's item alike, too.
"""

from copyproof.fingerprints.grouping import Alike, alike
from copyproof.fingerprints.index import Index, Near
from copyproof.fingerprints.labelled import Point, precision_and_recall
from copyproof.fingerprints.record import (
    KINDS,
    Fingerprint,
    of_hash,
    of_hashes,
    of_text,
    of_vector,
    similarity,
)
from copyproof.fingerprints.thresholds import THRESHOLDS, Thresholds

__all__ = [
    "KINDS",
    "THRESHOLDS",
    "Alike",
    "Fingerprint",
    "Index",
    "Near",
    "Point",
    "Thresholds",
    "alike",
    "of_hash",
    "of_hashes",
    "of_text",
    "of_vector",
    "precision_and_recall",
    "similarity",
]
