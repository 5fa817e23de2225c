import { fromBase58, utf8 } from "./bytes.js";
import { PROGRAM_ID } from "./generated/program.js";

// Solana's off-chain messages: the envelope in which a hardware wallet signs a text.
const DOMAIN = Uint8Array.from([0xff, ...utf8("solana offchain")]);
const MOST = 1_232;
const MOST_HEADER = 85;
const [ASCII, UTF_8] = [0, 1];

/** A text in version 0 of the envelope, for this market. Throws where hardware wallets sign no text of its length. */
export function envelope(text: Uint8Array, signer: string): Uint8Array {
  if (text.length + MOST_HEADER > MOST) throw new RangeError(`a text of ${text.length} bytes`);
  const form = text.every((byte) => byte >= 0x20 && byte <= 0x7e) ? ASCII : UTF_8;
  const length = [text.length & 0xff, text.length >> 8];
  return Uint8Array.from([...DOMAIN, 0, ...fromBase58(PROGRAM_ID), form, 1, ...fromBase58(signer), ...length, ...text]);
}

/** True if the signed bytes are the text or an envelope of it; the verifier checks its signer and purpose. */
export function holds(signed: Uint8Array, text: Uint8Array): boolean {
  const header = signed.length - text.length;
  const ends = header >= 0 && text.every((byte, place) => signed[header + place] === byte);
  return ends && (header === 0 || (header <= MOST_HEADER && DOMAIN.every((byte, place) => signed[place] === byte)));
}
