// The engine behind the page, where `copyproof lab` serves it; without it the page plays by itself.
//
// Games are then the engine's: it sends the decisions of all rounds, and the page shows them one after
// the other. What the page adds up must be what the engine says, or the page says that it is not.

import { byId, count, decimal, el, save, write } from "./elements.js";
import { Game } from "./game.js";
import { gameOf, marketFile } from "./market.js";
import { REWARD, Stream } from "./streams.js";

const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

// A game that the engine has played, with the interface of `Game`.
class PlayedGame {
  constructor(game, answer) {
    const { owners, failures, gaps } = new Game({ ...game, policy: "ucb1" });
    Object.assign(this, { owners, failures, gaps, answer });
    this.horizon = game.horizon;
    this.choices = new Uint16Array(bytesOf(answer.choices).buffer);
    this.streams = game.agents.map((_, i) => new Stream(game.seed, i + 1, 0));
    this.plays = new Float64Array(game.agents.length);
    this.revenue = new Float64Array(game.agents.length);
    this.regret = 0;
    this.t = 0;
    this.mismatch = null;
  }

  step() {
    const arm = this.choices[this.t];
    const agent = this.owners[arm];
    const u = this.streams[agent].uniform(this.plays[agent], REWARD);
    this.revenue[agent] += u >= this.failures[arm] ? 1 : 0;
    this.plays[agent] += 1;
    this.regret += this.gaps[arm];
    this.t += 1;
    if (this.t === this.horizon) this.check();
    return arm;
  }

  check() {
    const { plays, revenue, regret } = this.answer;
    const same = plays.every((one, i) => one === this.plays[i]) &&
      revenue.every((one, i) => one === this.revenue[i]) && regret === this.regret;
    if (!same) this.mismatch = "The page and the engine do not agree on what was earned in this game: please report its address.";
  }
}

export class Laboratory {
  static found() {
    const meta = document.querySelector('meta[name="copyproof-lab"]');
    return meta === null ? null : new Laboratory(JSON.parse(meta.content));
  }

  constructor({ policies, version }) {
    this.policies = policies;
    this.version = version;
    this.file = "market.toml";
  }

