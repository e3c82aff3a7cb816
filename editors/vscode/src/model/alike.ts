// Which pending cards may be answered together.

import type { TabCard } from "../api";

/** The pending cards with the same key as `card`, itself among them; empty where it has none or is alone. */
export function alike(card: TabCard, pending: readonly TabCard[]): TabCard[] {
  if (card.alike === null) return [];
  const group = pending.filter((other) => other.alike === card.alike);
  return group.length > 1 ? group : [];
}
