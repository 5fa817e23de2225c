/** Calls that are asked for in a burst, made once, `quiet` milliseconds after the first. */
export interface Gathered {
  soon(): void;
  cancel(): void;
}

export function gathered(act: () => void, quiet: number): Gathered {
  let waiting: ReturnType<typeof setTimeout> | undefined;
  return {
    soon() {
      waiting ??= setTimeout(() => {
        waiting = undefined;
        act();
      }, quiet);
    },
    cancel: () => clearTimeout(waiting),
  };
}
