// The History view's side of the extension: what was decided, what it comes to, and what a configuration can begin with.

import type { Call, Stats, TemplateInfo } from "../api";
import { because } from "../check";
import { parseEntries } from "../model/history";
import type { FromWebview } from "../messages";
import type { Panel } from "../views/panel";

/** So many entries are shown at once. */
const PAGE = 50;

/** Fills the view. */
export class History {
  private templates: TemplateInfo[] = [];

  constructor(
    private readonly call: Call,
    private readonly panel: Panel,
    private readonly folder: () => string | null,
    /** Shows a text as a new file that is nowhere yet. */
    private readonly open: (text: string) => Promise<void>,
  ) {}

  /** Shows the newest entries before `before` that hold `contains`, and the figures. */
  async show(contains: string, before: number | null): Promise<void> {
    const cwd = this.folder();
    try {
      const [found, stats, templates] = await Promise.all([
        this.call("log/query", {
          limit: PAGE,
          kinds: ["decided", "answered", "expired", "cancelled", "unasked", "granted", "revoked"],
          ...(contains === "" ? {} : { contains }),
          ...(before === null ? {} : { before }),
        }),
        this.call("log/stats", {}),
        this.call("templates/list", cwd === null ? {} : { cwd }),
      ]);
      this.templates = templates;
      this.post(contains, before, found, stats, null);
    } catch (error) {
      this.post(contains, before, [], null, because(error));
    }
  }

  async heard(message: FromWebview): Promise<void> {
    if (message.type === "ready" || message.type === "refresh") return this.show("", null);
    if (message.type === "history-query") return this.show(message.contains, message.before);
    if (message.type !== "template") return;
    const chosen = this.templates.find((one) => one.name === message.name);
    if (chosen !== undefined) await this.open(chosen.text);
  }

  private post(contains: string, before: number | null, found: unknown[], stats: Stats | null, problem: string | null): void {
    const templates = this.templates.map(({ name, about }) => ({ name, about }));
    const entries = parseEntries(found);
    this.panel.post({ type: "history", contains, before, entries, more: found.length === PAGE, stats, templates, problem });
  }
}
