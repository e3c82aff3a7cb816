// @ts-check
// A real agent without an account: its model is a script on loopback, as in tests/tests/real_agents.

import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { agentsFolder, mayi, repository, scriptedModel } from './places.mjs';
import { start } from './processes.mjs';
import { until } from './until.mjs';

/** Why there are no real agents here; null if there are. */
export function withoutAgents() {
  if (!agentsFolder()) return 'MAYI_TEST_AGENTS is not the folder that tests/agents/install prints';
  return scriptedModel() ? null : 'there is no scripted_model beside the program under test: build the workspace';
}

/**
 * Starts the model, and says how the extension is told to start the agent.
 * @param {import('./stage.mjs').Stage} stage
 * @param {'claude' | 'codex'} agent
 */
export async function realAgent(stage, agent) {
  const log = stage.at('model.log');
  const model = start(/** @type {string} */ (scriptedModel()), ['--log', stage.at('model.jsonl')], { env: stage.env, cwd: stage.folder, log });
  const port = await until('the model listens', () => /"port":(\d+)/.exec(readFileSync(log, 'utf8'))?.[1]);
  mkdirSync(stage.at('agent'), { recursive: true });
  const args = [agent, /** @type {string} */ (agentsFolder()), port, stage.at('agent'), stage.project];
  // Codex's older adapter has other modes than the one that the preset of that name starts.
  const name = agent === 'codex' ? 'codex-acp' : agent;
  const settings = {
    'mayi.defaultAgent': name,
    'mayi.agents': { [name]: { command: join(repository, 'tests/agents/launch'), args } },
    'mayi.servers': { mini: { command: join(dirname(mayi()), 'mini_mcp'), approval: 'required' } },
  };
  return { name, settings, stop: model.stop };
}
