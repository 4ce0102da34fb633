"""Builds the image of the service and tries it, without a registry: ``python3 -m tools.container``.

``deploy/Containerfile`` is built as it is, by ``buildah``. The one thing that would come from a
registry, the image of Debian, is made by ``debootstrap`` instead, from the machine's own mirror.
Then the service is started in the image as its user, and asked for a decision. It needs root (for
both programs), Debian's packages ``buildah`` and ``debootstrap``, and whatever apt and pip of this
machine are set up to use.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parents[1]
BASE = "docker.io/library/debian:bookworm-slim"
IMAGE = "localhost/copyproof"
_ENVIRONMENT = {**os.environ, "STORAGE_DRIVER": "vfs", "BUILDAH_ISOLATION": "chroot"}


def run(*command: str | Path) -> str:
    """Run a command, and return what it printed."""
    print("+", *command, file=sys.stderr, flush=True)
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=_ENVIRONMENT)
    return done.stdout.strip()


def make_base() -> None:
    """Make the image of Debian, if it is not there."""
    if BASE in run("buildah", "images", "--format", "{{.Name}}:{{.Tag}}"):
        return
    with tempfile.TemporaryDirectory() as folder:
        run("debootstrap", "--variant=minbase", "bookworm", folder)
        empty = run("buildah", "from", "scratch")
        run("buildah", "copy", "-q", empty, folder, "/")
        run("buildah", "commit", "-q", "--rm", empty, BASE)


def settings_of_pip(folder: Path) -> list[str]:
    """Return what makes this machine's settings of apt and pip known to the steps of the build."""
    found = json.loads(run(sys.executable, "-c", _PIP))
    links = found.get("find-links", "")
    mounted = {"/etc/apt": "/etc/apt", **({links: links} if Path(links).is_dir() else {})}
    if "cert" in found:  # Debian's certificates are installed anew in the image
        mounted[found["cert"]] = "/run/pip.pem"
        found["cert"] = "/run/pip.pem"
    (folder / "pip.conf").write_text(
        "[global]\n" + "".join(f"{name} = {value}\n" for name, value in found.items())
    )
    mounted[str(folder / "pip.conf")] = "/etc/pip.conf"
    return [part for here, there in mounted.items() for part in ("--volume", f"{here}:{there}:ro")]


_PIP = """
import json
from pip._internal.configuration import Configuration
found = Configuration(isolated=False)
found.load()
names = ("index-url", "extra-index-url", "find-links", "cert", "timeout")
print(json.dumps({key.partition(".")[2]: value for key, value in found.items()
                  if key.partition(".")[2] in names}))
"""


def try_it() -> None:
    """Start the service in a container, and ask it for a decision."""
    container = run("buildah", "from", IMAGE)
    try:
        command = ["buildah", "run", container, "--", "copyproof", "serve"]
        with subprocess.Popen(
            [*command, "--example", "--port", "0", "--json"],
            stdout=subprocess.PIPE,
            text=True,
            env=_ENVIRONMENT,
        ) as process:
            assert process.stdout is not None
            up = json.loads(process.stdout.readline())
            port = up["url"].rpartition(":")[2]
            request = urllib.request.Request(
                f"http://127.0.0.1:{port}/v1/markets/{up['market']}/decisions",
                method="POST",
                headers={"Authorization": f"Bearer {up['key']}"},
            )
            with urllib.request.urlopen(request, timeout=30) as answer:
                [decision] = json.load(answer)["decisions"]
            print(f"a decision of the service in the image: {decision['agent']}")
            process.terminate()  # buildah, which ends what runs in it
        user = run("buildah", "run", container, "--", "id", "-un")
        print(f"it ran as {user}")
        assert user == "copyproof"
    finally:
        run("buildah", "rm", container)


def main() -> None:
    """Build, and try."""
    for program in ("buildah", "debootstrap"):
        if shutil.which(program) is None:
            raise SystemExit(f"error: {program} is not there: apt install buildah debootstrap")
    make_base()
    with tempfile.TemporaryDirectory() as folder:
        run(
            *(
                "buildah",
                "bud",
                "-q",
                "--format",
                "docker",
                "--network",
                "host",
                *settings_of_pip(Path(folder)),
            ),
            *("-f", ROOT / "deploy" / "Containerfile", "-t", IMAGE, ROOT),
        )
    try_it()


if __name__ == "__main__":
    main()
