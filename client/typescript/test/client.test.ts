/** The client against a running service, whose address and operator's key are in the environment. */

import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { ApiError, Client, type Decision, type Failure, type Result, unwrap } from "../src/index.js";

const url = process.env["COPYPROOF_URL"] ?? "";
const key = process.env["COPYPROOF_KEY"] ?? "";
const market = "é x";

function operator(): Client {
  return new Client(url, key);
}

function failed(result: Result<unknown>): Failure {
  if (result.ok) throw new assert.AssertionError({ message: "no failure" });
  return result.error;
}

/** A server of our own, at whose address `use` is called. */
async function serving(answer: RequestListener, use: (url: string) => Promise<void>): Promise<void> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test("every request of the document has a method", async () => {
  const asked = new Set<string>();
  const noting: typeof fetch = (input, init) => {
    asked.add(`${init?.method} ${new URL(String(input)).pathname}`);
    return fetch(input, init);
  };
  const client = new Client(url, key, { fetch: noting });
  const name = "new";
  unwrap(await client.createMarket(name, { policy: "h-ucb", seed: 1 }));
  assert.equal(unwrap(await client.market(name)).policy, "h-ucb");
  assert.ok(unwrap(await client.markets()).some((each) => each.market === name));
  assert.equal(unwrap(await client.registerAgent(name, "zoe")), true);
  assert.equal(unwrap(await client.registerAgent(name, "zoe")), false);
  assert.equal(unwrap(await client.registerAgents(name, [{ agent: "max", arms: ["m", "n"] }])), 2);
  assert.equal(unwrap(await client.registerArms(name, "zoe", ["a", "b"], { content: { a: "9f" } })), 2);
  assert.equal(unwrap(await client.suspendAgent(name, "zoe")), true);
  assert.equal(unwrap(await client.resumeAgent(name, "zoe")), true);
  assert.equal(unwrap(await client.suspendArm(name, "zoe", "a")), true);
  assert.equal(unwrap(await client.resumeArm(name, "zoe", "a")), true);
  assert.equal(unwrap(await client.retireArm(name, "zoe", "a")), true);
  const same = { hash: "0123456789abcdef" };
  assert.equal(unwrap(await client.registerArms(name, "zoe", ["b"], { fingerprints: { b: same } })), 0);
  assert.equal(unwrap(await client.registerArms(name, "eve", ["c"], { fingerprints: { c: same } })), 1);
  const [suspicion] = unwrap(await client.suspicions(name));
  assert.deepEqual(suspicion?.agents, ["zoe", "eve"]);
  assert.equal(unwrap(await client.dismissSuspicion(name, suspicion?.id ?? "")), true);
  assert.equal(unwrap(await client.confirmSuspicion(name, suspicion?.id ?? "", { group: "zoe & co" })), true);
  assert.equal(unwrap(await client.bindAgent(name, "eve", null)), true);
  const [decision] = unwrap(await client.ask(name));
  assert.equal(unwrap(await client.tell(name, decision?.id ?? "", 1)).status, "counted");
  assert.equal(unwrap(await client.setPolicy(name, "prh-ucb")), true);
  assert.equal(unwrap(await client.setPolicy(name, "fair", { share: 0.1 })), true);
  assert.equal(unwrap(await client.dropCandidate(name)), true);
  assert.equal(unwrap(await client.setRails(name, [{ measure: "share", last: 5, at_most: 0.9 }])), true);
  assert.equal(unwrap(await client.pause(name, "a test")), true);
  assert.equal(unwrap(await client.resume(name)), true);
  assert.ok(unwrap(await client.setClock(name)) > 0);
  assert.equal(unwrap(await client.statistics(name)).revenue, 1);
  assert.equal(unwrap(await client.agentStatistics(name, "zoe")).arms.length, 2);
  const head = unwrap(await client.head(name));
  const events: string[] = [];
  for await (const event of client.journal(name)) events.push(unwrap(event).kind);
  assert.equal(events.length, head.number);
  for (const options of [{}, { agent: "zoe" }]) {
    const text = await new Response(unwrap(await client.export(name, options))).text();
    const last = JSON.parse(text.trimEnd().split("\n").at(-1) ?? "") as { head: string };
    assert.equal(last.head, head.digest);
  }
  assert.equal(unwrap(await client.ownKey()).role, "operator");
  const history = unwrap(await client.history(name, { events: 1000, spans: 10 }));
  assert.deepEqual(history.newcomers.map((each) => each.agent).sort(), ["eve", "max", "zoe"]);
  assert.match(unwrap(await client.previewPolicy(name, "ucb1")).guarantee, /^none: /);
  assert.match(failed(await client.previewPolicy(name, "rh-ucb(L=")).message, /policy/);
  const begun = unwrap(await client.startAudit(name, { policy: "h-ucb", horizon: 10 }));
  assert.ok(unwrap(await client.audits(name)).some((each) => each.id === begun.id));
  const written = unwrap(await client.backUp());
  assert.deepEqual(unwrap(await client.backups()), [written]);
  const made = unwrap(await client.makeKey({ role: "application", markets: [name], note: "web" }));
  assert.notEqual(unwrap(await client.rotateKey(made.id, { overlap: 0 })).key, made.key);
  assert.ok(unwrap(await client.keys()).some((each) => each.id === made.id));
  assert.notEqual(unwrap(await client.revokeKey(made.id)).revoked, null);
  unwrap(await client.deleteKey(made.id));
  unwrap(await client.removeAgent(name, "zoe", { forget: true }));
  unwrap(await client.deleteMarket(name));
  assert.ok(unwrap(await client.actions()).some((each) => each.what === `POST /v1/markets/${name}/pause`));
  assert.deepEqual(unwrap(await client.request("get", "/healthz", {})), { alive: true });
  assert.match(unwrap(await client.request("get", "/metrics", {})), /^# HELP/);

  const names: Record<string, string> = { new: "{market}", zoe: "{agent}", eve: "{agent}", [made.id]: "{key}" };
  names[suspicion?.id ?? ""] = "{suspicion}";
  const described = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: Record<string, object> };
  const every = Object.entries(described.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const found = [...asked].map((each) =>
    each
      .split("/")
      .map((part) => names[part] ?? part)
      .join("/"),
  );
  assert.deepEqual([...new Set([...found, "GET /readyz"])].sort(), every.sort());
});

test("decisions and rewards", async () => {
  const client = operator();
  unwrap(await client.createMarket(market, { policy: "h-ucb", seed: 7 }));
  unwrap(await client.registerArms(market, "ünal", ["a/b", "c"]));
  unwrap(await client.registerArms(market, "bob", ["d"]));
  const decisions: Decision[] = unwrap(await client.ask(market, { count: 3 }));
  assert.deepEqual(decisions.map((each) => each.round), [1, 2, 3]);
  const rewards = decisions.map((each) => ({ decision: each.id, reward: 0.5 }));
  const told = unwrap(await client.tellMany(market, rewards));
  assert.deepEqual(told.map((each) => each.status), ["counted", "counted", "counted"]);
  const slate = unwrap(await client.ask(market, { count: 9, slate: true, segment: "de" }));
  assert.deepEqual(slate.map((each) => each.agent).sort(), ["bob", "ünal"]);
  const only = unwrap(await client.ask(market, { count: 4, eligible: { ünal: ["c"] } }));
  assert.deepEqual(new Set(only.map((each) => each.arm)), new Set(["c"]));
});

test("a retry key gives the same answer and does nothing twice", async () => {
  const first = unwrap(await operator().ask(market, { count: 2, retryKey: "page view 7" }));
  const again = unwrap(await operator().ask(market, { count: 2, retryKey: "page view 7" }));
  assert.deepEqual(again, first);
  const failure = failed(await operator().ask(market, { count: 3, retryKey: "page view 7" }));
  assert.equal(failure.status, 422);
});

test("errors are typed values", async () => {
  const client = operator();
  assert.deepEqual(failed(await client.ask("nothing")), {
    kind: "refused",
    status: 404,
    field: "market",
    message: "market is not known",
  });
  const failure = failed(await client.ask(market, { count: 0 }));
  assert.deepEqual([failure.kind, failure.status, failure.field], ["refused", 422, "count"]);
  assert.equal(failed(await new Client(url, "cp_0_0").markets()).status, 401);
  const items: Result<unknown>[] = [];
  for await (const item of client.journal("nothing")) items.push(item);
  assert.deepEqual(items.map((item) => failed(item).status), [404]);
  const stream = await client.export("nothing");
  assert.equal(failed(stream).status, 404);
  assert.throws(() => unwrap(stream), ApiError);
  assert.throws(() => new Client("ftp://x", "k"), TypeError);

  // @ts-expect-error: what the document does not know does not compile.
  void (() => client.ask(market, { cuont: 1 }));
  // @ts-expect-error: nor a path without its names.
  void (() => client.request("get", "/v1/markets/{market}/head", {}));
  // @ts-expect-error: nor a value that may be a failure.
  void (async () => (await client.ask(market)).value);
});

test("statistics and lists come in pages", async () => {
  const client = operator();
  const arms = Array.from({ length: 1000 }, (_, number) => `arm ${number}`);
  unwrap(await client.registerArms(market, "many", arms));
  unwrap(await client.registerArms(market, "many", ["one more"]));
  const before = client.transport.attempts;
  const found = unwrap(await client.agentStatistics(market, "many"));
  assert.deepEqual([found.arms.length, found.next], [1001, null]);
  assert.equal(new Set(found.arms.map((arm) => arm.arm)).size, 1001);
  assert.equal(client.transport.attempts - before, 2);
  const whole = unwrap(await client.statistics(market, { segment: "de" }));
  assert.deepEqual([whole.segment, whole.plays], ["de", 2]);
});

test("answers that are lost change nothing", async () => {
  let number = 0;
  const losing: RequestListener = async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const headers = request.headers as Record<string, string>;
    const { authorization = "", "idempotency-key": idempotency = "" } = headers;
    const answer = await fetch(`${url}${request.url}`, {
      method: request.method ?? "",
      headers: { authorization, "idempotency-key": idempotency, "content-type": "application/json" },
      body: Buffer.concat(parts),
    });
    const body = await answer.text();
    number += 1;
    if (number % 2) return void request.socket.destroy();
    response.writeHead(answer.status, { "content-type": "application/json" }).end(body);
  };
  unwrap(await operator().createMarket("lost", { policy: "h-ucb" }));
  unwrap(await operator().registerArms("lost", "ann", ["a", "b"]));
  await serving(losing, async (between) => {
    const client = new Client(between, key);
    for (let round = 1; round <= 5; round += 1) {
      const [decision] = unwrap(await client.ask("lost"));
      assert.equal(decision?.round, round); // no decision was made twice
      assert.equal(unwrap(await client.tell("lost", decision.id, 1)).status, "counted");
    }
    assert.equal(client.transport.attempts, 20);
  });
  assert.equal(unwrap(await operator().statistics("lost")).revenue, 5);
});

