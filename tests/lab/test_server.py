"""The laboratory's server: whom it answers, and what it refuses; and the page in front of it."""

import base64
import csv
import http.client
import io
import json
import threading
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Route, expect

from copyproof import Agent, Market, Renew, Schedule, audit, paper_market, simulate
from copyproof.game import market_from_dict, read_market
from copyproof.lab import asked, packing
from copyproof.lab.server import MOST_BYTES, LabServer
from copyproof.simulation.decisions import decisions
from tests.browser import check_page, opened, said, screenshots
from tests.patience import PATIENCE

MARKET = """
[[agents]]
name = "ann <b>"
arms = [{ mean = 0.4, copies = 3 }]
[[agents]]
name = "bob"
arms = [{ mean = 0.8 }]
"""
SIMULATION = {
    "market": MARKET,
    "file": "mine.toml",
    "policies": ["ucb1", "h-ucb"],
    "horizon": 500,
    "repetitions": 3,
    "seed": 4,
}
GAME: dict[str, Any] = {
    "agents": [
        {"name": "0.5-agent", "means": [0.5], "copies": [7]},
        {"name": "0.9-agent", "means": [0.9], "copies": [1]},
    ],
    "policy": "prh-ucb",
    "horizon": 300,
    "seed": 3,
    "renewals": {"0": {"after": 2}},
}


@pytest.fixture(scope="module")
def server() -> Iterator[LabServer]:
    with LabServer(0) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def request(
    server: LabServer, method: str, path: str, body: Any = None, **headers: str
) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=PATIENCE)
    sent = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    given = {"Content-Type": "application/json"} if body is not None else {}
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, sent, {**given, **names})
    answer = connection.getresponse()
    found = answer.status, dict(answer.getheaders()), answer.read()
    connection.close()
    return found


def error(found: tuple[int, dict[str, str], bytes]) -> str:
    text = json.loads(found[2])["error"]
    assert "\n" not in text
    return str(text)


def test_only_this_machine_is_listened_to(server: LabServer) -> None:
    assert server.server_address[0] == "127.0.0.1"


def test_the_page_has_a_strict_policy_and_no_other_site_may_read_it(server: LabServer) -> None:
    status, headers, body = request(server, "GET", "/")
    assert status == 200
    assert b"copyproof-lab" in body
    policy = headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert not [name for name in headers if name.startswith("Access-Control")]


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8100", "127.0.0.1", "127.0.0.1:1"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_name_that_is_not_this_machines_is_refused(
    server: LabServer, host: str, method: str
) -> None:
    """A site whose name was pointed to 127.0.0.1 gets nothing."""
    body = SIMULATION if method == "POST" else None
    path = "/api/simulate" if method == "POST" else "/"
    assert request(server, method, path, body, Host=host)[0] == 421


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:8100"])
def test_another_site_is_refused(server: LabServer, origin: str) -> None:
    found = request(server, "POST", "/api/games", {"games": [GAME]}, Origin=origin)
    assert found[0] == 403


def test_the_page_itself_is_answered(server: LabServer) -> None:
    found = request(server, "POST", "/api/games", {"games": [GAME]}, Origin=server.url)
    assert found[0] == 200


def test_a_form_of_another_site_cannot_ask(server: LabServer) -> None:
    body = json.dumps({"games": [GAME]}).encode()
    assert request(server, "POST", "/api/games", body, Content_Type="text/plain")[0] == 415
    assert request(server, "OPTIONS", "/api/games")[0] == 501


def test_wrong_requests(server: LabServer) -> None:
    assert request(server, "GET", "/etc/passwd")[0] == 404
    assert request(server, "GET", "/../../etc/passwd")[0] == 404
    assert request(server, "POST", "/api/other", {})[0] == 404
    assert request(server, "POST", "/api/games", b"{")[0] == 400
    assert request(server, "POST", "/api/games", b"[" * 100_000)[0] == 400
    large = {"Content_Length": str(MOST_BYTES + 1)}
    assert request(server, "POST", "/api/games", b"{}", **large)[0] == 413
    assert request(server, "POST", "/api/games", b"{}", Content_Length="-1")[0] == 411


