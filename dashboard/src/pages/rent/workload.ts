import { DEFAULT_IMAGE, readPublicKey, type Workload } from "gpu-market";

const MOST_PORTS = 5;
const NAME_CHARACTERS = 128;
const VALUE_CHARACTERS = 1_536;
const ENV_CHARACTERS = 12_000;

/** A workload, as typed. */
export interface WorkloadForm {
  image: string;
  command: string;
  ports: string;
  env: string;
  sshKey: string;
  untilExit: boolean;
}

export const EMPTY_WORKLOAD: Readonly<WorkloadForm> = {
  ...{ image: DEFAULT_IMAGE, command: "", ports: "", env: "", sshKey: "", untilExit: false },
};

/** Problems of the input, by field; empty if a machine can run it. */
export function workloadProblems(form: WorkloadForm): Partial<Record<keyof WorkloadForm, string>> {
  const found: Partial<Record<keyof WorkloadForm, string>> = {};
  if (!form.image.trim()) found.image = "Give the image to run.";
  const ports = portsOf(form);
  if (ports.some((each) => each === null)) found.ports = "Give ports like 8888/http or 22/tcp, separated by commas.";
  else if (ports.length > MOST_PORTS) found.ports = `At most ${MOST_PORTS} ports can be forwarded.`;
  const lines = form.env.split("\n").filter((line) => line.trim());
  if (form.env.length > ENV_CHARACTERS) found.env = "All variables together have at most 12,000 characters.";
  else if (lines.some((line) => !/^[A-Za-z_]\w*=/.test(line))) found.env = "Give one NAME=VALUE on each line.";
  else if (lines.some((line) => line.indexOf("=") > NAME_CHARACTERS || line.length - line.indexOf("=") - 1 > VALUE_CHARACTERS)) {
    found.env = `A name has at most ${NAME_CHARACTERS} characters and a value ${VALUE_CHARACTERS}.`;
  }
  if (form.sshKey.trim()) {
    try {
      readPublicKey(form.sshKey);
    } catch (error) {
      found.sshKey = `This key lets nobody in: ${(error as Error).message}. Paste one line, such as ssh-ed25519 AAAA...`;
    }
  }
  return found;
}

/** The same as the client takes it. */
export function workloadOf(form: WorkloadForm): Workload {
  const lines = form.env.split("\n").filter((line) => line.trim());
  const env = Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
  return {
    image: form.image.trim(),
    env,
    ports: portsOf(form).filter((each) => each !== null),
    ...(form.command.trim() && { command: form.command.trim() }),
    ...(form.sshKey.trim() && { sshKey: readPublicKey(form.sshKey) }),
  };
}

function portsOf(form: WorkloadForm): ({ port: number; protocol: "tcp" | "http" } | null)[] {
  const texts = form.ports.split(",").map((each) => each.trim());
  return texts.filter(Boolean).map((text) => {
    const found = /^(\d{1,5})(?:\/(tcp|http))?$/.exec(text);
    const port = Number(found?.[1]);
    return found && port > 0 && port < 65_536 ? { port, protocol: (found[2] ?? "tcp") as "tcp" | "http" } : null;
  });
}
