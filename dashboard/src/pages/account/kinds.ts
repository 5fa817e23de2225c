import type { Schemas } from "../../data/api";

const ALL: Readonly<Record<Schemas["Kind"], true>> = {
  ...{ "job.opened": true, "job.accepted": true, "job.running": true, "job.low_funds": true, "job.extended": true },
  ...{ "job.outbid": true, "job.preempting": true, "job.preempted": true, "job.refused": true, "job.ended": true },
  ...{ "host.offline": true, "refund.paid": true, "payout.paid": true, "request.matched": true, "request.expired": true },
  ...{ "search.fits": true, "proposal.opened": true, "proposal.decided": true },
};

/** Types of notices that webhooks can send. */
export const KINDS = Object.keys(ALL) as Schemas["Kind"][];
