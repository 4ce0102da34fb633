// The console: who is signed in, which page is shown, and what the stream says.

import * as api from "./api.js";
import { h, fill, setText, named, button, field, ago } from "./dom.js";
import { marketsPage } from "./markets.js";
import { marketPage } from "./market.js";
import { copiesPage } from "./copies.js";
import { policyPage } from "./policy.js";
import { agentPage } from "./agents.js";
import { keysPage } from "./keys.js";
import { logPage } from "./log.js";
import { backupsPage } from "./backups.js";
import { providerPage, applicationPage } from "./provider.js";

const byId = (id) => document.getElementById(id);

/** What all pages share: who is signed in, and what the stream has said last. */
const session = { me: null, markets: new Map(), at: null, heard: 0, state: "lost", trouble: null };

// Which roles have which pages. What is not listed for a role is neither linked nor shown; the
// service refuses it in any case.
const PAGES = [
  { name: "markets", title: "Markets", roles: ["operator", "auditor"], make: marketsPage },
  { name: "market", roles: ["operator", "auditor"], make: marketPage, close: true },
  { name: "copies", roles: ["operator", "auditor"], make: copiesPage, close: true },
  { name: "policy", roles: ["operator", "auditor"], make: policyPage, close: true },
  { name: "agent", roles: ["operator", "auditor"], make: agentPage },
  { name: "keys", title: "Keys", roles: ["operator"], make: keysPage },
  { name: "log", title: "Log", roles: ["operator", "auditor"], make: logPage },
  { name: "backups", title: "Backups", roles: ["operator"], everyMarket: true, make: backupsPage },
  { name: "mine", title: "My share", roles: ["agent"], make: providerPage, close: true },
  { name: "application", title: "This key", roles: ["application"], make: applicationPage },
];

let shown = null;
let close = null; // the market that the page watches closely
let closeStream = () => {};
let watched;

function allowed(page) {
  const { me } = session;
  return page.roles.includes(me.role) && !(page.everyMarket && me.markets.length);
}

function home() {
  return PAGES.find(allowed).name;
}

// --- signing in -----------------------------------------------------------------------------------

function signInPage(said = "") {
  closeStream();
  shown = null;
  session.me = null;
  fill(byId("nav"));
  fill(byId("session"));
  setText(byId("status"), "");
  document.title = "Sign in · copyproof console";
  // It has no name: whatever a browser does with the form, it cannot put the key into an address.
  const key = h("input", {
    type: "password",
    autocomplete: "off",
    spellcheck: "false",
    required: true,
    size: 40,
  });
  const note = h("p", { class: "problem", role: "alert", text: said });
  const form = h(
    "form",
    { class: "card signin" },
    h("h1", { text: "Sign in" }),
    h(
      "p",
      {},
      "With an API key of this service. It is kept in the memory of this page only, ",
      "and is gone when you close or reload it.",
    ),
    field("API key", key),
    note,
    h("button", { type: "submit", class: "main", text: "Sign in" }),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const text = key.value.trim();
    key.value = "";
    if (!/^cp_[0-9a-f]{12}_[A-Za-z0-9_-]{43}$/.test(text)) {
      setText(note, "This is not a key: it begins with cp_, and is copied as a whole.");
      key.focus();
      return;
    }
    setText(note, "");
    api.signIn(text, () => signInPage("The key is not valid any more, or never was."));
    try {
      const me = await api.get("v1/key");
      session.me = { markets: [], agent: null, note: "", ...me };
      begin();
    } catch (error) {
      api.signOut();
      if (error.status !== 401) setText(note, `Not signed in: ${error.message}.`);
    }
  });
  fill(byId("main"), form);
  key.focus();
}

function signOut() {
  api.signOut();
  session.markets.clear();
  location.hash = "";
  signInPage();
}

function begin() {
  const { me } = session;
  const whose = me.role === "agent" ? [named(me.agent), " in ", named(me.markets[0])] : [me.role];
  fill(
    byId("session"),
    h("span", { class: "quiet" }, ...whose),
    " ",
    button("Sign out", signOut, { class: "small" }),
  );
  watched = undefined;
  show();
}

// --- pages ----------------------------------------------------------------------------------------

