"""Text and JSON forms of policies; both round-trip.

A named policy is its name, with parameters where they differ from the row's: ``rh-ucb(L=3)``,
``h-ucb(a=1, b=0.5)``, ``fair(s-ucb(l=5))``. Any other composition is spelled out: ``flat(RULE,
sample=SAMPLE)`` or ``hierarchical(AGENT RULE, ARM RULE, sample=SAMPLE, ties=priority)``, with
rules ``ucb(a, b, c, clock)``, ``kl-ucb(scale, clock)``, ``epsilon-greedy(epsilon)``,
``epsilon-decreasing(scale, clock)``, ``thompson``, ``uniform``, ``own-index(statistic, width,
scale, turns, doubt)``, ``champion(fresh, threshold)``, samples ``all``, ``fixed(factor, power)``,
``growing(factor, power, clock)``, and ``restart=epochs(first, factor, power)``; their parameters
are given by name. ``default`` and ``default-anytime`` stand for the policies that the catalogue
recommends.
"""

import re
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from copyproof.policy.catalogue import ALIASES, CATALOGUE, fair, row
from copyproof.policy.records import RULES, Policy, Uniform
from copyproof.policy.sampling import AllArms, FixedSample, GrowingSample, Restart, Sampling

_SAMPLES: dict[str, type[Sampling]] = {
    "all": AllArms,
    "fixed": FixedSample,
    "growing": GrowingSample,
}
_RESTARTS: dict[str, type[Restart]] = {"epochs": Restart}
_LONGEST = 500
_TOKEN = re.compile(r"\s*([(),=]|[^\s(),=]+)")


def parse_policy(text: str) -> Policy:
    """Read the text form of a policy.

    Examples
    --------
    >>> parse_policy("rh-ucb(L=3)").sampling.factor
    3.0
    """
    if not isinstance(text, str):
        raise ValueError(f"policy = {text!r} is not a text such as 'h-ucb' or 'rh-ucb(L=3)'")
    if len(text) > _LONGEST:
        raise ValueError(f"policy = {text[:20]!r}... has {len(text)} characters, over {_LONGEST}")
    call = _parse(text)
    try:
        return _to_policy(call)
    except ValueError as error:
        message = str(error)
        prefix = "" if message.startswith("policy = ") else f"policy = {text!r}: "
        raise ValueError(prefix + message) from None


def to_text(record: Policy) -> str:
    """Write the text form of a policy, as short as it can be.

    Examples
    --------
    >>> len(to_text(parse_policy("rh-ucb(L=3.0)")))
    11
    """
    named = [
        (candidate.name, given)
        for candidate in CATALOGUE
        if candidate.name != "fair"
        and (given := _given(record, candidate.policy, candidate.parameters)) is not None
    ]
    if named:
        return _call_text(*min(named, key=lambda one: len(one[1])))
    if record.agent == Uniform() and record.ties == "random" and record.restart is None:
        inner = _flat_of_fair(record)
        if inner is not None:
            return f"fair({to_text(inner)})"
    rules = [_record_text(record.arm, RULES)]
    if record.agent is not None:
        rules.insert(0, _record_text(record.agent, RULES))
    if record.sampling != AllArms():
        rules.append(f"sample={_record_text(record.sampling, _SAMPLES)}")
    if record.ties != "random":
        rules.append(f"ties={record.ties}")
    if record.restart is not None:
        rules.append(f"restart={_record_text(record.restart, _RESTARTS)}")
    return f"{'flat' if record.is_flat else 'hierarchical'}({', '.join(rules)})"


def to_dict(record: Policy) -> dict[str, Any]:
    """Write a policy as plain data, ready for JSON.

    Examples
    --------
    >>> to_dict(parse_policy("h-ucb"))["agent"]["a"]
    2.0
    """
    return {
        "agent": None if record.agent is None else _record_dict(record.agent, RULES),
        "arm": _record_dict(record.arm, RULES),
        "sampling": _record_dict(record.sampling, _SAMPLES),
        "ties": record.ties,
        "restart": None if record.restart is None else _record_dict(record.restart, _RESTARTS),
    }


