"""``copyproof lab``: where it listens, the page as a file, and how it ends."""

import json
import signal
import socket
import urllib.request
from pathlib import Path

from copyproof.lab.packing import page
from tests.cli.conftest import Run, Start
from tests.patience import PATIENCE


def test_it_says_where_it_is_and_ends_when_interrupted(start: Start) -> None:
    process = start("lab", "--port", "0", "--json")
    assert process.stdout is not None
    try:
        url = json.loads(process.stdout.readline())["url"]
        with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
            assert b"You are the worst of five" in answer.read()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert (process.returncode, out, err) == (0, "", "")


def test_a_port_that_is_taken_is_refused(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run("lab", "--port", str(port))
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: --port = {port}: 127.0.0.1 cannot be listened on")
    assert done.stdout == ""
    assert run("lab", "--port", "70000").returncode == 2


def test_the_page_as_a_file(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "game.html"
    done = run("lab", "--page", file, "--json")
    assert json.loads(done.stdout) == {"page": str(file), "bytes": len(page().encode())}
    assert file.read_text(encoding="utf-8") == page()
    refused = run("lab", "--page", tmp_path / "game.txt")
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1
    assert run("lab", "--page", tmp_path / "none" / "game.html").returncode == 2
