import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { setHeight } from "./page";

import type { ApprovalResponse, TabCard } from "../src/api";
import { permissionBlock } from "../src/model/block";
import type { Entry } from "../src/model/state";
import { CardView, type Surroundings } from "../src/webview/card/card";
import { INERT } from "../src/webview/card/arm";
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
  const view = new CardView(of, { bypass: () => true, alike: () => [], respond: (one) => answers.push(one), respondMany: (all) => many.push(all), openFile: () => undefined, openChange: () => undefined, folder: () => null, origin: () => null, together: null, ...more });
  document.body.append(view.element);
  // It looks at what is in sight with the next frame; here it is now.
  void view.inSight;
  const within: Record<string, string> = { alike_allow: "alike", alike_deny: "alike" };
  const find = (id: string): HTMLButtonElement | null => view.element.querySelector<HTMLButtonElement>(`button[action-id="${id}"]`);
  const click = (id: string): void => {
    const panel = within[id];
    if (find(id) === null && panel !== undefined) find(panel)?.click();
    find(id)?.click();
  };
  const ids = (): (string | null)[] => [...view.element.querySelectorAll("button[action-id]")].map((one) => one.getAttribute("action-id"));
  return { view, answers, many, click, ids };
}

/** Opens what is on demand. */
function shownMore(view: CardView): void {
  view.element.querySelector<HTMLButtonElement>('button[action-id="more"]')?.click();
}

/** A clock that stands still; each call of what it returns lets the half second pass in which choices are inert. */
function later(): () => void {
  let now = 1;
  mock.method(performance, "now", () => now);
  return () => void (now += INERT);
}

test("a server's call reads as everywhere else, with its arguments open", () => {
  const toolCall = { ...card("x").toolCall, rawInput: { title: "Build fails" } };
  const { view } = shown(entry(card("a", { toolCall, server: { name: "github", tool: "create_issue" }, accesses: [{ access: "mcp", display: "github/create_issue", category: "external" }] })));
  const text = view.element.querySelector(".mayi-body")?.textContent ?? "";
  assert.equal(view.element.querySelector("h3")?.textContent, "All Allow tool call from github? Run create_issue from github, for demo");
  assert.match(text, /"title":"Build fails"/);
  assert.match(text, /Malicious MCP servers or conversation content could try to trick the agent into harmful actions through your tools\./);
  assert.match(text, /Review each action carefully before approving\./);
});

test("the warning stands on what comes from outside, and on nothing else", () => {
  assert.doesNotMatch(shown(entry(card("a"))).view.element.textContent ?? "", /Malicious/);
  const fetches = card("b", { accesses: [{ access: "fetch", display: "https://example.org/", category: "external" }] });
  assert.match(shown(entry(fetches)).view.element.textContent ?? "", /Malicious/);
});

test("a line stands as it was written, with what is asked about marked in it", () => {
  const line = 'for f in *.rs; do sed -i s/a/b/ "$f" && wc -l "$f"; done > out.txt';
  const { view } = shown(entry(card("a", {
    toolCall: { ...card("x").toolCall, rawInput: { command: line } },
    accesses: [{ access: "shell", display: 'sed -i s/a/b/ "$f"', category: "execute" }, { access: "shell", display: "wc -l", category: "execute" }, { access: "write", display: "/other/elsewhere.txt", category: "write" }],
    why: [{ effect: "ask", access: 'shell(sed -i s/a/b/ "$f")', source: "matrix", reason: "execute in default mode", always: false }],
  })));
  assert.equal(view.element.querySelector(".mayi-command")?.textContent, line);
  assert.deepEqual([...view.element.querySelectorAll("mark")].map((one) => one.textContent), ['sed -i s/a/b/ "$f"']);
  assert.match(view.element.querySelector(".mayi-apart")?.textContent ?? "", /write \/other\/elsewhere\.txt/);
});

test("what is folded has to be opened before anything of it is allowed, and before that nothing is", () => {
  const pass = later();
  const line = Array.from({ length: 60 }, (_, at) => `echo ${at}`).join("\n");
  const { view, answers, click } = shown(entry(card("a", { toolCall: { ...card("x").toolCall, rawInput: { command: line } } })));
  pass();
  for (const id of ["allow_once", "allow_session", "always"]) click(id);
  assert.equal(answers.length, 0);
  click("unfold");
  assert.equal(view.element.querySelector(".mayi-command")?.textContent, line);
  void view.inSight;
  pass();
  click("allow_once");
  assert.equal(answers.length, 1);
  mock.restoreAll();
});

