"""The study of duplicates: how well fingerprints of text find the same thing, written otherwise.

The threshold is chosen on Febrl: 11,000 records of made-up people in three files, with errors as
people make them, and all pairs of a file. It is the largest multiple of 0.05 with a precision of at
least 0.95 and a recall of at least 0.9 there: the largest, as it is worse to accuse somebody honest
than to miss a copy. It is then measured on other data: restaurants in two guides, 112 of them in
both, of 176,423 pairs; by the fingerprints as they are, and by the exact Jaccard index that they
estimate, so that one sees what is luck of the 256 permutations. And of the true pairs that are
alike at the threshold, it is counted how many the index finds.
"""

import csv
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from copyproof._files import write_or_refuse
from copyproof.fingerprints import Index, Point, Thresholds, of_text, precision_and_recall
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
    together = of_all(list(chosen_on.values()))
    threshold = choose(together)
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
        "febrl_together": [_told(point) for point in together],
        "index": through_the_index(restaurants, threshold),
        "curve": [_told(point) for point in measured],
        "exact_curve": [_told(point) for point in exact],
        "febrl_curves": {
            name: [_told(point) for point in points] for name, points in chosen_on.items()
        },
    }
    write_or_refuse(out / "results.json", (json.dumps(found, indent=1) + "\n").encode())
    _draw(measured, exact, chosen_on, threshold, out / "duplicates.png")
    return found


def of_all(curves: Sequence[Sequence[Point]]) -> tuple[Point, ...]:
    """Precision and recall on all files together; every file finds some true pair somewhere."""
    every = sum(max(round(one.true / one.recall) for one in some if one.recall) for some in curves)
    points = []
    for at in zip(*curves, strict=True):
        found, true = sum(one.found for one in at), sum(one.true for one in at)
        precision = true / found if found else 1.0
        points.append(Point(at[0].threshold, precision, true / every, found, true))
    return tuple(points)


def choose(curve: Sequence[Point]) -> float:
    """The largest multiple of 0.05 that is precise and finds enough.

    Examples
    --------
    >>> choose(precision_and_recall([0.93, 0.81, 0.3], [True, True, False], THRESHOLDS))
    0.8
    """
    return max(
        one.threshold
        for one in curve
        if round(one.threshold * 100) % 5 == 0
        and one.precision >= LEAST_PRECISION
        and one.recall >= LEAST_RECALL
    )


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
    fodors, zagats, true = _guides(folder)
    alike, left, right = compare([*fodors.values()], [*zagats.values()])
    ones, others = [*fodors], [*zagats]
    same = [(ones[a], others[b]) in true for a, b in zip(left, right, strict=True)]
    return _curve(alike, np.array(same), len(true))


def through_the_index(folder: Path, threshold: float) -> dict[str, int]:
    """Of the true pairs of restaurants, those that are alike, and those that an index finds."""
    fodors, zagats, true = _guides(folder)
    index: Index[str] = Index(Thresholds(text=threshold))
    made = {key: of_text(text) for key, text in zagats.items()}
    for key, one in made.items():
        index.add(key, one)
    alike = found = 0
    for first, second in sorted(true):
        one = of_text(fodors[first])
        if similarities(one, made[second].numbers[None])[0] >= threshold:
            alike += 1
            found += second in {near.key for near in index.near(one)}
    return {"alike": alike, "found": found}


def _guides(folder: Path) -> tuple[dict[str, str], dict[str, str], set[tuple[str, str]]]:
    """The texts of both guides, by their ids, and the true pairs."""
    guides = []
    for name in ("fodors", "zagats"):
        with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        guides.append({row["id"]: " ".join(row[column] for column in _COLUMNS) for row in rows})
    with (folder / "matches.csv").open(encoding="utf-8", newline="") as file:
        true = {(row["fodors_id"], row["zagats_id"]) for row in csv.DictReader(file)}
    return guides[0], guides[1], true


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
