import type { ListingSpec } from "gpu-market";
import type { Schemas } from "../../data/api";
import { decimal } from "../../format/amount";
import { HOUR } from "../../format/time";
import { cudaNumber, isCuda, isWhole, microUsd } from "../../format/typed";

/** Numeric specs of a machine: label, and the program's minimum and maximum. */
export const COUNTED = {
  gpu_count: ["GPUs", 1, 2 ** 8 - 1],
  vram_gb: ["VRAM of each, GB", 1, 2 ** 16 - 1],
  cpu_cores: ["CPU cores", 0, 2 ** 16 - 1],
  ram_gb: ["RAM, GB", 0, 2 ** 32 - 1],
  disk_gb: ["Disk, GB", 0, 2 ** 32 - 1],
  disk_mbps: ["Disk, MB/s", 0, 2 ** 32 - 1],
  net_up_mbps: ["Upload, Mb/s", 0, 2 ** 32 - 1],
  net_down_mbps: ["Download, Mb/s", 0, 2 ** 32 - 1],
  keep_days: ["Workspaces kept, days", 0, 999],
} as const;
export const DISKS = ["nvme", "ssd", "hdd"] as const;

type Counted = keyof typeof COUNTED;

/** A machine and its terms, as typed. */
export interface Form extends Record<Counted, string> {
  gpu: ListingSpec["gpu"] | "";
  region: ListingSpec["region"] | "";
  disk_kind: ListingSpec["disk_kind"];
  cuda: string;
  /** Dollars an hour. */
  price: string;
  /** Dollars an hour; empty takes no spot orders. */
  spot: string;
  /** Of the longest rental. */
  hours: string;
  visible: boolean;
}

const MICRO = 6;

/** Defaults for a host's first machine. */
export const EMPTY: Readonly<Form> = {
  ...{ gpu: "", region: "", disk_kind: "nvme", gpu_count: "1", vram_gb: "", cpu_cores: "", ram_gb: "", disk_gb: "" },
  ...{ disk_mbps: "", net_up_mbps: "", net_down_mbps: "", keep_days: "7", cuda: "12.8", price: "", spot: "", hours: "720", visible: true },
};

/** A listing's specs, to be edited or copied for another machine. */
export function formOf(listing: Schemas["Listing"]): Form {
  const counted = Object.fromEntries((Object.keys(COUNTED) as Counted[]).map((name) => [name, String(listing[name])]));
  return {
    ...(counted as Record<Counted, string>),
    gpu: listing.gpu as Form["gpu"],
    region: listing.region as Form["region"],
    disk_kind: listing.disk_kind as Form["disk_kind"],
    cuda: listing.cuda,
    price: dollars(listing.market_rate.micro_usd_per_hour),
    spot: listing.spot_min_usd ? dollars(listing.spot_min_usd) : "",
    hours: String(listing.max_duration / HOUR),
    visible: listing.status !== "hidden",
  };
}

/** Problems of the input, by field; empty if it can be listed. */
export function problems(form: Form): Partial<Record<keyof Form, string>> {
  const found: Partial<Record<keyof Form, string>> = {};
  if (!form.gpu) found.gpu = "Choose the model of its GPUs.";
  if (!form.region) found.region = "Choose where it is.";
  for (const [name, [label, least, most]] of Object.entries(COUNTED) as [Counted, (typeof COUNTED)[Counted]][]) {
    if (!isWhole(form[name], least, most)) found[name] = `${label}: give a whole number from ${least} to ${most}.`;
  }
  if (!isCuda(form.cuda)) found.cuda = "Give a version such as 12.8.";
  if (!microUsd(form.price)) found.price = "Give dollars an hour, such as 2.50.";
  if (form.spot.trim() && !microUsd(form.spot)) found.spot = "Give dollars an hour, or leave it empty for no spot orders.";
  const seconds = secondsOf(form);
  if (!(Number.isSafeInteger(seconds) && seconds > 0 && seconds < 2 ** 32)) found.hours = "Give hours as a number, such as 720.";
  return found;
}

/** The input in the API's form; only call it without problems. */
export function specOf(form: Form): ListingSpec {
  const counted = Object.fromEntries((Object.keys(COUNTED) as Counted[]).map((name) => [name, Number(form[name])]));
  return {
    ...(counted as Record<Counted, number>),
    gpu: form.gpu as ListingSpec["gpu"],
    region: form.region as ListingSpec["region"],
    disk_kind: form.disk_kind,
    cuda: cudaNumber(form.cuda),
    on_demand_usd: microUsd(form.price),
    spot_min_usd: microUsd(form.spot),
    mrl_seconds: secondsOf(form),
    visible: form.visible,
  };
}

const dollars = (micro: number): string => decimal(String(micro), MICRO).replaceAll(",", "");
const secondsOf = (form: Form): number => (form.hours.trim() ? Math.round(Number(form.hours) * HOUR) : Number.NaN);
