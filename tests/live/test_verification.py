"""An exported journal is checked without its store: every change in it is found."""

import json
import random
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from copyproof.live import MarketConfig, Principal
from copyproof.live.exports import agent_lines, audit_lines
from copyproof.live.heads import SignedHead, SigningKey, head_of
from copyproof.live.stores import Store, open_store
from copyproof.live.verification import verify
from copyproof.validation import FieldError
from tests.golden.live.generate import MARKETS, Session

KEY = SigningKey(Ed25519PrivateKey.generate())


def through_file(lines: Iterator[dict[str, Any]]) -> list[dict[str, Any]]:
    """Lines as they come back from a file."""
    return [json.loads(json.dumps(line)) for line in lines]


def exported(store: Store, market: str = "m") -> list[dict[str, Any]]:
    return through_file(audit_lines(store, market))


def signed(store: Store, market: str = "m") -> SignedHead:
    return KEY.sign(head_of(store, market, 1.7e9))


def own_lines(store: Store, agent: str, market: str = "m") -> list[dict[str, Any]]:
    arms = Principal(store=store, market=market).arm_numbers(agent)
    return through_file(agent_lines(store, market, agent, arms))


@pytest.fixture
def store() -> Iterator[Store]:
    with open_store("memory:") as store:
        yield store


def play(store: Store, rounds: int = 50) -> Principal:
    now = [1.7e9]
    config = MarketConfig("h-ucb", seed=1, reward_window=20.0, rewards="max")
    principal = Principal(store=store, market="m", config=config, clock=lambda: now[0])
    principal.register_arms([("ann", "a"), ("bob", "b"), ("ann", "c"), ("cid", "d")])
    for n in range(rounds):
        now[0] += 1.5
        [decision, *_] = principal.ask(1 + n % 3)
        if n % 4:
            principal.tell(decision.id, n % 5 / 4)
    return principal


@pytest.mark.parametrize("market", MARKETS)
def test_every_kind_of_request_is_verified(store: Store, market: str) -> None:
    """The session of the golden files: every event there is, under every policy there."""
    session = Session(store, market)
    session.play()
    lines = exported(store, market)
    verdict = verify(lines, [signed(store, market)])
    assert verdict.first_violation is None
    assert (verdict.holds, verdict.not_replayed, verdict.heads) == (True, None, 1)
    assert verdict.decisions == session.principal.round
    assert verdict.events == session.principal.last == len(lines) - 2
    assert not {"ann", "bob", "grün \U0001f600"} & set(
        json.dumps(lines, ensure_ascii=False).split('"')
    )


@pytest.mark.parametrize("market", MARKETS)
def test_an_agent_adds_up_its_own(store: Store, market: str) -> None:
    session = Session(store, market)
    session.play()
    for agent in ("ann", "grün \U0001f600", "bob", "cid", "dan", "late 3"):
        lines = own_lines(store, agent, market)
        verdict = verify(lines, [signed(store, market)], agent=agent)
        assert verdict.first_violation is None
        assert (verdict.holds, verdict.heads) == (None, 1)
        assert "does not show the decisions" in (verdict.not_replayed or "")
        mine = session.principal.statistics(agent).agents[0]
        assert verdict.sums is not None
        assert verdict.sums["plays"] == mine.plays
        assert verdict.sums["answered"] == mine.answered
        assert verdict.sums["revenue"] == pytest.approx(mine.revenue, abs=1e-9)


def test_an_agent_sees_nothing_of_the_others(store: Store) -> None:
    play(store)
    key_of_salts = exported(store)[0]["key"]
    lines = own_lines(store, "bob")
    shown = [piece[1] for line in lines[1:-1] for piece in line["pieces"] if len(piece) == 2]
    kinds = [json.loads(text) for text in shown]
    arms = {piece[0] for piece in kinds if isinstance(piece, list) and type(piece[1]) is int}
    assert arms == {1}
    text = json.dumps(lines)
    assert key_of_salts not in text
    assert '"seed' not in text
    assert '"policy' not in text


