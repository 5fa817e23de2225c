import type { Schemas } from "../../data/api";

/** A line of a receipt: one transaction, or all payments to the host together. */
export interface Row {
  readonly what: string;
  readonly units: string | null;
  readonly at: number | null;
  readonly tx: string | null;
}

type Job = Schemas["Job"];

/** Amounts that moved; payments to the host stand in `paid`. */
export function receiptOf(job: Job): { before: Row[]; paid: Row[]; after: Row[] } {
  const moved = (rows: Row[]) => rows.filter((row) => row.units !== "0");
  return {
    before: moved([{ what: "Into escrow", units: job.deposit, at: job.created_at, tx: job.open_tx }]),
    paid: moved((job.payments ?? []).map(({ amount, ts, tx }) => ({ what: "Paid to the host", units: amount, at: ts, tx }))),
    after: moved([
      ...(job.compensations ?? []).map(({ amount, ts, tx }) => ({ what: "Compensation", units: amount, at: ts, tx })),
      ...(job.burned === "0" ? [] : [{ what: "Burned", units: job.burned, at: job.ended_at, tx: job.burn_tx }]),
      ...(job.ended_at ? [{ what: "Came back", units: job.refunded, at: job.ended_at, tx: job.close_tx }] : []),
    ]),
  };
}

/** The sum of lines whose amounts are known. */
export const sumOf = (rows: readonly Row[]): string => rows.reduce((sum, row) => sum + BigInt(row.units ?? 0), 0n).toString();

/** One page of many lines, and how many pages there are; the newest lines come first. */
export function pageOf(rows: readonly Row[], page: number, size: number): { shown: Row[]; pages: number } {
  const newest = [...rows].reverse();
  return { shown: newest.slice(page * size, (page + 1) * size), pages: Math.max(1, Math.ceil(rows.length / size)) };
}
