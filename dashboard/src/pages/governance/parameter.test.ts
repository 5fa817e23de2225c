import { describe, expect, it } from "vitest";
import { bounded, inWords, read, typed } from "./parameter";

const TOKEN = { symbol: "GPUM", decimals: 6 };

describe("parameters", () => {
  it("have wider bounds on markets for tests", () => {
    expect(bounded("timelock", false)).toEqual({ unit: "seconds", least: 86_400n, most: 2_592_000n });
    expect(bounded("timelock", true)).toEqual({ unit: "seconds", least: 0n, most: 2_592_000n });
    expect(bounded("new_one", true)).toBeUndefined();
  });

  it.each([
    ["micro-USD", "5000000", "5", "$5.00"],
    ["lamports", "20000", "0.00002", "0.00002 SOL"],
    ["basis points", "1050", "10.5", "10.5 %"],
    ["seconds", "90000", "90000", "1 d 1 h"],
    ["base units of the market token", "100000500000", "100000.5", "100,000.5 GPUM"],
    ["slots", "1500", "1500", "1,500 slots"],
  ])("are typed and told in their unit: %s", (unit, value, text, words) => {
    expect(typed(unit, value, TOKEN)).toBe(text);
    expect(read(unit, text, TOKEN)).toBe(BigInt(value));
    expect(inWords(unit, value, TOKEN)).toBe(words);
  });

  it("are refused where they cannot be written so", () => {
    expect([read("seconds", "1.5", TOKEN), read("basis points", "1.234", TOKEN), read("lamports", "much", TOKEN)]).toEqual([null, null, null]);
    expect(inWords("micro-USD", 2n ** 64n - 1n, TOKEN)).toBe("no limit");
  });
});
