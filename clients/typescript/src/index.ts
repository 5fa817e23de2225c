export { GpuMarket, type Options } from "./market.js";
export { Job } from "./job.js";
export type { Connection } from "./connection.js";
export { Draft, type Landed, type Sent } from "./draft.js";
export type { Rent } from "./rent.js";
export type { MachineWanted } from "./requesting.js";
export { DEFAULT_IMAGE, type Workload } from "./order.js";
export { readPublicKey } from "./public-key.js";
export * from "./acts.js";
export * from "./hosting.js";
export * from "./proposing.js";
export { connect, read, type Api, type Credential, type Schema } from "./api.js";
export type { components, paths } from "./generated/api.js";
export { Feed, type FeedEvent, type FeedMessage, type FeedOptions } from "./feed.js";
export { lines, sockets, type Transport } from "./transports.js";
export { inMemory, inStorage, type OrderKeys, type WaitingOrders } from "./keys.js";
export { keypairSigner, walletSigner, type Asking, type SignedIn, type Signer } from "./signers.js";
export { signIn, type SignIn } from "./sign-in.js";
export { decodeTransaction, type AccountOf, type DecodedInstruction, type DecodedTransaction } from "./transaction.js";
export type { Value } from "./arguments.js";
export { differences, type Expected, type ExpectedInstruction, type Wanted } from "./checks.js";
export { seal, SealKey, unseal } from "./sealing.js";
export { fromBase58, fromHex, toHex } from "./bytes.js";
export { PROGRAM_ID } from "./generated/program.js";
export { DISK_NUMBERS, GPU_NUMBERS, MOST_TERMS, PARAMETERS, REGION_NUMBERS } from "./generated/catalog.js";
export { NATIVE_MINT } from "./foreign.js";
export {
  ApiRefusal,
  ApiUnreachable,
  DraftRefused,
  GpuMarketError,
  SealFailed,
  SigningRefused,
  TransactionFailed,
  type Difference,
} from "./errors.js";
