"""The page in a real Chromium: it works from a file, and its every number is the engine's."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from typer.testing import CliRunner

from copyproof import Market, paper_market, simulate
from copyproof.cli.app import app
from copyproof.game import Agent, split
from copyproof.lab import packing
from tests.browser import check_page, check_quiet, opened, screenshots

PROGRAMS = Path(sys.executable).parent
SHORT = "&rounds=2000"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "game.html"
    path.write_text(packing.page(), encoding="utf-8")
    return path


@contextmanager
def shown(browser: Browser, file: Path, state: str, **options: Any) -> Iterator[Page]:
    with opened(browser, f"{file.as_uri()}#{state}", **options) as page:
        yield page


def ended(page: Page) -> None:
    """Wait until the game is over and its numbers are shown."""
    page.wait_for_function("() => copyproof.run && copyproof.run.isOver && copyproof.isTold")


def figures(page: Page) -> dict[str, str]:
    names, values = page.locator("#figures dt"), page.locator("#figures dd")
    return dict(zip(names.all_text_contents(), values.all_text_contents(), strict=True))


def evidence(page: Page) -> str:
    return page.locator("#evidence").text_content() or ""


def test_copies_flood_ucb1_and_the_lever_goes_dead(browser: Browser, file: Path) -> None:
    with shown(browser, file, "chapter=1&rounds=4000") as page:
        lever = page.get_by_label("Your copies")
        lever.focus()
        for _ in range(11):
            page.keyboard.press("ArrowRight")
        assert lever.get_attribute("aria-valuetext") == "100"
        page.wait_for_function("() => copyproof.run.t > 3000")
        first = "copyproof.run.choices.slice(0, 3000)"
        assert page.evaluate(f"() => {first}.filter(agent => agent === 0).length") > 2400
        ended(page)
        result = simulate("paper:1a:100", "ucb1", horizon=4000, repetitions=1, seed=1)
        honest = simulate("paper:1a", "ucb1", horizon=4000, repetitions=1, seed=1)
        assert figures(page)["Your income"] == f"{result.revenue[0, 0]:,.0f}"
        assert figures(page)["Honest income"] == f"{honest.revenue[0, 0]:,.0f}"
        assert "went to another provider" in evidence(page)
        for policy in ("H-UCB", "Trial, the default"):
            page.get_by_label(policy, exact=True).check()
            ended(page)
            dead = "The lever is dead: all 4,000 rounds so far went to the provider who has them"
            assert evidence(page).startswith(dead)
            assert figures(page)["Times as much"] == "× 1.0"
            assert len((page.locator("#why").text_content() or "").split(". ")) == 1
        assert "copies=100" in page.url
        assert "policy=trial" in page.url
        check_page(page)


@pytest.mark.parametrize(
    ("tricks", "dead"),
    [
        ("policy=ucb1&renew=play", False),
        ("policy=ucb1&renew=failure&best=10&second=5", False),
        ("policy=h-ucb&renew=play", True),
        ("policy=h-ucb&second=20", False),
        ("policy=trial&renew=failure&best=50", True),
        ("policy=rh-ucb&best=0&second=3", False),
    ],
)
def test_tricks_are_the_engines(browser: Browser, file: Path, tricks: str, dead: bool) -> None:
    with shown(browser, file, f"chapter=2&{tricks}{SHORT}&seed=5") as page:
        ended(page)
        assert ("The lever is dead" in evidence(page)) == dead
        if "second" in tricks and "h-ucb" in tricks:  # a worse arm beside the best one
            assert "It costs you." in evidence(page)


STATES = [
    f"chapter=1&policy=ucb1&copies=70{SHORT}&seed=9007199254740991",
    f"chapter=1&policy=s-ucb&copies=300{SHORT}&seed=2",
    f"chapter=2&policy=ucb1&best=3&second=2&renew=ten{SHORT}&seed=3",
    f"chapter=2&policy=trial&best=0&second=5&renew=failure{SHORT}&seed=4",
    f"chapter=3&policy=rh-ucb&names=5{SHORT}&seed=5",
    f"chapter=3&policy=trial&names=2{SHORT}&seed=6",
    "chapter=4&policy=h-ucb&seed=7",
    # Games that stand still, under rules that know how long they would have been.
    f"chapter=1&policy=s-ucb&copies=50{SHORT}&seed=8&at=700",
    f"chapter=2&policy=trial&best=2&second=1&renew=play{SHORT}&seed=9&at=1999",
    f"chapter=3&policy=rh-ucb&names=3{SHORT}&seed=10&at=1",
    "chapter=4&policy=ucb1&profile=10.1.2.30&seed=11&at=700",
]


PASTED = (STATES[2], STATES[7])


def pasted(commands: str, folder: Path) -> str:
    """What a shell says to commands, in which the program is found."""
    done = subprocess.run(
        ["bash", "-e", "-c", commands],
        cwd=folder,
        env={**os.environ, "PATH": f"{PROGRAMS}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def typed(commands: str, folder: Path) -> str:
    """What the program says to a command, after its file was written, in this process."""
    before, _, command = commands.rpartition("copyproof simulate ")
    if before:
        [content] = re.findall(r"^cat > market\.toml <<'END'\n(.*)END\n$", before, re.S)
        (folder / "market.toml").write_text(content, encoding="utf-8")
        command = command.replace("market.toml", str(folder / "market.toml"), 1)
    arguments = shlex.split(command.replace("\\\n", " "))
    done = CliRunner().invoke(app, ["simulate", *arguments])
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.parametrize("state", STATES)
def test_the_commands_reproduce_the_state(
    browser: Browser, file: Path, state: str, tmp_path: Path
) -> None:
    """The first says what the page says; those of some states are pasted into a shell."""
    with shown(browser, file, state) as page:
        page.get_by_role("link", name="5 Proof").click()
        page.locator("#expected").wait_for()
        assert ("&at=" in state) == ("at=" in page.url)
        commands = page.locator("#commands").text_content() or ""
        rows = page.locator("#expected tbody tr").all()
        expected = [row.locator("th, td").all_text_contents() for row in rows]
        regret = float(page.locator("#expected-regret").text_content() or "")
    first = commands.rpartition("\ncopyproof ")[0]
    [said] = json.loads((pasted if state in PASTED else typed)(first, tmp_path))["policies"]
    found = [
        [one["name"], str(int(one["plays"]["mean"])), str(int(one["revenue"]["mean"]))]
        for one in said["agents"]
    ]
    assert found == expected
    assert said["regret"]["mean"] == regret
    if "&at=" in state:
        assert said["stop"] == int(state.rpartition("=")[2]) < said["horizon"]


@pytest.mark.parametrize(
    ("state", "command", "said"),
    [
        ("chapter=2&policy=ucb1&best=3&second=2&rounds=100", "audit", "0.5-agent"),
        ("chapter=3&policy=h-ucb&names=2&rounds=100", "attacks", "per further identity"),
        pytest.param("chapter=4&policy=h-ucb", "equilibrium", "truthful", marks=pytest.mark.slow),
    ],
)
def test_the_last_command_runs(
    browser: Browser, file: Path, tmp_path: Path, state: str, command: str, said: str
) -> None:
    with shown(browser, file, state) as page:
        page.get_by_role("link", name="5 Proof").click()
        ended(page)
        commands = page.locator("#commands").text_content() or ""
    assert commands.rpartition("\ncopyproof ")[2].startswith(command)
    assert said in pasted(commands, tmp_path)


def test_what_names_are_worth_is_what_the_engine_finds(browser: Browser, file: Path) -> None:
    with shown(browser, file, f"chapter=3&policy=h-ucb&names=2&cost=30{SHORT}&seed=3") as page:
        page.wait_for_function("() => copyproof.panel.study.isOver")
        page.wait_for_function("() => copyproof.found.games === 20")
        found = page.evaluate("() => copyproof.found")
        said = page.locator("#c-star").text_content() or ""
    means = []
    for names in (1, 2, 3, 4, 6, 8):
        market, own = split(paper_market("1a"), "0.5-agent", names)
        result = simulate(market, "h-ucb", horizon=2000, repetitions=20, seed=3)
        mine = [market.names.index(name) for name in own]
        means.append(float(result.revenue[:, mine].sum(axis=1).mean()))
    assert found["means"] == pytest.approx(means, abs=1e-9)
    each = [
        (mean - means[0]) / (names - 1)
        for names, mean in zip((2, 3, 4, 6, 8), means[1:], strict=True)
    ]
    assert found["cStar"] == pytest.approx(max(each), abs=1e-9)
    assert f"c* = {max(each):.1f}" in said
    assert ("still pay" in said) == (max(each) > 30)


def test_names_stop_paying_where_one_costs_more_than_c_star(browser: Browser, file: Path) -> None:
    with shown(browser, file, f"chapter=3&policy=trial&names=2&cost=5000{SHORT}") as page:
        page.wait_for_function("() => copyproof.panel.study.isOver")
        expect(page.locator("#c-star")).to_contain_text("one name is best")
        page.get_by_label("What a further name costs").focus()
        page.keyboard.press("Home")
        expect(page.locator("#c-star")).to_contain_text("Names are free")


@pytest.mark.parametrize("policy", ["ucb1", "h-ucb"])
def test_robots_rest_where_none_of_them_gains(browser: Browser, file: Path, policy: str) -> None:
    """By the engine's own games: no other number of copies pays any of them a thousandth more."""
    with shown(browser, file, f"chapter=4&policy={policy}&seed=2") as page:
        page.wait_for_function("() => copyproof.panel.robots.isOver")
        found = page.evaluate("() => copyproof.found")
        expect(page.locator("#rest")).to_contain_text("The robots rest")
        assert f"profile={found['profile']}" in page.url or found["profile"] == "1.1.1.1"
    profile = [int(copies) for copies in found["profile"].split(".")]
    assert (profile == [1, 1, 1, 1]) == (policy == "h-ucb")
    game: dict[str, Any] = {"horizon": 5000, "repetitions": 6, "seed": 2}

    def market(copies: list[int]) -> Market:
        means = (0.6, 0.7, 0.8, 0.9)
        return Market([Agent(f"{m}-agent", [m], [c]) for m, c in zip(means, copies, strict=True)])

    here = simulate(market(profile), policy, **game)
    assert found["regret"] == pytest.approx(here.regret.mean, abs=1e-6)
    for robot in range(4):
        now = here.revenue[:, robot].sum()
        for copies in (1, 2, 5, 10, 30, 100):
            other = [copies if k == robot else one for k, one in enumerate(profile)]
            there = simulate(market(other), policy, **game).revenue[:, robot].sum()
            assert there <= now * 1.001


