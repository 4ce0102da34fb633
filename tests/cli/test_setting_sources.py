"""Flag before environment before file before default; what is wrong is told with its place."""

from pathlib import Path

import pytest
import tomli_w

from copyproof.cli.setting_sources import resolve
from copyproof.cli.settings import Settings, table, variable
from copyproof.validation import FieldError


def test_a_flag_counts_before_the_environment_and_that_before_the_file(tmp_path: Path) -> None:
    file = tmp_path / "live.toml"
    file.write_text("port = 1\nrate = 2\nburst = 3\n")
    found = resolve(
        {"port": "11", "rate": None},
        str(file),
        {"COPYPROOF_PORT": "21", "COPYPROOF_RATE": "22", "HOME": "/"},
    )
    assert (found.settings.port, found.settings.rate, found.settings.burst) == (11, 22.0, 3)
    assert found.settings.body == Settings().body
    places = {name: found.places[name] for name in ("port", "rate", "burst", "body")}
    assert places == {
        "port": "--port",
        "rate": "COPYPROOF_RATE",
        "burst": f"{file}:3",
        "body": "default",
    }


def test_a_flag_says_no_where_the_environment_says_yes() -> None:
    environment = {"COPYPROOF_LOG_REQUESTS": "true"}
    assert resolve({}, environment=environment).settings.log_requests
    assert not resolve({"log_requests": False}, environment=environment).settings.log_requests


def test_every_setting_can_be_given_in_all_three_ways(tmp_path: Path) -> None:
    values = {name: getattr(Settings(), name) for name in table()}
    values |= {"signing_key": "key.pem", "advertise": "http://10.0.0.7:8000"}
    values["backups"] = "backups"
    file = tmp_path / "all.toml"
    file.write_text(tomli_w.dumps(values))
    texts = {name: str(value).lower() for name, value in values.items()}
    by_file = resolve({}, str(file), {})
    by_environment = resolve({}, None, {variable(name): text for name, text in texts.items()})
    by_flag = resolve(
        {name: value if isinstance(value, bool) else texts[name] for name, value in values.items()},
        environment={},
    )
    assert by_file.settings == by_environment.settings == by_flag.settings == Settings(**values)
    assert set(by_environment.places.values()) == set(map(variable, table()))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\nport = 70000\n", ":2: port = 70000 is not a whole number from 0 to 65535"),
        ('port = "80"\n', ":1: port = '80' is not a whole number from 0 to 65535"),
        ("rate = true\n", ":1: rate = True is not a number from 0.001 to 1e+12"),
        ("body = 1\n# x\nraet = 3\n", ":1: body = 1 is not a whole number from 100"),
        ("raet = 3\n", ":1: raet is not a setting; did you mean 'rate'?"),
        ("agent-rate = 3\n", ":1: agent-rate is not a setting; did you mean 'agent_rate'?"),
        ("port = 1\n\n[limits]\nrate = 3\n", ":3: limits is not a setting"),
        ('log_format = "jsno"\n', ":1: log_format = 'jsno' is not one of auto, text, json"),
        ('store = ["postgresql://u:hush@h/d"]\n', ":1: store is not a text"),
        ("port = \n", " is not TOML: Invalid value (at line 1, column 8)"),
        ("port = 1\nport = 2\n", " is not TOML: Cannot overwrite a value (at line 2"),
    ],
)
def test_what_is_wrong_in_a_file(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "live.toml"
    file.write_text(text)
    with pytest.raises(FieldError) as caught:
        resolve({}, str(file), {})
    assert str(caught.value).startswith(f"{file}{said}")
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("COPYPROOF_PORT", "tcp://10.0.0.1:80", "COPYPROOF_PORT = 'tcp://10.0.0.1:80' is not a "),
        ("COPYPROOF_RATE", "nan", "COPYPROOF_RATE = 'nan' is not a number from 0.001"),
        ("COPYPROOF_TRACES", "maybe", "COPYPROOF_TRACES = 'maybe' is not true or false"),
        ("COPYPROOF_RAET", "3", "COPYPROOF_RAET is not a setting; did you mean 'COPYPROOF_RATE'?"),
        (
            "COPYPROOF_AGENTRATE",
            "3",
            "COPYPROOF_AGENTRATE is not a setting; did you mean 'COPYPROO",
        ),
        ("COPYPROOF_SETTINGS", "no/such.toml", "no/such.toml cannot be read: No such file"),
    ],
)
def test_what_is_wrong_in_the_environment(name: str, text: str, said: str) -> None:
    with pytest.raises(FieldError) as caught:
        resolve({}, None, {name: text})
    assert str(caught.value).startswith(said)


def test_variables_that_orchestrators_make_are_none_of_ours() -> None:
    others = {"COPYPROOF_SERVICE_HOST": "10.0.0.1", "COPYPROOF_PORT_8000_TCP_ADDR": "10.0.0.1"}
    assert resolve({}, None, {**others, "COPYPROOF_DEBUG": "1"}).settings == Settings()
