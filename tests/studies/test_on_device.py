"""Studies and devices: what is refused, in one line. What is played is in tests/devices."""

from pathlib import Path

import pytest

from copyproof import Agent, Market, Study
from copyproof.devices.gpus import is_there
from copyproof.studies.on_device import by_kernel, gathered
from copyproof.studies.tasks import tasks_of
from copyproof.validation import FieldError
from tests.studies.studies import small_study, table_digest

FILE = """
device = "{device}"
policies = ["h-ucb"]
markets = ["paper:1a"]
horizons = 10
repetitions = 2
seed = 1
"""


def test_a_file_may_say_the_device(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(FILE.format(device="auto"))
    Study.read(path).run(tmp_path / "auto")
    path.write_text(FILE.format(device="cpu"))
    Study.read(path).run(tmp_path / "cpu")
    assert table_digest(tmp_path / "auto") == table_digest(tmp_path / "cpu")
    path.write_text(FILE.format(device="gpu"))
    with pytest.raises(FieldError, match="device = 'gpu' is not one of cpu, cuda, auto"):
        Study.read(path)


def test_a_device_that_nobody_knows(tmp_path: Path) -> None:
    with pytest.raises(FieldError, match="device = 'gpu' is not one of cpu, cuda, auto"):
        small_study().run(tmp_path, device="gpu")
    with pytest.raises(FieldError, match="device = 'gpu' is not one of"):
        small_study(device="gpu")


@pytest.mark.skipif(is_there(), reason="this machine has a GPU")
@pytest.mark.parametrize("cluster", [None, "local"])
def test_without_a_gpu_one_line_says_so(tmp_path: Path, cluster: str | None) -> None:
    with pytest.raises(FieldError, match="device = 'cuda', but ") as error:
        small_study(horizons=10).run(tmp_path, device="cuda", cluster=cluster)
    assert "\n" not in str(error.value)


def test_what_no_gpu_plays_is_said_before_any_game(tmp_path: Path) -> None:
    other = small_study(policies=["h-ucb", "river:UCB(delta=1)"])
    with pytest.raises(
        FieldError, match=r"but policy 'river:UCB\(delta=1\)' is not ours: give auto"
    ):
        other.run(tmp_path / "other", device="cuda")
    with pytest.raises(FieldError, match="but horizon = 2147483648 is not at most 2147483647 on a"):
        small_study(horizons=2**31).run(tmp_path / "long", device="cuda")
    crowd = {"crowd": Market([Agent(f"a{k}", [0.5]) for k in range(257)])}
    with pytest.raises(FieldError, match="but market has 257 agents, and a GPU takes at most 256"):
        small_study(markets=crowd).run(tmp_path / "crowd", device="cuda")


def test_long_games_first_and_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = by_kernel([point.cell for point in small_study().points()])
    horizons = [cell.horizon for cell in cells]
    assert horizons == sorted(horizons, reverse=True)
    tasks = [task for cell in cells for task in tasks_of(cell)]
    monkeypatch.setattr("copyproof.studies.on_device._MOST_GAMES", 100)
    parts = list(gathered(tasks))
    assert [task for part in parts for task in part] == tasks
    sizes = [sum(task.cell.slice(task.number)[1] for task in part) for part in parts]
    assert len(parts) > 1
    assert max(sizes) <= 100
