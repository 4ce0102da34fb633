"""The scan of a large log: ``python benchmarks/inspect_scan.py [--rows N] [--arms N]``.

Writes a Parquet file of 10⁸ rows with 10⁵ arms of 1,000 agents (popular arms are shown oftener, by
Zipf's law) in row groups of 10⁶ into a temporary folder, reads it as ``inspect_log`` does, in a
process of its own, and removes it. Prints seconds and the largest resident memory of that process,
and writes them to ``results/inspect_scan.json``.
"""

import argparse
import json
import multiprocessing
import platform
import resource
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

RESULTS = Path(__file__).parent / "results" / "inspect_scan.json"
GROUP = 1_000_000
AGENTS = 1000


def write(path: Path, rows: int, arms: int) -> None:
    """Write the log, a row group at a time."""
    rng = np.random.default_rng(1)
    owner = rng.integers(AGENTS, size=arms)
    means = rng.beta(2, 20, arms)
    weights = np.cumsum(1 / np.arange(10, arms + 10))
    agent_names = pa.array([f"agent-{n}" for n in range(AGENTS)])
    arm_names = pa.array([f"arm-{n:08d}" for n in range(arms)])
    writer = None
    for start in range(0, rows, GROUP):
        count = min(GROUP, rows - start)
        shown = np.searchsorted(weights, rng.random(count) * weights[-1]).astype(np.int32)
        shown = np.minimum(shown, arms - 1)
        table = pa.table(
            {
                "agent": pa.DictionaryArray.from_arrays(
                    owner[shown].astype(np.int32), agent_names
                ).dictionary_decode(),
                "arm": pa.DictionaryArray.from_arrays(shown, arm_names).dictionary_decode(),
                "reward": (rng.random(count) < means[shown]).astype(np.float64),
                "time": np.arange(start, start + count, dtype=np.int64),
            }
        )
        writer = writer or pq.ParquetWriter(path, table.schema, compression="zstd")
        writer.write_table(table, row_group_size=GROUP)
    if writer is not None:
        writer.close()


def read(path: str, answer: "multiprocessing.SimpleQueue[dict[str, float]]") -> None:
    """Scan the log, and say how long it took and how much memory."""
    from copyproof.inspect.scan import Columns, scan

    begin = time.perf_counter()
    found = scan(Path(path), Columns(time="time"))
    seconds = time.perf_counter() - begin
    used = resource.getrusage(resource.RUSAGE_SELF)
    answer.put(
        {
            "rows": found.rows,
            "arms": found.tally.count,
            "agents": len(found.agents),
            "seconds": round(seconds, 1),
            "processor_seconds": round(used.ru_utime + used.ru_stime, 1),
            "peak_mb": round(used.ru_maxrss / 1024),
        }
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--arms", type=int, default=100_000)
    parser.add_argument("--file", type=Path, help="a log that was written before, or is to be kept")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = given.file or Path(folder) / "log.parquet"
        if not path.exists():
            write(path, given.rows, given.arms)
        context = multiprocessing.get_context("spawn")
        answer = context.SimpleQueue()
        process = context.Process(target=read, args=(str(path), answer))
        process.start()
        found = answer.get()
        process.join()
        found["file_mb"] = round(path.stat().st_size / 1e6)
    found["machine"] = f"{platform.machine()}, {multiprocessing.cpu_count()} processors"
    print(found)
    if given.rows == 100_000_000:
        RESULTS.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
