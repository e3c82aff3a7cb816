// Whether a backend fits this extension.

/** The version of the API that this extension speaks. */
export const PROTOCOL_VERSION = 1;

function series(version: string): string | null {
  return /^(\d+\.\d+)\./.exec(version)?.[1] ?? null;
}

/** Why a backend of `version` does not fit an extension of `own`: one line for people; null if it does. */
export function misfit(version: string, own: string, path: string): string | null {
  const wanted = series(own);
  if (wanted !== null && series(version) === wanted) return null;
  return (
    `mayi ${version} (${path}) does not fit this extension, which is ${own} and needs mayi ${wanted ?? own}.x. ` +
    `Update mayi or the extension, or set "mayi.path" to a mayi that fits.`
  );
}
