// What the page reads of the backend's API. Only for editors and the type check; nothing of it is served.

export type State = 'pending' | 'approved' | 'denied' | 'cancelled' | 'expired';
export type Scope = 'session' | 'workspace' | 'user';
export type Level = 'none' | 'read' | 'write' | 'all';

export interface Finding {
  effect: string; access?: string; source: string; pattern?: string | null; file?: string | null;
  line?: number | null; reason: string; always: boolean;
}
export interface CardOption { optionId: string; name: string; kind: string; scope: string; danger?: string | null; covers?: string }
export interface Suggestion { patterns?: string[]; pattern?: string; scopes: string[] }
export interface Content {
  type: string; path?: string; oldText?: string | null; newText?: string; content?: { type: string; text?: string };
}
export interface CardAccess { access: string; display: string; category: string | null }
export interface Card {
  type: string; approvalId: string; tabId: string | null; sessionId: string; agentName: string; parent?: string | null; parentTitle?: string;
  toolCall: { title: string; name?: string | null; kind: string; rawInput: unknown; content: unknown; openInput?: unknown; untold?: boolean };
  cwd: string; env: Record<string, string>;
  server: { name: string; tool: string; title?: string; description?: string; icons?: any[] } | null;
  tool?: { title?: string; description?: string; annotations?: unknown } | null;
  digest: string; accesses: CardAccess[]; permissionType: string; options: CardOption[]; suggestions: Suggestion[];
  levels?: Level[]; why: Finding[]; history?: { allowed: number; denied: number; firstSeen: string | null } | null;
  notShown: string[]; createdAt: string; expiresAt: string | null; state: State; alike?: string | null; lines?: (number | null)[];
}
export interface Remember { scope: Scope; patterns?: string[]; expiresIn?: string | null; level?: Level | null }
export interface Answer {
  approvalId: string; digest: string; response: { outcome: { outcome: 'selected'; optionId: string } };
  bypassAll?: boolean; bypassSession?: boolean; remember?: Remember | null; reason?: string | null;
}
export interface Resolved {
  type: 'approval-resolved'; approvalId: string; state: State; by: string; at: string; reason: string | null;
}
export interface Cursor { instance: string; seq: number }
/** Events that the page does not know pass by. */
export type Event = { type: string; [key: string]: unknown };
export interface Batch { cursor: Cursor; events: Event[] }

/** How a card has changed since it was shown first. */
export type Change = 'call' | 'rules' | null;
/** A card on the page. */
export interface Entry {
  card: Card; state: State; by: string | null; at: string | null; reason: string | null; change: Change;
  /** An answer is on its way. */
  sending: boolean;
  /** Why the last answer was refused. */
  refused: string | null;
  /** Counts up each time the card has to be looked at anew. */
  version: number;
}
/** `order` is the order on the page. */
export interface Inbox { entries: Readonly<Record<string, Entry>>; order: readonly string[]; lost: boolean; line: number }
