// A wallet of the wallet standard, an API that answers what it is told to, and transactions to sign.
import { address, type Address } from "@solana/addresses";
import {
  appendTransactionMessageInstruction,
  createTransactionMessage,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from "@solana/transaction-messages";
import { compileTransaction, getTransactionEncoder } from "@solana/transactions";
import type { Wallet, WalletAccount } from "@wallet-standard/base";
import { fromBase58, fromHex, toBase64 } from "../src/bytes.js";
import { INSTRUCTIONS, PROGRAM_ID } from "../src/generated/program.js";
import { keypairSigner, type Signer } from "../src/signers.js";

const SEED = Uint8Array.from({ length: 32 }, (_, index) => index);

/** The keypair of a fixed seed. */
export async function keypair(): Promise<Signer> {
  const pkcs8 = Uint8Array.from([0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20, ...SEED]);
  const key = await crypto.subtle.importKey("pkcs8", pkcs8, "Ed25519", true, ["sign"]);
  const { x } = await crypto.subtle.exportKey("jwk", key);
  return keypairSigner(Uint8Array.from([...SEED, ...Buffer.from(x ?? "", "base64url")]));
}

/** A wallet with that keypair; `versions` are what it says that it can sign. */
export function wallet(
  signer: Signer,
  versions: readonly unknown[],
  prefix = "",
): { wallet: Wallet; account: WalletAccount } {
  const account: WalletAccount = {
    address: signer.address,
    publicKey: fromBase58(signer.address),
    chains: ["solana:localnet"],
    features: ["solana:signTransaction", "solana:signMessage"],
  };
  const signTransaction = async ({ transaction }: { transaction: Uint8Array }) => [
    { signedTransaction: await signer.signTransaction(transaction) },
  ];
  const signMessage = async ({ message }: { message: Uint8Array }) => {
    const signedMessage = Uint8Array.from([...new TextEncoder().encode(prefix), ...message]);
    return [{ signedMessage, signature: await signer.signMessage(signedMessage) }];
  };
  const features = {
    "solana:signTransaction": { version: "1.0.0", supportedTransactionVersions: versions, signTransaction },
    "solana:signMessage": { version: "1.0.0", signMessage },
  } as Wallet["features"];
  return {
    wallet: {
      version: "1.0.0",
      name: "Test wallet",
      icon: "data:image/png;base64,",
      chains: ["solana:localnet"],
      features,
      accounts: [account],
    },
    account,
  };
}

/** A transaction in base64 with one instruction of the market's that has no arguments but `data`. */
export function transaction(payer: string, name: string, data = "", version: 0 | 1 = 0): string {
  const [discriminator, [, roles]] = Object.entries(INSTRUCTIONS).find(([, row]) => row[0] === name) ?? [
    "",
    ["", "", []],
  ];
  const owner = address(payer);
  const accounts = roles
    .split(" ")
    .map((_, place) => ({ address: place === 0 ? owner : (PROGRAM_ID as Address), role: place === 0 ? 3 : 0 }));
  const blockhash = { blockhash: "11111111111111111111111111111111", lastValidBlockHeight: 9n } as never;
  let message = createTransactionMessage({ version } as { version: 0 }) as never;
  message = setTransactionMessageFeePayer(owner, message) as never;
  message = setTransactionMessageLifetimeUsingBlockhash(blockhash, message) as never;
  const instruction = { programAddress: PROGRAM_ID as Address, accounts, data: fromHex(discriminator + data) };
  message = appendTransactionMessageInstruction(instruction, message) as never;
  return toBase64(Uint8Array.from(getTransactionEncoder().encode(compileTransaction(message))));
}

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: Record<string, unknown>;
}

/** An API: each request gets what `answer` says, a status and a body; everything that was asked is kept. */
export function api(answer: (asked: Asked, times: number) => readonly [number, unknown]) {
  const asked: Asked[] = [];
  const fetch = async (input: unknown): Promise<Response> => {
    const request = input as Request;
    const text = await request.text();
    const one = {
      method: request.method,
      path: new URL(request.url).pathname,
      body: text === "" ? {} : JSON.parse(text),
    };
    const [status, body] = answer(one, asked.filter(({ path }) => path === one.path).length);
    asked.push(one);
    const type = status < 400 ? "application/json" : "application/problem+json";
    return new Response(JSON.stringify(body), { status, headers: { "Content-Type": type, "Retry-After": "7" } });
  };
  return { asked, fetch: fetch as typeof globalThis.fetch };
}

/** Answer to an act. */
export const unsigned = (wire: string) => ({
  transaction: wire,
  version: "v0",
  blockhash: "11111111111111111111111111111111",
  last_valid_block_height: 9,
  signers: [],
  address: null,
  summary: { text: "Does something.", movements: [], fee: "5000", rent_locked: "0", rent_returned: "0", most: [] },
});
