import type { Schemas } from "../../data/api";

const HOUR = 3_600n;

/** A running job's seconds and cost at a unix second between two updates; never more than what was paid for. */
export function meterAt(
  progress: Schemas["JobProgress"],
  rate: bigint,
  now: number,
): { used: number; left: number; costFloor: bigint } {
  const since = Math.min(Math.max(0, now - progress.as_of), progress.left);
  return {
    used: progress.used + since,
    left: progress.left - since,
    costFloor: BigInt(progress.cost) + (rate * BigInt(since)) / HOUR,
  };
}
