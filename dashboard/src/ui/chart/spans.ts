import { DAY, HOUR } from "../../format/time";

export type Span = "day" | "week" | "month";
export const SPANS = [
  ["day", "Day"],
  ["week", "Week"],
  ["month", "Month"],
] as const satisfies readonly (readonly [Span, string])[];

const WEEK = 7 * DAY;

/** Query of a series; constant for an hour, so that its answer is cached. */
export function windowOf(span: Span, now: number): { step: "hour" | "day"; since?: number } {
  if (span === "month") return { step: "day" };
  return span === "day" ? { step: "hour" } : { step: "hour", since: now - (now % HOUR) - WEEK };
}
