"""All three stores keep the contract."""

from pathlib import Path

import pytest

from copyproof.live.stores import Store, open_store
from copyproof.live.stores.conformance import StoreConformance
from copyproof.live.stores.memory import MemoryStore
from tests.postgres import Server


class TestMemory(StoreConformance):
    @pytest.fixture(autouse=True)
    def _stores(self) -> None:
        self._by_folder: dict[Path, Store] = {}

    def opened(self, folder: Path) -> Store:
        return self._by_folder.setdefault(folder, MemoryStore())


class TestSqlite(StoreConformance):
    def opened(self, folder: Path) -> Store:
        return open_store(f"sqlite:{folder}/live.db")


class TestPostgres(StoreConformance):
    @pytest.fixture(autouse=True)
    def _server(self, postgres: Server) -> None:
        self._postgres = postgres
        self._urls: dict[Path, str] = {}

    def opened(self, folder: Path) -> Store:
        if folder not in self._urls:
            self._urls[folder] = self._postgres.new_url()
        return open_store(self._urls[folder])
