"""The console in a real browser: who sees what, live, safe, and readable for everyone."""

import json
import logging
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from copyproof.live.heads import SignedHead
from tests.browser import opened, screenshots
from tests.service import console as at
from tests.service.console import (
    SIGNING_KEY,
    Console,
    check,
    complaints,
    console_service,
    go,
    loaded,
    signed_in,
)

SITE = "/v1/markets/site"
# Pages by their addresses, and who has them: o(perator), u (an auditor), g (an agent), and
# a(pplication).
PAGES = {
    "markets": "ou",
    "market/site": "ou",
    "copies/site": "ou",
    "policy/site": "ou",
    "agent/site/ann": "ou",
    "keys": "o",
    "log": "ou",
    "backups": "o",
    "mine": "g",
    "application": "a",
}
LETTERS = {"operator": "o", "auditor": "u", "agent": "g", "application": "a"}
LINKS = {
    "operator": ["Markets", "Keys", "Log", "Backups"],
    "site operator": ["Markets", "Keys", "Log"],
    "auditor": ["Markets", "Log"],
    "agent": ["My share"],
    "application": ["This key"],
}
# What the buttons of an operator send.
FORGED: list[tuple[str, str, Any]] = [
    ("POST", f"{SITE}/pause", {"reason": "x"}),
    ("POST", f"{SITE}/resume", None),
    ("POST", f"{SITE}/agents/bob/suspend", None),
    ("POST", f"{SITE}/agents/bob/resume", None),
    ("POST", f"{SITE}/agents/bob/arms/suspend", {"arm": "bob 0"}),
    ("POST", f"{SITE}/agents/bob/arms/resume", {"arm": "bob 0"}),
    ("PUT", f"{SITE}/policy", {"policy": "ucb1"}),
    ("DELETE", f"{SITE}/candidate", None),
    ("PUT", f"{SITE}/rails", {"rails": []}),
    ("POST", f"{SITE}/audits", {}),
    ("POST", f"{SITE}/suspicions/1/confirm", None),
    ("POST", f"{SITE}/suspicions/1/dismiss", None),
    ("POST", "/v1/keys", {"role": "operator"}),
    ("GET", "/v1/keys", None),
    ("POST", "/v1/keys/000000000000/rotate", {"overlap": 0}),
    ("DELETE", "/v1/keys/000000000000", None),
    ("POST", "/v1/backups", None),
    ("GET", "/v1/backups", None),
]
# What an operator of one market may not: what is of others, or of all.
OF_ALL: list[tuple[str, str, Any]] = [
    ("POST", "/v1/markets/small/pause", {"reason": "x"}),
    ("PUT", "/v1/markets/small/policy", {"policy": "ucb1"}),
    ("POST", "/v1/markets/small/audits", {}),
    ("POST", "/v1/backups", None),
    ("GET", "/v1/backups", None),
]


@pytest.fixture(scope="module")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    with console_service(tmp_path_factory.mktemp("backups")) as found:
        yield found


def test_the_key_stays_in_memory(
    browser: Browser, console: Console, caplog: pytest.LogCaptureFixture
) -> None:
    secret = console.keys["operator"].split("_", 2)[2]
    asked: list[str] = []
    with caplog.at_level(logging.DEBUG), signed_in(browser, console) as page:
        page.on("request", lambda each: asked.append(each.url))
        go(page, "market/site")
        expect(page.get_by_text("Shares of decisions over time")).to_be_visible()
        kept = page.evaluate(
            "() => [document.cookie, localStorage.length, sessionStorage.length, location.href]"
        )
        assert kept[:3] == ["", 0, 0]
        assert page.context.cookies() == []
        assert secret not in page.content()
        assert len(asked) > 2
        assert not any(secret in each for each in [*asked, kept[3]])
        assert complaints(page) == []
        page.reload()
        expect(page.get_by_label("API key")).to_be_visible()  # it is gone with the page
        expect(page.get_by_role("button", name="Sign out")).to_have_count(0)
    assert "/v1/" in caplog.text  # requests were logged
    assert secret not in caplog.text


