// Nothing is changed without a question that says what will happen, to what.

import { h } from "./dom.js";
import { giveBack, place } from "./focus.js";

/** Open a dialog; when it is closed it is gone, and the keyboard is where it was before. */
function open(dialog, closed = () => {}) {
  const before = place();
  dialog.addEventListener("close", () => {
    dialog.remove();
    giveBack(before);
    closed();
  });
  document.body.append(dialog);
  dialog.showModal();
}

/**
 * Ask before something is done. `about` are lines or elements; `verb` is the button's text; `read`
 * gives what is to be sent, or throws with a message for the person.
 */
export function ask({ title, about, verb, isGrave = false, read = () => true, does, say }) {
  return new Promise((done) => {
    const problem = h("p", { class: "problem", role: "alert" });
    const go = h("button", { type: "submit", class: isGrave ? "grave" : "main", text: verb });
    const no = h("button", { type: "button", text: "Cancel" });
    const id = `d${(ask.count = (ask.count ?? 0) + 1)}`;
    const form = h(
      "form",
      { method: "dialog" },
      h("h2", { id, text: title }),
      about.map((one) => (typeof one === "string" ? h("p", { text: one }) : one)),
      h("p", {
        class: "quiet",
        text: "It is written to the log of operators’ actions, with the id of your key.",
      }),
      problem,
      h("p", { class: "buttons" }, no, go),
    );
    const dialog = h("dialog", { "aria-labelledby": id }, form);
    let result = null;
    no.addEventListener("click", () => dialog.close());
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      problem.textContent = "";
      go.disabled = no.disabled = true;
      try {
        result = (await does(read())) ?? true;
        dialog.close();
      } catch (error) {
        problem.textContent = `Not done: ${error.message}.`;
        go.disabled = no.disabled = false;
      }
    });
    open(dialog, () => done(result));
    no.focus();
  }).then((result) => {
    if (result !== null) say(`Done: ${title}`);
    return result;
  });
}

/** Show something once, such as a new key, until it is closed. */
export function tell(title, ...content) {
  const id = `t${(tell.count = (tell.count ?? 0) + 1)}`;
  const shut = h("button", { type: "button", class: "main", text: "Close" });
  const dialog = h(
    "dialog",
    { "aria-labelledby": id },
    h("h2", { id, text: title }),
    ...content,
    h("p", { class: "buttons" }, shut),
  );
  shut.addEventListener("click", () => dialog.close());
  open(dialog);
}

/** Do something, and say what is wrong if it cannot be done. */
export async function attempt(say, does) {
  try {
    return await does();
  } catch (error) {
    if (error.name === "AbortError") return null;
    if (error.status === undefined) throw error;
    say(`${error.message}.`, true);
    return null;
  }
}
