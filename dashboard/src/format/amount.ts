/** Base units as an exact decimal number: digits grouped by threes, no trailing zeros. */
export function decimal(units: string | bigint, decimals: number): string {
  const value = BigInt(units);
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals).replace(/\B(?=(\d{3})+$)/g, ",");
  const part = digits.slice(digits.length - decimals).replace(/0+$/, "");
  return `${value < 0n ? "−" : ""}${whole}${part ? `.${part}` : ""}`;
}

/** Base units of what somebody typed; null unless it is a number that the mint can express. */
export function baseUnits(text: string, decimals: number): bigint | null {
  const found = /^(\d{1,20})(?:\.(\d*))?$/.exec(text.trim().replaceAll(",", ""));
  if (!found || (found[2] ?? "").length > decimals) return null;
  return BigInt(`${found[1]}${(found[2] ?? "").padEnd(decimals, "0")}`);
}

const MICRO = 6;

/** Micro-USD as dollars, exact, cents at least. */
export function usd(micro: number | string | bigint): string {
  const [whole = "0", part = ""] = decimal(BigInt(micro), MICRO).replace("−", "").split(".");
  return `${BigInt(micro) < 0n ? "−" : ""}$${whole}.${part.padEnd(2, "0")}`;
}

/** Value of base units at a price in pico-USD per whole token: micro-USD, rounded down. */
export function worthFloor(units: string | bigint, price: string | bigint, decimals: number): bigint {
  return (BigInt(units) * BigInt(price)) / (10n ** BigInt(decimals) * 1_000_000n);
}

/** Basis points as a percentage, exact. */
export function percent(bps: number): string {
  return `${decimal(BigInt(Math.round(bps)), 2)} %`;
}

/** So many of something, digits grouped. */
export function count(value: number | bigint | string): string {
  return decimal(BigInt(value), 0);
}
