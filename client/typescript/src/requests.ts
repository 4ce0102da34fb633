/** One request of the document at a time, typed by it; what every method of the client is made of. */

import { type Input, type MethodOf, type Operation, type Output, type Path } from "./operations.js";
import { done, mapped, type Result } from "./result.js";
import { type Body, type Options, Transport } from "./transport.js";

/** The same key later, even from another process, gives the same answer and does nothing twice. */
export interface Retry {
  readonly retryKey?: string | undefined;
}

export class Requests {
  readonly transport: Transport;

  constructor(url: string, key: string, options: Options = {}) {
    this.transport = new Transport(url, key, options);
  }

  /** Any request of the document, by its method and path; the methods below are made of it. */
  async request<P extends Path, M extends MethodOf<P>>(
    method: M,
    path: P,
    input: Input<Operation<P, M>>,
  ): Promise<Result<Output<Operation<P, M>>>> {
    const { body, retryKey } = input as { body?: unknown; retryKey?: string };
    const sent = { method: method.toUpperCase(), path: filled(path, input), body, retryKey };
    const found = await this.transport.text(sent);
    return found.ok ? read<Output<Operation<P, M>>>(found.value) : found;
  }

  /** All pages of a list. */
  protected async pages<T extends { next?: string | null }>(
    page: (query: { after?: string }) => Promise<Result<T>>,
  ): Promise<Result<[T, ...T[]]>> {
    const first = await page({});
    if (!first.ok) return first;
    const found: [T, ...T[]] = [first.value];
    for (let after = first.value.next; after != null; ) {
      const next = await page({ after });
      if (!next.ok) return next;
      found.push(next.value);
      after = next.value.next;
    }
    return done(found);
  }
}

/** A path with its names and its query filled in. */
function filled(path: string, input: { path?: unknown; query?: unknown }): string {
  const names = (input.path ?? {}) as Record<string, string>;
  const asked = Object.entries((input.query ?? {}) as Record<string, unknown>);
  const query = new URLSearchParams(
    asked.flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, String(value)]])),
  );
  const whole = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(names[name] ?? ""));
  return query.size > 0 ? `${whole}?${query}` : whole;
}

/** The body of an answer: read if it is JSON, or else as it is. */
function read<T>({ type, text }: Body): Result<T> {
  try {
    return done((/^(text\/plain|application\/x-ndjson)\b/.test(type) ? text : JSON.parse(text)) as T);
  } catch {
    const message = `the answer is not JSON: ${text.slice(0, 200)}`;
    return { ok: false, error: { kind: "refused", status: 200, field: "url", message } };
  }
}

export function changed(found: Result<{ changed: boolean }>): Result<boolean> {
  return mapped(found, (answer) => answer.changed);
}

export function nothing(found: Result<unknown>): Result<void> {
  return mapped(found, () => undefined);
}

export function rows<N extends string, R>(found: Result<Record<N, R[]>[]>, name: N): Result<R[]> {
  return mapped(found, (pages) => pages.flatMap((page) => page[name]));
}
