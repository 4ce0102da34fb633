// One agent of a market, and its arms.

import * as api from "./api.js";
import { asOf, h, fill, named, badge, section, table, whole, percent, fixed } from "./dom.js";
import { attempt } from "./dialogs.js";
import { suspendAgent, suspendArm } from "./actions.js";
import { marketHead } from "./market.js";

/** The columns of a table of arms, of an agent that may be suspended. */
function armColumns(extra, isSuspended) {
  return [
    { title: "Arm", cell: (one) => named(one.arm) },
    { title: "State", cell: (one) => armState(one, isSuspended) },
    { title: "Plays", class: "number", cell: (one) => whole(one.plays) },
    { title: "With reward", class: "number", cell: (one) => whole(one.answered) },
    { title: "Waiting", class: "number", cell: (one) => whole(one.pending) },
    { title: "Revenue", class: "number", cell: (one) => fixed(one.revenue, 2) },
    {
      title: "Mean reward",
      class: "number",
      cell: (one) => fixed(one.answered ? one.revenue / one.answered : null),
    },
    ...extra,
  ];
}

function armState(one, isSuspended) {
  if (one.suspended) return badge("warn", "suspended");
  if (!one.registered) return badge("plain", "retired");
  if (isSuspended) return badge("warn", "agent suspended");
  return one.in_play ? badge("good", "in play") : badge("plain", "registered");
}

/** What is said of an agent above its arms. */
export function agentFigures(found) {
  const pairs = [
    ["Plays", whole(found.plays)],
    ["With reward", whole(found.answered)],
    ["Waiting for a reward", whole(found.pending)],
    ["Revenue", fixed(found.revenue, 2)],
  ];
  if (found.play_share !== null) {
    pairs.push(
      ["Share of plays", percent(found.play_share)],
      ["Share of revenue", percent(found.revenue_share)],
    );
  }
  return h(
    "dl",
    { class: "tiles" },
    pairs.map(([title, value]) =>
      h("div", { class: "tile" }, h("dt", { text: title }), h("dd", { text: value })),
    ),
  );
}

/** A table of an agent's arms, those first that are played most. */
export function armsTable(found, extra = []) {
  const arms = [...found.arms].sort((a, b) => b.plays - a.plays);
  return [
    table("Arms", armColumns(extra, found.suspended), arms, "No arm is registered."),
    found.next
      ? h("p", { class: "quiet", text: "There are more: these are the first 1,000." })
      : null,
  ];
}

export function agentPage(root, session, say, market, agent) {
  const mine = marketHead(market, "market");
  const content = h("div", { class: "page" });
  const loaded = asOf(() => reload());
  fill(root, mine.element, h("h2", {}, "Agent ", named(agent)), loaded.element, content);
  const mayChange = session.me.role === "operator";

  async function load() {
    const path = `${api.path(market, "agents", agent, "statistics")}?limit=1000`;
    const found = await api.get(path);
    const more = mayChange
      ? [{ title: "Action", cell: (one) => suspendArm(market, one, say, reload) }]
      : [];
    const state = found.suspended ? badge("warn", "suspended") : badge("good", "in play");
    const count = found.arms.filter((one) => one.registered && !one.suspended).length;
    fill(
      content,
      agentFigures(found),
      h(
        "p",
        { class: "tools" },
        state,
        mayChange
          ? suspendAgent(market, { agent, suspended: found.suspended, arms: count }, say, reload)
          : null,
      ),
      section("Arms", armsTable(found, more)),
    );
    loaded.now();
  }
  const reload = () => attempt(say, load);
  mine.update(session);
  reload();
  return { title: agent, take: (name) => name === "markets" && mine.update(session), reload };
}
