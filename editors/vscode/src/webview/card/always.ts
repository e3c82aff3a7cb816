// "Always …": what is to be remembered, where, and for how long.

import { type Level, type Remember, type RememberScope, SCOPES, type TabCard } from "../../api";
import { oneOf } from "../../check";
import { visible } from "../../text/visible";
import { button, el } from "../shared/dom";
import { ofLevel, patternCovers } from "../shared/seen";

const PLACES: Record<RememberScope, string> = {
  session: "In this session",
  workspace: "In this workspace",
  user: "Everywhere",
};

/** The form; `done` is given what to remember, or null. */
export function alwaysForm(card: TabCard, done: (remember: Remember | null) => void): HTMLElement {
  const name = `always-${card.approvalId}`;
  const patterns = el("textarea", { rows: "3", spellcheck: "false", "aria-label": "Patterns, one a line", class: "mayi-field" });
  const scope = el("select", { "aria-label": "Where it counts", class: "mayi-field" });
  const expires = el("input", { type: "text", class: "mayi-field", placeholder: "no limit, or 30m, 8h, 7d", "aria-label": "Time limit" });
  const uses = el("input", { type: "number", min: "1", class: "mayi-field", placeholder: "no limit", "aria-label": "How often" });
  const problem = el("p", { class: "mayi-problem", role: "alert" });
  let level: Level | undefined;

  const offerScopes = (scopes: readonly RememberScope[]): void => {
    const before = scope.value;
    scope.replaceChildren(...scopes.map((one) => el("option", { value: one }, PLACES[one])));
    const wanted = [before, "workspace"].find((one) => (scopes as readonly string[]).includes(one));
    if (wanted !== undefined) scope.value = wanted;
  };
  const choices = el("fieldset", { class: "mayi-choices" }, el("legend", {}, "Always allow"));
  const offer = (label: Node | string, picked: () => void): void => {
    const radio = el("input", { type: "radio", name });
    radio.addEventListener("change", picked);
    choices.append(el("label", {}, radio, " ", label));
    if (choices.querySelectorAll("input").length === 1) {
      radio.checked = true;
      picked();
    }
  };
  for (const suggestion of card.suggestions) {
    // The sentence says what the pattern grants, and the pattern is what is granted.
    const said = suggestion.patterns.flatMap((one, at) => [at > 0 ? " and " : "", patternCovers(one), " ", el("code", { class: "mayi-code" }, visible(one))]);
    offer(el("span", {}, ...said.map((one) => (typeof one === "string" ? visible(one) : one))), () => {
      level = undefined;
      patterns.disabled = false;
      // Escapes would not be read back: a pattern is edited as it is, without what is invisible in it.
      patterns.value = suggestion.patterns.join("\n");
      offerScopes(SCOPES.filter((one) => suggestion.scopes.includes(one)));
    });
  }
  for (const one of card.server === null ? [] : (card.levels ?? [])) {
    offer(visible(ofLevel(card.server?.name ?? "", one)), () => {
      level = one;
      patterns.disabled = true;
      patterns.value = "";
      offerScopes(SCOPES);
    });
  }

  const confirm = (): void => {
    const kept = patterns.value.split("\n").map((line) => line.trim()).filter((line) => line !== "");
    const count = uses.value.trim() === "" ? null : Number(uses.value);
    if (level === undefined && kept.length === 0) return problem.replaceChildren("Say what is to be allowed: one pattern a line.");
    if (count !== null && (!Number.isInteger(count) || count < 1)) return problem.replaceChildren("How often is a whole number.");
    const limit = expires.value.trim();
    if (limit !== "" && !/^\d+\s*[smhdw]/i.test(limit)) return problem.replaceChildren("A time limit is a number and a unit: 30m, 8h, 7d.");
    if (!oneOf(scope.value, SCOPES)) return;
    done({
      scope: scope.value,
      patterns: level === undefined ? kept : [],
      ...(limit === "" ? {} : { expiresIn: limit }),
      ...(count === null ? {} : { uses: count }),
      ...(level === undefined ? {} : { level }),
    });
  };
  const form = el(
    "div",
    { class: "mayi-form", role: "group", "aria-label": "Always allow" },
    choices,
    patterns,
    el("label", {}, "Where ", scope),
    el("label", {}, "For how long ", expires),
    el("label", {}, "How often ", uses),
    problem,
    el("div", { class: "mayi-actions" }, button("always_confirm", "Always allow", "allow", confirm, { "data-allows": true }), button("always_cancel", "Back", "plain", () => done(null))),
  );
  return form;
}

/** What a denial says besides: why, and whether the same is denied from now on. */
export interface Denial {
  reason: string | null;
  remember: Remember | null;
}

const DENIED: Record<RememberScope, string> = {
  session: "Also the same, in this session",
  workspace: "Also the same, in this workspace",
  user: "Also the same, everywhere",
};

/** "Deny with reason": `done` is given what goes with the denial, or null. */
export function reasonForm(card: TabCard, done: (denial: Denial | null) => void): HTMLElement {
  // An agent that is given by a command has no name that it could be remembered for.
  const scopes = /^(command|api):/.test(card.agentName) ? SCOPES.slice(0, 1) : SCOPES;
  const scope = el("select", { "aria-label": "What is denied", class: "mayi-field" }, el("option", { value: "" }, "Only this call"), ...scopes.map((one) => el("option", { value: one }, DENIED[one])));
  const reason = el("textarea", { rows: "2", class: "mayi-field", "aria-label": "Reason, told to the agent", placeholder: "Told to the agent" });
  const confirm = (): void => {
    const why = reason.value.trim();
    done({ reason: why === "" ? null : why, remember: oneOf(scope.value, SCOPES) ? { scope: scope.value, patterns: [] } : null });
  };
  reason.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) confirm();
  });
  return el(
    "div",
    { class: "mayi-form", role: "group", "aria-label": "Deny with reason" },
    reason,
    el("label", {}, "What is denied ", scope),
    el("div", { class: "mayi-actions" }, button("deny_reason_confirm", "Deny", "deny", confirm), button("deny_reason_cancel", "Back", "plain", () => done(null))),
  );
}
