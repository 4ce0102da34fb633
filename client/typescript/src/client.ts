/** Every request of the service as a method, typed by the OpenAPI document. */

import { Operating } from "./operating.js";
import { changed, nothing, type Retry, rows } from "./requests.js";
import { done, mapped, type Result } from "./result.js";
import type { components } from "./schema.js";

type Schemas = components["schemas"];
export type Action = Schemas["ActionOut"];
export type AgentReport = Schemas["AgentReport"];
export type ApiKey = Schemas["ApiKey"];
export type Decision = Schemas["Decision"];
export type IdentitySuspicion = Schemas["IdentitySuspicion"];
export type MarketReport = Schemas["MarketReport"];
export type SignedHead = Schemas["SignedHead"];
export type Statistics = Schemas["Statistics"];
export type Told = Schemas["Told"];
type MarketsPage = Schemas["MarketsPage"];
type RailsIn = Schemas["RailsIn"];

/** One event of a journal; what more it has depends on its kind. */
export interface JournalEvent {
  readonly number: number;
  readonly kind: string;
  readonly [field: string]: unknown;
}

/** An agent with its arms, as `registerAgents` takes many. */
export interface NewAgent {
  readonly agent: string;
  readonly arms?: readonly string[];
  readonly group?: string;
  readonly content?: Readonly<Record<string, string>>;
}

const EVENTS = 10_000; // of a journal that are fetched at once

/**
 * One caller of the service.
 *
 * Methods never throw for what the service or the network does: they answer with a `Result`.
 */
export class Client extends Operating {
  // --- decisions and rewards ---------------------------------------------------------------------

  /** Decide what to show, `count` times; see the guide for `eligible`, `slate`, `seen` and `segment`. */
  async ask(
    market: string,
    { retryKey, ...body }: Schemas["AskIn"] & Retry = {},
  ): Promise<Result<Decision[]>> {
    const path = "/v1/markets/{market}/decisions";
    const found = await this.request("post", path, { path: { market }, body, retryKey });
    return mapped(found, (answer) => answer.decisions);
  }

  /** Tell what a decision was worth, from 0 to 1. */
  async tell(market: string, decision: string, reward: number, options: Retry = {}): Promise<Result<Told>> {
    const found = await this.tellMany(market, [{ decision, reward }], options);
    return mapped(found, (told) => told[0] as Told);
  }

  /** Tell what up to 1000 decisions were worth. */
  async tellMany(
    market: string,
    rewards: Schemas["RewardIn"][],
    { retryKey }: Retry = {},
  ): Promise<Result<Told[]>> {
    const path = "/v1/markets/{market}/rewards";
    const found = await this.request("post", path, { path: { market }, body: { rewards }, retryKey });
    return mapped(found, (answer) => answer.told);
  }

  // --- agents and arms ---------------------------------------------------------------------------

  /** Register an agent; whether it is new. */
  async registerAgent(market: string, agent: string, { retryKey }: Retry = {}): Promise<Result<boolean>> {
    const path = "/v1/markets/{market}/agents";
    return changed(await this.request("post", path, { path: { market }, body: { agent }, retryKey }));
  }

  /** Show no arm of an agent until it is resumed; whether that is a change. */
  async suspendAgent(market: string, agent: string, { retryKey }: Retry = {}): Promise<Result<boolean>> {
    const path = "/v1/markets/{market}/agents/{agent}/suspend";
    return changed(await this.request("post", path, { path: { market, agent }, retryKey }));
  }

  /** End the suspension of an agent; whether that is a change. */
  async resumeAgent(market: string, agent: string, { retryKey }: Retry = {}): Promise<Result<boolean>> {
    const path = "/v1/markets/{market}/agents/{agent}/resume";
    return changed(await this.request("post", path, { path: { market, agent }, retryKey }));
  }

  /**
   * Retire all arms of an agent, suspend it, and revoke its keys; its statistics stay.
   *
   * With `forget` its name and those of its arms do not: tokens take their place everywhere.
   */
  async removeAgent(
    market: string,
    agent: string,
    { retryKey, forget = false }: Retry & { forget?: boolean } = {},
  ): Promise<Result<void>> {
    const path = "/v1/markets/{market}/agents/{agent}";
    const query = forget ? { forget } : {};
    return nothing(await this.request("delete", path, { path: { market, agent }, query, retryKey }));
  }

  /** Register up to 10,000 agents with their arms at once, all or none; how many arms are new. */
  async registerAgents(market: string, agents: NewAgent[], { retryKey }: Retry = {}): Promise<Result<number>> {
    const path = "/v1/markets/{market}/agents";
    const body = agents.map((agent) => `${JSON.stringify(agent)}\n`).join("");
    const found = await this.request("put", path, { path: { market }, body, retryKey });
    return mapped(found, (answer) => answer.new_arms);
  }

