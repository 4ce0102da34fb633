"""Names in events, and how they are kept out of the chain.

What is chained holds no name. Where an event names an agent or an arm, the chain holds a **token**
in its place: ``~`` and 40 hexadecimal digits, the salted SHA-256 of the name (of an arm: together
with its agent). The names themselves stand beside, in the events as they are stored. A name is
forgotten by putting the token in its place there, too: the chain stays as it is, and so do all
decisions, as no policy looks at names. The digest of a request that came with a name is treated
like a name: who guesses the request could compare.

What operators call a group of agents, and why they pause a market, may hold names as well. These
**texts** are tokens in the chain, too, each as a whole.

The salt of a name is made from the market's secret, so the same name always has the same token, and
nobody without the secret can try out names.
"""

import hashlib
import re
from collections.abc import Callable
from typing import Any

# What stands for a name.
TOKEN = re.compile("~[0-9a-f]{40}")
# Fields of a request for decisions that list agents, or arms by agent.
LISTS = frozenset(("eligible",))
# Fields of an event with what operators wrote.
TEXTS = ("group", "reason")


class Blinding:
    """Puts tokens in place of the names of one market.

    Parameters
    ----------
    key : bytes
        The market's key for names.

    Examples
    --------
    >>> blinding = Blinding(b"a key")
    >>> blinding.blinded({"kind": "agent", "agent": "ann", "at": 0.5})["agent"]
    '~fb7ca3de6ce27e1ff89e20a3e1af93f994df4b91'
    """

    def __init__(self, key: bytes) -> None:
        self._key = key

    def salt(self, *name: str) -> bytes:
        """Return the salt of a name: an agent's, or an agent's and its arm's."""
        return hashlib.sha256(self._key + "\n".join(name).encode()).digest()[:16]

    def token(self, *name: str) -> str:
        """Return what stands for a name; a token stands for itself."""
        if TOKEN.fullmatch(name[-1]):
            return name[-1]
        return token_of(self.salt(*name), *name)

    def text_token(self, field: str, text: str) -> str:
        """Return what stands for a text in one of the fields ``TEXTS``."""
        return self.token("", field, text)  # no agent is called ""

    def blinded(self, event: dict[str, Any]) -> dict[str, Any]:
        """Return an event with tokens in place of all names."""
        return self.replaced(event, lambda *name: True)

    def replaced(
        self,
        event: dict[str, Any],
        which: Callable[..., bool],
        which_text: Callable[[str], bool] = lambda text: True,
    ) -> dict[str, Any]:
        """Return an event with tokens in place of some names.

        Parameters
        ----------
        event : dict
            An event as it is stored.
        which : callable
            Of which ``which(agent[, arm])`` is true.
        which_text : callable
            And of the texts those of which ``which_text(text)`` is.
        """
        found = dict(event)
        agent = event.get("agent")

        def agent_of(name: Any) -> Any:
            return self.token(name) if isinstance(name, str) and which(name) else name

        def arm_of(owner: Any, name: Any) -> Any:
            both = isinstance(owner, str) and isinstance(name, str)
            return self.token(owner, name) if both and which(owner, name) else name

        if isinstance(agent, str):
            found["agent"] = agent_of(agent)
            if "arm" in event:
                found["arm"] = arm_of(agent, event["arm"])
        if event.get("kind") == "arms" and isinstance(event.get("arms"), list):
            found["arms"] = [
                [agent_of(pair[0]), arm_of(*pair[:2]), *pair[2:]]
                if isinstance(pair, list | tuple) and len(pair) >= 2
                else pair
                for pair in event["arms"]
            ]
        for field in LISTS:
            match event.get(field):
                case dict() as among:
                    found[field] = {
                        agent_of(owner): [arm_of(owner, arm) for arm in arms]
                        for owner, arms in among.items()
                    }
                case list() as agents:
                    found[field] = [agent_of(name) for name in agents]
                case _:
                    pass
        for field in TEXTS:
            text = event.get(field)
            if isinstance(text, str) and which_text(text):
                found[field] = self.text_token(field, text)
        if found != event and isinstance(event.get("request"), str):
            found["request"] = self.token(event["request"])
        return found


def token_of(salt: bytes, *name: str) -> str:
    """Return the token of a name, given its salt."""
    return f"~{hashlib.sha256(salt + chr(10).join(name).encode()).hexdigest()[:40]}"
