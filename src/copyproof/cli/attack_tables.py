"""Equilibria and attacks as plain tables, for people."""

from collections.abc import Sequence

from copyproof.auditing import Attacks, Equilibrium
from copyproof.cli.tables import MOST_AGENTS, new_console, new_table, quantity, trimmed
from copyproof.game import Market, Profile
from copyproof.plots import limits

__all__ = ["attack_tables", "equilibrium_tables"]

_TRUTHFUL = {True: "yes", False: "no", None: "undecided"}


def equilibrium_tables(market: Market, found: Sequence[Equilibrium]) -> str:
    """Return the dynamics under several policies as text."""
    first = found[0]
    console = new_console()
    with console.capture() as text:
        gain = "0.1 % of revenue" if first.epsilon is None else f"{first.epsilon:g}"
        console.print(
            f"{quantity(len(market.agents), 'agent')}, at most {first.cap} copies of an arm; "
            f"{quantity(first.horizon, 'round')}, seed {first.seed}\n"
            f"nobody moves for less than {gain}; all steps hold together, with "
            f"{100 * first.confidence:g} %\n"
        )
        table = new_table()
        table.add_column("policy", overflow="fold")
        table.add_column("truth-telling is an equilibrium", overflow="fold")
        table.add_column("regret there [low, high]", justify="right", no_wrap=True)
        for one in found:
            regret = limits(one.truthful_regret)
            table.add_row(one.policy, _TRUTHFUL[one.truthful], regret)
        console.print(table)
        for one in found:
            console.print(f"\n{one.policy}: where best responses lead")
            table = new_table()
            for heading in ("start", "ends in", "profile"):
                table.add_column(heading, overflow="fold")
            table.add_column("steps", justify="right")
            table.add_column("price of replication", justify="right", no_wrap=True)
            for path in one.paths:
                table.add_row(
                    path.start,
                    path.ending,
                    _profile(path.profile),
                    str(len(path.steps)),
                    limits(path.price),
                )
            console.print(table)
        console.print(
            "\nprofile: copies of each agent's arms. price: the regret there less the regret if\n"
            "all register their best arm only."
        )
        if any(one.truthful is None for one in found):
            console.print("undecided: a larger --budget would tell")
    return trimmed(text.get())


def _profile(profile: Profile) -> str:
    shown = [",".join(map(str, strategy)) for strategy in profile[:MOST_AGENTS]]
    return " | ".join(shown) + (" | ..." if len(profile) > MOST_AGENTS else "")


def attack_tables(found: Sequence[Attacks]) -> str:
    """Return what attacks gain under several policies as text."""
    first = found[0]
    console = new_console()
    with console.capture() as text:
        console.print(
            f"agent {first.agent} against the copies {_profile((first.reference,))}; "
            f"{quantity(first.horizon, 'round')}, seed {first.seed}; all limits of a policy hold "
            f"together, with {100 * first.confidence:g} %"
        )
        for one in found:
            console.print(f"\n{one.policy}: one person as several agents")
            table = new_table()
            table.add_column("identities", justify="right")
            table.add_column("verdict", no_wrap=True)
            for heading in ("gain [low, high]", "per further identity"):
                table.add_column(heading, justify="right", no_wrap=True)
            for several in one.identities:
                gain = several.gain
                table.add_row(
                    str(several.count), gain.verdict, limits(gain.gain), limits(several.each)
                )
            console.print(table)
            if not one.renewals:
                continue
            console.print(f"\n{one.policy}: arms withdrawn and submitted again")
            table = new_table()
            table.add_column("strategy", overflow="fold")
            table.add_column("verdict", no_wrap=True)
            table.add_column("gain [low, high]", justify="right", no_wrap=True)
            for gain in one.renewals:
                table.add_row(gain.deviation.name, gain.verdict, limits(gain.gain))
            console.print(table)
        console.print(
            "\nper further identity: what verifying one must cost an attacker to stop the attack."
        )
    return trimmed(text.get())
