import { expect, test } from "vitest";

const double = (number: number): number => 2 * number;

test("a number is doubled", () => expect(double(2)).toBe(4));
