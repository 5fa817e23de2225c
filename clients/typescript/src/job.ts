import { read, type Api, type Schema } from "./api.js";
import { extendJob, rateJob, reportIssue, stopJob, type Act, type ActPath, type Issue } from "./acts.js";
import { fromBase64 } from "./bytes.js";
import type { Landed } from "./draft.js";
import { GpuMarketError, SealFailed } from "./errors.js";
import type { Feed, FeedOptions } from "./feed.js";
import { keyOf, type OrderKeys } from "./keys.js";
import { noteIn } from "./note.js";
import { unseal, type SealKey } from "./sealing.js";

/** The renter's access to the machine: the password is made for this job and dies with it. */
export interface Connection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** The machine's SSH key as known_hosts has it; undefined if the first key seen must be trusted. */
  readonly hostKey: string | undefined;
  /** Days after the rental for which the host keeps the workspace; undefined if the order does not ask for it. */
  readonly keepDays: number | undefined;
  /** Public port of each forwarded TCP port of the container, on the same host. */
  readonly ports: Readonly<Record<number, number>>;
  /** The URL of each of its HTTP ports. */
  readonly urls: Readonly<Record<number, string>>;
  /** The URL of a terminal for browsers, by WebSocket; undefined where there is none. */
  readonly terminal: string | undefined;
  /** SHA-256 of the certificate of both, as browsers show it; undefined if browsers trust it. */
  readonly fingerprint: string | undefined;
}

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
    return parsed(await unseal(fromBase64(job.connection), await this.#key(job)));
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

function parsed(json: Uint8Array): Connection {
  const told = JSON.parse(new TextDecoder().decode(json)) as Record<string, unknown>;
  const { host, port, user = "root", password, host_key, keep_days, ports = {}, https = {}, certificate, terminal } = told;
  if (
    typeof host !== "string" ||
    typeof port !== "number" ||
    typeof user !== "string" ||
    typeof password !== "string"
  ) {
    throw new SealFailed(
      "unreadable",
      "The host's connection cannot be read",
      "Stop the job with the issue unreachable.",
    );
  }
  const hostKey = typeof host_key === "string" ? host_key : undefined;
  const keepDays = typeof keep_days === "number" ? keep_days : undefined;
  return {
    host,
    port,
    user,
    password,
    hostKey,
    keepDays,
    ports: ports as Record<number, number>,
    urls: Object.fromEntries(
      Object.entries(https as Record<number, number>).map(([inside, at]) => [inside, url("https", host, at)]),
    ),
    terminal: typeof terminal === "number" ? url("wss", host, terminal) : undefined,
    fingerprint: typeof certificate === "string" ? shown(certificate) : undefined,
  };
}

function url(scheme: string, host: string, port: number): string {
  return `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}/`;
}

/** Bytes of unpadded base64 as pairs of hex digits. */
function shown(base64: string): string {
  const pairs = Array.from(fromBase64(`${base64}=`), (byte) => byte.toString(16).padStart(2, "0"));
  return pairs.join(":").toUpperCase();
}
