import type { Component } from "svelte";
import { isAddress, isModel, isNumber } from "../format/typed";
import { match } from "../router.svelte";
import Market from "./market/Market.svelte";

type Page = Component<Record<string, string>>;
type Load = () => Promise<{ default: Page }>;

interface Entry {
  path: string;
  title: string;
  /** True if the navigation shows it. */
  named?: string;
  /** True for what its path's parameters can be; addresses by default. */
  takes?: (parameter: string) => boolean;
  load: Load;
}

const page = (load: () => Promise<{ default: unknown }>) => load as Load;

/** Every page. A page takes its path's parameters as properties. */
export const PAGES: Entry[] = [
  { path: "/", title: "Market", named: "Market", load: page(async () => ({ default: Market })) },
  { path: "/templates", title: "Templates", named: "Templates", load: page(() => import("./templates/Templates.svelte")) },
  { path: "/gpus/:id", title: "Model", takes: isModel, load: page(() => import("./gpu/Gpu.svelte")) },
  { path: "/listings/:id", title: "Machine", load: page(() => import("./listing/Listing.svelte")) },
  { path: "/rent/:id", title: "Rent", load: page(() => import("./rent/Rent.svelte")) },
  { path: "/request", title: "Request a machine", load: page(() => import("./request/Request.svelte")) },
  { path: "/jobs", title: "My rentals", named: "My rentals", load: page(() => import("./jobs/Jobs.svelte")) },
  { path: "/jobs/:id", title: "Rental", load: page(() => import("./jobs/Job.svelte")) },
  { path: "/account", title: "Account", load: page(() => import("./account/Account.svelte")) },
  { path: "/network", title: "Network", named: "Network", load: page(() => import("./network/Network.svelte")) },
  { path: "/hosts", title: "Hosts", named: "Hosts", load: page(() => import("./hosts/Hosts.svelte")) },
  { path: "/hosting", title: "Hosting", load: page(() => import("./hosting/Hosting.svelte")) },
  { path: "/hosts/:authority", title: "Host", load: page(() => import("./hosts/Host.svelte")) },
  { path: "/staking", title: "Staking", named: "Staking", load: page(() => import("./staking/Staking.svelte")) },
  {
    path: "/governance",
    title: "Governance",
    named: "Governance",
    load: page(() => import("./governance/Governance.svelte")),
  },
  { path: "/governance/propose", title: "Propose a change", load: page(() => import("./governance/Propose.svelte")) },
  {
    path: "/governance/:id",
    title: "Proposal",
    takes: isNumber,
    load: page(() => import("./governance/Proposal.svelte")),
  },
  { path: "/status", title: "Status", named: "Status", load: page(() => import("./status/Status.svelte")) },
];

const NOWHERE: Entry = { path: "", title: "Not found", load: page(() => import("./Nowhere.svelte")) };

/** The page of a path, and its parameters. One whose parameters can name nothing does not exist. */
export function pageOf(path: string): { entry: Entry; parameters: Record<string, string> } {
  for (const entry of PAGES) {
    const parameters = match(entry.path, path);
    if (!parameters) continue;
    if (Object.values(parameters).every(entry.takes ?? isAddress)) return { entry, parameters };
    break;
  }
  return { entry: NOWHERE, parameters: {} };
}
