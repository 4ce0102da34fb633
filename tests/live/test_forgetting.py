"""A name is forgotten, and nothing else: the chain, the decisions and the audit stay."""

from pathlib import Path

import pytest

from copyproof.live import MarketConfig, Principal, Unknown
from copyproof.live.checks import check_store
from copyproof.live.exports import audit_lines
from copyproof.live.forgetting import forget
from copyproof.live.stores import LeaseLost, Store, open_store
from copyproof.live.verification import verify
from tests.postgres import Server

ARMS = [("annabel", "secret-arm"), ("bob", "b"), ("annabel", "another-arm"), ("cid", "secret-arm")]


def played(store: Store) -> Principal:
    principal = Principal("h-ucb", store, market="m", config=MarketConfig(seed=3))
    principal.register_arms(ARMS, key="all of them")
    principal.snapshot()
    for n in range(30):
        eligible = [None, ["annabel", "bob"], {"annabel": ["secret-arm"], "cid": ["secret-arm"]}]
        asked = principal.ask(2, eligible=eligible[n % 3], key=f"ask {n}")
        principal.tell_many([(each.id, n % 4 / 3) for each in asked])
    principal.suspend_arm("annabel", "another-arm")
    principal.snapshot()
    principal.ask(3)
    return principal


def forgotten(store: Store) -> None:
    before = played(store)
    head, revenue = store.head("m"), before.statistics().revenue
    exported = list(audit_lines(store, "m", lambda: 5.0))
    token, events = forget(store, "m", "annabel")
    assert token.startswith("~")
    assert events == 23  # the agent, its arms, twice ten lists of what is eligible, a suspension
    assert store.head("m") == head
    check_store(store, replay=True)
    assert list(audit_lines(store, "m", lambda: 5.0)) == exported
    assert verify(exported).holds
    after = Principal(store=store, market="m")
    assert after.statistics().revenue == revenue
    assert [one.agent for one in after.statistics().agents] == [token, "bob", "cid"]
    assert [d.agent for d in after.ask(20)].count(token) > 0
    assert after.register_arms(ARMS[1:2]) == 0
    for wrong in ("annabel", "~" + "0" * 40):
        with pytest.raises(ValueError, match="its agent was forgotten"):
            after.register_agent(wrong)
        with pytest.raises(ValueError, match=r"arms\[0\].agent = "):
            after.register_arms([(wrong, "x")])
    with pytest.raises(Unknown):
        forget(store, "m", "annabel")
    check_store(store, replay=True)


def test_in_sqlite_nothing_is_left_in_the_file(tmp_path: Path) -> None:
    with open_store(f"sqlite:{tmp_path}/live.db") as store:
        forgotten(store)
    for path in tmp_path.iterdir():
        content = path.read_bytes()
        assert b"annabel" not in content
        assert b"another-arm" not in content
        assert b"secret-arm" in content  # cid's


def test_in_memory() -> None:
    with open_store("memory:") as store:
        forgotten(store)


def test_in_postgres(postgres: Server) -> None:
    with open_store(postgres.new_url()) as store:
        forgotten(store)


def test_not_while_it_is_served(tmp_path: Path) -> None:
    with open_store(f"sqlite:{tmp_path}/live.db") as store:
        played(store)
        token = store.acquire("m", "a service", 60.0)
        with pytest.raises(LeaseLost, match="is being served: stop the service first"):
            forget(store, "m", "annabel")
        assert token is not None
        store.release("m", "a service", token)
        forget(store, "m", "annabel")
