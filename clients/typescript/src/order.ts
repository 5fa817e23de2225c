import { sha256, toHex, utf8 } from "./bytes.js";
import { readPublicKey } from "./public-key.js";
import type { SealKey } from "./sealing.js";

export const DEFAULT_IMAGE = "nvidia/cuda:12.6.3-runtime-ubuntu24.04";

/** Workload for the host to run. Only the host can read it. */
export interface Workload {
  readonly image?: string;
  /** Shell text that the container starts with; by default what the image does. */
  readonly command?: string;
  /** Up to five ports that are reachable from outside. */
  readonly ports?: readonly { readonly port: number; readonly protocol?: "tcp" | "http" }[];
  readonly env?: Readonly<Record<string, string>>;
  /** An OpenSSH public key on one line, as `readPublicKey` reads it. */
  readonly sshKey?: string;
  readonly jupyterToken?: string;
  /** Shell text that is run in the container before another order takes the machine, or the job has ended. */
  readonly checkpoint?: string;
  /** Has the host keep /workspace for later rentals that name it with the same key: 32 secret bytes in hex. */
  readonly keepWorkspace?: { readonly name: string; readonly key: string };
}

/** An order document in its one encoding, and the SHA-256 of it that the chain carries. */
export interface OrderDocument {
  readonly canonical: Uint8Array;
  readonly hash: string;
}

/** The document of one rental; the connection comes back sealed to `key`. */
export async function orderDocument(workload: Workload, key: SealKey): Promise<OrderDocument> {
  const canonical = utf8(
    canonicalJson({
      image: workload.image ?? DEFAULT_IMAGE,
      command: workload.command ?? null,
      ports: (workload.ports ?? []).map(({ port, protocol }) => ({ port, protocol: protocol ?? "tcp" })),
      env: workload.env ?? {},
      ssh_key: workload.sshKey === undefined ? null : readPublicKey(workload.sshKey),
      jupyter_token: workload.jupyterToken ?? null,
      checkpoint: workload.checkpoint ?? null,
      keep_workspace: workload.keepWorkspace?.name ?? null,
      workspace_key: workload.keepWorkspace?.key ?? null,
      version: 1,
      renter_key: toHex(key.publicKey),
    }),
  );
  return { canonical, hash: toHex(await sha256(canonical)) };
}

/** Text that the renter's wallet signs for a sealed order; `signedAt` in milliseconds. */
export async function orderStatement(hash: string, sealed: Uint8Array, signedAt: number): Promise<string> {
  return `gpu-market order ${hash}\nsealed ${toHex(await sha256(sealed))}\nsigned at ${signedAt}`;
}

/** JSON without white space and with its keys sorted by code point. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const entries = Object.entries(value).sort(([one], [other]) => compare(one, other));
  return `{${entries.map(([name, each]) => `${JSON.stringify(name)}:${canonicalJson(each)}`).join(",")}}`;
}

/** By code point, where JavaScript compares by 16 bits. */
function compare(one: string, other: string): number {
  const [left, right] = [[...one], [...other]].map((text) => text.map((char) => char.codePointAt(0) ?? 0)) as [
    number[],
    number[],
  ];
  const place = left.findIndex((code, index) => code !== right[index]);
  return place === -1 ? left.length - right.length : (left[place] ?? 0) - (right[place] ?? -1);
}
