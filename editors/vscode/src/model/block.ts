// The shape in which an approval is kept in a conversation.

import type { State, TabCard } from "../api";
import { pictureOf } from "./content";

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
    serverName: string;
    toolName: string;
    needsUserAction: boolean;
    grantedPermissions?: string[];
  };
}

/** The block of `card`, which stands at `state`. */
export function permissionBlock(card: TabCard, state: State, granted: string[]): PermissionBlock {
  const toolName = card.server?.tool ?? card.toolCall.name ?? card.toolCall.kind;
  return {
    type: "tool_call_permission",
    content: card.server ? `Run ${card.server.tool} from ${card.server.name}` : card.toolCall.title,
    status: state === "pending" ? "pending" : state === "approved" ? "granted" : "denied",
    timestamp: Date.parse(card.createdAt) || 0,
    tool_call: {
      id: card.toolCall.toolCallId ?? "",
      name: toolName,
      params: JSON.stringify(card.toolCall.rawInput ?? null),
      server_name: card.server?.name ?? "",
      server_icons: pictureOf(card.server?.icons) ?? "",
      server_description: card.server?.description ?? "",
    },
    extra: {
      permissionType: card.permissionType,
      serverName: card.server?.name ?? "",
      toolName,
      needsUserAction: state === "pending",
      ...(granted.length > 0 ? { grantedPermissions: granted } : {}),
    },
  };
}
