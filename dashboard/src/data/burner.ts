import { BrowserTooOld } from "./too-old";

/** Storage key of the wallet that was made in this browser: 64 bytes as the Solana CLI writes them. */
export const BURNER_KEY = "burner";
const SEED_BYTES = 32;

/** The wallet's key as the Solana CLI keeps one; undefined if none was made here. */
export const burnerKey = (): string | undefined => localStorage.getItem(BURNER_KEY) ?? undefined;

/** Makes a wallet and keeps it, unless there is one, perhaps of another tab: its key. BrowserTooOld. */
export async function makeBurner(): Promise<string> {
  const kept = burnerKey();
  if (kept !== undefined) return kept;
  const pair = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]).catch((cause: unknown) => {
    throw new BrowserTooOld({ cause });
  });
  const { privateKey, publicKey } = pair as CryptoKeyPair;
  const secret = new Uint8Array(await crypto.subtle.exportKey("pkcs8", privateKey)).slice(-SEED_BYTES);
  const open = new Uint8Array(await crypto.subtle.exportKey("raw", publicKey));
  const text = JSON.stringify([...secret, ...open]);
  const meanwhile = burnerKey();
  if (meanwhile !== undefined) return meanwhile;
  localStorage.setItem(BURNER_KEY, text);
  return text;
}

/** Deletes the wallet: what it holds is lost unless its key was saved elsewhere. */
export const forgetBurner = (): void => localStorage.removeItem(BURNER_KEY);
