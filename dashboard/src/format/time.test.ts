import { expect, test } from "vitest";
import { clock, duration } from "./time";

test.each([
  [0, "0 s"],
  [59, "59 s"],
  [60, "1 min"],
  [3_661, "1 h 1 min"],
  [86_400, "1 d"],
  [2_592_000, "30 d"],
  [90_061, "1 d 1 h"],
  [-5, "0 s"],
])("duration: %i seconds are %s", (seconds, told) => {
  expect(duration(seconds)).toBe(told);
});

test.each([
  [9, "0:09"],
  [600, "10:00"],
  [3_849, "1:04:09"],
])("clock: %i seconds are %s", (seconds, told) => {
  expect(clock(seconds)).toBe(told);
});
