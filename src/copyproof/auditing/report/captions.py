"""What an audit found, in words."""

import math
from collections.abc import Iterable, Sequence

from copyproof.auditing import AgentAudit, Audit, Gain
from copyproof.game import (
    NEUTRAL,
    Agent,
    Arm,
    Bernoulli,
    BetaPrior,
    Drift,
    ListPrior,
    Market,
    Piecewise,
    Strategy,
    UniformPrior,
)
from copyproof.game.discount import Constant, Discount, Explicit, Geometric
from copyproof.game.utility import Custom, Neutral, RiskAverse, RiskSeeking, Utility
from copyproof.plots import brief, limits
from copyproof.simulation import Interval

# Entries of a prior's list that are repeated.
_MOST_LISTED = 5
# What an audit means of agents who know only a prior, and where means change.
_DRAWN = (
    "Means that have a prior are drawn anew for every game, the same for both strategies: gains "
    "are expectations over the draw. That copies never pay is proven for agents who know their "
    "means alone: whether they pay an agent who knows only a prior is measured here."
)
_CHANGING = (
    "Means change during the game: the loss of a round is to the best arm of that very round. That "
    "nothing pays more than the best arm alone is proven for means that do not change."
)


def remarks(market: Market) -> str | None:
    """What has to be said of audits of such a market; None for known means that do not change."""
    if market.has_changing_means:
        return _CHANGING
    return _DRAWN if market.has_priors else None


def verdict_words(audit: Audit, name: str) -> str:
    """What was found of a policy, in a few sentences."""
    return f"{_copying_words(audit, name)}{without_copies_words(audit)}"


def _copying_words(audit: Audit, name: str) -> str:
    gains = [(agent, gain) for agent in audit.parties for gain in agent.copying]
    match audit.verdict:
        case "prone":
            who = [agent for agent in audit.agents if agent.verdict == "prone"]
            if not who:
                return _coalition_words(audit, name)
            agent = max(who, key=lambda one: one.best_deviation.gain.mean)
            best = agent.best_deviation
            share = share_text(agent, best, audit.market)
            return (
                f"{name} pays for copies: {len(who)} of {len(audit.agents):,} audited "
                f"agent{'' if len(audit.agents) == 1 else 's'} "
                f"gain{'s' if len(who) == 1 else ''} by copying. {agent.name} gains most, "
                f"{limits(best.gain)}{f' ({share} of its revenue)' if share != '–' else ''}, with "
                f"the strategy “{best.deviation.name}”; that {_regret_words(best.loss)}. Further "
                f"fee per arm that would stop it: {fee_words(agent)}."
            )
        case "no-gain":
            most = max(gain.gain.high for _, gain in gains)
            return (
                f"{name} does not pay for the copies that were tried: all {len(gains)} gains by "
                f"copying are within the tolerance, and none is above {brief(most)}."
            )
        case "unchanged":
            games = max(gain.repetitions for _, gain in gains)
            return (
                f"{name} plays the same with and without the copies that were tried: in {games:,} "
                "games, no play differs wherever limits leave a gain open."
            )
        case "undecided":
            still = [agent.name for agent, gain in gains if gain.verdict == "undecided"]
            names = ", ".join(dict.fromkeys(still))
            return (
                f"{name} is undecided: of {len(gains)} gains by copying, {len(still)} may be 0 or "
                f"more than the tolerance ({names}), and no other is surely above 0: "
                f"{audit.why_undecided}. {audit.rounds:,} of {audit.budget:,} rounds were played."
            )


def _coalition_words(audit: Audit, name: str) -> str:
    """What two agents gain who copy at once, where no agent gains alone."""
    who = [one for one in audit.coalitions if one.verdict == "prone"]
    pair = max(who, key=lambda one: one.best_deviation.gain.mean)
    best = pair.best_deviation
    return (
        f"{name} pays for copies where two agents copy at once: {pair.name} gain "
        f"{limits(best.gain)} in all, with the strategy “{best.deviation.name}”."
    )


def without_copies_words(audit: Audit) -> str:
    """What hiding or showing arms surely gains, which is not copying; nothing if nobody gains.

    Examples
    --------
    >>> from copyproof import Agent, audit
    >>> market = Market([Agent("ann", [0.75, 0.25]), Agent("bob", [0.5])])
    >>> found = audit(market, "h-ucb", agent="ann", reference="honest", horizon=8, most_copies=2)
    >>> without_copies_words(found)
    ' Without any copy, “best × 1” gains ann 1.12762.'
    """
    gains = [
        (agent, best)
        for agent in audit.agents
        if (best := agent.without_copies) is not None and best.verdict == "prone"
    ]
    if not gains:
        return ""
    agent, best = max(gains, key=lambda one: one[1].gain.mean)
    return f" Without any copy, “{best.deviation.name}” gains {agent.name} {limits(best.gain)}."


def _regret_words(loss: Interval) -> str:
    if loss.high < 0:
        less = Interval(-loss.mean, -loss.high, -loss.low)
        return f"lowers the principal's regret by {limits(less)}"
    return f"raises the principal's regret by {limits(loss)}"


