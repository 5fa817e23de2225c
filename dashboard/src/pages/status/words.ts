import type { Schemas } from "../../data/api";
import { count } from "../../format/amount";
import { duration } from "../../format/time";

type Health = Schemas["Health"];

/** Longer than this behind, the page says so. */
const LATE_SECONDS = 60;

/** Reliability of the market's data. */
export function sentence(health: Health): string {
  if (health.status === "ok") return "What you see here is complete and agrees with the chain";
  if (health.status === "starting") return "The index is still reading the chain";
  return "What you see here may be incomplete";
}

/** The same point by point. */
export function statements(health: Health): { text: string; isWell: boolean }[] {
  const { gaps, dead_letters: unread, lag_seconds: lag, reconciliation } = health;
  const differing = reconciliation.filter((check) => check.difference !== null).length;
  return [
    {
      text:
        lag < LATE_SECONDS
          ? `The index was complete ${duration(lag)} ago, up to slot ${count(health.complete_slot)} of ${count(health.head_slot)}.`
          : `The index has not been complete for ${duration(lag)}; it is ${count(health.lag_slots)} slots behind.`,
      isWell: lag < LATE_SECONDS,
    },
    {
      text: gaps === 0 ? "No event is missing." : gaps === null ? "It is unknown whether events are missing." : `${count(gaps)} events are missing and being fetched.`,
      isWell: gaps === 0,
    },
    {
      text:
        unread === 0
          ? "All events could be read."
          : unread === null
            ? "It is unknown whether all events could be read."
            : `${count(unread)} events could not be read.`,
      isWell: unread === 0,
    },
    {
      text:
        differing === 0
          ? `All ${count(reconciliation.length)} vaults match the index.`
          : `${count(differing)} of ${count(reconciliation.length)} vaults differ from the index.`,
      isWell: differing === 0 && reconciliation.length > 0,
    },
  ];
}
