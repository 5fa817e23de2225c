import { readFile, writeFile, mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { keypairSigner, type Signer } from "./signers.js";
import type { OrderKeys } from "./keys.js";

/** Signs with a file of the Solana CLI; by default its own. */
export async function loadKeypair(file = join(homedir(), ".config/solana/id.json")): Promise<Signer> {
  return keypairSigner(await readFile(file, "utf8"));
}

/** Keys of orders as files of mode 0600, which `gpu-market job JOB --connection` reads too. */
export function inDirectory(directory: string): OrderKeys {
  const path = (orderHash: string): string => join(directory, `${orderHash}.key`);
  return {
    async keep(orderHash, secret) {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await writeFile(path(orderHash), secret, { mode: 0o600, flag: "wx" });
    },
    async find(orderHash) {
      return readFile(path(orderHash), "utf8").then(
        (text) => text.trim(),
        () => undefined,
      );
    },
  };
}
