"""The study of duplicates: how well fingerprints find the same thing, written otherwise.

The threshold is chosen on Febrl: 11,000 records of made-up people in three files, with errors as
people make them, and all pairs of a file. It is the largest multiple of 0.05 with a precision of at
least 0.95 and a recall of at least 0.9 there: the largest, as it is worse to accuse somebody honest
than to miss a copy. It is then measured on other data: restaurants in two guides, 112 of them in
both, of 176,423 pairs; by the fingerprints as they are, and by the exact Jaccard index that they
estimate, so that one sees what is luck of the 256 permutations. And of the true pairs that are
alike at the threshold, it is counted how many the index finds.

The same records are compared by a hash and a vector of each, too. These are examples of what is
made elsewhere, and another hash or model may do better or worse: see ``trigram_hashes``. A
threshold is looked for in the same way, there may be none, and that in use is measured as well.
"""

import csv
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from copyproof._files import write_or_refuse
from copyproof.fingerprints import THRESHOLDS as IN_USE
from copyproof.fingerprints import (
    Fingerprint,
    Index,
    Point,
    Thresholds,
    of_text,
    precision_and_recall,
)
from copyproof.fingerprints.record import similarities
from copyproof.fingerprints.shingles import shingles
from copyproof.plots import save_figure
from copyproof.plots.canvas import legend_above, new_axes, plain
from copyproof.plots.palette import INK
from copyproof.real_data.trigram_hashes import counts, simhash
from copyproof.simulation import Interval

Pairs: TypeAlias = tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True, slots=True)
class Recipe:
    """What is made of a text, and the thresholds that are tried with it.

    Attributes
    ----------
    make : callable
        From a text to its fingerprint.
    thresholds : tuple of float
        Of the curve; pairs below the first of them are forgotten.
    eligible : tuple of float
        Those of them that may be chosen.
    """

    make: Callable[[str], Fingerprint]
    thresholds: tuple[float, ...]
    eligible: tuple[float, ...]


Compare: TypeAlias = Callable[[list[str], list[str], Recipe], Pairs]


def _hundredths(low: int, high: int) -> tuple[float, ...]:
    return tuple(k / 100 for k in range(low, high + 1))


_FIVES = tuple(k / 20 for k in range(20))
_BITS = tuple(k / 64 for k in range(42, 65))
TEXT = Recipe(of_text, _hundredths(20, 90), _FIVES)
HASH = Recipe(simhash, _BITS, _BITS)
VECTOR = Recipe(counts, _hundredths(50, 99), _FIVES)
#: What the threshold must reach on Febrl.
LEAST_PRECISION, LEAST_RECALL = 0.95, 0.9
_FILES = ("dataset1", "dataset2", "dataset3")
_COLUMNS = ("name", "addr", "city", "phone")
_NAMES = {"hash": "hash (SimHash)", "vector": "vector (counts of trigrams)"}


def run(restaurants: Path, febrl: Path, out: Path) -> dict[str, Any]:
    """Choose, measure, and write ``results.json`` and ``duplicates.png``."""
    out.mkdir(parents=True, exist_ok=True)
    chosen_on = {name: people(febrl / f"{name}.csv", TEXT) for name in _FILES}
    together = of_all(list(chosen_on.values()))
    threshold = choose(together, TEXT.eligible)
    assert threshold is not None
    measured, exact = places(restaurants, TEXT, _estimated), places(restaurants, TEXT, _exact)
    found = {
        "threshold": threshold,
        "restaurants": _with_limits(_at(measured, threshold)),
        "restaurants_exact": _told(_at(exact, threshold)),
        "febrl": {name: _told(_at(points, threshold)) for name, points in chosen_on.items()},
        "febrl_together": [_told(point) for point in together],
        "index": through_the_index(restaurants, threshold),
        "curve": [_told(point) for point in measured],
        "exact_curve": [_told(point) for point in exact],
        "febrl_curves": {
            name: [_told(point) for point in points] for name, points in chosen_on.items()
        },
        "hash": elsewhere(restaurants, febrl, HASH, IN_USE.hash),
        "vector": elsewhere(restaurants, febrl, VECTOR, IN_USE.vector),
    }
    write_or_refuse(out / "results.json", (json.dumps(found, indent=1) + "\n").encode())
    _draw(found, out / "duplicates.png")
    return found


