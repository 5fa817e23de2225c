import type { Schemas } from "../../data/api";
import { duration } from "../../format/time";

/** Why a kind takes no order of the time. */
export function whyLeftOut({ reason, shortest }: Schemas["LeftOutKind"]): string {
  if (reason === "other-term") return "for 7, 30 or 90 days";
  if (reason === "too-long") return "not for so long";
  if (reason === "no-price") return "no token has a price";
  if (reason === "not-offered") return "not offered by this machine";
  if (shortest === null) return "no order of this machine is worth the market's minimum";
  return `from ${duration(shortest)}; a shorter order is below the market's minimum`;
}
