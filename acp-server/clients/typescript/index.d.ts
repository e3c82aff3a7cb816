// Types of `mayi-client`. The shapes of the API itself are generated from mayi's.

import type { Answered, Card, Category, GrantInfo, HostDiff, HostOutcome, HostSession, HostTool, HostToolInfo, Mode, Remember, Revoked, TabCard } from "./api.generated.ts";

export type { Answered, Card, Category, GrantInfo, HostDiff, HostOutcome, HostSession, HostTool, HostToolInfo, Mode, Remember, Revoked, TabCard };

/** What one tool call would do, in the words of `mayi check --stdin`. */
export type Action =
  | { kind: "shell"; command: string | string[]; shell?: string; cwd?: string }
  | { kind: "read" | "write" | "create" | "edit" | "delete" | "move"; path: string; cwd?: string }
  | { kind: "fetch"; url: string }
  | { kind: "mcp"; server: string; tool: string; arguments?: unknown }
  | { kind: "tool"; tool: string; arguments?: unknown };

export interface StartOptions {
  /** The program. None: `MAYI_BIN` of the environment, else `mayi`. */
  command?: string;
  /** Further options of `mayi serve`. */
  args?: string[];
  /** The environment of the backend. None: that of this process. */
  env?: Record<string, string | undefined>;
  /** The folder that the backend runs in. None: that of this process. */
  serveCwd?: string;
  /** The backend ends after so long without a request, and is started again when it is needed. Default: `1m`. */
  idle?: string;
  /** Where the backend's messages go. Default: `ignore`. */
  stderr?: "inherit" | "ignore";
}

export interface ConnectOptions {
  url: string;
  /** What is in the file of one of the two tokens. */
  token: string;
  /** Finds the backend that takes the place of one that is gone. None: a lost backend is an error. */
  reconnect?: () => Promise<{ url: string; token: string }>;
}

export interface OpenOptions {
  /** The app's name, as in `[apps.NAME]`. */
  app: string;
  /** The app's own id of the chat. */
  chat: string;
  /** The folder of the chat: absolute. Only a sub-task may leave it out. */
  cwd?: string;
  folders?: string[];
  /** `chat.key` from an earlier time: what was remembered for the chat counts again. */
  key?: string;
  mode?: Mode;
  /** The chat that this one is a sub-task of. */
  parent?: Chat;
}

export interface AskOptions {
  /** The name of the app's tool. */
  tool?: string;
  /** The tool's arguments as the model wrote them: shown. */
  input?: unknown;
  /** What changes in files: shown, and judged as writes too. */
  diffs?: HostDiff[];
  title?: string;
  category?: Category;
  /** After so long without an answer it is denied. */
  timeoutSeconds?: number;
  /**
   * A person is asked, and this is the card. Called again with a card that takes the place of the one before. `settled` is
   * aborted when this card is void: it was answered, here or elsewhere, or another one came. Its `reason` is the verdict, or
   * the card that takes the place of this one.
   */
  onCard?(card: Card, settled: AbortSignal): unknown;
  /** Withdraws the question. The verdict is then `cancelled`. */
  signal?: AbortSignal;
}

/** The outcome of a call, once it is decided. */
export interface Verdict extends HostOutcome {
  allowed: boolean;
}

/** One of the card's options by its id, or that the person stopped the turn. */
export type Choice = "allow_once" | "allow_session" | "allow_always" | "deny" | (string & {}) | { outcome: "cancelled" };

export interface AnswerOptions {
  remember?: Remember;
  /** In the person's words: the model is told. */
  reason?: string;
  /** Only where the person was asked twice. */
  bypassAll?: boolean;
  /** Only where the person was asked twice. */
  bypassSession?: boolean;
}

export class Mayi {
  private constructor();
  /** Starts a backend, and another one whenever that dies. */
  static start(options?: StartOptions): Promise<Mayi>;
  /** Uses a backend that runs already. */
  static connect(options: ConnectOptions): Promise<Mayi>;
  /** The process id of the backend, if it was started here and runs. */
  readonly pid: number | null;
  open(options: OpenOptions): Promise<Chat>;
  /**
   * Answers a card as it was shown. Rejects with code -32020 where the answer was not taken; `data.reason` says why. Within
   * `onCard` these are harmless, and `ask` goes on: `settled` (somebody else was first), `changed` (another card comes) and
   * `unknown` (the backend of that card is gone). With any other, such as `option` (none of the card's options) or `remember`
   * (it can't be remembered so), `ask` rejects too, and the question is withdrawn.
   */
  answer(card: Pick<Card, "approvalId" | "digest">, choice: Choice, more?: AnswerOptions): Promise<Answered>;
  /** Cards that wait for an answer, oldest first: also those of the user's other programs. */
  pending(): Promise<TabCard[]>;
  /** Withdraws what waits, ends the backend if it was started here, and waits until it is gone. */
  close(): Promise<void>;
}

export class Chat {
  private constructor();
  /** Brings the chat back later: a secret of the app's. */
  readonly key: string;
  readonly mode: Mode;
  /** What to tell the model about the mode. */
  readonly briefing: string;
  /** The session as it was told last. */
  readonly session: HostSession;
  readonly closed: boolean;
  /**
   * Asks whether a call may run. Resolves once that is decided, also where the backend was lost and started again meanwhile.
   * @param callId the app's own id of the call: a new one for each call
   */
  ask(callId: string, call: Action | Action[], options?: AskOptions): Promise<Verdict>;
  /** Asks, runs `work` if it may, and reports. `unreported`: why the backend does not know what became of it. */
  run<T>(callId: string, call: Action | Action[], work: () => T | Promise<T>, options?: AskOptions): Promise<{ verdict: Verdict; result?: T; unreported?: unknown }>;
  /** What the app did with a call that was allowed. */
  report(callId: string, status: "started" | "completed" | "failed"): Promise<void>;
  setMode(mode: Mode): Promise<HostSession>;
  /** Tells which tools the model is offered, and what holds for each. */
  tools(tools: HostTool[]): Promise<HostToolInfo[]>;
  /** What waits in this chat, oldest first. */
  waiting(): Promise<HostOutcome[]>;
  /** What is remembered for this chat. */
  grants(): Promise<GrantInfo[]>;
  /** Forgets some of that. None: all of it. */
  revoke(ids?: string[]): Promise<Revoked>;
  /** Withdraws one call, or all that wait. */
  withdraw(callId?: string): Promise<void>;
  /** Puts the chat away: its key brings it back. `forget`: it is gone for good, with what was remembered for it. */
  close(options?: { forget?: boolean }): Promise<void>;
}

export class MayiError extends Error {
  /** The server's number, or `start`, `unreachable`, `closed` or `protocol`. */
  readonly code: number | string;
  readonly data: unknown;
}
