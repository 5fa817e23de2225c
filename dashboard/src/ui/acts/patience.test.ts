import { GpuMarketError } from "gpu-market";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { patiently } from "./patience";

const refused = (code: string) => () => Promise.reject(new GpuMarketError(code, "refused", "try again"));

describe("patiently", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it.each(["just_placed", "just_withdrawn"])("asks again a second after %s", async (code) => {
    const make = vi.fn<() => Promise<string>>().mockImplementationOnce(refused(code)).mockResolvedValueOnce("made");
    const made = patiently(make, () => true);
    await vi.advanceTimersByTimeAsync(999);
    expect(make).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    await expect(made).resolves.toBe("made");
  });

  it("says at once what no second changes", async () => {
    const make = vi.fn(refused("grace_not_over"));
    await expect(patiently(make, () => true)).rejects.toThrow("refused");
    expect(make).toHaveBeenCalledTimes(1);
  });

  it("says after five seconds that it is still refused", async () => {
    const make = vi.fn(refused("just_placed"));
    const told = expect(patiently(make, () => true)).rejects.toThrow("refused");
    await vi.advanceTimersByTimeAsync(60_000);
    await told;
    expect(make).toHaveBeenCalledTimes(5);
  });

  it("asks no more once nobody waits for it", async () => {
    const make = vi.fn(refused("just_placed"));
    await expect(patiently(make, () => false)).rejects.toThrow("refused");
    expect(make).toHaveBeenCalledTimes(1);
  });
});
