// Backups, in the folder that the service was started with.

import * as api from "./api.js";
import { h, fill, section, table, button, bytes, moment } from "./dom.js";
import { ask, attempt } from "./dialogs.js";

export function backupsPage(root, session, say) {
  const list = h("div");
  fill(root, h("h1", { text: "Backups" }), list);

  function make() {
    return ask({
      title: "Make a backup",
      verb: "Make",
      say,
      about: [
        "Everything, as of one moment, is written to a new file and checked. Decisions go on meanwhile. The key that signs heads is not in it.",
      ],
      does: () => api.call("POST", "v1/backups"),
    }).then((done) => done && attempt(say, load));
  }

  async function load() {
    const found = await api.get("v1/backups");
    fill(
      list,
      found.enabled
        ? section(
            "In the folder for backups",
            h("p", { class: "tools" }, button("Make a backup", make, { class: "main" })),
            table(
              "Backups",
              [
                { title: "File", cell: (one) => h("code", { text: one.name }) },
                { title: "Size", class: "number", cell: (one) => bytes(one.bytes) },
                { title: "Made", cell: (one) => moment(one.at) },
              ],
              found.backups,
              "There is none yet.",
            ),
          )
        : section(
            "Not set up",
            h(
              "p",
              {},
              "The service was started without a folder for backups. Start it with ",
              h("code", { text: "--backups DIR" }),
              ", or run ",
              h("code", { text: "copyproof store backup" }),
              " beside it.",
            ),
          ),
    );
  }

  const reload = () => attempt(say, load);
  reload();
  return { reload };
}
