// What a provider sees: its own arms, plays and revenue, and the check of its share.

import * as api from "./api.js";
import {
  asOf, badge, button, field, fill, fixed, h, moment, named, section, setText, whole,
} from "./dom.js";
import { attempt } from "./dialogs.js";
import { agentFigures, armsTable } from "./agents.js";
import { fingerprintOf, isSigned, verifyJournal } from "./verify.js";

export function providerPage(root, session, say) {
  const { agent } = session.me,
    [market] = session.me.markets;
  const figures = h("div"),
    arms = h("div"),
    result = h("div", { "data-live": "verdict" });
  const loaded = asOf(() => reload());
  const kept = h("textarea", { rows: 3, cols: 60, spellcheck: "false" });
  fill(
    root,
    h("h1", {}, named(agent), " in ", named(market)),
    figures,
    section(
      "Verify my share",
      h(
        "p",
        {},
        "Fetches your part of the market’s journal and checks it here, in your browser: that every event is in the ",
        "signed chain, in order, and that your plays and rewards add up to what the service says.",
      ),
      field(
        "Signed heads that you kept (JSON, optional)",
        kept,
        "From earlier checks, one after another: the journal must lead to each.",
      ),
      h(
        "p",
        { class: "tools" },
        button("Verify", () => attempt(say, verify), { class: "main" }),
      ),
      result,
    ),
    section("Arms", arms, loaded.element),
  );

  function own() {
    return api.path(market, "agents", agent, "statistics");
  }

  async function load() {
    const found = await api.get(`${own()}?limit=1000`);
    fill(figures, agentFigures(found));
    fill(arms, ...armsTable(found));
    loaded.now();
  }
  const reload = () => attempt(say, load);

  async function verify() {
    const status = h("p", { role: "status", text: "Fetching the signed head …" });
    fill(result, status);
    let earlier;
    try {
      earlier = heads(kept.value);
    } catch {
      fill(result, h("p", { class: "problem", text: "The heads that you kept are not JSON." }));
      return;
    }
    const before = await api.get(`${own()}?limit=1`);
    const head = await api.get(api.path(market, "head"));
    const signed = await isSigned(head);
    for (const one of earlier) {
      const why =
        one.market !== market
          ? `is of market ${one.market}, not of ${market}`
          : (await isSigned(one)) === "no"
            ? "has no good signature: it is not as it was signed"
            : null;
      if (why !== null) {
        const text = `The head of event ${one.number} that you kept ${why}.`;
        fill(result, h("p", { class: "problem", text }));
        return;
      }
    }
    let found;
    try {
      found = await verifyJournal(
        api.lines(api.path(market, "agents", agent, "journal")),
        agent,
        [head, ...earlier],
        (events) => setText(status, `${whole(events)} events checked …`),
      );
    } catch (error) {
      if (error.status !== undefined) throw error;
      fill(result, h("p", { class: "problem", text: `Not verified: ${error.message}.` }));
      return;
    }
    const after = await api.get(`${own()}?limit=1`);
    const key = await fingerprintOf(head);
    fill(result, ...verdict({ found, head, signed, key, before, after, earlier }));
  }

  reload();
  return {
    title: "My share",
    reload,
    take(name, data) {
      if (name !== "agents" || !data.agents.length || !figures.firstChild) return;
      const [mine] = data.agents;
      const cells = figures.querySelectorAll("dd");
      [
        whole(mine.plays),
        whole(mine.answered),
        whole(mine.pending),
        fixed(mine.revenue, 2),
      ].forEach((text, n) => setText(cells[n], text));
    },
  };
}

/** Read heads that stand one after another, or in a list. */
export function heads(text) {
  if (!text.trim()) return [];
  const whole = text.trim().startsWith("[")
    ? text
    : `[${text.trim().replace(/}\s*,?\s*{/g, "},{")}]`;
  return JSON.parse(whole);
}

function verdict({ found, head, signed, key, before, after, earlier }) {
  const isWhole = found.after === 0;
  const close = (sum, low, high) => sum >= low - 1e-6 && sum <= high + 1e-6;
  // What the market did while we looked may or may not be in the journal; revenue may be corrected.
  const adds =
    ["plays", "answered"].every((one) => close(found.sums[one], before[one], after[one])) &&
    (before.answered !== after.answered ||
      close(found.sums.revenue, before.revenue, after.revenue));
  const checks = [
    [
      found.violation === null,
      found.violation === null
        ? `All ${whole(found.events)} events are in the chain, in order.`
        : `Event ${found.violation.event}: ${found.violation.why}.`,
    ],
    [
      signed === "yes" ? true : signed === "no" ? false : null,
      signed === "yes"
        ? `The head of event ${whole(head.number)} is signed by the service’s key.`
        : signed === "no"
          ? "The signature of the head is wrong."
          : `The signature was not checked: ${signed}.`,
    ],
    [
      found.others ? null : found.confirmed === 1 + earlier.length && found.upto > found.after,
      `The journal leads to ${found.confirmed} of ${1 + earlier.length} signed heads. ` +
        (found.upto > found.after
          ? `They confirm the events up to ${whole(found.upto)}.`
          : "They confirm no event."),
    ],
    ...(found.others
      ? [
          [
            null,
            `${whole(found.others)} signed heads are of another chain: the market was deleted and made again.`,
          ],
        ]
      : []),
    [
      isWhole ? adds : null,
      isWhole
        ? `Your pieces add up to ${whole(found.sums.plays)} plays, ${whole(found.sums.answered)} with a reward, revenue ${fixed(found.sums.revenue, 2)}` +
          (adds
            ? ", as the service says."
            : `; the service says ${whole(after.plays)}, ${whole(after.answered)}, ${fixed(after.revenue, 2)}.`)
        : `The journal begins after event ${whole(found.after)}: what came before was compacted, and is not added up.`,
    ],
  ];
  const isBad = checks.some(([good]) => good === false),
    isOpen = checks.some(([good]) => good === null);
  return [
    h(
      "p",
      { class: "lead" },
      isBad
        ? badge("bad", "not verified")
        : isOpen
          ? badge("warn", "verified in part")
          : badge("good", "verified, as far as it is shown"),
    ),
    h(
      "ul",
      { class: "steps" },
      checks.map(([good, text]) =>
        h(
          "li",
          {},
          badge(
            good === null ? "warn" : good ? "good" : "bad",
            good === null ? "open" : good ? "right" : "wrong",
          ),
          " ",
          text,
        ),
      ),
    ),
    h(
      "p",
      { class: "quiet" },
      "It cannot tell whether something of yours was left out: compare the plays with your own logs. Keep this head, ",
      `signed ${moment(head.at)}; compare its key with the one that the operator has published`,
      key === null ? "." : `: its fingerprint is ${key}.`,
    ),
    h("code", { class: "secret", text: JSON.stringify(head) }),
  ];
}

/** What an application's key may see: nothing but itself. */
export function applicationPage(root, session) {
  fill(
    root,
    h("h1", { text: "An application’s key" }),
    h(
      "p",
      {},
      "It asks for decisions and tells rewards; there is nothing here for it to look at. Sign in with the key of an operator, an auditor or an agent.",
    ),
    h(
      "p",
      {},
      "It is for ",
      session.me.markets.map((one, n) => [n ? ", " : null, named(one)]),
      ".",
    ),
  );
}
