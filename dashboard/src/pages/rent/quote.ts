import { DEFAULT_IMAGE, type Rent, type Workload } from "gpu-market";
import type { Schemas } from "../../data/api";
import { baseUnits } from "../../format/amount";

const HOUR = 3_600;
const MOST_PORTS = 5;
const NAME_CHARACTERS = 128;
const VALUE_CHARACTERS = 1_536;
const ENV_CHARACTERS = 12_000;
/** What a price may rise between its being seen and the order's landing. */
const SLACK_BPS = 100n;

/** What the form holds, as typed. It outlives a reload. */
export interface Form {
  hours: string;
  pay: string;
  kind: "on-demand" | "spot" | "reserved";
  image: string;
  command: string;
  ports: string;
  env: string;
  sshKey: string;
  /** Dollars an hour; empty: the least that gets in. */
  bid: string;
  storage: string;
  /** Tokens that traffic and storage may cost. */
  charges: string;
  untilExit: boolean;
}

export const RESERVED_DAYS = [7, 30, 90] as const;
const DAY_HOURS = 24;
const MICRO = 6;
const MOST_GB = 2 ** 32;

/** An empty form: the shortest order that the market's minimum allows, an hour at least. */
export function emptyForm(machine: Schemas["Listing"], orderMinUsd: number): Form {
  const hours = Math.max(1, Math.ceil(orderMinUsd / Math.max(1, machine.market_rate.micro_usd_per_hour)));
  return {
    ...{ hours: String(hours), pay: "GPUM", kind: "on-demand", image: DEFAULT_IMAGE, command: "", ports: "", env: "" },
    ...{ sshKey: "", bid: "", storage: "", charges: "", untilExit: false },
  };
}

/** What is wrong with what was typed, by field; nothing if all of it can be ordered. */
export function problems(form: Form, machine: Schemas["Listing"]): Partial<Record<keyof Form, string>> {
  const found: Partial<Record<keyof Form, string>> = {};
  const seconds = secondsOf(form);
  if (seconds === null) found.hours = "Give hours as a number, such as 1 or 0.5.";
  else if (seconds > machine.max_duration) found.hours = `This machine is rented for at most ${machine.max_duration / HOUR} h.`;
  else if (form.kind === "reserved" && !RESERVED_DAYS.some((days) => days * DAY_HOURS * HOUR === seconds)) {
    found.hours = "Reserved is for 7, 30 or 90 days.";
  }
  if (form.kind === "spot" && form.bid.trim() && baseUnits(form.bid, MICRO) === null) {
    found.bid = "Give dollars an hour, such as 0.50, or nothing for the least that gets in.";
  }
  if (machine.charges && form.storage.trim() && !(/^\d{1,10}$/.test(form.storage.trim()) && Number(form.storage) < MOST_GB)) {
    found.storage = "Give whole GB.";
  }
  if (machine.charges && form.charges.trim() && baseUnits(form.charges, 0) === null && !/^\d+\.\d+$/.test(form.charges.trim())) {
    found.charges = "Give an amount of tokens, such as 5.";
  }
  if (!form.image.trim()) found.image = "Name the image that the machine is to run.";
  const ports = portsOf(form);
  if (ports.some((each) => each === null)) found.ports = "Give ports like 8888/http or 22/tcp, separated by commas.";
  else if (ports.length > MOST_PORTS) found.ports = `At most ${MOST_PORTS} ports can be forwarded.`;
  const lines = form.env.split("\n").filter((line) => line.trim());
  if (form.env.length > ENV_CHARACTERS) found.env = "All variables together have at most 12,000 characters.";
  else if (lines.some((line) => !/^[A-Za-z_]\w*=/.test(line))) found.env = "Give one NAME=VALUE on each line.";
  else if (lines.some((line) => line.indexOf("=") > NAME_CHARACTERS || line.length - line.indexOf("=") - 1 > VALUE_CHARACTERS)) {
    found.env = `A name has at most ${NAME_CHARACTERS} characters and a value ${VALUE_CHARACTERS}.`;
  }
  if (form.sshKey.trim() && !/^(ssh-|ecdsa-|sk-)\S+ [A-Za-z0-9+/=]+/.test(form.sshKey.trim())) {
    found.sshKey = "Paste one line of an OpenSSH public key, such as ssh-ed25519 AAAA...";
  }
  return found;
}

