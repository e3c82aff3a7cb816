// @ts-check
// Choices do nothing for half a second after their card appears, changes or moves; nor while there is no connection.
// What was pressed before that, or is held down since, is no answer.

/** Milliseconds. */
export const STILL = 500;

/** @type {WeakMap<Element, number>} since when a card stands still */
const since = new WeakMap();
/** When the last press of a pointer began. */
let pressed = -Infinity;
/** Whether the last key is one that repeats since it is held down. */
let held = false;
let online = false;

document.addEventListener('pointerdown', (event) => (pressed = event.timeStamp), { capture: true });
document.addEventListener('keydown', (event) => (held = event.repeat), { capture: true });

/** Makes a card's choices inert, and live again half a second after that moment. @param {HTMLElement} card @param {number} [from] */
export function still(card, from = performance.now()) {
  const last = Math.max(since.get(card) ?? 0, from);
  since.set(card, last);
  refresh(card);
  setTimeout(() => refresh(card), last + STILL + 10 - performance.now());
}

/** The same for all that have choices, since something moved: the cards, and the bar that answers several. */
export function stillAll() {
  for (const card of document.querySelectorAll('[data-live]')) still(/** @type {HTMLElement} */ (card));
}

/** @param {boolean} connected */
export function setOnline(connected) {
  if (online === connected) return;
  online = connected;
  stillAll();
}

/** Whether a click on a choice of this card counts. @param {MouseEvent | SubmitEvent} event @param {HTMLElement} card */
export function lets(event, card) {
  if (!isLive(card, performance.now())) return false;
  const live = (since.get(card) ?? Infinity) + STILL;
  // A click without a pointer is a key's or a screen reader's.
  return 'detail' in event && event.detail > 0 ? pressed >= live : !held;
}

/** Shows whether the choices of a card are live. @param {HTMLElement} card */
export function refresh(card) {
  const live = isLive(card, performance.now());
  card.dataset.live = String(live);
  const seen = card.dataset.seen === 'true';
  for (const button of card.querySelectorAll('.answers [action-id]')) {
    button.setAttribute('aria-disabled', String(!live || (!seen && button.hasAttribute('data-allows')) || button.hasAttribute('data-unseen')));
  }
}

/** @param {HTMLElement} card @param {number} now */
function isLive(card, now) {
  return online && card.dataset.busy !== 'true' && now >= (since.get(card) ?? Infinity) + STILL;
}
