// Types of `mayi-client/adapters`.

import type { AnswerOptions, Card, Category, Choice } from "./index.d.ts";

/** What to call `mayi.answer` with, after the card: `mayi.answer(card, ...answer)`. */
export type Answer = [choice: Choice, more: AnswerOptions];

export interface ApprovalRequest {
  type: "approval-request";
  tabId: string;
  approvalId: string;
  agentName: string;
  toolCall: { toolCallId: string; title?: string; kind?: string; rawInput?: object };
  options: { optionId: string; name: string; kind: string }[];
}

export interface ApprovalResponse {
  type: "approval-response";
  approvalId: string;
  response: { outcome: { outcome: "selected"; optionId: string } | { outcome: "cancelled" } };
  bypassAll: boolean;
}

export interface PermissionBlock {
  type: "tool_call_permission";
  content: string;
  status: "pending" | "granted" | "denied";
  timestamp: number;
  tool_call: {
    id: string;
    name: string;
    params: string;
    server_name: string;
    server_icons: string;
    server_description: string;
  };
  extra: {
    permissionType: "read" | "write" | "all";
    permissionRequestId: string;
    serverName: string;
    toolName: string;
    needsUserAction: boolean;
    grantedPermissions?: string[];
  };
}

export interface PermissionResponse {
  toolCallId: string;
  granted: boolean;
  remember?: boolean;
}

export interface ToolApprovalRequest {
  type: "tool_approval_request";
  tool_call_id: string;
  tool_name: string;
  arguments: unknown;
  category: Category;
}

export interface ToolApprovalResponse {
  type: "tool_approval_response";
  tool_call_id: string;
  decision: "allow" | "allow_once" | "allow_for_chat" | "allow_session" | "deny";
}

/** `tabId`: the app's own; none: the card's, or its session. */
export function toApprovalRequest(card: Card & { tabId?: string | null }, more?: { tabId?: string }): ApprovalRequest;
export function fromApprovalResponse(card: Card, message: ApprovalResponse): Answer;

export function toPermissionBlock(card: Card): PermissionBlock;
export function fromPermissionResponse(card: Card, response: PermissionResponse): Answer;
/** The block as it stays in the chat. */
export function settlePermissionBlock(block: PermissionBlock, verdict: { allowed: boolean }): PermissionBlock;

export function toToolApprovalRequest(card: Card): ToolApprovalRequest;
/** Throws where the decision is not known. */
export function fromToolApprovalResponse(card: Card, message: ToolApprovalResponse): Answer;
