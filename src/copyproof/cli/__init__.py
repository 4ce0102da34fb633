"""The command line: ``main`` is the program ``copyproof``."""

from copyproof.cli.app import main

__all__ = ["main"]
