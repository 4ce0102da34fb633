"""The unit is one that systemd accepts, and starts the program with the settings beside it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from copyproof.cli.setting_sources import resolve
from tests.programs import DEPLOY, checked, program

UNIT = (DEPLOY / "copyproof.service").read_text()
_PROGRAM = "/opt/copyproof/bin/copyproof"


def _values(name: str) -> list[str]:
    return re.findall(rf"^{name}=(.*)$", UNIT, re.MULTILINE)


def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "copyproof.service"
    here = Path(sys.executable).with_name("copyproof")
    unit.write_text(UNIT.replace(_PROGRAM, str(here)))
    done = checked(program("systemd-analyze", "systemd"), "verify", "--man=no", unit)
    # It tells of all units that it looks at; others' are none of our business.
    ours = [line for line in done.stderr.splitlines() if "copyproof" in line]
    assert (done.returncode, ours) == (0, []), done.stderr


def test_systemd_finds_a_mistake(tmp_path: Path) -> None:
    unit = tmp_path / "copyproof.service"
    unit.write_text(UNIT.replace("RestartSec=1", "RestartSecs=1"))
    done = checked(program("systemd-analyze", "systemd"), "verify", "--man=no", unit)
    assert "RestartSecs" in done.stderr


def test_little_is_left_open(tmp_path: Path) -> None:
    systemd = program("systemd-analyze", "systemd")
    file = tmp_path / "copyproof.service"
    file.write_text(UNIT)
    done = checked(systemd, "security", "--offline=true", "--threshold=25", file)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_command_and_the_settings_file_are_ours() -> None:
    [settings] = [value for value in _values("Environment") if "COPYPROOF_SETTINGS" in value]
    assert settings == "COPYPROOF_SETTINGS=/etc/copyproof/copyproof.toml"
    assert "install -D -m 644 deploy/copyproof.toml /etc/copyproof/copyproof.toml" in UNIT
    [command] = _values("ExecStart")
    path, *arguments = command.split()
    assert path == _PROGRAM
    kept = {name: value for name, value in os.environ.items() if not name.startswith("COPYPROOF_")}
    kept["COPYPROOF_SETTINGS"] = str(DEPLOY / "copyproof.toml")
    done = subprocess.run(
        [sys.executable, "-m", "copyproof", *arguments, "--show-settings", "--json"],
        capture_output=True,
        text=True,
        check=True,
        env=kept,
    )
    places = [row["from"] for row in json.loads(done.stdout)["settings"]]
    assert any(place.startswith(f"{DEPLOY / 'copyproof.toml'}:") for place in places)


def test_the_steps_at_its_head_are_those_of_the_page() -> None:
    page = (DEPLOY.parent / "docs" / "how-to" / "operate.md").read_text(encoding="utf-8")
    steps = re.findall(r"^#   (\S.*)$", UNIT, re.MULTILINE)
    assert len(steps) == 6
    assert [step for step in steps if f"\nsudo {step}\n" not in page] == []


def test_the_store_is_where_the_unit_may_write() -> None:
    found = resolve({}, str(DEPLOY / "copyproof.toml"), {}).settings
    [state] = _values("StateDirectory")
    assert found.store.startswith(f"sqlite:/var/lib/{state}/")
    [files] = _values("LimitNOFILE")
    assert int(files) > 10_064  # connections, and what else is open