def test_what_is_no_key_is_refused(browser: Browser, console: Console) -> None:
    with opened(browser, console.url) as page:
        check(page)
        screenshots(page, "console-sign-in")
        for text, said in (
            ("nothing", "This is not a key"),
            (f"cp_{'0' * 12}_{'x' * 43}", "not valid"),
        ):
            page.get_by_label("API key").fill(text)
            page.keyboard.press("Enter")
            expect(page.get_by_role("alert")).to_contain_text(said)
            expect(page.get_by_label("API key")).to_have_value("")


def test_the_policy_of_the_page_holds(browser: Browser, console: Console) -> None:
    with signed_in(browser, console) as page:
        blocked = page.evaluate(
            """async () => {
              const found = {};
              try { document.body.innerHTML = "<b>x</b>"; } catch (e) { found.markup = e.name; }
              const script = document.createElement("script");
              try { script.text = "window.hacked = 1"; document.head.append(script); }
              catch (e) { found.script = e.name; }
              try { await fetch("http://127.0.0.1:9/"); } catch (e) { found.host = e.name; }
              return [found, window.hacked ?? null];
            }"""
        )
        errors = {"markup": "TypeError", "script": "TypeError", "host": "TypeError"}
        assert blocked == [errors, None]


@pytest.mark.parametrize("whose", list(LINKS))
def test_every_role_sees_its_pages_and_no_others(
    browser: Browser, console: Console, whose: str
) -> None:
    role = whose.rpartition(" ")[2]
    with signed_in(browser, console, whose) as page:
        links = page.get_by_label("Console").get_by_role("link")
        expect(links).to_have_text(LINKS[whose])
        home = page.url
        for where, allowed in PAGES.items():
            go(page, where)
            is_allowed = LETTERS[role] in allowed and not (where == "backups" and " " in whose)
            assert page.url.endswith(f"#/{where}") == is_allowed, where
            assert is_allowed or page.url == home
            if role == "auditor" and is_allowed:
                page.wait_for_timeout(150)
                buttons = page.locator("main button").all_inner_texts()
                assert set(buttons) <= {"All agents", "Refresh"}, where
        assert complaints(page) == []
    for method, path, body in {"operator": [], "site operator": OF_ALL}.get(whose, FORGED):
        answer = console.caller(whose)(method, path, body)
        # Markets that a key is not for are not there for it.
        refused = (404, "market") if "/small/" in path else (403, "Authorization")
        assert (answer.status, answer.field) == refused, path


def test_names_and_notes_are_text(browser: Browser, console: Console) -> None:
    market = quote(at.SCRIPT, safe="")
    call = console.caller()
    call("POST", f"{SITE}/pause", {"reason": at.MARKUP})
    call("POST", f"{SITE}/resume")
    with signed_in(browser, console) as page:
        expect(page.get_by_role("link", name=at.SCRIPT, exact=True)).to_be_visible()
        places = [
            ("market/site", (at.MARKUP, at.HEBREW, at.LONG)),
            (f"market/{market}", (at.SCRIPT, at.MARKUP)),
            (f"agent/site/{quote(at.MARKUP, safe='')}", (at.MARKUP,)),
            (f"agent/site/{at.LONG}", (at.LONG,)),
            ("keys", (at.NOTE, at.LONG_NOTE)),
            ("log", (at.MARKUP,)),
        ]
        for where, texts in places:
            go(page, where)
            for text in texts:
                expect(page.locator("main").get_by_text(text).first).to_be_visible()
            found = page.evaluate(
                "() => [window.hacked ?? null, document.querySelectorAll('main img').length]"
            )
            assert found == [None, 0], where
            check(page)
        isolated = page.locator(".name", has_text=at.MARKUP).first
        assert isolated.evaluate("one => getComputedStyle(one).unicodeBidi") == "isolate"


def test_every_page_is_readable_for_everyone(browser: Browser, console: Console) -> None:
    call = console.caller()
    call("PUT", f"{SITE}/rails", {"rails": [{"measure": "share", "last": 5000, "at_most": 0.9}]})
    call("PUT", f"{SITE}/policy", {"policy": "default-anytime", "share": 0})
    console.play(200)
    with signed_in(browser, console) as page:
        for where, allowed in PAGES.items():
            if "o" in allowed:
                go(page, where)
                loaded(page)
                check(page)
                screenshots(page, f"console-{where.partition('/')[0]}")
        go(page, "market/site")
        page.get_by_role("button", name="Suspend bob").click()
        check(page)
        screenshots(page, "console-question", full=False)
    for whose, name in (("agent", "mine"), ("application", "application")):
        with signed_in(browser, console, whose) as page:
            loaded(page)
            if whose == "agent":
                page.get_by_role("button", name="Verify").click()
                expect(page.locator("[data-live=verdict]")).to_contain_text("add up to")
            check(page)
            screenshots(page, f"console-{name}")
    console.caller()("DELETE", f"{SITE}/candidate")


