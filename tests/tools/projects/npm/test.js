const assert = require("node:assert");
const test = require("node:test");
const isOdd = require("is-odd");

test("a number is odd", () => assert.ok(isOdd(7)));
