// What an agent sent along with a tool call: changes of files, and texts.

import { isFields, list, text } from "../check";

export type CardContent = { type: "diff"; path: string; oldText: string | null; newText: string } | { type: "text"; text: string };

/** The parts of `content`. One whose shape is not known is shown as it came rather than left out. */
export function contentOf(content: unknown): CardContent[] {
  return list(content).map((one) => {
    if (isFields(one) && one["type"] === "diff" && typeof one["path"] === "string" && typeof one["newText"] === "string") {
      return { type: "diff", path: one["path"], oldText: text(one["oldText"]), newText: one["newText"] };
    }
    const inner = isFields(one) && isFields(one["content"]) ? one["content"] : {};
    return { type: "text", text: text(inner["text"]) ?? JSON.stringify(one) ?? "" };
  });
}

const PICTURE = /^data:image\/(png|jpeg|gif|webp|svg\+xml)[;,]/i;

/** The first of a server's icons that holds its own picture: nothing is fetched. */
export function pictureOf(icons: unknown): string | null {
  for (const one of list(icons)) if (isFields(one) && typeof one["src"] === "string" && PICTURE.test(one["src"])) return one["src"];
  return null;
}
