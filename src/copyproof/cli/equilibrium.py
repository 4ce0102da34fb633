"""``copyproof equilibrium``: where agents end up who answer each other."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

from copyproof.cli import options, tables
from copyproof.cli.examination import examine
from copyproof.cli.output import emit_results
from copyproof.defaults import CAP, CONFIDENCE, SEED, STARTS
from copyproof.game import Market, Profile, as_market
from copyproof.plots import limits

if TYPE_CHECKING:
    from copyproof.auditing import Equilibrium
    from copyproof.auditing.equilibria import Path

_TRUTHFUL = {True: "yes", False: "no", None: "undecided"}


def equilibrium(
    market: options.MarketName,
    policy: options.Policies,
    horizon: options.Horizon,
    seed: options.Seed = SEED,
    cap: Annotated[int, options.whole("Most copies of one arm.")] = CAP,
    epsilon: Annotated[
        float | None,
        options.optional(
            "A gain that nobody moves for; 0.1 % of the agent's revenue, and at least 0.001, if "
            "not given.",
            "X",
        ),
    ] = None,
    start: Annotated[
        list[str] | None,
        options.optional(
            "truthful (best arms only), honest (every arm once), market (as its file says) or "
            "capped (every arm up to the cap); may be repeated. All but market if none is given.",
            "START",
        ),
    ] = None,
    confidence: options.Confidence = CONFIDENCE,
    budget: options.Budget = None,
    workers: options.Workers = None,
    as_json: options.AsJson = False,
) -> None:
    """Follow best responses over copy counts.

    Agents take turns, and each moves to the strategy of largest gain if that is certain. Shows
    whether registering the best arm only is an equilibrium, where the moves end, and what that
    costs the principal: the price of replication.
    """
    game = as_market(market).quotient
    from copyproof.auditing import equilibrium as find

    found = examine(
        find,
        game,
        policy,
        horizon=horizon,
        seed=seed,
        cap=cap,
        epsilon=epsilon,
        starts=start or STARTS,
        confidence=confidence,
        budget=budget,
        workers=workers,
    )
    emit_results(as_json, found, _parts(game, found))


def _parts(market: Market, found: "Sequence[Equilibrium]") -> Iterator[tables.Part]:
    first = found[0]
    gain = "0.1 % of revenue" if first.epsilon is None else f"{first.epsilon:g}"
    yield (
        f"{tables.quantity(len(market.agents), 'agent')}, at most {first.cap} copies of an arm; "
        f"{tables.quantity(first.horizon, 'round')}, seed {first.seed}\n"
        f"nobody moves for less than {gain}; all steps hold together, with "
        f"{100 * first.confidence:g} %\n"
    )
    truth, regret = "truth-telling is an equilibrium", "regret there [low, high]"
    yield tables.TextTable(
        (*map(tables.text, ("policy", truth)), tables.number(regret)),
        ((one.policy, _TRUTHFUL[one.truthful], limits(one.truthful_regret)) for one in found),
    )
    for one in found:
        yield f"\n{one.policy}: where best responses lead"
        words, numbers = ("start", "ends in", "profile"), ("steps", "price of replication")
        columns = (*map(tables.text, words), *map(tables.number, numbers))
        yield tables.TextTable(columns, map(_path_row, one.paths))
    yield (
        "\nprofile: copies of each agent's arms. price: the regret there less the regret if\n"
        "all register their best arm only."
    )
    if any(one.truthful is None for one in found):
        yield "undecided: a larger --budget would tell"


def _path_row(path: "Path") -> tuple[str, ...]:
    profile, steps = _profile(path.profile), str(len(path.steps))
    return path.start, path.ending, profile, steps, limits(path.price)


def _profile(profile: Profile) -> str:
    shown = [",".join(map(str, strategy)) for strategy in profile[: tables.MOST_AGENTS]]
    return " | ".join(shown) + (" | ..." if len(profile) > tables.MOST_AGENTS else "")