def attitudes(agent: AgentAudit) -> str:
    """Whether, of all copying, some strategy without copies is as good for every attitude."""
    found = [None if one.advantage is None else one.advantage.dominated for one in agent.copying]
    if False in found:
        return "not every attitude"
    return "open" if None in found else "every risk attitude"


def fee_words(agent: AgentAudit) -> str:
    """The smallest further fee per arm that stops an agent, and one that surely does."""
    fee = agent.fee
    if not math.isfinite(fee.high):
        return "none known"
    if fee.high <= 0:
        return "0"
    return " to ".join(dict.fromkeys([brief(fee.mean), brief(fee.high)]))


def share_text(agent: AgentAudit, gain: Gain, market: Market) -> str:
    """A gain as a share of the reference's revenue, where that makes sense."""
    if agent.name not in market.names:
        return "–"
    if market.agent(agent.name).utility != NEUTRAL or not agent.revenue > 0:
        return "–"
    return gain_text(gain.gain.mean / agent.revenue, relative=True)


def arm_words(agent: Agent) -> str:
    """The means of an agent's arms, with their copies."""
    parts = []
    for arm, count in zip(agent.arms, agent.copies, strict=True):
        parts.append(f"{_arm_words(arm)} {f'× {count:,}' if count else 'hidden'}")
    return ", ".join(parts)


def _arm_words(arm: Arm) -> str:
    match arm:
        case Bernoulli(mean):
            return f"{mean:g}"
        case BetaPrior(alpha, beta):
            return f"drawn from Beta({alpha:g}, {beta:g})"
        case UniformPrior(low, high):
            return f"drawn from [{low:g}, {high:g}]"
        case ListPrior(means):
            shown = ", ".join(f"{mean:g}" for mean in means[:_MOST_LISTED])
            return f"one of {shown}{', …' if len(means) > _MOST_LISTED else ''}"
        case Piecewise() | Drift():
            steps = ", ".join(f"{mean:g} from round {begin:,}" for begin, mean, _ in arm.knots)
            return f"{type(arm).__name__.lower()} ({steps})"
        case _:
            return f"{type(arm).__name__} {arm.mean:g}"


def utility_words(utility: Utility) -> str:
    """An attitude to risk."""
    match utility:
        case Neutral():
            return "risk-neutral"
        case RiskAverse(power):
            return f"risk-averse: revenue to the power {power:g}"
        case RiskSeeking(power):
            return f"risk-seeking: revenue to the power {power:g}"
        case Custom(name):
            return f"its own: {name}"


def discount_words(discount: Discount) -> str:
    """How late rewards count."""
    match discount:
        case Constant():
            return "All rounds count the same."
        case Geometric(factor):
            return f"Rewards of round t count {factor:g} to the power t − 1."
        case Explicit(weights):
            return f"Rewards count by weights, from {weights[0]:g} to {weights[-1]:g}."


def best_only(agent: Agent, copies: Strategy) -> int | None:
    """How often a strategy registers the agent's best arm; None if it registers another one.

    For an agent who does not know its best arm: how often it registers every arm; None if one is
    registered more often than another.

    Examples
    --------
    >>> best_only(Agent("ann", [0.2, 0.5]), (0, 7))
    7
    """
    if not agent.knows_best_arm:
        return copies[0] if len(set(copies)) == 1 else None
    count = copies[agent.best_arm]
    return count if count == sum(copies) else None


def copied_words(agents: Iterable[Agent]) -> str:
    """What figures count the copies of.

    Examples
    --------
    >>> copied_words([Agent("ann", [0.2, 0.5])])
    'the best arm'
    """
    found = {"the best arm" if one.knows_best_arm else "every arm" for one in agents}
    return " or ".join(sorted(found, reverse=True))


def reference_words(audits: Sequence[Audit]) -> str:
    """The reference strategies in words.

    Examples
    --------
    >>> from copyproof import audit, paper_market
    >>> found = audit(paper_market("1a"), "h-ucb", horizon=100, seed=1, budget=10**6)
    >>> reference_words([found])
    'the best arm once'
    """
    market = audits[0].market
    pairs = [(market.agent(one.name), one.reference) for one in audits[0].agents]
    if all(best_only(agent, copies) == 1 for agent, copies in pairs):
        knowing = [agent.knows_best_arm for agent, _ in pairs]
        if all(knowing):
            return "the best arm once"
        return f"{'the best arm once; ' * any(knowing)}every arm once where only a prior is known"
    if all(set(copies) == {1} for _, copies in pairs):
        return "every arm once"
    if all(agent.copies == copies for agent, copies in pairs):
        return "what the market says"
    return "copies " + " or ".join({", ".join(map(str, copies)): None for _, copies in pairs})


def gain_text(value: float, *, relative: bool) -> str:
    """A gain with its sign, as a share of the revenue in percent or as it is.

    Examples
    --------
    >>> gain_text(14.2, relative=True), gain_text(-0.25, relative=False)
    ('+1,420 %', '−0.25')
    """
    number = 100 * value if relative else value
    digits = ".2g" if abs(number) < 10 else ",.0f"
    text = f"{number:+{digits}}".replace("-", "−") if number else "0"
    return f"{text} %" if relative else text
