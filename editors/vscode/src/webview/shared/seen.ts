// Whether what is asked was in sight, and how changes are shown: as on the page (acp-server/ui).

export { diff, type Row } from "../../../../../acp-server/ui/diff.js";
export { FOLD, foldOf, Seen } from "../../../../../acp-server/ui/seen.js";
export { ofLevel, patternCovers, sessionCovers } from "../../../../../acp-server/ui/wording.js";
