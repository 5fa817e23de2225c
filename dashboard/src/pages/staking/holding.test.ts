import { expect, test } from "vitest";
import { discountFloorBps } from "./holding";

const T = 1_000_000n;

test.each([
  [0n, 0],
  [399n * T, 0],
  [400n * T, 1],
  [500_000n * T, 1_250],
  [2_000_000n * T - 1n, 4_999],
  [2_000_000n * T, 5_000],
  [9_000_000n * T, 5_000],
])("discountFloorBps: %i base units save %i", (stake, bps) => {
  expect(discountFloorBps(stake, 6)).toBe(bps);
});
