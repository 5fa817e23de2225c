import { MOST_TERMS } from "gpu-market";
import type { Schemas } from "../../data/api";
import { baseUnits, decimal } from "../../format/amount";
import { duration } from "../../format/time";
import { isAddress, isWhole } from "../../format/typed";

/** A payment mint's terms as a proposal has them, and as the market has them now. */
export type Terms = Schemas["PaymentMintTerms"];
type Present = Schemas["MintTerms"];

export const ORACLES = {
  pinned: "This price, pinned",
  posted: "A key that posts it",
  pyth_upgraded: "Pyth's feed, since its upgrade",
  pyth: "Pyth's feed, before its upgrade",
} as const;

/** True of a price that is read from a feed of Pyth's. */
export const isOfPyth = (kind: keyof typeof ORACLES) => kind === "pyth" || kind === "pyth_upgraded";

/** Terms as typed: shares in percent, the price in dollars per token, times in seconds. */
export interface TermsForm {
  oracle_kind: keyof typeof ORACLES;
  oracle: string;
  price: string;
  max_age: string;
  max_confidence: string;
  subsidy: string;
  burn: string;
  extra_fee: string;
  shards: string;
  enabled: boolean;
}

const PICO = 12;
const BPS = 2;
const ALL_BPS = 10_000;
const U32 = 2 ** 32 - 1;
const U64 = 2n ** 64n - 1n;
/** The address of nobody: who posts a price that is pinned. */
const NOBODY = "11111111111111111111111111111111";

export const EMPTY_TERMS: Readonly<TermsForm> = {
  ...{ oracle_kind: "pinned", oracle: "", price: "", max_age: "60", max_confidence: "1" },
  ...{ subsidy: "0", burn: "0", extra_fee: "0", shards: "1", enabled: true },
};

/** The shares of an order: what they are called, which field of the terms, and the form's. */
const SHARES = [
  ["subsidy", "subsidy", "subsidy_bps"],
  ["burn", "burn", "burn_bps"],
  ["extra fee", "extra_fee", "extra_fee_bps"],
] as const;

/** A mint's present terms, to be edited. */
export const termsFormOf = (now: Present): TermsForm => ({
  ...{ oracle_kind: now.oracle_kind as TermsForm["oracle_kind"], oracle: now.oracle === NOBODY ? "" : now.oracle },
  ...{ price: plain(now.price, PICO), max_age: String(now.max_age), max_confidence: plain(now.max_confidence_bps, BPS) },
  ...{ subsidy: plain(now.subsidy_bps, BPS), burn: plain(now.burn_bps, BPS), extra_fee: plain(now.extra_fee_bps, BPS) },
  ...{ shards: String(now.shards), enabled: now.enabled },
});

/**
 * Problems of the terms, by field; empty if they can be proposed. Only the market token is subsidised and burned, and only
 * others bear an extra fee. The market keeps its vaults, so there are at least `leastShards`.
 */
export function termsProblems(
  form: TermsForm,
  isMarketToken: boolean,
  leastShards: number,
): Partial<Record<keyof TermsForm, string>> {
  const found: Partial<Record<keyof TermsForm, string>> = {};
  for (const [, field, name] of SHARES) {
    const most = isMarketToken === (field === "extra_fee") ? 0 : MOST_TERMS[name];
    const bps = baseUnits(form[field], BPS);
    if (bps === null || bps > BigInt(most)) found[field] = most ? `It may be from 0 % to ${decimal(BigInt(most), BPS)} %.` : `It is 0 for this token.`;
  }
  if (!isWhole(form.shards, leastShards, MOST_TERMS.shards)) found.shards = `Give a number from ${leastShards} to ${MOST_TERMS.shards}.`;
  if (form.oracle_kind === "pinned") {
    const price = baseUnits(form.price, PICO);
    if (!price || price > U64) found.price = "Give dollars per token, such as 0.25.";
    return found;
  }
  if (!isAddress(form.oracle)) found.oracle = "Give an address.";
  if (!isWhole(form.max_age, 1, U32)) found.max_age = "Give a whole number of seconds.";
  const confidence = baseUnits(form.max_confidence, BPS);
  const least = isOfPyth(form.oracle_kind) ? 1n : 0n;
  if (confidence === null || confidence < least || confidence > BigInt(ALL_BPS)) found.max_confidence = "Give a share in percent, such as 1.";
  return found;
}

/** Terms as a proposal has them; only of what has no problem. */
export function termsOf(form: TermsForm): Terms {
  const isPinned = form.oracle_kind === "pinned";
  const bps = (text: string) => Number(baseUnits(text, BPS) ?? 0n);
  return {
    ...{ oracle_kind: form.oracle_kind, oracle: form.oracle.trim() || NOBODY, enabled: form.enabled, shards: Number(form.shards) },
    ...{ pinned_price: isPinned ? String(baseUnits(form.price, PICO)) : "0", max_age: Number(form.max_age) },
    ...{ subsidy_bps: bps(form.subsidy), burn_bps: bps(form.burn), extra_fee_bps: bps(form.extra_fee) },
    max_confidence_bps: bps(form.max_confidence),
  };
}

/** Old and new of all that a proposal changes of a mint's terms, in words; null where it changes nothing. */
export function termsChange(now: Present, terms: Terms): { was: string; becomes: string } | null {
  const old = wordsOf({ ...now, pinned_price: now.price });
  const next = wordsOf(terms);
  const differing = old.flatMap((word, place) => (word === next[place] ? [] : [place]));
  if (!differing.length) return null;
  const told = (words: readonly string[]) => differing.map((place) => words[place]).join(", ");
  return { was: told(old), becomes: told(next) };
}

/** Terms in words, one for each that can differ. */
function wordsOf(terms: Omit<Terms, "oracle_kind"> & { readonly oracle_kind: string }): string[] {
  const isPinned = terms.oracle_kind === "pinned";
  return [
    terms.enabled ? "accepted for new orders" : "not accepted for new orders",
    isPinned ? `pinned at $${plain(terms.pinned_price, PICO)}` : `priced by ${terms.oracle_kind} ${terms.oracle}`,
    ...SHARES.map(([word, , name]) => `${word} ${plain(terms[name], BPS)} %`),
    ...(isPinned ? ["", ""] : [`prices valid for ${duration(terms.max_age)}`, `uncertainty at most ${plain(terms.max_confidence_bps, BPS)} %`]),
    `${terms.shards} vaults`,
  ];
}

function plain(units: string | number, decimals: number): string {
  return decimal(BigInt(units), decimals).replaceAll(",", "");
}
