import type { Schemas } from "../../data/api";
import { usd } from "../../format/amount";
import type { Notice } from "../../ui/notices/notices";

type Machine = Pick<Schemas["Listing"], "id" | "gpu" | "gpu_count" | "region" | "market_rate">;

/** Machines that a search finds now and did not find at its last look; none at the first. */
export class Fits {
  #known: ReadonlySet<string> | undefined;

  take<Found extends { id: string }>(found: readonly Found[]): Found[] {
    const known = this.#known;
    this.#known = new Set(found.map((each) => each.id));
    return known ? found.filter((each) => !known.has(each.id)) : [];
  }
}

/** Notice of a machine that has come to fit a search. */
export function fitNotice(machine: Machine, name: string): Notice {
  const many = machine.gpu_count > 1 ? `${machine.gpu_count} × ` : "";
  return {
    tag: `${machine.id}/fits`,
    title: `${many}${name} fits your search`,
    body: `${usd(machine.market_rate.micro_usd_per_hour)} an hour before fees, in ${machine.region}.`,
    path: `/listings/${machine.id}`,
  };
}
