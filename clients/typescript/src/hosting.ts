import { act } from "./acts.js";
import type { Schema } from "./api.js";
import { argumentOf } from "./arguments.js";
import type { Wanted } from "./checks.js";
import { DISK_NUMBERS, GPU_NUMBERS, REGION_NUMBERS } from "./generated/catalog.js";

/** Specs of a machine, as its host states them. */
export type ListingSpec = Schema<"Spec">;

/** A listing's traffic and storage prices, micro-USD. */
export type ListingCharges = Schema<"Charges">;

/** Registers the wallet as a host; orders are sealed to `sealKey`, an X25519 public key in hex. */
export const registerHost = (sealKey: string) =>
  act("/api/hosts", undefined, { seal_key: sealKey }, "register_host", { seal_key: sealKey });

/** Has another key serve a listing; the one before it no longer can. */
export const setOperator = (listing: string, operator: string) =>
  act("/api/hosts/operator", undefined, { operator, listings: [listing] }, "set_operator", { operator }, { listing });

/** Sets what a listing charges beyond its price, for meters that are opened later. */
export const setCharges = (listing: string, charges: ListingCharges) =>
  act(
    "/api/marketplace/listings/{id}/charges",
    listing,
    { charges },
    "set_charges",
    { charges: argumentOf("Charges", charges) },
    { listing },
  );

/** Reports what a job has used since its meter opened, in all, as the operator of its listing. */
export const reportUsage = (job: string, bandwidthMb: number, storageGbHours: number) =>
  act(
    "/api/jobs/{id}/charges/report",
    job,
    { bandwidth_mb: bandwidthMb, storage_gb_hours: storageGbHours },
    "report_usage",
    { bandwidth_mb: BigInt(bandwidthMb), storage_gb_hours: BigInt(storageGbHours) },
    { rental: job },
  );

/** Lists a machine of the wallet's host. */
export const createListing = (spec: ListingSpec) =>
  act("/api/marketplace/listings", undefined, { spec }, "create_listing", specArguments(spec));

/** Changes what a listing says, for new rentals. */
export const updateListing = (listing: string, spec: ListingSpec) =>
  act("/api/marketplace/listings/{id}/update", listing, { spec }, "update_listing", specArguments(spec), { listing });

/** Takes an idle listing off the market; its rent returns. */
export const closeListing = (listing: string) =>
  act("/api/marketplace/listings/{id}/close", listing, {}, "close_listing", {}, { listing });

/** Pays a host what a listing owes since its last rental. */
export const claimPayout = (listing: string) =>
  act("/api/marketplace/listings/{id}/payout", listing, {}, "claim_payout", {}, { listing });

/** Gives a listing the catalog's present points and reference price. */
export const refreshListing = (listing: string) =>
  act("/api/marketplace/listings/{id}/refresh", listing, {}, "refresh_listing", {}, { listing });

/** Locks base units of the market token as a host. */
export const lockTokens = (amount: bigint) =>
  act("/api/mfp/lock", undefined, { amount: String(amount) }, "lock_mfp", { amount });

/** Takes tokens out of the lock. */
export const unlockTokens = (amount: bigint) =>
  act("/api/mfp/unlock", undefined, { amount: String(amount) }, "unlock_mfp", { amount });

/** Takes back all tokens whose time in the lock is over. */
export const withdrawTokens = () => act("/api/mfp/withdraw", undefined, {}, "withdraw_mfp");

const NUMBER = /^\d{1,5}$/;

/** A spec as the instruction has it. TypeError for a model or region that is not in the catalog. */
function specArguments({ gpu, region, disk_kind, ...said }: ListingSpec): Record<string, Wanted> {
  const numbers = {
    gpu_model: numbered(GPU_NUMBERS, gpu),
    region: numbered(REGION_NUMBERS, region),
    disk_kind: numbered(DISK_NUMBERS, disk_kind),
  };
  const args = Object.entries({ ...said, ...numbers }).map(([name, value]) => [
    `spec.${name}`,
    typeof value === "boolean" ? value : BigInt(value),
  ]);
  return Object.fromEntries(args) as Record<string, Wanted>;
}

/** The number of something in the catalog, or of what is not in it and so is called by its number. TypeError. */
export function numbered(table: Readonly<Record<string, number>>, name: string): number {
  const number = table[name] ?? (NUMBER.test(name) ? Number(name) : undefined);
  if (number === undefined) throw new TypeError(`${name} is not in the catalog`);
  return number;
}
