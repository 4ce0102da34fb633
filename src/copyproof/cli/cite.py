"""``copyproof cite``: the software and the paper whose game it plays, in BibTeX.

The entries stand here once. ``CITATION.cff`` and the README say the same, which a test compares: an
installed package has neither of the two files.
"""

from dataclasses import dataclass

from copyproof._version import __version__
from copyproof.cli import options
from copyproof.cli.output import emit, emit_json


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a BibTeX file: its kind, its key, and its fields in order."""

    kind: str
    key: str
    fields: dict[str, str]

    @property
    def bibtex(self) -> str:
        """The entry as text.

        Examples
        --------
        >>> print(Entry("misc", "x", {"title": "A title", "year": "2022"}).bibtex)
        @misc{x,
          title = {A title},
          year = {2022},
        }
        """
        lines = [f"  {name} = {{{value}}}," for name, value in self.fields.items()]
        return "\n".join([f"@{self.kind}{{{self.key},", *lines, "}"])


def entries() -> tuple[Entry, Entry]:
    """The software, in the version that is installed, and the paper.

    Examples
    --------
    >>> [entry.key for entry in entries()]
    ['copyproof', 'shin2022replication']
    """
    software = {
        "title": "copyproof",
        "author": "{copyproof contributors}",
        "version": __version__,
        "note": "Bandits whose arms belong to someone",
    }
    paper = {
        "title": "Multi-armed Bandit Algorithm against Strategic Replication",
        "author": "Shin, Suho and Lee, Seungjoon and Ok, Jungseul",
        "booktitle": "Proceedings of The 25th International Conference on Artificial Intelligence "
        "and Statistics",
        "series": "Proceedings of Machine Learning Research",
        "volume": "151",
        "pages": "403--431",
        "publisher": "PMLR",
        "year": "2022",
        "url": "https://proceedings.mlr.press/v151/shin22a.html",
    }
    return (
        Entry("software", "copyproof", software),
        Entry("inproceedings", "shin2022replication", paper),
    )


def cite(as_json: options.AsJson = False) -> None:
    """Print how to cite the software, and the paper.

    Two entries of a BibTeX file.
    """
    found = entries()
    answer = [{"key": one.key, "type": one.kind, **one.fields} for one in found]
    bibtex = "\n\n".join(one.bibtex for one in found)
    if as_json:
        emit_json({"bibtex": bibtex, "entries": answer})
    else:
        emit(bibtex + "\n")  # whole lines, however narrow the terminal
