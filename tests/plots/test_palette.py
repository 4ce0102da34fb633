"""Names and colours of policies."""

from copyproof.paper.study import ABLATION, POLICIES
from copyproof.plots.palette import COLOURS, MORE_COLOURS, colour_of, name_of, names_of


def test_every_policy_of_the_study_has_its_own_name_and_colour() -> None:
    policies = {*POLICIES, *ABLATION}
    assert len({name_of(policy) for policy in policies}) == 8
    assert len({colour_of(policy) for policy in policies}) == 8
    assert not set(COLOURS.values()) & set(MORE_COLOURS)
    assert all(colour_of(name) == colour for name, colour in COLOURS.items())
    assert name_of("rh-ucb(L=22)") == "RH-UCB"
    assert name_of("something else") == "something else"


def test_long_names_that_begin_alike_keep_both_ends() -> None:
    long = "trial(c=1/50, lost=0.001, memory=500)"
    other = long.replace("500", "900")
    found = names_of([long, other, "h-ucb"])
    assert len(set(found)) == 3
    assert [name[-4:] for name in found[:2]] == ["500)", "900)"]
    assert max(map(len, found)) <= 26
