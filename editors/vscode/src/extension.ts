// Where VS Code begins and ends with this extension.

import * as vscode from "vscode";

import { App } from "./host/app";

let app: App | null = null;

export function activate(context: vscode.ExtensionContext): void {
  const made = new App(context);
  app = made;
  const keep = { webviewOptions: { retainContextWhenHidden: true } };
  const command = (name: string, act: (argument: unknown) => unknown): vscode.Disposable => vscode.commands.registerCommand(`mayi.${name}`, act);
  context.subscriptions.push(
    made,
    vscode.window.registerWebviewViewProvider("mayi.chat", made.chat, keep),
    vscode.window.registerWebviewViewProvider("mayi.approvals", made.approvals, keep),
    vscode.window.registerWebviewViewProvider("mayi.permissions", made.permissions),
    vscode.window.registerWebviewViewProvider("mayi.history", made.history),
    command("newChat", () => made.newChat()),
    command("nextWaiting", () => made.next()),
    command("approve", (view) => made.key("approve", view)),
    command("deny", (view) => made.key("deny", view)),
    command("showApprovals", () => vscode.commands.executeCommand("mayi.approvals.focus")),
    command("showPermissions", () => vscode.commands.executeCommand("mayi.permissions.focus")),
    command("showHistory", () => vscode.commands.executeCommand("mayi.history.focus")),
    command("showLog", () => made.showLog()),
    command("restart", () => made.backend.restart()),
    command("pair", () => made.pair()),
  );
}

export function deactivate(): Promise<void> | undefined {
  return app?.close();
}
