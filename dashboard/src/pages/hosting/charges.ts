import type { Schemas } from "../../data/api";
import { decimal, baseUnits } from "../../format/amount";
import { isWhole } from "../../format/typed";

/** A listing's charges beyond its price, micro-USD, as the API has them. */
export type Charges = Schemas["Charges"];

/** The same as typed: dollars, and GB. */
export interface Form {
  bandwidth: string;
  free: string;
  storage: string;
}

const MICRO = 6;
const MOST = 2 ** 32 - 1;

/** A listing's present charges, to be edited. */
export function chargesFormOf(charges: Schemas["ListingCharges"] | null): Form {
  const dollars = (micro: number) => decimal(String(micro), MICRO).replaceAll(",", "");
  const { bandwidth_usd = 0, bandwidth_free_gb = 0, storage_usd = 0 } = charges ?? {};
  return { bandwidth: dollars(bandwidth_usd), free: String(bandwidth_free_gb), storage: dollars(storage_usd) };
}

/** Problems of the input, by field; empty if it can be charged. */
export function chargesProblems(form: Form): Partial<Record<keyof Form, string>> {
  const found: Partial<Record<keyof Form, string>> = {};
  for (const field of ["bandwidth", "storage"] as const) {
    if (microOf(form[field]) === null) found[field] = `Give dollars, such as 0.01, at most ${decimal(String(MOST), MICRO)}; 0 for no charge.`;
  }
  if (!isWhole(form.free, 0, MOST)) found.free = "Give a whole number of GB.";
  return found;
}

/** The input in the API's form; only call it without problems. */
export const chargesOf = (form: Form): Charges => ({
  bandwidth_usd: microOf(form.bandwidth) ?? 0,
  bandwidth_free_gb: Number(form.free),
  storage_usd: microOf(form.storage) ?? 0,
});

function microOf(text: string): number | null {
  const found = baseUnits(text, MICRO);
  return found !== null && found <= BigInt(MOST) ? Number(found) : null;
}
