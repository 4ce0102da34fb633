"""Logs are read whole, whatever their format, and bad rows are counted."""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest

from copyproof.inspect import reading
from copyproof.inspect.scan import Columns, Scan, scan
from copyproof.inspect.tally import TimeBins
from copyproof.live import Principal
from copyproof.live.exports import audit_lines
from copyproof.validation import FieldError
from tests.inspect.logs import copied_rows, write

COLUMNS = Columns(time="time", content=("text",))


def problems(found: Scan) -> dict[str, int]:
    return {one.what: one.rows for one in found.problems}


def sums(found: Scan) -> dict[tuple[str, str], tuple[int, float]]:
    tally = found.tally
    return {
        (found.agents[tally.owner[k]], found.arms[tally.name[k]]): (
            int(tally.plays[k]),
            float(tally.total[k]),
        )
        for k in range(tally.count)
    }


@pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl"])
def test_every_format_gives_the_same(ending: str, tmp_path: Path) -> None:
    rows = copied_rows()
    found = scan(write(tmp_path / f"log.{ending}", rows), COLUMNS)
    assert (found.rows, found.tally.rows, found.problems) == (len(rows), len(rows), ())
    expected: dict[tuple[str, str], tuple[int, float]] = {}
    for row in rows:
        plays, total = expected.get((row["agent"], row["arm"]), (0, 0.0))
        expected[row["agent"], row["arm"]] = plays + 1, total + row["reward"]
    assert sums(found) == expected
    assert len(found.fingerprints) == 22
    assert found.is_binary
    starts, over_time = found.tally.bins.table(len(found.agents))
    assert over_time.sum() == len(rows)
    assert len(starts) <= 129
    first = {(row["agent"], row["arm"]): row["time"] for row in reversed(rows)}
    names = [
        (found.agents[a], found.arms[b])
        for a, b in zip(found.tally.owner, found.tally.name, strict=True)
    ]
    assert [first[name] for name in names[:22]] == found.tally.first[:22].tolist()


def test_blocks_do_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = copied_rows()
    whole = scan(write(tmp_path / "log.jsonl", rows), COLUMNS)
    monkeypatch.setattr(reading, "_BLOCK", 1000)
    cut = scan(tmp_path / "log.jsonl", COLUMNS)
    assert sums(cut) == sums(whole)
    assert cut.fingerprints == whole.fingerprints
    assert np.array_equal(cut.tally.opening, whole.tally.opening, equal_nan=True)


@pytest.mark.parametrize(
    ("rewards", "two"),
    [
        ([0.0, 0.01, 0.01], True),
        ([5.0, 2.0, 5.0], True),
        ([0.01, 0.01, 0.01], False),  # neither end of [0, 1]
        ([0.0, 1.0, 5.0], False),
        ([0.0, 5.0, 1.0], False),
        ([1.0, 0.0, -1.0], False),
    ],
)
def test_two_values(
    rewards: list[float], two: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "_BLOCK", 50)  # a row each
    rows = [{"agent": "ann", "arm": "a", "reward": reward} for reward in rewards]
    assert scan(write(tmp_path / "log.jsonl", rows), Columns()).is_binary is two


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    path = tmp_path / "binary.csv"
    path.write_bytes(bytes(range(1, 9)) + b"\n\0\0\0")
    with pytest.raises(FieldError, match=r"binary.csv is neither Parquet nor text in UTF-8$"):
        scan(path, Columns())


def test_openings_are_the_first_rewards_of_each_arm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = copied_rows()
    monkeypatch.setattr(reading, "_BLOCK", 5000)
    found = scan(write(tmp_path / "log.jsonl", rows), COLUMNS)
    for k in range(found.tally.count):
        arm = found.arms[found.tally.name[k]]
        own = [row["reward"] for row in rows if row["arm"] == arm][:64]
        assert found.tally.opening[k, : len(own)].tolist() == own


def test_compressed_text_and_other_delimiters(tmp_path: Path) -> None:
    text = "owner;what;won\nann;a;1\nbob;b;0\n"
    (tmp_path / "log.csv.gz").write_bytes(gzip.compress(text.encode()))
    found = scan(tmp_path / "log.csv.gz", Columns("owner", "what", "won"))
    assert sums(found) == {("ann", "a"): (1, 1.0), ("bob", "b"): (1, 0.0)}


