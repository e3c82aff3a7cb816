import assert from "node:assert/strict";
import { test } from "node:test";

import type { Event } from "../src/api";
import { alike } from "../src/model/alike";
import { changes } from "../src/model/changes";
import { contentOf } from "../src/model/content";
import { parseBatch, parseCard } from "../src/model/parse";
import { keep, restore } from "../src/model/persist";
import { type Local, reduce } from "../src/model/reduce";
import { EMPTY, type State, tabOf, waiting } from "../src/model/state";
import { card, session } from "./values";

function after(...events: (Event | Local)[]): State {
  return [{ type: "tab-new" as const, tabId: "t1", agentName: "demo", cwd: "/w" }, { type: "session-changed" as const, session: session() }, ...events].reduce<State>(reduce, EMPTY);
}

function update(fields: Record<string, unknown>): Event {
  return { type: "session-update", tabId: "t1", sessionId: "s1", update: fields };
}

const says = (text: string): Event => update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
const tool = (id: string): Event => update({ sessionUpdate: "tool_call", toolCallId: id, title: `Tool ${id}`, kind: "execute", status: "pending" });
const kinds = (state: State): string[] => state.tabs[0]?.items.map((item) => `${item.kind}:${item.kind === "tool" ? item.toolCallId : item.kind === "approval" ? item.id : ""}`) ?? [];
const resolved = (id: string, state: "approved" | "denied", by = "page"): Event => ({ type: "approval-resolved", approvalId: id, tabId: "t1", state, by, at: "2026-01-01T00:00:01Z", reason: null, grantedPermissions: [] });

test("pieces of an answer become one message, and a tool call begins another", () => {
  const state = after(says("a"), says("b"), tool("c1"), says("c"));
  assert.deepEqual(kinds(state), ["agent:", "tool:c1", "agent:"]);
  assert.equal(state.tabs[0]?.items[0]?.kind === "agent" && state.tabs[0].items[0].text, "ab");
});

test("a card stands right after its own tool call, and cards of one call in the order they came", () => {
  const state = after(tool("c1"), tool("c2"), card("a2", { toolCall: { ...card("x").toolCall, toolCallId: "c2" } }), card("a1"), card("a3"));
  assert.deepEqual(kinds(state), ["tool:c1", "approval:a1", "approval:a3", "tool:c2", "approval:a2"]);
});

test("a card of the gateway stands in the item of the agent's call that it is about", () => {
  const call = (id: string, title: string, rawInput: unknown, status = "in_progress"): Event => update({ sessionUpdate: "tool_call", toolCallId: id, title, kind: "other", status, rawInput });
  const gateway = (id: string): Event => {
    const asked = card(id);
    return { ...asked, toolCall: { ...asked.toolCall, toolCallId: null, rawInput: { path: "a", n: 1 } }, server: { name: "fs", tool: "write_file", icons: [] } };
  };
  const state = after(
    call("over", "fs_write_file", { path: "a", n: 1 }, "completed"), call("other", "fs_read_file", { path: "a", n: 1 }), call("c1", "fs_write_file", { n: 1, path: "a" }),
    call("c2", "call", { server: "fs", tool: "write_file", arguments: { path: "a", n: 1 } }), call("c3", "fs_write_file", { path: "b" }), gateway("a1"), gateway("a2"), gateway("a3"),
  );
  assert.deepEqual(kinds(state), ["tool:over", "tool:other", "tool:c1", "approval:a1", "tool:c2", "approval:a2", "tool:c3", "approval:a3"]);
  assert.deepEqual(state.tabs[0]?.items.flatMap((item) => (item.kind === "approval" ? [item.toolCallId] : [])), ["c1", "c2", null]);
});

test("a card settles in place, and an old event does not open it again", () => {
  const state = after(card("a1"), resolved("a1", "denied"), card("a1"), { ...card("a1", { digest: "other" }), type: "approval-updated" });
  assert.equal(state.cards["a1"]?.state, "denied");
  assert.equal(state.cards["a1"]?.by, "page");
  assert.deepEqual(kinds(state), ["approval:a1"]);
});

test("a settled card is kept as a tool_call_permission block", () => {
  const state = after(card("a1", { server: { name: "github", tool: "create_issue" } }), { ...resolved("a1", "approved"), grantedPermissions: ["mcp(github/*)"] } as Event);
  assert.deepEqual(state.cards["a1"]?.block, {
    type: "tool_call_permission",
    content: "Run create_issue from github",
    status: "granted",
    timestamp: Date.parse("2026-01-01T00:00:00Z"),
    tool_call: { id: "c1", name: "create_issue", params: '{"command":"ls"}', server_name: "github", server_icons: "", server_description: "" },
    extra: { permissionType: "all", serverName: "github", toolName: "create_issue", needsUserAction: false, grantedPermissions: ["mcp(github/*)"] },
  });
});

