"""The look: readable in light and dark, told apart by every eye, and the same everywhere."""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest

from copyproof import pages
from copyproof.plots.palette import COLOURS

ROOT = Path(__file__).parents[2]
TEMPLATES = Path(pages.__file__).parent / "templates"
SHEETS = [
    TEMPLATES / "style.css",
    TEMPLATES / "controls.css",
    TEMPLATES.parents[1] / "lab" / "page" / "page.css",
    TEMPLATES.parents[1] / "service" / "console" / "console.css",
    ROOT / "docs" / "_static" / "pages.css",
]
TOKENS = (TEMPLATES / "tokens.css").read_text(encoding="utf-8")
PAIRS = {
    name: (light, dark)
    for name, light, dark in re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\);", TOKENS)
}
SERIES = [f"series-{number}" for number in range(1, 7)]
# What people without one kind of cones see of linear light (Machado, Oliveira, Fernandes 2009).
VISION = {
    "all cones": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
_XYZ = np.array(
    [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
) / np.array([[0.9505], [1.0], [1.089]])


def linear(colour: str) -> "np.ndarray":
    parts = np.array([int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """WCAG 2.2: (L₁ + 0.05) / (L₂ + 0.05), of the lighter and the darker luminance."""
    low, high = sorted(float(linear(each) @ [0.2126, 0.7152, 0.0722]) for each in (one, other))
    return (high + 0.05) / (low + 0.05)


def lab(colour: str, vision: str) -> "np.ndarray":
    seen = np.clip(VISION[vision] @ linear(colour), 0.0, 1.0)
    x, y, z = np.cbrt(_XYZ @ seen)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("ground", ["paper", "surface"])
def test_contrast(theme: int, ground: str) -> None:
    least = dict.fromkeys(("ink", "quiet", "link", "good", "warn", "bad", "you"), 4.5)
    least |= dict.fromkeys(("edge", "focus", *SERIES), 3.0)
    found = {name: contrast(PAIRS[name][theme], PAIRS[ground][theme]) for name in least}
    assert {name: round(value, 2) for name, value in found.items() if value < least[name]} == {}
    for text, behind in (("on-link", "link"), ("ink", "highlight"), ("paper", "you")):
        assert contrast(PAIRS[text][theme], PAIRS[behind][theme]) >= 4.5, (text, behind)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("vision", VISION)
def test_series_are_told_apart(theme: int, vision: str) -> None:
    """A difference of 10 is seen at a glance; 2.3 is the least that is seen at all."""
    seen = {name: lab(PAIRS[name][theme], vision) for name in SERIES}
    near = {
        (one, other): round(float(np.linalg.norm(seen[one] - seen[other])), 1)
        for one, other in itertools.combinations(SERIES, 2)
    }
    assert {pair: value for pair, value in near.items() if value < 10} == {}


def test_every_series_has_a_shape_of_its_own() -> None:
    shapes = re.findall(r"--shape-(\d): ([^;]+);", TOKENS)
    assert [number for number, _ in shapes] == [name[-1] for name in SERIES]
    assert len({shape for _, shape in shapes}) == len(SERIES)


def test_policies_have_the_colours_of_the_figures() -> None:
    found = {name: PAIRS[name][0].upper() for name in COLOURS}
    assert found == {name: colour.upper() for name, colour in COLOURS.items()}
    assert min(contrast(PAIRS[name][1], PAIRS["paper"][1]) for name in COLOURS) >= 4.5


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_colours_have_one_home(sheet: Path) -> None:
    """Style sheets name tokens that exist; a colour's value stands in tokens.css alone."""
    text = sheet.read_text(encoding="utf-8")
    names = set(re.findall(r"--([\w-]+):", TOKENS + text))
    assert set(re.findall(r"var\(--([\w-]+)", text)) - {"verdict"} <= names
    screen = text.partition("@media print")[0].replace("background: #fff", "")
    assert re.findall(r"#[0-9a-f]{3,8}\b|light-dark\(|(?:rgb|hsl)a?\((?!0 0 0 )", screen) == []


def test_nothing_comes_from_elsewhere() -> None:
    for sheet in TEMPLATES.glob("*.css"):
        assert not re.search(r"url\(|@import|@font-face", sheet.read_text(encoding="utf-8"))


def test_a_style_sheet_by_name() -> None:
    both = pages.style("tokens.css", "controls.css")
    assert both.startswith("/* The one look of copyproof")
    assert "--paper: light-dark(" in both
    assert "button:hover" in both
