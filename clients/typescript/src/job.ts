import { read, type Api, type Schema } from "./api.js";
import { extendJob, rateJob, reportIssue, stopJob, type Act, type ActPath, type Issue } from "./acts.js";
import { fromBase64 } from "./bytes.js";
import { readConnection, type Connection } from "./connection.js";
import type { Landed } from "./draft.js";
import { GpuMarketError, SealFailed } from "./errors.js";
import type { Feed, FeedOptions } from "./feed.js";
import { keyOf, type OrderKeys } from "./keys.js";
import { noteIn } from "./note.js";
import { unseal, type SealKey } from "./sealing.js";

/** The parts of the market that a job uses. */
interface JobMarket {
  readonly api: Api;
  readonly keys: OrderKeys;
  feed(topics: Iterable<string>, options?: FeedOptions): Feed;
  send<Path extends ActPath>(act: Act<Path>): Promise<Landed>;
}

/** A rental, as its renter calls it. */
export class Job {
  constructor(
    private readonly market: JobMarket,
    readonly id: string,
  ) {}

  /** The job as it stands; `job_not_found` until its opening is final. */
  get(): Promise<Schema<"Job">> {
    return read(this.market.api.GET("/api/jobs/{id}", { params: { path: { id: this.id } } }));
  }

  /** The job now, and again whenever it has changed, until it has ended. */
  async *watch(options: FeedOptions = {}): AsyncGenerator<Schema<"Job">, void> {
    for await (const message of this.market.feed([`job:${this.id}`], options)) {
      if (message.type !== "state" || !isJob(message.data)) continue;
      yield message.data;
      if (message.data.ended_at !== null) return;
    }
  }

  /** Waits until it runs, or has ended before: the job as it stands then. */
  running(options: FeedOptions = {}): Promise<Schema<"Job">> {
    return this.#until((job) => job.status === "running", options);
  }

  /** Waits until it has ended: the job with what it has cost. */
  ended(options: FeedOptions = {}): Promise<Schema<"Job">> {
    return this.#until(() => false, options);
  }

  /** Connection to its machine; undefined until its host has accepted. SealFailed if the order's key is not kept. */
  async connection(): Promise<Connection | undefined> {
    const job = await this.get();
    if (typeof job.connection !== "string") return undefined;
    return readConnection(await unseal(fromBase64(job.connection), await this.#key(job)));
  }

  /**
   * The host's note to its renter on giving the job up, in the host's own words: plain text on one line; undefined
   * without one. SealFailed if the order's key is not kept.
   */
  async note(): Promise<string | undefined> {
    const { notes } = await read(this.market.api.GET("/api/jobs/{id}/notes", { params: { path: { id: this.id } } }));
    return notes.length === 0 ? undefined : noteIn(notes, await this.#key(await this.get()));
  }

  /** Ends it: seconds used are paid and the rest is back in the same transaction. */
  stop({ issue }: { readonly issue?: Issue } = {}): Promise<Landed> {
    return this.market.send(stopJob(this.id, issue));
  }

  /** Buys more time at its own rates, for at most `maxCost` base units of its mint. */
  async extend(seconds: number, { maxCost }: { readonly maxCost: bigint }): Promise<Landed> {
    const { mint } = await this.get();
    return this.market.send(extendJob(this.id, seconds, maxCost, mint));
  }

  /** Rates it once, 1 to 5, while it runs. */
  rate(rating: number): Promise<Landed> {
    return this.market.send(rateJob(this.id, rating));
  }

  /** Reports a fault of its machine without ending it. */
  report(issue: Issue): Promise<Landed> {
    return this.market.send(reportIssue(this.id, issue));
  }

  async #key(job: Schema<"Job">): Promise<SealKey> {
    const key = await keyOf(this.market.keys, job.order_hash);
    if (key !== undefined) return key;
    throw new SealFailed("no_key", "The key of this order is not kept here", "Open it where it was ordered.");
  }

  async #until(holds: (job: Schema<"Job">) => boolean, options: FeedOptions): Promise<Schema<"Job">> {
    for await (const job of this.watch(options)) if (holds(job) || job.ended_at !== null) return job;
    throw new GpuMarketError("aborted", "The job is no longer followed", "Follow it again.");
  }
}

function isJob(data: unknown): data is Schema<"Job"> {
  return typeof data === "object" && data !== null && "order_hash" in data;
}
