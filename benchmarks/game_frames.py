"""How smoothly the game's page plays: frames a second at 5,000 rounds a second, and its start.

    .venv/bin/python -m benchmarks.game_frames

A real Chromium opens the page from a file. *Start* is the time from the beginning of the navigation
to the first frame after a lever was moved, with the game on the stage. *Frames* are the distances
of the calls of ``requestAnimationFrame`` while a game is played, and the rounds that were played in
that time; *work* is the time that the page's script takes of a frame. ``slower`` says how many
times slower the processor is made, as a phone's is. The results go to
``benchmarks/results/game.json``.
"""

import json
import statistics
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser

from copyproof._files import write_atomically
from copyproof.lab import packing
from tests.browser import opened, running

RESULTS = Path(__file__).parent / "results" / "game.json"
STARTS = 9
GAMES = [
    ("ucb1", 1, 1),
    ("ucb1", 100, 1),
    ("ucb1", 500, 1),
    ("s-ucb", 500, 1),
    ("h-ucb", 500, 1),
    ("rh-ucb", 500, 1),
    ("trial", 500, 1),
    ("ucb1", 500, 4),
    ("trial", 500, 4),
]

# As soon as there is a lever it is moved, as a finger would; then the first frame is awaited.
_MOVE = """
(() => {
  const look = () => {
    const lever = document.querySelector("#levers input[type=range]");
    if (lever === null || !globalThis.copyproof?.run) return requestAnimationFrame(look);
    lever.value = 11;
    lever.dispatchEvent(new Event("input"));
    const shown = () => copyproof.state.copies === 100 && copyproof.run.t > 0
      ? (globalThis.moved = performance.now()) : requestAnimationFrame(shown);
    requestAnimationFrame(shown);
  };
  requestAnimationFrame(look);
})();
"""
_FRAMES = """
() => new Promise(done => {
  const times = [], work = [], begun = copyproof.run.t, first = performance.now();
  const played = copyproof.frame;
  copyproof.frame = now => {
    const before = performance.now();
    played.call(copyproof, now);
    work.push(performance.now() - before);
  };
  const frame = now => {
    times.push(now);
    if (!copyproof.run.isOver && now - first <= 3000) return requestAnimationFrame(frame);
    const seconds = (performance.now() - first) / 1000;
    done({ times, work, rounds: copyproof.run.t - begun, seconds });
  };
  requestAnimationFrame(frame);
})
"""


def start(browser: Browser, file: Path) -> float:
    """Seconds to the first interaction."""
    with opened(browser, "about:blank") as page:
        page.add_init_script(_MOVE)
        page.goto(file.as_uri())
        page.wait_for_function("() => globalThis.moved !== undefined")
        return float(page.evaluate("() => globalThis.moved")) / 1000


def frames(browser: Browser, file: Path, policy: str, copies: int, slower: int) -> dict[str, Any]:
    """What a game of 20,000 rounds looks like for three seconds, after the first half second."""
    with opened(browser, f"{file.as_uri()}#chapter=1&policy={policy}&copies={copies}") as page:
        session = page.context.new_cdp_session(page)
        session.send("Emulation.setCPUThrottlingRate", {"rate": slower})
        page.wait_for_function("() => globalThis.copyproof?.run?.t > 2500")
        found = page.evaluate(_FRAMES)
    gaps = sorted(b - a for a, b in zip(found["times"], found["times"][1:], strict=False))
    return {
        "policy": policy,
        "copies": copies,
        "slower": slower,
        "frames_per_second": round(1000 / statistics.mean(gaps), 1),
        "median_ms": round(statistics.median(gaps), 2),
        "99_percent_ms": round(gaps[int(0.99 * (len(gaps) - 1))], 2),
        "longest_ms": round(gaps[-1], 2),
        "work_median_ms": round(statistics.median(found["work"]), 2),
        "work_longest_ms": round(max(found["work"]), 2),
        "rounds_per_second": round(found["rounds"] / found["seconds"]),
    }


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "game.html"
        file.write_text(packing.page(), encoding="utf-8")
        for browser in running():
            starts = [start(browser, file) for _ in range(STARTS)]
            played = [frames(browser, file, *game) for game in GAMES]
        size = file.stat().st_size
    found = {
        "bytes": size,
        "start_seconds": {
            "median": round(statistics.median(starts), 3),
            "longest": round(max(starts), 3),
        },
        "frames": played,
    }
    write_atomically(RESULTS, (json.dumps(found, indent=1) + "\n").encode())
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
