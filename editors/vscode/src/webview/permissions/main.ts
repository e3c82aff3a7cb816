// Each server and tool as Required, Not required or Server default, what its tools do, its level, and every remembered answer.

import type { AgentInfo, Approval, Category, GrantInfo, Level, ServerInfo, ToolInfo } from "../../api";
import { visible } from "../../text/visible";
import { code } from "../shared/data";
import { button, el } from "../shared/dom";
import { hear, send } from "../shared/host";
import "./permissions.css";

const LEVELS: Record<string, string> = { none: "nothing granted", read: "read granted", write: "write granted", all: "all granted" };
const main = el("main", {});
document.body.append(main);

function choice(label: string, value: Approval, standard: string, change: (to: Approval) => void): HTMLSelectElement {
  const select = el(
    "select",
    { class: "mayi-field", "aria-label": label },
    el("option", { value: "required" }, "Required"),
    el("option", { value: "not_required" }, "Not required"),
    el("option", { value: "default" }, standard),
  );
  select.value = value;
  select.addEventListener("change", () => change(select.value as Approval));
  return select;
}

/** What "default" comes to. */
function meaning(approval: Approval): string {
  return approval === "required" ? "asked about" : "not asked about";
}

function level(one: ServerInfo): HTMLSelectElement {
  const names: [Level, string][] = [["none", "Grants nothing"], ["read", "Grants read"], ["write", "Grants write"], ["all", "Grants all"]];
  const select = el("select", { class: "mayi-field", "aria-label": `Level of ${visible(one.name)}` }, ...names.map(([value, name]) => el("option", { value }, name)));
  select.value = one.grant;
  select.addEventListener("change", () => {
    const picked = names.find(([value]) => value === select.value)?.[0];
    if (picked !== undefined) send({ type: "server-level", server: one.name, level: picked });
  });
  return select;
}

const CATEGORIES: [Category, string][] = [["read", "Reads"], ["write", "Writes"], ["execute", "Runs something"], ["external", "Reaches out"]];

/** What a tool does, as the user knows it: levels and modes go by that. */
function category(server: ServerInfo, tool: ToolInfo): HTMLSelectElement {
  const claimed = tool.ownCategory === null && tool.category !== null ? `Not said (the server says: ${tool.category})` : "Not said what it does";
  const select = el("select", { class: "mayi-field", "aria-label": `What ${visible(tool.name)} does` }, el("option", { value: "" }, claimed), ...CATEGORIES.map(([value, name]) => el("option", { value }, name)));
  select.value = tool.ownCategory ?? "";
  select.addEventListener("change", () => send({ type: "server-category", server: server.name, tool: tool.name, category: CATEGORIES.find(([value]) => value === select.value)?.[0] ?? null }));
  return select;
}

/** Whether what the server says of its tools counts. */
function trust(one: ServerInfo): HTMLElement {
  const box = el("input", { type: "checkbox", "aria-label": `Trust what ${visible(one.name)} says of its tools` });
  box.checked = one.trustAnnotations;
  box.addEventListener("change", () => send({ type: "server-trust", server: one.name, on: box.checked }));
  return el("label", { class: "mayi-note" }, box, " Trust what it says of its tools: that one only reads, say. It may loosen a decision.");
}

function note(text: string): HTMLElement {
  return el("p", { class: "mayi-note" }, text);
}

function server(one: ServerInfo, grants: GrantInfo[]): HTMLElement {
  const own = grants.filter((grant) => grant.server === one.name);
  const where = one.origin.file === null ? one.origin.layer : `${one.origin.layer}, ${one.origin.file}${one.origin.line === null ? "" : `:${one.origin.line}`}`;
  const head = el(
    "div",
    { class: "row", "data-server": one.name },
    el("h3", { class: "name" }, visible(one.name)),
    el("span", { class: "mayi-note", "data-level": one.level }, LEVELS[one.level] ?? one.level),
    choice(`Approval for ${visible(one.name)}`, one.approval, `Default (${meaning(one.byDefault)})`, (approval) => send({ type: "server-approval", server: one.name, tool: null, approval })),
    level(one),
  );
  const part = el("section", { class: "server", "aria-label": visible(one.name) }, head, note(`${visible(one.address)} (${visible(where)})`), trust(one));
  if (one.changed) part.append(el("p", { class: "mayi-problem" }, "What it says of its tools has changed, and it is blocked: look at it with “mayi mcp pins”."));
  const tools = el("div", { class: "tools" });
  for (const tool of one.tools) {
    const effective = meaning(tool.effective);
    tools.append(
      el(
        "div",
        { class: "row", "data-server": one.name, "data-tool": tool.name },
        el("span", { class: "name" }, visible(tool.name)),
        el("span", { class: "mayi-note inline" }, `${effective}${tool.category === null ? "" : `, ${tool.category}`}${tool.blocked ? ", blocked" : ""}`),
        choice(`Approval for ${visible(tool.name)}`, tool.approval, `Server default (${meaning(tool.byDefault)})`, (approval) => send({ type: "server-approval", server: one.name, tool: tool.name, approval })),
        category(one, tool),
        tool.description === null || tool.description === "" ? null : note(visible(tool.description)),
      ),
    );
  }
  part.append(tools);
  if (one.tools.length === 0) part.append(note("Its tools are known once it was used."));
  if (own.length > 0) part.append(button("revoke_server", `Revoke all of ${visible(one.name)} (${own.length})`, "deny soft", () => send({ type: "revoke-server", server: one.name })));
  return part;
}

