import type { Schemas } from "./api";

export type Rate = Schemas["OrderRate"];
type Kind = "on-demand" | "reserved" | "spot";

/** What an order of a kind placed now pays in a mint, by default the first, which is the market token. */
export function rateOf(rates: Rate[], kind: Kind = "on-demand", mint: string | null = null): Rate | undefined {
  const wanted = mint ?? rates[0]?.mint;
  return rates.find((rate) => rate.kind === kind && rate.mint === wanted);
}
