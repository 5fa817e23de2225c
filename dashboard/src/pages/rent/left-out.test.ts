import { expect, test } from "vitest";
import type { Schemas } from "../../data/api";
import { whyLeftOut } from "./left-out";

const HOUR = 3_600;

const REASONS: [Schemas["NoOrder"], number | null, string][] = [
  ["other-term", 168 * HOUR, "for 7, 30 or 90 days"],
  ["too-short", 5 * HOUR, "from 5 h; a shorter order is below the market's minimum"],
  ["too-short", null, "no order of this machine is worth the market's minimum"],
  ["too-long", HOUR, "not for so long"],
  ["no-price", HOUR, "no token has a price"],
  ["not-offered", null, "not offered by this machine"],
];

test.each(REASONS)("whyLeftOut %s from %s: %s", (reason, shortest, words) => {
  expect(whyLeftOut({ kind: "spot", reason, shortest })).toBe(words);
});
