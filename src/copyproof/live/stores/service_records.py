"""What a store keeps of the service itself: actions of operators, answers, and who serves it."""

from abc import ABC, abstractmethod
from typing import Any


class ServiceRecords(ABC):
    """Actions of operators and answers; where several processes share a store, who they are."""

    shared: bool = False

    @abstractmethod
    def put_action(self, action: dict[str, Any]) -> None:
        """Store what an operator did under ``action["id"]``, in place of what was there."""

    @abstractmethod
    def end_action(self, action_id: str, status: int | None) -> None:
        """Note the status of the answer to what an operator did, if it is there."""

    @abstractmethod
    def actions(self, after: str = "", limit: int = 1000) -> list[dict[str, Any]]:
        """What operators did, in order of their "id", those after an id; at most ``limit``."""

    @abstractmethod
    def put_answer(self, answer_id: str, answer: dict[str, Any], now: float, until: float) -> None:
        """Remember an answer until a time, in place of one before; forget those that are over."""

    @abstractmethod
    def answer(self, answer_id: str) -> dict[str, Any] | None:
        """Return an answer that is remembered; None if there is none."""

    @abstractmethod
    def drop_answer(self, answer_id: str) -> None:
        """Forget an answer, if it is there."""

    def announce(self, owner: str, address: str, seconds: float) -> None:
        """Let others know for a while that a process serves the store, and where it is reached."""
        return None

    def withdraw(self, owner: str) -> None:
        """Let others know that a process serves the store no more."""
        return None

    def processes(self) -> dict[str, str]:
        """The processes that have announced themselves, and their addresses."""
        return {}

    def leaders(self) -> dict[str, str]:
        """Who holds the leases of the markets, as far as these run."""
        return {}
