export * from "./client.js";
export type { Audit, Backup, History, LiveEvent, PolicyPreview } from "./operating.js";
export type { Retry } from "./requests.js";
export type { Input, Method, MethodOf, Operation, Output, Path } from "./operations.js";
export { ApiError, type Failure, type Refused, type Result, type Unavailable, unwrap } from "./result.js";
export type { components, operations, paths } from "./schema.js";
export type { Options } from "./transport.js";
