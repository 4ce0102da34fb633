/**
 * Requests that are tried again without doing anything twice.
 *
 * Every write carries an Idempotency-Key, the same one in every attempt. Attempts end when `patienceMs`
 * has passed; pauses between them grow, with chance in them, and are never shorter than the service asks
 * for. A process that does not lead a market may answer where the one is that does (307 or 421, with a
 * Location): the request then goes there, and so do later ones about this market, until that process
 * fails. `fetch` keeps connections open and shares them.
 */

import { done, type Failure, type Result } from "./result.js";

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;
const AGAIN = [429, 502, 503, 504];
const ELSEWHERE = [307, 421];

export interface Options {
  /** How long to wait for one answer; 10,000 unless told. */
  readonly timeoutMs?: number;
  /** When no new attempt is made any more; 30,000 unless told. */
  readonly patienceMs?: number;
  /** Another `fetch` than the global one. */
  readonly fetch?: typeof fetch;
}

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly retryKey?: string | undefined;
}

export interface Body {
  readonly type: string;
  readonly text: string;
}

/** The answer, its body read as a text, or not yet read if it is a stream. */
interface Answer {
  readonly response: Response;
  readonly text: string;
}

export class Transport {
  /** How many requests were sent, retries included. */
  attempts = 0;
  readonly #home: string;
  readonly #key: string;
  readonly #timeoutMs: number;
  readonly #patienceMs: number;
  readonly #fetch: typeof fetch;
  readonly #leaders = new Map<string, string>();

  constructor(url: string, key: string, options: Options) {
    const parts = new URL(url);
    if (parts.protocol !== "http:" && parts.protocol !== "https:") {
      throw new TypeError(`url = ${url} is not http://HOST:PORT or https://HOST:PORT`);
    }
    this.#home = parts.origin + parts.pathname.replace(/\/+$/, "");
    this.#key = key;
    this.#timeoutMs = options.timeoutMs ?? 10_000;
    this.#patienceMs = options.patienceMs ?? 30_000;
    this.#fetch = options.fetch ?? fetch;
  }

  /** Send a request until it is answered; the body of the answer, and of what type it is. */
  async text(sent: Sent): Promise<Result<Body>> {
    const found = await this.#answer(sent, false);
    if (!found.ok) return found;
    const { response, text } = found.value;
    return done({ type: response.headers.get("content-type") ?? "", text });
  }

  /** Send a request until its answer begins; the body as it comes. */
  async stream(sent: Sent): Promise<Result<ReadableStream<Uint8Array>>> {
    const found = await this.#answer(sent, true);
    return found.ok ? done(found.value.response.body ?? new Blob([]).stream()) : found;
  }

  async #answer(sent: Sent, streamed: boolean): Promise<Result<Answer>> {
    const market = /^\/v1\/markets\/([^/?]+)/.exec(sent.path)?.[1] ?? "";
    const init = this.#init(sent);
    const until = performance.now() + this.#patienceMs;
    let pause = FIRST_PAUSE_MS;
    let followed = false;
    for (;;) {
      const base = this.#leaders.get(market) ?? this.#home;
      const found = await this.#exchange(base + sent.path, init, streamed);
      if (typeof found !== "string" && found.response.ok) return done(found);
      const leader = typeof found === "string" ? undefined : elsewhere(found.response, base, sent.path);
      if (leader !== undefined && !followed) {
        followed = true; // but not two in a row: processes may point at each other
        this.#leaders.set(market, leader);
        continue;
      }
      const error = typeof found === "string" ? unreachable(found) : failure(found);
      const again = error.status === 0 || AGAIN.includes(error.status) || leader !== undefined;
      if (!again) return { ok: false, error };
      followed = false;
      this.#leaders.delete(market);
      const asked = typeof found === "string" ? 0 : 1000 * Number(found.response.headers.get("retry-after") ?? 0);
      const wait = Math.max(asked || 0, pause * (0.5 + Math.random() / 2));
      if (performance.now() + wait > until) return { ok: false, error };
      await new Promise((resolve) => setTimeout(resolve, wait));
      pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
    }
  }

  #init(sent: Sent): RequestInit {
    const headers: Record<string, string> = { authorization: `Bearer ${this.#key}` };
    const text = typeof sent.body === "string" ? sent.body : JSON.stringify(sent.body);
    if (sent.body !== undefined)
      headers["content-type"] = typeof sent.body === "string" ? "application/x-ndjson" : "application/json";
    if (sent.method !== "GET") headers["idempotency-key"] = sent.retryKey ?? crypto.randomUUID();
    const init: RequestInit = { method: sent.method, headers, redirect: "manual" };
    return sent.body === undefined ? init : { ...init, body: text };
  }

  /** One attempt: an answer, or why there is none. */
  async #exchange(url: string, init: RequestInit, streamed: boolean): Promise<Answer | string> {
    this.attempts += 1;
    const control = new AbortController();
    const timer = setTimeout(() => control.abort(), this.#timeoutMs);
    try {
      const response = await this.#fetch(url, { ...init, signal: control.signal });
      return { response, text: streamed && response.ok ? "" : await response.text() };
    } catch (broken) {
      if (control.signal.aborted) return `none within ${this.#timeoutMs} ms`;
      const cause = broken instanceof Error ? (broken.cause ?? broken) : broken;
      return String(cause);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Where an answer says that the same path is found, if it does; the API key goes there, too. */
function elsewhere(response: Response, base: string, path: string): string | undefined {
  const location = response.headers.get("location");
  if (!ELSEWHERE.includes(response.status) || location === null) return undefined;
  const url = new URL(location, base + path).href;
  const found = url.endsWith(path) ? url.slice(0, -path.length) : base;
  const safe = found.startsWith("https:") || (found.startsWith("http:") && base.startsWith("http:"));
  return safe && found !== base ? found : undefined;
}

function unreachable(why: string): Failure {
  return { kind: "unavailable", status: 0, field: "url", message: `no answer: ${why}` };
}

function failure({ response, text }: Answer): Failure {
  const kind = [...AGAIN, ...ELSEWHERE].includes(response.status) ? "unavailable" : "refused";
  try {
    const { field, message } = (JSON.parse(text) as { error: { field: unknown; message: unknown } }).error;
    return { kind, status: response.status, field: String(field), message: String(message) };
  } catch {
    return { kind, status: response.status, field: "", message: text.slice(0, 200) };
  }
}
