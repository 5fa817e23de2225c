// Reads cases from standard input; writes what this client makes of them, for the Python client to compare.
import { readFileSync } from "node:fs";
import { createListing, propose, updateListing, type Act, type Action, type ListingSpec } from "gpu-market";
import { fromBase64, fromHex, toBase64, toHex, utf8 } from "../src/bytes.js";
import { differences } from "../src/checks.js";
import { noteIn } from "../src/note.js";
import { orderDocument, orderStatement, type Workload } from "../src/order.js";
import { expectedOrder, type Rent } from "../src/rent.js";
import { expectedRequest, type MachineWanted } from "../src/requesting.js";
import { seal, SealKey, unseal } from "../src/sealing.js";
import { decodeTransaction } from "../src/transaction.js";
import type { Schema } from "../src/api.js";

interface Cases {
  readonly orders: readonly {
    readonly workload: Workload;
    readonly secret: string;
    readonly sealed: string;
    readonly signedAt: number;
  }[];
  readonly opened: readonly { readonly secret: string; readonly sealed: string }[];
  readonly notes: readonly { readonly secret: string; readonly notes: readonly string[] }[];
  readonly sealed: readonly { readonly to: string; readonly message: string }[];
  readonly transactions: readonly string[];
  readonly acts: readonly { readonly name: keyof typeof ACTS; readonly given: readonly unknown[]; readonly wallet: string; readonly transaction: string }[];
  readonly requests: readonly {
    readonly wanted: Omit<MachineWanted, "deposit"> & { readonly deposit: string };
    readonly orderHash: string;
    readonly wallet: string;
    readonly answer: Schema<"UnsignedRequest">;
  }[];
  readonly rents: readonly {
    readonly rent: Omit<Rent, "maxCost" | "maxCharges"> & { readonly maxCost: string; readonly maxCharges?: string };
    readonly orderHash: string;
    readonly wallet: string;
    readonly answer: Schema<"UnsignedOrder">;
  }[];
}

const ACTS = {
  propose: (action: unknown, title: unknown): Act => propose(action as Action, title as string),
  createListing: (spec: unknown): Act => createListing(spec as ListingSpec),
  updateListing: (listing: unknown, spec: unknown): Act => updateListing(listing as string, spec as ListingSpec),
};
const cases = JSON.parse(readFileSync(0, "utf8")) as Cases;
const told = {
  orders: await all(cases.orders, async ({ workload, secret, sealed, signedAt }) => {
    const document = await orderDocument(workload, await SealKey.fromSecret(fromHex(secret)));
    const statement = await orderStatement(document.hash, fromBase64(sealed), signedAt);
    return { canonical: toBase64(document.canonical), hash: document.hash, statement };
  }),
  opened: await all(cases.opened, async ({ secret, sealed }) =>
    unseal(fromBase64(sealed), await SealKey.fromSecret(fromHex(secret))).then(
      (message) => new TextDecoder().decode(message),
      (error: { code: string }) => ({ refused: error.code }),
    ),
  ),
  notes: await all(cases.notes, async ({ secret, notes }) =>
    noteIn(notes, await SealKey.fromSecret(fromHex(secret))).then(
      (said) => said ?? null,
      (error: { code: string }) => ({ refused: error.code }),
    ),
  ),
  sealed: await all(cases.sealed, async ({ to, message }) => toHex(await seal(utf8(message), fromHex(to)))),
  transactions: cases.transactions.map((one) => decodeTransaction(one)),
  acts: cases.acts.map(({ name, given, wallet, transaction }) => {
    const { expected } = (ACTS[name] as (...given: readonly unknown[]) => Act)(...given);
    return differences(decodeTransaction(transaction), expected, wallet, 2_000_000n);
  }),
  requests: await all(cases.requests, async ({ wanted, orderHash, wallet, answer }) => {
    const asked = { ...wanted, deposit: BigInt(wanted.deposit) };
    const expected = await expectedRequest(asked, orderHash, answer, wallet, {});
    return differences(decodeTransaction(answer.transaction), expected, wallet, 2_000_000n);
  }),
  rents: await all(cases.rents, async ({ rent, orderHash, wallet, answer }) => {
    const { maxCost, maxCharges, ...rest } = rent;
    const charges = maxCharges === undefined ? {} : { maxCharges: BigInt(maxCharges) };
    const wanted: Rent = { ...rest, maxCost: BigInt(maxCost), ...charges };
    const expected = await expectedOrder(wanted, orderHash, answer, wallet, {});
    return differences(decodeTransaction(answer.transaction), expected, wallet, 2_000_000n);
  }),
};
console.log(JSON.stringify(told, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value)));

function all<Case, Told>(of: readonly Case[], tell: (one: Case) => Promise<Told>): Promise<Told[]> {
  return Promise.all(of.map(tell));
}
