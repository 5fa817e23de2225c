import { gathered } from "./gathered";
import { onFeed } from "./live.svelte";

interface Options<T> {
  /** Topics of the feed whose events trigger another read. */
  topics?: () => string[];
  /** The value that a topic's state carries, where that is the whole answer. */
  take?: (state: unknown) => T;
  /** Milliseconds between other reads. */
  every?: number;
}

/** Between two looks that events ask for. */
const QUIET_MS = 1_000;

/** A value read from the API, and its age: it stays while a new read runs or fails. */
export class Resource<T> {
  value = $state.raw<T>();
  error = $state.raw<Error>();
  isLoading = $state(true);
  readAt = $state(0);
  #turn = $state(0);

  constructor(read: (signal: AbortSignal) => Promise<T>, options: Options<T>) {
    $effect(() => {
      void this.#turn;
      const aborting = new AbortController();
      const unlessGone = (then: () => void) => aborting.signal.aborted || then();
      this.isLoading = true;
      read(aborting.signal).then(
        (value) => unlessGone(() => this.#keep(value)),
        (error: Error) => unlessGone(() => this.#fail(error)),
      );
      return () => aborting.abort();
    });
    $effect(() => this.#follow(options));
  }

  /** Reads it again. */
  retry = (): void => {
    this.#turn += 1;
  };

  #keep(value: T): void {
    this.value = value;
    this.error = undefined;
    this.isLoading = false;
    this.readAt = Date.now();
  }

  #fail(error: Error): void {
    this.error = error;
    this.isLoading = false;
  }

  #follow({ topics, take, every }: Options<T>): () => void {
    const { soon, cancel } = gathered(this.retry, QUIET_MS);
    const stop = onFeed(topics?.() ?? [], {
      state: (_, data) => {
        if (take && data) this.#keep(take(data));
      },
      event: () => {
        if (!take) soon();
      },
      reset: this.retry,
    });
    const timer = every && setInterval(this.retry, every);
    addEventListener("online", this.retry);
    return () => {
      stop();
      cancel();
      clearInterval(timer || undefined);
      removeEventListener("online", this.retry);
    };
  }
}

/**
 * Reads while the component lives: at once, when what `read` uses before its first await changes, when the feed tells of
 * a change, and when the browser is back online.
 */
export function resource<T>(read: (signal: AbortSignal) => Promise<T>, options: Options<T> = {}): Resource<T> {
  return new Resource(read, options);
}
