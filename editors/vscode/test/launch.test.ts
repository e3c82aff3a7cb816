import assert from "node:assert/strict";
import { test } from "node:test";

import { wrong } from "../src/backend/launch";

test("a backend that ends over a file of settings says what is wrong where, and any other one its last line", () => {
  const refused = "  × `command` is a list of texts, not one text\n   ╭─[/h/mayi/config.toml:2:11]\n 1 │ [agents.x]\n   ╰────\n  help: write `command = [\"x\"]`\n  × no key is called `args`\n        or tools\n";
  assert.equal(wrong(refused), "`command` is a list of texts, not one text (/h/mayi/config.toml:2:11)");
  assert.equal(wrong("  x nothing has this name\n  help: look\n"), "nothing has this name");
  assert.equal(wrong("starting\nthere is no such folder\n"), "there is no such folder");
  assert.equal(wrong(""), "");
});
