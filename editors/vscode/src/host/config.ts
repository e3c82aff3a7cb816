// The editor's settings: only the user's own, never a workspace's.

import * as vscode from "vscode";

import { APPROVALS, CATEGORIES, type EditorAgent, type EditorServer, type EditorSettings, type EditorTool, type EditorWorkspace, type Mode } from "../api";
import type { Reached } from "./sessions";
import { type Fields, isFields, isTexts, list, oneOf, text } from "../check";

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
  return read(own);
}

/** The modes that there are. */
const MODES: readonly Mode[] = ["plan", "default", "auto"];

function read(from: (key: string) => unknown): EditorSettings {
  const mode = from("mode");
  const workspaces = from("workspaces");
  const folder = (one: Fields): EditorWorkspace => (oneOf(one["mode"], MODES) ? { mode: one["mode"] } : {});
  return {
    ...(oneOf(mode, MODES) ? { mode } : {}),
    agents: named(from("agents"), agent),
    servers: named(from("servers"), server),
    tools: words(from("tools"), CATEGORIES) ?? {},
    workspaces: isFields(workspaces) ? Object.fromEntries(Object.entries(workspaces).flatMap(([path, one]) => (isFields(one) ? [[path, folder(one)]] : []))) : {},
  };
}

/** Those values that are one of `known`, by name. */
function words<T extends string>(value: unknown, known: readonly T[]): Record<string, T> | undefined {
  if (!isFields(value)) return undefined;
  const found = Object.fromEntries(Object.entries(value).flatMap(([name, one]) => (oneOf(one, known) ? [[name, one]] : []))) as Record<string, T>;
  return Object.keys(found).length > 0 ? found : undefined;
}

/** What the backend wants written, checked. */
export function parseSettings(value: Fields | EditorSettings): EditorSettings {
  return read((key) => (value as Fields)[key]);
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

/** Each under its name, whatever that is: the backend says which can't be one, and nothing that was written goes missing. */
function named<T>(value: unknown, read: (one: Fields) => T): Record<string, T> {
  if (!isFields(value)) return {};
  return Object.fromEntries(Object.entries(value).flatMap(([name, one]) => (isFields(one) ? [[name, read(one)]] : [])));
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
    ...(oneOf(one["mode"], MODES) ? { mode: one["mode"] } : {}),
    ...(words(one["tools"], CATEGORIES) ? { tools: words(one["tools"], CATEGORIES) ?? {} } : {}),
  };
}

/** What is said of a tool of a server: a word, or an object with both of what there is to say. */
function tool(said: unknown): EditorTool | null {
  if (oneOf(said, APPROVALS) || oneOf(said, CATEGORIES)) return said;
  if (!isFields(said)) return null;
  const { approval, category } = said;
  const parts = { ...(oneOf(approval, APPROVALS) ? { approval } : {}), ...(oneOf(category, CATEGORIES) ? { category } : {}) };
  return Object.keys(parts).length > 0 ? parts : null;
}

function server(one: Fields): EditorServer {
  const approvals = ["required", "not_required"] as const;
  const tools = isFields(one["tools"]) ? Object.fromEntries(Object.entries(one["tools"]).flatMap(([name, said]) => tool(said) === null ? [] : [[name, tool(said) as EditorTool]])) : {};
  return {
    ...program(one),
    ...(text(one["url"]) ? { url: text(one["url"]) ?? "" } : {}),
    ...(isTexts(one["headers"]) ? { headers: one["headers"] } : {}),
    ...(oneOf(one["approval"], approvals) ? { approval: one["approval"] } : {}),
    ...(oneOf(one["grant"], ["none", "read", "write", "all"] as const) ? { grant: one["grant"] } : {}),
    ...(typeof one["trustAnnotations"] === "boolean" ? { trustAnnotations: one["trustAnnotations"] } : {}),
    ...(Object.keys(tools).length > 0 ? { tools } : {}),
  };
}
