import { answered, api, type Schemas } from "../../data/api";
import { onFeed } from "../../data/live.svelte";
import type { Query } from "./filters";

const PAGE = 200;
/** Between looks while nothing tells of changes. */
const AGAIN_MS = 15_000;
const QUIET_MS = 1_000;

/** Listings page by page, read on as one scrolls; what is shown is read again when the market changes. */
export class Machines {
  rows = $state.raw<Schemas["Listing"][]>([]);
  error = $state.raw<Error>();
  isLoading = $state(true);
  hasMore = $state(false);
  #cursor: string | null = null;
  #query: Query = {};
  #aborting = new AbortController();

  constructor(query: () => Query) {
    $effect(() => {
      this.#query = query();
      void this.#begin();
    });
    $effect(() => {
      let waiting: ReturnType<typeof setTimeout> | undefined;
      const soon = () => {
        waiting ??= setTimeout(() => {
          waiting = undefined;
          void this.#again();
        }, QUIET_MS);
      };
      const stop = onFeed(["market", "host", "job", "spot"], { event: soon, reset: soon });
      const timer = setInterval(soon, AGAIN_MS);
      return () => {
        stop();
        clearTimeout(waiting);
        clearInterval(timer);
        this.#aborting.abort();
      };
    });
  }

  /** Reads the next page. */
  more = async (): Promise<void> => {
    if (this.isLoading || !this.hasMore) return;
    await this.#take(async (signal) => [...this.rows, ...(await this.#page(this.#cursor, signal))]);
  };

  retry = (): void => void this.#begin();

  async #begin(): Promise<void> {
    await this.#take((signal) => this.#page(null, signal));
  }

  /** As many rows as are there, from the start. */
  async #again(): Promise<void> {
    if (this.isLoading) return;
    const wanted = Math.max(this.rows.length, 1);
    await this.#take(async (signal) => {
      const rows = await this.#page(null, signal);
      while (rows.length < wanted && this.#cursor) rows.push(...(await this.#page(this.#cursor, signal)));
      return rows;
    });
  }

  async #page(cursor: string | null, signal: AbortSignal): Promise<Schemas["Listing"][]> {
    const query = { ...this.#query, limit: PAGE, ...(cursor ? { cursor } : {}) };
    const page = await answered(api.GET("/api/marketplace/listings", { params: { query }, signal }));
    this.#cursor = page.next_cursor ?? null;
    return page.listings;
  }

  async #take(read: (signal: AbortSignal) => Promise<Schemas["Listing"][]>): Promise<void> {
    this.#aborting.abort();
    const { signal } = (this.#aborting = new AbortController());
    this.isLoading = true;
    try {
      const rows = await read(signal);
      if (signal.aborted) return;
      this.rows = rows;
      this.error = undefined;
      this.hasMore = this.#cursor !== null;
    } catch (error) {
      if (signal.aborted) return;
      this.error = error as Error;
    }
    this.isLoading = false;
  }
}
