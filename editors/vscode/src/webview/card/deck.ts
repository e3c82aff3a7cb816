// All cards of a view: what came from the extension, and the elements for it.

import type { Answered, TabCard } from "../../api";
import type { ToWebview } from "../../messages";
import { alike } from "../../model/alike";
import { permissionBlock } from "../../model/block";
import type { Entry } from "../../model/state";
import { announce } from "../shared/dom";
import { send } from "../shared/host";
import { CardView, type Surroundings } from "./card";
import { answersTo, Together } from "./together";

/** What differs from view to view. */
export type Place = Pick<Surroundings, "bypass" | "folder" | "origin">;

/** The cards of one view. */
export class Deck {
  private readonly entries = new Map<string, Entry>();
  private readonly views = new Map<string, CardView>();
  private readonly around: Surroundings;
  private planned = false;
  /** The card that the last key was about. */
  private read: CardView | null = null;
  /** The ticks of the view, where it has some. */
  readonly together: Together | null;

  /** `ticks`: whether cards that differ can be ticked, and answered together. */
  constructor(place: Place, ticks = false) {
    this.together = ticks ? new Together({ member: (id) => this.views.get(id), answer: (cards, optionId) => this.around.respondMany(answersTo(cards, optionId)) }) : null;
    this.around = {
      ...place,
      together: this.together,
      alike: (card) => alike(card, this.pending()),
      respond: (response) => send({ type: "approval-response", ...response }),
      respondMany: (responses) => send({ type: "approval-responses", responses }),
      openFile: (path, line) => send({ type: "open-file", path, line }),
      openChange: (card, at) => send({ type: "open-change", approvalId: card.approvalId, at }),
    };
  }

  /** Takes in what the extension says of cards; whether it was about one. */
  hear(message: ToWebview): boolean {
    switch (message.type) {
      case "approval-request":
      case "approval-updated":
        this.put(asked({ ...message, type: "approval-request" }));
        return true;
      case "approval-resolved":
        this.settle(message);
        return true;
      case "approval-open":
        this.views.get(message.approvalId)?.open(message.problem);
        return true;
      default:
        return false;
    }
  }

  /** All of them anew. */
  reset(entries: Entry[]): void {
    for (const [id, view] of this.views) {
      view.dispose();
      this.together?.forget(id);
    }
    this.views.clear();
    this.entries.clear();
    for (const entry of entries) this.entries.set(entry.card.approvalId, entry);
  }

  all(): Entry[] {
    return [...this.entries.values()];
  }

  get(id: string): Entry | undefined {
    return this.entries.get(id);
  }

  /** The element for the card, made when it is first wanted. */
  view(id: string): CardView | undefined {
    const known = this.views.get(id);
    const entry = this.entries.get(id);
    if (known !== undefined || entry === undefined) return known;
    const made = new CardView(entry, this.around);
    this.views.set(id, made);
    this.together?.regroup();
    return made;
  }

  /** Every card rests: something else is under the pointer now. */
  still(): void {
    for (const view of this.views.values()) view.still();
  }

  /**
   * A key answers: the card that has the focus, else the one that keys go through just now, else the first one that has been in
   * sight for half a second. Where there is none, it is said why, and what was not seen is shown.
   */
  key(act: "approve" | "deny"): void {
    const waiting = [...this.views.entries()].filter(([id]) => this.entries.get(id)?.state === "pending").map(([, view]) => view);
    const shown = waiting.filter((view) => view.element.getClientRects().length > 0).sort((a, b) => a.element.getBoundingClientRect().top - b.element.getBoundingClientRect().top);
    const read = shown.find((view) => view === this.read && view.visible);
    const wanted = shown.find((view) => view.element.contains(document.activeElement)) ?? read ?? shown.find((view) => view.inSight) ?? shown[0];
    this.read = wanted ?? null;
    if (wanted === undefined) return announce("Nothing waits here.");
    if (wanted.key(act)) return;
    announce("Nothing was answered: all of the question has to be in sight for half a second.");
    wanted.further();
  }

  private pending(): TabCard[] {
    return this.all().flatMap((entry) => (entry.state === "pending" ? [entry.card] : []));
  }

  private put(entry: Entry): void {
    this.entries.set(entry.card.approvalId, entry);
    this.views.get(entry.card.approvalId)?.update(entry);
    // Once for all that come together.
    if (this.planned) return;
    this.planned = true;
    requestAnimationFrame(() => {
      this.planned = false;
      for (const view of this.views.values()) view.regroup();
      this.together?.regroup();
    });
  }

  private settle(message: Answered): void {
    const entry = this.entries.get(message.approvalId);
    if (entry === undefined) return;
    const { state, by, at, reason } = message;
    this.put({ ...entry, state, by, at, reason, block: permissionBlock(entry.card, state, message.grantedPermissions) });
  }
}

function asked(card: TabCard): Entry {
  return { card, state: "pending", by: null, at: null, reason: null, block: permissionBlock(card, "pending", []) };
}
