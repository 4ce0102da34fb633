/** The OpenAPI document as types of one request: what it takes, and what it answers with. */

import type { paths } from "./schema.js";

export type Method = "get" | "put" | "post" | "delete";

/** Paths of the service, as the document writes them: `/v1/markets/{market}/decisions`. */
export type Path = keyof paths;

/** Methods that a path has. */
export type MethodOf<P extends Path> = {
  [M in Method]: paths[P][M] extends object ? M : never;
}[Method];

export type Operation<P extends Path, M extends MethodOf<P>> = paths[P][M];

type Parameters<O> = O extends { parameters: infer X } ? X : never;
type PathPart<O> = Parameters<O> extends { path: infer X } ? { path: X } : { path?: never };
type QueryPart<O> = Parameters<O> extends { query?: infer X } ? { query?: NonNullable<X> } : { query?: never };
type BodyPart<O> = O extends { requestBody: { content: { "application/json": infer X } } }
  ? { body: X }
  : O extends { requestBody: { content: { "application/x-ndjson": infer X } } }
  ? { body: X }
  : O extends { requestBody?: { content: { "application/json": infer X } } }
    ? { body?: X }
    : { body?: never };

/** What a request takes; `retryKey` is its Idempotency-Key, made up for a write that is given none. */
export type Input<O> = PathPart<O> & QueryPart<O> & BodyPart<O> & { retryKey?: string | undefined };

/** What a success is answered with. */
export type Output<O> = O extends { responses: { 200: { content: infer C } } } ? C[keyof C] : never;
