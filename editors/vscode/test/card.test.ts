import assert from "node:assert/strict";
import { mock, test } from "node:test";

import "./page";

import type { ApprovalResponse, TabCard } from "../src/api";
import { permissionBlock } from "../src/model/block";
import type { Entry } from "../src/model/state";
import { CardView, type Surroundings } from "../src/webview/card/card";
import { INERT } from "../src/webview/card/arm";
import { diff } from "../src/webview/shared/diff";
import { markdown } from "../src/webview/shared/markdown";
import { card } from "./values";

const HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(1)> [link](https://evil.example) **b** \u001b[31mred \u202edesrever\u2066';
const SHOWN = "\\x1b[31mred \\u{202e}desrever\\u{2066}";

function entry(of: TabCard, more: Partial<Entry> = {}): Entry {
  return { card: of, state: "pending", by: null, at: null, reason: null, block: permissionBlock(of, "pending", []), ...more };
}

function shown(of: Entry, more: Partial<Surroundings> = {}): { view: CardView; answers: ApprovalResponse[]; many: ApprovalResponse[][]; click(id: string): void; ids(): (string | null)[] } {
  const answers: ApprovalResponse[] = [];
  const many: ApprovalResponse[][] = [];
  const view = new CardView(of, { bypass: () => true, alike: () => [], respond: (one) => answers.push(one), respondMany: (all) => many.push(all), openFile: () => undefined, ...more });
  document.body.append(view.element);
  const click = (id: string): void => view.element.querySelector<HTMLButtonElement>(`button[action-id="${id}"]`)?.click();
  const ids = (): (string | null)[] => [...view.element.querySelectorAll("button[action-id]")].map((one) => one.getAttribute("action-id"));
  return { view, answers, many, click, ids };
}

/** A clock that stands still; each call of what it returns lets the half second pass in which choices are inert. */
function later(): () => void {
  let now = 1;
  mock.method(performance, "now", () => now);
  return () => void (now += INERT);
}

test("a server's call reads as everywhere else", () => {
  const { view } = shown(entry(card("a", { server: { name: "github", tool: "create_issue" }, accesses: [{ access: "mcp", display: "github/create_issue", category: "external" }] })));
  const text = view.element.textContent ?? "";
  assert.equal(view.element.querySelector("h3")?.textContent, "Allow tool call from github?");
  assert.match(text, /Run create_issue from github/);
  assert.match(text, /Malicious MCP servers or conversation content could try to trick the agent into harmful actions through your tools\./);
  assert.match(text, /Review each action carefully before approving\./);
});

test("text of agents and servers is text: no element, no link, no image comes of it, and what hides is shown", () => {
  const hostile = card("a", {
    agentName: HOSTILE,
    toolCall: { toolCallId: "c", title: HOSTILE, name: HOSTILE, kind: HOSTILE, rawInput: { [HOSTILE]: HOSTILE }, locations: [{ path: HOSTILE }], content: [{ type: "diff", path: HOSTILE, oldText: HOSTILE, newText: `${HOSTILE}2` }, { type: "content", content: { type: "text", text: HOSTILE } }] },
    cwd: HOSTILE,
    env: { X: HOSTILE },
    server: { name: HOSTILE, tool: HOSTILE, title: HOSTILE, description: HOSTILE, icons: [{ src: "https://evil.example/x.png" }, { src: "javascript:alert(1)" }, { src: 'data:text/html,"><script>' }] },
    tool: { description: HOSTILE, annotations: { title: HOSTILE } },
    accesses: [{ access: "shell", display: HOSTILE, category: "execute" }, { access: "mcp", display: HOSTILE, category: "external" }],
    options: [...card("x").options, { optionId: "agent:x", name: HOSTILE, kind: "allow_once", scope: "once", danger: HOSTILE }],
    why: [{ effect: "ask", access: HOSTILE, source: "rule", pattern: HOSTILE, file: HOSTILE, line: 1, reason: HOSTILE, always: true }],
    notShown: [HOSTILE],
  });
  for (const state of ["pending", "denied"] as const) {
    const { view } = shown(entry(hostile, { state, reason: HOSTILE, by: HOSTILE }));
    assert.equal(view.element.querySelector("script, img, a, iframe, b, style, object, embed"), null);
    assert.ok((view.element.textContent ?? "").split(SHOWN).length > 10);
    assert.doesNotMatch(view.element.textContent ?? "", /[\u001b\u202e\u2066]/);
    for (const one of view.element.querySelectorAll("*")) for (const attribute of one.attributes) assert.doesNotMatch(attribute.name, /^on/);
  }
});

test("an icon is shown only if it holds its own picture", () => {
  const { view } = shown(entry(card("a", { server: { name: "s", tool: "t", icons: [{ src: "https://x/y.png" }, { src: "data:image/png;base64,AA==" }] } })));
  assert.equal(view.element.querySelector("img")?.getAttribute("src"), "data:image/png;base64,AA==");
});

test("arguments are there in full, however long", () => {
  const { view } = shown(entry(card("a", { toolCall: { ...card("a").toolCall, rawInput: { text: "x".repeat(200_000) } } })));
  assert.ok((view.element.querySelector("details.arguments")?.textContent ?? "").includes("x".repeat(200_000)));
});

test("the choices do nothing for half a second, and focus is on none of them", () => {
  const pass = later();
  const { view, answers, click } = shown(entry(card("a")));
  assert.equal(document.activeElement, document.body);
  assert.equal(view.element.querySelector('[action-id="allow_once"]')?.getAttribute("aria-disabled"), "true");
  click("allow_once");
  assert.equal(answers.length, 0);
  pass();
  click("allow_once");
  assert.deepEqual(answers, [{ approvalId: "a", digest: "digest-a", response: { outcome: { outcome: "selected", optionId: "allow_once" } }, bypassAll: false, remember: null, reason: null }]);
  click("allow_once");
  click("deny");
  assert.equal(answers.length, 1);
  mock.restoreAll();
});

test("an answer on its way shows a moment later, unless the card waits again by then", () => {
  const pass = later();
  mock.timers.enable({ apis: ["setTimeout"] });
  const disabled = (view: CardView): boolean[] => [...view.element.querySelectorAll<HTMLButtonElement>(".mayi-choose button")].map((one) => one.disabled);
  for (const open of [false, true]) {
    const { view, answers, click } = shown(entry(card("a")));
    pass();
    click("allow_once");
    assert.equal(answers.length, 1);
    assert.ok(!disabled(view).includes(true));
    if (open) view.open("not now");
    mock.timers.tick(50);
    assert.equal(disabled(view).includes(true), !open);
    assert.equal(disabled(view).includes(false), open);
  }
  mock.timers.reset();
  mock.restoreAll();
});

test("a card that changes is inert again, says so, and is answered with its new digest", () => {
  const pass = later();
  const { view, answers, click } = shown(entry(card("a")));
  pass();
  view.update(entry(card("a", { digest: "new" })));
  assert.match(view.element.textContent ?? "", /has changed since it was shown/);
  click("allow_once");
  assert.equal(answers.length, 0);
  pass();
  click("allow_once");
  assert.equal(answers[0]?.digest, "new");
  mock.restoreAll();
});

test("the choices are those of the card, and no more", () => {
  const all = shown(entry(card("a")));
  assert.deepEqual(all.ids(), ["allow_once", "allow_session", "always", "deny", "deny_reason", "bypass"]);
  const none = shown(entry(card("a", { options: [{ optionId: "deny", name: "Deny", kind: "reject_once", scope: "once", danger: null }, { optionId: "agent:go", name: "Go", kind: "allow_always", scope: "agent", danger: "it switches modes" }] })));
  assert.deepEqual(none.ids(), ["deny", "deny_reason", "agent:go"]);
  assert.match(none.view.element.textContent ?? "", /it switches modes/);
  assert.deepEqual(shown(entry(card("a")), { bypass: () => false }).ids().includes("bypass"), false);
});

test("a settled card keeps its place without choices, and says who answered and why", () => {
  const { view, ids } = shown(entry(card("a")));
  view.update(entry(card("a"), { state: "denied", by: "page", at: "2026-01-01T00:00:00Z", reason: "not today" }));
  assert.deepEqual(ids(), []);
  assert.equal(view.element.getAttribute("data-state"), "denied");
  assert.match(view.element.textContent ?? "", /Tool call denied by user, answered by page/);
  assert.match(view.element.textContent ?? "", /Reason: not today/);
  assert.ok(view.element.classList.contains("denied"));
});

test("a card that a rule has denied meanwhile is nobody's answer", () => {
  const { view } = shown(entry(card("a")));
  view.update(entry(card("a"), { state: "denied", by: "policy", at: "", reason: null }));
  assert.match(view.element.textContent ?? "", /✕ Tool call denied by policy/);
  assert.doesNotMatch(view.element.textContent ?? "", /by user/);
});

test("a reason goes with the denial, and “Always” takes what is in the form", () => {
  const pass = later();
  const denied = shown(entry(card("a")));
  pass();
  denied.click("deny_reason");
  const reason = denied.view.element.querySelector("textarea");
  assert.ok(reason);
  reason.value = " use the other file ";
  pass();
  denied.click("deny_reason_confirm");
  assert.equal(denied.answers[0]?.reason, "use the other file");
  assert.deepEqual(denied.answers[0]?.response, { outcome: { outcome: "selected", optionId: "deny" } });

  const always = shown(entry(card("b")));
  pass();
  always.click("always");
  const patterns = always.view.element.querySelector("textarea");
  assert.equal(patterns?.value, "shell(ls *)");
  if (patterns) patterns.value = "shell(ls -l *)\n";
  const [, uses] = always.view.element.querySelectorAll<HTMLInputElement>("label > input.mayi-field");
  if (uses) uses.value = "3";
  always.click("always_confirm");
  assert.equal(always.answers.length, 0);
  pass();
  always.click("always_confirm");
  assert.deepEqual(always.answers[0]?.remember, { scope: "workspace", patterns: ["shell(ls -l *)"], uses: 3 });
  mock.restoreAll();
});

test("cards that are alike are answered together, each with its own digest", () => {
  const pass = later();
  const group = [card("a", { alike: "k" }), card("b", { alike: "k" })];
  const { many, click } = shown(entry(group[0]!), { alike: () => group });
  pass();
  click("alike_allow");
  assert.deepEqual(many[0]?.map((one) => [one.approvalId, one.digest]), [["a", "digest-a"], ["b", "digest-b"]]);
  mock.restoreAll();
});

test("what an agent says is laid out without HTML, pictures or links that hide where they go", () => {
  const opened: string[] = [];
  const box = document.createElement("div");
  box.append(markdown('# T\n\n<img src=x onerror=alert(1)> <b>x</b>\n\n![p](https://e/p.png) [bank](https://evil.example/a?b) [x](javascript:alert(1)) `c` **s**\n\n```js\n<script>1</script>\n```\n', (url) => opened.push(url)));
  assert.equal(box.querySelector("img, a, b, script, iframe"), null);
  const text = box.textContent ?? "";
  for (const part of ["<img src=x onerror=alert(1)>", "![p](https://e/p.png)", "bank (https://evil.example/a?b)", "[x](javascript:alert(1))", "<script>1</script>"]) assert.ok(text.includes(part), part);
  assert.ok(box.querySelector("strong"));
  box.querySelector<HTMLButtonElement>("button.mayi-link")?.click();
  assert.deepEqual(opened, ["https://evil.example/a?b"]);
});

test("a diff has every line of both texts, in order", () => {
  const lines = diff("a\nb\nc\n", "a\nx\nc\nd\n").map((line) => line.mark + line.text);
  assert.deepEqual(lines, [" a", "-b", "+x", " c", "+d"]);
  assert.deepEqual(diff("", "n\n"), [{ mark: "+", text: "n" }]);
});
