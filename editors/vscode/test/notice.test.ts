import assert from "node:assert/strict";
import { test } from "node:test";

import { notice } from "../src/model/notice";
import { sides } from "../src/model/sides";
import { card } from "./values";

const line = (command: string): ReturnType<typeof card> => card("a", { toolCall: { ...card("x").toolCall, rawInput: { command } }, accesses: [{ access: "shell", display: command, category: "execute" }] });

test("a notification names the command, and may allow it where that is all of the call as it is", () => {
  assert.deepEqual(notice(line("cargo test")), { text: "mayi: demo wants to run: cargo test (in /w)", allows: true });
  // Brackets would be links, and what hides is escaped: neither is what would run.
  for (const one of ["test [ -f x ]", "ls \u202e", "ls\nrm x", "x".repeat(200)]) {
    const { text, allows } = notice(line(one));
    assert.equal(allows, false, one);
    assert.doesNotMatch(text, /[[\]\n\u202e]/);
  }
  assert.equal(notice(card("a", { server: { name: "s", tool: "t" } })).allows, false);
  assert.equal(notice(card("a", { why: [{ effect: "ask", access: "shell(ls)", source: "protection", reason: "r", always: true }] })).allows, false);
});

test("a part of a file is put where it stands, if that is one place alone", () => {
  const now = "one\ntwo\nthree\n";
  assert.deepEqual(sides({ oldText: "two", newText: "2" }, now), { before: now, after: "one\n2\nthree\n", whole: true });
  assert.deepEqual(sides({ oldText: now, newText: "x" }, now), { before: now, after: "x", whole: true });
  assert.deepEqual(sides({ oldText: null, newText: "x" }, null), { before: "", after: "x", whole: true });
  for (const [old, held] of [["e", now], ["four", now], ["", now], ["two", null]] as const) {
    assert.deepEqual(sides({ oldText: old, newText: "y" }, held), { before: old, after: "y", whole: false });
  }
});