  /** Register up to 1000 arms of an agent; how many are new. Retired ones are, with their statistics. */
  async registerArms(
    market: string,
    agent: string,
    arms: string[],
    { retryKey, content = {}, fingerprints = {} }: Retry & { content?: Record<string, string>; fingerprints?: Schemas["ArmsIn"]["fingerprints"] } = {},
  ): Promise<Result<number>> {
    const path = "/v1/markets/{market}/agents/{agent}/arms";
    const body = { arms, content, fingerprints };
    const found = await this.request("post", path, { path: { market, agent }, body, retryKey });
    return mapped(found, (answer) => answer.registered);
  }

  /** Bind an agent to a group of names of one principal, or free it; whether that is a change. */
  async bindAgent(
    market: string,
    agent: string,
    group: string | null,
    { retryKey }: Retry = {},
  ): Promise<Result<boolean>> {
    const path = "/v1/markets/{market}/agents/{agent}/group";
    return changed(await this.request("put", path, { path: { market, agent }, body: { group }, retryKey }));
  }

  /** Arms of several agents that are alike, and what operators said of that. */
  async suspicions(market: string): Promise<Result<IdentitySuspicion[]>> {
    const path = "/v1/markets/{market}/suspicions";
    const pages = await this.pages((query) => this.request("get", path, { path: { market }, query }));
    return rows(pages, "suspicions");
  }

  /** Bind the agents of a suspicion to one group; whether that is a change. */
  async confirmSuspicion(
    market: string,
    suspicion: string,
    { retryKey, group = null }: Retry & { group?: string | null } = {},
  ): Promise<Result<boolean>> {
    const path = "/v1/markets/{market}/suspicions/{suspicion}/confirm";
    return changed(await this.request("post", path, { path: { market, suspicion }, body: { group }, retryKey }));
  }

  /** Let nothing follow from a suspicion; whether that is a change. */
  async dismissSuspicion(market: string, suspicion: string, { retryKey }: Retry = {}): Promise<Result<boolean>> {
    const path = "/v1/markets/{market}/suspicions/{suspicion}/dismiss";
    return changed(await this.request("post", path, { path: { market, suspicion }, retryKey }));
  }

  /** Retire an arm of an agent; whether that is a change. */
  async retireArm(market: string, agent: string, arm: string, { retryKey }: Retry = {}): Promise<Result<boolean>> {
    const path = "/v1/markets/{market}/agents/{agent}/arms/retire";
    return changed(await this.request("post", path, { path: { market, agent }, body: { arm }, retryKey }));
  }

  /** Show an arm no more until it is resumed, whatever its agent does; whether that is a change. */
  async suspendArm(market: string, agent: string, arm: string, { retryKey }: Retry = {}): Promise<Result<boolean>> {
    const path = "/v1/markets/{market}/agents/{agent}/arms/suspend";
    return changed(await this.request("post", path, { path: { market, agent }, body: { arm }, retryKey }));
  }

  /** End the suspension of an arm; whether that is a change. */
  async resumeArm(market: string, agent: string, arm: string, { retryKey }: Retry = {}): Promise<Result<boolean>> {
    const path = "/v1/markets/{market}/agents/{agent}/arms/resume";
    return changed(await this.request("post", path, { path: { market, agent }, body: { arm }, retryKey }));
  }

  // --- markets -----------------------------------------------------------------------------------

  /** Create a market; once more with the same config changes nothing. */
  createMarket(market: string, config: Schemas["MarketIn"] = {}): Promise<Result<Schemas["MarketOut"]>> {
    return this.request("put", "/v1/markets/{market}", { path: { market }, body: config });
  }

  /** Delete a market and its journal for good. */
  async deleteMarket(market: string): Promise<Result<void>> {
    return nothing(await this.request("delete", "/v1/markets/{market}", { path: { market } }));
  }

  /** Set a market's clock, to the service's own time if none is given; what it is now. */
  async setClock(market: string, at: number | null = null, { retryKey }: Retry = {}): Promise<Result<number>> {
    const path = "/v1/markets/{market}/clock";
    const found = await this.request("put", path, { path: { market }, body: { at }, retryKey });
    return mapped(found, (answer) => answer.at);
  }

  /** How a market was created, the policy that it runs, and what that promises of copies. */
  market(market: string): Promise<Result<MarketReport>> {
    return this.request("get", "/v1/markets/{market}", { path: { market } });
  }

  /** List all markets. */
  async markets(): Promise<Result<MarketsPage["markets"]>> {
    return rows(await this.pages((query) => this.request("get", "/v1/markets", { query })), "markets");
  }

  /**
   * Go on with another policy, keeping all statistics; whether that is a change.
   *
   * With `share` it is the candidate, which decides so many of the decisions: 0 is a shadow, whose decisions
   * are not shown. Without it, it is the first policy, and there is no candidate any more.
   */
  async setPolicy(
    market: string,
    policy: string,
    { retryKey, ...more }: { readonly share?: number } & Retry = {},
  ): Promise<Result<boolean>> {
    const path = "/v1/markets/{market}/policy";
    return changed(await this.request("put", path, { path: { market }, body: { policy, ...more }, retryKey }));
  }

  /** Let the first policy decide alone; whether there was a candidate. */
  async dropCandidate(market: string, { retryKey }: Retry = {}): Promise<Result<boolean>> {
    return changed(await this.request("delete", "/v1/markets/{market}/candidate", { path: { market }, retryKey }));
  }

