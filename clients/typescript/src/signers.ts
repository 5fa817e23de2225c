import type {
  SolanaSignInFeature,
  SolanaSignInInput,
  SolanaSignMessageFeature,
  SolanaSignOffchainMessageFeature,
  SolanaSignTransactionFeature,
} from "@solana/wallet-standard-features";
import type { Wallet, WalletAccount } from "@wallet-standard/base";
import { getTransactionDecoder, getTransactionEncoder } from "@solana/transactions";
import { fromBase58, toBase58, utf8 } from "./bytes.js";
import { SigningRefused } from "./errors.js";
import { envelope, holds } from "./off-chain.js";

/** A signed sign-in message. */
export interface SignedIn {
  readonly signedMessage: Uint8Array;
  readonly signature: Uint8Array;
}

/** A signer: a keypair, or an account of a browser's wallet. Each method raises SigningRefused. */
export interface Signer {
  readonly address: string;
  /** Versions of transactions that it can sign. */
  readonly versions: readonly (0 | 1)[];
  /** The wire bytes with its signature. */
  signTransaction(transaction: Uint8Array): Promise<Uint8Array>;
  /** 64 bytes of Ed25519 over the message as it is, or over an off-chain message's envelope of it. */
  signMessage(message: Uint8Array): Promise<Uint8Array>;
  /** Only where the wallet has a sign-in of its own; else the message is made here and signed as text. */
  signIn?(input: SolanaSignInInput): Promise<SignedIn>;
}

const ED25519_PKCS8 = Uint8Array.from([0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20]);

/** Signs with a keypair: the 64 bytes, or what the Solana CLI keeps in its JSON files. */
export async function keypairSigner(secret: Uint8Array | string): Promise<Signer> {
  const bytes = typeof secret === "string" ? Uint8Array.from(JSON.parse(secret) as number[]) : secret;
  if (bytes.length !== 64) throw new SigningRefused("A keypair has 64 bytes", "Give a file of the Solana CLI.");
  const pkcs8 = Uint8Array.from([...ED25519_PKCS8, ...bytes.subarray(0, 32)]);
  const key = await crypto.subtle.importKey("pkcs8", pkcs8, "Ed25519", false, ["sign"]);
  const address = toBase58(bytes.subarray(32));
  const signMessage = async (message: Uint8Array): Promise<Uint8Array> =>
    new Uint8Array(await crypto.subtle.sign("Ed25519", key, message as BufferSource));
  return {
    address,
    versions: [0, 1],
    signMessage,
    async signTransaction(wire) {
      const transaction = getTransactionDecoder().decode(wire);
      if (!(address in transaction.signatures)) {
        throw new SigningRefused(`${address} is not a signer of this transaction`, "Draft it for this wallet.");
      }
      const signature = await signMessage(Uint8Array.from(transaction.messageBytes));
      const signatures = { ...transaction.signatures, [address]: signature };
      return Uint8Array.from(getTransactionEncoder().encode({ ...transaction, signatures } as typeof transaction));
    },
  };
}

type Features = Partial<
  SolanaSignTransactionFeature &
    SolanaSignMessageFeature &
    SolanaSignOffchainMessageFeature &
    SolanaSignInFeature
>;

/** Options of a request to a wallet. */
export interface Asking {
  /** True if the account's key is on a hardware wallet, which signs messages only as off-chain messages. */
  readonly hardware?: boolean;
}

/** Signs with an account of a wallet of the wallet standard, on `chain`, such as `solana:mainnet`. */
export function walletSigner(
  wallet: Wallet,
  account: WalletAccount,
  chain: `solana:${string}`,
  { hardware = false }: Asking = {},
): Signer {
  const features = wallet.features as Features;
  const transactions = features["solana:signTransaction"];
  const messages = features["solana:signMessage"];
  const offChain = features["solana:signOffchainMessage"];
  const signingIn = features["solana:signIn"];
  if (transactions === undefined || (messages === undefined && offChain === undefined)) {
    throw new SigningRefused(`${wallet.name} cannot sign transactions and messages`, "Use another wallet.");
  }
  const supported: readonly unknown[] = transactions.supportedTransactionVersions;
  const asked = async <T>(answer: Promise<readonly T[]>): Promise<T> => {
    const [first] = await answer.catch((error: unknown) => {
      const remedy = hardware
        ? "Approve the request in the wallet and on the device, or connect it without the mark of a hardware wallet."
        : "Approve the request in the wallet. If its key is on a hardware wallet, connect it marked as one.";
      throw new SigningRefused(`${wallet.name} has not signed`, remedy, { cause: error });
    });
    if (first === undefined) throw new SigningRefused(`${wallet.name} has signed nothing`, "Use another wallet.");
    return first;
  };
  const signedBy = async (text: Uint8Array): Promise<SignedIn> => {
    if (offChain !== undefined && (hardware || messages === undefined)) {
      const message = new TextDecoder().decode(text);
      const input = { messageVersion: 1, account, message, requiredSigners: [account.publicKey] } as const;
      const { signedOffchainMessage, signature } = await asked(offChain.signOffchainMessage(input));
      return { signedMessage: Uint8Array.from(signedOffchainMessage), signature: Uint8Array.from(signature) };
    }
    const message = hardware ? envelope(text, account.address) : text;
    return asked((messages as NonNullable<typeof messages>).signMessage({ account, message }));
  };
  return {
    address: account.address,
    versions: ([0, 1] as const).filter((version) => supported.includes(version)),
    async signTransaction(transaction) {
      return (await asked(transactions.signTransaction({ account, transaction, chain }))).signedTransaction;
    },
    async signMessage(message) {
      const signed = await signedBy(message);
      if (!holds(signed.signedMessage, message)) {
        throw new SigningRefused(`${wallet.name} has signed another message`, "Use another wallet.");
      }
      return signed.signature;
    },
    ...(signingIn && !hardware && { signIn: (input: SolanaSignInInput) => asked(signingIn.signIn(input)) }),
  };
}

/** True if it is a valid wallet address. */
export function isAddress(text: string): boolean {
  try {
    return fromBase58(text).length === 32;
  } catch {
    return false;
  }
}

export const signed = async (signer: Signer, text: string): Promise<string> =>
  toBase58(await signer.signMessage(utf8(text)));
