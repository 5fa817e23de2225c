import { PARAMETERS } from "gpu-market";
import { baseUnits, count, decimal, usd } from "../../format/amount";
import { duration } from "../../format/time";

/** A parameter of the market: what it counts, and what it may be, both ends included. */
export interface Bounded {
  readonly unit: string;
  readonly least: bigint;
  readonly most: bigint;
}

/** The market token. */
export interface Token {
  readonly symbol: string;
  readonly decimals: number;
}

const U64 = 2n ** 64n - 1n;

/** A parameter's unit and bounds; undefined for one that is newer than this page. */
export function bounded(parameter: string, testing: boolean): Bounded | undefined {
  const row = PARAMETERS[parameter];
  if (!row) return undefined;
  const [unit, least, most, testingLeast, testingMost] = row;
  return { unit, least: BigInt(testing ? testingLeast : least), most: BigInt(testing ? testingMost : most) };
}

/** Digits behind the point of a unit as people write it. */
function digitsOf(unit: string, token: Token): number {
  switch (unit) {
    case "micro-USD":
      return 6;
    case "lamports":
      return 9;
    case "basis points":
      return 2;
    case "base units of the market token":
      return token.decimals;
    default:
      return 0;
  }
}

/** In what a parameter's value is typed. */
export function typedIn(unit: string, token: Token): string {
  switch (unit) {
    case "micro-USD":
      return "US dollars";
    case "lamports":
      return "SOL";
    case "basis points":
      return "%";
    case "base units of the market token":
      return token.symbol;
    default:
      return unit;
  }
}

/** A value as people write it, to be changed. */
export const typed = (unit: string, value: string | bigint, token: Token): string =>
  decimal(value, digitsOf(unit, token)).replaceAll(",", "");

/** The value of what was typed; null if it is none. */
export const read = (unit: string, text: string, token: Token): bigint | null => baseUnits(text, digitsOf(unit, token));

/** A value in words: a share as percent, seconds as days and hours, amounts with their token. */
export function inWords(unit: string, value: string | bigint, token: Token): string {
  if (BigInt(value) === U64) return "no limit";
  switch (unit) {
    case "micro-USD":
      return usd(value);
    case "seconds":
      return duration(Number(value));
    case "basis points":
      return `${decimal(value, 2)} %`;
    case "lamports":
    case "base units of the market token":
      return `${decimal(value, digitsOf(unit, token))} ${typedIn(unit, token)}`;
    default:
      return `${count(value)} ${unit}`;
  }
}
