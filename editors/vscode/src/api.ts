// The API of `mayi serve` as this extension uses it: the types that are generated from Rust, and calls that go by them.

import type { Batch, Category, Event, Methods, RememberScope } from "./api.generated";

export type * from "./api.generated";

/** What one notification of the subscription holds. */
export type Events = Batch<Event>;

/** The parameters of a method. */
export type Params<M extends keyof Methods> = Methods[M]["params"];

/** What a method answers with. */
export type Result<M extends keyof Methods> = Methods[M]["result"];

/** Calls a method of the backend. */
export type Call = <M extends keyof Methods>(method: M, params: Params<M>, timeout?: number) => Promise<Result<M>>;

/** The words of the API, for where values are checked. */
export const MODES = ["plan", "default", "auto"] as const;
export const STATES = ["pending", "approved", "denied", "cancelled", "expired"] as const;
export const SCOPES: readonly RememberScope[] = ["session", "workspace", "user"];
export const CATEGORIES: readonly Category[] = ["read", "write", "execute", "external"];
export const APPROVALS = ["required", "not_required", "default"] as const;
