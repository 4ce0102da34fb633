"""Figures as files: written whole or not at all, and equal figures give equal bytes."""

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copyproof._files import write_or_refuse
from copyproof.validation import file_path, require

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# The files that ``save_figure`` writes, by their suffix.
FORMATS = ("png", "svg", "pdf")
_NO_DATES: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def save_figure(figure: "Figure", path: str | Path) -> None:
    """Write a figure in the format of the file's suffix: .png, .svg or .pdf.

    The file appears whole or not at all, and holds no date, so that equal figures give equal files.

    Raises
    ------
    ValueError
        If the suffix is another one, or the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from matplotlib.figure import Figure
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "empty.png"
    ...     save_figure(Figure(), file)
    ...     file.read_bytes()[1:4]
    b'PNG'
    """
    require(hasattr(figure, "savefig"), "figure", figure, "a Figure, as plot_regret(...).figure is")
    place = file_path("path", path)
    write_or_refuse(place, figure_bytes(figure, check_format(place)))


def figure_bytes(figure: "Figure", kind: str) -> bytes:
    """What ``save_figure`` writes, in one of ``FORMATS``."""
    import matplotlib as mpl

    memory = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "copyproof", "pdf.fonttype": 42}):
        figure.savefig(memory, format=kind, metadata=_NO_DATES[kind])
    return memory.getvalue()


def check_format(path: str | Path) -> str:
    """Return the format that a file's suffix asks for.

    Raises
    ------
    ValueError
        If it is none of ``FORMATS``.

    Examples
    --------
    >>> check_format("out/regret.PNG")
    'png'
    """
    kind = file_path("path", path).suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        raise ValueError(f"{path} does not end in .{', .'.join(FORMATS)}: no such figure is made")
    return kind
