import { createSubscriber } from "svelte/reactivity";

const TICK_MS = 1_000;

/** The current unix second; whatever shows it is drawn again each second, and only then does it tick. */
class Clock {
  #follow = createSubscriber((update) => {
    const timer = setInterval(update, TICK_MS);
    return () => clearInterval(timer);
  });

  get now(): number {
    this.#follow();
    return Math.floor(Date.now() / 1_000);
  }
}

export const clock = new Clock();
