import { toHex } from "./bytes.js";

const TYPES = [
  "ssh-ed25519",
  "ecdsa-sha2-nistp256",
  "ecdsa-sha2-nistp384",
  "ecdsa-sha2-nistp521",
  "ssh-rsa",
  "sk-ssh-ed25519@openssh.com",
  "sk-ecdsa-sha2-nistp256@openssh.com",
];
const COORDINATE_BYTES: Readonly<Record<string, number>> = { nistp256: 32, nistp384: 48, nistp521: 66 };
const CURVES: Readonly<Record<string, readonly [prime: bigint, constant: bigint]>> = {
  nistp256: [
    2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n,
    0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn,
  ],
  nistp384: [
    2n ** 384n - 2n ** 128n - 2n ** 96n + 2n ** 32n - 1n,
    0xb3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aefn,
  ],
  nistp521: [
    2n ** 521n - 1n,
    0x051953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00n,
  ],
};
const ED25519_BYTES = 32;
const MIN_RSA_BYTES = 128;
const MAX_RSA_BYTES = 2_048;

/**
 * An OpenSSH public key on one line, with single blanks: type, key and comment, read the way the machine's SSH server
 * compares it. Throws an Error whose message says what is wrong.
 */
export function readPublicKey(text: string): string {
  const lines = text
    .replace(/^\ufeff/, "")
    .split(/[\r\n]+/)
    .map((line) => line.replace(/^[ \t]+|[ \t]+$/g, ""))
    .filter((line) => line && !line.startsWith("#"));
  const [line] = lines;
  if (line === undefined) throw new Error("it is empty");
  if (line.startsWith("---- BEGIN SSH2")) throw new Error("it is not in OpenSSH's form");
  if (/^(-----BEGIN|PuTTY-User-Key)/.test(line)) throw new Error("it is a private key: give the public one");
  if (lines.length > 1) throw new Error("it has several lines: give one OpenSSH public key");
  const [, kind, key, comment] = /^([^ \t]+)(?:[ \t]+([^ \t]+)(?:[ \t]+(.*))?)?$/.exec(line) as unknown as [string, string, string?, string?];
  if (kind.includes("-cert-v")) throw new Error("it is a certificate: give the public key that it certifies");
  if (!TYPES.includes(kind)) throw new Error(`${kind.slice(0, 40)} is not a type of key that machines accept`);
  if (key === undefined) throw new Error(`it has no key after ${kind}`);
  requireKey(kind, key);
  return [kind, key, ...(comment === undefined ? [] : [comment])].join(" ");
}

function requireKey(kind: string, encoded: string): void {
  const reader = new Reader(decoded(encoded));
  const inner = String.fromCharCode(...reader.string());
  if (inner !== kind) throw new Error(`it says ${kind}, but its key is of another type`);
  const curve = kind.replace("@openssh.com", "").split("-").at(-1) ?? "";
  const coordinate = COORDINATE_BYTES[curve];
  if (kind === "ssh-rsa") {
    if (!isOddNumber(reader.string())) throw new Error("its key is not an RSA key");
    const modulus = reader.string();
    if (!isOddNumber(modulus)) throw new Error("its key is not an RSA key");
    const bytes = modulus[0] === 0 ? modulus.subarray(1) : modulus;
    if (bytes.length < MIN_RSA_BYTES || (bytes.length === MIN_RSA_BYTES && (bytes[0] ?? 0) < 0x80)) {
      throw new Error("its RSA key has fewer than 1,024 bits");
    }
    if (bytes.length > MAX_RSA_BYTES) throw new Error("its RSA key has more than 16,384 bits");
  } else if (coordinate !== undefined) {
    const named = String.fromCharCode(...reader.string());
    const point = reader.string();
    if (named !== curve || point.length !== 1 + 2 * coordinate || point[0] !== 4 || !isOn(curve, point)) {
      throw new Error(`its key is not one of the curve ${curve}`);
    }
  } else if (reader.string().length !== ED25519_BYTES) throw new Error(`its key does not have ${ED25519_BYTES} bytes`);
  if (kind.startsWith("sk-") && reader.string().includes(0)) throw new Error("its application has a NUL byte");
  if (!reader.isAtEnd) throw new Error("its key has more bytes than its type takes");
}

function decoded(encoded: string): Uint8Array {
  let binary: string;
  try {
    binary = /^[A-Za-z0-9+/]+={0,2}$/.test(encoded) ? atob(encoded) : "";
  } catch {
    binary = "";
  }
  if (!binary) throw new Error("its key is cut short, or not base64");
  if (btoa(binary) !== encoded) throw new Error("its base64 differs from what OpenSSH writes");
  return Uint8Array.from(binary, (char) => char.charCodeAt(0));
}

/** True if an uncompressed point is on the curve, y² = x³ - 3x + constant: servers refuse any other. */
function isOn(curve: string, point: Uint8Array): boolean {
  const [prime, constant] = CURVES[curve] as readonly [bigint, bigint];
  const half = (point.length - 1) / 2;
  const [x, y] = [point.slice(1, 1 + half), point.slice(1 + half)].map((bytes) => BigInt(`0x${toHex(bytes)}`)) as [
    bigint,
    bigint,
  ];
  return x < prime && y < prime && (y * y - (x ** 3n - 3n * x + constant)) % prime === 0n;
}

/** True for an odd positive number in its shortest form. */
function isOddNumber(bytes: Uint8Array): boolean {
  const [first = 0x80, second = 0] = bytes;
  return first < 0x80 && (first !== 0 || second >= 0x80) && (bytes.at(-1) ?? 0) % 2 === 1;
}

class Reader {
  #at = 0;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  string(): Uint8Array {
    const start = this.#at + 4;
    if (start > this.#bytes.length) throw new Error("its key is cut short");
    const end = start + new DataView(this.#bytes.buffer, this.#bytes.byteOffset + this.#at, 4).getUint32(0);
    if (end > this.#bytes.length) throw new Error("its key is cut short");
    this.#at = end;
    return this.#bytes.slice(start, end);
  }
}
