"""Who leads a market just now: the few figures that are looked at again and again.

``Statistics`` of a market compare all arms with each other. For whoever watches a market that would
be done every moment. What is taken here costs one pass over the counts of the agents: those that
were played most since the last look come first, then those that were played most ever.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from copyproof.client.records import AgentStatistics, Statistics
from copyproof.live.switch import SwitchState
from copyproof.policy import Policy


def leading(
    market: str,
    state: SwitchState,
    limit: int,
    *,
    before: Any = None,
    named: Sequence[str] = (),
) -> tuple[Statistics, Any]:
    """Return the figures of the agents that lead, and what the next look wants as ``before``.

    Parameters
    ----------
    market : str
        Its name.
    state : SwitchState
        What it knows.
    limit : int
        How many agents.
    before : array, optional
        What this function returned beside the figures the last time.
    named : sequence of str
        Agents that are listed in any case; those that are not known are left out.
    """
    registry = state.registry
    first, *others = [one.rows_by_name() for one in state.games_by_segment.values()]
    plays, answers = first["plays"].astype(np.int64), first["answers"].astype(np.int64)
    total = first["total"].astype(np.float64)
    for more in others:
        plays, answers, total = (
            plays + more["plays"],
            answers + more["answers"],
            total + more["total"],
        )
    grown = plays.copy()
    if before is not None:
        grown[: len(before)] -= before
    order = np.lexsort((np.arange(len(plays)), -plays, -grown))[:limit].tolist()
    wanted = [registry.agents[name] for name in named if name in registry.agents]
    everyone, revenue = int(plays.sum()), float(total.sum())
    answered = int(answers.sum())

    def shown(n: int) -> AgentStatistics:
        return AgentStatistics(
            agent=registry.agent_names[n],
            suspended=registry.suspended[n],
            arms=registry.present[n],
            plays=int(plays[n]),
            answered=int(answers[n]),
            pending=int(plays[n] - answers[n]),
            revenue=float(total[n]),
            play_share=int(plays[n]) / everyone if everyone else 0.0,
            revenue_share=float(total[n]) / revenue if revenue else 0.0,
        )

    watch = state.watch
    found = Statistics(
        market=market,
        policy=_text(state.policy),
        round=state.round,
        plays=everyone,
        answered=answered,
        pending=everyone - answered,
        revenue=revenue,
        agents=tuple(map(shown, dict.fromkeys([*order, *wanted]))),
        arms=(),
        suspected=(),
        candidate=state.compared(),
        rails=watch.statistics(registry) if watch.is_used else (),
        crossed=watch.crossed(registry) if watch.is_used else None,
        paused=watch.why_paused(registry) if watch.is_used else None,
    )
    return found, plays


@lru_cache(maxsize=256)
def _text(policy: Policy) -> str:
    """Return the text of a policy, which takes longer to write than all the rest here."""
    return str(policy)
