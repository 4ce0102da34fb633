"""The README as the package's long description, when a wheel is built (pyproject.toml).

Where packages are listed, the files of the repository cannot be shown or linked. So the description
is the README without its images, and of a link to such a file the words are left.
"""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)\n*")
_LINK_TO_A_FILE = re.compile(r"\[([^\]]*)\]\((?!https?://|#)[^)]*\)")


def description(readme: str) -> str:
    """The README without images and without links to files."""
    return _LINK_TO_A_FILE.sub(r"\1", _IMAGE.sub("", readme))


class Hook(MetadataHookInterface):
    """Called by hatchling, which finds it by its base class."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the description."""
        readme = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": description(readme)}
