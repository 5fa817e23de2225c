import { getTransactionDecoder } from "@solana/transactions";
import { read, type Api, type Schema } from "./api.js";
import { toBase58, toBase64 } from "./bytes.js";
import { ApiRefusal, ApiUnreachable, TransactionFailed } from "./errors.js";

type Relayed = Schema<"Relayed">;

const FIRST_WAIT_MS = 200;
const MOST_WAIT_MS = 2_000;
const PATIENCE_MS = 120_000;
const PASSING = [429, 502, 503];

/** Hands a signed transaction to the API and waits until it has landed. Whatever fails on the way after that, the API is
 * asked again: handed over twice, it is sent once. TransactionFailed; ApiRefusal for what was not sent. */
export async function relay(api: Api, wire: Uint8Array, lastValidBlockHeight: number): Promise<Relayed> {
  const signature = signatureOf(wire);
  const body = { transaction: toBase64(wire), last_valid_block_height: lastValidBlockHeight };
  const params = { params: { path: { signature } } };
  const deadline = Date.now() + PATIENCE_MS;
  let told: Relayed | undefined;
  for (let poll = FIRST_WAIT_MS; ; poll = Math.min(poll * 2, MOST_WAIT_MS)) {
    let wait = poll;
    try {
      told = await read(
        told === undefined ? api.POST("/api/transactions", { body }) : api.GET("/api/transactions/{signature}", params),
      );
      if (told.status === "landed") return told;
      if (told.status !== "pending") throw failureOf(told, told.status);
    } catch (error) {
      if (error instanceof ApiRefusal && error.status === 404) told = undefined;
      else if (!isPassing(error)) throw error;
      else if (error instanceof ApiRefusal) wait = Math.max(wait, (error.retryAfter ?? 0) * 1_000);
    }
    if (Date.now() + wait > deadline) throw unknown(signature);
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

const isPassing = (error: unknown): boolean =>
  error instanceof ApiUnreachable || (error instanceof ApiRefusal && PASSING.includes(error.status));

function signatureOf(wire: Uint8Array): string {
  const [signature] = Object.values(getTransactionDecoder().decode(wire).signatures);
  return toBase58(signature ?? new Uint8Array(64));
}

function failureOf({ error, signature }: Relayed, status: "failed" | "expired" | "unknown"): TransactionFailed {
  if (error !== null) return new TransactionFailed(status, error.error, error.detail, error.remedy, signature);
  if (status === "unknown") return unknown(signature);
  return new TransactionFailed(
    status,
    `transaction_${status}`,
    `The transaction has ${status}.`,
    "Send it again.",
    signature,
  );
}

const unknown = (signature: string): TransactionFailed =>
  new TransactionFailed(
    "unknown",
    "outcome_unknown",
    "Nobody says whether the transaction has landed.",
    "Look for its signature before you try again.",
    signature,
  );
