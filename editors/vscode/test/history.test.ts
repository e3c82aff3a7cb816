import assert from "node:assert/strict";
import { test } from "node:test";

import { parseEntries } from "../src/model/history";
import { fromWebview } from "../src/messages";

test("entries of the record are read as far as they are understood", () => {
  const entries = parseEntries([
    { seq: 7, at: "2026-11-23T10:00:00Z", kind: "answered", agent: "demo", effect: null, access: "shell(make)", detail: { state: "approved", by: "vscode" } },
    { seq: 6, at: "2026-11-23T09:00:00Z", kind: "granted", agent: "demo", effect: "allow", detail: { pattern: "bypass" } },
    { seq: "5", at: "", kind: "decided" },
    null,
  ]);
  assert.deepEqual(entries, [
    { seq: 7, at: "2026-11-23T10:00:00Z", kind: "answered", effect: "approved", agent: "demo", access: "shell(make)", by: "vscode" },
    { seq: 6, at: "2026-11-23T09:00:00Z", kind: "granted", effect: "allow", agent: "demo", access: "bypass", by: null },
  ]);
});

test("what the History view asks for is checked", () => {
  assert.deepEqual(fromWebview({ type: "history-query", contains: "x", before: 7 }), { type: "history-query", contains: "x", before: 7 });
  assert.deepEqual(fromWebview({ type: "history-query", contains: 1, before: "7" }), { type: "history-query", contains: "", before: null });
  assert.equal(fromWebview({ type: "template" }), null);
});
