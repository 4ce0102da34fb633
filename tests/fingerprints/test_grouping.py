"""Groups of alike arms."""

import numpy as np

from copyproof.fingerprints import Thresholds, alike, of_hash, of_text

WORDS = [
    f"{a}{b}"
    for a in ["bright", "calm", "deep", "early", "fresh"]
    for b in ["stone", "river", "cloud", "field"]
]


def edited(text: str, rng: np.random.Generator) -> str:
    """The text with two words changed and one misspelt."""
    words = text.split()
    for _ in range(2):
        words[rng.integers(len(words))] = str(rng.choice(WORDS))
    place = rng.integers(len(words))
    words[place] = words[place][:-1] + "x"
    return " ".join(words)


def test_edited_copies_are_found_and_others_are_not() -> None:
    rng = np.random.default_rng(1)
    sources = [" ".join(rng.choice(WORDS, 16)) for _ in range(2)]
    texts = {("ann", 0): sources[0]}
    texts |= {("ann", n): edited(sources[0], rng) for n in range(1, 50)}
    texts |= {("bob", 0): "hand made leather bags for every day", ("cid", 0): "green tea"}
    [group] = alike((key, of_text(text)) for key, text in texts.items())
    assert group.keys == tuple(("ann", n) for n in range(50))
    assert group.similarities[0] == 1.0
    assert 0.5 <= group.least < 1.0


def test_a_chain_is_not_one_group() -> None:
    chain = {n: of_hash((1 << 2 * n) - 1) for n in range(16)}  # two bits further each
    groups = alike(chain, Thresholds(hash=62 / 64))
    assert [group.keys for group in groups] == [(n, n + 1) for n in range(0, 16, 2)]


def test_many_equal_arms_are_one_group() -> None:
    made = of_text("the same text")
    [group] = alike((n, made) for n in range(20_000))
    assert len(group.keys) == 20_000


def test_nothing_alike() -> None:
    assert alike({}) == ()
    assert alike({1: of_text("one"), 2: of_text("two")}) == ()
