// @ts-check
// Pairing: the one-time code is typed here, and is in no address. It becomes a token.

import { keep } from './token.js';

/** So long an answer may take: without a network none comes, and the button would stay inert. */
const PATIENCE = 15_000;

/** @param {string} id */
const place = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @param {() => void} paired */
export function pairing(paired) {
  const form = /** @type {HTMLFormElement} */ (place('pair'));
  const code = /** @type {HTMLInputElement} */ (place('code'));
  const submit = /** @type {HTMLButtonElement} */ (place('pair-send'));
  let busy = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const text = code.value.trim();
    if (busy || text === '') return;
    busy = true;
    submit.setAttribute('aria-disabled', 'true');
    say('');
    void send(text).then((error) => {
      busy = false;
      submit.setAttribute('aria-disabled', 'false');
      code.value = '';
      if (error === null) paired();
      else {
        say(error);
        code.focus();
      }
    });
  });
}

/** Shows the form, or hides it. @param {boolean} shown */
export function showPairing(shown) {
  const form = place('pair');
  if (form.hidden !== shown) return;
  form.hidden = !shown;
  if (shown) place('code').focus();
}

/** @param {string} text */
function say(text) {
  place('pair-error').textContent = text;
}

/** @param {string} code @returns {Promise<string | null>} what went wrong */
async function send(code) {
  /** @type {Response} */
  let response;
  try {
    response = await fetch('/ui/pair', {
      method: 'POST', body: JSON.stringify({ code }), headers: { 'Content-Type': 'application/json' },
      credentials: 'omit', cache: 'no-store', signal: AbortSignal.timeout(PATIENCE),
    });
  } catch {
    return 'mayi can’t be reached. Is it still running?';
  }
  if (response.ok) {
    const { token } = await response.json().catch(() => ({}));
    if (typeof token !== 'string') return 'mayi answered what this page does not understand.';
    keep(token);
    return null;
  }
  if (response.status === 429) return 'Too many codes were wrong. Ask for a new one.';
  if (response.status === 403) return 'This code is wrong, used or too old. Ask for a new one.';
  return `mayi answered ${response.status}. Try again.`;
}
