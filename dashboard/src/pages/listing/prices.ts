import type { Schemas } from "../../data/api";

type Price = Pick<Schemas["ListingPrice"], "ts" | "on_demand_usd" | "spot_min_usd">;
type Opened = Pick<Schemas["Job"], "created_at" | "rate_usd">;
type Values = (number | null)[];

/** Micro-USD an hour by moments, which are unix seconds and rise. */
export interface PriceHistory {
  at: number[];
  onDemand: Values;
  /** The least bid; null while no spot order was taken. */
  spot: Values;
  /** Price of a rental opened at that moment. */
  paid: Values;
}

/** The prices of a machine up to now and of its rentals, both given newest first. A price holds until the next. */
export function priceHistory(prices: readonly Price[], jobs: readonly Opened[], now: number): PriceHistory {
  const paid = new Map(jobs.map((job) => [job.created_at, job.rate_usd]));
  const moments = new Set([...prices.map(({ ts }) => ts), ...paid.keys()]);
  const at = [...moments.add(Math.max(now, ...moments))].sort((one, other) => one - other);
  const held = at.map((moment) => prices.find(({ ts }) => ts <= moment));
  return {
    at,
    onDemand: held.map((price) => price?.on_demand_usd ?? null),
    spot: held.map((price) => price?.spot_min_usd || null),
    paid: at.map((moment) => paid.get(moment) ?? null),
  };
}
