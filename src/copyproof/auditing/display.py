"""Audits, equilibria and attacks as people see them: data frames, and tables in notebooks.

Every frame opens with policy, market, seed and horizon.
"""

import math
from typing import TYPE_CHECKING, Any, TypeAlias

from copyproof.plots.numbers import limits
from copyproof.validation import shortened

if TYPE_CHECKING:
    import pandas as pd

    from copyproof.auditing.attacks import Attacks
    from copyproof.auditing.equilibria import Equilibrium
    from copyproof.auditing.result import Audit, Gain

Examined: TypeAlias = "Audit | Attacks | Equilibrium"


def examined(found: Examined) -> str:
    """The policy, the market and the size of the games, on one line."""
    played = f"{shortened(found.policy)} on {shortened(found.market.label)}"
    return f"{played}: T = {found.horizon:,}, seed {found.seed}"


def audit_frame(audit: "Audit") -> "pd.DataFrame":
    """What ``Audit.to_frame`` returns."""
    import pandas as pd

    rows = [
        _identity(audit)
        | {
            "agent": agent.name,
            "deviation": gain.deviation.name,
            "copies": str(list(gain.copies)),
            "arms": sum(gain.copies),
            "copying": gain.deviation.replicates(agent.reference),
        }
        | _gain_columns(gain)
        for agent in audit.parties
        for gain in (*agent.copying, *agent.showing)
    ]
    return pd.DataFrame(rows)


def audit_html(audit: "Audit") -> str:
    """What a notebook shows of an audit: a row for each agent."""
    from copyproof.pages import notebook_table

    rows = []
    for agent in audit.parties:
        best = agent.best_deviation
        copies = shortened(str(list(best.copies)), 30)
        rows.append([agent.name, agent.verdict, copies, limits(best.gain)])
    return notebook_table(
        ["agent", "verdict", "best deviation", "its gain"],
        rows,
        title=f"{examined(audit)}: {audit.verdict}",
        notes=[*filter(None, [_with_confidence(audit), _hiding(audit), audit.why_undecided])],
        words=["verdict", "best deviation"],
    )


def _hiding(audit: "Audit") -> str:
    """What hiding or showing arms surely gains, without any copy."""
    from copyproof.auditing.report.captions import without_copies_words

    return without_copies_words(audit).strip()


def attacks_frame(found: "Attacks") -> "pd.DataFrame":
    """What ``Attacks.to_frame`` returns."""
    import pandas as pd

    tried = [("identities", one.gain) for one in found.identities]
    tried += [("renewal", gain) for gain in found.renewals]
    rows = [
        _identity(found)
        | {"agent": found.agent, "attack": attack, "deviation": gain.deviation.name}
        | _gain_columns(gain)
        for attack, gain in tried
    ]
    return pd.DataFrame(rows)


def attacks_html(found: "Attacks") -> str:
    """What a notebook shows of attacks: a row for each."""
    from copyproof.pages import notebook_table

    gains = [*(one.gain for one in found.identities), *found.renewals]
    rows = [[gain.deviation.name, gain.verdict, limits(gain.gain)] for gain in gains]
    title = f"Attacks by {found.agent}: {examined(found)}"
    head, notes = ["attack", "verdict", "gain"], [_with_confidence(found)]
    return notebook_table(head, rows, title=title, notes=notes, words=["verdict"])


def equilibrium_frame(found: "Equilibrium") -> "pd.DataFrame":
    """What ``Equilibrium.to_frame`` returns."""
    import pandas as pd

    rows = [
        _identity(found)
        | {
            "start": path.start,
            "ending": path.ending,
            "moves": len(path.steps),
            "profile": str([list(strategy) for strategy in path.profile]),
            "regret": path.regret.mean,
            "regret_low": path.regret.low,
            "regret_high": path.regret.high,
            "price": path.price.mean,
            "price_low": path.price.low,
            "price_high": path.price.high,
        }
        for path in found.paths
    ]
    return pd.DataFrame(rows)


def equilibrium_html(found: "Equilibrium") -> str:
    """What a notebook shows of best responses: a row for each start."""
    from copyproof.pages import notebook_table

    rows = [
        [path.start, path.ending, str(len(path.steps)), limits(path.regret), limits(path.price)]
        for path in found.paths
    ]
    answers = {True: "yes", False: "no", None: "undecided"}
    notes = [
        f"The best arm only is an equilibrium: {answers[found.truthful]}.",
        _with_confidence(found),
    ]
    head = ["start", "ending", "moves", "regret", "price of replication"]
    return notebook_table(head, rows, title=examined(found), notes=notes, words=["ending"])


def _identity(found: Examined) -> dict[str, Any]:
    """What was examined, as the first columns of every frame."""
    return {
        "policy": found.policy,
        "market": found.market.label,
        "seed": found.seed,
        "horizon": found.horizon,
    }


def _gain_columns(gain: "Gain") -> dict[str, Any]:
    return {
        "gain": gain.gain.mean,
        "low": gain.gain.low,
        "high": gain.gain.high,
        "verdict": gain.verdict,
        "loss": gain.loss.mean,
        "advantage": math.nan if gain.advantage is None else gain.advantage.value,
        "repetitions": gain.repetitions,
    }


def _with_confidence(found: Examined) -> str:
    return f"In brackets: limits that hold together with {100 * found.confidence:g} %."