@pytest.mark.parametrize(
    ("job", "change", "expected"),
    [
        ("games", {"horizon": asked.MOST_GAME_ROUNDS + 1}, "games[0].horizon = 100001"),
        ("games", {"policy": "mine.py:Rule"}, "policy"),
        ("games", {"policy": "river:UCB(delta=1)"}, "policy"),
        ("games", {"agents": [{"name": "a", "means": [2], "copies": [1]}]}, "= 2"),
        ("games", {"agents": [{"name": "a", "means": [0.5], "copies": [30000]}]}, "30000"),
        ("games", {"renewals": {"7": {"after": 1}}}, "renewals"),
        ("games", {"renewals": {"0": {"never": 1}}}, "renewals"),
        ("games", {"more": 1}, "more"),
        ("games", {"seed": -1}, "games[0].seed = -1"),
        ("simulate", {"horizon": 10_000_000, "repetitions": 10_000}, "at most 400,000,000 here"),
        ("simulate", {"policies": []}, "policies"),
        ("simulate", {"market": "agents = 3"}, "mine.toml"),
        ("simulate", {"market": "agents = ["}, "mine.toml is not TOML"),
        ("simulate", {"market": "[", "file": "mine.json"}, "mine.json is not JSON"),
        ("simulate", {"market": 3}, "market = 3 is not the text of a market file"),
        ("simulate", {"policies": ["nothing"]}, "'nothing'"),
    ],
)
def test_bad_input_is_one_line(
    server: LabServer, job: str, change: dict[str, Any], expected: str
) -> None:
    body = {"games": [GAME | change]} if job == "games" else SIMULATION | change
    found = request(server, "POST", f"/api/{job}", body)
    assert found[0] == 422
    assert expected in error(found)


def test_a_missing_field_is_named(server: LabServer) -> None:
    found = request(server, "POST", "/api/audit", {"market": MARKET, "file": "m.toml"})
    assert error(found) == "request.policy is missing"


def test_games_are_the_engines(server: LabServer) -> None:
    _, _, body = request(server, "POST", "/api/games", {"games": [GAME]})
    [found] = json.loads(body)["games"]
    market = Market([Agent("0.5-agent", [0.5], [7]), Agent("0.9-agent", [0.9])])
    schedule = Schedule(renewals=[Renew("0.5-agent", after=2)])
    expected = decisions(market, "prh-ucb", horizon=300, seed=3, schedule=schedule)
    chosen = np.frombuffer(base64.b64decode(found["choices"]), "<u2")
    assert chosen.tolist() == expected.tolist()
    assert sum(found["plays"]) == 300


def test_incomes_are_the_engines(server: LabServer) -> None:
    """Also of a policy that the page cannot play itself."""
    markets = [[{"name": "a", "means": [0.5], "copies": [n]}, GAME["agents"][1]] for n in (1, 9)]
    asked_for = {"policy": "thompson", "horizon": 400, "games": 3, "seed": 7}
    _, _, body = request(server, "POST", "/api/incomes", {"markets": markets, **asked_for})
    for copies, found in zip((1, 9), json.loads(body)["markets"], strict=True):
        market = Market([Agent("a", [0.5], [copies]), Agent("0.9-agent", [0.9])])
        result = simulate(market, "thompson", horizon=400, repetitions=3, seed=7)
        assert found["revenue"] == result.revenue.tolist()
        assert found["regret"] == result.regret_curves[:, -1].tolist()


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"markets": []}, "markets"),
        ({"markets": [GAME["agents"]] * 9}, "markets = 9"),
        ({"markets": [[{"name": "a"}]]}, "markets[0]"),
        ({"games": 0}, "games = 0"),
        ({"games": asked.MOST_GAMES + 1}, "games = 101"),
        ({"horizon": 10**9}, "horizon = 1000000000"),
        ({"policy": "mine.py:Rule"}, "policy"),
    ],
)
def test_bad_incomes_are_one_line(server: LabServer, change: dict[str, Any], expected: str) -> None:
    good = {"markets": [GAME["agents"]], "policy": "ucb1", "horizon": 5, "games": 1, "seed": 1}
    found = request(server, "POST", "/api/incomes", good | change)
    assert found[0] == 422
    assert expected in error(found)