def from_dict(data: Any) -> Policy:
    """Read what ``to_dict`` writes.

    Examples
    --------
    >>> from_dict(to_dict(parse_policy("rh-ucb(L=3)"))).sampling.factor
    3.0
    """
    needed = {"agent", "arm", "sampling", "ties"}
    if not isinstance(data, dict) or set(data) - {"restart"} != needed:
        raise ValueError("policy: an object with agent, arm, sampling, ties and restart is needed")
    agent = None if data["agent"] is None else _record_from("agent", data["agent"], RULES)
    arm = _record_from("arm", data["arm"], RULES)
    sampling = _record_from("sampling", data["sampling"], _SAMPLES)
    restart = data.get("restart")  # missing in what was written before there were epochs
    if restart is not None:
        restart = _record_from("restart", restart, _RESTARTS)
    return Policy(agent, arm, sampling, data["ties"], restart)


# --- reading ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Call:
    """``name(positional, key=named)``; a bare word or number is a call without arguments."""

    name: str
    positional: "tuple[_Call, ...]" = ()
    named: "tuple[tuple[str, _Call], ...]" = ()

    def __str__(self) -> str:
        arguments = [str(one) for one in self.positional]
        arguments += [f"{key}={value}" for key, value in self.named]
        return self.name + (f"({', '.join(arguments)})" if arguments else "")


def _parse(text: str) -> _Call:
    """Read a whole text as one call."""
    tokens = _TOKEN.findall(text)

    def fail(found: str | None) -> ValueError:
        where = "the end" if found is None else repr(found)
        return ValueError(
            f"policy = {text!r} cannot be read at {where}; write NAME or NAME(KEY=VALUE, ...)"
        )

    def call(at: int) -> tuple[_Call, int]:
        if at >= len(tokens) or tokens[at] in "(),=":
            raise fail(tokens[at] if at < len(tokens) else None)
        name = tokens[at]
        if at + 1 >= len(tokens) or tokens[at + 1] != "(":
            return _Call(name), at + 1
        positional: list[_Call] = []
        named: list[tuple[str, _Call]] = []
        at += 2
        while at < len(tokens) and tokens[at] != ")":
            if at + 1 < len(tokens) and tokens[at + 1] == "=":
                value, after = call(at + 2)
                named.append((tokens[at], value))
            else:
                value, after = call(at)
                positional.append(value)
            at = after
            if at < len(tokens) and tokens[at] == ",":
                at += 1
            elif at < len(tokens) and tokens[at] != ")":
                raise fail(tokens[at])
        if at >= len(tokens):
            raise fail(None)
        return _Call(name, tuple(positional), tuple(named)), at + 1

    whole, end = call(0)
    if end != len(tokens):
        raise fail(tokens[end])
    return whole


def _to_policy(call: _Call) -> Policy:
    if call.name in ("flat", "hierarchical"):
        return _to_composition(call)
    if call.name == "fair":
        _refuse_named(call)
        if len(call.positional) > 1:
            raise ValueError("fair takes one flat policy, such as ucb1")
        return fair(_to_policy(call.positional[0])) if call.positional else row("fair").policy
    template = row(ALIASES.get(call.name, call.name))
    if call.positional:
        raise ValueError(f"{call.positional[0]} needs a name, as in KEY=VALUE")
    record = template.policy
    for key, value in _unique(call):
        if key not in template.parameters:
            known = ", ".join(template.parameters) or "none"
            raise ValueError(f"{key} is not a parameter of {call.name}; it takes {known}")
        path = template.parameters[key]
        try:
            record = _with(record, path, _value(value))
        except ValueError as error:
            field_name = path.split(".")[-1]
            raise ValueError(str(error).replace(f"{field_name} = ", f"{key} = ", 1)) from None
    return record


def _to_composition(call: _Call) -> Policy:
    options = dict(_unique(call))
    wanted = 1 if call.name == "flat" else 2
    if len(call.positional) != wanted:
        raise ValueError(f"{call.name} takes {wanted} rule{'s' * (wanted > 1)}")
    unknown = set(options) - {"sample", "restart"} - ({"ties"} if wanted == 2 else set())
    if unknown:
        raise ValueError(f"{sorted(unknown)[0]} is not a parameter of {call.name}")
    rules = [_to_record(rule, RULES, "rule") for rule in call.positional]
    sampling: Sampling = AllArms()
    if "sample" in options:
        sampling = _to_record(options["sample"], _SAMPLES, "sample")
    ties: Any = str(options.get("ties", "random"))
    restart: Restart | None = None
    if "restart" in options:
        restart = _to_record(options["restart"], _RESTARTS, "restart")
    return Policy(rules[0] if wanted == 2 else None, rules[-1], sampling, ties, restart)


