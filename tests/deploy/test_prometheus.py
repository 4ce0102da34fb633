"""A real Prometheus with our configuration reads a real service, and every query has an answer."""

import json
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from copyproof.live.stores import open_store
from tests.deploy.test_alerts import NAMES
from tests.deploy.test_dashboard import QUERIES, plain
from tests.patience import PATIENCE
from tests.programs import DEPLOY, program
from tests.service.conftest import filled
from tests.service.serving import Caller, Running, free_port, serving

Query = Callable[..., Any]


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Query, Running]]:
    """Asks Prometheus; and the service that it reads, which makes decisions."""
    command = program("prometheus", "prometheus")
    folder = tmp_path_factory.mktemp("prometheus")
    store = open_store("memory:")
    keys = filled(store)
    port = free_port()
    with serving(store) as running:
        config = (DEPLOY / "prometheus.yml").read_text()
        config = config.replace("copyproof:8000", running.url.removeprefix("http://"))
        (folder / "prometheus.yml").write_text(config.replace("15s", "1s"))
        (folder / "alerts.yml").write_text((DEPLOY / "alerts.yml").read_text())
        (folder / "copyproof.key").write_text(keys["auditor"] + "\n")
        with (folder / "log").open("w") as log:
            process = subprocess.Popen(
                [
                    *(command, "--config.file=prometheus.yml", "--storage.tsdb.path=data"),
                    f"--web.listen-address=127.0.0.1:{port}",
                ],
                cwd=folder,
                stdout=log,
                stderr=log,
            )
        try:
            yield _asking(port, Path(folder / "log")), running
        finally:
            process.terminate()
            process.wait(30)


def _asking(port: int, log: Path) -> Query:
    def ask(path: str, **parameters: str) -> Any:
        url = f"http://127.0.0.1:{port}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
        until = time.monotonic() + PATIENCE
        while True:
            try:
                with urllib.request.urlopen(url, timeout=30) as answer:
                    return json.load(answer)["data"]
            except urllib.error.HTTPError as error:
                raise AssertionError(error.read().decode()) from None
            except OSError:
                assert time.monotonic() < until, log.read_text()
                time.sleep(0.1)

    return ask


def test_every_query_of_the_dashboard_has_an_answer(prometheus: tuple[Query, Running]) -> None:
    ask, running = prometheus
    operator = running.app.leadership.keyring.add("operator")[1]
    call = Caller(running.url, operator)
    until = time.monotonic() + PATIENCE
    left = dict.fromkeys(plain(query, "10s") for _, query in QUERIES)
    while left:
        assert time.monotonic() < until, list(left)
        [decision] = call("POST", "/v1/markets/site/decisions").json["decisions"]
        told = {"decision": decision["id"], "reward": 1}
        assert call("POST", "/v1/markets/site/rewards", told).status == 200
        assert call("GET", "/none").status == 404
        time.sleep(0.2)
        left = {query: None for query in left if not ask("query", query=query)["result"]}


def test_the_target_is_up_and_nothing_is_wrong(prometheus: tuple[Query, Running]) -> None:
    ask, _ = prometheus
    until = time.monotonic() + PATIENCE
    while not (found := ask("query", query='up{job="copyproof"} == 1')["result"]):
        assert time.monotonic() < until
        time.sleep(0.2)
    assert len(found) == 1
    [group] = ask("rules")["groups"]
    assert [rule["name"] for rule in group["rules"]] == NAMES
    while any(rule["health"] == "unknown" for rule in ask("rules")["groups"][0]["rules"]):
        assert time.monotonic() < until
        time.sleep(0.2)
    [group] = ask("rules")["groups"]
    for rule in group["rules"]:
        assert (rule["health"], rule["state"]) == ("ok", "inactive"), rule