def test_bad_rows_of_csv(tmp_path: Path) -> None:
    lines = [
        "agent,arm,reward,time,text",
        "ann,a,1,2020-01-01T00:00:00,fresh coffee",
        ",a,1,2020-01-02,x",
        "ann,,1,2020-01-02,x",
        "ann,a,lots,2020-01-02,x",
        "ann,a,,2020-01-02,x",
        "ann,a,inf,2020-01-02,x",
        "ann,a,1,yesterday,x",
        "ann,a",
        'bob,b,-2,2020-01-03,"two\nlines"',
        "bob,b,0,2020-01-01T12:00:00,another text",
        "bob,a,0,2020-01-04,x",
    ]
    path = tmp_path / "log.csv"
    path.write_text("\n".join(lines))
    found = scan(path, COLUMNS)
    assert problems(found) == {
        "2 columns, where the heading has 5": 1,
        "no agent": 1,
        "no arm": 1,
        "no reward": 1,
        "a reward that is no finite number": 2,
        "a time that is no finite number": 1,
        "a reward below 0": 1,
        "a time before that of the row before": 1,
        "an arm that an earlier row has under another agent: counted as an arm of its own": 1,
        "another content than the arm's first: the first counts": 1,
    }
    assert (found.rows, found.tally.rows) == (11, 4)
    [lots] = [one for one in found.problems if "reward that is no" in one.what]
    assert lots.examples == ((4, "'lots'"), (6, "'inf'"))
    assert str(lots) == (
        "2 rows left out: a reward that is no finite number (row 4: 'lots'; row 6: 'inf')"
    )
    assert sums(found)["bob", "a"] == (1, 0.0)


def test_mixed_types_of_json(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(
        '{"agent": "ann", "arm": 7, "reward": 1}\n'
        '{"agent": "ann", "arm": "7", "reward": "0.5"}\n'
        '{"agent": "ann", "arm": 7, "reward": true}\n'
        '{"agent": "ann", "arm": 7, "reward": {"value": 1}}\n'
        '{"agent": "ann", "arm": 7}\n'
        "[1, 2]\n"
        "not json\n"
        "\n"
    )
    found = scan(path, Columns())
    assert sums(found) == {("ann", "7"): (3, 2.5)}
    assert problems(found) == {
        "no JSON object": 2,
        "a reward that is no finite number": 1,
        "no reward": 1,
    }
    assert found.rows == 7


def test_rows_have_their_numbers_after_lines_that_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    csv = tmp_path / "log.csv"
    lines = ["agent,arm,reward,text", "ann,a,1,x", "ann,a", 'ann,a,no,"x', 'y"', "ann"]
    csv.write_text("\n".join([*lines, "ann,a,none,x"]))
    read = {one.what: one.examples for one in scan(csv, Columns()).problems}
    assert read["a reward that is no finite number"] == ((3, "'no'"), (5, "'none'"))
    for kind, numbers in (("2 columns", [2]), ("1 columns", [4])):
        assert [row for row, _ in read[f"{kind}, where the heading has 4"]] == numbers
    rows = ['{"agent": "ann", "arm": "a", "reward": 1}', "nothing", "[]"] * 3
    rows[6] = '{"agent": "ann", "arm": "a", "reward": "none"}'
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join(rows))
    for block in (8 << 20, 60):
        monkeypatch.setattr(reading, "_BLOCK", block)
        read = {one.what: one.examples for one in scan(log, Columns()).problems}
        assert read["a reward that is no finite number"] == ((7, "'none'"),)
        assert [row for row, _ in read["no JSON object"]] == [2, 3, 5]


