import { expect, test } from "vitest";
import type { Schemas } from "../../data/api";
import { sentence, statements } from "./words";

const WELL: Schemas["Health"] = {
  status: "ok",
  problems: [],
  last_error: null,
  cursor_slot: 9,
  complete_slot: 10,
  head_slot: 12,
  lag_slots: 2,
  lag_seconds: 3.4,
  chain_time: 1_700_000_000,
  gaps: 0,
  dead_letters: 0,
  reconciliation: [{ vault: "v", slot: 8, checked_at: 1_699_999_000, difference: null }],
};

test("statements: a complete index is well in every point", () => {
  expect(sentence(WELL)).toContain("complete");
  expect(statements(WELL).every((said) => said.isWell)).toBe(true);
});

test.each([
  ["lag_seconds", 61],
  ["gaps", 2],
  ["gaps", null],
  ["dead_letters", 1],
  ["reconciliation", []],
  ["reconciliation", [{ vault: "v", slot: 8, checked_at: 1, difference: "1 missing" }]],
])("statements: %s of %j is one point to look at", (name, value) => {
  expect(statements({ ...WELL, [name]: value }).filter((said) => !said.isWell)).toHaveLength(1);
});
