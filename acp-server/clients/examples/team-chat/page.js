// The page of the team's chat: the card stands in the message that its call belongs to.

// In an app of your own: "mayi-client/card".
import { connectCards } from "./card/index.js";
import { channel, h, place, startChat } from "./shared/chat.js";

const holds = h("ul", { "aria-label": "Tools" });
channel.listen(({ type, tools }) => {
  const words = { allow: "approval not required", ask: "approval required", deny: "denied" };
  if (type === "thread") holds.replaceChildren(...tools.map(({ server, name, effect }) => h("li", {}, `${name} from ${server}: ${words[effect]}`)));
});
startChat({ title: "Team chat", modes: { default: "Ask if tool not pre-approved", auto: "Never ask (dangerous)" } });
document.querySelector("header").append(h("details", {}, h("summary", {}, "Tools"), holds));
connectCards(channel, place);
