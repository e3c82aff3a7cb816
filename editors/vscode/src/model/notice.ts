// What a notification says of a card, and whether it may be allowed there.

import type { TabCard } from "../api";
import { atAGlance, headlineText, writtenLine } from "../asked";
import { visible } from "../text/visible";

/** A button that is pressed sooner, in milliseconds, was meant for what was there before. */
export const TOO_SOON = 500;
/** So much of a long call is named. */
const NAMED = 120;

/** The editor makes links of brackets in a notification. */
function plain(text: string): string {
  return visible(text).replace(/[[\]]/g, "?");
}

/** The text for `card`; `allows`: all of the call is in it, as it is. */
export function notice(card: TabCard): { text: string; allows: boolean } {
  const who = plain(card.agentName);
  const glance = atAGlance(card);
  if (glance !== null && plain(glance) === glance && plain(card.cwd) === card.cwd) {
    return { text: `mayi: ${who} wants to run: ${glance} (in ${card.cwd})`.replace("wants to run: read ", "wants to read: "), allows: true };
  }
  const line = writtenLine(card);
  const said = line === null ? headlineText(card) : `${card.agentName} wants to run: ${line}`;
  const shown = plain([...said].slice(0, NAMED + 1).join(""));
  return { text: `mayi: ${[...said].length > NAMED ? `${shown.slice(0, NAMED)} … (see all of it in mayi)` : shown}`, allows: false };
}
