// The line above a view that says how the backend is, and what to do where a person has to do something.

import type { Catalog } from "../../messages";
import { visible } from "../../text/visible";
import { button, el } from "./dom";
import { send } from "./host";

/** The line; hidden while all is well. */
export const banner = el("div", { class: "mayi-banner", role: "status", hidden: true });

/** Says how the backend is. */
export function say(status: Catalog["status"]): void {
  banner.hidden = status.state === "connected";
  banner.className = `mayi-banner ${status.state}`;
  banner.replaceChildren(el("p", {}, visible(status.text)));
  if (status.state !== "failed") return;
  banner.append(
    el(
      "div",
      { class: "mayi-actions" },
      button("help_path", "Set mayi.path", "plain", () => send({ type: "help", with: "path" })),
      button("help_retry", "Try again", "plain", () => send({ type: "help", with: "retry" })),
      button("help_log", "Show log", "plain", () => send({ type: "help", with: "log" })),
    ),
  );
}