def test_bad_rows_far_into_a_csv_have_their_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines that are no rows are counted by the reader ahead of the rows that are looked at."""
    monkeypatch.setattr(reading, "MOST_LINE", 4096)
    lines = ["ann,a" if n % 5 == 0 else f"ann,a,{'no' if n == 9001 else 1}" for n in range(10_000)]
    path = tmp_path / "log.csv"
    path.write_text("\n".join(["agent,arm,reward", *lines]))
    found = scan(path, Columns())
    [wrong] = [one for one in found.problems if "finite" in one.what]
    assert wrong.examples == ((9002, "'no'"),)
    assert found.rows == 10_000


def test_a_column_of_json_may_begin_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_BLOCK", 100)
    rows = [{"agent": "ann", "arm": "a", "reward": 0.0} for _ in range(20)]
    rows += [{"agent": "bob", "arm": "b", "reward": 1.0, "text": "Fresh coffee"}]
    found = scan(write(tmp_path / "log.jsonl", rows), Columns(content=("text",)))
    assert found.tally.rows == 21
    assert len(found.fingerprints) == 1
    with pytest.raises(FieldError, match=r"^content = 'texts' is not a column of"):
        scan(tmp_path / "log.jsonl", Columns(content=("texts",)))


def test_spans_of_time_are_fewer_where_there_are_many_agents() -> None:
    bins, rng = TimeBins(), np.random.default_rng(1)
    agents, times = 300_000, np.arange(600_000.0)
    who = rng.integers(agents, size=len(times))
    who[:30_000] %= 1000  # most come later
    for part in np.split(np.arange(len(times)), 20):
        bins.add(times[part], who[part], 1000 if part[0] == 0 else agents)
    starts, plays = bins.table(agents)
    assert 8 <= len(starts) <= 14
    assert plays.sum() == len(times)
    assert np.array_equal(plays.sum(axis=0), np.bincount(who, minlength=agents))


def test_names_that_are_nested_and_rewards_in_words(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(
        '{"agent": ["ann"], "arm": "a", "reward": 1}\n{"agent": null, "arm": "a", "reward": 1}\n'
    )
    with pytest.raises(FieldError, match="has no row that can be used"):
        scan(path, Columns())
    words = tmp_path / "log.csv"
    words.write_text("agent,arm,reward\nann,a,true\nann,a,FALSE\nann,a,1\n")
    assert sums(scan(words, Columns())) == {("ann", "a"): (3, 2.0)}


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_bytes(b"agent,arm,reward\nann,a,1\n\xff\xfe,a,1\nb\x00b,a,1\n")
    found = scan(path, Columns())
    said = "an agent that is not one line of at most 200 visible characters in UTF-8"
    assert problems(found) == {said: 2}


def test_numbers_that_are_too_large(tmp_path: Path) -> None:
    """Their squares would be infinite, and spans of time could not be counted."""
    path = tmp_path / "log.csv"
    lines = ["ann,a,1,1", "ann,a,-1e308,2", "ann,a,1,1e300", "ann,a,0,1700000000000000000"]
    path.write_text("\n".join(["agent,arm,reward,time", *lines]))
    found = scan(path, Columns(time="time"))
    assert problems(found) == {"a reward beyond ±5e+18": 1, "a time beyond ±5e+18": 1}
    assert sums(found) == {("ann", "a"): (2, 1.0)}


def test_marks_and_blank_lines_before_the_first_row(tmp_path: Path) -> None:
    for text in (
        "\ufeff" + '{"agent": "ann", "arm": "a", "reward": 1}\n',
        "\ufeffagent,arm,reward\nann,a,1\n",
        "\r\n\nagent,arm,reward\nann,a,1\n",
    ):
        (tmp_path / "log").write_text(text, encoding="utf-8", newline="")
        found = scan(tmp_path / "log", Columns())
        assert sums(found) == {("ann", "a"): (1, 1.0)}
        assert found.problems == ()


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_column_that_stands_there_twice(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"log.{ending}"
    table = pa.table([["a"], ["b"], [1], [2], [3], [4]], ["agent", "arm", "n", "r", "r", "n"])
    (pq.write_table if ending == "parquet" else pa_csv.write_csv)(table, path)
    with pytest.raises(FieldError, match=r"^reward = 'r' is not a column of .* stands there once$"):
        scan(path, Columns(reward="r"))


def test_types_of_parquet(tmp_path: Path) -> None:
    table = pa.table(
        {
            "agent": pa.array([1, 2, None, 1]),
            "arm": pa.array(["a", "b", "c", None]).dictionary_encode(),
            "reward": pa.array([True, False, True, True]),
            "time": pa.array([0, 1, 2, 3], pa.timestamp("s", "UTC")),
        }
    )
    pq.write_table(table, tmp_path / "log.parquet")
    found = scan(tmp_path / "log.parquet", Columns(time="time"))
    assert sums(found) == {("1", "a"): (1, 1.0), ("2", "b"): (1, 0.0)}
    assert problems(found) == {"no agent": 1, "no arm": 1}
    assert found.tally.last[1] == 1.0


def test_contents_made_elsewhere(tmp_path: Path) -> None:
    rows = [
        {"agent": "ann", "arm": "a", "reward": 1, "hash": "00000000000000ff", "v": [1.0, 2.0]},
        {"agent": "ann", "arm": "b", "reward": 1, "hash": "no hash", "v": [0.0, 0.0]},
        {"agent": "ann", "arm": "c", "reward": 1, "hash": None, "v": None},
    ]
    path = write(tmp_path / "log.jsonl", rows)
    hashes = scan(path, Columns(content=("hash",)), "hash")
    assert list(hashes.fingerprints) == [0]
    [problem] = hashes.problems
    assert problem.what.startswith("a content that is not a 64-bit hash")
    vectors = scan(path, Columns(content=("v",)), "vector")
    assert [one.kind for one in vectors.fingerprints.values()] == ["vector"]
    numbers = scan(
        write(tmp_path / "numbers.parquet", [{**rows[0], "v": 7}]),
        Columns(content=("v",)),
        "hashes",
    )
    assert problems(numbers) == {"a content that is not a list: the arm has none": 1}
    with pytest.raises(FieldError, match="one column, for a hash"):
        scan(path, Columns(content=("hash", "v")), "hash")


def test_a_live_journal(tmp_path: Path) -> None:
    principal = Principal("h-ucb", market="m")
    for agent, arm in (("ann", "a"), ("bob", "b")):
        principal.register_arm(agent, arm)
    rewards = {"a": 1.0, "b": 0.25}
    total = {"a": 0.0, "b": 0.0}
    for k in range(20):
        [decision] = principal.ask()
        if k < 19:  # the last one is not answered
            principal.tell(decision.id, rewards[decision.arm])
            total[decision.arm] += rewards[decision.arm]
    path = tmp_path / "journal.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in audit_lines(principal.store, "m")))
    found = scan(path, Columns())
    assert found.tally.rows == 19
    assert sorted(found.tally.total[:2].tolist()) == sorted(total.values())
    assert problems(found) == {"decisions that still wait for their reward": 1}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "does not exist"),
        (b"", "is empty"),
        (b"\n\n", "is empty"),
        (b'[{"agent": "ann", "arm": "a", "reward": 1}]', "has no row: a JSON object on a line"),
        (b"[" + b'{"agent": "ann", "text": "..."}, ' * 9999, "has no row: a JSON object on a line"),
        (b'{\n "agent": "ann",\n "arm": "a"\n}', "has no row: a JSON object on a line of its own"),
        (b"agent,arm,reward\rann,a,1\r", "has a first line that is no heading"),
        (b"agent,arm,reward\n", "has no row that can be used"),
        (b"agent,arm,reward\n,,\n", "has no row that can be used: 1 row left out: no agent"),
        (b"PAR1 and then nothing", "cannot be read"),
        (b"\x80\x81\x82\n", "is neither Parquet nor text in UTF-8"),
        (b"a" * (2 << 20), "has a first line of more than 1 MiB"),
        (b'{"agent": "' + b"x" * (25 << 20), "has a line of more than 16 MiB after row 0"),
        (b"agent,arm,reward\nann," + b"x" * (40 << 20), "is longer than 16 MiB"),
    ],
)
def test_what_is_no_log(content: bytes | None, said: str, tmp_path: Path) -> None:
    path = tmp_path / "log"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(FieldError) as refused:
        scan(path, Columns())
    assert said in str(refused.value)
    assert len(str(refused.value)) < 600
    assert "\n" not in str(refused.value)


READ = """
import sys
from pathlib import Path
from copyproof.inspect.scan import Columns, scan
from copyproof.validation import FieldError

