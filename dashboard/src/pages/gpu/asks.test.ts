import { expect, test } from "vitest";
import { asked, saidOf } from "./asks";

const none = { at: 0, machines: 0, min_usd: null, median_usd: null, max_usd: null, min_spot_usd: null };
const two = { at: 3_600, machines: 2, min_usd: 1_000_000, median_usd: 1_000_000, max_usd: 3_000_000, min_spot_usd: null };

test("an hour without machines is a gap, and spot has a line once a machine takes it", () => {
  expect(asked([none, two]).lines.map((line) => [line.name, line.values])).toEqual([
    ["highest", [null, 3]],
    ["middle", [null, 1]],
    ["lowest", [null, 1]],
  ]);
  expect(asked([{ ...two, min_spot_usd: 500_000 }]).lines.at(-1)?.values).toEqual([0.5]);
});

test("words say the range and the present", () => {
  expect(saidOf([none])).toBe("No machine was on offer.");
  expect(saidOf([two, none])).toContain("None is on offer now.");
  expect(saidOf([none, two])).toBe("The lowest price of a GPU hour was $1.00. 2 machines ask $1.00 to $3.00 now.");
  expect(saidOf([{ ...two, min_usd: 2_000_000 }, { ...two, max_usd: 1_000_000 }])).toBe("The lowest price of a GPU hour was $1.00 to $2.00. 2 machines ask $1.00 now.");
});
