// The review queue: agents whose arms are alike by their fingerprints, and what operators say of it.

import * as api from "./api.js";
import { asOf, badge, button, fill, h, named, percent, table, whole } from "./dom.js";
import { ask, attempt } from "./dialogs.js";
import { agentLink } from "./market.js";

const KINDS = { open: "warn", confirmed: "bad", dismissed: "plain" };
const FOLLOWS = {
  confirm:
    "The agents are bound to one group: the policy takes them for one and the same from now on, and the journal says so.",
  dismiss: "Nothing follows, and it waits for nobody any more; it can still be confirmed later.",
};

export function armsList(market, arms, more = 0) {
  const shown = arms.slice(0, 12);
  return h(
    "span",
    {},
    shown.map(([agent, arm], n) => [n ? ", " : null, agentLink(market, agent), " / ", named(arm)]),
    arms.length + more > shown.length
      ? ` and ${whole(arms.length + more - shown.length)} more`
      : null,
  );
}

/** The queue of a market: its element, and `load`, which fills it. */
export function reviewQueue(market, mayChange, say) {
  const list = h("div");
  const loaded = asOf(() => attempt(say, load));
  const columns = [
    {
      title: "Agents",
      cell: (one) => one.agents.map((agent, n) => [n ? ", " : null, agentLink(market, agent)]),
    },
    {
      title: "Arms",
      cell: (one) =>
        armsList(
          market,
          one.arms.map((each) => [each.agent, each.arm]),
        ),
    },
    { title: "Evidence", cell: (one) => named(one.evidence) },
    { title: "Similarity", class: "number", cell: (one) => percent(one.similarity, 0) },
    { title: "State", cell: (one) => badge(KINDS[one.status], one.status) },
  ];
  if (mayChange)
    columns.push({
      title: "Action",
      cell: (one) =>
        h(
          "span",
          { class: "tools" },
          one.status === "confirmed" ? null : judging(one, "confirm"),
          one.status === "open" ? judging(one, "dismiss") : null,
        ),
    });

  function judging(one, verb) {
    const said = verb === "confirm" ? "Confirm" : "Dismiss";
    const title = `${said} the suspicion about ${one.agents.join(", ")}`;
    const judge = () =>
      ask({
        title,
        verb: said,
        isGrave: verb === "confirm",
        say,
        about: [FOLLOWS[verb]],
        does: () => api.call("POST", api.path(market, "suspicions", one.id, verb)),
      }).then((done) => done && attempt(say, load));
    return button(said, judge, { class: "small", "aria-label": title });
  }

  async function load() {
    const path = `${api.path(market, "suspicions")}?limit=1000`;
    const suspicions = await api.all(path, "suspicions");
    fill(
      list,
      table("Review queue", columns, suspicions, "No two agents have arms whose fingerprints are alike."),
    );
    loaded.now();
  }

  return { element: h("div", {}, list, loaded.element), load };
}
