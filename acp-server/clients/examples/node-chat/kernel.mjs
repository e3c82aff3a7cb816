// A kernel that runs nodes, and workflows of nodes: what one gives is the `text` of the next.

const NODES = {
  "text.upper": ({ text }) => text.toUpperCase(),
  "text.reverse": ({ text }) => [...text].reverse().join(""),
  "text.count": ({ text }) => String(text.split(/\s+/).filter(Boolean).length),
};

const WORKFLOWS = { shout_backwards: ["text.upper", "text.reverse"] };

export class Kernel {
  /** How often anything was run. */
  #runs = 0;

  nodes = () => Object.keys(NODES);
  workflows = () => Object.keys(WORKFLOWS);

  runNode(type, inputs) {
    if (!Object.hasOwn(NODES, type)) throw new Error(`there is no node ${type}`);
    return `${NODES[type](inputs)} (run ${(this.#runs += 1)})`;
  }

  runWorkflow(id, params) {
    if (!Object.hasOwn(WORKFLOWS, id)) throw new Error(`there is no workflow ${id}`);
    const text = WORKFLOWS[id].reduce((text, type) => NODES[type]({ text }), params.text);
    return `${text} (run ${(this.#runs += 1)})`;
  }
}
