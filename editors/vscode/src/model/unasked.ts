// What is said of a call that has run without asking.

import type { Effect } from "../api";

/** It was neither allowed nor denied: `policy` is what would have become of it. */
export function ranUnasked(policy: Effect, failed: boolean): string {
  const would = policy === "deny" ? "denies it" : "asks about it";
  return failed ? `Was tried without asking, and failed; the policy ${would}` : `Ran without asking, though the policy ${would}`;
}
