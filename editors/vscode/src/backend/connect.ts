// From a ready line to a connection that has introduced itself and hears of everything.

import type { Cursor, EditorSettings, Events, Initialized } from "../api";
import { isFields } from "../check";
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
  about: Initialized;
  /** Begins to hear events. Called once, when whoever hears them is ready. */
  subscribe(hear: (batch: Events) => void): Promise<void>;
}

/** The backend is another version than this extension. */
export class Misfit extends Error {}

/** Connects: proof first, then the token, then who we are. */
export async function connect(ready: Ready, options: Options): Promise<Connection> {
  const early = misfit(ready.serverVersion, options.version, options.path);
  if (early !== null) throw new Misfit(early);
  const token = await provenToken(ready);
  const rpc = await Rpc.open(ready.ws, token);
  try {
    const about = await rpc.call("mayi/initialize", {
      protocolVersion: PROTOCOL_VERSION,
      client: { name: "vscode", version: options.version },
      settings: options.settings,
    });
    if (about.protocolVersion !== PROTOCOL_VERSION) {
      throw new Misfit(`The backend speaks another version of the API than this extension (${options.path}).`);
    }
    return { rpc, about, subscribe: (hear) => subscribe(rpc, options.cursor, hear) };
  } catch (error) {
    rpc.close();
    throw error;
  }
}

async function subscribe(rpc: Rpc, cursor: Cursor | null, hear: (batch: Events) => void): Promise<void> {
  rpc.onNotification = (method, params) => {
    if (method !== "events/event" || !isFields(params)) return;
    const batch = parseBatch(params["result"]);
    if (batch !== null) hear(batch);
  };
  await rpc.call("events/subscribe", { cursor });
}
