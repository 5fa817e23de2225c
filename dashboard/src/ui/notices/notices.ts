import type { FeedEvent } from "gpu-market";
import type { Schemas } from "../../data/api";

/** Something that a renter wants to know at once; of two with one tag the browser shows the newer. */
export interface Notice {
  readonly tag: string;
  readonly title: string;
  readonly body: string;
  readonly path: string;
}

/** Request to the API. */
export interface Lookup {
  job(id: string): Promise<Schemas["Job"]>;
  request(id: string): Promise<Schemas["MachineRequest"]>;
  name(gpu: string | null): string;
}

/** Ends that the renter has brought about. */
const OWN = ["stopped", "withdrawn"];
const REASONS: Readonly<Record<string, string>> = {
  expired: "Its paid time is over.",
  finished: "Its command has ended.",
  preempted: "A better order has its machine now. The unused part was refunded.",
  outbid: "A higher bid took its place. Your deposit was refunded.",
  host_offline: "Its host fell silent. You got its holdback.",
  host_fault: "Its host could not continue. The unused part was refunded.",
  host_maintenance: "Its host stopped for maintenance. The unused part was refunded.",
  provision_timeout: "Its host did not start it in time. Everything was refunded.",
};
const text = (event: FeedEvent<"event">, name: string) => String(event.data[name] ?? "");

/** Notice of an event for the wallet `own`; undefined if it does not concern them. */
export async function noticeOf(event: FeedEvent<"event">, own: string, look: Lookup): Promise<Notice | undefined> {
  const id = text(event, "rental");
  switch (event.event) {
    case "RentalPreempting": {
      const job = await look.job(id);
      if (job.renter !== own) return undefined;
      const left = Number(event.data["preempt_at"]) - Number(event.data["at"]);
      return about(id, "preempting", `${look.name(job.gpu)}: a better order waits`, `It gets the machine in ${left} s. Save your work now.`);
    }
    case "RentalClosed": {
      const [renter, reason] = [text(event, "renter"), text(event, "reason")];
      if (renter !== own || OWN.includes(reason)) return undefined;
      const title = reason === "outbid" ? "Your bid was outbid" : "Your rental has ended";
      return about(id, reason === "outbid" ? "outbid" : "ended", title, REASONS[reason] ?? `It ended: ${reason.replaceAll("_", " ")}.`);
    }
    case "RequestMatched": {
      const request = await look.request(text(event, "request"));
      if (request.renter !== own) return undefined;
      return about(id, "matched", `${look.name(request.gpu)}: a machine was found`, "Send your order to its host.");
    }
    default:
      return undefined;
  }
}

const about = (job: string, what: string, title: string, body: string): Notice => ({ tag: `${job}/${what}`, title, body, path: `/jobs/${job}` });

/** A running rental has little time left. */
export const lowFunds = (job: Pick<Schemas["Job"], "id" | "paid_until" | "gpu">, minutes: number, name: string): Notice =>
  about(job.id, `low/${job.paid_until}`, `${name}: ${minutes} minutes are left`, "Extend it, or it will end.");
