import { expect, test } from "vitest";
import { queryOf, searchOf } from "./filters";

const asked = (text: string) => queryOf(new URLSearchParams(text));

test("queryOf: dollars become micro-USD and percents basis points", () => {
  expect(asked("max_price=0.19&min_score_bps=62.5")).toEqual({ max_price: 190_000, min_score_bps: 6_250 });
  const pay = "So11111111111111111111111111111111111111112";
  expect(asked(`pay=${pay}`)).toEqual({ pay });
  expect(asked("pay=SOL")).toEqual({});
});

test("queryOf: what is not understood is left out", () => {
  expect(asked("max_price=cheap&min_cuda=12&sort=luck&order=up&available=perhaps&other=1")).toEqual({});
});

test("queryOf: what hosts have measured and renters' rentals speak for", () => {
  expect(asked("verified=yes&min_driver=550.54&min_tflops=40&min_disk_mbps=900&min_network_mbps=800")).toEqual({
    ...{ verified: true, min_driver: "550.54", min_tflops: 40, min_disk_mbps: 900, min_network_mbps: 800 },
  });
  expect(asked("verified=perhaps&min_driver=new")).toEqual({});
});

test("queryOf: all that is understood", () => {
  expect(asked("gpu=a&region=b&min_cuda=12.4&available=yes&spot=yes&sort=score&order=asc")).toEqual({
    ...{ gpu: "a", region: "b", min_cuda: "12.4", available: true, spot: true },
    ...{ sort: "score", order: "asc" },
  });
});

test("searchOf: the same machines are the same search, however they were asked for", () => {
  const pay = "So11111111111111111111111111111111111111112";
  const search = searchOf(new URLSearchParams(`gpu=a&max_price=2.50&verified=yes&pay=${pay}&sort=score&page=2&min_cuda=new`));
  expect(search).toBe(`max_price=2.5&gpu=a&verified=yes&pay=${pay}`);
  expect(searchOf(new URLSearchParams(`verified=yes&pay=${pay}&max_price=02.5&gpu=a&spot=no`))).toBe(search);
  expect(searchOf(new URLSearchParams(search))).toBe(search);
});
