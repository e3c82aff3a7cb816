// An app on an official client for Node.js. It knows no approvals, and gets nothing but a base URL and a key, by the client's own
// variables.
//
// usage: client.mjs openai|agents plain|stream TEXT...      says one JSON line for each TEXT, which go on from each other
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(`${process.env.MAYI_TEST_RESPONSES}/`);
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const [kind, shape, ...texts] = process.argv.slice(2);
const stream = shape === "stream";
const say = (line) => console.log(JSON.stringify(line));

const tool = { type: "mcp", server_label: "docs", server_url: "https://docs.example/mcp", require_approval: "always" };

function told(response) {
  return {
    id: response.id,
    text: response.output_text,
    types: response.output.map((item) => item.type),
    tokens: response.usage.total_tokens,
  };
}

async function openai() {
  const { OpenAI } = await load("openai");
  const client = new OpenAI();
  let previous;
  for (const text of texts) {
    const asked = { model: "m", input: text, tools: [tool], instructions: "be brief", previous_response_id: previous };
    if (stream) {
      const kinds = [];
      // Puts the response together from its events.
      const events = client.responses.stream(asked);
      for await (const event of events) kinds.push(event.type);
      const response = await events.finalResponse();
      const count = (kind) => kinds.filter((other) => other === kind).length;
      say({ ...told(response), ends: count("response.completed"), begins: count("response.created") });
      previous = response.id;
    } else {
      const response = await client.responses.create(asked);
      say(told(response));
      previous = response.id;
    }
  }
}

async function agents() {
  const { Agent, hostedMcpTool, run } = await load("@openai/agents");
  const hosted = hostedMcpTool({ serverLabel: "docs", serverUrl: "https://docs.example/mcp", requireApproval: "always" });
  const agent = new Agent({ name: "app", model: "m", instructions: "be brief", tools: [hosted] });
  let previous;
  for (const text of texts) {
    const result = await run(agent, text, { stream, previousResponseId: previous });
    if (stream) {
      for await (const _ of result);
      await result.completed;
    }
    previous = result.lastResponseId;
    const last = result.rawResponses.at(-1);
    say({
      id: previous,
      text: result.finalOutput,
      types: last.output.map((item) => item.name ?? item.type),
      interruptions: result.interruptions.length,
      tokens: last.usage.totalTokens,
    });
  }
}

try {
  await (kind === "openai" ? openai() : agents());
} catch (error) {
  say({ raised: error.constructor.name, said: String(error.message) });
}
