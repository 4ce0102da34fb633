"""What c and lost cost: plays of truthful agents against games lost, for other choices of both.

    copyproof study run studies/price.toml --out out/studies/price
    python studies/price.py [--cells FOLDER] [--out FOLDER]

``trial(c, lost)`` tries B = ⌈SPARE·q⌉ arms of every agent, q = ⌈ln lost / ln(1 − c)⌉ by theorem A′.
T = 30,000, 400 games each, the same luck for all:

- *truthful*: the paper's five means, one arm each: the regret, which is the price;
- *bad arms seldom pay*: a share c of good arms of 0.9, the rest at 0.2 and 0.1, against 0.8;
- *bad arms at half the rival*: a share c of 0.7, the rest at 0.3, against 0.6 and 0.5;
- *bad arms near the rival*: a share c of 0.8, the rest at 0.5, against 0.74, 0.7 and 0.6.

Games lost are to be at most ``lost`` on the second. On the last two they are more: a bad arm of
mean b is played 1/(1 − b) times until it first fails, so that fewer arms are tried in the same
plays; to know one from the other takes more plays than truthful agents are to pay for.

Writes ``price_1_in_K.csv`` (a row for each market and choice) and ``price.md``.
"""

from collections.abc import Mapping, Sequence

from copyproof.policy import Trial
from copyproof.simulation import LostGames
from markets import BEST, Case, agents
from runs import Row, rows_of, study_parser, table_of, write

HORIZON, GAMES, GOOD = 30_000, 400, 10
CHOICES = [(21, lost) for lost in (0.1, 0.05, 0.02, 0.01, 0.005, 0.001)]
CHOICES += [(one_in, lost) for one_in in (3, 10, 50) for lost in (0.05, 0.01)]
"""c as one in so many, and lost."""
COLUMNS = ("truthful", "bad arms seldom pay", "bad arms at half the rival", "near the rival")


def cases(one_in: int) -> list[Case]:
    """The four markets for a share of one good arm in so many."""
    bad = GOOD * (one_in - 1)
    markets = (
        agents([([best], [1]) for best in BEST]),
        agents([([0.9, 0.2, 0.1], [GOOD, bad // 2, bad - bad // 2]), ([0.8], [1])]),
        agents([([0.7, 0.3], [GOOD, bad]), ([0.6], [1]), ([0.5], [1])]),
        agents([([0.8, 0.5], [GOOD, bad]), ([0.74], [1]), ([0.7], [1]), ([0.6], [1])]),
    )
    return [
        Case(f"{name}, 1 good in {one_in}", "price", market, HORIZON, GAMES)
        for name, market in zip(COLUMNS, markets, strict=True)
    ]


def choice(one_in: int, lost: float) -> str:
    """The policy of a choice."""
    return f"trial(c={1 / one_in:.6g}, lost={lost:g})"


def as_markdown(found: Mapping[tuple[int, float], Sequence[Row]]) -> str:
    """A line for each choice: B, the truthful regret, and games lost."""
    text = [
        f"| c, lost | B | {COLUMNS[0]} | " + " | ".join(f"lost: {x}" for x in COLUMNS[1:]) + " |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for (one_in, lost), rows in found.items():
        shares = [LostGames(int(row["lost"]), int(row["repetitions"])).share for row in rows[1:]]
        cells = [f"1/{one_in}, {100 * lost:g} %", str(Trial(1 / one_in, lost).tries)]
        cells.append(f"{float(rows[0]['regret']):,.0f}")
        cells += [f"{100 * share:.1f} %" for share in shares]
        text.append("| " + " | ".join(cells) + " |")
    return "\n".join(text) + "\n"


def main() -> None:
    options = study_parser(__doc__).parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    found: dict[tuple[int, float], Sequence[Row]] = {}
    played = table_of(options.cells / "price")
    for one_in in dict.fromkeys(one_in for one_in, _ in CHOICES):
        texts = {lost: choice(one_in, lost) for share, lost in CHOICES if share == one_in}
        rows = rows_of(played, cases(one_in), texts.values())
        write(options.out / f"price_1_in_{one_in}.csv", rows)
        for lost, text in texts.items():
            found[one_in, lost] = [row for row in rows if row["variant"] == text]
    (options.out / "price.md").write_text(as_markdown(found))
    print(as_markdown(found))


if __name__ == "__main__":
    main()
