"""Text and JSON forms: round trips, short names, and one clear line for what cannot be read."""

import json
import re
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from copyproof import CATALOGUE, Policy, parse_policy
from copyproof.policy import (
    KLUCB,
    UCB,
    AllArms,
    EpsilonDecreasing,
    EpsilonGreedy,
    FixedSample,
    GrowingSample,
    NamedPolicy,
    Restart,
    Rule,
    Sampling,
    Thompson,
    Trial,
    TrialArms,
    Uniform,
    fair,
    from_dict,
    row,
    to_dict,
    to_text,
)
from copyproof.validation import FieldError

NUMBERS = st.floats(0, 4, allow_subnormal=False)
POSITIVE = st.floats(1e-6, 1e6)
SHARES = st.floats(1e-6, 0.999)


def rules(*clocks: str) -> st.SearchStrategy[Rule]:
    clock: st.SearchStrategy[Any] = st.sampled_from(clocks)
    return st.one_of(
        st.builds(UCB, NUMBERS, NUMBERS, NUMBERS, clock),
        st.builds(UCB, clock=clock),
        st.builds(KLUCB, NUMBERS, clock),
        st.builds(EpsilonGreedy, st.floats(0, 1)),
        st.builds(EpsilonDecreasing, POSITIVE, clock),
        st.just(Thompson()),
        st.just(Uniform()),
    )


GROWING: st.SearchStrategy[Any] = st.sampled_from(["game", "own"])
SAMPLES: st.SearchStrategy[Sampling] = st.one_of(
    st.just(AllArms()),
    st.builds(FixedSample, st.none() | POSITIVE, NUMBERS),
    st.builds(GrowingSample, st.none() | POSITIVE, NUMBERS, GROWING),
)
TIES: st.SearchStrategy[Any] = st.sampled_from(["random", "priority"])
EPOCHS = st.none() | st.builds(Restart, st.integers(2, 10**12), st.floats(1, 10), st.floats(1.1, 3))
FLAT = st.builds(Policy, st.none(), rules("round", "horizon"), SAMPLES)
POLICIES = st.one_of(
    FLAT,
    FLAT.map(fair),
    st.builds(
        Policy,
        rules("round", "horizon"),
        rules("round", "plays", "horizon"),
        SAMPLES,
        TIES,
        EPOCHS,
    ),
    st.builds(
        Policy,
        st.builds(Trial, SHARES, SHARES, st.none() | st.integers(2, 10**6)),
        st.just(TrialArms()),
        ties=TIES,
        restart=EPOCHS,
    ),
)


@given(POLICIES)
def test_both_forms_round_trip(policy: Policy) -> None:
    assert parse_policy(str(policy)) == policy
    assert from_dict(json.loads(json.dumps(to_dict(policy)))) == policy


@given(st.sampled_from(CATALOGUE), st.data())
def test_every_row_round_trips_with_parameters(row: NamedPolicy, data: st.DataObject) -> None:
    keys = data.draw(st.sets(st.sampled_from(sorted(row.parameters)))) if row.parameters else set()
    values = st.floats(0, 1e6) | st.integers(0, 10) | st.sampled_from(["plays", "'horizon'"])
    given = ", ".join(f"{key}={data.draw(values)}" for key in sorted(keys))
    try:
        policy = parse_policy(f"{row.name}({given})")
    except FieldError:
        assume(False)
    assert parse_policy(to_text(policy)) == policy
    assert to_text(parse_policy(to_text(policy))) == to_text(policy)


@pytest.mark.parametrize("name", [row.name for row in CATALOGUE])
def test_every_row_is_known_by_its_name(name: str) -> None:
    assert parse_policy(name) == row(name).policy
    assert str(parse_policy(name)) == {"fair": "fair(ucb1)"}.get(name, name)
    assert row(name).claims
    assert row(name).citation