test("updates of unknown kinds, and events of unknown types, change nothing", () => {
  const before = after();
  assert.equal(reduce(before, update({ sessionUpdate: "brand_new", x: 1 })), before);
  assert.deepEqual(parseBatch({ cursor: { instance: "i", seq: 3 }, events: [{ type: "brand-new" }, { type: "prompt" }] })?.events, []);
});

test("a batch with one damaged event keeps the others", () => {
  const batch = parseBatch({ cursor: { instance: "i", seq: 3 }, events: [{ type: "session-update" }, { type: "grants-changed" }] });
  assert.deepEqual(batch?.events, [{ type: "grants-changed" }]);
});

test("a card without a digest is no card: it could not be answered", () => {
  assert.equal(parseCard({ ...card("a1"), digest: undefined }), null);
});

test("content of an unknown shape is shown as it came, not left out", () => {
  assert.deepEqual(contentOf([{ type: "video", src: "x" }]), [{ type: "text", text: '{"type":"video","src":"x"}' }]);
});

test("a plan is replaced within a turn, and begun anew in the next", () => {
  const plan = (content: string): Event => update({ sessionUpdate: "plan", entries: [{ content, priority: "high", status: "pending" }] });
  const state = after({ type: "prompt", tabId: "t1", turn: 1, text: "p" }, plan("a"), plan("b"), { type: "prompt", tabId: "t1", turn: 2, text: "q" }, plan("c"));
  assert.deepEqual(kinds(state), ["prompt:", "plan:", "prompt:", "plan:"]);
});

test("a prompt that was shown at once is not shown a second time when the backend tells of it", () => {
  const state = after({ type: "asked", tabId: "t1", text: "p" }, { type: "prompt", tabId: "t1", turn: 1, text: "p" });
  assert.deepEqual(kinds(state), ["prompt:"]);
});

test("another backend: tabs it does not have are lost, and what waits is what it says", () => {
  const state = after(card("a1"), { type: "snapshot", sessions: [], waiting: [card("b1", { tabId: null })], inLine: 0, lost: false });
  assert.equal(tabOf(state, "t1")?.state, "lost");
  assert.deepEqual(waiting(state).map((entry) => entry.card.approvalId).sort(), ["a1", "b1"]);
  const looked = reduce(state, { type: "entries", entries: [{ card: card("a1"), state: "cancelled", by: "turn", at: null, reason: "the backend ended" }] });
  assert.equal(looked.cards["a1"]?.state, "cancelled");
  assert.equal(looked.cards["a1"]?.reason, "the backend ended");
});

test("a card that no store knows is cancelled, and never approved", () => {
  const state = after(card("a1"), { type: "cards-unknown", ids: ["a1"] });
  assert.equal(state.cards["a1"]?.state, "cancelled");
});

test("a tab that is opened again does not show twice what its agent repeats", () => {
  const state = after(says("a"), { type: "opening", tabId: "t1" }, { type: "session-changed", session: session({ state: "starting" }) }, says("a"), { type: "session-changed", session: session({ resumed: true }) }, says("b"));
  const items = state.tabs[0]?.items ?? [];
  assert.equal(items.length, 1);
  assert.equal(items[0]?.kind === "agent" && items[0].text, "ab");
});

test("a call that was denied without asking is told, even where no tool call is shown", () => {
  const decided = (effect: "allow" | "ask" | "deny"): Event => ({ type: "decided", tabId: "t1", sessionId: "s1", toolCallId: null, title: "rm", effect, by: null, why: [{ effect, access: "", source: "rule", reason: "no", always: false }] });
  assert.deepEqual(kinds(after(decided("allow"), decided("ask"))), []);
  assert.deepEqual(kinds(after(decided("deny"))), ["notice:"]);
});

// D7.9: what is said of a call that ran without asking is never an effect.
test("a call that ran without asking is told as that at its tool call, in every mode, and never as allowed or denied", () => {
  const unasked = (policy: "ask" | "deny", toolCallId = "c1"): Event => ({
    type: "unasked", tabId: "t1", sessionId: "s1", toolCallId, title: "Write w.txt", policy, why: [{ effect: policy, access: "", source: "matrix", reason: "write in default mode", always: false }], failed: false,
  });
  for (const policy of ["ask", "deny"] as const) {
    const item = tabOf(after(tool("c1"), unasked(policy)), "t1")?.items.find((one) => one.kind === "tool");
    assert.ok(item?.kind === "tool" && item.decided === null && item.unasked?.policy === policy);
    const done = tabOf(after(tool("c1"), unasked(policy), tool("c1")), "t1")?.items.find((one) => one.kind === "tool");
    assert.ok(done?.kind === "tool" && done.unasked?.policy === policy, "what comes of the call later leaves it");
    const told = tabOf(after(unasked(policy, "c9")), "t1")?.items.at(-1);
    assert.ok(told?.kind === "notice" && told.bad && told.text.startsWith("Ran without asking, though the policy "), JSON.stringify(told));
    assert.ok(!/allowed|denied/i.test(told.text), told.text);
  }
});

