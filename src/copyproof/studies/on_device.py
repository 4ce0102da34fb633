"""Tasks of a study on a GPU: slices of many cells in one launch.

A slice is some hundred thousand rounds, and a chip wants billions: slices of all cells are gathered
and played together (``devices.together``). Each leaves behind what it would leave on a processor,
and is put together with the others as there. What a GPU does not play stays on the processor:
policies that are not ours, exact values, and games that it cannot hold (``batch.can_hold``).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from copyproof.devices.batch import can_hold, check_game
from copyproof.devices.gpus import is_there, own_gpu, require_device
from copyproof.devices.together import DeviceTime
from copyproof.policy import Policy
from copyproof.simulation.slices import DeviceGame, play_together
from copyproof.studies.cells import Cell
from copyproof.studies.tasks import (
    EXTRAS,
    Outcome,
    Player,
    Task,
    failure_of,
    outcome_of,
    play_batch,
)
from copyproof.validation import FieldError

# Games, and numbers that they leave behind, of one gathering: half a gigabyte.
_MOST_GAMES = 1 << 20
_MOST_NUMBERS = 1 << 26


def study_device(device: str) -> str:
    """``"cpu"`` or ``"cuda"``: what this machine plays a study on.

    Raises
    ------
    FieldError
        If a GPU is asked for and is not here.
    """
    if device == "auto":
        return "cuda" if is_there() else "cpu"
    if device == "cuda":
        require_device()
    return device


def check_cells(cells: Iterable[Cell]) -> None:
    """Refuse ``device="cuda"`` for cells that no GPU can play."""
    for cell in cells:
        if not cell.policy.is_ours:
            said = f"= 'cuda', but policy '{cell.policy.text}' is not ours: give auto"
            raise FieldError("device", "cuda", "for policies of ours alone", said)
        try:
            check_game(cell.horizon, len(cell.market.agents))
        except FieldError as error:
            said = f"= 'cuda', but {error}: give auto"
            raise FieldError("device", "cuda", "for such games", said) from None


def by_kernel(cells: Iterable[Cell]) -> list[Cell]:
    """Cells that a kernel can play together, together; long games first."""
    return sorted(cells, key=lambda cell: (-cell.horizon, cell.policy.text, cell.seed))


def is_for_gpu(task: Task) -> bool:
    """Whether a GPU plays a task: games, and audits, of policies of ours."""
    cell = task.cell
    holds = can_hold(cell.horizon, len(cell.market.agents))
    return task.number != EXTRAS["exact"] and cell.policy.is_ours and holds


def gathered(tasks: Iterable[Task]) -> Iterator[list[Task]]:
    """Tasks in portions that fit the memory of this machine."""
    found: list[Task] = []
    games = numbers = 0
    for task in tasks:
        count = task.cell.slice(task.number)[1] if task.number >= 0 else 1
        market = task.cell.market
        each = len(task.cell.checkpoints) + 3 * len(market.agents) + market.originals
        if found and (games + count > _MOST_GAMES or numbers + count * each > _MOST_NUMBERS):
            yield found
            found, games, numbers = [], 0, 0
        found.append(task)
        games += count
        numbers += count * each
    if found:
        yield found


def play_on_gpu(
    tasks: Sequence[Task], progress: Callable[[int], None] | None = None
) -> tuple[list[Outcome], DeviceTime]:
    """Play tasks that a GPU can play; ``progress`` is told the rounds so far."""
    outcomes: list[Outcome] = []
    games: dict[str, DeviceGame | Outcome] = {}
    ready: list[tuple[Task, DeviceGame]] = []
    for task in tasks:
        if task.number < 0:
            continue
        cell = task.cell
        if cell.digest not in games:
            made = games[cell.digest] = _game_of(task)
            outcomes += [made] if isinstance(made, Outcome) else []
        game = games[cell.digest]
        if isinstance(game, DeviceGame):
            ready.append((task, game))
    found, time = play_together(
        [(game, *task.cell.slice(task.number)) for task, game in ready], progress=progress
    )
    for (task, _), played in zip(ready, found, strict=True):
        outcomes.append(outcome_of(task, played))
    auditor = Player(device="cuda")
    for task in tasks:
        if task.number < 0 and (one := auditor.play(task)) is not None:
            outcomes.append(one)
    return outcomes, time


def _game_of(task: Task) -> DeviceGame | Outcome:
    """The game of a cell, or why it cannot be played."""
    cell = task.cell
    policy = cell.policy.policy
    assert isinstance(policy, Policy)
    try:
        return DeviceGame(
            cell.market,
            policy,
            horizon=cell.horizon,
            seed=cell.seed,
            checkpoints=cell.checkpoints,
            schedule=cell.schedule,
        )
    except ValueError as error:
        return failure_of(task, error)


def play_batch_on(batch: list[Task], device: str) -> list[Outcome]:
    """Play a batch on a worker of a cluster, which decides by itself what ``"auto"`` is there."""
    chosen = study_device(device)
    if chosen == "cpu":
        return play_batch(batch)
    ours = [task for task in batch if is_for_gpu(task)]
    outcomes: list[Outcome] = []
    with own_gpu():
        for part in gathered(ours):
            outcomes += play_on_gpu(part)[0]
    return outcomes + play_batch([task for task in batch if not is_for_gpu(task)])
