import { describe, expect, it } from "vitest";
import { EMPTY, problems, quoteOf, requestOf, type Form } from "./wanted";

const FORM: Form = {
  ...EMPTY,
  ...{ gpu: "nvidia-h100-pcie-80gb", count: "2", hours: "7.5", price: "5.25", regions: ["eu-west", "us-east"], score: "62.5" },
  ...{ cuda: "12.4", min_ram_gb: "256", wait: "48", image: "ubuntu" },
};

describe("a request's form", () => {
  it("is asked for as it was typed", () => {
    expect(problems(FORM)).toEqual({});
    expect(requestOf(FORM, 9n)).toEqual({
      ...{ gpu: "nvidia-h100-pcie-80gb", duration: 27_000, maxUsd: 5_250_000, deposit: 9n, pay: "GPUM", kind: "on-demand" },
      ...{ count: 2, regions: ["eu-west", "us-east"], minScoreBps: 6_250, minVramGb: 0, minCuda: 1_204, minRamGb: 256 },
      ...{ minDiskGb: 0, minNetUpMbps: 0, minNetDownMbps: 0, validFor: 172_800, image: "ubuntu", env: {}, ports: [] },
    });
    expect(quoteOf(FORM, "me")).toMatchObject({ wallet: "me", max_usd: 5_250_000, min_ram_gb: 256, min_cuda: 1_204, deposit: null });
  });

  it("says what is missing of an empty one", () => {
    expect(Object.keys(problems({ ...EMPTY })).sort()).toEqual(["gpu", "price"]);
  });

  it.each([
    ["count", "0"],
    ["count", "256"],
    ["hours", ""],
    ["price", "0"],
    ["score", "100.01"],
    ["score", "good"],
    ["cuda", "12"],
    ["wait", "721"],
    ["min_vram_gb", "65536"],
    ["min_disk_gb", "much"],
    ["image", " "],
  ] as const)("refuses %s of %s", (field, value) => {
    expect(Object.keys(problems({ ...FORM, [field]: value }))).toEqual([field]);
  });

  it("is reserved for the market's lengths alone", () => {
    expect(problems({ ...FORM, kind: "reserved", hours: "167" })).toHaveProperty("hours");
    expect(problems({ ...FORM, kind: "reserved", hours: "168" })).toEqual({});
  });
});
