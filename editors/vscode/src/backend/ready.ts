// The ready line: what `mayi serve` prints when it listens.

import { isFields, text } from "../check";

/** Where a backend listens, and where its token is. */
export interface Ready {
  url: string;
  ws: string;
  answerTokenFile: string;
  pid: number;
  instance: string;
  version: string;
  ui: string | null;
}

function isLoopback(address: string, scheme: string): boolean {
  try {
    const url = new URL(address);
    return url.protocol === scheme && ["127.0.0.1", "[::1]", "localhost"].includes(url.hostname) && url.port !== "";
  } catch {
    return false;
  }
}

/** The ready line in `value` (parsed JSON), or null. A token is never taken anywhere but to this computer. */
export function parseReady(value: unknown): Ready | null {
  if (!isFields(value)) return null;
  const { url, ws, answerTokenFile, pid, instance } = value;
  // The line's own version is `v`, the backend's is `version`; or `version` (a number) and `serverVersion`.
  const numbered = typeof value["version"] === "number";
  const version = numbered ? value["serverVersion"] : value["version"];
  if ((numbered ? value["version"] : value["v"]) !== 1) return null;
  if (typeof url !== "string" || typeof ws !== "string" || typeof answerTokenFile !== "string") return null;
  if (typeof instance !== "string" || typeof version !== "string" || typeof pid !== "number") return null;
  if (!isLoopback(url, "http:") || !isLoopback(ws, "ws:")) return null;
  return { url, ws, answerTokenFile, pid, instance, version, ui: text(value["ui"]) };
}

/** The ready line at the beginning of `output`: undefined until its line is whole. */
export function readyLine(output: string): Ready | null | undefined {
  const end = output.indexOf("\n");
  if (end < 0) return undefined;
  try {
    return parseReady(JSON.parse(output.slice(0, end)));
  } catch {
    return null;
  }
}

/** The line again, to be kept until after a reload. */
export function keep(ready: Ready): Record<string, unknown> {
  return { v: 1, ...ready };
}
