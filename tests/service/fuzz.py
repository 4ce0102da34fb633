"""Bodies that nobody should send, and some that anybody may."""

import json
import random
from typing import Any

_ODD: list[Any] = [
    *(None, True, False, 0, 1, -1, 2, 1000, 1001, 2**63, 10**30, 0.5, 1.0, 1.5, -0.0, 1e308),
    *("", "a", "x" * 400, "\x00", "é", "ann", "a1", "site-1-00", "\u202e", [], {}, [[]], [None]),
    *({"a": 1}, {"": {}}, ["ann"], ["ann", "ann"], {"ann": ["a1"]}, {"ann": []}, {"ann": [1]}),
]


def odd(luck: random.Random, depth: int = 0) -> Any:
    """Anything that JSON can say."""
    if depth > 3 or luck.random() < 0.7:
        return luck.choice(_ODD)
    if luck.random() < 0.5:
        return [odd(luck, depth + 1) for _ in range(luck.randrange(4))]
    names = ("count", "eligible", "seen", "reward", "decision", "rewards", "arms", "agent", "x")
    return {luck.choice(names): odd(luck, depth + 1) for _ in range(luck.randrange(4))}


def _some(luck: random.Random, sensible: dict[str, Any], missing: float) -> dict[str, Any]:
    """Sensible values, some of them missing, some replaced, now and then one too many."""
    found = {name: value for name, value in sensible.items() if luck.random() > missing}
    for name in list(found):
        if luck.random() < 0.15:
            found[name] = odd(luck)
    if luck.random() < 0.05:
        found["extra"] = odd(luck)
    return found


def ask_bodies(luck: random.Random) -> Any:
    if luck.random() < 0.1:
        return odd(luck)
    sensible: dict[str, Any] = {
        "count": luck.randrange(1, 5),
        "eligible": luck.choice([None, ["ann"], ["ann", "bob"], {"ann": ["a1"]}, {"bob": ["b1"]}]),
        "seen": luck.choice([None, [], {"ann": ["a1"]}, {"bob": []}]),
        "segment": luck.choice([None, "de", "fr"]),
        "slate": luck.random() < 0.5,
    }
    return _some(luck, sensible, 0.4)


def tell_bodies(luck: random.Random) -> Any:
    if luck.random() < 0.1:
        return odd(luck)

    def one() -> Any:
        sensible: dict[str, Any] = {
            "decision": f"site-{luck.randrange(9)}-0",
            "reward": luck.random(),
        }
        return _some(luck, sensible, 0.02)

    if luck.random() < 0.5:
        return one()
    return _some(luck, {"rewards": [one() for _ in range(luck.randrange(1, 4))]}, 0.02)


def any_bodies(luck: random.Random) -> Any:
    if luck.random() < 0.3:
        return odd(luck)
    sensible: dict[str, Any] = {
        "agent": luck.choice(["ann", "zoe", "x/y", ".", "é"]),
        "arms": [luck.choice(["a1", "new", "x/y", ""]) for _ in range(luck.randrange(4))],
        "arm": luck.choice(["a1", "nothing"]),
        "policy": luck.choice(["h-ucb", "ucb1", "rh-ucb(L=3)", "rh-ucb(", "nothing", "x" * 2000]),
        "role": luck.choice(["auditor", "agent", "application", "king"]),
        "markets": ["site"],
        "overlap": luck.random(),
        "seed": luck.randrange(3),
    }
    kept = luck.sample(sorted(sensible), luck.randrange(1, 4))
    return _some(luck, {name: sensible[name] for name in kept}, 0.1)


def broken(luck: random.Random, body: Any) -> bytes:
    """A body as bytes, some of which may be wrong."""
    raw = bytearray(json.dumps(body).encode())
    if luck.random() < 0.3:
        for _ in range(luck.randrange(1, 4)):
            place = luck.randrange(len(raw) + 1)
            match luck.randrange(3):
                case 0:
                    raw[place:place] = luck.randbytes(1)
                case 1:
                    del raw[place : place + luck.randrange(1, 9)]
                case _:
                    raw[place : place + 1] = luck.choice([b"NaN", b"1e999", b"{", b'"', b"\\ud800"])
    return bytes(raw)
