"""Names and colours of policies."""

from copyproof.paper.study import ABLATION, POLICIES
from copyproof.plots.palette import COLOURS, MORE_COLOURS, colour_of, name_of


def test_every_policy_of_the_study_has_its_own_name_and_colour() -> None:
    policies = {*POLICIES, *ABLATION}
    assert len({name_of(policy) for policy in policies}) == 8
    assert len({colour_of(policy) for policy in policies}) == 8
    assert not set(COLOURS.values()) & set(MORE_COLOURS)
    assert name_of("grace(doubt=1)") == "Grace"
    assert colour_of("grace") not in {*COLOURS.values(), *MORE_COLOURS}
    assert all(colour_of(name) == colour for name, colour in COLOURS.items())
    assert name_of("rh-ucb(L=22)") == "RH-UCB"
    assert name_of("something else") == "something else"
