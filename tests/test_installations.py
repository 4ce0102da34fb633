"""The ways to install copyproof, each from a fresh clone into an empty environment."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import copyproof
from tests.programs import not_there
from tools import install
from tools.install import SETTINGS, indexes

ROOT = Path(__file__).parents[1]
PIP = ("-m", "pip", "-q", "--disable-pip-version-check")
SIMULATE: tuple[str, ...] = ("simulate", "paper:1a", "--policy", "h-ucb")
SIMULATE += ("--horizon", "1000", "--repetitions", "10", "--seed", "1")
CLIENT = "from copyproof.client import Client; print(Client.__module__)"


def _run(*command: str | Path, folder: Path) -> str:
    """What a command prints where nothing of this checkout is found."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**kept, "UV_CACHE_DIR": str(folder / "uv"), "PIPX_HOME": str(folder / "pipx")}
        | _indexes(),
    )
    assert done.returncode == 0, f"{done.args}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def _indexes() -> dict[str, str]:
    """The indexes that pip asks, for uv."""
    command = [sys.executable, "-m", "pip", "config", "list"]
    listed = subprocess.check_output(command, text=True)
    return {"UV_INDEX_STRATEGY": "unsafe-best-match"} | indexes(listed)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone of the last commit."""
    if not (ROOT / ".git").exists():
        not_there("a clone to install from: this is no repository")
    _run("git", "clone", "-q", ROOT, tmp_path / "clone", folder=tmp_path)
    return tmp_path / "clone"


def _environment(folder: Path) -> Path:
    """A new environment with pip; its interpreter."""
    _run(sys.executable, "-m", "venv", folder / "new", folder=folder)
    return folder / "new" / "bin" / "python"


def _program(name: str) -> Path:
    """A program of this environment, or of the machine."""
    beside = Path(sys.executable).with_name(name)
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        not_there(f"{name} is not there (make dev brings it)")
    return Path(found)


def _works(copyproof_command: list[str | Path], folder: Path) -> None:
    """The program says its version and plays a game."""
    version = _run(*copyproof_command, "--version", folder=folder)
    assert version == f"copyproof {copyproof.__version__}\n"
    assert "h-ucb" in _run(*copyproof_command, *SIMULATE, folder=folder)


@pytest.mark.slow  # downloads what copyproof depends on
@pytest.mark.parametrize(
    "requirement",
    [lambda clone: [clone], lambda clone: ["-e", clone], lambda clone: [f"git+file://{clone}"]],
    ids=["pip install .", "pip install -e .", "pip install git+"],
)
def test_pip_installs_a_clone(
    clone: Path, tmp_path: Path, requirement: Callable[[Path], list[str | Path]]
) -> None:
    python = _environment(tmp_path)
    _run(python, *PIP, "install", *requirement(clone), folder=tmp_path)
    assert _run(python, "-c", CLIENT, folder=tmp_path) == "copyproof.client.client\n"
    _works([python.with_name("copyproof")], tmp_path)


@pytest.mark.slow  # downloads what copyproof depends on
def test_uvx_runs_a_clone(clone: Path, tmp_path: Path) -> None:
    uvx: list[str | Path] = [_program("uvx"), "--python", sys.executable, "--from", clone]
    _works([*uvx, "copyproof"], tmp_path)
    assert _run(*uvx, "python", "-c", CLIENT, folder=tmp_path) == "copyproof.client.client\n"
    # A pull is seen: what uv keeps is not played on.
    source = clone / "src" / "copyproof" / "_version.py"
    source.write_text(source.read_text().replace(copyproof.__version__, "9.9.9"))
    assert _run(*uvx, "copyproof", "--version", folder=tmp_path) == "copyproof 9.9.9\n"


@pytest.mark.slow  # downloads what copyproof depends on
def test_pipx_runs_a_clone(clone: Path, tmp_path: Path) -> None:
    pipx: list[str | Path] = [_program("pipx"), "run", "--spec", clone]
    _works([*pipx, "copyproof"], tmp_path)
    [client] = (tmp_path / "pipx").rglob("copyproof/client/client.py")
    python = client.parents[5] / "bin" / "python"
    assert _run(python, "-c", CLIENT, folder=tmp_path) == "copyproof.client.client\n"


def test_uv_asks_the_indexes_that_pip_asks() -> None:
    listed = (
        "global.index-url='https://one.example/simple'\n"
        "global.find-links='/a\\n/b'\n"
        ":env:.index-url='https://two.example/simple'\n"
        "install.extra-index-url='https://x.example https://y.example'\n"
        "global.timeout='60'\n"
    )
    assert indexes(listed) == {
        "UV_DEFAULT_INDEX": "https://two.example/simple",
        "UV_FIND_LINKS": "/a,/b",
        "UV_INDEX": "https://x.example https://y.example",
    }
    assert set(indexes(listed)) <= set(SETTINGS.values())


def test_pip_installs_where_uv_cannot(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = ["-c", str(ROOT / "constraints.txt"), "-e", "."]
    monkeypatch.setattr(install, "with_uv", lambda arguments: False)
    monkeypatch.setattr(install, "with_pip", lambda arguments: 3 if arguments == expected else 4)
    monkeypatch.setattr(sys, "argv", ["install.py", "-e", "."])
    assert install.main() == 3
    assert "pip does" in capsys.readouterr().out
