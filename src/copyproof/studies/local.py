"""A study on this machine: threads that take tasks, as the kernels do not hold the GIL.

Policies that are not ours hold it, and are played afterwards, in processes, as everywhere. The
calling thread sleeps most of the time: it collects outcomes, writes them and tells the progress. An
interrupt (Ctrl-C) stops the threads within a round; what was finished is written.

Where a GPU is asked for, it plays first, and the threads what is left.
"""

import queue
import threading
import time
from collections.abc import Callable, Iterator

import numpy as np

from copyproof.devices.together import DeviceTime
from copyproof.studies.assembly import Assembly
from copyproof.studies.on_device import gathered, is_for_gpu, play_on_gpu
from copyproof.studies.tasks import Outcome, Player, Task

# Seconds between two looks at what the threads have found.
_LOOK = 0.1
# Seconds that threads have to stop; one that is inside the compiler takes longer, and is left.
_PATIENCE = 1.0


def play_here(
    assembly: Assembly,
    *,
    workers: int,
    device: str = "cpu",
    progress: Callable[[int], None] | None = None,
) -> DeviceTime:
    """Play all tasks of an assembly; return what a GPU had to do.

    Parameters
    ----------
    assembly : Assembly
        Gives tasks and takes outcomes.
    workers : int
        Threads, and processes for policies that are not ours; no effect on the results.
    device : str
        ``"cuda"`` for a GPU, which plays what it can; no effect on the results.
    progress : callable, optional
        Is told the rounds played so far.
    """
    others: list[Task] = []
    tasks = assembly.tasks()
    time = DeviceTime()
    if device == "cuda":
        every = list(tasks)
        time = _on_gpu(assembly, [task for task in every if is_for_gpu(task)], progress)
        tasks = (task for task in every if not is_for_gpu(task))
    _in_threads(assembly, _ours(tasks, others), workers, progress)
    _in_processes(assembly, others, workers, progress)
    return time


def _on_gpu(
    assembly: Assembly, tasks: list[Task], progress: Callable[[int], None] | None
) -> DeviceTime:
    """Play what a GPU plays, some thousand slices at a time."""
    time = DeviceTime()
    try:
        for part in gathered(tasks):
            before = assembly.work
            tell = None if progress is None else _further(progress, before)
            outcomes, taken = play_on_gpu(part, tell)
            time += taken
            assembly.add(outcomes)
            if progress is not None:
                progress(assembly.work)
    finally:
        assembly.flush()
    return time


def _further(tell: Callable[[int], None], before: int) -> Callable[[int], None]:
    return lambda played: tell(before + played)


def _in_processes(
    assembly: Assembly,
    others: list[Task],
    workers: int,
    progress: Callable[[int], None] | None,
) -> None:
    if not others:
        return
    control = np.zeros(2, np.int64)
    player = Player(control, processes=workers)
    try:
        for task in others:
            if task.cell.digest in assembly.failed:
                continue
            found = player.play(task)
            assert found is not None
            assembly.add([found])
            if progress is not None:
                progress(assembly.work)
    finally:
        assembly.flush()


def _ours(tasks: Iterator[Task], others: list[Task]) -> Iterator[Task]:
    """The tasks that the engine plays; the others are put aside."""
    for task in tasks:
        if task.cell.policy.is_ours:
            yield task
        else:
            others.append(task)


class _Threads:
    """Threads that take tasks until there are no more, or until they are stopped."""

    def __init__(self, tasks: Iterator[Task], workers: int) -> None:
        self.control = np.zeros(1 + workers, np.int64)
        self.found: queue.SimpleQueue[Outcome] = queue.SimpleQueue()
        self.error: BaseException | None = None
        self._tasks = tasks
        self._lock = threading.Lock()
        # Daemons: the end of the program does not wait for one that is inside the compiler.
        self.threads = [
            threading.Thread(target=self._work, args=(worker,), daemon=True)
            for worker in range(workers)
        ]
        for thread in self.threads:
            thread.start()

    def _next(self) -> Task | None:
        with self._lock:
            return next(self._tasks, None)

    def _work(self, worker: int) -> None:
        player = Player(self.control, worker)
        done = 0
        try:
            while not self.control[0] and (task := self._next()) is not None:
                if (outcome := player.play(task)) is not None:
                    done += task.work
                    self.control[1 + worker] = done  # audits and failures count no rounds
                    self.found.put(outcome)
        except BaseException as error:
            self.error = error
            self.control[0] = 1

    def drained(self) -> list[Outcome]:
        """What was found since the last time."""
        found = []
        while True:
            try:
                found.append(self.found.get_nowait())
            except queue.Empty:
                return found

    def stop(self) -> None:
        """Stop the threads within a round."""
        self.control[0] = 1
        end = time.monotonic() + _PATIENCE
        for thread in self.threads:
            thread.join(max(0.0, end - time.monotonic()))


def _in_threads(
    assembly: Assembly,
    tasks: Iterator[Task],
    workers: int,
    progress: Callable[[int], None] | None,
) -> None:
    before = assembly.work
    threads = _Threads(tasks, workers)
    try:
        while any(thread.is_alive() for thread in threads.threads):
            threads.threads[0].join(_LOOK) if threads.threads[0].is_alive() else time.sleep(_LOOK)
            assembly.add(threads.drained())
            if progress is not None:
                progress(before + int(threads.control[1:].sum()))
    finally:
        threads.stop()
        assembly.add(threads.drained())
        assembly.flush()
    if threads.error is not None:
        raise threads.error
    if progress is not None:
        progress(before + int(threads.control[1:].sum()))