def test_a_state_is_an_address(browser: Browser, file: Path) -> None:
    with shown(browser, file, f"chapter=1{SHORT}") as page:
        page.get_by_label("S-UCB").check()
        page.get_by_role("button", name="New seed").click()
        page.get_by_role("link", name="2 Tricks").click()
        expect(page.get_by_role("heading", level=2)).to_have_text("Hide, mix, start afresh")
        address = page.url
        ended(page)
        before = figures(page)
        page.go_back()
        expect(page.get_by_role("heading", level=2)).to_have_text("Submit copies")
    with opened(browser, address) as page:
        ended(page)
        assert figures(page) == before


def test_a_pause_goes_with_the_link_to_the_proof(browser: Browser, file: Path) -> None:
    with shown(browser, file, "chapter=1&policy=trial&copies=50&seed=8&rounds=5000") as page:
        page.wait_for_function("() => copyproof.run?.t > 500")
        page.get_by_role("button", name="Pause").click()
        t = page.evaluate("() => copyproof.run.t")
        page.get_by_role("link", name="5 Proof").click()
        expect(page.locator("#expected tbody tr")).to_have_count(5)
        assert f" --stop {t} " in (page.locator("#commands").text_content() or "")
        expect(page.get_by_role("heading", level=3).first).to_contain_text(f"after {t:,} of 5,000")
        page.get_by_role("button", name="Go on").click()
        ended(page)
        expect(page.locator("#commands")).not_to_contain_text("--stop")
        plays = simulate("paper:1a:50", "trial", horizon=5000, repetitions=1, seed=8).plays
        shown_plays = page.locator("#expected tbody tr td:nth-child(2)").all_text_contents()
        assert [int(text) for text in shown_plays] == plays[0].tolist()


