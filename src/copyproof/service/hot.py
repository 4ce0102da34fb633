"""The two requests that come all the time, read by hand: ask for decisions, tell rewards.

They accept what the records ``AskIn``, ``RewardIn`` and ``RewardsIn`` accept; reading them by hand
takes a few microseconds instead of a hundred.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import orjson

from copyproof.live import Decision, Principal, Told
from copyproof.service.errors import Refusal
from copyproof.service.limits import Limits

__all__ = ["Hot", "read_ask", "read_json", "read_tell"]

Hot: TypeAlias = Callable[[Principal], list[Any]]
"""What the writer does; it returns decisions, or what became of rewards."""

Eligible: TypeAlias = Mapping[str, Sequence[str]] | Sequence[str] | None

_ID = 300
"""The most characters of a decision's id."""


def read_json(body: bytes) -> Any:
    """Read a body, which must be JSON in UTF-8 with finite numbers.

    Raises
    ------
    Refusal
        400 if it is not.

    Examples
    --------
    >>> read_json(b'{"count": 3}')["count"]
    3
    """
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise Refusal(400, "body", f"body is not JSON: {error}") from None


def _wrong(field: str, value: object, accepted: str) -> Refusal:
    try:
        shown = orjson.dumps(value).decode()
    except TypeError:  # it reads deeper nests than it writes
        shown = "a deep nest"
    shown = shown if len(shown) <= 60 else shown[:57] + "..."
    return Refusal(422, field, f"{field} = {shown} is not {accepted}")


def _object(data: Any, known: frozenset[str]) -> dict[str, Any]:
    if type(data) is not dict:
        raise _wrong("body", data, "an object")
    if not known.issuperset(data):
        extra = next(name for name in data if name not in known)
        raise Refusal(422, extra[:200] or "body", f"only {', '.join(sorted(known))} are known")
    return data


_ASK = frozenset(("count", "eligible", "slate"))


def read_ask(body: bytes, key: str | None, limits: Limits) -> Hot:
    """Read a request for decisions; an empty body, or null, asks for one.

    Examples
    --------
    >>> principal = Principal("h-ucb")
    >>> principal.register_arm("ann", "a")
    True
    >>> len(read_ask(b'{"count": 3}', None, Limits())(principal))
    3
    """
    found = read_json(body) if body else None
    data = _object({} if found is None else found, _ASK)
    count = data.get("count", 1)
    if type(count) is not int or not 1 <= count <= limits.batch:
        raise _wrong("count", count, f"a whole number from 1 to {limits.batch}")
    slate = data.get("slate", False)
    if type(slate) is not bool:
        raise _wrong("slate", slate, "true or false")
    eligible = _eligible(data.get("eligible"))

    def ask(principal: Principal) -> list[Decision]:
        return principal.ask(count, eligible=eligible, slate=slate, key=key)

    return ask


def _eligible(value: Any) -> Eligible:
    if value is None:
        return None
    if type(value) is list:
        return _texts("eligible", value)
    if type(value) is dict:
        for name, arms in value.items():
            _texts(f"eligible.{name[:100]}", arms)
        return value
    raise _wrong("eligible", value, "a list of agents or an object of lists of arms")


def _texts(field: str, value: Any) -> list[str]:
    if type(value) is not list or not all(type(text) is str for text in value):
        raise _wrong(field, value, "a list of texts")
    return value


_TELL_ONE = frozenset(("decision", "reward"))
_TELL_MANY = frozenset(("rewards",))


def read_tell(body: bytes, key: str | None, limits: Limits) -> Hot:
    """Read one reward or several.

    Examples
    --------
    >>> principal = Principal("h-ucb")
    >>> principal.register_arm("ann", "a")
    True
    >>> body = orjson.dumps({"decision": principal.ask()[0].id, "reward": 0.5})
    >>> read_tell(body, None, Limits())(principal)[0].reward
    0.5
    """
    data = read_json(body)
    if type(data) is not dict or "rewards" not in data:
        one = _reward("", data)

        def tell(principal: Principal) -> list[Told]:
            return [principal.tell(*one, key=key)]

        return tell
    rewards = _object(data, _TELL_MANY)["rewards"]
    if type(rewards) is not list or not 1 <= len(rewards) <= limits.batch:
        number = len(rewards) if type(rewards) is list else rewards
        raise _wrong("rewards", number, f"a list of 1 to {limits.batch} rewards")
    many = [_reward(f"rewards[{place}].", each) for place, each in enumerate(rewards)]

    def tell_many(principal: Principal) -> list[Told]:
        return principal.tell_many(many, key=key)

    return tell_many


def _reward(where: str, data: Any) -> tuple[str, float]:
    if type(data) is not dict:
        raise _wrong(where.rstrip(".") or "body", data, "an object with decision and reward")
    if data.keys() != _TELL_ONE:
        for name in ("decision", "reward"):
            if name not in data:
                raise Refusal(422, where + name, f"{where}{name} is missing")
        _object(data, _TELL_ONE)
    decision, reward = data["decision"], data["reward"]
    if type(decision) is not str or not 1 <= len(decision) <= _ID:
        raise _wrong(f"{where}decision", decision, f"a text of 1 to {_ID} characters")
    if type(reward) not in (float, int) or not 0.0 <= reward <= 1.0 or math.isnan(reward):
        raise _wrong(f"{where}reward", reward, "a number in [0, 1]")
    return decision, float(reward)
