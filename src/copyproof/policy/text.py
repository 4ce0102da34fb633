"""Text and JSON forms of policies; both round-trip.

A text follows the grammar of ``policy.syntax``. A named policy is its name, with parameters where
they differ from the row's: ``rh-ucb(L=3)``, ``h-ucb(a=1, b=0.5)``, ``fair(s-ucb(l=5))``. Any other
composition is spelled out: ``flat(RULE, sample=SAMPLE)`` or ``hierarchical(AGENT RULE, ARM RULE,
sample=SAMPLE, ties=priority)``, with rules ``ucb(a, b, c, clock)``, ``kl-ucb(scale, clock)``,
``epsilon-greedy(epsilon)``, ``epsilon-decreasing(scale, clock)``, ``thompson``, ``uniform``,
``etc(plays)``, ``own-index(statistic, width, scale, turns, doubt, memory)``, ``champion(fresh,
threshold)``, ``trial(c, lost, memory)``, ``trial-arms``, ``sampled-kl-ucb``, samples ``all``,
``fixed(factor, power)``, ``growing(factor, power, clock)``, and ``restart=epochs(first, factor,
power)`` or ``restart=season(rounds)``; their parameters are given by name, numbers also as
fractions: ``c=1/200``. ``default`` and ``default-anytime`` stand for the policies that the
catalogue recommends.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields, replace
from typing import Any, TypeAlias

from copyproof.policy.catalogue import ALIASES, CATALOGUE, fair, row
from copyproof.policy.named_policy import SEASON
from copyproof.policy.records import RULES, Policy, Rule, Uniform, clock_of
from copyproof.policy.sampling import AllArms, FixedSample, GrowingSample, Restart, Season
from copyproof.policy.syntax import Call, parse, place_of, refused
from copyproof.validation import FieldError, did_you_mean, known, require

_Kinds: TypeAlias = Mapping[str, Any]  # classes of records by their names in the text form
_SAMPLES: _Kinds = {"all": AllArms, "fixed": FixedSample, "growing": GrowingSample}
_RESTARTS: _Kinds = {"epochs": Restart, "season": Season}
_PLACES = {"agent": RULES, "arm": RULES, "sampling": _SAMPLES, "restart": _RESTARTS}
_NAMES = {kind: name for kinds in _PLACES.values() for name, kind in kinds.items()}
_LONGEST = 500
_FRACTION = re.compile(r"(\d{1,15})/([1-9]\d{0,14})")


def parse_policy(text: str) -> Policy:
    """Read the text form of a policy.

    Examples
    --------
    >>> parse_policy("rh-ucb(L=3)").sampling
    FixedSample(factor=3.0, power=1.0)
    >>> parse_policy("hucb")
    Traceback (most recent call last):
    copyproof.validation.FieldError: policy = 'hucb' is not known; ...; did you mean 'h-ucb'?
    """
    require(isinstance(text, str), "policy", text, "a text such as 'h-ucb' or 'rh-ucb(L=3)'")
    if len(text) > _LONGEST:
        said = f"= {text[:20]!r}... has {len(text)} characters, over {_LONGEST}"
        raise FieldError("policy", text, f"at most {_LONGEST} characters", said)
    call = parse(text)
    try:
        return _to_policy(call)
    except ValueError as error:
        if isinstance(error, FieldError) and error.field == "policy":
            raise
        raise refused(text, error) from None


def as_policy(given: Policy | str) -> Policy:
    """Take a record as it is, and read a text; anything else, also a policy of others, is refused.

    Examples
    --------
    >>> as_policy("river:UCB(delta=1)")
    Traceback (most recent call last):
    copyproof.validation.FieldError: policy = 'river:UCB(delta=1)' is not a policy of the...
    """
    if isinstance(given, Policy):
        return given
    is_text = isinstance(given, str)
    accepted = "a policy of the catalogue, or its text such as 'h-ucb' or 'rh-ucb(L=3)'"
    require(is_text and place_of(given) is None, "policy", given, accepted)
    return parse_policy(given)


def to_text(record: Policy) -> str:
    """Write the text form of a policy, as short as it can be.

    Examples
    --------
    >>> to_text(parse_policy("hierarchical(ucb, ucb(clock=plays))"))
    'h-ucb'
    """
    return str(_to_call(record))


def to_dict(record: Policy) -> dict[str, Any]:
    """Write a policy as plain data, ready for JSON.

    Examples
    --------
    >>> to_dict(parse_policy("h-ucb"))["agent"]
    {'kind': 'ucb', 'a': 2.0, 'b': 0.0, 'c': 1.0, 'clock': 'round'}
    """
    parts = {one.name: getattr(record, one.name) for one in fields(record)}
    return {key: _record_dict(one) if type(one) in _NAMES else one for key, one in parts.items()}


def from_dict(data: Any) -> Policy:
    """Read what ``to_dict`` writes.

    Examples
    --------
    >>> str(from_dict(to_dict(parse_policy("rh-ucb(L=3)"))))
    'rh-ucb(L=3)'
    """
    if not isinstance(data, dict) or {*data} != {*_PLACES, "ties"}:
        said = "an object with agent, arm, sampling, ties and restart is needed"
        raise FieldError("", data, "an object", said, source="policy")
    parts = {place: _record_from(place, data[place], kinds) for place, kinds in _PLACES.items()}
    return Policy(**parts, ties=data["ties"])


# --- reading ---------------------------------------------------------------------------------


def parts_of(policy: Policy) -> dict[str, str]:
    """What a policy is made of, part by part, each as its text.

    Examples
    --------
    >>> parts_of(parse_policy("rh-ucb(L=3)"))["sampling"]
    'fixed(factor=3)'
    """
    none = "none"
    return {
        "agent": none if policy.agent is None else str(_record_call(policy.agent)),
        "arm": str(_record_call(policy.arm)),
        "sampling": str(_record_call(policy.sampling)),
        "ties": policy.ties,
        "restart": none if policy.restart is None else str(_record_call(policy.restart)),
    }


def _to_policy(call: Call) -> Policy:
    name = f"{call.place}:{call.name}" if call.place else call.name
    if name in ("flat", "hierarchical"):
        return _to_composition(call)
    if name == "fair":
        _check_keys(call.named, (), "fair", takes="a flat policy")
        if len(call.positional) > 1:
            raise FieldError("fair", str(call), "one", "takes one flat policy, such as ucb1")
        return fair(_to_policy(call.positional[0])) if call.positional else row("fair").policy
    template = row(ALIASES.get(name, name))
    given = _parameters(call)
    _check_keys(given, template.parameters, name)
    record = template.policy
    for key, value in given.items():
        path = template.parameters[key]
        try:
            record = _with(record, path, value)
        except FieldError as error:
            raise error.renamed(key) if path.endswith(f".{error.field}") else error from None
    return record


def _to_composition(call: Call) -> Policy:
    flat = call.name == "flat"
    wanted = 1 if flat else 2
    if len(call.positional) != wanted:
        said = f"takes {wanted} rule{'s' * (wanted > 1)}"
        raise FieldError(call.name, str(call), f"{wanted}", said)
    given = call.named
    _check_keys(given, ["sample", "restart"] + ["ties"] * (not flat), call.name)
    rules: list[Rule] = [_to_record(rule, RULES, "rule") for rule in call.positional]
    sampling = _to_record(given["sample"], _SAMPLES, "sample") if "sample" in given else AllArms()
    ties: Any = given["ties"].value("ties") if "ties" in given else "random"
    restart = _to_record(given["restart"], _RESTARTS, "restart") if "restart" in given else None
    return Policy(None if flat else rules[0], rules[-1], sampling, ties, restart)


def _to_record(call: Call, kinds: _Kinds, what: str) -> Any:
    return _construct(kinds[known(what, call.name, kinds)], call.name, _parameters(call))


def _parameters(call: Call) -> dict[str, Any]:
    """The values that a call gives to its parameters; every number or fraction is a float."""
    return {key: _as_float(value) for key, value in call.parameters().items()}


def _as_float(value: Any) -> Any:
    if isinstance(value, str) and (fraction := _FRACTION.fullmatch(value)):
        return int(fraction[1]) / int(fraction[2])
    if isinstance(value, bool) or not isinstance(value, int):
        return value
    try:
        return float(value)
    except OverflowError:
        return value  # which no record accepts


def _construct(kind: Any, name: str, given: dict[str, Any]) -> Any:
    _check_keys(given, [one.name for one in fields(kind)], name)
    return kind(**given)


def _check_keys(given: Iterable[str], accepted: Iterable[str], of: str, takes: str = "") -> None:
    takes = takes or ", ".join(accepted) or "none"
    for key in given:
        if key not in accepted:
            said = f"is not a parameter of {of}; it takes {takes}{did_you_mean(key, accepted)}"
            raise FieldError(key, key, takes, said)


def _with(record: Any, path: str, value: Any) -> Any:
    """The record with one field, however deep, replaced; a season begins where there is none."""
    head, _, rest = path.partition(".")
    if rest:
        inner = getattr(record, head)
        value = Season(value) if inner is None and path == SEASON else _with(inner, rest, value)
    return replace(record, **{head: value})


def _record_from(where: str, data: Any, kinds: _Kinds) -> Any:
    if data is None and where in ("agent", "restart"):
        return None
    kind = data.get("kind") if isinstance(data, dict) else data
    name = known(f"{where}.kind", kind, kinds)
    given = {key: value for key, value in data.items() if key != "kind"}
    return _construct(kinds[name], name, given)


# --- writing ---------------------------------------------------------------------------------


def _to_call(record: Policy) -> Call:
    named = [
        (candidate.name, given)
        for candidate in CATALOGUE
        if candidate.name != "fair"
        and (given := _given(record, candidate.policy, candidate.parameters)) is not None
    ]
    if named:
        return _call(*min(named, key=lambda one: len(one[1])))
    inner = _flat_of_fair(record)
    if inner is not None:
        return Call("fair", (_to_call(inner),))
    options: dict[str, Call] = {}
    if record.sampling != AllArms():
        options["sample"] = _record_call(record.sampling)
    if record.ties != "random":
        options["ties"] = Call(record.ties)
    if record.restart is not None:
        options["restart"] = _record_call(record.restart)
    name = "flat" if record.is_flat else "hierarchical"
    return Call(name, tuple(map(_record_call, record.rules)), options)


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
    if record.agent != Uniform() or clock_of(record.arm) == "plays":
        return None
    inner = Policy(None, record.arm, sampling)
    return inner if fair(inner) == record else None


def _record_call(record: Any) -> Call:
    values, default = asdict(record), asdict(type(record)())
    given = {key: value for key, value in values.items() if value != default[key]}
    return _call(_NAMES[type(record)], given)


def _call(name: str, given: Mapping[str, Any]) -> Call:
    return Call(name, named={key: Call(_word(value)) for key, value in given.items()})


def _word(value: Any) -> str:
    """A number as short as it reads back exactly, or the word itself."""
    return repr(float(value)).removesuffix(".0") if isinstance(value, int | float) else str(value)


def _record_dict(record: Any) -> dict[str, Any]:
    parts = asdict(record)
    if parts.get("memory", 0) is None:
        del parts["memory"]
    return {"kind": _NAMES[type(record)], **parts}
