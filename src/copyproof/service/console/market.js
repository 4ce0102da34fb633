// One market: what it does now, what it promises, who is shown, who is new.

import * as api from "./api.js";
import {
  h,
  fill,
  setText,
  named,
  badge,
  tile,
  section,
  table,
  button,
  asOf,
  field,
  whole,
  rate,
  atMost,
  percent,
  fixed,
  moment,
  ago,
} from "./dom.js";
import { ask, attempt } from "./dialogs.js";
import { Shares, draw } from "./chart.js";
import { health } from "./markets.js";
import { suspendAgent } from "./actions.js";

/** The head of all pages about a market: its name, its state, its tabs. */
export function marketHead(market, current) {
  const state = h("span", { class: "state" });
  const tabs = [
    ["market", "Overview"],
    ["copies", "Copies"],
    ["policy", "Policy"],
  ];
  const element = h(
    "div",
    { class: "head" },
    h("h1", {}, named(market), " ", state),
    h(
      "nav",
      { "aria-label": "Market" },
      h(
        "ul",
        { class: "tabs" },
        tabs.map(([page, text]) =>
          h(
            "li",
            {},
            h("a", {
              href: `#/${page}/${encodeURIComponent(market)}`,
              "aria-current": page === current ? "page" : null,
              text,
            }),
          ),
        ),
      ),
    ),
  );
  let last = "";
  return {
    element,
    update(session) {
      const row = session.markets.get(market);
      const [kind, text] = row === undefined ? ["plain", "not known"] : health(row);
      if (text !== last) fill(state, badge(kind, text));
      last = text;
    },
  };
}

/** What is proven by one guarantee, and not by another. */
export function provenLost(before, after) {
  const then = guaranteeParts(after)?.proven ?? [];
  return (guaranteeParts(before)?.proven ?? []).filter((line) => !then.includes(line));
}

/** The guarantee as the service says it, cut into what is proven, only audited, and known to pay. */
export function guaranteeParts(text) {
  const parts = { proven: [], "audited only": [], pays: [] };
  const found = /^proven: (.*?); audited only: (.*?); pays: (.*)$/s.exec(text);
  if (found === null) return null;
  parts.proven = found[1].split("; ");
  parts["audited only"] = [found[2]];
  parts.pays = found[3].split("; ");
  return parts;
}

export function guaranteeList(text) {
  const parts = guaranteeParts(text);
  if (parts === null) {
    const isNone = text.startsWith("none:");
    return h(
      "p",
      {},
      isNone ? badge("bad", "no guarantee") : null,
      " ",
      text.replace(/^none: /, ""),
    );
  }
  const block = (kind, title, lines) =>
    h(
      "div",
      {},
      h("h3", {}, badge(kind, title)),
      h(
        "ul",
        {},
        lines.map((line) => h("li", { text: line })),
      ),
    );
  return h(
    "div",
    { class: "guarantee" },
    block("good", "Proven", parts.proven),
    block("plain", "Audited, not proven", parts["audited only"]),
    block("warn", "Known to pay", parts.pays),
  );
}

