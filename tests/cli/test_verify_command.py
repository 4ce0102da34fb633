"""``copyproof verify`` and ``store export``: from a store to a verdict, by files alone."""

import json
import re
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
)

from copyproof.cli import main
from copyproof.live import MarketConfig, Principal
from copyproof.live.heads import SigningKey, head_of
from copyproof.live.stores import open_store

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    def call(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["copyproof", *map(str, arguments)])
        status = main()
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return call


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A store with a market, and two heads that were kept: one of it, one of a rewritten past."""
    url = f"sqlite:{tmp_path}/live.db"
    key = SigningKey.from_file(tmp_path / "key.pem")
    with open_store(url) as store:
        config = MarketConfig("h-ucb", seed=1)
        principal = Principal(store=store, market="site", config=config, clock=lambda: 1.7e9)
        principal.register_arms([("ann", "a"), ("bob", "b"), ("cid", "c")])
        principal.tell_many([(each.id, each.round % 2) for each in principal.ask(40)])
        good = head_of(store, "site", 1.7e9)
        for name, digest in (("good", good.digest), ("bad", "00" * 32)):
            head = key.sign(replace(good, digest=digest))
            (tmp_path / f"{name}.json").write_text(json.dumps(asdict(head)))
        principal.ask(5)
    return url


def done(program: Any, *arguments: object, status: int = 0) -> dict[str, Any]:
    found, out, err = program(*arguments, "--json")
    assert (found, err) == (status, "")
    result: dict[str, Any] = json.loads(out)
    return result


def test_an_auditor(tmp_path: Path, program: Any, url: str) -> None:
    file, good, bad = (tmp_path / name for name in ("journal.ndjson", "good.json", "bad.json"))
    done(program, "store", "export", "site", file, "--store", url)
    found = done(program, "verify", file, "--head", good)
    assert found["holds"] is True
    assert found["first_violation"] is None
    assert (found["events"], found["decisions"], found["heads"]) == (7, 45, 1)
    assert "holds: every event is in the chain, and every decision" in program("verify", file)[1]
    found = done(program, "verify", file, "--head", bad, status=1)
    assert (found["holds"], found["first_violation"]["event"]) == (False, 6)
    found = done(program, "verify", file, "--head", good, "--head", bad, status=1)
    why = "two signed heads of event 6 differ: the past was rewritten"
    assert found["first_violation"]["why"] == why

    lines = file.read_text().splitlines()
    asked = json.loads(lines[5])
    right, asked["arms"][7] = asked["arms"][7], (asked["arms"][7] + 1) % 3
    lines[5] = json.dumps(asked)
    file.write_text("\n".join(lines))
    found = done(program, "verify", file, status=1)
    assert found["decisions"] == 45
    assert found["first_violation"] == {
        "event": 5,
        "why": "the decision is not the one of the rule",
        "round": 8,
        "decided": asked["arms"][7],
        "rule": right,
    }
    said = "does not hold: event 5, round 8: the decision is not the one of the rule: arm "
    assert said in program("verify", file)[1]


def test_an_agent(tmp_path: Path, program: Any, url: str) -> None:
    file = tmp_path / "ann.ndjson"
    done(program, "store", "export", "site", file, "--agent", "ann", "--store", url)
    good = ("--head", tmp_path / "good.json", "--agent", "ann")
    found = done(program, "verify", file, *good, status=3)
    assert (found["holds"], found["heads"]) == (None, 1)
    other = done(program, "verify", file, *good[:2], "--agent", "bob", status=1)
    assert other["first_violation"]["why"] == "it is not the journal of agent 'bob'"
    with open_store(url) as store:
        mine = Principal(store=store, market="site").statistics("ann").agents[0]
    assert found["sums"] == {
        "plays": mine.plays,
        "answered": mine.answered,
        "revenue": mine.revenue,
    }
    assert f"plays: {mine.plays}, answered: {mine.answered}" in program("verify", file)[1]


def test_a_head_that_is_newer_than_the_file(tmp_path: Path, program: Any, url: str) -> None:
    file, late = tmp_path / "journal.ndjson", tmp_path / "late.json"
    done(program, "store", "export", "site", file, "--store", url)
    with open_store(url) as store:
        Principal(store=store, market="site").ask(2)
        key = SigningKey.from_file(tmp_path / "key.pem")
        late.write_text(json.dumps(asdict(key.sign(head_of(store, "site", 4e9)))))
        last = store.last("site")
    status, out, _ = program("verify", file, "--head", late)
    assert status == 1
    assert f"not confirmed: head {last} lies after the end of this file (event 7)\n" in out
    assert "\nholds" not in out
    found = done(program, "verify", file, "--head", late, status=1)
    assert (found["holds"], found["heads"], len(found["unconfirmed"])) == (False, 0, 1)


def test_a_public_key_is_pinned(tmp_path: Path, program: Any, url: str) -> None:
    file, pem, digits = (tmp_path / name for name in ("journal.ndjson", "public.pem", "public.txt"))
    done(program, "store", "export", "site", file, "--store", url)
    private = load_pem_private_key((tmp_path / "key.pem").read_bytes(), None)
    public = private.public_key()
    pem.write_bytes(public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    digits.write_text(public.public_bytes(Encoding.Raw, PublicFormat.Raw).hex() + "\n")
    good = ("--head", tmp_path / "good.json")
    for key in (pem, digits):
        assert done(program, "verify", file, *good, "--public-key", key)["holds"] is True
    [fingerprint] = done(program, "verify", file, *good)["keys"]
    assert (
        f"by the key {fingerprint} (as --public-key says)"
        in (program("verify", file, *good, "--public-key", pem)[1])
    )
    digits.write_text("ab" * 32)
    found = done(program, "verify", file, *good, "--public-key", digits, status=1)
    assert fingerprint in found["first_violation"]["why"]
    digits.write_text("a key")
    status, _, err = program("verify", file, "--public-key", digits)
    assert (status, err.count("\n")) == (2, 1)
    assert "is not a public Ed25519 key" in err


def test_bytes_after_the_end_are_refused(tmp_path: Path, program: Any, url: str) -> None:
    file = tmp_path / "journal.ndjson"
    done(program, "store", "export", "site", file, "--store", url)
    with open(file, "a") as more:
        more.write('{"number": 8}\n')
    status, _, err = program("verify", file)
    assert status == 2
    assert "goes on after its last line" in err


def test_a_name_is_forgotten(tmp_path: Path, program: Any, url: str) -> None:
    before, after = tmp_path / "before.ndjson", tmp_path / "after.ndjson"
    done(program, "store", "export", "site", before, "--store", url)
    made = done(program, "store", "forget", "site", "ann", "--store", url)
    assert (made["events"], made["keys"]) == (2, 0)
    done(program, "store", "check", "--replay", "--store", url)
    done(program, "store", "export", "site", after, "--store", url)
    assert after.stat().st_mode & 0o777 == 0o600  # the seed is in it
    *same, said, _ = after.read_text().splitlines()
    assert same == before.read_text().splitlines()[:-1]
    assert json.loads(said)["kind"] == "kept"  # something was forgotten
    assert done(program, "verify", after)["holds"] is True
    assert b"ann" not in (tmp_path / "live.db").read_bytes()


def test_the_commands_of_the_page(
    tmp_path: Path, program: Any, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = Path(__file__).parents[2] / "docs" / "explanation" / "journal.md"
    commands = re.findall("^copyproof (.+)$", page.read_text("utf-8"), re.MULTILINE)
    assert len(commands) == 4
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.json").rename("head.json")
    for command in commands:
        status, out, err = program(*command.split())
        assert (status, err) == (3 if command.startswith("verify ann") else 0, ""), command
        assert "every event is in the chain" in out or "in the chain" in out or "journal: " in out


def test_bad_arguments(tmp_path: Path, program: Any, url: str) -> None:
    there = tmp_path / "there.ndjson"
    there.write_text('{"number":1}\n')
    text, new = tmp_path / "text", tmp_path / "new"
    text.write_text("no JSON")
    deep = tmp_path / "deep"
    deep.write_text("[" * 100_000 + "]" * 100_000)
    empty, cut, shorter, table = (tmp_path / name for name in ("empty", "cut", "shorter", "table"))
    empty.touch()
    table.write_bytes(b"PAR1\xb8\x00")
    done(program, "store", "export", "site", tmp_path / "whole", "--store", url)
    whole = (tmp_path / "whole").read_text()
    cut.write_text(whole[:-10])
    shorter.write_text("".join(whole.splitlines(keepends=True)[:-1]))
    for arguments, said in (
        (["verify", tmp_path / "none"], "cannot be read"),
        (["verify", deep], "line 1 is not a JSON object"),
        (["verify", there], f"JOURNAL = {there} is not an exported journal"),
        (["verify", empty], f"JOURNAL = {empty} is empty"),
        (["verify", cut], f"JOURNAL = {cut} is cut off in line 9"),
        (["verify", shorter], f"JOURNAL = {shorter} is cut off after event 7"),
        (["verify", table], f"JOURNAL = {table} is no file of JSON lines: it is not text"),
        (["verify", shorter, "--head", table], f"--head = {table} is no file of JSON lines"),
        (["verify", shorter, "--head", tmp_path / "none"], "--head = "),
        (["verify", text], "line 1 is not a JSON object"),
        (["verify", there, "--head", text], "line 1 is not a JSON object"),
        (["verify", there, "--head", there], "is not a signed head"),
        (["store", "export", "site", there, "--store", url], "exists already"),
        (["store", "export", "none", new, "--store", url], "MARKET = 'none' is not in the store"),
        (["store", "export", "site", new, "--agent", "x", "--store", url], "--agent = 'x'"),
        (["store", "forget", "site", "x", "--store", url], "AGENT = 'x'"),
    ):
        status, out, err = program(*arguments)
        assert (status, out, len(err.splitlines())) == (2, "", 1), (arguments, err)
        assert said in err
