"""The two wheels work where nothing of the repository is: they are built, installed and run."""

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator
from email import message_from_bytes
from email.message import Message
from importlib.util import find_spec
from pathlib import Path

import pytest
from readme_renderer import markdown

import copyproof

ROOT = Path(__file__).parents[1]
PIP = (sys.executable, "-m", "pip", "-q", "--disable-pip-version-check")

CLIENT = """
import sys
from copyproof_client import Client

url, key, market = sys.argv[1:]
with Client(url, key) as client:
    [decision] = client.ask(market)
    client.tell(market, decision.id, 1.0)
print(decision.agent)
others = {name.partition(".")[0] for name in sys.modules} - sys.stdlib_module_names
print(*sorted(others - {"__main__", "__mp_main__", "_distutils_hack"}))
"""


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Both wheels, by the names of their projects."""
    folder = tmp_path_factory.mktemp("wheels")
    subprocess.run(
        [*PIP, "wheel", "--no-deps", "-w", folder, str(ROOT / "client"), str(ROOT)],
        check=True,
        cwd=folder,
    )
    return {path.name.partition("-")[0]: path for path in folder.glob("*.whl")}


def environment(folder: Path, *found: Path) -> Path:
    """A new environment with these wheels and nothing else; its folder of programs."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / "bin" / "python"
    subprocess.run(
        [*PIP, "--python", str(python), "install", "--no-deps", *map(str, found)],
        check=True,
        cwd=folder,
    )
    return folder / "bin"


