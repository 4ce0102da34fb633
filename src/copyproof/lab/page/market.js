// What is played in each chapter, as the engine and as market files know it.

import { RENEWALS, sceneOf } from "./state.js";

export const MEANS = [0.5, 0.6, 0.7, 0.8, 0.9];
const SECOND = 0.3; // your worse arm, in chapter 2
export const ROBOT_ROUNDS = 5000;
export const ROBOT_GAMES = 6;
export const NAME_GAMES = 20;

const agent = (mean, copies) => ({ name: `${mean}-agent`, means: [mean], copies: [copies] });

// The agents of a scene; `own` are the places of yours.
export function marketOf(state, scene = sceneOf(state)) {
  const others = MEANS.slice(1).map((mean) => agent(mean, 1));
  if (scene === 1) return { agents: [agent(MEANS[0], state.copies), ...others], own: [0] };
  if (scene === 2) {
    const yours = { name: "0.5-agent", means: [MEANS[0], SECOND], copies: [state.best, state.second] };
    return { agents: [yours, ...others], own: [0] };
  }
  if (scene === 3) return namesMarket(state.names);
  const robots = state.profile.split(".").map((copies, i) => agent(MEANS[i + 1], Number(copies)));
  return { agents: robots, own: [] };
}

// You under several names: the others keep their places, and their luck.
export function namesMarket(names) {
  const further = Array.from({ length: names - 1 }, (_, k) => ({
    name: `0.5-agent#${k + 2}`, means: [MEANS[0]], copies: [1],
  }));
  const agents = [...MEANS.map((mean) => agent(mean, 1)), ...further];
  return { agents, own: [0, ...further.map((_, k) => MEANS.length + k)] };
}

// A whole game, as `Game` takes it.
export function gameOf(state, scene = sceneOf(state)) {
  const { agents } = marketOf(state, scene);
  const renewal = scene === 2 ? RENEWALS[state.renew].rule : null;
  return {
    agents,
    policy: state.policy,
    horizon: scene === 4 ? ROBOT_ROUNDS : state.rounds,
    seed: state.seed,
    renewals: renewal === null ? {} : { 0: renewal },
  };
}

// The honest game that yours is held against: your best arm, once, under one name.
export function honestState(state) {
  return { ...state, copies: 1, best: 1, second: 0, renew: "no", names: 1, profile: "1.1.1.1" };
}

export function marketFile({ agents }) {
  const arm = (mean, copies) => `{ mean = ${mean}${copies === 1 ? "" : `, copies = ${copies}`} }`;
  return agents
    .map(({ name, means, copies }) =>
      `[[agents]]\nname = ${JSON.stringify(name)}\n` +
      `arms = [${means.map((mean, k) => arm(mean, copies[k])).join(", ")}]\n`)
    .join("\n");
}

const quoted = (text) => (/^[A-Za-z0-9_.:=-]+$/.test(text) ? text : `'${text}'`);

// The commands that play this very game, in a shell; `games` repetitions of it.
export function commandsOf(state, games) {
  const scene = sceneOf(state);
  const game = gameOf(state, scene);
  const named = scene === 1;
  const market = named ? `paper:1a:${state.copies}` : "market.toml";
  const how = `--policy ${quoted(state.policy)} --horizon ${game.horizon}`;
  const rule = scene === 2 ? RENEWALS[state.renew].rule : null;
  const renew =
    rule === null ? "" : ` --renew '0.5-agent ${rule.after ? `after=${rule.after}` : `below=${rule.below}`}'`;
  const lines = [];
  if (!named) lines.push(`cat > market.toml <<'END'\n${marketFile(game)}END`);
  const stop = state.at > 0 && state.at < game.horizon ? ` --stop ${state.at}` : "";
  lines.push(
    `copyproof simulate ${market} ${how} \\\n  --repetitions ${games} --seed ${state.seed}${stop}${renew} --json`,
  );
  const asked = `${how} \\\n  --seed ${state.seed}`;
  if (scene === 3) lines.push(`copyproof attacks paper:1a ${asked} --agent 0.5-agent`);
  else if (scene === 4) lines.push(`copyproof equilibrium market.toml ${asked} --cap 100`);
  else lines.push(`copyproof audit ${market} ${asked} --agent 0.5-agent`);
  return lines.join("\n");
}