def peak():
    found = next(line for line in open("/proc/self/status") if line.startswith("VmHWM:"))
    return int(found.split()[1]) / 1024

before = peak()
try:
    scan(Path(sys.argv[1]), Columns())
except FieldError as refused:
    print(f"{peak() - before:.0f}", refused)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "head", "said"),
    [
        ("log.csv", b"", "has a first line of more than 1 MiB"),
        ("log.csv", b"agent,arm,reward\nann,a,1\nann,", "is longer than 16 MiB"),
        ("log.jsonl", b'{"agent": "', "has a line of more than 16 MiB after row 0"),
        ("log.csv.gz", b"agent,arm,reward\nann,a,1\nann,", "is longer than 16 MiB"),
    ],
)
def test_a_gigabyte_on_one_line(name: str, head: bytes, said: str, tmp_path: Path) -> None:
    """A file of 2³⁰ bytes without a line's end, read by a program of its own, in bounded memory."""
    path = tmp_path / name
    with gzip.open(path, "wb", 1) if name.endswith(".gz") else path.open("wb") as file:
        file.write(head)
        for _ in range(1024):
            file.write(b"x" * (1 << 20))
    done = subprocess.run([sys.executable, "-c", READ, path], capture_output=True, text=True)
    path.unlink()
    assert done.returncode == 0, done.stderr[-2000:]
    megabytes, _, error = done.stdout.strip().partition(" ")
    assert said in error
    assert "\n" not in error
    assert int(megabytes) < 800, megabytes  # up to 32 blocks of 16 MiB that Arrow reads ahead


@pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl"])
def test_a_column_that_is_not_there(ending: str, tmp_path: Path) -> None:
    path = write(tmp_path / f"log.{ending}", copied_rows(plays=2))
    with pytest.raises(FieldError, match=r"^reward = 'rewards' is not a column of .*did you mean"):
        scan(path, Columns(reward="rewards"))


def test_a_folder(tmp_path: Path) -> None:
    with pytest.raises(FieldError, match="is no file"):
        scan(tmp_path, Columns())
