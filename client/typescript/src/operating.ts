/** What people look at, and begin, in a service that runs: history, previews, audits, backups, the stream. */

import { Requests, type Retry } from "./requests.js";
import { done, mapped, type Result } from "./result.js";
import type { components } from "./schema.js";

type Schemas = components["schemas"];
export type Audit = Schemas["AuditReport"];
export type Backup = Schemas["BackupOut"];
export type History = Schemas["History"];
export type PolicyPreview = Schemas["PolicyPreview"];

/** What changes, as it is told to whoever watches: "markets", "agents", "time" or "trouble". */
export interface LiveEvent {
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Requests of those who operate a service; a part of the client. */
export class Operating extends Requests {
  /** What the client's own key is for, and when it ends. */
  ownKey(): Promise<Result<Schemas["ApiKey"]>> {
    return this.request("get", "/v1/key", {});
  }

  /** Decisions and rewards over time, from the last events of a market's journal. */
  history(market: string, query: { events?: number; spans?: number } = {}): Promise<Result<History>> {
    return this.request("get", "/v1/markets/{market}/history", { path: { market }, query });
  }

  /** What a policy would promise about copies, beside what is promised now. */
  previewPolicy(market: string, policy: string, options: { share?: number } = {}): Promise<Result<PolicyPreview>> {
    const query = { policy, ...options };
    return this.request("get", "/v1/markets/{market}/policy/preview", { path: { market }, query });
  }

  /** Begin to find out what copies would gain, on the market's present estimates. */
  startAudit(market: string, { retryKey, ...body }: Schemas["AuditIn"] & Retry = {}): Promise<Result<Audit>> {
    return this.request("post", "/v1/markets/{market}/audits", { path: { market }, body, retryKey });
  }

  /** What audits have found, the newest first; those that are not done have no verdict. */
  async audits(market: string): Promise<Result<Audit[]>> {
    const found = await this.request("get", "/v1/markets/{market}/audits", { path: { market } });
    return mapped(found, (answer) => answer.audits);
  }

  /** Have everything written into a new file, in the service's folder for backups. */
  backUp({ retryKey }: Retry = {}): Promise<Result<Backup>> {
    return this.request("post", "/v1/backups", { retryKey });
  }

  /** List the backups in that folder, the newest first. */
  async backups(): Promise<Result<Backup[]>> {
    return mapped(await this.request("get", "/v1/backups", {}), (answer) => answer.backups);
  }

  /**
   * What changes, as it does: all markets, or closely one of them; a failure is the last item.
   *
   * It ends when the service stops or the key does. Leave the loop to close the stream.
   */
  async *watch({ market }: { market?: string } = {}): AsyncGenerator<Result<LiveEvent>, void> {
    const query = market === undefined ? "" : `?market=${encodeURIComponent(market)}`;
    const found = await this.transport.stream({ method: "GET", path: `/v1/events${query}` });
    if (!found.ok) {
      yield found;
      return;
    }
    let rest = "";
    for await (const part of found.value.pipeThrough(new TextDecoderStream())) {
      const parts = (rest + part).split("\n\n");
      rest = parts.pop() ?? "";
      for (const text of parts) {
        const event = live(text);
        if (event !== undefined) yield done(event);
      }
    }
  }
}

/** One event of the stream, if the text is one. */
function live(text: string): LiveEvent | undefined {
  const name = /^event: (.*)$/m.exec(text)?.[1];
  const data = /^data: (.*)$/m.exec(text)?.[1];
  if (name === undefined || data === undefined) return undefined;
  return { name, data: JSON.parse(data) as LiveEvent["data"] };
}
