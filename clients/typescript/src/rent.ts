import { getAddressEncoder, getProgramDerivedAddress, type Address } from "@solana/addresses";
import type { Api, Schema } from "./api.js";
import { read } from "./api.js";
import { fromHex, toBase64 } from "./bytes.js";
import type { Expected } from "./checks.js";
import type { HandOver } from "./delivery.js";
import { NATIVE_MINT } from "./foreign.js";
import { PROGRAM_ID } from "./generated/program.js";
import { orderStatement, type OrderDocument, type Workload } from "./order.js";
import { seal } from "./sealing.js";
import { isAddress, signed, type Signer } from "./signers.js";

/** An order: the machine and its workload. Without `listing` it takes the cheapest free machine that fits. */
export interface Rent extends Workload {
  /** A model of `/api/gpus`, such as `nvidia-h100-pcie-80gb`. */
  readonly gpu?: NonNullable<Schema<"JobRequest">["gpu"]>;
  readonly region?: NonNullable<Schema<"JobRequest">["region"]>;
  readonly count?: number;
  /** This machine and no other. */
  readonly listing?: string;
  /** Seconds. */
  readonly duration: number;
  /** The most that may go into escrow, base units of the mint that it is paid in. */
  readonly maxCost: bigint;
  /** GPUM, SOL, another symbol of the market's, or a mint's address; by default GPUM. */
  readonly pay?: string;
  readonly kind?: "on-demand" | "spot" | "reserved";
  /** Spot bid, micro-USD per hour; default: the lowest winning bid. */
  readonly bidUsd?: number;
  /** Maximum traffic and storage charges, base units; default: none. */
  readonly maxCharges?: bigint;
  readonly storageGb?: number;
  /** True if the host may end the job once the order's command has ended; not for reserved orders. */
  readonly untilExit?: boolean;
  /** The listing's that was seen: refused once the machine is another. */
  readonly specVersion?: number;
}

const KINDS = { "on-demand": "OnDemand", spot: "Spot", reserved: "Reserved" } as const;

/** Request to the API. */
export function rentBody(rent: Rent, orderHash: string): Omit<Schema<"JobRequest">, "wallet"> {
  const { gpu, region, count, listing } = rent;
  return {
    duration: rent.duration,
    pay: rent.pay ?? "GPUM",
    max_cost: String(rent.maxCost),
    max_charges: rent.maxCharges === undefined ? null : String(rent.maxCharges),
    storage_gb: rent.storageGb ?? 0,
    bid_usd: rent.bidUsd ?? 0,
    spec_version: rent.specVersion ?? null,
    until_exit: rent.untilExit ?? false,
    order_hash: orderHash,
    kind: rent.kind ?? "on-demand",
    gpu: gpu ?? null,
    region: region ?? null,
    count: count ?? null,
    listing: listing ?? null,
  };
}

/** Expected draft. `tokens` resolves a symbol to its mint; otherwise the API does. */
export async function expectedOrder(
  rent: Rent,
  orderHash: string,
  answer: Schema<"UnsignedOrder">,
  wallet: string,
  tokens: Readonly<Record<string, string>>,
): Promise<Expected> {
  const mint = mintOf(rent.pay, answer.mint, tokens);
  const charges = rent.maxCharges ?? 0n;
  const accounts = {
    renter: wallet,
    listing: rent.listing ?? answer.listing,
    payment_mint: await paymentMint(mint),
    rental: answer.address ?? "",
  };
  const args = {
    "order.kind": KINDS[rent.kind ?? "on-demand"],
    "order.duration": BigInt(rent.duration),
    "order.max_deposit": { atMost: rent.maxCost },
    "order.order_hash": orderHash,
    "order.may_finish": rent.untilExit ?? false,
    ...(rent.bidUsd !== undefined && { "order.bid_usd": BigInt(rent.bidUsd) }),
    ...(rent.specVersion !== undefined && { "order.spec_version": BigInt(rent.specVersion) }),
  };
  const meterOf = { renter: wallet, rental: accounts.rental, payment_mint: accounts.payment_mint };
  const meter = { names: ["open_meter"], optional: true, args: { cap: { atMost: charges } }, accounts: meterOf };
  return {
    instructions: [
      { names: ["register_renter"], optional: true, accounts: { wallet } },
      { names: ["open_rental", "place_bid", "outbid"], args, accounts },
      ...(charges > 0n ? [meter] : []),
    ],
    ...(rent.pay === "SOL" && { wraps: rent.maxCost + charges }),
  };
}

/** The mint that is paid in: of a symbol that is not known here, the one that the API says. */
export function mintOf(pay = "GPUM", told: string, tokens: Readonly<Record<string, string>>): string {
  return pay === "SOL" ? NATIVE_MINT : isAddress(pay) ? pay : (tokens[pay] ?? told);
}

/** The market's account of a mint. */
export async function paymentMint(mint: string): Promise<string> {
  const seeds = ["mint", getAddressEncoder().encode(mint as Address)];
  return (await getProgramDerivedAddress({ programAddress: PROGRAM_ID as Address, seeds }))[0];
}

/** Seals an order to a listing's host and hands it over, signed by the renter; with its rental if that is open. Gives what
 * hands the same order over again. */
export async function deliver(
  api: Api,
  signer: Signer,
  listing: string,
  document: OrderDocument,
  rental: string | null = null,
): Promise<HandOver> {
  const machine = await read(api.GET("/api/marketplace/listings/{id}", { params: { path: { id: listing } } }));
  const path = { authority: machine.host_authority };
  const host = await read(api.GET("/api/hosts/{authority}", { params: { path } }));
  const sealed = await seal(document.canonical, fromHex(host.seal_key));
  const signedAt = Date.now();
  const signature = await signed(signer, await orderStatement(document.hash, sealed, signedAt));
  const handOver: HandOver = async (rental) => {
    const body = { sealed: toBase64(sealed), signed_at: signedAt, signature, rental };
    const params = { path: { renter: signer.address, order_hash: document.hash } };
    return (await read(api.PUT("/api/sealed-orders/{renter}/{order_hash}", { params, body }))).has_rental;
  };
  await handOver(rental);
  return handOver;
}
