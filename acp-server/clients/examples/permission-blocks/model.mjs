// A model that is a script: it reads the conversation, and wants tools as its person says: `list`, `read notes.txt`,
// `write notes.txt "milk"`. What it says in the end is what it was told of its calls.

import { randomUUID } from "node:crypto";

import { heard } from "../shared/thread.mjs";

/** What it says next, and the calls that it wants. */
export function respond(messages) {
  const { said, made } = heard(messages);
  if (made.length > 0) return { text: made.filter(({ type }) => type === "tool").map(({ name, result }) => `${name}: ${result}`).join("\n"), calls: [] };
  const calls = [];
  const want = (name, params) => calls.push({ id: randomUUID(), name, params });
  if (/\blist\b/i.test(said)) want("list_directory", {});
  for (const [, path] of said.matchAll(/\bread ([\w./~-]+)/gi)) want("read_file", { path });
  for (const [, path, text] of said.matchAll(/\bwrite ([\w./~-]+) "(.*?)"/gi)) want("write_file", { path, text });
  return { text: calls.length > 0 ? "" : "Say what to list, to read or to write.", calls };
}
