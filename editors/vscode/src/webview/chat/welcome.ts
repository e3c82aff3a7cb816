// What an empty chat says: what happens here, and what to do where something is missing.

import type { Catalog, TabView } from "../../messages";
import { visible } from "../../text/visible";
import { code } from "../shared/data";
import { button, el } from "../shared/dom";
import { send } from "../shared/host";

/** The agent that is a script, to try things out with. */
const DEMO = "demo";

/** The text for a tab in which nothing was said yet. */
export function welcome(tab: TabView, catalog: Catalog): HTMLElement {
  const part = el("div", { class: "mayi-welcome", "data-testid": "welcome" });
  part.append(el("p", { class: "mayi-heading" }, "Ask an agent to do something"));
  part.append(el("p", {}, "What it wants to do is judged by your rules on this computer. Where they say “ask”, a card appears here, and nothing happens until you answer it."));
  if (catalog.status.state !== "connected") return part;
  part.append(...agents(catalog));
  if (catalog.folder === null) {
    part.append(
      el("p", { class: "mayi-hint" }, "No folder is open, so the agent works in your home folder, ", code(tab.cwd), ". Open the folder that it should work in first."),
      button("help_folder", "Open Folder …", "plain", () => send({ type: "help", with: "folder" })),
    );
  } else if (tab.cwd !== "") part.append(el("p", { class: "mayi-soft" }, "It works in ", code(tab.cwd), "."));
  return part;
}

function agents(catalog: Catalog): HTMLElement[] {
  const found = catalog.agents.filter((agent) => agent.found);
  if (found.some((agent) => agent.name !== DEMO)) return [];
  const hints = catalog.agents.filter((agent) => !agent.found && agent.hint !== null);
  return [
    el("p", { class: "mayi-hint" }, found.length === 0 ? "No agent was found on this computer." : "No agent was found on this computer but the demo agent: a script, without a model, to try mayi with."),
    ...(hints.length === 0 ? [] : [el("ul", {}, ...hints.map((agent) => el("li", {}, `${visible(agent.title)}: ${visible(agent.hint ?? "")}`)))]),
    el(
      "div",
      { class: "mayi-actions" },
      button("help_agents", "Add an agent …", "plain", () => send({ type: "help", with: "agents" })),
      button("help_retry", "Look again", "plain", () => send({ type: "help", with: "retry" })),
    ),
  ];
}
