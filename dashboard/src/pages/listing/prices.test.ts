import { expect, test } from "vitest";
import { priceHistory } from "./prices";

const PRICES = [
  { ts: 300, on_demand_usd: 5, spot_min_usd: 0 },
  { ts: 100, on_demand_usd: 8, spot_min_usd: 2 },
];

test("a price holds until the next, and spot ends with the price that takes none", () => {
  const jobs = [{ created_at: 200, rate_usd: 7 }];
  expect(priceHistory(PRICES, jobs, 400)).toEqual({
    at: [100, 200, 300, 400],
    onDemand: [8, 8, 5, 5],
    spot: [2, 2, null, null],
    paid: [null, 7, null, null],
  });
});

test("before the oldest price there is none, rentals of one second are one moment, and the chain's clock may be ahead", () => {
  const jobs = [50, 50, 300].map((created_at) => ({ created_at, rate_usd: created_at }));
  const found = priceHistory(PRICES, jobs, 299);
  expect(found.at).toEqual([50, 100, 300]);
  expect(found.onDemand).toEqual([null, 8, 5]);
  expect(found.paid).toEqual([50, null, 300]);
});