def test_a_simulation_is_what_simulate_finds(server: LabServer) -> None:
    _, _, body = request(server, "POST", "/api/simulate", SIMULATION)
    found = json.loads(body)
    market = market_from_dict(tomllib.loads(MARKET))
    assert market_from_dict(tomllib.loads(found["market"])) == market
    results = simulate(market, ["ucb1", "h-ucb"], horizon=500, repetitions=3, seed=4)
    for one, result in zip(found["policies"], results, strict=True):
        mine = result.to_dict()
        assert one["regret"] == mine["regret"]
        assert one["agents"] == mine["agents"]
    rows = list(csv.DictReader(io.StringIO(found["csv"])))
    assert len(rows) == 2 * 3 * 2
    assert rows[0]["agent"] == "ann <b>"
    assert float(rows[0]["revenue"]) == results[0].revenue[0, 0]
    assert found["svg"].lstrip().startswith("<?xml")
    assert base64.b64decode(found["png"])[1:4] == b"PNG"


def test_an_audit_is_what_audit_finds(server: LabServer) -> None:
    body = {"market": MARKET, "file": "m.toml", "policy": "ucb1", "horizon": 200, "seed": 1}
    found = json.loads(request(server, "POST", "/api/audit", body)[2])
    market = market_from_dict(tomllib.loads(MARKET))
    mine = audit(market, "ucb1", horizon=200, seed=1, budget=asked.AUDIT_BUDGET).to_dict()
    assert found["verdict"] == mine["verdict"] == "prone"
    assert found["agents"] == mine["agents"]


# --- the page in front of it ------------------------------------------------------------------


def test_the_engine_plays_every_policy_of_the_catalogue(
    browser: Browser, server: LabServer
) -> None:
    with opened(browser, f"{server.url}/#chapter=1&copies=50&rounds=2000") as page:
        expect(page.locator("#round")).to_have_text("2,000")
        page.get_by_label("All rules").select_option("h-thompson")
        expect(page.locator("#round")).to_have_text("2,000")
        result = simulate("paper:1a:50", "h-thompson", horizon=2000, repetitions=1, seed=1)
        shown = f"{result.revenue[0, 0]:,.0f}"
        expect(page.locator("#figures dd").nth(1)).to_have_text(shown)
        assert "policy=h-thompson" in page.url
        check_page(page)
        page.get_by_role("link", name="3 Names").click()
        expect(page.locator("#c-star")).to_contain_text("c* =")
        expect(page.locator("#round")).to_have_text("2,000")
        check_page(page, themes=("light",))


@pytest.mark.parametrize("policy", ["ucb1", "h-thompson"])
def test_the_engine_answers_for_the_robots_and_for_names(
    browser: Browser, server: LabServer, tmp_path: Path, policy: str
) -> None:
    """It is asked for all of it, and both engines find the same where both can play."""
    asked_for: list[str] = []
    with opened(browser, f"{server.url}/#chapter=4&policy={policy}&seed=2") as page:
        page.on("request", lambda each: asked_for.append(each.url.rpartition("/")[2]))
        page.wait_for_function("() => copyproof.panel.robots?.isOver")
        robots = page.evaluate("() => copyproof.found")
        assert asked_for.count("incomes") >= 3
        page.evaluate(
            "state => { location.hash = state; }",
            f"chapter=3&names=2&rounds=2000&seed=3&policy={policy}",
        )
        page.wait_for_function("() => copyproof.panel.study?.isOver")
        page.wait_for_function("() => copyproof.found.games === 20")
        names = page.evaluate("() => copyproof.found")
    profile = [int(copies) for copies in robots["profile"].split(".")]
    means = (0.6, 0.7, 0.8, 0.9)
    market = Market([Agent(f"{m}-agent", [m], [c]) for m, c in zip(means, profile, strict=True)])
    here = simulate(market, policy, horizon=5000, repetitions=6, seed=2)
    assert robots["regret"] == pytest.approx(here.regret.mean, abs=1e-9)
    one = simulate("paper:1a", policy, horizon=2000, repetitions=20, seed=3)
    assert names["means"][0] == pytest.approx(one.revenue[:, 0].mean(), abs=1e-9)
    if policy == "ucb1":
        alone = tmp_path / "game.html"
        alone.write_text(packing.page(), encoding="utf-8")
        with opened(browser, f"{alone.as_uri()}#chapter=4&policy=ucb1&seed=2") as page:
            page.wait_for_function("() => copyproof.panel.robots?.isOver")
            assert page.evaluate("() => copyproof.found") == robots


