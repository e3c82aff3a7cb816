// @ts-check
// What this page shows the backend: the token that it got for the code. It is no cookie, since cookies go to whatever
// listens at another port of the same machine; and it is in no address. It ends with this tab, or with the backend.

const NAME = 'mayi.token';
/** Where a browser keeps nothing. @type {string | null} */
let held = null;

/** @returns {string | null} */
export function token() {
  try {
    return sessionStorage.getItem(NAME) ?? held;
  } catch {
    return held;
  }
}

/** @param {string | null} value */
export function keep(value) {
  held = value;
  try {
    if (value === null) sessionStorage.removeItem(NAME);
    else sessionStorage.setItem(NAME, value);
  } catch {
    // It is held as long as the page is there.
  }
}

/** The subprotocols of the WebSocket: the only header that a page may set there. @param {string} value */
export function protocols(value) {
  return ['mayi', `mayi.token.${value}`];
}