def run(*command: str | Path, **variables: str) -> str:
    """What a command prints, run where none of our sources are found."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    return subprocess.run(
        [str(part) for part in command],
        check=True,
        capture_output=True,
        text=True,
        cwd=Path(command[0]).parent,
        env={**kept, **variables},
    ).stdout


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str, str]]:
    """A running service: its address, a key and its market."""
    store = f"sqlite:{tmp_path_factory.mktemp('store')}/live.db"
    command = [sys.executable, "-m", "copyproof", "serve", "--example", "--store", store]
    with subprocess.Popen(
        [*command, "--port", "0", "--json"], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        up = json.loads(process.stdout.readline())
        yield up["url"], up["key"], up["market"]
        process.terminate()


def test_the_client_alone(
    wheels: dict[str, Path], tmp_path: Path, service: tuple[str, str, str]
) -> None:
    programs = environment(tmp_path / "empty", wheels["copyproof_client"])
    agent, loaded = run(programs / "python", "-c", CLIENT, *service).splitlines()
    assert agent
    assert loaded == "copyproof_client"


def with_dependencies(programs: Path) -> Path:
    """The environment's packages; what they depend on comes from the environment of the tests."""
    python = programs / "python"
    site = Path(run(python, "-c", "import site; print(site.getsitepackages()[0])").strip())
    # Not a .pth file's own .pth files: an editable copyproof of that environment stays unseen.
    (site / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    return site


POLICY = ("--policy", "h-ucb", "--horizon", "1000")


def test_the_program(wheels: dict[str, Path], tmp_path: Path) -> None:
    """The wheel of copyproof alone."""
    programs = environment(tmp_path / "new", wheels["copyproof"])
    site = with_dependencies(programs)
    where = run(
        programs / "python", "-c", "import copyproof.client; print(copyproof.client.__file__)"
    )
    assert Path(where.strip()).is_relative_to(site)
    version = f"copyproof {copyproof.__version__}\n"
    assert run(programs / "copyproof", "--version") == version
    assert run(programs / "python", "-m", "copyproof", "--version") == version
    shown = json.loads(run(programs / "copyproof", "bounds", "paper:1a", *POLICY, "--json"))
    assert shown["bounds"]  # games are simulated by `test_installations.py`


@pytest.mark.parametrize("removed", ["copyproof", "copyproof-client"])
def test_either_is_removed_and_the_other_works(
    wheels: dict[str, Path], tmp_path: Path, removed: str
) -> None:
    programs = environment(tmp_path / "both", *wheels.values())
    python = programs / "python"
    subprocess.run([*PIP, "--python", str(python), "uninstall", "-y", removed], check=True)
    removed_module = {"copyproof": "copyproof", "copyproof-client": "copyproof_client"}[removed]
    other = {"copyproof": "copyproof_client", "copyproof-client": "copyproof.client"}[removed]
    run(python, "-c", f"from {other} import AsyncClient, Client")
    found = run(
        *(python, "-c"),
        f"from importlib.util import find_spec; print(find_spec({removed_module!r}))",
    )
    assert found == "None\n"


def test_the_client_says_the_same_version(wheels: dict[str, Path]) -> None:
    versions = {path.name.split("-")[1] for path in wheels.values()}
    assert versions == {copyproof.__version__}


def test_metadata_names_the_pythons_and_no_package_of_ours(wheels: dict[str, Path]) -> None:
    for path in wheels.values():
        metadata = metadata_of(path)
        assert metadata["Requires-Python"] == ">=3.11"
        classifiers = metadata.get_all("Classifier") or []
        for minor in (11, 12, 13):
            assert f"Programming Language :: Python :: 3.{minor}" in classifiers
        required = [word for word in metadata.get_all("Requires-Dist") or [] if "extra" not in word]
        assert [word for word in required if word.startswith("copyproof")] == []


@pytest.mark.parametrize("project", ["copyproof", "copyproof_client"])
def test_a_source_distribution_builds_the_same_wheel(
    wheels: dict[str, Path], tmp_path: Path, project: str
) -> None:
    source = ROOT / ("client" if project == "copyproof_client" else ".")
    # hatchling is in an environment of its own for a build, as pip makes it.
    build = (
        "import os, sys; from hatchling.build import build_sdist; os.chdir(sys.argv[1]); "
        "build_sdist(sys.argv[2])"
    )
    if find_spec("hatchling") is None:
        pip = [*PIP, "install", "--target", str(tmp_path / "hatchling"), "hatchling"]
        subprocess.run(pip, check=True)
    variables = {"PYTHONPATH": str(tmp_path / "hatchling")}
    run(sys.executable, "-c", build, source, tmp_path, **variables)
    [archive] = tmp_path.glob("*.tar.gz")
    subprocess.run([*PIP, "wheel", "--no-deps", "-w", tmp_path, archive], check=True, cwd=tmp_path)
    [wheel] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as made, zipfile.ZipFile(wheels[project]) as direct:
        assert sorted(made.namelist()) == sorted(direct.namelist())


def test_what_the_wheels_hold(wheels: dict[str, Path]) -> None:
    for project, path in wheels.items():
        with zipfile.ZipFile(path) as wheel:
            names = wheel.namelist()
        assert f"{project}/py.typed" in names
        assert [name for name in names if "typescript" in name] == []
        tops = {name.partition("/")[0] for name in names}
        assert {top for top in tops if not top.endswith(".dist-info")} == {project}
    held = zipfile.ZipFile(wheels["copyproof"]).namelist()
    source = ROOT / "src"
    expected = {
        str(path.relative_to(source))
        for path in (source / "copyproof").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {name for name in held if name.startswith("copyproof/")} == expected


def metadata_of(path: Path) -> Message:
    """The metadata of a wheel."""
    with zipfile.ZipFile(path) as wheel:
        [name] = [name for name in wheel.namelist() if name.endswith("/METADATA")]
        return message_from_bytes(wheel.read(name))


@pytest.mark.parametrize("project", ["copyproof", "copyproof_client"])
def test_description_renders_where_packages_are_listed(
    wheels: dict[str, Path], project: str
) -> None:
    metadata = metadata_of(wheels[project])
    assert metadata["Description-Content-Type"] == "text/markdown"
    text = metadata.get_payload()
    assert isinstance(text, str)
    page = markdown.render(text)
    assert page is not None
    assert "<h1" in page
    assert "<img" not in page
    links = [part.partition('"')[0] for part in page.split('href="')[1:]]
    assert [link for link in links if not link.startswith(("https://", "#"))] == []
