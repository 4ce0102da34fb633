// API keys: make, rotate, revoke. A secret is shown once, and nowhere else.

import * as api from "./api.js";
import { h, fill, named, badge, section, table, button, field, moment } from "./dom.js";
import { ask, tell, attempt } from "./dialogs.js";

const ABOUT = {
  operator: "does everything",
  application: "asks for decisions and tells rewards",
  agent: "sees and registers its own arms",
  auditor: "reads everything, changes nothing",
};

function shownOnce(made) {
  tell(
    "A new secret",
    h("p", { text: "It is shown this once: keep it where secrets are kept." }),
    h("code", { class: "secret", text: made.key }),
  );
}

export function keysPage(root, session, say) {
  const list = h("div");
  fill(
    root,
    h("h1", { text: "Keys" }),
    h(
      "p",
      { class: "tools" },
      button("Make a key", () => make(), { class: "main" }),
    ),
    list,
  );

  async function load() {
    const keys = await api.all("v1/keys?limit=1000", "keys");
    const now = Date.now() / 1000;
    const works = (one) =>
      (one.revoked ?? null) === null && ((one.expires ?? null) === null || one.expires > now);
    keys.sort((a, b) => works(b) - works(a) || b.created - a.created);
    fill(
      list,
      section(
        "All keys",
        table(
          "Keys",
          [
            { title: "Id", cell: (one) => h("code", { text: one.id }) },
            {
              title: "State",
              cell: (one) =>
                works(one)
                  ? badge("good", one.id === session.me.id ? "this one" : "works")
                  : badge("plain", (one.revoked ?? null) === null ? "over" : "revoked"),
            },
            { title: "Role", cell: (one) => one.role },
            {
              title: "For",
              cell: (one) => [
                one.agent ? [named(one.agent), " in "] : null,
                (one.markets ?? []).length
                  ? one.markets.map((each, n) => [n ? ", " : null, named(each)])
                  : "all markets",
              ],
            },
            { title: "Note", cell: (one) => (one.note ? named(one.note) : "–") },
            { title: "Made", cell: (one) => moment(one.created) },
            { title: "Ends", cell: (one) => moment(one.revoked ?? one.expires ?? null) },
            {
              title: "Action",
              cell: (one) =>
                works(one) && one.id !== session.me.id
                  ? h(
                      "span",
                      { class: "tools" },
                      button("Rotate", () => rotate(one), {
                        class: "small",
                        "aria-label": `Rotate ${one.id}`,
                      }),
                      button("Revoke", () => revoke(one), {
                        class: "small grave",
                        "aria-label": `Revoke ${one.id}`,
                      }),
                    )
                  : "–",
            },
          ],
          keys,
        ),
      ),
    );
  }

  function make() {
    const role = h(
      "select",
      {},
      Object.entries(ABOUT).map(([name, about]) =>
        h("option", { value: name, text: `${name}: ${about}` }),
      ),
    );
    role.value = "auditor";
    const markets = h("input", { type: "text", size: 40, autocomplete: "off" });
    const agent = h("input", { type: "text", size: 40, autocomplete: "off", maxlength: 200 });
    const note = h("input", { type: "text", size: 40, autocomplete: "off", maxlength: 200 });
    const days = h("input", { type: "number", min: 1, max: 3650, step: 1 });
    return ask({
      title: "Make a key",
      verb: "Make",
      say,
      about: [
        field("Role", role),
        field(
          "Markets",
          markets,
          "One name on each side of a comma; empty for all, if the role may.",
        ),
        field("Agent", agent, "For the role agent: whose arms its bearer owns."),
        field("Note", note, "What it is for; no names of people."),
        field("Days until it ends", days, "Empty: it does not end by itself."),
      ],
      read: () => ({
        role: role.value,
        markets: markets.value
          .split(",")
          .map((one) => one.trim())
          .filter(Boolean),
        agent: agent.value.trim() || null,
        note: note.value.trim(),
        expires: days.value ? Date.now() / 1000 + 86400 * Number(days.value) : null,
      }),
      does: (body) => api.call("POST", "v1/keys", body),
    }).then((made) => made && (shownOnce(made), attempt(say, load)));
  }

  function rotate(one) {
    const overlap = h("input", { type: "number", min: 0, max: 86400, value: 300 });
    return ask({
      title: `Rotate key ${one.id}`,
      verb: "Rotate",
      say,
      about: [
        "The key gets a new secret. The old one works for a while, so that it can be replaced.",
        field("Seconds for which the old secret works", overlap),
      ],
      read: () => ({ overlap: Number(overlap.value) }),
      does: (body) => api.call("POST", `v1/keys/${encodeURIComponent(one.id)}/rotate`, body),
    }).then((made) => made && (shownOnce(made), attempt(say, load)));
  }

  function revoke(one) {
    return ask({
      title: `Revoke key ${one.id}`,
      verb: "Revoke",
      isGrave: true,
      say,
      about: [
        `Whoever uses this key (${one.role}${one.note ? `, ${one.note}` : ""}) is refused from now on. This cannot be undone.`,
      ],
      does: () => api.call("DELETE", `v1/keys/${encodeURIComponent(one.id)}`),
    }).then((done) => done && attempt(say, load));
  }

  const reload = () => attempt(say, load);
  reload();
  return { reload };
}
