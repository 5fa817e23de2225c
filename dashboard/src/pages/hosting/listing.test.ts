import { describe, expect, it } from "vitest";
import { updateListing } from "gpu-market";
import type { Schemas } from "../../data/api";
import { EMPTY, formOf, problems, specOf } from "./listing";

const LISTING = {
  ...{ gpu: "nvidia-a100-pcie-40gb", gpu_count: 4, vram_gb: 40, region: "ap-south", cpu_cores: 64, ram_gb: 512 },
  ...{ disk_kind: "ssd", disk_gb: 4_000, disk_mbps: 3_000, net_up_mbps: 1_000, net_down_mbps: 2_500, cuda: "12.4" },
  ...{ market_rate: { micro_usd_per_hour: 2_480_001, usd_per_hour: "2.480001" }, spot_min_usd: 1_240_000 },
  ...{ max_duration: 5_400, keep_days: 3, status: "hidden" },
} as Schemas["Listing"];

describe("a listing's form", () => {
  it("says of a listing what it says itself", () => {
    const form = formOf(LISTING);
    expect(problems(form)).toEqual({});
    expect(specOf(form)).toEqual({
      ...{ gpu: "nvidia-a100-pcie-40gb", gpu_count: 4, vram_gb: 40, region: "ap-south", cpu_cores: 64, ram_gb: 512 },
      ...{ disk_kind: "ssd", disk_gb: 4_000, disk_mbps: 3_000, net_up_mbps: 1_000, net_down_mbps: 2_500, cuda: 1_204 },
      ...{ on_demand_usd: 2_480_001, spot_min_usd: 1_240_000, mrl_seconds: 5_400, keep_days: 3, visible: false },
    });
  });

  it.each([
    ["gpu", { gpu: "7" }],
    ["region", { region: "9" }],
  ])("says of a listing whose %s the catalog lacks what it says itself", (_, other) => {
    const spec = specOf(formOf({ ...LISTING, ...other }));
    expect(spec).toMatchObject(other);
    expect(() => updateListing("So11111111111111111111111111111111111111112", spec)).not.toThrow();
  });

  it("has no spot price where none is typed, and says what is missing of an empty one", () => {
    expect(specOf({ ...formOf(LISTING), spot: " " }).spot_min_usd).toBe(0);
    expect(Object.keys(problems({ ...EMPTY })).sort()).toEqual(
      ["cpu_cores", "disk_gb", "disk_mbps", "gpu", "net_down_mbps", "net_up_mbps", "price", "ram_gb", "region", "vram_gb"].sort(),
    );
  });

  it.each([
    ["gpu_count", "0"],
    ["gpu_count", "256"],
    ["gpu_count", "1.5"],
    ["vram_gb", "65536"],
    ["ram_gb", "-1"],
    ["keep_days", "1000"],
    ["cuda", "12"],
    ["price", "0"],
    ["price", "2.5000001"],
    ["spot", "cheap"],
    ["hours", "0"],
    ["hours", ""],
  ] as const)("refuses %s of %s", (field, value) => {
    expect(Object.keys(problems({ ...formOf(LISTING), [field]: value }))).toEqual([field]);
  });
});
