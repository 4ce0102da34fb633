"""Text as a set of shingles: what MinHash is taken of.

Letters are compared without case, accents and punctuation (Unicode NFKD, then letters and digits
alone), so that "Arnie Morton's" and "arnie mortons" differ by one blank. Every word is then cut
into its trigrams, with a blank before and after it: " ca", "caf", "afe", "fe ". So the order of
words does not matter, a word that is misspelt keeps most of its trigrams, and a word that is added
leaves all others as they were. The likeness of two texts is the Jaccard index of their trigrams,
J(A, B) = |A ∩ B| / |A ∪ B| (A. Z. Broder, "On the resemblance and containment of documents", 1997).
"""

import unicodedata

LETTERS = 3  # of a shingle


def plain_words(text: str) -> list[str]:
    """Words of letters and digits alone, without case and accents.

    Examples
    --------
    >>> plain_words("Café «Río», No. 5")
    ['cafe', 'rio', 'no', '5']
    """
    letters = unicodedata.normalize("NFKD", text).casefold()
    kept = (one if one.isalnum() else " " for one in letters if not unicodedata.combining(one))
    return "".join(kept).split()


def shingles(text: str) -> set[str]:
    """The trigrams of a text's words.

    Examples
    --------
    >>> sorted(shingles("Río 5"))
    [' 5 ', ' ri', 'io ', 'rio']
    """
    return set(trigrams(text))


def trigrams(text: str) -> list[str]:
    """The same in their order, each as often as it is there.

    Examples
    --------
    >>> trigrams("Aaaa")
    [' aa', 'aaa', 'aaa', 'aa ']
    """
    found: list[str] = []
    for word in plain_words(text):
        framed = f" {word} "
        found.extend(framed[at : at + LETTERS] for at in range(len(framed) - LETTERS + 1))
    return found