def elsewhere(restaurants: Path, febrl: Path, recipe: Recipe, in_use: float) -> dict[str, Any]:
    """What the threshold in use does, and that which would be chosen, if there is one."""
    together = of_all([people(febrl / f"{name}.csv", recipe) for name in _FILES])
    measured = places(restaurants, recipe, _estimated)
    chosen = choose(together, recipe.eligible)

    def both(threshold: float) -> dict[str, Any]:
        found = _with_limits(_at(measured, threshold))
        return {"febrl": _told(_at(together, threshold)), "restaurants": found}

    return {
        "in_use": both(in_use),
        "chosen": None if chosen is None else both(chosen),
        "febrl_together": [_told(point) for point in together],
        "curve": [_told(point) for point in measured],
    }


def of_all(curves: Sequence[Sequence[Point]]) -> tuple[Point, ...]:
    """Precision and recall on all files together; every file finds some true pair somewhere."""
    every = sum(max(round(one.true / one.recall) for one in some if one.recall) for some in curves)
    points = []
    for at in zip(*curves, strict=True):
        found, true = sum(one.found for one in at), sum(one.true for one in at)
        precision = true / found if found else 1.0
        points.append(Point(at[0].threshold, precision, true / every, found, true))
    return tuple(points)


def choose(curve: Sequence[Point], eligible: Sequence[float]) -> float | None:
    """The largest of these thresholds that is precise and finds enough, or none.

    Examples
    --------
    >>> alike, same = [0.93, 0.81, 0.3], [True, True, False]
    >>> choose(precision_and_recall(alike, same, [0.2, 0.8, 0.81, 0.9]), [0.2, 0.8, 0.9])
    0.8
    """
    return max(
        (
            one.threshold
            for one in curve
            if one.threshold in eligible
            and one.precision >= LEAST_PRECISION
            and one.recall >= LEAST_RECALL
        ),
        default=None,
    )


