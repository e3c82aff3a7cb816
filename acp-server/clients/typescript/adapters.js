// @ts-check
// Cards of mayi as the messages that some chat apps have already, and the answers of those apps back. Pure functions: they
// neither send nor keep anything.
//
// None of these messages can show a pattern, so what needs one (`allow_always`) is not offered in them.

/** @typedef {import("./index.d.ts").Card} Card */
/** @typedef {import("./adapters.d.ts").Answer} Answer */

/** mayi's words for what a call does that ACP, whose words these messages take, has another one for. */
const ACP_KINDS = new Map(Object.entries({ shell: "execute", write: "edit", create: "edit", mcp: "other", tool: "other" }));

const STRICTNESS = ["read", "write", "execute", "external"];

/**
 * @param {Card & { tabId?: string | null }} card
 * @param {{ tabId?: string }} [more]
 * @returns {import("./adapters.d.ts").ApprovalRequest}
 */
export function toApprovalRequest(card, { tabId } = {}) {
  const { toolCallId, kind, rawInput } = card.toolCall;
  return {
    type: "approval-request",
    tabId: tabId ?? card.tabId ?? card.sessionId,
    approvalId: card.approvalId,
    agentName: card.agentName,
    toolCall: {
      toolCallId: toolCallId ?? card.approvalId,
      title: titleOf(card),
      kind: ACP_KINDS.get(kind) ?? kind,
      ...(typeof rawInput === "object" && rawInput !== null ? { rawInput } : {}),
    },
    options: offered(card).map(({ optionId, name, kind }) => ({ optionId, name, kind })),
  };
}

/**
 * @param {Card} card
 * @param {import("./adapters.d.ts").ApprovalResponse} message
 * @returns {Answer}
 */
export function fromApprovalResponse(card, message) {
  requireSame(card.approvalId, message.approvalId);
  const { outcome } = message.response;
  // mayi takes a bypass from a surface that has asked the person twice: an app that has not leaves it out.
  const more = message.bypassAll ? { bypassAll: true } : {};
  return [outcome.outcome === "selected" ? outcome.optionId : outcome, more];
}

/**
 * @param {Card} card
 * @returns {import("./adapters.d.ts").PermissionBlock}
 */
export function toPermissionBlock(card) {
  const icon = /** @type {{ src?: unknown } | undefined} */ (card.server?.icons?.[0])?.src;
  const server = card.server?.name ?? "";
  const tool = toolOf(card);
  return {
    type: "tool_call_permission",
    content: titleOf(card),
    status: "pending",
    timestamp: Date.parse(card.createdAt),
    tool_call: {
      id: card.toolCall.toolCallId ?? card.approvalId,
      name: tool,
      params: JSON.stringify(argumentsOf(card)),
      server_name: server,
      server_icons: typeof icon === "string" ? icon : "",
      server_description: card.server?.description ?? "",
    },
    extra: {
      permissionType: card.permissionType,
      permissionRequestId: card.approvalId,
      serverName: server,
      toolName: tool,
      needsUserAction: true,
    },
  };
}

/**
 * @param {Card} card
 * @param {import("./adapters.d.ts").PermissionResponse} response
 * @returns {Answer}
 */
export function fromPermissionResponse(card, { toolCallId, granted, remember = false }) {
  requireSame(card.toolCall.toolCallId ?? card.approvalId, toolCallId);
  if (!granted) return ["deny", {}];
  // "Remember" is for this chat: for longer, a person says what exactly, and this message can't.
  return [remember ? forChat(card) : "allow_once", {}];
}

/**
 * @param {import("./adapters.d.ts").PermissionBlock} block
 * @param {{ allowed: boolean }} verdict
 * @returns {import("./adapters.d.ts").PermissionBlock}
 */
export function settlePermissionBlock(block, verdict) {
  const { grantedPermissions: _, ...extra } = block.extra;
  const settled = { ...extra, needsUserAction: false };
  if (!verdict.allowed) return { ...block, status: "denied", extra: settled };
  return { ...block, status: "granted", extra: { ...settled, grantedPermissions: [extra.permissionType] } };
}

/**
 * @param {Card} card
 * @returns {import("./adapters.d.ts").ToolApprovalRequest}
 */
export function toToolApprovalRequest(card) {
  // What is not understood is as strict as it gets.
  const ranks = card.accesses.map(({ category }) => STRICTNESS.indexOf(category ?? "external"));
  return {
    type: "tool_approval_request",
    tool_call_id: card.toolCall.toolCallId ?? card.approvalId,
    tool_name: toolOf(card),
    arguments: argumentsOf(card),
    category: /** @type {any} */ (STRICTNESS[Math.max(...ranks)] ?? "external"),
  };
}

/**
 * @param {Card} card
 * @param {import("./adapters.d.ts").ToolApprovalResponse} message
 * @returns {Answer}
 */
export function fromToolApprovalResponse(card, { tool_call_id, decision }) {
  requireSame(card.toolCall.toolCallId ?? card.approvalId, tool_call_id);
  switch (decision) {
    case "allow":
    case "allow_once":
      return ["allow_once", {}];
    case "allow_for_chat":
    case "allow_session":
      return [forChat(card), {}];
    case "deny":
      return ["deny", {}];
    default:
      // A word that is not known must never become a yes.
      throw new TypeError(`the decision ${JSON.stringify(decision)} is not known`);
  }
}

/** @param {Card} card */
function offered(card) {
  return card.options.filter((option) => option.scope !== "user" && option.scope !== "workspace");
}

/**
 * Some calls can't be allowed for longer than once.
 * @param {Card} card
 */
function forChat(card) {
  return card.options.some((option) => option.optionId === "allow_session") ? "allow_session" : "allow_once";
}

/** @param {Card} card */
function titleOf(card) {
  return card.toolCall.title || card.accesses.map(({ access, display }) => `${access}: ${display}`).join(", ");
}

/** @param {Card} card */
function toolOf(card) {
  return card.server?.tool ?? card.toolCall.name ?? card.toolCall.kind;
}

/**
 * The arguments of the tool itself: a `mcp` or `tool` call without `input` has them inside.
 * @param {Card} card
 * @returns {unknown}
 */
function argumentsOf(card) {
  const input = /** @type {any} */ (card.toolCall.rawInput);
  const wrapped = typeof input === "object" && input !== null && typeof input.tool === "string" && "arguments" in input;
  const known = wrapped && Object.keys(input).every((key) => ["server", "tool", "arguments"].includes(key));
  return known ? input.arguments : input;
}

/**
 * @param {string} asked
 * @param {string} answered
 */
function requireSame(asked, answered) {
  if (asked !== answered) throw new TypeError(`this answer is to ${answered}, and not to ${asked}`);
}
