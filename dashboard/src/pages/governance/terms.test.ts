import { describe, expect, it } from "vitest";
import type { Schemas } from "../../data/api";
import { EMPTY_TERMS, termsChange, termsFormOf, termsOf, termsProblems } from "./terms";

const FEED = "So11111111111111111111111111111111111111112";
const PINNED = {
  ...{ payment_mint: FEED, mint: FEED, decimals: 6, oracle_kind: "pinned", oracle: "11111111111111111111111111111111" },
  ...{ enabled: true, shards: 2, price: "250000000001", max_age: 0, subsidy_bps: 2_050, burn_bps: 500, extra_fee_bps: 0 },
  max_confidence_bps: 0,
} as Schemas["MintTerms"];
const PYTH = {
  ...PINNED,
  ...{ oracle_kind: "pyth", oracle: FEED, max_age: 90, subsidy_bps: 0, burn_bps: 0, extra_fee_bps: 100, max_confidence_bps: 150 },
};

describe("a payment mint's terms", () => {
  it.each([
    ["pinned", PINNED, true],
    ["pyth", PYTH, false],
    ["upgraded pyth", { ...PYTH, oracle_kind: "pyth_upgraded" }, false],
  ] as const)("are what they are now until one changes them: %s", (_, now, isMarketToken) => {
    const form = termsFormOf(now);
    expect(termsProblems(form, isMarketToken, now.shards)).toEqual({});
    const terms = termsOf(form);
    expect(termsChange(now, terms)).toBeNull();
    expect(terms).toMatchObject({ oracle: now.oracle, shards: 2, pinned_price: now.oracle_kind === "pinned" ? now.price : "0" });
  });

  it("tell old and new of what changes, and of nothing else", () => {
    const form = { ...termsFormOf(PINNED), price: "0.3", burn: "7.5", enabled: false };
    expect(termsChange(PINNED, termsOf(form))).toEqual({
      was: "accepted for new orders, pinned at $0.250000000001, burn 5 %",
      becomes: "not accepted for new orders, pinned at $0.3, burn 7.5 %",
    });
  });

  it.each([
    ["subsidy", { subsidy: "85.01" }],
    ["burn", { burn: "50.01" }],
    ["extra_fee", { extra_fee: "0.01" }],
    ["shards", { shards: "1" }],
    ["shards", { shards: "65" }],
    ["price", { price: "0" }],
  ])("of the market token are bounded: %s", (field, change) => {
    expect(Object.keys(termsProblems({ ...termsFormOf(PINNED), ...change }, true, 2))).toEqual([field]);
  });

  it.each([
    ["subsidy", { subsidy: "1" }],
    ["burn", { burn: "1" }],
    ["extra_fee", { extra_fee: "30.01" }],
    ["oracle", { oracle: "nobody" }],
    ["max_age", { max_age: "0" }],
    ["max_confidence", { max_confidence: "0" }],
  ])("of others are bounded: %s", (field, change) => {
    expect(Object.keys(termsProblems({ ...termsFormOf(PYTH), ...change }, false, 1))).toEqual([field]);
  });

  it("of a new token ask for its price first", () => {
    expect(Object.keys(termsProblems({ ...EMPTY_TERMS }, false, 1))).toEqual(["price"]);
  });
});
