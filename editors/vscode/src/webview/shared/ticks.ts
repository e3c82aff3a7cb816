// Which cards can be answered together, and when a press does: as on the page (acp-server/ui).

export { answersAll, isTickable } from "../../../../../acp-server/ui/ticks.js";
