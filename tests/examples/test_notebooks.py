"""The notebooks run from top to bottom, in a kernel of their own, and are kept without outputs."""

import os
import shutil
import time
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

# It ships no types.
read: Any = nbformat.read
validate: Any = nbformat.validate

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
# Seconds for one notebook, with an engine that is compiled.
MOST_SECONDS = 60


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_small_and_has_no_outputs(path: Path) -> None:
    notebook = read(path, as_version=4)
    validate(notebook)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert cells
    assert all(cell.outputs == [] and cell.execution_count is None for cell in cells)
    assert path.stat().st_size < 20_000


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_links_of_a_notebook_lead_somewhere(path: Path) -> None:
    notebook = read(path, as_version=4)
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    for part in text.split("](")[1:]:
        assert (path.parent / part.partition(")")[0]).exists()


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = shutil.copy(path, tmp_path)
    for folder in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "MPLCONFIGDIR"):
        monkeypatch.setenv(folder, str(tmp_path / folder.lower()))
    notebook = read(copy, as_version=4)
    before = time.perf_counter()
    client = NotebookClient(notebook, timeout=MOST_SECONDS, kernel_name="python3")
    client.execute(cwd=os.fspath(tmp_path))
    spent = time.perf_counter() - before
    shown = [one for cell in notebook.cells for one in cell.get("outputs", ())]
    assert not any(one.output_type == "error" for one in shown)
    assert any("image/png" in one.get("data", {}) for one in shown)
    assert spent < MOST_SECONDS, path.name
