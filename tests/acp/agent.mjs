// An agent of the Agent Client Protocol that is the TypeScript SDK and nothing else.
//
// usage: node agent.mjs PACKAGES
//
// PACKAGES is the folder that `install` printed. The first text of a prompt is a list of steps as JSON, which the agent has its client
// carry out one after the other: ["read", PATH], ["write", PATH, TEXT], ["run", COMMAND, ARGUMENT...]. Of each it says what came of it,
// as JSON in a message: ["read", PATH, TEXT], or ["read", PATH, {"code": CODE}] where it was refused.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';

// The packages are not beside this file.
const installed = createRequire(join(process.argv[2], 'package.json'));
const acp = await import(pathToFileURL(installed.resolve('@agentclientprotocol/sdk')));

const { fs, session } = acp.methods.client;
let folder;

const steps = {
  async read(client, sessionId, path) {
    return (await client.request(fs.readTextFile, { sessionId, path })).content;
  },
  async write(client, sessionId, path, content) {
    await client.request(fs.writeTextFile, { sessionId, path, content });
    return null;
  },
  async run(client, sessionId, command, ...args) {
    const terminal = await client.createTerminal({ sessionId, command, args, cwd: folder });
    const { exitCode } = await terminal.waitForExit();
    const { output } = await terminal.currentOutput();
    await terminal.release();
    return { exitCode, output };
  },
};

await acp
  .agent({ name: 'mayi-test' })
  .onRequest(acp.methods.agent.initialize, () => ({ protocolVersion: acp.PROTOCOL_VERSION, agentCapabilities: {} }))
  .onRequest(acp.methods.agent.session.new, ({ params }) => {
    folder = params.cwd;
    return { sessionId: 'the only one' };
  })
  .onRequest(acp.methods.agent.session.prompt, async ({ params: { sessionId, prompt }, client }) => {
    for (const [step, ...words] of JSON.parse(prompt[0].text)) {
      const came = await steps[step](client, sessionId, ...words).catch(({ code }) => ({ code }));
      const text = JSON.stringify([step, words[0], came]);
      const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `${text}\n` } };
      await client.notify(session.update, { sessionId, update });
    }
    return { stopReason: 'end_turn' };
  })
  .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin))).closed;