  /** Set guard rails, in place of those before; whether that is a change. */
  async setRails(
    market: string,
    rails: RailsIn["rails"],
    { retryKey, ...more }: Omit<RailsIn, "rails"> & Retry = {},
  ): Promise<Result<boolean>> {
    const path = "/v1/markets/{market}/rails";
    return changed(await this.request("put", path, { path: { market }, body: { rails, ...more }, retryKey }));
  }

  /** Decide nothing until the market is resumed; whether that is a change. */
  async pause(market: string, reason: string, { retryKey }: Retry = {}): Promise<Result<boolean>> {
    const path = "/v1/markets/{market}/pause";
    return changed(await this.request("post", path, { path: { market }, body: { reason }, retryKey }));
  }

  /** Decide again after a pause; whether that is a change. */
  async resume(market: string, { retryKey }: Retry = {}): Promise<Result<boolean>> {
    return changed(await this.request("post", "/v1/markets/{market}/resume", { path: { market }, retryKey }));
  }

  /** Plays and revenue of a market, with `segment` of its visitors alone; all pages of the list of agents. */
  async statistics(market: string, options: { segment?: string } = {}): Promise<Result<Statistics>> {
    const path = "/v1/markets/{market}/statistics";
    const pages = await this.pages((query) =>
      this.request("get", path, { path: { market }, query: { ...options, ...query } }),
    );
    return mapped(pages, ([first, ...more]) => ({
      ...first,
      agents: [first, ...more].flatMap((page) => page.agents),
      next: null,
    }));
  }

  /** Plays and revenue of one agent; all pages of the list of its arms. */
  async agentStatistics(
    market: string,
    agent: string,
    options: { segment?: string } = {},
  ): Promise<Result<AgentReport>> {
    const path = "/v1/markets/{market}/agents/{agent}/statistics";
    const pages = await this.pages((query) =>
      this.request("get", path, { path: { market, agent }, query: { ...options, ...query } }),
    );
    return mapped(pages, ([first, ...more]) => ({
      ...first,
      arms: [first, ...more].flatMap((page) => page.arms),
      next: null,
    }));
  }

  /** Everything that happened after event number `after`, fetched in parts; a failure is the last item. */
  async *journal(market: string, after = 0): AsyncGenerator<Result<JournalEvent>, void> {
    for (let count = EVENTS; count >= EVENTS; ) {
      const query = `?limit=${EVENTS}&after=${after}`;
      const path = `/v1/markets/${encodeURIComponent(market)}/journal${query}`;
      const found = await this.transport.text({ method: "GET", path });
      if (!found.ok) {
        yield found;
        return;
      }
      const lines = found.value.text.split("\n").filter((line) => line !== "");
      count = lines.length;
      for (const line of lines) {
        const event = JSON.parse(line) as JournalEvent;
        after = event.number;
        yield done(event);
      }
    }
  }

  // --- what others check -------------------------------------------------------------------------

  /** The last event and the head of the chain after it, signed: keep it, as JSON. */
  head(market: string): Promise<Result<SignedHead>> {
    return this.request("get", "/v1/markets/{market}/head", { path: { market } });
  }

  /** A market's journal without names, for `copyproof verify`; with `agent`, what this agent may see. */
  export(market: string, { agent }: { agent?: string } = {}): Promise<Result<ReadableStream<Uint8Array>>> {
    const what = agent === undefined ? "/journal/audit" : `/agents/${encodeURIComponent(agent)}/journal`;
    return this.transport.stream({ method: "GET", path: `/v1/markets/${encodeURIComponent(market)}${what}` });
  }

  /** What operators did, the oldest first. */
  async actions(): Promise<Result<Action[]>> {
    return rows(await this.pages((query) => this.request("get", "/v1/actions", { query })), "actions");
  }

  // --- keys --------------------------------------------------------------------------------------

  /** List all API keys. */
  async keys(): Promise<Result<ApiKey[]>> {
    return rows(await this.pages((query) => this.request("get", "/v1/keys", { query })), "keys");
  }

  /** Make an API key, with limits of its own if they are given; the answer holds its text. */
  makeKey({ retryKey, ...body }: Schemas["KeyIn"] & Retry): Promise<Result<ApiKey>> {
    return this.request("post", "/v1/keys", { body, retryKey });
  }

  /** Give a key a new secret; the old one works for `overlap` seconds more, 300 unless told. */
  rotateKey(key: string, { retryKey, ...body }: Schemas["RotateIn"] & Retry = {}): Promise<Result<ApiKey>> {
    return this.request("post", "/v1/keys/{key}/rotate", { path: { key }, body, retryKey });
  }

  /** Refuse a key from now on. */
  revokeKey(key: string): Promise<Result<ApiKey>> {
    return this.request("delete", "/v1/keys/{key}", { path: { key } });
  }

  /** Refuse a key from now on, and list it no more. */
  deleteKey(key: string): Promise<Result<ApiKey>> {
    return this.request("delete", "/v1/keys/{key}", { path: { key }, query: { forget: true } });
  }
}
