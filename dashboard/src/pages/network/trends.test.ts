import { expect, test } from "vitest";
import { windowOf } from "../../ui/chart/spans";
import { money, rates } from "./trends";

test("a week is asked for from the beginning of an hour, so that all of the hour asks alike", () => {
  expect(windowOf("week", 1_790_000_001)).toEqual(windowOf("week", 1_790_000_400));
  expect(windowOf("week", 1_790_000_000).since).toBe(1_789_999_200 - 604_800);
  expect(windowOf("day", 5)).toEqual({ step: "hour" });
  expect(windowOf("month", 5)).toEqual({ step: "day" });
});

const points = [
  { at: 0, rentals: 3, min_usd: 1_000_000, median_usd: 2_000_000, max_usd: 3_500_000 },
  { at: 3_600, rentals: 0, min_usd: null, median_usd: null, max_usd: null },
];

test("one model has its lowest, middle and highest price; several have the middle ones", () => {
  const one = rates([{ gpu: "a", points }], (gpu) => gpu.toUpperCase());
  expect(one.lines.map((line) => [line.name, line.values])).toEqual([
    ["highest", [3.5, null]],
    ["middle", [2, null]],
    ["lowest", [1, null]],
  ]);
  const two = rates([{ gpu: "a", points }, { gpu: "b", points }], (gpu) => gpu.toUpperCase());
  expect(two.lines.map((line) => line.name)).toEqual(["A", "B"]);
  expect(two.lines[0]?.say(2)).toBe("$2.00");
  expect(rates([], (gpu) => gpu)).toMatchObject({ at: [], lines: [] });
});

test("money is told in whole tokens", () => {
  const drawn = money({ mint: "m", decimals: 6, points: [{ at: 0, burned: "1500000", fees: "20" }] });
  expect(drawn.lines.map((line) => [line.name, line.values[0], line.say(line.values[0] ?? 0)])).toEqual([
    ["fees", 0.00002, "0.00002"],
    ["burned", 1.5, "1.5"],
  ]);
});
