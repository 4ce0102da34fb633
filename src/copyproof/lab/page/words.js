// What the page says: one sentence for why a lever works, or does not.

import { count } from "./elements.js";
import { isPlayable, parsePolicy } from "./game.js";
import { log } from "./numerics.js";

export const POLICY_NAMES = {
  ucb1: "UCB1", "s-ucb": "S-UCB", "h-ucb": "H-UCB", "rh-ucb": "RH-UCB", trial: "Trial, the default",
};
export const policyName = (policy) => POLICY_NAMES[policy] ?? policy;

export const STORIES = [
  {
    title: "Submit copies",
    lead: "Five providers share one platform. Visitors like 90\u00a0% of what the best one shows, and 50\u00a0% of " +
      "yours. A bandit learns whom to show. You cannot get better, but nothing stops you from " +
      "submitting the same thing again.",
    todo: "Drag the copies up, then change the rule of the platform.",
  },
  {
    title: "Hide, mix, start afresh",
    lead: "You own two arms, one of 0.5 and one of 0.3. Register each as often as you like, or hide it " +
      "with 0 copies. You may also withdraw an arm and submit it again as new, so that its bad record is gone.",
    todo: "Find a trick that beats your best arm alone, first under UCB1, then under the others.",
  },
  {
    title: "Take a second name",
    lead: "The platform knows who owns each arm, but not who stands behind an owner. Register under a " +
      "second name, and no rule here knows that both are you.",
    todo: "Take more names, then let a name cost something.",
  },
  {
    title: "Now you run the platform",
    lead: "Four greedy robots own arms of 0.6, 0.7, 0.8 and 0.9. In turn each tries 1, 2, 5, 10, 30 and 100 " +
      "copies against the others and keeps what earns it most. You choose the rule, and pay the regret: what " +
      "visitors lose because the best arm is not shown.",
    todo: "Choose a rule and watch where the robots come to rest.",
  },
  {
    title: "Do not take our word for it",
    lead: "Everything on this page was played in your browser, with the random numbers of the copyproof " +
      "engine. These commands play the same game, to the last decision; one that you have paused, up to there.",
    leadWithEngine: "Everything on this page was played by the copyproof engine on this machine. These commands " +
      "play the same game, to the last decision; one that you have paused, up to there.",
    todo: "Paste them into a shell in which copyproof is installed.",
  },
];

// Why copies, tricks and names pay under a policy, or do not.
export function whyOf(state, scene, arms, originals) {
  const { policy } = state;
  const known = policy.split("(")[0];
  if (scene === 3) {
    return known === "ucb1" || known === "s-ucb"
      ? `${POLICY_NAMES[known]} never asks whose an arm is: a second name brings a second arm, as a copy would, ` +
        "and pays until names cost more than c*."
      : "No rule knows that two names are one person, and a second name is a second provider: that is why " +
        "names must cost something, and how much is c*.";
  }
  if (scene === 4) {
    if (!Object.hasOwn(POLICY_NAMES, known)) return "This rule is played by the engine behind the page.";
    return known === "ucb1" || known === "s-ucb"
      ? "Each copy is another chance to be shown, so every robot answers copies with more copies."
      : "A robot's copies share the robot's one record, so that none of them has a reason to copy.";
  }
  if (scene === 2 && state.renew !== "no") {
    if (known === "ucb1") return "UCB1 plays every new arm first, and an arm that is submitted again is new: its bad record is gone.";
    if (known === "s-ucb") return "S-UCB's sample has a fixed number of seats, and every new arm takes another one: when they are used up, it waits outside.";
    if (Object.hasOwn(POLICY_NAMES, known)) return "Providers are chosen by their own record, and a record stays with its owner: a new arm does not make you new.";
  }
  const sampleOf = ({ given }) => Math.floor(Math.max(1, (given.l ?? originals) * log(state.rounds)));
  const drawn = isPlayable(policy) ? Math.min(sampleOf(parsePolicy(policy)), arms) : "some";
  const sentences = {
    ucb1: "UCB1 explores every arm, and every copy is an arm: whoever submits most is explored most.",
    "s-ucb": drawn === arms
      ? `S-UCB's sample has room for all ${count(arms)} arms here, and it explores each as UCB1 does: whoever submits most is explored most.`
      : `S-UCB draws ${drawn} of all ${count(arms)} arms by lot, and every copy is a ticket.`,
    "h-ucb": "H-UCB first chooses a provider by the provider's whole record, and only then one of its " +
      "arms: copies share one record, yours.",
    "rh-ucb": "RH-UCB first chooses a provider by the provider's whole record, and only then looks at a few " +
      "of its arms: copies share one record, yours.",
    trial: "The default gives every provider one trial and then judges it by its own rewards alone: how " +
      "many arms earned them is never asked.",
  };
  return sentences[known] ?? "This rule is played by the engine behind the page.";
}
