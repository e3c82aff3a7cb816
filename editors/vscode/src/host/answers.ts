// Answers of a person on their way to the backend.

import type { ApprovalResponse, Call } from "../api";
import { because } from "../check";
import type { Store } from "./store";

/** What answering needs of the editor. */
export interface Person {
  /** Asks once more before the agent is bypassed, and for how long; null: it is not. */
  confirmBypass(agentName: string, session: boolean): Promise<"session" | "good" | null>;
  /** The card waits again, with a line that says why. */
  open(approvalId: string, problem: string | null): void;
}

/** Sends answers, and looks up cards. */
export class Answers {
  constructor(
    private readonly store: Store,
    private readonly call: Call,
    private readonly person: Person,
  ) {}

  /** One answer. */
  async respond(response: ApprovalResponse): Promise<void> {
    const entry = this.store.state.cards[response.approvalId];
    if (entry === undefined || entry.state !== "pending") return;
    let answer = response;
    if (response.bypassAll) {
      const session = entry.card.options.some((option) => option.optionId === "allow_session");
      const long = await this.person.confirmBypass(entry.card.agentName, session);
      if (long === null) return this.person.open(response.approvalId, null);
      if (long === "session") answer = { ...response, bypassAll: false, bypassSession: true };
    }
    try {
      this.store.apply(await this.call("approval/respond", answer));
    } catch (error) {
      await this.refused(response.approvalId, because(error));
    }
  }

  /** Answers to several cards, each with the digest that was shown. */
  async respondMany(responses: ApprovalResponse[]): Promise<void> {
    try {
      const { results } = await this.call("approval/respondMany", { responses });
      for (const { approvalId, resolved, error } of results) {
        if (resolved !== undefined) this.store.apply(resolved);
        else await this.refused(approvalId, error ?? "it was refused");
      }
    } catch (error) {
      for (const { approvalId } of responses) await this.refused(approvalId, because(error));
    }
  }

  /** What became of cards that no event told of: the store knows. */
  async lookUp(ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    const entries = await this.call("approval/list", { ids });
    const known = new Set(entries.map((entry) => entry.card.approvalId));
    this.store.apply({ type: "entries", entries }, { type: "cards-unknown", ids: ids.filter((id) => !known.has(id)) });
  }

  /** Another surface may have been first: then the card settles; else it waits again and says why. */
  private async refused(approvalId: string, why: string): Promise<void> {
    await this.lookUp([approvalId]).catch(() => undefined);
    if (this.store.state.cards[approvalId]?.state === "pending") this.person.open(approvalId, why);
  }
}
