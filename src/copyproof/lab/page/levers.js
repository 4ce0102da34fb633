// The levers of each chapter: native controls, so that keyboard and screen reader work by themselves.

import { count, el, write } from "./elements.js";
import { MEANS } from "./market.js";
import { RENEWALS } from "./state.js";
import { POLICY_NAMES, policyName } from "./words.js";

const COPY_STEPS = [1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 400, 500];
const MIX_STEPS = [0, 1, 2, 3, 5, 10, 20, 50, 100, 200];

let made = 0;

// A slider over given values; the value in the address may lie between two of them.
export function slider({ label, values, value, say = count, onchange }) {
  made += 1;
  const id = `slider-${made}`;
  const place = () => values.findLastIndex((one) => one <= value);
  const shown = el("output", { for: id }, say(value));
  const input = el("input", {
    id, type: "range", min: 0, max: values.length - 1, step: 1, value: Math.max(0, place()),
    "aria-valuetext": say(value),
    oninput: () => {
      value = values[Number(input.value)];
      input.setAttribute("aria-valuetext", say(value));
      write(shown, say(value));
      onchange(value);
    },
  });
  const element = el("div", { class: "lever" }, el("label", { for: id }, label), shown, input);
  return {
    element,
    set(now) {
      if (now === value) return;
      value = now;
      input.value = Math.max(0, place());
      input.setAttribute("aria-valuetext", say(value));
      write(shown, say(value));
    },
  };
}

export function radios({ legend, name, options, value, onchange, disabled = () => false }) {
  const inputs = new Map();
  const field = el("fieldset", { class: "choices" }, el("legend", {}, legend),
    ...options.map(([key, title]) => {
      const input = el("input", {
        type: "radio", name, value: key, checked: key === value, onchange: () => onchange(key),
        disabled: disabled(key),
      });
      inputs.set(key, input);
      return el("label", { class: `choice policy-${key}` }, input, el("span", {}, title));
    }));
  return { element: field, set: (now) => inputs.has(now) && (inputs.get(now).checked = true) };
}

// The policies to choose from: those that the page plays, and with an engine behind it all others.
export function policyLever(app, legend = "The rule of the platform") {
  const options = Object.entries(POLICY_NAMES);
  const chosen = radios({
    legend, name: "policy", options, value: app.state.policy,
    onchange: (policy) => app.set({ policy }),
  });
  if (app.catalogue.length === 0) return chosen;
  const select = el("select", { id: "more-policies", onchange: () => select.value && app.set({ policy: select.value }) },
    el("option", { value: "" }, "another rule …"),
    ...app.catalogue.filter((name) => !Object.hasOwn(POLICY_NAMES, name))
      .map((name) => el("option", { value: name }, name)));
  chosen.element.append(el("div", { class: "more" }, el("label", { for: "more-policies" }, "All rules"), select));
  const set = (now) => {
    chosen.set(now);
    select.value = Object.hasOwn(POLICY_NAMES, now) ? "" : now;
    if (select.value) for (const one of chosen.element.querySelectorAll("input")) one.checked = false;
  };
  set(app.state.policy);
  return { element: chosen.element, set };
}

const preset = (app, title, changes) =>
  el("button", { type: "button", class: "preset", onclick: () => app.set(changes) }, title);

// Each gives the elements of a chapter and how they follow the state.
export const LEVERS = {
  1(app) {
    const copies = slider({
      label: "Your copies", values: COPY_STEPS, value: app.state.copies,
      onchange: (value) => app.set({ copies: value }),
    });
    const policy = policyLever(app);
    const presets = el("div", { class: "presets" },
      preset(app, "100 copies under UCB1", { copies: 100, policy: "ucb1" }),
      preset(app, "the same under H-UCB", { copies: 100, policy: "h-ucb" }),
      preset(app, "under the default", { copies: 100, policy: "trial" }));
    return {
      elements: [copies.element, policy.element, presets],
      follow: (state) => {
        copies.set(state.copies);
        policy.set(state.policy);
      },
    };
  },
  2(app) {
    const arm = (label, field, other) => slider({
      label, values: MIX_STEPS, value: app.state[field],
      say: (value) => (value === 0 ? "hidden" : count(value)),
      onchange: (value) => app.set({ [field]: value, ...(value + app.state[other] === 0 ? { [other]: 1 } : {}) }),
    });
    const best = arm("Copies of your arm of 0.5", "best", "second");
    const second = arm("Copies of your arm of 0.3", "second", "best");
    const renew = radios({
      legend: "Withdraw and submit as new", name: "renew", value: app.state.renew,
      options: Object.entries(RENEWALS).map(([key, { said }]) => [key, said]),
      onchange: (value) => app.set({ renew: value }),
    });
    const policy = policyLever(app);
    return {
      elements: [best.element, second.element, renew.element, policy.element],
      follow: (state) => {
        best.set(state.best);
        second.set(state.second);
        renew.set(state.renew);
        policy.set(state.policy);
      },
    };
  },
  3(app) {
    const names = slider({
      label: "Your names", values: [1, 2, 3, 4, 5, 6, 7, 8], value: app.state.names,
      onchange: (value) => app.set({ names: value }),
    });
    const cost = slider({
      label: "What a further name costs", values: [0, 5, 10, 20, 50, 100, 150, 200, 300, 500, 750, 1000, 1500, 2000, 3000, 5000],
      value: app.state.cost, onchange: (value) => app.set({ cost: value }),
    });
    const policy = policyLever(app);
    return {
      elements: [names.element, cost.element, policy.element],
      follow: (state) => {
        names.set(state.names);
        cost.set(state.cost);
        policy.set(state.policy);
      },
    };
  },
  4(app) {
    const chosen = policyLever(app, "Your rule");
    return { elements: [chosen.element], follow: (state) => chosen.set(state.policy) };
  },
};

// What was played, in one line.
export function settingOf(state, scene) {
  const rule = `under ${policyName(state.policy)}`;
  if (scene === 1) return `${count(state.copies)} ${state.copies === 1 ? "arm" : "copies"} ${rule}`;
  if (scene === 2) {
    const arms = [[state.best, MEANS[0]], [state.second, 0.3]].filter(([copies]) => copies > 0);
    const anew = RENEWALS[state.renew].rule === null ? "" : `new ${RENEWALS[state.renew].said}, `;
    return `${arms.map(([copies, mean]) => `${mean} × ${count(copies)}`).join(" and ")}, ${anew}${rule}`;
  }
  if (scene === 3) return `${state.names} ${state.names === 1 ? "name" : "names"} ${rule}`;
  return `the robots' copies ${state.profile.replaceAll(".", ", ")} ${rule}`;
}
