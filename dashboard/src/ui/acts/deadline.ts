/** The chain's known height: `height` blocks at `at` (milliseconds), and the duration of a slot. */
export interface Seen {
  readonly height: number;
  readonly at: number;
  readonly slotMillis: number;
}

/** Default duration of a slot, until the chain shows another. */
export const USUAL_SLOT_MS = 400;
/** Blocks that wallet and network may take: of the 150 of a blockhash, a quarter. */
const SPARE_BLOCKS = 38;
/** Two looks at the height tell the pace if so much time is between them. */
const APART_MS = 2_000;

/** Height after another read of the chain, paced by the last two reads, the node's last minute, or the default. */
export function seen(before: Seen | undefined, told: { height: number; slot_millis: number | null }, at: number): Seen {
  const grown = before === undefined ? 0 : told.height - before.height;
  const passed = before === undefined ? 0 : at - before.at;
  if (before !== undefined && (grown < 0 || passed < APART_MS)) return { ...before, height: Math.max(before.height, told.height), at };
  const slotMillis = told.slot_millis ?? (grown > 0 ? passed / grown : (before?.slotMillis ?? USUAL_SLOT_MS));
  return { height: told.height, at, slotMillis };
}

/** Seconds left to sign what can land up to a block height, rounded down. */
export function secondsLeft(lastValid: number, { height, at, slotMillis }: Seen, now: number): number {
  const left = (lastValid - SPARE_BLOCKS - height) * slotMillis - (now - at);
  return Math.max(0, Math.floor(left / 1_000));
}