def people(path: Path, recipe: Recipe) -> tuple[Point, ...]:
    """Precision and recall on one file of Febrl: all pairs of its records."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = [dict(row) for row in csv.DictReader(file, skipinitialspace=True)]
    # rec-223-org and rec-223-dup-0 are one person.
    who = np.array([int(row.pop("rec_id").split("-")[1]) for row in rows])
    _, sizes = np.unique(who, return_counts=True)
    texts = [" ".join(row.values()) for row in rows]
    alike, left, right = _estimated(texts, texts, recipe)
    once = left < right
    same = (who[left] == who[right])[once]
    return _curve(alike[once], same, int((sizes * (sizes - 1) // 2).sum()), recipe)


def places(folder: Path, recipe: Recipe, compare: Compare) -> tuple[Point, ...]:
    """Precision and recall on the restaurants: all pairs of one guide and the other."""
    fodors, zagats, true = _guides(folder)
    alike, left, right = compare([*fodors.values()], [*zagats.values()], recipe)
    ones, others = [*fodors], [*zagats]
    same = [(ones[a], others[b]) in true for a, b in zip(left, right, strict=True)]
    return _curve(alike, np.array(same, bool), len(true), recipe)


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


def _estimated(ones: list[str], others: list[str], recipe: Recipe) -> Pairs:
    """The similarity of all pairs that are not below every threshold, and who they are."""
    made = {text: recipe.make(text) for text in {*ones, *others}}
    rows = np.stack([made[text].numbers for text in others])
    found, left, right = [], [], []
    for k, text in enumerate(ones):
        alike = similarities(made[text], rows)
        (near,) = np.nonzero(alike >= recipe.thresholds[0])
        found.append(alike[near])
        left.append(np.full(len(near), k))
        right.append(near)
    return np.concatenate(found), np.concatenate(left), np.concatenate(right)


def _exact(ones: list[str], others: list[str], recipe: Recipe) -> Pairs:
    """The same by the sets of shingles themselves."""
    sets = [shingles(text) for text in others]
    found = []
    for k, text in enumerate(ones):
        mine = shingles(text)
        for j, other in enumerate(sets):
            both = len(mine & other)
            alike = both / (len(mine) + len(other) - both)
            if alike >= recipe.thresholds[0]:
                found.append((alike, k, j))
    likeness, left, right = zip(*found, strict=True)
    return np.array(likeness), np.array(left), np.array(right)


def _curve(
    alike: NDArray[np.float64], same: NDArray[np.bool_], true: int, recipe: Recipe
) -> tuple[Point, ...]:
    """The curve; true pairs that are below every threshold are missed at each."""
    missed = true - int(same.sum())
    padded = np.concatenate([alike, np.zeros(missed)])
    return precision_and_recall(padded, [*same.tolist(), *[True] * missed], recipe.thresholds)


def _at(curve: Sequence[Point], threshold: float) -> Point:
    return next(one for one in curve if one.threshold == threshold)


def _with_limits(point: Point) -> dict[str, Any]:
    """A point, and the limits of 95 % for its precision; there are none where nothing is found."""
    limits = Interval.of_share(point.true, point.found) if point.found else None
    return {**_told(point), "precision_limits": limits and [limits.low, limits.high]}


def _told(point: Point) -> dict[str, float]:
    names = ("threshold", "precision", "recall", "found", "true")
    return {name: getattr(point, name) for name in names}


def _draw(found: dict[str, Any], path: Path) -> None:
    by_threshold, of_texts, of_all_kinds = new_axes(3.4, columns=3, width=11.0)
    _draw_thresholds(by_threshold, found)
    _line(of_texts, found["curve"], ".-", color=INK, markersize=4, label="fingerprints")
    _line(of_texts, found["exact_curve"], "-", color="#56B4E9", label="exact Jaccard index")
    at = found["restaurants"]
    of_texts.annotate(
        f"{at['threshold']}: {at['precision']:.3f} at {at['recall']:.3f}",
        (at["recall"], at["precision"]),
        xytext=(-8, -14),
        textcoords="offset points",
        ha="right",
        fontsize=8,
    )
    of_texts.plot([at["recall"]], [at["precision"]], "o", color="#D55E00")
    of_texts.set(
        xlabel="recall on the restaurants, texts", ylabel="precision",
        xlim=(0.6, 1.01), ylim=(0.6, 1.01),
    )  # fmt: skip
    of_all_kinds.plot([at["recall"]], [at["precision"]], "o", color="#D55E00", label="in use")
    _line(of_all_kinds, found["curve"], "-", color=INK, label="text")
    for kind, colour in (("vector", "#882255"), ("hash", "#009E73")):
        at = found[kind]["in_use"]["restaurants"]
        of_all_kinds.plot([at["recall"]], [at["precision"]], "o", color="#D55E00")
        _line(of_all_kinds, found[kind]["curve"], "-", color=colour, label=_NAMES[kind])
    of_all_kinds.set(xlabel="recall on the restaurants, all kinds", ylabel="precision")
    for ax in (of_texts, of_all_kinds):
        ax.legend(frameon=False, fontsize=7, loc="lower left")
    for ax in (by_threshold, of_texts, of_all_kinds):
        plain(ax)
    figure = by_threshold.get_figure(root=True)
    assert figure is not None
    save_figure(figure, path)


def _line(ax: Any, curve: Sequence[dict[str, float]], *style: str, **more: Any) -> None:
    """Precision against recall."""
    ax.plot(
        [at["recall"] for at in curve], [at["precision"] for at in curve],
        *style, **{"linewidth": 0.8, **more},
    )  # fmt: skip


def _draw_thresholds(ax: Any, found: dict[str, Any]) -> None:
    for k, (points, style) in enumerate(
        zip(found["febrl_curves"].values(), (":", "--", "-"), strict=True), start=1
    ):
        ax.plot(TEXT.thresholds, [point["recall"] for point in points], style, color="#0072B2",
                linewidth=1, label=f"Febrl {k}: recall")  # fmt: skip
    for what, colour in (("recall", "#D55E00"), ("precision", INK)):
        ax.plot(TEXT.thresholds, [point[what] for point in found["curve"]], color=colour,
                label=f"restaurants: {what}")  # fmt: skip
    ax.axvline(found["threshold"], color="#666666", linewidth=0.8)
    ax.set_xlabel(f"threshold of texts (chosen: {found['threshold']})")
    legend_above(ax, 2)
