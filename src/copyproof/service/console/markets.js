// All markets at a glance: rate, latency, health. Rows change in place.

import { h, fill, setText, named, whole, rate, atMost, percent, wide, badge } from "./dom.js";

const STATES = {
  serving: ["good", "serving"],
  paused: ["warn", "paused"],
  loading: ["plain", "loading"],
  elsewhere: ["plain", "other process"],
  failed: ["bad", "not served"],
};
const LATE = 0.25; // seconds of the 99th percentile that are worth a look

/** What is worth a look about a market, the gravest first. */
export function health(row) {
  const [kind, text] = STATES[row.state] ?? ["plain", row.state];
  if (kind === "bad" || kind === "warn" || kind === "plain") return [kind, text];
  if (row.p99 !== null && row.p99 > LATE) return ["warn", "slow"];
  if (row.clock_lag > 60) return ["warn", "clock behind"];
  if (row.waiting > 100) return ["warn", "requests wait"];
  return [kind, text];
}

const COLUMNS = [
  ["Market", ""],
  ["Health", ""],
  ["Decisions/s", "number"],
  ["Rewards/s", "number"],
  ["Median", "number"],
  ["99 % within", "number"],
  ["Waiting", "number"],
  ["Plays without reward", "number"],
  ["Candidate", "number"],
  ["Decisions", "number"],
];

function texts(row) {
  return [
    rate(row.rate),
    rate(row.reward_rate),
    atMost(row.p50),
    atMost(row.p99),
    whole(row.waiting),
    whole(row.pending),
    row.share === null || row.share === undefined ? "–" : percent(row.share, 0),
    whole(row.decisions),
  ];
}

export function marketsPage(root, session) {
  const body = h("tbody");
  const rows = new Map();
  const sums = h("p", { class: "lead", "data-live": "sums" });
  const search = h("input", { type: "search", autocomplete: "off", "aria-label": "Find a market" });
  const only = h("input", { type: "checkbox", id: "only" });
  const none = h("p", { class: "quiet" });
  const head = h(
    "thead",
    {},
    h(
      "tr",
      {},
      COLUMNS.map(([text, kind]) => h("th", { scope: "col", class: kind, text })),
    ),
  );
  fill(
    root,
    h("h1", { text: "Markets" }),
    sums,
    h(
      "p",
      { class: "tools" },
      h("label", {}, "Find ", search),
      " ",
      h("label", { for: "only" }, only, " only what needs a look"),
    ),
    wide(
      "Markets",
      h("table", { class: "live" }, h("caption", { class: "hidden", text: "Markets" }), head, body),
    ),
    none,
    h(
      "p",
      { class: "quiet" },
      "Rates and times are of the last 10 seconds, of this process. Times are limits of a ",
      "histogram: so many decisions were answered within them.",
    ),
  );

  function make(name) {
    const health = h("td"),
      cells = COLUMNS.slice(2).map(([title, kind]) =>
        h("td", { class: kind, "data-label": title }),
      );
    const link = h("a", { href: `#/market/${encodeURIComponent(name)}` }, named(name));
    return {
      element: h("tr", {}, h("th", { scope: "row" }, link), health, cells),
      health,
      cells,
      state: "",
    };
  }

  function update() {
    const wanted = search.value.trim().toLowerCase();
    let total = 0,
      looks = 0,
      listed = 0,
      last = null;
    for (const name of [...session.markets.keys()].sort()) {
      const row = session.markets.get(name);
      const [kind, text] = health(row);
      total += row.rate ?? 0;
      looks += kind === "bad" || kind === "warn" ? 1 : 0;
      let made = rows.get(name);
      if (made === undefined) {
        made = make(name);
        rows.set(name, made);
        if (last === null) body.prepend(made.element);
        else last.after(made.element);
      }
      last = made.element;
      made.element.hidden = !(
        name.toLowerCase().includes(wanted) &&
        (!only.checked || kind === "bad" || kind === "warn")
      );
      listed += made.element.hidden ? 0 : 1;
      if (made.state !== text) {
        made.state = text;
        fill(made.health, badge(kind, text));
      }
      texts(row).forEach((value, n) => setText(made.cells[n], value));
    }
    for (const [name, made] of rows) {
      if (!session.markets.has(name)) {
        made.element.remove();
        rows.delete(name);
      }
    }
    setText(
      sums,
      session.at === null
        ? "Connecting …"
        : `${whole(session.markets.size)} ${session.markets.size === 1 ? "market" : "markets"}, ` +
            `${rate(total)} decisions a second; ` +
            `${looks ? `${looks} ${looks === 1 ? "needs" : "need"} a look` : "all is well"}.`,
    );
    setText(
      none,
      session.at !== null && listed === 0
        ? session.markets.size
          ? "No market is as you ask."
          : "There is no market yet: create one with PUT /v1/markets/NAME."
        : "",
    );
  }

  search.addEventListener("input", update);
  only.addEventListener("change", update);
  update();
  return { take: (name) => name === "markets" && update() };
}