def test_it_can_be_used_with_the_keyboard(browser: Browser, console: Console) -> None:
    with opened(browser, console.url) as page:
        page.keyboard.type(console.keys["operator"])  # the field has the focus
        page.keyboard.press("Enter")
        expect(page.get_by_role("link", name="site", exact=True)).to_be_visible()
        page.get_by_role("link", name="site", exact=True).focus()
        page.keyboard.press("Enter")
        suspend = page.get_by_role("button", name="Suspend ann")
        expect(suspend).to_be_visible()
        suspend.focus()
        page.keyboard.press("Enter")
        expect(page.get_by_role("dialog")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(suspend).to_be_focused()
        assert complaints(page) == []


def test_updates_come_by_themselves(browser: Browser, console: Console) -> None:
    with signed_in(browser, console) as page:
        go(page, "market/site")
        ever = page.locator("[data-tile=round]")
        expect(ever).not_to_have_text("–")
        before = int(ever.inner_text().replace(",", ""))
        console.play(10)
        expect(ever).to_have_text(f"{before + 10:,}")  # how soon: benchmarks/live_console.py
        expect(page.locator("#status")).to_have_text("● Live")


def test_a_market_that_rests_is_shown_on_each_of_its_pages(
    browser: Browser, console: Console
) -> None:
    """Nothing is sent anew, so that a page begins with what the one before it knew."""
    with signed_in(browser, console) as page:
        for _ in range(2):
            for where in ("market/small", "policy/small", "agent/small/ann", "market/small"):
                go(page, where)
                loaded(page)
        go(page, "policy/small")
        expect(page.locator("main")).to_contain_text("The market is decided by h-ucb")
        assert complaints(page) == []


def test_an_action_is_asked_for_done_and_on_record(browser: Browser, console: Console) -> None:
    call = console.caller()

    def is_suspended() -> bool:
        return bool(call("GET", f"{SITE}/agents/bob/statistics").json["suspended"])

    with signed_in(browser, console) as page:
        go(page, "market/site")
        page.get_by_role("button", name="Suspend bob").click()
        page.get_by_role("button", name="Cancel").click()
        assert not is_suspended()
        page.get_by_role("button", name="Suspend bob").click()
        page.get_by_role("dialog").get_by_role("button", name="Suspend").click()
        expect(page.get_by_role("button", name="Resume bob")).to_be_visible()
        assert is_suspended()
        page.get_by_role("button", name="Resume bob").click()
        page.get_by_role("dialog").get_by_role("button", name="Resume").click()
        expect(page.get_by_role("button", name="Suspend bob")).to_be_visible()
        page.get_by_role("button", name="Pause the market").click()
        page.get_by_label("Reason").fill("wrong prices")
        page.get_by_role("dialog").get_by_role("button", name="Pause").click()
        expect(page.locator(".notice")).to_contain_text("wrong prices")
        page.get_by_role("button", name="Resume the market").click()
        page.get_by_role("dialog").get_by_role("button", name="Resume").click()
        expect(page.locator(".notice")).to_have_count(0)
        go(page, "backups")
        page.get_by_role("button", name="Make a backup").click()
        page.get_by_role("dialog").get_by_role("button", name="Make").click()
        expect(page.locator("tbody tr")).to_have_count(1)
        assert len(list(console.backups.glob("copyproof-*.db"))) == 1
        go(page, "keys")
        page.get_by_role("button", name="Make a key").click()
        page.get_by_label("Note").fill("for the console")
        page.get_by_role("dialog").get_by_role("button", name="Make").click()
        secret = page.locator("code.secret").inner_text()
        page.get_by_role("button", name="Close").click()
        assert call("GET", "/v1/markets", key=secret).status == 200
        row = page.locator("tr", has_text="for the console")
        row.get_by_role("button", name="Revoke").click()
        page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
        expect(row).to_contain_text("revoked")
        assert call("GET", "/v1/markets", key=secret).status == 401
        go(page, "log")
        for text in (
            "/agents/bob/suspend",
            "/agents/bob/resume",
            "wrong prices",
            "POST /v1/backups",
            "DELETE /v1/keys/",
        ):
            expect(page.locator("tbody").get_by_text(text).first).to_be_visible()
        assert complaints(page) == []


def test_a_policy_is_previewed_before_it_is_changed(browser: Browser, console: Console) -> None:
    with signed_in(browser, console) as page:
        go(page, "policy/site")
        page.get_by_label("Policy").fill("ucb1")
        page.get_by_label("How").select_option(label="for good")
        page.get_by_role("button", name="Preview").click()
        expect(page.locator(".notice")).to_contain_text("Copies would pay")
        page.get_by_role("button", name="Discard").click()
        page.get_by_label("Policy").fill("rh-ucb(L=")
        page.get_by_role("button", name="Preview").click()
        expect(page.locator("#said")).to_contain_text("policy = ")
        page.get_by_label("Policy").fill("fair")
        page.get_by_label("How").select_option(value="0")
        page.get_by_role("button", name="Preview").click()
        page.get_by_role("button", name="Apply").click()
        page.get_by_role("dialog").get_by_role("button", name="Change").click()
        expect(page.get_by_text("Done: Change the policy")).to_be_visible()
        console.play(50)
        expect(page.get_by_text("Both wanted the same")).to_be_visible()
        assert console.caller()("GET", SITE).json["candidate"]["share"] == 0
        page.get_by_role("button", name="Drop the candidate").click()
        page.get_by_role("dialog").get_by_role("button", name="Drop").click()
        expect(page.get_by_text("No candidate runs")).to_be_visible()


def test_an_audit_runs_beside_the_service(browser: Browser, console: Console) -> None:
    with signed_in(browser, console) as page:
        go(page, "copies/small")
        page.get_by_label("Rounds").fill("10")
        page.get_by_role("button", name="Find out").click()
        page.get_by_role("dialog").get_by_role("button", name="Begin").click()
        expect(page.get_by_text("arms are looked at")).to_be_visible()
        assert console.caller()("POST", f"{SITE}/decisions").status == 200
        expect(page.get_by_text("Best copying tried").first).to_be_visible()
        expect(page.locator("main").get_by_text(at.MARKUP).first).to_be_visible()
        check(page)
        screenshots(page, "console-audit")


def test_suspicions_are_reviewed_and_on_record(browser: Browser, console: Console) -> None:
    """From fingerprints to the queue, to what an operator says, to log, journal and group."""
    call, path = console.caller(), "/v1/markets/reviewed"
    assert call("PUT", path, {"policy": "h-ucb", "seed": 1}).status == 200
    one, other = "0123456789abcdef", "fedcba9876543210"
    for agent, content in (("ann", one), (at.MARKUP, one), ("bob", other), (at.HEBREW, other)):
        prints = {"x": {"hash": content}}
        where = f"{path}/agents/{quote(agent, safe='')}/arms"
        assert call("POST", where, {"arms": ["x"], "fingerprints": prints}).status == 200
    first, second = (each["id"] for each in call("GET", f"{path}/suspicions").json["suspicions"])
    with signed_in(browser, console) as page:
        go(page, "copies/reviewed")
        rows = page.get_by_label("Review queue").locator("tbody tr")
        expect(rows).to_have_count(2)
        expect(rows.first).to_contain_text(at.MARKUP)
        expect(rows.first).to_contain_text("100 %")
        expect(rows.last).to_contain_text(at.HEBREW)
        check(page)
        screenshots(page, "console-review")
        rows.last.get_by_role("button", name="Dismiss").click()
        page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
        expect(rows.last).to_contain_text("open")
        rows.last.get_by_role("button", name="Dismiss").click()
        page.get_by_role("dialog").get_by_role("button", name="Dismiss").click()
        expect(rows.last).to_contain_text("dismissed")
        rows.first.get_by_role("button", name="Confirm").click()
        expect(page.get_by_role("dialog")).to_contain_text("bound to one group")
        check(page)
        page.get_by_role("dialog").get_by_role("button", name="Confirm").click()
        expect(rows.first).to_contain_text("confirmed")
        expect(rows.first.get_by_role("button")).to_have_count(0)
        go(page, "log")
        for said in (f"{second}/dismiss", f"{first}/confirm"):
            line = page.locator("tbody tr", has_text=f"POST {path}/suspicions/{said}")
            expect(line).to_have_count(1)
            expect(line).to_contain_text("200")
        assert complaints(page) == []
    with signed_in(browser, console, "auditor") as page:
        go(page, "copies/reviewed")
        rows = page.get_by_label("Review queue").locator("tbody tr")
        expect(rows.first).to_contain_text("confirmed")
        expect(rows.get_by_role("button")).to_have_count(0)
    call = console.caller()  # the connection of before may have been idle for too long
    states = [one["status"] for one in call("GET", f"{path}/suspicions").json["suspicions"]]
    assert states == ["confirmed", "dismissed"]
    lines = call("GET", f"{path}/journal").body.decode().splitlines()
    events = [json.loads(line) for line in lines]
    reviews = {one["suspicion"]: one["review"] for one in events if one["kind"] == "reviewed"}
    assert reviews == {first: "confirmed", second: "dismissed"}
    [bound] = [one for one in events if one["kind"] == "group"]
    assert len(bound["members"]) == 2
    assert bound["group"]


def verdict(page: Page) -> str:
    page.locator("[data-live=verdict]").evaluate("one => one.replaceChildren()")
    page.get_by_role("button", name="Verify").click()
    said = page.locator("[data-live=verdict]")
    expect(said).to_contain_text("erified")
    return said.inner_text()


def test_a_provider_verifies_its_share(browser: Browser, console: Console) -> None:
    head = console.caller("agent")("GET", f"{SITE}/head").json
    console.play(50)
    with signed_in(browser, console, "agent") as page:
        assert verdict(page).startswith("● verified")
        page.get_by_label("Signed heads").fill(json.dumps(head))
        text = verdict(page)
        assert text.startswith("● verified")
        assert "leads to 2 of 2 signed heads" in text
        own = console.caller("agent")("GET", f"{SITE}/agents/ann/statistics").json
        assert f"{own['plays']} plays" in text
        for wrong, said in (
            ({"market": "shop"}, "that you kept is of market shop, not of "),
            ({"digest": "00" * 32}, "that you kept has no good signature"),
        ):
            page.get_by_label("Signed heads").fill(json.dumps({**head, **wrong}))
            page.get_by_role("button", name="Verify").click()
            expect(page.locator("[data-live=verdict]")).to_contain_text(said)
        late = SIGNING_KEY.sign(
            SignedHead.from_dict({**head, "number": 10**6, "at": 4e9})  # after the end
        )
        page.get_by_label("Signed heads").fill(json.dumps(asdict(late)))
        text = verdict(page)
        assert "not verified" in text
        assert "leads to 1 of 2 signed heads" in text
        assert complaints(page) == []


def test_a_provider_sees_what_was_changed(browser: Browser, console: Console) -> None:
    kinds = {"reward": "one is not as it was written", "lost": "is missing"}
    kind = "reward"

    def changed(route: Route) -> None:
        lines = route.fetch().text().splitlines()
        for number, line in enumerate(lines):
            found = json.loads(line)
            shown = [one for one in found.get("pieces", []) if isinstance(one, list)]
            reward = next((one for one in shown if one[1].endswith((",1.0]", ",0.0]"))), None)
            if kind == "reward" and reward is not None:
                other = "0.0]" if reward[1].endswith("1.0]") else "1.0]"
                reward[1] = reward[1][:-4] + other
                lines[number] = json.dumps(found)
                break
            if kind == "lost" and reward is not None:
                del lines[number]
                break
        route.fulfill(body="\n".join(lines), content_type="application/x-ndjson")

    def forged(route: Route) -> None:
        head = route.fetch().json()
        route.fulfill(json={**head, "at": head["at"] + 1})

    with signed_in(browser, console, "agent") as page:
        page.route("**/agents/ann/journal", changed)
        for kind in kinds:
            text = verdict(page)
            assert "not verified" in text.lower()
            assert kinds[kind] in text or "the signed head is another one" in text
        page.unroute("**/agents/ann/journal")
        page.route("**/head", forged)
        text = verdict(page)
        assert "not verified" in text
        assert "The signature of the head is wrong" in text