def test_a_market_file_is_dropped_simulated_audited_and_saved(
    browser: Browser, server: LabServer, tmp_path: Path
) -> None:
    with opened(browser, f"{server.url}/#chapter=1&rounds=1000") as page:
        data = page.evaluate_handle(
            "text => { const data = new DataTransfer();"
            " data.items.add(new File([text], 'mine.toml')); return data; }",
            MARKET,
        )
        page.dispatch_event(".drop", "drop", {"dataTransfer": data})
        expect(page.locator("#lab-said")).to_have_text("mine.toml is read.")
        page.get_by_label("Rounds", exact=True).fill("500")
        page.get_by_label("Games", exact=True).fill("3")
        page.get_by_label("Seed", exact=True).fill("4")
        page.get_by_role("button", name="Simulate").click()
        expect(page.locator("#lab-said")).to_have_text("Done.")
        expect(page.locator("#lab-results")).to_contain_text("rounds of ann <b>")
        for name in ("market.toml", "games.csv", "regret.png", "regret.svg"):
            with page.expect_download() as download:
                page.get_by_role("button", name=name).click()
            download.value.save_as(tmp_path / name)
        check_page(page)
        screenshots(page, "lab")
        page.get_by_role("button", name="Audit the first policy").click()
        expect(page.locator("#lab-results")).to_contain_text("Audit of ucb1")
        expect(page.locator("#lab-results")).to_contain_text("prone: copies pay")
        check_page(page)
    assert read_market(tmp_path / "market.toml").names == ("ann <b>", "bob")
    assert (tmp_path / "games.csv").read_text().startswith("policy,repetition,agent,")
    assert (tmp_path / "regret.png").read_bytes()[1:4] == b"PNG"
    assert b"<svg" in (tmp_path / "regret.svg").read_bytes()


def test_what_does_not_agree_with_the_engine_is_said(browser: Browser, server: LabServer) -> None:
    def changed(route: Route) -> None:
        answer = route.fetch().json()
        answer["games"][0]["revenue"][0] += 1
        route.fulfill(json=answer)

    with opened(browser, f"{server.url}/#chapter=5&scene=1&copies=20&rounds=1000") as page:
        expect(page.locator("#lead")).to_contain_text("by the copyproof engine on this machine")
        expect(page.locator("#round")).to_have_text("1,000")
        expect(page.locator("#evidence")).not_to_contain_text("do not agree")
        page.route("**/api/games", changed)
        page.get_by_role("button", name="New seed").click()
        evidence = page.locator("#evidence")
        expect(evidence).to_contain_text("The page and the engine do not agree")
        expect(page.locator("#announcement")).to_contain_text("do not agree")
        check_page(page)


def test_pictures_are_let_go(browser: Browser, server: LabServer) -> None:
    count = """() => { const { createObjectURL, revokeObjectURL } = URL;
      globalThis.held = new Set();
      URL.createObjectURL = (blob) => {
        const made = createObjectURL.call(URL, blob); held.add(made); return made; };
      URL.revokeObjectURL = (made) => { held.delete(made); revokeObjectURL.call(URL, made); }; }"""
    with opened(browser, f"{server.url}/#chapter=1&rounds=1000") as page:
        page.evaluate(count)
        page.get_by_label("Rounds", exact=True).fill("100")
        page.get_by_label("Games", exact=True).fill("2")
        page.get_by_role("button", name="Simulate").click()
        expect(page.locator("#lab-said")).to_have_text("Done.")
        page.wait_for_function("() => document.querySelector('.figure-image').naturalWidth > 0")
        page.wait_for_function("() => held.size === 0")


def test_a_bad_file_is_said_in_one_line(browser: Browser, server: LabServer) -> None:
    with opened(browser, f"{server.url}/#chapter=1&rounds=1000") as page:
        page.get_by_label("Market", exact=True).fill("agents = [{ name = 'a' }]")
        page.get_by_role("button", name="Simulate").click()
        expect(page.locator("#lab-said")).to_contain_text("agents[0].arms is missing")
        assert [line for line in said(page) if "422" not in line] == []


def test_the_game_of_the_paper_is_the_one_of_the_page() -> None:
    """The page's first chapter is paper:1a, as its commands say."""
    market = paper_market("1a", copies=3)
    assert market.names == tuple(f"{mean}-agent" for mean in (0.5, 0.6, 0.7, 0.8, 0.9))
