// The page of a chat, as the server tells it: threads, their messages, the parts of these, and a place in each part of a tool for
// the card that belongs to it. Texts are set as text, whoever they are of.

import { setOnline } from "../card/index.js";

/** An element. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** @type {Set<(message: any) => void>} */
const listeners = new Set();

/** How this page speaks with its server: `post` to it, `listen` to what it says. */
export const channel = {
  // Where the server is gone, the stream of events says so too.
  post: (message) => fetch("message", { method: "POST", body: JSON.stringify(message) }).catch(() => ({ ok: false })),
  listen: (hear) => void listeners.add(hear),
};

/**
 * @param {{ title: string, modes?: Record<string, string>, draw?: Record<string, (part: any) => Node[]> }} app the modes that its
 *   person may choose from, by what mayi calls them; how its own kinds of parts are drawn
 */
export function startChat({ title, modes = {}, draw = {} }) {
  const drawn = { text, tool, ...draw };
  /** The section of each thread. */
  const sections = new Map();
  let current = "";
  const tabs = h("nav", { "aria-label": "Chats" });
  const main = h("main", { "aria-label": "Messages" });
  const mode = h("select", { "aria-label": "Permission mode" }, ...Object.entries(modes).map(([id, name]) => h("option", { value: id }, name)));
  const field = h("input", { "aria-label": "Message", autocomplete: "off" });
  // Until there is a thread to say it in.
  const send = h("button", { disabled: "" }, "Send");
  const form = h("form", {}, ...(mode.length > 0 ? [mode] : []), field, send);
  const open = h("button", { type: "button" }, "New chat");
  open.addEventListener("click", () => channel.post({ type: "open" }));
  /** What was chosen, until the server has it: what it says meanwhile is from before. */
  let chosen = null;
  mode.addEventListener("change", async () => {
    chosen = mode.value;
    const { ok } = await channel.post({ type: "mode", thread: current, mode: chosen });
    if (!ok) showMode((chosen = null));
  });
  const showMode = () => {
    const { mode: now } = sections.get(current).thread;
    if (chosen === now) chosen = null;
    mode.value = chosen ?? now;
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (field.value.trim() !== "") channel.post({ type: "message", thread: current, text: field.value, permission_mode: mode.value });
    field.value = "";
  });
  // What stands in front of a card covers it: the card has to know.
  document.body.append(h("header", {}, h("h1", {}, title), tabs, open), main, h("footer", { "data-in-front": "" }, form));

  const show = (id) => {
    [current, chosen] = [id, null];
    send.disabled = false;
    for (const [other, { section, tab }] of sections) {
      section.hidden = other !== id;
      tab.setAttribute("aria-pressed", String(other === id));
    }
    showMode();
  };
  channel.listen((message) => {
    if (message.type !== "thread") return;
    const { id } = message;
    if (!sections.has(id)) {
      const tab = h("button", { type: "button" }, id);
      tab.addEventListener("click", () => show(id));
      const section = h("section", { "aria-label": id });
      tabs.append(tab);
      main.append(section);
      sections.set(id, { section, tab, thread: message });
      show(id);
    }
    const known = sections.get(id);
    known.thread = message;
    if (id === current) showMode();
    message.messages.forEach(({ role, parts }, at) => {
      const article = known.section.children[at] ?? known.section.appendChild(h("article", { class: `message ${role}` }));
      parts.forEach((part, place) => update(article.children[place] ?? article.appendChild(h("div", { class: "part" }, h("div"), h("div", { class: "slot" }))), part));
    });
  });
  const update = (element, part) => {
    const now = JSON.stringify(part);
    if (element.dataset.part === now) return;
    element.dataset.part = now;
    element.classList.toggle("tool", part.callId !== undefined);
    if (part.callId !== undefined) Object.assign(element.dataset, { callId: part.callId, state: part.state });
    element.firstChild.replaceChildren(...drawn[part.type](part));
    // What was asked about looks, once it is decided, like what was not.
    if (part.state !== "waiting") element.lastChild.replaceChildren();
  };

  const source = new EventSource("events");
  source.addEventListener("message", ({ data }) => listeners.forEach((hear) => hear(JSON.parse(data))));
  source.addEventListener("open", () => {
    setOnline(true);
    channel.post({ type: "approval-list" });
  });
  source.addEventListener("error", () => setOnline(false));
}

/** Puts a card where its call is. */
export function place(element, card) {
  document.querySelector(`[data-call-id="${CSS.escape(card.toolCall.toolCallId)}"] > .slot`)?.append(element);
}

const text = ({ text }) => [text];

const STATES = { waiting: "waits for you", running: "runs", done: "done", refused: "did not run", failed: "failed" };

/** A call of a tool. */
export function tool({ name, server, arguments: input, state, result }) {
  const line = h("summary", {}, h("strong", {}, name), server ? ` from ${server}` : "", ` · ${STATES[state]}`);
  const out = [h("details", {}, line, h("pre", {}, JSON.stringify(input, null, 2)))];
  if (result !== undefined) out.push(h("pre", { class: "result" }, result));
  return out;
}
