"""A small content site: five providers, one of them copying, and what the service makes of it.

Five providers publish articles, and visitors click on what they like. One provider, eve, has a
dull article and publishes it a hundred times. The site asks ``copyproof serve`` what to show, tells
which visitors clicked, and draws what happened: once under UCB1, which looks at articles only, and
once under H-UCB, which knows whose they are. The same visitors come to both.

    python examples/content_site/run.py content-site.png

starts a service of its own, with a store that is thrown away. To use a service that runs already:

    python examples/content_site/run.py content-site.png --url http://127.0.0.1:8000 --key cp_...
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from matplotlib.figure import Figure

from copyproof import save_figure
from copyproof.client import Client

PROVIDERS = {"ann": 0.45, "bob": 0.35, "cleo": 0.25, "dan": 0.15, "eve": 0.05}
"""How likely a visitor clicks on an article of each."""
COPIES = 100
"""How often eve publishes her only article."""
POLICIES = {"ucb1": "UCB1: looks at articles", "h-ucb": "H-UCB: knows whose they are"}
SHADES = {"ann": "#0072b2", "bob": "#009e73", "cleo": "#e69f00", "dan": "#cc79a7", "eve": "black"}
VISITORS = 20_000
PAGE = 20
"""Visitors that come at the same time: their clicks are told together, afterwards."""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("picture", nargs="?", default="content-site.png")
    arguments.add_argument("--url", help="of a service that runs already, with --key")
    arguments.add_argument("--key", help="an operator's key")
    arguments.add_argument("--visitors", type=int, default=VISITORS)
    given = arguments.parse_args()
    if given.url:
        shown = run(given.url, given.key, given.visitors)
    else:
        with own_service() as (url, key):
            shown = run(url, key, given.visitors)
    draw(shown, given.picture)


@contextmanager
def own_service() -> Iterator[tuple[str, str]]:
    """Start ``copyproof serve`` with an empty store; its URL and an operator's key."""
    program = [sys.executable, "-m", "copyproof"]
    with tempfile.TemporaryDirectory() as folder:
        store = ["--store", f"sqlite:{folder}/site.db"]
        key = subprocess.check_output([*program, "keys", "add", "operator", *store], text=True)
        command = [*program, "serve", *store, "--port", "0", "--json"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as service:
            assert service.stdout is not None
            yield json.loads(service.stdout.readline())["url"], key.strip()
            service.terminate()


def run(url: str, key: str, visitors: int) -> dict[str, list[Counter[str]]]:
    """Serve all visitors under each policy; who was shown, page by page."""
    with Client(url, key) as operator:
        found = {}
        for policy in POLICIES:
            market = f"site-{random.SystemRandom().getrandbits(32):08x}"
            operator.create_market(market, policy=policy, seed=1)
            for provider in PROVIDERS:
                operator.register_agent(market, provider)
                copies = COPIES if provider == "eve" else 1
                names = [f"article-{number}" for number in range(1, copies + 1)]
                operator.register_arms(market, provider, names)
            application = operator.make_key("application", markets=[market])
            assert application.key is not None
            with Client(url, application.key) as site:
                found[policy] = visit(site, market, visitors)
            report(operator.statistics(market))
            operator.revoke_key(application.id)
        return found


def visit(site: Client, market: str, visitors: int) -> list[Counter[str]]:
    """Show something to every visitor, and tell who clicked."""
    luck = random.Random(1)
    pages = []
    for _ in range(visitors // PAGE):
        decisions = site.ask(market, PAGE)
        clicks = [
            (decision.id, float(luck.random() < PROVIDERS[decision.agent]))
            for decision in decisions
        ]
        site.tell_many(market, clicks)
        pages.append(Counter(decision.agent for decision in decisions))
    return pages


def report(statistics: dict[str, object]) -> None:
    print(f"{statistics['policy']}: {statistics['revenue']:g} clicks")
    agents = statistics["agents"]
    assert isinstance(agents, list)
    for agent in agents:
        print(
            f"  {agent['agent']:5} {agent['arms']:4} articles  {100 * agent['play_share']:5.1f} % "
            f"of the visitors  {agent['revenue']:6.0f} clicks"
        )


def draw(shown: dict[str, list[Counter[str]]], path: str) -> None:
    """Draw every provider's share of the visitors so far, over time."""
    figure = Figure(figsize=(8.0, 3.4), dpi=200, layout="constrained")
    for ax, (policy, pages) in zip(figure.subplots(1, 2, sharey=True), shown.items(), strict=True):
        at = [PAGE * (number + 1) for number in range(len(pages))]
        for provider, colour in SHADES.items():
            total, shares = 0, []
            for count, page in zip(at, pages, strict=True):
                total += page[provider]
                shares.append(100 * total / count)
            copying = provider == "eve"
            label = f"{provider}, {COPIES} copies" if copying else provider
            ax.plot(at, shares, color=colour, linewidth=2.6 if copying else 1.6, label=label)
        ax.set_title(POLICIES[policy], fontsize=10)
        ax.set_xlabel("visitors")
        ax.set_ylim(0, 100)
        ax.xaxis.set_major_formatter("{x:,.0f}")
        ax.spines[["top", "right"]].set_visible(False)
    figure.axes[0].set_ylabel("share of the visitors so far, %")
    figure.axes[1].legend(frameon=False, loc="center right", fontsize=8)
    save_figure(figure, path)
    print(path)


if __name__ == "__main__":
    main()
