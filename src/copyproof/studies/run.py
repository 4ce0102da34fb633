"""One run of a study in its folder: what is missing is played, and the table written.

A cell that is in the folder's store is not played again, whichever study put it there. A run that
was broken off, by Ctrl-C or by kill -9, goes on with what is missing; a finished one plays nothing.
"""

import gc
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from copyproof._files import write_atomically
from copyproof._machine import processors
from copyproof._progress import Show
from copyproof.devices.together import DeviceTime
from copyproof.simulation.run import DEVICES
from copyproof.studies.arrays import CellArrays
from copyproof.studies.assembly import Assembly
from copyproof.studies.cells import Cell, Point
from copyproof.studies.folder import DATABASE, REPORT, RESULTS, open_folder
from copyproof.studies.local import play_here
from copyproof.studies.on_device import by_kernel, check_cells, study_device
from copyproof.studies.results import results_bytes
from copyproof.studies.store import Status, Store
from copyproof.validation import known, whole_in


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is: rounds that it has played, and all that were missing when it began.

    An audit and exact values by themselves count as T·R, the rounds of their cell.
    """

    rounds: int
    total: int
    cells: int

    def show_on(self, show: Show) -> None:
        """Show it, on a bar such as ``copyproof._progress.Bar``.

        Examples
        --------
        >>> Progress(rounds=500, total=2000, cells=8).show_on(print)
        500 2000 8 cells
        """
        show(self.rounds, self.total, f"{self.cells:,} cell{'s' * (self.cells != 1)}")


@dataclass(frozen=True, slots=True)
class Summary:
    """What a run did: how far the study is, and how many cells it played."""

    status: Status
    played: int
    failures: tuple[tuple[dict[str, Any], str], ...]
    device: DeviceTime | None = None  # what a GPU of this machine had to do
    others: int = 0  # cells that the folder keeps of other studies


def run_points(
    points: Iterable[Point],
    measure: Iterable[str],
    folder: Path,
    *,
    workers: int | None = None,
    cluster: Any = None,
    device: str = "cpu",
    renew: Collection[str] = (),
    progress: Callable[[Progress], None] | None = None,
) -> Summary:
    """Play what is missing of some points, and write ``results.parquet``.

    Parameters
    ----------
    points : iterable of Point
        The whole study, in its order.
    measure : iterable of str
        Whose columns the table has.
    folder : Path
        Where everything is kept; it is made if it is missing.
    workers : int, optional
        Threads, or processes of a local cluster; as many as there are processors by default.
    cluster : str or distributed.Client, optional
        As ``copyproof.studies.cluster.open_cluster`` takes it; threads of this process by default.
    device : str
        ``"cpu"``, ``"cuda"`` or ``"auto"``: what games are played on, here or by each worker of the
        cluster. No effect on the table.
    renew : collection of str
        Cells that are to be played again, by their digests: their files cannot be read.
    progress : callable, optional
        Is told how far it is, a few times a second.

    Raises
    ------
    ValueError
        If the folder holds something else, is in use or cannot be written.
    """
    threads = processors() if workers is None else whole_in("workers", workers, 1, 1024)
    known("device", device, DEVICES)
    with open_folder(folder) as place:
        store = Store(place / DATABASE)
        try:
            arrays = CellArrays(place)
            arrays.sweep(store.begun_cells())
            with _no_collections():
                cells = _planned(points, store)
            done = store.finished() - set(renew)
            missing = [
                cell
                for cell in cells
                if cell.digest not in done or (cell.terms.arrays and not arrays.has(cell.digest))
            ]
            if device == "cuda":
                check_cells(missing)
            if device != "cpu":
                missing = by_kernel(missing)
            assembly = Assembly(store, arrays, missing)
            tell = _told(assembly.total, len(missing), progress)
            time = None
            if missing and cluster is not None:
                from copyproof.studies.cluster import open_cluster, play_on

                with open_cluster(cluster, workers, device) as client:
                    play_on(client, assembly, device=device, progress=tell)
            elif missing:
                here = study_device(device)
                taken = play_here(assembly, workers=threads, device=here, progress=tell)
                time = taken if here == "cuda" else None
            if missing and tell is not None:
                tell(assembly.total)  # also where a cell has failed, and its rest was not played
            assembly.flush()
            arrays.close()
            (place / REPORT).unlink(missing_ok=True)  # it is of the table before
            write_atomically(place / RESULTS, results_bytes(store.rows(), measure))
            failures = tuple(store.failures())
            others = store.others()
            return Summary(store.status(), assembly.finished, failures, time, others)
        finally:
            store.close()


@contextmanager
def _no_collections() -> Iterator[None]:
    """Let the collector of garbage rest: it would look at all cells again and again, for nothing.

    What is planned stays until the run ends, and is made without cycles.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _planned(points: Iterable[Point], store: Store) -> list[Cell]:
    """Write down what the study is; its cells, each once, in order."""
    cells: dict[str, Cell] = {}

    def rows() -> Iterable[tuple[str, dict[str, Any]]]:
        for point in points:
            cells.setdefault(point.cell.digest, point.cell)
            yield point.cell.digest, point.identity()

    store.plan(rows())
    return list(cells.values())


def _told(
    total: int, cells: int, progress: Callable[[Progress], None] | None
) -> Callable[[int], None] | None:
    if progress is None:
        return None
    tell = progress
    return lambda rounds: tell(Progress(min(rounds, total), total, cells))