export function marketPage(root, session, say, market) {
  const mine = marketHead(market, "market");
  const mayChange = session.me.role === "operator";
  const paused = h("div");
  const tiles = Object.fromEntries(
    [
      ["rate", "Decisions a second"],
      ["rewards", "Rewards a second"],
      ["p99", "99 % within"],
      ["waiting", "Requests waiting"],
      ["pending", "Plays without reward"],
      ["round", "Decisions ever"],
      ["mean", "Mean reward"],
      ["policy", "Policy"],
    ].map(([id, label]) => [id, tile(label, id)]),
  );
  const promise = h("div", {}, h("p", { class: "quiet", text: "…" }));
  const chart = h("div");
  const agents = h("div", { "data-live": "agents" });
  const newcomers = h("div");
  const loaded = asOf(() => reload());
  const actions = h("p", { class: "tools" });
  const shares = new Shares();
  let rails = [],
    drawn = 0,
    live = null,
    promisedFor = null, // the rules that the promise was loaded for
    listing = false;

  fill(
    root,
    mine.element,
    paused,
    h(
      "dl",
      { class: "tiles" },
      Object.values(tiles).map((one) => one.element),
    ),
    actions,
    section("What is promised about copies", promise),
    section("Shares of decisions over time", chart),
    section(
      "Agents",
      agents,
      h(
        "p",
        { class: "tools" },
        button("All agents", () => attempt(say, everyAgent), { class: "small" }),
      ),
    ),
    section("Newcomers", newcomers, loaded.element),
  );

  function limits() {
    return rails
      .filter((one) => one.measure === "share" && one.at_most !== null)
      .map((one) => ({
        share: one.at_most,
        text: `${percent(one.at_most, 0)} of the last ${whole(one.last)}: ${one.then}`,
      }));
  }

  async function load() {
    const [report, history] = await Promise.all([
      api.get(api.path(market)),
      api.get(`${api.path(market, "history")}?spans=60`),
    ]);
    fill(promise, guaranteeList(report.guarantee));
    promisedFor = rulesOf(report);
    shares.begin(history);
    draw(chart, shares, limits());
    const now = session.at ?? Date.now() / 1000;
    fill(
      newcomers,
      table(
        "Newcomers",
        [
          { title: "Agent", cell: (one) => agentLink(market, one.agent) },
          { title: "Registered", cell: (one) => `${moment(one.at)} (${ago(now - one.at)})` },
          { title: "Arms registered since", class: "number", cell: (one) => whole(one.arms) },
        ],
        history.newcomers,
        `No agent was registered in the last ${whole(history.last - history.first + 1)} events.`,
      ),
    );
    showActions(report);
    loaded.now();
  }
  const reload = () => attempt(say, load);

  function showActions(report) {
    if (!mayChange) return;
    const isPaused = report.paused !== null;
    fill(
      actions,
      isPaused
        ? button("Resume the market", () => resume(), { "data-focus": "pause" })
        : button("Pause the market", () => pause(), { class: "small grave", "data-focus": "pause" }),
    );
  }

  function pause() {
    const reason = h("input", { type: "text", maxlength: 200, required: true, size: 40 });
    return ask({
      title: `Pause ${market}`,
      isGrave: true,
      verb: "Pause",
      say,
      about: [
        "Requests for decisions are refused, with this reason, until the market is resumed. Rewards are still taken.",
        field("Reason", reason),
      ],
      read: () => ({ reason: reason.value }),
      does: (body) => api.call("POST", api.path(market, "pause"), body),
    }).then((done) => done && reload());
  }

  function resume() {
    return ask({
      title: `Resume ${market}`,
      verb: "Resume",
      say,
      about: [
        "The market decides again. What guard rails have seen is forgotten, and they begin to count anew.",
      ],
      does: () => api.call("POST", api.path(market, "resume")),
    }).then((done) => done && reload());
  }

  function columns() {
    const now = shares.now();
    const allowed = limits().map((one) => one.share);
    const limit = allowed.length ? Math.min(...allowed) : null;
    const found = [
      { title: "Agent", cell: (one) => agentLink(market, one.agent) },
      {
        title: "State",
        cell: (one) => (one.suspended ? badge("warn", "suspended") : badge("good", "in play")),
      },
      { title: "Arms", class: "number", cell: (one) => whole(one.arms) },
      { title: "Share lately", class: "number", cell: (one) => percent(now.share(one.agent)) },
      { title: "Share ever", class: "number", cell: (one) => percent(one.play_share) },
      {
        title: "Limit",
        class: "number",
        cell: () => (limit === null ? "none" : percent(limit, 0)),
      },
      { title: "Plays", class: "number", cell: (one) => whole(one.plays) },
      {
        title: "Mean reward",
        class: "number",
        cell: (one) => fixed(one.answered ? one.revenue / one.answered : null),
      },
      { title: "Share of revenue", class: "number", cell: (one) => percent(one.revenue_share) },
    ];
    if (mayChange) found.push({ title: "Action", cell: (one) => suspendAgent(market, one, say) });
    return found;
  }

  async function everyAgent() {
    listing = !listing;
    if (!listing) return;
    const every = await api.all(`${api.path(market, "statistics")}?limit=1000`, "agents");
    fill(
      agents,
      h("p", {
        class: "quiet",
        text: `All ${whole(every.length)} agents, as of now; press again for the live list.`,
      }),
      table("All agents", columns(), every),
    );
  }

  // The table is made anew when its rows are others; else only its texts change.
  let order = "";
  function showAgents(found) {
    if (listing) return;
    const rows = [...found.agents].sort(
      (a, b) => b.plays - a.plays || (a.agent < b.agent ? -1 : 1),
    );
    const key = JSON.stringify(rows.map((one) => [one.agent, one.suspended]));
    if (key !== order || !agents.querySelector("tbody") || agents.querySelector("p")) {
      order = key;
      fill(agents, table("Agents that lead", columns(), rows, "No agent is registered yet."));
      return;
    }
    const cells = columns();
    [...agents.querySelectorAll("tbody tr")].forEach((line, n) => {
      cells.forEach(
        (one, k) => one.class === "number" && setText(line.children[k], one.cell(rows[n])),
      );
    });
  }

  function take(name, data) {
    if (name === "markets") {
      mine.update(session);
      const row = session.markets.get(market);
      if (row === undefined) return;
      setText(tiles.rate.value, rate(row.rate));
      setText(tiles.rewards.value, rate(row.reward_rate));
      setText(tiles.p99.value, atMost(row.p99));
      setText(tiles.waiting.value, whole(row.waiting));
    } else if (name === "trouble") {
      fill(paused, h("p", { class: "notice" }, badge("bad", "no figures"), " ", data.error));
    } else if (name === "agents") {
      const before = live;
      live = data;
      rails = data.rails;
      shares.add(data, session.at ?? Date.now() / 1000);
      setText(tiles.pending.value, whole(data.pending));
      setText(tiles.round.value, whole(data.round));
      setText(tiles.mean.value, fixed(data.answered ? data.revenue / data.answered : null));
      setText(
        tiles.policy.value,
        data.candidate
          ? `${data.policy}, ${data.candidate.share ? percent(data.candidate.share, 0) : "shadow"} ${data.candidate.policy}`
          : data.policy,
      );
      if (before === null || before.paused !== data.paused) {
        fill(
          paused,
          data.paused === null
            ? null
            : h("p", { class: "notice" }, badge("warn", "paused"), " ", named(data.paused)),
        );
      }
      // Whoever did it: what is promised, and what can be done, are others now.
      if (promisedFor !== null && promisedFor !== rulesOf(data)) {
        promisedFor = null;
        reload();
      }
      showAgents(data);
      if (performance.now() - drawn > 2000) {
        drawn = performance.now();
        draw(chart, shares, limits());
      }
    }
  }

  const resized = new ResizeObserver(() => draw(chart, shares, limits()));
  resized.observe(root);
  mine.update(session);
  reload();
  return { title: market, take, reload, end: () => resized.disconnect() };
}

/** What a market's promises follow from, of what can change while it is looked at. */
export function rulesOf({ paused, policy, candidate }) {
  return JSON.stringify([paused, policy, candidate?.policy, candidate?.share]);
}

export function agentLink(market, agent) {
  return h(
    "a",
    { href: `#/agent/${encodeURIComponent(market)}/${encodeURIComponent(agent)}` },
    named(agent),
  );
}
