import { fromBase58 } from "gpu-market";
import { baseUnits } from "./amount";

const MICRO = 6;
const MOST_USD = 2n ** 53n;
const CUDA_MAJOR = 100;

/** Micro-USD of dollars that somebody typed; 0 for what is no amount. */
export function microUsd(text: string): number {
  const found = baseUnits(text, MICRO) ?? 0n;
  return found < MOST_USD ? Number(found) : 0;
}

/** True if the text is a whole number within bounds, both included. */
export const isWhole = (text: string, least: number, most: number): boolean =>
  /^\d{1,10}$/.test(text.trim()) && Number(text) >= least && Number(text) <= most;

const ADDRESS_BYTES = 32;

/** True if the text is an address. */
export function isAddress(text: string): boolean {
  const given = text.trim();
  return /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(given) && fromBase58(given).length === ADDRESS_BYTES;
}

/** True if the text can be the number of a proposal. */
export const isNumber = (text: string): boolean => /^\d{1,15}$/.test(text);

/** True if the text can be the id of a model of GPU. */
export const isModel = (text: string): boolean => /^[a-z0-9]+(-[a-z0-9.]+)*$/.test(text) && text.length <= 64;

/** True if the text is a CUDA version. */
export const isCuda = (text: string): boolean => /^\d{1,3}\.\d{1,2}$/.test(text.trim());

/** A version of CUDA as the market has it; 0 for nothing. */
export function cudaNumber(text: string): number {
  const [major = "0", minor = "0"] = text.trim().split(".");
  return Number(major) * CUDA_MAJOR + Number(minor);
}
