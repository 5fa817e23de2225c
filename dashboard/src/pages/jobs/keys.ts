import { GpuMarketError } from "../../data/api";

const CODES = ["no_key", "not_sealed_to_us", "bad_key"];

/** True if something of a job stays sealed because its order's key is missing. */
export const lacksKey = (error: Error): boolean => error instanceof GpuMarketError && CODES.includes(error.code);
