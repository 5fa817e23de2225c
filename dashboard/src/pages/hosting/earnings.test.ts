import { expect, it } from "vitest";
import type { Schemas } from "../../data/api";
import { drawn, earned } from "./earnings";

const point = (at: number, amount: string, usd: number, payouts: number) => ({ at, amount, usd, payouts });
const TOLD = {
  step: "day",
  series: [
    { mint: "a", decimals: 6, points: [point(0, "0", 0, 0), point(86_400, "5000000", 250_000, 2)] },
    { mint: "b", decimals: 9, points: [point(0, "7", 1, 1), point(86_400, "9", 2, 1)] },
  ],
} as Schemas["EarningsOverTime"];

it("sums what was paid in all mints, and keeps the base units of each", () => {
  const [first, second] = earned(TOLD);
  expect(first).toEqual({ at: 0, usd: 1, payouts: 1, amounts: new Map([["a", 0n], ["b", 7n]]) });
  expect(second).toEqual({ at: 86_400, usd: 250_002, payouts: 3, amounts: new Map([["a", 5_000_000n], ["b", 9n]]) });
  expect(drawn(earned(TOLD)).lines[0]?.values).toEqual([0.000001, 0.250002]);
});

it("has nothing of a host that was paid nothing", () => {
  expect(earned({ step: "day", series: [] })).toEqual([]);
});