  async ask(job, data) {
    const answer = await fetch(`/api/${job}`, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(data),
    });
    const found = await answer.json();
    if (!answer.ok) throw new Error(found.error);
    return found;
  }

  // The engine's games, in the order of the asked ones.
  async games(games) {
    const found = await this.ask("games", { games });
    return found.games.map((answer, k) => new PlayedGame(games[k], answer));
  }

  // The panel below the game; `app` says which game the market field begins with.
  show(app) {
    const section = byId("laboratory");
    section.hidden = false;
    this.app = app;
    this.market = el("textarea", { id: "market", spellcheck: "false", rows: 12 });
    this.market.value = marketFile(gameOf(app.state));
    const choose = el("input", { type: "file", id: "market-file", accept: ".toml,.json", onchange: () => this.read(choose.files[0]) });
    const drop = el("div", { class: "drop",
      ondragover: (event) => { event.preventDefault(); drop.classList.add("over"); },
      ondragleave: () => drop.classList.remove("over"),
      ondrop: (event) => { event.preventDefault(); drop.classList.remove("over"); this.read(event.dataTransfer.files[0]); },
    }, el("p", {}, el("label", { for: "market" }, "Market"), " (drop a .toml or .json file here, or write)"), this.market,
      el("div", { class: "row" }, el("label", { for: "market-file" }, "Open a file"), choose,
        el("button", { type: "button", onclick: () => { this.market.value = marketFile(gameOf(app.state)); this.name("market.toml"); } }, "Take the game above"),
        this.named = el("span", { class: "quiet" }, this.file)));
    const field = (id, label, value, most) => el("label", { for: id }, label, el("input", { id, type: "number", min: 1, max: most, value, required: true }));
    const preset = ["ucb1", "h-ucb", "trial"];
    const checks = el("fieldset", {}, el("legend", {}, "Policies"), el("div", { class: "checks" }, ...this.policies.map((name) =>
      el("label", {}, el("input", { type: "checkbox", name: "lab-policy", value: name, checked: preset.includes(name) }), name))));
    this.buttons = ["simulate", "audit"].map((job, k) => el("button", {
      type: "button", id: `run-${job}`, class: k === 0 ? "primary" : null, onclick: () => this.run(job),
    }, k === 0 ? "Simulate" : "Audit the first policy"));
    this.said = el("p", { role: "status", id: "lab-said" });
    this.results = el("div", { id: "lab-results", class: "results" });
    section.append(
      el("h2", { id: "laboratory-title" }, "The laboratory"),
      el("p", {}, `The game above is played by the engine of copyproof ${this.version}, with any policy of its catalogue. Here it plays your own markets, too.`),
      el("div", { class: "bench" }, drop, el("div", { class: "results" }, checks,
      el("div", { class: "fields" }, field("lab-horizon", "Rounds", 10000, 1e7), field("lab-repetitions", "Games", 50, 1e4),
        el("label", { for: "lab-seed" }, "Seed", el("input", { id: "lab-seed", type: "number", min: 0, max: 2 ** 53 - 1, value: app.state.seed, required: true })),
        ...this.buttons), this.said)),
      this.results);
    write(byId("where"), "All of it is played by the engine on this machine; nothing leaves it.");
  }

  async read(file) {
    if (!file) return;
    this.market.value = await file.text();
    this.name(file.name);
    write(this.said, `${file.name} is read.`);
  }

  name(file) {
    this.file = file;
    write(this.named, file);
  }

  async run(job) {
    const policies = [...document.querySelectorAll('input[name="lab-policy"]:checked')].map(({ value }) => value);
    const asked = { market: this.market.value, file: this.file, horizon: Number(byId("lab-horizon").value), seed: Number(byId("lab-seed").value) };
    for (const button of this.buttons) button.disabled = true;
    this.said.className = "";
    write(this.said, "The engine works …");
    try {
      if (policies.length === 0) throw new Error("no policy is chosen");
      if (job === "simulate") {
        const found = await this.ask(job, { ...asked, policies, repetitions: Number(byId("lab-repetitions").value) });
        this.results.replaceChildren(...this.simulated(found));
      } else {
        this.results.replaceChildren(...audited(await this.ask(job, { ...asked, policy: policies[0] })));
      }
      write(this.said, "Done.");
    } catch (error) {
      this.said.className = "failed";
      write(this.said, error.message);
    } finally {
      for (const button of this.buttons) button.disabled = false;
    }
  }

  simulated(found) {
    const agents = found.policies[0].agents.map(({ name }) => name);
    const image = el("img", { class: "figure-image", alt: `Regret over the rounds of ${found.policies.map(({ policy, regret }) => `${policy} ${decimal(regret.mean)}`).join(", ")}` });
    image.addEventListener("load", () => URL.revokeObjectURL(image.src));
    image.src = URL.createObjectURL(new Blob([found.svg], { type: "image/svg+xml" }));
    const download = (name, content, type) => el("button", { type: "button", onclick: () => save(name, content, type) }, name);
    return [
      el("h3", {}, "Regret and rounds"),
      table(["policy", "regret", "±", ...agents.map((name) => `rounds of ${name}`)], found.policies.map(({ policy, regret, agents: each }) =>
        [policy, decimal(regret.mean), regret.stderr === null ? "–" : decimal(regret.stderr), ...each.map(({ plays }) => count(plays.mean))])),
      image,
      el("div", { class: "row" }, el("span", {}, "Download"),
        download("market.toml", found.market, "application/toml"), download("games.csv", found.csv, "text/csv"),
        download("regret.png", new Blob([bytesOf(found.png)], { type: "image/png" })), download("regret.svg", found.svg, "image/svg+xml")),
    ];
  }
}

function audited(found) {
  const limits = ({ gain, low, high }) => `${decimal(gain)} [${low === null ? "?" : decimal(low)}, ${high === null ? "?" : decimal(high)}]`;
  const verdicts = { prone: "✗ prone: copies pay", "no-gain": "✓ no gain", unchanged: "= nothing changes", undecided: "? undecided" };
  return [
    el("h3", {}, `Audit of ${found.policy}: ${verdicts[found.verdict]}`),
    table(["agent", "verdict", "best deviation", "gain, with limits"], found.agents.map(({ name, verdict, best_deviation: best }) =>
      [name, verdicts[verdict], `copies ${best.copies.join(", ")}`, limits(best)])),
    el("p", { class: "quiet" }, `${count(found.rounds)} rounds of games; all limits hold together with a confidence of ${found.confidence}.`),
  ];
}

function table(titles, rows) {
  return el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": titles[0] === "agent" ? "Audit" : "Simulation" },
    el("table", { class: "plain" },
      el("thead", {}, el("tr", {}, ...titles.map((title) => el("th", { scope: "col" }, title)))),
      el("tbody", {}, ...rows.map(([first, ...rest]) => el("tr", {}, el("th", { scope: "row" }, first),
        ...rest.map((cell) => el("td", { class: "number" }, cell)))))));
}
