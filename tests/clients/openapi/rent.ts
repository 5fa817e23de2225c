// Rents and stops with types that openapi-typescript generates: node rent.js API KEYPAIR
import { createPrivateKey, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import createClient from "openapi-fetch";
import type { paths } from "./schema.js";

const [baseUrl = "", keypair = ""] = process.argv.slice(2);
const secret = Buffer.from(JSON.parse(readFileSync(keypair, "utf8")) as number[]);
const header = Buffer.from("302e020100300506032b657004220420", "hex");
const key = createPrivateKey({ key: Buffer.concat([header, secret.subarray(0, 32)]), format: "der", type: "pkcs8" });
const api = createClient<paths>({ baseUrl });

/** Signs a transaction of one signature, and sends it until its outcome is known. */
async function land(transaction: string, last_valid_block_height: number): Promise<void> {
  const raw = Buffer.from(transaction, "base64");
  sign(null, raw.subarray(65), key).copy(raw, 1);
  const body = { transaction: raw.toString("base64"), last_valid_block_height };
  for (;;) {
    const { data, error } = await api.POST("/api/transactions", { body });
    if (data?.status === "landed") return;
    if (data?.status !== "pending") throw new Error(JSON.stringify(data ?? error));
  }
}

/** Waits until the index has the job, in this state. */
async function known(id: string, isEnded: boolean): Promise<void> {
  for (;;) {
    const { data } = await api.GET("/api/jobs/{id}", { params: { path: { id } } });
    if (data && (data.ended_at !== null || !isEnded)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const wallet = process.argv[4] ?? "";
const order = { wallet, gpu: "nvidia-a100-pcie-40gb" as const, duration: 7_200, order_hash: "cd".repeat(32) };
const { data: ordered, error } = await api.POST("/api/jobs", { body: order });
if (!ordered?.address) throw new Error(JSON.stringify(error));
await land(ordered.transaction, ordered.last_valid_block_height);
await known(ordered.address, false);
const { data: stop, error: refused } = await api.POST("/api/jobs/{id}/stop", {
  params: { path: { id: ordered.address } },
  body: { wallet },
});
if (!stop) throw new Error(JSON.stringify(refused));
await land(stop.transaction, stop.last_valid_block_height);
await known(ordered.address, true);
console.log("ended");
