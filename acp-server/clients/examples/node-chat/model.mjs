// A model that is a script: it reads what it is told of its mode, and the conversation. It wants tools as its person says: `nodes`,
// `node text.upper "hello"`, `workflow shout_backwards "hello"`, `write notes.txt "milk"`, `subtask: node text.upper "hi"`. In the
// mode plan it only says what it would do, unless its person says `anyway`.

import { heard } from "../shared/thread.mjs";

/** What it says next, and the calls that it wants. */
export function respond(system, messages) {
  const { said, made } = heard(messages);
  if (made.length > 0) return { text: made.map(({ name, result }) => `${name}: ${result}`).join("\n"), calls: [] };
  const calls = wishes(said);
  if (calls.length === 0) return { text: "Say what to run, to write or to list.", calls };
  const isPlan = /^Mode: plan/m.test(system) && !/\banyway\b/.test(said);
  if (isPlan) return { text: `My plan: ${calls.map(({ name, arguments: input }) => `${name} ${JSON.stringify(input)}`).join(", then ")}`, calls: [] };
  return { text: "", calls };
}

function wishes(said) {
  const calls = [];
  const want = (name, input) => calls.push({ name, arguments: input });
  const subtask = /\bsubtask: (.*)$/i.exec(said);
  if (subtask) want("run_subtask", { task: subtask[1] });
  const own = said.slice(0, subtask?.index);
  if (/\bnodes\b/i.test(own)) want("list_nodes", {});
  for (const [, node_type, text] of own.matchAll(/\bnode ([\w.]+) "(.*?)"/gi)) want("run_node", { node_type, inputs: { text } });
  for (const [, workflow_id, text] of own.matchAll(/\bworkflow (\w+) "(.*?)"/gi)) want("run_workflow", { workflow_id, params: { text } });
  for (const [, path, text] of own.matchAll(/\bwrite ([\w./~-]+) "(.*?)"/gi)) want("write_file", { path, text });
  return calls;
}
