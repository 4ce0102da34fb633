"""Changing a policy in production, over HTTP: shadow, share, guard rails, and a kill in between."""

import time
from pathlib import Path

import pytest

from copyproof.client import ApiError, Client
from copyproof.live.checks import check_store
from copyproof.live.exports import audit_lines
from copyproof.live.stores import open_store
from copyproof.live.verification import verify
from tests.service.conftest import Service, filled
from tests.service.crowd import Crowd, check
from tests.service.serving import Program

SHOP = "/v1/markets/shop"
OF_ANN = {"measure": "share", "last": 10, "at_least": 0.2, "agent": "ann"}


def test_from_a_shadow_to_the_policy_and_back(service: Service) -> None:
    caller = service.caller()
    shadow = caller("PUT", f"{SHOP}/policy", {"policy": "default-anytime", "share": 0}).json
    assert shadow == {"policy": "trial-anytime", "changed": True, "share": 0.0}
    with Client(service.url, service.keys["operator"]) as client:
        for share in (0.0, 0.5, 1.0):
            client.set_policy("shop", "default-anytime", share=share)
            for one in client.ask("shop", 40):
                client.tell("shop", one.id, 1.0)
            found = client.statistics("shop")["candidate"]
            assert (found["decisions"], found["known"], found["share"]) == (40, 40, share)
            assert (found["value"]["mean"] is None) == (share == 0.0 and found["agreed"] < 40)
        asked = [event for event in client.journal("shop") if event["kind"] == "asked"]
        assert [sorted(event.keys() & {"shadow", "propensities"}) for event in asked[-3:]] == [
            ["shadow"],
            ["propensities", "shadow"],
            ["shadow"],
        ]
        told = caller("GET", SHOP).json
        assert told["candidate"] == {"policy": "trial-anytime", "share": 1.0}
        assert "best arm alone" not in told["guarantee"]
        assert "h-ucb and trial-anytime learn from each other's decisions" in told["guarantee"]
        assert client.drop_candidate("shop") is True
        assert client.drop_candidate("shop") is False
        assert client.statistics("shop")["candidate"] is None
        assert client.set_policy("shop", "default-anytime") is True
        assert "best arm alone" in caller("GET", SHOP).json["guarantee"]
        assert client.set_policy("shop", "h-ucb") is True


@pytest.mark.parametrize("share", [0, 0.5, 1])
def test_a_flat_policy_with_a_share_promises_nothing(service: Service, share: float) -> None:
    caller = service.caller()
    caller("PUT", f"{SHOP}/policy", {"policy": "ucb1", "share": share})
    told = caller("GET", SHOP).json["guarantee"]
    assert told.startswith("none: ucb1 is flat" if share else "proven: copies")
    caller("DELETE", f"{SHOP}/candidate")


def test_a_rail_pauses_a_market_until_it_is_resumed(service: Service) -> None:
    with Client(service.url, service.keys["operator"]) as client:
        rails = [{"measure": "share", "last": 30, "at_most": 0.8}]
        assert client.set_rails("shop", rails) is True
        assert client.set_rails("shop", rails) is False
        client.ask("shop", 30, eligible=["eve"])
        with pytest.raises(ApiError, match="market is paused until it is resumed: the share") as no:
            client.ask("shop")
        assert (no.value.status, no.value.field) == (409, "market")
        found = client.statistics("shop")
        assert found["crossed"]["agent"] == "eve"
        assert found["paused"].startswith("the share of agent 'eve' in the last 30 decisions is 1")
        assert client.resume("shop") is True
        assert client.resume("shop") is False
        assert client.ask("shop")
        assert client.set_rails("shop", []) is True
        assert client.pause("shop", "a new printer") is True
        with pytest.raises(ApiError, match="a new printer"):
            client.ask("shop")
        assert service.caller()("GET", SHOP).json["paused"] == "a new printer"
        client.resume("shop")


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("policy", {"policy": "h-ucb", "share": 1.5}, "share"),
        ("policy", {"policy": "h-ucb", "share": "1"}, "share"),
        ("policy", {"policy": "s-ucb", "share": 0.5}, "policy"),
        ("rails", {"rails": [{"measure": "share", "last": 5}]}, "rails[0].at_most"),
        ("rails", {"rails": [{"measure": "x", "last": 5}]}, "rails[0].measure"),
        ("rails", {"rails": [{**OF_ANN, "agent": ""}]}, "rails[0].agent"),
        ("rails", {"rails": [{**OF_ANN, "measure": "reward"}]}, "rails[0].agent"),
        ("rails", {"rails": [{**OF_ANN, "owner": 0}]}, "rails[0].owner"),
        ("rails", {"rails": [], "fallback": "nobody"}, "fallback"),
    ],
)
def test_what_is_wrong_is_named(service: Service, path: str, body: object, field: str) -> None:
    answer = service.caller()("PUT", f"{SHOP}/{path}", body)
    assert (answer.status, answer.field) == (422, field), answer.body


def test_a_rail_of_one_agent(service: Service) -> None:
    with Client(service.url, service.keys["operator"]) as client:
        assert client.set_rails("shop", [OF_ANN]) is True
        client.ask("shop", 10, eligible=["bob"])
        found = client.statistics("shop")
        assert (found["rails"][0]["agent"], found["crossed"]["agent"]) == ("ann", "ann")
        assert found["paused"] == (
            "the share of agent 'ann' in the last 10 decisions is 0: at_least = 0.2"
        )
        client.resume("shop")
        client.set_rails("shop", [])
    nobody = service.caller()("PUT", f"{SHOP}/rails", {"rails": [{**OF_ANN, "agent": "nobody"}]})
    assert (nobody.status, nobody.field) == (404, "rails[0].agent")


def test_a_kill_while_two_policies_decide(tmp_path: Path) -> None:
    url = f"sqlite:{tmp_path / 'live.db'}"
    with open_store(url) as store:
        key = filled(store)["operator"]
    program = Program(url)
    try:
        program.start()
        with Client(program.url, key) as client, Crowd(program.url, key) as crowd:
            for market in ("site", "shop"):
                client.set_rails(market, [{"measure": "share", "last": 500, "at_most": 1.0}])
                client.set_policy(market, "default-anytime", share=0.3)
            for before, share in ((0.3, 0.6), (0.6, 0.9)):
                time.sleep(0.5)
                program.kill()
                program.start()
                assert client.statistics("site")["candidate"]["share"] == before
                for market in ("site", "shop"):
                    client.set_policy(market, "default-anytime", share=share)
            time.sleep(0.3)
        status, said = program.stop()
        assert status == 0, said
    finally:
        program.end()
    with open_store(url) as store:
        check(store, crowd)
        check_store(store, replay=True)
        verdict = verify(audit_lines(store, "site"))
        assert verdict.holds, verdict
        chances = {
            round(one, 9)
            for _, event in store.events("site")
            for one in event.get("propensities", ())
        }
        assert {0.3, 0.7, 0.4, 0.6, 1.0} <= chances
