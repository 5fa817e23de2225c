import { hsalsa, secretbox } from "@noble/ciphers/salsa.js";
import { blake2b } from "@noble/hashes/blake2.js";
import { SealFailed } from "./errors.js";

const KEY_BYTES = 32;
const NONCE_BYTES = 24;
/** PKCS #8 prefix of a 32-byte X25519 secret key. */
const PKCS8 = Uint8Array.from([0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x6e, 4, 0x22, 4, 0x20]);
const SIGMA = Uint32Array.of(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574); // "expand 32-byte k"

/** An X25519 key pair that opens what is sealed to `publicKey`: NaCl's sealed boxes, as PyNaCl makes them. */
export class SealKey {
  private constructor(
    readonly publicKey: Uint8Array,
    readonly secretKey: Uint8Array,
  ) {}

  /** A fresh key: a renter makes one for each order. */
  static async generate(): Promise<SealKey> {
    return SealKey.fromSecret(crypto.getRandomValues(new Uint8Array(KEY_BYTES)));
  }

  /** The key of 32 secret bytes. */
  static async fromSecret(secret: Uint8Array): Promise<SealKey> {
    const base = new Uint8Array(KEY_BYTES);
    base[0] = 9;
    return new SealKey(await agreed(secret, base), secret);
  }
}

/** Seals a message to an X25519 public key; 48 bytes longer than it. */
export async function seal(message: Uint8Array, publicKey: Uint8Array): Promise<Uint8Array> {
  const once = await SealKey.generate();
  const box = secretbox(await boxKey(once.secretKey, publicKey), nonceOf(once.publicKey, publicKey));
  return concat(once.publicKey, box.seal(message));
}

/** Opens what was sealed to a key. Throws SealFailed for what was not. */
export async function unseal(sealed: Uint8Array, key: SealKey): Promise<Uint8Array> {
  const theirs = sealed.subarray(0, KEY_BYTES);
  try {
    const box = secretbox(await boxKey(key.secretKey, theirs), nonceOf(theirs, key.publicKey));
    return box.open(sealed.subarray(KEY_BYTES));
  } catch {
    throw new SealFailed(
      "not_sealed_to_us",
      "This was not sealed to the key given",
      "Use the key that made the order.",
    );
  }
}

const nonceOf = (once: Uint8Array, to: Uint8Array): Uint8Array => blake2b(concat(once, to), { dkLen: NONCE_BYTES });

async function boxKey(secret: Uint8Array, publicKey: Uint8Array): Promise<Uint8Array> {
  const key = new Uint32Array(KEY_BYTES / 4);
  hsalsa(SIGMA, words(await agreed(secret, publicKey)), new Uint32Array(4), key);
  return bytes(key);
}

async function agreed(secret: Uint8Array, publicKey: Uint8Array): Promise<Uint8Array> {
  if (secret.length !== KEY_BYTES || publicKey.length !== KEY_BYTES) {
    throw new SealFailed("bad_key", `A seal key has ${KEY_BYTES} bytes`, "Use an X25519 key.");
  }
  const { subtle } = crypto;
  const ours = await subtle.importKey("pkcs8", concat(PKCS8, secret) as BufferSource, "X25519", false, ["deriveBits"]);
  const theirs = await subtle.importKey("raw", publicKey as BufferSource, "X25519", false, []);
  return new Uint8Array(await subtle.deriveBits({ name: "X25519", public: theirs }, ours, KEY_BYTES * 8));
}

function words(of: Uint8Array): Uint32Array {
  const view = new DataView(of.buffer, of.byteOffset, of.byteLength);
  return Uint32Array.from({ length: of.length / 4 }, (_, index) => view.getUint32(index * 4, true));
}

function bytes(of: Uint32Array): Uint8Array {
  const view = new DataView(new ArrayBuffer(of.length * 4));
  of.forEach((word, index) => view.setUint32(index * 4, word, true));
  return new Uint8Array(view.buffer);
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}
