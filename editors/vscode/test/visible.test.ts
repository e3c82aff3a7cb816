import assert from "node:assert/strict";
import { test } from "node:test";

import { visible, visibleBlock, visibleProse } from "../src/text/visible";

test("text that hides something is shown as escapes, as the core does it", () => {
  assert.equal(visible("a\u001b[2Kb"), "a\\x1b[2Kb");
  assert.equal(visible("a\u00a0b\u2003c\u3000d"), "a\\xa0b\\u{2003}c\\u{3000}d");
  assert.equal(visibleProse("10\u00a0%"), "10\u00a0%");
  assert.equal(visible("rm \u202efdp.x"), "rm \\u{202e}fdp.x");
  assert.equal(visible("a\nb\rc\u200d\u009b"), "a\\nb\\rc\\u{200d}\\x9b");
  assert.equal(visible("tag\u{e0041}"), "tag\\u{e0041}");
  assert.equal(visible("grüße, 世界 🎉"), "grüße, 世界 🎉");
});

test("a block keeps its lines, and a lone return is shown", () => {
  assert.equal(visibleBlock("a\r\nb\n\u0007c\rd"), "a\nb\n\\x07c\\rd");
});

test("prose keeps what makes an emoji, and nothing else that is invisible", () => {
  assert.equal(visibleProse("⚠️ 👩‍💻"), "⚠️ 👩‍💻");
  assert.equal(visibleProse("a\ufe0f b\u200dc \u202ex"), "a\\u{fe0f} b\\u{200d}c \\u{202e}x");
});
