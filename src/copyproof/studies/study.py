"""``Study``: policies × markets × strategies × horizons × seeds, played once and kept.

A researcher's unit of work. It is run in a folder, on this machine or on a cluster, can be broken
off and goes on where it was, and gives one table: a row for each cell. See ``cells`` for what a
cell is, and ``run`` for what a run does.
"""

import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copyproof._progress import Bar, shown_by
from copyproof.external import ExternalPolicy
from copyproof.game import Market
from copyproof.policy import Policy
from copyproof.simulation import Result
from copyproof.simulation.run import DEVICES
from copyproof.studies.arrays import CellArrays
from copyproof.studies.cases import Case
from copyproof.studies.cells import MEASURES, Point
from copyproof.studies.folder import DATABASE, known_folder
from copyproof.studies.generators import Generator
from copyproof.studies.parts import Part, make_part
from copyproof.studies.results import frame_of
from copyproof.studies.run import Progress, Summary, run_points
from copyproof.studies.schema import device_of, parts_of, read_study
from copyproof.studies.status import told
from copyproof.studies.store import Status, Store
from copyproof.studies.strategies import Variation
from copyproof.validation import file_path, known, require

if TYPE_CHECKING:
    import pandas as pd
    from distributed import Client


class Study:
    """Policies × markets × strategies × horizons × seeds, and what is measured of each.

    Parameters
    ----------
    policies : sequence of str, Policy or ExternalPolicy, optional
        Ours, a library's (``"river:UCB(delta=1)"``) or one's own (``"mine.py:Rule"``).
    markets : sequence, or mapping of str to Market
        Market records, files, ``"paper:2a"``, and generators such as ``RandomMarkets``; or ``Case``
        records, which may bring the next three, and a policy, themselves.
    horizons : int or sequence of int
        T.
    repetitions : int
        Games of each cell.
    seed : int or sequence of int
        Equal seeds share their luck, across policies, strategies and markets.
    measure : sequence of str
        Out of regret, revenue, shares, lost, audit and exact.
    strategies : sequence of Variation, optional
        What agents do differently from the market as it is; nothing by default.
    arrays : bool
        Whether every repetition is kept, in ``arrays/CELL.npz``, for ``Result.load``.
    checkpoints : int
        Rounds at which these arrays have the regret.
    audit : mapping, optional
        How audits are made: what ``copyproof.audit`` takes by these names.
    most_rounds : int, optional
        Fewer games of a cell, at least one, where all would be more rounds than this.
    device : str
        What it is played on unless ``run`` is told otherwise: ``"cpu"``, ``"cuda"``, or ``"auto"``.
        No part of a cell, and without effect on the table.

    Examples
    --------
    >>> study = Study(
    ...     policies=["ucb1", "trial"],
    ...     markets=["paper:1a:100"],
    ...     horizons=[100, 1000],
    ...     repetitions=10,
    ...     seed=1,
    ...     measure=["regret", "lost"],
    ... )
    >>> study
    <Study: 4 cells, regret, lost>
    >>> frame = study.run().frame()
    >>> frame.groupby("policy")["regret_mean"].max().round().to_dict()
    {'trial': 68.0, 'ucb1': 383.0}
    """

    def __init__(
        self,
        policies: Sequence[str | Policy | ExternalPolicy] | None = None,
        markets: "Sequence[Market | Case | str | Generator] | Mapping[str, Market]" = (),
        *,
        horizons: int | Sequence[int] | None = None,
        repetitions: int | None = None,
        seed: int | Sequence[int] | None = None,
        measure: Sequence[str] = ("regret",),
        strategies: Sequence[Variation] | None = None,
        arrays: bool = False,
        checkpoints: int = 200,
        audit: Mapping[str, Any] | None = None,
        most_rounds: int | None = None,
        device: str = "cpu",
    ) -> None:
        self._take(
            make_part(
                policies=policies,
                markets=markets,
                horizons=horizons,
                repetitions=repetitions,
                seed=seed,
                measure=measure,
                strategies=strategies,
                arrays=arrays,
                checkpoints=checkpoints,
                audit=audit,
                most_rounds=most_rounds,
            ),
            device=device,
        )

    def _take(self, *parts: Part, device: str) -> None:
        self._parts = parts
        self._device = known("device", device, DEVICES)
        self._folder: Path | None = None
        self._summary: Summary | None = None

    @classmethod
    def read(cls, path: str | Path) -> "Study":
        """Read a study file.

        Raises
        ------
        ValueError
            One line: the file, the field, its value and what is accepted.
        """
        return cls._of(*read_study(file_path("path", path)))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Study":
        """The study that plain data of the shape of a study file describes.

        Examples
        --------
        >>> data = {"policies": ["h-ucb"], "markets": ["paper:2a"], "horizons": [10, 20]}
        >>> Study.from_dict(data | {"repetitions": 2, "seed": 1})
        <Study: 2 cells, regret>
        """
        require(isinstance(data, Mapping), "data", data, "a table, as a study file is")
        return cls._of(parts_of(dict(data)), device_of(data))

    @classmethod
    def _of(cls, parts: Sequence[Part], device: str) -> "Study":
        study = cls.__new__(cls)
        study._take(*parts, device=device)
        return study

    def points(self) -> Iterator[Point]:
        """Every place of the study, in the order of its table."""
        for part in self._parts:
            yield from part.points()

    @property
    def measure(self) -> tuple[str, ...]:
        """What is measured, of all parts together."""
        every = {one for part in self._parts for one in part.terms.measure}
        return tuple(one for one in MEASURES if one in every)

    def __len__(self) -> int:
        return sum(len(part) for part in self._parts)

    def __repr__(self) -> str:
        where = f" in {self._folder}" if self._folder else ""
        cells = "1 cell" if len(self) == 1 else f"{len(self):,} cells"
        return f"<Study: {cells}, {', '.join(self.measure)}{where}>"

    def _repr_html_(self) -> str:
        """Show in a notebook what is played, and once it was run, how policies compare."""
        from copyproof.studies.display import study_html

        frame = None if self._summary is None else self.frame()
        return study_html(repr(self)[1:-1], self._parts, frame, self._summary)

    def run(
        self,
        folder: str | Path | None = None,
        *,
        workers: int | None = None,
        cluster: "str | Client | None" = None,
        device: str | None = None,
        progress: bool | Callable[[Progress], None] | None = None,
    ) -> "Study":
        """Play what is missing, and return the study itself.

        Parameters
        ----------
        folder : path, optional
            Where everything is kept, and where a run that was broken off goes on. By default that
            of the run before, or a temporary one, which lives as long as the study.
        workers : int, optional
            Threads, or processes of a local cluster; as many as there are processors by default.
            No effect on the results.
        cluster : str or distributed.Client, optional
            A Dask cluster: ``"local"``, the address of a scheduler, or a client.
        device : str, optional
            ``"cpu"``; ``"cuda"`` for a GPU, where every game is a thread and decides the same; or
            ``"auto"`` for a GPU if there is one. On a cluster every worker takes a GPU of its own,
            and decides by itself what ``"auto"`` is. As the study says by default.
        progress : bool or callable, optional
            True shows a bar with an estimate; a function is told a ``Progress``.

        Raises
        ------
        ValueError
            If the folder holds something else, is in use or cannot be written. A cell that fails
            raises nothing: see ``failures``.
        """
        if folder is None:
            folder = self._folder or tempfile.mkdtemp(prefix="copyproof-")
            if self._folder is None:
                weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        require(isinstance(folder, str | PathLike), "folder", folder, "the path of a folder")
        before, self._folder = self._folder, Path(folder)
        try:
            with shown_by(progress, on_bar) as tell:
                self._summary = run_points(
                    self.points(),
                    self.measure,
                    self._folder,
                    workers=workers,
                    cluster=cluster,
                    device=self._device if device is None else device,
                    progress=tell,
                )
        except ValueError:  # such as a folder of something else: the study stays where it was
            self._folder = before
            raise
        return self

    @property
    def summary(self) -> Summary:
        """What the last run did."""
        if self._summary is None:
            raise ValueError("the study has not been run: call run() first")
        return self._summary

    @property
    def status(self) -> Status:
        """How far the study is in its folder."""
        return self.summary.status

    @property
    def failures(self) -> list[str]:
        """The cells that failed, a line each; they are tried again by the next run."""
        return [f"{told(identity)}: {reason}" for identity, reason in self.summary.failures]

    def frame(self) -> "pd.DataFrame":
        """The table of the study: a row for each cell, as ``results.parquet`` has it."""
        _ = self.summary
        assert self._folder is not None
        return folder_frame(self._folder, self.measure)

    def to_frame(self) -> "pd.DataFrame":
        """The same as ``frame``, by the name that all results have."""
        return self.frame()

    def results(self) -> list[Result]:
        """The result of every cell, as ``simulate`` gives it, for ``compare`` and the plots.

        Raises
        ------
        ValueError
            If the study has kept no games (``arrays=True`` keeps them), or a cell has failed.

        Examples
        --------
        >>> from copyproof import compare
        >>> games = {"horizons": 500, "repetitions": 30, "seed": 1, "arrays": True}
        >>> study = Study(["ucb1", "h-ucb"], ["paper:2a", "paper:2b"], **games)
        >>> compare(study.run().results()).best
        'h-ucb'
        """
        _ = self.summary
        assert self._folder is not None
        if not all(part.terms.arrays for part in self._parts):
            raise ValueError("the study has kept no games: arrays=True keeps them")
        if self.failures:
            raise ValueError(f"a cell has failed: {self.failures[0]}")
        arrays = CellArrays(self._folder)
        return [
            _named(Result.load(arrays.path(point.cell.digest)), point) for point in self.points()
        ]


def _named(result: Result, point: Point) -> Result:
    """A result whose market is called as the study calls it."""
    how = "" if point.strategy == "as given" else f" ({point.strategy})"
    part = f"{point.part}: " if point.part else ""
    return replace(result, market=result.market.named(f"{part}{point.market}{how}"))


def on_bar(bar: Bar) -> Callable[[Progress], None]:
    """What shows a run's progress on a bar."""
    return lambda now: now.show_on(bar.show)


def folder_frame(folder: Path, measure: Sequence[str] | None = None) -> "pd.DataFrame":
    """The table of the study in a folder, as far as it is; of all measures that were found."""
    store = Store(known_folder(folder) / DATABASE)
    try:
        return frame_of(store.rows(), MEASURES if measure is None else measure)
    finally:
        store.close()
