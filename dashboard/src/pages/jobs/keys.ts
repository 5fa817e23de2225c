import { GpuMarketError } from "../../data/api";

const CODES = ["no_key", "not_sealed_to_us", "bad_key"];

/** Whether something of a job stays sealed for want of its order's key. */
export const lacksKey = (error: Error): boolean => error instanceof GpuMarketError && CODES.includes(error.code);
