// What a card says, in mayi's own words.

import type { Answered, FindingSource, State, TabCard } from "../../api";

export const MALICIOUS =
  "Malicious MCP servers or conversation content could try to trick the agent into harmful actions through your tools.";
export const REVIEW = "Review each action carefully before approving.";

export const PERMISSION: Record<TabCard["permissionType"], string> = {
  read: "Read: it only reads",
  write: "Write: it changes files",
  all: "All: it runs something or reaches out",
};

/** The same in one word, for who looks at one card after the other. */
export const PERMISSION_WORD: Record<TabCard["permissionType"], string> = { read: "Read", write: "Write", all: "All" };

/** What a reason comes from; nothing where the reason says so itself. */
export const SOURCE: Record<FindingSource, string> = {
  rule: "a rule",
  protection: "built-in protection",
  setting: "a setting",
  matrix: "",
  plan: "",
  caveat: "",
  grant: "a remembered answer",
  bypass: "",
  auto: "",
  confined: "",
  error: "an error",
};

/** How the like was answered before, with the day if it is to be `full`; null if it never was. */
export function before(card: TabCard, full: boolean): string | null {
  if (card.history === undefined) return null;
  const { allowed, denied, firstSeen } = card.history;
  const times = (count: number): string => (count === 1 ? "once" : `${count} times`);
  if (allowed === 0 && denied === 0) return firstSeen === null || !full ? null : `first asked about on ${firstSeen.slice(0, 10)}`;
  const said = [allowed > 0 ? `allowed ${times(allowed)}` : "", denied > 0 ? `denied ${times(denied)}` : ""].filter((one) => one !== "").join(", ");
  return firstSeen === null || !full ? said : `${said}, first asked about on ${firstSeen.slice(0, 10)}`;
}

/** The class of a state. */
export const CLASS: Record<State, string> = {
  pending: "pending_approval",
  approved: "approved",
  denied: "denied",
  cancelled: "cancelled",
  expired: "expired",
};

const OUTCOME: Record<State, string> = {
  pending: "",
  approved: "✓ Tool call approved",
  denied: "✕ Tool call denied by user",
  cancelled: "The question was withdrawn",
  expired: "✕ Expired: nobody answered in time, so it was denied",
};

/** The line that stays when a card is settled. */
export function outcome(settled: Pick<Answered, "state" | "by" | "at">): string {
  const at = settled.at === "" ? null : new Date(settled.at);
  const time = at === null || Number.isNaN(at.getTime()) ? "" : at.toLocaleTimeString();
  // A rule that came in while the card waited is nobody's answer.
  if (settled.by === "policy" && settled.state === "denied") return `✕ Tool call denied by policy${time === "" ? "" : ` at ${time}`}`;
  const who = settled.by === "" ? "" : settled.state === "cancelled" || settled.state === "expired" ? "" : `, answered by ${settled.by}`;
  return `${OUTCOME[settled.state]}${who}${time === "" ? "" : ` at ${time}`}`;
}
