"""Every block of code in the documentation is run, or checked as far as it can be without running.

``pycon`` blocks are doctests, which pytest collects by itself. Blocks of Python are run here or in
the test that ``ELSEWHERE`` names, or are compiled alone for a reason that ``COMPILED`` gives. Of
commands for the shell every line is looked at: ``copyproof`` has to accept its options and values,
scripts, tests and targets of make have to be there with the options that are named, and requests
of curl have to name a route. TOML and JSON are read by what they are for.
"""

import json
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer
from typer._click.core import Command, Context

from copyproof import Study, read_market, simulate
from copyproof.cli.app import app
from copyproof.live.stores import open_store
from copyproof.service import document
from tests.service.conftest import filled
from tests.service.serving import serving
from tools import gallery

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^( *)(?:\* - |  - )?```(\w+)\n(.*?)^ *```$", re.M | re.S)
# Blocks of Python that another test runs.
ELSEWHERE = {
    "docs/gallery.md": "tests/docs/test_gallery.py",
    "docs/how-to/coming-from-azure-personalizer.md": "tests/docs/test_clients.py",
    "docs/reference/clients.md": "tests/docs/test_clients.py",
}
# Blocks of Python that are compiled and not run, and why.
COMPILED = {
    "docs/how-to/cluster.md": "they need a cluster; tests/studies/test_cluster.py makes the same "
    "calls on one machine",
}
# Programs of others in commands, which are not run: they change the system, or need one.
OTHERS = {"cd", "curl", "dask", "docker", "export", "pip", "prometheus", "promtool", "python3"}
OTHERS |= {"smp/bin/pip", "sudo", "cp", "echo", "helm", "kubectl", "install", "mkdir", "mv", "npm"}


class Block(NamedTuple):
    page: str
    line: int
    language: str
    code: str

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"


def _blocks() -> list[Block]:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    found = []
    for page in pages:
        if "_build" in page.parts:
            continue
        text = page.read_text(encoding="utf-8")
        for match in FENCE.finditer(text):
            inset = len(match[1])
            code = re.sub(rf"^ {{0,{inset}}}", "", match[3], flags=re.M)
            line = text.count("\n", 0, match.start()) + 1
            found.append(Block(str(page.relative_to(ROOT)), line, match[2], code))
    return found


BLOCKS = _blocks()


def of(*languages: str) -> list[Block]:
    return [block for block in BLOCKS if block.language in languages]


