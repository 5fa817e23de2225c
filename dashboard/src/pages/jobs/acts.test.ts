import { expect, test } from "vitest";
import { reported } from "./acts";

const ISSUE = { issue: "not-as-listed", weight_usd: 0, ts: 1, tx: "1" };

test.each([
  [ISSUE, "It is not what was listed"],
  [{ ...ISSUE, weight_usd: 1_250_000 }, "It is not what was listed; it weighs $1.25 against the host"],
  [{ ...ISSUE, issue: "network" }, "Its network fails"],
])("reported: %o", (issue, text) => {
  expect(reported(issue)).toBe(text);
});
