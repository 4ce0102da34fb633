// The state of the page, which is its address: everything after `#`, so that a link is a state.

export const CHAPTERS = ["Copies", "Tricks", "Names", "Platform", "Proof"];
export const RENEWALS = {
  no: { said: "never", rule: null },
  play: { said: "after every play", rule: { after: 1 } },
  ten: { said: "after ten plays", rule: { after: 10 } },
  failure: { said: "after every failure", rule: { below: 1 } },
};
export const COPIES = [1, 2, 5, 10, 30, 100]; // that a robot considers

const POLICY = /^[a-z0-9-]{1,40}(\([A-Za-z0-9=., /-]{0,80}\))?$/;

const whole = (least, most, otherwise) => ({
  otherwise,
  read: (text) => {
    const found = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
    return found >= least && found <= most ? found : otherwise;
  },
});
const like = (pattern, otherwise) => ({
  otherwise,
  read: (text) => (pattern.test(text) ? text : otherwise),
});

const FIELDS = {
  chapter: whole(1, CHAPTERS.length, 1),
  policy: { otherwise: "ucb1", read: (text) => (POLICY.test(text) ? text.replace(/^default(?![a-z0-9-])/, "trial") : "ucb1") },
  copies: whole(1, 500, 1),
  best: whole(0, 200, 1), // copies of your better arm, in chapter 2
  second: whole(0, 200, 0), // and of the worse one
  renew: like(/^(no|play|ten|failure)$/, "no"),
  names: whole(1, 8, 1),
  cost: whole(0, 9999, 0), // of a further name
  profile: like(/^(1|2|5|10|30|100)(\.(1|2|5|10|30|100)){3}$/, "1.1.1.1"),
  scene: whole(1, 4, 1), // whose game the last chapter reproduces
  at: whole(0, 100_000, 0), // the round at which the game stands still; 0 if it does not
  rounds: whole(100, 100_000, 20_000),
  seed: whole(0, 2 ** 53 - 1, 1),
};

export function readState(hash) {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const state = {};
  for (const [name, field] of Object.entries(FIELDS)) {
    state[name] = given.has(name) ? field.read(given.get(name)) : field.otherwise;
  }
  if (state.best + state.second === 0) state.best = 1; // somebody who registers nothing does not play
  return state;
}

// Only what is not as usual is written, chapter and seed always.
export function writeState(state) {
  const said = new URLSearchParams();
  for (const [name, field] of Object.entries(FIELDS)) {
    const always = name === "chapter" || name === "seed";
    if (always || state[name] !== field.otherwise) said.set(name, String(state[name]));
  }
  return `#${said}`;
}

// The chapter whose game is on the stage.
export const sceneOf = (state) => (state.chapter < CHAPTERS.length ? state.chapter : state.scene);