/** S2.12. Attack 753. */
test("what was unfolded has to be in sight to its end", () => {
  const pass = later();
  const line = Array.from({ length: 60 }, (_, at) => `echo ${at}`).join("\n");
  const { view, answers, click } = shown(entry(card("a", { toolCall: { ...card("x").toolCall, rawInput: { command: line } } })));
  pass();
  void view.inSight;
  pass();
  // All that is drawn is in sight, and then there is more of it than the window has room for.
  click("unfold");
  setHeight(5_000);
  for (let at = 0; at < 5; at += 1) {
    void view.inSight;
    pass();
    for (const id of ["allow_once", "allow_session"]) click(id);
    assert.equal(view.key("approve"), false);
  }
  assert.equal(answers.length, 0);
  setHeight(100);
  for (let at = 0; at < 2; at += 1) {
    void view.inSight;
    pass();
  }
  click("allow_once");
  assert.equal(answers.length, 1);
  mock.restoreAll();
});

/** S2.14. */
test("a folded card is opened and answered by one key alone", () => {
  const pass = later();
  const line = Array.from({ length: 60 }, (_, at) => `echo ${at}`).join("\n");
  const { view, answers } = shown(entry(card("a", { toolCall: { ...card("x").toolCall, rawInput: { command: line } } })));
  let presses = 0;
  while (answers.length === 0 && presses < 10) {
    pass();
    presses += 1;
    if (!view.key("approve")) view.further();
  }
  assert.equal(answers.length, 1);
  assert.equal(view.element.querySelector(".mayi-command")?.textContent, line);
  mock.restoreAll();
});

/** S2.14. Attack 752. */
test("a change that nothing tells is allowed by no key", () => {
  const pass = later();
  const untold = card("a", { toolCall: { ...card("x").toolCall, kind: "edit", rawInput: { path: "/w/a" }, untold: true }, accesses: [{ access: "edit", display: "/w/a", category: "write" }], notShown: ["what would change: the agent does not tell"] });
  const { view, answers, click } = shown(entry(untold));
  pass();
  assert.equal(view.key("approve"), false);
  assert.equal(answers.length, 0);
  assert.match(view.element.textContent ?? "", /what would change: the agent does not tell/);
  click("allow_once");
  assert.equal(answers.length, 1);
  mock.restoreAll();
});

/** S2.13. Attack 751. */
test("what the lines that change do not say of an input stands open beside them", () => {
  const toolCall = { ...card("x").toolCall, kind: "edit", rawInput: { path: "/w/a", old: "x", new: "y", then_run: "rm -rf ~" }, openInput: { then_run: "rm -rf ~" }, content: [{ type: "diff", path: "/w/a", oldText: "x", newText: "y" }] };
  const { view } = shown(entry(card("a", { toolCall, accesses: [{ access: "edit", display: "/w/a", category: "write" }] })));
  assert.match(view.element.querySelector(".mayi-arguments")?.textContent ?? "", /then_run.*rm -rf/);
  assert.equal(view.element.querySelectorAll(".mayi-diff .added").length, 1);
});

test("a tool that only the agent's title names is called by that", () => {
  const of = (more: object): string => shown(entry(card("a", { toolCall: { ...card("x").toolCall, kind: "other", title: "mcp__crm__bulk_update", name: null, ...more }, accesses: [{ access: "tool", display: "other", category: "execute" }] }))).view.element.querySelector("h3")?.textContent ?? "";
  assert.equal(of({}), "All demo wants to use a tool that it calls mcp__crm__bulk_update");
  assert.equal(of({ title: "" }), "All demo wants to use its tool other");
});

test("what is not in sight is not allowed; a denial needs no look", () => {
  const pass = later();
  setHeight(2_000);
  const one = shown(entry(card("a")));
  pass();
  one.click("allow_once");
  assert.equal(one.view.key("approve"), false);
  assert.equal(one.answers.length, 0);
  one.click("deny");
  assert.equal(one.answers.length, 1);
  setHeight(100);
  mock.restoreAll();
});

