// Prints each test of Node.js that has ended as one line of JSON, for tests.py.

export default async function* report(/** @type {AsyncIterable<any>} */ events) {
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const { name, skip, todo, details } = data;
    const ended = { name, ok: type === 'test:pass', left: skip !== undefined || todo !== undefined, error: String(details?.error?.cause ?? details?.error ?? '') };
    yield `${JSON.stringify(ended)}\n`;
  }
}
