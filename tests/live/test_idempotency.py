"""Keys and their answers come back as they were, and go when a day is over."""

import random

from copyproof.live.idempotency import KEY_SECONDS, MOST_CHARACTERS, Answers, AnswersCopy


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


def test_of_one_caller_so_many_characters_are_kept() -> None:
    answers, long = Answers(characters=10_000), "x" * 2000
    answers.put("quiet:1", 0.0, "ab12", long)
    for n in range(10):
        answers.put(f"loud:{n}", 1.0 + n, "ab12", long)
    kept = [n for n in range(10) if answers.get(f"loud:{n}")]
    assert kept == [6, 7, 8, 9]
    assert answers.get("quiet:1") == ("ab12", long)
    again = Answers(characters=10_000)
    again.load(answers.export())
    assert (again.export() == answers.export()).all()
    # Neither the digest's length nor the clock's makes a difference, and what goes makes room.
    again.replace_requests(lambda request: request * 20)
    again.set_clock(1.0 + 1 / 3)
    again.put("loud:10", 11.0, "ab12", 1)
    assert [n for n in range(11) if again.get(f"loud:{n}")] == [6, 7, 8, 9, 10]
    again.put("loud:11", 12.0, "ab12", "x" * 20_000)  # more than there may be: the last is kept
    assert [n for n in range(12) if again.get(f"loud:{n}")] == [11]
    again.put("loud:12", 13.0, "ab12", 1)
    assert [n for n in range(13) if again.get(f"loud:{n}")] == [12]


def test_what_is_kept_depends_on_what_came_and_not_on_when_it_was_loaded() -> None:
    rng = random.Random(2)
    straight, reloaded = (Answers(most=40, characters=5000) for _ in range(2))
    for n in range(3000):
        said = (
            f"{rng.choice('abc')}:{rng.randrange(500)}",
            float(n),
            "ab12",
            "y" * rng.choice((1, 30, 900)),
        )
        straight.put(*said)
        reloaded.put(*said)
        if n % 37 == 0:
            saved = reloaded.export()
            reloaded = Answers(most=40, characters=5000)
            reloaded.load(saved)
    assert (straight.export() == reloaded.export()).all()
    assert 30 < len(straight) < 120


def test_answers_to_rewards_in_batches_take_no_more_memory_than_others() -> None:
    answers = Answers()
    batch = [list(range(1000)), [["counted", 1.0]] * 1000]
    for n in range(MOST_CHARACTERS // 20_000 + 100):
        answers.put(f"caller:{n}", float(n), "ab" * 16, batch)
    assert len(answers.export()) < 1.1 * MOST_CHARACTERS


def test_a_copy_in_steps_is_what_there_is_at_its_end() -> None:
    rng = random.Random(3)
    answers = Answers(most=30_000)
    count = 0

    def more(some: int) -> None:
        nonlocal count
        for _ in range(some):
            answers.put(f"{rng.choice('abc')}:{count}", count / 10, "ab12", count)
            count += 1

    more(80_000)
    copy, steps = AnswersCopy(answers), 0
    while not copy.step():
        steps += 1
        more(rng.choice((0, 5, 300)))
        assert (answers.export()[:9] == answers.export()[:9]).all()  # others may copy it meanwhile
    assert 70 < steps < 300
    packed = copy.finish()
    expected = answers.export()
    more(5000)
    assert (packed() == expected).all()
    assert len(answers.export()) != len(expected)


def test_a_copy_ends_though_everything_changes() -> None:
    answers = Answers()
    for n in range(60_000):
        answers.put(f"a:{n}", float(n % 7), "ab12", n)
    copy, steps = AnswersCopy(answers), 0
    while not copy.step():
        steps += 1
        answers.replace_requests(str.swapcase)
    assert steps < 200
    packed = copy.finish()
    assert (packed() == answers.export()).all()
