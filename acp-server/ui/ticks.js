// @ts-check
// One answer for several cards that differ: which cards can be ticked, and when a press answers those that are (S2.12, D6.18).
// This file is also a part of the extension for VS Code.

/** Whether a card may be answered along with others. @param {{ alike?: string | null, notShown: readonly string[] }} card */
export function isTickable({ alike, notShown }) {
  return Boolean(alike) && notShown.length === 0;
}

/**
 * Whether a press answers all that are ticked. One that allows does only where the own Allow of each of them would count now;
 * else what was not seen of the first that holds it up is shown.
 * @template {{ further: () => unknown }} Card
 * @param {readonly (Card | undefined)[]} cards undefined: it is not shown
 * @param {string} optionId
 * @param {(card: Card) => boolean} allows whether its own Allow would count
 */
export function answersAll(cards, optionId, allows) {
  if (optionId === 'deny') return true;
  const at = cards.findIndex((card) => card === undefined || !allows(card));
  cards[at]?.further();
  return at === -1;
}
