"""A study on a Dask cluster: batches of tasks for workers that may come, go and die.

The only module that knows Dask. A task on the cluster is a batch of our tasks, about two million
rounds (more on clusters of more than a hundred threads), so that what the scheduler and the network
cost is spread over many cells; a few batches for each thread of the cluster are on their way at a
time. What a worker depends on is in the batch, and the outcome of a batch is a function of it: a
batch whose worker died is played again elsewhere, and the study is the same, to the bit. A cell
whose worker dies again and again has failed.

Workers must have this version of copyproof, and the same code of policies that are not ours; one
that has not refuses, and the user is told. A machine compiles the engine once, however many workers
it has (``simulation.slices``). On GPUs batches are larger, and a worker has a GPU for itself
(``devices.gpus``): start one for each. While a cluster has no workers at all, as when a queue has
given none yet, the run waits and says so, to the logger ``copyproof.studies``.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from copyproof.devices import gpus
from copyproof.simulation import engine_digest
from copyproof.studies.assembly import Assembly
from copyproof.studies.on_device import play_batch_on, study_device
from copyproof.studies.policies import OtherCode
from copyproof.studies.tasks import Outcome, Task
from copyproof.validation import FieldError

# Rounds of a batch, and for each thread of a large cluster: the scheduler's work does not grow.
_BATCH_ROUNDS = 2_000_000
_BATCH_ROUNDS_PER_THREAD = 20_000
_BATCH_TASKS = 200
# The same for GPUs.
_DEVICE_ROUNDS = 4_000_000_000
_DEVICE_TASKS = 20_000
# What workers of mixed clusters call a GPU: ``dask worker --resources GPU=1``.
GPU = "GPU"
# Batches on their way for each thread of the cluster: one is played, the others wait for it.
_AHEAD = 3
# Seconds between two looks at how many threads the cluster has.
_LOOK = 5.0
# How often a task alone may lose its workers, each time as often as Dask allows (4 by default).
_MOST_DEATHS = 1
# A local cluster gives up on a worker that dies twice within this time; it starts others else.
_PATIENCE = "1 day"
# Seconds between two lines about a cluster without workers.
_SAY_AGAIN = 60.0
_LOG = logging.getLogger("copyproof.studies")
_NEEDS = "is not at hand: pip install 'copyproof[cluster]'"


@contextmanager
def open_cluster(given: Any, workers: int | None, device: str = "cpu") -> Iterator[Any]:
    """A client of the cluster that was asked for.

    Parameters
    ----------
    given : str or distributed.Client
        The address of a scheduler, ``"local"`` for one on this machine, or a client, which stays
        open.
    workers : int or None
        Processes of a local cluster; as many as there are processors by default, or GPUs.
    device : str
        What a local cluster plays on.

    Raises
    ------
    FieldError
        If Dask is not installed, or nobody answers at the address.
    """
    try:
        import dask
        import distributed
    except ImportError:
        raise FieldError(
            "cluster", given, "possible without Dask", f"= {given!r}: Dask {_NEEDS}"
        ) from None
    if isinstance(given, distributed.Client):
        yield given
        return
    if not isinstance(given, str):
        raise FieldError("cluster", given, "local, an address tcp://HOST:PORT or a Dask client")
    if given == "local":
        from copyproof._machine import processors

        usual = gpus.count() if study_device(device) == "cuda" else processors()
        count = usual if workers is None else workers
        with (
            dask.config.set({"distributed.deploy.lost-worker-timeout": _PATIENCE}),
            distributed.LocalCluster(  # type: ignore[no-untyped-call]
                n_workers=count,
                threads_per_worker=1,
                dashboard_address="127.0.0.1:0",
                silence_logs=50,
            ) as cluster,
            distributed.Client(cluster) as client,  # type: ignore[no-untyped-call]
        ):
            yield client
        return
    try:
        client = distributed.Client(given, timeout="10s")  # type: ignore[no-untyped-call]
    except (OSError, ValueError, TimeoutError) as error:
        said = f"= {given!r}: no scheduler answers there ({type(error).__name__})"
        raise FieldError("cluster", given, "the address of a scheduler", said) from None
    with client:
        yield client


def play_on(
    client: Any,
    assembly: Assembly,
    *,
    device: str = "cpu",
    progress: Callable[[int], None] | None = None,
) -> None:
    """Play all tasks of an assembly on a cluster; as ``play_here`` otherwise."""
    _Driver(client, assembly, device, progress).run()


def needed(client: Any, device: str) -> dict[str, float] | None:
    """What a worker must have: a GPU of those that say that they have one, if any does."""
    if device != "cuda":
        return None
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    says = any(worker.get("resources", {}).get(GPU) for worker in workers)
    return {GPU: 1} if says else None


class _Driver:
    """Keeps the cluster busy, and collects what comes back."""

    def __init__(
        self,
        client: Any,
        assembly: Assembly,
        device: str,
        progress: Callable[[int], None] | None,
    ) -> None:
        from distributed import as_completed

        self._client = client
        self._assembly = assembly
        self._device = device
        self._progress = progress
        self._tasks = assembly.tasks()
        self._engine = engine_digest()
        self._waiting: dict[Any, list[Task]] = {}
        self._deaths: dict[tuple[str, int], int] = {}
        # Tasks that have lost a worker; they go alone and one at a time, to find who is to blame.
        self._again: list[Task] = []
        self._suspect: Any = None
        self._completed: Any = as_completed()  # type: ignore[no-untyped-call]
        self._looked = -_LOOK
        self._room = 0

    def run(self) -> None:
        try:
            with _watched(self._client):
                while self._fill() or self._waiting:
                    self._take(next(self._completed))
        finally:
            self._client.cancel(list(self._waiting), force=True)
            self._assembly.flush()

    def _fill(self) -> bool:
        """Send batches while there is room; whether anything was sent."""
        sent = False
        while len(self._waiting) < self._threads() * _AHEAD:
            suspected = bool(self._again) and self._suspect is None
            batch = [self._again.pop()] if suspected else self._batch()
            if not batch:
                break
            future = self._client.submit(
                _play, self._engine, batch, self._device, pure=False,
                resources=needed(self._client, self._device),
            )  # fmt: skip
            self._suspect = future if suspected else self._suspect
            self._waiting[future] = batch
            self._completed.add(future)
            sent = True
        return sent

    def _threads(self) -> int:
        now = time.monotonic()
        if now - self._looked > _LOOK:
            self._looked = now
            self._room = max(1, sum(self._client.nthreads().values()))
        return self._room

    def _batch(self) -> list[Task]:
        """The next tasks."""
        batch: list[Task] = []
        rounds = 0
        most = max(_BATCH_ROUNDS, self._room * _BATCH_ROUNDS_PER_THREAD)
        tasks = _BATCH_TASKS
        if self._device != "cpu":  # a chip wants many games, but every chip some of them
            share = self._assembly.total // (self._room * _AHEAD)
            most, tasks = max(most, min(share, _DEVICE_ROUNDS)), _DEVICE_TASKS
        while rounds < most and len(batch) < tasks:
            task = next(self._tasks, None)
            if task is None:
                break
            batch.append(task)
            rounds += task.work
        return batch

    def _take(self, future: Any) -> None:
        batch = self._waiting.pop(future)
        alone = future is self._suspect
        self._suspect = None if alone else self._suspect
        if future.status == "finished":
            self._assembly.add(future.result())
            if self._progress is not None:
                self._progress(self._assembly.work)
        else:
            error = future.exception() if future.status == "error" else None
            if error is not None and type(error).__name__ != "KilledWorker":
                raise error
            self._lost(batch, alone=alone)
        future.release()

    def _lost(self, batch: list[Task], *, alone: bool) -> None:
        """The workers of a batch died, as often as Dask puts up with."""
        failed: list[Outcome] = []
        for task in batch:
            key = (task.cell.digest, task.number)
            if alone:
                self._deaths[key] = self._deaths.get(key, 0) + 1
            if self._deaths.get(key, 0) < _MOST_DEATHS:
                self._again.append(task)
            else:
                reason = "the workers that played it died, again and again"
                failed.append(Outcome(*key, None, reason, work=task.work))
        self._assembly.add(failed)


@contextmanager
def _watched(client: Any) -> Iterator[None]:
    """Say so while a cluster has no workers: nothing is played then, and nobody would know why."""
    ended = threading.Event()

    def watch() -> None:
        said: float | None = None
        since: float | None = None
        while not ended.wait(_LOOK):
            try:
                threads = sum(client.nthreads().values())
            except (OSError, RuntimeError):  # the scheduler is gone, and the driver is told so
                return
            now = time.monotonic()
            if threads:
                if said is not None:
                    _LOG.warning("workers have come to the cluster: going on")
                said = since = None
                continue
            since = now if since is None else since
            if said is None or now - said >= _SAY_AGAIN:
                said = now
                for_long = f", for {now - since:.0f} s now" if now > since else ""
                address = client.scheduler.address
                _LOG.warning("the cluster at %s has no workers: waiting%s", address, for_long)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()


def _play(engine: str, batch: list[Task], device: str) -> list[Outcome]:
    """Play a batch on a worker."""
    if engine_digest() != engine:
        raise RuntimeError(
            "a worker of the cluster has another version of copyproof: install the same one "
            "everywhere"
        )
    try:
        for policy in {task.cell.policy for task in batch}:
            _ = policy.policy
    except OtherCode as error:
        raise RuntimeError(f"a worker of the cluster refuses: {error}") from None
    return play_batch_on(batch, device)