const SCOPES: Record<string, string> = { session: "in one session", workspace: "in a workspace", user: "everywhere" };

/** A rule is changed where it is written. */
function change(one: GrantInfo): HTMLElement | null {
  const { file, line } = one.rule ?? { file: null, line: null };
  if (file === null) return null;
  return button("change", "Change", "plain", () => send({ type: "open-file", path: file, line }), { "aria-label": `Change ${visible(one.what)}` });
}

function grant(one: GrantInfo): HTMLElement {
  const facts = [
    SCOPES[one.scope] ?? one.scope,
    one.workspace === null ? "" : visible(one.workspace),
    one.level === null ? "" : `level ${one.level}`,
    one.server === null ? "" : `server ${visible(one.server)}`,
    one.rule === null ? `used ${one.used === 1 ? "once" : `${one.used} times`}` : "a rule for good",
    one.usesLeft === null ? "" : `${one.usesLeft} left`,
    one.createdAt === null ? "" : `since ${one.createdAt.slice(0, 10)}`,
    one.expiresAt === null ? "" : `until ${new Date(one.expiresAt).toLocaleString()}`,
  ].filter((fact) => fact !== "");
  return el(
    "div",
    { class: "grant row", "data-grant": one.id, ...(one.server === null ? {} : { "data-server": one.server }) },
    el("span", { class: "name" }, `${one.effect === "allow" ? "Allow" : one.effect === "ask" ? "Ask" : "Deny"} `, one.agent === "*" ? "every agent" : visible(one.agent), " ", code(one.what)),
    change(one),
    button("revoke", "Revoke", "deny soft", () => send({ type: "revoke", ids: [one.id] }), { "aria-label": `Revoke ${visible(one.what)}` }),
    note(facts.join(" · ")),
  );
}

function agent(one: AgentInfo): HTMLElement {
  const box = el("input", { type: "checkbox" });
  box.checked = one.bypassPermissions;
  box.disabled = one.bypassLocked !== null;
  box.addEventListener("change", () => {
    const on = box.checked;
    // It stands as it is until that is confirmed and done.
    box.checked = one.bypassPermissions;
    send({ type: "bypass", agentName: one.name, on });
  });
  return el(
    "div",
    { class: "row", "data-agent": one.name },
    el("label", { class: "name" }, box, ` ${visible(one.title)}: bypass permissions`),
    one.bypassLocked === null ? null : note(`Locked by ${visible(one.bypassLocked)}`),
  );
}

function draw(servers: ServerInfo[], grants: GrantInfo[], agents: AgentInfo[], problem: string | null): void {
  // Those whose program is not here can't do anything, unless a bypass is waiting for them.
  const known = agents.filter((one) => one.found || one.bypassPermissions);
  const scroll = document.documentElement.scrollTop;
  const focused = document.activeElement?.getAttribute("aria-label") ?? null;
  main.replaceChildren(
    ...(problem === null ? [] : [el("p", { class: "mayi-problem", role: "alert" }, visible(problem))]),
    el("div", { class: "row" }, button("refresh", "Refresh", "plain", () => send({ type: "refresh" }))),
    el("h2", {}, "Servers and tools"),
    ...(servers.length === 0 ? [el("p", { class: "mayi-empty" }, "No server is configured.")] : servers.map((one) => server(one, grants))),
    el("h2", {}, "Remembered answers"),
    ...(grants.length === 0 ? [el("p", { class: "mayi-empty" }, "Nothing is remembered.")] : grants.map(grant)),
    el("h2", {}, "Agents"),
    ...(known.length === 0 ? [el("p", { class: "mayi-empty" }, "No agent is known.")] : known.map(agent)),
  );
  document.documentElement.scrollTop = scroll;
  if (focused !== null) main.querySelector<HTMLElement>(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
}

hear((message) => {
  if (message.type === "permissions") draw(message.servers, message.grants, message.agents, message.problem);
});
send({ type: "ready" });
