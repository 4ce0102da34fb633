// Verify my share: the agent's part of the signed journal, checked here, without trusting the service.
//
// Event k is cut into pieces; d_j = H(salt_j ‖ piece_j), head_k = H(head_{k−1} ‖ d_0 ‖ d_1 ‖ …), with
// H = BLAKE2s-256. The agent is shown its own pieces with their salts, and digests of all others, so
// the same heads must come out; one of them was signed before the journal was asked for. No field of
// the file is believed: market, chain and terms are in the opening, which every signed head names.
// Then plays and rewards are added up from the pieces alone. `copyproof verify` does the same.

import { blake2s } from "./blake2s.js";

const utf8 = new TextEncoder();
const SIGNED = ["market", "chain", "opening", "cut", "number", "digest", "at"];
const HEADER = [
  "copyproof", "version", "market", "chain", "after", "head", "agent", "salt", "opening",
];

export function fromHex(text) {
  return Uint8Array.from(text.match(/../g) ?? [], (two) => parseInt(two, 16));
}

export function toHex(data) {
  return Array.from(data, (one) => one.toString(16).padStart(2, "0")).join("");
}

function joined(parts) {
  const whole = new Uint8Array(parts.reduce((sum, one) => sum + one.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Read so many hexadecimal digits: a longer salt could take a part of the piece behind it. */
function hexOf(text, digits) {
  if (typeof text !== "string" || text.length !== digits || !/^[0-9a-f]*$/.test(text))
    throw new Error(`the journal is not as it is exported: ${text} is not ${digits} hexadecimal digits`);
  return fromHex(text);
}

function requireFields(line, names) {
  const sorted = (fields) => [...fields].sort().join(", ");
  if (sorted(Object.keys(line)) !== sorted(names))
    throw new Error(`the journal is not as it is exported: a line has the fields ${sorted(Object.keys(line))}`);
}

function digest(piece) {
  if (typeof piece === "string") return hexOf(piece, 64);
  if (piece.length !== 2) throw new Error("the journal is not as it is exported: a piece has no salt");
  return blake2s(joined([hexOf(piece[0], 32), utf8.encode(piece[1])]));
}

function link(head, pieces) {
  return blake2s(joined([head, ...pieces.map(digest)]));
}

/** Plays, answered plays and revenue of one agent, from what it is shown. */
export class Sums {
  constructor(token, terms, isComplete) {
    Object.assign(this, {
      token,
      terms,
      isComplete,
      worth: new Map(),
      defaulted: new Set(),
      rounds: [],
      seen: 0,
      expired: 0,
      forgotten: 0,
    });
  }

  get found() {
    const known = [...this.worth.values()].filter((one) => one !== null);
    return {
      plays: this.worth.size,
      answered: known.length,
      revenue: known.reduce((sum, one) => sum + one, 0),
    };
  }

  /** Take one event in; what is wrong with it, or null. */
  add(common, shown) {
    if (common !== null) {
      const said = JSON.parse(common);
      if (said.kind === "expired") this.expire(said.upto, said.forgotten);
    }
    const decided = [];
    for (const text of shown) {
      const piece = JSON.parse(text);
      if (typeof piece[0] === "string") {
        if (piece[0] !== this.token) return "an arm of somebody else is shown";
      } else if (/^\[\d+(,\d+)+\]$/.test(text)) decided.push(...piece.slice(1));
      else if (/^\[\d+,-?[\d.e+-]+\]$/.test(text)) {
        // a reward is written with a point, or an exponent
        if (this.worth.has(piece[0])) this.tell(...piece);
        else if (this.isComplete)
          return `round ${piece[0]} has a reward, and was not decided before`;
      } else return "a piece is neither a decision, nor a reward, nor an arm";
    }
    for (const round of decided.sort((a, b) => a - b)) {
      if (this.rounds.length && round <= this.rounds[this.rounds.length - 1])
        return `round ${round} is not after the ones before`;
      this.rounds.push(round);
      this.worth.set(round, null);
    }
    return null;
  }

  expire(upto, forgotten) {
    for (; this.seen < this.rounds.length && this.rounds[this.seen] <= upto; this.seen++) {
      const round = this.rounds[this.seen];
      if (this.worth.get(round) === null) {
        this.worth.set(round, this.terms.default_reward);
        this.defaulted.add(round);
      }
    }
    this.expired = Math.max(this.expired, upto);
    this.forgotten = forgotten;
  }

  tell(round, reward) {
    const late = round <= this.expired;
    if (round <= this.forgotten || (late && this.terms.late === "refuse")) return;
    const worth = this.worth.get(round);
    if (worth === null || this.defaulted.has(round)) {
      this.defaulted.delete(round);
      this.worth.set(round, reward);
    } else if (this.terms.rewards === "last") this.worth.set(round, reward);
    else if (this.terms.rewards === "sum") this.worth.set(round, Math.min(1, worth + reward));
    else if (this.terms.rewards === "max") this.worth.set(round, Math.max(worth, reward));
  }
}

// --- signatures -----------------------------------------------------------------------------------

/** The text that was signed, as the service writes it: compact JSON in ASCII, Python's floats. */
export function signedText(head) {
  const ascii = (text) =>
    JSON.stringify(text).replace(
      /[\u007f-\uffff]/g,
      (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
  const value = (name) =>
    typeof head[name] === "string"
      ? ascii(head[name])
      : name === "at" && Number.isInteger(head.at)
        ? `${head.at}.0`
        : String(head[name]);
  return `{${SIGNED.map((name) => `"${name}":${value(name)}`).join(",")}}`;
}

/** The fingerprint of the key that signed a head, or null where the browser cannot make it. */
export async function fingerprintOf(head) {
  if (!globalThis.crypto?.subtle || !head.public_key) return null;
  const hash = await crypto.subtle.digest("SHA-256", fromHex(head.public_key));
  return toHex(new Uint8Array(hash)).slice(0, 32);
}

/** Whether a head is signed by its key: "yes", "no", or why that cannot be told here. */
export async function isSigned(head) {
  if (!head.signature) return "this service signs no heads";
  if (!globalThis.crypto?.subtle)
    return "the browser checks signatures only over https or on this machine";
  if (!/^[0-9a-f]{192}$/.test(`${head.public_key}${head.signature}`)) return "no";
  try {
    const key = await crypto.subtle.importKey(
      "raw",
      fromHex(head.public_key),
      { name: "Ed25519" },
      false,
      ["verify"],
    );
    const good = await crypto.subtle.verify(
      { name: "Ed25519" },
      key,
      fromHex(head.signature),
      utf8.encode(signedText(head)),
    );
    return good ? "yes" : "no";
  } catch (error) {
    if (error.name === "NotSupportedError") return "this browser does not know Ed25519";
    return "no";
  }
}

async function tokenOf(salt, name) {
  if (!globalThis.crypto?.subtle) return null;
  const data = joined([hexOf(salt, 32), utf8.encode(name)]);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", data));
  return `~${toHex(hash).slice(0, 40)}`;
}

// --- the whole ------------------------------------------------------------------------------------

/** What is wrong with signed heads as such, or with their openings; null if nothing is. */
function wrongHeads(heads, first, opening) {
  const digests = new Map();
  for (const head of heads) {
    if (head.opening !== opening)
      return "the opening is not the one of the signed head: market or configuration";
    if ((digests.get(head.number) ?? head.digest) !== head.digest)
      return `two signed heads of event ${head.number} differ: the past was rewritten`;
    digests.set(head.number, head.digest);
  }
  if (new Set(heads.map((head) => head.public_key)).size > 1)
    return "the signed heads of this chain are by different keys";
  if (first.after && heads.length && !heads.some((head) => head.cut === first.after))
    return `events up to ${first.after} are missing, and no signed head says that they were compacted away`;
  return null;
}

/** What is wrong with the first line; the terms, the token and the head with which it begins. */
async function begin(first, agent, heads, note) {
  if (first.copyproof !== "agent's journal" || first.version !== 1)
    throw new Error("this is not an agent's journal");
  requireFields(first, HEADER);
  if (!Number.isInteger(first.after) || first.after < 0) throw new Error("after is not a count");
  const token = await tokenOf(first.salt, agent);
  if (token !== null && token !== first.agent) note(0, "the journal is about somebody else");
  const opening = toHex(link(new Uint8Array(0), first.opening));
  if (first.after === 0 && opening !== first.head)
    note(0, "the configuration is not the one that the chain began with");
  const terms = {};
  for (const piece of first.opening)
    if (typeof piece !== "string") Object.assign(terms, JSON.parse(piece[1]));
  if (terms.market !== first.market || terms.chain !== first.chain)
    note(0, "market and chain are not those that the chain began with");
  for (const name of ["rewards", "late", "default_reward"])
    if (!(name in terms)) note(0, `the term ${name} is not shown`);
  const why = wrongHeads(heads, first, opening);
  if (why !== null) note(0, why);
  return new Sums(first.agent, terms, first.after === 0);
}

/**
 * Check an agent's journal, given as its lines in order, against signed heads.
 *
 * Signatures are checked before. Heads of another chain are a market that was deleted and made again.
 * Gives {events, after, head, sums, confirmed, upto, others, violation}: signed heads confirm the
 * events up to `upto`, `others` are of other chains, and `violation` is null if all is right.
 */
export async function verifyJournal(lines, agent, heads, progress = () => {}) {
  let first = null,
    head = null,
    number = 0,
    sums = null,
    end = null,
    violation = null,
    mine = [];
  const confirmed = new Set();
  const note = (event, why) => {
    violation ??= { event, why };
  };
  const confirm = () => {
    for (const one of mine) {
      if (one.number !== number) continue;
      if (one.digest === toHex(head)) confirmed.add(one);
      else note(number, "the signed head is another one: an event before was changed since");
    }
  };
  for await (const line of lines) {
    if (end !== null) throw new Error("the journal goes on after its last line");
    if (first === null) {
      first = line;
      mine = heads.filter((one) => one.chain === first.chain);
      sums = await begin(first, agent, mine, note);
      head = hexOf(first.head, 64);
      number = first.after;
      confirm();
    } else if ("end" in line) {
      requireFields(line, ["end", "head"]);
      end = line;
    } else {
      requireFields(line, ["number", "pieces"]);
      number += 1;
      if (line.number !== number) throw new Error(`event ${number} is missing`);
      head = link(head, line.pieces);
      const [common, ...rest] = line.pieces.map((piece) =>
        typeof piece === "string" ? null : piece[1],
      );
      const why =
        violation === null
          ? sums.add(
              common,
              rest.filter((one) => one !== null),
            )
          : null;
      if (why !== null) note(number, why);
      confirm();
      if (number % 2000 === 0) {
        progress(number);
        await new Promise((go) => setTimeout(go));
      }
    }
  }
  if (end === null) throw new Error("the journal is not complete: its last line is missing");
  if (end.end !== number || end.head !== toHex(head))
    note(number, "the events do not lead to the head at the end: one is not as it was written");
  for (const one of mine) {
    if (one.number > number || one.number < first.after)
      note(number, `the head of event ${one.number} lies outside of this journal`);
  }
  return {
    events: number - first.after,
    after: first.after,
    head: toHex(head),
    sums: sums.found,
    confirmed: confirmed.size,
    upto: Math.max(first.after, ...[...confirmed].map((one) => one.number)),
    others: heads.length - mine.length,
    violation,
  };
}
