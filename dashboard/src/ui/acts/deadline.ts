/** What is known of the chain's height: `height` blocks at `at` (milliseconds), and how long a slot takes. */
export interface Seen {
  readonly height: number;
  readonly at: number;
  readonly slotMillis: number;
}

/** What Solana's slots take, until the chain says or shows something else. */
export const USUAL_SLOT_MS = 400;
/** Blocks that wallet and network may take: of the 150 of a blockhash, a quarter. */
const SPARE_BLOCKS = 38;
/** Two looks at the height tell the pace if so much time is between them. */
const APART_MS = 2_000;

/** What one more look at the chain says: its own pace since the last look, the node's of the last minute, or the usual. */
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
