"""The study of duplicates: how well fingerprints of text find the same thing, written otherwise.

The threshold is chosen on Febrl: 11,000 records of made-up people in three files, with errors as
people make them, and all pairs of a file. It is the largest multiple of 0.05 with a precision of at
least 0.95 and a recall of at least 0.9 there: the largest, as it is worse to accuse somebody honest
than to miss a copy. It is then measured on other data: restaurants in two guides, 112 of them in
both, of 176,423 pairs; by the fingerprints as they are, and by the exact Jaccard index that they
estimate, so that one sees what is luck of the 256 permutations.
"""

import csv
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from copyproof._files import write_or_refuse
from copyproof.fingerprints import Point, of_text, precision_and_recall
from copyproof.fingerprints.record import similarities
from copyproof.fingerprints.shingles import shingles
from copyproof.plots import save_figure
from copyproof.plots.canvas import legend_above, new_axes, plain
from copyproof.plots.palette import INK

Pairs: TypeAlias = tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]
Compare: TypeAlias = Callable[[list[str], list[str]], Pairs]

THRESHOLDS = tuple(round(0.2 + 0.01 * k, 2) for k in range(71))
#: What the threshold must reach on Febrl.
LEAST_PRECISION, LEAST_RECALL = 0.95, 0.9
_FILES = ("dataset1", "dataset2", "dataset3")
_COLUMNS = ("name", "addr", "city", "phone")
_LEAST = THRESHOLDS[0]


def run(restaurants: Path, febrl: Path, out: Path) -> dict[str, Any]:
    """Choose, measure, and write ``results.json`` and ``duplicates.png``."""
    out.mkdir(parents=True, exist_ok=True)
    chosen_on = {name: people(febrl / f"{name}.csv") for name in _FILES}
    threshold = choose(list(chosen_on.values()))
    measured, exact = places(restaurants, _estimated), places(restaurants, _exact)
    at = next(point for point in measured if point.threshold == threshold)
    found = {
        "threshold": threshold,
        "restaurants": _told(at),
        "restaurants_exact": _told(next(one for one in exact if one.threshold == threshold)),
        "febrl": {
            name: _told(next(one for one in points if one.threshold == threshold))
            for name, points in chosen_on.items()
        },
        "curve": [_told(point) for point in measured],
        "exact_curve": [_told(point) for point in exact],
        "febrl_curves": {
            name: [_told(point) for point in points] for name, points in chosen_on.items()
        },
    }
    write_or_refuse(out / "results.json", (json.dumps(found, indent=1) + "\n").encode())
    _draw(measured, exact, chosen_on, threshold, out / "duplicates.png")
    return found


def choose(curves: Sequence[Sequence[Point]]) -> float:
    """The largest multiple of 0.05 that is precise and finds enough, of all files together.

    Examples
    --------
    >>> some = precision_and_recall([0.93, 0.81, 0.3], [True, True, False], THRESHOLDS)
    >>> choose([some])
    0.8
    """
    fit: list[float] = []
    for points in zip(*curves, strict=True):
        found, true = sum(one.found for one in points), sum(one.true for one in points)
        every = sum(round(one.true / one.recall) for one in points if one.recall)
        is_multiple = round(points[0].threshold * 100) % 5 == 0
        if is_multiple and true >= LEAST_PRECISION * found and true >= LEAST_RECALL * every > 0:
            fit.append(points[0].threshold)
    return max(fit)


