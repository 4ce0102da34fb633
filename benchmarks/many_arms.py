"""Rules that are not lines, on many arms: ``python benchmarks/many_arms.py``.

Million rounds a second of one whole game each, one thread, on the markets of figures 2a (1,004
arms) and 2c (9,420). To compare two checkouts run it with the Python of each, or in turns with
``compare.py OLD NEW --only kl-ucb thompson h-kl-ucb h-thompson``.
"""

import argparse

from copyproof import paper_market, simulate

POLICIES = ("kl-ucb", "thompson", "h-kl-ucb", "h-thompson")


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--horizon", type=int, default=100_000)
    parser.add_argument("--policies", nargs="+", default=POLICIES)
    given = parser.parse_args()
    print("| policy | 2a | 2c |")
    print("|---|---:|---:|")
    for policy in given.policies:
        rates = []
        for figure in ("2a", "2c"):
            how = {"horizon": given.horizon, "repetitions": 1, "seed": 1, "workers": 1}
            rates.append(simulate(paper_market(figure), policy, **how).rounds_per_second / 1e6)
        print(f"| {policy} | {rates[0]:.4f} | {rates[1]:.4f} |", flush=True)


if __name__ == "__main__":
    main()
