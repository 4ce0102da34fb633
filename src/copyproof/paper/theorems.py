"""The theorems of the paper: what is really known of each, and what they say about its markets."""

from collections.abc import Iterator

from copyproof.pages import PageTable
from copyproof.paper.measures import misses
from copyproof.paper.study import StudyResults
from copyproof.plots.palette import name_of
from copyproof.simulation import Result
from copyproof.theory import Bound, bounds

# By number: the claim, its status in a few words, and what is known.
THEOREMS: dict[str, tuple[str, str, str]] = {
    "1": (
        "UCB1 is replication-prone: some agent always gains from more arms.",
        "true in another form",
        "With at least two agents, others that register something and a best mean above 0, an "
        "agent that copies its best arm without limit earns nearly all there is. The printed proof "
        "fails: it embeds one game in another, and the index depends on the common round t. It is "
        "not true that one more copy always helps, nor that copying a whole set of arms does.",
    ),
    "2": (
        "H-UCB is replication-proof: to register only one's best arm is dominant.",
        "proven for n = 2",
        "For three agents or more the printed proof is invalid, and the claim is unproven. No "
        "counterexample in expectation is known (searched exactly up to T = 8 and numerically up "
        "to T = 14, with three agents).",
    ),
    "3": (
        "H-UCB's regret at that equilibrium is at most Σ 8 ln T / Δᵢ + (1 + π²/3) Σ Δᵢ.",
        "proven",
        "It is UCB1's bound over agents; copies of an agent's best arm change nothing. Not vacuous "
        "at the scale of the paper's experiments.",
    ),
    "4": (
        "RH-UCB is replication-proof.",
        "proven for n = 2",
        "As theorem 2: for three agents or more the printed proof is invalid and the claim is "
        "unproven.",
    ),
    "5": (
        "RH-UCB's regret is O(√T ln T) with a unique best agent and L ≥ 1/c.",
        "constants unproven",
        "The printed proof applies Markov's and Hoeffding's inequalities at a random number of "
        "plays as if it were fixed, so that its constants are unproven. The order is believed: a "
        "union over powers of two of that number should repair it, and is not written out. The sum "
        "must leave out the best agent. Even as printed it is vacuous at the scale of the paper's "
        "experiments: its term 16 L⁵ ln⁵ T alone is larger than any regret there. Figure 2c breaks "
        "its condition, as L = 3 there and 1/c = 21.",
    ),
    "6": (
        "RH-UCB's regret is O(T^(3/4) ln T), whatever the means.",
        "constants unproven",
        "It rests on the same steps as theorem 5. The paper's last line prints 2√n where 4√n is "
        "meant. Vacuous at that scale, too.",
    ),
    "7": (
        "PRH-UCB's regret is O(√(T ln³ T)), and O(T^(3/4) ln^(3/2) T) whatever the means.",
        "a sketch, orders only",
        "The paper gives a sketch of a proof, by the steps of theorem 5, and no constants, so that "
        "there is no number to compare with. It takes T ln³ T ≥ e^(2/c), which figure 2c's market "
        "does not meet.",
    ),
    "Lemma 1": (
        "A sample of L ln T arms misses every best arm with probability at most (1 − c)^(L ln T).",
        "holds before rounding",
        "With the size rounded down to m = ⌊L ln T⌋ only (1 − c)^m holds, which may exceed the 1/T "
        "that is promised. The exact probability is hypergeometric.",
    ),
}

# The theorems that are about a policy at all.
_ABOUT = {
    "ucb1": ("Lai-Robbins",),
    "h-ucb": ("theorem 3",),
    "rh-ucb": ("theorem 5", "theorem 6", "lemma 1", "lemma 1, exact"),
    "prh-ucb": ("theorem 7",),
}


def theorems_table() -> PageTable:
    """What each theorem says, and what is known of it."""
    head = ("Theorem", "What it says", "Status", "What is known")
    return PageTable(head, [(name, *row) for name, row in THEOREMS.items()], numbers=False)


def bounds_table(figures: StudyResults) -> PageTable:
    """The bounds on the markets that were played, next to what was measured there."""
    head = ("Market, policy", "Theorem", "Bound", "Measured", "Remark")
    return PageTable(head, bound_rows(figures), numbers=False)


def bound_rows(figures: StudyResults) -> list[tuple[str, ...]]:
    """The bounds on the markets that were played, next to what was measured there.

    Left out are samples that cannot miss, as all arms of an agent are equal or in play.
    """
    rows: list[tuple[str, ...]] = []
    for market, result in _played(figures):
        policy = str(result.policy).partition("(")[0]
        place = f"{market}, {name_of(policy)}"
        if policy == "rh-ucb":
            place += f" {str(result.resolved_policy).removeprefix(policy)}"
        for bound in bounds(result.market, str(result.policy), result.horizon):
            trivial = bound.of == "probability" and bound.value == 0
            if bound.theorem in _ABOUT.get(policy, ()) and not trivial:
                told = (_value(bound), _measured(bound, result), _remark(bound))
                rows.append((place, bound.theorem, *told))
    return rows


def _played(figures: StudyResults) -> Iterator[tuple[str, Result]]:
    """One result for each market and policy; the one without copies if there is no figure 2a."""
    if "fig1a" in figures and "fig2a" not in figures:
        yield from (("no copies", r) for key, r in figures["fig1a"].items() if key[0] == 1)
    for name in ("fig2a", "fig2b", "fig2c"):
        yield from ((name.removeprefix("fig"), r) for r in figures.get(name, {}).values())
    if "samples" in figures:
        by_factor = figures["samples"]
        yield "2c", by_factor[max(by_factor)]


def _value(bound: Bound) -> str:
    value = bound.value
    if value is None:
        return "–"
    if bound.of == "probability":
        return f"{value:.4f}" if value == 0 or value > 1e-4 else f"{value:.1e}"
    return f"{value:,.0f}" if value < 1e9 else f"{value:.2e}"


def _measured(bound: Bound, result: Result) -> str:
    if bound.of == "probability":
        return f"{misses(result).mean():.2f}"
    return f"{result.regret.mean:,.0f}"


def _remark(bound: Bound) -> str:
    applies = "Applies, but is vacuous" if bound.vacuous else "Applies"
    return f"{applies if bound.applies else 'Does not apply'}: {bound.why}."
