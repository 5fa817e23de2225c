import { HOUR } from "../format/time";
import type { Schemas } from "./api";

export type Rate = Schemas["OrderRate"];
type Kind = "on-demand" | "reserved" | "spot";

/** Cost of an order of a kind placed now, in a mint; default: the first, which is the market token. */
export function rateOf(rates: Rate[], kind: Kind = "on-demand", mint: string | null = null): Rate | undefined {
  const wanted = mint ?? rates[0]?.mint;
  return rates.find((rate) => rate.kind === kind && rate.mint === wanted);
}

/** Cost of some seconds at a rate per hour; base units, rounded up. */
export function costCeil(rate: bigint, seconds: number): bigint {
  const hour = BigInt(HOUR);
  return (rate * BigInt(seconds) + hour - 1n) / hour;
}
