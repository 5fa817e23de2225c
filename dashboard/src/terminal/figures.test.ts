import { expect, test } from "vitest";
import { figures } from "./figures";

test("figures: a bar for each share, and other words as they are", () => {
  const told = figures("0, NVIDIA H100 PCIe, 50, 40000, 80000, 55, 200.00\n1, NVIDIA H100 PCIe, 0, 0, 80000, 30, 50.00\n");
  expect(told).toContain(`use     ${"█".repeat(15)}${"░".repeat(15)} 50 %`);
  expect(told).toContain("40000 of 80000 MiB");
  expect(told).toContain("GPU 1  NVIDIA H100 PCIe");
  expect(figures("0, A, [N/A], x, 0, 1, 2")).toContain("░".repeat(30));
  expect(figures("sh: nvidia-smi: not found\n")).toContain("sh: nvidia-smi: not found");
});
