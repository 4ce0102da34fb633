"""The files for containers: what can be tried of them without a registry.

``python3 -m tools.container`` builds the image and runs it, which takes minutes and root.
"""

import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from copyproof.cli.setting_sources import resolve
from copyproof.live.stores import open_store
from tests.programs import DEPLOY, checked, program
from tests.service.serving import free_port, serving

ROOT = DEPLOY.parent
STEPS = [
    line.split(None, 1)
    for line in (DEPLOY / "Containerfile").read_text().replace("\\\n", " ").splitlines()
    if line and not line.startswith("#")
]


def _of(step: str) -> list[str]:
    return [rest for name, rest in STEPS if name == step]


def _admitted(folder: Path) -> None:
    """Copy what ``.dockerignore`` lets into the build; its lines are plain paths."""
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    for line in lines:
        if line.startswith("!"):
            source, target = ROOT / line[1:], folder / line[1:]
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                ignored = shutil.ignore_patterns("__pycache__")
                shutil.copytree(source, target, ignore=ignored)
            else:
                shutil.copy(source, target)


def test_what_the_build_is_given_is_enough_for_its_wheels(tmp_path: Path) -> None:
    [install] = [step for step in _of("RUN") if "pip install" in step]
    words = shlex.split(install)
    assert words[0] == "/opt/copyproof/bin/pip"
    folders = [word.partition("[")[0] for word in words if word.startswith(".")]
    assert folders == ["."]
    _admitted(tmp_path / "src")
    subprocess.run(
        [sys.executable, "-m", "pip", "-q", "wheel", "--no-deps", "-w", tmp_path, *folders],
        cwd=tmp_path / "src",
        check=True,
    )
    assert len(list(tmp_path.glob("*.whl"))) == 1
    assert (tmp_path / "src" / words[words.index("-c") + 1]).exists()


def test_the_extras_of_the_build_exist() -> None:
    [install] = [step for step in _of("RUN") if "pip install" in step]
    asked = re.findall(r"\.\[(.*?)\]", install)[0].split(",")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert set(asked) <= set(project["optional-dependencies"])


def test_the_image_has_settings_that_are_accepted() -> None:
    given = dict(word.split("=", 1) for step in _of("ENV") for word in shlex.split(step))
    found = resolve({}, None, given)
    set_there = [name for name, place in found.places.items() if place != "default"]
    assert set_there == ["store", "host", "log_format"]
    assert f"EXPOSE {found.settings.port}" in (DEPLOY / "Containerfile").read_text()
    [volumes] = map(json.loads, _of("VOLUME"))
    assert found.settings.store.startswith(f"sqlite:{volumes[0]}/")
    assert given["XDG_CACHE_HOME"] == volumes[1]
    made = " ".join(_of("RUN"))
    assert all(volume in made for volume in volumes)


def test_the_health_check_tells_a_service_from_none() -> None:
    [check] = _of("HEALTHCHECK")
    command = json.loads(check.partition("CMD ")[2])
    assert command[0] == "python3"
    with serving(open_store("memory:")) as running:
        for url, status in ((running.url, 0), (f"http://127.0.0.1:{free_port()}", 1)):
            code = command[2].replace("http://127.0.0.1:8000", url)
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
            assert done.returncode == status


# --- compose --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return dict(yaml.safe_load((DEPLOY / "compose.yml").read_text())["services"])


def test_compose_accepts_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POSTGRES_PASSWORD", "x")
    docker = shutil.which("docker")
    with_plugin = docker and checked(docker, "compose", "version").returncode == 0
    command = (
        [docker, "compose"]
        if docker and with_plugin
        else [program("docker-compose", "docker-compose")]
    )
    done = checked(*command, "-f", "compose.yml", "config")
    assert done.returncode == 0, done.stderr
    monkeypatch.delenv("POSTGRES_PASSWORD")
    done = checked(*command, "-f", "compose.yml", "config")
    assert done.returncode != 0
    assert "POSTGRES_PASSWORD" in done.stderr


def test_the_service_has_settings_that_are_accepted(compose: dict[str, Any]) -> None:
    given = {
        name: value.replace("${POSTGRES_PASSWORD:?}", "hush")
        for name, value in compose["copyproof"]["environment"].items()
    }
    found = resolve({}, None, given)
    assert found.settings.store == "postgresql://copyproof:hush@database/copyproof"
    assert found.settings.signing_key is not None
    mounted = [volume.split(":")[1] for volume in compose["copyproof"]["volumes"]]
    assert str(Path(found.settings.signing_key).parent) in mounted
    assert mounted == json.loads(_of("VOLUME")[0])
    assert "database" in compose


def test_what_is_mounted_is_there(compose: dict[str, Any]) -> None:
    named = yaml.safe_load((DEPLOY / "compose.yml").read_text())["volumes"]
    made = {"./copyproof.key"}  # by the steps at the head of the file
    for service in compose.values():
        for volume in service["volumes"]:
            source = volume.split(":")[0]
            assert source in named or source in made or (DEPLOY / source).exists(), source


def test_the_steps_are_commands_of_ours(compose: dict[str, Any]) -> None:
    text = (DEPLOY / "compose.yml").read_text()
    commands = re.findall(r"docker compose run --rm copyproof (.*?)(?: > .*)?$", text, re.MULTILINE)
    assert len(commands) == 2
    for command in commands:
        arguments = [sys.executable, "-m", "copyproof", *shlex.split(command)]
        store = ["--store", "memory:"]
        subprocess.run([*arguments, *store], check=True, capture_output=True)
    [entry] = map(json.loads, _of("ENTRYPOINT"))
    assert entry == ["copyproof"]


def test_prometheus_reads_the_service_of_the_file(compose: dict[str, Any]) -> None:
    config = yaml.safe_load((DEPLOY / "prometheus.yml").read_text())
    [target] = config["scrape_configs"][0]["static_configs"][0]["targets"]
    assert target == "copyproof:8000"
    assert "copyproof" in compose
