// @ts-check
// An app before a Responses API, with `mayi responses` between: the endpoint is the one of the Rust tests.

import { spawn } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { mayi } from './places.mjs';

/**
 * Starts a program that tells of itself in its first line, which is JSON.
 * @param {string} program
 * @param {string[]} args
 * @param {{ env: Record<string, string>, cwd: string, log: string }} options
 */
async function telling(program, args, { env, cwd, log }) {
  const child = spawn(program, args, { env, cwd, stdio: ['pipe', 'pipe', openSync(log, 'a')] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value);
  const ended = new Promise((resolve) => { child.once('exit', resolve); });
  return { child, next, said: await next(), stop: () => { child.kill(); return ended; } };
}

/**
 * @param {import('./stage.mjs').Stage} stage whose person has `mayi responses` stand before an endpoint
 * @param {string[]} [options]
 */
export async function startResponses(stage, options = []) {
  const at = { env: stage.env, cwd: stage.project, log: stage.at('responses.log') };
  const endpoint = await telling(join(mayi(), '../responses_endpoint'), [], at);
  const door = await telling(mayi(), ['responses', '--upstream', endpoint.said.url, '--key-env', 'UPSTREAM_KEY', ...options],
    { ...at, env: { ...stage.env, UPSTREAM_KEY: endpoint.said.key } });
  const key = readFileSync(door.said.tokenFile, 'utf8').trim();
  return {
    /** The tools that ran at the endpoint. @returns {Promise<string[]>} */
    async ran() {
      endpoint.child.stdin.write('ran\n');
      return endpoint.next();
    },
    /** What an app gets that has the model call these tools, round by round: the whole stream. @param {string[][]} rounds */
    async ask(rounds) {
      const tools = [{ type: 'mcp', server_label: 'docs', server_url: 'https://docs.example/mcp', require_approval: 'always' }];
      const body = JSON.stringify({ model: 'm', input: JSON.stringify(rounds), stream: true, tools });
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const answer = await fetch(`${door.said.url}/responses`, { method: 'POST', headers, body });
      return answer.text();
    },
    async stop() {
      await door.stop();
      await endpoint.stop();
    },
  };
}