test("a key answers once what has been in sight for half a second, and nothing else", () => {
  const pass = later();
  const { view, answers } = shown(entry(card("a")));
  assert.equal(view.key("approve"), false);
  pass();
  assert.equal(view.key("approve"), true);
  assert.equal(view.key("deny"), false);
  assert.deepEqual(answers.map((one) => [one.response.outcome.outcome === "selected" && one.response.outcome.optionId, one.remember]), [["allow_once", null]]);
  mock.restoreAll();
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
    if (state === "pending") shownMore(view);
    const places = (view.element.textContent ?? "").split(SHOWN).length;
    assert.ok(places > (state === "pending" ? 10 : 1), String(places));
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
  shownMore(view);
  assert.ok((view.element.querySelector("details.arguments")?.textContent ?? "").includes("x".repeat(200_000)));
});

test("the choices do nothing for half a second, and focus is on none of them", () => {
  const pass = later();
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
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
  void view.inSight;
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
  assert.deepEqual(all.ids().filter((id) => id !== "further" && id !== "alike"), ["allow_once", "allow_session", "always", "deny", "deny_reason", "bypass", "more"]);
  const none = shown(entry(card("a", { options: [{ optionId: "deny", name: "Deny", kind: "reject_once", scope: "once", danger: null }, { optionId: "agent:go", name: "Go", kind: "allow_always", scope: "agent", danger: "it switches modes" }] })));
  assert.deepEqual(none.ids().filter((id) => id !== "further" && id !== "alike"), ["deny", "deny_reason", "more", "agent:go"]);
  assert.match(none.view.element.textContent ?? "", /it switches modes/);
  const locked = shown(entry(card("a")), { bypass: () => false });
  assert.equal(locked.ids().includes("bypass"), false);
});

/** S2.5. */
test("the first line begins with what is asked for: to read, to write, or all", () => {
  const words = (["read", "write", "all"] as const).map((permissionType) => shown(entry(card("a", { permissionType }))).view.element.querySelector("header h3")?.firstElementChild);
  assert.deepEqual(words.map((one) => one?.textContent), ["Read", "Write", "All"]);
  assert.match(words[0]?.getAttribute("title") ?? "", /it only reads/);
});

/** S2.5, D6.9. */
test("one press allows for the session, once what that covers was in sight; what covers nothing that is said is not offered", () => {
  const pass = later();
  const { view, answers, click, ids } = shown(entry(card("a")));
  assert.match(view.element.querySelector('[action-id="allow_session"]')?.textContent ?? "", /exactly these words/);
  pass();
  // It was not looked at until now.
  click("allow_session");
  assert.equal(answers.length, 0);
  pass();
  click("allow_session");
  assert.deepEqual(answers.map((one) => [one.response, one.bypassAll]), [[{ outcome: { outcome: "selected", optionId: "allow_session" } }, false]]);
  assert.equal(ids().filter((id) => id === "allow_session").length, 1);
  const silent = card("b");
  const options = silent.options.map(({ covers: _, ...option }) => option);
  assert.equal(shown(entry(card("b", { options }))).ids().includes("allow_session"), false);
  mock.restoreAll();
});

test("one press asks for a bypass, and the editor asks once more", () => {
  const pass = later();
  const { answers, click } = shown(entry(card("a")));
  click("bypass");
  assert.equal(answers.length, 0);
  pass();
  click("bypass");
  assert.deepEqual(answers.map((one) => [one.response.outcome, one.bypassAll, one.remember]), [[{ outcome: "selected", optionId: "allow_once" }, true, null]]);
  mock.restoreAll();
});

test("a settled card is one line without choices, and says who answered and why", () => {
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
  assert.equal(many.length, 0);
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

test("a change of a part of a file has the file's numbers, or none, and no end is missed that neither side has", () => {
  const of = (lines?: (number | null)[]): HTMLElement =>
    shown(entry(card("a", { ...(lines === undefined ? {} : { lines }), accesses: [{ access: "edit", display: "/w/a.txt", category: "write" }], toolCall: { ...card("x").toolCall, rawInput: null, content: [{ type: "diff", path: "/w/a.txt", oldText: "line two", newText: "line 2" }] } }))).view.element;
  const numbers = (element: HTMLElement): string[] => [...element.querySelectorAll(".mayi-diff .number")].map((one) => one.textContent ?? "");
  assert.deepEqual(numbers(of([2])), ["2", "2"]);
  assert.deepEqual(numbers(of()), ["", ""]);
  assert.doesNotMatch(of([2]).textContent ?? "", /no line end/);
});
