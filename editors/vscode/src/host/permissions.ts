// The Permissions view's side of the extension: what is configured and granted, and changes to it.

import type { AgentInfo, Grant, ServerInfo } from "../api";
import { because, type Fields, isFields, list, oneOf, text } from "../check";
import type { FromWebview } from "../messages";
import type { Panel } from "../views/panel";
import { confirmBypass } from "./dialogs";
import type { Call } from "./sessions";

const APPROVALS = ["required", "not_required", "default"] as const;

function server(one: unknown): ServerInfo[] {
  if (!isFields(one) || typeof one["name"] !== "string") return [];
  const origin: Fields = isFields(one["origin"]) ? one["origin"] : {};
  return [
    {
      name: one["name"],
      address: text(one["address"]) ?? "",
      origin: { layer: text(origin["layer"]) ?? "", file: text(origin["file"]), line: typeof origin["line"] === "number" ? origin["line"] : null },
      approval: oneOf(one["approval"], APPROVALS) ? one["approval"] : "default",
      level: oneOf(one["level"], ["none", "read", "write", "all"] as const) ? one["level"] : "none",
      changed: one["changed"] === true,
      tools: list(one["tools"]).flatMap((tool) =>
        isFields(tool) && typeof tool["name"] === "string"
          ? [
              {
                name: tool["name"],
                description: text(tool["description"]),
                approval: oneOf(tool["approval"], APPROVALS) ? tool["approval"] : ("default" as const),
                effective: tool["effective"] === "not_required" ? ("not_required" as const) : ("required" as const),
                category: text(tool["category"]),
                blocked: tool["blocked"] === true,
              },
            ]
          : [],
      ),
    },
  ];
}

function grant(one: unknown): Grant[] {
  if (!isFields(one) || typeof one["id"] !== "string") return [];
  return [
    {
      id: one["id"],
      effect: one["effect"] === "deny" ? "deny" : "allow",
      agent: text(one["agent"]) ?? "",
      scope: oneOf(one["scope"], ["session", "workspace", "user"] as const) ? one["scope"] : "session",
      session: text(one["session"]),
      workspace: text(one["workspace"]),
      what: text(one["what"]) ?? "",
      server: text(one["server"]),
      level: text(one["level"]),
      createdAt: text(one["createdAt"]) ?? "",
      expiresAt: text(one["expiresAt"]),
      usesLeft: typeof one["usesLeft"] === "number" ? one["usesLeft"] : null,
      used: typeof one["used"] === "number" ? one["used"] : 0,
    },
  ];
}

/** Fills the view, and carries out what is changed there. */
export class Permissions {
  constructor(
    private readonly call: Call,
    private readonly panel: Panel,
    private readonly agents: () => AgentInfo[],
  ) {}

  /** Shows it as it is now. */
  async refresh(problem: string | null = null): Promise<void> {
    try {
      const [servers, grants] = await Promise.all([this.call("servers/list", {}), this.call("grants/list", {})]);
      this.panel.post({ type: "permissions", servers: list(servers).flatMap(server), grants: list(grants).flatMap(grant), agents: this.agents(), problem });
    } catch (error) {
      this.panel.post({ type: "permissions", servers: [], grants: [], agents: this.agents(), problem: problem ?? because(error) });
    }
  }

  async heard(message: FromWebview): Promise<void> {
    try {
      switch (message.type) {
        case "server-approval": {
          const change = message.tool === null ? { approval: message.approval } : { tools: { [message.tool]: message.approval } };
          await this.call("settings/update", { servers: { [message.server]: change } });
          break;
        }
        case "bypass":
          if (!message.on || (await confirmBypass(message.agentName))) {
            await this.call("settings/update", { agents: { [message.agentName]: { bypassPermissions: message.on } } });
          }
          break;
        case "revoke":
          await this.call("grants/revoke", { ids: message.ids });
          break;
        case "revoke-server":
          await this.call("grants/revoke", { server: message.server });
          break;
        default:
          break;
      }
      await this.refresh();
    } catch (error) {
      await this.refresh(because(error));
    }
  }
}
