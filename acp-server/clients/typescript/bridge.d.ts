// Types of `mayi-client/bridge`.

import type { AnswerOptions, Card, Mayi } from "./index.d.ts";

/** What a view is told. */
export type ToView =
  | Card
  /** All that waits. */
  | { type: "snapshot"; waiting: Card[] }
  | { type: "approval-resolved"; approvalId: string; state: "approved" | "denied" | "cancelled"; by: string | null; reason: string | null; at: string }
  | { type: "approval-refused"; approvalId: string; reason: string };

/** What a view says: an answer, or that it wants to know what waits. */
export type FromView =
  | ({
      type: "approval-response";
      approvalId: string;
      /** Of the card that was shown. */
      digest: string;
      response: { outcome: { outcome: "selected"; optionId: string } | { outcome: "cancelled" } };
    } & AnswerOptions)
  | { type: "approval-list" };

export interface Bridge {
  /** For `ask` and `run`: the views show the card until it is settled. */
  onCard(card: Card, settled: AbortSignal): void;
  /** Takes each message of a view. What is not for mayi passes by. */
  receive(message: FromView): Promise<void>;
}

/** Several views may show the same: the first answer counts. */
export function bridgeCards(mayi: Pick<Mayi, "answer">, post: (message: ToView) => void): Bridge;
