"""Both clients against a real service, and against one that fails."""

import asyncio
import json
import re
import socket
import threading
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from copyproof.client import ApiError, AsyncClient, Client, Decision, Unavailable
from copyproof.client.connection import Connection
from copyproof.live import Principal
from copyproof.live.stores import Store, open_store
from copyproof.live.verification import verify
from copyproof.service import document
from tests.client.callers import CALLERS, Caller
from tests.service.conftest import filled
from tests.service.serving import Running, serving


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[Running, Store, str]]:
    store = open_store("memory:")
    key = filled(store)["operator"]
    with serving(store) as running:
        yield running, store, key


@pytest.fixture(params=list(CALLERS))
def caller(request: pytest.FixtureRequest) -> Caller:
    return CALLERS[request.param]


@pytest.fixture
def client(served: tuple[Running, Store, str], caller: Caller) -> Iterator[Client]:
    with caller(served[0].url, served[2], patience=5.0) as client:
        yield client


def test_the_whole_round(client: Client) -> None:
    market = f"é {type(client).__name__}"
    client.create_market(market, policy="h-ucb", seed=1)
    assert client.register_agent(market, "ünal") is True
    assert client.register_agent(market, "ünal") is False
    assert client.register_arms(market, "ünal", ["a/b", "c"]) == 2
    assert client.register_arms(market, "ünal", ["a/b", "c"]) == 0
    assert client.register_arms(market, "bob", ["d"]) == 1
    decisions = client.ask(market, 3)
    assert [decision.round for decision in decisions] == [1, 2, 3]
    assert all(isinstance(decision, Decision) for decision in decisions)
    assert client.tell(market, decisions[0].id, 1.0).status == "counted"
    told = client.tell_many(market, [(decision.id, 0.5) for decision in decisions])
    assert [one.status for one in told] == ["ignored", "counted", "counted"]
    assert {one.agent for one in client.ask(market, 9, slate=True)} == {"ünal", "bob"}
    assert {one.arm for one in client.ask(market, 5, seen={"ünal": ["c"]}, segment="é")} == {"d"}
    assert {one.agent for one in client.ask(market, 5, eligible=["bob"])} == {"bob"}
    assert {one.arm for one in client.ask(market, 5, eligible={"ünal": ["c"]})} == {"c"}
    assert client.suspend_agent(market, "ünal") is True
    assert client.suspend_agent(market, "ünal") is False
    assert {one.agent for one in client.ask(market, 5)} == {"bob"}
    assert client.resume_agent(market, "ünal") is True
    assert client.retire_arm(market, "bob", "d") is True
    assert {one.agent for one in client.ask(market, 5)} == {"ünal"}
    assert client.suspend_arm(market, "ünal", "c") is True
    assert {one.arm for one in client.ask(market, 5)} == {"a/b"}
    assert client.register_arms(market, "ünal", ["c"]) == 0
    assert {one.arm for one in client.ask(market, 5)} == {"a/b"}
    assert client.resume_arm(market, "ünal", "c") is True
    assert {one.arm for one in client.ask(market, 9)} >= {"c"}
    assert client.register_arms(market, "ünal", ["c"], content={"c": "9f86d081"}) == 1
    assert client.set_policy(market, "prh-ucb") is True
    assert client.set_policy(market, "prh-ucb") is False
    found = client.statistics(market)
    assert (found["policy"], found["revenue"]) == ("prh-ucb", 2.0)
    assert client.statistics(market, "bob")["agent"] == "bob"
    assert found["segments"] == ["é"]
    assert client.statistics(market, segment="é")["plays"] == 5
    assert client.statistics(market, segment="")["plays"] == found["plays"] - 5
    assert client.statistics(market, "bob", segment="é")["plays"] == 5
    with pytest.raises(ApiError, match="404: segment is not known"):
        client.statistics(market, segment="fr")
    assert market in [each["market"] for each in client.markets()]
    kinds = [event["kind"] for event in client.journal(market)]
    assert kinds.count("asked") == 10
    numbers = [event["number"] for event in client.journal(market, after=3)]
    assert numbers == list(range(4, len(kinds) + 1))


