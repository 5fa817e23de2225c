import type { Api, Schema } from "./api.js";
import { fromBase64, toBase64 } from "./bytes.js";
import { verify, type Expected } from "./checks.js";
import { passes, patiently } from "./patience.js";
import { relay } from "./relay.js";
import type { Signer } from "./signers.js";
import { decodeTransaction, type DecodedTransaction } from "./transaction.js";

/** Half of what a blockhash lives where slots take 100 ms. */
const FRESH_MS = 7_500;

/** A transaction that has succeeded. `address` is the account that it made or was about. */
export interface Landed {
  readonly signature: string;
  readonly slot: number | null;
  readonly address: string | null;
}

/** A signed transaction on its way: whoever keeps it can ask for its outcome later, `GpuMarket.resume(sent)`. */
export interface Sent {
  /** Base64, signed. */
  readonly transaction: string;
  readonly lastValidBlockHeight: number;
  readonly address: string | null;
}

/** The steps of a draft. */
export interface Drafting<Answer> {
  readonly api: Api;
  readonly signer: Signer;
  readonly maxPriorityFee: bigint;
  /** Asks the API, and says what its answer must be. */
  ask(): Promise<{ readonly answer: Answer; readonly expected: Expected }>;
  /** Runs before anything is signed. */
  before?(answer: Answer): Promise<void>;
  /** Runs after it has landed, and undoes nothing if it fails. */
  after?(landed: Landed): Promise<void>;
}

/** A transaction that the API has drafted and this client has checked against what was asked for; not yet signed. */
export class Draft<Answer extends Schema<"UnsignedAct"> = Schema<"UnsignedAct">> {
  #draftedAt = Date.now();

  private constructor(
    private readonly drafting: Drafting<Answer>,
    /** The API's answer. */
    public answer: Answer,
    /** The decoded bytes of the transaction. */
    public decoded: DecodedTransaction,
  ) {}

  /** Has it drafted. Throws DraftRefused if the API's transaction is not as expected. */
  static async of<Answer extends Schema<"UnsignedAct">>(drafting: Drafting<Answer>): Promise<Draft<Answer>> {
    const { answer, decoded } = await checked(drafting);
    return new Draft(drafting, answer, decoded);
  }

  /** Effects by the API's simulation, for people to read; its bytes decide whether it may be signed. */
  get summary(): Schema<"Summary"> {
    return this.answer.summary;
  }

  /** Has it signed, hands it to the API, and waits for its outcome; `sent` is told as soon as it is signed. One that has
   * expired, or that a meter has overtaken, is drafted, checked and signed again. SigningRefused, TransactionFailed,
   * DraftRefused, ApiRefusal. */
  async send(sent?: (sent: Sent) => void): Promise<Landed> {
    try {
      return await this.#send(sent);
    } catch (cause) {
      if (!passes(cause)) throw cause;
    }
    return this.#send(sent);
  }

  async #send(sent?: (sent: Sent) => void): Promise<Landed> {
    const { api, signer, before, after } = this.drafting;
    await before?.(this.answer);
    if (Date.now() - this.#draftedAt > FRESH_MS) {
      Object.assign(this, await checked(this.drafting));
      this.#draftedAt = Date.now();
    }
    const wire = await signer.signTransaction(fromBase64(this.answer.transaction));
    // Until it has landed it counts as old: whoever sends it again after a failure needs another.
    this.#draftedAt = 0;
    const { last_valid_block_height: lastValidBlockHeight, address } = this.answer;
    const signed = { transaction: toBase64(wire), lastValidBlockHeight, address };
    sent?.(signed);
    const told = await landed(api, signed);
    await after?.(told).catch(() => undefined);
    return told;
  }
}

/** Hands a signed transaction over, again if that was done before, and waits for its outcome. */
export async function landed(api: Api, { transaction, lastValidBlockHeight, address }: Sent): Promise<Landed> {
  const told = await relay(api, fromBase64(transaction), lastValidBlockHeight);
  return { signature: told.signature, slot: told.slot, address };
}

async function checked<Answer extends Schema<"UnsignedAct">>({ ask, signer, maxPriorityFee }: Drafting<Answer>) {
  const { answer, expected } = await patiently(ask);
  const decoded = decodeTransaction(answer.transaction);
  verify(decoded, expected, signer.address, maxPriorityFee);
  return { answer, decoded };
}
