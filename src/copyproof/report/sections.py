"""The sections of the report, one function each."""

from collections.abc import Iterator, Sequence

from copyproof.paper import FIGURES, OURS, Figures, Settings, Verdict
from copyproof.report.html import Markup, anchor, element, image, link, table
from copyproof.report.numbers import numbers
from copyproof.report.seen import what_one_sees
from copyproof.report.theorems import BOUND_HEAD, STATUS_HEAD, THEOREMS, bound_rows
from copyproof.report.words import CAPTIONS, HEADINGS
from copyproof.simulation import Result

__all__ = [
    "claims_section",
    "figure_section",
    "games",
    "runs_section",
    "summary",
    "theorems_section",
]

PAPER = "https://proceedings.mlr.press/v151/shin22a.html"
_HONEST = {"honest-1": "No copies, one arm", "honest-3": "No copies, three arms"}
_SIGNS = {True: "✓ holds", False: "✗ fails"}


def games(figures: Figures) -> list[Result]:
    """All results, each once: figures share some."""
    return list({id(one): one for runs in figures.values() for one in runs.values()}.values())


def home_of(verdict: Verdict, figures: Figures) -> str | None:
    """The figure under which a verdict is shown: the last of those it rests on."""
    resting = [name for name in FIGURES if name in verdict.figures and name in figures]
    if resting:
        return resting[-1]
    return "samples" if "samples" in figures else None


def summary(figures: Figures, verdicts: Sequence[Verdict]) -> Iterator[Markup]:
    """What came out, in one paragraph."""
    yield element(
        "p",
        "The study of ",
        element("cite", "Multi-armed Bandit Algorithm against Strategic Replication"),
        " (Shin, Lee, Ok, ",
        link(PAPER, "AISTATS 2022"),
        "), played again: bandits whose arms belong to agents, and agents who may register copies "
        "of their arms to be shown more often. ",
        _outcome(verdicts),
        class_="lead",
    )
    places = [(HEADINGS[name], f"#{name}") for name in FIGURES if name in figures]
    entries = [("What was run", "#runs"), *places, ("Theorems", "#theorems")]
    if verdicts:
        entries.insert(0, ("Claims", "#claims"))
    listed = [element("li", link(target, text)) for text, target in entries]
    yield element("nav", element("ul", *listed), aria_label="Contents")


def _outcome(verdicts: Sequence[Verdict]) -> Markup:
    if not verdicts:
        return Markup("No claim can be judged from these figures alone.")
    papers = [verdict for verdict in verdicts if not verdict.beyond]
    ours = [verdict for verdict in verdicts if verdict.beyond]
    parts = [_held(papers, "made about its simulations")] if papers else []
    if ours:
        parts.append(_held(ours, "of ours about Grace, a policy beyond the paper,"))
    return Markup(" ".join(parts))


def _held(verdicts: Sequence[Verdict], which: str) -> Markup:
    """How many statements of one kind hold, and which do not."""
    failing = [verdict for verdict in verdicts if not verdict.holds]
    held = len(verdicts) - len(failing)
    total = len(verdicts)
    text = f"Of {total} statements {which} {held} {'holds' if held == 1 else 'hold'}"
    if total == 1:
        text = f"The one statement {which} {'holds' if held else 'fails'}"
    elif not failing:
        text = f"All {total} statements {which} hold"
    if not failing or total == 1:
        return element("strong", f"{text}.")
    links = [link(f"#{_anchor(one)}", one.claim) for one in failing]
    joined = Markup("; ".join(links))
    verb = "fails" if len(failing) == 1 else "fail"
    return element("strong", f"{text}, and {len(failing)} {verb}: ", joined, ".")


def _anchor(verdict: Verdict) -> str:
    return f"claim-{anchor(verdict.claim)}"


def _badge(verdict: Verdict) -> Markup:
    kind = "holds" if verdict.holds else "fails"
    return element("span", _SIGNS[verdict.holds], class_=f"badge {kind}")


def claims_section(figures: Figures, verdicts: Sequence[Verdict]) -> Iterator[Markup]:
    """All claims in one table, with links to their evidence."""
    if not verdicts:
        return
    yield element("h2", "Claims", id="claims")
    yield element(
        "p",
        "The paper's claims about its simulations. One that holds only in part, or can be read in "
        "two ways, is split. Words such as “almost linear” are given a number in the statement. "
        "Intervals are 95 % ones, and comparisons are made repetition by repetition, as all games "
        "share their luck.",
        class_="quiet",
    )
    yield from _claims_table([verdict for verdict in verdicts if not verdict.beyond])
    ours = [verdict for verdict in verdicts if verdict.beyond]
    if ours:
        yield element("h3", "Beyond the paper", id="beyond")
        yield element(
            "p",
            "Statements of ours, judged in the same way. They are about Grace, the seventh policy "
            "of the figures, which the paper does not know; UCB1, S-UCB, Fair, H-UCB, RH-UCB and "
            "PRH-UCB are the paper's six, and its own claims are judged on these alone.",
            class_="quiet",
        )
        yield from _claims_table(ours)
    homeless = [verdict for verdict in verdicts if home_of(verdict, figures) is None]
    if homeless:
        yield _judged(homeless)


def _claims_table(verdicts: Sequence[Verdict]) -> Iterator[Markup]:
    rows = [
        (link(f"#{_anchor(verdict)}", verdict.claim), _badge(verdict), verdict.text)
        for verdict in verdicts
    ]
    if rows:
        yield table(("Claim", "Verdict", "Statement"), rows, numbers=False)


