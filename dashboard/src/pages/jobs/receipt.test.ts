import { expect, test } from "vitest";
import type { Schemas } from "../../data/api";
import { pageOf, receiptOf, sumOf } from "./receipt";

const job = (changes: Partial<Schemas["Job"]>) =>
  ({ deposit: "9", burned: "0", refunded: "0", ended_at: null, created_at: 1, open_tx: "a", ...changes }) as Schemas["Job"];
const payments = Array.from({ length: 10_000 }, (_, at) => ({ amount: "3", ts: at, tx: `tx${at}`, kind: "settled" }));

test("receipt: of a reserved week has four lines and a sum", () => {
  const told = receiptOf(job({ payments: payments as never, burned: "1", refunded: "2", ended_at: 9 }));
  expect([...told.before, ...told.after].map((row) => row.what)).toEqual(["Into escrow", "Burned", "Came back"]);
  expect(sumOf(told.paid)).toBe("30000");
});

test("receipt: amounts of nothing are left out", () => {
  expect(receiptOf(job({ deposit: "0", ended_at: 9 }))).toEqual({ before: [], paid: [], after: [] });
});

test.each([
  [0, 50, "tx9999", 50],
  [199, 50, "tx49", 50],
  [200, 50, undefined, 0],
])("receipt: page %i has the payments in pages of %i, newest first", (page, size, first, count) => {
  const { shown, pages } = pageOf(receiptOf(job({ payments: payments as never })).paid, page, size);
  expect([pages, shown.length, shown[0]?.tx]).toEqual([200, count, first]);
});
