// From a ready line to a connection that has introduced itself and hears of everything.

import type { Batch, Cursor, EditorSettings, InitializeResult } from "../api";
import { isFields, list, oneOf, text } from "../check";
import { parseBatch } from "../model/parse";
import { provenToken } from "./proof";
import type { Ready } from "./ready";
import { Rpc } from "./rpc";
import { misfit, PROTOCOL_VERSION } from "./version";

export interface Options {
  /** This extension's version. */
  version: string;
  settings: EditorSettings;
  /** Where to go on hearing, if anything was heard before. */
  cursor: Cursor | null;
  /** The program that was started: for messages. */
  path: string;
}

export interface Connection {
  rpc: Rpc;
  about: InitializeResult;
  /** Begins to hear events. Called once, when whoever hears them is ready. */
  subscribe(hear: (batch: Batch) => void): Promise<void>;
}

/** The backend is another version than this extension. */
export class Misfit extends Error {}

const MODES = ["plan", "default", "auto"] as const;

/** What the backend says of itself, checked. */
export function parseAbout(value: unknown): InitializeResult | null {
  if (!isFields(value) || !isFields(value["server"]) || typeof value["instance"] !== "string") return null;
  return {
    protocolVersion: 1,
    server: { name: text(value["server"]["name"]) ?? "mayi", version: text(value["server"]["version"]) ?? "" },
    instance: value["instance"],
    credential: value["credential"] === "answer" ? "answer" : "ask",
    agents: parseAgents(value["agents"]),
    modes: list(value["modes"]).flatMap((mode) =>
      isFields(mode) && oneOf(mode["id"], MODES) ? [{ id: mode["id"], name: text(mode["name"]) ?? mode["id"], description: text(mode["description"]) ?? "" }] : [],
    ),
    mode: oneOf(value["mode"], MODES) ? value["mode"] : "default",
    notices: list(value["notices"]).filter((one): one is string => typeof one === "string"),
    ui: text(value["ui"]),
  };
}

/** The agents in `value`; what is not one is left out. */
export function parseAgents(value: unknown): InitializeResult["agents"] {
  return list(value).flatMap((agent) =>
    isFields(agent) && typeof agent["name"] === "string"
      ? [
          {
            name: agent["name"],
            title: text(agent["title"]) ?? agent["name"],
            found: agent["found"] === true,
            hint: text(agent["hint"]),
            mode: oneOf(agent["mode"], MODES) ? agent["mode"] : null,
            bypassPermissions: agent["bypassPermissions"] === true,
            bypassLocked: text(agent["bypassLocked"]),
          },
        ]
      : [],
  );
}

/** Connects: proof first, then the token, then who we are. */
export async function connect(ready: Ready, options: Options): Promise<Connection> {
  const early = misfit(ready.version, options.version, options.path);
  if (early !== null) throw new Misfit(early);
  const token = await provenToken(ready);
  const rpc = await Rpc.open(ready.ws, token);
  try {
    const answer = await rpc.call("mayi/initialize", {
      protocolVersion: PROTOCOL_VERSION,
      client: { name: "vscode", version: options.version },
      settings: options.settings,
    });
    const about = parseAbout(answer);
    if (about === null || !isFields(answer) || answer["protocolVersion"] !== PROTOCOL_VERSION) {
      throw new Misfit(`The backend speaks another version of the API than this extension (${options.path}).`);
    }
    return { rpc, about, subscribe: (hear) => subscribe(rpc, options.cursor, hear) };
  } catch (error) {
    rpc.close();
    throw error;
  }
}

async function subscribe(rpc: Rpc, cursor: Cursor | null, hear: (batch: Batch) => void): Promise<void> {
  rpc.onNotification = (method, params) => {
    if (method !== "events/event" || !isFields(params)) return;
    const batch = parseBatch(params["result"]);
    if (batch !== null) hear(batch);
  };
  await rpc.call("events/subscribe", { cursor });
}
