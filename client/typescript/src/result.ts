/** What a request comes to: a value, or what went wrong, as a value too. */

/** The service said no: asking again would not help. `field` is what is wrong with the request. */
export interface Refused {
  readonly kind: "refused";
  readonly status: number;
  readonly field: string;
  readonly message: string;
}

/** The service could not be reached, or could not serve, in all attempts; `status` is 0 if no answer came. */
export interface Unavailable {
  readonly kind: "unavailable";
  readonly status: number;
  readonly field: string;
  readonly message: string;
}

export type Failure = Refused | Unavailable;

export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: Failure };

/** A failure for those who would rather catch it: see `unwrap`. */
export class ApiError extends Error {
  override readonly name = "ApiError";

  constructor(readonly failure: Failure) {
    super(`${failure.status}: ${failure.message}`);
  }
}

/** The value, or an `ApiError` thrown. */
export function unwrap<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new ApiError(result.error);
}

export function done<T>(value: T): Result<T> {
  return { ok: true, value };
}

/** The same failure, or the value made into another. */
export function mapped<T, U>(result: Result<T>, make: (value: T) => U): Result<U> {
  return result.ok ? done(make(result.value)) : result;
}
