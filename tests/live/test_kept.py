"""Keys and their answers come back as they were, and go when a day is over."""

import random

from copyproof.live.kept import KEY_SECONDS, Keys


def test_answers_round_trip_and_are_forgotten_in_order() -> None:
    rng = random.Random(1)
    keys = Keys()
    expected: dict[str, tuple[float, str, object]] = {}
    at = 1.7e9 + 1 / 3
    for n in range(2000):
        at += rng.choice([0.0, 0.1, 100.0, 1e4])
        key = f"é {n} \u2603  x"
        answer = rng.choice([True, False, None, n, [n, [1, 2]], [[n], [["counted", n / 3]]]])
        keys.put(key, at, "ab12", answer)
        expected[key] = (at, "ab12", answer)
        expected = {name: one for name, one in expected.items() if one[0] >= at - KEY_SECONDS}
        assert len(keys) == len(expected)
        if n % 100 == 0:
            saved = keys.export()
            keys = Keys()
            keys.load(saved)
            assert (keys.export() == saved).all()
    for key, (_, request, answer) in expected.items():
        assert keys.get(key) == (request, answer)
    assert keys.get("é 0 \u2603  x") is None


def test_without_keys_there_is_nothing_to_keep() -> None:
    keys = Keys()
    keys.load(Keys().export())
    assert len(keys) == 0
    assert keys.get("") is None
