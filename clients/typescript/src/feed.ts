import { ApiUnreachable, GpuMarketError } from "./errors.js";
import { lines, sockets, type Transport } from "./transports.js";

/** A message of the feed; `type` says which. */
export type FeedMessage =
  | {
      readonly type: "hello";
      readonly cursor: string;
      readonly topics: readonly string[];
      readonly final_slot: number | null;
    }
  | FeedEvent<"event">
  | (FeedEvent<"withdrawn"> & { readonly of: string })
  | { readonly type: "state"; readonly topic: string; readonly cursor: string; readonly data: unknown }
  | { readonly type: "final"; readonly slot: number | null }
  | { readonly type: "reset"; readonly cursor: string; readonly detail: string }
  | { readonly type: "error"; readonly error: string; readonly detail: string };

/** An event of the program; 64-bit numbers of its `data` are text. */
export interface FeedEvent<Type extends string> {
  readonly type: Type;
  readonly cursor: string;
  readonly event: string;
  readonly area: string;
  readonly topics: readonly string[];
  readonly status: "final" | "pending" | "withdrawn";
  readonly tx: string;
  readonly slot: number;
  readonly ts: number | null;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface FeedOptions {
  /** Resume behind this cursor. */
  readonly after?: string;
  readonly signal?: AbortSignal;
  /** By default a WebSocket where there is one, else server-sent events. */
  readonly transport?: Transport;
}

const FIRST_WAIT_MS = 250;
const MOST_WAIT_MS = 15_000;

/** Follows topics: connects again after every loss, behind the last event, so that none is left out or comes twice. */
export class Feed implements AsyncIterable<FeedMessage> {
  readonly #topics: Set<string>;
  #change: ((change: object) => boolean) | undefined;
  #restart: (() => void) | undefined;
  /** Position of the feed; a new feed resumes after it. */
  cursor: string | undefined;

  constructor(
    private readonly api: string,
    topics: Iterable<string>,
    private readonly options: FeedOptions = {},
  ) {
    this.#topics = new Set(topics);
    this.cursor = options.after;
  }

  /** Follows more topics. */
  subscribe(...topics: readonly string[]): void {
    for (const topic of topics) this.#topics.add(topic);
    this.#apply({ subscribe: topics });
  }

  /** Follows these no longer. */
  unsubscribe(...topics: readonly string[]): void {
    for (const topic of topics) this.#topics.delete(topic);
    this.#apply({ unsubscribe: topics });
  }

  /** Messages until `signal` is aborted or the loop is left. GpuMarketError for topics that the API does not have. */
  async *[Symbol.asyncIterator](): AsyncGenerator<FeedMessage, void> {
    const { signal } = this.options;
    let wait = FIRST_WAIT_MS;
    while (signal?.aborted !== true) {
      const ending = new AbortController();
      const whole = signal === undefined ? ending.signal : AbortSignal.any([signal, ending.signal]);
      let hasChanged = false;
      this.#restart = () => {
        hasChanged = true;
        ending.abort();
      };
      try {
        for await (const text of this.#transport(whole)) {
          const message = JSON.parse(text) as FeedMessage;
          if ("cursor" in message && message.type !== "state") this.cursor = message.cursor;
          if (message.type === "error" && message.error === "not_understood") {
            throw new GpuMarketError(message.error, message.detail, "See the feed's topics in docs/index-and-api.md.");
          }
          wait = FIRST_WAIT_MS;
          yield message;
        }
      } catch (error) {
        if (!(error instanceof ApiUnreachable) && !whole.aborted) throw error;
      } finally {
        this.#change = undefined;
        ending.abort();
      }
      if (hasChanged) continue;
      await pause(wait * (0.5 + Math.random() / 2), signal);
      wait = Math.min(wait * 2, MOST_WAIT_MS);
    }
  }

  #transport(signal: AbortSignal): AsyncIterable<string> {
    const transport = this.options.transport ?? ("WebSocket" in globalThis ? sockets : lines);
    const query = new URLSearchParams([...this.#topics].map((topic) => ["topic", topic]));
    if (this.cursor !== undefined) query.set("after", this.cursor);
    return transport(`${this.api}/api/feed?${query}`, signal, (change) => (this.#change = change));
  }

  #apply(change: object): void {
    if (this.#change?.(change) !== true) this.#restart?.();
  }
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
