import { GpuMarketError } from "../../data/api";

/** Action of a button beside an error. */
export type Way = "again" | "rebuild" | "tokens" | "market" | "jobs" | "machine";

/** Remedies for an error, in this page's words. */
export interface Remedy {
  readonly text: string;
  readonly ways: readonly Way[];
}

const TAKEN = "Nothing was paid. Choose another machine like it.";
const NODE = "The market's node is unavailable. Nothing was sent; what you typed is kept.";
const SHORT = "Add what is missing, rent for less time, or pay in another token.";
const OLD = "Nothing was paid: it can no longer land. Build it again, which takes a second.";
const MOVED = "Nothing was paid. Build it again at the current price.";

const REMEDIES: Readonly<Record<string, Remedy>> = {
  signing_refused: { text: "Nothing was sent. Sign when you are ready.", ways: ["again"] },
  api_unreachable: { text: "The market's API does not answer. What you typed and signed is kept.", ways: ["again"] },
  too_many_requests: { text: "Wait a few seconds.", ways: ["again"] },
  unreachable_rpc: { text: NODE, ways: ["again"] },
  rate_limited: { text: NODE, ways: ["again"] },
  rpc_refused: { text: NODE, ways: ["again"] },
  wrong_endpoint: { text: NODE, ways: ["again"] },
  blockhash_expired: { text: OLD, ways: ["rebuild"] },
  transaction_expired: { text: OLD, ways: ["rebuild"] },
  cost_above_maximum: { text: MOVED, ways: ["rebuild"] },
  rental_repriced: { text: MOVED, ways: ["rebuild"] },
  already_extended: { text: "It was extended meanwhile. Build it again from its current time.", ways: ["rebuild"] },
  nonce_mismatch: { text: "Another order of this wallet came first, perhaps from another tab.", ways: ["rebuild", "jobs"] },
  spec_changed: { text: "The machine has changed since you saw it. Check it again.", ways: ["machine", "market"] },
  listing_occupied: { text: TAKEN, ways: ["market"] },
  listing_hidden: { text: TAKEN, ways: ["market"] },
  listing_offline: { text: TAKEN, ways: ["market"] },
  payout_unclaimed: { text: TAKEN, ways: ["market"] },
  priority_window: { text: "Stakers have priority for machines that have just become free.", ways: ["again", "market"] },
  nothing_available: { text: TAKEN, ways: ["market"] },
  quota_exceeded: { text: "End a rental first; stake and spending raise the quota.", ways: ["jobs"] },
  region_quota_exceeded: { text: "Choose another region, or end a rental in this one.", ways: ["jobs", "market"] },
  insufficient_balance: { text: SHORT, ways: ["tokens", "again"] },
  insufficient_funds: { text: SHORT, ways: ["tokens", "again"] },
  token_balance_too_low: { text: SHORT, ways: ["tokens", "again"] },
  insufficient_lamports: { text: "Add SOL: fees and the deposits of new accounts are paid in it.", ways: ["tokens", "again"] },
  outcome_unknown: { text: "It may have landed. Look at your rentals before you sign again.", ways: ["jobs"] },
  draft_refused: { text: "Nothing was signed. This API's draft differs from your request: do not use it.", ways: [] },
};

/** The remedy of an error; its own words where this page has none. */
export function remedyOf(error: Error): Remedy {
  if (!(error instanceof GpuMarketError)) return { text: "Check your connection.", ways: ["again"] };
  return REMEDIES[error.code] ?? { text: error.remedy, ways: ["again"] };
}
