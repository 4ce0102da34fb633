"""What exported arrays say of a market's decisions."""

from typing import Any

import numpy as np

from copyproof.engine.live_records import BASE, EXPIRED, ROUND, UNKNOWN


def rounds_of(arrays: dict[str, Any]) -> Any:
    """The rounds of the decisions that are remembered."""
    return np.arange(arrays["counters"][BASE] + 1, arrays["counters"][ROUND] + 1)


def are_due(arrays: dict[str, Any]) -> Any:
    """Which of the decisions that are remembered are due (``engine.due_rewards``)."""
    counters, rounds = arrays["counters"], rounds_of(arrays)
    waits = arrays["waits"].astype(np.int64)
    delays = np.where(waits > 1, np.left_shift(1, np.maximum(waits - 1, 0)), 0)
    dated = (waits != UNKNOWN) & (counters[ROUND] - rounds >= delays)
    return dated | (rounds <= counters[EXPIRED])


def check_known(arrays: dict[str, Any], owner: Any) -> None:
    """Hold what is known of principals, all of whose decisions are remembered, against the log."""
    log, is_due, rounds = arrays["log"], are_due(arrays), rounds_of(arrays)
    np.testing.assert_array_equal(arrays["counted"][is_due], log["value"][is_due])
    for agent, known in enumerate(arrays["known"]):
        mine = owner == agent
        np.testing.assert_allclose(known["total"], log["value"][mine & is_due].sum(), atol=1e-9)
        assert known["plays"] == (mine & is_due).sum()
        assert known["last"] == rounds[mine].max(initial=0)
        before = np.concatenate([[0], rounds[mine][:-1]])[: mine.sum()]
        np.testing.assert_array_equal(arrays["previous"][mine], before)
    for name in ("total", "plays"):
        np.testing.assert_allclose(arrays["due"][name][0], arrays["known"][name].sum())
