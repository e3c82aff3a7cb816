// What calls a person: the number in the status bar, and a notification where no view shows the card.

import * as vscode from "vscode";

import type { Status } from "../backend/backend";
import type { Entry } from "../model/state";
import { wants } from "../webview/card/words";

/** A name in a notification: VS Code would make links of brackets. */
function plain(name: string): string {
  return name.replace(/[^A-Za-z0-9._ -]/g, "?");
}

/** The status bar item and the notifications. */
export class Attention implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("mayi.waiting", vscode.StatusBarAlignment.Left, 10);
  private readonly told = new Set<string>();
  private open = false;

  constructor(private readonly show: (entry: Entry) => void) {
    this.item.name = "mayi";
    this.item.command = "mayi.showApprovals";
  }

  /** The number waiting, and how the backend is. */
  update(waiting: number, status: Status): void {
    const down = status.state !== "connected";
    this.item.text = `${down ? "$(shield)$(debug-disconnect)" : "$(shield)"} mayi${waiting === 0 ? "" : `: ${waiting} waiting`}`;
    this.item.tooltip = down ? status.text : waiting === 0 ? "Nothing waits for an answer" : `${waiting} tool ${waiting === 1 ? "call waits" : "calls wait"} for an answer`;
    this.item.accessibilityInformation = { label: `mayi, ${waiting} waiting`, role: "button" };
    this.item.backgroundColor = waiting > 0 ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    this.item.show();
  }

  /** A card waits that no view shows. One notification at a time: it stands for all of them. */
  notify(entry: Entry): void {
    const { card } = entry;
    if (this.open || this.told.has(card.approvalId)) return;
    this.told.add(card.approvalId);
    this.open = true;
    const what = card.server === null ? `${plain(card.agentName)} asks ${wants(card)}` : `${plain(card.agentName)} asks to run a tool of ${plain(card.server.name)}`;
    void vscode.window.showWarningMessage(`mayi: ${what}. It waits for your answer.`, "Show").then((picked) => {
      this.open = false;
      if (picked === "Show") this.show(entry);
    });
  }

  dispose(): void {
    this.item.dispose();
  }
}
