"""The runs of the paper in a study's folder: played by the machinery of studies, and read back.

Every run is a cell of a study whose repetitions are kept, so that the folder is that of a study
(``copyproof.studies.folder``): a run that is there is not played again, and a study that was broken
off goes on. A file that is damaged is played again.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from copyproof.paper.study import Run
from copyproof.policy import parse_policy, with_market_defaults
from copyproof.simulation import NUMERICS, Result, simulate
from copyproof.studies.arrays import CellArrays
from copyproof.studies.cells import Point
from copyproof.studies.run import Progress, Summary, run_points


def play(run: Run, progress: Callable[[int], None] | None = None) -> Result:
    """Play one run by itself."""
    return simulate(
        run.market,
        run.policy,
        horizon=run.horizon,
        repetitions=run.repetitions,
        seed=run.seed,
        checkpoints=run.cell.terms.checkpoints,
        progress=progress,
    )


def complete(
    folder: Path,
    figures: Mapping[str, Sequence[Run]],
    *,
    known: Iterable[Run] = (),
    device: str = "cpu",
    progress: Callable[[Progress], None] | None = None,
) -> Summary:
    """Play what is missing of some figures in a study's folder.

    Parameters
    ----------
    folder : Path
        It is made if it is missing.
    figures : mapping of str to sequence of Run
        The runs of each figure.
    known : iterable of Run
        Those whose results could be read; the files of all others are made anew.
    device : str
        As ``Study.run`` takes it.
    progress : callable, optional
        As ``Study.run`` takes it.

    Raises
    ------
    ValueError
        If the folder holds something else, is in use or cannot be written.
    """
    readable = {run.digest for run in known}
    points = [
        Point(figure, run.name or figure, "as given", run.cell)
        for figure, runs in figures.items()
        for run in runs
    ]
    measure = points[0].cell.terms.measure
    unreadable = [one.cell.digest for one in points if one.cell.digest not in readable]
    return run_points(points, measure, folder, device=device, renew=unreadable, progress=progress)


def load(folder: Path, run: Run) -> Result | None:
    """The result of a run, or None if it was not played, or its file is damaged."""
    path = CellArrays(folder).path(run.digest)
    try:
        result = Result.load(path)
    except ValueError:
        return None
    policy = parse_policy(run.policy)
    is_this_run = (
        result.market == run.market
        and result.resolved_policy == with_market_defaults(policy, run.market)
        and result.numerics == NUMERICS
    )
    return replace(result, policy=policy) if is_this_run else None


def found(folder: Path, runs: Iterable[Run]) -> dict[Run, Result]:
    """The results of the runs that were played before."""
    loaded = {run: load(folder, run) for run in runs}
    return {run: result for run, result in loaded.items() if result is not None}