def test_a_game_that_stands_still_is_an_address(browser: Browser, file: Path) -> None:
    with shown(browser, file, "chapter=1&copies=50&seed=8&rounds=5000") as page:
        page.wait_for_function("() => copyproof.run?.t > 500")
        page.get_by_role("button", name="Pause").click()
        address, t = page.url, page.evaluate("() => copyproof.run.t")
        plays = page.evaluate("() => [...copyproof.run.source.plays]")
        assert f"at={t}" in address
    with opened(browser, address) as page:
        page.wait_for_function(f"() => copyproof.run?.t === {t}")
        expect(page.locator("#round")).to_have_text(f"{t:,}")
        assert page.evaluate("() => [...copyproof.run.source.plays]") == plays
        expected = simulate("paper:1a:50", "ucb1", horizon=t, repetitions=1, seed=8)
        assert plays == expected.plays[0].tolist()
    with opened(browser, address) as page:
        page.wait_for_function(f"() => copyproof.run?.t === {t}")
        page.get_by_role("button", name="Go on").click()
        page.wait_for_function(f"() => copyproof.run.t > {t}")
        assert "at=" not in page.url
        ended(page)


def test_robots_stand_still_with_their_game(browser: Browser, file: Path) -> None:
    state = "chapter=4&policy=ucb1&profile=10.1.2.30&at=700&seed=7"
    with shown(browser, file, state) as page:
        page.wait_for_function("() => copyproof.run?.t === 700")
        expect(page.locator("#rest")).to_have_text("The robots stand still with the game.")
        page.wait_for_timeout(500)
        kept = {*page.url.partition("#")[2].split("&")}
        assert kept == {*state.split("&")}
        assert page.evaluate("() => copyproof.panel.robots.history.length") == 0
        market = Market(
            [
                Agent(f"{mean}-agent", [mean], [copies])
                for mean, copies in zip((0.6, 0.7, 0.8, 0.9), (10, 1, 2, 30), strict=True)
            ]
        )
        expected = simulate(market, "ucb1", horizon=700, repetitions=1, seed=7).plays[0].tolist()
        assert page.evaluate("() => [...copyproof.run.source.plays]") == expected
        page.get_by_role("button", name="Go on").click()
        page.wait_for_function("() => copyproof.panel.robots.moves.length > 0")
        assert "at=" not in page.url
        page.wait_for_function("() => copyproof.run.t > 100")
        page.get_by_role("button", name="Pause").click()
        address, t = page.url, page.evaluate("() => copyproof.run.t")
        page.wait_for_timeout(500)
        assert (page.url, page.evaluate("() => copyproof.run.t")) == (address, t)
        profile = page.evaluate("() => copyproof.state.profile")
        assert f"profile={profile}" in address
    with opened(browser, address) as page:
        page.wait_for_function(f"() => copyproof.run?.t === {t}")
        assert page.evaluate("() => copyproof.panel.robots.profile.join('.')") == profile
        assert page.url == address
        check_quiet(page)


