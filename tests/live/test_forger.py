"""No verifier accepts a forged journal: not the Python one, and not the one of the console."""

import json
import shutil
import subprocess
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import copyproof.service
from copyproof.live import MarketConfig, Principal
from copyproof.live.exports import agent_lines, audit_lines
from copyproof.live.heads import SignedHead, SigningKey, head_of
from copyproof.live.stores import Store, open_store
from copyproof.live.verification import verify
from copyproof.validation import FieldError
from tests.golden.live.generate import Session
from tests.live import forger
from tests.live.forger import Lines
from tests.programs import not_there

KEY = SigningKey(Ed25519PrivateKey.generate())
Journal = tuple[Lines, list[SignedHead]]


def _lines(lines: Any) -> Lines:
    return [json.loads(json.dumps(line)) for line in lines]


def _played(store: Store) -> list[SignedHead]:
    """A market with decisions, rewards and plays that expire; heads before, amid and at its end."""
    now = [1.7e9]
    config = MarketConfig("h-ucb", seed=1, reward_window=20.0, rewards="max")
    principal = Principal(store=store, market="m", config=config, clock=lambda: now[0])
    heads = [head_of(store, "m", now[0])]
    principal.register_arms([("ann", "a"), ("bob", "b"), ("ann", "c")])
    for n in range(5):
        now[0] += 9.0
        [decision, *_] = principal.ask(1 + n % 3)
        if n % 3:
            principal.tell(decision.id, n / 4)
        heads.append(head_of(store, "m", now[0]))
    return [KEY.sign(head) for head in heads]


@pytest.fixture(scope="module")
def audit() -> Journal:
    with open_store("memory:") as store:
        heads = _played(store)
        return _lines(audit_lines(store, "m")), heads


@pytest.fixture(scope="module")
def own() -> Journal:
    with open_store("memory:") as store:
        heads = _played(store)
        arms = Principal(store=store, market="m").arm_numbers("ann")
        return _lines(agent_lines(store, "m", "ann", arms)), heads


def _is_refused(lines: Lines, heads: list[SignedHead], agent: str | None = None) -> bool:
    try:
        return verify(lines, heads, agent=agent).holds is False
    except FieldError:
        return True


def test_no_forged_audit_file_is_accepted(audit: Journal) -> None:
    lines, heads = audit
    assert verify(lines, heads).holds
    tried = 0
    for why, forged in forger.audit_forgeries(lines):
        assert _is_refused(forged, heads), why
        tried += 1
    assert tried > 2000


def test_every_kind_of_event_is_covered() -> None:
    """The session of the golden files has every event there is: each is changed in each field."""
    with open_store("memory:") as store:
        Session(store, "trial").play()
        lines, head = _lines(audit_lines(store, "trial")), KEY.sign(head_of(store, "trial", 1.7e9))
    assert verify(lines, [head]).holds
    kinds = {line["kind"]: number for number, line in enumerate(lines) if "kind" in line}
    for kind, number in kinds.items():
        for why, forged in forger.fields_changed(lines, number):
            assert _is_refused(forged, [head]), (kind, why)


def test_no_forged_journal_of_an_agent_is_accepted(own: Journal) -> None:
    lines, heads = own
    assert verify(lines, heads, agent="ann").holds is None
    tried = 0
    for why, forged in forger.agent_forgeries(lines):
        assert _is_refused(forged, heads, "ann"), why
        tried += 1
    assert tried > 1000


def test_no_forged_head_is_accepted(audit: Journal) -> None:
    lines, heads = audit
    head = asdict(heads[-1])
    for name, value in head.items():
        for other in forger.mutations(value):
            forged = {**head, name: other}
            with suppress(FieldError):
                assert not verify(lines, [SignedHead.from_dict(forged)]).holds, (name, other)


def test_a_history_of_its_own_is_refused_by_genuine_heads(audit: Journal) -> None:
    """The forger plays another game of the same market, under the same configuration."""
    lines, heads = audit
    for number in (4, len(lines) - 2):
        forged = forger.rechained([*lines[:number], lines[-1]])
        assert verify(forged).holds  # nothing in it contradicts itself
        verdict = verify(forged, heads)
        assert verdict.holds is False
        assert verdict.unconfirmed


def test_a_head_with_another_cut_is_none_of_the_key(audit: Journal) -> None:
    lines, heads = audit
    first, *events, end = lines
    head = forger.rechained([first, *events[:2], end])[-1]["head"]
    cut = [{**first, "after": 2, "head": head}, *events[2:], end]
    why = "and no signed head says that they were compacted away"
    found = verify(cut, heads).first_violation
    assert found is not None
    assert why in found.why
    with pytest.raises(FieldError, match="has no good signature"):
        verify(cut, [replace(heads[-1], cut=2)])


SCRIPT = """
import { readFileSync } from "node:fs";
import { isSigned, verifyJournal } from "./verify.js";

const { heads, agent, cases } = JSON.parse(readFileSync(process.argv[2], "utf-8"));
const answers = [];
for (const lines of cases) {
  try {
    const found = await verifyJournal(lines, agent, heads);
    answers.push(found.violation === null && found.others === 0 ? "accepted" : "refused");
  } catch (error) {
    answers.push("refused");
  }
}
const signed = [];
for (const head of heads) signed.push(await isSigned(head));
console.log(JSON.stringify({ answers, signed }));
"""


def _in_javascript(
    folder: Path, cases: list[Lines], heads: list[dict[str, Any]]
) -> tuple[list[str], list[str]]:
    """What the console's verifier says of journals, and of the signatures of heads."""
    node = shutil.which("node")
    if node is None:
        not_there("the console's verifier against the forger: node is not there")
    console = Path(copyproof.service.__file__).parent / "console"
    for name in ("verify.js", "blake2s.js"):
        shutil.copy(console / name, folder / name)
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "run.js").write_text(SCRIPT)
    (folder / "cases.json").write_text(
        json.dumps({"heads": heads, "agent": "ann", "cases": cases}), "utf-8"
    )
    command = [node, "run.js", "cases.json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    return answer["answers"], answer["signed"]


def test_the_console_accepts_no_forged_journal(own: Journal, tmp_path: Path) -> None:
    lines, heads = own
    names, cases = zip(*forger.agent_forgeries(lines), strict=True)
    answers, signed = _in_javascript(tmp_path, [lines, *cases], [*map(asdict, heads)])
    assert answers[0] == "accepted"
    pairs = zip(names, answers[1:], strict=True)
    assert [name for name, answer in pairs if answer != "refused"] == []
    assert {*signed} == {"yes"}


def test_the_console_accepts_no_forged_head(own: Journal, tmp_path: Path) -> None:
    lines, heads = own
    head = asdict(heads[-1])
    forged = [{**head, name: value} for name in head for value in forger.mutations(head[name])]
    _, signed = _in_javascript(tmp_path, [lines], forged)
    accepted = [head for head, answer in zip(forged, signed, strict=True) if answer == "yes"]
    assert accepted == []
