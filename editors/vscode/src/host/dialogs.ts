// Questions of the editor itself, and what is opened from a view.

import { isAbsolute } from "node:path";

import * as vscode from "vscode";

import { because } from "../check";
import { visible } from "../text/visible";

/** What a bypass does not cover. */
const STILL =
  "Still asked: what your rules ask about, what is protected (start-up files, hooks, keys, mayi's own files, what lies outside of its folders), " +
  "and lines that can't be understood. What is denied stays denied.";

/** Asks once more before an agent is bypassed: for how long, or null where it is not. `session`: there is one to bypass it for. */
export async function confirmBypass(agentName: string, session: boolean): Promise<"session" | "good" | null> {
  const name = visible(agentName);
  const [once, good] = ["For This Session", session ? "For Good" : "Bypass Permissions"];
  const call = session ? "This call is allowed, and from now on " : "From now on ";
  const written = `It is written to your settings ("mayi.agents"), where it can be taken back.`;
  // The first one has the focus: it allows nothing.
  const picked = await vscode.window.showWarningMessage(
    `Let ${name} act without asking?`,
    {
      modal: true,
      detail: session
        ? `${call}${name} is not asked about: in this session, until it ends, or for good, in every window.\n\n${STILL}\n\nFor good: ${written}`
        : `${call}${name} is not asked about, in every window. ${STILL}\n\n${written}`,
    },
    "Keep Asking",
    ...(session ? [once] : []),
    good,
  );
  if (picked === once) return "session";
  return picked === good ? "good" : null;
}

/** Warns before an agent acts without asking: once, since it is said on the mode too. */
export async function confirmAuto(): Promise<boolean> {
  const yes = "Use Auto";
  const picked = await vscode.window.showWarningMessage(
    "Auto is dangerous: it asks only where a rule or protection says so, and before what destroys elsewhere.",
    {
      modal: true,
      detail:
        "It writes files, runs commands and calls tools. Only what is protected, and what your rules ask about, is still asked about; " +
        "what they deny stays denied. Everything is recorded. You are not warned again.",
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

/** Shows a configuration as a new file: whoever wants it saves it. */
export async function openText(text: string): Promise<void> {
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language: "toml", content: text }));
}

/**
 * Shows a setting of the machine's scope. Where the editor runs on another machine than its window, it stands under "Remote"
 * alone, and the user's own settings would say that there is none.
 */
export async function openMachineSetting(name: string): Promise<void> {
  const remote = vscode.env.remoteName !== undefined;
  await vscode.commands.executeCommand(remote ? "workbench.action.openRemoteSettings" : "workbench.action.openSettings", { query: name });
}
