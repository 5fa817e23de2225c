import { BrowserTooOld } from "./too-old";

/** A key pair of OpenSSH that this browser has made: the public line, and the private file's text. */
export interface SshKey {
  readonly open: string;
  readonly secret: string;
}

const KEPT = "ssh-key";
const KIND = "ssh-ed25519";
const BLOCK = 8;
const LINE = 70;

/** The one that is kept here. */
export function sshKeyKept(): SshKey | undefined {
  const text = localStorage.getItem(KEPT);
  return text === null ? undefined : (JSON.parse(text) as SshKey);
}

/** Makes one and keeps it. BrowserTooOld. */
export async function makeSshKey(): Promise<SshKey> {
  const pair = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]).catch(() => {
    throw new BrowserTooOld();
  });
  const { privateKey, publicKey } = pair as CryptoKeyPair;
  const seed = new Uint8Array(await crypto.subtle.exportKey("pkcs8", privateKey)).slice(-32);
  const open = new Uint8Array(await crypto.subtle.exportKey("raw", publicKey));
  const key = { open: `${KIND} ${base64(join(text(KIND), field(open)))} gpu-market`, secret: privateFile(seed, open) };
  localStorage.setItem(KEPT, JSON.stringify(key));
  return key;
}

/** OpenSSH's PROTOCOL.key, without a passphrase. */
function privateFile(seed: Uint8Array, open: Uint8Array): string {
  const check = crypto.getRandomValues(new Uint8Array(4));
  const body = join(check, check, text(KIND), field(open), field(join(seed, open)), text("gpu-market"));
  const padding = Uint8Array.from({ length: (BLOCK - (body.length % BLOCK)) % BLOCK }, (_, index) => index + 1);
  const magic = new TextEncoder().encode("openssh-key-v1\0");
  const head = join(magic, text("none"), text("none"), text(""), length(1), field(join(text(KIND), field(open))));
  const lines = base64(join(head, field(join(body, padding)))).match(new RegExp(`.{1,${LINE}}`, "g")) ?? [];
  return ["-----BEGIN OPENSSH PRIVATE KEY-----", ...lines, "-----END OPENSSH PRIVATE KEY-----", ""].join("\n");
}

const text = (value: string): Uint8Array => field(new TextEncoder().encode(value));
const field = (bytes: Uint8Array): Uint8Array => join(length(bytes.length), bytes);
const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

function length(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

function join(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