@pytest.mark.parametrize(
    ("text", "short"),
    [
        (" rh-ucb ( L = 3.0 ) ", "rh-ucb(L=3)"),
        ("s-ucb(l=5)", "s-ucb(l=5)"),
        ("fair", "fair(ucb1)"),
        ("fair(s-ucb(l=5))", "fair(s-ucb(l=5))"),
        ("hierarchical(ucb, ucb(clock=plays))", "h-ucb"),
        ("hierarchical(ucb(a=1, b=0.5), ucb(clock=plays))", "rh-ucb-all"),
        ("h-ucb(a=0.1)", "h-ucb(a=0.1)"),
        ("ucb1(clock='horizon')", "ucb1(clock=horizon)"),
        ("rh-ucb(L=None,)", "rh-ucb"),
    ],
)
def test_short_forms(text: str, short: str) -> None:
    assert str(parse_policy(text)) == short


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "policy = '' cannot be read at the end; write NAME or NAME(KEY=VALUE, ...)"),
        ("h-ucb)", "policy = 'h-ucb)' cannot be read at ')'; write NAME or NAME(KEY=VALUE, ...)"),
        ("rh-ucb(L=3", "policy = 'rh-ucb(L=3' cannot be read at the end; "),
        ("rh-ucb(L 3)", "policy = 'rh-ucb(L 3)' cannot be read at '3'; "),
        ("ucb2", "policy = 'ucb2' is not known; known are ucb1, s-ucb, "),
        ("h-ucb(L=3)", "policy = 'h-ucb(L=3)': L is not a parameter of h-ucb; it takes a, b, c"),
        ("prh-ucb(x=3)", "x is not a parameter of prh-ucb; it takes none"),
        ("rh-ucb(L=0)", "policy = 'rh-ucb(L=0)': L = 0.0 is not a number > 0"),
        ("rh-ucb(L=nan)", "L = nan is not a number > 0"),
        ("rh-ucb(L=1e999)", "L = inf is not a number > 0"),
        ("rh-ucb(L=many)", "L = 'many' is not a number > 0"),
        ("rh-ucb(L='3')", "L = '3' is not a number > 0"),
        ("rh-ucb(L=1" + "0" * 400 + ")", "L = 2**1328 or more is not a number > 0"),
        ("rh-ucb(L=ucb(a=1))", "L = ucb(a=1) is not a literal such as 1, 0.5, 'word'"),
        ("river:UCB(delta=1)", "policy = 'river:UCB' is not known; known are ucb1, "),
        ("river:flat(ucb)", "policy = 'river:flat' is not known; known are ucb1, "),
        ("river:fair", "policy = 'river:fair' is not known; known are ucb1, "),
        ("river:default", "policy = 'river:default' is not known; known are ucb1, "),
        ("rh-ucb(3)", "3 needs a name, as in KEY=VALUE"),
        ("rh-ucb(L=3, L=4)", "L is given twice"),
        ("epsilon-greedy(epsilon=2)", "epsilon = 2.0 is not a number in [0, 1]"),
        ("fair(h-ucb)", "fair takes a flat policy, such as ucb1"),
        ("fair(ucb1, ucb1)", "fair takes one flat policy, such as ucb1"),
        ("fair(l=3)", "l is not a parameter of fair; it takes a flat policy"),
        ("hierarchical(ucb)", "hierarchical takes 2 rules"),
        ("hierarchical(ucb, ucb, x=1)", "x is not a parameter of hierarchical"),
        ("hierarchical(ucb, foo)", "rule = 'foo' is not one of ucb, kl-ucb, "),
        ("hierarchical(ucb, ucb, sample=foo)", "sample = 'foo' is not one of all, fixed, growing"),
        (
            "hierarchical(ucb(clock=plays), ucb)",
            "agent.clock = 'plays' is not one of round, horizon",
        ),
        ("flat(ucb, ties=priority)", "ties is not a parameter of flat"),
        ("(" * 400, "cannot be read at '('"),
        ("hucb", "; did you mean 'h-ucb'?"),
        ("defualt", "; did you mean 'default'?"),
        ("s-ucb(L=5)", "L is not a parameter of s-ucb; it takes l, season; did you mean 'l'?"),
        ("flat(tompson)", "; did you mean 'thompson'?"),
        ("flat(ucb(clok=round))", "it takes a, b, c, clock; did you mean 'clock'?"),
        ("flat(ucb, sampl=all)", "it takes sample, restart; did you mean 'sample'?"),
        ("flat(ucb, sample=grow)", "all, fixed, growing; did you mean 'growing'?"),
        ("fair(" * 2000, "has 10000 characters, over 500"),
    ],
)
def test_what_cannot_be_read_is_named_in_one_line(text: str, message: str) -> None:
    with pytest.raises(FieldError, match=re.escape(message)) as caught:
        parse_policy(text)
    assert "\n" not in str(caught.value)
    assert caught.value.field == "policy"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (None, "an object with agent, arm, sampling, ties and restart is needed"),
        ({"agent": None}, "an object with agent, arm, sampling, ties and restart is needed"),
        (
            {
                "agent": None,
                "arm": {"kind": "x"},
                "sampling": {"kind": "all"},
                "ties": "random",
                "restart": None,
            },
            "arm.kind = 'x' is not one of ucb",
        ),
        (
            {
                "agent": None,
                "arm": 3,
                "sampling": {"kind": "all"},
                "ties": "random",
                "restart": None,
            },
            "arm.kind = 3 is not one of ucb",
        ),
        (
            {
                "agent": None,
                "arm": {"kind": "KLUCB"},
                "sampling": {"kind": "all"},
                "ties": "x",
                "restart": None,
            },
            "; did you mean 'kl-ucb'?",
        ),
        (
            {
                "agent": None,
                "arm": {"kind": "ucb", "z": 1},
                "sampling": {"kind": "all"},
                "ties": "random",
                "restart": None,
            },
            "z is not a parameter of ucb; it takes a, b, c, clock",
        ),
    ],
)
def test_bad_data_is_refused(data: object, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        from_dict(data)
