import assert from "node:assert/strict";
import { mock, test } from "node:test";

import "./page";

import { BUDGET, Pace } from "../src/webview/shared/pace";

test("what takes longer than a frame may waits for the next one, in its order, and nothing is lost where something fails", async () => {
  let now = 0;
  mock.method(performance, "now", () => now);
  const frames: (() => void)[] = [];
  const before = globalThis.requestAnimationFrame;
  globalThis.requestAnimationFrame = (act) => frames.push(() => act(now));
  try {
    const done: number[] = [];
    const pace = new Pace();
    const add = (at: number): void => pace.add(() => {
      now += BUDGET / 2;
      done.push(at);
      if (at === 1) throw new Error("this one fails");
    });
    add(0);
    assert.throws(() => add(1), /this one fails/);
    for (const at of [2, 3]) add(at);
    assert.deepEqual(done, [0, 1], "the first ones at once, no more than fits");
    add(4);
    add(5);
    // What belongs to what is done comes before all that waits.
    pace.first([() => void done.push(1.5)]);
    for (let frame = 0; frame < 20 && !done.includes(5); frame += 1) {
      frames.splice(0).forEach((act) => act());
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    assert.deepEqual(done, [0, 1, 1.5, 2, 3, 4, 5]);
    // It rests, then: a page that nothing comes to asks for no frames.
    for (let frame = 0; frame < 20 && frames.length > 0; frame += 1) {
      frames.splice(0).forEach((act) => act());
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    assert.deepEqual(frames, []);
    pace.add(() => void done.push(6));
    assert.equal(done.at(-1), 6, "and goes on");
  } finally {
    globalThis.requestAnimationFrame = before;
    mock.restoreAll();
  }
});
