// What calls a person: the number in the status bar, and a notification for each card that no view shows. It names what is
// asked, and answers it where one look is enough to see all of it (D6.33).

import * as vscode from "vscode";

import type { Status } from "../backend/backend";
import type { Entry } from "../model/state";
import { notice, TOO_SOON } from "../model/notice";

/** So many notifications wait for an answer at once; one more says how many there are besides. */
const OPEN = 8;

/** What a notification's buttons do. */
export interface Notified {
  show(entry: Entry): void;
  answer(entry: Entry, optionId: "allow_once" | "deny"): void;
  /** Whether it waits still, as it was shown. */
  waits(entry: Entry): boolean;
}

/** The status bar item and the notifications. */
export class Attention implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("mayi.waiting", vscode.StatusBarAlignment.Left, 10);
  private readonly told = new Set<string>();
  private open = 0;
  private more = false;

  constructor(private readonly on: Notified) {
    this.item.name = "mayi";
    this.item.command = "mayi.nextWaiting";
  }

  /** The number waiting, those in line behind them, whether a bypass holds in the chat that is shown, and how the backend is. */
  update(waiting: number, inLine: number, bypassed: boolean, status: Status): void {
    const down = status.state !== "connected";
    const many = waiting === 0 ? "" : `: ${waiting} waiting${inLine > 0 ? `, ${inLine} in line` : ""}`;
    this.item.text = `${down ? "$(shield)$(debug-disconnect)" : bypassed ? "$(unlock)" : "$(shield)"} mayi${bypassed && waiting === 0 ? ": bypass" : many}`;
    const calls = `${waiting} tool ${waiting === 1 ? "call waits" : "calls wait"} for an answer`;
    this.item.tooltip = down ? status.text : waiting > 0 ? calls : bypassed ? "The agent of this chat acts without asking" : "Nothing waits for an answer";
    this.item.accessibilityInformation = { label: `mayi, ${waiting} waiting${bypassed ? ", bypass is on" : ""}`, role: "button" };
    this.item.backgroundColor = waiting > 0 ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    this.item.show();
  }

  /** A card waits that no view shows. */
  notify(entry: Entry): void {
    const { approvalId, digest } = entry.card;
    const key = `${approvalId} ${digest}`;
    if (this.told.has(key)) return;
    this.told.add(key);
    if (this.open >= OPEN) return this.besides(entry);
    this.ask(entry);
  }

  private ask(entry: Entry): void {
    const { text, allows } = notice(entry.card);
    const since = Date.now();
    this.open++;
    const buttons = allows ? ["Show", "Allow once", "Deny"] : ["Show", "Deny"];
    void vscode.window.showWarningMessage(text, ...buttons).then((picked) => {
      this.open--;
      if (picked === undefined || !this.on.waits(entry)) return;
      if (picked === "Show") return this.on.show(entry);
      // What was pressed at once was meant for something else: it is shown again.
      if (Date.now() - since < TOO_SOON) return this.ask(entry);
      this.on.answer(entry, picked === "Deny" ? "deny" : "allow_once");
    });
  }

  private besides(entry: Entry): void {
    if (this.more) return;
    this.more = true;
    void vscode.window.showWarningMessage("mayi: more calls wait for your answer.", "Show").then((picked) => {
      this.more = false;
      if (picked === "Show") this.on.show(entry);
    });
  }

  dispose(): void {
    this.item.dispose();
  }
}
