import type { Rent } from "gpu-market";
import type { Schemas } from "../../data/api";
import { costCeil } from "../../data/rates";
import { baseUnits } from "../../format/amount";
import { DAY, HOUR } from "../../format/time";
import { EMPTY_WORKLOAD, workloadOf, workloadProblems, type WorkloadForm } from "./workload";

/** Maximum rise of a price between its display and the order's landing. */
const SLACK_BPS = 100n;

/** The form's fields, as typed. They survive a reload. */
export interface Form extends WorkloadForm {
  hours: string;
  pay: string;
  kind: "on-demand" | "spot" | "reserved";
  /** Dollars an hour; empty: the least that gets in. */
  bid: string;
  storage: string;
  /** Tokens that traffic and storage may cost. */
  charges: string;
}

export const RESERVED_DAYS = [7, 30, 90] as const;
const MICRO = 6;
const MOST_GB = 2 ** 32;

/** An empty form: the shortest order that the market's minima allow, in micro-USD and seconds, an hour at least. */
export function emptyForm(machine: Schemas["Listing"], orderMinUsd: number, minDuration: number): Form {
  const paid = Math.ceil(orderMinUsd / Math.max(1, machine.market_rate.micro_usd_per_hour));
  const hours = Math.max(1, paid, Math.ceil(minDuration / HOUR));
  return { ...EMPTY_WORKLOAD, hours: String(hours), pay: "GPUM", kind: "on-demand", bid: "", storage: "", charges: "" };
}

/** Problems of the input, by field; empty if it can be ordered. */
export function problems(form: Form, machine: Schemas["Listing"]): Partial<Record<keyof Form, string>> {
  const found: Partial<Record<keyof Form, string>> = {};
  const seconds = secondsOf(form);
  if (seconds === null) found.hours = "Give hours as a number, such as 1 or 0.5.";
  else if (seconds > machine.max_duration) found.hours = `This machine is rented for at most ${machine.max_duration / HOUR} h.`;
  else if (form.kind === "reserved" && !RESERVED_DAYS.some((days) => days * DAY === seconds)) {
    found.hours = "Reserved is for 7, 30 or 90 days.";
  }
  if (form.kind === "spot" && form.bid.trim() && baseUnits(form.bid, MICRO) === null) {
    found.bid = "Give dollars an hour, such as 0.50, or leave it empty for the lowest winning bid.";
  }
  if (machine.charges && form.storage.trim() && !(/^\d{1,10}$/.test(form.storage.trim()) && Number(form.storage) < MOST_GB)) {
    found.storage = "Give whole GB.";
  }
  if (machine.charges && form.charges.trim() && baseUnits(form.charges, 0) === null && !/^\d+\.\d+$/.test(form.charges.trim())) {
    found.charges = "Give an amount of tokens, such as 5.";
  }
  return { ...found, ...workloadProblems(form) };
}

/** Whole seconds of what was typed as hours; null if it is no time. */
export function secondsOf(form: Pick<Form, "hours">): number | null {
  const seconds = Math.round(Number(form.hours) * HOUR);
  return form.hours.trim() && Number.isSafeInteger(seconds) && seconds > 0 ? seconds : null;
}

/** The most that may go into escrow: what the API quotes, and a hundredth. */
export function mostCeil(quoted: bigint): bigint {
  return quoted + (quoted * SLACK_BPS + 9_999n) / 10_000n;
}

/** Micro-USD an hour that are bid; 0 for the least that gets in, and for what is no spot order. */
export const bidOf = (form: Form): number => (form.kind === "spot" ? Number(baseUnits(form.bid, MICRO) ?? 0n) : 0);

/** True if the host may end it with its command: a reserved order is for its whole term. */
export const endsWithCommand = (form: Pick<Form, "kind" | "untilExit">): boolean => form.kind !== "reserved" && form.untilExit;

/** Maximum traffic and storage charges, base units of a mint with `decimals`. */
export const chargesOf = (form: Form, machine: Schemas["Listing"], decimals: number): bigint =>
  machine.charges ? (baseUnits(form.charges, decimals) ?? 0n) : 0n;

/** Request for a quote: the order without its document. */
export function quoteOf(form: Form, machine: Schemas["Listing"], wallet: string, decimals: number): Schemas["JobRequest"] {
  return {
    ...{ wallet, listing: machine.id, spec_version: machine.spec_version, order_hash: NO_ORDER },
    ...{ duration: secondsOf(form) ?? 0, pay: form.pay, kind: form.kind, bid_usd: bidOf(form) },
    ...{ storage_gb: machine.charges ? Number(form.storage || 0) : 0, until_exit: endsWithCommand(form) },
    max_charges: String(chargesOf(form, machine, decimals)),
  };
}

const NO_ORDER = "0".repeat(64);

/** Minimum refund, base units, if it is stopped after `seconds`. */
export function refundFloor(deposit: bigint, rate: bigint, seconds: number, minCharge: number): bigint {
  const cost = costCeil(rate, Math.max(seconds, minCharge));
  return deposit > cost ? deposit - cost : 0n;
}

/** The order for the client. */
export function rentOf(form: Form, machine: Schemas["Listing"], maxCost: bigint, decimals: number): Rent {
  const maxCharges = chargesOf(form, machine, decimals);
  return {
    ...workloadOf(form),
    listing: machine.id,
    specVersion: machine.spec_version,
    duration: secondsOf(form) ?? 0,
    pay: form.pay,
    kind: form.kind,
    maxCost,
    ...(endsWithCommand(form) && { untilExit: true }),
    ...(form.kind === "spot" && bidOf(form) > 0 && { bidUsd: bidOf(form) }),
    ...(maxCharges > 0n && { maxCharges, storageGb: Number(form.storage || 0) }),
  };
}
