// Is whoever listens there the backend that wrote the token file? Asked before the token is sent, so that a program
// that took over the port of a dead backend learns nothing.

import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { readFile } from "node:fs/promises";
import { request } from "node:http";

import { isFields } from "../check";
import type { Ready } from "./ready";

const TIMEOUT = 5_000;
const MOST = 4_096;

function get(address: URL): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request(address, { timeout: TIMEOUT }, (answer) => {
      let body = "";
      answer.setEncoding("utf8");
      answer.on("data", (part: string) => {
        body += part;
        if (body.length <= MOST) return;
        reject(new Error("the answer is too long"));
        asked.destroy();
      });
      answer.on("error", reject);
      answer.on("end", () => (answer.statusCode === 200 ? resolve(body) : reject(new Error(`it answered ${answer.statusCode}`))));
    });
    asked.on("timeout", () => asked.destroy(new Error("no answer")));
    asked.on("error", reject);
    asked.end();
  });
}

/** The proof that is expected for `nonce`. */
export function proofOf(token: string, nonce: string): string {
  return createHmac("sha256", token).update(`mayi-serve ${nonce}`).digest("hex");
}

/** The answering token of the backend at `ready`, once it has proved that it knows it. */
export async function provenToken(ready: Ready): Promise<string> {
  const token = (await readFile(ready.answerTokenFile, "utf8")).split(/\r?\n/, 1)[0] ?? "";
  if (token === "") throw new Error(`no token in ${ready.answerTokenFile}`);
  const nonce = randomBytes(32).toString("hex");
  const address = new URL("proof", ready.url);
  address.searchParams.set("nonce", nonce);
  const answer: unknown = JSON.parse(await get(address));
  const given = isFields(answer) && typeof answer["proof"] === "string" ? answer["proof"] : "";
  const expected = Buffer.from(proofOf(token, nonce));
  const proof = Buffer.from(given);
  if (proof.length !== expected.length || !timingSafeEqual(proof, expected)) {
    throw new Error("whoever listens there is not the backend that was started");
  }
  return token;
}
