"""The record of settings: what is accepted, what is shown, and that the service takes it all."""

import dataclasses
import inspect

import pytest

from copyproof.cli.settings import Settings, Value, shown, table, without_password
from copyproof.service import Limits, run


def test_passwords_are_not_shown() -> None:
    assert without_password("postgresql://u:p@h/d") == "postgresql://...@h/d"
    assert without_password("postgresql://u:p?@h/d") == "postgresql://...@"
    assert without_password("postgresql://h/d?user=u&password=p") == "postgresql://h/d"
    assert without_password("postgresql:///d?host=/tmp") == "postgresql:///d"
    assert without_password("sqlite:a@b.db") == "sqlite:a@b.db"


@pytest.mark.parametrize("name", table())
def test_every_default_is_accepted_and_every_setting_explained(name: str) -> None:
    row, default = table()[name], getattr(Settings(), name)
    assert row.kind.holds(default) or (default is None and row.unset)
    assert row.about.endswith(".")
    assert shown(name, default)


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("port", 65536),
        ("port", -1),
        ("port", True),
        ("port", 80.0),
        ("rate", 0.0),
        ("rate", float("nan")),
        ("rate", float("inf")),
        ("rate", True),
        ("lease", 0.5),
        ("host", " "),
        ("advertise", ""),
        ("advertise", "10.0.0.7:8000"),
        ("advertise", "ftp://10.0.0.7"),
        ("advertise", "http://"),
        ("advertise", "http://host/path"),
        ("advertise", "http://host?query"),
        ("advertise", "http://host#part"),
        ("advertise", "http://host:port"),
        ("advertise", "http://host:70000"),
        ("advertise", "http://[::1"),
        ("advertise", "http://hôte"),
        ("advertise", "http://host\r\nX-Other: 1"),
        ("advertise", 8000),
        ("log_format", "xml"),
        ("log_requests", 1),
        ("log_requests", None),
    ],
)
def test_what_is_not_accepted(name: str, bad: Value) -> None:
    assert not table()[name].kind.holds(bad)


@pytest.mark.parametrize("good", ["http://10.0.0.7:8000", "https://a.example/", "http://[::1]:80"])
def test_addresses_for_others(good: str) -> None:
    assert table()["advertise"].kind.holds(good)


def test_defaults_are_those_of_the_service() -> None:
    settings = Settings()
    for limit in dataclasses.fields(Limits):
        assert getattr(settings, limit.name) == limit.default
    there = inspect.signature(run).parameters
    for name in ("lease", "jump", "log_requests"):
        assert getattr(settings, name) == there[name].default
