"""The dashboard asks for what the service has, in PromQL that Prometheus reads."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from copyproof.service.exposition import METRICS
from tests.deploy.expressions import series, wrong
from tests.programs import DEPLOY, checked, program

DASHBOARD: dict[str, Any] = json.loads((DEPLOY / "grafana" / "dashboard.json").read_text())
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
QUERIES = [(panel["title"], each["expr"]) for panel in PANELS for each in panel["targets"]]


def plain(query: str, window: str = "5m") -> str:
    """A query with values in place of Grafana's variables."""
    found = query.replace("$__rate_interval", window)
    return found.replace("$instance", ".*").replace("$market", ".*")


@pytest.mark.parametrize(("title", "query"), QUERIES)
def test_a_query_asks_for_what_there_is(title: str, query: str) -> None:
    assert wrong(query) == []
    assert "$" not in plain(query)


def test_promtool_reads_every_query(tmp_path: Path) -> None:
    rules = [{"record": f"query:{n}", "expr": plain(query)} for n, (_, query) in enumerate(QUERIES)]
    file = tmp_path / "queries.yml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "queries", "rules": rules}]}))
    done = checked(program("promtool", "prometheus"), "check", "rules", file)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(QUERIES)} rules found" in done.stdout


def test_every_metric_of_ours_is_on_it() -> None:
    asked = {name for _, query in QUERIES for name, _ in series(query)}
    for row in METRICS:
        names = {row.name, *(f"{row.name}_{part}" for part in ("bucket", "sum", "count"))}
        assert names & asked, row.name


def test_panels_lie_side_by_side_and_each_has_an_id_of_its_own() -> None:
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(ids) == len(set(ids))
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken, panel["title"]
        assert max(x for x, _ in cells) < 24
        taken |= cells


def test_grafana_is_told_where_prometheus_and_the_dashboard_are() -> None:
    compose = yaml.safe_load((DEPLOY / "compose.yml").read_text())["services"]
    [source] = yaml.safe_load((DEPLOY / "grafana" / "datasources.yml").read_text())["datasources"]
    assert (source["type"], source["url"]) == ("prometheus", "http://prometheus:9090")
    assert "prometheus" in compose
    [provider] = yaml.safe_load((DEPLOY / "grafana" / "dashboards.yml").read_text())["providers"]
    mounted = [volume.split(":") for volume in compose["grafana"]["volumes"]]
    [place] = [there for here, there, *_ in mounted if here.endswith("dashboard.json")]
    assert place.startswith(provider["options"]["path"] + "/")
