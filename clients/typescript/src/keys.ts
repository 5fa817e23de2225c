import { fromHex, toHex } from "./bytes.js";
import { SealKey } from "./sealing.js";

/** Store of a renter's order keys, by the order's SHA-256, until the connection has been opened. */
export interface OrderKeys {
  /** Keeps a key before anything is sent. */
  keep(orderHash: string, secret: string): Promise<void> | void;
  /** The secret, in hex; undefined for an order made elsewhere. */
  find(orderHash: string): Promise<string | undefined> | string | undefined;
}

/** Store of a renter's request documents, in base64 by their SHA-256, until a match names the host to seal them to. */
export interface WaitingOrders extends OrderKeys {
  forget(orderHash: string): Promise<void> | void;
}

/** Ends with the page or process. */
export function inMemory(): WaitingOrders {
  const kept = new Map<string, string>();
  return {
    keep: (hash, secret) => void kept.set(hash, secret),
    find: (hash) => kept.get(hash),
    forget: (hash) => void kept.delete(hash),
  };
}

/** In a `Storage` of a browser, such as `localStorage`: whoever can run scripts on the page's origin can read them. */
export function inStorage(
  storage: Pick<Storage, "getItem" | "setItem" | "removeItem">,
  prefix = "gpu-market.order.",
): WaitingOrders {
  return {
    keep: (hash, secret) => storage.setItem(prefix + hash, secret),
    find: (hash) => storage.getItem(prefix + hash) ?? undefined,
    forget: (hash) => storage.removeItem(prefix + hash),
  };
}

/** A fresh key. */
export async function newKey(): Promise<{ key: SealKey; secret: string }> {
  const key = await SealKey.generate();
  return { key, secret: toHex(key.secretKey) };
}

/** The key that was made for an order, if it was made here. */
export async function keyOf(keys: OrderKeys, orderHash: string): Promise<SealKey | undefined> {
  const secret = await keys.find(orderHash);
  return secret === undefined ? undefined : SealKey.fromSecret(fromHex(secret));
}
