import type { Act, ActPath } from "./acts.js";
import { connect, read, type Api, type Schema } from "./api.js";
import { handOverAgain, type HandOver } from "./delivery.js";
import { Draft, landed, type Landed, type Sent } from "./draft.js";
import { fromBase64, toBase64 } from "./bytes.js";
import { GpuMarketError, SigningRefused } from "./errors.js";
import { Feed, type FeedOptions } from "./feed.js";
import type { paths } from "./generated/api.js";
import { Job } from "./job.js";
import { inMemory, newKey, type OrderKeys, type WaitingOrders } from "./keys.js";
import { orderDocument } from "./order.js";
import { deliver, expectedOrder, rentBody, type Rent } from "./rent.js";
import { expectedRequest, requestBody, type MachineWanted } from "./requesting.js";
import { signIn, type SignIn } from "./sign-in.js";
import type { Signer } from "./signers.js";

export interface Options {
  /** The market's API, such as `http://127.0.0.1:8000`. */
  readonly api: string;
  /** The signer; without one the market can only be read. */
  readonly signer?: Signer;
  /** Store of order keys; default: in memory, so that connections are lost with the process. */
  readonly keys?: OrderKeys;
  /** Store of request documents until they are matched; default: in memory as well. */
  readonly waiting?: WaitingOrders;
  /** Mints of symbols, so that the API need not be believed what `GPUM` is. */
  readonly tokens?: Readonly<Record<string, string>>;
  /** Most that a transaction may offer beyond the price of its signature, lamports; by default 0.002 SOL. */
  readonly maxPriorityFee?: bigint;
  readonly fetch?: typeof globalThis.fetch;
}

type ListingQuery = NonNullable<paths["/api/marketplace/listings"]["get"]["parameters"]["query"]>;

const MAX_PRIORITY_FEE = 2_000_000n;

/** A market by its API. Everything raises GpuMarketError: ApiRefusal, ApiUnreachable, DraftRefused and others. */
export class GpuMarket {
  /** All of the API, typed by path. */
  readonly api: Api;
  readonly keys: OrderKeys;
  readonly waiting: WaitingOrders;
  #signedIn: SignIn | undefined;

  constructor(readonly options: Options) {
    this.keys = options.keys ?? inMemory();
    this.waiting = options.waiting ?? inMemory();
    this.api = connect(options.api, async () => this.#signedIn?.credential() ?? {}, options.fetch);
  }

  /** Machines on offer; pass a page's `next_cursor` as `cursor` for the next one. */
  listings(query: ListingQuery = {}): Promise<Schema<"ListingPage">> {
    return read(this.api.GET("/api/marketplace/listings", { params: { query } }));
  }

  /** A job by its id. */
  job(id: string): Job {
    return new Job(this, id);
  }

  /** Changes as they happen, for any topics of the feed. */
  feed(topics: Iterable<string>, options: FeedOptions = {}): Feed {
    return new Feed(this.options.api.replace(/\/+$/, ""), topics, options);
  }

  /** Rents a machine: drafts and checks the order, hands the sealed document over, signs and waits until it has landed. */
  async rent(rent: Rent): Promise<Job> {
    const draft = await this.draftRent(rent);
    return this.job((await draft.send()).address ?? "");
  }

  /** The same up to the signature: the document is handed over as the draft is sent. */
  async draftRent(rent: Rent): Promise<Draft<Schema<"UnsignedOrder">>> {
    const signer = this.#signer();
    const { key, secret } = await newKey();
    const document = await orderDocument(rent, key);
    let wanted = rent;
    let isKept = false;
    let handOver: HandOver | undefined;
    return Draft.of<Schema<"UnsignedOrder">>({
      ...this.#drafting(signer),
      ask: async () => {
        const body = { ...rentBody(wanted, document.hash), ...who(signer) };
        const answer = await read(this.api.POST("/api/jobs", { body }));
        const expected = await expectedOrder(wanted, document.hash, answer, signer.address, this.options.tokens ?? {});
        wanted = { ...wanted, listing: answer.listing };
        return { answer, expected };
      },
      before: async ({ listing }) => {
        if (!isKept) await this.keys.keep(document.hash, secret);
        isKept = true;
        handOver ??= await deliver(this.api, signer, listing, document);
      },
      after: async ({ address }) => {
        if (address !== null && handOver !== undefined) await handOverAgain(this.api, handOver, address);
      },
    });
  }

  /** Asks for any machine that fits, up to the signature. The document is kept until a match names the host: then `handOver` it. */
  async draftRequest(wanted: MachineWanted): Promise<Draft<Schema<"UnsignedRequest">>> {
    const signer = this.#signer();
    const { key, secret } = await newKey();
    const document = await orderDocument(wanted, key);
    let isKept = false;
    return Draft.of<Schema<"UnsignedRequest">>({
      ...this.#drafting(signer),
      ask: async () => {
        const body = { ...requestBody(wanted, document.hash), ...who(signer) };
        const answer = await read(this.api.POST("/api/requests", { body }));
        const { tokens = {} } = this.options;
        return { answer, expected: await expectedRequest(wanted, document.hash, answer, signer.address, tokens) };
      },
      before: async () => {
        if (isKept) return;
        await this.keys.keep(document.hash, secret);
        await this.waiting.keep(document.hash, toBase64(document.canonical));
        isKept = true;
      },
    });
  }

  /** Seals the order of a request that was matched to the machine's host and hands it over, signed. `no_document`. */
  async handOver(orderHash: string, listing: string, job: string | null = null): Promise<void> {
    const kept = await this.waiting.find(orderHash);
    if (kept === undefined) {
      throw new GpuMarketError("no_document", "The order is not kept here", "Hand it over where it was asked for.");
    }
    await deliver(this.api, this.#signer(), listing, { canonical: fromBase64(kept), hash: orderHash }, job);
    await this.waiting.forget(orderHash);
  }

  /** Has the API draft what an act does, and checks it against what the act expects. DraftRefused. */
  async draft<Path extends ActPath>(act: Act<Path>): Promise<Draft> {
    const signer = this.#signer();
    const params = act.id === undefined ? {} : { params: { path: { id: act.id } } };
    const post = this.api.POST as (path: string, init: object) => Promise<{ data?: Schema<"UnsignedAct"> }>;
    return Draft.of({
      ...this.#drafting(signer),
      ask: async () => {
        const answer = await read(post(act.path, { ...params, body: { ...act.body, ...who(signer) } }));
        return { answer, expected: act.expected };
      },
    });
  }

  /** Drafts, checks, signs and sends it. */
  async send<Path extends ActPath>(act: Act<Path>): Promise<Landed> {
    return (await this.draft(act)).send();
  }

  /** Waits for the outcome of what was signed before, by this page or an earlier one. TransactionFailed. */
  resume(sent: Sent): Promise<Landed> {
    return landed(this.api, sent);
  }

  /** Signs in, so that requests count for the wallet. */
  async signIn(): Promise<SignIn> {
    return (this.#signedIn = await signIn(this.options.api, this.#signer(), this.options.fetch));
  }

  #drafting(signer: Signer) {
    return { api: this.api, signer, maxPriorityFee: this.options.maxPriorityFee ?? MAX_PRIORITY_FEE };
  }

  #signer(): Signer {
    const { signer } = this.options;
    if (signer === undefined) throw new SigningRefused("There is no signer", "Give one, or connect a wallet.");
    return signer;
  }
}

/** The signer, and the newest transaction version that it can sign. */
function who({ address, versions }: Signer): { wallet: string; version: "v0" | "v1" } {
  return { wallet: address, version: versions.includes(1) ? "v1" : "v0" };
}
