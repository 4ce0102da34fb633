"""``copyproof policies`` from end to end."""

import json

from copyproof import CATALOGUE
from tests.cli.conftest import Run


def test_table(run: Run) -> None:
    done = run("policies")
    assert (done.returncode, done.stderr) == (0, "")
    assert max(map(len, done.stdout.splitlines())) <= 80
    firsts = [line.split()[0] for line in done.stdout.splitlines() if line.strip()]
    assert [row.name for row in CATALOGUE] == [
        word for word in firsts if word in {row.name for row in CATALOGUE}
    ]
    assert "theorem" in done.stdout


def test_json(run: Run) -> None:
    done = run("policies", "--json")
    assert done.stderr == ""
    rows = json.loads(done.stdout)["policies"]
    assert [row["name"] for row in rows] == [row.name for row in CATALOGUE]
    assert all(set(row) == {"name", "parameters", "about", "citation", "claims"} for row in rows)
    assert rows[1]["parameters"] == ["l", "season"]
    assert rows[0]["claims"][0]["status"] == "theorem"
