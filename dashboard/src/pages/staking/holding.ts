/** Active stake, in whole tokens, from which a fee is lowered by the most. */
export const FULL_TOKENS = 2_000_000;
const MOST_BPS = 5_000n;

/** Discount of active stake on a fee, rounded down: linear up to half at FULL_TOKENS. */
export function discountFloorBps(stake: bigint, decimals: number): number {
  const whole = BigInt(FULL_TOKENS) * 10n ** BigInt(decimals);
  return Number(((stake < whole ? stake : whole) * MOST_BPS) / whole);
}
