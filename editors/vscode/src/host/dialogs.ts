// Questions of the editor itself, and what is opened from a view.

import { isAbsolute } from "node:path";

import * as vscode from "vscode";

import { because } from "../check";
import { visible } from "../text/visible";

/** Asks once more before an agent may do everything unasked. */
export async function confirmBypass(agentName: string): Promise<boolean> {
  const yes = "Bypass Permissions";
  // The first one has the focus: it allows nothing.
  const picked = await vscode.window.showWarningMessage(
    `Let ${visible(agentName)} do everything without asking?`,
    {
      modal: true,
      detail:
        `This call is allowed, and from now on nothing that ${visible(agentName)} does is asked about, in every window. ` +
        `What a rule denies stays denied. It is written to your settings ("mayi.agents"), where it can be taken back.`,
    },
    "Keep Asking",
    yes,
  );
  return picked === yes;
}

/** Opens an address from a conversation, once the person has seen all of it. */
export async function openLink(url: string): Promise<void> {
  let address: URL;
  try {
    address = new URL(url);
  } catch {
    return;
  }
  if (address.protocol !== "https:" && address.protocol !== "http:") return;
  const yes = "Open";
  const picked = await vscode.window.showWarningMessage("Open this address from the conversation?", { modal: true, detail: address.href }, yes);
  if (picked === yes) await vscode.env.openExternal(vscode.Uri.parse(address.href, true));
}

/** Shows a file of this computer. */
export async function openFile(path: string, line: number | null): Promise<void> {
  if (!isAbsolute(path)) return;
  try {
    const at = new vscode.Position(Math.max(0, (line ?? 1) - 1), 0);
    await vscode.window.showTextDocument(vscode.Uri.file(path), { preview: true, selection: new vscode.Range(at, at) });
  } catch (error) {
    void vscode.window.showErrorMessage(`mayi: ${visible(because(error)).replace(/[[\]]/g, "")}`);
  }
}
