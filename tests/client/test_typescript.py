"""The TypeScript client: its types are the document's, it compiles, and it works with a service."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from copyproof.live.stores import open_store
from copyproof.service.keys import Keyring
from tests.service.serving import Program
from tools import clients

PROGRAMS = clients.TYPESCRIPT / "node_modules" / ".bin"


@pytest.fixture(scope="module")
def node(request: pytest.FixtureRequest) -> str:
    """Node with the packages; where it is missing, that is said aloud, and fails if CI=true."""
    found = shutil.which("node")
    if found is not None and PROGRAMS.exists():
        return found
    missing = "node is not installed" if found is None else "`npm ci` was not run there"
    said = f"client/typescript is NOT TESTED: {missing}"
    if os.environ.get("CI") == "true":
        pytest.fail(said)
    with request.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        print(f"\n{said}", file=sys.stderr, flush=True)
    pytest.skip(said)


@pytest.fixture(scope="module")
def compiled(node: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the client and its tests, checked strictly and compiled."""
    folder = tmp_path_factory.mktemp("compiled")
    command = [
        node,
        str(PROGRAMS / "tsc"),
        "-p",
        "tsconfig.test.json",
        "--strict",
        "--outDir",
        str(folder),
    ]
    done = subprocess.run(
        command, cwd=clients.TYPESCRIPT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    (folder / "package.json").write_text('{"type": "module"}')
    return folder


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Program, str]]:
    """``copyproof serve``, and an operator's key."""
    url = f"sqlite:{tmp_path_factory.mktemp('store')}/live.db"
    with open_store(url) as store:
        _, key = Keyring(store, time.time).add("operator")
    running = Program(url, "--backups", str(tmp_path_factory.mktemp("backups")))
    running.start()
    yield running, key
    running.end()


@pytest.mark.usefixtures("node")
def test_the_types_are_those_of_the_document() -> None:
    made = (clients.TYPESCRIPT / "src" / "schema.ts").read_text(encoding="utf-8")
    assert made == clients.schema(), "run `make clients`"


def test_the_client_and_a_service(node: str, compiled: Path, program: tuple[Program, str]) -> None:
    running, key = program
    done = subprocess.run(
        [node, "--test", "--test-reporter=tap", compiled / "test" / "client.test.js"],
        env={**os.environ, "COPYPROOF_URL": running.url, "COPYPROOF_KEY": key},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    tests = (clients.TYPESCRIPT / "test" / "client.test.ts").read_text(encoding="utf-8")
    assert f"# pass {len(re.findall(r'^test', tests, re.M))}\n" in done.stdout


def test_versions_are_exact_and_no_address_is_recorded() -> None:
    package = json.loads((clients.TYPESCRIPT / "package.json").read_text())
    assert package.get("dependencies", {}) == {}
    versions = package["devDependencies"].values()
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in versions)
    lock = json.loads((clients.TYPESCRIPT / "package-lock.json").read_text())
    packages = [each for name, each in lock["packages"].items() if name]
    assert all("integrity" in each and "resolved" not in each for each in packages)


def test_the_readme_compiles(node: str, tmp_path: Path) -> None:
    text = (clients.TYPESCRIPT / "README.md").read_text(encoding="utf-8")
    [code] = re.findall(r"^```ts\n(.*?)^```", text, re.M | re.S)
    source = json.dumps(str(clients.TYPESCRIPT / "src" / "index.js"))
    program = code.replace('"copyproof-client"', source)
    path = tmp_path / "readme.ts"
    path.write_text(f"declare const key: string;\n{program}export {{}};\n")
    config = {
        "extends": str(clients.TYPESCRIPT / "tsconfig.json"),
        "compilerOptions": {
            "rootDir": "/",
            "noEmit": True,
            "module": "esnext",
            "moduleResolution": "bundler",
            "typeRoots": [str(clients.TYPESCRIPT / "node_modules" / "@types")],
        },
        "include": [str(path)],
    }
    (tmp_path / "tsconfig.json").write_text(json.dumps(config))
    command = [node, str(PROGRAMS / "tsc"), "-p", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