function place() {
  const parts = location.hash.replace(/^#\/?/, "").split("/");
  try {
    const [name, ...rest] = parts.map(decodeURIComponent);
    return { name, rest };
  } catch (error) {
    if (error instanceof URIError) return { name: "", rest: [] }; // of no page: a % too many, say
    throw error;
  }
}

function show() {
  if (session.me === null) return;
  const { name, rest } = place();
  const page = PAGES.find((one) => one.name === name && allowed(one));
  if (page === undefined) {
    location.replace(`#/${home()}`);
    return;
  }
  const links = PAGES.filter((one) => one.title && allowed(one));
  const under = ["market", "copies", "policy", "agent"].includes(name) ? "markets" : name;
  fill(
    byId("nav"),
    h(
      "ul",
      {},
      links.map((one) =>
        h(
          "li",
          {},
          h("a", {
            href: `#/${one.name}`,
            "aria-current": one.name === under ? "page" : null,
            text: one.title,
          }),
        ),
      ),
    ),
  );
  if (shown?.end) shown.end();
  const root = h("div", { class: "page" });
  fill(byId("main"), root);
  byId("main").focus({ preventScroll: true });
  window.scrollTo(0, 0);
  shown = page.make(root, session, say, ...rest) ?? {};
  document.title = `${shown.title ?? page.title ?? name} · copyproof console`;
  close = page.close ? (session.me.role === "agent" ? session.me.markets[0] : rest[0]) : null;
  listen(close);
}

/** Say something once, for eyes and screen readers alike. */
function say(text, isBad = false) {
  const line = h("p", { class: isBad ? "problem" : "done", text });
  fill(byId("said"), line);
  clearTimeout(say.timer);
  say.timer = setTimeout(() => fill(byId("said")), isBad ? 15000 : 6000);
}

// --- the stream -----------------------------------------------------------------------------------

let figures = null; // the last ones of the market that is watched closely

function listen(market) {
  if (!["operator", "auditor", "agent"].includes(session.me.role)) return;
  if (watched === market) {
    // Nothing is sent anew of a market that does not change: the page begins with what is known.
    if (figures !== null) shown?.take?.("agents", figures);
    return;
  }
  closeStream();
  watched = market;
  figures = null;
  const path = market === null ? "v1/events" : `v1/events?market=${encodeURIComponent(market)}`;
  closeStream = api.stream(path, take, (state) => {
    session.state = state;
    if (state === "live") session.heard = performance.now();
    status();
  });
}

function take(name, data) {
  if (name === "markets") {
    if (data.whole) session.markets.clear();
    for (const row of data.markets) session.markets.set(row.market, row);
    for (const gone of data.gone) session.markets.delete(gone);
    session.at = data.at;
    session.trouble = data.trouble;
  }
  if (name === "agents") figures = data;
  shown?.take?.(name, data);
}

function status() {
  if (session.me === null || session.me.role === "application") return;
  const past = (performance.now() - session.heard) / 1000;
  const live = session.state === "live" && past < 3;
  const line = live
    ? "● Live"
    : session.heard
      ? `■ Not live: last update ${ago(past)}, trying again`
      : "○ Connecting";
  const element = byId("status");
  setText(element, session.trouble === null || !live ? line : "■ The store is away");
  element.classList.toggle("bad", (!live && session.heard > 0) || session.trouble !== null);
}

// A console that nobody looks at asks for nothing. Who comes back finds the page as it was left,
// whatever was typed into it, with what has happened since.
let hiddenSince = null;
document.addEventListener("visibilitychange", () => {
  hiddenSince = document.hidden ? performance.now() : null;
  if (document.hidden || session.me === null || watched !== undefined) return;
  listen(close);
  shown.reload?.();
});
setInterval(() => {
  status();
  if (hiddenSince !== null && performance.now() - hiddenSince > 60000 && watched !== undefined) {
    closeStream();
    watched = undefined;
  }
}, 1000);
window.addEventListener("hashchange", show);
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // what follows the # is the name of a page
  byId("main").focus();
});
// A page that is kept for "back" keeps no key.
window.addEventListener("pagehide", () => {
  api.signOut();
  session.me = null;
});
window.addEventListener("pageshow", (event) => {
  if (event.persisted) signInPage();
});
signInPage();
