import { expect, test } from "vitest";
import { queryOf } from "./filters";

const asked = (text: string) => queryOf(new URLSearchParams(text));

test("queryOf: dollars become micro-USD and percents basis points", () => {
  expect(asked("max_price=0.19&min_score_bps=62.5")).toEqual({ max_price: 190_000, min_score_bps: 6_250 });
});

test("queryOf: what is not understood is left out", () => {
  expect(asked("max_price=cheap&min_cuda=12&sort=luck&order=up&available=perhaps&other=1")).toEqual({});
});

test("queryOf: all that is understood", () => {
  expect(asked("gpu=a&region=b&min_cuda=12.4&available=yes&spot=yes&sort=score&order=asc")).toEqual({
    ...{ gpu: "a", region: "b", min_cuda: "12.4", available: true, spot: true },
    ...{ sort: "score", order: "asc" },
  });
});
