/** Gigabytes, or terabytes from a thousand on. */
export function gigabytes(gb: number): string {
  return gb >= 1_000 ? `${gb / 1_000} TB` : `${gb} GB`;
}

/** Megabits a second, or gigabits from a thousand on. */
export function megabits(mbps: number): string {
  return mbps >= 1_000 ? `${mbps / 1_000} Gb/s` : `${mbps} Mb/s`;
}

/** Grams, or kilograms from a thousand on. */
export function grams(g: number): string {
  return g >= 1_000 ? `${(g / 1_000).toFixed(g >= 100_000 ? 0 : 1)} kg` : `${g} g`;
}

/** The start and the end of an address. */
export function shortened(address: string): string {
  return address.length > 11 ? `${address.slice(0, 4)}…${address.slice(-4)}` : address;
}
