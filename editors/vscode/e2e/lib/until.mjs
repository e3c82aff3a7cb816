// @ts-check
// Waiting for something that can only be looked at: it is looked at again and again, until it is so.

/**
 * @template T
 * @param {string} what it is, for the message of a test that fails
 * @param {() => T | Promise<T>} look
 * @param {number} [milliseconds]
 * @returns {Promise<NonNullable<T>>} what was seen, once it is neither false nor nothing
 */
export async function until(what, look, milliseconds = 60_000) {
  const end = Date.now() + milliseconds;
  /** @type {unknown} */
  let error;
  for (;;) {
    try {
      const seen = await look();
      if (seen) return /** @type {NonNullable<T>} */ (seen);
      error = undefined;
    } catch (thrown) {
      error = thrown;
    }
    if (Date.now() > end) {
      throw new Error(`not within ${milliseconds} ms: ${what}${error ? ` (${error})` : ''}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
