import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { sent, setHeight } from "./page";

import type { TabCard } from "../src/api";
import { INERT } from "../src/webview/card/arm";
import { Deck } from "../src/webview/card/deck";
import { Together } from "../src/webview/card/together";
import { card } from "./values";

/** A view whose cards have ticks, and a clock that stands still. */
function desk(...cards: TabCard[]) {
  let now = 1;
  mock.method(performance, "now", () => now);
  sent.length = 0;
  const deck = new Deck({ bypass: () => true, folder: () => null, origin: () => null }, true);
  // Not in the page: where nothing is laid out it would stand in front of all cards.
  const bar = deck.together?.bar as HTMLElement;
  document.body.replaceChildren();
  const show = (one: TabCard): void => {
    deck.hear(one);
    document.body.append(deck.view(one.approvalId)?.element ?? "");
  };
  for (const one of cards) show(one);
  const look = (): void => {
    for (const { approvalId } of cards) void deck.view(approvalId)?.inSight;
  };
  look();
  return {
    deck,
    bar,
    show,
    look,
    pass: (): void => void (now += INERT),
    box: (id: string): HTMLInputElement | null => deck.view(id)?.element.querySelector<HTMLInputElement>('[action-id="tick"]') ?? null,
    tick(id: string): void {
      this.box(id)?.click();
    },
    press: (id: string): void => bar.querySelector<HTMLButtonElement>(`[action-id="${id}"]`)?.click(),
    answers: () => sent.filter((one): one is { type: string; responses: { approvalId: string; digest: string; response: { outcome: { optionId: string } } }[] } => (one as { type: string }).type === "approval-responses").flatMap((one) => one.responses.map(({ approvalId, digest, response }) => [approvalId, digest, response.outcome.optionId])),
  };
}

const differ = (): [TabCard, TabCard, TabCard] => [card("a", { alike: "k" }), card("b", { alike: "l" }), card("c", { alike: "m" })];

/** D6.18. */
test("cards that differ are ticked, and each gets its own answer", () => {
  for (const [action, option] of [["together_allow", "allow_once"], ["together_deny", "deny"]] as const) {
    const one = desk(...differ());
    assert.equal(one.bar.hidden, true);
    one.pass();
    one.tick("a");
    assert.match(one.bar.textContent ?? "", /1 is ticked/);
    one.tick("c");
    one.pass();
    one.press(action);
    assert.deepEqual(one.answers(), [["a", "digest-a", option], ["c", "digest-c", option]]);
    assert.deepEqual([one.bar.hidden, one.box("a")?.checked], [true, false]);
    mock.restoreAll();
  }
});

test("what is answered by itself, or not shown whole, has no tick, and one alone has none either", () => {
  const one = desk(card("a", { alike: null }), card("b", { alike: "l", notShown: ["the rest"] }), card("c", { alike: "m" }));
  assert.deepEqual(["a", "b"].map(one.box), [null, null]);
  one.deck.together?.regroup();
  assert.equal(one.box("c")?.closest("label")?.hidden, true);
  one.show(card("d", { alike: "n" }));
  assert.equal(one.box("c")?.closest("label")?.hidden, false);
  mock.restoreAll();
});

/** S2.12. */
test("what was not in sight of one that is ticked is shown, and nothing is allowed; a denial needs no look", () => {
  setHeight(2_000);
  const one = desk(...differ());
  one.pass();
  for (const id of ["a", "b"]) one.tick(id);
  one.pass();
  one.press("together_allow");
  assert.deepEqual(one.answers(), []);
  setHeight(100);
  for (let at = 0; at < 2; at += 1) {
    one.look();
    one.pass();
  }
  one.press("together_allow");
  assert.deepEqual(one.answers().map(([id]) => id), ["a", "b"]);
  mock.restoreAll();
  setHeight(2_000);
  const denied = desk(...differ());
  denied.pass();
  for (const id of ["a", "b"]) denied.tick(id);
  denied.pass();
  denied.press("together_deny");
  assert.equal(denied.answers().length, 2);
  setHeight(100);
  mock.restoreAll();
});

/** S2.7. */
test("nothing is allowed while one that is ticked rests", () => {
  const one = desk(...differ());
  one.pass();
  for (const id of ["a", "b"]) one.tick(id);
  one.pass();
  one.deck.view("b")?.still();
  one.press("together_allow");
  assert.deepEqual(one.answers(), []);
  one.pass();
  one.press("together_allow");
  assert.deepEqual(one.answers().map(([id]) => id), ["a", "b"]);
  mock.restoreAll();
});

test("nothing is allowed where one that is ticked is not shown", () => {
  let now = 1;
  mock.method(performance, "now", () => now);
  const answered: string[] = [];
  const shown = { allows: true, further: () => false, busy: () => undefined };
  const together = new Together({ member: (id) => (id === "b" ? undefined : shown), answer: (cards) => answered.push(...cards.map(({ approvalId }) => approvalId)) });
  for (const one of differ()) together.row(one, () => true)?.querySelector("input")?.click();
  now += INERT;
  together.bar.querySelector<HTMLButtonElement>('[action-id="together_allow"]')?.click();
  assert.deepEqual(answered, []);
  mock.restoreAll();
});

test("a card that changes or is settled is ticked no more, and the bar rests", () => {
  const one = desk(...differ());
  one.pass();
  for (const id of ["a", "b", "c"]) one.tick(id);
  one.pass();
  one.deck.hear({ ...card("b", { alike: "l", digest: "new" }), type: "approval-request" });
  assert.equal(one.box("b")?.checked, false);
  one.press("together_allow");
  assert.deepEqual(one.answers(), []);
  one.pass();
  one.deck.hear({ type: "approval-resolved", approvalId: "c", tabId: null, state: "denied", by: "page", at: "2026-01-01T00:00:00Z", reason: null, grantedPermissions: [] });
  one.press("together_allow");
  assert.match(one.bar.textContent ?? "", /1 is ticked/);
  assert.deepEqual(one.answers(), []);
  mock.restoreAll();
});

test("a tick does nothing while its card rests", () => {
  const one = desk(...differ());
  one.tick("a");
  assert.deepEqual([one.box("a")?.checked, one.bar.hidden], [false, true]);
  mock.restoreAll();
});
