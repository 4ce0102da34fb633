"""Which principal each name is, and who keeps a number."""

import random

import numpy as np

from copyproof.live.principals import Principals


def of(count: int) -> Principals:
    principals = Principals()
    for _ in range(count):
        principals.add()
    return principals


def test_names_are_one_under_the_lowest_number_and_get_their_own_back() -> None:
    principals = of(5)
    assert principals.is_trivial
    principals.regroup([4, 2], [2, 4])
    assert principals.number == [0, 1, 2, 3, 2]
    assert principals.are_one([4, 2])
    assert not principals.are_one([2])
    assert principals.first_name(4) == 2
    principals.regroup([4], None)
    assert principals.number == [0, 1, 2, 3, 4]
    assert principals.is_trivial


def test_who_stays_keeps_the_number() -> None:
    principals = of(3)
    principals.regroup([0, 2], [0, 2])
    principals.regroup([0], None)
    assert principals.number == [3, 1, 0]
    principals.regroup([0], [0, 1])  # and 3 is vacant now
    assert principals.number == [1, 1, 0]
    assert principals.names == [[2], [0, 1], [], []]
    assert not principals.is_trivial


def test_numbers_are_given_anew_by_first_names() -> None:
    principals = of(4)
    principals.regroup([3, 1], [1, 3])
    principals.regroup([0], None)
    principals.number_anew()
    assert principals.number == [0, 1, 2, 1]
    assert principals.names == [[0], [1, 3], [2]]
    principals.regroup([3], None)  # which never had one
    assert principals.number == [0, 1, 2, 3]


def test_a_partition_stays_one_whatever_is_bound_and_freed() -> None:
    """Bound names share a number, others do not; it is saved and restored."""
    luck = random.Random(2)
    for _ in range(50):
        principals = of(6)
        group: list[int | None] = [None] * 6
        for _ in range(30):
            if luck.random() < 0.1:
                joins = luck.choice([n for n, some in enumerate(principals.names) if some])
                mates = [group[name] for name in principals.names[joins]]
                if mates[0] is not None:
                    principals.add(joins)
                    group.append(mates[0])
            moved = luck.sample(range(len(group)), luck.randint(1, 3))
            wanted = luck.choice([None, 1, 2])
            for name in moved:
                group[name] = wanted
            together = [name for name, one in enumerate(group) if one == wanted]
            principals.regroup(moved, None if wanted is None else together)
            for one, mine in enumerate(group):
                for other, its in enumerate(group):
                    are_one = one == other or (mine is not None and mine == its)
                    assert (principals.number[one] == principals.number[other]) == are_one
            again = of(len(group))
            again.load(principals.export([False] * len(group)), len(principals.names))
            assert (again.number, again.names) == (principals.number, principals.names)
            rows = [one.export([False] * len(group)) for one in (again, principals)]
            assert np.array_equal(*rows)
