const { execFileSync } = require("node:child_process");

test.each([1, 2, 3])("a test of %d starts a program", (number) => {
  expect(String(execFileSync("echo", [number])).trim()).toBe(String(number));
});
