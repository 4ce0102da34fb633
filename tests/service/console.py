"""A service with a console to look at, and the steps that tests take in it."""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from playwright.sync_api import Browser, Page, expect

from copyproof.live import MarketConfig, Principal
from copyproof.live.heads import SigningKey
from copyproof.live.stores import Store, open_store
from copyproof.service import Limits
from copyproof.service.keys import Keyring
from tests.browser import check_themes, check_width, opened, said
from tests.service.serving import Caller, Running, serving

SIGNING_KEY = SigningKey(Ed25519PrivateKey.generate())

# Names that would do something if they were taken for markup, or for the page's own direction.
MARKUP = "<img src=x onerror=window.hacked=1>"
SCRIPT = "<script>window.hacked=1<script>"
HEBREW = "אבג (x)"
LONG = "w" * 200
MEANS = {"ann": 0.5, "bob": 0.3, MARKUP: 0.6, HEBREW: 0.2, LONG: 0.1}
NOTE = '"><svg onload=window.hacked=1> ' + "אבג"
LONG_NOTE = (8 * NOTE)[:200]
AUTHORS = ("site", SCRIPT)


@dataclass
class Console:
    """A running service, with a key of each role."""

    running: Running
    store: Store
    keys: dict[str, str]
    backups: Path

    @property
    def url(self) -> str:
        return f"{self.running.url}/console"

    def caller(self, whose: str = "operator") -> Caller:
        return Caller(self.running.url, self.keys[whose])

    def play(self, rounds: int, market: str = "site", seed: int = 1) -> None:
        """Make decisions, and tell rewards."""
        call, luck = self.caller(), random.Random(seed)
        path = f"/v1/markets/{market}"
        for _ in range(rounds // 10):
            made = call("POST", f"{path}/decisions", {"count": 10}).json["decisions"]
            rewards = [
                {"decision": one["id"], "reward": float(luck.random() < MEANS[one["agent"]])}
                for one in made
            ]
            assert call("POST", f"{path}/rewards", {"rewards": rewards}).status == 200


@contextmanager
def console_service(backups: Path) -> Iterator[Console]:
    store = open_store("memory:")
    for market in AUTHORS:
        config = MarketConfig(policy="h-ucb", seed=7)
        principal = Principal(store=store, market=market, config=config)
        for number, agent in enumerate(MEANS):
            arms = [(agent, f"{agent[:40]} {n}") for n in range(1 + number % 2)]
            principal.register_arms(arms)
    small = Principal(store=store, market="small", config=MarketConfig(policy="h-ucb", seed=7))
    small.register_arms([("ann", "a"), (MARKUP, "b")])
    ring = Keyring(store, time.time)
    made: dict[str, Any] = {
        "operator": ring.add("operator", note=NOTE),
        "auditor": ring.add("auditor", note=LONG_NOTE),
        "application": ring.add("application", markets=("site",)),
        "agent": ring.add("agent", markets=("site",), agent="ann"),
        "site operator": ring.add("operator", markets=("site",)),
    }
    keys = {whose: text for whose, (_, text) in made.items()}
    settings: dict[str, Any] = {
        "limits": Limits(agent_rate=1e6, agent_burst=10**6),
        "signing_key": SIGNING_KEY,
        "backups_to": backups,
    }
    with serving(store, **settings) as running:
        found = Console(running, store, keys, backups)
        found.play(600)
        yield found


@contextmanager
def signed_in(
    browser: Browser, console: Console, whose: str = "operator", **options: Any
) -> Iterator[Page]:
    """The console, signed in with a key."""
    with opened(browser, console.url, **options) as page:
        page.get_by_label("API key").fill(console.keys[whose])
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("button", name="Sign out")).to_be_visible()
        yield page


def go(page: Page, where: str) -> None:
    """Go to a page of the console by its address."""
    page.evaluate(
        """where => location.hash === where ? null : new Promise(done => {
             addEventListener("hashchange", () => setTimeout(done, 50), {once: true});
             location.hash = where;
           })""",
        f"#/{where}",
    )


def loaded(page: Page) -> None:
    """Wait until no part of the page is empty any more."""
    page.wait_for_function(
        """() => {
             const all = (what, holds) =>
               [...document.querySelectorAll(`main ${what}`)].every(holds);
             return all("section", one => one.textContent !== one.querySelector("h2").textContent)
               && all("p", one => one.textContent !== "…")
               && all("[data-tile=round]", one => one.textContent !== "–");
           }"""
    )


def complaints(page: Page) -> list[str]:
    """What the browser's console said, but for streams that the page itself closed."""
    return [
        line
        for line in said(page)
        if not (line.startswith("failed: ") and "/v1/events" in line and "ERR_ABORTED" in line)
    ]


def check(page: Page) -> None:
    """Fail unless axe-core finds nothing in either theme, and the browser's console is empty."""
    page.emulate_media(reduced_motion="reduce")
    check_themes(page)
    page.emulate_media(color_scheme="light", reduced_motion="null")
    assert complaints(page) == []
    check_width(page)