def changed(lines: list[dict[str, Any]], kind: str, change: Any) -> list[dict[str, Any]]:
    """The file with one event changed, from the middle of those of a kind."""
    found = json.loads(json.dumps(lines))
    those = [line for line in found if line.get("kind") == kind]
    change(those[len(those) // 2])
    return list(found)


def test_whatever_is_changed_is_found(store: Store) -> None:
    play(store)
    lines, head = exported(store), signed(store)
    for kind, change in (
        ("asked", lambda event: event.update(at=event["at"] + 0.25)),
        ("told", lambda event: event.update(rewards=[1 - event["rewards"][0]])),
        ("told", lambda event: event.update(rounds=[event["rounds"][0] + 1])),
        ("expired", lambda event: event.update(upto=event["upto"] + 1)),
        ("arms", lambda event: event["arms"].reverse()),
        ("agent", lambda event: event.update(agent="~" + "0" * 40)),
    ):
        verdict = verify(changed(lines, kind, change), [head])
        assert not verdict.holds, kind
        assert verdict.first_violation is not None
    other = [{**lines[0], "config": {**lines[0]["config"], "seed": 2}}, *lines[1:]]
    assert "the configuration" in (verify(other).first_violation or other).why  # type: ignore[union-attr]


def forged(store: Store, lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A file whose chain was made anew by somebody who has the store and its secret."""
    chain = store.chain("m")
    with open_store("memory:") as other:
        other.create_market("m", lines[0]["config"])
        other._markets["m"].chain = replace(chain, head=chain.cut)  # type: ignore[attr-defined]
        events = [{k: v for k, v in line.items() if k != "number"} for line in lines[1:-1]]
        other.append("m", 1, events)
        return exported(other)


def test_a_decision_against_the_rule_is_named(store: Store) -> None:
    """Although the chain fits: the operator decided so, and wrote it down."""
    play(store)
    lines = exported(store)
    event = [line for line in lines if line.get("kind") == "asked"][30]
    before = event["arms"][-1]
    event["arms"][-1] = (before + 1) % 4
    verdict = verify(forged(store, lines))
    found = verdict.first_violation
    assert found is not None
    assert found.event == event["number"]
    assert found.round == event["round"] + len(event["arms"]) - 1
    assert (found.decided, found.rule) == (event["arms"][-1], before)
    assert found.why == "the decision is not the one of the rule"


def test_plays_that_expire_against_the_terms_are_named(store: Store) -> None:
    play(store)
    lines = exported(store)
    [event, *_] = [line for line in lines if line.get("kind") == "expired"]
    event["upto"] += 1
    found = verify(forged(store, lines)).first_violation
    assert found is not None
    assert (found.event, found.round) == (event["number"], None)
    assert "expire at another time" in found.why


def test_a_head_that_was_kept_shows_a_rewritten_past(store: Store) -> None:
    play(store, 20)
    kept = signed(store)
    lines = exported(store)
    assert verify(lines, [kept]).heads == 1
    told = [line for line in lines if line.get("kind") == "told"][-1]
    told["rewards"] = [1 - told["rewards"][0]]
    rewritten = forged(store, lines)
    assert verify(rewritten).holds
    found = verify(rewritten, [kept]).first_violation
    assert found is not None
    assert (found.event, found.why[:24]) == (kept.number, "the signed head is anoth")
    again = KEY.sign(replace(kept, digest="00" * 32, at=1.7e9 + 5))
    found = verify(lines, [kept, again]).first_violation
    assert found is not None
    assert found.why == f"two signed heads of event {kept.number} differ: the past was rewritten"
    assert verify(exported(store), [kept, kept]).holds


def test_a_journal_that_shrank_is_found(store: Store) -> None:
    principal = play(store, 20)
    lines = exported(store)
    principal.ask(3)
    verdict = verify(lines, [signed(store)])
    assert verdict.holds is False
    assert "lies after the end of this file" in verdict.unconfirmed[0]


def test_a_head_outside_of_the_journal_is_not_confirmed(store: Store) -> None:
    principal = play(store)
    early = signed(store)
    principal.snapshot()
    lines, own = exported(store), own_lines(store, "ann")
    end = store.last("m")
    principal.ask(3)
    later = KEY.sign(head_of(store, "m", 4e9))  # after the journal was exported
    for some in (lines, own):
        verdict = verify(some, [early, later])
        assert (verdict.holds, verdict.first_violation, verdict.heads) == (False, None, 1)
        after_end = f"head {later.number} lies after the end of this file (event {end})"
        assert verdict.unconfirmed == [after_end]
        assert verify(some, [early]).unconfirmed == []
        assert verify(some, [early]).holds is (True if some is lines else None)
    principal.compact()
    principal.ask()
    principal.compact()
    gone = store.compacted("m")
    assert gone > early.number
    now = KEY.sign(head_of(store, "m", 1.75e9))
    verdict = verify(exported(store), [early, now])
    assert (verdict.holds, verdict.first_violation) == (False, None)
    before = f"head {early.number} lies before the beginning of this file (event {gone})"
    assert verdict.unconfirmed == [before]


def test_a_head_that_was_not_signed_is_refused(store: Store) -> None:
    play(store, 5)
    lines, head = exported(store), signed(store)
    for wrong in ({"at": 0.0}, {"digest": "00" * 32}, {"signature": "00" * 64}):
        with pytest.raises(FieldError, match=r"head of event \d+ has no good signature"):
            verify(lines, [SignedHead.from_dict({**asdict(head), **wrong})])
    with pytest.raises(FieldError, match="is of market 'n', and the journal of 'm'"):
        verify(lines, [SignedHead.from_dict({**asdict(head), "market": "n"})])
    for name, value in (("number", "5"), ("signature", None), ("cut", True)):
        with pytest.raises(FieldError, match="head"):
            SignedHead.from_dict({**asdict(head), name: value})


def test_what_is_not_a_journal_is_refused(store: Store) -> None:
    play(store, 5)
    lines = exported(store)
    for wrong, said in (
        ([], "journal is empty"),
        ([{"number": 1}], "journal is not an exported journal"),
        (lines[:-1], r"journal is cut off after event \d+: its last line is missing"),
        ([lines[0], *lines[2:]], "number = 2 is not the next one, 1"),
        ([{**lines[0], "version": 9}, *lines[1:]], "version = 9"),
        ([{"copyproof": "journal", "version": 1}], "is not as it is exported"),
        ([lines[0], {"number": 1}, lines[-1]], "kind"),
    ):
        with pytest.raises((FieldError, Exception), match=said):
            verify(wrong)


def test_a_compacted_journal_is_chained_but_not_replayed(store: Store) -> None:
    principal = play(store)
    early = signed(store)
    principal.snapshot()
    principal.ask(2)
    principal.compact()
    principal.tell(principal.ask()[0].id, 1.0)
    cut = store.compacted("m")
    assert cut > 0
    verdict = verify(exported(store), [signed(store)])
    assert (verdict.holds, verdict.first_violation, verdict.heads) == (None, None, 1)
    assert verdict.not_replayed == f"events up to {cut} are not in the file"
    assert verify(own_lines(store, "ann"), [signed(store)]).holds is None
    found = verify(exported(store), [early]).first_violation
    assert found is not None
    assert "and no signed head says that they were compacted away" in found.why


def test_a_head_before_the_first_event_confirms_none(store: Store) -> None:
    Principal(store=store, market="n", config=MarketConfig("h-ucb", seed=1))
    head = signed(store, "n")
    Principal(store=store, market="n").register_arm("ann", "a")
    verdict = verify(exported(store, "n"), [head])
    assert (head.number, verdict.holds, verdict.heads) == (0, True, 0)


def test_a_market_that_was_made_again_is_another_chain() -> None:
    heads = []
    for _ in range(2):
        with open_store("memory:") as store:
            play(store, 10)
            heads.append(signed(store))
            lines = exported(store)
    verdict = verify(lines, heads)
    assert (verdict.holds, verdict.first_violation, verdict.heads) == (False, None, 1)
    [why] = verdict.unconfirmed
    assert "the market was deleted and made again" in why
    assert "rewritten" not in why


def test_keys_are_pinned(store: Store) -> None:
    play(store)
    lines, head = exported(store), signed(store)
    verdict = verify(lines, [head], public_key=KEY.public)
    assert (verdict.holds, verdict.keys) == (True, [head.fingerprint])
    other = SigningKey(Ed25519PrivateKey.generate())
    found = verify(lines, [head], public_key=other.public).first_violation
    assert found is not None
    assert head.fingerprint in found.why
    found = verify(lines, [head, other.sign(head)]).first_violation
    assert found is not None
    assert found.why == "the signed heads of this chain are by different keys"


def test_other_numerics_are_not_replayed(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    play(store)
    lines, head = exported(store), signed(store)
    monkeypatch.setattr("copyproof.live.verification.VERSIONS", {"numerics": 99})
    verdict = verify(lines, [head])
    assert (verdict.holds, verdict.first_violation) == (None, None)
    assert "and this program has 99" in (verdict.not_replayed or "")


def test_random_lines_of_an_agents_file_are_found(store: Store) -> None:
    play(store)
    lines = own_lines(store, "ann")
    rng = random.Random(1)
    for _ in range(30):
        found = json.loads(json.dumps(lines))
        line = rng.choice(found[1:-1])
        place = rng.randrange(len(line["pieces"]))
        piece = line["pieces"][place]
        if isinstance(piece, str):
            line["pieces"][place] = piece[::-1]
        else:
            line["pieces"][place] = [piece[0], piece[1].replace("1", "2") + " "]
        assert not verify(found).holds
