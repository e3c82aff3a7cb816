// The extension as a whole: the backend's events go into the store, the store's changes to the views, and what a person
// does in a view to the backend. Nothing is decided here.

import { homedir } from "node:os";

import * as vscode from "vscode";

import type { AgentInfo, Events, Initialized } from "../api";
import { Backend, type Status } from "../backend/backend";
import { locate, usualFolders } from "../backend/locate";
import { Tail } from "../backend/tail";
import { because, isFields } from "../check";
import type { Catalog, FromWebview, Help, ToWebview } from "../messages";
import { viewOf } from "../model/changes";
import { tabOf, type State, waiting } from "../model/state";
import { Attention } from "../views/attention";
import { Panel } from "../views/panel";
import { Answers } from "./answers";
import { Compare } from "./compare";
import { own, parseSettings, reached, settings, write } from "./config";
import { confirmAuto, confirmBypass, openFile, openLink, openMachineSetting, openText } from "./dialogs";
import { History } from "./history";
import { invite } from "./pairing";
import { Permissions } from "./permissions";
import { Sessions } from "./sessions";
import { Store } from "./store";

const READY = "mayi.ready";
const WARNED = "mayi.warned-of-auto";

export class App implements vscode.Disposable {
  readonly chat: Panel;
  readonly approvals: Panel;
  readonly permissions: Panel;
  readonly history: Panel;
  readonly backend: Backend;
  private readonly store: Store;
  private readonly sessions: Sessions;
  private readonly answers: Answers;
  private readonly granted: Permissions;
  private readonly past: History;
  private readonly attention: Attention;
  private readonly compare = new Compare();
  private last: string | null = null;
  private waits: boolean | null = null;
  private focused: Panel | null = null;
  private readonly log = vscode.window.createOutputChannel("mayi");
  private tail: Tail | null = null;
  private status: Status = { state: "starting", text: "Starting mayi …" };
  private about: Initialized | null = null;
  private agents: AgentInfo[] = [];

