"""Who may do what.

Four roles: an **operator** does everything, an **application** asks and tells in its markets, an
**agent** registers and retires its own arms in its market and sees its own revenue, an **auditor**
reads. What a role can never do is refused as such (403), whatever the request names; what it could
do elsewhere, but not with this market or this agent, is not known to it (404), whether or not it
exists.
"""

from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from copyproof.service.errors import Refusal, unknown

__all__ = ["ACTIONS", "Action", "Bearer", "Role", "authorize"]

Role: TypeAlias = Literal["operator", "application", "agent", "auditor"]


class Bearer(Protocol):
    """What this module needs to know of a key."""

    @property
    def role(self) -> Role:
        """What the bearer may do."""

    @property
    def markets(self) -> tuple[str, ...]:
        """In which markets, if the role is application or agent."""

    @property
    def agent(self) -> str | None:
        """For which agent, if the role is agent."""


@dataclass(frozen=True, slots=True)
class Action:
    """Something that is done over HTTP, and the roles that may."""

    name: str
    roles: frozenset[Role]


def _action(name: str, *roles: Role) -> Action:
    return Action(name, frozenset(("operator", *roles)))


ACTIONS = {
    action.name: action
    for action in (
        _action("read markets", "auditor"),
        _action("write markets"),
        _action("write agents"),
        _action("write arms", "agent"),
        _action("ask", "application"),
        _action("tell", "application"),
        _action("read market statistics", "auditor"),
        _action("read agent statistics", "auditor", "agent"),
        _action("read journal", "auditor"),
        _action("keys"),
        _action("read metrics", "auditor"),
    )
}


def authorize(
    bearer: Bearer, action: Action, market: str | None = None, agent: str | None = None
) -> None:
    """Refuse what a key may not do.

    Parameters
    ----------
    bearer : Bearer
        The key.
    action : Action
        What is asked for.
    market, agent : str or None
        With what, as far as the action names one.

    Raises
    ------
    Refusal
        403 if the role never may; 404 if the market or the agent is not the key's own.

    Examples
    --------
    >>> from copyproof.service.keys import make_key
    >>> key, _ = make_key("application", now=0.0, markets=("site",))
    >>> authorize(key, ACTIONS["ask"], "site")
    >>> try:
    ...     authorize(key, ACTIONS["ask"], "another")
    ... except Refusal as refusal:
    ...     refusal.status
    404
    """
    role = bearer.role
    if role not in action.roles:
        raise Refusal(403, "Authorization", f"the role {role} may not {action.name}")
    if role in ("operator", "auditor"):
        return
    if market is not None and market not in bearer.markets:
        raise unknown("market")
    if role == "agent" and agent is not None and agent != bearer.agent:
        raise unknown("agent")