def by_place(blocks: list[Block]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("block", blocks, ids=[block.place for block in blocks])


def test_languages() -> None:
    known = {"pycon", "python", "sh", "toml", "json", "text", "bibtex", "ts"}
    assert {block.language for block in BLOCKS} <= known
    for page, test in ELSEWHERE.items():
        assert (ROOT / test).is_file()
        assert any(block.page == page for block in of("python"))


# --- Python ------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to be in, with the market of the readme."""
    [market] = [block.code for block in of("toml") if block.page == "README.md"]
    (tmp_path / "market.toml").write_text(market, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@by_place([b for b in of("python") if b.page not in ELSEWHERE])
def test_python(block: Block, folder: Path) -> None:
    # The readme's ten lines play the paper's size, the audit 10,000 rounds: here fewer are played.
    code = re.sub(r"horizon=10(0)?_000", "horizon=1_000", block.code)
    compiled = compile(code, block.place, "exec")
    if block.page in COMPILED:
        return
    names: dict[str, Any] = {"__name__": "block"}
    if block.page in ("docs/how-to/live.md", "docs/how-to/switch.md"):
        store = open_store("memory:")
        key = filled(store)["operator"]
        with serving(store) as running:
            _run_served(code, block, running.url, key)
        return
    exec(compiled, names)
    if block.page == "README.md":
        assert (folder / "figure2a.png").stat().st_size > 10_000
    elif block.page == "docs/how-to/audit.md":
        assert names["result"].verdict == "prone"
        assert (folder / "gains.csv").is_file()
    elif block.page == "docs/how-to/market-files.md":
        assert names["result"].repetitions == 100
    elif block.page == "docs/how-to/studies.md":
        assert [case.horizon for case in names["drawn"]()] == [1000, 2000, 3000]
    else:
        assert block.page == "docs/how-to/your-own-policy.md"
        (folder / "mine.py").write_text(code, encoding="utf-8")
        played = simulate("paper:1a:3", "mine.py:RandomOwner", horizon=50, repetitions=2, seed=1)
        assert played.plays.sum() == 100


def _run_served(code: str, block: Block, url: str, key: str) -> None:
    """A block that talks to the service, with the address and the key of one that runs."""
    from copyproof_client import Client

    here = code.replace("http://127.0.0.1:8000", url).replace("cp_...", key)
    here = here.replace('"site"', '"new"') if block.page.endswith("live.md") else here
    names: dict[str, Any] = {"operator": Client(url, key)}
    used = [names["operator"]]
    exec(compile(here, block.place, "exec"), names)
    for client in {*used, *(each for each in names.values() if isinstance(each, Client))}:
        client.close()


def test_the_gallery_is_run_elsewhere() -> None:
    assert len(gallery.blocks()) == sum(b.page == "docs/gallery.md" for b in of("python"))


# --- files -------------------------------------------------------------------------------------


@by_place(of("toml", "json"))
def test_files(block: Block, folder: Path) -> None:
    if block.page in ("docs/reference/cli.md", "docs/how-to/operate.md"):
        assert json.loads(block.code)
        return
    file = folder / f"file.{block.language}"
    file.write_text(block.code, encoding="utf-8")
    if block.language == "toml" and "policies" in tomllib.loads(block.code):
        [rule] = [b for b in of("python") if b.page == "docs/how-to/your-own-policy.md"]
        drawn = [b.code for b in of("python") if b.page == "docs/how-to/studies.md"]
        (folder / "mine.py").write_text("\n".join([rule.code, *drawn]), encoding="utf-8")
        assert next(Study.read(file).points()) is not None
    else:
        assert read_market(file).agents


# --- commands ----------------------------------------------------------------------------------


def commands(block: Block) -> Iterator[list[str]]:
    """The words of each command of a block: joined lines, without comments and variables."""
    text = re.sub(r"\\\n\s*", " ", block.code).replace("$(mktemp -d)", "FOLDER")
    for line in text.splitlines():
        words = shlex.split(line, comments=True)
        for part in _parts(words):
            while part and re.fullmatch(r"[A-Z_]+=.*", part[0]):
                part = part[1:]
            part = part[1:] if part and part[0] == "time" else part
            while part and re.fullmatch(r"[A-Z_]+=.*", part[0]):
                part = part[1:]
            if part:
                yield part


def _parts(words: list[str]) -> Iterator[list[str]]:
    part: list[str] = []
    for word in words:
        if word in ("&&", "||", "|", "&", ">"):
            yield part
            part = []
            if word == ">":
                return
        else:
            part.append(word)
    yield part


@by_place(of("sh"))
def test_commands(block: Block) -> None:
    found = list(commands(block))
    assert found
    for words in found:
        program = Path(words[0]).name if "venv" in words[0] else words[0]
        if program == "copyproof":
            accepted(words[1:])
        elif program in ("python", "make"):
            there(program, words[1:])
        elif program == "curl":
            requested(words)
        else:
            assert program in OTHERS, words


def accepted(words: list[str]) -> None:
    """The program takes these words: commands, options and values."""
    command: Command = typer.main.get_command(app)
    context: Context | None = None
    name = "copyproof"
    while True:
        context = command.make_context(name, words, parent=context)
        subcommands = getattr(command, "commands", None)
        if not subcommands:
            return
        name, *words = [*context._protected_args, *context.args]
        command = subcommands[name]


def there(program: str, words: list[str]) -> None:
    """A target of make, or a script or module that knows the options."""
    if program == "make":
        targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M)
        assert set(words) <= set(targets)
        return
    if not words:  # the prompt
        return
    if words[0] == "-m":
        module = words[1]
        assert module == "pytest" or (ROOT / f"{module.replace('.', '/')}.py").is_file(), module
        paths = [word.partition("::")[0] for word in words[2:] if word.startswith("tests/")]
        assert all((ROOT / path).exists() for path in paths), paths
        return
    script = (ROOT / words[0]).read_text(encoding="utf-8")
    own = words[1 : words.index("--")] if "--" in words else words[1:]  # else a command's
    for word in own:
        assert not word.startswith("--") or f'"{word}"' in script, word


def requested(words: list[str]) -> None:
    """A request of curl: its route is there, and its body is JSON."""
    [url] = [word for word in words if word.startswith("http")]
    path = re.sub(r"^https?://[^/]+", "", url).partition("?")[0]
    if path == "/v1/events":  # a stream without end, which no document describes
        return
    routes = [re.sub(r"\{\w+\}", "[^/]+", route) for route in document()["paths"]]
    assert any(re.fullmatch(route, path) for route in routes), path
    if "-d" in words:
        json.loads(words[words.index("-d") + 1])


def test_a_wrong_command_is_found() -> None:
    from typer._click.exceptions import UsageError

    accepted(["audit", "paper:1a", "--policy", "ucb1", "--horizon", "10", "--json"])
    for wrong in (["audit", "paper:1a", "--hroizon", "10"], ["simulate"], ["keys", "add"]):
        with pytest.raises(UsageError):
            accepted(wrong)
