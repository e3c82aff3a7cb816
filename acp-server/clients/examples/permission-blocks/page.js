// The page of a chat of blocks: what kind of permission is asked for stands first.

// In an app of your own: "mayi-client/card".
import { connectCards } from "./card/index.js";
import { channel, h, place, startChat } from "./shared/chat.js";

/** A block that asks, or has asked. */
function permission({ block, by }) {
  const { permissionType, serverName, toolName, needsUserAction } = block.extra;
  const head = [h("span", { class: "kind" }, permissionType), ` ${toolName} from ${serverName}`];
  return [h("p", {}, ...head, needsUserAction ? ": your permission is needed" : `: ${block.status}${by ? ` by ${by}` : ""}`)];
}

const steps = h("ol");
channel.listen((message) => {
  if (message.type === "thread") steps.replaceChildren(...message.steps.map((step) => h("li", {}, step)));
});
startChat({ title: "Permission blocks", draw: { tool_call_permission: permission } });
document.querySelector("header").append(h("details", { "aria-label": "Steps" }, h("summary", {}, "What happened"), steps));
connectCards(channel, place);
