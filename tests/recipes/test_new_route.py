"""The recipe for a route: one function in one file, and the service answers, describes, refuses."""

import json
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.recipes.changed import Changed, text_of

FILE = "service/routes/markets.py"
ROUTE = '''

@router.get("/{market}/seed")
async def read_seed(market: str, call: read_market.__annotations__["call"]) -> dict[str, int]:
    """The seed of a market, for those who may read markets."""
    return {"seed": (await read_market(market, call)).config["seed"]}
'''
SERVE = """
from copyproof.cli import main

main()
"""


def test_a_route_costs_one_file(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path}/live.db"
    command = ("serve", "--example", "--store", store, "--port", "0", "--json")
    with Changed({FILE: text_of(FILE) + ROUTE}).start(SERVE, *command) as process:
        assert process.stdout is not None
        up = json.loads(process.stdout.readline())
        connection = HTTPConnection(urlsplit(up["url"]).netloc, timeout=30)

        def call(method: str, path: str, key: str | None, body: object = None) -> tuple[int, Any]:
            headers = {"Authorization": f"Bearer {key}"} if key else {}
            if body is not None:
                headers["Content-Type"] = "application/json"
            connection.request(
                method, path, None if body is None else json.dumps(body), headers=headers
            )
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())

        path = f"/v1/markets/{up['market']}/seed"
        status, found = call("GET", path, up["key"])
        assert (status, found) == (200, {"seed": found["seed"]})
        assert isinstance(found["seed"], int)
        assert call("GET", path, None)[0] == 401
        _, made = call(
            *("POST", "/v1/keys", up["key"]),
            {"role": "application", "markets": [up["market"]]},
        )
        assert call("GET", path, made["key"])[0] == 403
        _, described = call("GET", "/openapi.json", None)
        assert "get" in described["paths"]["/v1/markets/{market}/seed"]
        connection.close()
        process.terminate()