def test_what_others_check(
    client: Client, served: tuple[Running, Store, str], tmp_path: Path
) -> None:
    client.ask("site", 20)
    head = client.head("site")
    assert (head["market"], head["number"]) == ("site", served[1].last("site"))
    for agent, name in ((None, "journal"), ("ann", "agent's journal")):
        path = tmp_path / name
        client.export("site", path, agent=agent)
        assert path.stat().st_mode & 0o777 == 0o600
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        assert (lines[0]["copyproof"], lines[-1]["head"]) == (name, head["digest"])
        assert verify(lines).holds is (True if agent is None else None)
        with pytest.raises(FileExistsError):
            client.export("site", path, agent=agent)
    with pytest.raises(ApiError, match="404: agent is not known"):
        client.export("site", tmp_path / "none", agent="nobody")
    with Client("http://127.0.0.1:9", "cp_0_0") as nowhere, pytest.raises(Unavailable):
        nowhere.export("site", tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_an_answer_that_breaks_off_leaves_no_file(caller: Caller, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(10_000)
                connection.sendall(
                    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{}\n"
                )

        thread = threading.Thread(target=answer)
        thread.start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        with caller(url, "cp_0_0") as client, pytest.raises(Unavailable, match="no answer"):
            client.export("site", tmp_path / "part")
        thread.join()
    assert not (tmp_path / "part").exists()


class Noting(Connection):
    """A connection that notes what is asked for."""

    asked: set[tuple[str, str]]

    def _note(self, method: str, path: str) -> None:
        self.asked.add((method, path.partition("?")[0]))

    def send(
        self, method: str, path: str, body: Any = None, *, retry_key: str | None = None
    ) -> Any:
        self._note(method, path)
        return super().send(method, path, body, retry_key=retry_key)

    def lines(self, path: str) -> list[Any]:
        self._note("GET", path)
        return super().lines(path)

    def stream(self, path: str) -> Generator[bytes, None]:
        self._note("GET", path)
        return super().stream(path)


def test_every_request_of_the_document_has_a_method(tmp_path: Path) -> None:
    store = open_store("memory:")
    key = filled(store)["operator"]
    with (
        serving(store, backups_to=tmp_path) as running,
        Client(running.url, key) as client,
    ):
        client.connection = noting = Noting(running.url, key)
        noting.asked = set()
        client.create_market("new")
        assert client.market("new")["guarantee"].startswith("proven: ")
        client.markets()
        client.register_agent("new", "zoe")
        client.register_arms("new", "zoe", ["a", "b"])
        many: list[dict[str, Any]] = [{"agent": "max", "arms": ["m", "n"]}, {"agent": "kim"}]
        assert client.register_agents("new", many) == 2
        assert client.register_agents("new", many) == 0
        with pytest.raises(ValueError, match="agents = 'max' is not a list of dictionaries"):
            client.register_agents("new", "max")  # type: ignore[arg-type]
        for change in (client.suspend_agent, client.resume_agent):
            assert change("new", "zoe")
        for change_arm in (client.suspend_arm, client.resume_arm, client.retire_arm):
            assert change_arm("new", "zoe", "a")
        same = {"hash": "0123456789abcdef"}
        client.register_arms("new", "zoe", ["b"], fingerprints={"b": same})
        client.register_arms("new", "eve", ["c"], fingerprints={"c": same})
        [suspicion] = client.suspicions("new")
        assert (suspicion.agents, suspicion.status) == (("zoe", "eve"), "open")
        assert client.dismiss_suspicion("new", suspicion.id)
        assert client.confirm_suspicion("new", suspicion.id, group="zoe & co")
        assert client.suspicions("new")[0].status == "confirmed"
        assert client.bind_agent("new", "eve", None)
        [decision] = client.ask("new")
        client.tell("new", decision.id, 1.0)
        client.tell_many("new", [(decision.id, 1.0)])
        client.set_policy("new", "h-ucb")
        client.set_policy("new", "fair", share=0.1)
        assert client.drop_candidate("new")
        assert client.set_rails("new", [{"measure": "share", "last": 5, "at_most": 0.9}])
        assert client.pause("new", "a test")
        assert client.resume("new")
        client.set_clock("new")
        client.statistics("new")
        client.statistics("new", "zoe")
        assert next(client.journal("new"))["number"] == 1
        client.head("new")
        assert client.own_key().role == "operator"
        assert {one["agent"] for one in client.history("new")["newcomers"]} == {
            "eve",
            "kim",
            "max",
            "zoe",
        }
        assert client.preview_policy("new", "ucb1", share=0.5)["guarantee"].startswith("none: ")
        started = client.start_audit("new", policy="h-ucb", horizon=10)
        assert started["id"] in [one["id"] for one in client.audits("new")]
        assert len(client.backups()) == 0
        assert client.back_up()["name"] == client.backups()[0]["name"]
        client.export("new", tmp_path / "whole")
        client.export("new", tmp_path / "own", agent="zoe")
        made = client.make_key("auditor")
        client.rotate_key(made.id)
        client.keys()
        client.revoke_key(made.id)
        client.delete_key(made.id)
        client.remove_agent("new", "zoe", forget=True)
        client.delete_market("new")
        assert "POST /v1/markets/new/pause" in [each["what"] for each in client.actions()]
        noting.close()
    names = {"new": "{market}", "zoe": "{agent}", "eve": "{agent}", made.id: "{key}"}
    names[suspicion.id] = "{suspicion}"
    asked = {
        (method.lower(), "/".join(names.get(part, part) for part in path.split("/")))
        for method, path in noting.asked
    }
    described = {(method, path) for path, each in document()["paths"].items() for method in each}
    assert described - asked == {("get", path) for path in ("/healthz", "/readyz", "/metrics")}
    assert asked <= described


def test_keys(client: Client, served: tuple[Running, Store, str]) -> None:
    made = client.make_key("application", markets=["site"], note="web")
    assert made.key is not None
    with Client(served[0].url, made.key) as other:
        assert other.ask("site")[0].agent in ("ann", "bob", "eve")
    turned = client.rotate_key(made.id, overlap=0)
    assert turned.key != made.key
    assert client.revoke_key(made.id).revoked is not None
    every = client.keys()
    assert made.id in [key.id for key in every]


def test_refusals_are_errors_with_a_field(client: Client) -> None:
    with pytest.raises(ApiError, match=r"^404: market is not known$") as found:
        client.ask("nothing")
    assert (found.value.status, found.value.field) == (404, "market")
    with pytest.raises(ApiError, match="count = 0") as found:
        client.ask("site", 0)
    assert (found.value.status, found.value.field) == (422, "count")
    with pytest.raises(ValueError, match=r"^url = "):
        Client("ftp://x", "k")


def test_a_retry_key_gives_the_same_decisions(client: Client) -> None:
    assert client.ask("site", 3, retry_key="k") == client.ask("site", 3, retry_key="k")


def test_a_text_is_no_list_of_texts(client: Client) -> None:
    with pytest.raises(ValueError, match=r"^arms = 'lakes' is not a list: write \['lakes'\]$"):
        client.register_arms("site", "ann", "lakes")
    with pytest.raises(ValueError, match=r"^eligible = 'ann'"):
        client.ask("site", eligible="ann")
    with pytest.raises(ValueError, match=r"^eligible\['ann'\] = 'a1'"):
        client.ask("site", eligible={"ann": "a1"})
    with pytest.raises(ValueError, match=r"^markets = 'site'"):
        client.make_key("application", markets="site")


def test_what_cannot_be_sent_is_named(client: Client) -> None:
    nan = float("nan")
    with pytest.raises(ValueError, match=r"^reward = nan is not a finite number$"):
        client.tell("site", "x", nan)
    with pytest.raises(ValueError, match=r"^rewards\[1\].reward = inf is not a finite number$"):
        client.tell_many("site", [("x", 1.0), ("y", float("inf"))])
    with pytest.raises(ValueError, match=r"^share = nan is not a finite number$"):
        client.set_policy("site", "h-ucb", share=nan)
    with pytest.raises(ValueError, match=r"^reason = \{1\} is not JSON: Object of type set"):
        client.pause("site", {1})  # type: ignore[arg-type]
    wrong: list[Any] = ["x", "", ["x"], {"measure": "share", "last": 5}, 5]
    for rails in wrong:
        with pytest.raises(ValueError, match=r"^rails = .* is not a list of dictionaries$"):
            client.set_rails("site", rails)


def test_threads_may_share_a_client(served: tuple[Running, Store, str]) -> None:
    """Everybody gets the answer to their own request."""

    def many(agent: str) -> set[str]:
        return {shared.ask("site", eligible=[agent])[0].agent for _ in range(50)}

    with Client(served[0].url, served[2], connections=4) as shared, ThreadPoolExecutor(6) as pool:
        agents = ["ann", "bob", "eve"] * 2
        assert list(pool.map(many, agents)) == [{agent} for agent in agents]
        assert shared.connection.attempts == 300


def test_coroutines_may_share_a_client(served: tuple[Running, Store, str]) -> None:
    async def play() -> None:
        async with AsyncClient(served[0].url, served[2], connections=4) as client:
            agents = ["ann", "bob", "eve"] * 50
            found = await asyncio.gather(*(client.ask("site", eligible=[one]) for one in agents))
            assert [each[0].agent for each in found] == agents
            assert client.connection.attempts == 150

    asyncio.run(play())


class Flaky:
    """Stands between client and service, and loses every second answer after it was given."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.lost = 0
        self._number = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._carry, args=(near,), daemon=True).start()

    def _carry(self, near: socket.socket) -> None:
        with near, socket.create_connection(("127.0.0.1", self._target)) as far:
            while sent := near.recv(1 << 16):
                far.sendall(sent)
                if not sent.rstrip().endswith(b"}"):
                    continue  # headers only: the body is still to come
                answer = b""
                while not _is_whole(answer):
                    answer += far.recv(1 << 16)
                self._number += 1
                if self._number % 2:
                    self.lost += 1
                    return
                near.sendall(answer)

    def close(self) -> None:
        self._listener.close()


def _is_whole(answer: bytes) -> bool:
    head, gap, body = answer.partition(b"\r\n\r\n")
    found = re.search(rb"content-length: (\d+)", head)
    return bool(gap) and found is not None and len(body) == int(found.group(1))


def test_lost_answers_change_nothing(served: tuple[Running, Store, str], caller: Caller) -> None:
    running, store, key = served
    market = f"flaky for {caller.__name__}"
    with Client(running.url, key) as client:
        client.create_market(market, policy="h-ucb")
        client.register_arms(market, "ann", ["a", "b"])
    between = Flaky(int(running.url.rpartition(":")[2]))
    with caller(between.url, key, timeout=5.0) as client:
        for number in range(1, 21):
            [decision] = client.ask(market)
            assert decision.round == number  # no decision was made twice
            assert client.tell(market, decision.id, 1.0).status == "counted"
        assert client.connection.attempts > 40
    between.close()
    assert between.lost >= 20
    principal = Principal(store=store, market=market)
    assert (principal.round, principal.statistics().revenue) == (20, 20.0)


def test_patience_ends(caller: Caller) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        with (
            caller(url, "k", patience=0.5) as client,
            pytest.raises(Unavailable, match="no answer"),
        ):
            client.markets()
