import type { Rent, Workload } from "gpu-market";
import type { Schemas } from "../../data/api";

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
}

/** What is wrong with what was typed, by field; nothing if all of it can be ordered. */
export function problems(form: Form, machine: Schemas["Listing"]): Partial<Record<keyof Form, string>> {
  const found: Partial<Record<keyof Form, string>> = {};
  const seconds = secondsOf(form);
  if (seconds === null) found.hours = "Give hours as a number, such as 1 or 0.5.";
  else if (seconds > machine.max_duration) found.hours = `This machine is rented for at most ${machine.max_duration / HOUR} h.`;
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

/** What the client is asked to order. */
export function rentOf(form: Form, machine: Schemas["Listing"], maxCost: bigint): Rent {
  return {
    ...workloadOf(form),
    listing: machine.id,
    specVersion: machine.spec_version,
    duration: secondsOf(form) ?? 0,
    pay: form.pay,
    kind: form.kind,
    maxCost,
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
