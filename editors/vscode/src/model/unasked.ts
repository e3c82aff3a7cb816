// What is said of a call that has run without asking.

import type { Effect } from "../api";

/** It was neither allowed nor denied: `policy` is what would have become of it. */
export function ranUnasked(policy: Effect): string {
  return `Ran without asking, though the policy ${policy === "deny" ? "denies it" : "asks about it"}`;
}
