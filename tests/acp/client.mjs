// A client of the Agent Client Protocol that is the TypeScript SDK and nothing else.
//
// usage: node client.mjs ANSWER CWD PROMPT COMMAND...
//
// The SDK's package is published without its examples, so this is a thin one on its public API, as its README has it. It does what
// client.py does, and writes the same lines.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';

// The packages are not beside this file.
const installed = createRequire(join(process.env.MAYI_TEST_ACP, 'package.json'));
const acp = await import(pathToFileURL(installed.resolve('@agentclientprotocol/sdk')));

const [answer, cwd, prompt, program, ...words] = process.argv.slice(2);
const say = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);

const agent = spawn(program, words, { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
const ended = new Promise((resolve) => agent.once('close', resolve));
const stream = acp.ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout));
try {
  await acp
    .client({ name: 'mayi-test' })
    .onRequest(acp.methods.client.session.requestPermission, ({ params }) => {
      const picked = params.options.find((option) => option.kind === answer)?.optionId;
      say({ asked: params.toolCall, options: params.options, picked: picked ?? null });
      return { outcome: picked === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: picked } };
    })
    .onNotification(acp.methods.client.session.update, ({ params }) => say({ update: params.update }))
    .connectWith(stream, async (context) => {
      await context.request(acp.methods.agent.initialize, { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: {} });
      const { sessionId } = await context.request(acp.methods.agent.session.new, { cwd, mcpServers: [] });
      const text = { type: 'text', text: prompt };
      const { stopReason } = await context.request(acp.methods.agent.session.prompt, { sessionId, prompt: [text] });
      say({ stop: stopReason });
    });
} catch (error) {
  say({ raised: error.name, said: String(error.message) });
}
agent.stdin.end();
// Not every agent ends with its input.
const patience = setTimeout(() => agent.kill(), 15_000);
await ended;
clearTimeout(patience);
