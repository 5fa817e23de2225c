import { expect, it } from "vitest";
import type { Schemas } from "../../data/api";
import { Fits, fitNotice } from "./fits";

const machine = (id: string) =>
  ({ id, gpu: "h100", gpu_count: 1, region: "eu-west", market_rate: { micro_usd_per_hour: 2_500_000 } }) as Schemas["Listing"];

it("finds new machines, and again those that had been taken", () => {
  const fits = new Fits();
  expect(fits.take([machine("a")])).toEqual([]);
  expect(fits.take([machine("a"), machine("b")])).toEqual([machine("b")]);
  expect(fits.take([machine("b")])).toEqual([]);
  expect(fits.take([machine("a"), machine("b")])).toEqual([machine("a")]);
});

it("tells model, price and place", () => {
  expect(fitNotice({ ...machine("a"), gpu_count: 2 }, "H100")).toEqual({
    tag: "a/fits",
    title: "2 × H100 fits your search",
    body: "$2.50 an hour before fees, in eu-west.",
    path: "/listings/a",
  });
});
