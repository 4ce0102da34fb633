"""How many connections a process may hold."""

import resource
import subprocess
import sys

from tests.service.serving import environment

_SAY = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))
from copyproof.service.run import most_connections
print(most_connections(), resource.getrlimit(resource.RLIMIT_NOFILE)[0])
"""


def _most(soft: int, hard: int) -> list[int]:
    command = [sys.executable, "-c", _SAY.format(soft=soft, hard=hard)]
    said = subprocess.run(command, capture_output=True, text=True, check=True, env=environment())
    return [int(each) for each in said.stdout.split()]


def test_all_that_the_system_allows_less_some_files() -> None:
    assert _most(128, 300) == [236, 300]
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard == resource.RLIM_INFINITY or hard > 11_000:
        assert _most(1024, 11_000) == [10_000, 10_064]