def test_robots_begin_where_the_address_says(browser: Browser, file: Path) -> None:
    with shown(browser, file, "chapter=4&policy=h-ucb&profile=100.1.1.1&seed=2") as page:
        page.wait_for_function("() => copyproof.panel.robots.isOver")
        said = page.locator("#rest").text_content() or ""
        honest = page.evaluate("() => copyproof.panel.robots.honest")
        market = Market([Agent(f"{mean}-agent", [mean], [1]) for mean in (0.6, 0.7, 0.8, 0.9)])
        result = simulate(market, "h-ucb", horizon=5000, repetitions=6, seed=2)
        assert honest == pytest.approx(result.regret.mean, abs=1e-6)
        assert f"with honest robots {honest:.1f}." in said
        assert "profile=100.1.1.1" in page.url  # copies change nothing, so nobody moves
        page.get_by_role("button", name="New seed").click()
        page.wait_for_function("() => copyproof.state.profile === '1.1.1.1'")


@pytest.mark.parametrize(
    "state",
    [
        "chapter=99&policy=<script>&copies=-5&seed=1e9&renew=always&profile=7.7.7.7",
        "chapter=2&best=0&second=0",
        "=&&&#%FF",
        "policy=river:UCB",
    ],
)
def test_a_wrong_address_gives_the_usual_state(browser: Browser, file: Path, state: str) -> None:
    with shown(browser, file, f"{state}&rounds=500") as page:
        ended(page)
        assert page.evaluate("() => copyproof.state.policy") == "ucb1"
        assert page.evaluate("() => copyproof.run.t") > 0
        check_page(page, themes=("light",))