def _to_record(call: _Call, kinds: dict[str, Any], what: str) -> Any:
    if call.name not in kinds:
        raise ValueError(f"{what} = {call.name!r} is not one of {', '.join(kinds)}")
    if call.positional:
        raise ValueError(f"{call.positional[0]} needs a name, as in KEY=VALUE")
    return _construct(kinds[call.name], call.name, {key: _value(v) for key, v in _unique(call)})


def _construct(kind: Any, name: str, given: dict[str, Any]) -> Any:
    known = [one.name for one in fields(kind)]
    for key in given:
        if key not in known:
            takes = ", ".join(known) or "none"
            raise ValueError(f"{key} is not a parameter of {name}; it takes {takes}")
    return kind(**given)


def _unique(call: _Call) -> tuple[tuple[str, _Call], ...]:
    keys = [key for key, _ in call.named]
    for key in keys:
        if keys.count(key) > 1:
            raise ValueError(f"{key} is given twice")
    return call.named


def _refuse_named(call: _Call) -> None:
    for key, _ in call.named:
        raise ValueError(f"{key} is not a parameter of {call.name}; it takes a flat policy")


def _value(call: _Call) -> float | str:
    """A number, or a word."""
    try:
        return float(call.name)
    except ValueError:
        return str(call)


def _with(record: Any, path: str, value: Any) -> Any:
    """The record with one field, however deep, replaced."""
    head, _, rest = path.partition(".")
    return replace(record, **{head: _with(getattr(record, head), rest, value) if rest else value})


# --- writing ---------------------------------------------------------------------------------


def _get(record: Any, path: str) -> Any:
    for name in path.split("."):
        record = getattr(record, name, None)
    return record


def _given(record: Policy, template: Policy, parameters: dict[str, str]) -> dict[str, Any] | None:
    """What parameters make the template equal to the record; None if nothing does."""
    given = {}
    for key, path in parameters.items():
        value = _get(record, path)
        if value != _get(template, path):
            given[key] = value
            try:
                template = _with(template, path, value)
            except (TypeError, ValueError):
                return None
    return given if template == record else None


def _flat_of_fair(record: Policy) -> Policy | None:
    """The flat policy A of Fair(A), if the record is one."""
    sampling = record.sampling
    if isinstance(sampling, GrowingSample):
        sampling = replace(sampling, clock="game")
    if getattr(record.arm, "clock", "round") == "plays":
        return None
    inner = Policy(None, record.arm, sampling)
    return inner if fair(inner) == record else None


def _record_text(record: Any, kinds: dict[str, Any]) -> str:
    name = next(name for name, kind in kinds.items() if type(record) is kind)
    default = type(record)()
    given = {
        one.name: getattr(record, one.name)
        for one in fields(record)
        if getattr(record, one.name) != getattr(default, one.name)
    }
    return _call_text(name, given)


def _call_text(name: str, given: dict[str, Any]) -> str:
    if not given:
        return name
    return f"{name}({', '.join(f'{key}={_word(value)}' for key, value in given.items())})"


def _word(value: Any) -> str:
    """A number as short as it reads back exactly, or the word itself."""
    return repr(float(value)).removesuffix(".0") if isinstance(value, int | float) else str(value)


def _record_dict(record: Any, kinds: dict[str, Any]) -> dict[str, Any]:
    assert is_dataclass(record)
    name = next(name for name, kind in kinds.items() if type(record) is kind)
    return {"kind": name} | {one.name: getattr(record, one.name) for one in fields(record)}


def _record_from(where: str, data: Any, kinds: dict[str, Any]) -> Any:
    if not isinstance(data, dict) or data.get("kind") not in kinds:
        kind = data.get("kind") if isinstance(data, dict) else data
        raise ValueError(f"{where}.kind = {kind!r} is not one of {', '.join(kinds)}")
    name = data["kind"]
    given = {key: value for key, value in data.items() if key != "kind"}
    return _construct(kinds[name], name, given)
