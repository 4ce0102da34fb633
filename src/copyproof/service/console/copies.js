// Copies: who is suspected, what waits for a decision of the operator, and what copies would gain.

import * as api from "./api.js";
import {
  asOf, badge, button, field, fill, fixed, h, moment, named, section, table, whole,
} from "./dom.js";
import { ask, attempt } from "./dialogs.js";
import { marketHead } from "./market.js";
import { armsList, reviewQueue } from "./review.js";

const VERDICTS = {
  "no-gain": ["good", "copies gain nothing"],
  prone: ["bad", "copies pay"],
  unchanged: ["good", "copies change nothing"],
  undecided: ["warn", "undecided"],
};

function verdict(word) {
  const [kind, text] = VERDICTS[word] ?? ["plain", String(word)];
  return badge(kind, text);
}

export function copiesPage(root, session, say, market) {
  const mine = marketHead(market, "copies");
  const mayChange = session.me.role === "operator";
  const queue = reviewQueue(market, mayChange, say);
  const suspected = h("div"),
    audits = h("div");
  const loaded = asOf(() => attempt(say, load));
  let timer = null,
    isOver = false;
  const horizon = h("input", { type: "number", min: 10, max: 10000, step: 10, value: 1000 });
  const policy = h("input", {
    type: "text",
    size: 28,
    placeholder: "the one that runs",
    maxlength: 1000,
    autocomplete: "off",
  });
  fill(
    root,
    mine.element,
    section(
      "What would copies gain here?",
      h(
        "p",
        { class: "quiet" },
        "An audit plays the market’s present estimates over and over, once with each agent’s best arm alone, and ",
        "once with copies of its arms, and says what they gain. It runs beside the service, in a process of its own. ",
        "Estimates are no truth: the audit says what holds if arms pay what they seem to pay.",
      ),
      mayChange
        ? h(
            "div",
            { class: "tools" },
            field("Rounds", horizon),
            field("Policy", policy),
            button("Find out", () => start(), { class: "main" }),
          )
        : null,
      audits,
    ),
    section("Review queue", queue.element),
    section(
      "Arms that look like copies",
      h(
        "p",
        { class: "quiet" },
        "They were paid the same rewards in the same order, beyond chance.",
      ),
      suspected,
      loaded.element,
    ),
  );

  async function load() {
    const found = await api.get(`${api.path(market, "statistics")}?limit=100`);
    fill(
      suspected,
      table(
        "Suspected copies",
        [
          { title: "Arms", cell: (one) => armsList(market, one.arms, one.more) },
          { title: "Equal rewards", class: "number", cell: (one) => whole(one.answers) },
          {
            title: "Expected by chance",
            class: "number",
            cell: (one) => one.chance.toExponential(1),
          },
          { title: "Segment", cell: (one) => named(one.segment ?? "–") },
        ],
        found.suspected,
        "No two arms have the same history.",
      ),
    );
    loaded.now();
  }

  function start() {
    const body = { horizon: Number(horizon.value) };
    if (policy.value.trim()) body.policy = policy.value.trim();
    return ask({
      title: `Audit ${market}`,
      verb: "Begin",
      say,
      about: [
        `An audit of ${whole(body.horizon)} rounds begins in the background, with the lowest priority; it takes seconds to minutes.`,
      ],
      does: () => api.call("POST", api.path(market, "audits"), body),
    }).then((done) => done && attempt(say, loadAudits));
  }

  async function loadAudits() {
    const { audits: found } = await api.get(api.path(market, "audits"));
    if (isOver) return;
    fill(
      audits,
      found.length
        ? found.map(auditBlock)
        : h("p", { class: "quiet", text: "No audit was made since the service was started." }),
    );
    clearTimeout(timer);
    if (found.some((one) => one.state === "waiting" || one.state === "running")) {
      timer = setTimeout(() => attempt(say, loadAudits), 2000);
    }
  }

  const reload = () => Promise.all([load, queue.load, loadAudits].map((one) => attempt(say, one)));

  mine.update(session);
  reload();
  return {
    title: `Copies in ${market}`,
    reload,
    take: (name) => name === "markets" && mine.update(session),
    end() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}

function auditBlock(one) {
  const head = h(
    "h3",
    {},
    moment(one.at),
    ", ",
    named(one.policy),
    `, ${whole(one.horizon)} rounds: `,
    one.state === "done"
      ? verdict(one.verdict)
      : one.state === "failed"
        ? badge("bad", "failed")
        : badge("plain", one.state),
  );
  if (one.state === "failed")
    return h("div", {}, head, h("p", { class: "problem", text: one.error }));
  if (one.state !== "done")
    return h(
      "div",
      {},
      head,
      h("p", { class: "quiet", role: "status", text: `${whole(one.arms)} arms are looked at …` }),
    );
  return h(
    "div",
    {},
    head,
    table(
      `Audit of ${moment(one.at)}`,
      [
        { title: "Agent", cell: (each) => named(each.agent) },
        { title: "Verdict", cell: (each) => verdict(each.verdict) },
        {
          title: "Best copying tried: copies of each arm",
          cell: (each) => h("span", { class: "mono", text: each.copies.join(", ") }),
        },
        { title: "Gain", class: "number", cell: (each) => fixed(each.gain, 2) },
        {
          title: "Limits",
          class: "number",
          cell: (each) => `${fixed(each.low, 2)} to ${fixed(each.high, 2)}`,
        },
        {
          title: "Revenue without copies",
          class: "number",
          cell: (each) => fixed(each.revenue, 2),
        },
      ],
      one.agents,
    ),
    h("p", {
      class: "quiet",
      text:
        `${whole(one.arms)} arms, ${fixed(one.seconds, 0)} s` +
        (one.left_out
          ? `; ${whole(one.left_out)} agents and arms that were hardly played are left out`
          : ""),
    }),
  );
}
