// Elements, and numbers as people read them.
//
// Whatever comes from the service is put into the page as text, never as markup: there is no
// innerHTML here, and the page's Content-Security-Policy would refuse it.

import { giveBack, place } from "./focus.js";

const SVG = "http://www.w3.org/2000/svg";

/** Make an element. `props` are attributes; `on` maps events to functions; `text` is its text. */
export function h(tag, props = {}, ...children) {
  return filled(document.createElement(tag), props, children);
}

/** Make an element of a drawing. */
export function s(tag, props = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), props, children);
}

function filled(element, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") {
      for (const [event, does] of Object.entries(value)) element.addEventListener(event, does);
    } else if (name === "text") element.textContent = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(3)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

/** A name that somebody chose: it cannot change the direction of what stands around it. */
export function named(text) {
  return h("bdi", { class: "name", text: text });
}

/** Put other content into an element; whoever was in it with the keyboard stays at the same thing. */
export function fill(element, ...children) {
  const held = element.contains(document.activeElement) ? place() : null;
  element.replaceChildren(...children.flat(3).filter((each) => each !== null && each !== false));
  if (held !== null && held.element !== element) giveBack(held);
  return element;
}

/** Set a text only if it is another one: nothing is drawn for what stays. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// --- numbers --------------------------------------------------------------------------------------

const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const DASH = "–";

export function whole(value) {
  return value === null || value === undefined ? DASH : WHOLE.format(value);
}

export function percent(share, digits = 1) {
  return share === null || share === undefined ? DASH : `${(100 * share).toFixed(digits)} %`;
}

export function fixed(value, digits = 3) {
  return value === null || value === undefined ? DASH : value.toFixed(digits);
}

export function rate(value) {
  if (value === null || value === undefined) return DASH;
  return value >= 100 ? whole(value) : value.toFixed(value >= 10 ? 1 : 2);
}

/** Seconds that something took at most, from the limits of a histogram. */
export function atMost(seconds) {
  if (seconds === null || seconds === undefined) return DASH;
  return `≤ ${Number((1000 * seconds).toPrecision(3))} ms`;
}

export function moment(at) {
  if (at === null || at === undefined) return DASH;
  return new Date(1000 * at).toISOString().replace("T", " ").slice(0, 19) + " UTC";
}

export function clock(at) {
  return new Date(1000 * at).toISOString().slice(11, 19);
}

export function ago(seconds) {
  if (seconds < 90) return `${Math.max(0, Math.round(seconds))} s ago`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min ago`;
  if (seconds < 129600) return `${Math.round(seconds / 3600)} h ago`;
  return `${Math.round(seconds / 86400)} d ago`;
}

export function bytes(size) {
  return size < 1e6 ? `${(size / 1e3).toFixed(1)} kB` : `${(size / 1e6).toFixed(1)} MB`;
}

// --- pieces of pages ------------------------------------------------------------------------------

/** A word about a state, with a sign of its own: colour alone would not do. */
export function badge(kind, text) {
  const signs = { good: "●", warn: "▲", bad: "■", plain: "○" };
  return h(
    "span",
    { class: `badge ${kind}` },
    h("span", { "aria-hidden": "true" }, signs[kind]),
    " ",
    text,
  );
}

/**
 * A table. Columns are {title, class, cell}: `cell(row)` gives a text or an element. The first
 * column names the row. Without rows it is the line `empty` alone.
 */
export function table(caption, columns, rows, empty = "Nothing to show.") {
  if (rows.length === 0) return h("div", {}, h("p", { class: "quiet" }, empty));
  const head = h(
    "tr",
    {},
    columns.map((one) => h("th", { scope: "col", class: one.class, text: one.title })),
  );
  const body = rows.map((row) =>
    h(
      "tr",
      {},
      columns.map((one, n) =>
        n === 0
          ? h("th", { scope: "row", class: one.class }, one.cell(row))
          : h("td", { class: one.class, "data-label": one.title }, one.cell(row)),
      ),
    ),
  );
  const made = h(
    "table",
    {},
    h("caption", { class: "hidden", text: caption }),
    h("thead", {}, head),
    h("tbody", {}, body),
  );
  return h("div", {}, wide(caption, made));
}

/** What may be wider than the page: it is scrolled by itself, with the keyboard, too. */
export function wide(label, content) {
  return h("div", { class: "wide", role: "region", "aria-label": label, tabindex: "0" }, content);
}

export function section(title, ...children) {
  return h("section", { class: "card" }, h("h2", { text: title }), ...children);
}

export function tile(label, id) {
  const value = h("dd", { text: DASH, "data-tile": id });
  return { element: h("div", { class: "tile" }, h("dt", { text: label }), value), value };
}

/** A button that cannot be pressed twice while it works; it keeps the focus meanwhile. */
export function button(text, does, props = {}) {
  const made = h("button", { type: "button", ...props, text });
  made.addEventListener("click", async () => {
    if (made.getAttribute("aria-disabled") === "true") return;
    made.setAttribute("aria-disabled", "true");
    try {
      await does();
    } finally {
      made.removeAttribute("aria-disabled");
    }
  });
  return made;
}

/** When something was loaded, and a button that loads it anew; `load` sets the time. */
export function asOf(load) {
  const time = h("span", { class: "quiet", text: "…" });
  return {
    element: h("p", { class: "tools" }, time, button("Refresh", load, { class: "small" })),
    now: () => setText(time, `As of ${moment(Date.now() / 1000)}`),
  };
}

export function field(label, control, help = null) {
  const id = `f${(field.count = (field.count ?? 0) + 1)}`;
  control.id = id;
  if (help) control.setAttribute("aria-describedby", `${id}h`);
  return h(
    "p",
    { class: "field" },
    h("label", { for: id, text: label }),
    control,
    help ? h("span", { class: "quiet help", id: `${id}h`, text: help }) : null,
  );
}