  constructor(private readonly context: vscode.ExtensionContext) {
    const panel = (name: string, root: string): Panel => new Panel(context.extensionUri, name, root, (message, from) => void this.heard(message, from));
    this.chat = panel("chat", '<div id="mayi"></div>');
    this.approvals = panel("approvals", "");
    this.permissions = panel("permissions", "");
    this.history = panel("history", "");
    this.store = new Store(context.workspaceState);
    this.backend = this.makeBackend();
    const { call, callSoon } = this.backend;
    this.sessions = new Sessions(this.store, callSoon, (tabId, text) => this.chat.postLater({ type: "compose", tabId, text }), reached);
    this.answers = new Answers(this.store, call, {
      confirmBypass,
      open: (approvalId, problem) => this.broadcast([{ type: "approval-open", approvalId, problem }]),
    });
    this.granted = new Permissions(call, this.permissions, () => this.agents);
    this.past = new History(call, this.history, folder, openText);
    this.attention = new Attention({
      show: (entry) => void this.show(entry.card.tabId, entry.card.approvalId),
      answer: ({ card }, optionId) => void this.answers.respond({ approvalId: card.approvalId, digest: card.digest, response: { outcome: { outcome: "selected", optionId } }, bypassAll: false, remember: null, reason: null }),
      waits: ({ card }) => {
        const now = this.store.state.cards[card.approvalId];
        return now?.state === "pending" && now.card.digest === card.digest;
      },
    });
    this.store.hear((messages, before) => this.changed(messages, before));
    context.subscriptions.push(
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (["agents", "servers", "tools", "mode", "workspaces"].some((key) => event.affectsConfiguration(`mayi.${key}`))) void this.configured();
        if (event.affectsConfiguration("mayi.path") || event.affectsConfiguration("mayi.page")) void this.backend.restart();
      }),
    );
    this.count();
    void this.backend.run();
  }

  private makeBackend(): Backend {
    const { context, log } = this;
    return new Backend({
      version: String(isFields(context.extension.packageJSON) ? context.extension.packageJSON["version"] : ""),
      folder: context.globalStorageUri.fsPath,
      page: () => own("page") === true,
      program: () => {
        const setting = own("path");
        const windows = process.platform === "win32";
        return locate({
          setting: typeof setting === "string" ? setting : null,
          extension: context.extensionPath,
          path: process.env["PATH"] ?? "",
          usual: usualFolders(homedir(), windows),
          windows,
        });
      },
      settings,
      cursor: () => this.store.state.cursor,
      remembered: () => context.workspaceState.get(READY),
      remember: (ready) => void context.workspaceState.update(READY, ready),
      log: (line) => log.appendLine(`[extension] ${line}`),
      follow: (file) => this.follow(file),
      status: (status) => this.tell(status),
      connected: (about) => this.connected(about),
      batch: (batch) => this.batch(batch),
    });
  }

  /** What the views know of agents, modes and the backend. */
  private catalog(): Catalog {
    const wanted = own("defaultAgent");
    const standard = this.agents.find((agent) => agent.name === wanted) ?? this.agents.find((agent) => agent.found) ?? this.agents[0];
    return { agents: this.agents, modes: this.about?.modes ?? [], mode: this.about?.mode ?? "default", defaultAgent: standard?.name ?? "", folder: folder(), status: this.status };
  }

  private broadcast(messages: ToWebview[]): void {
    this.chat.post(...messages);
    this.approvals.post(...messages);
  }

  private tell(status: Status): void {
    this.status = status;
    if (status.state === "failed") this.log.appendLine(`[extension] ${status.text}`);
    this.broadcast([{ type: "catalog", catalog: this.catalog() }]);
    this.count();
    if (status.state !== "failed") return;
    void vscode.window.showErrorMessage(status.text.replace(/[[\]]/g, ""), "Open Settings", "Show Log").then((picked) => {
      if (picked === "Open Settings") this.help("path");
      if (picked === "Show Log") this.help("log");
    });
  }

  /** What a person can do about what does not work. */
  private help(about: Help): void {
    switch (about) {
      case "agents":
        return void vscode.commands.executeCommand("workbench.action.openSettings", "mayi.agents");
      case "path":
        return void openMachineSetting("mayi.path");
      case "log":
        return this.log.show();
      case "retry":
        return void this.backend.restart();
      case "folder":
        return void vscode.commands.executeCommand("workbench.action.files.openFolder");
    }
  }

  private follow(file: string): void {
    this.tail?.dispose();
    this.tail = new Tail(file, (text) => this.log.append(text));
  }

  private connected(about: Initialized): void {
    const kept = this.context.workspaceState.get(READY);
    if (this.tail === null && isFields(kept) && typeof kept["log"] === "string") this.follow(kept["log"]);
    this.about = about;
    this.agents = about.agents;
    for (const notice of about.notices) this.log.appendLine(`[configuration] ${notice}`);
    this.broadcast([{ type: "catalog", catalog: this.catalog() }]);
    // Chats that were opened before any agent was known.
    const { defaultAgent } = this.catalog();
    const without = this.store.state.tabs.filter((tab) => tab.agentName === "");
    this.store.apply(...without.map(({ tabId }) => ({ type: "agent-picked" as const, tabId, agentName: defaultAgent })));
    void this.granted.refresh();
  }

  private batch(batch: Events): void {
    this.store.apply(...batch.events, { type: "cursor", cursor: batch.cursor });
    for (const event of batch.events) {
      if (event.type === "snapshot") void this.caughtUp(new Set(event.waiting.map((card) => card.approvalId)));
      else if (event.type === "settings-changed") void write(parseSettings(event.editor));
      else if (event.type === "grants-changed") void this.granted.refresh();
      else if (event.type === "notice" && event.tabId === null) this.log.appendLine(`[notice] ${event.text}`);
    }
  }

  /** The backend is another one, or events are gone: what is not in its snapshot has to be asked for. */
  private async caughtUp(waits: Set<string>): Promise<void> {
    const ids = waiting(this.store.state).map((entry) => entry.card.approvalId).filter((id) => !waits.has(id));
    try {
      await this.answers.lookUp(ids);
    } catch (error) {
      this.log.appendLine(`[extension] cards could not be looked up: ${because(error)}`);
    }
    this.sessions.chosen(this.store.state.selected);
  }

  private changed(messages: ToWebview[], before: State): void {
    this.broadcast(messages);
    this.count();
    this.sessions.next();
    for (const entry of waiting(this.store.state)) {
      if (before.cards[entry.card.approvalId]?.card.digest !== entry.card.digest && !this.seen(entry.card.tabId)) this.attention.notify(entry);
    }
  }

  /** Whether a card of the tab is in front of the person. */
  private seen(tabId: string | null): boolean {
    return this.approvals.visible || (this.chat.visible && tabId !== null && this.store.state.selected === tabId);
  }

  private count(): void {
    const all = waiting(this.store.state);
    const shown = tabOf(this.store.state, this.store.state.selected);
    const inLine = this.store.state.tabs.reduce((sum, tab) => sum + tab.inLine, 0);
    this.attention?.update(all.length, inLine, shown?.bypassPermissions === true || shown?.bypassSession === true, this.status);
    this.chat.badge(all.length);
    if (this.waits !== all.length > 0) {
      this.waits = all.length > 0;
      void vscode.commands.executeCommand("setContext", "mayi.waits", this.waits);
    }
  }

  /** The settings were changed: the backend's layer of them too. */
  private async configured(): Promise<void> {
    try {
      this.agents = (await this.backend.call("settings/update", { editor: settings(), agents: {}, servers: {} })).agents;
      this.broadcast([{ type: "catalog", catalog: this.catalog() }]);
      await this.granted.refresh();
    } catch (error) {
      void vscode.window.showErrorMessage(`mayi did not take the settings: ${because(error).replace(/[[\]]/g, "")}`);
    }
  }

  private full(): ToWebview {
    const { state } = this.store;
    return {
      type: "state",
      catalog: this.catalog(),
      tabs: state.tabs.map((tab) => ({ tab: viewOf(tab), items: tab.items })),
      selected: state.selected,
      entries: Object.values(state.cards),
    };
  }

  /** Whether the person knows what Auto is: they are warned once. */
  private async warned(): Promise<boolean> {
    if (this.context.globalState.get(WARNED) === true) return true;
    const knows = await confirmAuto();
    if (knows) await this.context.globalState.update(WARNED, true);
    return knows;
  }

  private async heard(message: FromWebview, from: Panel): Promise<void> {
    const { store, sessions } = this;
    if (message.type === "focused") return this.focus(from, message.on);
    if (from === this.history) return this.past.heard(message);
    switch (message.type) {
      case "ready":
        if (from === this.permissions) return this.granted.refresh();
        from.post(this.full());
        return this.count();
      case "tab-new":
        return store.apply({ type: "tab-new", tabId: message.tabId, agentName: this.catalog().defaultAgent, cwd: folder() ?? homedir() });
      case "tab-selected":
        store.apply({ type: "tab-selected", tabId: message.tabId });
        return sessions.chosen(message.tabId);
      case "tab-closed":
        return sessions.close(message.tabId);
      case "agent":
        return store.apply({ type: "agent-picked", tabId: message.tabId, agentName: message.agentName });
      case "mode":
        if (message.mode === "auto" && !(await this.warned())) return;
        return sessions.setMode(message.tabId, message.mode);
      case "prompt":
        return sessions.prompt(message.tabId, message.text);
      case "cancel":
        return sessions.cancel(message.tabId);
      case "ask-again":
        return sessions.askAgain(message.tabId);
      case "unqueue":
        return sessions.unqueue(message.tabId, message.at);
      case "help":
        return this.help(message.with);
      case "approval-response": {
        const { type: _, ...response } = message;
        return this.answers.respond(response);
      }
      case "approval-responses":
        return this.answers.respondMany(message.responses);
      case "show-tab":
        return this.show(message.tabId, message.approvalId);
      case "open-link":
        return openLink(message.url);
      case "open-file":
        return openFile(message.path, message.line);
      case "open-change": {
        const entry = store.state.cards[message.approvalId];
        return entry === undefined ? undefined : this.compare.show(entry.card, message.at);
      }
      default:
        return this.granted.heard(message);
    }
  }

  /** Shows the card: in its chat, or among all that waits. */
  async show(tabId: string | null, approvalId: string): Promise<void> {
    const inChat = tabId !== null && tabOf(this.store.state, tabId) !== undefined;
    const panel = inChat ? this.chat : this.approvals;
    await vscode.commands.executeCommand(inChat ? "mayi.chat.focus" : "mayi.approvals.focus");
    if (inChat) this.store.apply({ type: "tab-selected", tabId });
    panel.postLater({ type: "focus", approvalId });
  }

  /** Which of the views with cards has the focus: the keys go by that. */
  private focus(view: Panel, on: boolean): void {
    if (on) this.focused = view;
    else if (this.focused === view) this.focused = null;
    const name = this.focused === this.chat ? "chat" : this.focused === this.approvals ? "approvals" : "";
    void vscode.commands.executeCommand("setContext", "mayi.focus", name);
  }

  /** Goes to what waits: the one after the last that was shown. */
  async next(): Promise<void> {
    const all = waiting(this.store.state);
    const at = all.findIndex((entry) => entry.card.approvalId === this.last);
    const entry = all[(at + 1) % Math.max(1, all.length)];
    if (entry === undefined) return void vscode.commands.executeCommand("mayi.approvals.focus");
    this.last = entry.card.approvalId;
    await this.show(entry.card.tabId, entry.card.approvalId);
  }

  /** A key answers what is in sight of the view that has the focus, or, from the palette, of the one that is open. */
  key(act: "approve" | "deny", view: unknown): void {
    const panel = view === "approvals" ? this.approvals : view === "chat" || this.chat.visible ? this.chat : this.approvals;
    panel.post({ type: "key", act });
  }

  async newChat(): Promise<void> {
    await vscode.commands.executeCommand("mayi.chat.focus");
    this.chat.postLater({ type: "new-chat" });
  }

  showLog(): void {
    this.log.show();
  }

  async pair(): Promise<void> {
    if (this.about?.ui == null) {
      const picked = await vscode.window.showInformationMessage('The page for a second screen is off. Turn on "mayi.page" to have mayi serve it.', "Open Settings");
      if (picked !== undefined) await openMachineSetting("mayi.page");
      return;
    }
    try {
      await invite(await this.backend.call("ui/pair", {}));
    } catch (error) {
      void vscode.window.showErrorMessage(`mayi: no code for pairing: ${because(error)}`);
    }
  }

  /** Keeps everything; the backend stays for the next window. */
  async close(): Promise<void> {
    this.backend.dispose();
    await this.store.flush();
  }

  dispose(): void {
    this.backend.dispose();
    this.tail?.dispose();
    this.attention.dispose();
    this.compare.dispose();
    this.log.dispose();
  }
}

function folder(): string | null {
  return vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? null;
}
