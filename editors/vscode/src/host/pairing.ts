// Pairing a second screen: the code to be typed there, and where the page is, also as a picture that a phone's camera reads.
// The code is in no address, so it is not in the picture.

import { encode } from "uqr";
import * as vscode from "vscode";

import type { Pairing } from "../api";
import { visible } from "../text/visible";

const PICTURE = "Show QR Code";
const COPY = "Copy Address";

/** Says the code, and how to come to the page. */
export async function invite({ code, url, expiresAt }: Pairing): Promise<void> {
  const until = ` It counts until ${new Date(expiresAt).toLocaleTimeString()}.`;
  const picked = await vscode.window.showInformationMessage(
    `Type this code on the page: ${code}`,
    { modal: true, detail: `Open ${url} on the other screen and type the code there, once.${until}` },
    PICTURE,
    COPY,
  );
  if (picked === COPY) await vscode.env.clipboard.writeText(url);
  if (picked === PICTURE) show(code, url);
}

function show(code: string, url: string): void {
  const panel = vscode.window.createWebviewPanel("mayi.pairing", "mayi: a second screen", vscode.ViewColumn.Active, { enableScripts: false, localResourceRoots: [] });
  panel.webview.html = page(code, url);
}

/** The page with the picture. It holds no script. */
export function page(code: string, url: string): string {
  const text = (value: string): string => visible(value).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const { data, size } = encode(url, { ecc: "M", border: 4 });
  const path = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join("");
  return `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'"><title>mayi</title></head>
<body>
<h1>Pair a second screen</h1>
<p>Open the page there:</p>
<svg role="img" aria-label="QR code of ${text(url)}" width="280" height="280" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#fff"/><path d="${path}" fill="#000"/></svg>
<p><code>${text(url)}</code></p>
<p>and type this code, once: <strong>${text(code)}</strong></p>
<p>The page is reached from this computer, or through a tunnel of your own.</p>
</body>
</html>`;
}
