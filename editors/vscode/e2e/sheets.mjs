// @ts-check
// Contact sheets of the pictures of cards: one for each theme.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { startBrowser } from './lib/browser.mjs';
import { screenshotFolder } from './lib/places.mjs';

const folder = join(screenshotFolder(), 'cards');
const pictures = readdirSync(folder).flatMap((file) => {
  const found = /^(.+)-(240|400|700|phone)-(light|dark)\.png$/.exec(file);
  return found ? [{ file, kind: found[1] ?? '', width: found[2] ?? '', theme: found[3] ?? '' }] : [];
});
const browser = await startBrowser();
for (const theme of ['light', 'dark']) {
  const of = pictures.filter((one) => one.theme === theme);
  const rows = [...new Set(of.map(({ kind }) => kind))].map((kind) => `<tr><th>${kind}</th>${['240', '400', '700', 'phone'].map((width) => {
    const one = of.find((picture) => picture.kind === kind && picture.width === width);
    const size = width === 'phone' ? ' width="390"' : '';
    return `<td>${one ? `<img${size} src="data:image/png;base64,${readFileSync(join(folder, one.file)).toString('base64')}">` : ''}</td>`;
  }).join('')}</tr>`);
  const page = await browser.newPage({ viewport: { width: 1900, height: 1000 } });
  await page.setContent(`<style>body { margin: 12px; font: 14px sans-serif; background: ${theme === 'light' ? '#fff' : '#222'}; color: ${theme === 'light' ? '#222' : '#eee'} } td { vertical-align: top; padding: 6px } th { text-align: start; vertical-align: top; padding: 6px }</style>
    <table><tr><th></th><th>240</th><th>400</th><th>700</th><th>phone</th></tr>${rows.join('')}</table>`);
  const path = join(screenshotFolder(), `sheet-${theme}.png`);
  await page.screenshot({ path, fullPage: true });
  console.log(path);
}
await browser.close();
