import assert from "node:assert/strict";
import { test } from "node:test";

import "./page";

import { matching, SHOWN } from "../src/model/commands";
import { Slash } from "../src/webview/chat/slash";

const COMMANDS = [{ name: "compact", description: "Shortens the chat" }, { name: "review", description: "Looks at a change" }, { name: "init", description: "" }, { name: "pr-comments", description: "Reads them" }];

function field(): { type(text: string): void; key(name: string, more?: object): Event; slash: Slash; at: HTMLElement; written: string[] } {
  const at = document.createElement("div");
  at.tabIndex = 0;
  const around = document.createElement("div");
  around.append(at);
  document.body.append(around);
  const written: string[] = [];
  const slash = new Slash(at, (text) => {
    written.push(text);
    type(text);
  });
  around.append(slash.element);
  const type = (text: string): void => {
    at.textContent = text;
    at.dispatchEvent(new Event("input"));
  };
  const key = (name: string, more = {}): Event => {
    const event = new window.KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true, ...more });
    at.dispatchEvent(event);
    return event;
  };
  slash.offer(COMMANDS);
  return { type, key, slash, at, written };
}

const options = (slash: Slash): (string | null | undefined)[] => [...slash.element.querySelectorAll("[role=option] .name")].map((one) => one.textContent);

test("a slash at the beginning lists the commands, and what is typed narrows them, beginnings first", () => {
  assert.deepEqual(matching(COMMANDS, "/").map((one) => one.name), ["compact", "review", "init", "pr-comments"]);
  assert.deepEqual(matching(COMMANDS, "/COM").map((one) => one.name), ["compact", "pr-comments"]);
  for (const text of ["", "a", " /", "/compact now", "a /", "/a\nb", "/zzz"]) assert.deepEqual(matching(COMMANDS, text), [], JSON.stringify(text));
});

// Attack 481: a name with characters that hide, reorder or end something, or one that stands there already.
test("a name that is not what it looks like is not offered, nor one twice, nor more than can be read", () => {
  const odd = ["a b", "", "a\u202eb", "a\u200b", "a\nb", "a\u001b[2K", "x".repeat(101)].map((name) => ({ name, description: "" }));
  assert.deepEqual(matching(odd, "/"), []);
  assert.deepEqual(matching([...COMMANDS, { name: "init", description: "another" }], "/init"), [COMMANDS[2]]);
  assert.equal(matching(Array.from({ length: 1_000 }, (_, at) => ({ name: `c${at}`, description: "" })), "/").length, SHOWN);
});

test("arrows choose, Enter and Tab take, and neither key gets to the field", () => {
  const { type, key, slash, at, written } = field();
  let got = 0;
  at.addEventListener("keydown", () => void (got += 1));
  type("/");
  assert.deepEqual(options(slash), ["/compact", "/review", "/init", "/pr-comments"]);
  key("ArrowDown");
  key("ArrowDown");
  key("ArrowUp");
  assert.equal(slash.element.querySelector('[aria-selected="true"] .name')?.textContent, "/review");
  assert.ok(key("Enter").defaultPrevented);
  assert.equal(slash.element.hidden, true);
  type("/");
  key("ArrowUp");
  key("Tab");
  assert.deepEqual(written, ["/review ", "/pr-comments "]);
  assert.equal(got, 0);
  // With the list closed the field has its keys.
  assert.ok(!key("Enter").defaultPrevented);
  assert.equal(got, 1);
});

test("Escape closes the list until the message begins anew", () => {
  const { type, key, slash } = field();
  type("/");
  key("Escape");
  assert.equal(slash.element.hidden, true);
  type("/c");
  assert.equal(slash.element.hidden, true, "it stays closed");
  type("");
  type("/c");
  assert.equal(slash.element.hidden, false);
});

// Attack 481: a command of the agent's is a message to that agent, whatever it is called; mayi has none of its own there.
test("a command that is called like something of mayi's is a message like any other", () => {
  const { type, key, slash, written } = field();
  slash.offer(["bypass", "mode", "approve", "allow", "mayi"].map((name) => ({ name, description: "Allows everything" })));
  for (const name of ["bypass", "mode", "approve"]) {
    type(`/${name.slice(0, 3)}`);
    assert.ok(key("Enter").defaultPrevented);
    // Completed, with room for words: nothing is sent by it, and nothing else happens.
    assert.equal(written.at(-1), `/${name} `);
    assert.equal(slash.element.hidden, true);
  }
  assert.equal(written.length, 3);
  assert.deepEqual([...slash.element.querySelectorAll("a, button, [onclick]")], []);
});

test("what stands there in full is sent, not completed; keys with others are not the list's", () => {
  const { type, key, slash, written } = field();
  type("/com");
  for (const more of [{ ctrlKey: true }, { metaKey: true }, { shiftKey: true }]) assert.ok(!key("Enter", more).defaultPrevented);
  slash.offer([...COMMANDS, { name: "compact-all", description: "" }]);
  type("/compact");
  assert.equal(slash.element.hidden, false);
  assert.ok(!key("Enter").defaultPrevented);
  assert.deepEqual(written, []);
});

// Attack 481: the agent's description is text.
test("a screen reader is told of the list and of what is chosen in it, and the agent's words are text", () => {
  const { type, key, slash, at } = field();
  slash.offer([{ name: "go", description: "<img src=x onerror=alert(1)> \u202eevil" }, ...COMMANDS]);
  type("/");
  assert.equal(slash.element.getAttribute("role"), "listbox");
  assert.equal(at.getAttribute("aria-controls"), slash.element.id);
  const chosen = (): string | null | undefined => document.getElementById(at.getAttribute("aria-activedescendant") ?? "")?.querySelector(".name")?.textContent;
  assert.equal(chosen(), "/go");
  assert.equal(slash.element.querySelector(".description")?.textContent, "<img src=x onerror=alert(1)> \\u{202e}evil");
  assert.equal(slash.element.querySelector("img"), null);
  key("ArrowDown");
  assert.equal(chosen(), "/compact");
  key("Escape");
  assert.equal(at.getAttribute("aria-activedescendant"), null);
});
