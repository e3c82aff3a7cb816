// Small checks of values that came from elsewhere: the backend, a webview, a stored state.

export type Fields = Record<string, unknown>;

/** Whether it is an object with fields (no list, not null). */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The text, or null. */
export function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** The list, or an empty one. */
export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Whether it is one of `words`. */
export function oneOf<T extends string>(value: unknown, words: readonly T[]): value is T {
  return typeof value === "string" && (words as readonly string[]).includes(value);
}

/** Whether every field of `value` is a text. */
export function isTexts(value: unknown): value is Record<string, string> {
  return isFields(value) && Object.values(value).every((one) => typeof one === "string");
}

/** The message of whatever was thrown. */
export function because(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
