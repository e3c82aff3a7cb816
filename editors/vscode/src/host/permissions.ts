// The Permissions view's side of the extension: what is configured and granted, and changes to it.

import type { AgentInfo, Call, ServerChange } from "../api";
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

  /** Changes what is said of a server, and leaves the rest as it is. */
  private async change(server: string, change: Partial<ServerChange>): Promise<void> {
    await this.call("settings/update", { editor: null, agents: {}, servers: { [server]: { tools: {}, categories: {}, ...change } } });
  }

  async heard(message: FromWebview): Promise<void> {
    try {
      switch (message.type) {
        case "server-approval":
          await this.change(message.server, message.tool === null ? { approval: message.approval } : { tools: { [message.tool]: message.approval } });
          break;
        case "server-level":
          await this.change(message.server, { grant: message.level });
          break;
        case "server-category":
          await this.change(message.server, { categories: { [message.tool]: message.category } });
          break;
        case "server-trust":
          await this.change(message.server, { trustAnnotations: message.on });
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
