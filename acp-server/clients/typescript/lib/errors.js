// @ts-check
// What goes wrong, as the app sees it and as the parts of this package tell each other.

/** Something that mayi refused, or that kept it from being asked. */
export class MayiError extends Error {
  /**
   * @param {number | string} code the server's number, or one of `start`, `unreachable`, `closed`, `protocol`
   * @param {string} message
   * @param {{ data?: unknown, cause?: unknown }} [more]
   */
  constructor(code, message, { data, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "MayiError";
    this.code = code;
    this.data = data;
  }
}

/** The backend gave no answer: it may be gone. Never leaves this package. */
export class Lost extends Error {
  /**
   * @param {string} message
   * @param {{ cause?: unknown, stale?: boolean }} [more] `stale`: somebody answers there who does not know our token, so
   *   that trying the same place again is no use
   */
  constructor(message, { cause, stale = false } = {}) {
    super(message, { cause });
    this.stale = stale;
  }
}

/** Codes of the server that this package acts on. */
export const CODES = /** @type {const} */ ({ params: -32602, noSession: -32010, notTaken: -32020, notAllowed: -32030 });

/**
 * @param {unknown} error
 * @param {number | string} code
 * @returns {error is MayiError}
 */
export function isCode(error, code) {
  return error instanceof MayiError && error.code === code;
}

/**
 * The word for programs that the server says beside its code.
 * @param {unknown} error
 */
export function reasonOf(error) {
  return error instanceof MayiError ? /** @type {any} */ (error.data)?.reason : undefined;
}

/**
 * Whether the backend has no session of this key, or none any more: it can be opened again.
 * @param {unknown} error
 */
export function isUnknownSession(error) {
  return isCode(error, CODES.noSession) && ["unknown_key", "closed"].includes(reasonOf(error));
}

/**
 * Whether an answer came too late: somebody else was first, the card has changed, or it is of a backend that is gone. Whoever
 * asks hears how it went on.
 * @param {unknown} error
 */
export function wasOvertaken(error) {
  return isCode(error, CODES.notTaken) && ["settled", "changed", "unknown"].includes(reasonOf(error));
}

/** @param {unknown} error */
export function textOf(error) {
  if (!(error instanceof Error)) return String(error);
  // `fetch` says only "fetch failed"; what happened is in its cause.
  const cause = error.cause instanceof Error ? error.cause : null;
  return cause === null ? error.message : `${error.message}: ${cause.message || ("code" in cause ? String(cause.code) : cause.name)}`;
}
