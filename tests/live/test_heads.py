"""The key that heads are signed with: a file that is there as a whole, or not at all."""

import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from copyproof.live.heads import SignedHead, SigningKey
from copyproof.validation import FieldError


@pytest.mark.parametrize("failing", ["fsync", "link"])
def test_a_key_that_cannot_be_written_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    path = tmp_path / "key.pem"

    def full(*_: object) -> None:
        raise OSError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(os, failing, full)
        with pytest.raises(OSError, match="the disk is full"):
            SigningKey.from_file(path)
    assert list(tmp_path.iterdir()) == []
    made = SigningKey.from_file(path)
    assert SigningKey.from_file(path).public == made.public
    assert [one.name for one in tmp_path.iterdir()] == ["key.pem"]


def test_of_two_processes_that_make_a_key_both_take_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, link, others = tmp_path / "key.pem", os.link, []

    def late(*given: Any) -> None:
        monkeypatch.setattr(os, "link", link)
        others.append(SigningKey.from_file(path))
        link(*given)

    monkeypatch.setattr(os, "link", late)
    made = SigningKey.from_file(path)
    assert made.public == others[0].public
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_head_that_was_never_signed_is_said_to_be_so() -> None:
    unsigned = SignedHead("m", "5c", "00" * 32, 0, 7, "00" * 32, 1.5)
    with pytest.raises(FieldError, match=r"head\.public_key is null: .* no --signing-key"):
        SignedHead.from_dict(asdict(unsigned))