test("what is kept over a reload is what was there", () => {
  const state = after(says("a"), tool("c1"), card("a1"), card("a2"), resolved("a2", "approved"), { type: "cursor", cursor: { instance: "i", seq: 9 } });
  assert.deepEqual(restore(JSON.parse(JSON.stringify(keep(state)))), { ...state, untouched: true, tabs: state.tabs.map((tab) => ({ ...tab })) });
});

test("what is kept is bounded, says so, and never drops what waits", () => {
  let state = after(card("a1"));
  for (let i = 0; i < 1000; i++) state = reduce(state, { type: "notice", tabId: "t1", text: `${i}` });
  const items = restore(JSON.parse(JSON.stringify(keep(state)))).tabs[0]?.items ?? [];
  assert.ok(items.length < 400);
  assert.ok(items[0]?.kind === "notice" && items[0].text.includes("not kept"));
  assert.ok(items.some((item) => item.kind === "approval" && item.id === "a1"));
});

test("a tab that was made too late to be kept comes back with what its backend tells of it, in front", () => {
  const kept = restore(JSON.parse(JSON.stringify(keep(reduce(EMPTY, { type: "tab-new", tabId: "t0", agentName: "demo", cwd: "/w" })))));
  const told: (Event | Local)[] = [{ type: "session-changed", session: session() }, { type: "prompt", tabId: "t1", turn: 1, text: "p" }, card("a1")];
  const state = told.reduce<State>(reduce, kept);
  assert.deepEqual([state.tabs.map((tab) => tab.tabId), state.selected], [["t0", "t1"], "t1"]);
  assert.deepEqual(tabOf(state, "t1")?.items.map((item) => item.kind), ["prompt", "approval"]);
  const anew = reduce(kept, { type: "snapshot", sessions: [session()], waiting: [card("a1")], inLine: 0, lost: false });
  assert.deepEqual(tabOf(anew, "t1")?.items.map((item) => item.kind), ["notice", "approval"]);
});

test("a session of another window gets a tab, and does not take the front of who is at work here", () => {
  const state = reduce(reduce(EMPTY, { type: "tab-new", tabId: "t0", agentName: "demo", cwd: "/w" }), { type: "session-changed", session: session() });
  assert.deepEqual([state.tabs.map((tab) => tab.tabId), state.selected], [["t0", "t1"], "t0"]);
});

test("a tab that was closed does not come back with what is still told of its session, nor does one that ended", () => {
  const closed = after({ type: "tab-closed", tabId: "t1" });
  const kept = restore(JSON.parse(JSON.stringify(keep(closed))));
  for (const state of [closed, kept]) {
    assert.deepEqual(reduce(state, { type: "session-changed", session: session() }).tabs, []);
    assert.deepEqual(reduce(state, { type: "snapshot", sessions: [session()], waiting: [], inLine: 0, lost: false }).tabs, []);
  }
  assert.deepEqual(reduce(EMPTY, { type: "session-changed", session: { ...session(), state: "ended" } }).tabs, []);
});

test("a damaged store is an empty one", () => {
  assert.deepEqual(restore({ v: 1, tabs: "x", cards: [{ card: 1 }], closed: 3 }), { ...EMPTY, untouched: true });
  assert.deepEqual(restore(undefined), EMPTY);
});

test("a webview is told of more text by the text alone, and of cards before their place", () => {
  const before = after(says("a"));
  assert.deepEqual(changes(before, reduce(before, says("b"))), [{ type: "append", tabId: "t1", itemId: "t1-1", text: "b" }]);
  const asked = changes(before, reduce(before, card("a1"))).map((message) => message.type);
  assert.deepEqual(asked, ["approval-request", "item"]);
  const pending = reduce(before, card("a1"));
  assert.deepEqual(changes(pending, reduce(pending, resolved("a1", "approved"))).map((message) => message.type), ["approval-resolved"]);
});

test("only cards of the same key may be answered together, and a card without one never", () => {
  const cards = [card("a", { alike: "k" }), card("b", { alike: "k" }), card("c", { alike: "l" }), card("d"), card("e")];
  assert.deepEqual(alike(cards[0]!, cards).map((one) => one.approvalId), ["a", "b"]);
  assert.deepEqual(alike(cards[2]!, cards), []);
  assert.deepEqual(alike(cards[3]!, cards), []);
});
