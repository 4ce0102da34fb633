// Who decides: the policy, a candidate beside it, guard rails; each change with a preview.

import * as api from "./api.js";
import {
  badge, button, field, fill, fixed, h, moment, named, section, setText, table, whole,
} from "./dom.js";
import { ask, attempt } from "./dialogs.js";
import { comparison } from "./comparison.js";
import { guaranteeList, marketHead, provenLost, rulesOf } from "./market.js";

const KNOWN = [
  "default-anytime",
  "trial-anytime",
  "h-ucb",
  "prh-ucb",
  "h-thompson",
  "fair",
  "ucb1",
];

export function policyPage(root, session, say, market) {
  const mine = marketHead(market, "policy");
  const mayChange = session.me.role === "operator";
  const now = h("p"),
    beside = h("div", {}, h("p", { class: "quiet", text: "…" })),
    rails = h("div"),
    crossed = h("div");
  const preview = h("div");
  let live = null,
    rules = "",
    key = "",
    timer = null;

  fill(
    root,
    mine.element,
    section("Now", now),
    section("Shadow comparison", beside),
    mayChange ? section("Change the policy", changeForm(), preview) : null,
    section("Guard rails", crossed, rails),
  );

  function changeForm() {
    const list = h(
      "datalist",
      { id: "policies" },
      KNOWN.map((one) => h("option", { value: one })),
    );
    const policy = h("input", {
      type: "text",
      list: "policies",
      size: 28,
      maxlength: 1000,
      autocomplete: "off",
      required: true,
    });
    const how = h(
      "select",
      {},
      [
        ["0", "as a shadow: nothing that is shown changes"],
        ["0.01", "for 1 % of the decisions"],
        ["0.05", "for 5 %"],
        ["0.2", "for 20 %"],
        ["0.5", "for 50 %"],
        ["1", "for all, the first policy as its shadow"],
        ["", "for good"],
      ].map(([value, text]) => h("option", { value, text })),
    );
    const form = h(
      "form",
      {},
      list,
      h(
        "div",
        { class: "tools" },
        field("Policy", policy),
        field("How", how),
        h("button", { type: "submit", class: "main", text: "Preview" }),
      ),
      h("p", {
        class: "quiet",
        text: "The usual way is shadow, 5 %, 50 %, all, for good; every step but the last can be taken back.",
      }),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      attempt(say, () =>
        showPreview(policy.value.trim(), how.value, how.selectedOptions[0].textContent),
      );
    });
    return form;
  }

  async function showPreview(policy, share, words) {
    const query = new URLSearchParams(share === "" ? { policy } : { policy, share });
    const found = await api.get(`${api.path(market, "policy", "preview")}?${query}`);
    const body =
      share === "" ? { policy: found.policy } : { policy: found.policy, share: Number(share) };
    const lost = provenLost(found.guarantee_now, found.guarantee);
    const isNone = found.guarantee.startsWith("none:");
    fill(
      preview,
      h("h3", {}, "Preview: ", named(found.policy), `, ${words}`),
      lost.length
        ? h(
            "div",
            { class: "notice" },
            badge("bad", "weaker"),
            isNone ? " Copies would pay in this market from now on." : " No longer proven:",
            isNone
              ? null
              : h(
                  "ul",
                  {},
                  lost.map((line) => h("li", { text: line })),
                ),
          )
        : null,
      h(
        "div",
        { class: "guarantee" },
        h(
          "div",
          {},
          h("h3", {}, "Promised now (", named(found.policy_now), ")"),
          guaranteeList(found.guarantee_now),
        ),
        h("div", {}, h("h3", { text: "Promised then" }), guaranteeList(found.guarantee)),
      ),
      h(
        "p",
        { class: "tools" },
        button("Apply", () => apply(body, words, lost, isNone), { class: "main" }),
        button("Discard", () => fill(preview)),
      ),
    );
  }

  function apply(body, words, lost, isNone) {
    return ask({
      title: `Change the policy of ${market} to ${body.policy}, ${words}`,
      verb: "Change",
      isGrave: lost.length > 0,
      say,
      about: [
        "All statistics are kept.",
        lost.length === 0
          ? "What it promises was shown in the preview."
          : isNone
            ? "The new policy promises nothing about copies."
            : `The market promises less about copies. No longer proven: ${lost.join("; ")}.`,
      ],
      does: () => api.call("PUT", api.path(market, "policy"), body),
    }).then((done) => done && fill(preview));
  }

  function drop() {
    return ask({
      title: `Drop the candidate of ${market}`,
      verb: "Drop",
      isGrave: true,
      say,
      about: [
        "The first policy decides alone. What the candidate has learnt, and the comparison, are gone.",
      ],
      does: () => api.call("DELETE", api.path(market, "candidate")),
    });
  }

  function setRails(list, title) {
    return ask({
      title,
      verb: "Set",
      say,
      about: ["These guard rails take the place of those before, and begin to count anew."],
      does: () => api.call("PUT", api.path(market, "rails"), { rails: list }),
    });
  }

  function plain(one) {
    const found = { measure: one.measure, last: one.last, then: one.then };
    for (const name of ["at_most", "at_least"]) if (one[name] !== null) found[name] = one[name];
    return found;
  }

  function addRail() {
    const measure = h(
      "select",
      {},
      h("option", { value: "share", text: "largest share of one agent, at most" }),
      h("option", { value: "reward", text: "mean reward, at least" }),
    );
    const limit = h("input", {
      type: "number",
      min: 0,
      max: 1,
      step: "any",
      value: 0.6,
      required: true,
    });
    const last = h("input", { type: "number", min: 1, max: 100000, value: 5000, required: true });
    const then = h(
      "select",
      {},
      h("option", { value: "pause", text: "pause the market" }),
      h("option", { value: "fall-back", text: "take the candidate back" }),
    );
    return ask({
      title: `Add a guard rail to ${market}`,
      verb: "Add",
      say,
      about: [
        field("Measure", measure),
        field("Limit, from 0 to 1", limit),
        field("Of the last … decisions or plays", last),
        field("Then", then),
      ],
      read: () => ({
        measure: measure.value,
        last: Number(last.value),
        then: then.value,
        [measure.value === "share" ? "at_most" : "at_least"]: Number(limit.value),
      }),
      does: (one) =>
        api.call("PUT", api.path(market, "rails"), { rails: [...live.rails.map(plain), one] }),
    });
  }

  function showRails(found) {
    const columns = [
      {
        title: "Measure",
        cell: (one) => (one.measure === "share" ? "largest share of one agent" : "mean reward"),
      },
      {
        title: "Limits",
        cell: (one) => [
          one.at_least === null ? null : `at least ${fixed(one.at_least, 3)} `,
          one.at_most === null ? null : `at most ${fixed(one.at_most, 3)}`,
        ],
      },
      { title: "Measured", class: "number", cell: (one) => fixed(one.measured, 3) },
      {
        title: "Seen of its last",
        class: "number",
        cell: (one) => `${whole(one.seen)} of ${whole(one.last)}`,
      },
      { title: "Then", cell: (one) => (one.then === "pause" ? "pause" : "fall back") },
    ];
    if (mayChange) {
      columns.push({
        title: "Action",
        cell: (one) =>
          button(
            "Remove",
            () =>
              setRails(
                found.rails.filter((each) => each !== one).map(plain),
                `Remove a guard rail of ${market}`,
              ),
            { class: "small grave" },
          ),
      });
    }
    fill(
      rails,
      table(
        "Guard rails",
        columns,
        found.rails,
        "There are none: nothing stops the market by itself.",
      ),
      mayChange
        ? h("p", { class: "tools" }, button("Add a guard rail", addRail, { class: "small" }))
        : null,
    );
    const last = found.crossed;
    fill(
      crossed,
      last === null
        ? null
        : h(
            "p",
            { class: "notice" },
            badge("warn", "left last"),
            ` ${moment(last.at)}: ${last.measure} ${fixed(last.measured, 3)}`,
            last.agent ? [" of ", named(last.agent)] : null,
            `, then ${last.then}`,
          ),
    );
  }

  function take(name, data) {
    if (name === "markets") mine.update(session);
    if (name !== "agents") return;
    live = data;
    if (rules !== rulesOf(data)) {
      rules = rulesOf(data);
      // What it compares with is not so any more.
      if (preview.firstChild)
        fill(preview, h("p", { class: "notice", text: "The market was changed: preview it again." }));
    }
    const shape = JSON.stringify([
      rules,
      data.rails.map(plain),
      data.crossed,
    ]);
    if (shape !== key) {
      key = shape;
      fill(
        now,
        "The market is decided by ",
        h("strong", {}, named(data.policy)),
        data.candidate === null
          ? "."
          : [" and, beside it, ", h("strong", {}, named(data.candidate.policy)), "."],
      );
      showRails(data);
    } else {
      [...rails.querySelectorAll("tbody tr")].forEach((line, n) => {
        setText(line.children[2], fixed(data.rails[n].measured, 3));
        setText(line.children[3], `${whole(data.rails[n].seen)} of ${whole(data.rails[n].last)}`);
      });
    }
    const wait = take.of === shape ? (take.drawn ?? 0) + 1000 - performance.now() : 0;
    take.of = shape;
    clearTimeout(timer);
    if (wait > 0) timer = setTimeout(showBeside, wait);
    else showBeside();
  }

  function showBeside() {
    take.drawn = performance.now();
    if (live.candidate === null)
      fill(
        beside,
        h("p", {
          class: "quiet",
          text: `No candidate runs beside the policy.${mayChange ? " Preview one below, as a shadow first." : ""}`,
        }),
      );
    else
      fill(
        beside,
        comparison(live.candidate),
        mayChange
          ? h("p", { class: "tools" }, button("Drop the candidate", drop, { class: "small grave" }))
          : null,
      );
  }

  mine.update(session);
  return { title: `Policy of ${market}`, take, end: () => clearTimeout(timer) };
}
