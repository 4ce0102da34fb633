"""The recipe for a store: a class, its scheme, and the contract as inherited tests."""

import inspect
from pathlib import Path

import pytest

from copyproof.live.stores import Store
from copyproof.live.stores.conformance import StoreConformance
from tests.recipes import toy_store
from tests.recipes.changed import Changed, text_of, with_first_lines

OPEN = "live/stores/open.py"
SCHEME = """\
    if url == "toy:":
        from copyproof.live.stores.toy import ToyStore

        return ToyStore()
"""
SCRIPT = """
from copyproof.live import Principal
from copyproof.live.stores import open_store

with open_store("toy:") as store:
    principal = Principal("h-ucb", store=store, market="site")
    principal.register_arms([("ann", "1"), ("bob", "1")])
    [decision] = principal.ask()
    principal.tell(decision.id, 1.0)
    again = Principal(store=store, market="site")
    print(type(store).__module__, store.counted == store.last("site") > 0)
    print(again.statistics().answered)
"""


def test_a_store_costs_two_files() -> None:
    files = {
        "live/stores/toy.py": inspect.getsource(toy_store),
        OPEN: with_first_lines(text_of(OPEN), "open_store", SCHEME),
    }
    assert Changed(files).run(SCRIPT) == ["copyproof.live.stores.toy True", "1"]


class TestContract(StoreConformance):
    @pytest.fixture(autouse=True)
    def _stores(self) -> None:
        self._by_folder: dict[Path, Store] = {}

    def opened(self, folder: Path) -> Store:
        return self._by_folder.setdefault(folder, toy_store.ToyStore())