def test_a_policy_that_the_page_does_not_play_is_said(browser: Browser, file: Path) -> None:
    def go(state: str) -> None:
        page.evaluate("state => { location.hash = state; }", state)

    with shown(browser, file, f"chapter=1{SHORT}") as page:
        for policy in ("prh-ucb", "trial(c=1/21)", "ucb1(l=3)", "rh-ucb(L=-1)"):
            for chapter in (1, 3):
                go(f"chapter={chapter}&policy={policy}{SHORT}")
                why = f"{policy} is played by copyproof lab only"
                expect(page.locator("#why")).to_have_text(why)
            go(f"chapter=4&policy={policy}")
            page.wait_for_function("() => copyproof.state.policy === 'h-ucb'")
        ended(page)
        check_quiet(page)


def test_parameters_of_a_policy_in_the_address(browser: Browser, file: Path) -> None:
    with shown(browser, file, f"chapter=1&policy=rh-ucb(L=0.5)&copies=50{SHORT}") as page:
        ended(page)
        result = simulate("paper:1a:50", "rh-ucb(L=0.5)", horizon=2000, repetitions=1, seed=1)
        assert figures(page)["Your income"] == f"{result.revenue[0, 0]:,.0f}"


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("chapter=1&policy=s-ucb(l=2)&copies=96", "S-UCB draws 15 of all 100 arms"),
        ("chapter=1&policy=s-ucb&copies=96", "S-UCB draws 38 of all 100 arms"),
        ("chapter=1&policy=s-ucb&copies=34", "S-UCB's sample has room for all 38 arms"),
        ("chapter=1&policy=default", "The default gives every provider one trial"),
        ("chapter=3&policy=ucb1&names=2", "UCB1 never asks whose an arm is"),
        ("chapter=3&policy=h-ucb&names=2", "a second name is a second provider"),
    ],
)
def test_why_is_true_of_the_rule(browser: Browser, file: Path, state: str, said: str) -> None:
    """Samples have ⌊l ln T⌋ arms: ln 2,000 is 7.6, and five originals make l = 5."""
    with shown(browser, file, f"{state}{SHORT}") as page:
        expect(page.locator("#why")).to_contain_text(said)
        if "default" in state:
            expect(page.get_by_label("Trial, the default")).to_be_checked()


