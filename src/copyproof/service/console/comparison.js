// Two policies side by side: what is known of their worth, and of the difference.

import { h, s, named, badge, whole, percent, fixed } from "./dom.js";

/** An estimate between its limits, on a line. */
function interval(one, low, high, label) {
  const x = (value) => 10 + (280 * (Math.min(high, Math.max(low, value)) - low)) / (high - low);
  const said = `${one.mean === null ? "unknown" : fixed(one.mean, 4)}, between ${fixed(one.lower, 4)} and ${fixed(one.upper, 4)}`;
  return h(
    "div",
    {},
    s(
      "svg",
      { viewBox: "0 0 300 34", class: "interval", role: "img", "aria-label": `${label}: ${said}` },
      s("line", { class: "axis", x1: 10, x2: 290, y1: 12, y2: 12 }),
      s("line", { class: "axis", x1: x(0), x2: x(0), y1: 4, y2: 20 }),
      s("line", { class: "range", x1: x(one.lower), x2: x(one.upper), y1: 12, y2: 12 }),
      one.mean === null ? null : s("circle", { class: "point", cx: x(one.mean), cy: 12, r: 4 }),
      s("text", { x: 10, y: 32 }, fixed(low, 2)),
      s("text", { x: x(0), y: 32, "text-anchor": "middle" }, "0"),
      s("text", { x: 290, y: 32, "text-anchor": "end" }, fixed(high, 2)),
    ),
    h("span", { class: "number", text: said }),
  );
}

/** How the candidate compares with the first policy, with limits that hold at any time. */
export function comparison(one) {
  if (one.decisions === 0)
    return h("p", { class: "quiet", text: "No decision was made beside it yet." });
  const better =
    one.difference.lower > 0
      ? badge("good", "the candidate is better")
      : one.difference.upper < 0
        ? badge("bad", "the candidate is worse")
        : badge("plain", "not decided yet");
  const width = Math.max(0.01, Math.abs(one.difference.lower), Math.abs(one.difference.upper));
  const pairs = [
    [
      "Candidate",
      h(
        "span",
        {},
        named(one.policy),
        `, ${percent(one.share, 0)} of the decisions, since round ${whole(one.since)}`,
      ),
    ],
    ["Decisions since", `${whole(one.decisions)}, ${whole(one.drawn)} of them the candidate’s`],
    ["Both wanted the same", `${whole(one.agreed)} (${percent(one.agreed / one.decisions)})`],
    ["Rewards known for good", whole(one.known)],
    ["Worth of a decision: first", estimate(one.value_of_first)],
    ["Worth of a decision: candidate", estimate(one.value)],
    [
      "Candidate less first",
      h("div", {}, better, interval(one.difference, -width, width, "Candidate less first")),
    ],
  ];
  return h(
    "dl",
    { class: "pairs" },
    pairs.map(([title, value]) => [h("dt", { text: title }), h("dd", {}, value)]),
  );
}

function estimate(one) {
  return `${one.mean === null ? "cannot be known" : fixed(one.mean, 4)} (between ${fixed(one.lower, 4)} and ${fixed(one.upper, 4)})`;
}
