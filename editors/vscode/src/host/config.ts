// The editor's settings: only the user's own, never a workspace's.

import * as vscode from "vscode";

import type { EditorAgent, EditorServer, EditorSettings } from "../api";
import type { Reached } from "./sessions";
import { type Fields, isFields, isTexts, list, oneOf, text } from "../check";

const NAME = /^[A-Za-z0-9._-]+$/;

/** A value that the user wrote for all windows; a workspace's value is never read. */
export function own(key: string): unknown {
  return vscode.workspace.getConfiguration("mayi").inspect(key)?.globalValue;
}

/** How agents reach their MCP servers. */
export function reached(): Reached {
  return { toolbelt: own("toolbelt") === true ? true : null, gateway: own("gateway") === false ? false : null };
}

/** The editor's layer of configuration. */
export function settings(): EditorSettings {
  return { agents: named(own("agents"), agent), servers: named(own("servers"), server) };
}

/** What the backend wants written, checked. */
export function parseSettings(value: Fields | EditorSettings): EditorSettings {
  return { agents: named(value.agents, agent), servers: named(value.servers, server) };
}

/** Writes `wanted` to the user's settings, where it is not what stands there. */
export async function write(wanted: EditorSettings): Promise<void> {
  const now = settings();
  for (const key of ["agents", "servers"] as const) {
    if (wanted[key] === undefined || same(wanted[key], now[key])) continue;
    await vscode.workspace.getConfiguration("mayi").update(key, wanted[key], vscode.ConfigurationTarget.Global);
  }
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined && one !== null).sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, one]) => [key, sorted(one)]));
}

function named<T>(value: unknown, read: (one: Fields) => T): Record<string, T> {
  if (!isFields(value)) return {};
  return Object.fromEntries(Object.entries(value).flatMap(([name, one]) => (NAME.test(name) && isFields(one) ? [[name, read(one)]] : [])));
}

function program(one: Fields): Pick<EditorAgent, "command" | "args" | "env"> {
  const args = list(one["args"]).filter((arg): arg is string => typeof arg === "string");
  return {
    ...(text(one["command"]) ? { command: text(one["command"]) ?? "" } : {}),
    ...(args.length > 0 ? { args } : {}),
    ...(isTexts(one["env"]) && Object.keys(one["env"]).length > 0 ? { env: one["env"] } : {}),
  };
}

function agent(one: Fields): EditorAgent {
  return {
    ...program(one),
    ...(typeof one["bypassPermissions"] === "boolean" ? { bypassPermissions: one["bypassPermissions"] } : {}),
    ...(oneOf(one["mode"], ["plan", "default", "auto"] as const) ? { mode: one["mode"] } : {}),
  };
}

function server(one: Fields): EditorServer {
  const words = ["required", "not_required"] as const;
  const tools = isFields(one["tools"])
    ? Object.fromEntries(Object.entries(one["tools"]).flatMap(([name, value]) => (oneOf(value, [...words, "default"] as const) ? [[name, value]] : [])))
    : undefined;
  return {
    ...program(one),
    ...(text(one["url"]) ? { url: text(one["url"]) ?? "" } : {}),
    ...(isTexts(one["headers"]) ? { headers: one["headers"] } : {}),
    ...(oneOf(one["approval"], words) ? { approval: one["approval"] } : {}),
    ...(tools && Object.keys(tools).length > 0 ? { tools } : {}),
  };
}