def test_without_motion_a_game_is_shown_when_it_is_over(browser: Browser, file: Path) -> None:
    state = "chapter=1&copies=100"
    with shown(browser, file, state, reduced_motion="reduce") as page:
        ended(page)
        seen = page.evaluate(
            "() => { let drawn = 0; const { stage } = copyproof; const { draw } = stage;"
            " stage.draw = function () { drawn += copyproof.run.isOver ? 0 : 1;"
            " return draw.call(this); };"
            " copyproof.set({ copies: 200 });"
            " return new Promise(done => setTimeout(() => done(drawn), 1500)); }"
        )
        assert seen == 0
        ended(page)


def test_without_motion_the_picture_has_its_colours(browser: Browser, file: Path) -> None:
    """In both themes each provider's area is drawn in a colour of its own."""
    colours = """() => { const { canvas } = copyproof.stage;
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const seen = {};
      for (let k = 0; k < data.length; k += 4) {
        const colour = [data[k], data[k + 1], data[k + 2]].join();
        seen[colour] = (seen[colour] ?? 0) + 1;
      }
      return Object.values(seen).filter(count => count > data.length / 4 / 200).length; }"""
    state = f"chapter=1&copies=20{SHORT}"
    for motion in ("reduce", "no-preference"):
        with shown(browser, file, state, reduced_motion=motion) as page:
            for theme in ("light", "dark"):
                page.emulate_media(color_scheme=theme)
                ended(page)
                page.evaluate("() => new Promise(requestAnimationFrame)")
                assert page.evaluate(colours) >= 4, (motion, theme)


def test_keyboard_alone(browser: Browser, file: Path) -> None:
    """Everything that can be pressed is reached by the tabulator, in the order of the page."""
    with shown(browser, file, f"chapter=1{SHORT}") as page:
        ended(page)
        reached = []
        for _ in range(40):
            page.keyboard.press("Tab")
            reached.append(
                page.evaluate(
                    "() => document.activeElement.id || document.activeElement.textContent.trim()"
                    " || document.activeElement.value"
                )
            )
            if reached[-1] == "copy-link":
                break
        assert reached[0] == "Skip to the levers"
        for one in ("1Copies", "5Proof", "ucb1", "under the default", "pause", "speed", "next"):
            assert one in reached
        assert reached[-1] == "copy-link"
        page.get_by_label("UCB1", exact=True).focus()
        page.keyboard.press("ArrowDown")
        assert page.evaluate("() => copyproof.state.policy") == "s-ucb"
        page.locator("#next").focus()
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=2)).to_be_focused()


@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("copies", "chapter=1&copies=100"),
        ("tricks", "chapter=2&policy=h-ucb&best=5&second=5"),
        ("names", "chapter=3&policy=h-ucb&names=3&cost=20"),
        ("platform", "chapter=4&policy=ucb1"),
        ("proof", "chapter=5&scene=2&policy=ucb1&best=10&second=3&renew=ten"),
    ],
)
def test_every_chapter_is_accessible_at_every_width(
    browser: Browser, file: Path, name: str, state: str
) -> None:
    # Without motion the games are over at once, and look the same then.
    with shown(browser, file, state, width=400, reduced_motion="reduce") as page:
        ended(page)
        if name in ("names", "platform"):
            part = "study" if name == "names" else "robots"
            page.wait_for_function(f"() => copyproof.panel.{part}.isOver")
            ended(page)
        check_page(page)
        share = page.evaluate("() => copyproof.share()")  # what is said at the lower edge is drawn
        assert page.locator("#ticker-fill").evaluate("one => one.style.transform") == (
            f"scaleX({f'{share:.4f}'.rstrip('0').rstrip('.')})"
        )
        page.set_viewport_size({"width": 1400, "height": 900})
        for drawn in page.locator(".curve").all():
            expect(drawn).to_have_attribute("width", "640")
        check_page(page, themes=("light",))
        screenshots(page, f"game-{name}")