test("a market is followed to the process that leads it", async () => {
  const asked: string[] = [];
  const misdirecting: RequestListener = (request, response) => {
    asked.push(request.url ?? "");
    const status = asked.length === 1 ? 307 : 421;
    const to = request.url === "/v1/keys" ? "/v1/markets" : `${url}${request.url}`;
    response.writeHead(status, { location: to }).end();
  };
  await serving(misdirecting, async (between) => {
    const client = new Client(between, key);
    for (let count = 1; count <= 2; count += 1) unwrap(await client.ask("lost"));
    unwrap(await client.ask(market));
    assert.equal(failed(await client.request("get", "/v1/keys", {})).status, 421);
  });
  const place = encodeURIComponent(market);
  const [first, ...others] = asked;
  assert.equal(first, "/v1/markets/lost/decisions"); // once: the second time it was known
  // `fetch` repeats by itself what is answered with 421.
  assert.deepEqual([...new Set(others)], [`/v1/markets/${place}/decisions`, "/v1/keys"]);
});

test("what changes is told as it does", async () => {
  const client = operator();
  const names = new Set<string>();
  for await (const item of client.watch({ market: "lost" })) {
    const { name, data } = unwrap(item);
    names.add(name);
    if (name === "agents") assert.equal(data["market"], "lost");
    if (names.has("markets") && names.has("agents")) break; // which closes the stream
  }
  const items: Result<unknown>[] = [];
  for await (const item of client.watch({ market: "nothing" })) items.push(item);
  assert.deepEqual(items.map((item) => failed(item).status), [404]);
});

test("patience ends", async () => {
  await serving(
    async (_, response) => void (await sleep(5_000, undefined, { ref: false }), response.end()),
    async (silent) => {
      const client = new Client(silent, key, { timeoutMs: 50, patienceMs: 2_000 });
      const failure = failed(await client.markets());
      assert.deepEqual([failure.kind, failure.status], ["unavailable", 0]);
      assert.match(failure.message, /none within 50 ms/);
      assert.ok(client.transport.attempts > 1);
    },
  );
});
