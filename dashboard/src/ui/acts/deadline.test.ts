import { describe, expect, it } from "vitest";
import { secondsLeft, seen, USUAL_SLOT_MS } from "./deadline";

const AT = 1_790_000_000_000;

describe("deadline", () => {
  it.each([100, 200, 400])("is right at slots of %i ms, as the node says them", (slot) => {
    const first = seen(undefined, { height: 1_000, slot_millis: slot }, AT);
    expect(secondsLeft(1_150, first, AT)).toBe(Math.floor((112 * slot) / 1_000));
    expect(secondsLeft(1_150, first, AT + 5_000)).toBe(Math.floor((112 * slot - 5_000) / 1_000));
    expect(secondsLeft(1_150, first, AT + 112 * slot)).toBe(0);
  });

  it.each([100, 200, 400])("takes the pace of %i ms from two looks where the node has none", (slot) => {
    const first = seen(undefined, { height: 1_000, slot_millis: null }, AT);
    expect(first.slotMillis).toBe(USUAL_SLOT_MS);
    const later = seen(first, { height: 1_000 + 4_000 / slot, slot_millis: null }, AT + 4_000);
    expect(later.slotMillis).toBe(slot);
    expect(secondsLeft(1_150, later, AT + 4_000)).toBe(Math.floor((112 * slot - 4_000) / 1_000));
  });

  it("keeps its pace when the chain stands still, and its height when a node is behind", () => {
    const first = seen(undefined, { height: 1_000, slot_millis: 100 }, AT);
    expect(seen(first, { height: 1_000, slot_millis: null }, AT + 3_000).slotMillis).toBe(100);
    expect(seen(first, { height: 990, slot_millis: null }, AT + 3_000).height).toBe(1_000);
  });
});
