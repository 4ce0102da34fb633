"""Check the machine proofs in ``proofs`` with Coq: ``make proofs``.

``python -m tools.proofs`` compiles every file with ``coqc``, checks the compiled files and all that
they import with ``coqchk``, and prints the axioms of every theorem. It fails if a file leaves a
proof open or declares an axiom, if ``coqchk`` reports more than the axioms of Coq's real numbers,
or if the axioms of a theorem are not those in ``proofs/axioms.txt``. ``--write`` renews that file,
which also holds a digest of the sources: a test without Coq sees that they have changed since.

Where the machine has no Coq with Flocq, Debian's packages are unpacked below ``.venv/programs``
without rights (``tools.programs``).
"""

import argparse
import hashlib
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from tools.programs import FOLDER, ROOT, find, last_line, unpack, write_script

SOURCES = ROOT / "proofs"
AXIOMS = SOURCES / "axioms.txt"
BUILD = ROOT / "out" / "proofs"
LIBRARY = "Copyproof"
# Of Coq's real numbers: nothing else may be assumed.
ALLOWED = {
    "ClassicalDedekindReals.sig_forall_dec",
    "ClassicalDedekindReals.sig_not_dec",
    "Classical_Prop.classic",
    "FunctionalExtensionality.functional_extensionality_dep",
}
PACKAGES = ["coq", "libcoq-flocq"]
_KEPT = ("coqc", "coqchk")
_OPEN = re.compile(
    r"\b(Admitted|admit|give_up|Abort|Axioms?|Parameters?|Conjecture|Unset|bypass_check)\b"
)
_STATEMENT = re.compile(r"^ *(Theorem|Lemma|Corollary|Example)\s+(\w+)", re.M)
_LISTED = ("Theorem", "Corollary", "Example")
# Debian's Coq finds its plugins by OCaml's findlib, whose file of settings is elsewhere here.
_ENVIRONMENT = """export OCAMLFIND_CONF=/dev/null OCAMLPATH={ocaml} COQLIB={ocaml}/coq
export COQCORELIB={ocaml}/coq-core
"""


class Failure(Exception):
    """The proofs do not hold as they are claimed to; the text says what is wrong."""


def files(folder: Path = SOURCES) -> list[Path]:
    """The files of the proofs, those that are imported before those that import them."""
    lines = (SOURCES / "_CoqProject").read_text(encoding="utf-8").split()
    return [folder / line for line in lines if line.endswith(".v")]


def without_comments(text: str) -> str:
    """The text of a file without its comments, which may be nested; lines stay lines."""
    kept, depth = [], 0
    for part in re.split(r"(\(\*|\*\)|\n)", text):
        if part == "(*":
            depth += 1
        elif part == "*)":
            depth -= 1
        elif depth == 0 or part == "\n":
            kept.append(part)
    return "".join(kept)


def statements(path: Path, *kinds: str) -> list[str]:
    """The names of the statements of a file, of these kinds: all but lemmas if there are none."""
    text = without_comments(path.read_text(encoding="utf-8"))
    return [name for kind, name in _STATEMENT.findall(text) if kind in (kinds or _LISTED)]


def open_ends(path: Path) -> list[str]:
    """What leaves a proof open, or assumes something, as ``file:line: word``."""
    lines = without_comments(path.read_text(encoding="utf-8")).splitlines()
    return [
        f"{path.name}:{number}: {word}"
        for number, line in enumerate(lines, 1)
        for word in _OPEN.findall(line)
    ]


def digest(folder: Path = SOURCES) -> str:
    """A digest of all sources, in their order."""
    total = hashlib.sha256()
    for path in files(folder):
        total.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help="renew proofs/axioms.txt")
    renews = parser.parse_args().write
    try:
        check(renews=renews)
    except (Failure, OSError, subprocess.SubprocessError) as error:
        sys.exit(f"proofs: {error if isinstance(error, Failure) else last_line(error)}")


def check(*, renews: bool = False) -> None:
    """Compile and check everything; raise ``Failure`` where something does not hold."""
    if words := [word for path in files() for word in open_ends(path)]:
        raise Failure("left open or assumed: " + ", ".join(words))
    provide()
    shutil.rmtree(BUILD, ignore_errors=True)
    compile_into(BUILD)
    modules = [f"{LIBRARY}.{path.stem}" for path in files()]
    assert_sound(_timed("coqchk, all files and what they import", "coqchk", "-o", *modules))
    table = axioms()
    print(table, end="")
    if renews:
        AXIOMS.write_text(table, encoding="utf-8")
    if table != AXIOMS.read_text(encoding="utf-8"):
        raise Failure("these are not the lines of proofs/axioms.txt; --write renews it")
    count = sum(len(statements(path)) for path in files(BUILD))
    print(f"{count} theorems hold")


