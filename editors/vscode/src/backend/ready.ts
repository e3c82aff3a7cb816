// The ready line: what `mayi serve` prints when it listens.

import { isFields, text } from "../check";

/** Where a backend listens, and where its tokens are. */
export interface Ready {
  /** Of the line. */
  version: 1;
  url: string;
  ws: string;
  answerTokenFile: string;
  askTokenFile: string;
  pid: number;
  instance: string;
  serverVersion: string;
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
  const { version, url, ws, answerTokenFile, askTokenFile, pid, instance, serverVersion } = value;
  if (version !== 1 || typeof pid !== "number") return null;
  if (typeof url !== "string" || typeof ws !== "string" || typeof answerTokenFile !== "string" || typeof askTokenFile !== "string") return null;
  if (typeof instance !== "string" || typeof serverVersion !== "string") return null;
  if (!isLoopback(url, "http:") || !isLoopback(ws, "ws:")) return null;
  return { version, url, ws, answerTokenFile, askTokenFile, pid, instance, serverVersion, ui: text(value["ui"]) };
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
