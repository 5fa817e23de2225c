import { describe, expect, it } from "vitest";
import { chargesFormOf, chargesOf, chargesProblems } from "./charges";

const CHARGES = { bandwidth_usd: 10_000, bandwidth_free_gb: 2, storage_usd: 100 };

describe("a listing's charges", () => {
  it.each([[CHARGES], [{ bandwidth_usd: 2 ** 32 - 1, bandwidth_free_gb: 2 ** 32 - 1, storage_usd: 0 }]])("are what they say: %o", (charges) => {
    const form = chargesFormOf(charges);
    expect(chargesProblems(form)).toEqual({});
    expect(chargesOf(form)).toEqual(charges);
  });

  it("are nothing where a listing has none", () => {
    expect(chargesOf(chargesFormOf(null))).toEqual({ bandwidth_usd: 0, bandwidth_free_gb: 0, storage_usd: 0 });
  });

  it.each([
    ["bandwidth", "4294.967296"],
    ["bandwidth", "0.0000001"],
    ["storage", ""],
    ["free", "1.5"],
    ["free", "4294967296"],
  ] as const)("refuse %s of %s", (field, value) => {
    expect(Object.keys(chargesProblems({ ...chargesFormOf(CHARGES), [field]: value }))).toEqual([field]);
  });
});
