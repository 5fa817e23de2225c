import type { Schema } from "./api.js";
import type { Expected } from "./checks.js";
import { ANY_REGION, GPU_NUMBERS, REGION_NUMBERS } from "./generated/catalog.js";
import { numbered } from "./hosting.js";
import type { Workload } from "./order.js";
import { mintOf, paymentMint } from "./rent.js";

type Asked = Schema<"Wanted">;

/** Any machine that fits, as soon as one is free, and what to run there. What is left out is not asked for. */
export interface MachineWanted extends Workload {
  readonly gpu: Asked["gpu"];
  /** Seconds. */
  readonly duration: number;
  /** The most that a machine-hour may cost, micro-USD. */
  readonly maxUsd: number;
  /** Amount to escrow, base units of the payment mint. */
  readonly deposit: bigint;
  /** GPUM, SOL, another symbol of the market's, or a mint's address; by default GPUM. */
  readonly pay?: string;
  readonly kind?: "on-demand" | "reserved";
  readonly count?: number;
  /** Accepted regions; empty for any. */
  readonly regions?: Asked["regions"];
  readonly near?: NonNullable<Asked["near"]>;
  readonly minScoreBps?: number;
  readonly minVramGb?: number;
  /** 100 times major plus minor. */
  readonly minCuda?: number;
  readonly minRamGb?: number;
  readonly minDiskGb?: number;
  readonly minNetUpMbps?: number;
  readonly minNetDownMbps?: number;
  /** Seconds that it waits; by default a day. */
  readonly validFor?: number;
}

const DAY = 86_400;
const KINDS = { "on-demand": "OnDemand", reserved: "Reserved" } as const;

/** Request to the API. */
export function requestBody(wanted: MachineWanted, orderHash: string): Omit<Asked, "wallet"> {
  return {
    gpu: wanted.gpu,
    duration: wanted.duration,
    pay: wanted.pay ?? "GPUM",
    max_usd: wanted.maxUsd,
    order_hash: orderHash,
    kind: wanted.kind ?? "on-demand",
    regions: [...(wanted.regions ?? [])],
    near: wanted.near ?? null,
    deposit: String(wanted.deposit),
    valid_for: wanted.validFor ?? DAY,
    ...leastOf(wanted),
  };
}

/** Expected draft. `tokens` resolves a symbol to its mint; otherwise the API does. */
export async function expectedRequest(
  wanted: MachineWanted,
  orderHash: string,
  answer: Schema<"UnsignedRequest">,
  wallet: string,
  tokens: Readonly<Record<string, string>>,
): Promise<Expected> {
  const { count: gpu_count, ...least } = leastOf(wanted);
  const bits = (wanted.regions ?? []).map((each) => 1n << BigInt(numbered(REGION_NUMBERS, each)));
  const mask = bits.reduce((sum, bit) => sum | bit, 0n);
  const numbers = {
    ...least,
    gpu_count,
    gpu_model: numbered(GPU_NUMBERS, wanted.gpu),
    near_region: wanted.near === undefined ? ANY_REGION : numbered(REGION_NUMBERS, wanted.near),
    duration: wanted.duration,
    max_usd: wanted.maxUsd,
  };
  const args = {
    ...Object.fromEntries(Object.entries(numbers).map(([name, value]) => [`order.${name}`, BigInt(value)])),
    "order.kind": KINDS[wanted.kind ?? "on-demand"],
    "order.regions": mask,
    "order.deposit": { atMost: wanted.deposit },
    "order.order_hash": orderHash,
  };
  const accounts = {
    renter: wallet,
    payment_mint: await paymentMint(mintOf(wanted.pay, answer.mint, tokens)),
    request: answer.address ?? "",
  };
  return {
    instructions: [
      { names: ["register_renter"], optional: true, accounts: { wallet } },
      { names: ["open_request"], args, accounts },
    ],
    ...(wanted.pay === "SOL" && { wraps: wanted.deposit }),
  };
}

/** Minimum specs of the machine, and its GPUs. */
function leastOf(wanted: MachineWanted) {
  return {
    count: wanted.count ?? 1,
    min_score_bps: wanted.minScoreBps ?? 0,
    min_vram_gb: wanted.minVramGb ?? 0,
    min_cuda: wanted.minCuda ?? 0,
    min_ram_gb: wanted.minRamGb ?? 0,
    min_disk_gb: wanted.minDiskGb ?? 0,
    min_net_up_mbps: wanted.minNetUpMbps ?? 0,
    min_net_down_mbps: wanted.minNetDownMbps ?? 0,
  };
}
