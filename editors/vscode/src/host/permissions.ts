// The Permissions view's side of the extension: what is configured and granted, and changes to it.

import type { AgentInfo, Call } from "../api";
import { because } from "../check";
import type { FromWebview } from "../messages";
import type { Panel } from "../views/panel";
import { confirmBypass } from "./dialogs";

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
      this.panel.post({ type: "permissions", servers, grants, agents: this.agents(), problem });
    } catch (error) {
      this.panel.post({ type: "permissions", servers: [], grants: [], agents: this.agents(), problem: problem ?? because(error) });
    }
  }

  async heard(message: FromWebview): Promise<void> {
    try {
      switch (message.type) {
        case "server-approval": {
          const change = message.tool === null ? { approval: message.approval, tools: {}, categories: {} } : { tools: { [message.tool]: message.approval }, categories: {} };
          await this.call("settings/update", { editor: null, agents: {}, servers: { [message.server]: change } });
          break;
        }
        case "server-level":
          await this.call("settings/update", { editor: null, agents: {}, servers: { [message.server]: { grant: message.level, tools: {}, categories: {} } } });
          break;
        case "bypass":
          if (!message.on || (await confirmBypass(message.agentName, false)) !== null) {
            await this.call("settings/update", { editor: null, agents: { [message.agentName]: { bypassPermissions: message.on } }, servers: {} });
          }
          break;
        case "revoke":
          await this.call("grants/revoke", { ids: message.ids });
          break;
        case "revoke-server":
          await this.call("grants/revoke", { ids: [], server: message.server });
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
