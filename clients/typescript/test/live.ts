// What a renter does in a market that runs: node live.js API KEYPAIR DIRECTORY TRANSPORT. Each step throws if it goes wrong.
import assert from "node:assert/strict";
import { ApiRefusal, extendJob, GpuMarket, lines, read, SealFailed, sockets, stake, unstake } from "gpu-market";
import { inDirectory, loadKeypair } from "gpu-market/node";

const [api = "", keypair, directory = "", by] = process.argv.slice(2);
const transport = { transport: by === "sockets" ? sockets : lines };
const signer = await loadKeypair(keypair);
const market = new GpuMarket({ api, signer, keys: inDirectory(directory) });
const signedIn = await market.signIn(); // who is signed in may ask more often
const { listings } = await market.listings({ gpu: "nvidia-a100-pcie-40gb", available: true });
const [machine] = listings;
assert(machine);

const wanted = { listing: machine.id, duration: 10_800, pay: "SOL", command: "nvidia-smi", ports: [{ port: 22 }] };
await assert.rejects(
  market.rent({ ...wanted, maxCost: 1n }),
  (error: ApiRefusal) => error.code === "cost_above_maximum",
);

const draft = await market.draftRent({ ...wanted, maxCost: 10n ** 9n });
assert.equal(draft.answer.listing, machine.id);
assert(draft.decoded.instructions.some(({ name }) => name === "open_rental"));
const { address } = await draft.send();
const job = market.job(address ?? "");
const running = await job.running(transport);
assert.equal(running.status, "running");

const elsewhere = new GpuMarket({ api, signer, keys: inDirectory(directory) }).job(job.id);
assert.equal((await elsewhere.connection())?.user, "root");
await assert.rejects(new GpuMarket({ api }).job(job.id).connection(), SealFailed);

await job.extend(1_800, { maxCost: 10n ** 9n });
await assert.rejects(market.send(extendJob(job.id, 1_800, 1n, running.mint)), ApiRefusal);
await job.report("slow");
await job.stop({ issue: "network" });
const ended = await job.ended(transport);
assert.equal(ended.close_reason, "stopped");
assert.equal(ended.duration, 12_600);
assert.equal(await job.note(), undefined);
assert.equal(BigInt(ended.cost) + BigInt(ended.refunded), BigInt(ended.deposit));

await market.send(stake(1_000_000n));
await market.send(unstake(1_000_000n));

const me = await read(market.api.GET("/api/auth/me"));
assert.equal(me.wallet, signer.address);
await signedIn.end();
console.log("done");
