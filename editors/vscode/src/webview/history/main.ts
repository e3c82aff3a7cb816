// What was decided and answered, newest first; figures of it; and what a configuration can begin with.

import type { Counts, Stats } from "../../api";
import type { ToWebview } from "../../messages";
import type { HistoryEntry } from "../../model/history";
import { visible } from "../../text/visible";
import { code } from "../shared/data";
import { button, el } from "../shared/dom";
import { hear, send } from "../shared/host";
import "./history.css";

type Shown = Extract<ToWebview, { type: "history" }>;

const main = el("main", {});
document.body.append(main);

const COLUMNS: [string, keyof Counts][] = [
  ["Calls", "calls"],
  ["Allowed", "allowed"],
  ["Denied", "denied"],
  ["Asked", "asked"],
  ["Yes", "approved"],
  ["No", "refused"],
  ["Unasked", "unasked"],
];

function figures(stats: Stats | null): HTMLElement {
  if (stats === null || stats.all.calls === 0) return el("p", { class: "mayi-empty" }, "Nothing is recorded.");
  const row = (name: string, counts: Counts): HTMLElement => el("tr", {}, el("td", {}, visible(name)), ...COLUMNS.map(([, key]) => el("td", {}, counts[key] === 0 ? "–" : String(counts[key]))));
  const head = el("tr", {}, el("th", {}, "Agent"), ...COLUMNS.map(([title]) => el("th", { scope: "col" }, title)));
  return el("table", { "aria-label": "Figures" }, head, row("all", stats.all), ...stats.agents.map((one) => row(one.name, one)));
}

function entry(one: HistoryEntry): HTMLElement {
  const facts = [one.kind === "decided" ? "" : one.kind, one.effect ?? "", one.agent ?? "", one.by === null ? "" : `by ${one.by}`].filter((fact) => fact !== "");
  return el(
    "li",
    { "data-seq": String(one.seq) },
    el("span", { class: "mayi-note inline" }, new Date(one.at).toLocaleString()),
    ` ${visible(facts.join(", "))} `,
    one.access === null ? null : code(one.access),
  );
}

function draw(shown: Shown): void {
  const filter = el("input", { class: "mayi-field", type: "search", "aria-label": "Show what holds this text", placeholder: "Filter" });
  filter.value = shown.contains;
  filter.addEventListener("change", () => send({ type: "history-query", contains: filter.value.trim(), before: null }));
  const last = shown.entries.at(-1);
  main.replaceChildren(
    ...(shown.problem === null ? [] : [el("p", { class: "mayi-problem", role: "alert" }, visible(shown.problem))]),
    el("h2", {}, "Figures"),
    figures(shown.stats),
    el("h2", {}, "History"),
    el("div", { class: "row" }, filter, button("refresh", "Newest", "plain", () => send({ type: "history-query", contains: filter.value.trim(), before: null }))),
    shown.entries.length === 0 ? el("p", { class: "mayi-empty" }, "Nothing like that is recorded.") : el("ol", { "aria-label": "History" }, ...shown.entries.map(entry)),
    ...(shown.more && last !== undefined ? [button("older", "Older", "plain", () => send({ type: "history-query", contains: shown.contains, before: last.seq }))] : []),
    el("h2", {}, "Begin with a template"),
    ...shown.templates.map(({ name, about }) =>
      el("div", { class: "row", "data-template": name }, el("span", { class: "name" }, visible(name)), button("template", "Open", "plain", () => send({ type: "template", name }), { "aria-label": `Open ${visible(name)}` }), el("p", { class: "mayi-note" }, visible(about))),
    ),
  );
}

hear((message) => {
  if (message.type === "history") draw(message);
});
send({ type: "ready" });
