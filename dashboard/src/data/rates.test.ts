import { expect, test } from "vitest";
import { rateOf, type Rate } from "./rates";

const rate = (mint: string, kind: string, paid: number): Rate => ({
  ...{ mint, kind, decimals: 6, duration: 3_600, micro_usd_per_hour: paid },
  ...{ base_units_per_hour: null, subsidy_per_hour: null, burned_per_hour: null },
});
const RATES = [rate("GPUM", "on-demand", 1), rate("GPUM", "spot", 2), rate("USDC", "on-demand", 3)];

test("a rate is the kind's, in the first token unless another is named", () => {
  expect(rateOf(RATES)?.micro_usd_per_hour).toBe(1);
  expect(rateOf(RATES, "spot")?.micro_usd_per_hour).toBe(2);
  expect(rateOf(RATES, "on-demand", "USDC")?.micro_usd_per_hour).toBe(3);
  expect(rateOf(RATES, "reserved")).toBeUndefined();
  expect(rateOf([])).toBeUndefined();
});
