// A change of a card in the editor's own view of differences: the file as it is beside what it would become.

import { readFile, stat } from "node:fs/promises";
import { basename, isAbsolute } from "node:path";

import * as vscode from "vscode";

import type { TabCard } from "../api";
import { because } from "../check";
import { contentOf } from "../model/content";
import { sides } from "../model/sides";
import { visible } from "../text/visible";

const SCHEME = "mayi-change";
/** A larger file is not read for this: only the part that changes is shown. */
const LARGE = 8 * 1024 * 1024;
/** So many texts are kept for views that are open. */
const KEPT = 20;

/** Opens views of changes. */
export class Compare implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly registered = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  private count = 0;

  /** The text of one side. */
  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.query) ?? "";
  }

  /** Shows the change in that place among what came with the call. */
  async show(card: TabCard, at: number): Promise<void> {
    const change = contentOf(card.toolCall.content)[at];
    if (change?.type !== "diff") return;
    const { before, after, whole } = sides(change, await now(change.path));
    const name = visible(basename(change.path));
    const id = String(++this.count);
    const uri = (side: string, text: string): vscode.Uri => {
      this.texts.set(`${id}-${side}`, text);
      return vscode.Uri.from({ scheme: SCHEME, path: `/${name}`, query: `${id}-${side}` });
    };
    for (const old of [...this.texts.keys()].slice(0, Math.max(0, this.texts.size - 2 * KEPT))) this.texts.delete(old);
    try {
      await vscode.commands.executeCommand("vscode.diff", uri("before", before), uri("after", after), `${name}: what would change${whole ? "" : " (a part of the file)"}`, { preview: true });
    } catch (error) {
      void vscode.window.showErrorMessage(`mayi: ${visible(because(error)).replace(/[[\]]/g, "")}`);
    }
  }

  dispose(): void {
    this.registered.dispose();
  }
}

/** What the file holds now; null where that is not known. */
async function now(path: string): Promise<string | null> {
  if (!isAbsolute(path)) return null;
  try {
    const { size, isFile } = await stat(path).then((found) => ({ size: found.size, isFile: found.isFile() }));
    return isFile && size <= LARGE ? await readFile(path, "utf8") : null;
  } catch {
    return null;
  }
}
