// @ts-check
// VS Code in a browser: code-server with a profile, a home and folders of its own, and the extension linked, or installed from a
// package.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { editorFolder, extension } from './places.mjs';
import { start } from './processes.mjs';
import { until } from './until.mjs';

/** Nothing that greets, updates, calls home or offers an assistant of its own. */
const QUIET = {
  'security.workspace.trust.enabled': false,
  'workbench.startupEditor': 'none',
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'workbench.welcomePage.walkthroughs.openOnInstall': false,
  'chat.disableAIFeatures': true,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'git.enabled': false,
};

/** The editor may take so long to listen, in milliseconds: the first time its 600 MB come from the disk. */
const STARTS = 120_000;

/**
 * Starts the editor on the stage's project.
 * @param {import('./stage.mjs').Stage} stage
 * @param {{ settings?: Record<string, unknown>, machine?: Record<string, unknown>, others?: string[], vsix?: string,
 *   installed?: (extensions: string) => void }} [options] settings of the user, and of the machine; folders of other extensions, of
 *   which there will be copies; a package of the extension, which is installed in the place of the checkout's, and what is told of
 *   the folder that it is in then
 */
export async function startEditor(stage, { settings = {}, machine = {}, others = [], vsix, installed } = {}) {
  const folder = editorFolder();
  const [profile, extensions, log] = [stage.at('user-data'), stage.at('extensions'), stage.at('editor.log')];
  mkdirSync(join(profile, 'User'), { recursive: true });
  mkdirSync(extensions, { recursive: true });
  const settingsFile = join(profile, 'User/settings.json');
  writeFileSync(settingsFile, JSON.stringify({ ...QUIET, ...settings }, null, 2));
  // Settings of the machine's scope count only there, since the extension runs beside the server.
  mkdirSync(join(profile, 'Machine'), { recursive: true });
  writeFileSync(join(profile, 'Machine/settings.json'), JSON.stringify(machine, null, 2));
  const [node, entry] = [join(folder, 'bin/node'), join(folder, 'code-server/node_modules/code-server/out/node/entry.js')];
  const places = ['--user-data-dir', profile, '--extensions-dir', extensions];
  const env = { ...stage.env, EXTENSIONS_GALLERY: '{"serviceUrl":""}' };
  if (vsix === undefined) {
    const { publisher, name, version } = JSON.parse(readFileSync(join(extension, 'package.json'), 'utf8'));
    symlinkSync(extension, join(extensions, `${publisher}.${name}-${version}`));
  } else {
    execFileSync(node, [entry, ...places, '--install-extension', vsix], { env, cwd: stage.folder, stdio: 'pipe' });
    installed?.(extensions);
  }
  for (const other of others) cpSync(other, join(extensions, basename(other)), { recursive: true });

  const server = start(
    node,
    [entry, '--bind-addr', '127.0.0.1:0', '--auth', 'none', '--disable-telemetry', '--disable-update-check',
      '--disable-workspace-trust', '--disable-getting-started-override', ...places, stage.project],
    { env, cwd: stage.folder, log },
  );
  const lines = () => readFileSync(log, 'utf8');
  const url = await until(`the editor listens:\n${log}`, () => /HTTP server listening on (http:\S+)/.exec(lines())?.[1], STARTS);
  return {
    url,
    stop: server.stop,
    /** What the user's settings are now. */
    settings: () => /** @type {Record<string, any>} */ (JSON.parse(readFileSync(settingsFile, 'utf8'))),
    log: lines,
  };
}
