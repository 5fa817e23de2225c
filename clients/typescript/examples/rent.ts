import { GpuMarket } from "gpu-market";
import { loadKeypair } from "gpu-market/node";

const [api = "http://127.0.0.1:8000", keypair] = process.argv.slice(2);
const market = new GpuMarket({ api, signer: await loadKeypair(keypair) });
const job = await market.rent({ gpu: "nvidia-a100-pcie-40gb", duration: 7_200, maxCost: 50_000_000n, command: "nvidia-smi" });
for await (const { status, message } of job.watch()) {
  console.log(status, message);
  if (status === "running") break;
}
console.log(await job.connection());
await job.stop();
console.log("cost", (await job.ended()).cost);
