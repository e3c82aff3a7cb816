// Calls tools of a server of files, and says what a person has to be asked before.

import { readdir, readFile, writeFile } from "node:fs/promises";
import { relative } from "node:path";

import { inFolder, isBelow } from "../shared/paths.mjs";

const SERVER = "files";

/** What each does, as this app's user configured it; and how it is done. */
const TOOLS = {
  list_directory: { category: "read", run: async (folder) => (await readdir(folder)).sort().join("\n") },
  read_file: { category: "read", run: (folder, { path }) => readFile(within(folder, path), "utf8") },
  write_file: { category: "write", run: (folder, { path, text }) => writeFile(within(folder, path), text).then(() => `${relative(folder, path)} is written`) },
};

export class ToolManager {
  /**
   * @param {import("../../typescript/index.js").Chat} chat
   * @param {string} folder
   * @param {(step: string) => void} note
   */
  constructor(chat, folder, note) {
    Object.assign(this, { chat, folder, note });
  }

  /** Offers the tools. */
  offer() {
    return this.chat.tools(Object.entries(TOOLS).map(([name, { category }]) => ({ server: SERVER, name, category })));
  }

  /**
   * Runs a call, or tells that it needs a permission. Once that is there, it is called again.
   * @param {{ id: string, name: string, params: any }} toolCall
   * @param {(card: any, settled: AbortSignal) => void} onCard where another card takes the place of the first
   */
  async callTool(toolCall, onCard) {
    const { id, name } = toolCall;
    const params = inFolder(this.folder, toolCall.params);
    const asked = await this.#checkPermission({ id, name, params }, onCard);
    if (asked.card) {
      const { card, settled, decided } = asked;
      const { permissionType, accesses } = card;
      const permissionRequest = { toolName: name, serverName: SERVER, permissionType, description: accesses.map(({ display }) => display).join(", ") };
      this.note("TM-->>LLM: PermissionRequiredResponse");
      return { toolCallId: id, content: "", isError: false, requiresPermission: true, permissionRequest, card, settled, decided };
    }
    const { allowed, reason, outcome } = asked.verdict;
    if (!allowed) return { toolCallId: id, content: `This call did not run: ${reason ?? outcome}`, isError: true };
    // What was done is done: a report that fails takes nothing of it away. Otherwise the model might do it again.
    const report = (status) => this.chat.report(id, status).catch((error) => this.note(`not reported as ${status}: ${error.message}`));
    await report("started");
    let content;
    try {
      content = await TOOLS[name].run(this.folder, params);
    } catch (error) {
      await report("failed");
      return { toolCallId: id, content: error.message, isError: true };
    }
    await report("completed");
    this.note("TM-->>LLM: success response");
    return { toolCallId: id, content, isError: false };
  }

  /** The verdict, or the card of what a person is asked, whichever is there first. The same id is the same question. */
  async #checkPermission({ id, name, params }, onCard) {
    this.note("TM->>TM: checkPermission()");
    const call = { kind: "mcp", server: SERVER, tool: name, arguments: params };
    let decided;
    const asked = new Promise((resolve) => {
      let show = (card, settled) => {
        resolve({ card, settled, decided });
        show = onCard;
      };
      decided = this.chat.ask(id, call, { tool: name, category: TOOLS[name].category, onCard: (...shown) => show(...shown) });
    });
    return Promise.race([asked, decided.then((verdict) => ({ verdict }))]);
  }
}

/** A path below the folder, and nowhere else. */
function within(folder, path) {
  if (!isBelow(folder, path)) throw new Error(`${path} is outside of ${folder}`);
  return path;
}