/** Whole seconds of what was typed as hours; null if it is no time. */
export function secondsOf(form: Form): number | null {
  const seconds = Math.round(Number(form.hours) * HOUR);
  return form.hours.trim() && Number.isSafeInteger(seconds) && seconds > 0 ? seconds : null;
}

/** The most that may go into escrow: what the API quotes, and a hundredth. */
export function mostCeil(quoted: bigint): bigint {
  return quoted + (quoted * SLACK_BPS + 9_999n) / 10_000n;
}

/** Micro-USD an hour that are bid; 0 for the least that gets in, and for what is no spot order. */
export const bidOf = (form: Form): number => (form.kind === "spot" ? Number(baseUnits(form.bid, MICRO) ?? 0n) : 0);

/** Base units that traffic and storage may cost, of a mint with so many decimals. */
export const chargesOf = (form: Form, machine: Schemas["Listing"], decimals: number): bigint =>
  machine.charges ? (baseUnits(form.charges, decimals) ?? 0n) : 0n;

/** What the API is asked for a quote: the order without its document. */
export function quoteOf(form: Form, machine: Schemas["Listing"], wallet: string, decimals: number): Schemas["JobRequest"] {
  return {
    ...{ wallet, listing: machine.id, spec_version: machine.spec_version, order_hash: NO_ORDER },
    ...{ duration: secondsOf(form) ?? 0, pay: form.pay, kind: form.kind, bid_usd: bidOf(form) },
    ...{ storage_gb: machine.charges ? Number(form.storage || 0) : 0, until_exit: form.untilExit },
    max_charges: String(chargesOf(form, machine, decimals)),
  };
}

const NO_ORDER = "0".repeat(64);

/** What comes back if it is stopped after so many seconds, at least: base units. */
export function refundFloor(deposit: bigint, rate: bigint, seconds: number, minCharge: number): bigint {
  const cost = (rate * BigInt(Math.max(seconds, minCharge)) + BigInt(HOUR) - 1n) / BigInt(HOUR);
  return deposit > cost ? deposit - cost : 0n;
}

/** What the client is asked to order. */
export function rentOf(form: Form, machine: Schemas["Listing"], maxCost: bigint, decimals: number): Rent {
  const maxCharges = chargesOf(form, machine, decimals);
  return {
    ...workloadOf(form),
    listing: machine.id,
    specVersion: machine.spec_version,
    duration: secondsOf(form) ?? 0,
    pay: form.pay,
    kind: form.kind,
    maxCost,
    ...(form.untilExit && { untilExit: true }),
    ...(form.kind === "spot" && bidOf(form) > 0 && { bidUsd: bidOf(form) }),
    ...(maxCharges > 0n && { maxCharges, storageGb: Number(form.storage || 0) }),
  };
}

function workloadOf(form: Form): Workload {
  const lines = form.env.split("\n").filter((line) => line.trim());
  const env = Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
  return {
    image: form.image.trim(),
    env,
    ports: portsOf(form).filter((each) => each !== null),
    ...(form.command.trim() && { command: form.command.trim() }),
    ...(form.sshKey.trim() && { sshKey: form.sshKey.trim() }),
  };
}

function portsOf(form: Form): ({ port: number; protocol: "tcp" | "http" } | null)[] {
  const texts = form.ports.split(",").map((each) => each.trim());
  return texts.filter(Boolean).map((text) => {
    const found = /^(\d{1,5})(?:\/(tcp|http))?$/.exec(text);
    const port = Number(found?.[1]);
    return found && port > 0 && port < 65_536 ? { port, protocol: (found[2] ?? "tcp") as "tcp" | "http" } : null;
  });
}
