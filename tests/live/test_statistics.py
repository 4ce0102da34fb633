"""Statistics add up, and a view is of one moment."""

from copyproof.live import Principal


def test_sums_and_shares() -> None:
    principal = Principal("h-ucb")
    assert principal.statistics().agents == ()
    principal.register_arms([("ann", "a"), ("ann", "b"), ("bob", "c"), ("cid", "d")])
    for n, decision in enumerate(principal.ask(40)):
        if n % 4:
            principal.tell(decision.id, n % 2)
    principal.suspend_agent("bob")
    principal.retire_arm("ann", "a")
    all_of_it = principal.statistics()
    assert (all_of_it.plays, all_of_it.answered, all_of_it.pending) == (40, 30, 10)
    assert all_of_it.revenue == 20
    assert abs(sum(one.play_share for one in all_of_it.agents) - 1) < 1e-12
    assert abs(sum(one.revenue_share for one in all_of_it.agents) - 1) < 1e-12
    assert [one.arms for one in all_of_it.agents] == [1, 1, 1]
    assert [one.suspended for one in all_of_it.agents] == [False, True, False]
    assert all_of_it.arms == ()
    ann = principal.statistics("ann")
    assert ann.agents == all_of_it.agents[:1]
    assert ann.plays == sum(arm.plays for arm in ann.arms) == ann.agents[0].plays
    assert [(arm.arm, arm.registered, arm.in_play) for arm in ann.arms] == [
        ("a", False, False),
        ("b", True, True),
    ]
    assert type(ann.arms[0].plays) is int
    assert type(ann.arms[0].revenue) is float


def test_a_view_does_not_move() -> None:
    principal = Principal("h-ucb")
    principal.register_arms([("ann", "a"), ("bob", "b")])
    principal.ask(10)
    views = [principal.view(), principal.view("ann")]
    before = [principal.statistics(), principal.statistics("ann")]
    principal.register_arms([("ann", "x"), ("dan", "y")])
    for decision in principal.ask(10):
        principal.tell(decision.id, 1)
    assert [view.statistics() for view in views] == before