def _judged(verdicts: Sequence[Verdict]) -> Markup:
    items = [
        element(
            "li",
            _badge(verdict),
            f" {verdict.claim}. {verdict.text}",
            element("em", " Beyond the paper.") if verdict.beyond else Markup(),
            element("p", f"Evidence: {verdict.evidence}.", class_="evidence"),
            id=_anchor(verdict),
            class_="holds" if verdict.holds else "fails",
        )
        for verdict in verdicts
    ]
    return element("ul", Markup("\n".join(items)), class_="claims")


def runs_section(figures: Figures, settings: Settings) -> Iterator[Markup]:
    """What was played, with which parameters, and how long it took."""
    found = games(figures)
    yield element("h2", "What was run", id="runs")
    rounds = sum(one.horizon * one.repetitions for one in found)
    versions = {f"{name} {v}": None for one in found for name, v in one.versions.items()}
    size = (
        f"T = {settings.horizon:,} rounds, {settings.repetitions:,} repetitions, seed "
        f"{settings.seed}; {len(found)} combinations of market, policy and length, {rounds:,} "
        "rounds in all"
    )
    if "growth" in figures:
        T = settings.horizons
        size += f". Growth: T from {T[0]:,} to {T[-1]:,}, "
        size += f"{settings.repetitions_at(T[-1])} repetitions where T > {settings.horizon:,}"
    entries = [
        ("Size", size),
        ("Rewards", "Bernoulli: 1 with the arm's mean as probability, else 0"),
        ("The paper's policies", _policies(found, ours=False)),
        ("Ours", _policies(found, ours=True)),
        ("Luck", "common to all: policies and strategies meet the same random numbers"),
        ("Regret", "reward lost to always playing the best arm, by true means"),
        ("Versions", ", ".join(versions)),
    ]
    lines = [element("dt", name) + element("dd", text) for name, text in entries if text]
    yield element("dl", Markup("\n".join(lines)))
    minutes = sum(one.seconds for one in found) / 60
    yield element("p", f"The games took {minutes:.1f} minutes.", class_="quiet timing")
    yield table(
        *_markets(figures),
        numbers=False,
        caption="Markets: the means of each agent's arms × copies.",
    )


def _policies(found: Sequence[Result], *, ours: bool) -> str:
    """The policies as they were played, l and L included: the paper's, or ours."""
    chosen = [one for one in found if (str(one.policy) == OURS) == ours]
    return ", ".join(dict.fromkeys(str(one.resolved_policy) for one in chosen))


def _markets(figures: Figures) -> tuple[list[str], list[list[str]]]:
    columns: dict[str, Result] = {}
    for name in ("fig1a", "fig1b", "fig2a", "fig2b", "fig2c"):
        if name in figures:
            columns[f"Figure {name.removeprefix('fig')}"] = list(figures[name].values())[-1]
    for name in ("ablation", "growth", "markets"):
        for key, one in figures.get(name, {}).items():
            columns.setdefault(_HONEST.get(str(key[0]), f"Figure {key[0]}"), one)
    for one in figures.get("samples", {}).values():
        columns.setdefault("Figure 2c", one)
    first = next(iter(columns.values()))
    rows = []
    for place, agent in enumerate(first.market.agents):
        cells = []
        for column, one in columns.items():
            here = one.market.agents[place]
            copies = [f"{c:,}" for c in here.copies]
            if column in ("Figure 1a", "Figure 1b") and here.registered > 1:
                copies = [f"1 … {here.registered:,}"]
            arms = zip(here.arms, copies, strict=True)
            cells.append(", ".join(f"{arm.mean:g} × {c}" for arm, c in arms))
        rows.append([agent.name, *cells])
    return ["Agent", *columns], rows


def figure_section(
    name: str, figures: Figures, verdicts: Sequence[Verdict], source: str
) -> Iterator[Markup]:
    """One figure with its caption, its files, its claims and its numbers."""
    yield element("h3", HEADINGS[name], id=name)
    yield element(
        "figure",
        image(source, what_one_sees(name, figures[name])),
        element("figcaption", CAPTIONS[name]),
    )
    drawn = [link(f"figures/{name}.{kind}", kind.upper()) for kind in ("png", "svg", "pdf")]
    data = [link(f"data/{name}.csv", "CSV"), link(f"data/{name}.parquet", "Parquet")]
    yield element("p", "Figure: ", _joined(drawn), ". Data: ", _joined(data), ".", class_="files")
    own = [verdict for verdict in verdicts if home_of(verdict, figures) == name]
    if own:
        yield _judged(own)
    found = numbers(name, figures)
    yield table(found.head, found.rows, caption=found.caption)


def _joined(parts: Sequence[Markup]) -> Markup:
    return Markup(", ".join(parts))


def theorems_section(figures: Figures, settings: Settings) -> Iterator[Markup]:
    """What is known of the theorems, and what they say about the markets that were played."""
    yield element("h2", "Theorems", id="theorems")
    yield element(
        "p",
        "What the paper's theorems claim, and what is really known of them. n is the number of "
        "agents, Δᵢ how far the best mean of agent i is below the best of all, c the smallest "
        "share of best arms among an agent's registered arms. “Vacuous” is a bound that allows "
        "more than the most regret there can be, T times the largest gap.",
    )
    yield table(STATUS_HEAD, THEOREMS, numbers=False)
    rows = bound_rows(figures)
    if rows:
        yield element("h3", "Bounds and measurements", id="bounds")
        yield element(
            "p",
            f"The bounds at T = {settings.horizon:,} next to the mean regret that was measured; "
            "for lemma 1, probabilities next to the share of repetitions in which the best agent's "
            "sample holds none of its best arms. The lower bound of Lai and Robbins (1985) is "
            "asymptotic: at a given T the regret may be below it.",
        )
        yield table(BOUND_HEAD, rows, numbers=False)
