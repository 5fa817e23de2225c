import type { MachineWanted } from "gpu-market";
import type { Schemas } from "../../data/api";
import { baseUnits } from "../../format/amount";
import { DAY, HOUR } from "../../format/time";
import { cudaNumber, isCuda, isWhole, microUsd } from "../../format/typed";
import { RESERVED_DAYS, secondsOf } from "../rent/quote";
import { EMPTY_WORKLOAD, workloadOf, workloadProblems, type WorkloadForm } from "../rent/workload";

/** Minimum specs that a request can ask for: label and highest value. */
export const LEAST = {
  min_vram_gb: ["VRAM of each GPU, GB", 2 ** 16 - 1],
  min_ram_gb: ["RAM, GB", 2 ** 32 - 1],
  min_disk_gb: ["Disk, GB", 2 ** 32 - 1],
  min_net_up_mbps: ["Upload, Mb/s", 2 ** 32 - 1],
  min_net_down_mbps: ["Download, Mb/s", 2 ** 32 - 1],
} as const;
type Least = keyof typeof LEAST;
type Wanted = Schemas["Wanted"];

/** The form's fields, as typed. */
export interface Form extends WorkloadForm, Record<Least, string> {
  gpu: Wanted["gpu"] | "";
  count: string;
  hours: string;
  /** Dollars an hour. */
  price: string;
  pay: string;
  kind: "on-demand" | "reserved";
  regions: Wanted["regions"];
  /** Percent of the host's score. */
  score: string;
  cuda: string;
  /** Hours that it waits. */
  wait: string;
}

export const EMPTY: Readonly<Form> = {
  ...EMPTY_WORKLOAD,
  ...{ gpu: "", count: "1", hours: "6", price: "", pay: "GPUM", kind: "on-demand", regions: [], score: "", cuda: "", wait: "24" },
  ...{ min_vram_gb: "", min_ram_gb: "", min_disk_gb: "", min_net_up_mbps: "", min_net_down_mbps: "" },
};

const BPS = 2;
const MOST_WAIT_HOURS = 720;

/** Problems of the input, by field; empty if it can be requested. */
export function problems(form: Form): Partial<Record<keyof Form, string>> {
  const found: Partial<Record<keyof Form, string>> = {};
  if (!form.gpu) found.gpu = "Choose a model.";
  if (!isWhole(form.count, 1, 255)) found.count = "Give a whole number from 1 to 255.";
  const seconds = secondsOf(form);
  if (seconds === null) found.hours = "Give hours as a number, such as 6 or 0.5.";
  else if (form.kind === "reserved" && !RESERVED_DAYS.some((days) => days * DAY === seconds)) {
    found.hours = "Reserved is for 7, 30 or 90 days.";
  }
  if (!microUsd(form.price)) found.price = "Give dollars an hour for the whole machine, such as 2.50.";
  if (form.score.trim() && (basisPoints(form.score) ?? 10_001n) > 10_000n) found.score = "Give a percentage, such as 70.";
  if (form.cuda.trim() && !isCuda(form.cuda)) found.cuda = "Give a version such as 12.8.";
  if (!isWhole(form.wait, 1, MOST_WAIT_HOURS)) found.wait = `Give whole hours, at most ${MOST_WAIT_HOURS}.`;
  for (const [name, [label, most]] of Object.entries(LEAST) as [Least, (typeof LEAST)[Least]][]) {
    if (form[name].trim() && !isWhole(form[name], 0, most)) found[name] = `${label}: give a whole number, at most ${most}.`;
  }
  return { ...found, ...workloadProblems(form) };
}

/** Request for a quote: the request without its document. */
export function quoteOf(form: Form, wallet: string): Wanted {
  const { gpu, duration, maxUsd, pay, kind, count, regions, minScoreBps, minCuda, validFor } = requestOf(form, 0n);
  return {
    ...{ wallet, gpu, duration, pay: pay ?? "GPUM", kind: kind ?? "on-demand", count: count ?? 1, regions: regions ?? [] },
    ...{ max_usd: maxUsd, order_hash: "0".repeat(64), near: null, deposit: null, valid_for: validFor ?? 0 },
    ...{ min_score_bps: minScoreBps ?? 0, min_cuda: minCuda ?? 0 },
    ...leastOf(form),
  };
}

/** The request for the client; only call it without problems. */
export function requestOf(form: Form, deposit: bigint): MachineWanted {
  const least = leastOf(form);
  return {
    ...workloadOf(form),
    gpu: form.gpu as Wanted["gpu"],
    duration: secondsOf(form) ?? 0,
    maxUsd: microUsd(form.price),
    deposit,
    pay: form.pay,
    kind: form.kind,
    count: Number(form.count),
    regions: form.regions,
    minScoreBps: Number(basisPoints(form.score) ?? 0n),
    minVramGb: least.min_vram_gb,
    minCuda: cudaNumber(form.cuda),
    minRamGb: least.min_ram_gb,
    minDiskGb: least.min_disk_gb,
    minNetUpMbps: least.min_net_up_mbps,
    minNetDownMbps: least.min_net_down_mbps,
    validFor: Number(form.wait) * HOUR,
  };
}

const basisPoints = (text: string): bigint | null => baseUnits(text, BPS);

function leastOf(form: Form): Record<Least, number> {
  const names = Object.keys(LEAST) as Least[];
  return Object.fromEntries(names.map((name) => [name, Number(form[name] || 0)])) as Record<Least, number>;
}
