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


def test_of_one_caller_the_last_answers_are_kept_and_others_lose_nothing() -> None:
    answers = Answers(most=3)
    answers.put("quiet:1", 0.0, "ab12", 1)
    answers.put("a key without a caller", 0.0, "ab12", 1)
    for n in range(10):
        answers.put(f"loud:{n}", 1.0 + n, "ab12", n)
    assert len(answers) == 5
    assert [n for n in range(10) if answers.get(f"loud:{n}")] == [7, 8, 9]
    answers.put("loud:7", 12.0, "ab12", 7)  # once more: its place stays
    answers.put("loud:3", 13.0, "ab12", 3)  # forgotten, so it comes last
    assert [n for n in range(10) if answers.get(f"loud:{n}")] == [3, 8, 9]
    assert answers.get("quiet:1") == ("ab12", 1)
    again = Answers(most=2)
    again.load(answers.export())
    assert [n for n in range(10) if again.get(f"loud:{n}")] == [3, 9]
    again.put("quiet:2", KEY_SECONDS + 11.5, "ab12", 2)
    assert [n for n in range(10) if again.get(f"loud:{n}")] == [3]
    assert len(again) == 2
