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
    const begun = Date.now();
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
    // Who looks takes the processor from what is looked at: at most a third of the time.
    await new Promise((resolve) => setTimeout(resolve, Math.min(500, Math.max(25, 2 * (Date.now() - begun)))));
  }
}
