import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ApiRefusal,
  ApiUnreachable,
  DraftRefused,
  GpuMarket,
  inMemory,
  seal,
  SealKey,
  SigningRefused,
  stake,
  toHex,
  TransactionFailed,
  unstake,
  walletSigner,
} from "gpu-market";
import { toBase64, utf8 } from "../src/bytes.js";
import { api, keypair, transaction, unsigned, wallet } from "./parties.js";

const URL = "http://market.example";
const FIVE = "0500000000000000";
const SIGNATURE = "5".repeat(64);
const told = (status: string, error: object | null = null) => ({ signature: SIGNATURE, status, slot: 7, error });

test("act__pending_and_then_landed__is_signed_once_and_told", async () => {
  const signer = await keypair();
  const wire = transaction(signer.address, "stake", FIVE);
  const { asked, fetch } = api(({ path }, times) => {
    if (path === "/api/rewards/stake") return [200, unsigned(wire)];
    return path === "/api/transactions" ? [202, told("pending")] : [200, told(times === 0 ? "pending" : "landed")];
  });
  const landed = await new GpuMarket({ api: URL, signer, fetch }).send(stake(5n));
  assert.deepEqual(landed, { signature: SIGNATURE, slot: 7, address: null });
  assert.deepEqual(asked[0]?.body, { amount: "5", wallet: signer.address, version: "v1" });
  assert.equal(asked.filter(({ method }) => method === "POST").length, 2);
  assert.notEqual(asked[1]?.body["transaction"], wire);
  assert.equal(asked[1]?.body["last_valid_block_height"], 9);
});

test("act__drafted_otherwise__is_refused_and_not_signed", async () => {
  const signer = await keypair();
  const { asked, fetch } = api(() => [200, unsigned(transaction(signer.address, "stake", FIVE))]);
  let signed = 0;
  const counting = { ...signer, signTransaction: async (wire: Uint8Array) => (signed++, wire) };
  const market = new GpuMarket({ api: URL, signer: counting, fetch });
  await assert.rejects(market.send(stake(4n)), (error: DraftRefused) => {
    assert.deepEqual(error.differences, [{ what: "stake.amount", expected: "4", found: "5" }]);
    return error instanceof DraftRefused && error.code === "draft_refused";
  });
  await assert.rejects(market.send(unstake(5n)), DraftRefused);
  assert.deepEqual([signed, asked.length], [0, 2]);
});

test("act__fails_on_chain__raises_the_program_s_error", async () => {
  const signer = await keypair();
  const failure = { error: "stake_locked", detail: "It is locked.", remedy: "Wait." };
  const { fetch } = api(({ path }) =>
    path === "/api/transactions"
      ? [200, told("failed", failure)]
      : [200, unsigned(transaction(signer.address, "stake", FIVE))],
  );
  await assert.rejects(new GpuMarket({ api: URL, signer, fetch }).send(stake(5n)), (error: TransactionFailed) => {
    assert.deepEqual(
      [error.code, error.message, error.remedy, error.signature],
      ["stake_locked", "It is locked.", "Wait.", SIGNATURE],
    );
    return error instanceof TransactionFailed;
  });
});

test("act__api_away_or_busy_while_it_lands__is_asked_again", async () => {
  const signer = await keypair();
  const busy = { error: "too_many_requests", detail: "Busy.", remedy: "Wait." };
  const { asked, fetch } = api(({ path }, times) => {
    if (path === "/api/rewards/stake") return [200, unsigned(transaction(signer.address, "stake", FIVE))];
    if (path === "/api/transactions")
      return times === 0 ? [502, "away"] : times === 1 ? [202, told("pending")] : [200, told("landed")];
    return times === 0 ? [404, { ...busy, error: "transaction_not_found" }] : [200, told("landed")];
  });
  assert.equal((await new GpuMarket({ api: URL, signer, fetch }).send(stake(5n))).slot, 7);
  const handed = asked.filter(({ path }) => path === "/api/transactions");
  assert.deepEqual([handed.length, new Set(handed.map(({ body }) => body["transaction"])).size], [3, 1]);
});

test("act__expired__can_be_sent_again", async () => {
  const signer = await keypair();
  const { asked, fetch } = api(({ path }, times) =>
    path === "/api/transactions"
      ? [200, told(times === 0 ? "expired" : "landed")]
      : [200, unsigned(transaction(signer.address, "stake", FIVE))],
  );
  const draft = await new GpuMarket({ api: URL, signer, fetch }).draft(stake(5n));
  await assert.rejects(draft.send(), { code: "transaction_expired" });
  assert.equal((await draft.send()).slot, 7);
  assert.equal(asked.filter(({ path }) => path === "/api/rewards/stake").length, 2);
});

