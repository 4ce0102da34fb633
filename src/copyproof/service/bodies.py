"""The bodies of requests, as JSON: those that come all the time are read the short way."""

from collections.abc import Collection
from typing import Any

import orjson
from pydantic import TypeAdapter, ValidationError

from copyproof.service.errors import Refusal, refusal_of_body
from copyproof.service.messages import AgentLine, AskIn, RewardIn, RewardsIn, TellIn
from copyproof.validation import shown

NDJSON = b"application/x-ndjson"
MOST_LINES = 10_000  # agents of one request
DEEPEST = 20  # levels of a body for FastAPI; no message has more than a few

_ASK: TypeAdapter[AskIn | None] = TypeAdapter(AskIn | None)
_ONE: TypeAdapter[RewardIn] = TypeAdapter(RewardIn)
_MANY: TypeAdapter[RewardsIn] = TypeAdapter(RewardsIn)


def read_ask(body: bytes) -> AskIn:
    """Read a request for decisions; an empty body, or null, asks for one."""
    found: AskIn | None
    try:
        found = _ASK.validator.validate_json(body or b"null")
    except ValidationError:
        found = _explain(_ASK, body, AskIn.__annotations__)
    return found or {}


def read_rewards(body: bytes) -> TellIn:
    """Read one reward or several."""
    found: TellIn
    several = b'"rewards"' in body  # a guess, which is wrong if a decision has that name
    try:
        found = (_MANY if several else _ONE).validator.validate_json(body)
    except ValidationError:
        data = read_json(body)
        several = isinstance(data, dict) and "rewards" in data
        known = (RewardsIn if several and len(data) > 1 else RewardIn).__annotations__
        found = _explain(_MANY if several else _ONE, body, known)
    return found


def _explain(adapter: TypeAdapter[Any], body: bytes, known: Collection[str]) -> Any:
    """Read what the fast reader did not accept once more, to tell what is wrong with it.

    Where the two differ (nests of a hundred levels, numbers beyond any) this one is right.
    """
    data = read_json(body)
    try:
        return adapter.validate_python(data)
    except ValidationError as error:
        raise refusal_of_body(error.errors(include_url=False), data, known) from None


def read_agents(body: bytes) -> list[AgentLine]:
    """Read agents with their arms, a JSON object on each line."""
    found = []
    for number, line in enumerate(body.splitlines(), 1):
        if not line.strip():
            continue
        try:
            data = read_json(line, DEEPEST)
            found.append(AgentLine.model_validate(data))
        except ValidationError as error:
            errors = error.errors(include_url=False)
            refusal = refusal_of_body(errors, data, AgentLine.model_fields)
            raise _at(number, refusal) from None
        except Refusal as refusal:
            raise _at(number, refusal) from None
        strangers = found[-1].content.keys() - set(found[-1].arms)
        if strangers:
            said = f"content: {shown(min(strangers))} is not one of these arms"
            raise _at(number, Refusal(422, "content", said))
    if not 1 <= len(found) <= MOST_LINES:
        said = f"body has {len(found)} lines: from 1 to {MOST_LINES} are accepted"
        raise Refusal(422, "body", said)
    return found


def _at(number: int, refusal: Refusal) -> Refusal:
    """Return a refusal that says in which line it is."""
    said = f"line {number}: {refusal.message}"
    return Refusal(refusal.status, f"line {number}: {refusal.field}", said)


def read_json(body: bytes, deepest: int | None = None) -> Any:
    """Read a body, which must be JSON in UTF-8 with finite numbers, and not nested too deeply."""
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise Refusal(400, "body", f"body is not JSON: {error}") from None
    if deepest is not None and _is_deeper(found, deepest):
        raise Refusal(422, "body", f"body is nested more than {deepest} levels deep")
    return found


def _is_deeper(data: Any, levels: int) -> bool:
    """Whether lists and objects lie within each other more than so many times."""
    if isinstance(data, dict):
        data = list(data.values())
    if not isinstance(data, list):
        return False
    return levels == 0 or any(_is_deeper(each, levels - 1) for each in data)
