import { GpuMarketError } from "./errors.js";

/** Refusals for this moment alone: the next second takes back the first two, and a new draft has the meter. */
const PASSING: ReadonlySet<string> = new Set(["just_placed", "just_withdrawn", "meter_missing"]);
const SECOND_MS = 1_000;
const TRIES = 5;

/** True where the same act may pass if it is drafted again. */
export const passes = (cause: unknown): boolean => cause instanceof GpuMarketError && PASSING.has(cause.code);

/** Calls `make` again each second while it is refused for this moment alone, and returns its answer. */
export async function patiently<Made>(make: () => Promise<Made>, pause = SECOND_MS): Promise<Made> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await make();
    } catch (cause) {
      if (tries === TRIES || !passes(cause)) throw cause;
    }
    await new Promise((next) => setTimeout(next, pause));
  }
}
