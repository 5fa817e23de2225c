/** Screen's beginning, and nothing behind it. */
const CLEAR = "\x1b[H\x1b[2J";
const PARTS = 7;
const CELLS = 30;

/** Figures of GPUs, as a machine's nvidia-smi prints them in CSV, for a terminal; other words as they are. */
export function figures(csv: string): string {
  const lines = csv.trim().split("\n").map((line) => line.split(",").map((part) => part.trim()));
  if (lines.some((parts) => parts.length !== PARTS)) return CLEAR + csv.trim();
  return CLEAR + lines.map(ofGpu).join("\n\n");
}

function ofGpu([index, name, use = "", used = "", total = "", degrees, watts]: string[]): string {
  return [
    `GPU ${index}  ${name}`,
    `  use     ${bar(Number(use) / 100)} ${use} %`,
    `  memory  ${bar(Number(used) / Number(total))} ${used} of ${total} MiB`,
    `  ${degrees} °C, ${watts} W`,
  ].join("\n");
}

function bar(share: number): string {
  const full = Math.round(CELLS * Math.min(1, Math.max(0, share || 0)));
  return "█".repeat(full) + "░".repeat(CELLS - full);
}
