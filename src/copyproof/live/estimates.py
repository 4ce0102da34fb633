"""What a market's arms seem to pay, as a market of the laboratory: means by agent and arm.

An arm's mean is what its plays were worth so far, r(a) = revenue / answers. An arm without an
answer is taken for one of its agent's: it gets the agent's mean, or else the market's, or else 0.5.
Estimates are no truth: those of arms that were hardly played are mostly chance.
"""

from dataclasses import dataclass, field

import numpy as np

from copyproof.live.switch import SwitchState


@dataclass(frozen=True, slots=True)
class Estimates:
    """Means of the arms that may be shown now, of the agents that were played most.

    Attributes
    ----------
    agents : dict
        Of each agent the means of its arms, those that were played most first.
    left_out : int
        Agents, and arms of those that are there, that are left out.
    groups : dict
        Of each agent that is one with others to the policy, their principal.
    """

    agents: dict[str, list[float]]
    left_out: int
    groups: dict[str, str] = field(default_factory=dict)

    def to_market(self) -> dict[str, object]:
        """Return the structure of a market file.

        Examples
        --------
        >>> Estimates({"ann": [0.5]}, 0).to_market()
        {'agents': [{'name': 'ann', 'arms': [{'mean': 0.5}]}]}
        """
        listed: list[dict[str, object]] = []
        for agent, means in self.agents.items():
            listed.append({"name": agent, "arms": [{"mean": mean} for mean in means]})
            if agent in self.groups:
                group = self.groups[agent]
                listed[-1]["group"] = f"{group} (group)" if group in self.agents else group
        return {"agents": listed}


def estimates(state: SwitchState, most_agents: int, most_arms: int) -> Estimates:
    """Take the means of a market as they are now.

    Parameters
    ----------
    state : SwitchState
        What it knows.
    most_agents, most_arms : int
        How many agents, and how many arms of each.
    """
    registry = state.registry
    arms = np.arange(state.arrays.arms)
    rows = [one.arrays.arm_rows(arms)[0] for one in state.games_by_segment.values()]
    plays = sum(one["plays"].astype(np.int64) for one in rows)
    answers = sum(one["answers"].astype(np.int64) for one in rows)
    total = sum(one["total"].astype(np.float64) for one in rows)
    there = np.array(registry.there, bool) & ~np.array(registry.suspended, bool)[registry.arm_owner]
    owners = np.array(registry.arm_owner, np.int64)
    of_market = _mean(float(np.sum(total)), int(np.sum(answers)), 0.5)
    agents = [int(n) for n in np.unique(owners[there])]
    agents.sort(key=lambda n: (-int(plays[owners == n].sum()), n))
    found: dict[str, list[float]] = {}
    left_out = max(0, len(agents) - most_agents)
    for agent in agents[:most_agents]:
        mine = np.flatnonzero(there & (owners == agent))
        own = owners == agent
        usual = _mean(float(total[own].sum()), int(answers[own].sum()), of_market)
        mine = mine[np.lexsort((mine, -plays[mine]))]
        left_out += max(0, len(mine) - most_arms)
        found[registry.agent_names[agent]] = [
            _mean(float(total[arm]), int(answers[arm]), usual) for arm in mine[:most_arms].tolist()
        ]
    groups = {
        registry.agent_names[name]: group
        for name, group in registry.identities.groups.items()
        if not registry.principals.is_alone(name)
    }
    return Estimates(found, left_out, groups)


def _mean(total: float, answers: int, otherwise: float) -> float:
    return min(1.0, max(0.0, total / answers)) if answers else otherwise
