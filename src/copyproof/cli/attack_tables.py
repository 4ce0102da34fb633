"""Equilibria and attacks as plain tables, for people."""

from collections.abc import Iterator, Sequence

from rich.table import Table

from copyproof.auditing import Attacks, Equilibrium
from copyproof.auditing.equilibria import Path
from copyproof.cli import tables
from copyproof.game import Market, Profile
from copyproof.plots import limits

_TRUTHFUL = {True: "yes", False: "no", None: "undecided"}


def equilibrium_tables(market: Market, found: Sequence[Equilibrium]) -> str:
    """Return the dynamics under several policies as text."""
    return tables.printed(_equilibrium_parts(market, found))


def _equilibrium_parts(market: Market, found: Sequence[Equilibrium]) -> Iterator[str | Table]:
    first = found[0]
    gain = "0.1 % of revenue" if first.epsilon is None else f"{first.epsilon:g}"
    yield (
        f"{tables.quantity(len(market.agents), 'agent')}, at most {first.cap} copies of an arm; "
        f"{tables.quantity(first.horizon, 'round')}, seed {first.seed}\n"
        f"nobody moves for less than {gain}; all steps hold together, with "
        f"{100 * first.confidence:g} %\n"
    )
    truth, regret = "truth-telling is an equilibrium", "regret there [low, high]"
    yield tables.new_table(
        (*map(tables.text, ("policy", truth)), tables.number(regret)),
        ((one.policy, _TRUTHFUL[one.truthful], limits(one.truthful_regret)) for one in found),
    )
    for one in found:
        yield f"\n{one.policy}: where best responses lead"
        words, numbers = ("start", "ends in", "profile"), ("steps", "price of replication")
        columns = (*map(tables.text, words), *map(tables.number, numbers))
        yield tables.new_table(columns, map(_path_row, one.paths))
    yield (
        "\nprofile: copies of each agent's arms. price: the regret there less the regret if\n"
        "all register their best arm only."
    )
    if any(one.truthful is None for one in found):
        yield "undecided: a larger --budget would tell"


def _path_row(path: Path) -> tuple[str, ...]:
    profile, steps = _profile(path.profile), str(len(path.steps))
    return path.start, path.ending, profile, steps, limits(path.price)


def _profile(profile: Profile) -> str:
    shown = [",".join(map(str, strategy)) for strategy in profile[: tables.MOST_AGENTS]]
    return " | ".join(shown) + (" | ..." if len(profile) > tables.MOST_AGENTS else "")


def attack_tables(found: Sequence[Attacks]) -> str:
    """Return what attacks gain under several policies as text."""
    return tables.printed(_attack_parts(found))


def _attack_parts(found: Sequence[Attacks]) -> Iterator[str | Table]:
    first = found[0]
    yield (
        f"agent {first.agent} against the copies {_profile((first.reference,))}; "
        f"{tables.quantity(first.horizon, 'round')}, seed {first.seed}; all limits of a policy "
        f"hold together, with {100 * first.confidence:g} %"
    )
    for one in found:
        yield f"\n{one.policy}: one person as several agents"
        gains = ("gain [low, high]", "per further identity")
        yield tables.new_table(
            (tables.number("identities"), tables.word("verdict"), *map(tables.number, gains)),
            (
                (str(more.count), more.gain.verdict, limits(more.gain.gain), limits(more.each))
                for more in one.identities
            ),
        )
        if one.renewals:
            yield f"\n{one.policy}: arms withdrawn and submitted again"
            yield tables.new_table(
                (tables.text("strategy"), tables.word("verdict"), tables.number(gains[0])),
                ((gain.deviation.name, gain.verdict, limits(gain.gain)) for gain in one.renewals),
            )
    yield "\nper further identity: what verifying one must cost an attacker to stop the attack."
