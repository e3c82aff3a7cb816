// What the model can do: always all of it. What becomes of a call is the mode's and the person's.

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

import { inFolder } from "../shared/paths.mjs";
import { Kernel } from "./kernel.mjs";

const KERNEL = "kernel";
const kernel = new Kernel();
const folder = process.cwd();

/**
 * The tools: what each does, and how. `call` says it in mayi's words, where a name would not say enough: a rule about files is to
 * know of a file that is written. Those with a `call` are the app's own, the others the kernel's.
 */
export const TOOLBELT = {
  list_nodes: { category: "read", run: () => kernel.nodes().join(", ") },
  list_workflows: { category: "read", run: () => kernel.workflows().join(", ") },
  read_file: { category: "read", call: ({ path }) => ({ kind: "read", path }), run: ({ path }) => readFile(path, "utf8") },
  write_file: {
    category: "write",
    call: ({ path }) => ({ kind: "write", path }),
    diffs: async ({ path, text }) => [{ path, oldText: await readFile(path, "utf8").catch(() => null), newText: text }],
    run: async ({ path, text }) => {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
      return `${path} is written`;
    },
  },
  run_node: { category: "execute", run: ({ node_type, inputs }) => kernel.runNode(node_type, inputs) },
  run_workflow: { category: "execute", run: ({ workflow_id, params }) => kernel.runWorkflow(workflow_id, params) },
};

/** The beginning of what the model is told. */
export const ABOUT = `You can run any node (run_node) and any workflow (run_workflow), list both, read and write files, and give a part of the work to a sub-agent (run_subtask). Tools: ${Object.keys(TOOLBELT).join(", ")}, run_subtask.`;

/** The tools as mayi is told of them, each as its calls are asked about. */
export const OFFERED = Object.entries(TOOLBELT).map(([name, { category, call }]) => ({ ...(call ? {} : { server: KERNEL }), name, category }));

/**
 * What mayi is asked before a tool runs, and what runs then: both of the same arguments. The kernel is asked about as a server is: an
 * answer for the chat is then about the tool, with any arguments.
 */
export async function prepare({ name, arguments: written }) {
  const { category, call, diffs, run } = TOOLBELT[name];
  const input = inFolder(folder, written);
  const execute = () => run(input);
  if (call === undefined) return { call: { kind: "mcp", server: KERNEL, tool: name, arguments: input }, options: { tool: name, category }, execute };
  return { call: call(input), options: { tool: name, input: written, category, ...(diffs ? { diffs: await diffs(input) } : {}) }, execute };
}
