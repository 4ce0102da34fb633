"""``make quick`` runs the tests that a change touches."""

from pathlib import Path

import pytest

from tools import quick

FILES = {
    "src/copyproof/live/clock.py": "",
    "src/copyproof/live/market.py": "",
    "src/copyproof/live/deep/part.py": "",
    "src/copyproof/client/pool.py": "",
    "docs/page.md": "",
    "tests/client/test_other.py": "",
    "tests/deploy/test_all.py": "",
    "tests/live/conftest.py": "",
    "tests/live/helper.py": "",
    "tests/live/test_clock.py": "",
    "tests/live/test_use.py": "from copyproof.live import clock\nfrom tests.live import helper\n",
    "tests/service/test_far.py": "from copyproof.live.clock import now\n",
    "tests/service/test_near.py": "from copyproof.live.clocks import now\n",
    "tests/test_tool.py": "from tools import tool\n",
    "tools/tool.py": "",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


CLOCK = "src/copyproof/live/clock.py"
LIVE = ["tests/live/test_clock.py", "tests/live/test_use.py"]
POOL = "src/copyproof/client/pool.py"


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        (CLOCK, [*LIVE, "tests/service/test_far.py", CLOCK]),
        ("src/copyproof/live/market.py", [*LIVE, "src/copyproof/live/market.py"]),
        ("src/copyproof/live/deep/part.py", [*LIVE, "src/copyproof/live/deep/part.py"]),
        ("src/copyproof/live/gone.py", LIVE),
        ("src/copyproof/live/page.j2", LIVE),
        (POOL, ["tests/client/test_other.py", POOL]),
        ("client/typescript/src/client.ts", ["tests/client/test_other.py"]),
        ("deploy/nginx.conf", ["tests/deploy/test_all.py"]),
        ("docs/page.md", ["docs/page.md"]),
        ("tests/live/conftest.py", LIVE),
        ("tests/live/helper.py", ["tests/live/test_use.py"]),
        ("tests/live/test_clock.py", ["tests/live/test_clock.py"]),
        ("tests/live/test_gone.py", []),
        ("tools/tool.py", ["tests/test_tool.py"]),
        ("benchmarks/run.py", []),
    ],
)
def test_tests_of_a_file(root: Path, changed: str, expected: list[str]) -> None:
    assert quick.selected([changed], root) == expected


def test_the_nearest_come_first_and_once(root: Path) -> None:
    changed = ["src/copyproof/live/page.j2", "tests/live/test_use.py"]
    assert quick.selected(changed, root) == LIVE[::-1]


def test_smoke_is_there() -> None:
    assert [path for path in quick.SMOKE if not (quick.ROOT / path).exists()] == []
