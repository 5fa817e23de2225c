import { GpuMarketError } from "gpu-market";

/** Refusals that the next second takes back: what a wallet has just placed or withdrawn is not yet to be undone. */
const PASSING: ReadonlySet<string> = new Set(["just_placed", "just_withdrawn"]);
const SECOND_MS = 1_000;
const TRIES = 5;

/** Calls `make` again each second while it is refused for that second alone, and returns its answer. */
export async function patiently<Made>(make: () => Promise<Made>, wanted: () => boolean): Promise<Made> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await make();
    } catch (cause) {
      if (tries === TRIES || !wanted() || !(cause instanceof GpuMarketError) || !PASSING.has(cause.code)) throw cause;
    }
    await new Promise((next) => setTimeout(next, SECOND_MS));
  }
}
