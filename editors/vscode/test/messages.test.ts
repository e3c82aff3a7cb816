import assert from "node:assert/strict";
import { test } from "node:test";

import { fromWebview, toWebview } from "../src/messages";
import { card } from "./values";

const response = { type: "approval-response", approvalId: "a", digest: "d", response: { outcome: { outcome: "selected", optionId: "allow_once" } }, bypassAll: false };

test("an answer is taken whole, with what is to be remembered", () => {
  const remember = { scope: "user", patterns: ["shell(ls)"], expiresIn: "30m", uses: 3 };
  assert.deepEqual(fromWebview({ ...response, remember, reason: "r" }), { ...response, remember, reason: "r" });
});

test("an answer that is not whole is none", () => {
  for (const damaged of [
    { ...response, digest: undefined },
    { ...response, approvalId: 3 },
    { ...response, response: {} },
    { ...response, response: { outcome: "selected", optionId: "allow_once" } },
    { ...response, response: { outcome: { outcome: "allowed", optionId: "allow_once" } } },
    { ...response, remember: { scope: "everything" } },
    null,
    "approval-response",
  ]) {
    assert.equal(fromWebview(damaged), null);
  }
});

test("only what is exactly true bypasses", () => {
  const parsed = fromWebview({ ...response, bypassAll: "true" });
  assert.equal(parsed?.type === "approval-response" && parsed.bypassAll, false);
});

test("one damaged answer of several makes all of them none", () => {
  assert.equal(fromWebview({ type: "approval-responses", responses: [response, {}] }), null);
  assert.equal(fromWebview({ type: "approval-responses", responses: [] }), null);
});

test("a tab's id has the form that the backend takes", () => {
  assert.equal(fromWebview({ type: "tab-new", tabId: "../x" }), null);
  assert.equal(fromWebview({ type: "tab-new", tabId: "a".repeat(65) }), null);
  assert.deepEqual(fromWebview({ type: "tab-new", tabId: "a-1" }), { type: "tab-new", tabId: "a-1" });
});

test("a page takes cards as they are defined, and nothing of unknown types", () => {
  assert.equal(toWebview(card("a"))?.type, "approval-request");
  assert.equal(toWebview({ ...card("a"), type: "approval-updated" })?.type, "approval-updated");
  assert.equal(toWebview({ type: "approval-resolved", approvalId: "a", state: "granted" }), null);
  assert.equal(toWebview({ type: "run-this" }), null);
});
