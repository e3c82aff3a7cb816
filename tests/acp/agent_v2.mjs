// An agent of version 2 of the Agent Client Protocol that is the TypeScript SDK and nothing else.
//
// usage: node agent_v2.mjs PACKAGES
//
// PACKAGES is the folder that `install` printed. The first text of a prompt is a list of steps as JSON, which the agent goes through one
// after the other; it says of each what came of it, as JSON in a message.
//
//   ["tool", LINE]         asks about a tool call that runs LINE, and runs it if it may
//   ["command", LINE]      asks about a command, and runs it if it may
//   ["spend", AMOUNT]      asks about something that no version of the protocol knows
//   ["mode", MODE, TIMES]  goes into MODE by itself, and waits until it was put into a mode so many times
import { execSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';

// The packages are not beside this file.
const installed = createRequire(join(process.argv[2], 'package.json'));
const acp = await import(pathToFileURL(installed.resolve('@agentclientprotocol/sdk/experimental/v2')));

const { agent: methods, client: theirs } = acp.methods;
const sessionId = 'the only one';
const options = [
  { optionId: 'always', name: 'Always', kind: 'allow_always' },
  { optionId: 'once', name: 'Yes', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
  { optionId: 'new', name: 'Allow', kind: '_allow_new' },
];
let version;
let folder;
let mode = 'free';
let set = [];
let wasSet = () => {};
let number = 0;

const configured = () => [
  {
    type: 'select',
    configId: 'mode',
    name: 'Mode',
    category: 'mode',
    currentValue: mode,
    options: [{ value: 'careful', name: 'Careful' }, { value: 'free', name: 'Free' }],
  },
];

function talk(client) {
  const tell = (update) => client.notify(theirs.session.update, { sessionId, update });
  const is = (state) => tell({ sessionUpdate: 'state_update', ...state });
  const says = async (what) => {
    const content = { type: 'text', text: `${JSON.stringify(what)}\n` };
    await tell({ sessionUpdate: 'agent_message_chunk', messageId: 'said', content });
  };
  // The id of the option that was picked.
  const asks = async (subject) => {
    await is({ state: 'requires_action' });
    const question = { sessionId, title: 'May I?', description: 'It is harmless', subject, options };
    const { outcome } = await client.request(theirs.session.requestPermission, question);
    await is({ state: 'running' });
    return outcome.outcome === 'selected' ? outcome.optionId : outcome.outcome;
  };
  const call = (line, more) => ({ toolCallId: `call-${number}`, title: line, kind: 'execute', rawInput: { command: line }, ...more });
  const runs = async (line, picked) => {
    const status = picked === 'once' ? 'completed' : 'failed';
    if (picked === 'once') execSync(line, { cwd: folder });
    await tell({ sessionUpdate: 'tool_call_update', ...call(line, { status }) });
    return picked;
  };
  const steps = {
    async tool(line) {
      await tell({ sessionUpdate: 'tool_call_update', ...call(line, { status: 'pending' }) });
      return runs(line, await asks({ type: 'tool_call', toolCall: call(line) }));
    },
    async command(line) {
      return runs(line, await asks({ type: 'command', command: line, cwd: folder }));
    },
    async spend(amount) {
      return asks({ type: '_spend', amount });
    },
    async mode(wanted, times) {
      mode = wanted;
      set = [];
      const enough = new Promise((resolve) => { wasSet = () => set.length >= times && resolve(); });
      await tell({ sessionUpdate: 'config_option_update', configOptions: configured() });
      await enough;
      return set;
    },
  };
  return async (prompt) => {
    await is({ state: 'running' });
    await says(['version', version]);
    for (const [step, ...words] of prompt) {
      number += 1;
      await says([step, words[0], await steps[step](...words)]);
    }
    await is({ state: 'idle', stopReason: 'end_turn' });
  };
}

await acp
  .agent({ name: 'mayi-test' })
  .onRequest(methods.initialize, ({ params }) => {
    version = params.protocolVersion;
    const info = { name: 'mayi-test', version: '1' };
    return { protocolVersion: acp.PROTOCOL_VERSION, info, capabilities: { session: {} } };
  })
  .onRequest(methods.session.new, ({ params }) => {
    folder = params.cwd;
    return { sessionId, configOptions: configured() };
  })
  .onRequest(methods.session.setConfigOption, ({ params }) => {
    mode = params.value;
    set.push(mode);
    wasSet();
    return { configOptions: configured() };
  })
  .onRequest(methods.session.prompt, ({ params, client }) => {
    // The answer says that the prompt was taken, and the work begins after it.
    const steps = JSON.parse(params.prompt[0].text);
    setImmediate(() => talk(client)(steps).catch((error) => {
      process.stderr.write(`${error.stack}\n`);
      process.exit(1);
    }));
    return { messageId: 'prompt' };
  })
  .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin))).closed;
