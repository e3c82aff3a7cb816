import assert from "node:assert/strict";
import { test } from "node:test";

import { sent } from "./page";

import type { Mode } from "../src/api";
import type { Catalog } from "../src/messages";
import { viewOf } from "../src/model/changes";
import { newTab, type Tab } from "../src/model/state";
import { Footer } from "../src/webview/chat/composer";

const CATALOG: Catalog = {
  agents: [],
  modes: [
    { id: "plan", name: "Plan", description: "Reads only" },
    { id: "default", name: "Default", description: "Reads; asks before anything else" },
    { id: "auto", name: "Auto (dangerous)", description: "Asks only where a rule says so" },
  ],
  mode: "default",
  defaultAgent: "",
  folder: "/w",
  status: { state: "connected", text: "" },
};

/** The footer of a chat in `mode`. */
function footer(mode: Mode, more: Partial<Tab> = {}): { element: HTMLElement; mode: HTMLButtonElement; items: HTMLElement[] } {
  // jsdom has no popovers.
  Object.assign(window.HTMLElement.prototype, { showPopover: () => undefined, hidePopover: () => undefined });
  const made = new Footer("t1");
  document.body.append(made.element);
  made.update(viewOf({ ...newTab("t1", "demo", "/w"), mode, state: "idle", ...more }), CATALOG);
  const button = made.element.querySelector<HTMLButtonElement>('[data-testid="mode"]');
  assert.ok(button);
  return { element: made.element, mode: button, items: [...made.element.querySelectorAll<HTMLElement>("[role=menuitemradio]")] };
}

test("the mode of the chat stands below the message, with a dot; its menu has each mode with what it means, and marks the one that holds", () => {
  const { element, mode, items } = footer("default");
  assert.match(mode.textContent ?? "", /Default/);
  assert.ok(mode.querySelector(".dot"));
  const menu = element.querySelector("[role=menu]");
  assert.equal(menu?.hasAttribute("hidden"), true);
  mode.click();
  assert.equal(menu?.hasAttribute("hidden"), false);
  assert.equal(mode.getAttribute("aria-expanded"), "true");
  const shown = items.map((item) => [".name", ".description"].map((part) => item.querySelector(part)?.textContent));
  assert.deepEqual(shown, CATALOG.modes.map(({ name, description }) => [name, description]));
  assert.deepEqual(items.map((item) => [item.getAttribute("aria-checked"), item.querySelector(".check")?.textContent]), [["false", ""], ["true", "✓"], ["false", ""]]);
});

test("a mode that is chosen is sent for this chat alone, and one that holds already is not", () => {
  const { mode, items } = footer("plan");
  const before = sent.length;
  mode.click();
  items[0]?.click();
  mode.click();
  items[1]?.click();
  assert.deepEqual(sent.slice(before), [{ type: "mode", tabId: "t1", mode: "default" }]);
});

test("a mode that a file locks can't be chosen, and says which file", () => {
  const { mode } = footer("plan", { modeLocked: "/etc/mayi/config.toml" });
  assert.equal(mode.disabled, true);
  assert.match(mode.title, /\/etc\/mayi\/config\.toml/);
});
