// One webview view: its page, its messages, and whether it is seen.

import { randomBytes } from "node:crypto";

import * as vscode from "vscode";

import { type FromWebview, fromWebview, type ToWebview } from "../messages";

/** A view whose page is `dist/webview/NAME.js` and `.css`. */
export class Panel implements vscode.WebviewViewProvider {
  private view: vscode.WebviewView | null = null;
  private ready = false;
  private later: ToWebview[] = [];

  constructor(
    private readonly extension: vscode.Uri,
    private readonly name: string,
    private readonly root: string,
    private readonly on: (message: FromWebview, panel: Panel) => void,
  ) {}

  get visible(): boolean {
    return this.view?.visible === true;
  }

  /** Tells the page; nothing is told to a page that is not there: it asks for everything when it is. */
  post(...messages: ToWebview[]): void {
    if (!this.ready) return;
    for (const message of messages) void this.view?.webview.postMessage(message);
  }

  /** Tells the page once it is there. */
  postLater(message: ToWebview): void {
    if (this.ready) this.post(message);
    else this.later.push(message);
  }

  badge(count: number): void {
    if (this.view !== null) this.view.badge = count === 0 ? undefined : { value: count, tooltip: `${count} waiting` };
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    this.ready = false;
    view.webview.options = { enableScripts: true, localResourceRoots: [vscode.Uri.joinPath(this.extension, "dist", "webview")] };
    view.webview.onDidReceiveMessage((value: unknown) => {
      const message = fromWebview(value);
      if (message === null) return;
      if (message.type === "ready") this.ready = true;
      this.on(message, this);
      if (message.type === "ready") this.post(...this.later.splice(0));
    });
    view.onDidDispose(() => {
      this.view = null;
      this.ready = false;
    });
    view.webview.html = this.html(view.webview);
  }

  private html(webview: vscode.Webview): string {
    const nonce = randomBytes(16).toString("base64");
    const file = (kind: string): vscode.Uri => webview.asWebviewUri(vscode.Uri.joinPath(this.extension, "dist", "webview", `${this.name}.${kind}`));
    const csp = [
      "default-src 'none'",
      `script-src 'nonce-${nonce}'`,
      // MynahUI puts its styles into the page itself.
      `style-src ${webview.cspSource} 'unsafe-inline'`,
      "font-src data:",
      "img-src data:",
    ].join("; ");
    return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${csp}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${file("css")}">
<title>mayi</title>
</head>
<body data-view="${this.name}">${this.root}<script nonce="${nonce}" src="${file("js")}"></script></body>
</html>`;
  }
}
