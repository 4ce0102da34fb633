"""Logs with a known truth, and what `copyproof inspect` says of them.

Five agents: one registers its only arm 100 times, each time with an edited text; one holds 20
honest arms of equal quality, whose texts share the seller's own sentence; three have one arm each.
Means are uniform in [0.1, 0.9], anew for every log. UCB1 decides.

    .venv/bin/python studies/inspected_logs.py groups            # a log of 10⁶ rows, and 40 more
    .venv/bin/python studies/inspected_logs.py limits            # 200 logs of 100,000 rows
    .venv/bin/python studies/inspected_logs.py demo              # demo.parquet, of 100,000 rows

`limits` goes on where it was broken off; `--minutes N` begins no log after so many minutes. For
each log it compares the predicted gain of switching from UCB1 to the default with what one fresh
period with the true means gives. Writes studies/results/inspected_groups.json and
inspected_limits.json.
"""

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from copyproof.engine.lower import lower
from copyproof.game import Agent, Market
from copyproof.inspect.answers import Asked, predicted
from copyproof.inspect.estimated import estimate_market
from copyproof.inspect.groups import find_groups
from copyproof.inspect.scan import Columns, Scan, scan
from copyproof.inspect.summary import logged_agents
from copyproof.policy import parse_policy
from copyproof.simulation import play
from copyproof.simulation.threads import fill, new_record

RESULTS = Path(__file__).parent / "results"
COPIES, HONEST = 100, 20
CURRENT, TARGET = "ucb1", "default"
COLUMNS = Columns(time="time", content=("text",))
GAMES = 39  # one more falls outside the limits with 2 / 40


def words(rng: np.random.Generator, count: int) -> list[str]:
    """Words of two or three made-up syllables, out of some thousand."""
    syllables = [a + b for a in "bdfgklmnprstv" for b in "aeiou"]
    return ["".join(rng.choice(syllables, rng.integers(2, 4))) for _ in range(count)]


def edited(text: str, rng: np.random.Generator) -> str:
    """The text with a word left out, one added, two replaced, two misspelt, and two exchanged."""
    found = text.split()
    found.pop(int(rng.integers(len(found))))
    found.insert(int(rng.integers(len(found))), words(rng, 1)[0])
    for _ in range(2):
        found[int(rng.integers(len(found)))] = words(rng, 1)[0]
        place = int(rng.integers(len(found)))
        at = int(rng.integers(len(found[place])))
        found[place] = found[place][:at] + "q" + found[place][at + 1 :]
    one, other = rng.integers(len(found), size=2)
    found[one], found[other] = found[other], found[one]
    return " ".join(found)


def market_of(means: list[float]) -> Market:
    """The market behind a log."""
    copier, honest, *others = means
    agents = [Agent("copier", [copier], copies=[COPIES]), Agent("honest", [honest] * HONEST)]
    return Market([*agents, *(Agent(f"agent {n}", [mean]) for n, mean in enumerate(others, 3))])


def texts_of(rng: np.random.Generator) -> list[str]:
    """The text of every arm, in the order of the market's arms."""
    source = " ".join(words(rng, 30))
    seller = words(rng, 6)
    texts = [source, *(edited(source, rng) for _ in range(COPIES - 1))]
    texts += [" ".join([*words(rng, 24), *seller]) for _ in range(HONEST)]
    return texts + [" ".join(words(rng, 30)) for _ in range(3)]


def write_log(path: Path, rows: int, seed: int) -> Market:
    """Write a log, and return the market behind it."""
    rng = np.random.default_rng([seed, rows])
    means = rng.uniform(0.1, 0.9, 5).tolist()
    market = market_of(means)
    tape = (rng.random((5, rows)) < np.array(means)[:, None]).astype(float)
    lowered = lower(market, parse_policy(CURRENT), horizon=rows, seed=seed, tape=tape.tolist())
    record = new_record(lowered, 1, 1, trace=True)
    fill(lowered, np.array([rows]), record, workers=1)
    arms = record.choices[0]
    owners = np.repeat(np.arange(5), [agent.registered for agent in market.agents])[arms]
    rewards = np.zeros(rows)
    for agent in range(5):
        own = np.flatnonzero(owners == agent)
        rewards[own] = tape[agent, : len(own)]
    names = pa.array([agent.name for agent in market.agents])
    table = pa.table(
        {
            "agent": pa.DictionaryArray.from_arrays(owners.astype(np.int32), names),
            "arm": pa.DictionaryArray.from_arrays(arms, [f"arm {n}" for n in range(123)]),
            "reward": rewards,
            "time": np.arange(rows),
            "text": pa.DictionaryArray.from_arrays(arms, texts_of(rng)),
        }
    )
    pq.write_table(table, path)
    return market


