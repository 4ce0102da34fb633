"""The machine proofs: nothing is left open, Coq has checked these files, and the page names them.

Coq itself is brought by ``make proofs``, which also runs ``coqchk``: 141 MB of packages are too
many for every run of the tests. Where Coq is there, the files are compiled here as well.
"""

import re
from pathlib import Path

import pytest

from tests.programs import not_there
from tools import proofs
from tools.programs import ROOT

PAGE = (ROOT / "docs" / "explanation" / "proofs.md").read_text(encoding="utf-8")
NAMED = {
    (stem, name)
    for stem, name in re.findall(r"`(\w+)\.(\w+)`", PAGE)
    if f"{stem}.{name}" not in proofs.ALLOWED
}
EXAMPLES = [
    f"{path.stem}.{name}" for path in proofs.files() for name in proofs.statements(path, "Example")
]


def of_file(stem: str) -> set[str]:
    text = proofs.without_comments((proofs.SOURCES / f"{stem}.v").read_text(encoding="utf-8"))
    kinds = r"Theorem|Lemma|Corollary|Example|Definition|Fixpoint|Record"
    return set(re.findall(rf"^ *(?:{kinds})\s+(\w+)", text, re.M))


def test_no_proof_is_left_open() -> None:
    assert [word for path in proofs.files() for word in proofs.open_ends(path)] == []


def test_every_file_is_compiled() -> None:
    assert {path.name for path in proofs.files()} == {
        path.name for path in proofs.SOURCES.glob("*.v")
    }


def test_coq_has_checked_these_sources() -> None:
    """`make proofs` fails where the list is out of date, and this test where it was not run."""
    first, *lines = proofs.AXIOMS.read_text(encoding="utf-8").splitlines()
    assert first == f"sources {proofs.digest()}", "python -m tools.proofs --write"
    names = [f"{path.stem}.{name}" for path in proofs.files() for name in proofs.statements(path)]
    assert [line.split(":")[0] for line in lines] == names
    assumed = {word for line in lines for word in line.split(": ")[1].split(" ")}
    assert assumed - {"no", "axioms"} <= proofs.ALLOWED


@pytest.mark.parametrize(("stem", "name"), sorted(NAMED))
def test_the_page_names_what_is_there(stem: str, name: str) -> None:
    assert name in of_file(stem)


def test_every_counterexample_is_on_the_page() -> None:
    assert len(EXAMPLES) > 20
    assert [name for name in EXAMPLES if f"`{name}`" not in PAGE] == []


def test_the_axioms_are_on_the_page() -> None:
    assert [axiom for axiom in sorted(proofs.ALLOWED) if f"`{axiom}`" not in PAGE] == []


def test_the_tests_on_the_page_exist() -> None:
    paths = re.findall(r"`(tests/[\w/]+\.py)`", PAGE)
    assert len(paths) > 5
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_the_files_compile(tmp_path: Path) -> None:
    if not proofs.is_here():
        not_there("coqc with Flocq is not there (`make proofs` brings it)", required=False)
    proofs.compile_into(tmp_path)


@pytest.mark.parametrize(
    "line",
    [
        "Admitted.",
        "  admit.",
        "Axiom choice : forall P, P.",
        "Parameter c : nat.",
        "Unset Guard Checking.",
        "Abort.",
    ],
)
def test_an_open_end_is_found(tmp_path: Path, line: str) -> None:
    source = tmp_path / "Some.v"
    source.write_text(f"(* Admitted (* nested *) Axiom\n*) Theorem a : True.\n{line}\n")
    assert [end.split(":")[:2] for end in proofs.open_ends(source)] == [["Some.v", "3"]]


def test_comments_are_no_statements(tmp_path: Path) -> None:
    source = tmp_path / "Some.v"
    source.write_text("(* Theorem a. (* Lemma b. *)\nLemma c. *)\nTheorem d : True.\n")
    assert proofs.statements(source) == ["d"]


SUMMARY = """CONTEXT SUMMARY
* Theory: Set is predicative
* Axioms:
    {axiom}
* Constants/Inductives relying on type-in-type: {unsafe}
* Constants/Inductives relying on unsafe (co)fixpoints: <none>
* Inductives whose positivity is assumed: <none>
"""


def test_what_coqchk_may_report() -> None:
    real = "Coq.Reals.ClassicalDedekindReals.sig_forall_dec"
    proofs.assert_sound(SUMMARY.format(axiom=real, unsafe="<none>"))
    for axiom, unsafe in [("Copyproof.Game.claim", "<none>"), (real, "Copyproof.Game.f")]:
        with pytest.raises(proofs.Failure, match=r"coqchk: .*Copyproof\.Game"):
            proofs.assert_sound(SUMMARY.format(axiom=axiom, unsafe=unsafe))
    with pytest.raises(proofs.Failure, match="no summary"):
        proofs.assert_sound("")


def test_where_coq_cannot_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proofs, "find", lambda _: None)
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    with pytest.raises(proofs.Failure, match="no coqc with Flocq here, and no apt"):
        proofs.provide()
