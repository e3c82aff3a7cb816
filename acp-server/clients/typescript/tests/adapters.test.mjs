import assert from "node:assert/strict";
import { test } from "node:test";

import * as adapters from "mayi-client/adapters";

import { make, scene } from "./scene.mjs";

const find = { kind: "mcp", server: "crm", tool: "find", arguments: { name: "Ada" } };

/** Asks, answers as the app's message says, and gives the card with the verdict. */
async function through(t, call, answerOf, more = {}) {
  const { mayi, chat } = await scene(t);
  let card;
  const onCard = (shown) => {
    card = shown;
    return mayi.answer(card, ...answerOf(card));
  };
  const verdict = await chat.ask("call-1", call, { ...more, onCard });
  return { card, verdict, grants: await chat.grants() };
}

test("A card is an approval-request, and its approval-response an answer", async (t) => {
  const answerOf = (card) => {
    const { options, ...request } = adapters.toApprovalRequest(card, { tabId: "tab-7" });
    assert.deepEqual(request, {
      type: "approval-request",
      tabId: "tab-7",
      approvalId: card.approvalId,
      agentName: "host:app",
      toolCall: { toolCallId: "call-1", title: "Build", kind: "execute", rawInput: { command: "make" } },
    });
    assert.deepEqual(options.map((option) => option.optionId), ["allow_once", "allow_session", "deny"]);
    assert.deepEqual(Object.keys(options[0]), ["optionId", "name", "kind"]);
    const response = { outcome: { outcome: "selected", optionId: "allow_session" } };
    return adapters.fromApprovalResponse(card, { type: "approval-response", approvalId: card.approvalId, response, bypassAll: false });
  };
  const { card, verdict, grants } = await through(t, make, answerOf, { title: "Build", input: { command: "make" } });
  assert.equal(verdict.allowed, true);
  assert.equal(grants.some((grant) => grant.what === "shell(make)"), true);
  const other = { type: "approval-response", approvalId: "another", response: { outcome: { outcome: "cancelled" } }, bypassAll: false };
  assert.throws(() => adapters.fromApprovalResponse(card, other), TypeError);
});

test("An approval-response can stop the turn, or bypass the agent", async (t) => {
  const response = { outcome: { outcome: "cancelled" } };
  const answerOf = (card) => adapters.fromApprovalResponse(card, { type: "approval-response", approvalId: card.approvalId, response, bypassAll: false });
  const { card, verdict } = await through(t, make, answerOf);
  assert.equal(verdict.outcome, "cancelled");
  const all = { outcome: { outcome: "selected", optionId: "allow_once" } };
  const bypass = { type: "approval-response", approvalId: card.approvalId, response: all, bypassAll: true };
  assert.deepEqual(adapters.fromApprovalResponse(card, bypass), ["allow_once", { bypassAll: true }]);
});

test("A card is a permission block, which settles in its place", async (t) => {
  let block;
  const answerOf = (card) => {
    block = adapters.toPermissionBlock(card);
    assert.deepEqual(block, {
      type: "tool_call_permission",
      content: "mcp: crm/find",
      status: "pending",
      timestamp: Date.parse(card.createdAt),
      tool_call: { id: "call-1", name: "find", params: '{"name":"Ada"}', server_name: "crm", server_icons: "", server_description: "" },
      extra: { permissionType: "all", permissionRequestId: card.approvalId, serverName: "crm", toolName: "find", needsUserAction: true },
    });
    assert.deepEqual(adapters.fromPermissionResponse(card, { toolCallId: "call-1", granted: false }), ["deny", {}]);
    assert.deepEqual(adapters.fromPermissionResponse(card, { toolCallId: "call-1", granted: true }), ["allow_once", {}]);
    return adapters.fromPermissionResponse(card, { toolCallId: "call-1", granted: true, remember: true });
  };
  const { verdict, grants } = await through(t, find, answerOf);
  assert.equal(grants.some((grant) => grant.what === "mcp(crm/find)"), true);
  const granted = adapters.settlePermissionBlock(block, verdict);
  assert.deepEqual([granted.status, granted.extra.needsUserAction, granted.extra.grantedPermissions], ["granted", false, ["all"]]);
  const denied = adapters.settlePermissionBlock(block, { allowed: false });
  assert.deepEqual([denied.status, denied.extra.needsUserAction, "grantedPermissions" in denied.extra], ["denied", false, false]);
  assert.equal(block.status, "pending");
});

test("A card is a tool_approval_request, and only words that are known allow", async (t) => {
  const answerOf = (card) => {
    assert.deepEqual(adapters.toToolApprovalRequest(card), {
      type: "tool_approval_request",
      tool_call_id: "call-1",
      tool_name: "find",
      arguments: { name: "Ada" },
      category: "external",
    });
    const answer = (decision) => adapters.fromToolApprovalResponse(card, { type: "tool_approval_response", tool_call_id: "call-1", decision });
    assert.deepEqual(answer("allow"), ["allow_once", {}]);
    assert.deepEqual(answer("allow_for_chat"), ["allow_session", {}]);
    for (const word of ["", "yes", "Allow", undefined, "__proto__"]) assert.throws(() => answer(word), TypeError);
    return answer("deny");
  };
  const { verdict } = await through(t, find, answerOf);
  assert.equal(verdict.outcome, "denied");
});