def people(path: Path) -> tuple[Point, ...]:
    """Precision and recall on one file of Febrl: all pairs of its records."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = [dict(row) for row in csv.DictReader(file, skipinitialspace=True)]
    # rec-223-org and rec-223-dup-0 are one person.
    who = np.array([int(row.pop("rec_id").split("-")[1]) for row in rows])
    _, sizes = np.unique(who, return_counts=True)
    texts = [" ".join(row.values()) for row in rows]
    alike, left, right = _estimated(texts, texts)
    once = left < right
    same = (who[left] == who[right])[once]
    return _curve(alike[once], same, int((sizes * (sizes - 1) // 2).sum()))


def places(folder: Path, compare: Compare) -> tuple[Point, ...]:
    """Precision and recall on the restaurants: all pairs of one guide and the other."""
    tables = []
    for name in ("fodors", "zagats"):
        with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            tables.append(list(csv.DictReader(file)))
    with (folder / "matches.csv").open(encoding="utf-8", newline="") as file:
        true = {(row["fodors_id"], row["zagats_id"]) for row in csv.DictReader(file)}
    texts = [[" ".join(row[column] for column in _COLUMNS) for row in table] for table in tables]
    alike, left, right = compare(*texts)
    fodors, zagats = ([row["id"] for row in table] for table in tables)
    same = [(fodors[a], zagats[b]) in true for a, b in zip(left, right, strict=True)]
    return _curve(alike, np.array(same), len(true))


def _estimated(ones: list[str], others: list[str]) -> Pairs:
    """The similarity of all pairs that are not far below every threshold, and who they are."""
    rows = np.stack([of_text(text).numbers for text in others])
    found, left, right = [], [], []
    for k, text in enumerate(ones):
        alike = similarities(of_text(text), rows)
        (near,) = np.nonzero(alike >= _LEAST)
        found.append(alike[near])
        left.append(np.full(len(near), k))
        right.append(near)
    return np.concatenate(found), np.concatenate(left), np.concatenate(right)


def _exact(ones: list[str], others: list[str]) -> Pairs:
    """The same by the sets of shingles themselves."""
    sets = [shingles(text) for text in others]
    found = []
    for k, text in enumerate(ones):
        mine = shingles(text)
        for j, other in enumerate(sets):
            both = len(mine & other)
            alike = both / (len(mine) + len(other) - both)
            if alike >= _LEAST:
                found.append((alike, k, j))
    likeness, left, right = zip(*found, strict=True)
    return np.array(likeness), np.array(left), np.array(right)


def _curve(alike: NDArray[np.float64], same: NDArray[np.bool_], true: int) -> tuple[Point, ...]:
    """The curve; true pairs that are below every threshold are missed at each."""
    missed = true - int(same.sum())
    padded = np.concatenate([alike, np.zeros(missed)])
    return precision_and_recall(padded, [*same.tolist(), *[True] * missed], THRESHOLDS)


def _told(point: Point) -> dict[str, float]:
    names = ("threshold", "precision", "recall", "found", "true")
    return {name: getattr(point, name) for name in names}


def _draw(
    measured: Sequence[Point],
    exact: Sequence[Point],
    chosen_on: dict[str, Any],
    threshold: float,
    path: Path,
) -> None:
    left, right = new_axes(3.4, columns=2, width=8.0)
    for k, points in enumerate(chosen_on.values(), start=1):
        style = {1: ":", 2: "--", 3: "-"}[k]
        left.plot(THRESHOLDS, [point.recall for point in points], style, color="#0072B2",
                  linewidth=1, label=f"Febrl {k}: recall")  # fmt: skip
    left.plot(THRESHOLDS, [point.recall for point in measured], color="#D55E00",
              label="restaurants: recall")  # fmt: skip
    left.plot(THRESHOLDS, [point.precision for point in measured], color=INK,
              label="restaurants: precision")  # fmt: skip
    left.axvline(threshold, color="#666666", linewidth=0.8)
    left.set_xlabel(f"threshold (chosen: {threshold})")
    legend_above(left, 2)
    right.plot([point.recall for point in measured], [point.precision for point in measured],
               ".-", color=INK, markersize=4, linewidth=0.8, label="fingerprints")  # fmt: skip
    right.plot([point.recall for point in exact], [point.precision for point in exact],
               "-", color="#56B4E9", linewidth=0.8, label="exact Jaccard index")  # fmt: skip
    right.legend(frameon=False, fontsize=7, loc="lower left")
    at = next(point for point in measured if point.threshold == threshold)
    right.plot([at.recall], [at.precision], "o", color="#D55E00")
    right.annotate(
        f"{threshold}: {at.precision:.3f} at {at.recall:.3f}",
        (at.recall, at.precision),
        xytext=(-8, -14),
        textcoords="offset points",
        ha="right",
        fontsize=8,
    )
    right.set(
        xlabel="recall on the restaurants", ylabel="precision", xlim=(0.6, 1.01), ylim=(0.6, 1.01)
    )
    for ax in (left, right):
        plain(ax)
    figure = left.get_figure(root=True)
    assert figure is not None
    save_figure(figure, path)
