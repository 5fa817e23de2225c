import type { Schemas } from "../../data/api";
import { costCeil } from "../../data/rates";
import { HOUR } from "../../format/time";

/** Figures of a running job. */
export interface Metered {
  readonly used: number;
  readonly left: number;
  readonly costFloor: bigint;
  /** Minimum refund if stopped now; null once its paid time is over. */
  readonly refundFloor: bigint | null;
}

/** A running job's seconds, cost and refund at a unix second between two updates; never more than what was paid for. */
export function meterAt(progress: Schemas["JobProgress"], rate: bigint, now: number): Metered {
  const since = Math.min(Math.max(0, now - progress.as_of), progress.left);
  const used = progress.used + since;
  return {
    used,
    left: progress.left - since,
    costFloor: BigInt(progress.cost) + (rate * BigInt(since)) / BigInt(HOUR),
    refundFloor: refundAt(progress, rate, used),
  };
}

/** The least that a job is charged for does not grow until more has been used. */
function refundAt(progress: Schemas["JobProgress"], rate: bigint, used: number): bigint | null {
  if (progress.refund_if_stopped === null || progress.charged_if_stopped === null) return null;
  const more = Math.max(0, used - Math.max(progress.charged_if_stopped, progress.used));
  const left = BigInt(progress.refund_if_stopped) - costCeil(rate, more);
  return left > 0n ? left : 0n;
}
