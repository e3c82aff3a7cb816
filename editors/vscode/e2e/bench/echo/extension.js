// The least that an extension can do with a webview: it sends a message, and the page sends it back; a button is clicked,
// and the page says so. What that takes is VS Code's own and the browser's, and a floor for every other extension.
// The times go into `echoed.json` beside this file.

const { renameSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const vscode = require('vscode');

const [WARM, ROUNDS, PAUSE] = [10, 100, 20];

/** Milliseconds since 1970. */
const now = () => performance.timeOrigin + performance.now();

const page = `<!DOCTYPE html><html><body><button id="echo">clicked 0 times</button><button id="close">close</button><script>
const vscode = acquireVsCodeApi();
const button = document.getElementById('echo');
let clicks = 0;
button.addEventListener('click', (event) => {
  button.textContent = 'clicked ' + ++clicks + ' times';
  vscode.postMessage({ clicked: performance.timeOrigin + event.timeStamp });
});
document.getElementById('close').addEventListener('click', () => vscode.postMessage({ close: true }));
window.addEventListener('message', ({ data }) => vscode.postMessage({ ...data, got: performance.timeOrigin + performance.now() }));
vscode.postMessage({ round: -1 });
</script></body></html>`;

exports.activate = () => {
  const panel = vscode.window.createWebviewPanel('echo', 'Echo', vscode.ViewColumn.One, { enableScripts: true });
  const times = { to: [], back: [], clicks: [] };
  const keep = () => {
    const file = join(__dirname, 'echoed.json');
    writeFileSync(`${file}.new`, JSON.stringify(times));
    renameSync(`${file}.new`, file);
  };
  panel.webview.onDidReceiveMessage(({ round, sent, got, clicked, close }) => {
    if (close) return panel.dispose();
    if (clicked !== undefined) {
      times.clicks.push(now() - clicked);
      return keep();
    }
    if (round >= WARM) {
      times.to.push(got - sent);
      times.back.push(now() - got);
    }
    if (round + 1 < WARM + ROUNDS) setTimeout(() => panel.webview.postMessage({ round: round + 1, sent: now() }), PAUSE);
    else keep();
  });
  panel.webview.html = page;
};
