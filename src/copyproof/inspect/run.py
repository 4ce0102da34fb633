"""``inspect_log``: from a log to who copies, what it costs, and what another policy would earn."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from copyproof._progress import Progress, shown
from copyproof.defaults import BUDGET, SEED
from copyproof.external import any_policy
from copyproof.fingerprints import THRESHOLDS, Thresholds
from copyproof.game import ByName
from copyproof.inspect.answers import LEAST_GAMES, LEAST_PLAYS, Answer, Asked
from copyproof.inspect.contents import CONTENT_KINDS, ContentKind
from copyproof.inspect.estimated import EstimatedMarket, estimate_market
from copyproof.inspect.groups import Group, find_groups
from copyproof.inspect.propensities import off_policy_values
from copyproof.inspect.rates import given_scale
from copyproof.inspect.result import Inspection, LoggedAgent
from copyproof.inspect.scan import Columns, Scan, scan
from copyproof.inspect.summary import concentration, logged_agents, shares_over_time
from copyproof.validation import FieldError, file_path, known, whole_in

# Rounds of a game, at most.
MOST_HORIZON = 1_000_000
# Games of each policy, unless the budget allows fewer: one more falls outside the limits with 5 %.
REPETITIONS = 199
# What the policy of the log is held against.
TARGET = "default"
# Agents with copies that are asked about one by one.
_MOST_COPIERS = 10


def inspect_log(
    log: str | os.PathLike[str],
    *,
    agent: str = "agent",
    arm: str = "arm",
    reward: str = "reward",
    time: str | None = None,
    content: str | Sequence[str] = (),
    content_kind: ContentKind = "text",
    thresholds: Thresholds = THRESHOLDS,
    propensity: str | None = None,
    reward_range: tuple[float, float] | str | None = None,
    policy: str | None = None,
    target: str = TARGET,
    horizon: int | None = None,
    repetitions: int | None = None,
    seed: int = SEED,
    budget: int = BUDGET,
    workers: int | None = None,
    progress: Progress = None,
) -> Inspection:
    r"""Say from a log who copies, what that costs, and what another policy would earn.

    Parameters
    ----------
    log : path
        CSV, Parquet, lines of JSON, or a live market's journal: a row for each time that something
        was shown. It is read once, in blocks.
    agent, arm, reward : str
        The columns that hold who owned what was shown, what it was, and what it earned.
    time : str, optional
        The column of the time: a number, a timestamp or a text as ISO 8601 has it. The order of the
        rows stands for it if none is given.
    content : str or sequence of str
        Columns with the arm's content. Several texts are put together.
    content_kind : {"text", "hash", "hashes", "vector"}
        What the content is. Only fingerprints of it are kept.
    thresholds : Thresholds
        From which similarity on two contents are alike.
    propensity : str, optional
        The column of the probability with which the log's policy took its decision: the log then
        says itself what other policies would have earned (``off_policy``).
    reward_range : pair of float or str, optional
        The least and the most that a row can pay, or ``"LOW,HIGH"``, where the log may not hold
        both: rows with other rewards are left out. By default the log's own least and most.
    policy : str, optional
        The policy that was running. Without it the log's own rewards are what another policy is
        held against, and what the copies cost cannot be said.
    target : str
        The policy that might run instead.
    horizon : int, optional
        Rounds of a game: as many as the log has rows that can be used, and at most a million, if
        not given.
    repetitions : int, optional
        Games for each policy, at least 39; 0 plays none and answers nothing. By default 199, or as
        many as the budget allows.
    seed : int
        Of the games.
    budget : int
        Rounds of all games together.
    workers : int, optional
        Threads; no effect on the result.
    progress : bool or callable, optional
        As for ``simulate``, for the games.

    Returns
    -------
    Inspection
        Agents, arms, groups of copies, an estimated market, and answers with limits.

    Raises
    ------
    FieldError
        If the log cannot be read, or lacks a column, in one line.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> rows = ["agent,arm,reward,text"]
    >>> rows += [f"ann,a{n % 3},{n % 2},Fresh coffee No. {n % 3}" for n in range(300)]
    >>> rows += [f"bob,b,{n % 2},Second-hand bicycles" for n in range(100)]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "log.csv"
    ...     written = file.write_text("\n".join(rows))
    ...     found = inspect_log(file, content="text", policy="ucb1", repetitions=39)
    >>> found
    <Inspection log.csv: 400 rows, 2 agents, 4 arms; 1 agent holds 2 copies>
    >>> found.agents["ann"].copied_share
    0.75
    """
    began = perf_counter()
    place = file_path("log", log)
    known("content_kind", content_kind, CONTENT_KINDS)
    texts = (content,) if isinstance(content, str) else tuple(content)
    for text in (policy or target, target):
        any_policy(text)
    if repetitions:
        repetitions = whole_in("repetitions", repetitions, LEAST_GAMES, 1_000_000)
    given = None if reward_range is None else given_scale(reward_range)
    found = scan(place, Columns(agent, arm, reward, time, texts, propensity), content_kind, given)
    groups = find_groups(found, thresholds)
    agents = logged_agents(found, groups)
    estimated = estimate_market(found, groups, place.name)
    sides = (1 + any(one.copies for one in agents)) * (1 + (policy is not None))
    T, R = _size(found.tally.rows, horizon, repetitions, budget, sides)
    answers: tuple[Answer, ...] = ()
    originals = None  # their shares in the target's games
    if R > 0:
        with shown(progress, T * R * sides) as tell:
            how: dict[str, Any] = {"seed": seed, "workers": workers, "progress": tell}
            asked = Asked(estimated, horizon=T, repetitions=R, **how)
            answers = tuple(_answers(asked, found, agents, policy, target))
            originals = asked.games(target, copies=True).originals
    is_weighed = found.propensities is not None
    weighed = off_policy_values(found, estimated, originals, target, seed) if is_weighed else ()
    return Inspection(
        log=place.name,
        **_described(found, groups, agents),
        market=estimated.market,
        prior=estimated.prior,
        answers=answers,
        off_policy=tuple(weighed),
        notes=tuple(_notes(found, groups, estimated, policy, T, R)),
        policy=policy,
        horizon=T,
        repetitions=R,
        seed=seed,
        seconds=perf_counter() - began,
    )


def _described(
    found: Scan, groups: tuple[Group, ...], agents: ByName[LoggedAgent]
) -> dict[str, Any]:
    """What the log itself says."""
    spans, shares = shares_over_time(found, agents)
    return {
        "rows": found.rows,
        "used": found.tally.rows,
        "problems": found.problems,
        "agents": agents,
        "groups": groups,
        "concentration": concentration(found),
        "spans": spans,
        "shares": shares,
    }


def _size(
    rows: int, horizon: int | None, repetitions: int | None, budget: int, sides: int
) -> tuple[int, int]:
    """How long a game is, and how many are played."""
    T = min(rows, MOST_HORIZON) if horizon is None else whole_in("horizon", horizon, 1, 2**40)
    if repetitions is not None:
        return T, repetitions
    R = min(REPETITIONS, budget // (T * sides))
    if R < LEAST_GAMES:
        if horizon is not None:
            accepted = f"at least {LEAST_GAMES * sides * T:,}, for so long a horizon"
            raise FieldError("budget", budget, accepted)
        R = LEAST_GAMES
        T = max(1, budget // (R * sides))
    return T, R


def _answers(
    asked: Asked, found: Scan, agents: Sequence[LoggedAgent], policy: str | None, target: str
) -> Iterator[Answer]:
    """The questions that the log allows, one after the other."""
    copiers = [one for one in agents if one.copies]
    new = asked.games(target, copies=True)
    if policy is None:
        earned = float(found.tally.total.sum()) / found.tally.rows * asked.horizon
        logged = replace(new, policy="log", rewards=np.full(asked.repetitions, earned), unknown=0.0)
        words = f"What {target} would earn more than the log did"
        yield asked.difference("switch", words, new, logged)
    else:
        now = asked.games(policy, copies=True)
        if asked.horizon == found.tally.rows:
            yield asked.like(now, {one.name: one.share for one in agents})
        words = f"What {target} would earn more than {policy}, with the copies as they are"
        yield asked.difference("switch", words, new, now)
    if not copiers:
        return
    for text in dict.fromkeys(filter(None, [policy, target])):
        once, often = asked.games(text, copies=False), asked.games(text, copies=True)
        words = f"Change of earnings under {text} if every agent had one arm instead of its copies"
        yield asked.difference("copies", words, once, often)
        for one in sorted(copiers, key=lambda one: -one.copied_share)[:_MOST_COPIERS]:
            yield asked.share(one.name, once, often)


def _notes(
    found: Scan,
    groups: Sequence[Group],
    estimated: EstimatedMarket,
    policy: str | None,
    T: int,
    R: int,
) -> Iterator[str]:
    """What the log cannot say, and what was taken for granted."""
    tally = found.tally
    yield from found.notes
    if bound := estimated.market.groups:
        names = sum(map(len, bound.values()))
        one = "principal" if len(bound) == 1 else "principals"
        yield (
            f"{names:,} names are bound to {len(bound):,} {one}, as the journal says: games take "
            "each for one agent."
        )
    if not found.fingerprints:
        yield (
            "No contents were given: copies whose rewards are drawn anew, as clicks are, cannot be "
            "told from honest arms of the same quality, and were not looked for."
        )
    if few := int((estimated.plays < LEAST_PLAYS).sum()):
        yield (
            f"{few:,} of {len(estimated.plays):,} originals were seen fewer than {LEAST_PLAYS} "
            "times: what they pay is taken from the others."
        )
    if policy is None and any(group.copies for group in groups):
        yield (
            "What the copies cost under the policy of the log cannot be said: name it with "
            "--policy (policy= in Python)."
        )
    if any(len(group.agents) > 1 for group in groups):
        yield (
            "Some groups are held by several agents. Who copied whom is not known, and whether "
            "they are one person: every agent stands for itself here."
        )
    if not found.is_binary:
        low, high = found.scale.low, found.scale.high
        yield (
            f"Rewards lie from {low:g} to {high:g}: games pay one or the other, with the same "
            "means, and vary more than the log does."
        )
    if R and tally.rows > T:
        yield f"Games have {T:,} rounds, and the log {tally.rows:,} rows."
    if R:
        yield (
            "Games take all arms to be there from the start to the end, with means that do not "
            "change."
        )
