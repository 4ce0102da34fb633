"""How fast the stores of the live principal append and read, and what waiting for the disk costs.

``.venv/bin/python benchmarks/live_stores.py [--seconds S] [--folder DIR] [URL ...]``

Without a URL: SQLite in a new file in the folder, waiting for the disk and not. Every line is one
store and one size of append; the first line is what one sync costs in this folder.
"""

import argparse
import os
import tempfile
import time
from pathlib import Path

from copyproof.live.stores import open_store

EVENT = {"kind": "told", "at": 1.7e9 + 0.123, "decision": "default-2s-7f", "reward": 0.25}
SIZES = (1, 10, 100, 1000)


def sync_seconds(folder: Path, seconds: float) -> float:
    """The seconds of one fdatasync after 4 kB more were written, on average."""
    path = folder / "sync"
    with open(path, "wb", buffering=0) as file:
        end, count, spent = time.perf_counter() + seconds, 0, 0.0
        while time.perf_counter() < end:
            file.write(bytes(4096))
            began = time.perf_counter()
            os.fdatasync(file.fileno())
            spent += time.perf_counter() - began
            count += 1
    path.unlink()
    return spent / count


def measure(url: str, seconds: float) -> None:
    """Append in each size for some seconds, then read everything."""
    with open_store(url) as store:
        market = f"bench-{time.time():.6f}"
        store.create_market(market, {})
        name = f"{url.partition(':')[0]}, {'durable' if store.durable else 'not durable'}"
        number = 1
        for size in SIZES:
            times = []
            end = time.perf_counter() + seconds
            while time.perf_counter() < end:
                began = time.perf_counter()
                store.append(market, number, [EVENT] * size)
                times.append(time.perf_counter() - began)
                number += size
            times.sort()
            print(
                f"{name:24} append of {size:4}: {len(times) / sum(times):9,.0f} appends/s "
                f"{size * len(times) / sum(times):9,.0f} events/s   "
                f"median {1e3 * times[len(times) // 2]:6.2f} ms   "
                f"p99 {1e3 * times[int(0.99 * len(times))]:6.2f} ms",
                flush=True,
            )
        began = time.perf_counter()
        count = sum(1 for _ in store.events(market))
        took = time.perf_counter() - began
        print(f"{name:24} read {count:,} events in {took:.2f} s: {count / took:,.0f} events/s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("urls", nargs="*", metavar="URL")
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--folder", type=Path, default=None)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        sync = sync_seconds(Path(name), given.seconds)
        print(f"one sync (fdatasync after 4 kB): {1e3 * sync:.2f} ms")
        files = [f"sqlite:{name}/full.db", f"sqlite:{name}/off.db?synchronous=off"]
        for url in given.urls or files:
            measure(url, given.seconds)


if __name__ == "__main__":
    main()
