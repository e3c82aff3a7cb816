// Elements, made with text as text. Nothing in the webviews sets HTML.

type Attributes = Record<string, string | boolean | null>;
type Child = Node | string | null;

/** An element. Attributes that are null or false are left out; strings among the children become text. */
export function el<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === false) continue;
    element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children) if (child !== null) element.append(child);
  return element;
}

/** A button with the id that says what it does. */
export function button(actionId: string, label: string, kind: string, click: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const made = el("button", { type: "button", class: `mayi-button ${kind}`, "action-id": actionId, ...attributes }, label);
  made.addEventListener("click", click);
  return made;
}

/** Something that is opened on demand, in full. */
export function disclosure(title: string, open: boolean, className: string, ...children: Child[]): HTMLDetailsElement {
  return el("details", { class: `mayi-details ${className}`, open }, el("summary", {}, title), ...children);
}

/** As {@link disclosure}, for what is long: it is made when it is opened first. */
export function later(title: string, className: string, make: () => Node): HTMLDetailsElement {
  const made = disclosure(title, false, className);
  made.addEventListener("toggle", () => made.append(make()), { once: true });
  return made;
}

let live: HTMLElement | null = null;

/** Says `text` to screen readers. */
export function announce(text: string): void {
  // Whoever has the card in two views hears of it in the one that is seen.
  if (document.visibilityState === "hidden") return;
  live ??= document.body.appendChild(el("div", { class: "mayi-live", role: "status", "aria-live": "assertive" }));
  live.append(el("p", {}, text));
  while (live.childElementCount > 5) live.firstElementChild?.remove();
}
