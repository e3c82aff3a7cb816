// @ts-check
// One request over HTTP.

import { CODES, Lost, MayiError, textOf } from "./errors.js";

/**
 * Where a backend listens.
 * @typedef {object} End
 * @property {string} url
 * @property {string} token
 * @property {import("./child.js").Child | null} child the process, if it is ours
 * @property {Set<AbortController>} flights requests that are under way
 */

/** How long a poll waits: well below the 300 seconds after which Node's `fetch` gives up by itself. */
export const POLL_SECONDS = 25;
/** A backend that says nothing for so long beyond what it was told to wait is stuck. */
const PATIENCE_MS = 30_000;

/**
 * @param {End} end
 * @param {string} method
 * @param {object} params
 * @returns {Promise<any>}
 */
export async function post(end, method, params) {
  const wait = "waitSeconds" in params ? Number(params.waitSeconds) * 1000 : 0;
  const flight = new AbortController();
  end.flights.add(flight);
  const timer = setTimeout(() => flight.abort(new Error("it does not answer")), wait + PATIENCE_MS);
  try {
    const response = await fetch(end.url, {
      method: "POST",
      headers: { authorization: `Bearer ${end.token}`, "content-type": "application/json", "mayi-client": "app" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      signal: flight.signal,
      // The token is for this address and no other.
      redirect: "error",
    });
    return read(method, response.status, await response.text());
  } catch (error) {
    if (error instanceof MayiError || error instanceof Lost) throw error;
    throw new Lost(textOf(error), { cause: error });
  } finally {
    clearTimeout(timer);
    end.flights.delete(flight);
  }
}

/**
 * @param {string} method
 * @param {number} status
 * @param {string} text
 */
function read(method, status, text) {
  const answer = parse(text);
  const error = answer?.error;
  if (status === 401) {
    const said = new MayiError(error?.code ?? CODES.notAllowed, error?.message ?? "the token is not known", { data: { status } });
    throw new Lost(said.message, { cause: said, stale: true });
  }
  if (error) throw new MayiError(error.code, error.message, { data: error.data ?? (status === 200 ? undefined : { status }) });
  if (status !== 200 || answer === null || !("result" in answer)) {
    throw new MayiError("protocol", `${method}: HTTP ${status} without an answer of mayi's: is it mayi that listens there?`, { data: { status } });
  }
  return answer.result;
}

/**
 * @param {string} text
 * @returns {any}
 */
function parse(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}
