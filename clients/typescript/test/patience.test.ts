import assert from "node:assert/strict";
import { test } from "node:test";
import { GpuMarket, TransactionFailed, stake } from "gpu-market";
import { GpuMarketError } from "../src/errors.js";
import { patiently } from "../src/patience.js";
import { api, keypair, transaction, unsigned } from "./parties.js";

const URL = "http://market.example";
const SIGNATURE = "5".repeat(64);
const METER_MISSING = { error: "meter_missing", detail: "It has a meter.", remedy: "Read it again." };

/** Is refused by these codes in turn, then made. */
function refused(...codes: string[]) {
  let tries = 0;
  const make = async () => {
    const code = codes[tries++];
    if (code !== undefined) throw new GpuMarketError(code, "refused", "try again");
    return "made";
  };
  return { make, tries: () => tries };
}

test("patiently__refused_for_this_moment__is_asked_again", async () => {
  const { make, tries } = refused("just_placed", "just_withdrawn", "meter_missing");
  assert.equal(await patiently(make, 0), "made");
  assert.equal(tries(), 4);
});

test("patiently__refused_for_good__says_so_at_once", async () => {
  const { make, tries } = refused("grace_not_over");
  await assert.rejects(patiently(make, 0), { code: "grace_not_over" });
  assert.equal(tries(), 1);
});

test("patiently__refused_every_time__says_so_after_five", async () => {
  const { make, tries } = refused(...Array<string>(9).fill("just_placed"));
  await assert.rejects(patiently(make, 0), { code: "just_placed" });
  assert.equal(tries(), 5);
});

/** A market whose API tells these outcomes of what is sent, in turn. */
async function sending(...outcomes: readonly (object | null)[]) {
  const signer = await keypair();
  const { asked, fetch } = api(({ path }, times) => {
    if (path !== "/api/transactions") return [200, unsigned(transaction(signer.address, "stake", "0500000000000000"))];
    const error = outcomes[times] ?? null;
    return [200, { signature: SIGNATURE, status: error === null ? "landed" : "failed", slot: 7, error }];
  });
  const drafts = () => asked.filter(({ path }) => path === "/api/rewards/stake").length;
  return { market: new GpuMarket({ api: URL, signer, fetch }), drafts };
}

test("act__overtaken_by_a_meter__is_drafted_signed_and_sent_once_more", async () => {
  const { market, drafts } = await sending(METER_MISSING);
  assert.equal((await market.send(stake(5n))).slot, 7);
  assert.equal(drafts(), 2);
});

test("act__overtaken_twice__raises_the_program_s_error", async () => {
  const { market, drafts } = await sending(METER_MISSING, METER_MISSING);
  await assert.rejects(market.send(stake(5n)), (error) => error instanceof TransactionFailed);
  assert.equal(drafts(), 2);
});
