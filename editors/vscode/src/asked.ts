// What a card asks, in the words that the page has too (acp-server/ui): one text, one bundle of each.

export { atAGlance, headline, headlineText, isFromOutside, isServerCall, reasons, relative, writtenLine } from "../../../acp-server/ui/asked.js";
export { marked } from "../../../acp-server/ui/marks.js";
