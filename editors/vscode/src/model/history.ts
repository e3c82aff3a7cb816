// Entries of the record, as far as the History view shows them.

import { isFields } from "../check";

/** One entry. */
export interface HistoryEntry {
  seq: number;
  at: string;
  kind: string;
  effect: string | null;
  agent: string | null;
  access: string | null;
  /** Who or what ended it, or made it so. */
  by: string | null;
}

function text(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** Those of `found` that are understood. */
export function parseEntries(found: unknown[]): HistoryEntry[] {
  const entries: HistoryEntry[] = [];
  for (const one of found) {
    if (!isFields(one) || typeof one["seq"] !== "number" || typeof one["kind"] !== "string" || typeof one["at"] !== "string") continue;
    const detail = isFields(one["detail"]) ? one["detail"] : {};
    const what = text(one["access"]) ?? text(detail["pattern"]);
    // What a question ended with says more than that it ended.
    const effect = text(detail["state"]) ?? text(one["effect"]);
    entries.push({ seq: one["seq"], at: one["at"], kind: one["kind"], effect, agent: text(one["agent"]), access: what, by: text(detail["by"]) });
  }
  return entries;
}
