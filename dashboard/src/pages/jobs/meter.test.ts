import { expect, test } from "vitest";
import { meterAt } from "./meter";

const PROGRESS = { as_of: 100, used: 10, left: 50, cost: "1000", charged_if_stopped: 12, refund_if_stopped: "5" };

test.each([
  [100, { used: 10, left: 50, costFloor: 1_000n, refundFloor: 5n }],
  [101, { used: 11, left: 49, costFloor: 1_001n, refundFloor: 5n }],
  [103, { used: 13, left: 47, costFloor: 1_005n, refundFloor: 3n }],
  [90, { used: 10, left: 50, costFloor: 1_000n, refundFloor: 5n }],
  [900, { used: 60, left: 0, costFloor: 1_083n, refundFloor: 0n }],
])("meterAt: second %i", (now, told) => {
  expect(meterAt(PROGRESS, 6_000n, now)).toEqual(told);
});

test("meterAt: nothing comes back once the paid time is over", () => {
  expect(meterAt({ ...PROGRESS, refund_if_stopped: null, charged_if_stopped: null }, 6_000n, 101).refundFloor).toBeNull();
});
