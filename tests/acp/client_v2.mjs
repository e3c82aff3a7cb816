// A client of version 2 of the Agent Client Protocol that is the TypeScript SDK and nothing else.
//
// usage: node client_v2.mjs ANSWER CWD PROMPT COMMAND...
//
// It does what client.mjs does in version 1, and writes the same lines. A prompt's answer says only that it was taken: the turn ends
// where the agent says that it is idle.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';

// The packages are not beside this file.
const installed = createRequire(join(process.env.MAYI_TEST_ACP, 'package.json'));
const acp = await import(pathToFileURL(installed.resolve('@agentclientprotocol/sdk/experimental/v2')));

const [answer, cwd, prompt, program, ...words] = process.argv.slice(2);
const say = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);

const agent = spawn(program, words, { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
const ended = new Promise((resolve) => agent.once('close', resolve));
let idle;
const over = new Promise((resolve) => { idle = resolve; });
const stream = acp.ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout));
try {
  await acp
    .client({ name: 'mayi-test' })
    .onRequest(acp.methods.client.session.requestPermission, ({ params }) => {
      const picked = params.options.find((option) => option.kind === answer)?.optionId;
      const { title, description, subject, options } = params;
      say({ asked: { title, description, subject }, options, picked: picked ?? null });
      return { outcome: picked === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: picked } };
    })
    .onNotification(acp.methods.client.session.update, ({ params: { update } }) => {
      say({ update });
      if (update.sessionUpdate === 'state_update' && update.state === 'idle') idle(update.stopReason);
    })
    .connectWith(stream, async (context) => {
      const info = { name: 'mayi-test', version: '1' };
      const asked = { protocolVersion: acp.PROTOCOL_VERSION, info, capabilities: {} };
      const { protocolVersion } = await context.request(acp.methods.agent.initialize, asked);
      say({ version: protocolVersion });
      const { sessionId, configOptions } = await context.request(acp.methods.agent.session.new, { cwd, mcpServers: [] });
      say({ configured: configOptions ?? [] });
      const text = { type: 'text', text: prompt };
      await context.request(acp.methods.agent.session.prompt, { sessionId, prompt: [text] });
      say({ stop: await over });
    });
} catch (error) {
  say({ raised: error.name, said: String(error.message) });
}
agent.stdin.end();
// Not every agent ends with its input.
const patience = setTimeout(() => agent.kill(), 15_000);
await ended;
clearTimeout(patience);
