"""How jobs side by side lie on a chip."""

from copyproof.devices.launch import BLOCK
from copyproof.devices.side_by_side import slowed, spreads_of


def test_long_games_have_a_multiprocessor_for_few_of_them() -> None:
    games, rounds = [280, 280, 14_000, 1400], [1_000_000, 300_000, 100_000, 1000]
    long, medium, short, least = spreads_of(games, rounds, 132)
    assert [one.threads for one in (long, medium, short, least)] == [512] * 3 + [BLOCK]
    assert long.lanes == 1
    assert long.games < medium.games < short.games
    work = sum(
        -(-count // one.games) * length * slowed(one.games)
        for count, length, one in zip(games, rounds, (long, medium, short, least), strict=True)
    )
    assert work < 132 * rounds[0] * slowed(long.games)


def test_games_of_one_job_lie_evenly() -> None:
    for count in (1, 132, 133, 2112, 12_673, 20_000):
        (one,) = spreads_of([count], [100], 132)
        assert one.games >= -(-count // 132)
        assert one.games * 132 < count + 132 * 2 * one.lanes * 2


def test_all_games_have_a_thread() -> None:
    for count in (1, 5, 17, 100, 511, 512, 10**6):
        (one,) = spreads_of([count], [100], 132)
        assert 0 < one.lanes <= 32
        assert one.warps * 32 <= one.threads
        assert one.games * 132 >= min(count, 512 * 132) or one.threads == BLOCK