def precision_and_recall(found: Scan, groups: Any) -> tuple[float, float]:
    """Of the pairs of arms that are called copies of each other."""
    arms = [found.arms[code] for code in found.tally.name[: found.tally.count]]
    true = {arm for arm in arms if int(arm.split()[1]) < COPIES}
    pairs = {
        (a, b)
        for group in groups
        if group.copies
        for _, a in group.arms
        for _, b in group.arms
        if a < b
    }
    right = sum(a in true and b in true for a, b in pairs)
    everything = len(true) * (len(true) - 1) // 2
    return right / max(len(pairs), 1), right / everything


def found_groups(folder: Path, rows: int, seed: int) -> dict[str, Any]:
    """What is found of the groups of one log."""
    path = folder / "log.parquet"
    write_log(path, rows, seed)
    seen = scan(path, COLUMNS)
    groups = find_groups(seen)
    agents = logged_agents(seen, groups)
    precision, recall = precision_and_recall(seen, groups)
    return {
        "rows": rows,
        "seed": seed,
        "precision": precision,
        "recall": recall,
        "traffic": agents["copier"].copied_share,
        "true_traffic": agents["copier"].share,
        "called_copiers": [agent.name for agent in agents if agent.copies],
    }


def predicted_gain(folder: Path, rows: int, seed: int) -> dict[str, Any]:
    """The predicted gain of switching, and what a fresh period with the true means gives."""
    path = folder / "log.parquet"
    market = write_log(path, rows, seed)
    seen = scan(path, COLUMNS)
    asked = Asked(
        estimate_market(seen, find_groups(seen), "log"), horizon=rows, repetitions=GAMES, seed=seed
    )
    new, now = asked.games(TARGET, copies=True), asked.games(CURRENT, copies=True)
    limits = predicted(new.rewards - now.rewards)
    fresh = [
        float(
            play(market, text, 0, 1, horizon=rows, seed=seed + 10**6, checkpoints=1).revenue.sum()
        )
        for text in (TARGET, CURRENT)
    ]
    true = fresh[0] - fresh[1]
    return {
        "seed": seed,
        "games": GAMES,
        "mean": limits.mean,
        "low": limits.low,
        "high": limits.high,
        "true": true,
        "inside": bool(limits.low <= true <= limits.high),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["groups", "limits", "demo"])
    parser.add_argument("--logs", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=1e9, help="begin no log after so many")
    options = parser.parse_args()
    if options.what == "demo":
        write_log(Path("demo.parquet"), 100_000, 1)
        return
    file = RESULTS / f"inspected_{options.what}.json"
    with tempfile.TemporaryDirectory() as folder:
        if options.what == "groups":
            # Logs with seeds from 1 to 20 were looked at when the rule for groups was made.
            sizes = [(1_000_000, 101), *((100_000, seed) for seed in range(101, 141))]
            found = [found_groups(Path(folder), *size) for size in sizes]
            file.write_text(json.dumps(found, indent=1) + "\n")
            for one in found:
                print(one)
            return
        found = json.loads(file.read_text()) if file.exists() else []
        done = {one["seed"] for one in found}
        begin = time.monotonic()
        # Logs with seeds below 1000 were looked at when the estimate of the market was made.
        for seed in sorted({*range(1000, 1000 + options.logs)} - done):
            if time.monotonic() - begin > 60 * options.minutes:
                break
            found.append(predicted_gain(Path(folder), 100_000, seed))
            file.write_text(json.dumps(found, indent=1) + "\n")
    print(f"{sum(one['inside'] for one in found)} of {len(found)} inside their limits")


if __name__ == "__main__":
    main()
