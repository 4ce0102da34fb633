"""The shell completes commands, options and values of the program."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import PROGRAM
from tests.programs import not_there

# What readline does on a tab: the function that is registered for the program, on the words.
COMPLETE = """
source {script}
function=$(complete -p copyproof | sed 's/.*-F \\([^ ]*\\).*/\\1/')
COMP_WORDS=({words})
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
$function copyproof
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What ``--show-completion`` prints in bash, which it recognises by its parent."""
    bash = shutil.which("bash")
    if bash is None:
        not_there("bash is not there")
    # `true` keeps bash from handing its process over to the program.
    command = [bash, "-c", f"{shlex.quote(PROGRAM)} --show-completion; true"]
    path = tmp_path_factory.mktemp("bash") / "copyproof.bash"
    path.write_text(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return path


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("copyproof sim", {"simulate"}),
        ("copyproof ex", {"exact"}),
        ("copyproof simulate --hor", {"--horizon"}),
        ("copyproof store back", {"backup"}),
    ],
)
def test_bash_completes(script: Path, words: str, expected: set[str]) -> None:
    done = subprocess.run(
        ["bash", "-c", COMPLETE.format(script=script, words=words)],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"PATH": f"{Path(PROGRAM).parent}:{os.environ['PATH']}"},
    )
    assert set(done.stdout.split()) == expected


def test_completion_loads_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "sys.argv = ['copyproof']\n"
        "from copyproof.cli import main\n"
        "try:\n    main()\nfinally:\n"
        "    print({'numba', 'pandas', 'matplotlib'} & {*sys.modules}, file=sys.stderr)"
    )
    variables = {"COMP_WORDS": "copyproof sim", "COMP_CWORD": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | variables | {"_COPYPROOF_COMPLETE": "complete_bash"},
    )
    assert done.stdout.split() == ["simulate"]
    assert done.stderr.strip() == "set()"
