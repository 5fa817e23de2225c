import { expect, test } from "vitest";
import { meterAt } from "./meter";

const PROGRESS = { as_of: 100, used: 10, left: 50, cost: "1000", charged_if_stopped: 10, refund_if_stopped: "5" };

test.each([
  [100, { used: 10, left: 50, costFloor: 1_000n }],
  [101, { used: 11, left: 49, costFloor: 1_001n }],
  [90, { used: 10, left: 50, costFloor: 1_000n }],
  [900, { used: 60, left: 0, costFloor: 1_083n }],
])("meterAt: second %i", (now, told) => {
  expect(meterAt(PROGRESS, 6_000n, now)).toEqual(told);
});
