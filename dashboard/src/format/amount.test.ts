import { expect, test } from "vitest";
import { baseUnits, decimal, percent, usd, worthFloor } from "./amount";

test.each([
  ["0", 6, "0"],
  ["1", 9, "0.000000001"],
  ["1500000", 6, "1.5"],
  ["18446744073709551615", 6, "18,446,744,073,709.551615"],
  ["-1230000", 6, "−1.23"],
  ["1234567", 0, "1,234,567"],
])("decimal: %s with %i decimals is exact", (units, decimals, told) => {
  expect(decimal(units, decimals)).toBe(told);
});

test.each([
  ["1.5", 6, 1_500_000n],
  ["1,234.000001", 6, 1_234_000_001n],
  ["0.0000001", 6, null],
  ["-1", 6, null],
  ["1e3", 6, null],
  ["", 6, null],
])("baseUnits: %s with %i decimals", (text, decimals, units) => {
  expect(baseUnits(text, decimals)).toBe(units);
});

test("usd: cents at least, and every digit there is", () => {
  expect([usd(2_760_000), usd(47_500), usd(1), usd(0), usd(-100_000)]).toEqual([
    "$2.76",
    "$0.0475",
    "$0.000001",
    "$0.00",
    "−$0.10",
  ]);
});

test("worthFloor: never more than it is", () => {
  expect(worthFloor("1", "50000000000", 6)).toBe(0n);
  expect(worthFloor("13800000", "50000000000", 6)).toBe(690_000n);
});

test("percent: basis points exactly", () => {
  expect([percent(8500), percent(1), percent(0)]).toEqual(["85 %", "0.01 %", "0 %"]);
});
