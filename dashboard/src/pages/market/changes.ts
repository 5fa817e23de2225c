import { gathered } from "../../data/gathered";
import { onFeed } from "../../data/live.svelte";

/** Looks soon after the feed tells of a change of machines or their prices, and every `again` milliseconds, until what it
 * returns is called. */
export function onMachines(look: () => void, quiet: number, again: number): () => void {
  const { soon, cancel } = gathered(look, quiet);
  const stop = onFeed(["market", "host", "job", "spot"], { event: soon, reset: soon });
  const timer = setInterval(soon, again);
  return () => {
    stop();
    cancel();
    clearInterval(timer);
  };
}
