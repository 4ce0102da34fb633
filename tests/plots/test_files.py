"""Figures as files: whole and reproducible."""

from pathlib import Path

import pytest
from matplotlib.figure import Figure

from copyproof.plots import FORMATS, save_figure
from tests.plots.test_regret import play, plot_regret


@pytest.mark.parametrize("suffix", FORMATS)
def test_equal_figures_give_equal_files(tmp_path: Path, suffix: str) -> None:
    paths = [tmp_path / f"{number}.{suffix}" for number in range(2)]
    for path in paths:
        figure = plot_regret([play("ucb1"), play("h-ucb")]).get_figure(root=True)
        assert figure is not None
        save_figure(figure, path)
    first, second = (path.read_bytes() for path in paths)
    assert first == second
    assert len(first) > 1000


@pytest.mark.parametrize("name", ["a.gif", "a", "a.png.txt"])
def test_another_suffix_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="does not end in"):
        save_figure(Figure(), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot be written: No such file"):
        save_figure(Figure(), tmp_path / "missing" / "a.png")
