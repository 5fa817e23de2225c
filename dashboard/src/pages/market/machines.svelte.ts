import { answered, api, type Schemas } from "../../data/api";
import { onMachines } from "./changes";
import type { Query } from "./filters";

const PAGE = 200;
/** Between looks while nothing tells of changes. */
const AGAIN_MS = 15_000;
const QUIET_MS = 1_000;
/** Rows before the end from which on the next page is read. */
const AHEAD = 100;

type Page = Schemas["ListingPage"];

/** Listings page by page, read on as one scrolls; of what is there the pages on the screen are read again when the market
 * changes. */
export class Machines {
  rows = $state.raw<Schemas["Listing"][]>([]);
  error = $state.raw<Error>();
  isLoading = $state(true);
  hasMore = $state(false);
  #pages: Page[] = [];
  #seen = { first: 0, last: 0 };
  #query: Query = {};
  #aborting = new AbortController();
  #isReadingAgain = false;

  constructor(query: () => Query) {
    $effect(() => {
      this.#query = query();
      void this.#begin();
    });
    $effect(() => {
      const stop = onMachines(() => void this.#again(), QUIET_MS, AGAIN_MS);
      return () => {
        stop();
        this.#aborting.abort();
      };
    });
  }

  /** Says which rows are on the screen; near the end the next page is read. */
  show(first: number, last: number): void {
    this.#seen = { first, last };
    if (last >= this.rows.length - AHEAD) void this.#more();
  }

  retry = (): void => void this.#begin();

  async #begin(): Promise<void> {
    this.#aborting.abort();
    this.#aborting = new AbortController();
    await this.#load(async (signal) => {
      const page = await this.#page(null, signal);
      if (!signal.aborted) this.#pages = [page];
    });
  }

  async #more(): Promise<void> {
    if (this.isLoading || this.error || !this.hasMore) return;
    await this.#load(async (signal) => {
      const page = await this.#page(this.#pages.at(-1)?.next_cursor ?? null, signal);
      if (!signal.aborted) this.#pages.push(page);
    });
  }

  async #load(read: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { signal } = this.#aborting;
    this.isLoading = true;
    await this.#take(read);
    if (!signal.aborted) this.isLoading = false;
  }

  /** Reads the pages on the screen again; a row that has moved between pages stays where it was read last. */
  async #again(): Promise<void> {
    if (this.isLoading || this.#isReadingAgain) return;
    this.#isReadingAgain = true;
    const until = Math.max(this.#seen.last, 1);
    let start = 0;
    for (let index = 0; index < this.#pages.length && start < until; index += 1) {
      const length = this.#pages[index]?.listings.length ?? 0;
      if (start + length > this.#seen.first || index === 0) await this.#take((signal) => this.#replace(index, signal));
      start += length;
    }
    this.#isReadingAgain = false;
  }

  async #replace(index: number, signal: AbortSignal): Promise<void> {
    const page = await this.#page(index === 0 ? null : (this.#pages[index - 1]?.next_cursor ?? null), signal);
    if (signal.aborted) return;
    this.#pages[index] = page;
    if (!page.next_cursor) this.#pages.length = index + 1;
  }

  #page(cursor: string | null, signal: AbortSignal): Promise<Page> {
    const query = { ...this.#query, limit: PAGE, ...(cursor ? { cursor } : {}) };
    return answered(api.GET("/api/marketplace/listings", { params: { query }, signal }));
  }

  async #take(read: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { signal } = this.#aborting;
    try {
      await read(signal);
      if (signal.aborted) return;
      this.rows = [...new Map(this.#pages.flatMap((page) => page.listings).map((each) => [each.id, each])).values()];
      this.hasMore = Boolean(this.#pages.at(-1)?.next_cursor);
      this.error = undefined;
    } catch (error) {
      if (!signal.aborted) this.error = error as Error;
    }
  }
}
