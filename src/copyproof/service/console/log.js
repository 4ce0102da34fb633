// What operators did: the last page of the log first.

import * as api from "./api.js";
import { h, fill, named, badge, section, table, button, moment } from "./dom.js";
import { attempt } from "./dialogs.js";

function outcome(status) {
  if (status === null) return badge("warn", "broken off");
  return status < 400 ? badge("good", `done (${status})`) : badge("bad", `refused (${status})`);
}

export function logPage(root, session, say) {
  const list = h("div");
  fill(
    root,
    h("h1", { text: "Log of operators’ actions" }),
    h(
      "p",
      { class: "tools" },
      button("Refresh", () => attempt(say, load), { class: "small" }),
    ),
    list,
  );

  // Ids of actions begin with their time in microseconds, so a time is a place in the list.
  async function load(days = 7) {
    const since = String(Math.floor(1000 * (Date.now() - 86400000 * days))).padStart(16, "0");
    const every = await api.all("v1/actions?limit=1000", "actions", days ? since : null);
    if (!every.length && days) {
      await load(0);
      return;
    }
    const last = every.slice(-500).reverse();
    fill(
      list,
      section(
        days
          ? `Of the last ${days} days: ${last.length} of ${every.length}`
          : `The last ${last.length}`,
        table(
          "Actions",
          [
            { title: "When", cell: (one) => moment(one.at) },
            {
              title: "Who",
              cell: (one) => [one.role, one.key ? [" ", h("code", { text: one.key })] : null],
            },
            { title: "What", cell: (one) => named(readable(one.what)) },
            {
              title: "Said",
              cell: (one) =>
                one.said === null
                  ? ""
                  : h("code", { class: "name", text: JSON.stringify(one.said) }),
            },
            { title: "Outcome", cell: (one) => outcome(one.status) },
          ],
          last,
          "Nothing was done yet.",
        ),
      ),
    );
  }

  const reload = () => attempt(say, load);
  reload();
  return { reload };
}

function readable(what) {
  try {
    return decodeURIComponent(what);
  } catch {
    return what;
  }
}