test("refusal__problem_json__is_raised_with_its_code_and_remedy", async () => {
  const problem = {
    type: "about:blank",
    title: "Conflict",
    status: 409,
    detail: "No.",
    error: "too_few_tokens",
    remedy: "Buy.",
    request_id: "r1",
  };
  const { fetch } = api(() => [409, problem]);
  await assert.rejects(
    new GpuMarket({ api: URL, signer: await keypair(), fetch }).send(stake(5n)),
    (error: ApiRefusal) => {
      const { code, message, remedy, status, retryAfter, requestId } = error;
      assert.deepEqual(
        [code, message, remedy, status, retryAfter, requestId],
        ["too_few_tokens", "No.", "Buy.", 409, 7, "r1"],
      );
      return error instanceof ApiRefusal;
    },
  );
});

test("refusal__of_something_else__is_no_api", async () => {
  const { fetch } = api(() => [502, "<html>"]);
  await assert.rejects(new GpuMarket({ api: URL, fetch }).listings(), ApiUnreachable);
  const away = (): Promise<Response> => Promise.reject(new TypeError("fetch failed"));
  await assert.rejects(new GpuMarket({ api: URL, fetch: away }).listings(), ApiUnreachable);
});

test("wallet__that_signs_v0_only__is_drafted_v0_and_signs", async () => {
  const party = wallet(await keypair(), ["legacy", 0]);
  const signer = walletSigner(party.wallet, party.account, "solana:localnet");
  const { asked, fetch } = api(({ path }) =>
    path === "/api/transactions" ? [200, told("landed")] : [200, unsigned(transaction(signer.address, "stake", FIVE))],
  );
  await new GpuMarket({ api: URL, signer, fetch }).send(stake(5n));
  assert.deepEqual(signer.versions, [0]);
  assert.equal(asked[0]?.body["version"], "v0");
});

test("wallet__that_signs_v1__takes_either", async () => {
  const party = wallet(await keypair(), ["legacy", 0, 1]);
  const signer = walletSigner(party.wallet, party.account, "solana:localnet");
  const wire = transaction(signer.address, "stake", FIVE, 1);
  const { asked, fetch } = api(({ path }) =>
    path === "/api/transactions" ? [200, told("landed")] : [200, unsigned(wire)],
  );
  const draft = await new GpuMarket({ api: URL, signer, fetch }).draft(stake(5n));
  assert.equal(draft.decoded.version, 1);
  await draft.send();
  assert.equal(asked[0]?.body["version"], "v1");
});

test("wallet__that_declines_or_signs_another_message__is_named", async () => {
  const keys = await keypair();
  const other = wallet(keys, [0], "prefix ");
  await assert.rejects(
    walletSigner(other.wallet, other.account, "solana:localnet").signMessage(new Uint8Array(3)),
    SigningRefused,
  );
  const declining = wallet({ ...keys, signMessage: () => Promise.reject(new Error("declined")) }, [0]);
  await assert.rejects(
    walletSigner(declining.wallet, declining.account, "solana:localnet").signMessage(new Uint8Array(3)),
    {
      code: "signing_refused",
    },
  );
  const without = { ...declining.wallet, features: {} };
  assert.throws(() => walletSigner(without, declining.account, "solana:localnet"), SigningRefused);
});

test("market__without_a_signer__reads_and_does_not_sign", async () => {
  const { fetch } = api(() => [200, { listings: [], next_cursor: null }]);
  const market = new GpuMarket({ api: URL, fetch });
  assert.deepEqual((await market.listings()).listings, []);
  await assert.rejects(market.send(stake(1n)), SigningRefused);
});

test("sign_in__asked_for_another_site__is_refused", async () => {
  const challenge = {
    domain: "evil.example",
    statement: "s",
    uri: "u",
    version: "1",
    chainId: "c",
    nonce: "n",
    issuedAt: "i",
    expirationTime: "e",
  };
  const { asked, fetch } = api(() => [200, challenge]);
  await assert.rejects(new GpuMarket({ api: URL, signer: await keypair(), fetch }).signIn(), SigningRefused);
  assert.equal(asked.length, 1);
});

test("note__sealed_to_an_order__is_opened_where_its_key_is_kept", async () => {
  const [key, hash] = [await SealKey.generate(), "ab".repeat(32)];
  const notes = [toBase64(await seal(utf8("No command specified"), key.publicKey))];
  const answers: Record<string, unknown> = { "/api/jobs/1": { order_hash: hash }, "/api/jobs/1/notes": { notes } };
  const { asked, fetch } = api(({ path }) => [200, answers[path]]);
  const job = new GpuMarket({ api: URL, fetch }).job("1");
  await assert.rejects(job.note(), { code: "no_key" });
  const keys = inMemory();
  await keys.keep(hash, toHex(key.secretKey));
  assert.equal(await new GpuMarket({ api: URL, keys, fetch }).job("1").note(), "No command specified");
  answers["/api/jobs/1/notes"] = { notes: [] };
  asked.length = 0;
  assert.equal(await job.note(), undefined);
  assert.deepEqual(asked.map(({ path }) => path), ["/api/jobs/1/notes"]);
});
