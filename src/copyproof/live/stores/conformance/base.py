"""What the tests of the contract share: how a store is opened, and what is put into it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from copyproof.live.stores.contract import Store

EVENT: dict[str, Any] = {
    "kind": "asked",
    "at": 1.7e9 + 0.1,
    "tiny": 5e-324,
    "text": 'ü\U0001f600 "\\\x00\n',
    "list": [1, -(2**62), None, {"a": 0.1}],
}


def refused(kind: type[Exception], call: Callable[..., object], *arguments: object) -> str:
    """The message of the error that ``call`` must raise; it is one line."""
    try:
        call(*arguments)
    except kind as error:
        message = str(error)
        assert message, "an error without a message"
        assert "\n" not in message, f"a message of more than one line: {message}"
        return message
    raise AssertionError(f"{kind.__name__} was not raised")


def numbered(first: int, count: int) -> list[dict[str, Any]]:
    """Events that say their number."""
    return [{"kind": "told", "n": number} for number in range(first, first + count)]


class Opening:
    """Stores of a test, closed at its end. A subclass says how one is opened."""

    def opened(self, folder: Path) -> Store:
        """Open the store that belongs to a folder, again and again."""
        raise NotImplementedError

    def setup_method(self) -> None:
        """Begin a test: nothing is open."""
        self._open: list[Store] = []

    def teardown_method(self) -> None:
        """End a test: close what it opened."""
        for store in self._open:
            store.close()

    def store(self, folder: Path) -> Store:
        """Open the store of a folder, and remember to close it."""
        store = self.opened(folder)
        self._open.append(store)
        return store

    def made(self, folder: Path) -> Store:
        """A new store with the market "m"."""
        store = self.store(folder)
        store.create_market("m", {"policy": "prh-ucb", "seed": 1})
        return store
