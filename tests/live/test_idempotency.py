"""Keys and their answers come back as they were, and go when a day is over."""

import random

from copyproof.live.idempotency import KEY_SECONDS, Answers


def test_answers_round_trip_and_are_forgotten_in_order() -> None:
    rng = random.Random(1)
    answers = Answers()
    expected: dict[str, tuple[float, str, object]] = {}
    at = 1.7e9 + 1 / 3
    for n in range(2000):
        at += rng.choice([0.0, 0.1, 100.0, 1e4])
        key = f"é {n} \u2603  x"
        answer = rng.choice([True, False, None, n, [n, [1, 2]], [[n], [["counted", n / 3]]]])
        answers.put(key, at, "ab12", answer)
        expected[key] = (at, "ab12", answer)
        expected = {name: one for name, one in expected.items() if one[0] >= at - KEY_SECONDS}
        assert len(answers) == len(expected)
        if n % 100 == 0:
            saved = answers.export()
            answers = Answers()
            answers.load(saved)
            assert (answers.export() == saved).all()
    for key, (_, request, expected_answer) in expected.items():
        assert answers.get(key) == (request, expected_answer)
    assert answers.get("é 0 \u2603  x") is None


def test_without_keys_there_is_nothing_to_keep() -> None:
    answers = Answers()
    answers.load(Answers().export())
    assert len(answers) == 0
    assert answers.get("") is None