def compile_into(folder: Path) -> None:
    """Compile a copy of every file in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in files():
        shutil.copy(path, folder)
    for path in files(folder):
        _timed(f"coqc {path.name}", "coqc", path.name, folder=folder)


def axioms() -> str:
    """The axioms of every theorem as Coq prints them, a line each, below the sources' digest."""
    names = [f"{path.stem}.{name}" for path in files(BUILD) for name in statements(path)]
    imports = " ".join(f"{LIBRARY}.{path.stem}" for path in files())
    questions = [f"Print Assumptions {LIBRARY}.{name}." for name in names]
    (BUILD / "Axioms.v").write_text(
        "\n".join([f"Require {imports}.", *questions]), encoding="utf-8"
    )
    output = _run("coqc", "Axioms.v")
    answers = re.split(r"^(?=Axioms:|Closed under)", output, flags=re.M)[1:]
    if len(answers) != len(names):
        raise Failure("Coq does not answer for every theorem")
    lines = [f"sources {digest(BUILD)}"]
    for name, answer in zip(names, answers, strict=True):
        assumed = re.findall(r"^(\w+(?:\.\w+)*)\s*(?::|$)", answer, re.M)
        assumed = sorted({axiom for axiom in assumed if axiom != "Axioms"})
        if unknown := set(assumed) - ALLOWED:
            raise Failure(f"{name} assumes {', '.join(sorted(unknown))}")
        lines.append(f"{name}: {' '.join(assumed) or 'no axioms'}")
    return "\n".join(lines) + "\n"


def assert_sound(summary: str) -> None:
    """Fail if coqchk reports other axioms, or a check that was switched off."""
    sections = re.split(r"^\* ", summary, flags=re.M)[1:]
    if len(sections) < 5:
        raise Failure(f"coqchk gives no summary: {summary[-500:]}")
    for section in sections:
        title, _, entries = section.partition(":")
        if title == "Theory":
            continue
        allowed = tuple(ALLOWED) if title == "Axioms" else ()
        unknown = [
            entry for entry in entries.split() if entry != "<none>" and not entry.endswith(allowed)
        ]
        if unknown:
            raise Failure(f"coqchk: {title}: {', '.join(unknown)}")


def _timed(label: str, *command: str, folder: Path = BUILD) -> str:
    begin = time.monotonic()
    output = _run(*command, folder=folder)
    print(f"{label}: {time.monotonic() - begin:.1f} s", flush=True)
    return output


def _run(name: str, *arguments: str, folder: Path = BUILD) -> str:
    """What a program of Coq prints; its errors are a ``Failure``."""
    program = find(name)
    if program is None:
        raise Failure(f"{name} is not here")
    quiet = "-q" if name == "coqc" else "-silent"
    done = subprocess.run(
        [program, quiet, "-Q", ".", LIBRARY, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise Failure(f"{name} {arguments[-1]}: {(done.stderr or done.stdout).strip()}")
    return done.stdout + done.stderr


def provide() -> None:
    """Unpack Coq and Flocq where the machine has not got both."""
    if is_here():
        return
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        raise Failure("no coqc with Flocq here, and no apt to bring it")
    print(f"Unpacking {', '.join(PACKAGES)} below {FOLDER.relative_to(ROOT)}", flush=True)
    FOLDER.mkdir(parents=True, exist_ok=True)
    unpack(PACKAGES)
    programs = FOLDER / "usr" / "bin"
    environment = _ENVIRONMENT.format(ocaml=FOLDER / "usr" / "lib" / "ocaml")
    for name in _KEPT:
        write_script(name, programs / name, also=environment)
    # Interfaces, byte code and workers are two thirds of the space.
    for path in (*programs.glob("coq*"), programs / "csdpcert"):
        if path.name not in _KEPT:
            path.unlink(missing_ok=True)
    if not is_here():
        raise Failure("the packages are unpacked, and coqc does not start with Flocq")


def is_here() -> bool:
    """Whether coqc and coqchk start, and Flocq is among the libraries."""
    programs = [find(name) for name in _KEPT]
    if None in programs:
        return False
    done = subprocess.run([str(programs[0]), "-where"], capture_output=True, text=True, check=False)
    return done.returncode == 0 and (Path(done.stdout.strip()) / "user-contrib/Flocq").is_dir()


if __name__ == "__main__":
    main()
