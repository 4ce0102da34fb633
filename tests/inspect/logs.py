"""Small logs for the tests of inspections."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

Row = dict[str, Any]


def write(path: Path, rows: list[Row]) -> Path:
    """Write rows as the file's ending says."""
    match path.suffix:
        case ".parquet":
            pq.write_table(pa.Table.from_pylist(rows), path)
        case ".csv":
            pa_csv.write_csv(pa.Table.from_pylist(rows), path)
        case _:
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def honest_rows(seed: int = 1, plays: int = 200) -> list[Row]:
    """An agent with 20 arms of one quality and a text each, and two others, shown at random."""
    rng = np.random.default_rng(seed)
    arms = [("ann", f"a{n}", 0.5) for n in range(20)] + [("bob", "b", 0.6), ("cid", "c", 0.3)]
    letters = np.array(list("abdefgiklmnoprstu"))
    words = ["".join(rng.choice(letters, 6)) for _ in range(22 * 8)]
    texts = [" ".join(words[8 * n : 8 * n + 8]) for n in range(22)]
    shown = rng.integers(len(arms), size=plays * len(arms))
    luck = rng.random(len(shown))
    return [
        {
            "agent": arms[k][0],
            "arm": arms[k][1],
            "reward": float(u < arms[k][2]),
            "time": float(at),
            "text": texts[k],
        }
        for at, (k, u) in enumerate(zip(shown.tolist(), luck.tolist(), strict=True))
    ]


def copied_rows(seed: int = 1, plays: int = 200, copies: int = 10) -> list[Row]:
    """As before, but all of ann's arms but ten are copies of one, each with its own ending."""
    rows = honest_rows(seed, plays)
    for row in rows:
        if row["agent"] == "ann" and int(row["arm"][1:]) < copies:
            row["text"] = f"Fresh coffee from the hills of Colombia, roasted daily {row['arm']}"
    return rows
