"""What copies buy: the share of the traffic that the worst of five providers takes.

Five providers with one arm each, of means 0.5 to 0.9. The worst one submits copies of its arm.
Draws the share of all plays that it gets, against the number of copies, under the six policies of
the paper and under Trial, the default policy of copyproof.

    python examples/copies_pay.py docs/images/copies-pay.png
"""

import sys

from matplotlib.figure import Figure

from copyproof import paper_market, save_figure, simulate
from copyproof.plots.labels import End, label_ends
from copyproof.plots.palette import colour_of, name_of

POLICIES = ["ucb1", "s-ucb", "fair", "h-ucb", "rh-ucb", "prh-ucb", "trial"]
COPIES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
HORIZON = 1000


def main(path: str) -> None:
    figure = Figure(figsize=(6.4, 3.4), dpi=200, layout="constrained")
    ax = figure.subplots()
    ends = []
    print("    copies: " + "  ".join(f"{copies:5}" for copies in COPIES))
    for policy in POLICIES:
        shares = []
        for copies in COPIES:
            market = paper_market("1a", copies=copies)
            result = simulate(market, policy, horizon=HORIZON, repetitions=1000, seed=1)
            shares.append(100 * result.agents[0].plays.mean / HORIZON)
        colour, name = colour_of(policy), name_of(policy)
        ax.plot(COPIES, shares, "o-", color=colour, linewidth=1.8, markersize=4, clip_on=False)
        text = f"{name}  {shares[0]:.1f} → {shares[-1]:.1f} %"
        ends.append(End(COPIES[-1], shares[-1], text, colour))
        print(f"{name:>10}: " + "  ".join(f"{share:5.1f}" for share in shares))
    ax.set_xscale("log")
    ax.set_xticks(COPIES, [f"{copies:,}" for copies in COPIES])
    ax.set_xlabel("copies that the worst of five providers submits")
    ax.set_ylabel("its share of the traffic, %")
    ax.set_xlim(0.85 * COPIES[0], COPIES[-1])
    ax.set_ylim(0, 100)
    ax.minorticks_off()
    ax.spines[["top", "right"]].set_visible(False)
    label_ends(ax, ends)
    save_figure(figure, path)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "copies-pay.png")
