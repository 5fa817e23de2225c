import { fromBase64 } from "./bytes.js";
import { SealFailed } from "./errors.js";
import { unseal, type SealKey } from "./sealing.js";

/** Hosts say no more; whoever does is cut off. */
const MOST_CHARACTERS = 160;
/** Control characters, which a page or a terminal could obey: neither letters, marks, numbers, punctuation nor symbols. */
const UNPRINTABLE = /[\p{C}\p{Z}]+/gu;

/** The sentence among notes that was sealed to a key, as plain text on one line, if it has any. SealFailed if none was. */
export async function noteIn(notes: readonly string[], key: SealKey): Promise<string | undefined> {
  for (const note of notes) {
    const said = await opened(note, key);
    if (said !== undefined) return onOneLine(said) || undefined;
  }
  throw new SealFailed("not_sealed_to_us", "This was not sealed to the key given", "Use the key that made the order.");
}

/** Undefined for what another's key opens, and for what only looks like a note: anybody's memo may. */
async function opened(note: string, key: SealKey): Promise<string | undefined> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await unseal(fromBase64(note), key));
  } catch (error) {
    if (error instanceof SealFailed || error instanceof TypeError) return undefined;
    throw error;
  }
}

function onOneLine(text: string): string {
  return [...text.replace(UNPRINTABLE, " ").trim()].slice(0, MOST_CHARACTERS).join("");
}
