"""The version of copyproof, which the metadata of its wheel repeats."""

__version__ = "0.1.0"
