// Requests with the key, and the stream of events.
//
// The key lives in this module's memory and nowhere else: no cookie, no storage, no address, no
// log. It is gone with the page. `EventSource` cannot send a header, so the stream is read with
// `fetch`.

let secret = null;
let whenRefused = () => {};

/** What the service refused: its status, the field, and its own words. */
export class Refused extends Error {
  constructor(status, field, message) {
    super(message);
    this.status = status;
    this.field = field;
  }
}

export function signIn(key, refused) {
  secret = key;
  whenRefused = refused;
}

export function signOut() {
  secret = null;
}

function asked(method, body, signal) {
  const headers = { Authorization: `Bearer ${secret}` };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (method !== "GET")
    headers["Idempotency-Key"] = crypto.getRandomValues(new Uint32Array(4)).join("-");
  return {
    method,
    headers,
    signal,
    body: body === undefined ? undefined : JSON.stringify(body),
    cache: "no-store",
    credentials: "omit",
    redirect: "error",
    referrerPolicy: "no-referrer",
  };
}

async function answered(path, options) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(0, "", "the service cannot be reached");
  }
  if (answer.ok) return answer;
  let said = {};
  try {
    said = (await answer.json()).error ?? {};
  } catch {
    // not ours: a proxy's, say
  }
  if (answer.status === 401) whenRefused();
  throw new Refused(answer.status, said.field ?? "", said.message ?? `status ${answer.status}`);
}

/** Send a request, and read the answer as JSON. */
export async function call(method, path, body) {
  return (await answered(path, asked(method, body))).json();
}

export function get(path) {
  return call("GET", path);
}

/** Read an answer whose lines are JSON, one after another, as they come. */
export async function* lines(path, signal) {
  const answer = await answered(path, asked("GET", undefined, signal));
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const parts = (rest + value).split("\n");
    rest = parts.pop();
    for (const part of parts) if (part) yield JSON.parse(part);
  }
  if (rest) yield JSON.parse(rest);
}

/** Give all pages of a list, one after another. */
export async function all(path, list, after = null) {
  const found = [];
  do {
    const mark = path.includes("?") ? "&" : "?";
    const page = await get(
      after === null ? path : `${path}${mark}after=${encodeURIComponent(after)}`,
    );
    found.push(...page[list]);
    after = page.next ?? null;
  } while (after !== null);
  return found;
}

/**
 * Read the stream of events until it is closed; begin anew when it breaks off.
 *
 * `take(name, data)` is given every event; `tell(state)` is told "live", or "lost".
 */
export function stream(path, take, tell) {
  const ending = new AbortController();
  (async () => {
    let pause = 1000;
    while (!ending.signal.aborted) {
      try {
        const answer = await answered(path, asked("GET", undefined, ending.signal));
        const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
        let rest = "";
        for (;;) {
          const { done, value } = await reader.read();
          if (done) break;
          const parts = (rest + value).split("\n\n");
          rest = parts.pop();
          for (const part of parts) {
            const event = read(part);
            if (event !== null) {
              pause = 1000;
              tell("live");
              take(event.name, event.data);
            }
          }
        }
      } catch (error) {
        if (ending.signal.aborted || error.status === 401) return;
      }
      tell("lost");
      await new Promise((go) => setTimeout(go, pause));
      pause = Math.min(2 * pause, 15000);
    }
  })();
  return () => ending.abort();
}

function read(part) {
  let name = "message";
  const data = [];
  for (const line of part.split("\n")) {
    if (line.startsWith("event: ")) name = line.slice(7);
    else if (line.startsWith("data: ")) data.push(line.slice(6));
  }
  return data.length ? { name, data: JSON.parse(data.join("\n")) } : null;
}

/** The path of a market, or of something in it. */
export function path(market, ...parts) {
  return ["v1", "markets", market, ...parts]
    .map((one, n) => (n < 2 ? one : encodeURIComponent(one)))
    .join("/");
}
