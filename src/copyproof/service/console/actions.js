// What operators do to agents and arms, each after a question.

import * as api from "./api.js";
import { button } from "./dom.js";
import { ask } from "./dialogs.js";

/** A button that suspends an agent, or lets it back in. */
export function suspendAgent(market, one, say, after = () => {}) {
  const verb = one.suspended ? "Resume" : "Suspend";
  return button(
    verb,
    async () => {
      const done = await ask({
        title: `${verb} agent ${one.agent}`,
        verb,
        say,
        isGrave: !one.suspended,
        about: [
          one.suspended
            ? "Its arms may be shown again, with the statistics that they had."
            : `None of its ${one.arms} arms is shown until it is resumed. Plays, revenue and keys stay as they are.`,
        ],
        does: () => api.call("POST", api.path(market, "agents", one.agent, verb.toLowerCase())),
      });
      if (done) after();
    },
    { class: "small", "aria-label": `${verb} ${one.agent}`, "data-focus": `agent ${one.agent}` },
  );
}

/** The same for one arm. */
export function suspendArm(market, one, say, after = () => {}) {
  const verb = one.suspended ? "Resume" : "Suspend";
  return button(
    verb,
    async () => {
      const done = await ask({
        title: `${verb} arm ${one.arm} of ${one.agent}`,
        verb,
        say,
        isGrave: !one.suspended,
        about: [
          one.suspended
            ? "It may be shown again if it is registered."
            : "It is not shown until it is resumed, whatever its agent does.",
        ],
        does: () =>
          api.call("POST", api.path(market, "agents", one.agent, "arms", verb.toLowerCase()), {
            arm: one.arm,
          }),
      });
      if (done) after();
    },
    { class: "small", "aria-label": `${verb} ${one.arm}`, "data-focus": `arm ${one.arm}` },
  );
}
